//! Traces of other formats as traces of OTF, version 1.

use std::path::Path;

use streamfold::model::enums::CollectiveOp;
use streamfold::model::events::{Enter, Event, Leave, MpiCollectiveBegin, MpiCollectiveEnd};
use streamfold::model::ids::{CommRef, RegionRef};
use tempfile::TempDir;

use super::{assert_same, case, files, path, profile, regions, run};
use crate::common::archives::traces_folder;
use crate::common::program::{on_ranks, streamfold};
use crate::matching::made::{Made, BETWEEN};
use crate::waitstates::events::{NONE, SELF};

/// The anchors of archives.
fn archives() -> Vec<std::path::PathBuf> {
    let Ok(folders) = std::fs::read_dir(traces_folder().join("otf2")) else { return Vec::new() };
    let mut anchors: Vec<_> = folders
        .filter_map(|entry| {
            let files = std::fs::read_dir(entry.ok()?.path()).ok()?;
            let mut paths = files.filter_map(|file| Some(file.ok()?.path()));
            paths.find(|path| path.extension().is_some_and(|ending| ending == "otf2"))
        })
        .collect();
    anchors.sort();
    anchors
}

/// The profile of an archive is that of what became of it.
#[test]
fn profiles_stay_the_same() {
    for anchor in archives() {
        // Its definitions are not unified: regions of locations are known there only.
        if path(&anchor).contains("ununified") {
            continue;
        }
        let folder = TempDir::new().expect("a folder");
        let to = folder.path().join("trace.otf");
        let (code, said) = run(&["convert", "-q", path(&anchor), "-o", path(&to)]);
        assert!(matches!(code, Some(0 | 3)), "{}: {said}", anchor.display());
        let [before, after] = [&anchor, &to].map(|trace| profile(trace));
        assert_eq!(regions(&before), regions(&after), "{}", anchor.display());
        assert_eq!(before["messages"], after["messages"], "{}", anchor.display());
    }
}

/// Any number of ranks gives the same files, and what is left out is counted.
#[test]
fn ranks_do_not_show() {
    let anchor = archives().into_iter().find(|anchor| path(anchor).contains("scorep8-rma"));
    let Some(anchor) = anchor else { return };
    let of = |ranks: usize| {
        let folder = TempDir::new().expect("a folder");
        let to = folder.path().join("trace.otf");
        let output = on_ranks(ranks, ["convert", path(&anchor), "-o", path(&to)])?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        assert!(said.contains("left out or changed: 48 RmaAtomic"), "{said}");
        Some(files(folder.path()))
    };
    let one = of(1).expect("one rank is enough");
    for ranks in [2, 3] {
        let Some(several) = of(ranks) else { continue };
        assert_same(&several, &one, "ranks");
    }
}

/// From OTF to OTF2 and back: messages, collective operations, counters and files are there again.
#[test]
fn there_and_back() {
    let Some(from) = case("ring") else { return };
    let folder = TempDir::new().expect("a folder");
    let (master, there) = (from.join("trace.otf"), folder.path().join("there.otf2"));
    let back = folder.path().join("trace.otf");
    let (code, said) = run(&["convert", "-q", path(&master), "-o", path(&there)]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = run(&["convert", "-q", path(&there), "-o", path(&back)]);
    assert_eq!(code, Some(0), "{said}");
    let [before, after] = [&master, &back].map(|trace| profile(trace));
    assert_eq!(regions(&before), regions(&after));
    for what in ["messages", "collectives", "io", "metrics"] {
        assert_eq!(before[what], after[what], "{what}");
    }
    let sends = |files: &std::collections::BTreeMap<String, String>, prefix: &str| {
        let events = files.iter().filter(|(name, _)| name.ends_with(".events"));
        events.flat_map(|(_, text)| text.lines()).filter(|line| line.starts_with(prefix)).count()
    };
    let (one, other) = (files(&from), files(folder.path()));
    for prefix in ["S", "R", "COPB", "COPE", "FA", "T", "M", "E", "L"] {
        assert!(sends(&one, prefix) > 0, "{prefix}");
        let is_transfer = prefix == "FA";
        // Opens and closes are records of their own then.
        assert!(is_transfer || sends(&one, prefix) == sends(&other, prefix), "{prefix}");
    }
}

/// A trace of OTF loses nothing.
#[test]
fn otf_is_copied() {
    let Some(from) = case("all-short") else { return };
    let folder = TempDir::new().expect("a folder");
    let (master, to) = (from.join("trace.otf"), folder.path().join("trace.otf"));
    let (code, said) = run(&["convert", "-q", path(&master), "-o", path(&to)]);
    assert_eq!(code, Some(0), "{said}");
    assert_same(&files(folder.path()), &files(&from), "all-short");
}

/// Other sources of the model.
#[test]
fn logs_of_all_kinds_are_converted() {
    let traces = traces_folder();
    let inputs = ["dftracer/2.2-mpi-ring", "dftracer/2.0-gz", "dftracer/1.0-cm1-mpi"];
    for input in inputs.map(|input| traces.join(input)) {
        if !input.is_dir() {
            continue;
        }
        let folder = TempDir::new().expect("a folder");
        let to: &Path = &folder.path().join("trace.otf");
        let (code, said) = run(&["convert", "-q", path(&input), "-o", path(to)]);
        assert!(matches!(code, Some(0 | 3)), "{}: {said}", input.display());
        let [before, after] = [&input, to].map(profile);
        assert_eq!(regions(&before), regions(&after), "{}", input.display());
    }
}

/// Tokens start with 1 and have gaps: definitions of an archive have neither, and events lead to them by mapping tables.
/// Undefined functions stay undefined. Undefined ticks count as seconds.
#[test]
fn tokens_become_numbers_without_gaps() {
    let folder = TempDir::new().expect("a folder");
    let write = |ending: &str, text: &str| {
        std::fs::write(folder.path().join(format!("t.{ending}")), text).expect("a file");
    };
    write("otf", "1:1,8\n");
    write(
        "0.def",
        "DP1NM\"p\"\nDP8NM\"q\"\nDPG30M1,8,NM\"comm\"\nDFG9NM\"USR\"\nDF5G9NM\"main\"\nDF7aG9NM\"solve\"\n\
         DCNT4G0NM\"c\"P0U\"#\"\n",
    );
    // Function 1 is not defined; there will be a region 1.
    write(
        "1.events",
        "0\n*1\nE5\nCNT4V3\n1\n*1\nE7a\n2\n*1\nE1\n3\n*1\nL1\nS8L4T0C30\n4\n*1\nL7a\nCNT4V9\nL5\n\
         5\n*8\nR1L4T0C30\n",
    );
    let (from, to) = (folder.path().join("t.otf"), folder.path().join("to.otf2"));
    let (code, said) = run(&["convert", "-q", path(&from), "-o", path(&to)]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = run(&["validate", path(&to)]);
    assert_eq!(code, Some(3), "{said}");
    let output = streamfold(["validate", path(&to)]).output();
    let text = String::from_utf8(output.expect("a run").stdout).expect("text");
    assert!(!text.contains("in the place of") && !text.contains("timerResolution"), "{text}");
    assert!(
        text.contains("Enter record 4: region leads to Region 4294967293, which is not defined"),
        "{text}"
    );
    assert!(text.contains("2 errors, 1 finding in"), "{text}");
    let [before, after] = [&from, &to].map(|trace| profile(trace));
    let numbers = |report: &serde_json::Value| {
        let rows = report["regions"].as_array().expect("rows").iter();
        rows.map(|row| (row["name"].clone(), row["visits"].clone(), row["exclusive"].clone()))
            .filter(|(name, ..)| name == "main" || name == "solve")
            .collect::<Vec<_>>()
    };
    assert_eq!(numbers(&before).len(), 2, "{before}");
    assert_eq!(numbers(&before), numbers(&after));
    assert_eq!(before["messages"], after["messages"]);
    let of_ranks = |ranks: usize| {
        let folder = TempDir::new().expect("a folder");
        let to = folder.path().join("to.otf2");
        on_ranks(ranks, ["convert", "-q", path(&from), "-o", path(&to)])?;
        Some(files(folder.path()))
    };
    if let (Some(one), Some(three)) = (of_ranks(1), of_ranks(3)) {
        assert_same(&three, &one, "ranks");
    }
}

/// A root is a process in a record: operations between two groups keep it. Waits of one group for the other are counted
/// as lost.
#[test]
fn operations_between_two_groups() {
    let mut made = Made::new(&[1; 4]);
    made.region(0, "MPI_Bcast");
    made.region(1, "MPI_Barrier");
    // Processes 0 and 2 are a group, 1 and 3 the other one. Process 0 is the root.
    let members = [(0, SELF, 400, 500), (1, 0, 350, 530), (2, NONE, 420, 510), (3, 0, 370, 550)];
    for (process, root, broadcast, barrier) in members {
        made.events(process * 10, |to| {
            let operations = [
                (0, CollectiveOp::Bcast, root, [broadcast, 440]),
                (1, CollectiveOp::Barrier, NONE, [barrier, 560]),
            ];
            for (region, collective_op, root, [begin, end]) in operations {
                let (region, communicator) = (RegionRef(region), CommRef(BETWEEN));
                to.at(begin * 1000, Event::Enter(Enter { region }));
                to.at(begin * 1000 + 10, Event::MpiCollectiveBegin(MpiCollectiveBegin));
                let (size_sent, size_received) = (64, 64);
                let ended = MpiCollectiveEnd {
                    collective_op,
                    communicator,
                    root,
                    size_sent,
                    size_received,
                };
                to.at(end * 1000, Event::MpiCollectiveEnd(ended));
                to.at(end * 1000 + 1000, Event::Leave(Leave { region }));
            }
        });
    }
    let anchor = made.finish();
    let folder = TempDir::new().expect("a folder");
    let to = folder.path().join("to.otf");
    let (code, said) = run(&["convert", path(&anchor), "-o", path(&to)]);
    assert_eq!(code, Some(0), "{said}");
    let what = "8 parts in collective operations between two groups, which are one now";
    assert!(said.contains(&format!("left out or changed: {what}")), "{said}");
    let roots = (1..=4).map(|stream| {
        let text = std::fs::read_to_string(folder.path().join(format!("to.{stream}.events")));
        let of = |line: &str| line.strip_prefix("COPB2")?.split_once("RT")?.1.chars().next();
        text.expect("events").lines().find_map(of).expect("a broadcast")
    });
    assert_eq!(roots.collect::<String>(), "1101");
    let mut output = streamfold(["waitstates", "-q", "--format", "json"]);
    let output = output.arg(&to).output().expect("a run");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut metrics = report["metrics"].as_array().expect("rows").iter();
    let late = metrics.find(|row| row["metric"] == "mpi_latebroadcast").expect("a metric");
    assert_eq!(late["ticks"], 80_000, "{report}");
}
