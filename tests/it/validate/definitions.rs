//! Global definitions and mapping tables.

use crate::common::small::{anchor, Bytes, Definitions, Order};
use crate::validate::{archive, assert_defects, at_100, payload, sound, validate, UNDEFINED};

fn case(definitions: Definitions, expected: &[(&str, &str, u64)], code: i32) {
    let events = at_100().enter(0).leave(0);
    assert_defects(&archive(definitions, events, 2), expected, code);
}

/// The number that the next record of [`sound`] definitions has.
fn next() -> u64 {
    sound().count + 1
}

#[test]
fn references_between_definitions() {
    let node = |id: u64, name: u64, parent: u64| payload().c(id).c(name).c(1).c(parent);
    case(sound().record(12, node(0, 1, UNDEFINED)), &[], 0);
    let undefined = |record: &'static str| [("undefined-reference", record, next())];
    case(sound().record(12, node(0, 9, UNDEFINED)), &undefined("SystemTreeNode"), 3);
    case(sound().record(12, node(0, 1, 5)), &undefined("SystemTreeNode"), 3);
    // What comes later is defined as well.
    case(sound().record(12, node(0, 1, 1)).record(12, node(1, 1, UNDEFINED)), &[], 0);
    let comm = |group: u64| payload().c(1).c(1).c(group).c(UNDEFINED).c(0);
    case(sound().record(22, comm(9)), &undefined("Comm"), 3);
    case(sound().record(22, comm(UNDEFINED)), &[("missing-reference", "Comm", next())], 3);
    let property = |value: u64| payload().c(0).c(1).c(UNDEFINED).raw(&[14]).c(value);
    case(sound().record(28, property(1)), &[], 0);
    case(sound().record(28, property(9)), &undefined("LocationGroupProperty"), 3);
}

#[test]
fn definitions_that_stand_twice() {
    case(sound().region(1), &[("duplicate-definition", "Region", next())], 3);
    let clock = payload().c(1000).c(0).c(1000).c(u64::MAX);
    case(sound().record(5, clock), &[("duplicate-definition", "ClockProperties", next())], 3);
    let own = sound().string(UNDEFINED, "x");
    case(own, &[("invalid-definition", "String", next())], 3);
}

#[test]
fn circles() {
    let node = |id: u64, parent: u64| payload().c(id).c(1).c(1).c(parent);
    let circle = |code: &'static str, record: &'static str, number: u64| (code, record, number);
    let expected = [
        circle("circular-definition", "SystemTreeNode", next()),
        circle("circular-definition", "SystemTreeNode", next() + 1),
    ];
    case(
        sound().record(12, node(0, 1)).record(12, node(1, 0)).record(12, node(2, 0)),
        &expected,
        3,
    );
    let context = payload().c(0).c(0).c(UNDEFINED).c(0);
    case(sound().record(34, context), &[("circular-definition", "CallingContext", next())], 3);
}

#[test]
fn members_of_groups() {
    let group = |kind: u8, paradigm: u8, member: u64| {
        payload().c(2).c(1).raw(&[0]).c(1).c(member).raw(&[kind, paradigm]).c(0)
    };
    case(sound().record(18, group(1, 1, 0)), &[], 0);
    case(sound().record(18, group(1, 1, 4)), &[("undefined-reference", "Group", next())], 3);
    case(sound().record(18, group(2, 1, 4)), &[("undefined-reference", "Group", next())], 3);
    case(sound().record(18, group(5, 4, 4)), &[("rank-out-of-range", "Group", next())], 3);
    case(sound().record(18, group(5, 11, 0)), &[("invalid-definition", "Group", next())], 3);
}

#[test]
fn metric_instances() {
    let class = |id: u64| payload().c(id).raw(&[0, 0, 1]);
    let instance =
        |id: u64, class: u64, scope: u64| payload().c(id).c(class).c(0).raw(&[0]).c(scope);
    let definitions = || sound().record(20, class(0)).record(21, instance(1, 0, 0));
    case(definitions(), &[], 0);
    let of_instance = definitions().record(21, instance(2, 1, 0));
    case(of_instance, &[("invalid-definition", "MetricInstance", next() + 2)], 3);
    let scope = definitions().record(21, instance(2, 0, 8));
    case(scope, &[("undefined-reference", "MetricInstance", next() + 2)], 3);
}

#[test]
fn topologies_and_parameters() {
    let dimension = payload().c(0).c(1).c(1).raw(&[0]);
    let topology = payload().c(0).c(1).c(0).raw(&[1]).c(0);
    let definitions = || sound().record(30, dimension.clone()).record(31, topology.clone());
    let place = |rank: u64, coordinates: &[u8]| {
        let start = payload().c(0).c(rank).raw(&[coordinates.len() as u8]);
        coordinates.iter().fold(start, |bytes: Bytes, at| bytes.c((*at).into()))
    };
    case(definitions().record(32, place(0, &[0])), &[], 0);
    let invalid = [("invalid-definition", "CartCoordinate", next() + 2)];
    case(definitions().record(32, place(0, &[1])), &invalid, 3);
    case(definitions().record(32, place(0, &[0, 0])), &invalid, 3);
    let range = [("rank-out-of-range", "CartCoordinate", next() + 2)];
    case(definitions().record(32, place(1, &[0])), &range, 3);
    let path = payload().c(0).c(UNDEFINED).c(0);
    let parameter = payload().c(0).c(1).raw(&[1]);
    let value = payload().c(0).c(0).raw(&[4]).c(1);
    let typed = sound().record(17, path).record(23, parameter).record(42, value);
    case(typed, &[("parameter-type", "CallpathParameter", next() + 2)], 3);
}

#[test]
fn clocks() {
    let header = payload().header();
    let none = Definitions { bytes: header, count: 0, locations: 0 };
    let none = none.string(0, "").string(1, "work").region(0);
    let group = payload().c(0).c(1).raw(&[1]).c(UNDEFINED).c(UNDEFINED);
    case(none.record(13, group), &[("invalid-definition", "", 0)], 3);
}

/// The reference refuses such an archive.
#[test]
fn no_location() {
    let mut small = archive(sound(), at_100(), 0);
    let definitions = sound();
    small.anchor = anchor(Order::Little, 0, definitions.count);
    small.definitions = definitions.bytes.end().bytes;
    small.locations.clear();
    let members = ("undefined-reference", "Group", 7);
    assert_defects(&small, &[members, ("no-location", "", 0)], 2);
}

#[test]
fn mapping_tables() {
    let table = |global: u64| payload().raw(&[3]).c(2).raw(&[0]).c(1).c(global);
    let small = |local: Bytes| {
        let mut small = archive(sound(), at_100().enter(0).leave(0), 2);
        small.locations[0].definitions = Some(payload().header().raw(&local.bytes).end().bytes);
        small
    };
    let one = |global: u64| small(payload().record(5, table(global)));
    assert_defects(&one(0), &[], 0);
    assert_defects(&one(u64::MAX), &[], 0);
    assert_defects(&one(8), &[("undefined-mapping", "MappingTable", 1)], 0);
    // A record that uses it.
    let regions = payload().record(5, payload().raw(&[3]).c(1).raw(&[0]).c(9));
    let used = [
        ("undefined-mapping", "MappingTable", 1),
        ("undefined-reference", "Enter", 1),
        ("undefined-reference", "Leave", 2),
    ];
    assert_defects(&small(regions), &used, 3);
    let twice = small(payload().record(5, table(0)).record(5, table(0)));
    assert_defects(&twice, &[("duplicate-mapping", "MappingTable", 2)], 3);
    let empty = small(payload().record(5, payload().raw(&[3]).c(0).raw(&[0])));
    assert_defects(&empty, &[("damaged", "MappingTable", 1)], 3);
    let offset = |time: u64| payload().u64(time).c(1).u64(0);
    let clocks = payload().record(6, offset(4)).record(6, offset(5));
    let place = clocks.payload().header().bytes.len() + clocks.bytes.len();
    let clocks = small(clocks.record(6, offset(5)).record(6, offset(6)));
    assert_defects(&clocks, &[("damaged", "ClockOffset", 3)], 3);
    let (_, report) = validate(&clocks.write().anchor());
    assert_eq!(report["defects"][0]["offset"], place);
}
