//! The critical path as the program tells it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use serde_json::Value;

use crate::common::program::{said, streamfold};
use crate::waitstates::found::{number, rows, text};

/// Ticks by call path and by whether a team is forked or joined there.
pub type ByPath = BTreeMap<(String, bool), u64>;

/// The arguments that print a report.
pub fn args(trace: &Path, more: &[&str]) -> Vec<OsString> {
    let args = ["critical", "-q", "--format", "json"].map(OsStr::new);
    let args = args.into_iter().chain([trace.as_os_str()]).chain(more.iter().map(OsStr::new));
    args.map(Into::into).collect()
}

/// The report of a trace, and the exit code.
pub fn report(trace: &Path, more: &[&str]) -> (Value, i32) {
    let output = streamfold(args(trace, more)).output().expect("a run");
    let code = output.status.code().expect("an exit code");
    let report = serde_json::from_slice(&output.stdout);
    (report.unwrap_or_else(|error| panic!("{error}, exit code {code}: {}", said(&output))), code)
}

/// A part of the path: location, begin, end, and the kind of what it follows.
pub type Section = (u64, u64, u64, String);

/// The sections, in the order of time.
pub fn sections(report: &Value) -> Vec<Section> {
    let rows = rows(report, "sections").iter();
    let section = |row| {
        let [location, begin, end] = ["location", "begin", "end"].map(|of| number(row, of));
        (location, begin, end, text(row, "after").to_owned())
    };
    rows.map(section).collect()
}

/// A column of the table by call path.
pub fn by_call_path(report: &Value, column: &str) -> ByPath {
    let mut sums = ByPath::new();
    for row in rows(report, "by_call_path") {
        let path = text(row, "call_path");
        let path = path.trim_end_matches("(fork and join)").trim_end_matches(" > ");
        let is_outside = row["path"].is_null();
        let path = if is_outside { "" } else { path };
        let key = (path.to_owned(), number(row, "fork_join") == 1);
        *sums.entry(key).or_default() += number(row, column);
    }
    sums.retain(|_, ticks| *ticks > 0);
    sums
}

/// Ticks and sections by location.
pub fn by_location(report: &Value) -> BTreeMap<u64, (u64, u64)> {
    let rows = rows(report, "by_location").iter();
    let of = |row| (number(row, "location"), (number(row, "ticks"), number(row, "sections")));
    rows.map(of).collect()
}

/// The sum of a column of a table.
pub fn sum(report: &Value, table: &str, column: &str) -> u64 {
    rows(report, table).iter().map(|row| number(row, column)).sum()
}

/// Fails unless the path is as long as the run, without a gap, and all tables have the same time.
pub fn holds(report: &Value, name: &str) {
    let total = number(report, "total_ticks");
    assert_eq!(number(report, "run_ticks"), total, "{name}");
    for table in ["by_call_path", "by_location", "by_class", "sections"] {
        assert_eq!(sum(report, table, "ticks"), total, "{name}: {table}");
    }
    let sections = sections(report);
    for pair in sections.windows(2) {
        assert_eq!(pair[0].2, pair[1].1, "{name}: {pair:?}");
    }
    let imbalance = sum(report, "by_call_path", "imbalance_ticks");
    assert_eq!(number(report, "imbalance_ticks"), imbalance, "{name}");
    assert!(imbalance <= total, "{name}");
    let of_all = |column| (number(report, column), sum(report, "by_call_path", column));
    let (impact, of_path) = of_all("imbalance_impact_ticks");
    assert_eq!(impact, of_path, "{name}: imbalance is on the path");
    let (activities, of_path) = of_all("activities_ticks");
    assert_eq!(activities, of_path, "{name}: activities are on the path");
    for column in ["inter_partition_ticks", "off_path_ticks"] {
        let (all, of_path) = of_all(column);
        assert!(of_path <= all, "{name}: {column}");
    }
    assert!(number(report, "inter_partition_ticks") <= impact, "{name}");
    for row in rows(report, "by_call_path") {
        let [mean, activities, off_path] =
            ["mean_ticks", "activities_ticks", "off_path_ticks"].map(|of| number(row, of));
        assert!(mean <= activities + off_path, "{name}: {row}");
    }
    let longest = rows(report, "longest").iter().map(|row| number(row, "ticks")).max();
    let expected = sections.iter().map(|(_, begin, end, _)| end - begin).max();
    assert_eq!(longest, expected, "{name}");
    for row in rows(report, "longest") {
        let [ticks, most] = ["ticks", "path_ticks"].map(|of| number(row, of));
        assert!(0 < most && most <= ticks, "{name}: {row}");
    }
}
