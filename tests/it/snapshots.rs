//! Snapshots and the thumbnail are those of the reference's tool, and come whole or not at all.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::common::files::Files;
use crate::common::program::{mpirun, said, streamfold, text};
use crate::common::reference::is_installed;
use crate::common::stalled::stall;
use crate::common::{archives, copy_folder};

/// A copy of an archive in a folder of its own.
struct Case {
    _folder: TempDir,
    anchor: PathBuf,
}

impl Case {
    fn new(name: &str) -> Case {
        let folder = TempDir::new().expect("a folder");
        let from = archives::one(name).anchor;
        copy_folder(from.parent().expect("a folder"), folder.path());
        let anchor = folder.path().join(from.file_name().expect("a name"));
        Case { _folder: folder, anchor }
    }

    fn files(&self) -> Files {
        Files::read(&self.anchor)
    }

    /// Runs `streamfold snapshots`: exit code and what it says.
    fn run(&self, options: &[&str]) -> (i32, String) {
        let mut program = streamfold(["snapshots", "--mpi", "off"]);
        let output = program.args(options).arg(&self.anchor).output().expect("a run");
        (output.status.code().unwrap_or(-1), said(&output))
    }

    fn events_of_0(&self) -> PathBuf {
        self.anchor.with_extension("").join("0.evt")
    }
}

/// The anchor announces them by the last numbers before its end.
fn announced(files: &Files) -> (u32, u32) {
    let anchor = files.get(".otf2");
    let number = |at: usize| u32::from_le_bytes(anchor[at..at + 4].try_into().expect("4 bytes"));
    (number(anchor.len() - 11), number(anchor.len() - 7))
}

#[test]
fn snapshots_are_those_of_the_tool() {
    if !is_installed("otf2-snapshots") {
        return;
    }
    let options: [&[&str]; 4] =
        [&[], &["-n", "500"], &["-p", "20000"], &["-n", "3", "-p", "7000000"]];
    let mut compared = 0;
    for name in ["pingpong", "hybrid", "metrics", "probes"] {
        for options in options {
            let (ours, theirs) = (Case::new(name), Case::new(name));
            let (code, said) = ours.run(options);
            assert_eq!(code, 0, "{name}: {said}");
            let tool = Command::new("otf2-snapshots").args(options).arg(&theirs.anchor).output();
            // Some of them end it by a signal.
            if !tool.expect("a run").status.success() {
                continue;
            }
            compared += 1;
            ours.files().assert_same(&theirs.files(), &format!("{name} {options:?}"));
        }
    }
    assert!(compared >= 8, "{compared}");
}

#[test]
fn a_snapshot_has_what_is_open() {
    let case = Case::new("pingpong");
    let (code, said) = case.run(&[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 snapshot of 2 locations, at 7396895721152987\n"), "{said}");
    assert!(said.contains("thumbnail 0: region activity\n"), "{said}");
    let print = streamfold(["print", "--mpi", "off"]).arg(&case.anchor).output().expect("a run");
    let print = text(&print.stdout);
    let snapshots = print.split("=== Snapshots").nth(1).expect("snapshots");
    let words = |line: &str| line.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
    let of_0: Vec<String> = snapshots.lines().map(words).filter(|it| it.contains(" 0 ")).collect();
    let expected = [
        "SNAPSHOT_START 0 7396895721152987",
        "ENTER 0 7396895680158984",
        "METRIC 0 7396895680158984",
        "ENTER 0 7396895680197675",
        "SNAPSHOT_END 0 7396895721152987",
    ];
    assert_eq!(of_0, expected, "{snapshots}");
    assert!(snapshots.contains("Cont. Read Position: 6"), "{snapshots}");
    let info = streamfold(["info", "--mpi", "off"]).arg(&case.anchor).output().expect("a run");
    assert!(text(&info.stdout).contains("snapshots"), "{}", text(&info.stdout));
}

#[test]
fn snapshots_are_replaced_and_thumbnails_added() {
    let case = Case::new("hybrid");
    let before = announced(&case.files());
    assert_eq!(case.run(&[]).0, 0);
    assert_eq!(announced(&case.files()), (3, before.1 + 1));
    let (code, said) = case.run(&["-n", "1"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("1 snapshot of 12 locations") && said.contains("in place of 3"),
        "{said}"
    );
    assert_eq!(announced(&case.files()), (1, before.1 + 2));
    let fresh = Case::new("hybrid");
    assert_eq!(fresh.run(&["-n", "1"]).0, 0);
    let (again, fresh) = (case.files(), fresh.files());
    for (name, bytes) in fresh.0.iter().filter(|(name, _)| name.ends_with(".snap")) {
        assert_eq!(again.get(name), bytes, "{name}");
    }
}

/// No more samples than the header says, however late the last event is; the reference writes more.
#[test]
fn a_thumbnail_has_as_many_samples_as_it_says() {
    let case = Case::new("local-defs");
    assert_eq!(case.run(&[]).0, 0);
    let printed = streamfold(["validate", "--mpi", "off"]).arg(&case.anchor).output();
    let printed = printed.expect("a run");
    assert!(!text(&printed.stdout).contains("thumb"), "{}", text(&printed.stdout));
    assert_eq!(announced(&case.files()), (11, 1));
}

/// A receive before its send leaves both, until the send is there.
#[test]
fn clocks_that_differ_leave_no_messages_behind() {
    let case = Case::new("sampling");
    assert_eq!(case.run(&[]).0, 0);
    let print = streamfold(["print", "--mpi", "off"]).arg(&case.anchor).output().expect("a run");
    let print = text(&print.stdout);
    let snapshots = print.split("=== Snapshots").nth(1).expect("snapshots");
    let mut of_1 = snapshots.lines().skip_while(|line| {
        let words: Vec<_> = line.split_whitespace().take(3).collect();
        words != ["SNAPSHOT_START", "1", "2954690590780"]
    });
    // The message that was received at 2954676103234 was sent at 2954676827739.
    assert!(of_1.next().is_some_and(|line| line.ends_with("# Events: 2")), "{snapshots}");
    assert!(of_1.take(2).all(|line| !line.starts_with("MPI_RECV")), "{snapshots}");
}

#[test]
fn ranks_and_files_that_are_closed_change_nothing() {
    let alone = Case::new("hybrid");
    assert_eq!(alone.run(&["-n", "100"]).0, 0);
    let closed = Case::new("hybrid");
    assert_eq!(closed.run(&["-n", "100", "--max-open-files", "1"]).0, 0);
    closed.files().assert_same(&alone.files(), "one open file");
    let ranks = Case::new("hybrid");
    let arguments = ["snapshots", "-n", "100", ranks.anchor.to_str().expect("text")];
    let Some(output) = mpirun(3, arguments) else { return };
    assert!(output.status.success(), "{}", said(&output));
    ranks.files().assert_same(&alone.files(), "3 ranks");
}

#[test]
fn nothing_is_left_of_a_run_that_ends_early() {
    for place in ["scan:0", "put:0"] {
        let case = Case::new("pingpong");
        let before = case.files();
        let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
        command.args(["snapshots", "--mpi", "off"]).arg(&case.anchor);
        let failed = command.env("STREAMFOLD_TEST_FAIL", place).output().expect("a run");
        assert_eq!(failed.status.code(), Some(5), "{place}");
        case.files().assert_same(&before, place);
        let (mut child, _stderr, process) = stall(&command, place);
        let process: libc::pid_t = process.parse().expect("a number");
        // SAFETY: the child has not been waited for, so the number is still its own.
        unsafe { libc::kill(process, libc::SIGTERM) };
        assert!(!child.wait().expect("an end").success(), "{place}");
        case.files().assert_same(&before, place);
    }
}

#[test]
fn damage_is_told_and_strict_changes_nothing() {
    let case = Case::new("pingpong");
    let events = fs::read(case.events_of_0()).expect("events");
    fs::write(case.events_of_0(), &events[..events.len() / 2]).expect("a file");
    let before = case.files();
    let (code, said) = case.run(&["--strict"]);
    assert_eq!(code, 2, "{said}");
    case.files().assert_same(&before, "strict");
    let (code, said) = case.run(&[]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("0.evt"), "{said}");
    assert_eq!(announced(&case.files()).1, 1);
}

#[test]
fn numbers_are_from_one() {
    let case = Case::new("pingpong");
    let before = case.files();
    for options in [["-n", "0"], ["-p", "0"], ["-n", "x"], ["--period", "-1"]] {
        assert_eq!(case.run(&options).0, 1, "{options:?}");
    }
    case.files().assert_same(&before, "wrong options");
}
