//! 1 to 5, of one process.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::{expect_failure, text, Place};
use crate::common::program::{said, streamfold};
use crate::common::skipped;

// ------------------------------------------------------------ 1

#[test]
fn a_wrong_command_line_is_1() {
    let place = Place::new();
    let anchor = place.anchor();
    let anchor = anchor.to_str().expect("text");
    let wrong: &[&[&str]] = &[
        &[],
        &["no-command"],
        &["profile"],
        &["profile", anchor, anchor],
        &["profile", anchor, "--no-option"],
        &["profile", anchor, "--by", "nothing"],
        &["profile", anchor, "--sort", "nothing"],
        &["profile", anchor, "--format", "nothing"],
        &["profile", anchor, "--top", "-1"],
        &["profile", anchor, "--top", "many"],
        &["profile", anchor, "--plan=0"],
        &["profile", anchor, "--threads", "0"],
        &["profile", anchor, "--max-open-files", "0"],
        &["profile", anchor, "--mpi", "perhaps"],
        &["profile", anchor, "-o"],
        &["profile", anchor, "-o", "a.pdf"],
        &["profile", anchor, "-o", "a"],
        &["profile", anchor, "-o", "a.csv", "-o", "/dev/full"],
    ];
    for args in wrong {
        let output = streamfold(*args).current_dir(place.outputs()).output().expect("a run");
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", said(&output));
        assert!(output.stdout.is_empty(), "{args:?}");
        assert_ne!(said(&output), "", "{args:?}");
    }
    assert!(place.left().is_empty(), "{:?}", place.left());
}

#[test]
fn an_unknown_suffix_is_told_before_anything_is_read() {
    let output = streamfold(["profile", "there-is-none.otf2", "-o", "a.pdf"]).output();
    expect_failure(&output.expect("a run"), 1, "a.pdf: .csv, .svg, ");
}

#[cfg(not(feature = "hdf5"))]
#[test]
fn hdf5_is_refused_by_a_program_without_it() {
    expect_failure(&Place::new().profile(&["-o", "a.h5"]), 1, "without HDF5");
}

// ------------------------------------------------------------ 2

/// What a measurement leaves that crashed.
#[test]
fn a_folder_without_anchor_is_for_salvage() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("traces");
    fs::create_dir(&inner).expect("a folder");
    let profile = |path: &Path| {
        streamfold([OsStr::new("profile"), path.as_os_str()]).output().expect("a run")
    };
    expect_failure(&profile(folder.path()), 2, "there is no trace in this folder");
    fs::write(inner.join("0.evt"), "").expect("written");
    for path in [folder.path(), &inner] {
        expect_failure(&profile(path), 4, "the measurement did not end. `streamfold salvage \"");
    }
}

#[test]
fn what_is_no_anchor_is_2() {
    let place = Place::new();
    let other_name = place.trace().join("other.def");
    fs::write(&other_name, "no anchor").expect("written");
    let output = streamfold([OsStr::new("profile"), other_name.as_os_str()]).output();
    expect_failure(&output.expect("a run"), 2, "the name of an anchor ends in .otf2");
    for (contents, message) in [("", "the file is empty"), ("no anchor", "at byte 0")] {
        fs::write(place.anchor(), contents).expect("overwritten");
        let output = place.profile(&["-o", "a.csv"]);
        expect_failure(&output, 2, message);
        assert!(said(&output).contains("traces.otf2"));
    }
    assert!(place.left().is_empty());
}

/// Definitions that end early, or are fewer than the anchor says, are no definitions: names and
/// groups could be wrong without a sign of it.
/// A file with the name of a trace is one for dfg, too, whatever is in it.
#[test]
fn a_broken_trace_is_2_for_graphs_as_well() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["broken.json", "broken.pfw", "broken.otf2", "broken.gist"] {
        let path = folder.path().join(name);
        fs::write(&path, "{").expect("written");
        for command in ["dfg", "info"] {
            let run = streamfold([OsStr::new(command), path.as_os_str()]).output().expect("a run");
            expect_failure(&run, 2, name);
        }
    }
}

/// A folder that leads to one trace is as good as that; of several one has to be named.
#[test]
fn a_folder_of_two_traces_is_2() {
    let place = Place::new();
    let run = |arguments: &[&str], to: &str| {
        let mut command = streamfold(arguments);
        command.arg(place.trace()).args(["-q", "-o", to]).current_dir(place.outputs());
        command.output().expect("a run")
    };
    for command in ["merge", "unify", "copy", "salvage"] {
        let ended = run(&[command], &format!("{command}.otf2"));
        assert_eq!(ended.status.code(), Some(0), "{command}: {}", said(&ended));
    }
    fs::copy(place.anchor(), place.trace().join("other.otf2")).expect("a copy");
    let output = ["-o", "never.otf2"];
    for (command, options) in [
        ("merge", &output[..]),
        ("unify", &output),
        ("copy", &output),
        ("cut", &["-o", "never.otf2", "--time", "begin", "end"]),
        ("profile", &[]),
        ("info", &[]),
        ("print", &[]),
        ("validate", &[]),
        ("dfg", &[]),
    ] {
        let mut command = streamfold([command, "-q"]);
        command.arg(place.trace()).args(options).current_dir(place.outputs());
        let ended = command.output().expect("a run");
        expect_failure(&ended, 2, "has 2 traces: other.otf2, traces.otf2; name one of them");
    }
}

#[test]
fn global_definitions_that_cannot_be_read_are_2() {
    let place = Place::new();
    let path = place.trace().join("traces.def");
    let definitions = fs::read(&path).expect("definitions");
    for damaged in [&b""[..], b"no definitions", &definitions[..definitions.len() / 2]] {
        fs::write(&path, damaged).expect("overwritten");
        let output = place.profile(&["-o", "a.csv"]);
        expect_failure(&output, 2, "traces.def");
    }
    assert!(place.left().is_empty());
}

#[test]
fn the_first_loss_is_2_when_strict() {
    let place = Place::new();
    assert_eq!(place.profile(&["--strict"]).status.code(), Some(0));
    place.damage(1);
    let output = place.profile(&["--strict", "-o", "a.csv"]);
    expect_failure(&output, 2, "1.evt: at byte 500");
    assert!(output.stdout.is_empty());
    assert!(place.left().is_empty());
}

// ------------------------------------------------------------ 3

#[test]
fn losses_are_3_and_the_outputs_are_there() {
    let place = Place::new();
    place.damage(1);
    fs::remove_file(place.trace().join("traces/2.evt")).expect("removed");
    let output = place.profile(&["-o", "a.csv", "-o", "b.json", "-o", "-"]);
    expect_failure(&output, 3, "not all of the trace could be read: 2 losses");
    assert_eq!(place.left(), ["a.csv", "b.json"]);
    let table = text(&output.stdout);
    let (_, losses) = table.split_once("Not all of the trace could be read:").expect("losses");
    for loss in [losses, &said(&output)] {
        assert!(loss.contains("1.evt") && loss.contains("2.evt"), "{loss}");
    }
}

/// It is written last: without it the archive is none yet.
#[test]
fn an_anchor_that_is_missing_beside_its_files_is_2() {
    let place = Place::new();
    fs::remove_file(place.anchor()).expect("removed");
    expect_failure(&place.profile(&["-o", "a.csv"]), 2, "`streamfold salvage` makes a whole one");
    assert!(place.left().is_empty());
}

// ------------------------------------------------------------ 4

#[test]
fn an_anchor_that_is_not_there_is_4() {
    let place = Place::new();
    let other = place.anchor().with_file_name("other.otf2");
    let ended = streamfold(["profile".as_ref(), other.as_os_str()]).output().expect("a run");
    expect_failure(&ended, 4, "other.otf2: No such file or directory");
    // Nor is anything said of the names of anchors.
    for name in ["other", "other.otf", "other.pfw.gz"] {
        let other = other.with_file_name(name);
        let ended = streamfold(["profile".as_ref(), other.as_os_str()]).output().expect("a run");
        expect_failure(&ended, 4, &format!("{name}: No such file or directory"));
    }
}

#[test]
fn a_folder_that_is_not_there_is_4() {
    let place = Place::new();
    for output in ["nowhere/a.csv", "nowhere/deeper/a.json"] {
        // The output that could be made does not appear either.
        expect_failure(&place.profile(&["-o", "b.csv", "-o", output]), 4, output);
        assert!(place.left().is_empty());
    }
}

#[test]
fn a_folder_in_place_of_the_output_is_4() {
    let place = Place::new();
    fs::create_dir(place.outputs().join("a.csv")).expect("a folder");
    expect_failure(&place.profile(&["-o", "a.csv"]), 4, "a.csv: it is a directory");
    assert_eq!(place.left(), ["a.csv"]);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_4() {
    let place = Place::new();
    fs::set_permissions(place.outputs(), fs::Permissions::from_mode(0o555)).expect("permissions");
    if fs::write(place.outputs().join("probe"), "").is_ok() {
        skipped("a folder that cannot be written to: this user may write anywhere");
    } else {
        expect_failure(&place.profile(&["-o", "a.csv"]), 4, "a.csv: Permission denied");
        assert!(place.left().is_empty());
    }
    fs::set_permissions(place.outputs(), fs::Permissions::from_mode(0o755)).expect("permissions");
}

#[test]
fn a_full_disk_below_standard_output_is_4() {
    if !Path::new("/dev/full").exists() {
        return skipped("a full disk below standard output: there is no /dev/full");
    }
    let place = Place::new();
    for format in ["table", "csv", "json"] {
        let full = fs::File::options().write(true).open("/dev/full").expect("/dev/full");
        let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
        command.args(["profile", "--format", format]).arg(place.anchor());
        let output = command.stdout(full).output().expect("a run");
        expect_failure(&output, 4, "No space left on device");
    }
}

/// The limit on the size of files stands for a disk that fills up while an output is written.
/// Nothing of it is left, and the output of an earlier run stays.
#[test]
fn help_that_cannot_be_written_is_4() {
    for arguments in [&["--version"][..], &["--help"], &["help", "profile"], &["--version", "-v"]] {
        let full = fs::File::options().write(true).open("/dev/full").expect("a device");
        let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
        let run = command.args(arguments).stdout(full).output().expect("a run");
        expect_failure(&run, 4, "cannot write to standard output: No space left");
    }
}

#[test]
fn a_disk_that_fills_up_is_4_and_leaves_nothing() {
    let place = Place::new();
    let limited = || {
        let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" profile \"$1\" -o a.json";
        let mut shell = Command::new("sh");
        shell.args(["-c", script, env!("CARGO_BIN_EXE_streamfold")]).arg(place.anchor());
        shell.current_dir(place.outputs()).output().expect("a run")
    };
    expect_failure(&limited(), 4, "cannot write a.json: File too large");
    assert!(place.left().is_empty());
    fs::write(place.outputs().join("a.json"), "older").expect("a file");
    expect_failure(&limited(), 4, "cannot write a.json: File too large");
    assert_eq!(place.left(), ["a.json"]);
    assert_eq!(fs::read_to_string(place.outputs().join("a.json")).expect("a file"), "older");
}

// ------------------------------------------------------------ 5

/// A failure of the program itself, ordered for the test.
#[test]
fn a_failure_of_its_own_is_5_in_every_phase() {
    for phase in ["open", "plan", "scan", "join", "reduce", "report"] {
        let place = Place::new();
        let mut command = streamfold(["profile"]);
        command.arg(place.anchor()).args(["-o", "a.csv"]).current_dir(place.outputs());
        command.env("STREAMFOLD_TEST_FAIL", format!("{phase}:0"));
        expect_failure(&command.output().expect("a run"), 5, "STREAMFOLD_TEST_FAIL");
        assert!(place.left().is_empty(), "{phase}");
    }
}

/// A panic ends the process at once, without unwinding.
#[test]
fn a_panic_leaves_no_file_behind() {
    let place = Place::new();
    let mut command = streamfold(["profile"]);
    command.arg(place.anchor()).args(["-o", "a.csv"]).current_dir(place.outputs());
    command.env("STREAMFOLD_TEST_FAIL", "scan:0:panic");
    expect_failure(&command.output().expect("a run"), 5, "internal error");
    assert!(place.left().is_empty(), "{:?}", place.left());
}
