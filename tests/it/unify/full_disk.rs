//! No more room on the way: told with the name that the file would have had, and nothing is left.

use crate::common::archives::one;
use crate::common::files::Files;
use crate::common::full_disk::within;
use crate::common::program::said;
use crate::unify::{expect_message, Place};

const WAYS: [&[&str]; 2] = [&[], &["--rewrite-events"]];

/// So small that everything fails, that the anchor is the only one with room, and that only the
/// largest file fails: the global definitions, which come last.
#[test]
fn is_4_and_leaves_nothing() {
    let from = one("sampling").anchor;
    for way in WAYS {
        let whole = Place::new().unified(&from, way);
        let largest = whole.0.values().map(Vec::len).max().expect("files");
        assert_eq!(largest, whole.get(".def").len());
        for limit in [1, whole.get(".otf2").len() as u64, largest as u64 - 1] {
            let place = Place::new();
            let ended = within(limit, "unify", &from, &place.file("new/one.otf2"), way);
            let files = place.file("new/one").to_string_lossy().into_owned();
            expect_message(&ended, 4, &files);
            let told = said(&ended);
            assert!(!told.contains(".streamfold-"), "{limit} {way:?}: {told}");
            assert!(told.contains("File too large"), "{limit} {way:?}: {told}");
            assert!(place.left().is_empty(), "{limit} {way:?}: {:?}", place.left());
        }
    }
}

#[test]
fn what_was_to_be_replaced_stays() {
    let (place, there) = Place::with(&one("pingpong"));
    let (before, left) = (Files::read(&there), place.left());
    for way in WAYS {
        let options = [way, &["--force"]].concat();
        let ended = within(9_000, "unify", &one("sampling").anchor, &there, &options);
        expect_message(&ended, 4, "File too large");
        Files::read(&there).assert_same(&before, "the archive that was there");
        assert_eq!(place.left(), left);
    }
}
