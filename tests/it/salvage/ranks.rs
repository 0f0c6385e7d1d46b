//! Lists of locations by ranks that are lost, and groups of ranks.

use streamfold::formats::otf2::Order as Written;

use crate::common::program::{said, streamfold, text};
use crate::common::small::{Bytes, Definitions, Files, Order, Small, ORDERS};
use crate::salvage::dropped::drop_record;
use crate::salvage::made::Made;
use crate::salvage::{definitions, expect, expect_message, expect_valid, Place};

const GROUP: u8 = 18;
const COMM: u8 = 22;

/// The groups that list locations, with the numbers of these.
fn lists(place: &Place) -> Vec<String> {
    let all = definitions(&place.anchor()).into_iter();
    all.filter(|definition| definition.contains("CommLocations")).collect()
}

/// Fails where there are other errors than that of the group of ranks whose locations nobody lists.
#[track_caller]
fn expect_only_the_list_is_lost(place: &Place) {
    let anchor = place.anchor();
    let ended = streamfold(["validate".as_ref(), anchor.as_os_str()]).output();
    let ended = ended.expect("the program runs");
    let found = text(&ended.stdout);
    assert_eq!(ended.status.code(), Some(3), "{found}");
    assert!(found.contains("1 error") && found.contains("no group lists the locations"), "{found}");
}

/// The first group lists the locations of MPI.
#[test]
fn the_list_of_ranks_is_made_up_of_processes() {
    let made = Made::new(Written::Little, 2);
    drop_record(&made.file(".def"), GROUP, 0);
    let place = Place::new();
    let ended = place.salvage(&made.anchor(), &[]);
    let part =
        "no group lists the locations that communicate by MPI: the first threads of 2 processes";
    expect_message(&ended, 3, part);
    expect_valid(&place.anchor());
    let lists = lists(&place);
    let found = lists.iter().find(|list| list.contains("Mpi")).expect("a list");
    assert!(found.contains("members: [0, 1]"), "{found}");
}

/// Even where all is lost of one of the processes but that others talk to it.
#[test]
fn ranks_that_are_lost_stay_in_the_list() {
    let made = Made::new(Written::Little, 2);
    let definitions = made.file(".def");
    drop_record(&definitions, GROUP, 0);
    // Locations 1 and 4294967297.
    for number in [3, 1] {
        drop_record(&definitions, 14, number);
    }
    for file in ["/1.evt", "/1.def", "/4294967297.evt", "/4294967297.def"] {
        made.remove(file);
    }
    let place = Place::new();
    let ended = place.salvage(&made.anchor(), &[]);
    expect_message(&ended, 3, "the first threads of 2 processes are taken for its ranks");
    expect_valid(&place.anchor());
}

/// Three ranks, and one process with two threads.
#[test]
fn what_is_not_clear_is_told() {
    let order = Order::Little;
    let all = Definitions::new(order).region(0).location(0, 0).location(1, 0);
    let group = all.bytes.payload().c(0).c(1).raw(&[4]).c(3).c(0).c(1).c(2).raw(&[5, 4]).c(0);
    let all = all.record(GROUP, group);
    let comm = all.bytes.payload().c(0).c(1).c(0).c(0xffff_ffff).c(0);
    let all = all.record(COMM, comm);
    let events = || {
        let send = Bytes::new(order).c(2).c(0).c(7).c(8);
        let events = Bytes::new(order).header().time(100).record(14, send).end();
        Files { events: Some(events.bytes), definitions: None }
    };
    let small = Small::with(order, all, vec![events(), events()]).write();
    let place = Place::new();
    let ended = place.salvage(&small.anchor(), &[]);
    expect_message(&ended, 3, "by MPI, and nothing that is left tells them: 3 ranks");
    assert!(said(&ended).contains("messages among them cannot be matched"), "{}", said(&ended));
    assert_eq!(lists(&place), [""; 0]);
    expect_only_the_list_is_lost(&place);
}

/// Nothing tells in which order threads were.
#[test]
fn the_list_of_threads_is_not_made_up() {
    let made = Made::new(Written::Little, 2);
    drop_record(&made.file(".def"), GROUP, 2);
    let place = Place::new();
    let ended = place.salvage(&made.anchor(), &[]);
    expect_message(
        &ended,
        3,
        "communicate by OPENMP, and nothing that is left tells them: 4 ranks",
    );
    expect_only_the_list_is_lost(&place);
}

/// Who is in a communicator is lost: all of them.
#[test]
fn communicators_without_their_group_have_all_ranks() {
    let made = Made::new(Written::Little, 2);
    drop_record(&made.file(".def"), GROUP, 1);
    let place = Place::new();
    let ended = place.salvage(&made.anchor(), &[]);
    let part = "Comm 1: nobody defines Group 1, which says who is in it; it has all members now";
    expect_message(&ended, 3, part);
    expect_valid(&place.anchor());
}

/// A group of MPI with these members: locations with ranks (4), or ranks (5).
fn group(definitions: Definitions, id: u64, kind: u8, members: &[u64]) -> Definitions {
    let group = definitions.bytes.payload().c(id).c(1).raw(&[0]).c(members.len() as u64);
    let group = members.iter().fold(group, |group, member| group.c(*member));
    definitions.record(GROUP, group.raw(&[kind, 4]).c(0))
}

/// They stay: others are ranks by their places in the group.
#[test]
fn groups_that_are_larger_than_the_job_are_told() {
    for order in ORDERS {
        let all = Definitions::new(order).region(0).location(0, 0).location(1, 0);
        let all = group(group(all, 0, 4, &[0, 1]), 1, 5, &[1, 7, 0]);
        let small = Small::with(order, all, Small::new(order).locations).write();
        let place = Place::new();
        let ended = place.salvage(&small.anchor(), &[]);
        let part =
            "t.def: Group 1: one of its 3 members is rank 7, and Group 0 lists 2 locations that \
                    communicate by MPI; it stays";
        expect_message(&ended, 3, part);
        let groups = definitions(&place.anchor()).join("\n");
        assert!(groups.contains("members: [1, 7, 0]"), "{groups}");
        expect(&Place::new().salvage(&small.anchor(), &["--strict"]), 2);
    }
}

/// So are those that only one location has, by its file. The list of all counts before its own.
#[test]
fn so_are_those_of_locations() {
    let order = Order::Little;
    let all = || Definitions::new(order).region(0).location(0, 0).location(1, 0);
    let own = Definitions { bytes: Bytes::new(order).header(), count: 0, locations: 0 };
    let own = group(group(own, 0, 4, &[0, 1]), 1, 5, &[2]);
    let mut small = Small::with(order, all(), Small::new(order).locations);
    small.locations[1].definitions = Some(own.bytes.end().bytes);
    let written = small.write();
    let ended = Place::new().salvage(&written.anchor(), &[]);
    let part = "t/1.def: Group 1: one of its 1 members is rank 2, and Group 0 lists 2 locations";
    expect_message(&ended, 3, part);
    // The list of all is longer.
    let all = group(all().location(2, 0), 0, 4, &[0, 1, 2]);
    let locations = [small.locations.clone(), vec![small.locations[0].clone()]].concat();
    let written = Small::with(order, all, locations).write();
    let ended = Place::new().salvage(&written.anchor(), &[]);
    assert!(!said(&ended).contains("Group 1"), "{}", said(&ended));
}
