//! What is refused before anything is read or written, and what replaces an archive that is there.

use std::fs;
use std::path::Path;

use crate::common::archives::one;
use crate::common::files::Files;
use crate::common::program::said;
use crate::unify::{expect, expect_message, unify, Place};

const WAYS: [&[&str]; 3] = [&[], &["--rewrite-events"], &["--link"]];

#[test]
fn an_archive_that_is_there_is_4() {
    let (place, there) = Place::with(&one("pingpong"));
    let (before, left) = (Files::read(&there), place.left());
    for way in WAYS {
        let ended = unify(&one("eztrace").anchor, &there, way);
        expect_message(&ended, 4, "--force");
        assert!(said(&ended).contains("traces.otf2 exists"), "{}", said(&ended));
        Files::read(&there).assert_same(&before, "the archive that was there");
        assert_eq!(place.left(), left);
    }
}

#[test]
fn one_that_is_there_is_replaced_by_force() {
    let expected = WAYS.map(|way| Place::new().unified(&one("eztrace").anchor, way));
    for (way, expected) in WAYS.into_iter().zip(expected) {
        let (place, there) = Place::with(&one("pingpong"));
        let left = place.left();
        let ended = unify(&one("eztrace").anchor, &there, &[way, &["--force"]].concat());
        expect(&ended, 0);
        Files::read(&there).assert_same(&expected, "in the place of another one");
        assert_eq!(place.left(), left);
    }
}

#[test]
fn the_input_as_output_is_1() {
    let (place, anchor) = Place::with(&one("eztrace"));
    let (before, left) = (Files::read(&anchor), place.left());
    for output in ["eztrace_log.otf2", "./eztrace_log.otf2", "eztrace_log/../eztrace_log.otf2"] {
        for options in [&[][..], &["--force"], &["--force", "--rewrite-events"]] {
            let ended = unify(&anchor, &place.file(output), options);
            expect_message(&ended, 1, "it belongs to the trace");
        }
    }
    Files::read(&anchor).assert_same(&before, "the input");
    assert_eq!(place.left(), left);
}

#[test]
fn a_name_that_is_no_anchors_is_1() {
    let place = Place::new();
    for output in ["one", "one.otf", "one.def", ".otf2", "new/one"] {
        let ended = unify(&one("eztrace").anchor, &place.file(output), &[]);
        expect_message(&ended, 1, "the name of an anchor ends in .otf2");
        assert!(place.left().is_empty(), "{output}: {:?}", place.left());
    }
}

#[test]
fn wrong_options_are_1() {
    let place = Place::new();
    for options in [&["--reencode"][..], &["--no-option"], &["-o", "other.otf2"]] {
        let ended = place.unify(&one("eztrace").anchor, options);
        expect(&ended, 1);
        assert_ne!(said(&ended), "", "{options:?}");
        assert!(place.left().is_empty(), "{options:?}: {:?}", place.left());
    }
}

/// Years of work may lie in a folder that has the name of an archive.
#[test]
fn a_folder_with_other_files_in_it_is_4_even_with_force() {
    let (place, there) = Place::with(&one("pingpong"));
    fs::write(place.file("traces/thesis.tex"), "years of work").expect("written");
    let (before, left) = (Files::read(&there), place.left());
    for way in WAYS {
        let options = [way, &["--force"]].concat();
        expect_message(&unify(&one("eztrace").anchor, &there, &options), 4, "thesis.tex");
        Files::read(&there).assert_same(&before, "with a foreign file");
        assert_eq!(place.left(), left);
    }
}

#[test]
fn nothing_is_left_where_the_input_cannot_be_read() {
    let place = Place::new();
    let to = place.file("a/b/one.otf2");
    expect_message(&unify(Path::new("there-is-none.otf2"), &to, &[]), 4, "there-is-none.otf2");
    assert!(place.left().is_empty());
    let (broken, anchor) = Place::with(&one("eztrace"));
    fs::write(broken.file("eztrace_log.def"), "no definitions").expect("overwritten");
    for way in WAYS {
        expect_message(&unify(&anchor, &to, way), 2, "eztrace_log.def");
        assert!(place.left().is_empty(), "{:?}", place.left());
    }
}
