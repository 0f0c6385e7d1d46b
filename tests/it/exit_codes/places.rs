//! 1: outputs over the trace that is read, and options that would do nothing.

use std::fs;
use std::os::unix::fs::symlink;

use super::{expect_failure, Place};
use crate::common::program::streamfold;

/// Whatever a file of the trace is called, no report takes its place.
#[test]
fn no_file_of_the_trace_is_an_output() {
    let place = Place::new();
    let (anchor, of_trace) = (place.anchor(), |name: &str| place.trace().join(name));
    let files = ["traces.otf2", "traces.def", "traces/0.evt"];
    let contents = || files.map(|name| fs::read(of_trace(name)).expect("a file"));
    let before = contents();
    for (number, file) in files.iter().enumerate() {
        let link = |suffix: &str| place.outputs().join(format!("link{number}.{suffix}"));
        for suffix in ["csv", "jsonl", "txt"] {
            symlink(of_trace(file), link(suffix)).expect("a link");
        }
        for (command, output, path) in [
            ("validate", "-o", of_trace(file)),
            ("validate", "-o", link("txt")),
            ("profile", "-o", link("csv")),
            ("waitstates", "-o", link("csv")),
            ("match", "-o", link("csv")),
            ("match", "--list", link("jsonl")),
        ] {
            let args = [command.as_ref(), anchor.as_os_str(), output.as_ref(), path.as_os_str()];
            let ended = streamfold(args).output().expect("a run");
            expect_failure(&ended, 1, "it belongs to the trace");
        }
    }
    assert_eq!(contents(), before);
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let place = Place::new();
    let anchor = place.anchor();
    for (args, message) in [
        (
            &["profile", "--format", "csv", "-o", "a.json"][..],
            "--format is for standard output: name it with -o -",
        ),
        (&["match", "--format", "json", "-o", "a.json"], "--format is for standard output"),
        (&["waitstates", "--format", "json", "-o", "a.h5"], "--format is for standard output"),
        (
            &["match", "--table", "tags", "-o", "a.json"],
            "--table is for CSV of tables: name a file with -o FILE.csv",
        ),
        (&["match", "--table", "tags"], "--table is for CSV"),
        (&["match", "--table", "tags", "--list", "a.csv"], "--table is for CSV"),
        (&["waitstates", "--table", "worst"], "--table is for CSV: name a file with -o FILE.csv"),
        (
            &["match", "--value", "time", "-o", "a.csv"],
            "--value is for pictures: name one with -o FILE.svg",
        ),
        (&["profile", "--per-location"], "--per-location is for HDF5 files: name one with"),
        (&["profile", "--plan", "--format", "json"], "--format"),
    ] {
        // Without HDF5 a name that asks for it is refused before.
        if args.contains(&"a.h5") && !cfg!(feature = "hdf5") {
            continue;
        }
        let mut command = streamfold(args);
        let ended = command.arg(&anchor).current_dir(place.outputs()).output().expect("a run");
        expect_failure(&ended, 1, message);
    }
    assert!(place.left().is_empty(), "{:?}", place.left());
    for args in [
        &["match", "-q", "--format", "csv", "--table", "tags"][..],
        &["match", "-q", "--table", "tags", "-o", "a.csv", "-o", "-"],
        &["match", "-q", "--value", "time", "-o", "a.png"],
        &["waitstates", "-q", "--format", "csv", "--table", "worst"],
        &["profile", "-q", "--format", "csv", "-o", "a.json", "-o", "-"],
    ] {
        let mut command = streamfold(args);
        let ended = command.arg(&anchor).current_dir(place.outputs()).output().expect("a run");
        assert_eq!(ended.status.code(), Some(0), "{args:?}");
    }
}
