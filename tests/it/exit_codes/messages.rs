//! What is said says what is wrong, in the names that were given, and what to do.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::{expect_failure, text, Place};
use crate::common::archives::one;
use crate::common::program::{said, streamfold};
use crate::common::skipped;

/// Runs a command on the trace in the folder of outputs, with more arguments.
fn run(place: &Place, command: &str, more: &[&str]) -> Output {
    let mut run = streamfold([command]);
    run.arg(place.anchor()).args(more).current_dir(place.outputs());
    run.output().expect("a run")
}

#[test]
fn what_is_not_there_is_not_there_for_salvage() {
    let place = Place::new();
    for input in ["nowhere.otf2", "./nowhere.otf2"] {
        let mut command = streamfold(["salvage", input, "-o", "new.otf2"]);
        let ended = command.current_dir(place.outputs()).output().expect("a run");
        expect_failure(&ended, 4, &format!("{input}: No such file or directory"));
    }
    fs::remove_dir_all(place.trace().join("traces")).expect("removed");
    let ended = run(&place, "salvage", &["-o", "new.otf2"]);
    expect_failure(&ended, 4, "trace/traces: No such file or directory");
    assert!(place.left().is_empty());
}

/// Without global definitions an archive is as unfinished as without an anchor.
#[test]
fn global_definitions_that_are_missing_are_2() {
    let place = Place::new();
    fs::remove_file(place.trace().join("traces.def")).expect("removed");
    let new: &[&str] = &["-o", "new/traces.otf2"];
    for (command, more) in [
        ("profile", &[][..]),
        ("match", &[]),
        ("waitstates", &[]),
        ("print", &[]),
        ("info", &[]),
        ("copy", new),
        ("cut", new),
        ("unify", new),
    ] {
        let ended = run(&place, command, more);
        expect_failure(&ended, 2, "traces.def: there is no such file, but others of its archive");
        assert!(said(&ended).contains("`streamfold salvage` makes a whole one"), "{command}");
    }
    let validated = run(&place, "validate", &[]);
    assert_eq!(validated.status.code(), Some(2), "{}", said(&validated));
    assert!(text(&validated.stdout).contains("unreadable-definitions"));
    assert!(place.left().is_empty());
}

#[test]
fn a_picture_that_finds_no_room_says_what_the_system_says() {
    let place = Place::new();
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" match \"$1\" -o a.png";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_streamfold")]).arg(place.anchor());
    let ended = shell.current_dir(place.outputs()).output().expect("a run");
    expect_failure(&ended, 4, "cannot write a.png: File too large");
}

/// Wherever in a file of HDF5 there is no room any more, the library or this program may notice it.
#[cfg(feature = "hdf5")]
#[test]
fn hdf5_files_that_find_no_room_say_what_the_system_says() {
    let place = Place::new();
    let limited = |blocks: u32| {
        let script = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" profile -q --per-location \"$1\" -o a.h5"
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_streamfold")]).arg(place.anchor());
        shell.current_dir(place.outputs()).output().expect("a run")
    };
    let mut failed = (1..).step_by(20).map(limited).take_while(|ended| !ended.status.success());
    let first = failed.next().expect("a file has more than one block");
    for ended in [first].into_iter().chain(failed) {
        expect_failure(&ended, 4, "streamfold: cannot write a.h5: File too large (os error 27)");
    }
}

/// Nobody can make a file there, not even the superuser.
#[test]
fn names_that_nobody_gave_are_not_told() {
    if !Path::new("/proc/self").exists() {
        return skipped("a folder in which nothing can be made: there is no /proc");
    }
    let place = Place::new();
    for (command, output) in [
        ("profile", "/proc/a.csv"),
        ("match", "/proc/a.png"),
        ("copy", "/proc/a.otf2"),
        ("copy", "/proc/self/a.otf2"),
    ] {
        let ended = run(&place, command, &["-o", output]);
        expect_failure(&ended, 4, &format!("cannot write {output}: "));
        let said = said(&ended);
        assert!(!said.contains(".streamfold-") && !said.contains("other error"), "{said}");
    }
}

#[test]
fn a_trace_without_metrics_says_so() {
    let ended = run(&Place::new(), "profile", &["-q", "--by", "metric"]);
    let table = text(&ended.stdout);
    assert!(table.ends_with("\nThe trace has no events with metrics: nothing was counted.\n"));
}

#[test]
fn a_time_in_which_nothing_is_recorded_is_told() {
    let place = Place::new();
    for command in ["profile", "match", "print"] {
        let ended = run(&place, command, &["-q", "--time", "5h", "6h"]);
        let message = "streamfold: nothing is recorded from tick 21112848113965 to before ";
        expect_failure(&ended, 0, message);
        let inside = run(&place, command, &["-q", "--time", "0s", "1s"]);
        assert_eq!(said(&inside), "", "{command}");
    }
}

/// The clock of the first one is said to have run from 562398 to 1562398, and its events are before
/// that; that of the other long before and behind its events.
#[test]
fn what_is_recorded_in_a_time_the_events_say() {
    let place = Place::new();
    let told = |command: &str, name: &str, times: [&str; 2]| {
        let mut run = streamfold([command, "-q", "--time"]);
        run.args(times).arg(one(name).anchor).current_dir(place.outputs());
        let said = said(&run.output().expect("a run"));
        said.lines().filter(|line| line.contains("nothing is recorded")).count()
    };
    for command in ["profile", "match", "print"] {
        assert_eq!(told(command, "every-kind", ["562398", "600000"]), 1, "{command}");
        assert_eq!(told(command, "every-kind", ["0", "3000"]), 0, "{command}");
        assert_eq!(told(command, "eztrace", ["100000000", "200000000"]), 1, "{command}");
        assert_eq!(told(command, "eztrace", ["13585683", "13585684"]), 0, "{command}");
    }
}

#[test]
fn the_paradigms_of_the_trace_are_listed() {
    let ended = run(&Place::new(), "profile", &["--paradigm", "nope"]);
    let listed = "it has compiler, measurement_system, mpi, user";
    expect_failure(&ended, 1, &format!("the trace has no paradigm nope (--paradigm); {listed}"));
}

#[test]
fn numbers_that_are_none_are_told_what_they_should_be() {
    let place = Place::new();
    for (command, option, message) in [
        (
            "profile",
            "--max-open-files=0",
            "'--max-open-files <N>': a whole number from 1 is expected",
        ),
        ("profile", "--location=x", "': the number of a location is expected, such as 12; --group"),
        ("print", "--location=x", "': the number of a location is expected"),
        ("cut", "--location=x", "': the number of a location is expected"),
        ("profile", "--top=x", "'--top <N>': a whole number is expected, such as 12"),
        ("match", "--top=x", "': a whole number is expected"),
        ("validate", "--limit=x", "': a whole number is expected"),
        ("print", "--step=x", "': a whole number is expected"),
        ("profile", "--plan=x", "': 1 to 4194304 ranks are possible"),
    ] {
        expect_failure(&run(&place, command, &[option]), 1, message);
    }
}
