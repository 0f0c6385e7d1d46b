//! The example that traces itself: what a tracer writes without a word between its ranks becomes a
//! trace that every tool opens.

#![cfg(feature = "mpi")]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::program::{finish, said, streamfold, text, Launcher, LONGEST};
use crate::common::reference::{is_installed, otf2_print};
use crate::common::skipped;
use tempfile::TempDir;

/// The example, as `cargo test` builds it beside the program; built here where only this test was.
fn example() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_streamfold"));
    let example = program.with_file_name("examples").join("trace_self");
    if !example.is_file() {
        let build = ["build", "--quiet", "--locked", "--example", "trace_self"];
        let built = Command::new(env!("CARGO")).args(build).status().expect("cargo runs");
        assert!(built.success(), "the example can be built");
    }
    example
}

/// A trace of so many ranks, unified; `None`, and said, where there is no mpirun.
fn traced(ranks: usize) -> Option<(TempDir, PathBuf, PathBuf)> {
    let Some(launcher) = Launcher::find() else {
        skipped("the example, no mpirun found");
        return None;
    };
    let folder = TempDir::new().expect("a folder");
    let [raw, unified] = ["raw", "unified"].map(|name| folder.path().join(name).join("t.otf2"));
    let mut command = launcher.command(ranks, &example());
    let ended = finish(command.arg(&raw), LONGEST).expect("it ends");
    assert!(ended.status.success(), "{}", said(&ended));
    streamfold(["unify"]).arg(&raw).arg("-o").arg(&unified).assert().success();
    Some((folder, raw, unified))
}

#[test]
fn its_trace_is_whole_for_any_number_of_ranks() {
    for ranks in [1, 2, 5] {
        let Some((_folder, _, unified)) = traced(ranks) else { return };
        // Nothing is wrong with it, the numbers of events included.
        streamfold(["validate", "-q"]).arg(&unified).assert().success();
        let profile =
            streamfold(["profile", "-q", "-o", "-", "--format", "csv"]).arg(&unified).output();
        let profile = text(&profile.expect("a profile").stdout);
        let visits = |name: &str| {
            let mut lines = csv::Reader::from_reader(profile.as_bytes());
            let rows = lines.records().map(|row| row.expect("a row"));
            let row = rows.into_iter().find(|row| &row[1] == name).expect("a region");
            row[7].parse::<usize>().expect("visits")
        };
        // Ten rounds, each with one message, and ten sums on the second thread.
        assert_eq!(visits("ring"), ranks);
        for name in ["MPI_Send", "MPI_Recv", "add up"] {
            assert_eq!(visits(name), 10 * ranks, "{name} on {ranks} ranks");
        }
    }
}

#[test]
fn the_reference_opens_it() {
    let Some((_folder, _, unified)) = traced(3).filter(|_| is_installed("otf2-print")) else {
        return;
    };
    let printed = otf2_print(&["-A"], &unified);
    assert!(printed.status.success() && printed.stderr.is_empty(), "{}", said(&printed));
    let printed = text(&printed.stdout);
    // All ranks mean one communicator, of which only the first has told the members.
    let comms: Vec<_> = printed.lines().filter(|line| line.starts_with("COMM ")).collect();
    assert_eq!(comms.len(), 1, "{comms:?}");
    assert!(printed
        .lines()
        .any(|line| line.starts_with("MPI_RECV") && line.contains("MPI_COMM_WORLD")));
    assert!(!printed.contains("INVALID"), "{printed}");
}

/// The same bytes, whoever unifies.
#[test]
fn any_number_of_ranks_unifies_it() {
    let Some((folder, raw, unified)) = traced(4) else { return };
    let again = folder.path().join("again/t.otf2");
    let args = ["unify".as_ref(), raw.as_os_str(), "-o".as_ref(), again.as_os_str()];
    let Some(ended) = crate::common::program::mpirun(3, args) else { return };
    assert!(ended.status.success(), "{}", said(&ended));
    let files = |anchor: &Path| crate::common::files::Files::read(anchor);
    files(&again).assert_same(&files(&unified), "three ranks");
}
