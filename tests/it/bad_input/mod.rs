//! Archives as they should not be. Whatever is wrong with one: it is told, with file and place, and
//! the program neither crashes nor hangs nor takes memory that the files do not justify.
//!
//! Without anchor and global definitions there is nothing to read: exit code 2, or 4 where the
//! operating system has refused a file, and no output. What is wrong with one location costs that
//! location at most: exit code 3, and the others are there; with `--strict` it is 2 again.

mod anchors;
mod circles;
mod definitions;
mod event_files;
mod irregular;
mod local_definitions;
mod references;
mod unfinished;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use crate::common::program::{said, streamfold};
use crate::common::small::{Bytes, Definitions, Order, Small, Written};

/// No archive here takes longer, on any machine, whatever else that does.
const LIMIT: Duration = Duration::from_secs(60);

use Order::Little;

fn header() -> Bytes {
    Bytes::new(Little).header()
}

fn payload() -> Bytes {
    Bytes::new(Little)
}

/// A run of `streamfold profile` with one output.
struct Run {
    code: i32,
    stderr: String,
    /// The output, where there is one: a row for each location.
    csv: Option<String>,
}

/// Runs the program alone, whatever started the tests; a run that takes too long ends by a signal.
fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    streamfold(args).args(["--mpi", "off"]).timeout(LIMIT).output().expect("a run")
}

fn profile(anchor: &Path, more: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("p.csv");
    let mut args = vec!["profile".into(), anchor.as_os_str().to_owned(), "-q".into()];
    args.extend(["--by", "location", "-o"].map(OsString::from));
    args.push(csv.clone().into());
    args.extend(more.iter().map(OsString::from));
    let ended = run(args);
    let stderr = said(&ended);
    let code = ended.status.code().unwrap_or_else(|| panic!("ended by a signal: {stderr}"));
    assert!(!stderr.contains("panic") && !stderr.contains("internal error"), "{stderr}");
    let written = std::fs::read_to_string(&csv).ok();
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, usize::from(written.is_some()), "unfinished outputs are left: {stderr}");
    Run { code, stderr, csv: written }
}

/// The archive cannot be read at all: one line that says all of this, and nothing is written.
#[track_caller]
fn fatal(anchor: &Path, code: i32, says: &[&str]) {
    let run = profile(anchor, &[]);
    let stderr = &run.stderr;
    assert_eq!(run.code, code, "{stderr}");
    assert!(stderr.starts_with("streamfold: "), "{stderr}");
    assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    says.iter().for_each(|say| assert!(stderr.contains(say), "no {say:?} in: {stderr}"));
    assert_eq!(run.csv, None, "{stderr}");
}

/// Something of location 0 is lost: that is told, and location 1 is there.
#[track_caller]
fn loses_something(written: &Written, says: &[&str]) -> Run {
    let run = profile(&written.anchor(), &[]);
    let stderr = &run.stderr;
    assert_eq!(run.code, 3, "{stderr}");
    says.iter().for_each(|say| assert!(stderr.contains(say), "no {say:?} in: {stderr}"));
    assert!(stderr.contains("streamfold: not all of the trace could be read: "), "{stderr}");
    let csv = run.csv.as_ref().expect("there is an output");
    assert!(csv.contains("\n1,work,CPU_THREAD,0,"), "{csv}");
    run
}

/// The same in reading the files of location 0, which is one loss, and `--strict` ends there and
/// writes nothing.
#[track_caller]
fn loses(written: &Written, says: &[&str]) -> Run {
    let run = loses_something(written, says);
    assert!(run.stderr.ends_with("could be read: 1 loss\n"), "{}", run.stderr);
    let strict = profile(&written.anchor(), &["--strict"]);
    assert_eq!((strict.code, strict.csv), (2, None), "{}", strict.stderr);
    says.iter().for_each(|say| assert!(strict.stderr.contains(say), "{}", strict.stderr));
    run
}

#[track_caller]
fn reads(anchor: &Path) -> String {
    let run = profile(anchor, &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    run.csv.expect("there is an output")
}

fn with_anchor(anchor: Vec<u8>) -> Written {
    Small { anchor, ..Small::new(Little) }.write()
}

/// An archive with other bytes at this place of its anchor.
fn with_anchor_bytes(at: usize, bytes: &[u8]) -> Written {
    let mut anchor = Small::new(Little).anchor;
    anchor[at..at + bytes.len()].copy_from_slice(bytes);
    with_anchor(anchor)
}

fn fifo(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

fn globals(definitions: Definitions) -> Written {
    Small::with(Little, definitions, Small::new(Little).locations).write()
}
