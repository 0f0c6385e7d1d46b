//! A trace alone, without a command: a page of at most 32 lines, which says what the profile says.

use std::fs;

use serde_json::Value;

use crate::common::archives::{data, large, own};
use crate::common::program::{mpirun, said, streamfold, team, text};
use crate::waitstates::trace::Trace;
use crate::waitstates::written::Written;

#[test]
fn the_page_is_short_and_the_same_on_any_number_of_ranks() {
    for archive in own().into_iter().chain(large()) {
        let alone = streamfold(["-q"]).arg(&archive.anchor).output().expect("a run");
        let page = text(&alone.stdout);
        assert!(page.lines().count() <= 32, "{}: {page}", archive.name);
        for ranks in [2, 3, 5] {
            let args = ["-q".as_ref(), archive.anchor.as_os_str()];
            let run = team(ranks, args);
            assert_eq!(run.stdout, alone.stdout, "{} on {ranks} ranks", archive.name);
            assert_eq!(run.status.code(), alone.status.code(), "{}", archive.name);
        }
    }
}

/// JSON has the regions of the page, each with its own time.
#[test]
fn regions_have_their_share_of_the_account() {
    for archive in own().into_iter().chain(large()) {
        let args = ["overview", "-q", "--format", "json"];
        let run = streamfold(args).arg(&archive.anchor).output().expect("a run");
        let page: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        for of in ["threads", "streams"] {
            let rows = page["regions"].as_array().expect("rows").iter();
            let rows = rows.filter(|row| row["of"] == of);
            let sum: u64 = rows.map(|row| row["own_ticks"].as_u64().expect("ticks")).sum();
            let total = page["account"][of]["total"].as_u64().expect("ticks");
            assert!(sum <= total, "{}: {sum} of {total}", archive.name);
        }
    }
}

#[test]
fn logs_and_folders_have_a_page_and_the_next_commands_work() {
    let log = data().join("gistlog/page-example.gist");
    let run = streamfold(["-q".as_ref(), log.as_os_str()]).output().expect("a run");
    assert!(run.status.success(), "{}", said(&run));
    let page = text(&run.stdout);
    let next = page.lines().skip_while(|line| *line != "Next").nth(1).expect("a command");
    let (command, _) = next.trim().split_once("  ").expect("what it shows");
    let words: Vec<_> = command.split(' ').skip(1).collect();
    streamfold(words).assert().success();
    if let Some(run) = mpirun(3, ["-q".as_ref(), log.as_os_str()]) {
        assert_eq!(text(&run.stdout), page);
    }
}

/// Clocks of two nodes that differ: most of the run is a time in which no process is recorded.
#[test]
fn a_time_without_processes_is_named() {
    let text_of = |begins: [u64; 2]| {
        let mut trace = Trace::of(2);
        for (process, begin) in (0..).zip(begins) {
            trace.on(10 * process).enter(begin, "main").leave(begin + 100);
        }
        let written = Written::new(&trace);
        let run = streamfold(["-q"]).arg(&written.anchor).output().expect("a run");
        text(&run.stdout)
    };
    let page = text_of([0, 1000]);
    assert!(
        page.contains("In 900.0 us of it no process is recorded, between the end of group 0 and the begin of group 1:")
            && page.contains("the clocks of their nodes differ"),
        "{page}"
    );
    for begins in [[0, 50], [0, 150], [0, 100]] {
        let page = text_of(begins);
        assert!(!page.contains("no process is recorded"), "{page}");
    }
}

#[test]
fn a_path_that_leads_to_nothing_is_no_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let none = folder.path().join("none.otf2");
    let run = streamfold([&none]).output().expect("a run");
    assert_eq!(run.status.code(), Some(4), "{}", said(&run));
    let run = streamfold(["profle"]).output().expect("a run");
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    assert!(said(&run).contains("profile"), "{}", said(&run));
    let broken = folder.path().join("broken.otf2");
    fs::write(&broken, b"no anchor").expect("a file");
    let run = streamfold([&broken]).output().expect("a run");
    assert_eq!(run.status.code(), Some(2), "{}", said(&run));
}

#[test]
fn the_next_commands_fit_the_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path
    };
    let event = r#"{"ph":"X","name":"work","cat":"work","pid":1,"tid":1,"ts":1,"dur":2}"#;
    let alone = write("alone.json", format!("[{event}]\n"));
    let read = |pid: u64| {
        let call = r#"read(3</data/all>, ""..., 832) = 832 <0.000203>"#;
        format!("{pid} 1700000000.15300{pid} {call}\n")
    };
    let files = write("run_host_1.st", [read(1), read(2)].concat());
    for (trace, named, others) in [
        (alone, &["profile", "report"][..], &["efficiency", "io", "dfg", "match"][..]),
        (files, &["profile", "report", "efficiency", "io", "dfg"], &["match", "waitstates"]),
    ] {
        let run = streamfold(["-q"]).arg(&trace).output().expect("a run");
        let page = text(&run.stdout);
        let next: Vec<_> = page.lines().skip_while(|line| *line != "Next").skip(1).collect();
        let is_named = |command: &&&str| {
            let line = format!("  streamfold {command} ");
            next.iter().any(|next| next.starts_with(&line))
        };
        assert_eq!(named.iter().filter(is_named).count(), named.len(), "{page}");
        assert_eq!(others.iter().filter(is_named).count(), 0, "{page}");
        for line in next {
            let (command, _) = line.trim().split_once("  ").expect("what it shows");
            let words: Vec<_> = command.split(' ').skip(1).collect();
            streamfold(words).current_dir(folder.path()).assert().success();
        }
    }
}
