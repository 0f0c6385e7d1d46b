//! Heat maps of processes over time, compared with a slow count of printed records and with the profile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;
use streamfold::model::enums::RmaAtomicType;
use streamfold::model::events::{Event, RmaAtomic, RmaOpCompleteBlocking, RmaPut};
use streamfold::model::ids::RmaWinRef;
use tempfile::TempDir;

use crate::common::archives::{data, large_folders, one, own, Archive};
use crate::common::program::{on_ranks, said, streamfold, text};
use crate::matching::made::{Made, WORLD};

fn json(arguments: &[&str], path: &Path) -> Value {
    let output = streamfold(arguments).args(["-q", "--format", "json"]).arg(path).output();
    let output = output.expect("a run");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}: {}", path.display(), said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn rows<'v>(report: &'v Value, table: &str) -> impl Iterator<Item = &'v Value> {
    report[table].as_array().unwrap_or_else(|| panic!("no {table}")).iter()
}

fn number(row: &Value, column: &str) -> u64 {
    row[column].as_u64().unwrap_or_else(|| panic!("no {column}: {row}"))
}

/// Classes of threads in which a region is open.
const RECORDED: [&str; 8] =
    ["computation", "mpi", "shmem", "threads", "io", "system", "accelerator", "measurement"];

fn printed(path: &Path, more: &[&str]) -> Vec<Value> {
    let output = streamfold(["print", "-q", "--json"]).args(more).arg(path).output();
    let lines = text(output.expect("a run").stdout);
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Ticks by location, part and whether they are in MPI: tick by tick from one event to the next.
fn slow(path: &Path, bounds: &[u64]) -> BTreeMap<(u64, usize, bool), u64> {
    let definitions = printed(path, &["-G"]);
    let is_mpi: BTreeMap<u64, bool> = definitions
        .iter()
        .filter(|record| record["record"] == "Region")
        .map(|region| (number(region, "id"), region["paradigm_name"] == "MPI"))
        .collect();
    let mut found = BTreeMap::new();
    let mut open: BTreeMap<u64, (u64, Vec<u64>)> = BTreeMap::new();
    for event in printed(path, &[]) {
        let location = number(&event, "location");
        let (time, is_enter) = (number(&event, "time"), event["record"] == "Enter");
        if !is_enter && event["record"] != "Leave" {
            continue;
        }
        let (since, stack) = open.entry(location).or_insert((time, Vec::new()));
        if let Some(region) = stack.last() {
            for (part, bound) in bounds.windows(2).enumerate() {
                let ticks = time.min(bound[1]).saturating_sub((*since).max(bound[0]));
                if ticks > 0 {
                    *found.entry((location, part, is_mpi[region])).or_default() += ticks;
                }
            }
        }
        *since = time;
        match is_enter {
            true => stack.push(number(&event, "region")),
            false => drop(stack.pop()),
        }
    }
    found
}

#[test]
fn cells_are_what_a_slow_count_finds() {
    for name in ["pingpong", "intercomm", "own"] {
        let anchor = match name {
            "own" => own().remove(0).anchor,
            name => one(name).anchor,
        };
        let report = json(&["timeline", "--by", "thread", "--bins", "37"], &anchor);
        let mut bounds: Vec<u64> = rows(&report, "times")
            .filter(|row| number(row, "is_stream") == 0)
            .map(|row| number(row, "begin"))
            .collect();
        bounds.push(number(&report, "end") + 1);
        let slow = slow(&anchor, &bounds);
        let location: Vec<u64> = rows(&report, "rows").map(|row| number(row, "first")).collect();
        let mut found = BTreeMap::new();
        for cell in rows(&report, "cells") {
            let key =
                |mpi| (location[number(cell, "row") as usize], number(cell, "part") as usize, mpi);
            let mpi = number(cell, "mpi");
            let others = RECORDED.iter().filter(|class| **class != "mpi");
            let others: u64 = others.map(|class| number(cell, class)).sum();
            for (ticks, mpi) in [(mpi, true), (others, false)].into_iter().filter(|(t, _)| *t > 0) {
                found.insert(key(mpi), ticks);
            }
        }
        assert_eq!(found, slow, "{name}");
        assert!(!found.is_empty(), "{name}");
    }
}

/// Whatever the parts are, they add up to what the profile says.
#[test]
fn parts_add_up_to_the_profile() {
    for name in ["hybrid", "intercomm", "pingpong"] {
        let anchor = one(name).anchor;
        let profile = json(&["profile"], &anchor);
        let inside: u64 = rows(&profile, "regions").map(|row| number(row, "exclusive")).sum();
        for options in [&["--bins", "1"][..], &["--bins", "240"], &["--by", "thread"]] {
            let arguments = [&["timeline", "--value", "main"], options].concat();
            let report = json(&arguments, &anchor);
            let sum: u64 = rows(&report, "cells")
                .map(|cell| RECORDED.iter().map(|class| number(cell, class)).sum::<u64>())
                .sum();
            assert_eq!(sum, inside, "{name} {options:?}");
        }
    }
}

/// Waits over time add up to those that waitstates finds: parts of other waits, and what is of no time of a thread, aside.
#[test]
fn waits_add_up_to_those_of_waitstates() {
    for name in ["hybrid", "intercomm", "pingpong"] {
        let anchor = one(name).anchor;
        let found = json(&["waitstates"], &anchor);
        let apart = ["omp_idle_threads", "omp_management"];
        let is_apart = |row: &Value| apart.iter().any(|it| row["metric"] == *it);
        let waits = rows(&found, "metrics");
        let whole = waits.filter(|row| row["parent"].is_null() && !is_apart(row));
        let expected: u64 = whole.map(|row| number(row, "ticks")).sum();
        assert!(expected > 0, "{name}");
        for options in [&["--bins", "1"][..], &["--bins", "91"], &["--by", "thread"]] {
            let report = json(&[&["timeline", "--value", "waits"], options].concat(), &anchor);
            let sum: u64 = rows(&report, "cells").map(|cell| number(cell, "waits")).sum();
            assert_eq!(sum, expected, "{name} {options:?}");
        }
    }
}

/// What counters grew by, as printed records say, and levels as the profile has them.
#[test]
fn metrics_add_up_to_what_was_recorded() {
    let anchor = one("pingpong").anchor;
    let output = streamfold(["print", "-q", "--json"]).arg(&anchor).output().expect("a run");
    for (place, name) in ["PAPI_TOT_CYC", "PAPI_L2_TCM", "PAPI_BR_MSP"].into_iter().enumerate() {
        let mut ends: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let event: Value = serde_json::from_str(line).expect("JSON");
            if event["record"] == "Metric" {
                let value = event["metric_values"][place].as_u64().expect("a number");
                ends.entry(number(&event, "location")).or_insert((value, value)).1 = value;
            }
        }
        let grown: u64 = ends.values().map(|(first, last)| last - first).sum();
        for options in [&["--bins", "1"][..], &["--bins", "77"], &["--by", "thread"]] {
            let arguments = [&["timeline", "--value", name], options].concat();
            let report = json(&arguments, &anchor);
            let seconds = number(&report["units"], "ticks_per_second") as f64;
            let mut bounds: Vec<u64> =
                rows(&report, "times").map(|row| number(row, "begin")).collect();
            bounds.push(number(&report, "end"));
            let sum: f64 = rows(&report, "cells")
                .filter_map(|cell| {
                    let part = number(cell, "part") as usize;
                    let length = (bounds[part + 1] - bounds[part]) as f64 / seconds;
                    Some(cell["metric"].as_f64()? * length)
                })
                .sum();
            assert!((sum / grown as f64 - 1.0).abs() < 1e-9, "{name} {options:?}: {sum} {grown}");
        }
    }
    let anchor = one("metrics").anchor;
    let profile = json(&["profile"], &anchor);
    for name in ["power", "temperature"] {
        let series = rows(&profile, "series").find(|row| row["name"] == name).expect("a series");
        let report = json(&["timeline", "--value", name, "--bins", "1"], &anchor);
        let cell = rows(&report, "cells").next().expect("a cell");
        let [found, expected] =
            [&cell["metric"], &series["mean"]].map(|of| of.as_f64().expect("a number"));
        assert!((found / expected - 1.0).abs() < 1e-6, "{name}: {found} {expected}");
    }
}

/// The host records the memory of its accelerators: it is shown in their rows.
#[test]
fn metrics_are_shown_where_the_trace_ascribes_them() {
    let folders = large_folders(&["scorep9-gpu-metrics"]);
    let Some(folder) = folders.first() else { return };
    let anchor = Archive::find(folder).expect("an archive").anchor;
    let map = json(&["timeline", "--value", "HIP Memory"], &anchor);
    let with: BTreeSet<_> = rows(&map, "cells")
        .filter(|cell| !cell["metric"].is_null())
        .map(|cell| number(cell, "row"))
        .collect();
    let names: Vec<_> =
        rows(&map, "rows").map(|row| row["name"].as_str().expect("a name")).collect();
    let with: Vec<_> = with.iter().map(|row| names[*row as usize]).collect();
    assert_eq!(with, ["HIP Context 0", "HIP Context 1"]);
}

#[test]
fn the_same_bytes_come_from_any_number_of_ranks() {
    let folder = TempDir::new().expect("a folder");
    let values = ["classes", "waits", "classes"];
    let anchors = [one("hybrid").anchor, one("intercomm").anchor, data().join("strace/ls_vs_lsl")];
    for (value, anchor) in values.into_iter().zip(anchors) {
        let mut expected: Option<Vec<Vec<u8>>> = None;
        for ranks in [1, 2, 3, 5, 8] {
            let files = ["a.svg", "a.json", "a.csv", "a.txt"].map(|name| folder.path().join(name));
            let mut arguments: Vec<std::ffi::OsString> =
                ["timeline", "-q", "--critical-path", "--value", value].map(Into::into).to_vec();
            for file in &files {
                arguments.extend(["-o".into(), file.into()]);
            }
            arguments.push(anchor.clone().into());
            let Some(output) = on_ranks(ranks, arguments) else { continue };
            assert!(output.status.success(), "{}", said(&output));
            let found = files.map(|file| fs::read(file).expect("a file")).to_vec();
            match &expected {
                Some(expected) => assert!(*expected == found, "{ranks} ranks"),
                None => expected = Some(found),
            }
        }
    }
}

/// The critical path lies over the rows, and nothing else changes.
#[test]
fn the_critical_path_is_drawn_over_rows() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("heat.svg");
    let anchor = one("intercomm").anchor;
    let picture = |more: &[&str]| {
        let args = ["timeline", "-q", "--without-startup", "-o"];
        let run = streamfold(args).arg(&file).args(more).arg(&anchor).output().expect("a run");
        assert_eq!(run.status.code(), Some(0), "{}", said(&run));
        fs::read_to_string(&file).expect("a picture")
    };
    let (without, with) = (picture(&[]), picture(&["--critical-path"]));
    let is_path = |line: &&str| line.contains("stroke=\"#d62728\"");
    assert!(with.lines().filter(is_path).count() > 20, "{with}");
    // The legend has it, too: the picture may be higher for that.
    let is_legend = |line: &&str| line.ends_with(">Critical path</text>");
    assert_eq!(with.lines().filter(is_legend).count(), 1);
    let others = with.lines().filter(|line| !is_path(line) && !is_legend(line));
    assert_eq!(others.skip(1).collect::<Vec<_>>(), without.lines().skip(1).collect::<Vec<_>>());
}

#[test]
fn pictures_say_what_they_are() {
    let folder = TempDir::new().expect("a folder");
    let [svg, png] = ["heat.svg", "heat.png"].map(|name| folder.path().join(name));
    let anchor = one("hybrid").anchor;
    for value in ["mpi", "computation", "bytes", "classes", "threads", "main", "^MPI_W"] {
        let output = streamfold(["timeline", "-q", "--value", value, "--bins", "60", "-o"])
            .arg(&svg)
            .arg("-o")
            .arg(&png)
            .arg(&anchor)
            .output()
            .expect("a run");
        assert!(output.status.success(), "{}", said(&output));
        let picture = fs::read_to_string(&svg).expect("a picture");
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"), "{value}");
        assert!(picture.contains("role=\"img\"") && picture.contains("<desc>"), "{value}");
        assert_eq!(picture.matches('<').count(), picture.matches('>').count(), "{value}");
        assert!(!picture.contains("NaN") && !picture.contains("inf"), "{value}");
        assert!(picture.contains("Time since the begin of the trace"), "{value}");
        assert!(fs::read(&png).expect("a picture").starts_with(b"\x89PNG"));
    }
}

/// Paper, ink and frames turn dark where people want that; colours of classes stay.
#[test]
fn pictures_have_dark_colours() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("picture.svg");
    let anchor = one("hybrid").anchor;
    for command in ["timeline", "match", "io", "profile", "dfg"] {
        let run = streamfold([command, "-q", "-o"]).arg(&file).arg(&anchor).output();
        let run = run.expect("a run");
        assert_eq!(run.status.code(), Some(0), "{command}: {}", said(&run));
        let picture = fs::read_to_string(&file).expect("a picture");
        let begin = "<style>@media screen and (prefers-color-scheme:dark){";
        let (_, style) = picture.split_once(begin).expect(command);
        let (style, rest) = style.split_once("}</style>").expect(command);
        for class in ["sf-paper", "sf-ink", "sf-quiet"] {
            assert!(style.contains(&format!(".{class}{{fill:#")), "{command}: {class}");
        }
        assert!(rest.starts_with(
            "\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\" class=\"sf-paper\"/>"
        ));
        // No text has the colour of ink without its class.
        for line in rest.lines().filter(|line| line.starts_with("<text")) {
            assert!(!line.contains("fill=\"#222222\">"), "{command}: {line}");
        }
        assert!(!style.contains("#d55e00"), "{command}");
    }
}

/// Shades have round bounds.
#[test]
fn shades_have_round_bounds() {
    let output = streamfold(["timeline", "-q"]).arg(one("hybrid").anchor).output().expect("a run");
    let text = text(&output.stdout);
    let legend = text.lines().find_map(|line| line.trim().strip_prefix("blank: ")).expect("one");
    assert_eq!(
        legend, "nothing recorded; · to 2.5 %, ░ to 12.5 %, ▒ to 25 %, ▓ to 37.5 %, █ to 50 %",
        "{text}"
    );
}

#[test]
fn text_has_a_row_for_each_process() {
    let output = streamfold(["timeline"]).arg(one("hybrid").anchor).output().expect("a run");
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("shows --value mpi"), "{}", said(&output));
    let text = text(&output.stdout);
    assert!(text.contains("MPI: share of the time, by process"), "{text}");
    let rows = text.lines().filter(|line| line.trim_start().starts_with("MPI Rank ")).count();
    assert_eq!(rows, 4, "{text}");
}

#[test]
fn what_cannot_be_shown_is_told() {
    let anchor = one("pingpong").anchor;
    let fails = |arguments: &[&str], part: &str| {
        let output = streamfold(["timeline", "-q"]).args(arguments).arg(&anchor).output();
        let output = output.expect("a run");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(said(&output).contains(part), "{}", said(&output));
    };
    fails(&["--value", "no such region"], "the trace has no region no such region");
    fails(&["--value", "mpi_se"], "it has MPI_Se");
    fails(
        &["--value", "("],
        "the trace has no region (, and as a regular expression: unclosed group",
    );
    fails(&["--value", "no such region"], "its metrics: PAPI_BR_MSP");
    fails(&["--bins", "0"], "1 to 4096 are possible");
    fails(&["--table", "rows"], "--table is for CSV");
}

/// A window has parts of its own, and so has a trace whose clock says nonsense.
#[test]
fn parts_are_those_of_the_window() {
    let anchor = one("pingpong").anchor;
    let whole = json(&["timeline"], &anchor);
    let (begin, end) = (number(&whole, "begin"), number(&whole, "end"));
    let middle = begin + (end - begin) / 2;
    let times = [begin, middle].map(|tick| tick.to_string());
    let half = json(&["timeline", "--time", &times[0], &times[1]], &anchor);
    assert_eq!((number(&half, "begin"), number(&half, "end")), (begin, middle));
    let inside =
        |report: &Value| -> u64 { rows(report, "classes").map(|row| number(row, "threads")).sum() };
    let times = [middle, u64::MAX].map(|tick| tick.to_string());
    let other = json(&["timeline", "--time", &times[0], "end"], &anchor);
    assert_eq!(inside(&half) + inside(&other), inside(&whole));
}

/// Rows of streams say so in a column of their own, beside that of accelerator calls.
#[test]
fn streams_are_marked_in_every_output() {
    let anchor = data().join("account/gpu-percentages/traces.otf2");
    let report = json(&["timeline", "--by", "thread"], &anchor);
    let streams = rows(&report, "rows").filter(|row| number(row, "is_stream") == 1);
    assert_eq!(streams.count(), 2);
    let folder = TempDir::new().expect("a folder");
    let to = folder.path().join("t.h5");
    streamfold(["timeline", "-q", "-o"]).arg(&to).arg(&anchor).assert().success();
    assert!(to.exists());
}

/// Classes without a letter are not in the legend.
#[test]
fn the_legend_has_letters_only() {
    let path = Path::new("tests/data/account/time-drops-ended-processes/traces.otf2");
    let mut program = streamfold(["timeline", "-q", "--value", "classes"]);
    let output = program.arg(path).output().expect("a run");
    let text = text(&output.stdout);
    let legend =
        text.lines().find_map(|line| line.trim().strip_prefix("blank: nothing recorded; "));
    assert_eq!(legend, Some(". Computation"), "{text}");
}

/// Atomic operations move bytes in both directions, as a put or get does in one.
#[test]
fn bytes_of_atomic_operations() {
    let mut made = Made::new(&[1, 1]);
    made.window(0, WORLD);
    let win = RmaWinRef(0);
    made.events(0, |to| {
        to.at(0, Event::RmaPut(RmaPut { win, remote: 1, bytes: 100, matching_id: 1 }));
        to.at(10, Event::RmaOpCompleteBlocking(RmaOpCompleteBlocking { win, matching_id: 1 }));
        to.at(
            20,
            Event::RmaAtomic(RmaAtomic {
                win,
                remote: 1,
                atomic_type: RmaAtomicType::FetchAndAdd,
                bytes_sent: 8,
                bytes_received: 30,
                matching_id: 2,
            }),
        );
        to.at(30, Event::RmaOpCompleteBlocking(RmaOpCompleteBlocking { win, matching_id: 2 }));
    });
    made.events(10, |to| {
        to.at(40, Event::RmaOpCompleteBlocking(RmaOpCompleteBlocking { win, matching_id: 2 }));
    });
    let report = json(&["timeline", "--value", "bytes"], &made.finish());
    let bytes: u64 = rows(&report, "cells").map(|cell| number(cell, "bytes")).sum();
    assert_eq!(bytes, 100 + 8 + 30);
}
