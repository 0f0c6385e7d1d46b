//! No more room on the way: told with the name that the file would have had, and nothing is left.

use streamfold::formats::otf2::Order;

use crate::common::full_disk::within;
use crate::common::program::said;
use crate::salvage::made::Made;
use crate::salvage::{expect_message, Place};

#[test]
fn is_4_and_leaves_nothing() {
    let made = Made::new(Order::Little, 200);
    made.remove(".def");
    made.cut("/0.evt", 5000);
    for limit in [1, 100, 2000, 4000] {
        let place = Place::new();
        let ended = within(limit, "salvage", &made.anchor(), &place.anchor(), &[]);
        expect_message(&ended, 4, &place.file("new/salvaged").to_string_lossy());
        assert!(said(&ended).contains("File too large"), "{limit}: {}", said(&ended));
        assert!(!place.file("new").exists(), "{limit}");
    }
}
