//! A program that has no memory left.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::files::names;
use crate::common::program::{finish, said, Launcher, LONGEST};
use crate::common::skipped;
use crate::common::small::{anchor_with, Definitions, Order, Small, Written, CHUNK};

const PROGRAM: &str = env!("CARGO_BIN_EXE_streamfold");

/// An archive with so many definitions of locations, and no events.
fn locations(count: u64) -> Written {
    const LONG: u64 = 16 << 20;
    let order = Order::Little;
    let all = Definitions::new(order).region(0);
    let all = (0..count).fold(all, |all, location| all.location(location, 0));
    let anchor = anchor_with(order, CHUNK, LONG, all.locations, all.count);
    Small { anchor, ..Small::with(order, all, Vec::new()) }.write()
}

/// The program with so many KiB of data, with these arguments.
fn limited(kib: u64, program: &str, arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -d {kib}; exec \"$0\" \"$@\""), program]);
    command.args(arguments).current_dir(folder).env("RUST_BACKTRACE", "full");
    finish(&mut command, LONGEST).expect("an end")
}

/// The line that says it.
#[track_caller]
fn expect_line(run: &Output, helps: &str) {
    let said = said(run);
    assert_eq!(run.status.code(), Some(4), "{said}");
    let ours: Vec<_> = said.lines().filter(|line| line.starts_with("streamfold: ")).collect();
    let [line] = ours[..] else { panic!("{said}") };
    let wanted = line.split(' ').find_map(|word| word.parse::<u64>().ok());
    assert!(line.contains("out of memory: ") && wanted.is_some_and(|bytes| bytes > 0), "{line}");
    assert!(line.contains(helps) && line.contains("--threads or more ranks"), "{line}");
    assert!(!said.contains("backtrace"), "{said}");
}

#[test]
fn memory_that_is_not_to_be_had_is_4() {
    let written = locations(200_000);
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = written.anchor().display().to_string();
    let info = ["info", "-q", "--mpi", "off", &anchor];
    let whole = limited(1 << 21, PROGRAM, &info, folder.path());
    assert_eq!(whole.status.code(), Some(0), "{}", said(&whole));
    let limits = std::iter::successors(Some(100_000), |limit| Some(limit * 4 / 5));
    let runs = limits.map(|limit| (limit, limited(limit, PROGRAM, &info, folder.path())));
    let (limit, first) =
        runs.take(20).find(|(_, run)| run.status.code() != Some(0)).expect("too little memory");
    expect_line(&first, "wanted; fewer --threads");
    let report = ["report", "-q", "--mpi", "off", &anchor, "-o", "a.html"];
    let run = limited(limit, PROGRAM, &report, folder.path());
    expect_line(&run, "a smaller --memory, fewer");
    assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));

    // One rank of a job ends all of them.
    let Some(launcher) = Launcher::find() else { return skipped("no mpirun found") };
    let mut command = launcher.command(2, "sh".as_ref());
    let text = format!("ulimit -d {}; exec \"$0\" \"$@\"", 2 * limit / 3);
    command.args(["-c", &text, PROGRAM, "info", "-q", &anchor]);
    let run = finish(command.env("RUST_BACKTRACE", "full"), LONGEST).expect("an end");
    if cfg!(feature = "ranks") && said(&run).contains("out of memory: ") {
        assert_eq!(run.status.code(), Some(4), "{}", said(&run));
    }
}
