//! What a killed program leaves, and who removes it.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Place;
use crate::common::files::names;
use crate::common::program::streamfold;
use crate::common::stalled::{stall, Stalled};

/// A profile with this output, killed while the output is not yet whole.
fn killed(place: &Place, output: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
    command.args(["profile", "-q", "--mpi", "off"]).arg(place.anchor());
    command.arg("-o").arg(place.outputs().join(output));
    let (mut child, _, _) = stall(&command, "put:0");
    child.kill().expect("killed");
    child.wait().expect("an end");
}

#[test]
fn the_next_run_for_the_same_output_removes_what_a_killed_one_left() {
    let place = Place::new();
    killed(&place, "a.csv");
    killed(&place, "b.csv");
    let left = place.left();
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left[0].starts_with(".streamfold-a.csv-"), "{left:?}");
    assert!(place.profile(&["-q", "-o", "a.csv"]).status.success());
    assert_eq!(place.left(), [&left[1], "a.csv"]);
    assert!(place.profile(&["-q", "-o", "b.csv"]).status.success());
    assert_eq!(place.left(), ["a.csv", "b.csv"]);
}

#[test]
fn what_belongs_to_a_running_or_another_node_stays() {
    let place = Place::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
    command.args(["profile", "-q", "--mpi", "off"]).arg(place.anchor());
    command.arg("-o").arg(place.outputs().join("a.csv"));
    let (mut child, _, _) = stall(&command, "put:0");
    let other = ".streamfold-a.csv-another.node-1-abcdef";
    fs::write(place.outputs().join(other), "").expect("written");
    let before = place.left();
    assert!(place.profile(&["-q", "-o", "a.csv"]).status.success());
    assert_eq!(place.left(), [before.as_slice(), &["a.csv".to_owned()]].concat());
    child.kill().expect("killed");
    child.wait().expect("an end");
    assert!(place.profile(&["-q", "-o", "a.csv"]).status.success());
    assert_eq!(place.left(), [other, "a.csv"]);
}

#[test]
fn half_an_archive_goes_with_the_next_one() {
    let place = Place::new();
    let to = place.outputs().join("new.otf2");
    let stalled = Stalled::start("copy", &place.anchor(), &to, &["-q"]);
    stalled.end(libc::SIGKILL);
    let left = names(&place.outputs());
    assert!(left.len() == 1 && left[0].starts_with(".streamfold-new-"), "{left:?}");
    let copy =
        |to: &Path| streamfold(["copy", "-q"]).arg(place.anchor()).arg("-o").arg(to).output();
    assert!(copy(&to).expect("a run").status.success());
    assert_eq!(names(&place.outputs()).iter().filter(|name| name.starts_with('.')).count(), 0);
}
