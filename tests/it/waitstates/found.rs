//! What the program says of a trace.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use serde_json::Value;

use crate::common::program::{said, streamfold};

/// Ticks by metric, region of the call path, and location.
pub type Waits = BTreeMap<(String, String, u64), u64>;

/// Count and largest, by kind.
pub type Violations = BTreeMap<String, (u64, u64)>;

/// The same by kind and the nodes of cause and effect.
pub type ByNodes = BTreeMap<(String, u64, u64), (u64, u64)>;

const IDLE: [&str; 2] = ["omp_idle_threads", "omp_limited_parallelism"];

/// The arguments that write a report to a file.
pub fn args(anchor: &Path, file: &Path) -> Vec<OsString> {
    let args = [OsStr::new("waitstates"), OsStr::new("-q"), anchor.as_ref()];
    args.into_iter().chain([OsStr::new("-o"), file.as_ref()]).map(Into::into).collect()
}

/// The JSON report of an archive, and the exit code.
pub fn report(anchor: &Path) -> (Value, i32) {
    report_with(anchor, &[])
}

/// The same, with more arguments.
pub fn report_with(anchor: &Path, more: &[&str]) -> (Value, i32) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("report.json");
    let output = streamfold(args(anchor, &file)).args(more).output().expect("a run");
    let code = output.status.code().expect("an exit code");
    let report = std::fs::read(&file).ok().and_then(|text| serde_json::from_slice(&text).ok());
    (report.unwrap_or_else(|| panic!("exit code {code}: {}", said(&output))), code)
}

/// The rows of a table.
pub fn rows<'a>(report: &'a Value, table: &str) -> &'a [Value] {
    report[table].as_array().unwrap_or_else(|| panic!("a table {table}"))
}

/// A number of a row.
pub fn number(row: &Value, column: &str) -> u64 {
    row[column].as_u64().unwrap_or_else(|| panic!("{column} in {row}"))
}

/// A text of a row.
pub fn text<'a>(row: &'a Value, column: &str) -> &'a str {
    row[column].as_str().unwrap_or_else(|| panic!("{column} in {row}"))
}

/// The regions by number of call path.
pub fn regions(report: &Value) -> BTreeMap<u64, String> {
    let paths = rows(report, "call_paths").iter();
    paths.map(|row| (number(row, "path"), text(row, "region").to_owned())).collect()
}

/// The wait states of a report, but for idle threads, which belong to no call of theirs.
pub fn waits(report: &Value) -> Waits {
    severities(report, "ticks")
}

/// How many there are.
pub fn counts(report: &Value) -> Waits {
    severities(report, "instances")
}

fn severities(report: &Value, column: &str) -> Waits {
    let regions = regions(report);
    let mut waits = Waits::new();
    for row in rows(report, "severities") {
        if IDLE.contains(&text(row, "metric")) {
            continue;
        }
        let region = regions[&number(row, "path")].clone();
        let key = (text(row, "metric").to_owned(), region, number(row, "location"));
        *waits.entry(key).or_default() += number(row, column);
    }
    waits
}

/// Where the order of events was against that of causes.
pub fn violations(report: &Value) -> Violations {
    let mut sums = Violations::new();
    for ((kind, ..), (count, largest)) in violations_by_nodes(report) {
        let sum = sums.entry(kind).or_default();
        *sum = (sum.0 + count, sum.1.max(largest));
    }
    sums
}

/// The same by nodes.
pub fn violations_by_nodes(report: &Value) -> ByNodes {
    let row = |row: &Value| {
        let nodes = ["cause_node", "effect_node"].map(|column| number(row, column));
        let key = (text(row, "kind").to_owned(), nodes[0], nodes[1]);
        (key, (number(row, "count"), number(row, "largest_ticks")))
    };
    rows(report, "violations").iter().map(row).collect()
}

/// Ticks of a wait at a location, with those of its parts.
pub fn at_location(report: &Value, metric: &str, location: u64) -> u64 {
    let rows = rows(report, "by_location").iter();
    let mut of = rows.filter(|row| text(row, "metric") == metric);
    of.find(|row| number(row, "location") == location).map_or(0, |row| number(row, "ticks"))
}

/// Ticks of all waits at a location, each once.
pub fn waited(report: &Value, location: u64) -> u64 {
    let parts = rows(report, "metrics").iter().filter(|row| !row["parent"].is_null());
    let parts: Vec<&str> = parts.map(|row| text(row, "metric")).collect();
    let rows = rows(report, "by_location").iter();
    let of = rows.filter(|row| number(row, "location") == location);
    let whole = of.filter(|row| !parts.contains(&text(row, "metric")));
    whole.map(|row| number(row, "ticks")).sum()
}

/// Ticks of all threads by group and class, of the account of a report.
pub fn account(report: &Value) -> BTreeMap<(String, String), u64> {
    let mut sums = BTreeMap::new();
    let classes = report["account"]["threads"]["classes"].as_object().expect("classes");
    for (group, of) in classes {
        match of.as_object() {
            Some(classes) => {
                for class in classes.keys().filter(|class| *class != "ticks") {
                    sums.insert((group.clone(), class.clone()), number(of, class));
                }
            }
            None => {
                let ticks = of.as_u64().expect("ticks");
                let classes = [("idle", "idle"), ("not_recorded", "not_recorded")];
                let class = classes.iter().find(|(of, _)| of == group).map_or("calls", |of| of.1);
                sums.insert((group.clone(), class.to_owned()), ticks);
            }
        }
    }
    sums
}

/// The account of each thread: ticks by name of the column, without `_ticks`.
pub fn by_thread(anchor: &Path) -> BTreeMap<u64, BTreeMap<String, u64>> {
    let args = ["profile", "-q", "--by", "thread", "--format", "json"];
    let output = streamfold(args).arg(anchor).output().expect("a run");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", said(&output)));
    let of = |row: &Value| {
        let columns = row.as_object().expect("a row").keys();
        let ticks = columns.filter_map(|column| Some((column, column.strip_suffix("_ticks")?)));
        let ticks = ticks.filter_map(|(column, of)| Some((of.to_owned(), row[column].as_u64()?)));
        (number(row, "id"), ticks.collect())
    };
    rows(&report, "processes").iter().map(of).collect()
}
