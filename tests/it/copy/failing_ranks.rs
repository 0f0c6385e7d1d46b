//! A rank that fails takes the job down, in every phase: neither an archive nor a folder of one is left,
//! and what was to be replaced is still there.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Output;

use crate::common::archives::one;
use crate::common::cases::third;
use crate::common::files::Files;
use crate::common::program::{mpirun_with, said};
use crate::copy::{Place, WAYS};

const RANKS: usize = 3;

/// Each phase with a rank that fails by error and one that panics. Only rank 0 puts an archive in its
/// place.
const FAILURES: [&str; 11] = [
    "open:0",
    "open:2:panic",
    "plan:1",
    "plan:0:panic",
    "scan:2",
    "scan:0",
    "scan:0:panic",
    "reduce:0",
    "reduce:1:panic",
    "put:0",
    "put:0:panic",
];

fn fails(what: &str, to: &Path, options: &[&str]) -> Option<Output> {
    let from = one("hybrid").anchor;
    let args = [OsStr::new("copy"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
    let args = args.into_iter().chain(options.iter().map(OsStr::new));
    let ended = mpirun_with(&[("STREAMFOLD_TEST_FAIL", what)], RANKS, args)?;
    assert_eq!(ended.status.code(), Some(5), "{what}: {}", said(&ended));
    assert!(said(&ended).contains("STREAMFOLD_TEST_FAIL asked"), "{what}: {}", said(&ended));
    Some(ended)
}

#[test]
fn no_output_is_left_finished_or_not() {
    for (what, way) in third(FAILURES.into_iter().zip(WAYS.into_iter().cycle()), 1) {
        let place = Place::new();
        if fails(what, &place.anchor(), way).is_none() {
            return;
        }
        assert!(place.left().is_empty(), "{what}: {:?}", place.left());
    }
}

#[test]
fn the_old_archive_stays() {
    for what in ["scan:1", "put:0:panic"] {
        let (place, there) = Place::with(&one("pingpong"));
        let (before, left) = (Files::read(&there), place.left());
        if fails(what, &there, &["--reencode", "--force"]).is_none() {
            return;
        }
        Files::read(&there).assert_same(&before, what);
        assert_eq!(place.left(), left, "{what}");
    }
}
