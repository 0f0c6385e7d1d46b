//! Counters: VampirTrace and its like record a value behind an enter and before a leave, at the same time.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::trace;
use crate::common::archives::data;
use crate::common::program::{on_ranks, said, streamfold};

const DEFINITIONS: &str =
    "DTRf4240\nDP1NM\"P\"\nDP2NM\"Q\"\nDFG1NM\"Application\"\nDFG2NM\"MPI\"\n\
    DF1G1NM\"main\"\nDF2G1NM\"solve\"\nDF3G2NM\"MPI_Barrier\"\nDCG1NM\"Hardware\"\n\
    DCNT1G1NM\"PAPI_TOT_INS\"P0U\"#\"\nDCNT2G1NM\"PAPI_TOT_CYC\"P0U\"#\"\n";

/// Events of a process, each with values of the counters of instructions and cycles.
fn events(process: u32, events: &[(u64, &str, u64, u64)]) -> String {
    let text = events.iter().map(|(time, event, instructions, cycles)| {
        let (state, values) = (
            format!("{time:x}\n*{process}\n"),
            format!("CNT1V{instructions:x}\nCNT2V{cycles:x}\n"),
        );
        match event.starts_with('E') {
            true => format!("{state}{event}\n{values}"),
            false => format!("{state}{values}{event}\n"),
        }
    });
    text.collect::<String>() + &format!("{:x}\n*{process}\n", events.last().expect("one").0)
}

/// One process twice, the second one with twice the instructions: `main` calls `solve` twice, and MPI in the tick in
/// which the first of these calls ends.
fn written(folder: &TempDir) -> std::path::PathBuf {
    let of = |process: u32| {
        let times = u64::from(process);
        let event =
            |time, event, instructions: u64, cycles| (time, event, times * instructions, cycles);
        events(
            process,
            &[
                event(0, "E1", 0, 0),
                event(500, "E2", 1_000, 1_000),
                event(900, "L2", 9_000, 5_000),
                event(900, "E3", 9_002, 5_001),
                event(1_000, "L3", 9_012, 6_000),
                event(1_500, "E2", 12_000, 11_000),
                event(1_900, "L2", 20_000, 15_000),
                event(2_000, "L1", 20_100, 16_000),
            ],
        )
    };
    let files = [
        ("otf", "1:1\n2:2\n"),
        ("0.def", DEFINITIONS),
        ("1.events", &*of(1)),
        ("2.events", &*of(2)),
    ];
    trace(folder, &files)
}

fn report(arguments: &[&str], trace: &Path) -> Value {
    let run = streamfold(arguments).args(["--format", "json", "-q"]).arg(trace).output();
    let run = run.expect("a run");
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    serde_json::from_slice(&run.stdout).expect("JSON")
}

/// Exclusive and inclusive sum of a counter in a function.
fn growth(profile: &Value, function: &str, counter: &str) -> [u64; 2] {
    let mut rows = profile["regions"].as_array().expect("rows").iter();
    let row = rows.find(|row| row["name"] == function).expect("a function");
    let mut metrics = row["metrics"].as_array().expect("metrics").iter();
    let of = metrics.find(|of| of["name"] == counter).expect("a counter");
    assert_eq!(of["kind"], "growth");
    ["exclusive", "inclusive"].map(|part| of[part]["sum"].as_u64().expect("a sum"))
}

/// Growth before an enter counts for the function around, also where a function ended in the same tick.
#[test]
fn growth_before_an_enter_is_of_the_function_around() {
    let folder = TempDir::new().expect("a folder");
    let master = written(&folder);
    let profile = report(&["profile"], &master);
    for (function, instructions, cycles) in [
        ("solve", [48_000, 48_000], [16_000, 16_000]),
        ("MPI_Barrier", [30, 30], [1_998, 1_998]),
        ("main", [12_270, 60_300], [14_002, 32_000]),
    ] {
        assert_eq!(growth(&profile, function, "PAPI_TOT_INS"), instructions, "{function}");
        assert_eq!(growth(&profile, function, "PAPI_TOT_CYC"), cycles, "{function}");
    }
    let mut rows = profile["regions"].as_array().expect("rows").iter();
    let barrier = rows.find(|row| row["name"] == "MPI_Barrier").expect("a function");
    let mut derived = barrier["derived"].as_array().expect("metrics").iter();
    let rate = derived.find(|of| of["name"] == "instructions_per_second").expect("a metric");
    assert_eq!(rate["exclusive"], 150_000.0);
}

/// Tables show the sums, and any number of ranks gives the same.
#[test]
fn tables_have_sums_of_growth() {
    let folder = TempDir::new().expect("a folder");
    let master = written(&folder);
    let run = streamfold(["profile", "-q"]).arg(&master).output().expect("a run");
    let text = String::from_utf8(run.stdout).expect("text");
    assert!(text.contains("PAPI_TOT_INS  incl. PAPI_TOT_INS"), "{text}");
    assert!(text.contains("      12 270              60 300 "), "{text}");
    let master = master.to_str().expect("text");
    if let Some(several) = on_ranks(3, ["profile", "-q", master]) {
        assert_eq!(String::from_utf8_lossy(&several.stdout), text);
    }
}

/// Of a thread that is in MPI when the value before is recorded nothing counts as computation.
#[test]
fn counters_of_computation_begin_and_end_with_it() {
    let folder = TempDir::new().expect("a folder");
    let text = events(
        1,
        &[(0, "E1", 0, 0), (100, "E3", 200, 300), (200, "L3", 210, 500), (300, "L1", 300, 600)],
    );
    let files = [("otf", "1:1\n"), ("0.def", DEFINITIONS), ("1.events", &*text)];
    let found = report(&["efficiency"], &trace(&folder, &files));
    let run = &found["runs"][0];
    // 290 instructions in 400 cycles, which took 200 us.
    assert_eq!([&run["ipc"], &run["gigahertz"]], [0.725, 0.002], "{found}");
}

/// Counters before an enter in OTF2 stand behind it in OTF. Both traces have the same counters, in both reports.
#[test]
fn converted_counters_stand_behind_their_enters() {
    let anchor = data().join("pingpong/traces.otf2");
    let folder = TempDir::new().expect("a folder");
    let master = folder.path().join("t.otf");
    let run = streamfold(["convert", "-q"]).arg(&anchor).arg("-o").arg(&master).output();
    let run = run.expect("a run");
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    let text = fs::read_to_string(folder.path().join("t.1.events")).expect("events");
    let kind = |line: &str| line.chars().next().filter(|first| "ELC".contains(*first));
    let kinds: String = text.lines().filter_map(kind).collect();
    assert!(kinds.starts_with("ECCCECCCCCCL"), "{kinds}");
    assert!(kinds.ends_with("ECCCCCCLCCCL"), "{kinds}");
    let tables = |trace: &Path| {
        let run = streamfold(["profile", "-q", "--format", "otfprofile"]).arg(trace).output();
        let text = String::from_utf8(run.expect("a run").stdout).expect("text");
        let rows = text.lines().filter(|line| line.starts_with("COUNTER;"));
        rows.map(|row| row.splitn(3, ';').last().expect("cells").to_owned()).collect::<Vec<_>>()
    };
    let [of_archive, of_converted] = [&anchor, &master].map(|trace| tables(trace));
    assert_eq!(of_archive.len(), 1 + 2 * 7 * 3, "{of_archive:?}");
    assert_eq!(of_archive, of_converted);
    let [before, after] = [&anchor, &master].map(|trace| report(&["profile"], trace));
    let sums = |profile: &Value| {
        let rows = profile["regions"].as_array().expect("rows").clone();
        let sums = rows.into_iter().map(|row| {
            let metrics = row["metrics"].as_array().expect("metrics").clone();
            let of = |of: Value| (of["inclusive"]["sum"].clone(), of["exclusive"]["sum"].clone());
            (row["name"].clone(), metrics.into_iter().map(of).collect::<Vec<_>>())
        });
        sums.collect::<Vec<_>>()
    };
    assert_eq!(sums(&before), sums(&after));
}
