//! Ranks share the files of a folder: each is read by one rank, and the same comes out for any number of them.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use super::{call, odd, with_rank};
use crate::common::program::{mpirun_with, on_ranks, said, streamfold, text};

/// Files of five processes that send to each other, and receive from anybody.
fn processes(folder: &Path) {
    for rank in 0..5 {
        let next = (rank + 1) % 5;
        let calls: Vec<String> = (0..10 * (rank + 1))
            .flat_map(|n| {
                let start = u64::from(100 * n + rank);
                let send = format!("\"dest\":{next},\"tag\":{}", n % 3);
                let file = format!("\"fhash\":{},\"ret\":{n}", 1 + n % 2);
                [
                    call("MPI_Send", start, &send),
                    call("MPI_Recv", start + 10, "\"source\":-1,\"tag\":-1"),
                    call("read", start + 20, &file).replace("p2p", "POSIX"),
                ]
            })
            .collect();
        with_rank(folder, rank, &calls);
    }
    // Names of files that only one process defines.
    let path = folder.join("run-3.pfw");
    let mut text = fs::read_to_string(&path).expect("text");
    for hash in 1..3 {
        text += &format!(
            "{{\"name\":\"FH\",\"cat\":\"dftracer\",\"pid\":103,\"tid\":103,\"ph\":4,\"args\":\
             {{\"name\":\"/data/{hash}\",\"value\":{hash}}}}}\n"
        );
    }
    fs::write(path, text).expect("written");
}

/// The exit code, the output, and what the program says; launchers say more.
fn ended(output: &Output) -> (Option<i32>, String, Vec<String>) {
    let all = said(output);
    let ours = all.lines().filter(|line| line.starts_with("streamfold")).map(str::to_owned);
    (output.status.code(), text(&output.stdout), ours.collect())
}

fn same_for_any_number(folder: &Path, commands: &[&[&str]], code: i32) -> String {
    let mut all = String::new();
    for command in commands {
        let arguments =
            || command.iter().map(AsRef::as_ref).chain(["-q".as_ref(), folder.as_os_str()]);
        let alone = streamfold(arguments()).args(["--mpi", "off"]).output().expect("a run");
        let alone = ended(&alone);
        assert_eq!(alone.0, Some(code), "{command:?}: {:?}", alone.2);
        for ranks in [2, 3, 5] {
            let Some(together) = on_ranks(ranks, arguments()) else { continue };
            assert_eq!(ended(&together), alone, "{command:?} on {ranks} ranks");
        }
        all += &alone.2.join("\n");
        all += &alone.1;
    }
    all
}

const COMMANDS: [&[&str]; 5] = [
    &["profile", "--format", "json"],
    &["match", "--format", "json"],
    &["print"],
    &["validate"],
    &["info", "--threads", "1"],
];

#[test]
fn any_number_of_ranks_reads_the_same() {
    let folder = TempDir::new().expect("a folder");
    processes(folder.path());
    let all = same_for_any_number(folder.path(), &COMMANDS, 0);
    assert!(all.contains("MPI_Recv") && all.contains("/data/1"), "{all}");
    // A warning of each command but `validate`, which says nothing with -q.
    assert_eq!(all.matches("receives from anybody are guessed").count(), 4, "{all}");
}

/// A file that is none, and one with a line that is damaged: both are losses, once each.
#[test]
fn losses_are_those_of_one_process() {
    let folder = TempDir::new().expect("a folder");
    processes(folder.path());
    fs::create_dir(folder.path().join("run-2-folder.pfw")).expect("a folder");
    let damaged =
        format!("{}\n{{\"id\":3,\"name\"\n{}\n", odd::call(1, "open"), odd::call(2, "read"));
    fs::write(folder.path().join("run-4-damaged.pfw"), damaged).expect("written");
    let all = same_for_any_number(folder.path(), &[COMMANDS[0], COMMANDS[3]], 3);
    assert!(all.contains("run-2-folder.pfw") && all.contains("line 2"), "{all}");
}

/// Without a file that can be read, all ranks end with the error of the first one.
#[test]
fn nothing_that_can_be_read_is_the_same_error() {
    let folder = TempDir::new().expect("a folder");
    for file in ["a.pfw", "b.pfw", "c.pfw"] {
        fs::create_dir(folder.path().join(file)).expect("a folder");
    }
    let all = same_for_any_number(folder.path(), &[COMMANDS[0]], 4);
    assert!(all.contains("a.pfw"), "{all}");
}

/// A rank that fails while files are read ends the job.
#[test]
fn a_failing_rank_ends_all() {
    let folder = TempDir::new().expect("a folder");
    processes(folder.path());
    let fail = [("STREAMFOLD_TEST_FAIL", "read files:1")];
    let arguments = ["profile".as_ref(), "-q".as_ref(), folder.path().as_os_str()];
    let Some(output) = mpirun_with(&fail, 3, arguments) else { return };
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(said(&output).contains("read files"), "{}", said(&output));
}
