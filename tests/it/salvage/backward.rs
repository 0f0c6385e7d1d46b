//! Times that go back, among records of kinds that this version does not know.

use crate::common::program::said;
use crate::common::small::{Bytes, Definitions, Files, Order, Small, Written, ORDERS};
use crate::salvage::{events, expect_message, expect_valid, Place};

/// A kind of events that nobody has defined so far.
const UNKNOWN: u8 = 200;

fn archive(order: Order, events: Bytes) -> Written {
    let files = Files { events: Some(events.bytes), definitions: None };
    let definitions = Definitions::new(order).region(0).location(0, 0);
    Small::with(order, definitions, vec![files]).write()
}

/// Salvages an archive whose time goes back at an event, from 1.
#[track_caller]
fn expect_before(small: &Written, number: usize) -> Place {
    let place = Place::new();
    let ended = place.salvage(&small.anchor(), &[]);
    expect_message(&ended, 3, &format!("at event {number} time goes back"));
    assert!(said(&ended).contains("1 loss"), "{}", said(&ended));
    let (kept, all) = (events(&place.anchor(), 0), events(&small.anchor(), 0));
    assert_eq!(kept, all[..number - 1]);
    expect_valid(&place.anchor());
    place
}

fn unknown(events: Bytes) -> Bytes {
    let payload = events.payload().raw(b"what this says is not known");
    events.record(UNKNOWN, payload)
}

#[test]
fn records_of_unknown_kinds_stay_and_count() {
    for order in ORDERS {
        let events = unknown(Bytes::new(order).header().time(100).enter(0).time(103));
        let events = unknown(unknown(events.leave(0))).enter(0);
        let back = events.time(90).leave(0).time(200).enter(0).end();
        expect_before(&archive(order, back), 7);
    }
}

/// The record at which time goes back may itself be of such a kind, or have attributes.
#[test]
fn the_first_record_behind_is_the_end() {
    for order in ORDERS {
        let begin = || unknown(Bytes::new(order).header().time(100).enter(0));
        let back = unknown(begin().time(90)).time(300).leave(0).end();
        expect_before(&archive(order, back), 3);
        let list = begin().payload().c(1).c(0).raw(&[4]).c(7);
        let back = begin().time(90).record(6, list).leave(0).end();
        expect_before(&archive(order, back), 3);
    }
}

/// Enters and leaves are copied together where they can be; what is behind the end means nothing.
#[test]
fn after_many_calls_nothing_more_is_kept() {
    for order in ORDERS {
        let mut events = unknown(Bytes::new(order).header().time(100));
        for time in 0..3000 {
            events = events.time(101 + 2 * time).enter(0).time(102 + 2 * time).leave(0);
        }
        let mut back = events.time(5000).enter(0);
        for time in 0..500 {
            back = back.time(9000 + 2 * time).leave(0).time(9001 + 2 * time).enter(0);
        }
        let small = archive(order, back.end().raw(&[7; 30]));
        let place = expect_before(&small, 6002);
        let written = std::fs::metadata(place.file("new/salvaged/0.evt")).expect("events").len();
        let original = std::fs::metadata(small.file("t/0.evt")).expect("events").len();
        assert!(written < original - 500 * 22, "{written} of {original} bytes");
    }
}

/// Nothing is lost, but not every reader can read that.
#[test]
fn two_times_before_one_event_become_one() {
    for order in ORDERS {
        let twice = Bytes::new(order).header().time(100).enter(0).time(u64::MAX >> 8).time(110);
        let mut small = Small::new(order);
        small.locations[0].events = Some(twice.leave(0).end().bytes);
        let small = small.write();
        let place = Place::new();
        place.salvaged(&small.anchor(), &[], 0);
        assert_eq!(events(&place.anchor(), 0), events(&small.anchor(), 0));
        let [before, after] = [small.file("t/0.evt"), place.file("new/salvaged/0.evt")];
        let [before, after] =
            [before, after].map(|path| std::fs::read(path).expect("events").len());
        assert_eq!(after + 9, before);
    }
}
