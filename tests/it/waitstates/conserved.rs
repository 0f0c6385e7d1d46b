//! Sums that hold for every archive.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::archives::{large, own, traces_folder, Archive};
use crate::common::program::{said, streamfold};
use crate::waitstates::found::{account, by_thread, number, report, rows, text};

/// Archives that were recorded with profiles beside them.
const WITH_PROFILE: [&str; 3] =
    ["scorep8-comd-mpi-all", "scorep8-lulesh-hybrid", "scorep8-regions-tasks-rma-io-rusage"];

/// All that there are.
pub fn archives() -> Vec<Archive> {
    let mut all: Vec<_> = own().into_iter().chain(large()).collect();
    let more = traces_folder().join("otf2-with-profile");
    let folders = WITH_PROFILE.iter().map(|name| more.join(name));
    all.extend(folders.filter_map(|folder| Archive::find(&folder)));
    all
}

/// A metric: its parent, its ticks, and those of its own.
type Metric = (Option<String>, u64, u64);

fn metrics(report: &Value) -> BTreeMap<String, Metric> {
    let metric = |row: &Value| {
        let parent = row["parent"].as_str().map(str::to_owned);
        let ticks = (number(row, "ticks"), number(row, "self_ticks"));
        (text(row, "metric").to_owned(), (parent, ticks.0, ticks.1))
    };
    rows(report, "metrics").iter().map(metric).collect()
}

/// Sums of two columns by metric.
fn by_metric(
    report: &Value,
    table: &str,
    of: impl Fn(&Value) -> bool,
) -> BTreeMap<String, [u64; 2]> {
    let mut sums: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for row in rows(report, table).iter().filter(|row| of(row)) {
        let sum = sums.entry(text(row, "metric").to_owned()).or_default();
        *sum = [sum[0] + number(row, "ticks"), sum[1] + number(row, "self_ticks")];
    }
    sums
}

/// Fails where sums do not hold within a report.
pub fn holds(report: &Value, name: &str) {
    let metrics = metrics(report);
    assert_eq!(metrics.len(), rows(report, "metrics").len(), "{name}: metrics are there once");
    for (metric, (parent, ticks, own)) in &metrics {
        let children: u64 = metrics
            .values()
            .filter(|(parent, ..)| parent.as_deref() == Some(metric))
            .map(|child| child.1)
            .sum();
        // Numbers without sign: the sum cannot be more than the whole.
        assert_eq!(own + children, *ticks, "{name}: {metric}");
        if let Some(parent) = parent {
            assert!(metrics.contains_key(parent), "{name}: {parent}");
        }
    }
    parents_come_first(report, name);
    for table in ["by_path", "by_location"] {
        let sums = by_metric(report, table, |_| true);
        for (metric, (_, ticks, own)) in &metrics {
            let found = sums.get(metric).copied().unwrap_or_default();
            assert_eq!(found, [*ticks, *own], "{name}: {table} of {metric}");
        }
        cells(report, table, &metrics, name);
    }
    severities(report, &metrics, name);
    let ticks = |metric: &str| metrics[metric].1;
    let wrong = ticks("mpi_latesender_wo");
    assert_eq!(ticks("mpi_lswo_same") + ticks("mpi_lswo_different"), wrong, "{name}");
    assert!(wrong <= ticks("mpi_latesender"), "{name}");
}

fn parents_come_first(report: &Value, name: &str) {
    let mut known = Vec::new();
    for row in rows(report, "metrics") {
        let parent = row["parent"].as_str();
        assert!(parent.is_none_or(|parent| known.contains(&parent)), "{name}: {row}");
        known.push(text(row, "metric"));
    }
    let mut depths: BTreeMap<u64, u64> = BTreeMap::new();
    for row in rows(report, "call_paths") {
        let depth = match row["parent"].as_u64() {
            Some(parent) => depths[&parent] + 1,
            None => 0,
        };
        assert_eq!(number(row, "depth"), depth, "{name}: {row}");
        depths.insert(number(row, "path"), depth);
    }
}

/// In each path and at each location, a metric is its children and its own.
fn cells(report: &Value, table: &str, metrics: &BTreeMap<String, Metric>, name: &str) {
    let column = table.trim_start_matches("by_");
    let mut cells: BTreeMap<(String, String), [u64; 2]> = BTreeMap::new();
    for row in rows(report, table) {
        let cell = (row[column].to_string(), text(row, "metric").to_owned());
        assert!(number(row, "ticks") > 0, "{name}: {row}");
        let before = cells.insert(cell, [number(row, "ticks"), number(row, "self_ticks")]);
        assert_eq!(before, None, "{name}: {row} is there once");
    }
    let mut children: BTreeMap<(String, String), u64> = BTreeMap::new();
    for ((of, metric), [ticks, _]) in &cells {
        if let Some(parent) = &metrics[metric].0 {
            *children.entry((of.clone(), parent.clone())).or_default() += ticks;
        }
    }
    for ((of, metric), sum) in &children {
        let found = cells.get(&(of.clone(), metric.clone()));
        assert!(found.is_some(), "{name}: {table}, {of} has children of {metric} only");
        assert!(found.is_some_and(|f| f[0] >= *sum), "{name}: {table}, {of}, {metric}");
    }
    for ((of, metric), [ticks, own]) in &cells {
        let sum = children.get(&(of.clone(), metric.clone())).copied().unwrap_or(0);
        assert_eq!(own + sum, *ticks, "{name}: {table}, {of}, {metric}");
    }
}

/// Wait states sum to the totals, by path and location, too.
fn severities(report: &Value, metrics: &BTreeMap<String, Metric>, name: &str) {
    let mut totals: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    let mut parts: BTreeMap<(String, String, &str), u64> = BTreeMap::new();
    for row in rows(report, "severities") {
        let (metric, ticks) = (text(row, "metric"), number(row, "ticks"));
        assert!(ticks > 0, "{name}: {row}");
        let total = totals.entry(metric).or_default();
        *total = [total[0] + ticks, total[1] + number(row, "instances")];
        for column in ["path", "location"] {
            let part = (column.to_owned(), row[column].to_string(), metric);
            *parts.entry(part).or_default() += ticks;
        }
    }
    for row in rows(report, "metrics") {
        let metric = text(row, "metric");
        let Some([ticks, instances]) = totals.get(metric).copied() else { continue };
        assert_eq!(number(row, "ticks"), ticks, "{name}: {metric}");
        assert_eq!(number(row, "instances"), instances, "{name}: instances of {metric}");
    }
    for column in ["path", "location"] {
        for row in rows(report, &format!("by_{column}")) {
            let metric = text(row, "metric");
            if totals.contains_key(metric) {
                let part = (column.to_owned(), row[column].to_string(), metric);
                assert_eq!(parts.get(&part), Some(&number(row, "ticks")), "{name}: {row}");
            }
        }
    }
    let known = |metric: &&str| metrics.contains_key(*metric);
    assert!(totals.keys().all(known), "{name}: {totals:?}");
}

/// The report of the profile of an archive.
fn profile(archive: &Archive) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("profile.json");
    let args = ["profile".as_ref(), "-q".as_ref(), archive.anchor.as_os_str()];
    let args = args.into_iter().chain(["-o".as_ref(), file.as_os_str()]);
    let output = streamfold(args).output().expect("a run");
    let text = std::fs::read(&file).unwrap_or_else(|e| panic!("{e}: {}", said(&output)));
    serde_json::from_slice(&text).expect("JSON")
}

#[test]
fn of_every_archive() {
    let mut with_waits = 0;
    for archive in archives() {
        let (report, code) = report(&archive.anchor);
        assert!(code == 0 || code == 3, "{}: exit code {code}", archive.name);
        assert_eq!(report["schema"], "streamfold-waitstates");
        holds(&report, &archive.name);
        with_waits += usize::from(!rows(&report, "severities").is_empty());
    }
    assert!(with_waits > 3, "{with_waits}");
}

/// The account of each thread is that of the run, in which the thread is there from its first event to its last. What
/// it is outside of any region is idle, not recorded, or fork and join.
#[test]
fn the_account_is_that_of_the_locations() {
    let mut with_workers = 0;
    for archive in archives() {
        let name = &archive.name;
        let (report, profile) = (report(&archive.anchor).0, profile(&archive));
        let account = &report["account"];
        let run: Vec<u64> = account["run"].as_array().expect("times").iter().map(ticks).collect();
        let threads = by_thread(&archive.anchor);
        let locations = rows(&profile, "locations").iter();
        let spans = locations.filter_map(|row| Some((number(row, "location"), row, span(row)?)));
        for (location, row, span) in spans {
            let Some(of) = threads.get(&location) else { continue };
            assert_eq!(of["all"], run[1] - run[0], "{name}: {location}");
            assert_eq!(of["absent"], of["all"] - (span.1 - span.0), "{name}: {location}");
            if row["oddities"]["crossed"] == 0 && row["oddities"]["open"] == 0 {
                let outside = span.1 - span.0 - number(row, "inside");
                let without = of["idle"] + of["not_recorded"] + of["threads"] + of["computation"];
                assert!(of["idle"] + of["not_recorded"] <= outside, "{name}: {location}");
                assert!(outside <= without, "{name}: {location}");
                with_workers += u64::from(of["idle"] > 0);
            }
        }
        let all: u64 = threads.values().map(|of| of["all"]).sum();
        assert_eq!(number(&account["threads"], "total"), all, "{name}");
        let known = |row: &Value| threads.contains_key(&number(row, "location"));
        assert!(rows(&report, "by_location").iter().all(known), "{name}");
    }
    assert!(with_workers > 0, "one of them has threads");
}

fn ticks(value: &Value) -> u64 {
    value.as_u64().expect("ticks")
}

/// The times of the first and the last event.
fn span(row: &Value) -> Option<(u64, u64)> {
    Some((row["first"].as_u64()?, row["last"].as_u64()?))
}

/// Waits are parts of the classes that they name: those of MPI are not more than MPI.
#[test]
fn waits_are_parts_of_their_groups() {
    for archive in archives() {
        let (report, _) = report(&archive.anchor);
        let classes = account(&report);
        let of_account: u64 =
            classes.iter().filter(|((group, _), _)| group == "mpi").map(|(_, ticks)| ticks).sum();
        let rows = rows(&report, "metrics").iter();
        let whole = rows.filter(|row| row["group"] == "mpi" && row["parent"].is_null());
        let waits: u64 = whole.map(|row| number(row, "ticks")).sum();
        assert!(waits <= of_account, "{}: {waits} of {of_account}", archive.name);
    }
}
