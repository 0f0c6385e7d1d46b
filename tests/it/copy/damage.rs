//! What cannot be read ends a file's copy there, and only there: people copy damaged traces to save what
//! is left of them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use streamfold::formats::otf2::{Archive, ReadOptions};

use crate::common::archives::one;
use crate::common::files::{assert_same_bytes, Files};
use crate::common::parsed::Parser;
use crate::common::program::{said, streamfold, text};
use crate::common::reference::{is_installed, otf2_print};
use crate::common::small::{anchor, Bytes, Order, Small, ORDERS};
use crate::copy::{copy, expect, expect_message, Place, WAYS};

const CHUNK: u64 = 1 << 20;

/// Codes of defects in how a file is framed.
const FRAMING: [&str; 6] =
    ["damaged", "missing-file", "chunk-numbers", "chunk-start", "end-mark", "trailing-data"];

/// The largest file of events of `hybrid`, and how it is called in messages.
const CUT: &str = "/0.evt";
/// The file of global definitions.
const DEFINED: &str = ".def";

/// An archive one of whose files ends in the middle of a record.
fn cut() -> (Place, PathBuf) {
    let (place, anchor) = Place::with(&one("hybrid"));
    let whole = fs::read(place.file("traces/0.evt")).expect("events");
    let records = Parser::events(&whole, CHUNK).strictly();
    let middle = &records[records.len() / 2];
    fs::write(place.file("traces/0.evt"), &whole[..middle.place.end - 1]).expect("cut");
    (place, anchor)
}

#[test]
fn a_file_that_is_cut_is_copied_up_to_there() {
    let (from, anchor) = cut();
    let place = Place::new();
    let ended = place.copy(&anchor, &["--reencode"]);
    expect(&ended, 3);
    let told = said(&ended);
    let name = from.file("traces/0.evt").to_string_lossy().into_owned();
    assert!(told.contains(&format!("{name}: at byte ")), "{told}");
    assert!(told.contains("1 loss"), "{told}");
    let (copied, original) = (Files::read(&place.anchor()), Files::read(&one("hybrid").anchor));
    for (name, bytes) in original.0.iter().filter(|(name, _)| ![CUT, DEFINED].contains(&&***name)) {
        assert_same_bytes(copied.get(name), bytes, name);
    }
    let whole = Parser::events(original.get(CUT), CHUNK).strictly();
    let part = Parser::events(copied.get(CUT), CHUNK).strictly();
    assert_eq!(part.len(), whole.len() / 2);
    assert_eq!(part, whole[..part.len()]);
    assert_eq!(copied.0.len(), original.0.len());
    // Definitions say how many are there.
    let [now, before] = [&place.anchor(), &one("hybrid").anchor].map(|anchor| {
        let archive = Archive::open(anchor, ReadOptions::default()).expect("an archive");
        archive.read_global_definitions().expect("definitions").locations
    });
    for location in before.keys() {
        let [now, before] = [&now, &before].map(|all| all[location].number_of_events);
        let expected = if location.0 == 0 { part.len() as u64 } else { before };
        assert_eq!(now, expected, "{location}");
    }
}

/// What validation says of how a file is framed. (That regions stay open follows from the events that
/// are no more.)
fn framing_defects(anchor: &Path, file: &str) -> Vec<String> {
    let run = streamfold(["validate", "--json", "--limit", "0"]).arg(anchor).output();
    let report: Value = serde_json::from_slice(&run.expect("a run").stdout).expect("JSON");
    let defects = report["defects"].as_array().expect("a list").iter();
    let of_file =
        defects.filter(|defect| defect["file"].as_str().is_some_and(|f| f.ends_with(file)));
    let codes = of_file.map(|defect| defect["code"].as_str().expect("a code").to_owned());
    codes.filter(|code| FRAMING.contains(&&**code)).collect()
}

#[test]
fn the_copy_of_a_file_that_is_cut_is_valid() {
    let (_from, anchor) = cut();
    let place = Place::new();
    expect(&place.copy(&anchor, &["--reencode"]), 3);
    assert_eq!(framing_defects(&anchor, CUT), ["damaged"]);
    assert_eq!(framing_defects(&place.anchor(), CUT), [""; 0]);
    if !is_installed("otf2-print") {
        return;
    }
    // It cannot go on where the cut file ends; of the copy it reads everything.
    assert!(!otf2_print(&["-A"], &anchor).status.success());
    let output = otf2_print(&["-A"], &place.anchor());
    assert!(output.status.success(), "{}", said(&output));
    assert!(!said(&output).contains("error"), "{}", said(&output));
    assert!(text(output.stdout).contains("ENTER"));
}

#[test]
fn with_strict_there_is_no_copy() {
    let (_from, anchor) = cut();
    let place = Place::new();
    for options in [&["--reencode", "--strict"][..], &["--reencode", "--strict", "--threads", "1"]]
    {
        let ended = copy(&anchor, &place.file("new/copy.otf2"), options);
        expect_message(&ended, 2, "0.evt: at byte ");
        assert!(place.left().is_empty(), "{:?}", place.left());
    }
}

#[cfg(feature = "ranks")]
#[test]
fn with_strict_there_is_no_copy_by_any_rank() {
    let (_from, anchor) = cut();
    let place = Place::new();
    let to = place.anchor();
    let args = ["copy".as_ref(), anchor.as_os_str(), "-o".as_ref(), to.as_os_str()];
    let strict = ["--reencode".as_ref(), "--strict".as_ref()];
    let args = args.into_iter().chain(strict);
    let Some(ended) = crate::common::program::on_ranks(3, args) else { return };
    assert_eq!(ended.status.code(), Some(2), "{}", said(&ended));
    assert!(place.left().is_empty(), "{:?}", place.left());
}

/// Bytes are copied, and nobody looks at them.
#[test]
fn as_it_is_a_damaged_file_stays_as_it_is() {
    let (_from, anchor) = cut();
    Place::new().copied(&anchor, &["--strict"]).assert_same(&Files::read(&anchor), "damaged");
}

/// Local definitions and snapshots end as well where they are cut.
#[test]
fn every_kind_of_file_is_copied_up_to_its_damage() {
    let files =
        [("hybrid", "/0.def"), ("every-kind", "/1.evt"), ("every-kind", "/805586310654.snap")];
    for (archive, name) in files {
        let (archive, whole) = (one(archive), Files::read(&one(archive).anchor));
        let (_from, anchor) = Place::with(&archive);
        let file = anchor.with_extension("").join(&name[1..]);
        let bytes = whole.get(name);
        fs::write(&file, &bytes[..bytes.len() - 3]).expect("cut");
        let place = Place::new();
        let ended = place.copy(&anchor, &["--reencode"]);
        expect_message(&ended, 3, &format!("{}: at byte ", file.display()));
        let unclear = "without the rest of these definitions its events may mean something else";
        assert_eq!(said(&ended).contains(unclear), name == "/0.def", "{}", said(&ended));
        let copied = Files::read(&place.anchor());
        let part = copied.get(name);
        assert!(part.ends_with(&[2, 1]) && part.len() < bytes.len(), "{name}");
        assert_eq!(part[18..part.len() - 2], bytes[18..part.len() - 2], "{name}");
        assert_eq!(copied.0.len(), whole.0.len(), "{name}");
    }
}

/// A file that is not there at all is one loss more, and the copy has all others.
#[test]
fn a_file_that_is_missing_is_told() {
    let (from, anchor) = Place::with(&one("hybrid"));
    fs::remove_file(from.file("traces/0.evt")).expect("removed");
    let missing = format!("{}: there is no such file", from.file("traces/0.evt").display());
    for way in WAYS {
        let place = Place::new();
        expect_message(&place.copy(&anchor, way), 3, &missing);
        Files::read(&place.anchor()).assert_same(&Files::read(&anchor), "the rest");
        let options = [way, &["--strict"]].concat();
        let none = Place::new();
        expect_message(&none.copy(&anchor, &options), 2, &missing);
        assert!(none.left().is_empty());
    }
}

/// Readers refuse these, and the copy has all records that there are; who copies bytes does not read them.
#[test]
fn clock_offsets_that_are_not_in_order_are_told() {
    for order in ORDERS {
        let offset = |time: u64| Bytes::new(order).u64(time).c(0).u64(0);
        let offsets = Bytes::new(order).header().record(6, offset(20)).record(6, offset(10)).end();
        let mut small = Small::new(order);
        small.locations[1].definitions = Some(offsets.bytes);
        let small = small.write();
        let place = Place::new();
        let ended = place.copy(&small.anchor(), &["--reencode"]);
        expect_message(&ended, 3, "t/1.def: ");
        assert!(
            said(&ended).contains("nobody can tell the times of its events"),
            "{}",
            said(&ended)
        );
        expect(&Place::new().copy(&small.anchor(), &["--reencode", "--strict"]), 2);
        expect(&Place::new().copy(&small.anchor(), &[]), 0);
    }
}

/// The copy says the same.
#[test]
fn an_anchor_that_announces_other_locations_is_told() {
    let mut small = Small::new(Order::Little);
    small.anchor = anchor(Order::Little, 5, 7);
    let small = small.write();
    for way in WAYS {
        let ended = Place::new().copy(&small.anchor(), way);
        let part = "t.def: the anchor announces 5 locations, here are 2";
        expect_message(&ended, 0, part);
        assert!(said(&ended).contains("streamfold: warning: "), "{}", said(&ended));
    }
}
