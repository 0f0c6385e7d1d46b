//! References, nesting, time, attributes and types in events.

use crate::common::small::{Bytes, Definitions, Order};
use crate::validate::{
    archive, assert_defects, at_100, found, payload, sound, validate, UNDEFINED,
};

fn case(
    definitions: Definitions,
    events: Bytes,
    count: u64,
    expected: &[(&str, &str, u64)],
    code: i32,
) {
    assert_defects(&archive(definitions, events, count), expected, code);
}

#[test]
fn references_to_nothing() {
    let undefined = [("undefined-reference", "Enter", 1), ("undefined-reference", "Leave", 2)];
    case(sound(), at_100().enter(7).leave(7), 2, &undefined, 3);
    let missing = [("missing-reference", "Enter", 1), ("missing-reference", "Leave", 2)];
    case(sound(), at_100().enter(UNDEFINED).leave(UNDEFINED), 2, &missing, 3);
    let send = payload().c(0).c(9).c(0).c(8);
    case(sound(), at_100().record(14, send), 1, &[("undefined-reference", "MpiSend", 1)], 3);
    // A context may be undefined.
    let context = payload().c(UNDEFINED).c(0);
    let left = payload().c(UNDEFINED);
    case(sound(), at_100().record(66, context).record(67, left), 2, &[], 0);
}

#[test]
fn the_place_of_a_defect() {
    let events = at_100().enter(0).time(150).leave(0);
    let offset = events.bytes.len() as u64 + 9;
    let small = archive(sound(), events.time(160).enter(7).leave(7), 4);
    let (_, report) = validate(&small.write().anchor());
    let (code, record, number, place) = found(&report)[0].clone();
    assert_eq!((code.as_str(), record.as_deref()), ("undefined-reference", Some("Enter")));
    assert_eq!((number, place), (Some(3), Some(offset)));
    assert_eq!(report["defects"][0]["location"], 0);
    let file = report["defects"][0]["file"].as_str().unwrap();
    assert!(file.ends_with("t/0.evt"), "{file}");
}

#[test]
fn leaves_without_enter_crossed_and_missing() {
    case(sound(), at_100().leave(0), 1, &[("unmatched-leave", "Leave", 1)], 0);
    case(sound(), at_100().enter(0).enter(1).leave(0), 3, &[("crossed-leave", "Leave", 3)], 0);
    let open = [("open-region", "Enter", 1), ("open-region", "Enter", 2)];
    case(sound(), at_100().enter(0).enter(1), 2, &open, 0);
}

#[test]
fn calling_contexts_are_nested_by_their_regions() {
    let context = |id: u64, region: u64| payload().c(id).c(region).c(UNDEFINED).c(UNDEFINED);
    let definitions =
        || sound().record(34, context(0, 0)).record(34, context(1, 0)).record(34, context(2, 1));
    let enter = |id: u64| payload().c(id).c(1);
    let leave = |id: u64| payload().c(id);
    // Another line of the same region.
    let events = at_100().record(66, enter(0)).record(67, leave(1));
    case(definitions(), events, 2, &[], 0);
    let events = at_100().record(66, enter(0)).record(67, leave(2));
    let expected =
        [("unmatched-leave", "CallingContextLeave", 2), ("open-region", "CallingContextEnter", 1)];
    case(definitions(), events, 2, &expected, 0);
}

#[test]
fn time_goes_backwards() {
    let events = at_100().enter(0).time(90).leave(0);
    case(sound(), events, 2, &[("time-backwards", "Leave", 2)], 3);
}

#[test]
fn time_goes_backwards_after_correction_only() {
    let mut small = archive(sound(), at_100().enter(0).time(110).leave(0), 2);
    let offset = |time: u64, offset: u64| payload().u64(time).c(offset).u64(0);
    // From 100 to 200 the clock falls back by 300 ticks.
    let local = payload().header().record(6, offset(100, 300)).record(6, offset(200, 0));
    small.locations[0].definitions = Some(local.end().bytes);
    assert_defects(&small, &[("clock-backwards", "Leave", 2)], 0);
}

#[test]
fn times_outside_of_the_clocks_span() {
    let events = at_100().enter(0).time(1001).leave(0);
    case(sound(), events, 2, &[("outside-span", "Leave", 2)], 0);
}

/// The event that made a flush necessary stands behind it and has its time.
#[test]
fn flushes_that_stop_when_they_cannot() {
    let flush = |stop: u64| at_100().enter(0).time(110).record(10, payload().u64(stop));
    case(sound(), flush(150).enter(1).time(150).leave(1).leave(0), 5, &[], 0);
    let wrong = [("wrong-flush", "BufferFlush", 2)];
    case(sound(), flush(109).time(150).leave(0), 3, &wrong, 0);
    case(sound(), flush(150).time(149).leave(0), 3, &wrong, 0);
    case(sound(), flush(150).enter(1).time(149).leave(1).leave(0), 5, &wrong, 0);
    case(sound(), flush(150).record(11, payload().raw(&[1])).time(149).leave(0), 4, &wrong, 0);
    let outside = ("outside-span", "BufferFlush", 2);
    case(sound(), flush(1001).leave(0), 3, &[outside], 0);
    case(sound(), flush(1001).time(150).leave(0), 3, &[outside, wrong[0]], 0);
}

#[test]
fn attributes() {
    // Attribute 0 is a region (14), attribute 1 a number of 32 bits (3).
    let attribute = |id: u64, kind: u8| payload().c(id).c(1).raw(&[kind]).c(1);
    let definitions = || sound().record(11, attribute(0, 14)).record(11, attribute(1, 3));
    let list = |id: u64, kind: u8, value: u64| payload().c(1).c(id).raw(&[kind]).c(value);
    let events = |list: Bytes| at_100().record(6, list).enter(0).leave(0);
    case(definitions(), events(list(0, 14, 1)), 2, &[], 0);
    let one = |code: &'static str| [(code, "Enter", 1)];
    case(definitions(), events(list(0, 14, 9)), 2, &one("undefined-reference"), 3);
    case(definitions(), events(list(5, 3, 9)), 2, &one("undefined-reference"), 3);
    case(definitions(), events(list(1, 4, 9)), 2, &one("attribute-type"), 3);
}

#[test]
fn metric_values() {
    let member = payload().c(0).c(1).c(1).raw(&[0, 0, 4, 1]).c(0).c(1);
    let class = payload().c(0).raw(&[1]).c(0).raw(&[0, 0]);
    let definitions = || sound().record(19, member.clone()).record(20, class.clone());
    let metric = |types: &[u8]| {
        let start = payload().c(0).raw(&[types.len() as u8]);
        types.iter().fold(start, |bytes, kind| bytes.raw(&[*kind]).c(5))
    };
    case(definitions(), at_100().record(31, metric(&[4])), 1, &[], 0);
    let wrong = [("metric-values", "Metric", 1)];
    case(definitions(), at_100().record(31, metric(&[8])), 1, &wrong, 3);
    case(definitions(), at_100().record(31, metric(&[4, 4])), 1, &wrong, 3);
}

#[test]
fn metric_values_that_are_not_finite() {
    let member = payload().c(0).c(1).c(1).raw(&[0, 0, 10, 1]).c(0).c(1);
    let class = payload().c(0).raw(&[1]).c(0).raw(&[0, 0]);
    let definitions = || sound().record(19, member.clone()).record(20, class.clone());
    let metric = |value: f64| payload().c(0).raw(&[1, 10]).c(value.to_bits());
    case(definitions(), at_100().record(31, metric(f64::MAX)), 1, &[], 0);
    for value in [f64::NAN, f64::NEG_INFINITY] {
        let found = [("not-finite", "Metric", 1)];
        case(definitions(), at_100().record(31, metric(value)), 1, &found, 0);
    }
}

#[test]
fn parameters_of_another_type() {
    let definitions = || sound().record(23, payload().c(0).c(1).raw(&[1]));
    case(definitions(), at_100().record(33, payload().c(0).c(5)), 1, &[], 0);
    let wrong = [("parameter-type", "ParameterUnsignedInt", 1)];
    case(definitions(), at_100().record(34, payload().c(0).c(5)), 1, &wrong, 3);
}

#[test]
fn ranks_out_of_range() {
    let send = |rank: u64| payload().c(rank).c(0).c(0).c(8);
    case(sound(), at_100().record(14, send(0)), 1, &[], 0);
    case(sound(), at_100().record(14, send(1)), 1, &[("rank-out-of-range", "MpiSend", 1)], 3);
    let collective = |root: u64| {
        let end = payload().raw(&[1]).c(0).c(root).c(0).c(0);
        at_100().record(22, payload()).record(23, end)
    };
    // What stands for no root, or for oneself.
    for root in [0, 0xffff_fffd, UNDEFINED] {
        case(sound(), collective(root), 2, &[], 0);
    }
    let wrong = [("rank-out-of-range", "MpiCollectiveEnd", 2)];
    case(sound(), collective(1), 2, &wrong, 3);
}

#[test]
fn records_of_unknown_kinds() {
    case(sound(), at_100().record(200, payload().c(1)), 1, &[("unknown-record", "record", 1)], 0);
}

#[test]
fn both_orders_of_bytes() {
    let small = crate::common::small::Small::new(Order::Big);
    // Its definitions say one event of each location, which has two.
    let counts = [("event-count", "", 0); 2];
    assert_defects(&small, &counts, 0);
}
