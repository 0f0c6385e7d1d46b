//! What an input may make the program create: no more than what it has files for and defines, and
//! some more that others lead to.

use std::fs;

use crate::common::files::names;
use crate::common::program::said;
use crate::common::small::{anchor_with, Bytes, Definitions, Files, Order, Small, Written, CHUNK};
use crate::salvage::{definitions, expect_message, expect_valid, Place};

const GROUP: u8 = 18;
const ATTRIBUTES: u8 = 6;
const ORDER: Order = Order::Little;

/// Types of groups.
const LOCATIONS: u8 = 1;
const REGIONS: u8 = 2;
const COMM_LOCATIONS: u8 = 4;

fn visit() -> Files {
    let events = Bytes::new(ORDER).header().time(100).enter(0).leave(0).end();
    Files { events: Some(events.bytes), definitions: None }
}

/// One location, and a group of this type with these members; no anchor.
fn with_group(kind: u8, members: std::ops::Range<u64>) -> Written {
    let all = Definitions::new(ORDER).region(0).location(0, 0);
    let count = members.end - members.start;
    let group = all.bytes.payload().c(0).c(1).raw(&[0]).c(count);
    let group = members.fold(group, |group, member| group.c(member));
    let all = all.record(GROUP, group.raw(&[kind, 4]).c(0));
    let written = Small::with(ORDER, all, vec![visit()]).write();
    fs::remove_file(written.anchor()).expect("no anchor");
    written
}

fn groups(place: &Place) -> usize {
    definitions(&place.anchor()).iter().filter(|all| all.contains("Group(Group {")).count()
}

#[test]
fn members_of_groups_make_no_locations() {
    let small = with_group(LOCATIONS, 0..60_000);
    let place = Place::new();
    let ended = place.salvage(&small.file("t"), &[]);
    let part = "59999 of 60000 members are defined by nobody, Location 1 first; they are left out";
    expect_message(&ended, 3, part);
    assert_eq!(names(&place.file("new/salvaged")), ["0.def", "0.evt"]);
    assert_eq!(groups(&place), 1);
    expect_valid(&place.anchor());
}

#[test]
fn lists_of_more_locations_than_there_can_be_are_left_out() {
    let small = with_group(COMM_LOCATIONS, 0..60_000);
    let place = Place::new();
    let ended = place.salvage(&small.file("t"), &[]);
    expect_message(&ended, 3, "59999 of the locations that it lists are defined by nobody");
    assert!(said(&ended).contains("; it is left out"), "{}", said(&ended));
    assert_eq!(names(&place.file("new/salvaged")), ["0.def", "0.evt"]);
    assert_eq!(groups(&place), 0);
    expect_valid(&place.anchor());
}

/// Ranks are places in the list.
#[test]
fn some_locations_of_such_a_list_may_be_lost() {
    let small = with_group(COMM_LOCATIONS, 0..4);
    let place = Place::new();
    let ended = place.salvage(&small.file("t"), &[]);
    expect_message(&ended, 3, "t/3.evt: there is no event file of this location");
    assert_eq!(names(&place.file("new/salvaged")).len(), 8);
    expect_valid(&place.anchor());
}

#[test]
fn members_of_groups_make_no_regions() {
    let small = with_group(REGIONS, 0..50_000);
    let place = Place::new();
    let ended = place.salvage(&small.file("t"), &[]);
    expect_message(&ended, 3, "49999 of 50000 members are defined by nobody, Region 1 first");
    let regions = definitions(&place.anchor());
    assert_eq!(regions.iter().filter(|all| all.contains("Region(Region {")).count(), 1);
    expect_valid(&place.anchor());
}

/// Locations that events name as values of attributes.
#[test]
fn values_of_events_make_few_locations() {
    let named = |count: u64| {
        let mut events = Bytes::new(ORDER).header().time(100);
        for number in 0..count {
            let list = events.payload().c(1).c(0).raw(&[13]).c(7 + 2 * number);
            events = events.record(ATTRIBUTES, list).enter(0).leave(0);
        }
        let files = Files { events: Some(events.end().bytes), definitions: None };
        let all = Definitions::new(ORDER).region(0).location(0, 0);
        Small::with(ORDER, all, vec![files]).write()
    };
    let place = Place::new();
    let few = named(5);
    expect_message(&place.salvage(&few.anchor(), &[]), 3, "to which others lead");
    assert_eq!(names(&place.file("new/salvaged")).len(), 12);
    expect_valid(&place.anchor());
    let place = Place::new();
    let many = named(1041);
    expect_message(&place.salvage(&many.anchor(), &[]), 2, "more than 1040 locations");
    assert!(!place.file("new").exists());
}

/// A million definitions are made up, and no more.
#[test]
fn events_make_no_more_than_a_million_definitions() {
    let mut events = Bytes::new(ORDER).header().time(100);
    for region in 0..=1 << 20 {
        events = events.enter(region);
    }
    let files = Files { events: Some(events.end().bytes), definitions: None };
    let all = Definitions::new(ORDER).location(0, 0);
    let mut small = Small::with(ORDER, all, vec![files]);
    small.anchor = anchor_with(ORDER, 16 << 20, CHUNK, 1, 5);
    let small = small.write();
    let place = Place::new();
    expect_message(&place.salvage(&small.anchor(), &[]), 2, "more than 1048576 numbers");
    assert!(!place.file("new").exists());
}
