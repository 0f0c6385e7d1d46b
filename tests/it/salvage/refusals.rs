//! What is refused before anything is read or written: nothing changes, and nothing is left.

use std::fs;

use streamfold::formats::otf2::Order;

use crate::common::files::Files;
use crate::salvage::made::Made;
use crate::salvage::{expect, expect_message, salvage, Place};

#[test]
fn a_folder_without_event_files_is_2() {
    let place = Place::new();
    fs::create_dir_all(place.file("empty/traces")).expect("folders");
    fs::write(place.file("empty/traces/0.def"), "no events").expect("written");
    for from in ["empty", "empty/traces", "empty/traces.otf2"] {
        expect_message(&place.salvage(&place.file(from), &[]), 2, "event file (NUMBER.evt)");
        assert!(!place.file("new").exists());
    }
    let made = Made::new(Order::Little, 1);
    for location in ["/0.evt", "/1.evt", "/4294967296.evt", "/4294967297.evt"] {
        made.remove(location);
    }
    expect_message(&place.salvage(&made.anchor(), &[]), 2, "there is no event file");
}

#[test]
fn more_than_one_archive_is_1() {
    let place = Place::new();
    for name in ["a", "b"] {
        fs::create_dir_all(place.file(name)).expect("a folder");
        fs::write(place.file(name).join("0.evt"), "").expect("written");
    }
    expect_message(&place.salvage(place.folder.path(), &[]), 1, "more than one archive");
    expect_message(&place.salvage(&place.file("a"), &[]), 3, "0.evt: the file is empty");
}

#[test]
fn what_is_no_archive_is_4() {
    let place = Place::new();
    fs::write(place.file("file"), "").expect("written");
    expect_message(&place.salvage(&place.file("none"), &[]), 4, "there is no such folder");
    expect_message(&place.salvage(&place.file("file"), &[]), 4, "neither a folder nor an anchor");
}

#[test]
fn the_input_as_output_is_1() {
    let made = Made::new(Order::Little, 1);
    made.remove(".otf2");
    let before = Files::read(&made.anchor());
    for options in [&[][..], &["--force"]] {
        for from in ["in", "in/t", "in/t.otf2"] {
            let ended = salvage(&made.place.file(from), &made.anchor(), options);
            expect_message(&ended, 1, "it belongs to the trace");
        }
    }
    Files::read(&made.anchor()).assert_same(&before, "the input");
    let donor = Made::new(Order::Little, 1);
    let anchor = donor.anchor().display().to_string();
    let ended = salvage(&made.file(""), &donor.anchor(), &["--force", "--donor", &anchor]);
    expect_message(&ended, 1, "it belongs to the trace");
}

#[test]
fn an_archive_that_is_there_is_4() {
    let (made, there) = (Made::new(Order::Little, 1), Made::new(Order::Little, 2));
    let before = Files::read(&there.anchor());
    expect_message(&salvage(&made.anchor(), &there.anchor(), &[]), 4, "--force");
    Files::read(&there.anchor()).assert_same(&before, "the archive that was there");
    expect(&salvage(&made.anchor(), &there.anchor(), &["--force"]), 0);
    Files::read(&there.anchor()).assert_same(&Files::read(&made.anchor()), "replaced");
}

#[test]
fn a_place_where_nothing_can_be_made_is_4() {
    let made = Made::new(Order::Little, 1);
    let place = Place::new();
    fs::write(place.file("file"), "").expect("written");
    for output in ["file/a.otf2", "/proc/none/a.otf2"] {
        expect_message(&salvage(&made.anchor(), &place.file(output), &[]), 4, "a.otf2");
    }
}

#[test]
fn options_without_a_meaning_are_1() {
    let made = Made::new(Order::Little, 1);
    let place = Place::new();
    for options in [&["--donor-clocks", "never"][..], &["--donor"], &["--no-option"]] {
        expect(&place.salvage(&made.anchor(), options), 1);
    }
}
