//! What is written: every output says the same, and opens as docs/use/waitstates.md says.

use streamfold::model::enums::CollectiveOp;

use crate::common::archives::one;
use crate::common::program::{said, streamfold};
use crate::common::tables;
use crate::waitstates::events::{begin, end, NONE};
use crate::waitstates::found::{number, report, rows};
use crate::waitstates::trace::Trace;
use crate::waitstates::written::Written;

#[test]
fn csv_has_every_table_of_json() {
    let anchor = one("hybrid").anchor;
    let (report, _) = report(&anchor);
    for table in ["metrics", "call_paths", "by_path", "by_location", "severities", "worst"] {
        assert!(report[table].as_array().is_some_and(|rows| !rows.is_empty()), "{table}");
        tables::csv_says_what_json_says("waitstates", table, &anchor, &report);
    }
}

#[cfg(feature = "hdf5")]
#[test]
fn hdf5_says_what_json_says() {
    for archive in ["intercomm", "hybrid"].map(one) {
        tables::hdf5_says_what_json_says("waitstates", &archive);
    }
}

/// What a person sees: the whole tree, and no row twice.
#[test]
fn text_shows_the_tree_and_where_it_was_waited() {
    let anchor = one("intercomm").anchor;
    let args =
        ["waitstates".as_ref(), anchor.as_os_str(), "-q".as_ref(), "--top".as_ref(), "3".as_ref()];
    let output = streamfold(args).output().expect("a run");
    let text = String::from_utf8(output.stdout.clone()).expect("text");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    for line in ["\nTime of 4 threads × ", "\n  MPI  ", "\nThe longest waits\n"] {
        assert_eq!(text.matches(line).count(), 1, "{line}: {text}");
    }
    assert!(text.contains("left out (--top)"), "{text}");
    let (report, _) = report(&anchor);
    let tree = text.split("\nTime of ").nth(1).and_then(|text| text.split("\n\n").next());
    let tree = tree.unwrap_or_else(|| panic!("a tree: {text}"));
    for row in rows(&report, "metrics").iter().filter(|row| number(row, "ticks") > 0) {
        let title = row["title"].as_str().expect("a title");
        let of = tree.lines().filter(|line| line.trim_start().starts_with(&format!("{title}  ")));
        assert_eq!(of.count(), 1, "{title}: {tree}");
    }
}

/// A barrier in MPI_Finalize, whose time is that of finalization.
#[test]
fn text_shows_waits_of_calls_of_another_class() {
    let mut trace = Trace::of(2);
    for (location, from) in [(0, 0), (10, 35)] {
        let barrier = [(from + 1, begin()), (38, end(CollectiveOp::Barrier, NONE, 0, 0))];
        trace.on(location).enter(0, "main").call("MPI_Finalize", from, 40, &barrier).leave(41);
    }
    let written = Written::new(&trace);
    let output = streamfold(["waitstates", "-q"]).arg(&written.anchor).output().expect("a run");
    let text = String::from_utf8(output.stdout).expect("text");
    let (_, tree) = text.split_once("MPI collective\n").unwrap_or_else(|| panic!("{text}"));
    assert!(tree.trim_start().starts_with("Wait at barrier "), "{text}");
}

#[test]
fn standard_output_gets_what_files_get() {
    tables::standard_output_gets_what_files_get("waitstates", &one("intercomm").anchor);
}

#[test]
fn a_suffix_that_nobody_knows_is_refused_before_the_work() {
    let anchor = one("intercomm").anchor;
    let args = ["waitstates".as_ref(), anchor.as_os_str(), "-o".as_ref(), "x.doc".as_ref()];
    let output = streamfold(args).output().expect("a run");
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("x.doc: "), "{}", said(&output));
}

/// A location is called what profiles and matched messages call it.
#[test]
fn locations_have_one_name_everywhere() {
    let anchor = one("intercomm").anchor;
    let run = |args: &[&str]| {
        let output = streamfold(args).arg(&anchor).output().expect("a run");
        String::from_utf8(output.stdout).expect("text")
    };
    let name = "MPI Rank 0 · Master thread";
    for args in [
        &["profile", "-q", "--by", "location"][..],
        &["match", "-q"],
        &["match", "-q", "--format", "csv"],
        &["waitstates", "-q"],
        &["waitstates", "-q", "--format", "csv"],
        &["waitstates", "-q", "--format", "json"],
        &["info"],
    ] {
        let text = run(args);
        assert!(text.contains(name), "{args:?}: {text}");
        assert!(!text.contains("MPI Rank 0, Master thread"), "{args:?}: {text}");
    }
}

#[test]
fn text_begins_with_the_trace() {
    let anchor = one("intercomm").anchor;
    let output = streamfold(["waitstates", "-q"]).arg(&anchor).output().expect("a run");
    let text = String::from_utf8(output.stdout).expect("text");
    let first =
        format!("{}\nrecorded by Score-P 8.4: 4 locations in 4 groups\n\n", anchor.display());
    assert!(text.starts_with(&first), "{text}");
}
