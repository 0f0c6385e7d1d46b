//! Communicators of which a location does not say who is in them: which of those that others know they are.

use std::collections::BTreeMap;

use streamfold::model::definitions::Definition;
use streamfold::model::enums::GroupType;
use streamfold::model::ids::{CommRef, GroupRef, LocationGroupRef};

use crate::common::program::said;
use crate::made::{defects, make, make_with, of_kind, records, send, system, Defs, Local};
use crate::{expect_message, one_set, Place};

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
    let groups: BTreeMap<u64, Vec<u64>> = of_kind(place, "Group")
        .iter()
        .map(|group| {
            let members = group["members"].as_array().expect("members");
            (number(&group["id"]), members.iter().map(number).collect())
        })
        .collect();
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

/// The first one that is read was made last: another location says so, and the others know neither.
#[test]
fn the_order_is_that_of_the_members() {
    let most: &[u64] = &[1, 2, 3];
    let [first, second, other] =
        [local(4, &[Some(ALL)]), local(4, &[Some(most), None]), local(4, &[None, None])];
    let made = make(&[first, second, local(4, &[None, None]), other]);
    let both = [most, ALL];
    check(&one_set(&made.anchor, &[]), &[&[ALL], &both, &both, &both]);
}

/// What one location finds out tells others the order.
#[test]
fn locations_learn_the_order_from_each_other() {
    let [a, b, c]: [&[u64]; 3] = [&[0, 1, 2, 3], &[1, 2, 3], &[2, 3]];
    // Made in the order c, b, a.
    let made = make(&[
        local(4, &[Some(a)]),
        local(4, &[Some(b), None]),
        local(4, &[Some(c), None, None]),
        local(4, &[None, None, None]),
    ]);
    let all = [c, b, a];
    check(&one_set(&made.anchor, &[]), &[&[a], &[b, a], &all, &all]);
}

/// Rows, then columns, each known to the first of its members: no two files have the last row and the last column,
/// but a column comes behind a row.
#[test]
fn what_only_the_place_tells_is_told() {
    let rows: [&[u64]; 2] = [&[0, 1], &[2, 3]];
    let columns: [&[u64]; 2] = [&[0, 2], &[1, 3]];
    let made = make(&[
        local(4, &[Some(rows[0]), Some(columns[0])]),
        local(4, &[None, Some(columns[1])]),
        local(4, &[Some(rows[1]), None]),
        local(4, &[None, None]),
    ]);
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect_message(&ended, 0, "only its place tells");
    assert_eq!(said(&ended).matches("only its place tells").count(), 1, "{}", said(&ended));
    let of = |which: u64| [rows[which as usize / 2], columns[which as usize % 2]];
    check(&place, &[&of(0), &of(1), &of(2), &of(3)]);
}

/// Two of which nobody says which came first.
#[test]
fn a_guess_is_told() {
    let most: &[u64] = &[1, 2, 3];
    let made = make(&[
        local(4, &[Some(ALL)]),
        local(4, &[Some(most)]),
        local(4, &[None, None]),
        local(4, &[None, None]),
    ]);
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect_message(&ended, 3, "it is a guess");
    assert!(said(&ended).contains("and 1 more of its name and parent"), "{}", said(&ended));
}

/// One of two duplicates of the world is known to each of two locations, another one to each.
#[test]
fn one_that_nobody_seems_to_know_is_told() {
    let made = make(&[
        local(4, &[None, Some(ALL)]),
        local(4, &[Some(ALL), None]),
        local(4, &[None, None]),
        local(4, &[None, None]),
    ]);
    expect_message(&Place::new().unify(&made.anchor, &[]), 3, "nobody knows who is in it");
}

#[test]
fn what_nobody_knows_is_told() {
    let made = make(&[local(2, &[None]), local(2, &[None])]);
    let place = Place::new();
    expect_message(&place.unify(&made.anchor, &[]), 0, "nobody knows who is in it");
    let meant = meant(&place);
    assert_eq!(meant[&0], meant[&1]);
    assert_eq!(meant[&0][0].1, None);
}

/// A thread that has no rank has the communicators of its process.
#[test]
fn threads_are_in_the_communicators_of_their_process() {
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
    let made = make_with(global, &locals, |_| (0, 0));
    let (one, other): (&[u64], &[u64]) = (&[0, 1], &[2, 3]);
    for way in [&[][..], &["--rewrite-events"]] {
        let place = one_set(&made.anchor, way);
        check(&place, &[&[one], &[one], &[other], &[other], &[other]]);
    }
}

/// The number of its group is nobody's: others may know it all the same.
#[test]
fn a_group_that_is_not_defined_may_be_known_elsewhere() {
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
    let made = make(&[first, other(), other()]);
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect_message(&ended, 3, "leads to Group 77, which is not defined");
    let world: &[u64] = &[0, 1, 2];
    check(&place, &[&[world], &[world], &[world]]);
    assert_eq!(of_kind(&place, "Comm").len(), 1);
}
