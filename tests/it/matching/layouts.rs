//! The same bytes for any number of ranks and threads, however little memory there is.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::archives::one;
use crate::common::program::{said, streamfold};

const ARCHIVES: [&str; 4] = ["intercomm", "hybrid", "eztrace", "local-defs"];

/// All that the program says of a trace, in one run.
#[derive(Debug, PartialEq)]
struct Reports {
    files: Vec<String>,
    code: Option<i32>,
}

impl Reports {
    fn by(
        anchor: &Path,
        more: &[&str],
        run: impl FnOnce(Vec<OsString>) -> Option<Output>,
    ) -> Option<(Reports, String)> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let files = ["list.csv", "a.txt", "a.json", "a.csv"].map(|name| folder.path().join(name));
        let mut args: Vec<OsString> = vec!["match".into(), anchor.into()];
        args.extend(["--list".into(), (&files[0]).into()]);
        for file in &files[1..] {
            args.extend(["-o".into(), file.into()]);
        }
        args.extend(more.iter().map(Into::into));
        let output = run(args)?;
        let read =
            |file| fs::read_to_string(file).unwrap_or_else(|e| panic!("{e}: {}", said(&output)));
        let files = files.iter().map(read).collect();
        Some((Reports { files, code: output.status.code() }, said(&output)))
    }
}

fn alone(anchor: &Path, more: &[&str]) -> (Reports, String) {
    let run = |args| Some(streamfold(args).output().expect("a run"));
    Reports::by(anchor, more, run).expect("a run")
}

#[test]
fn any_number_of_threads_and_any_memory_says_the_same() {
    for archive in ARCHIVES.map(one) {
        let (expected, _) = alone(&archive.anchor, &["--threads", "1"]);
        for threads in ["1", "4"] {
            let (found, said) = alone(&archive.anchor, &["--threads", threads, "--room", "100"]);
            assert_eq!(found, expected, "{}, {threads} threads", archive.name);
            // One of them has no messages.
            let spilled = said.contains("in temporary files");
            assert_ne!(spilled, said.contains(" 0 matched"), "{}: {said}", archive.name);
        }
    }
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_says_the_same() {
    use crate::common::program::on_ranks;

    for archive in ARCHIVES.map(one) {
        let (expected, _) = alone(&archive.anchor, &["--mpi", "off"]);
        for (ranks, room) in [(1, "100000"), (2, "100"), (3, "100000"), (5, "3000"), (8, "100")] {
            let found =
                Reports::by(&archive.anchor, &["--room", room], |args| on_ranks(ranks, args));
            let Some((found, said)) = found else { return };
            assert_eq!(found, expected, "{}, {ranks} ranks: {said}", archive.name);
        }
    }
}

#[test]
fn a_folder_for_temporary_files_that_is_not_there_is_an_error_with_advice() {
    let anchor = one("intercomm").anchor;
    let folder = tempfile::tempdir().expect("a folder");
    let gone = folder.path().join("gone");
    let args = [OsString::from("match"), anchor.into(), "--room".into(), "100".into()];
    let output = streamfold(args).env("TMPDIR", &gone).output().expect("a run");
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    let said = said(&output);
    assert!(
        said.contains("gone") && said.contains("TMPDIR") && said.contains("--memory"),
        "{said}"
    );
    assert!(output.stdout.is_empty(), "half a report: {said}");
}
