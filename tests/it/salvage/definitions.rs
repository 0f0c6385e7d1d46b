//! Anchor and definitions that are not there, cut short, or contradict themselves.

use std::fs;

use streamfold::formats::otf2::Order;

use crate::common::program::said;
use crate::common::small::{Definitions, Files, Small};
use crate::salvage::made::{Made, LOCATIONS};
use crate::salvage::{
    definitions, events, expect_message, expect_no_errors, expect_valid, strings, Place,
};

#[track_caller]
fn expect_same_events(place: &Place, made: &Made) {
    for location in LOCATIONS {
        assert_eq!(events(&place.anchor(), location), events(&made.anchor(), location));
    }
}

#[test]
fn an_archive_without_anchor_is_whole_but_for_that() {
    for order in [Order::Little, Order::Big] {
        let made = Made::new(order, 2);
        let anchor = fs::read(made.anchor()).expect("an anchor");
        made.remove(".otf2");
        let place = Place::new();
        let ended = place.salvage(&made.file(""), &[]);
        expect_message(&ended, 0, "0 of the donor, 0 made up");
        expect_valid(&place.anchor());
        fs::write(made.anchor(), anchor).expect("back");
        expect_same_events(&place, &made);
        assert_eq!(definitions(&place.anchor()), definitions(&made.anchor()));
    }
}

/// An anchor that cannot be read is one that is not there, and a loss.
#[test]
fn a_damaged_anchor_is_made_anew() {
    let made = Made::new(Order::Little, 2);
    let anchor = fs::read(made.anchor()).expect("an anchor");
    for length in [0, 1, 5, 12, 30, anchor.len() - 4] {
        fs::write(made.anchor(), &anchor[..length]).expect("cut");
        let place = Place::new();
        expect_message(&place.salvage(&made.anchor(), &[]), 3, "t.otf2");
        expect_valid(&place.anchor());
    }
}

/// Everything that events lead to gets a name.
#[test]
fn definitions_are_made_up() {
    for order in [Order::Little, Order::Big] {
        let made = Made::new(order, 2);
        made.remove(".def");
        for anchor in [true, false] {
            let kept = fs::read(made.anchor()).expect("an anchor");
            if !anchor {
                made.remove(".otf2");
            }
            let place = Place::new();
            let ended = place.salvage(&made.place.file("in"), &[]);
            expect_message(&ended, 0, "0 of the archive, 0 of the donor");
            expect_valid(&place.anchor());
            fs::write(made.anchor(), kept).expect("back");
            expect_same_events(&place, &made);
            let names = strings(&place.anchor());
            for name in [
                "region 12",
                "attribute 2",
                "metric 1, value 0",
                "communicator 1",
                "parameter 1",
                "window 0",
                "I/O handle 2",
                "I/O paradigm 1",
                "file 4",
                "calling context 5",
                "interrupt generator 0",
                "location 4294967297",
                "process 1",
                "string 3",
            ] {
                assert!(names.iter().any(|other| other == name), "{name} is not in {names:?}");
            }
        }
    }
}

/// As many definitions are kept as can be read; the rest is made up.
#[test]
fn definitions_that_are_cut() {
    let made = Made::new(Order::Little, 1);
    let whole = fs::read(made.file(".def")).expect("definitions");
    let all = definitions(&made.anchor());
    for length in (0..whole.len() - 1).step_by(97) {
        fs::write(made.file(".def"), &whole[..length]).expect("cut");
        let place = Place::new();
        expect_message(&place.salvage(&made.anchor(), &[]), 3, "t.def");
        expect_valid(&place.anchor());
        expect_same_events(&place, &made);
        let now = definitions(&place.anchor());
        let kept = all.iter().filter(|definition| now.contains(definition)).count();
        let first = all.iter().take_while(|definition| now.contains(definition)).count();
        assert!(first + 1 >= kept.min(all.len()), "{length}: {first} of {kept} are the first");
    }
}

/// A location whose event file is gone stays, without events; and one that nobody defines comes.
#[test]
fn locations_and_files_that_do_not_fit() {
    let made = Made::new(Order::Little, 2);
    fs::rename(made.file("/1.evt"), made.file("/7.evt")).expect("another number");
    let place = Place::new();
    let ended = place.salvage(&made.anchor(), &[]);
    expect_message(&ended, 3, "t/1.evt");
    expect_valid(&place.anchor());
    assert_eq!(events(&place.anchor(), 1), [""; 0]);
    assert_eq!(events(&place.anchor(), 7), events(&made.anchor(), 7));
    assert!(strings(&place.anchor()).contains(&"location 7".to_owned()));
}

/// Ranks that others talk to are locations, even where nothing is left of them.
#[test]
fn ranks_without_a_file() {
    let made = Made::new(Order::Little, 2);
    let files = ["/1.evt", "/1.def", "/4294967297.evt", "/4294967297.def", ".def", ".otf2"];
    files.into_iter().for_each(|file| made.remove(file));
    let place = Place::new();
    let ended = place.salvage(&made.file(""), &[]);
    expect_message(&ended, 3, "there is no event file of this location, to which others lead");
    expect_valid(&place.anchor());
    assert_eq!(events(&place.anchor(), 1), [""; 0]);
}

#[test]
fn numbers_that_are_defined_twice_and_not_the_same() {
    let order = crate::common::small::Order::Little;
    let visit = || {
        let events = crate::common::small::Bytes::new(order).header().time(100).enter(0).leave(0);
        Files { events: Some(events.end().bytes), definitions: None }
    };
    let twice = Definitions::new(order).region(0).string(1, "other").region(0).location(0, 0);
    let small = Small::with(order, twice, vec![visit()]).write();
    let place = Place::new();
    let ended = place.salvage(&small.anchor(), &[]);
    expect_message(&ended, 3, "String 1: it is defined more than once, and not the same");
    expect_valid(&place.anchor());
    let names = strings(&place.anchor());
    assert!(["work", "other"].iter().all(|name| names.iter().any(|other| other == name)));
}

/// Parents that lead in a circle, or to nothing, lead nowhere.
#[test]
fn parents_that_lead_nowhere() {
    let order = crate::common::small::Order::Little;
    let node = |d: Definitions, id: u64, parent: u64| {
        let payload = d.bytes.payload().c(id).c(1).c(1).c(parent);
        d.record(12, payload)
    };
    let all = [(0, 1), (1, 2), (2, 0), (3, 3), (4, 77)];
    let all = all.into_iter().fold(Definitions::new(order), |d, (id, parent)| node(d, id, parent));
    let all = all.region(0).location(0, 9);
    let small = Small::with(order, all, Small::new(order).locations).write();
    let place = Place::new();
    let ended = place.salvage(&small.anchor(), &[]);
    expect_message(&ended, 3, "its ancestors lead back to it");
    for part in ["SystemTreeNode 4: parent leads to SystemTreeNode 77", "LocationGroup 9"] {
        assert!(said(&ended).contains(part), "{part}: {}", said(&ended));
    }
    // Numbers in another order than that of parents are an oddity that the reference tool tells.
    expect_no_errors(&place.anchor());
}

/// Mapping tables that are cut are kept as far as they go.
#[test]
fn definitions_of_locations_that_are_cut() {
    let made = Made::new(Order::Little, 1);
    let whole = fs::read(made.file("/1.def")).expect("definitions");
    for length in [0, 5, 18, 30, whole.len() - 3] {
        fs::write(made.file("/1.def"), &whole[..length]).expect("cut");
        let place = Place::new();
        expect_message(&place.salvage(&made.anchor(), &[]), 3, "t/1.def");
        expect_valid(&place.anchor());
        expect_same_events(&place, &made);
    }
}
