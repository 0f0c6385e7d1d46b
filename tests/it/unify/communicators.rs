//! Communicators: equal ones are told apart by their order, and some are known to one member alone.

use serde_json::Value;
use streamfold::model::enums::GroupType;
use streamfold::model::events::Event;
use streamfold::model::ids::{CommRef, GroupRef};

use crate::unify::made::{defects, make, of_kind, records, send, Defs, Local, Made};
use crate::unify::{one_set, Place};

/// With which communicator each location sent with a tag, in the order of locations.
fn communicator(place: &Place, tag: u32) -> Vec<u64> {
    let of_tag = |record: &Value| record["record"] == "MpiSend" && record["msg_tag"] == tag;
    let mut sends: Vec<_> = records(place, &[]).into_iter().filter(of_tag).collect();
    sends.sort_by_key(|record| record["location"].as_u64());
    sends.iter().map(|record| record["communicator"].as_u64().expect("a number")).collect()
}

/// The one that all locations mean by a tag.
#[track_caller]
fn one_for_all(place: &Place, tag: u32, locations: usize) -> u64 {
    let all = communicator(place, tag);
    assert_eq!(all.len(), locations, "tag {tag}");
    assert!(all.iter().all(|one| *one == all[0]), "tag {tag}: {all:?}");
    all[0]
}

fn comm(place: &Place, id: u64) -> Value {
    let comms = of_kind(place, "Comm");
    comms.into_iter().find(|comm| comm["id"] == id).expect("a communicator")
}

fn members(place: &Place, comm: &Value) -> Vec<u64> {
    let groups = of_kind(place, "Group");
    let group = groups.iter().find(|group| group["id"] == comm["group"]).expect("a group");
    let members = group["members"].as_array().expect("members");
    members.iter().map(|member| member.as_u64().expect("a number")).collect()
}

const BOTH_WAYS: [&[&str]; 2] = [&[], &["--rewrite-events"]];

/// Each location numbers them in another way: the first of one is still the first of the other.
#[test]
fn two_duplicates_of_the_world_stay_two() {
    let local = |first: u32, more: bool| {
        let mut defs = Defs::new(first);
        if more {
            let _ = ["one", "two"].map(|name| defs.region(name));
        }
        let (all, world) = defs.world(&[0, 100]);
        let [a, b] = [(); 2].map(|()| defs.comm("duplicate", all, world));
        let child = defs.comm("child", all, b);
        Local::new(defs, [send(world, 1), send(a, 2), send(b, 3), send(child, 4)])
    };
    let made = make(&[local(0, false), local(40, true)]);
    for way in BOTH_WAYS {
        let place = one_set(&made.anchor, way);
        let all = [1, 2, 3, 4].map(|tag| one_for_all(&place, tag, 2));
        let distinct: std::collections::BTreeSet<_> = all.into_iter().collect();
        assert_eq!(distinct.len(), 4, "{all:?}");
        assert_eq!(of_kind(&place, "Comm").len(), 4);
        assert_eq!(of_kind(&place, "Group").len(), 2);
        let [world, a, b, child] = all.map(|id| comm(&place, id));
        assert_eq!(a["parent"], world["id"]);
        assert_eq!(b["parent"], world["id"]);
        assert_eq!(child["parent"], b["id"]);
        assert_eq!(a["name_text"], "duplicate");
        assert_eq!(defects(&place), [""; 0]);
    }
}

/// Equal names, equal members, but one more duplicate of each: children of different ones differ.
#[test]
fn duplicates_of_duplicates_are_not_mixed_up() {
    let local = |first: u32| {
        let mut defs = Defs::new(first);
        let (all, world) = defs.world(&[0, 100, 200]);
        let [a, b] = [(); 2].map(|()| defs.comm("d", all, world));
        let [ba, bb] = [(); 2].map(|()| defs.comm("d", all, b));
        let [aa, ab] = [(); 2].map(|()| defs.comm("d", all, a));
        let sends = (1..).zip([a, b, aa, ab, ba, bb]).map(|(tag, comm)| send(comm, tag));
        Local::new(defs, sends.collect::<Vec<_>>())
    };
    let made = make(&[local(5), local(0), local(90)]);
    let place = one_set(&made.anchor, &[]);
    let all: Vec<_> = (1..=6).map(|tag| one_for_all(&place, tag, 3)).collect();
    let mut distinct = all.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 6);
    let parent = |at: usize| comm(&place, all[at])["parent"].as_u64();
    assert_eq!(
        [parent(2), parent(3), parent(4), parent(5)],
        [Some(all[0]), Some(all[0]), Some(all[1]), Some(all[1])]
    );
}

/// What stands for a group that a location does not know.
const UNKNOWN: GroupRef = GroupRef::UNDEFINED;

/// Location 0 knows who is in the world and in the rows; the others know the names.
fn known_at_one(child_too: bool) -> Made {
    let local = |which: u64| {
        let mut defs = Defs::new(which as u32 * 50);
        let known = which == 0;
        let group = |defs: &mut Defs, ranks: &[u64]| match known {
            true => defs.group(GroupType::CommGroup, ranks),
            false => UNKNOWN,
        };
        if known {
            defs.group(GroupType::CommLocations, &[0, 100, 200, 300]);
        }
        let all = group(&mut defs, &[0, 1, 2, 3]);
        let world = defs.comm("MPI_COMM_WORLD", all, CommRef::UNDEFINED);
        let all = group(&mut defs, &[0, 1, 2, 3]);
        let duplicate = defs.comm("MPI_COMM_WORLD", all, CommRef::UNDEFINED);
        let mut events = vec![send(world, 1), send(duplicate, 2)];
        if child_too {
            // The child of what one alone knows is known to all of its members.
            let half = if which < 2 { [0, 1] } else { [2, 3] };
            let half = defs.group(GroupType::CommGroup, &half);
            let child = defs.comm("row", half, duplicate);
            events.push(send(child, 3));
        }
        Local::new(defs, events)
    };
    make(&[0, 1, 2, 3].map(local))
}

#[test]
fn what_one_member_knows_is_true_for_all() {
    for child_too in [false, true] {
        let made = known_at_one(child_too);
        for way in BOTH_WAYS {
            let place = one_set(&made.anchor, way);
            let [world, duplicate] = [1, 2].map(|tag| one_for_all(&place, tag, 4));
            assert_ne!(world, duplicate);
            for id in [world, duplicate] {
                assert_eq!(members(&place, &comm(&place, id)), [0, 1, 2, 3]);
            }
            assert_eq!(of_kind(&place, "Comm").len(), if child_too { 4 } else { 2 });
            assert_eq!(defects(&place), [""; 0]);
            if !child_too {
                continue;
            }
            let rows = communicator(&place, 3);
            assert_eq!((rows[0], rows[2]), (rows[1], rows[3]));
            assert_ne!(rows[0], rows[2]);
            for (row, ranks) in [(rows[0], [0, 1]), (rows[2], [2, 3])] {
                let row = comm(&place, row);
                assert_eq!(members(&place, &row), ranks);
                assert_eq!(row["parent"], duplicate);
            }
        }
    }
}

/// Rows of a grid have one name. Whose group a location is in tells which one it means.
#[test]
fn members_tell_which_of_the_same_name_is_meant() {
    let local = |which: u64| {
        let mut defs = Defs::new(which as u32 * 7);
        let (_, world) = defs.world(&[0, 100, 200, 300]);
        let half = if which < 2 { [0, 1] } else { [2, 3] };
        let group = match which % 2 {
            0 => defs.group(GroupType::CommGroup, &half),
            _ => UNKNOWN,
        };
        let row = defs.comm("row", group, world);
        // A child on it, of which the group is known to the other one.
        let group = match which % 2 {
            0 => UNKNOWN,
            _ => defs.group(GroupType::CommGroup, &half),
        };
        let child = defs.comm("child", group, row);
        Local::new(defs, [send(row, 1), send(child, 2)])
    };
    let made = make(&[0, 1, 2, 3].map(local));
    let place = one_set(&made.anchor, &[]);
    for tag in [1, 2] {
        let comms = communicator(&place, tag);
        assert_eq!((comms[0], comms[2]), (comms[1], comms[3]), "tag {tag}");
        assert_ne!(comms[0], comms[2]);
        assert_eq!(members(&place, &comm(&place, comms[0])), [0, 1]);
        assert_eq!(members(&place, &comm(&place, comms[2])), [2, 3]);
    }
    let [row, child] = [1, 2].map(|tag| communicator(&place, tag)[3]);
    assert_eq!(comm(&place, child)["parent"], row);
    assert_eq!(of_kind(&place, "Comm").len(), 5);
    assert_eq!(defects(&place), [""; 0]);
}

/// Nobody knows who is in it: it stays, and names that are the same are the same.
#[test]
fn a_group_that_nobody_knows_stays_unknown() {
    let local = |first: u32| {
        let mut defs = Defs::new(first);
        let comm = defs.comm("nobody's", UNKNOWN, CommRef::UNDEFINED);
        Local::new(defs, [send(comm, 1)])
    };
    let made = make(&[local(0), local(6)]);
    let place = one_set(&made.anchor, &[]);
    one_for_all(&place, 1, 2);
    assert_eq!(of_kind(&place, "Comm").len(), 1);
}

/// Members are as many as ranks of a large machine; they are read on many ranks, and stand once.
#[test]
fn a_group_with_very_many_members_is_one() {
    const MEMBERS: u64 = 200_000;
    let ranks: Vec<u64> = (0..MEMBERS).collect();
    let odd: Vec<u64> = (0..MEMBERS).map(|rank| rank * 7919 % MEMBERS).collect();
    let local = |first: u32| {
        let mut defs = Defs::new(first);
        let group = defs.group(GroupType::CommGroup, &ranks);
        let world = defs.comm("MPI_COMM_WORLD", group, CommRef::UNDEFINED);
        let group = defs.group(GroupType::CommGroup, &odd);
        let mixed = defs.comm("mixed", group, world);
        Local::new(defs, [send(world, 1), send(mixed, 2)])
    };
    let made = make(&[local(0), local(11)]);
    let place = one_set(&made.anchor, &[]);
    assert_eq!(of_kind(&place, "Group").len(), 2);
    let [world, mixed] = [1, 2].map(|tag| comm(&place, one_for_all(&place, tag, 2)));
    assert_eq!(members(&place, &world), ranks);
    assert_eq!(members(&place, &mixed), odd);
    let again = one_set(&place.anchor(), &[]);
    let [once, twice] = [&place, &again].map(|it| crate::unify::Files::read(&it.anchor()));
    twice.assert_same(&once, "once more");
}

/// Threads of a process each say what the process has.
#[test]
fn events_of_others_are_no_communicators() {
    let local = |first: u32, event: fn(CommRef) -> Event<'static>| {
        let mut defs = Defs::new(first);
        let (_, world) = defs.world(&[0, 200]);
        Local::new(defs, [event(world)])
    };
    let made =
        make(&[local(0, |it| send(it, 1)), local(3, |it| send(it, 1)), local(9, |it| send(it, 1))]);
    let place = one_set(&made.anchor, &[]);
    one_for_all(&place, 1, 3);
    assert_eq!(of_kind(&place, "Comm").len(), 1);
}
