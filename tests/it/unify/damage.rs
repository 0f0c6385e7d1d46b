//! Files that are damaged or missing are told by name, and the rest comes out all the same; with
//! --strict nothing comes out.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::common::archives::{one, Archive};
use crate::common::clocks::disorder;
use crate::common::files::Files;
use crate::common::program::{said, streamfold, text};
use crate::common::reference::{is_installed, otf2_print};
use crate::unify::profiles::assert_same;
use crate::unify::{expect, expect_message, ununified, Place};

const WAYS: [&[&str]; 3] = [&[], &["--rewrite-events"], &["--link"]];

/// Damages a file of a copy, and unifies that.
fn damaged(archive: &Archive, file: &str, ways: &[&[&str]], damage: impl Fn(&std::path::Path)) {
    let (broken, anchor) = Place::with(archive);
    let path = anchor.with_extension("").join(file);
    damage(&path);
    let before = Files::read(&anchor);
    for way in ways {
        let place = Place::new();
        expect_message(&place.unify(&anchor, way), 3, file);
        assert!(place.anchor().is_file(), "{file}: the rest is there");
        let strict = Place::new();
        let ended = strict.unify(&anchor, &[*way, &["--strict"]].concat());
        expect_message(&ended, 2, file);
        assert!(strict.left().is_empty(), "{file} {way:?}: {:?}", strict.left());
        if is_installed("otf2-print") {
            // Other locations can be read.
            assert!(otf2_print(&["-G"], &place.anchor()).status.success());
        }
        // The folders of a run that failed are not left in the input either.
        assert!(broken.left().iter().all(|name| !name.starts_with('.')));
        Files::read(&anchor).assert_same(&before, "the input");
    }
}

/// Cut in the middle of a record.
fn cut(path: &std::path::Path) {
    let bytes = fs::read(path).expect("a file");
    fs::write(path, &bytes[..bytes.len() / 2]).expect("written");
}

#[test]
fn damaged_definitions_of_a_location_are_3() {
    damaged(&one("local-defs"), "2.def", &WAYS, cut);
    damaged(&one("pingpong"), "1.def", &WAYS, |path| {
        fs::write(path, "no definitions").expect("written")
    });
    if let Some(archive) = ununified() {
        damaged(&archive, "3.def", &WAYS, cut);
    }
}

/// Nobody can tell the times of its events.
#[test]
fn clock_offsets_that_go_back_are_3() {
    for archive in [one("local-defs"), one("pingpong")].into_iter().chain(ununified()) {
        damaged(&archive, "1.def", &WAYS, disorder);
    }
}

#[test]
fn events_that_are_missing_or_damaged_are_3() {
    for archive in [one("local-defs")].into_iter().chain(ununified()) {
        damaged(&archive, "4.evt", &WAYS, |path| fs::remove_file(path).expect("removed"));
        // Bytes that are copied are not read.
        damaged(&archive, "0.evt", &WAYS[1..2], cut);
    }
}

/// Events that are written anew and end at damage are not announced any more.
#[test]
fn definitions_say_how_many_events_are_left() {
    for archive in [one("local-defs"), one("pingpong")] {
        let (_broken, anchor) = Place::with(&archive);
        cut(&anchor.with_extension("").join("0.evt"));
        let other = one("intercomm");
        let runs: [(&str, &[&Path]); 2] =
            [("unify", &[&anchor]), ("merge", &[&anchor, &other.anchor])];
        for (command, inputs) in runs {
            let place = Place::new();
            let to = place.anchor();
            let args = [OsStr::new(command), OsStr::new("-o"), to.as_ref()];
            let inputs = inputs.iter().map(|input| input.as_os_str());
            let args = args.into_iter().chain(inputs).chain([OsStr::new("--rewrite-events")]);
            expect_message(&streamfold(args).output().expect("the program runs"), 3, "0.evt");
            let args = [OsStr::new("validate"), to.as_ref()];
            let validated = streamfold(args).output().expect("the program runs");
            let found = text(&validated.stdout);
            assert!(!found.contains("event-count"), "{command}: {found}");
        }
    }
}

/// The definitions of other locations are unified as ever.
#[test]
fn the_rest_is_unified() {
    let Some(archive) = ununified() else { return };
    let (_broken, anchor) = Place::with(&archive);
    cut(&anchor.with_extension("").join("3.def"));
    let (place, whole) = (Place::new(), Place::new());
    expect(&place.unify(&anchor, &[]), 3);
    expect(&whole.unify(&archive.anchor, &[]), 0);
    let regions = |place: &Place| crate::unify::made::of_kind(place, "Region").len();
    // Those that location 3 alone has are three.
    assert_eq!(regions(&place), regions(&whole) - 3);
}

/// A file of definitions that others have is missed, as in every command. All else is as ever.
#[test]
fn a_missing_file_of_definitions_is_a_loss() {
    let (_place, anchor) = Place::with(&one("pingpong"));
    fs::remove_file(anchor.with_extension("").join("0.def")).expect("removed");
    let place = Place::new();
    expect_message(
        &place.unify(&anchor, &[]),
        3,
        "0.def: the file is missing, and other locations have theirs",
    );
    Files::read(&place.anchor()).assert_same(&Files::read(&anchor), "without a file");
}

#[test]
fn losses_are_told_though_nothing_else_is() {
    let (_place, anchor) = Place::with(&one("pingpong"));
    fs::remove_file(anchor.with_extension("").join("0.evt")).expect("removed");
    let ended = Place::new().unify(&anchor, &["-q"]);
    expect_message(&ended, 3, "0.evt");
    assert!(said(&ended).lines().count() <= 2, "{}", said(&ended));
}

/// Nobody knows what the events of a location mean whose definitions cannot be read, nor when those are whose
/// clock offsets go back. What is left opens in every tool.
#[test]
fn what_is_left_where_definitions_are_damaged_is_valid() {
    let damages: [fn(&std::path::Path); 2] = [cut, disorder];
    for (archive, location) in [(one("local-defs"), 2), (one("pingpong"), 1)] {
        for (damage, way) in damages.into_iter().flat_map(|it| WAYS.map(|way| (it, way))) {
            let (_place, anchor) = Place::with(&archive);
            damage(&anchor.with_extension("").join(format!("{location}.def")));
            let place = Place::new();
            let ended = place.unify(&anchor, way);
            expect_message(&ended, 3, "(`streamfold salvage` keeps what can be read)");
            let validated = streamfold(["validate"]).arg(place.anchor()).output();
            let validated = validated.expect("the program runs");
            assert_eq!(validated.status.code(), Some(0), "{}", text(&validated.stdout));
            assert_same(&anchor, &place.anchor(), "region", 3);
            if is_installed("otf2-print") {
                let printed = otf2_print(&["-A"], &place.anchor());
                assert_eq!((printed.status.code(), said(&printed)), (Some(0), String::new()));
            }
        }
    }
}
