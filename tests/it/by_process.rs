//! Rows for processes, threads and nodes.

use std::path::Path;

use serde_json::Value;

use crate::common::archives::{large, one, own};
use crate::common::program::{said, streamfold, team, text};

fn report(path: &Path, by: &str) -> Value {
    let args = ["profile", "-q", "--mpi", "off", "--format", "json", "--by", by];
    let output = streamfold(args).arg(path).output().expect("a run");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}: {}", path.display(), said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

const KINDS: [&str; 11] = [
    "computation_ticks",
    "mpi_ticks",
    "shmem_ticks",
    "threads_ticks",
    "io_ticks",
    "system_ticks",
    "accelerator_ticks",
    "measurement_ticks",
    "idle_ticks",
    "not_recorded_ticks",
    "absent_ticks",
];

fn number(row: &Value, name: &str) -> u64 {
    row[name].as_u64().unwrap_or_else(|| panic!("{name} in {row}"))
}

fn rows(report: &Value) -> &Vec<Value> {
    report["processes"].as_array().expect("rows")
}

/// All kinds of work are the whole time, of every archive.
#[test]
fn kinds_of_work_add_up_to_the_whole_time() {
    for archive in own().into_iter().chain(large()) {
        let threads = report(&archive.anchor, "thread");
        let mut all = 0;
        for row in rows(&threads) {
            let sum: u64 = KINDS.iter().map(|kind| number(row, kind)).sum();
            assert_eq!(sum, number(row, "all_ticks"), "{}: {row}", archive.name);
            all += sum;
        }
        for by in ["process", "node"] {
            let report = report(&archive.anchor, by);
            let sum: u64 = rows(&report).iter().map(|row| number(row, "all_ticks")).sum();
            assert_eq!(sum, all, "{} by {by}", archive.name);
            let counted: u64 = rows(&report).iter().map(|row| number(row, "threads")).sum();
            assert_eq!(counted, rows(&threads).len() as u64);
        }
    }
}

/// The time of a thread but that before its first and after its last event is what the profile says.
#[test]
fn the_whole_time_is_what_the_profile_says() {
    let anchor = one("hybrid").anchor;
    let args = ["profile", "-q", "--format", "json"];
    let profile = streamfold(args).arg(&anchor).output().expect("a run");
    let profile: Value = serde_json::from_slice(&profile.stdout).expect("JSON");
    let threads = report(&anchor, "thread");
    let mut compared = 0;
    for row in rows(&threads) {
        let locations = profile["locations"].as_array().expect("locations");
        let of = locations.iter().find(|of| of["location"] == row["id"]);
        let Some(of) = of else { continue };
        let (first, last) = (of["first"].as_u64(), of["last"].as_u64());
        let (Some(first), Some(last)) = (first, last) else { continue };
        let present = number(row, "all_ticks") - number(row, "absent_ticks");
        assert_eq!(present, last - first);
        compared += 1;
    }
    assert!(compared > 0, "{profile}");
}

#[test]
fn waits_are_those_of_waitstates() {
    let anchor = one("pingpong").anchor;
    let report = report(&anchor, "process");
    let sum: u64 = rows(&report).iter().map(|row| number(row, "waiting_ticks")).sum();
    let output =
        streamfold(["waitstates", "-q", "--format", "json"]).arg(&anchor).output().unwrap();
    let waits: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let wanted = [
        "mpi_latesender",
        "mpi_latereceiver",
        "mpi_finalize_wait",
        "mpi_init_completion",
        "mpi_barrier_wait",
        "mpi_barrier_completion",
        "mpi_wait_nxn",
        "mpi_nxn_completion",
        "mpi_latebroadcast",
        "mpi_earlyreduce",
        "mpi_earlyscan",
    ];
    let metrics = waits["metrics"].as_array().expect("metrics").iter();
    let found: u64 = metrics
        .filter(|row| wanted.contains(&row["metric"].as_str().unwrap()))
        .map(|row| number(row, "ticks"))
        .sum();
    assert_eq!(sum, found);
    // For each of the longest waits there is one that came late.
    let causes = waits["causes"].as_array().expect("causes");
    for row in waits["worst"].as_array().expect("waits") {
        let Some(cause) = row["cause_location"].as_u64() else { continue };
        assert_ne!(Some(cause), row["location"].as_u64());
        let of = causes.iter().find(|of| of["location"] == cause && of["metric"] == row["metric"]);
        assert!(of.is_some_and(|of| number(of, "ticks") >= number(row, "ticks")), "{row}");
    }
    assert!(!causes.is_empty());
}

#[test]
fn ranks_do_not_show() {
    let anchor = one("hybrid").anchor;
    let args = ["profile", "-q", "--format", "json", "--by", "process"];
    let alone = streamfold(args).arg(&anchor).output().expect("a run");
    for size in [2, 3, 5] {
        let mut with = args.to_vec();
        with.push(anchor.to_str().expect("a path"));
        assert_eq!(text(team(size, &with).stdout), text(&alone.stdout), "{size} ranks");
    }
}

#[test]
fn options_that_do_not_fit_are_refused() {
    for more in [["--region", "x"], ["--sort", "imbalance"]] {
        let output = streamfold(["profile", "-q", "--by", "process"])
            .args(more)
            .arg(one("pingpong").anchor)
            .output();
        assert_eq!(output.expect("a run").status.code(), Some(1), "{more:?}");
    }
}

/// A part without computation has no thread that computes most.
#[test]
fn nobody_computes_most_of_nothing() {
    let path = Path::new("tests/data/account/part-without-computation/traces.otf2");
    let answer = |part: &[&str]| {
        let mut program = streamfold(["profile", "-q", "--by", "thread"]);
        let output = program.args(part).arg(path).output().expect("a run");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        text(&output.stdout)
    };
    assert!(answer(&[]).contains("compute for 1.073 us on average: "));
    let nothing = answer(&["--time", "2000", "8000"]);
    let mut lines = nothing.lines();
    let line = lines.find(|line| line.starts_with("Of 2 threads"));
    assert_eq!(line, Some("Of 2 threads × 6.000 us = 12.00 us, computation is 0.0 %."));
}
