//! Sums that hold for every archive.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::archives::{large, own, traces_folder, Archive};
use crate::common::program::{said, streamfold};
use crate::waitstates::found::{at_location, number, report, rows, text};

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

/// Whether a metric is below another one, or it.
fn is_below(metrics: &BTreeMap<String, Metric>, metric: &str, above: &str) -> bool {
    metric == above
        || metrics[metric].0.as_ref().is_some_and(|parent| is_below(metrics, parent, above))
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
    let below = |above: &str| -> u64 {
        let below = metrics.iter().filter(|(metric, _)| is_below(&metrics, metric, above));
        below.map(|(_, (_, _, own))| own).sum()
    };
    assert_eq!(below("time"), metrics["time"].1, "{name}: parts of all time");
    parents_come_first(report, name);
    for table in ["by_path", "by_location"] {
        let sums = by_metric(report, table, |_| true);
        for (metric, (_, ticks, own)) in &metrics {
            if is_below(&metrics, metric, "time") {
                let found = sums.get(metric).copied().unwrap_or_default();
                assert_eq!(found, [*ticks, *own], "{name}: {table} of {metric}");
            }
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
        *total = [total[0] + ticks, total[1] + row["instances"].as_u64().unwrap_or(0)];
        for column in ["path", "location"] {
            let part = (column.to_owned(), row[column].to_string(), metric);
            *parts.entry(part).or_default() += ticks;
        }
    }
    for row in rows(report, "metrics") {
        let metric = text(row, "metric");
        let Some([ticks, instances]) = totals.get(metric).copied() else { continue };
        assert_eq!(number(row, "ticks"), ticks, "{name}: {metric}");
        if let Some(of) = row["instances"].as_u64() {
            assert_eq!(of, instances, "{name}: instances of {metric}");
        }
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

/// What a profile says of a location.
struct Span {
    /// From the first event to the last.
    ticks: u64,
    /// Of these, those in no region.
    outside: u64,
    /// Whether all visits end in order.
    ordered: bool,
    /// It is not the first of its process, which is the one that forks in all these archives.
    worker: bool,
}

/// Those of all locations that take part.
fn spans(profile: &Value) -> BTreeMap<u64, Span> {
    let mut first: BTreeMap<u64, u64> = BTreeMap::new();
    for row in rows(profile, "locations") {
        let location = number(row, "location");
        let first = first.entry(number(row, "group")).or_insert(location);
        *first = location.min(*first);
    }
    let span = |row: &Value| {
        let time = |column: &str| row[column].as_u64().unwrap_or(0);
        let ticks = time("last").saturating_sub(time("first"));
        let location = number(row, "location");
        let span = Span {
            ticks,
            outside: ticks.saturating_sub(time("inside")),
            ordered: row["oddities"]["crossed"] == 0,
            worker: first[&number(row, "group")] != location,
        };
        (location, span)
    };
    let rows = rows(profile, "locations").iter();
    rows.filter(|row| row["type"] != "METRIC").map(span).collect()
}

/// All time is that of the locations, that of idle threads, and that which fork and join add to threads
/// other than the one that forks. What these are outside of any region may be either, but not both.
#[test]
fn time_is_that_of_the_locations() {
    let (mut wrong, mut with_workers) = (String::new(), 0);
    for archive in archives() {
        let (report, _) = report(&archive.anchor);
        let spans = spans(&profile(&archive));
        let by_location = |metric: &str, location: u64| at_location(&report, metric, location);
        for (location, span) in spans.iter().filter(|(_, span)| span.ordered) {
            let found = by_location("time", *location);
            let idle = by_location("omp_idle_threads", *location);
            let added = match span.worker {
                true => idle + by_location("omp_management", *location),
                false => idle,
            };
            let both = span.outside.min(added);
            with_workers += u64::from(both > 0);
            let all = span.ticks + added;
            if found > all || found + both < all || both == 0 && found != all {
                let name = &archive.name;
                let span = span.ticks;
                wrong += &format!("{name}, {location}: {span} + {added} − {both}, not {found}\n");
            }
        }
        let known = |row: &Value| spans.contains_key(&number(row, "location"));
        assert!(rows(&report, "by_location").iter().all(known), "{}", archive.name);
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(with_workers > 0, "one of them has threads");
}
