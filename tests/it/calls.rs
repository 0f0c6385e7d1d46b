//! The longest single visits of a region, compared with printed records.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::archives::one;
use crate::common::program::{on_ranks, said, streamfold, text};

fn json(arguments: &[&str], path: &Path) -> Value {
    let mut run = streamfold(["profile"]);
    let output = run.args(arguments).args(["-q", "--format", "json"]).arg(path).output();
    let output = output.expect("a run");
    assert!(output.status.success(), "{}: {}", path.display(), said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn number(row: &Value, column: &str) -> u64 {
    row[column].as_u64().unwrap_or_else(|| panic!("no {column}: {row}"))
}

/// A visit: its time, location, event, begin, call path, and bytes sent, received and of collective operations.
type Visit = (Reverse<u64>, u64, u64, u64, String, [u64; 3]);

/// All visits of a region, the longest first, from the printed records. The trace has no tasks.
fn visits(path: &Path, region: &str) -> Vec<Visit> {
    let output = streamfold(["print", "-q", "--json"]).arg(path).output().expect("a run");
    /// An open visit: its region, when it began, its event, and bytes.
    type Open = (String, u64, u64, [u64; 3]);
    let mut open: BTreeMap<u64, Vec<Open>> = BTreeMap::new();
    let mut numbers: BTreeMap<u64, u64> = BTreeMap::new();
    let mut found = Vec::new();
    for line in text(output.stdout).lines() {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let (Some(location), Some(time)) = (event["location"].as_u64(), event["time"].as_u64())
        else {
            continue;
        };
        let number = numbers.entry(location).or_default();
        *number += 1;
        let open = open.entry(location).or_default();
        let mut add = |kind: usize, bytes: u64| {
            open.iter_mut().for_each(|visit| visit.3[kind] += bytes);
        };
        let length = |name: &str| self::number(&event, name);
        match event["record"].as_str().unwrap_or_default() {
            "Enter" => {
                let name = event["region_name"].as_str().expect("a name").to_owned();
                open.push((name, *number, time, [0; 3]));
            }
            "Leave" => {
                let path: Vec<&str> = open.iter().map(|visit| &visit.0[..]).collect();
                let path = path.join(" > ");
                let (name, number, begin, bytes) = open.pop().expect("a visit");
                if name == region {
                    found.push((Reverse(time - begin), location, number, begin, path, bytes));
                }
            }
            "MpiSend" | "MpiIsend" => add(0, length("msg_length")),
            "MpiRecv" | "MpiIrecv" => add(1, length("msg_length")),
            "MpiCollectiveEnd" => add(2, length("size_sent") + length("size_received")),
            _ => {}
        }
    }
    found.sort();
    found
}

#[test]
fn rows_are_what_printed_records_say() {
    for (trace, region) in [
        ("pingpong", "MPI_Send"),
        ("pingpong", "MPI_Recv"),
        ("intercomm", "MPI_Allreduce"),
        ("hybrid", "MPI_Sendrecv"),
        ("hybrid", "exchange"),
    ] {
        let anchor = one(trace).anchor;
        let slow = visits(&anchor, region);
        assert!(slow.len() > 2, "{trace} {region}");
        for top in [1, 7, 1000] {
            let report = json(&["--calls", region, "--top", &top.to_string()], &anchor);
            let ticks: u64 = slow.iter().map(|visit| visit.0 .0).sum();
            let whole = [number(&report, "visits"), number(&report, "ticks")];
            assert_eq!(whole, [slow.len() as u64, ticks], "{trace} {region}");
            let rows = report["calls"].as_array().expect("rows");
            let found = rows.iter().map(|row| {
                let bytes = ["sent_bytes", "received_bytes", "collective_bytes"];
                let bytes = bytes.map(|name| row[name].as_u64().unwrap_or(0));
                assert_eq!(number(row, "end") - number(row, "begin"), number(row, "ticks"));
                let path = row["call_path"].as_str().expect("a path").to_owned();
                let [ticks, location] = ["ticks", "location"].map(|name| number(row, name));
                let [event, begin] = ["event", "begin"].map(|name| number(row, name));
                (Reverse(ticks), location, event, begin, path, bytes)
            });
            let expected: Vec<Visit> = slow.iter().take(top).cloned().collect();
            assert_eq!(found.collect::<Vec<_>>(), expected, "{trace} {region}");
        }
    }
}

/// Regions of one name are one list.
#[test]
fn the_longest_is_that_of_the_profile() {
    let anchor = one("hybrid").anchor;
    for more in [&[][..], &["-L", "0"]] {
        let profile = json(more, &anchor);
        let mut longest: BTreeMap<&str, u64> = BTreeMap::new();
        for row in profile["regions"].as_array().expect("rows") {
            if row["kind"] == "region" && number(row, "visits") > 0 {
                let most = longest.entry(row["name"].as_str().expect("a name")).or_default();
                *most = number(row, "longest").max(*most);
            }
        }
        assert!(longest.len() > 5);
        for (name, most) in longest {
            let report = json(&[&["--calls", name, "--top", "1"][..], more].concat(), &anchor);
            let calls = report["calls"].as_array().expect("rows");
            assert_eq!(number(&calls[0], "ticks"), most, "{name} {more:?}");
        }
    }
}

#[test]
fn visits_are_cut_at_a_window_of_time() {
    let anchor = one("hybrid").anchor;
    let slow = visits(&anchor, "MPI_Sendrecv");
    let (Reverse(ticks), .., begin, _, _) = slow[0].clone();
    let [from, to] = [begin + ticks / 2, begin + 2 * ticks + 1];
    let mut expected: Vec<(Reverse<u64>, u64, u64)> = Vec::new();
    for (Reverse(ticks), location, _, begin, ..) in slow {
        let (begin, end) = (begin.max(from), (begin + ticks).min(to));
        if begin < end {
            expected.push((Reverse(end - begin), location, begin));
        }
    }
    expected.sort();
    assert!(expected.len() > 3 && expected.iter().any(|visit| visit.2 == from));
    let [from, to] = [from, to].map(|ticks| ticks.to_string());
    let window = ["--calls", "MPI_Sendrecv", "--top", "99", "--time", &from, &to];
    let report = json(&window, &anchor);
    let rows = report["calls"].as_array().expect("rows").iter();
    let found = rows.map(|row| {
        assert_eq!(row["event"].is_null(), number(row, "begin").to_string() == from);
        (Reverse(number(row, "ticks")), number(row, "location"), number(row, "begin"))
    });
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn the_same_bytes_come_from_any_number_of_ranks() {
    let anchor = one("hybrid").anchor;
    let commands: [&[&str]; 3] = [
        &["profile", "-q", "--calls", "^MPI_", "--format", "csv"],
        &["profile", "-q", "--calls", "^MPI_", "--top", "100", "--format", "json"],
        &["profile", "-q", "--calls", "exchange", "--time", "600ms", "615ms"],
    ];
    for command in commands {
        let of = |ranks| {
            let arguments = command.iter().map(PathBuf::from).chain([anchor.clone()]);
            let output = on_ranks(ranks, arguments)?;
            assert!(output.status.success(), "{}", said(&output));
            Some(output.stdout)
        };
        let one = of(1);
        for ranks in [2, 3] {
            let some = of(ranks);
            assert!(some.is_none() || some == one, "{ranks} ranks: {command:?}");
        }
    }
}

#[test]
fn options_that_say_nothing_of_single_calls_are_refused() {
    let anchor = one("hybrid").anchor;
    for (arguments, part) in [
        (&["--calls", "no such"][..], "the trace has no region no such"),
        (&["--calls", "exchange", "--by", "region"], "cannot be used with"),
        (&["--calls", "exchange", "--sort", "name"], "cannot be used with"),
        (&["--calls", "exchange", "--exclude", "main"], "--calls lists visits of one region"),
    ] {
        let output = streamfold(["profile", "-q"]).args(arguments).arg(&anchor).output();
        let output = output.expect("a run");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(said(&output).contains(part), "{}", said(&output));
    }
}
