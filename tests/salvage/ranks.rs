//! Lists of locations by ranks that are lost, and groups of ranks.

use streamfold::formats::otf2::Order as Written;

use crate::common::program::{said, streamfold, text};
use crate::common::small::{Bytes, Definitions, Files, Order, Small};
use crate::dropped::drop_record;
use crate::made::Made;
use crate::{definitions, expect_message, expect_no_errors, expect_valid, Place};

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

/// Whichever definition of groups and communicators is gone, the archive can be read.
#[test]
fn any_one_that_is_lost() {
    for (id, number) in [(GROUP, 3), (COMM, 0), (COMM, 1), (COMM, 3), (24, 0)] {
        let made = Made::new(Written::Little, 2);
        drop_record(&made.file(".def"), id, number);
        let place = Place::new();
        expect_message(&place.salvage(&made.anchor(), &[]), 3, "the definitions end early");
        // A number that is left free is an oddity that the reference tool tells.
        expect_no_errors(&place.anchor());
    }
}
