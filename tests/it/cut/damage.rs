//! Files that are damaged or missing are told by name, and the rest comes out; with --strict nothing
//! comes out.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::archives::one;
use crate::common::clocks::disorder;
use crate::common::copy_folder;
use crate::common::files::Files;
use crate::cut::{events, expect, expect_message, expect_valid, Place};

/// A copy of an archive in which a file is damaged.
fn damaged(file: &str, damage: impl FnOnce(&Path)) -> (Place, PathBuf) {
    let (archive, place) = (one("intercomm"), Place::new());
    copy_folder(&archive.folder, place.folder.path());
    let anchor = place.file(archive.anchor.file_name().expect("a name"));
    damage(&anchor.with_extension("").join(file));
    (place, anchor)
}

fn halve(path: &Path) {
    let bytes = fs::read(path).expect("a file");
    fs::write(path, &bytes[..bytes.len() / 2]).expect("written");
}

/// Cuts it: the loss is told, and what comes out is whole.
fn expect_loss(file: &str, damage: impl FnOnce(&Path), options: &[&str]) -> (PathBuf, Place) {
    let (_input, anchor) = damaged(file, damage);
    let before = Files::read(&anchor);
    let place = Place::new();
    expect_message(&place.cut(&anchor, options), 3, file);
    expect_valid(&place.anchor(), file);
    let strict = Place::new();
    expect_message(&strict.cut(&anchor, &[options, &["--strict"]].concat()), 2, file);
    assert!(strict.left().is_empty(), "{file}: {:?}", strict.left());
    Files::read(&anchor).assert_same(&before, "the input");
    (anchor, place)
}

#[test]
fn events_up_to_the_damage_are_left() {
    let (_, place) = expect_loss("1.evt", halve, &["--without", "metrics"]);
    let left = events(&place.anchor());
    assert!(left[&1] > 50 && left[&1] < left[&0], "{left:?}");
}

#[test]
fn missing_events_and_damaged_definitions_are_losses() {
    let removed = |path: &Path| fs::remove_file(path).expect("removed");
    let (_, place) = expect_loss("2.evt", removed, &["--depth", "3"]);
    assert_eq!(events(&place.anchor())[&2], 0);
    let damages: [fn(&Path); 2] = [halve, disorder];
    for damage in damages {
        let (_, place) = expect_loss("2.def", damage, &["--depth", "3"]);
        assert_eq!(events(&place.anchor())[&2], 0);
    }
}

#[test]
fn damage_behind_the_interval_or_elsewhere_does_not_matter() {
    let (_input, anchor) = damaged("1.evt", halve);
    let clock = crate::cut::open(&anchor).1.clock.expect("a clock");
    let soon = (clock.global_offset + clock.trace_length / 4).to_string();
    expect(&Place::new().cut(&anchor, &["--time", "0", &soon]), 0);
    expect(&Place::new().cut(&anchor, &["-L", "0"]), 0);
}

#[test]
fn damaged_markers_are_a_loss() {
    let (_input, anchor) = damaged("0.evt", |_| {});
    fs::write(anchor.with_extension("marker"), b"no markers").expect("written");
    let place = Place::new();
    expect_message(&place.cut(&anchor, &["-L", "0"]), 3, "marker");
    expect_valid(&place.anchor(), "without markers");
}

#[test]
fn damaged_global_definitions_are_2() {
    let (_input, anchor) = damaged("../traces.def", halve);
    let place = Place::new();
    expect_message(&place.cut(&anchor, &["-L", "0"]), 2, "traces.def");
    assert!(place.left().is_empty());
}
