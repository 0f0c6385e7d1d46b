//! Numbers that are far apart, as some tracers give them to each process: where definitions are lost,
//! those that are made up have numbers without gaps, and mapping tables lead there.

use std::fs;
use std::path::Path;

use streamfold::formats::otf2::Order as Written;

use crate::common::archives::{large_folders, Archive};
use crate::common::csv::fields;
use crate::common::files::Files as AllFiles;
use crate::common::program::{said, streamfold, text};
use crate::common::small::{Bytes, Definitions, Files, Order, Small, ORDERS};
use crate::salvage::dropped::drop_record;
use crate::salvage::made::Made;
use crate::salvage::{
    definitions, events, expect_message, expect_print_is_silent, expect_valid, Place,
};

/// The profile by locations, without their names.
fn profile(anchor: &Path) -> Vec<Vec<String>> {
    let args = ["profile", "--by", "location", "--format", "csv"];
    let ended = streamfold(args).arg(anchor).output().expect("the program runs");
    let report = text(&ended.stdout);
    let mut rows = report.lines().map(fields);
    let head = rows.next().expect("a head");
    let wanted = ["location", "visits", "inclusive_ticks", "sent", "received", "collectives"];
    let is_wanted = |name: &String| wanted.contains(&name.as_str());
    let places: Vec<usize> = (0..head.len()).filter(|place| is_wanted(&head[*place])).collect();
    assert_eq!(places.len(), wanted.len(), "{head:?}");
    rows.map(|row| places.iter().map(|place| row[*place].clone()).collect()).collect()
}

/// Each process has numbers of its own, from 0, 536870911, … on.
#[test]
fn numbers_of_processes_become_numbers_without_gaps() {
    let Some(folder) = large_folders(&["eztrace-mpi-p2p-coll-intercomm"]).pop() else { return };
    let archive = Archive::find(&folder).expect("an archive");
    let (_broken, anchor) = Place::with(&archive);
    fs::remove_file(anchor.with_extension("def")).expect("removed");
    let place = Place::new();
    let ended = place.salvage(&anchor, &[]);
    expect_message(&ended, 3, "new numbers without gaps for definitions of 2 kinds");
    expect_print_is_silent(&place.anchor());
    for location in [0, 536_870_911, 1_073_741_822, 1_610_612_733] {
        let (now, before) = (events(&place.anchor(), location), events(&anchor, location));
        assert!(!now.is_empty() && now == before, "{location}");
    }
    assert_eq!(profile(&place.anchor()), profile(&archive.anchor));
}

const GROUP: u8 = 18;
const MAPPING_TABLE: u8 = 5;
const REGION: u8 = 3;
const FAR: u64 = 1 << 29;

/// One location whose table leads from region 1 to one that is far away, and which is there itself, too.
fn mapped(order: Order) -> Small {
    let events = Bytes::new(order).header().time(100).enter(1).enter(7).leave(7).leave(1);
    let table = Bytes::new(order).raw(&[REGION]).c(1).raw(&[1]).c(1).c(FAR);
    let table = Bytes::new(order).header().record(MAPPING_TABLE, table).end();
    let files = Files { events: Some(events.end().bytes), definitions: Some(table.bytes) };
    Small::with(order, Definitions::new(order).location(0, 0), vec![files])
}

#[test]
fn tables_that_are_there_lead_to_the_new_numbers() {
    for order in ORDERS {
        let small = mapped(order).write();
        let place = Place::new();
        let ended = place.salvage(&small.anchor(), &[]);
        expect_message(&ended, 0, "new numbers without gaps for definitions of 1 kind");
        expect_valid(&place.anchor());
        let regions = definitions(&place.anchor());
        let regions = regions.iter().filter(|text| text.contains("Region(Region {"));
        assert_eq!(regions.count(), 2, "{}", said(&ended));
        assert_eq!(events(&place.anchor(), 0), events(&small.anchor(), 0));
        assert_eq!(profile(&place.anchor()), [["0", "2", "0", "0", "0", "0"]]);
    }
}

/// A number of its own definitions means these, whatever all have.
#[test]
fn numbers_of_locations_that_define_something_stay() {
    let order = Order::Little;
    let mut small = mapped(order);
    let own = Definitions { bytes: Bytes::new(order).header(), count: 0, locations: 0 };
    small.locations[0].definitions = Some(own.region(1).bytes.end().bytes);
    let events = Bytes::new(order).header().time(100).enter(1).enter(FAR).leave(FAR).leave(1);
    small.locations[0].events = Some(events.end().bytes);
    let small = small.write();
    let place = Place::new();
    let ended = place.salvage(&small.anchor(), &[]);
    expect_message(&ended, 0, "1 location has definitions of its own");
    assert!(!said(&ended).contains("new numbers"), "{}", said(&ended));
}

/// Nothing leads to what is lost, but others have numbers behind it.
#[test]
fn what_is_lost_leaves_no_gap() {
    for (id, number) in [(GROUP, 3), (22, 0), (22, 1), (22, 3), (24, 0), (15, 1)] {
        let made = Made::new(Written::Little, 2);
        drop_record(&made.file(".def"), id, number);
        let place = Place::new();
        expect_message(&place.salvage(&made.anchor(), &[]), 3, "the definitions end early");
        expect_valid(&place.anchor());
    }
}

/// Readers want the list of locations before the groups of ranks, in the order of numbers.
#[test]
fn lists_come_before_the_groups_of_their_ranks() {
    for order in ORDERS {
        let group = |all: Definitions, id: u64, kind: u8, count: u64| {
            let group = all.bytes.payload().c(id).c(1).raw(&[0]).c(count);
            let group = (0..count).fold(group, |group, member| group.c(member));
            all.record(GROUP, group.raw(&[kind, 4]).c(0))
        };
        // The number of the list is that of another group, too.
        let all = Definitions::new(order).region(0).location(0, 0).location(1, 0);
        let all = group(group(group(all, 0, 4, 2), 0, 5, 2), 1, 5, 1);
        let small = Small::with(order, all, Small::new(order).locations).write();
        let place = Place::new();
        let ended = place.salvage(&small.anchor(), &[]);
        expect_message(&ended, 3, "Group 0: it is defined more than once, and not the same");
        expect_valid(&place.anchor());
    }
}

/// Three processes whose regions have numbers that are far apart.
fn far() -> Small {
    let order = Order::Little;
    let visits = |first: u64| {
        let events = Bytes::new(order).header().time(100).enter(first + 1).enter(first);
        let events = events.leave(first).leave(first + 1).end();
        Files { events: Some(events.bytes), definitions: None }
    };
    let all = (0..3).fold(Definitions::new(order), |all, location| all.location(location, 0));
    Small::with(order, all, (0..3).map(|location| visits(location * FAR)).collect())
}

#[test]
fn any_number_of_threads_writes_the_same() {
    let small = far().write();
    let [one, four] = ["1", "4"].map(|threads| {
        let place = Place::new();
        let ended = place.salvage(&small.anchor(), &["--threads", threads]);
        expect_message(&ended, 0, "new numbers without gaps for definitions of 1 kind");
        expect_valid(&place.anchor());
        AllFiles::read(&place.anchor())
    });
    four.assert_same(&one, "4 threads");
    assert!(one.0.contains_key("/2.def"));
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_writes_the_same() {
    let small = far().write();
    let alone = Place::new();
    alone.salvaged(&small.anchor(), &[], 0);
    let expected = AllFiles::read(&alone.anchor());
    for ranks in [2, 3] {
        let place = Place::new();
        let (from, to) = (small.anchor(), place.anchor());
        let args = ["salvage".as_ref(), from.as_os_str(), "-o".as_ref(), to.as_os_str()];
        let Some(ended) = crate::common::program::on_ranks(ranks, args) else { return };
        assert_eq!(ended.status.code(), Some(0), "{ranks} ranks: {}", said(&ended));
        AllFiles::read(&to).assert_same(&expected, &format!("{ranks} ranks"));
    }
}
