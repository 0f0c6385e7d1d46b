//! Call paths up to a depth: `profile --depth`, and as many as memory has room for.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::program::{on_ranks, said, streamfold, text};
use crate::common::small::{Bytes, Definitions, Files, Order, Small, Written};

/// Random visits of nine regions at some locations, recursive ones among them. `ended`: all have an end.
fn archive(locations: u64, events: usize, ended: bool) -> Written {
    let mut definitions = Definitions::new(Order::Little);
    for region in 0..9 {
        let name = definitions.string(10 + region, &format!("f{region}"));
        let payload = name.bytes.payload().c(region).c(10 + region).c(0).raw(&[1]).c(0).c(region);
        let payload = payload.c(region).c(10 + region).raw(&[1, 1]).c(0);
        definitions = name.record(15, payload);
    }
    let mut seed = 7u64;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    let mut files = Vec::new();
    for location in 0..locations {
        definitions = definitions.location(location, 0);
        let (mut time, mut open) = (100, Vec::new());
        let mut bytes = Bytes::new(Order::Little).header();
        for _ in 0..events {
            time += 1 + next(3);
            bytes = bytes.time(time);
            if next(24) < open.len() as u64 {
                bytes = bytes.leave(open.pop().expect("a visit is open"));
            } else {
                // Few regions on top, so that paths of different locations are the same.
                open.push(if open.len() < 3 { next(2) } else { next(9) });
                bytes = bytes.enter(open[open.len() - 1]);
            }
        }
        let left = if ended || location % 2 == 0 { open.len() } else { open.len() / 2 };
        for _ in 0..left {
            time += 1;
            bytes = bytes.time(time).leave(open.pop().expect("a visit is open"));
        }
        files.push(Files { events: Some(bytes.end().bytes), definitions: None });
    }
    Small::with(Order::Little, definitions, files).write()
}

fn profile(trace: &str, options: &[&str]) -> Value {
    serde_json::from_str(&output(trace, options)).expect("JSON")
}

fn output(trace: &str, options: &[&str]) -> String {
    let mut run = streamfold(["--mpi", "off", "profile", "-q", "--format", "json", trace]);
    let output = run.args(options).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(0), "{options:?}: {}", said(&output));
    text(&output.stdout)
}

/// Visits, visits that ended, inclusive and exclusive ticks, the shortest and the longest.
type Numbers = [u64; 6];

/// The numbers of each call path, by the names of its steps.
fn paths(report: &Value) -> BTreeMap<Vec<String>, Numbers> {
    let rows = report["paths"].as_array().expect("paths");
    let mut names: Vec<Vec<String>> = Vec::new();
    let mut paths = BTreeMap::new();
    for row in rows {
        let mut path = row["parent"].as_u64().map_or(Vec::new(), |up| names[up as usize].clone());
        path.push(row["name"].as_str().expect("a name").to_owned());
        let number = |name: &str, none: u64| row[name].as_u64().unwrap_or(none);
        let [visits, closed] = ["visits", "closed"].map(|name| number(name, 0));
        let [inclusive, exclusive] = ["inclusive", "exclusive"].map(|name| number(name, 0));
        let extremes = (number("shortest", u64::MAX), number("longest", 0));
        paths.insert(path.clone(), [visits, closed, inclusive, exclusive, extremes.0, extremes.1]);
        names.push(path);
    }
    paths
}

/// Returns the parts of a report that do not depend on the depth. `outer`: with inclusive times of visits that are not
/// inside of others of their region that end.
fn others(report: &Value, outer: bool) -> Vec<Value> {
    let mut regions = report["regions"].clone();
    for row in regions.as_array_mut().expect("regions").iter_mut().filter(|_| !outer) {
        row.as_object_mut().expect("a row").remove("outer");
    }
    let same = ["total", "groups", "locations", "oddities"].map(|name| report[name].clone());
    same.into_iter().chain([regions]).collect()
}

/// The same call paths cut at a depth, one by one.
fn cut(whole: &BTreeMap<Vec<String>, Numbers>, depth: usize) -> BTreeMap<Vec<String>, Numbers> {
    const NONE: Numbers = [0, 0, 0, 0, u64::MAX, 0];
    let mut paths: BTreeMap<Vec<String>, Numbers> = BTreeMap::new();
    for (path, numbers) in whole {
        let mut to = path.clone();
        if path.len() > depth {
            let (name, above) = path.split_last().expect("a step");
            to = path[..depth].to_vec();
            to.push("(rest)".to_owned());
            paths.entry(to.clone()).or_insert(NONE)[2] += numbers[3];
            to.push(name.clone());
            if above.contains(name) {
                paths.entry(to.clone()).or_insert(NONE);
                to.push(name.clone());
            }
        }
        let sum = paths.entry(to).or_insert(NONE);
        (0..4).for_each(|column| sum[column] += numbers[column]);
        sum[4] = sum[4].min(numbers[4]);
        sum[5] = sum[5].max(numbers[5]);
    }
    paths
}

#[test]
fn deeper_visits_are_below_the_rest_of_their_call_path() {
    for ended in [true, false] {
        let written = archive(5, 900, ended);
        let anchor = written.anchor();
        let anchor = anchor.to_str().expect("text");
        for window in [&[][..], &["--time", "300", "1100"]] {
            let whole = profile(anchor, window);
            let all = paths(&whole);
            let deepest = all.keys().map(Vec::len).max().expect("paths");
            assert!(all.len() > 500 && deepest > 12, "{} {deepest}", all.len());
            for depth in [0, 1, 2, 5, 9, deepest - 1, deepest, deepest + 1] {
                let report = profile(anchor, &[window, &["--depth", &depth.to_string()]].concat());
                assert!(paths(&report) == cut(&all, depth), "{window:?} {depth}");
                let told = report["call_path_depth"].as_u64();
                assert_eq!(told, (depth < deepest).then_some(depth as u64));
                // A visit does not say when it begins whether it will end.
                let outer = ended && window.is_empty();
                assert!(others(&report, outer) == others(&whole, outer), "{window:?} {depth}");
            }
        }
    }
}

#[test]
fn as_many_call_paths_are_kept_as_there_is_room_for() {
    let written = archive(5, 900, true);
    let anchor = written.anchor();
    let anchor = anchor.to_str().expect("text");
    let whole = profile(anchor, &[]);
    let all = paths(&whole);
    // With the path of no region.
    let count = |depth: usize| 1 + cut(&all, depth).len();
    for most in [1, 30, 100, 400, 1000, count(6), count(6) - 1, 1_000_000] {
        let kept = ["--by", "callpath", "--most-paths", &most.to_string()];
        let told = output(anchor, &kept);
        let report: Value = serde_json::from_str(&told).expect("JSON");
        match report["call_path_depth"].as_u64().map(|depth| depth as usize) {
            Some(depth) => {
                assert!(paths(&report) == cut(&all, depth), "{most}");
                assert!(count(depth) <= most || depth == 0, "{most} {depth}");
                assert!(count(depth + 1) > most, "{most} {depth}");
            }
            None => assert!(paths(&report) == all && all.len() < most, "{most}"),
        }
        assert!(others(&report, true) == others(&whole, true), "{most}");
        let others = [&["--threads", "1"][..], &["--threads", "5"], &["--piece-bytes", "1"]];
        for other in others {
            assert_eq!(output(anchor, &[&kept[..], other].concat()), told, "{most} {other:?}");
        }
        let args = [&["profile", "-q", "--format", "json", anchor][..], &kept].concat();
        for ranks in [2, 3] {
            let Some(output) = on_ranks(ranks, &args) else { continue };
            assert_eq!(text(&output.stdout), told, "{most} on {ranks} ranks");
        }
    }
}

#[test]
fn memory_bounds_call_paths() {
    let written = archive(5, 900, true);
    let anchor = written.anchor();
    let anchor = anchor.to_str().expect("text");
    let few = profile(anchor, &["--memory", "1MiB"]);
    assert!(few["paths"].as_array().expect("paths").len() <= 128);
    let by_number = profile(anchor, &["--most-paths", "128"]);
    assert_eq!(few["paths"], by_number["paths"]);
    let refused = |options: &[&str], expected: &str| {
        let mut run = streamfold(["--mpi", "off", "profile", anchor]);
        let output = run.args(options).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(1), "{options:?}");
        assert!(said(&output).contains(expected), "{options:?}: {}", said(&output));
    };
    let of_each = "--memory is for call paths of all locations together";
    refused(&["--memory", "1MiB", "-o", "x.cubex"], of_each);
    refused(&["--depth", "3"], "--depth is for call paths");
    for by in ["kernel", "process", "request"] {
        refused(
            &["--depth", "3", "--by", by],
            "--depth is for call paths, and these rows have none",
        );
    }
    refused(&["--memory", "1MiB", "--calls", "f1"], "--memory is for call paths");
}
