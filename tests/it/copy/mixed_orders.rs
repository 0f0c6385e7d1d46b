//! Files whose chunks have different orders of bytes: the copy has that of the first chunk throughout.
//! No writer makes such files, but readers take them.

use crate::common::parsed::Parser;
use crate::common::small::{Bytes, Definitions, Files, Order, Small, CHUNK};
use crate::copy::{expect, expect_message, Place};

fn other(order: Order) -> Order {
    match order {
        Order::Little => Order::Big,
        Order::Big => Order::Little,
    }
}

/// One location with these events.
fn small(order: Order, events: Vec<u8>) -> Small {
    let definitions = Definitions::new(order).region(0x1234).location(0, 0);
    Small::with(order, definitions, vec![Files { events: Some(events), definitions: None }])
}

/// A visit that begins in a chunk of one order and ends in one of the other.
fn visit(order: Order) -> Bytes {
    let begin = Bytes::new(order).header().time(100).enter(0x1234).pad(CHUNK);
    let end = Bytes::new(other(order)).header().time(120).leave(0x1234);
    end_after(begin, &end)
}

fn end_after(begin: Bytes, end: &Bytes) -> Bytes {
    let order = end.order;
    let both = begin.raw(&end.bytes);
    Bytes { order, ..both }
}

#[test]
fn records_come_in_the_order_of_the_first_chunk() {
    for order in [Order::Little, Order::Big] {
        let written = small(order, visit(order).end().bytes).write();
        let place = Place::new();
        expect(&place.copy(&written.anchor(), &["--reencode"]), 0);
        let copied = std::fs::read(place.file("copy/0.evt")).expect("events");
        let mut expected = Bytes::new(order).header();
        expected.bytes.truncate(2);
        let expected = expected.u64(1).u64(2);
        let expected = expected.time(100).enter(0x1234).time(120).leave(0x1234).end();
        assert_eq!(copied, expected.bytes);
    }
}

/// Of a kind that is not known nobody can say which of its bytes to turn round: that is a loss, and no
/// guess.
#[test]
fn what_is_not_known_in_another_order_is_told() {
    let order = Order::Little;
    let events = visit(order).raw(&[200, 4, 1, 2, 3, 4]).end();
    let written = small(order, events.bytes).write();
    let place = Place::new();
    let ended = place.copy(&written.anchor(), &["--reencode"]);
    let offset = CHUNK + 18 + 9 + 4;
    expect_message(&ended, 3, &format!("0.evt: at byte {offset}"));
    let copied = std::fs::read(place.file("copy/0.evt")).expect("events");
    let records = Parser::events(&copied, CHUNK).strictly();
    assert_eq!(records.iter().map(|record| record.id).collect::<Vec<_>>(), [12, 13]);
}

/// Where no record has to be turned round, none is lost.
#[test]
fn what_is_not_known_in_the_same_order_is_kept() {
    for order in [Order::Little, Order::Big] {
        let unknown = [200, 4, 1, 2, 3, 4];
        let events = Bytes::new(order).header().time(100).enter(0x1234).raw(&unknown).end();
        let written = small(order, events.bytes).write();
        let place = Place::new();
        expect(&place.copy(&written.anchor(), &["--reencode"]), 0);
        let copied = std::fs::read(place.file("copy/0.evt")).expect("events");
        assert!(copied.ends_with(&[&unknown[..], &[2, 1]].concat()), "{copied:x?}");
    }
}
