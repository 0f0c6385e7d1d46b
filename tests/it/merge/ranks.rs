//! Ranks of different jobs stay apart, and so do their processes.

use serde_json::{json, Value};
use streamfold::model::definitions::Definition;
use streamfold::model::enums::GroupType;
use streamfold::model::ids::CommRef;

use crate::common::files::Files;
use crate::merge::made::{comm, group, region, Trace};
use crate::merge::meaning::{errors, events, locations, number, of_kind, renamed, World};
use crate::merge::merged;

/// The groups of a type.
fn groups(all: &[Value], of: &str) -> Vec<Value> {
    let groups = all.iter().filter(|group| group["group_type_name"] == of);
    groups.map(|group| group["members"].clone()).collect()
}

#[test]
fn each_job_has_a_world_of_its_own() {
    let traces = [
        Trace::job(1, &[0, 1], "a").write(),
        Trace::job(2, &[0, 1, 2], "b").write(),
        Trace::job(3, &[7, 8], "c").write(),
    ];
    for options in [&[][..], &["--rewrite-events"]] {
        let place = merged(&traces, options);
        let anchor = place.anchor();
        assert_eq!(locations(&anchor), [0, 1, 2, 3, 4, 5, 6]);
        let all = of_kind(&anchor, "Group");
        assert_eq!(groups(&all, "COMM_LOCATIONS"), [json!([0, 1, 2, 3, 4, 5, 6])]);
        let worlds = [json!([0, 1]), json!([2, 3, 4]), json!([5, 6])];
        assert_eq!(groups(&all, "COMM_GROUP"), worlds);
        let comms = of_kind(&anchor, "Comm");
        assert!(comms.iter().all(|comm| comm["name_text"] == "MPI_COMM_WORLD"), "{comms:?}");
        let world = World::read(&anchor);
        let members: Vec<_> =
            comms.iter().map(|comm| world.members(number(&comm["id"])).to_vec()).collect();
        assert_eq!(members, [vec![0, 1], vec![2, 3, 4], vec![5, 6]]);
        let found = events(&anchor, &Default::default(), false);
        for (trace, renamed) in traces.iter().zip(renamed(&traces)) {
            for (location, expected) in events(&trace.anchor, &renamed, false) {
                assert_eq!(found[&location], expected, "{options:?}");
            }
        }
        assert_eq!(errors(&anchor), [""; 0], "{options:?}");
    }
}

#[test]
fn numbers_that_are_different_stay() {
    let traces = [Trace::job(1, &[4, 2], "a").write(), Trace::job(2, &[0, 9], "b").write()];
    let place = merged(&traces, &[]);
    assert_eq!(locations(&place.anchor()), [4, 2, 0, 9]);
    let all = of_kind(&place.anchor(), "Group");
    assert_eq!(groups(&all, "COMM_LOCATIONS"), [json!([4, 2, 0, 9])]);
    assert_eq!(groups(&all, "COMM_GROUP"), [json!([0, 1]), json!([2, 3])]);
}

/// Others get the numbers behind the highest of the first, one after the other.
#[test]
fn the_first_keeps_its_numbers() {
    let traces = [Trace::job(1, &[40, 2], "a").write(), Trace::job(2, &[0, 2, 1], "b").write()];
    let place = merged(&traces, &[]);
    assert_eq!(locations(&place.anchor()), [40, 2, 41, 42, 43]);
    let place = merged(&[&traces[1], &traces[0]], &[]);
    assert_eq!(locations(&place.anchor()), [0, 2, 1, 3, 4]);
}

/// What has the same name on the same node is another process in another run.
#[test]
fn processes_of_different_runs_are_never_one() {
    let same = [1, 2].map(|identifier| Trace::job(identifier, &[0, 1], "same").write());
    let place = merged(&same, &[]);
    let groups = of_kind(&place.anchor(), "LocationGroup");
    assert_eq!(groups.len(), 4, "{groups:?}");
    let named = |name: &str| groups.iter().filter(|group| group["name_text"] == name).count();
    assert_eq!([named("MPI Rank 0"), named("MPI Rank 1")], [2, 2], "{groups:?}");
    let of_group = of_kind(&place.anchor(), "Location");
    let mut of_group: Vec<_> = of_group.iter().map(|it| number(&it["location_group"])).collect();
    of_group.sort_unstable();
    of_group.dedup();
    assert_eq!(of_group.len(), 4);
    assert_eq!(of_kind(&place.anchor(), "Region").len(), 2, "both have the same regions");
}

/// A communicator of two of the ranks.
#[test]
fn groups_of_ranks_follow() {
    let mut second = Trace::job(2, &[0, 1, 2], "b");
    second.global.extend([group(2, GroupType::CommGroup, &[2, 0]), comm(1, 7, 2, CommRef(0))]);
    let traces = [Trace::job(1, &[0, 1, 2], "a").write(), second.write()];
    let place = merged(&traces, &[]);
    let comms = of_kind(&place.anchor(), "Comm");
    let work = comms.iter().find(|comm| comm["name_text"] == "work").expect("it is there");
    assert_eq!(World::read(&place.anchor()).members(number(&work["id"])), [5, 3]);
    assert_eq!(work["parent"], comms[1]["id"], "the world of its own job");
}

/// A list of all locations of a paradigm that only one of the traces uses stays as it is.
#[test]
fn who_does_not_communicate_has_no_ranks() {
    let mut alone = Trace::job(2, &[0], "b");
    alone.global.truncate(alone.global.len() - 3);
    alone.processes[0].events.drain(1..3);
    let traces = [Trace::job(1, &[0, 1], "a").write(), alone.write()];
    let place = merged(&traces, &[]);
    let all = of_kind(&place.anchor(), "Group");
    assert_eq!(groups(&all, "COMM_LOCATIONS"), [json!([0, 1])]);
    assert_eq!(locations(&place.anchor()), [0, 1, 2]);
    assert_eq!(errors(&place.anchor()), [""; 0]);
}

/// The locations of each communicator.
fn worlds(anchor: &std::path::Path) -> Vec<Vec<u64>> {
    let world = World::read(anchor);
    let comms = of_kind(anchor, "Comm");
    comms.iter().map(|comm| world.members(number(&comm["id"])).to_vec()).collect()
}

/// Locations say who communicates, where nobody has unified anything.
#[test]
fn jobs_that_nobody_has_unified_stay_apart() {
    let jobs = [Trace::job(1, &[0, 1], "a"), Trace::job(2, &[0, 1, 2], "b")];
    let [one, other] = jobs.map(Trace::ununified);
    let place = merged(&[one.write(), other.write()], &[]);
    assert_eq!(worlds(&place.anchor()), [vec![0, 1], vec![2, 3, 4]]);
    assert_eq!(errors(&place.anchor()), [""; 0]);
}

/// A tracer may have regions of its own that are global.
#[test]
fn jobs_stay_apart_whose_locations_have_all_but_a_region() {
    let jobs = [Trace::job(1, &[0, 1], "a"), Trace::job(2, &[0, 1, 2], "b")];
    let [one, other] = jobs.map(|job| {
        let mut job = job.ununified();
        job.global.push(region(60, 7));
        job.write()
    });
    let place = merged(&[one, other], &[]);
    assert_eq!(worlds(&place.anchor()), [vec![0, 1], vec![2, 3, 4]]);
    assert_eq!(errors(&place.anchor()), [""; 0]);
}

/// There may be no next numbers.
#[test]
fn the_highest_numbers_are_no_reason_to_break_down() {
    let highest = u64::MAX - 1;
    let traces = [1, 2].map(|identifier| Trace::job(identifier, &[5, highest], "a").write());
    let place = crate::merge::Place::new();
    let ended = place.merge(&traces, &[]);
    match ended.status.code() {
        Some(0) => {
            let mut numbers = locations(&place.anchor());
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), 4);
            assert_eq!(errors(&place.anchor()), [""; 0]);
        }
        code => {
            assert_eq!(code, Some(2), "{}", crate::common::program::said(&ended));
            assert!(place.left().is_empty(), "{:?}", place.left());
        }
    }
}

/// Each location lists those with ranks in another order, and means the same communicators.
fn in_other_orders(mut trace: Trace) -> Trace {
    for (process, by) in trace.processes.iter_mut().zip(0..) {
        let groups = process.own.iter_mut().filter_map(|it| match it {
            Definition::Group(group) => Some(group),
            _ => None,
        });
        for group in groups {
            let members = &mut group.members;
            let count = members.len();
            match group.group_type {
                GroupType::CommLocations => members.rotate_left(by % count),
                _ => members.iter_mut().for_each(|rank| {
                    *rank = (*rank + (count - by % count) as u64) % count as u64;
                }),
            }
        }
    }
    trace
}

/// It is as if all had listed them in the order of the first.
#[test]
fn lists_that_differ_from_location_to_location_become_one() {
    let jobs = || [Trace::job(1, &[5, 0, 9], "a"), Trace::job(2, &[0, 1, 2, 3], "b")];
    let same = jobs().map(|job| job.ununified().write());
    let other = jobs().map(|job| in_other_orders(job.ununified()).write());
    for options in [&[][..], &["--rewrite-events"]] {
        let [expected, place] = [&same, &other]
            .map(|traces| merged(traces, options))
            .map(|it| (Files::read(&it.anchor()), it));
        place.0.assert_same(&expected.0, &format!("{options:?}"));
        let all = of_kind(&place.1.anchor(), "Group");
        assert_eq!(groups(&all, "COMM_LOCATIONS").len(), 1);
        assert_eq!(errors(&place.1.anchor()), [""; 0], "{options:?}");
    }
    let [expected, alone] = [&same, &other].map(|traces| merged(&traces[1..], &[]));
    Files::read(&alone.anchor()).assert_same(&Files::read(&expected.anchor()), "alone");
}

/// Parts of one run list what each of its processes knows.
#[test]
fn lists_of_parts_become_one() {
    let whole = || Trace::job(1, &[5, 0, 9, 7], "a").ununified();
    let part = |trace: Trace, which: usize| {
        let mut trace = trace;
        trace.processes = trace.processes.drain(..).skip(2 * which).take(2).collect();
        trace.write()
    };
    let [expected, other] =
        [whole(), in_other_orders(whole())].map(|trace| merged(&[trace.write()], &[]));
    Files::read(&other.anchor()).assert_same(&Files::read(&expected.anchor()), "whole");
    let parts = [0, 1].map(|which| part(in_other_orders(whole()), which));
    let place = merged(&parts, &[]);
    assert_eq!(errors(&place.anchor()), [""; 0]);
    let lists = groups(&of_kind(&place.anchor(), "Group"), "COMM_LOCATIONS");
    assert_eq!(lists, [json!([5, 0, 9, 7])]);
}
