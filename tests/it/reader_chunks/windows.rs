//! Whatever a window or a chunk ends in.

use proptest::prelude::*;

use super::{archive_of, event_file, expected, read, Item};
use crate::common::small::{Order, CHUNK, ORDERS};

/// One of everything that can be split, with every length form.
fn one_of_everything() -> Vec<Item> {
    let attributes = |n: u32| (0..n).map(|i| (7 * i, 4, u64::from(i) << (i % 60))).collect();
    vec![
        Item::Time(1),
        Item::Time(2),
        Item::Time(3),
        Item::Enter(0),
        Item::Message { received: false, of: [0, 1, 2], bytes: 3, request: None },
        Item::Message {
            received: true,
            of: [u32::MAX - 1, 0, 300],
            bytes: u64::MAX,
            request: Some(7),
        },
        Item::Enter(1),
        Item::Time(4),
        Item::Message { received: true, of: [7, 0, 0], bytes: 1 << 40, request: None },
        Item::Time(3),
        Item::Message { received: false, of: [1, 1, 1], bytes: 0, request: Some(u64::MAX) },
        Item::Request(u64::MAX),
        Item::Request(0x0102_0304_0506_0708),
        Item::Attributes(vec![(1, 10, 0x0203_0405_0603_0201)], None),
        Item::Enter(5),
        Item::Attributes(attributes(3), Some(9)),
        Item::Metric(1, 3, false),
        Item::Time(11),
        Item::Attributes(attributes(40), None),
        Item::Metric(2, 40, false),
        Item::Metric(3, 1, true),
        Item::Attributes(attributes(1), Some(12)),
        Item::Unknown(200, 3),
        Item::Enter(0x0202_0202),
        Item::Unknown(201, 300),
        Item::Unknown(4, 0),
        Item::Metric(4, 200, false),
        Item::Request(0),
    ]
}

/// Protects against bytes that are looked at before they are there, and against starting again
/// behind a part of what was read: times and attribute lists in front of a record, which is not
/// all at hand, have to survive, and must not count twice.
#[test]
fn whatever_the_end_of_a_window_splits_is_read_as_if_it_were_whole() {
    for order in ORDERS {
        for shift in (0..70).filter(|&shift| shift != 1) {
            // Filler of exactly this many bytes: two or three bytes an event.
            let three = shift % 2;
            let mut items = vec![Item::Enter(0); (shift - 3 * three) / 2];
            items.extend(vec![Item::Enter(1); three]);
            items.extend(one_of_everything());
            let written = archive_of(CHUNK, event_file(&[order], CHUNK, &items), None);
            let expected = expected(&items);
            for window in [64, 65, 66, 67, 71, 89, 128, 1 << 20] {
                assert_eq!(read(&written, window), expected, "{order:?} {shift} {window}");
            }
        }
    }
}

/// At the end of a chunk there may be one zero byte or many; the next chunk may have another order
/// of bytes, and the time goes on.
#[test]
fn chunks_end_wherever_a_record_does() {
    // Header, time and Enter, then id and length of a record that fills the chunk up.
    let before = 18 + 9 + 2 + 10;
    for free in (1..=40).chain([300]) {
        let filler = Item::Unknown(200, CHUNK as usize - before - free);
        let mut items = vec![Item::Time(77), Item::Enter(0), filler];
        // What comes next takes more than what is left of the chunk.
        items.push(Item::Metric(9, 200, false));
        items.extend(one_of_everything().into_iter().skip(3));
        let mut file = event_file(&[Order::Little, Order::Big], CHUNK, &items);
        assert_eq!(file[CHUNK as usize..][..2], [3, 0x23]);
        if free == 300 {
            // Padding need not be zero behind the first byte: nobody looks at it.
            file[CHUNK as usize - 290..CHUNK as usize].fill(0xab);
        }
        let written = archive_of(CHUNK, file, None);
        for window in [64, 4096, 1 << 18, 1 << 20] {
            assert_eq!(read(&written, window), expected(&items), "{free} {window}");
        }
    }
}

fn message() -> impl Strategy<Value = Item> {
    let number = || prop_oneof![Just(0), 0..300_u64, any::<u64>()];
    let of = prop::array::uniform3(prop_oneof![0..300_u32, 0..u32::MAX]);
    let request = prop::option::of(number());
    (any::<bool>(), of, number(), request)
        .prop_map(|(received, of, bytes, request)| Item::Message { received, of, bytes, request })
}

fn item() -> impl Strategy<Value = Item> {
    let attribute = (0u32..1 << 20, prop_oneof![Just(4u8), Just(10)], any::<u64>());
    let attributes = prop::collection::vec(attribute, 1..30).prop_map(|mut list| {
        list.sort();
        list.dedup_by_key(|(id, ..)| *id);
        list
    });
    prop_oneof![
        any::<u64>().prop_map(Item::Time),
        (attributes, proptest::option::of(any::<u64>())).prop_map(|(a, t)| Item::Attributes(a, t)),
        (0..u32::MAX).prop_map(Item::Enter),
        any::<u64>().prop_map(Item::Request),
        message(),
        (0..u32::MAX, 0usize..250, any::<bool>()).prop_map(|(m, n, l)| Item::Metric(m, n, l)),
        // Some of them fill much of a chunk.
        (120u8..255, prop_oneof![0usize..600, 0usize..200_000])
            .prop_map(|(i, n)| Item::Unknown(i, n)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_items_in_any_chunks_through_any_window(
        mut items in prop::collection::vec(item(), 0..60),
        chunk in prop_oneof![Just(CHUNK), CHUNK..2 * CHUNK],
        orders in prop::collection::vec(prop_oneof![Just(Order::Little), Just(Order::Big)], 1..4),
        window in prop_oneof![64usize..400, 400usize..300_000],
    ) {
        // What belongs to no record is followed by one, and no list by another.
        items.push(Item::Enter(0));
        items.dedup_by(|b, a| matches!((a, b), (Item::Attributes(..), Item::Attributes(..))));
        let single = |i: usize| match &items[i] {
            Item::Time(_) => i == 0 || !matches!(items[i - 1], Item::Attributes(..)),
            _ => true,
        };
        let kept: Vec<_> = (0..items.len()).filter(|&i| single(i)).map(|i| items[i].clone()).collect();
        let mut kept = kept;
        kept.dedup_by(|b, a| matches!((a, b), (Item::Attributes(..), Item::Attributes(..))));
        let written = archive_of(chunk, event_file(&orders, chunk, &kept), None);
        prop_assert_eq!(read(&written, window), expected(&kept));
    }
}
