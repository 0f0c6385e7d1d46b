//! `profile --by kernel`, compared with printed records.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{json, Value};

use crate::common::archives::{large_folders, one, Archive};
use crate::common::program::{on_ranks, said, streamfold, text};

fn output(anchor: &Path, args: &[&str]) -> String {
    let output = streamfold(["profile", "-q", "--by", "kernel"]).args(args).arg(anchor).output();
    let output = output.expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    text(output.stdout)
}

fn number(row: &Value, column: &str) -> u64 {
    row[column].as_u64().unwrap_or_else(|| panic!("no {column}: {row}"))
}

fn anchors() -> Vec<PathBuf> {
    let folders = large_folders(&["scorep8-opencl-streams", "scorep9-gpu-metrics"]);
    folders.iter().filter_map(|folder| Some(Archive::find(folder)?.anchor)).collect()
}

/// What printed records say of streams.
#[derive(Default)]
struct Printed {
    /// Calls, total, shortest and longest by name.
    kernels: BTreeMap<String, [u64; 4]>,
    /// Copies, bytes and ticks by direction.
    copies: BTreeMap<&'static str, [u64; 3]>,
    /// Ticks from the first to the last event.
    span: u64,
    /// When visits and copies of streams begin and end, by the location.
    intervals: Vec<(u64, u64, u64)>,
}

impl Printed {
    fn of(anchor: &Path, streams: &[u64]) -> Printed {
        let output = streamfold(["print", "-q", "--json"]).arg(anchor).output().expect("a run");
        let mut printed = Printed::default();
        let mut open: BTreeMap<(u64, String), u64> = BTreeMap::new();
        let mut copies: BTreeMap<u64, (&str, u64)> = BTreeMap::new();
        let (mut first, mut last) = (u64::MAX, 0);
        for line in text(output.stdout).lines() {
            let event: Value = serde_json::from_str(line).expect("JSON");
            let (location, time) = (number(&event, "location"), number(&event, "time"));
            (first, last) = (first.min(time), last.max(time));
            if !streams.contains(&location) {
                continue;
            }
            let name = event["region_name"].as_str().unwrap_or_default().to_owned();
            match event["record"].as_str() {
                Some("Enter") => drop(open.insert((location, name), time)),
                Some("Leave") => {
                    let begin = open.remove(&(location, name.clone())).expect("an enter");
                    let of = printed.kernels.entry(name).or_insert([0, 0, u64::MAX, 0]);
                    let ticks = time - begin;
                    printed.intervals.push((location, begin, time));
                    *of = [of[0] + 1, of[1] + ticks, of[2].min(ticks), of[3].max(ticks)];
                }
                // Rank 0 is the host.
                Some(record @ ("RmaPut" | "RmaGet")) => {
                    assert_eq!(event["remote"], 0);
                    let direction = ["device to host", "host to device"];
                    let direction = direction[usize::from(record == "RmaGet")];
                    let sums = printed.copies.entry(direction).or_default();
                    sums[0] += 1;
                    sums[1] += number(&event, "bytes");
                    copies.insert(location, (direction, time));
                }
                Some("RmaOpCompleteBlocking") => {
                    let (direction, begin) = copies.remove(&location).expect("a copy");
                    printed.copies.get_mut(direction).expect("a copy")[2] += time - begin;
                    printed.intervals.push((location, begin, time));
                }
                _ => {}
            }
        }
        printed.span = last - first;
        printed
    }
}

/// No kernel runs inside of another there. What the host does meanwhile is tested elsewhere.
fn devices_are_those_of_single_intervals(rows: &[Value], printed: &Printed) {
    let sums: u64 = rows.iter().map(|row| number(row, "streams_ticks")).sum();
    assert_eq!(sums, printed.intervals.iter().map(|(_, begin, end)| end - begin).sum::<u64>());
    for row in rows {
        let [busy, streams, overlapped] =
            ["busy_ticks", "streams_ticks", "overlapped_ticks"].map(|column| number(row, column));
        assert!(overlapped <= busy && busy <= streams, "{row}");
    }
    if let [row] = rows {
        let mut intervals: Vec<_> = printed.intervals.iter().map(|of| (of.1, of.2)).collect();
        intervals.sort_unstable();
        let (mut busy, mut covered) = (0, 0);
        for (begin, end) in intervals {
            busy += end.saturating_sub(begin.max(covered));
            covered = covered.max(end);
        }
        assert_eq!(number(row, "busy_ticks"), busy);
    }
}

#[test]
fn kernels_and_copies_are_what_printed_records_say() {
    for anchor in anchors() {
        let report: Value =
            serde_json::from_str(&output(&anchor, &["--format", "json"])).expect("JSON");
        let rows = |name: &str| report[name].as_array().expect("rows").clone();
        let streams: Vec<u64> = rows("streams").iter().map(|row| number(row, "location")).collect();
        assert_eq!(streams.len(), 2, "{}", anchor.display());
        let printed = Printed::of(&anchor, &streams);
        let columns = ["calls", "total_ticks", "shortest_ticks", "longest_ticks"];
        let kernels: BTreeMap<String, [u64; 4]> = rows("kernels")
            .iter()
            .map(|row| {
                let name = row["name"].as_str().expect("a name").to_owned();
                assert_eq!(
                    number(row, "mean_ticks"),
                    number(row, "total_ticks") / number(row, "calls")
                );
                (name, columns.map(|column| number(row, column)))
            })
            .collect();
        assert_eq!(kernels, printed.kernels);
        let copies = rows("copies");
        assert_eq!(copies.len(), printed.copies.len());
        for row in copies {
            let sums = ["count", "bytes", "ticks"].map(|column| number(&row, column));
            assert_eq!(Some(&sums), printed.copies.get(row["direction"].as_str().expect("text")));
            assert_eq!(row["completed"], row["count"]);
            let per_second = u128::from(number(&report["units"], "ticks_per_second"));
            let rate = u128::from(sums[1]) * per_second / u128::from(sums[2]);
            assert_eq!(u128::from(number(&row, "rate")), rate);
        }
        let run: Vec<u64> =
            serde_json::from_value(report["account"]["run"].clone()).expect("times");
        assert_eq!(run[1] - run[0], printed.span);
        devices_are_those_of_single_intervals(&rows("devices"), &printed);
        let busy: u64 = rows("streams").iter().map(|row| number(row, "busy_ticks")).sum();
        let of_kernels: u64 = printed.kernels.values().map(|of| of[1]).sum();
        let of_copies: u64 = printed.copies.values().map(|of| of[2]).sum();
        assert_eq!(busy, of_kernels + of_copies);
        let share: f64 =
            rows("kernels").iter().filter_map(|row| row["share_percent"].as_f64()).sum();
        assert!((share - 100.0).abs() < 1e-9, "{share}");
        assert_eq!((&report["open"], &report["unmatched"]), (&json!(0), &json!(0)));
    }
}

#[test]
fn ranks_give_the_same_bytes() {
    for anchor in anchors() {
        for format in ["table", "csv", "json"] {
            let alone = output(&anchor, &["--format", format]);
            let path = anchor.to_str().expect("a path");
            let args = ["profile", "-q", "--by", "kernel", "--format", format, path];
            // Three are processes, which take long to start.
            let count = if format == "json" { 3 } else { 2 };
            let Some(ranks) = on_ranks(count, args) else { continue };
            assert_eq!(ranks.status.code(), Some(0), "{}", said(&ranks));
            assert_eq!(text(ranks.stdout), alone, "{format}");
        }
    }
}

/// Every column is described, and rows stand in the order that is asked for.
#[test]
fn columns_are_documented_and_rows_sorted() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/use/profile.md");
    let document = std::fs::read_to_string(path).expect("the document");
    for anchor in anchors() {
        let csv = output(&anchor, &["--format", "csv", "--sort", "name"]);
        for column in csv.lines().next().expect("a heading").split(',') {
            assert!(document.contains(&format!("`{column}`")), "{column}");
        }
        let names: Vec<&str> =
            csv.lines().skip(1).filter_map(|line| line.split(',').nth(9)).collect();
        assert!(names.is_sorted(), "{names:?}");
        let report: Value =
            serde_json::from_str(&output(&anchor, &["--format", "json"])).expect("JSON");
        for table in ["copies", "streams"] {
            let row = report[table].as_array().expect("rows").first().cloned();
            for column in row.iter().flat_map(|row| row.as_object().expect("a row").keys()) {
                assert!(document.contains(&format!("`{column}`")), "{table}: {column}");
            }
        }
        let totals: Vec<u64> = report["kernels"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| number(row, "total_ticks"))
            .collect();
        assert!(totals.is_sorted_by(|a, b| a >= b), "{totals:?}");
    }
}

#[test]
fn without_accelerators_that_is_said() {
    let anchor = one("intercomm").anchor;
    assert!(output(&anchor, &[]).contains("No stream of an accelerator"));
    let wrong = streamfold(["profile", "--by", "kernel", "--sort", "bytes"]).arg(&anchor).output();
    assert_eq!(wrong.expect("a run").status.code(), Some(1));
}

/// Percentages of threads add up to 100, and so do those of streams.
#[test]
fn threads_and_streams_have_a_whole_each() {
    for anchor in anchors() {
        let args = ["profile", "-q", "--by", "location"];
        let output = streamfold(args).arg(&anchor).output().expect("a run");
        let table = text(output.stdout);
        let mut sums = BTreeMap::from([("stream", 0.0), ("thread", 0.0)]);
        for line in
            table.lines().filter(|line| line.contains(" thread ") || line.contains(" stream "))
        {
            let kind = if line.contains("accelerator stream") { "stream" } else { "thread" };
            let percent = line.split_whitespace().nth(2).and_then(|cell| cell.parse::<f64>().ok());
            *sums.get_mut(kind).expect("a kind") += percent.unwrap_or(0.0);
        }
        for (kind, sum) in sums {
            assert!((sum - 100.0).abs() < 0.5, "{kind}: {sum} in\n{table}");
        }
        assert!(table.contains("\n100 % is "), "{table}");
    }
}
