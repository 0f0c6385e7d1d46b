//! Iterations: visits of a region by their numbers, compared with printed records.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::archives::{one, own};
use crate::common::program::{on_ranks, said, streamfold, text};

fn json(arguments: &[&str], path: &Path) -> Value {
    let output = streamfold(arguments).args(["-q", "--format", "json"]).arg(path).output();
    let output = output.expect("a run");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}: {}", path.display(), said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn number(row: &Value, column: &str) -> u64 {
    row[column].as_u64().unwrap_or_else(|| panic!("no {column}: {row}"))
}

/// Begin and end of each outermost visit of a region, by location.
fn visits(path: &Path, region: &str) -> BTreeMap<u64, Vec<(u64, u64)>> {
    let output = streamfold(["print", "-q", "--json"]).arg(path).output().expect("a run");
    let mut found: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
    let mut open: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for line in text(output.stdout).lines() {
        let event: Value = serde_json::from_str(line).expect("JSON");
        if event["region_name"] != region {
            continue;
        }
        let (location, time) = (number(&event, "location"), number(&event, "time"));
        let open = open.entry(location).or_default();
        if event["record"] == "Enter" {
            open.push(time);
        } else if let Some(begin) = open.pop().filter(|_| open.is_empty()) {
            found.entry(location).or_default().push((begin, time));
        }
    }
    found
}

#[test]
fn rows_are_what_printed_records_say() {
    let anchor = one("intercomm").anchor;
    let region = "MPI_Allreduce";
    let slow = visits(&anchor, region);
    let report = json(&["profile", "--by", "iteration", "--of", region], &anchor);
    let rows = report["iterations"].as_array().expect("rows");
    assert_eq!(rows.len(), slow.values().map(Vec::len).max().expect("visits"));
    for row in rows {
        let at = number(row, "iteration") as usize - 1;
        let all = || slow.iter().filter_map(|(l, of)| of.get(at).map(|v| (v.1 - v.0, *l)));
        assert_eq!(number(row, "threads"), all().count() as u64);
        let least = all().min().expect("one");
        assert_eq!((number(row, "least"), number(row, "least_at")), least);
        let most = all().max_by_key(|(ticks, l)| (*ticks, std::cmp::Reverse(*l))).expect("one");
        assert_eq!((number(row, "most"), number(row, "most_at")), most);
        let sum: u64 = all().map(|(ticks, _)| ticks).sum();
        assert_eq!(number(row, "mean"), sum / all().count() as u64);
    }
}

#[test]
fn a_profile_of_iterations_has_their_visits() {
    let anchor = one("intercomm").anchor;
    let region = "MPI_Allreduce";
    let slow = visits(&anchor, region);
    for (range, first, last) in [("2..4", 2, 4), ("3", 3, 3), ("5..", 5, usize::MAX), ("..2", 1, 2)]
    {
        let report = json(&["profile", "--iterations", region, range], &anchor);
        let rows = report["regions"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["name"] == region).expect("the region");
        let chosen = || {
            let each = slow.values().map(|of| of.iter().take(last).skip(first - 1));
            each.flatten()
        };
        assert_eq!(number(row, "visits"), chosen().count() as u64, "{range}");
        let ticks: u64 = chosen().map(|(begin, end)| end - begin).sum();
        assert_eq!(number(row, "inclusive"), ticks, "{range}");
    }
}

#[test]
fn messages_of_iterations_are_those_sent_in_them() {
    let anchor = one("pingpong").anchor;
    let all = json(&["match", "--by", "process"], &anchor);
    let messages = |report: &Value| -> u64 {
        report["matrix"].as_array().expect("rows").iter().map(|row| number(row, "messages")).sum()
    };
    let first = json(&["match", "--by", "process", "--iterations", "MPI_Send", "..1"], &anchor);
    let rest = json(&["match", "--by", "process", "--iterations", "MPI_Send", "2.."], &anchor);
    assert!(messages(&first) > 0, "{first}");
    assert!(messages(&first) + messages(&rest) <= messages(&all));
}

#[test]
fn iterations_that_nobody_has_are_told() {
    let anchor = one("pingpong").anchor;
    for (arguments, part) in [
        (["--iterations", "MPI_Init", "5..9"], "the most that one has is 1 visit"),
        (["--iterations", "MPI_Init", "9..5"], "9..5 is no range of iterations"),
        (["--iterations", "no such", "1"], "the trace has no region no such"),
    ] {
        let output = streamfold(["profile", "-q"]).args(arguments).arg(&anchor).output();
        let output = output.expect("a run");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(said(&output).contains(part), "{}", said(&output));
    }
}

#[test]
fn the_same_bytes_come_from_any_number_of_ranks() {
    let anchor = one("hybrid").anchor;
    let commands: [&[&str]; 5] = [
        &["profile", "-q", "--by", "iteration", "--of", "exchange", "--format", "csv"],
        &["profile", "-q", "--iterations", "exchange", "2..5", "--format", "json"],
        &["info", "-q", "--loops"],
        &["waitstates", "-q", "--iterations", "exchange", "2..5", "--format", "json"],
        &["timeline", "-q", "--iterations", "exchange", "2..5", "--format", "csv"],
    ];
    for command in commands {
        let mut expected: Option<Vec<u8>> = None;
        for ranks in [1, 2, 3, 5, 8] {
            let arguments = command.iter().map(PathBuf::from).chain([anchor.clone()]);
            let Some(output) = on_ranks(ranks, arguments) else { continue };
            assert!(output.status.success(), "{}", said(&output));
            match &expected {
                Some(expected) => assert!(*expected == output.stdout, "{ranks} ranks: {command:?}"),
                None => expected = Some(output.stdout),
            }
        }
    }
}

/// Nothing but MPI was recorded there; all processes call it as often.
#[test]
fn the_body_of_the_main_loop_is_proposed() {
    let anchor = one("intercomm").anchor;
    let output = streamfold(["info", "-q", "--loops"]).arg(&anchor).output().expect("a run");
    assert!(output.status.success(), "{}", said(&output));
    let text = text(&output.stdout);
    assert!(text.contains("MPI_Allreduce does, and can stand for iterations"), "{text}");
    assert!(text.contains("20 visits of each thread"), "{text}");
    assert!(text.contains("--by iteration --of MPI_Allreduce"), "{text}");
}

/// A part of a trace that is cut by iterations has the same profile as these.
#[test]
fn a_cut_of_iterations_has_their_profile() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let part = folder.path().join("part.otf2");
    let anchor = one("hybrid").anchor;
    cut("exchange", "2..3", &anchor, &part);
    let of = |report: &Value| -> BTreeMap<String, u64> {
        let rows = report["regions"].as_array().expect("rows");
        let timed = rows.iter().filter(|row| number(row, "exclusive") > 0);
        timed.map(|row| (row["name"].to_string(), number(row, "exclusive"))).collect()
    };
    let expected = of(&json(&["profile", "--iterations", "exchange", "2..3"], &anchor));
    let found = of(&json(&["profile"], &part));
    assert_eq!(found, expected);
}

fn cut(region: &str, range: &str, anchor: &Path, part: &Path) {
    let mut run = streamfold(["cut", "-q", "--iterations", region, range, "-o"]);
    let output = run.arg(part).arg(anchor).output().expect("a run");
    assert!(output.status.success(), "{}", said(&output));
}

/// No message there crosses a border.
#[test]
fn waits_of_iterations_are_those_of_their_cut() {
    let folder = tempfile::TempDir::new().expect("a folder");
    for (archive, region, range) in
        [("hybrid", "exchange", "2..3"), ("intercomm", "MPI_Allreduce", "3..9")]
    {
        let part = folder.path().join(archive).join("part.otf2");
        let anchor = one(archive).anchor;
        cut(region, range, &anchor, &part);
        let found = json(&["waitstates", "--iterations", region, range], &anchor);
        let expected = json(&["waitstates"], &part);
        for table in ["metrics", "by_location", "causes"] {
            // Shares are of the time of all threads; in the cut they have time before their first and behind their last
            // event.
            let rows = |report: &Value| {
                let mut rows = report[table].as_array().expect("rows").clone();
                rows.iter_mut().for_each(|row| row["percent"] = Value::Null);
                rows
            };
            assert_eq!(rows(&found), rows(&expected), "{archive}: {table}");
        }
        let waits = found["metrics"].as_array().expect("rows").iter();
        assert!(waits.clone().any(|row| number(row, "ticks") > 0), "{archive}: nothing waits");
    }
}

/// Instances of waits without what a part numbers otherwise.
fn instances(report: &Value) -> Vec<Value> {
    let mut rows = report["worst"].as_array().expect("rows").clone();
    for row in &mut rows {
        let row = row.as_object_mut().expect("a row");
        row.retain(|column, _| {
            !matches!(&column[..], "path" | "cause_path" | "cause_call_path" | "cause_source")
        });
    }
    rows
}

/// Intervals that follow each other add up to the whole, to the tick, wherever they are cut; calls that no border
/// crosses wait as in the whole.
#[test]
fn waits_of_parts_add_up_to_those_of_the_whole() {
    let waitstates = |anchor: &Path, arguments: &[&str]| {
        json(&[&["waitstates", "--worst", "1000000"], arguments].concat(), anchor)
    };
    for archive in ["hybrid", "intercomm", "pingpong", "sampling", "own"] {
        let anchor = match archive {
            "own" => own().remove(0).anchor,
            name => one(name).anchor,
        };
        let all = waitstates(&anchor, &[]);
        let whole = instances(&all);
        let mut times: Vec<u64> = whole
            .iter()
            .flat_map(|row| [row["enter"].as_u64(), row["leave"].as_u64()])
            .flatten()
            .collect();
        times.sort_unstable();
        times.dedup();
        let Some(last) = times.len().checked_sub(1) else { continue };
        // At a leave or an enter, within a call, and a tick behind one of them.
        let mut bounds = vec![0, times[last / 5]];
        bounds
            .extend([(times[last / 2] + times[last / 2 + last % 2]) / 2, times[4 * last / 5] + 1]);
        bounds.extend([u64::MAX]);
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for pair in bounds.windows(2) {
            let [min, max] = [pair[0], pair[1]];
            let part = waitstates(&anchor, &["--time", &min.to_string(), &max.to_string()]);
            for row in part["metrics"].as_array().expect("rows") {
                *sums.entry(row["metric"].to_string()).or_default() += number(row, "ticks");
            }
            let inside = |row: &&Value| {
                number(row, "enter") >= min && row["leave"].as_u64().is_some_and(|end| end < max)
            };
            // Fork and join are around their region.
            let is_within =
                |row: &&Value| inside(row) && row["metric"].as_str() != Some("omp_management");
            let is_within =
                |row: &&Value| is_within(row) && row["metric"].as_str() != Some("omp_fork");
            let mut found: Vec<String> =
                instances(&part).iter().filter(is_within).map(Value::to_string).collect();
            let mut expected: Vec<String> =
                whole.iter().filter(is_within).map(Value::to_string).collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{archive}: {min} {max}");
        }
        for row in all["metrics"].as_array().expect("rows") {
            let sum = sums[&row["metric"].to_string()];
            assert_eq!(sum, number(row, "ticks"), "{archive}: {}", row["metric"]);
        }
    }
}

/// All commands with an account count the same time of the same part: of each process its own, up to the last leave.
#[test]
fn commands_agree_on_the_time_of_a_part() {
    let parts: [(&str, &[&str]); 5] = [
        ("intercomm", &["--iterations", "MPI_Allreduce", "2..4"]),
        ("intercomm", &["--iterations", "MPI_Allreduce", "5.."]),
        ("pingpong", &["--iterations", "MPI_Send", "..1"]),
        ("pingpong", &["--without-startup"]),
        ("intercomm", &["--without-startup"]),
    ];
    for (trace, part) in parts {
        let anchor = one(trace).anchor;
        let of = |command: &[&str]| json(&[command, part].concat(), &anchor);
        let efficiency = of(&["efficiency"]);
        let threads = &efficiency["account"]["threads"];
        assert!(number(threads, "total") > 0, "{trace} {part:?}");
        for command in [&["timeline"][..], &["timeline", "--value", "waits"], &["waitstates"]] {
            let found = of(command);
            assert_eq!(&found["account"]["threads"], threads, "{trace} {command:?} {part:?}");
        }
        let timeline = of(&["timeline", "--by", "thread", "--bins", "7"]);
        let columns = timeline["cells"].as_array().expect("cells").iter();
        let groups = threads["classes"].as_object().expect("classes").keys();
        let sum = |name: &String| -> u64 {
            columns.clone().map(|cell| cell[name].as_u64().unwrap_or(0)).sum()
        };
        assert_eq!(groups.map(sum).sum::<u64>(), number(threads, "total"), "{trace} {part:?}");
    }
}

/// A trace of two processes, as an archive; each has `main`, and visits of `step` from each of these times to another.
/// A second thread has calls that meet at a border of steps.
fn made(folder: &Path, steps: [&[(u64, u64)]; 2]) -> PathBuf {
    let mut events = Vec::new();
    let mut call = |pid: usize, tid: u32, name: &str, (begin, end): (u64, u64)| {
        let length = end - begin;
        events.push(format!(
            r#"{{"ph":"X","cat":"c","name":"{name}","pid":{pid},"tid":{tid},"ts":{begin},"dur":{length}}}"#
        ));
    };
    for (pid, steps) in steps.into_iter().enumerate() {
        let (begin, end) = (steps[0].0, steps[steps.len() - 1].1);
        call(pid, 1, "main", (begin, end));
        call(pid, 2, "helper", (begin, end));
        for step in steps {
            call(pid, 1, "step", *step);
            call(pid, 1, "inner", (step.0, (step.0 + step.1) / 2));
            call(pid, 2, "work", *step);
        }
    }
    let (json, anchor) = (folder.join("made.json"), folder.join("made.otf2"));
    std::fs::write(&json, format!("[{}]", events.join(",\n"))).expect("written");
    let output = streamfold(["convert", "-q"]).arg(&json).arg("-o").arg(&anchor).output();
    let output = output.expect("a run");
    assert!(output.status.success(), "{}", said(&output));
    anchor
}

/// The time of all regions of a profile, and their visits.
fn profiled(report: &Value) -> (u64, u64) {
    let rows = report["regions"].as_array().expect("rows");
    rows.iter().fold((0, 0), |(ticks, visits), row| {
        (ticks + number(row, "exclusive"), visits + number(row, "visits"))
    })
}

/// The time of a class of threads in an account, and all of it.
fn accounted(report: &Value) -> (u64, u64) {
    let threads = &report["account"]["threads"];
    (threads["classes"]["computation"]["serial"].as_u64().unwrap_or(0), number(threads, "total"))
}

/// The time of an iteration is that from its enter to its leave, in each command; at a tick that two share none of it
/// counts twice.
#[test]
fn iterations_that_tile_a_run_add_up_to_it() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let tiled: [&[(u64, u64)]; 2] =
        [&[(0, 30), (30, 50), (50, 100)], &[(0, 10), (10, 11), (11, 100)]];
    let apart: [&[(u64, u64)]; 2] =
        [&[(0, 29), (30, 49), (50, 100)], &[(0, 10), (11, 12), (20, 100)]];
    for (name, steps) in [("tiled", tiled), ("apart", apart)] {
        let folder = folder.path().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        let anchor = made(&folder, steps);
        let lengths = |at: usize| steps.iter().map(|of| of[at].1 - of[at].0).sum::<u64>();
        // Of two threads, in nanoseconds.
        let expected: Vec<u64> = (0..3).map(|at| 2000 * lengths(at)).collect();
        let mut visits = 0;
        for (at, expected) in expected.iter().enumerate() {
            let iteration = (at + 1).to_string();
            let of = |command: &[&str]| {
                json(&[command, &["--iterations", "step", &iteration]].concat(), &anchor)
            };
            let (time, begun) = profiled(&of(&["profile"]));
            assert_eq!(time, *expected, "{name} {iteration}");
            visits += begun;
            for command in [&["efficiency"][..], &["waitstates"], &["timeline"]] {
                let found = accounted(&of(command));
                assert_eq!(found, (*expected, *expected), "{name} {iteration} {command:?}");
            }
            let waits = of(&["timeline", "--value", "waits"]);
            assert_eq!(accounted(&waits).1, *expected, "{name} {iteration}");
            let part = folder.join(&iteration).join("part.otf2");
            cut("step", &iteration, &anchor, &part);
            assert_eq!(profiled(&json(&["profile"], &part)).0, *expected, "{name} {iteration}");
            let found = accounted(&json(&["efficiency"], &part)).0;
            assert_eq!(found, *expected, "{name} {iteration}");
        }
        let whole = json(&["profile"], &anchor);
        let all = json(&["profile", "--iterations", "step", ".."], &anchor);
        assert_eq!(profiled(&all), profiled(&whole), "{name}");
        if name == "tiled" {
            assert_eq!(expected.iter().sum::<u64>(), 400_000);
            assert_eq!(profiled(&whole).0, 400_000);
            // Those of `main` and `helper` begin once.
            assert_eq!(visits, profiled(&whole).1);
            assert_eq!(accounted(&json(&["efficiency"], &anchor)).0, 400_000);
        }
    }
}
