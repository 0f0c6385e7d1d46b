//! `--mpi`

use std::ffi::OsStr;
use std::path::Path;

use crate::common::archives::one;
use crate::common::program::{said, streamfold};

fn csv_args(anchor: &Path) -> Vec<&OsStr> {
    let options = ["profile", "-q", "--format", "csv", "--by", "group"];
    options.iter().map(|option| OsStr::new(*option)).chain([anchor.as_os_str()]).collect()
}

#[cfg(feature = "ranks")]
#[test]
fn mpi_on_works_without_a_launcher() {
    let archive = one("pingpong");
    let alone = streamfold(csv_args(&archive.anchor)).output().expect("a run");
    let with = streamfold(csv_args(&archive.anchor)).args(["--mpi", "on"]).output().expect("a run");
    assert!(with.status.success(), "{}", said(&with));
    assert_eq!(alone.stdout, with.stdout);
}

/// With `--mpi off` each of two processes is alone and writes all of its output.
#[cfg(feature = "ranks")]
#[test]
fn mpi_off_makes_every_process_a_job_of_its_own() {
    let archive = one("pingpong");
    let alone = streamfold(csv_args(&archive.anchor)).output().expect("a run");
    let args = csv_args(&archive.anchor).into_iter().chain(["--mpi", "off"].map(OsStr::new));
    let Some(two) = crate::common::program::mpirun(2, args) else { return };
    assert!(two.status.success(), "{}", said(&two));
    let sorted = |text: &[u8]| {
        let mut lines: Vec<_> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        lines.sort();
        lines
    };
    // The launcher may mix the lines of both.
    assert_eq!(sorted(&two.stdout), sorted(&alone.stdout.repeat(2)));
}

#[cfg(not(feature = "ranks"))]
#[test]
fn mpi_on_is_refused_by_a_program_without_mpi() {
    let archive = one("pingpong");
    let with = streamfold(csv_args(&archive.anchor)).args(["--mpi", "on"]).output().expect("a run");
    assert_eq!(with.status.code(), Some(5));
    assert!(said(&with).contains("MPI"), "{}", said(&with));
}

/// What a launcher's variable promises and does not hold is no reason to work on a part of the
/// trace, or on all of it several times.
#[test]
fn ranks_that_do_not_meet_are_an_error_unless_mpi_is_off() {
    let archive = one("pingpong");
    let mut strangers = streamfold(csv_args(&archive.anchor));
    let output = strangers.env("OMPI_COMM_WORLD_SIZE", "3").output().expect("a run");
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(output.stdout.is_empty());
    let mut alone = streamfold(csv_args(&archive.anchor));
    alone.env("OMPI_COMM_WORLD_SIZE", "3").args(["--mpi", "off"]).assert().code(0);
}
