//! Parts of the time add up to the whole.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::{forks, messages, setup, several, threads, Example};
use crate::common::program::{said, streamfold};
use crate::waitstates::found::{number, report, report_with, rows, text};
use crate::waitstates::written::Written;

/// Time of no thread, or beside the time of the call.
const BESIDE: [&str; 2] = ["omp_idle_threads", "omp_limited_parallelism"];
const AROUND: [&str; 2] = ["omp_management", "omp_fork"];

/// Ticks of waits by metric, call path and location, without those of the metrics below; and of their causes.
type Places = BTreeMap<(String, String, u64), u64>;

fn places(report: &Value) -> Places {
    let mut places = Places::new();
    for row in rows(report, "severities") {
        let (metric, path) = (text(row, "metric").to_owned(), text(row, "call_path").to_owned());
        if !BESIDE.contains(&&metric[..]) {
            let place = (metric, path, number(row, "location"));
            *places.entry(place).or_default() += number(row, "self_ticks");
        }
    }
    for row in rows(report, "causes") {
        let path = row["call_path"].as_str().unwrap_or_default();
        let cause = (format!("cause of {}", text(row, "metric")), path.to_owned());
        places.insert((cause.0, cause.1, number(row, "location")), number(row, "ticks"));
    }
    places.retain(|_, ticks| *ticks > 0);
    places
}

fn within(anchor: &Path, begin: u64, end: &str) -> Places {
    let (report, code) = report_with(anchor, &["--time", &begin.to_string(), end]);
    assert_eq!(code, 0);
    places(&report)
}

/// Also where the call of a wait, or that of its cause, is in another part.
#[test]
fn waits_of_all_parts_are_those_of_the_whole_at_each_call_path() {
    let all = forks::examples().into_iter().chain(threads::examples());
    for example in all.chain(several::examples()).chain(messages::examples()) {
        let written = Written::new(&example.trace);
        let whole = places(&report(&written.anchor).0);
        let times = example.trace.streams.values().flatten().map(|(time, _)| *time);
        let last = times.max().unwrap_or(0);
        let cuts = [0, last / 2, last * 4 / 5];
        let ends = cuts[1..].iter().map(u64::to_string).chain(["end".to_owned()]);
        let mut sums = Places::new();
        for (begin, end) in cuts.into_iter().zip(ends) {
            for (place, ticks) in within(&written.anchor, begin, &end) {
                *sums.entry(place).or_default() += ticks;
            }
        }
        assert_eq!(sums, whole, "{}", example.name);
    }
}

fn timeline(anchor: &Path, more: &[&str]) -> Value {
    let args = ["timeline", "-q", "--value", "waits", "--by", "thread", "--bins", "7"];
    let output = streamfold(args).args(["--format", "json"]).args(more).arg(anchor).output();
    let output = output.expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Waits over time stand where those of that part of the time are.
fn compare(example: &Example, more: &[&str]) {
    let written = Written::new(&example.trace);
    let report = timeline(&written.anchor, more);
    let locations: Vec<u64> =
        rows(&report, "rows").iter().map(|row| number(row, "first")).collect();
    let mut shown: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for cell in rows(&report, "cells").iter().filter(|cell| number(cell, "waits") > 0) {
        let location = locations[number(cell, "row") as usize];
        shown.insert((number(cell, "part"), location), number(cell, "waits"));
    }
    let mut found: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for time in rows(&report, "times").iter().filter(|time| number(time, "accelerator") == 0) {
        let (part, begin, end) = (number(time, "part"), number(time, "begin"), number(time, "end"));
        for ((metric, _, location), ticks) in within(&written.anchor, begin, &end.to_string()) {
            if !AROUND.contains(&&metric[..]) && !metric.starts_with("cause of") {
                *found.entry((part, location)).or_default() += ticks;
            }
        }
    }
    assert_eq!(shown, found, "{} {more:?}", example.name);
}

#[test]
fn waits_over_time_are_those_of_parts_of_the_time() {
    for example in setup::examples().iter().chain(&several::examples()) {
        compare(example, &[]);
        compare(example, &["--time", "15", "45"]);
    }
}
