//! What is refused, and what is left then.

use std::fs;

use crate::common::archives::one;
use crate::common::files::Files;
use crate::common::full_disk::within;
use crate::common::program::{said, streamfold};
use crate::cut::{expect, expect_message, Place};

#[test]
fn what_the_trace_does_not_have_is_refused() {
    let anchor = one("pingpong").anchor;
    for (options, message) in [
        (&["-L", "99"][..], "no location 99"),
        (&["--group", "nobody"], "no group nobody"),
        (&["--paradigm", "fortran"], "no paradigm fortran"),
        (&["--only", "colours"], "kinds of records are calls"),
        (&["--without", "calls,colours"], "kinds of records are calls"),
        (&["--time", "20", "10"], "20 is after 10"),
        (&["--time", "soon", "later"], "neither ticks"),
        (&["--region", "("], "regex"),
        (&["--depth", "deep"], "depth"),
    ] {
        let place = Place::new();
        expect_message(&place.cut(&anchor, options), 1, message);
        assert!(place.left().is_empty(), "{options:?}: {:?}", place.left());
    }
}

#[test]
fn what_is_there_is_replaced_only_by_force() {
    let anchor = one("pingpong").anchor;
    let place = Place::new();
    expect(&place.cut(&anchor, &["-L", "0"]), 0);
    let first = Files::read(&place.anchor());
    expect_message(&place.cut(&anchor, &["-L", "1"]), 4, "--force");
    Files::read(&place.anchor()).assert_same(&first, "the old one");
    expect(&place.cut(&anchor, &["-L", "1", "--force"]), 0);
    assert_ne!(Files::read(&place.anchor()).get(".def"), first.get(".def"));
}

#[test]
fn the_input_is_refused() {
    let place = Place::new();
    crate::common::copy_folder(&one("pingpong").folder, place.folder.path());
    let anchor = place.file("traces.otf2");
    let before = Files::read(&anchor);
    let run = streamfold(["cut", "-L", "0", "--force", "-o"]).args([&anchor, &anchor]).output();
    expect_message(&run.expect("a run"), 1, "it belongs to the trace");
    Files::read(&anchor).assert_same(&before, "the input");
}

#[cfg(feature = "ranks")]
#[test]
fn a_rank_that_fails_leaves_nothing() {
    use crate::common::program::{mpirun_with, said};
    use std::ffi::OsStr;

    let anchor = one("intercomm").anchor;
    for stage in ["scan:1", "reduce:1", "put:0"] {
        let place = Place::new();
        let to = place.anchor();
        let args = [OsStr::new("cut"), anchor.as_ref(), OsStr::new("-o"), to.as_ref()];
        let args = args.into_iter().chain(["-L", "0"].map(OsStr::new));
        let Some(ended) = mpirun_with(&[("STREAMFOLD_TEST_FAIL", stage)], 2, args) else { return };
        assert_ne!(ended.status.code(), Some(0), "{stage}: {}", said(&ended));
        assert!(!to.exists(), "{stage}");
    }
}

/// No file may be so long as that of one location would be: it is told that it cannot be written, not that
/// what was written of it cannot be read.
#[test]
fn a_location_without_room_is_4() {
    let from = one("sampling").anchor;
    let options = ["--depth", "100"];
    let whole = Place::new();
    expect(&whole.cut(&from, &options), 0);
    let files = Files::read(&whole.anchor());
    let largest = files.0.iter().filter(|(name, _)| name.ends_with(".evt"));
    let largest = largest.map(|(_, bytes)| bytes.len()).max().expect("files of events");
    let place = Place::new();
    let ended = within(largest as u64 - 1, "cut", &from, &place.anchor(), &options);
    expect(&ended, 4);
    assert!(said(&ended).contains("File too large"), "{}", said(&ended));
    assert!(place.left().is_empty(), "{:?}", place.left());
}

/// No room on the way.
#[test]
fn a_full_place_is_4() {
    let place = Place::new();
    fs::write(place.file("part"), "a file where a folder has to be").expect("written");
    expect(&place.cut(&one("pingpong").anchor, &["-L", "0", "--force"]), 4);
    assert_eq!(place.left(), ["part"]);
}
