//! Traces of DFTracer and Chrome trace events, compared with what another reader counted in them.

mod odd;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
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

/// Chrome trace events in an array and in an object.
#[test]
fn chrome_traces() {
    let facts = expected(&own("chrome-compat"));
    for (name, facts) in facts.as_object().expect("files") {
        let (code, profile) = report("profile", &own("chrome-compat").join(name));
        let has_unmatched = facts["unmatched_end"].as_u64() > Some(0);
        assert_eq!(code, if has_unmatched { 3 } else { 0 }, "{name}");
        let regions = profile["regions"].as_array().expect("regions");
        for (number, times) in [("inclusive", "total_us_by_name"), ("exclusive", "self_us_by_name")]
        {
            let times = facts[times].as_object().expect("times");
            assert_eq!(regions.len(), times.len(), "{name}");
            for region in regions {
                let time =
                    times[region["name"].as_str().expect("a name")].as_f64().expect("a time");
                assert_eq!(region[number].as_f64(), Some(1000.0 * time), "{name} {region}");
            }
        }
    }
}
