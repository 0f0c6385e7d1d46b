//! Waits by time and place.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::{setup, several, Example};
use crate::common::program::{said, streamfold};
use crate::waitstates::found::{number, report_with, rows, text};
use crate::waitstates::written::Written;

/// Time of no thread, or beside the time of the call.
const BESIDE: [&str; 2] = ["omp_idle_threads", "omp_limited_parallelism"];
const AROUND: [&str; 2] = ["omp_management", "omp_fork"];

/// Ticks of waits by metric, call path and location, without those of the metrics below.
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
    places.retain(|_, ticks| *ticks > 0);
    places
}

fn within(anchor: &Path, begin: u64, end: &str) -> Places {
    let (report, code) = report_with(anchor, &["--time", &begin.to_string(), end]);
    assert_eq!(code, 0);
    places(&report)
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
            if !AROUND.contains(&&metric[..]) {
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
