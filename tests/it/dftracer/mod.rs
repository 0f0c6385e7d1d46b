//! Traces of DFTracer and Chrome trace events, compared with what another reader counted in them.

mod accelerators;
mod blocks;
mod chrome;
mod cuts;
mod faults;
mod odd;
mod ranks;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use streamfold::formats::dftracer;
use tempfile::TempDir;

use crate::common::archives::{data, facts, folders_with_facts};
use crate::common::program::{mpirun, said, streamfold, text};

fn own(name: &str) -> PathBuf {
    data().join("dftracer").join(name)
}

fn expected(folder: &Path) -> Value {
    facts(&folder.join("expected.json"))
}

/// Makes a folder of a process and its children, each compressed in two members. Children use the hashes of names of
/// files that only the parent defines.
fn with_children() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let log = fs::read_dir(own("2.2-plain"))
        .expect("a folder")
        .map(|entry| entry.expect("a file").path());
    let log = log.into_iter().find(|path| path.extension().is_some_and(|end| end == "pfw"));
    let text = fs::read_to_string(log.expect("a trace")).expect("text");
    for child in 0..4 {
        let lines = text.lines().filter(|line| child == 0 || !line.contains("\"name\":\"FH\""));
        let text: String =
            lines.map(|line| line.replace("23680", &format!("{}", 23680 + child)) + "\n").collect();
        let (one, other) = text.split_at(text.len() / 2);
        let members = [odd::gz(one.as_bytes()), odd::gz(other.as_bytes())].concat();
        fs::write(folder.path().join(format!("run-{child}-fork.pfw.gz")), members)
            .expect("written");
    }
    folder
}

/// A report on a trace, and the exit code.
fn report(command: &str, path: &Path) -> (i32, Value) {
    let mut program = streamfold([command, "-q", "--mpi", "off", "--format", "json"]);
    let output = program.arg(path).output().expect("a run");
    let code = output.status.code().unwrap_or(-1);
    assert!(code == 0 || code == 3, "{}: {}", path.display(), said(&output));
    (code, serde_json::from_str(&text(&output.stdout)).expect("JSON"))
}

/// A number of each region, by category and name.
fn by_region(profile: &Value, number: &str) -> BTreeMap<String, u64> {
    let regions = profile["regions"].as_array().expect("regions").iter();
    let of = |region: &Value| {
        let name = region["canonical_name"].as_str().expect("a name").to_owned();
        (name, region[number].as_u64().expect("a number"))
    };
    regions.map(of).collect()
}

/// Numbers that are expected, in units.
fn numbers(facts: &Value, unit: u64) -> BTreeMap<String, u64> {
    let facts = facts.as_object().into_iter().flatten();
    facts.filter_map(|(name, number)| Some((name.clone(), unit * number.as_u64()?))).collect()
}

fn unit(facts: &Value) -> u64 {
    let file = facts["files"].as_object().and_then(|files| files.values().next().cloned());
    match file.expect("a file")["time_unit"].as_str() {
        Some("NS") => 1,
        Some("MS") => 1_000_000,
        _ => 1000,
    }
}

#[test]
fn calls_and_times_are_those_that_are_expected() {
    let mut compared = 0;
    for folder in folders_with_facts("dftracer", 3) {
        let facts = expected(&folder);
        // Nothing, and what has files of several kinds, is looked at below.
        if facts["count_by_cat_name"].as_object().is_none_or(|counts| counts.is_empty()) {
            continue;
        }
        compared += 1;
        let what = folder.display();
        let (code, profile) = report("profile", &folder);
        let is_whole = facts["malformed_lines"] == 0;
        assert_eq!(code, if is_whole { 0 } else { 3 }, "{what}");
        assert_eq!(
            by_region(&profile, "visits"),
            numbers(&facts["count_by_cat_name"], 1),
            "{what}"
        );
        let unit = unit(&facts);
        let times = numbers(&facts["dur_by_cat_name"], unit);
        assert_eq!(by_region(&profile, "inclusive"), times, "{what}");
        let own = facts["self_dur_by_cat_name"].as_object().expect("times");
        // Where calls overlap without nesting they have a negative time there.
        if own.values().all(|time| time.as_i64() >= Some(0)) {
            let own = numbers(&facts["self_dur_by_cat_name"], unit);
            assert_eq!(by_region(&profile, "exclusive"), own, "{what}");
        }
    }
    assert!(compared >= 2, "{compared}");
}

/// Bytes of each file. What STDIO moves is counted in items there.
#[test]
fn bytes_are_those_that_are_expected() {
    for folder in folders_with_facts("dftracer", 3) {
        let facts = expected(&folder);
        let moved = facts["bytes_by_cat_name"].as_object().into_iter().flatten();
        let is_posix = moved.clone().all(|(name, _)| name.starts_with("POSIX/"));
        if !is_posix || moved.count() == 0 {
            continue;
        }
        let (_, report) = report("match", &folder);
        let mut found: BTreeMap<(String, bool), u64> = BTreeMap::new();
        for row in report["files"].as_array().expect("files") {
            let name = row["name"].as_str().unwrap_or_default().to_owned();
            *found.entry((name, row["mode"] == "READ")).or_default() +=
                row["bytes"].as_u64().expect("bytes");
        }
        for (name, file) in facts["files_touched"].as_object().expect("files") {
            for (kind, is_read) in [("read", true), ("written", false)] {
                let of = found.get(&(name.clone(), is_read)).copied().unwrap_or(0);
                assert_eq!(file[kind].as_u64(), Some(of), "{}: {name}", folder.display());
            }
        }
    }
}

#[test]
fn any_number_of_ranks_says_the_same() {
    let folder = with_children();
    let arguments = || ["profile", "-q", "--format", "json"].map(str::to_owned);
    let run = |ranks: Option<usize>| {
        let arguments = arguments().into_iter().chain([folder.path().display().to_string()]);
        match ranks {
            None => Some(streamfold(arguments).output().expect("a run")),
            Some(ranks) => mpirun(ranks, arguments),
        }
    };
    let alone = run(None).expect("a run");
    assert_eq!(alone.status.code(), Some(0), "{}", said(&alone));
    for ranks in [2, 3, 5, 8] {
        let Some(together) = run(Some(ranks)) else { return };
        assert_eq!(together.status.code(), Some(0), "{}", said(&together));
        assert!(alone.stdout == together.stdout, "{ranks} ranks");
    }
}

/// A trace and its conversion have the same profile.
#[test]
fn an_archive_says_the_same() {
    let to = TempDir::new().expect("a folder");
    let family = with_children();
    for (name, trace) in [("one", own("2.2-plain")), ("several", family.path().to_owned())] {
        let archive = to.path().join(name).join("traces.otf2");
        fs::create_dir(to.path().join(name)).expect("a folder");
        let mut program = streamfold(["convert", "-q", "--mpi", "off"]);
        let output = program.arg(&trace).arg("-o").arg(&archive).output().expect("a run");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let (mut one, mut other) = (report("profile", &trace).1, report("profile", &archive).1);
        for report in [&mut one, &mut other] {
            report.as_object_mut().expect("an object").remove("provenance");
        }
        assert_eq!(one, other, "{name}");
    }
}

/// Sends, receives, and collective operations, as far as arguments tell.
#[test]
fn messages_are_those_that_are_expected() {
    for folder in folders_with_facts("dftracer", 3) {
        let mpi = expected(&folder)["mpi"].clone();
        let Some(ranks) = mpi["ranks"].as_object().map(|ranks| ranks.len() as u64) else {
            continue;
        };
        let (code, matched) = report("match", &folder);
        assert_eq!(code, 0);
        let number = |of: &Value, name: &str| of[name].as_u64().expect("a number");
        let sum = |table: &str, column: &str| -> u64 {
            matched[table].as_array().expect("a table").iter().map(|row| number(row, column)).sum()
        };
        let by_order = number(&mpi, "matched_by_source_tag_order");
        let guessed = number(&mpi, "matched_wildcards_by_tag_order");
        assert_eq!(sum("communicators", "sends"), number(&mpi, "sends"));
        assert_eq!(sum("communicators", "receives"), by_order + guessed);
        assert_eq!(sum("communicators", "messages"), by_order + guessed);
        assert_eq!(sum("collectives", "parts"), number(&mpi, "collectives"));
        assert_eq!(sum("collectives", "complete") * ranks, number(&mpi, "collectives"));
        let output = streamfold(["match", "-q", "--strict"]).arg(&folder).output().expect("a run");
        assert_eq!(output.status.code(), Some(2), "guesses are refused: {}", said(&output));
    }
}

/// Writes a file of a process with this rank.
fn with_rank(folder: &Path, rank: u32, calls: &[String]) {
    let pid = 100 + rank;
    let mut text = format!(
        "{{\"name\":\"PR\",\"cat\":\"dftracer\",\"pid\":{pid},\"tid\":{pid},\"ph\":4,\"args\":\
         {{\"name\":\"rank\",\"value\":\"{rank}\"}}}}\n"
    );
    for call in calls {
        text += &format!("{{\"pid\":{pid},\"tid\":{pid},\"ph\":1,{call}}}\n");
    }
    fs::write(folder.join(format!("run-{rank}.pfw")), text).expect("written");
}

fn call(name: &str, start: u64, args: &str) -> String {
    format!("\"name\":\"{name}\",\"cat\":\"p2p\",\"ts\":{start},\"dur\":5,\"args\":{{{args}}}")
}

/// Receives from anybody get what is left: not what others name, in the order of begins; and nothing where nothing is.
#[test]
fn receives_from_anybody_get_what_is_left() {
    let folder = TempDir::new().expect("a folder");
    let send = |start, tag| call("MPI_Send", start, &format!("\"dest\":0,\"tag\":{tag}"));
    let receive = |name, start, source: i64, tag: i64| {
        call(name, start, &format!("\"source\":{source},\"tag\":{tag}"))
    };
    let calls = [
        receive("MPI_Recv", 10, -1, 7),
        receive("MPI_Irecv", 20, -1, -1),
        receive("MPI_Recv", 30, 1, 7),
        call("MPI_Wait", 40, "\"ret\":0"),
        receive("MPI_Recv", 50, -1, 9),
        receive("MPI_Irecv", 60, 2, 8),
    ];
    with_rank(folder.path(), 0, &calls);
    with_rank(folder.path(), 1, &[send(1, 7), send(2, 7)]);
    with_rank(folder.path(), 2, &[send(3, 8), send(4, 8)]);
    let (code, matched) = report("match", folder.path());
    assert_eq!(code, 0);
    let row = &matched["communicators"][0];
    // Rank 1 sends twice with tag 7, of which one is named; rank 2 with tag 8, of which one is named.
    let found = ["sends", "receives", "messages"].map(|name| row[name].as_u64());
    assert_eq!(found, [Some(4); 3], "{row}");
    let output = streamfold(["print", "-q"]).arg(folder.path()).output().expect("a run");
    let printed = text(output.stdout);
    assert_eq!(printed.matches("MPI_IRECV ").count(), 2, "{printed}");
    let output = streamfold(["validate", "-q"]).arg(folder.path()).output().expect("a run");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // Two processes of one rank have no messages.
    fs::copy(folder.path().join("run-1.pfw"), folder.path().join("run-again.pfw")).expect("copied");
    let output = streamfold(["match"]).arg(folder.path()).output().expect("a run");
    assert!(said(&output).contains("several processes have rank 1"), "{}", said(&output));
}

/// A trace beside its compressed copy, whole or cut, is one trace. Others of the same name are two.
#[test]
fn copies_are_read_once() {
    let line = |begin: u64| {
        format!(
            "{{\"name\":\"read\",\"cat\":\"POSIX\",\"pid\":5,\"tid\":5,\"ts\":{begin},\"dur\":10,\
             \"ph\":1,\"args\":{{\"fname\":\"/data/a\",\"ret\":4096}}}}\n"
        )
    };
    let both = line(1000) + &line(1020);
    let zipped = |text: &str| odd::gz(text.as_bytes());
    let cut = |mut bytes: Vec<u8>| {
        bytes.truncate(bytes.len() - 12);
        bytes
    };
    let other = both.replace("4096", "5000");
    for (plain, compressed, processes, bytes, copy) in [
        (both.clone(), zipped(&both), 1, 8192, Some("run-5.pfw.gz: run-5.pfw")),
        (both.clone(), cut(zipped(&both)), 1, 8192, Some("run-5.pfw.gz: run-5.pfw")),
        (both.clone(), zipped(&line(1000)), 1, 8192, Some("run-5.pfw.gz: run-5.pfw")),
        (line(1000), zipped(&both), 1, 8192, Some("run-5.pfw: run-5.pfw.gz")),
        (both.clone(), zipped(&other), 2, 18_192, None),
    ] {
        let folder = TempDir::new().expect("a folder");
        fs::write(folder.path().join("run-5.pfw"), plain).expect("written");
        fs::write(folder.path().join("run-5.pfw.gz"), compressed).expect("written");
        let mut program = streamfold(["io", "--format", "json"]);
        let output = program.arg(folder.path()).output().expect("a run");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["processes"].as_array().map(Vec::len), Some(processes));
        assert_eq!(report["total"]["bytes_read"], bytes);
        let note = copy.map(|copy| format!("{copy} has the same records: this file is not read"));
        assert!(note.is_none_or(|note| said(&output).contains(&note)), "{}", said(&output));
        assert_eq!(copy.is_some(), said(&output).contains("is not read"), "{}", said(&output));
    }
}

/// Values of counters, and what records of many calls add up.
#[test]
fn values_are_metrics() {
    let mut counted = (0, 0);
    for folder in folders_with_facts("dftracer", 3) {
        let facts = expected(&folder);
        // One version has bytes in the place of numbers of calls, and who counted took them for that.
        let is_old = facts["counter_samples_by_cat_name"].is_object();
        let calls = numbers(&facts["aggregated_calls_by_cat_name"], 1);
        let samples = numbers(&facts["counter_samples_by_cat_name"], 1);
        if calls.is_empty() && samples.is_empty() {
            continue;
        }
        let (_, profile) = report("profile", &folder);
        let rows = profile["metrics"].as_array().expect("metrics");
        let of = |name: &str| rows.iter().filter(|row| row["name"] == *name).collect::<Vec<_>>();
        if calls.is_empty() {
            for (name, count) in samples {
                let (_, name) = name.split_once('/').expect("a category");
                let begin = format!("{name}: ");
                let is_of = |row: &&Value| {
                    row["name"].as_str().is_some_and(|name| name.starts_with(begin.trim_start()))
                };
                let found: Vec<_> = rows.iter().filter(is_of).collect();
                assert!(
                    !found.is_empty()
                        && found
                            .iter()
                            .all(|row| row["total"]["values"]["count"].as_u64() == Some(count)),
                    "{name}"
                );
                counted.0 += 1;
            }
            continue;
        }
        let expected = if is_old { samples } else { calls };
        for (name, count) in expected {
            let found = of(&format!("{name}: calls"));
            let sum: u64 =
                found.iter().filter_map(|row| row["total"]["values"]["sum"].as_u64()).sum();
            assert_eq!(sum, count, "{}: {name}", folder.display());
            counted.1 += 1;
        }
    }
    if crate::common::archives::traces().is_some() {
        assert!(counted.0 >= 9 && counted.1 >= 34, "{counted:?}");
    }
}

/// The epoch and step of calls part call paths.
#[test]
fn epochs_and_steps_are_parameters() {
    let folder = TempDir::new().expect("a folder");
    let calls: Vec<String> = (0..6)
        .map(|n| call("train", 10 * n, &format!("\"epoch\":{},\"step\":{n}", n / 3)))
        .collect();
    with_rank(folder.path(), 0, &calls);
    let mut program = streamfold(["profile", "-q", "--format", "json", "--by-parameter", "epoch"]);
    let output = program.arg(folder.path()).output().expect("a run");
    let profile: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let paths = profile["paths"].as_array().expect("paths");
    let parted: Vec<_> = paths.iter().filter(|path| path["visits"].as_u64() == Some(3)).collect();
    assert_eq!(parted.len(), 2, "{paths:?}");
}

/// Chrome trace events in an array and in an object.
#[test]
fn chrome_traces() {
    let facts = expected(&own("chrome-compat"));
    for (name, facts) in facts.as_object().expect("files") {
        let (code, profile) = report("profile", &own("chrome-compat").join(name));
        let has_unmatched = facts["unmatched_end"].as_u64() > Some(0);
        assert_eq!(code, if has_unmatched { 3 } else { 0 }, "{name}");
        let regions = profile["regions"].as_array().expect("regions").iter();
        // A call that does not end has no time. The facts count spans apart.
        let spans = facts["async_pairs"].as_u64().unwrap_or(0) as usize;
        let (others, regions): (Vec<&Value>, Vec<&Value>) = regions
            .filter(|region| region["name"] != "never ended")
            .partition(|region| region["name"] == "async");
        assert_eq!(others.len(), spans, "{name}");
        for (number, times) in [("inclusive", "total_us_by_name"), ("exclusive", "self_us_by_name")]
        {
            let times = facts[times].as_object().expect("times");
            assert_eq!(regions.len(), times.len(), "{name}");
            for region in &regions {
                let time =
                    times[region["name"].as_str().expect("a name")].as_f64().expect("a time");
                assert_eq!(region[number].as_f64(), Some(1000.0 * time), "{name} {region}");
            }
        }
    }
}

/// Categories stand for the paradigm where that is not known.
#[test]
fn regions_have_categories() {
    let of = dftracer::scan(&own("2.2-plain")).expect("a trace").1;
    let categories = of.regions.values().map(|region| of.category(region).map(ToString::to_string));
    let found: BTreeSet<_> = categories.flatten().collect();
    assert!(found.contains("POSIX") && !found.contains(""), "{found:?}");
}
