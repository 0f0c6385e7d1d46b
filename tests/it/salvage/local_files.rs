//! Files of definitions of single locations that are lost.

use streamfold::formats::otf2::Order;

use crate::common::program::said;
use crate::salvage::made::{Made, LOCATIONS};
use crate::salvage::{events, expect, expect_message, expect_valid, Place};

/// Others have mapping tables, so that its numbers meant something else than those of all.
#[test]
fn that_others_have_one_is_told() {
    for order in [Order::Little, Order::Big] {
        let made = Made::new(order, 2);
        made.remove("/0.def");
        made.remove("/4294967297.def");
        let place = Place::new();
        let ended = place.salvage(&made.anchor(), &[]);
        for location in [0, 4_294_967_297_u64] {
            let part = format!(
                "t/{location}.def: there is no such file, and others have mapping tables and clock \
                 offsets; numbers in its events are taken for those of all"
            );
            expect_message(&ended, 3, &part);
        }
        assert!(said(&ended).contains("2 losses"), "{}", said(&ended));
        expect_valid(&place.anchor());
        for location in LOCATIONS {
            assert_eq!(events(&place.anchor(), location), events(&made.anchor(), location));
        }
        expect(&Place::new().salvage(&made.anchor(), &["--strict"]), 2);
    }
}

/// So it is where there is nothing else, and where the donor has none either.
#[test]
fn that_nobody_has_one_is_told() {
    let (made, donor) = (Made::new(Order::Little, 2), Made::new(Order::Little, 1));
    for file in [".otf2", ".def", "/0.def"] {
        made.remove(file);
    }
    donor.remove("/0.def");
    let anchor = donor.anchor().display().to_string();
    for options in [&[][..], &["--donor", &anchor]] {
        let place = Place::new();
        let ended = place.salvage(&made.file(""), options);
        expect_message(&ended, 3, "t/0.def: there is no such file, and others have mapping tables");
        expect_valid(&place.anchor());
    }
    let whole = Made::new(Order::Little, 1);
    let anchor = whole.anchor().display().to_string();
    expect(&Place::new().salvage(&made.file(""), &["--donor", &anchor]), 0);
}

/// Where others say nothing there was nothing to say, and without events nothing to read.
#[test]
fn that_nobody_needs_one_is_no_loss() {
    let made = Made::new(Order::Little, 2);
    for location in ["/0.def", "/1.def"] {
        made.remove(location);
    }
    expect(&Place::new().salvage(&made.anchor(), &[]), 0);
    let made = Made::new(Order::Little, 2);
    for file in ["/0.def", "/0.evt"] {
        made.remove(file);
    }
    let place = Place::new();
    let ended = place.salvage(&made.anchor(), &[]);
    expect_message(&ended, 3, "t/0.evt");
    assert!(!said(&ended).contains("t/0.def"), "{}", said(&ended));
    expect_valid(&place.anchor());
}
