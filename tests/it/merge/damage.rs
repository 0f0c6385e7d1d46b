//! What is damaged or missing is told by name, and the rest comes out all the same; with --strict nothing
//! comes out. Without anchor or global definitions there is no trace.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::archives::one;
use crate::common::clocks::disorder;
use crate::common::files::Files;
use crate::common::program::said;
use crate::common::reference::{is_installed, otf2_print};
use crate::merge::made::{Made, Trace};
use crate::merge::meaning::{events, of_kind, renamed};
use crate::merge::{expect_message, Place};

const WAYS: [&[&str]; 3] = [&[], &["--rewrite-events"], &["--link"]];

/// A copy of an archive whose file is damaged, between two others. Returns the anchors.
fn around(file: &str, damage: impl Fn(&Path)) -> ([Made; 2], tempfile::TempDir, Vec<PathBuf>) {
    let others = [1, 2].map(|identifier| Trace::job(identifier, &[0], "a").write());
    let folder = tempfile::tempdir().expect("a folder");
    crate::common::copy_folder(&one("local-defs").folder, folder.path());
    damage(&folder.path().join(file));
    let anchors = [&others[0].anchor, &folder.path().join("traces.otf2"), &others[1].anchor];
    let anchors = anchors.into_iter().cloned().collect();
    (others, folder, anchors)
}

/// What is done to a file.
type Damage = fn(&Path);

/// Cut in the middle of a record.
fn cut(path: &Path) {
    let bytes = fs::read(path).expect("a file");
    fs::write(path, &bytes[..bytes.len() / 2]).expect("written");
}

fn remove(path: &Path) {
    fs::remove_file(path).expect("removed");
}

#[track_caller]
fn lost(file: &str, ways: &[&[&str]], damage: Damage) {
    let (_others, _folder, anchors) = around(file, damage);
    let before: Vec<_> = anchors.iter().map(|anchor| Files::read(anchor)).collect();
    for way in ways {
        let place = Place::new();
        expect_message(&place.merge(&anchors, way), 3, &[file]);
        // The others can be read.
        assert_eq!(of_kind(&place.anchor(), "Location").len(), 8);
        if is_installed("otf2-print") {
            assert!(otf2_print(&["-G"], &place.anchor()).status.success());
        }
        let strict = Place::new();
        let ended = strict.merge(&anchors, &[*way, &["--strict"]].concat());
        expect_message(&ended, 2, &[file]);
        assert!(strict.left().is_empty(), "{file} {way:?}: {:?}", strict.left());
        for (anchor, before) in anchors.iter().zip(&before) {
            Files::read(anchor).assert_same(before, "the input");
        }
    }
}

#[test]
fn events_that_are_cut_or_missing_are_3() {
    lost("traces/4.evt", &WAYS, remove);
    // Bytes that are copied are not read.
    lost("traces/2.evt", &WAYS[1..2], cut);
}

#[test]
fn definitions_of_a_location_that_are_cut_are_3() {
    lost("traces/2.def", &WAYS, cut);
}

/// Also where times stay as they are, as those of the first trace do.
#[test]
fn clock_offsets_that_go_back_are_3() {
    lost("traces/2.def", &WAYS, disorder);
    let (_others, _folder, mut anchors) = around("traces/2.def", disorder);
    anchors.swap(0, 1);
    for way in WAYS {
        let place = Place::new();
        let parts = ["traces/2.def", "nobody can tell their times"];
        expect_message(&place.merge(&anchors, way), 3, &parts);
        let merged = events(&place.anchor(), &Default::default(), false);
        assert!(merged.get(&2).is_none_or(Vec::is_empty) && merged[&1].len() > 50);
        if is_installed("otf2-print") {
            let printed = otf2_print(&["-A"], &place.anchor());
            assert_eq!((printed.status.code(), said(&printed)), (Some(0), String::new()));
        }
    }
}

/// What is there before the damage keeps its time and its meaning.
#[test]
fn events_before_the_damage_are_there() {
    let (_others, _folder, anchors) = around("traces/2.evt", cut);
    let place = Place::new();
    expect_message(&place.merge(&anchors, &["--rewrite-events", "--align", "none"]), 3, &["2.evt"]);
    let now = &renamed(&anchors)[1];
    let found = events(&place.anchor(), &Default::default(), true);
    let whole = events(&one("local-defs").anchor, now, true);
    for (old, new) in now {
        let (found, whole) = (&found[new], &whole[new]);
        match old {
            2 => assert!(found.len() > 50 && found.len() < whole.len(), "{}", found.len()),
            _ => assert_eq!(found.len(), whole.len(), "{old}"),
        }
        assert_eq!(found[..50], whole[..50], "{old}");
    }
}

#[test]
fn an_archive_that_cannot_be_used_is_2() {
    let damages: [(&str, Damage); 3] = [
        ("traces.def", cut),
        ("traces.def", |path| fs::write(path, "no definitions").expect("written")),
        ("traces.otf2", |path| fs::write(path, "no anchor").expect("written")),
    ];
    for (file, damage) in damages {
        let (_others, folder, anchors) = around(file, damage);
        let path = folder.path().join(file);
        for way in WAYS {
            let place = Place::new();
            expect_message(&place.merge(&anchors, way), 2, &[path.to_str().expect("text")]);
            assert!(place.left().is_empty(), "{:?}", place.left());
        }
    }
}

#[test]
fn an_archive_that_is_not_there_is_4() {
    let made = Trace::job(1, &[0], "a").write();
    let place = Place::new();
    let ended = place.merge(&[made.anchor.as_path(), Path::new("there-is-none.otf2")], &[]);
    expect_message(&ended, 4, &["there-is-none.otf2"]);
    assert!(place.left().is_empty());
}

#[cfg(feature = "ranks")]
#[test]
fn all_ranks_end_with_one_message() {
    use crate::common::program::on_ranks;
    let (_others, folder, anchors) = around("traces.def", cut);
    let place = Place::new();
    let paths = anchors.into_iter().map(PathBuf::into_os_string);
    let args =
        ["merge".into(), "-o".into(), place.anchor().into_os_string()].into_iter().chain(paths);
    let Some(ended) = on_ranks(3, args) else { return };
    assert_eq!(ended.status.code(), Some(2), "{}", said(&ended));
    let path = folder.path().join("traces.def");
    let said = said(&ended);
    assert_eq!(said.matches(path.to_str().expect("text")).count(), 1, "{said}");
    assert!(place.left().is_empty(), "{:?}", place.left());
}

/// Files of locations that nobody defines are no part of the merged trace, which is told.
#[test]
fn locations_that_nobody_defines_are_3() {
    let (_others, folder, anchors) = around("traces/0.evt", |path| {
        fs::copy(path, path.with_file_name("77.evt")).expect("copied");
    });
    let place = Place::new();
    expect_message(&place.merge(&anchors, &[]), 3, &["traces/77.evt"]);
    assert!(!place.file("all/77.evt").exists());
    drop(folder);
}
