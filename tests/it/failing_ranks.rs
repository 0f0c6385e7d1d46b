//! A job in which one rank fails ends at once, with one line that says why, and leaves nothing.
//!
//! A rank that fails alone leaves the others waiting for it inside MPI, where nothing wakes them:
//! whoever fails has to take the job down. Each phase of a run is made to fail, and to panic, on
//! each rank in turn.

#![cfg(feature = "ranks")]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Output};
use std::time::Duration;

use crate::common::archives::one;
use crate::common::cases::third;
use crate::common::program::{finish, ranks, said, Launcher};
use crate::common::skipped;
use tempfile::TempDir;

const RANKS: usize = 3;

/// Generous, for machines with much else to do; a job takes about a second.
const LIMIT: Duration = Duration::from_secs(60);

fn run(command: &mut Command) -> Output {
    finish(command, LIMIT).unwrap_or_else(|hung| panic!("{command:?} {hung}"))
}

/// Lines of the program; launchers add what they think of it.
fn our_lines(ended: &Output) -> Vec<String> {
    let is_ours = |line: &&str| line.contains("streamfold: ");
    said(ended).lines().filter(is_ours).map(str::to_owned).collect()
}

/// A job of which `what` fails, and where its outputs would go.
fn fails(what: &str, outputs: &[&str]) -> Option<(Output, TempDir)> {
    let folder = TempDir::new().unwrap();
    let anchor = one("hybrid").anchor;
    let mut args = vec!["profile".into(), anchor.into_os_string(), "-q".into()];
    for output in outputs {
        args.extend(["-o".into(), folder.path().join(output).into_os_string()]);
    }
    let ended = run(ranks(RANKS, args)?.env("STREAMFOLD_TEST_FAIL", what));
    Some((ended, folder))
}

/// Every rank of a phase, by error and by panic.
fn everywhere(phase: &str) -> impl Iterator<Item = (usize, bool, String)> + '_ {
    (0..2 * RANKS).map(move |i| {
        let (rank, panic) = (i / 2, i % 2 == 1);
        (rank, panic, format!("{phase}:{rank}{}", if panic { ":panic" } else { "" }))
    })
}

fn fails_everywhere(phase: &str) {
    fails_with(phase, &["p.csv", "p.json"]);
}

fn fails_with(phase: &str, outputs: &[&str]) {
    // Two of six in ci/test: another rank in each phase.
    for (rank, panic, what) in third(everywhere(phase), phase.len()) {
        let Some((ended, folder)) = fails(&what, outputs) else { return };
        // Outputs are prepared before the work. A job that is taken down has to leave none of them.
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert!(left.is_empty(), "{what} leaves {left:?}");
        assert_eq!(ended.status.code(), Some(5), "{what}: {}", said(&ended));
        let ours = our_lines(&ended);
        assert_eq!(ours.len(), 1, "{what}: {}", said(&ended));
        assert!(ours[0].starts_with(&format!("streamfold: rank {rank}: ")), "{what}: {ours:#?}");
        assert!(ours[0].contains(&format!("phase {phase} to fail")), "{what}: {ours:#?}");
        assert_eq!(ours[0].contains("internal error: "), panic, "{what}: {ours:#?}");
        assert!(ended.stdout.is_empty(), "{what}");
    }
}

#[test]
fn in_opening_the_trace() {
    fails_everywhere("open");
}

#[test]
fn in_planning() {
    fails_everywhere("plan");
}

#[test]
fn in_scanning() {
    fails_everywhere("scan");
}

#[test]
fn in_joining() {
    fails_everywhere("join");
}

#[test]
fn in_reducing() {
    fails_everywhere("reduce");
}

#[test]
fn in_reporting() {
    fails_everywhere("report");
}

#[test]
fn in_writing_files_of_cube() {
    fails_with("rows", &["p.cubex"]);
}

/// The same job without a failure: what the others would have come to.
#[test]
fn without_a_failure_there_are_outputs_and_no_word() {
    let folder = TempDir::new().unwrap();
    let csv = folder.path().join("p.csv");
    let anchor = one("hybrid").anchor;
    let args =
        ["profile".as_ref(), anchor.as_os_str(), "-q".as_ref(), "-o".as_ref(), csv.as_os_str()];
    let Some(mut command) = ranks(RANKS, args) else { return };
    let ended = run(&mut command);
    assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
    assert!(ended.stdout.is_empty());
    assert!(!said(&ended).contains("streamfold: "), "{}", said(&ended));
    assert!(std::fs::metadata(&csv).unwrap().len() > 0);
}

/// Bad input is no failure of a rank: all ranks end together, and the launcher has nothing to say.
#[test]
fn all_ranks_end_together_where_the_trace_is_bad() {
    let folder = TempDir::new().unwrap();
    let anchor = folder.path().join("t.otf2");
    std::fs::write(&anchor, b"\x03BOTF2").unwrap();
    let args = ["profile".as_ref(), anchor.as_os_str()];
    let Some(mut command) = ranks(RANKS, args) else { return };
    let ended = run(&mut command);
    assert_eq!(ended.status.code(), Some(2), "{}", said(&ended));
    assert_eq!(our_lines(&ended).len(), 1, "{}", said(&ended));
}

/// A folder for temporary files may have any name: ranks share a file there.
#[test]
fn a_temporary_folder_whose_name_is_no_text() {
    let folder = TempDir::new().unwrap();
    let temporary = folder.path().join(OsStr::from_bytes(b"no\xfftext"));
    std::fs::create_dir(&temporary).unwrap();
    let Some(launcher) = Launcher::find() else { return skipped("no mpirun found") };
    let run_with = |args: &[&str]| {
        // Not the launcher's.
        let mut command = launcher.command(RANKS, "env".as_ref());
        let mut variable = OsString::from("TMPDIR=");
        variable.push(&temporary);
        command.arg(variable).arg(env!("CARGO_BIN_EXE_streamfold")).args(args);
        run(&mut command)
    };
    let anchor = one("hybrid").anchor;
    let anchor = anchor.to_str().unwrap();
    let ended = run_with(&["profile", "-q", anchor]);
    assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
    // They share it: one of them speaks.
    let ended = run_with(&["profile", "-q", "no.otf2"]);
    assert_eq!(our_lines(&ended).len(), 1, "{}", said(&ended));
}
