//! No more room on the way: told with the name that the file would have had, and nothing is left.

use crate::common::archives::one;
use crate::common::files::Files;
use crate::common::full_disk::within;
use crate::common::program::said;
use crate::copy::{expect_message, Place, WAYS};

/// So small that everything fails, that the anchor is the only one with room, and that only the
/// largest file fails.
fn limits(files: &Files) -> [u64; 3] {
    let largest = files.0.values().map(Vec::len).max().expect("files");
    [1, files.get(".otf2").len() as u64, largest as u64 - 1]
}

#[test]
fn is_4_and_leaves_nothing() {
    let from = one("hybrid").anchor;
    for limit in limits(&Files::read(&from)) {
        for way in WAYS {
            let place = Place::new();
            let to = place.file("new/copy.otf2");
            let ended = within(limit, "copy", &from, &to, way);
            let files = place.file("new/copy").to_string_lossy().into_owned();
            expect_message(&ended, 4, &files);
            let told = said(&ended);
            assert!(!told.contains(".streamfold-"), "{limit} {way:?}: {told}");
            assert!(told.contains("File too large"), "{limit} {way:?}: {told}");
            assert!(place.left().is_empty(), "{limit} {way:?}: {:?}", place.left());
        }
    }
}

#[test]
fn leaves_the_archive_that_was_to_be_replaced() {
    let (place, there) = Place::with(&one("pingpong"));
    let (before, left) = (Files::read(&there), place.left());
    for way in WAYS {
        let options = [way, &["--force"]].concat();
        let ended = within(100, "copy", &one("hybrid").anchor, &there, &options);
        expect_message(&ended, 4, "traces");
        Files::read(&there).assert_same(&before, "the old archive");
        assert_eq!(place.left(), left);
    }
}

/// What has room is written. (One byte more than that: the system refuses to look for more of a file
/// behind the limit, even where there is no more.)
#[test]
fn is_none_where_the_largest_file_just_fits() {
    let from = one("hybrid").anchor;
    let limit = limits(&Files::read(&from))[2] + 2;
    for way in WAYS {
        let place = Place::new();
        let ended = within(limit, "copy", &from, &place.anchor(), way);
        assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
        Files::read(&place.anchor()).assert_same(&Files::read(&from), "just fits");
    }
}
