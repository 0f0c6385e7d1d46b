//! Parts of a trace: single locations and groups, parameters, raw clocks.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::archives::{one, Archive};
#[cfg(feature = "ranks")]
use crate::common::program::on_ranks;
use crate::common::program::streamfold;

/// The profile as JSON, with these options.
fn profile(archive: &Archive, options: &[&str]) -> Value {
    let mut run = streamfold(["profile", "-q", "--mpi", "off", "--format", "json"]);
    let output = run.arg(&archive.anchor).args(options).output().expect("a run");
    assert!(output.status.success(), "{options:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Exclusive ticks and visits by region.
fn by_region(profile: &Value) -> BTreeMap<String, (u64, u64)> {
    let rows = profile["regions"].as_array().expect("regions").iter();
    let number = |row: &Value, name: &str| row[name].as_u64().expect("a number");
    rows.map(|row| {
        let name = format!("{} {}", row["region"], row["name"]);
        (name, (number(row, "exclusive"), number(row, "visits")))
    })
    .collect()
}

fn numbers(profile: &Value, list: &str, member: &str) -> Vec<u64> {
    let rows = profile[list].as_array().expect("rows").iter();
    rows.map(|row| row[member].as_u64().expect("a number")).collect()
}

fn usage_error(archive: &Archive, options: &[&str]) -> String {
    let mut run = streamfold(["profile", "-q", "--mpi", "off"]);
    let output = run.arg(&archive.anchor).args(options).output().expect("a run");
    assert_eq!(output.status.code(), Some(1), "{options:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn profiles_of_all_locations_add_up_to_the_whole() {
    let archive = one("hybrid");
    let whole = profile(&archive, &[]);
    let mut sum: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for location in numbers(&whole, "locations", "location") {
        let part = profile(&archive, &["-L", &location.to_string()]);
        assert_eq!(numbers(&part, "locations", "location"), [location]);
        for (region, (exclusive, visits)) in by_region(&part) {
            let of_region = sum.entry(region).or_default();
            of_region.0 += exclusive;
            of_region.1 += visits;
        }
    }
    assert_eq!(sum, by_region(&whole));
}

#[test]
fn a_group_is_its_locations_and_joins_those_named_by_number() {
    let archive = one("hybrid");
    let whole = profile(&archive, &[]);
    let of_group = |group: &str| -> Vec<u64> {
        let rows = whole["locations"].as_array().expect("rows").iter();
        rows.filter(|row| row["group_name"] == group)
            .map(|row| row["location"].as_u64().expect("a number"))
            .collect()
    };
    let members = of_group("MPI Rank 2");
    assert!(members.len() > 1);
    let part = profile(&archive, &["--group", "MPI Rank 2"]);
    assert_eq!(numbers(&part, "locations", "location"), members);
    let both = profile(&archive, &["--group", "MPI Rank 2", "-L", "0"]);
    assert_eq!(numbers(&both, "locations", "location"), [&[0], &members[..]].concat());
    let option = &both["provenance"]["options"];
    assert_eq!(option.to_string(), r#"[["location","0"],["group","MPI Rank 2"]]"#);
}

#[test]
fn parameters_split_call_paths_and_nothing_else() {
    let archive = one("hybrid");
    let whole = profile(&archive, &[]);
    let error = usage_error(&archive, &["--by-parameter", "no such"]);
    let (_, known) =
        error.trim_end().rsplit_once("(--by-parameter); it has ").expect("what is known");
    let mut options = Vec::new();
    known.split(", ").for_each(|name| options.extend(["--by-parameter", name]));
    let split = profile(&archive, &options);
    let kinds = |profile: &Value| {
        let rows = profile["paths"].as_array().expect("paths").iter();
        rows.filter(|row| row["kind"] == "parameter").count()
    };
    assert_eq!(kinds(&whole), 0);
    assert!(kinds(&split) > 1);
    assert_eq!(by_region(&split), by_region(&whole));
    assert_eq!(split["total"], whole["total"]);
    assert_eq!(split["locations"], whole["locations"]);
}

#[test]
fn raw_clocks_keep_what_was_counted_and_not_the_times() {
    let archive = one("intercomm");
    let (corrected, raw) = (profile(&archive, &[]), profile(&archive, &["--raw-clocks"]));
    let visits = |profile: &Value| -> BTreeMap<String, u64> {
        by_region(profile).into_iter().map(|(region, (_, visits))| (region, visits)).collect()
    };
    assert_eq!(visits(&corrected), visits(&raw));
    assert_ne!(by_region(&corrected), by_region(&raw));
}

#[test]
fn what_the_trace_has_not_is_a_wrong_command_line() {
    let archive = one("hybrid");
    let error = usage_error(&archive, &["-L", "77"]);
    assert!(error.contains("no location 77 (--location)"), "{error}");
    let error = usage_error(&archive, &["--group", "Rank"]);
    assert!(error.contains("no group Rank (--group); it has MPI Rank 0, MPI Rank 1"), "{error}");
    let error = usage_error(&one("pingpong"), &["--by-parameter", "step"]);
    assert!(error.contains("no parameter step (--by-parameter); it has no parameters"), "{error}");
}

#[cfg(feature = "ranks")]
#[test]
fn slices_are_the_same_bytes_on_several_ranks() {
    let archive = one("hybrid");
    let anchor = archive.anchor.to_str().expect("a path");
    let options = ["--group", "MPI Rank 1", "-L", "0", "--raw-clocks", "--by", "callpath"];
    let mut alone = streamfold(["profile", "-q", "--mpi", "off", "--format", "csv", anchor]);
    let alone = alone.args(options).output().expect("a run").stdout;
    assert!(!alone.is_empty());
    let args = [&["profile", "-q", "--format", "csv", anchor], &options[..]].concat();
    if let Some(ranks) = on_ranks(3, args) {
        assert_eq!(String::from_utf8_lossy(&ranks.stdout), String::from_utf8_lossy(&alone));
    }
}
