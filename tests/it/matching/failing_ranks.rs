//! A rank that fails while others wait for what it would have sent takes all of them down, with one line,
//! and leaves nothing.

#![cfg(feature = "ranks")]

use std::ffi::OsStr;
use std::fs;

use crate::common::archives::one;
use crate::common::cases::third;
use crate::common::program::{mpirun_with, said};

/// A job of three ranks that runs this command with this in its environment: its exit code, and what it
/// said.
fn job(command: &str, environment: &[(&str, &str)]) -> Option<(Option<i32>, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.json");
    let anchor = one("intercomm").anchor;
    let args = [OsStr::new(command), anchor.as_ref(), OsStr::new("-q"), OsStr::new("--room")];
    let args = args.into_iter().chain([OsStr::new("100"), OsStr::new("-o"), file.as_ref()]);
    let list = folder.path().join("list.csv");
    let listed = [OsStr::new("--list"), list.as_ref()];
    let args = args.chain(listed.into_iter().filter(|_| command == "match"));
    let ended = mpirun_with(environment, 3, args)?;
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert!(left.is_empty(), "{environment:?} leaves {left:?}");
    Some((ended.status.code(), said(&ended)))
}

/// What goes through which phases.
const COMMANDS: [(&str, &[&str]); 2] = [
    ("match", &["scan", "reduce", "rounds", "round", "totals", "list"]),
    ("waitstates", &["scan", "reduce", "rounds", "round", "totals"]),
];

#[test]
fn in_every_phase() {
    let phases = |(command, phases): &'static (&str, &[&str])| {
        phases.iter().map(move |phase| (*command, phase))
    };
    for (number, (command, phase)) in COMMANDS.iter().flat_map(phases).enumerate() {
        for (rank, panic) in third([(0, ""), (1, ":panic"), (2, "")], number) {
            let what = format!("{phase}:{rank}{panic}");
            let Some((code, said)) = job(command, &[("STREAMFOLD_TEST_FAIL", &what)]) else {
                return;
            };
            assert_eq!(code, Some(5), "{what}: {said}");
            let ours: Vec<_> = said.lines().filter(|line| line.contains("streamfold: ")).collect();
            assert_eq!(ours.len(), 1, "{what}: {said}");
            assert!(ours[0].contains(&format!("rank {rank}: ")), "{what}: {said}");
        }
    }
}

/// All ranks have to know of it, whichever it was, before they end: one of them says it.
#[test]
fn where_nothing_can_be_put_aside_all_ranks_end_with_one_message() {
    // Launchers have folders of their own there.
    let launchers = ["OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base"];
    let folder = std::env::temp_dir();
    let mut environment = launchers.map(|name| (name, folder.to_str().expect("text"))).to_vec();
    let gone = folder.join("streamfold-is-not-there");
    environment.push(("TMPDIR", gone.to_str().expect("text")));
    for (command, _) in COMMANDS {
        let Some((code, said)) = job(command, &environment) else { return };
        assert_eq!(code, Some(4), "{command}: {said}");
        let ours: Vec<_> = said.lines().filter(|line| line.contains("streamfold: ")).collect();
        assert_eq!(ours.len(), 1, "{command}: {said}");
        assert!(ours[0].contains("rank 0: ") && ours[0].contains("not-there"), "{said}");
    }
}
