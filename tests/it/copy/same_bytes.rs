//! A copy is the archive that it was made from, byte for byte, even where every record was decoded and
//! encoded again: nothing else shows as sharply that nothing was lost on the way.

use std::process::{Command, Output};

use crate::common::archives::{large, large_folders, one, traces, Archive};
use crate::common::files::Files;
use crate::common::program::said;
use crate::common::reference::is_installed;
use crate::copy::{all_own, copy, expect, Place, WAYS};

/// Archives that define locations without a file of events, as one may where a run was cut short.
const LACKING: [&str; 2] = ["all-kinds", "donor"];

/// All archives at hand that the reference library wrote.
fn archives() -> Vec<Archive> {
    let donor = large_folders(&["crashed-scorep8-comd"]).into_iter().map(|run| run.join("donor"));
    let records = traces().into_iter().flat_map(|traces| {
        ["all-kinds", "mapped", "older-records"].map(|case| traces.join("otf2-records").join(case))
    });
    let others = donor.chain(records).filter_map(|folder| Archive::find(&folder));
    all_own().into_iter().chain(large()).chain(others).collect()
}

/// Archives that lack files are copied all the same, and what is missing is told.
#[track_caller]
fn expect_losses_where_files_are_missing(archive: &Archive, ended: &Output) {
    if !LACKING.contains(&&*archive.name) {
        return expect(ended, 0);
    }
    expect(ended, 3);
    let folder = archive.anchor.with_extension("");
    let tells = |line: &str| {
        let missing = line.strip_suffix(": there is no such file").unwrap_or("");
        let missing = missing.strip_prefix("streamfold: ").unwrap_or("");
        missing.starts_with(&*folder.to_string_lossy()) && missing.ends_with(".evt")
    };
    assert!(said(ended).lines().any(tells), "{}: {}", archive.name, said(ended));
}

#[test]
fn of_every_archive_copied_as_it_is() {
    for archive in archives() {
        let place = Place::new();
        expect_losses_where_files_are_missing(&archive, &place.copy(&archive.anchor, &[]));
        Files::read(&place.anchor()).assert_same(&Files::read(&archive.anchor), &archive.name);
        assert_eq!(place.left().iter().filter(|name| name.starts_with('.')).count(), 0);
    }
}

#[test]
fn of_every_archive_decoded_and_encoded_again() {
    for archive in archives() {
        let place = Place::new();
        let ended = place.copy(&archive.anchor, &["--reencode"]);
        expect_losses_where_files_are_missing(&archive, &ended);
        let mut expected = Files::read(&archive.anchor);
        without_stray_newline(expected.0.get_mut(".otf2").expect("an anchor"));
        Files::read(&place.anchor()).assert_same(&expected, &archive.name);
    }
}

/// Whoever once moved the files of `scorep2-nonblocking-subcomms` left a newline behind the end of
/// each. A new anchor is made of what it says, and so ends where it ends; files of records keep it.
fn without_stray_newline(anchor: &mut Vec<u8>) {
    if anchor.ends_with(&[2, 1, 0, b'\n']) {
        anchor.pop();
    }
}

/// Those that other programs wrote come out as they were where no record is touched.
#[test]
fn of_archives_of_other_writers_copied_as_they_are() {
    let Some(traces) = traces() else { return };
    for case in ["mapped-big-endian", "newer-records"] {
        let anchor = traces.join("otf2-records").join(case).join("t.otf2");
        Place::new().copied(&anchor, &[]).assert_same(&Files::read(&anchor), case);
    }
}

/// The name of an archive is no part of it, and its files follow it.
#[test]
fn under_any_name() {
    let archive = one("hybrid");
    let place = Place::new();
    let to = place.file("a name.with dots.otf2");
    expect(&copy(&archive.anchor, &to, &["--reencode"]), 0);
    Files::read(&to).assert_same(&Files::read(&archive.anchor), "another name");
    let name = "a name.with dots";
    assert_eq!(place.left(), [name.to_owned(), format!("{name}.def"), format!("{name}.otf2")]);
}

/// What the reference's tools add to an archive later: files of every kind.
#[test]
fn of_snapshots_thumbnails_and_markers() {
    if !is_installed("otf2-snapshots") || !is_installed("otf2-marker") {
        return;
    }
    let (_from, anchor) = Place::with(&one("hybrid"));
    let run = |tool: &str, args: &[&str]| {
        let output = Command::new(tool).args(args).arg(&anchor).output().expect("a run");
        assert!(output.status.success(), "{tool}: {}", said(&output));
    };
    run("otf2-snapshots", &["-n", "5"]);
    run("otf2-marker", &["--add-def", "group", "category", "HIGH"]);
    run("otf2-marker", &["--add", "group", "category", "3064176608800+5", "LOCATION:0", "a text"]);
    let original = Files::read(&anchor);
    let kinds = [".snap", ".thumb", ".marker"];
    let count = |kind| original.0.keys().filter(|name| name.ends_with(kind)).count();
    assert_eq!(kinds.map(count), [12, 1, 1]);
    for way in WAYS {
        Place::new().copied(&anchor, way).assert_same(&original, &format!("{way:?}"));
    }
}

/// Files of locations without a definition go with the rest: some tools define them later.
#[test]
fn of_files_whose_location_is_not_defined() {
    let (from, anchor) = Place::with(&one("hybrid"));
    let events = std::fs::read(from.file("traces/0.evt")).expect("events");
    std::fs::write(from.file("traces/77.evt"), events).expect("written");
    std::fs::copy(from.file("traces/0.def"), from.file("traces/77.def")).expect("a copy");
    for way in WAYS {
        let copied = Place::new().copied(&anchor, way);
        copied.assert_same(&Files::read(&anchor), &format!("{way:?}"));
    }
}
