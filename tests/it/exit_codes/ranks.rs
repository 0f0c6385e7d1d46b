//! 0 to 5, of several ranks.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Output;

use super::{expect_failure, text, Place};
use crate::common::program::{mpirun, mpirun_with, said};

/// Runs 3 ranks with these arguments; the outputs are where `more` says.
fn three(place: &Place, more: &[&str]) -> Option<Output> {
    let anchor = place.anchor();
    let args = [OsStr::new("profile"), anchor.as_os_str()];
    mpirun(3, args.into_iter().chain(more.iter().map(OsStr::new)))
}

/// Lines of the program; a launcher may add its own.
fn own_lines(output: &Output) -> Vec<String> {
    let said = said(output);
    said.lines().filter(|l| l.starts_with("streamfold: ")).map(str::to_owned).collect()
}

#[test]
fn codes_of_several_ranks_are_those_of_one() {
    let place = Place::new();
    let file = |name: &str| place.outputs().join(name).to_string_lossy().into_owned();
    let csv = file("a.csv");
    for (more, code, message) in [
        (&["-q", "-o", &csv][..], 0, None),
        (&["-q", "-o", &file("a.pdf")], 1, Some("cannot tell from its suffix")),
        (&["-q", "-o", &file("nowhere/a.csv")], 4, Some("cannot write")),
    ] {
        let Some(output) = three(&place, more) else { return };
        assert_eq!(output.status.code(), Some(code), "{more:?}: {}", said(&output));
        let lines = own_lines(&output);
        assert_eq!(lines.len(), usize::from(message.is_some()), "one rank speaks: {lines:?}");
        assert!(lines.iter().all(|line| line.contains(message.unwrap_or_default())));
    }
    assert_eq!(place.left(), ["a.csv"]);
    place.damage(1);
    let Some(lossy) = three(&place, &["-q", "-o", &csv]) else { return };
    assert_eq!(lossy.status.code(), Some(3), "{}", said(&lossy));
    assert!(own_lines(&lossy)[0].contains("1.evt: at byte 500"), "{:?}", own_lines(&lossy));
    let Some(strict) = three(&place, &["-q", "--strict"]) else { return };
    assert_eq!(strict.status.code(), Some(2), "{}", said(&strict));
    assert!(strict.stdout.is_empty());
    fs::write(place.trace().join("traces.def"), "no definitions").expect("overwritten");
    let Some(output) = three(&place, &["-q"]) else { return };
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert_eq!(own_lines(&output).len(), 1, "{:?}", own_lines(&output));
}

/// Help and errors of usage come once, not once for each rank.
#[test]
fn one_rank_speaks_of_usage() {
    let Some(help) = mpirun(3, ["profile", "--help"]) else { return };
    assert_eq!(help.status.code(), Some(0));
    assert_eq!(text(&help.stdout).matches("Examples:").count(), 1);
    let Some(wrong) = mpirun(3, ["profile", "--no-option"]) else { return };
    assert_eq!(wrong.status.code(), Some(1));
    assert_eq!(said(&wrong).matches("--no-option").count(), 1, "{}", said(&wrong));
}

/// Wherever a rank fails the job ends, with one code and without a half of an output. (A job
/// that does not end is ended by the test, which fails then.)
#[test]
fn a_rank_that_fails_ends_the_job_with_5() {
    for phase in ["open", "plan", "scan", "join", "reduce", "report"] {
        for rank in [0, 2] {
            let place = Place::new();
            let path = place.outputs().join("a.csv");
            fs::write(&path, "older").expect("a file");
            let output = failing(&place, phase, rank, &path);
            let Some(output) = output else { return };
            expect_failure(&output, 5, "STREAMFOLD_TEST_FAIL");
            assert_eq!(fs::read_to_string(path).expect("a file"), "older", "{phase}, {rank}");
        }
    }
}

#[test]
fn a_rank_that_fails_leaves_no_file_behind() {
    let place = Place::new();
    let Some(output) = failing(&place, "scan", 2, &place.outputs().join("a.csv")) else {
        return;
    };
    expect_failure(&output, 5, "STREAMFOLD_TEST_FAIL");
    assert!(place.left().is_empty(), "{:?}", place.left());
}

fn failing(place: &Place, phase: &str, rank: usize, output: &Path) -> Option<Output> {
    let order = format!("{phase}:{rank}");
    let anchor = place.anchor();
    let args = [OsStr::new("profile"), anchor.as_os_str(), OsStr::new("-o"), output.as_os_str()];
    mpirun_with(&[("STREAMFOLD_TEST_FAIL", &order)], 3, args)
}
