//! 0: what it says on its way, and what it leaves behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use super::Place;
use crate::common::program::said;

#[test]
fn done_is_0_and_leaves_the_outputs_and_nothing_else() {
    let place = Place::new();
    let output = place.profile(&["-o", "a.csv", "-o", "b.json", "-o", "c.txt"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(output.stdout.is_empty(), "standard output was not asked for");
    assert_eq!(place.left(), ["a.csv", "b.json", "c.txt"]);
}

#[test]
fn an_output_takes_the_place_of_an_older_one() {
    let place = Place::new();
    let path = place.outputs().join("a.csv");
    fs::write(&path, "older").expect("a file");
    assert_eq!(place.profile(&["-o", "a.csv"]).status.code(), Some(0));
    assert!(fs::read_to_string(path).expect("the output").starts_with("region,"));
}

/// Others may read an output as they may read any new file, though it was a temporary one.
#[test]
fn an_output_has_the_permissions_of_a_new_file() {
    let place = Place::new();
    let script = "umask 027; exec \"$0\" profile -q \"$1\" -o a.csv";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_streamfold")]).arg(place.anchor());
    assert!(shell.current_dir(place.outputs()).status().expect("a run").success());
    let permissions = fs::metadata(place.outputs().join("a.csv")).expect("the output");
    assert_eq!(permissions.permissions().mode() & 0o777, 0o640);
}

#[test]
fn the_trace_stays_as_it_is() {
    let place = Place::new();
    let contents = || {
        let folders = [place.trace(), place.trace().join("traces")];
        let entries = folders.iter().flat_map(|f| fs::read_dir(f).expect("a folder"));
        let files = entries.map(|e| e.expect("an entry").path()).filter(|path| path.is_file());
        let mut all: Vec<_> = files.map(|p| (fs::read(&p).expect("a file"), p)).collect();
        all.sort();
        all
    };
    let before = contents();
    assert_eq!(place.profile(&["-o", "a.csv"]).status.code(), Some(0));
    assert_eq!(contents(), before);
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let place = Place::new();
    for format in ["table", "csv", "json"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
        command.args(["profile", "-q", "--by", "callpath", "--format", format]).arg(place.anchor());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take()); // before anything is written, since reading takes a while
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(output.status.code(), Some(0), "{format}");
        assert_eq!(said(&output), "", "{format}");
    }
}

#[test]
fn quiet_says_nothing() {
    let place = Place::new();
    let output = place.profile(&["--quiet"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(said(&output), "");
    assert!(!output.stdout.is_empty());
}

/// A line with who works, and a summary in one line; no progress, since nobody watches a file.
#[test]
fn otherwise_it_says_who_works_and_how_much_was_done() {
    let place = Place::new();
    let output = place.profile(&["--threads", "2"]);
    let said = said(&output);
    let lines: Vec<_> = said.lines().collect();
    let [who, summary] = lines[..] else { panic!("two lines: {said}") };
    assert_eq!(who, "streamfold: 1 rank, 2 threads: --threads");
    assert!(summary.starts_with("streamfold: 2 916 events, "), "{summary}");
    assert!(summary.contains(" events/s") && summary.contains("memory"), "{summary}");
    assert!(!said.contains(['\r', '\x1b']));
}

/// Losses are no chatter.
#[test]
fn quiet_keeps_no_loss_to_itself() {
    let place = Place::new();
    place.damage(1);
    let output = place.profile(&["--quiet"]);
    assert_eq!(output.status.code(), Some(3));
    let said = said(&output);
    assert!(said.contains("1.evt") && said.contains("at byte 500"), "{said}");
    assert!(said.ends_with("streamfold: not all of the trace could be read: 1 loss\n"), "{said}");
}
