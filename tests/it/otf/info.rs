//! `info` tells what `otfinfo` tells.

use std::fs;
use std::path::Path;

use serde_json::{json, Value};
use tempfile::TempDir;

use super::{case, trace};
use crate::common::program::{said, streamfold};

fn info(trace: &Path, options: &[&str]) -> Value {
    let mut run = streamfold(["info".as_ref(), "--json".as_ref(), trace.as_os_str()]);
    let run = run.args(options).output().expect("the program runs");
    assert!(matches!(run.status.code(), Some(0 | 3)), "{}", said(&run));
    serde_json::from_slice(&run.stdout).expect("one JSON document")
}

/// The numbers of otfinfo, by the words before them.
fn number(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("| {name} ")));
    let value = line.and_then(|line| line.split('|').nth(1)).expect(name);
    value.trim().parse().expect(name)
}

#[test]
fn counts_are_those_of_otfinfo() {
    let Some(folder) = case("ring") else { return };
    let text = fs::read_to_string(folder.join("info.txt")).expect("what otfinfo says");
    let info = info(&folder.join("trace.otf"), &[]);
    let records = &info["otf"]["records"];
    let count = |section: &str, names: &[&str]| -> u64 {
        names.iter().map(|name| records[section][name].as_u64().unwrap_or(0)).sum()
    };
    let definitions = [
        ("process definitions", "DefProcess"),
        ("function definitions", "DefFunction"),
        ("counter definitions", "DefCounter"),
        ("collective op. definitions", "DefCollectiveOperation"),
        ("process group definitions", "DefProcessGroup"),
        ("function group definitions", "DefFunctionGroup"),
        ("counter group definitions", "DefCounterGroup"),
    ];
    for (name, record) in definitions {
        assert_eq!(count("definitions", &[record]), number(&text, name), "{name}");
    }
    let events = [
        ("enters", "Enter"),
        ("leaves", "Leave"),
        ("sends", "SendMsg"),
        ("receives", "RecvMsg"),
        ("RMA Put", "RMAPut"),
        ("RMA Put remote end", "RMAPutRemoteEnd"),
        ("RMA Get", "RMAGet"),
        ("RMA End", "RMAEnd"),
        ("collective operations", "EndCollectiveOperation"),
        ("file operations", "EndFileOperation"),
    ];
    for (name, record) in events {
        assert_eq!(count("events", &[record]), number(&text, name), "{name}");
    }
    assert_eq!(count("markers", &["DefMarker"]), number(&text, "marker definitions"));
    assert_eq!(count("markers", &["MarkerSpot"]), number(&text, "markers"));
    assert_eq!(info["clock"]["ticks_per_second"], 1_000_000);
    assert_eq!(info["facts"]["version"], "1.12.5 salmon");
    assert_eq!(info["otf"]["first_and_last_event"], json!([1003, 2036]));
    // 6.08 KB of otfinfo.
    assert_eq!(info["files"]["events"]["bytes"], 3227 + 2996);
    let counter = &info["otf"]["counters"][0];
    assert_eq!((&counter["name"], &counter["last"]), (&json!("PAPI_FP_OPS"), &json!(83917.0)));
    assert_eq!(counter["highest_per_second"], 4.535e8);
    // The reference divides by the time since tick 0, and not since the first value.
    assert!(
        (counter["average_per_second"].as_f64().expect("a number") / 20.72e6 - 1.0).abs() < 0.01
    );
    let events: u64 =
        records["events"].as_object().expect("kinds").values().flat_map(Value::as_u64).sum();
    assert_eq!(info["locations"]["events"], events);
}

/// Names, at the level that has them.
#[test]
fn levels_tell_more() {
    let Some(folder) = case("ring") else { return };
    let master = folder.join("trace.otf");
    let text = fs::read_to_string(folder.join("info.txt")).expect("what otfinfo says");
    let all = info(&master, &["--level", "4"]);
    let names = all["otf"]["names"].as_object().expect("names");
    for name in ["DefProcess", "DefFunction", "DefMarker", "DefProcessGroup", "DefCounterGroup"] {
        for pair in names[name].as_array().expect(name) {
            let name = pair[1].as_str().expect("a name");
            assert!(text.contains(&format!("| {name}\n")), "{name}");
        }
    }
    let little = info(&master, &["--level", "1"]);
    assert_eq!(little["otf"]["level"], 2);
    assert_eq!(little["otf"]["streams"][1]["events"], Value::Null);
    assert_eq!(little["otf"]["records"]["events"], Value::Null);
    for level in ["0", "3", "4"] {
        let run = streamfold(["info".as_ref(), master.as_os_str(), "-l".as_ref(), level.as_ref()])
            .output();
        let run = run.expect("the program runs");
        let page = String::from_utf8_lossy(&run.stdout).into_owned();
        assert_eq!(page.contains("Records of events"), level != "0", "{page}");
        assert_eq!(page.contains("Names of DefFunction"), level == "4", "{page}");
    }
}

/// Layouts do not show in counts, and times that go back are counted.
#[test]
fn layouts_and_odd_times() {
    let records =
        |name: &str| Some(info(&case(name)?.join("trace.otf"), &[])["otf"]["records"].clone());
    for name in ["ring-merged-1", "ring-merged-mpi"] {
        assert_eq!(records("ring"), records(name), "{name}");
    }
    for name in ["all-long", "all-compressed", "all-long-compressed"] {
        assert_eq!(records("all-short"), records(name), "{name}");
    }
    let folder = TempDir::new().expect("a folder");
    let files = [
        ("otf", "1:1\n"),
        ("0.def", "DTR3e8\nDP1NM\"a\"\n"),
        ("1.events", "5\n*1\nE1\n3\nL1\n9\nE1\n"),
    ];
    let found = info(&trace(&folder, &files), &[]);
    assert_eq!(found["otf"]["backward_events"], 1);
    assert_eq!(found["otf"]["first_and_last_event"], json!([3, 9]));
}
