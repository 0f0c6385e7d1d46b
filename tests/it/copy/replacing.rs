//! `--force` replaces an archive: afterwards there is the new one and nothing of the old.

use std::fs;

use crate::common::archives::one;
use crate::common::files::{names, Files};
use crate::copy::{copy, expect, Place, WAYS};

/// An archive with more of everything than the one that replaces it.
fn old() -> Place {
    let (place, _) = Place::with(&one("hybrid"));
    for file in ["traces.marker", "traces.0.thumb", "traces.12.thumb", "traces/9.snap"] {
        fs::write(place.file(file), "old").expect("written");
    }
    place
}

#[test]
fn nothing_of_the_old_archive_stays() {
    for way in WAYS {
        let place = old();
        let kept = ["expected.txt.gz", "expected-local.txt.gz", "facts.json"];
        let new = one("pingpong").anchor;
        let options = [way, &["--force"]].concat();
        expect(&copy(&new, &place.file("traces.otf2"), &options), 0);
        Files::read(&place.file("traces.otf2")).assert_same(&Files::read(&new), "the new archive");
        let mut all = [&kept[..], &["traces", "traces.def", "traces.otf2"]].concat();
        all.sort_unstable();
        assert_eq!(place.left(), all);
        assert_eq!(names(&place.file("traces")), ["0.def", "0.evt", "1.def", "1.evt"]);
    }
}

/// Names that only begin like those of the archive.
#[test]
fn what_lies_beside_the_old_archive_stays() {
    let place = old();
    let others = [
        "traces.txt",
        "traces.def.bak",
        "traces.x.thumb",
        "traces..thumb",
        "traces2.otf2",
        "traces2.def",
        "atraces.otf2",
    ];
    for other in others {
        fs::write(place.file(other), other).expect("written");
    }
    fs::create_dir(place.file("traces2")).expect("a folder");
    fs::write(place.file("traces2/0.evt"), "events").expect("written");
    expect(&copy(&one("pingpong").anchor, &place.file("traces.otf2"), &["--force"]), 0);
    for other in others {
        assert_eq!(fs::read(place.file(other)).expect(other), other.as_bytes());
    }
    assert_eq!(fs::read(place.file("traces2/0.evt")).expect("events"), b"events");
}

/// Where there is nothing to replace, `--force` is no reason to fail.
#[test]
fn force_without_an_old_archive() {
    let place = Place::new();
    place.copied(&one("pingpong").anchor, &["--force"]);
    assert_eq!(place.left(), ["copy", "copy.def", "copy.otf2"]);
}

/// A new archive that does not come to be leaves the old one as it was.
#[test]
fn the_old_archive_stays_where_the_new_one_fails() {
    let place = old();
    let to = place.file("traces.otf2");
    let (before, left) = (Files::read(&to), place.left());
    let (broken, from) = Place::with(&one("pingpong"));
    fs::remove_file(broken.file("traces/1.evt")).expect("removed");
    for way in WAYS {
        let options = [way, &["--force", "--strict"]].concat();
        expect(&copy(&from, &to, &options), 2);
        Files::read(&to).assert_same(&before, "the old archive");
        assert_eq!(place.left(), left);
    }
}
