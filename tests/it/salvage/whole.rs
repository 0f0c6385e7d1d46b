//! What has nothing wrong comes out as it was.

use streamfold::formats::otf2::Order;

use crate::common::archives::one;
use crate::common::files::Files;
use crate::salvage::made::Made;
use crate::salvage::{expect, expect_valid, Place};

#[test]
fn a_whole_archive_comes_out_byte_for_byte() {
    for name in ["pingpong", "hybrid"] {
        let from = one(name).anchor;
        let place = Place::new();
        expect(&place.salvage(&from, &[]), 0);
        Files::read(&place.anchor()).assert_same(&Files::read(&from), name);
    }
    for order in [Order::Little, Order::Big] {
        let made = Made::new(order, 3);
        expect_valid(&made.anchor());
        // By its anchor, by the folder of its locations, and by the one in which it is.
        for from in ["in/t.otf2", "in/t", "in/t/", "in"] {
            let place = Place::new();
            let anchor = place.salvaged(&made.place.file(from), &[], 0);
            Files::read(&anchor).assert_same(&Files::read(&made.anchor()), from);
        }
    }
}

/// Archives of other tools have oddities; their events stay what they are.
#[test]
fn what_is_odd_keeps_its_events() {
    use crate::common::archives::large;
    for archive in large() {
        if !matches!(archive.name.as_str(), "scorep9-gpu-metrics" | "synthetic-ununified-6") {
            continue;
        }
        let place = Place::new();
        expect(&place.salvage(&archive.anchor, &[]), 0);
        let files = (Files::read(&place.anchor()), Files::read(&archive.anchor));
        for (name, bytes) in files.1 .0.iter().filter(|(name, _)| name.ends_with(".evt")) {
            assert!(files.0.get(name) == bytes, "{}: {name}", archive.name);
        }
    }
}
