//! Visits that are open where a stream was cut.

use std::fs;

use streamfold::formats::otf2::Order;

use crate::common::program::{said, streamfold, text};
use crate::salvage::made::Made;
use crate::salvage::{events, expect_message, expect_valid, Place};

const CHUNK: u64 = 256 << 10;

/// What `validate` finds open.
fn open_regions(place: &Place) -> usize {
    let validated = streamfold(["validate".as_ref(), place.anchor().as_os_str()]).output();
    let validated = validated.expect("the program runs");
    text(&validated.stdout).lines().filter(|line| line.contains("is never left")).count()
}

#[test]
fn they_are_closed_on_request_only() {
    for location in ["/0.evt", "/4294967296.evt"] {
        let whole = fs::metadata(Made::new(Order::Little, 2).file(location)).expect("a file").len();
        for length in [whole / 3, whole / 2, whole / 2 + 5] {
            let made = Made::new(Order::Little, 2);
            made.cut(location, length);
            let as_it_was = Place::new();
            expect_message(&as_it_was.salvage(&made.anchor(), &[]), 3, location);
            assert!(open_regions(&as_it_was) > 0, "{location}: {length}");
            let closed = Place::new();
            let ended = closed.salvage(&made.anchor(), &["--close-visits"]);
            expect_message(&ended, 3, "at the last times of locations");
            expect_valid(&closed.anchor());
            assert_eq!(open_regions(&closed), 0, "{location}: {length}, {}", said(&ended));
            let number = location.trim_matches(|letter: char| !letter.is_ascii_digit());
            let number = number.parse().expect("a number");
            let (before, after) =
                (events(&as_it_was.anchor(), number), events(&closed.anchor(), number));
            assert!(after.starts_with(&before), "{location}: {length}");
        }
    }
}

/// Wherever the last chunk ends there is room for the leaves, in it or in the next one.
#[test]
fn they_are_closed_around_the_ends_of_chunks() {
    let made = Made::new(Order::Big, 3000);
    let whole = fs::read(made.file("/0.evt")).expect("events");
    for length in [CHUNK - 60, CHUNK - 9, CHUNK - 1, CHUNK, CHUNK + 40] {
        fs::write(made.file("/0.evt"), &whole[..length as usize]).expect("cut");
        let place = Place::new();
        let ended = place.salvage(&made.anchor(), &["--close-visits"]);
        expect_message(&ended, 3, "added, at the last times of locations");
        expect_valid(&place.anchor());
        assert_eq!(open_regions(&place), 0, "{length}");
    }
}
