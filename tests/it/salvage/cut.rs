//! Event files cut anywhere: what comes out is valid and holds exactly what a reader gets before
//! the damage.

use std::fs;

use streamfold::formats::otf2::Order;

use crate::common::program::said;
use crate::salvage::made::Made;
use crate::salvage::{events, expect_message, expect_print_is_silent, expect_valid, Place};

/// Salvages what is left where a file has so many bytes.
#[track_caller]
fn expect_kept(made: &Made, whole: &[u8], length: usize) {
    fs::write(made.file("/0.evt"), &whole[..length]).expect("written");
    let expected = events(&made.anchor(), 0);
    let place = Place::new();
    let ended = place.salvage(&made.anchor(), &[]);
    expect_message(&ended, 3, "t/0.evt");
    assert!(said(&ended).contains("1 of 4 locations cut short"), "{}", said(&ended));
    assert_eq!(events(&place.anchor(), 0), expected, "{length} bytes");
    assert_eq!(events(&place.anchor(), 1), events(&made.anchor(), 1), "{length} bytes");
    expect_valid(&place.anchor());
}

#[test]
fn at_every_kind_of_place() {
    let made = Made::new(Order::Little, 1);
    let whole = fs::read(made.file("/0.evt")).expect("events");
    assert!(whole.len() > 200, "{}", whole.len());
    // In the header, and in each kind of record somewhere.
    let lengths = [0, 1, 2, 9, 17, 18].into_iter().chain((19..whole.len() - 1).step_by(13));
    for length in lengths {
        expect_kept(&made, &whole, length);
    }
    expect_kept(&made, &whole, whole.len() - 2);
}

/// Only the last of both marks is missing: readers take that.
#[test]
fn the_last_mark_is_no_loss() {
    let made = Made::new(Order::Big, 1);
    let length = fs::metadata(made.file("/0.evt")).expect("a file").len();
    made.cut("/0.evt", length - 1);
    let place = Place::new();
    place.salvaged(&made.anchor(), &[], 0);
    assert_eq!(events(&place.anchor(), 0), events(&made.anchor(), 0));
}

#[test]
fn around_the_ends_of_chunks() {
    const CHUNK: usize = 256 << 10;
    for order in [Order::Little, Order::Big] {
        let made = Made::new(order, 5000);
        let whole = fs::read(made.file("/0.evt")).expect("events");
        assert!(whole.len() > 2 * CHUNK, "{}", whole.len());
        let places = [CHUNK - 5, CHUNK, CHUNK + 1, CHUNK + 18, CHUNK + 27, 2 * CHUNK + 300];
        for length in places {
            fs::write(made.file("/0.evt"), &whole[..length]).expect("written");
            let expected = events(&made.anchor(), 0);
            assert!(expected.len() > 1000);
            // Without an anchor, too: the files tell the size of their chunks.
            for anchor in [true, false] {
                let kept = made.place.file("kept");
                if !anchor {
                    fs::rename(made.anchor(), &kept).expect("away");
                }
                let place = Place::new();
                let ended = place.salvage(&made.file(""), &[]);
                expect_message(&ended, 3, "t/0.evt");
                assert_eq!(events(&place.anchor(), 0), expected, "{length} {order:?} {anchor}");
                if !anchor {
                    fs::rename(&kept, made.anchor()).expect("back");
                }
                if length == CHUNK + 27 {
                    expect_valid(&place.anchor());
                }
            }
        }
    }
}

/// Bytes that mean nothing end what is kept as a cut does.
#[test]
fn damage_in_the_middle() {
    let made = Made::new(Order::Little, 20);
    let whole = fs::read(made.file("/0.evt")).expect("events");
    for (place, bytes) in [(300, [0xfe; 40]), (300, [0; 40]), (0, [0xff; 40])] {
        let mut damaged = whole.clone();
        damaged[place..place + bytes.len()].copy_from_slice(&bytes);
        expect_kept(&made, &damaged, damaged.len());
    }
}

/// A time before the last one is no time: what is behind it cannot be trusted.
#[test]
fn a_time_that_goes_back_is_damage() {
    use crate::common::small::{Bytes, Definitions, Files, Order, Small};
    let events = Bytes::new(Order::Little).header().time(100).enter(0).time(90).leave(0);
    let files = Files { events: Some(events.end().bytes), definitions: None };
    let definitions = Definitions::new(Order::Little).region(0).location(0, 0);
    let small = Small::with(Order::Little, definitions, vec![files]).write();
    let place = Place::new();
    let ended = place.salvage(&small.anchor(), &[]);
    expect_message(&ended, 3, "at event 2 time goes back, from 100 to 90");
    assert_eq!(crate::salvage::events(&place.anchor(), 0).len(), 1);
    expect_valid(&place.anchor());
}

#[test]
fn nothing_may_be_lost_where_that_is_asked_for() {
    let made = Made::new(Order::Little, 1);
    made.cut("/0.evt", 100);
    let place = Place::new();
    expect_message(&place.salvage(&made.anchor(), &["--strict"]), 2, "t/0.evt");
    assert!(!place.file("new").exists());
    let whole = Made::new(Order::Little, 1);
    let anchor = place.salvaged(&whole.anchor(), &["--strict"], 0);
    expect_print_is_silent(&anchor);
}
