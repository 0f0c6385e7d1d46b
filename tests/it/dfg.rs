//! Pictures of graphs that are too dense for one: they show what there is room for, and say what they leave out.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::program::{said, streamfold};
use crate::common::usage::usage;

/// Regions that one thread visits in this order, as a Chrome trace.
fn trace(folder: &TempDir, visits: impl IntoIterator<Item = usize>) -> PathBuf {
    let event = |(number, region): (usize, usize)| {
        let begin = 1000 + 10 * number;
        format!(
            "{{\"name\":\"f{region}\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":{begin},\"dur\":5}}"
        )
    };
    let events: Vec<String> = visits.into_iter().enumerate().map(event).collect();
    let path = folder.path().join("trace.json");
    fs::write(&path, format!("[\n{}\n]\n", events.join(",\n"))).expect("written");
    path
}

/// A way on which each of so many regions follows once on each other one.
fn complete(regions: usize) -> Vec<usize> {
    let mut next = vec![0; regions];
    let (mut open, mut way) = (vec![0], Vec::new());
    while let Some(region) = open.last().copied() {
        let to = next[region] + usize::from(next[region] >= region);
        if to < regions {
            next[region] += 1;
            open.push(to);
        } else {
            way.push(region);
            open.pop();
        }
    }
    way.reverse();
    way
}

/// Draws the graph in all forms; what the program says.
fn drawn(trace: &Path, options: &[&str]) -> String {
    let folder = TempDir::new().expect("a folder");
    let at = |ending: &str| folder.path().join("graph").with_extension(ending);
    for ending in ["svg", "html", "png"] {
        let to = at(ending).display().to_string();
        let taken = usage(&["dfg", "-o", &to], &[trace], 60);
        assert!(taken.code == 0 && taken.memory < 300 << 20, "{ending}: {taken:?}");
        let size = fs::metadata(at(ending)).expect("a picture").len();
        assert!(size < 2_000_000, "{ending}: {size} bytes");
    }
    let mut program = streamfold(["dfg", "-q", "--mpi", "off"]);
    program.args(options).arg("-o").arg(at("svg")).arg("-o").arg(at("json")).arg(trace);
    let output = program.output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let picture = fs::read_to_string(at("svg")).expect("a picture");
    let said = said(&output);
    for line in said.lines() {
        let told = line.strip_prefix("streamfold: warning: ").unwrap_or_else(|| panic!("{said}"));
        assert!(picture.contains(&format!(">{told}<")), "{told}");
    }
    said
}

/// The nodes and edges of the tables.
fn counts(trace: &Path) -> (usize, usize) {
    let output = streamfold(["dfg", "-q", "--mpi", "off", "--format", "json"]).arg(trace).output();
    let report: Value = serde_json::from_slice(&output.expect("a run").stdout).expect("JSON");
    let rows = |name: &str| report[name].as_array().map_or(0, Vec::len);
    (rows("nodes"), rows("edges"))
}

#[test]
fn dense_graphs_are_drawn_in_part() {
    for regions in [60, 106, 420] {
        let folder = TempDir::new().expect("a folder");
        let trace = trace(&folder, complete(regions));
        let edges = regions * (regions - 1) + 2;
        assert_eq!(counts(&trace), (regions, edges));
        let said = drawn(&trace, &[]);
        let number = format!("{}", edges).chars().rev().collect::<Vec<_>>();
        let number: Vec<String> =
            number.chunks(3).map(|digits| digits.iter().rev().collect()).collect();
        let number = number.into_iter().rev().collect::<Vec<_>>().join(" ");
        assert!(
            said.contains(&format!(" of {number} edges are shown; the others have ")),
            "{said}"
        );
        assert!(said.contains(" % of the transitions"), "{said}");
        let told = |most: usize| format!("{most} of {regions} activities are shown; the others");
        assert!(said.contains(&told(40)), "{said}");
        let said = drawn(&trace, &["--most", "1000"]);
        assert_eq!(said.contains(&told(250)), regions > 250, "{said}");
        assert_eq!(said.contains("activities are shown"), regions > 250, "{said}");
    }
}

/// Long ways and many activities without many edges.
#[test]
fn large_graphs_are_drawn_in_part() {
    let folder = TempDir::new().expect("a folder");
    let said = drawn(&trace(&folder, 0..3000), &["--most", "250"]);
    assert!(
        said.contains("250 of 3 000 activities are shown; the others have 91.7 % of the time"),
        "{said}"
    );
    let said = drawn(&trace(&folder, (0..40_000).map(|at| at * at * 7 % 541)), &[]);
    assert!(said.contains("edges are shown"), "{said}");
}

/// The rarest edges are left out, those of --least before, and what is small is drawn as a whole.
#[test]
fn frequent_edges_stay() {
    let folder = TempDir::new().expect("a folder");
    let often = (0..5000).map(|at| at % 2);
    let trace = trace(&folder, complete(60).into_iter().chain(often));
    let said = drawn(&trace, &[]);
    assert!(said.contains("edges are shown"), "{said}");
    let to = folder.path().join("graph.svg");
    let run = |options: &[&str]| {
        let mut program = streamfold(["dfg", "-q", "--mpi", "off"]);
        let output = program.args(options).arg("-o").arg(&to).arg(&trace).output().expect("a run");
        let text = fs::read_to_string(&to).expect("a picture");
        (crate::common::program::said(&output), text)
    };
    let (_, picture) = run(&[]);
    assert!(picture.matches("data-count=\"2500\"").count() >= 2, "both ways");
    let (said, picture) = run(&["--least", "2", "--most", "60"]);
    assert_eq!(said, "");
    assert!(picture.contains("not drawn: ") && !picture.contains("edges are shown"));
}

/// A page begins with as many activities as a picture, and has pictures of fewer and of more.
#[test]
fn pages_have_a_slider_for_activities() {
    let folder = TempDir::new().expect("a folder");
    let trace = trace(&folder, complete(100));
    let page = folder.path().join("graph.html");
    let levels = |options: &[&str]| -> Vec<(usize, bool, usize)> {
        let mut program = streamfold(["dfg", "-q", "--mpi", "off"]);
        let output = program.args(options).arg("-o").arg(&page).arg(&trace).output();
        assert_eq!(output.expect("a run").status.code(), Some(0));
        let text = fs::read_to_string(&page).expect("a page");
        let level = |level: &str| {
            let (nodes, rest) = level.split_once('"').expect("a number");
            (
                nodes.parse().expect("a number"),
                rest.starts_with(" hidden"),
                rest.matches("class=\"node\" data-name=").count(),
            )
        };
        text.split("<div class=\"level\" data-nodes=\"").skip(1).map(level).collect()
    };
    let expected = |shown: usize, all: &[usize]| -> Vec<(usize, bool, usize)> {
        all.iter().map(|nodes| (*nodes, *nodes != shown, *nodes)).collect()
    };
    assert_eq!(levels(&[]), expected(40, &[10, 20, 40, 80, 100]));
    assert_eq!(levels(&["--most", "7"]), expected(7, &[7, 10, 20, 40, 80, 100]));
    assert_eq!(levels(&["--most", "1000"]), expected(100, &[10, 20, 40, 80, 100]));
}
