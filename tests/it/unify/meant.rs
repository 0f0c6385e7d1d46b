//! Communicators of which a location does not say who is in them: which of those that others know they are.

use std::collections::BTreeMap;

use streamfold::model::definitions::Definition;
use streamfold::model::enums::GroupType;
use streamfold::model::ids::{CommRef, GroupRef, LocationGroupRef};

use crate::common::program::said;
use crate::unify::made::{
    defects, group_members, make, make_with, of_kind, records, send, system, Defs, Local, Made,
};
use crate::unify::{expect_message, one_set, Place};

/// What stands for a group that a location does not know.
const UNKNOWN: GroupRef = GroupRef::UNDEFINED;

/// A location in the world of so many, with these communicators below it: their members where it knows them.
fn local(locations: u64, comms: &[Option<&[u64]>]) -> Local {
    let mut defs = Defs::new(0);
    let all: Vec<u64> = (0..locations).map(|which| which * 100).collect();
    let (_, world) = defs.world(&all);
    let comms: Vec<CommRef> = comms
        .iter()
        .map(|members| {
            let known = members.map(|members| defs.group(GroupType::CommGroup, members));
            defs.comm("", known.unwrap_or(UNKNOWN), world)
        })
        .collect();
    Local::new(defs, (1..).zip(comms).map(|(tag, comm)| send(comm, tag)).collect::<Vec<_>>())
}

/// A communicator, and who is in it.
type Meant = (u64, Option<Vec<u64>>);

/// The members of what each location sent on, in the order of its events; `None`: nobody knows them.
fn meant(place: &Place) -> BTreeMap<u64, Vec<Meant>> {
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    let groups = group_members(place);
    let comms: BTreeMap<u64, Option<Vec<u64>>> = of_kind(place, "Comm")
        .iter()
        .map(|comm| {
            let group = comm["group"].as_u64().and_then(|group| groups.get(&group).cloned());
            (number(&comm["id"]), group)
        })
        .collect();
    let mut meant: BTreeMap<u64, Vec<_>> = BTreeMap::new();
    for record in records(place, &[]).iter().filter(|record| record["record"] == "MpiSend") {
        let comm = number(&record["communicator"]);
        let of_location = meant.entry(number(&record["location"]) / 100).or_default();
        of_location.push((comm, comms[&comm].clone()));
    }
    meant
}

/// Fails where locations do not mean communicators with these members.
#[track_caller]
fn check(place: &Place, expected: &[&[&[u64]]]) {
    let meant = meant(place);
    let members = meant.values().map(|comms| comms.iter().map(|(_, members)| members.clone()));
    let members: Vec<Vec<_>> = members.map(Iterator::collect).collect();
    let expected: Vec<Vec<_>> = expected
        .iter()
        .map(|comms| comms.iter().map(|members| Some(members.to_vec())).collect())
        .collect();
    assert_eq!(members, expected);
    assert_eq!(defects(place), [""; 0]);
}

const ALL: &[u64] = &[0, 1, 2, 3];
/// All but the first.
const MOST: &[u64] = &[1, 2, 3];
/// The last two.
const LAST: &[u64] = &[2, 3];
/// Two rows and two columns.
const ROWS: [&[u64]; 2] = [&[0, 1], &[2, 3]];
const COLUMNS: [&[u64]; 2] = [&[0, 2], &[1, 3]];

fn order() -> Made {
    let [first, second, other] =
        [local(4, &[Some(ALL)]), local(4, &[Some(MOST), None]), local(4, &[None, None])];
    make(&[first, second, local(4, &[None, None]), other])
}

/// The first one that is read was made last: another location says so, and the others know neither.
#[test]
fn the_order_is_that_of_the_members() {
    let made = order();
    let both = [MOST, ALL];
    check(&one_set(&made.anchor, &[]), &[&[ALL], &both, &both, &both]);
}

fn exchanged() -> Made {
    let [x, y, z]: [&[u64]; 3] = [&[0, 1], &[0, 1, 2], &[0, 1, 3]];
    let [k, l]: [&[u64]; 2] = [&[0, 1, 4], &[0, 1, 2, 3]];
    make(&[
        local(6, &[None, Some(k), None, Some(l), None]),
        local(6, &[Some(k), Some(y)]),
        local(6, &[Some(y), Some(l)]),
        local(6, &[Some(x)]),
        local(6, &[Some(z)]),
        local(6, &[]),
    ])
}

/// Five, of which a location knows two: of the others the second comes between these, and the first and the last may be
/// the other way round, which nobody tells.
#[test]
fn what_may_be_exchanged_around_others_is_a_guess() {
    let made = exchanged();
    expect_message(&Place::new().unify(&made.anchor, &[]), 3, "it is a guess");
}

/// Two locations with two duplicates of the world, and their numbers.
fn duplicates() -> (Made, [u64; 2]) {
    let local = || {
        let mut defs = Defs::new(80);
        let comms = [1, 2].map(|tag| send(defs.comm("dup", UNKNOWN, CommRef::UNDEFINED), tag));
        Local::new(defs, comms)
    };
    let locals = [local(), local()];
    let mut more = Defs::new(50);
    let (all, _) = more.world(&[0, 100]);
    let dups = [0, 1].map(|_| more.comm("dup", all, CommRef::UNDEFINED));
    let mut global = system(&locals);
    global.all.extend(more.all);
    (make_with(global, &locals, |_| (0, 0)), dups.map(|comm| comm.0.into()))
}

/// Only the global definitions know them: the first one that a location has is the first.
#[test]
fn duplicates_that_are_known_globally_are_in_order() {
    let (made, expected) = duplicates();
    let place = one_set(&made.anchor, &[]);
    let world: &[u64] = &[0, 1];
    check(&place, &[&[world, world], &[world, world]]);
    for sent in meant(&place).values() {
        assert_eq!(sent.iter().map(|(comm, _)| *comm).collect::<Vec<_>>(), expected);
    }
}

fn learnt() -> Made {
    // Made in the order of the last one, the one before, the first.
    make(&[
        local(4, &[Some(ALL)]),
        local(4, &[Some(MOST), None]),
        local(4, &[Some(LAST), None, None]),
        local(4, &[None, None, None]),
    ])
}

/// What one location finds out tells others the order.
#[test]
fn locations_learn_the_order_from_each_other() {
    let made = learnt();
    let all = [LAST, MOST, ALL];
    check(&one_set(&made.anchor, &[]), &[&[ALL], &[MOST, ALL], &all, &all]);
}

fn rows_and_columns() -> Made {
    make(&[
        local(4, &[Some(ROWS[0]), Some(COLUMNS[0])]),
        local(4, &[None, Some(COLUMNS[1])]),
        local(4, &[Some(ROWS[1]), None]),
        local(4, &[None, None]),
    ])
}

/// Rows, then columns, each known to the first of its members: no two files have the last row and the last column,
/// but a column comes behind a row.
#[test]
fn what_only_the_place_tells_is_told() {
    let made = rows_and_columns();
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect_message(&ended, 0, "only its place tells");
    assert_eq!(said(&ended).matches("only its place tells").count(), 1, "{}", said(&ended));
    let of = |which: u64| [ROWS[which as usize / 2], COLUMNS[which as usize % 2]];
    check(&place, &[&of(0), &of(1), &of(2), &of(3)]);
}

fn guess() -> Made {
    make(&[
        local(4, &[Some(ALL)]),
        local(4, &[Some(MOST)]),
        local(4, &[None, None]),
        local(4, &[None, None]),
    ])
}

/// Two of which nobody says which came first.
#[test]
fn a_guess_is_told() {
    let made = guess();
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect_message(&ended, 3, "it is a guess");
    assert!(said(&ended).contains("and 1 more of its name and parent"), "{}", said(&ended));
}

fn hidden() -> Made {
    make(&[
        local(4, &[None, Some(ALL)]),
        local(4, &[Some(ALL), None]),
        local(4, &[None, None]),
        local(4, &[None, None]),
    ])
}

/// One of two duplicates of the world is known to each of two locations, another one to each.
#[test]
fn one_that_nobody_seems_to_know_is_told() {
    let made = hidden();
    expect_message(&Place::new().unify(&made.anchor, &[]), 3, "nobody knows who is in it");
}

fn unknown() -> Made {
    make(&[local(2, &[None]), local(2, &[None])])
}

#[test]
fn what_nobody_knows_is_told() {
    let made = unknown();
    let place = Place::new();
    expect_message(&place.unify(&made.anchor, &[]), 0, "nobody knows who is in it");
    let meant = meant(&place);
    assert_eq!(meant[&0], meant[&1]);
    assert_eq!(meant[&0][0].1, None);
}

fn threads() -> Made {
    let mut locals = vec![
        local(4, &[Some(&[0, 1])]),
        local(4, &[Some(&[0, 1])]),
        local(4, &[Some(&[2, 3])]),
        local(4, &[Some(&[2, 3])]),
    ];
    locals.push(local(4, &[None]));
    let mut global = system(&locals);
    for definition in &mut global.all {
        if let Definition::Location(location) = definition {
            if location.id.0 == 400 {
                location.location_group = LocationGroupRef(2);
            }
        }
    }
    global.all.retain(|it| !matches!(it, Definition::LocationGroup(it) if it.id.0 == 4));
    make_with(global, &locals, |_| (0, 0))
}

/// A thread that has no rank has the communicators of its process.
#[test]
fn threads_are_in_the_communicators_of_their_process() {
    let made = threads();
    let (one, other): (&[u64], &[u64]) = (&[0, 1], &[2, 3]);
    for way in [&[][..], &["--rewrite-events"]] {
        let place = one_set(&made.anchor, way);
        check(&place, &[&[one], &[one], &[other], &[other], &[other]]);
    }
}

/// Each process has one of its own by this group, whoever says so.
#[test]
fn all_are_in_communicators_of_each_process_alone() {
    let local = |is_known: bool| {
        let mut defs = Defs::new(0);
        defs.world(&[0, 100, 200]);
        let group = if is_known { defs.group(GroupType::CommSelf, &[]) } else { UNKNOWN };
        let alone = defs.comm("MPI_COMM_SELF", group, CommRef::UNDEFINED);
        Local::new(defs, [send(alone, 1)])
    };
    let place = one_set(&make(&[local(false), local(true), local(false)]).anchor, &[]);
    assert_eq!(of_kind(&place, "Comm").len(), 2, "the world and this one");
    let sent: Vec<Meant> = meant(&place).into_values().flatten().collect();
    assert!(sent.iter().all(|comm| *comm == sent[0] && comm.1.is_some()), "{sent:?}");
}

fn undefined_group() -> Made {
    let other = || {
        let mut defs = Defs::new(0);
        let world = defs.comm("MPI_COMM_WORLD", GroupRef(77), CommRef::UNDEFINED);
        Local::new(defs, [send(world, 1)])
    };
    let first = {
        let mut defs = Defs::new(0);
        let (_, world) = defs.world(&[0, 100, 200]);
        Local::new(defs, [send(world, 1)])
    };
    make(&[first, other(), other()])
}

/// The number of its group is nobody's: others may know it all the same.
#[test]
fn a_group_that_is_not_defined_may_be_known_elsewhere() {
    let made = undefined_group();
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect_message(&ended, 3, "leads to Group 77, which is not defined");
    let world: &[u64] = &[0, 1, 2];
    check(&place, &[&[world], &[world], &[world]]);
    assert_eq!(of_kind(&place, "Comm").len(), 1);
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_finds_the_same() {
    let of_all = [
        (order(), 0),
        (exchanged(), 3),
        (duplicates().0, 0),
        (learnt(), 0),
        (rows_and_columns(), 0),
        (guess(), 3),
        (hidden(), 3),
        (unknown(), 0),
        (threads(), 0),
        (undefined_group(), 3),
    ];
    for (made, code) in of_all {
        let told = crate::unify::on_ranks::expect_same(&made, code);
        assert!(code == 0 || !told.is_empty());
    }
}
