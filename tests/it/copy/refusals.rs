//! What a copy refuses, before anything is read or written: nothing changes, and nothing is left.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::common::archives::one;
use crate::common::files::{names, Files};
use crate::common::program::said;
use crate::copy::{copy, expect, expect_message, Place, WAYS};

#[test]
fn an_archive_that_is_there_is_4() {
    let (place, there) = Place::with(&one("pingpong"));
    let (before, left) = (Files::read(&there), place.left());
    for way in WAYS {
        let ended = copy(&one("hybrid").anchor, &there, way);
        expect_message(&ended, 4, "--force");
        assert!(said(&ended).contains("traces.otf2 exists"), "{}", said(&ended));
        Files::read(&there).assert_same(&before, "the archive that was there");
        assert_eq!(place.left(), left);
    }
}

/// What a run that was ended left is as valuable as an archive.
#[test]
fn any_file_of_an_archive_that_is_there_is_4() {
    for file in ["copy.otf2", "copy.def", "copy.marker", "copy.3.thumb", "copy/0.evt"] {
        let place = Place::new();
        fs::create_dir(place.file("copy")).expect("a folder");
        fs::write(place.file(file), "there").expect("written");
        if !file.contains('/') {
            fs::remove_dir(place.file("copy")).expect("removed");
        }
        let left = place.left();
        expect_message(&place.copy(&one("pingpong").anchor, &[]), 4, "--force");
        assert_eq!(place.left(), left);
        assert_eq!(fs::read(place.file(file)).expect("it is there"), b"there");
    }
}

#[test]
fn the_input_as_output_is_1() {
    let (place, anchor) = Place::with(&one("pingpong"));
    symlink(place.folder.path(), place.file("link")).expect("a link");
    let (before, left) = (Files::read(&anchor), place.left());
    for output in ["traces.otf2", "./traces.otf2", "traces/../traces.otf2", "link/traces.otf2"] {
        for options in [&[][..], &["--force"], &["--force", "--reencode"]] {
            let ended = copy(&anchor, &place.file(output), options);
            expect_message(&ended, 1, "it belongs to the trace");
        }
    }
    Files::read(&anchor).assert_same(&before, "the input");
    assert_eq!(place.left(), left);
}

#[test]
fn a_name_that_is_no_anchors_is_1() {
    let place = Place::new();
    for output in ["copy", "copy.otf", "copy.OTF2", "copy.otf2.gz", ".otf2", "new/copy"] {
        let ended = copy(&one("pingpong").anchor, &place.file(output), &[]);
        expect_message(&ended, 1, "the name of an anchor ends in .otf2");
        assert!(place.left().is_empty(), "{output}: {:?}", place.left());
    }
}

/// Chunks change only where records are written anew, and have bounds.
#[test]
fn wrong_options_are_1() {
    let place = Place::new();
    let wrong: [&[&str]; 8] = [
        &["--event-chunk-size", "1M"],
        &["--definition-chunk-size", "1M"],
        &["--reencode", "--event-chunk-size", "255K"],
        &["--reencode", "--event-chunk-size", "16777217"],
        &["--reencode", "--definition-chunk-size", "1G"],
        &["--reencode", "--definition-chunk-size", ""],
        &["--no-option"],
        &["-o", "other.otf2"],
    ];
    for options in wrong {
        let ended = place.copy(&one("pingpong").anchor, options);
        expect(&ended, 1);
        assert_ne!(said(&ended), "", "{options:?}");
        assert!(place.left().is_empty(), "{options:?}: {:?}", place.left());
    }
}

/// Years of work may lie in a folder that has the name of an archive.
#[test]
fn a_folder_with_other_files_in_it_is_4_even_with_force() {
    for foreign in ["thesis.tex", "0.txt", "evt", "a.evt", ".hidden"] {
        let (place, there) = Place::with(&one("pingpong"));
        fs::write(place.file("traces").join(foreign), "years of work").expect("written");
        let (before, left) = (Files::read(&there), place.left());
        for way in WAYS {
            let options = [way, &["--force"]].concat();
            expect_message(&copy(&one("hybrid").anchor, &there, &options), 4, foreign);
            Files::read(&there).assert_same(&before, foreign);
            assert_eq!(place.left(), left);
        }
    }
}

/// Neither is a file removed that has the name of such a folder.
#[test]
fn a_file_in_the_place_of_the_folder_is_4_even_with_force() {
    let place = Place::new();
    fs::write(place.file("copy"), "years of work").expect("written");
    let ended = place.copy(&one("pingpong").anchor, &["--force"]);
    expect_message(&ended, 4, "copy");
    assert_eq!(fs::read(place.file("copy")).expect("it is there"), b"years of work");
    assert_eq!(place.left(), ["copy"]);
}

#[test]
fn a_place_where_nothing_can_be_made_is_4() {
    let place = Place::new();
    fs::write(place.file("file"), "").expect("written");
    for output in ["file/copy.otf2", "file/new/copy.otf2", "/proc/none/copy.otf2"] {
        let ended = copy(&one("pingpong").anchor, &place.file(output), &[]);
        expect_message(&ended, 4, "copy.otf2");
        assert_eq!(place.left(), ["file"]);
    }
}

#[test]
fn folders_on_the_way_are_made() {
    for way in WAYS {
        let place = Place::new();
        let to = place.file("a/b/c/copy.otf2");
        expect(&copy(&one("pingpong").anchor, &to, way), 0);
        Files::read(&to).assert_same(&Files::read(&one("pingpong").anchor), "in new folders");
        assert_eq!(place.left(), ["a"]);
        assert_eq!(names(&place.file("a")), ["b"]);
    }
}

/// Also where the output has no folder in its name.
#[test]
fn in_the_folder_where_the_program_runs() {
    let place = Place::new();
    let anchor = one("pingpong").anchor;
    let args = ["copy".as_ref(), anchor.as_os_str(), "-o".as_ref(), "copy.otf2".as_ref()];
    let ended = crate::copy::streamfold(args).current_dir(place.folder.path()).output();
    expect(&ended.expect("a run"), 0);
    Files::read(&place.anchor()).assert_same(&Files::read(&anchor), "here");
    assert_eq!(place.left(), ["copy", "copy.def", "copy.otf2"]);
}

/// The input fails: no folder that was to be made for the output is left.
#[test]
fn nothing_is_left_where_the_input_cannot_be_read() {
    let place = Place::new();
    let to = place.file("a/b/copy.otf2");
    expect_message(&copy(Path::new("there-is-none.otf2"), &to, &[]), 4, "there-is-none.otf2");
    assert!(place.left().is_empty());
    let (broken, anchor) = Place::with(&one("pingpong"));
    fs::write(broken.file("traces.def"), "no definitions").expect("overwritten");
    for way in WAYS {
        expect_message(&copy(&anchor, &to, way), 2, "traces.def");
        assert!(place.left().is_empty(), "{:?}", place.left());
    }
}
