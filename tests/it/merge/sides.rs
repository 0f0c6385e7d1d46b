//! Communicators between two groups of which a tracer has written each side for itself: joined in each archive,
//! as unifying it alone would.

use std::collections::BTreeMap;
use std::path::Path;

use streamfold::model::enums::GroupType;
use streamfold::model::ids::CommRef;

use crate::common::archives::large;
use crate::common::files::Files;
use crate::common::program::{said, streamfold};
use crate::common::reference::{is_installed, otf2_print};
use crate::merge::made::{comm, group, receive, send, Trace};
use crate::merge::meaning::{errors, number, numbers, of_kind, records, renamed};
use crate::merge::{expect, expect_message, merged, Place};

/// A job of four processes, of which the first two send something to the others, and back: each side has a
/// communicator of its own for it.
fn two_sided(identifier: u64) -> Trace {
    let mut trace = Trace::job(identifier, &[0, 1, 2, 3], "a");
    trace.global.extend([
        group(20, GroupType::CommGroup, &[0, 1]),
        group(21, GroupType::CommGroup, &[2, 3]),
        comm(10, 7, 20, CommRef(0)),
        comm(11, 7, 21, CommRef(0)),
    ]);
    for (rank, process) in (0..).zip(&mut trace.processes) {
        let (side, peer) = (10 + rank / 2, rank % 2);
        let begin = process.events[0].0;
        let events = [send(peer, side, 50 + rank), receive(peer, side, 50 + (rank + 2) % 4)];
        let events = (300..).zip(events).map(|(after, event)| (begin + after, Vec::new(), event));
        process.events.splice(3..3, events);
    }
    trace
}

/// The locations of both sides of each communicator between two groups, with how many messages went over it.
fn between(anchor: &Path) -> Vec<([Vec<u64>; 2], usize)> {
    let groups: BTreeMap<u64, Vec<u64>> = of_kind(anchor, "Group")
        .iter()
        .map(|it| (number(&it["id"]), numbers(&it["members"])))
        .collect();
    let list = of_kind(anchor, "Group").into_iter();
    let mut list = list.filter(|it| it["group_type_name"] == "COMM_LOCATIONS");
    let list = list.next().map(|list| numbers(&list["members"])).unwrap_or_default();
    let events = records(anchor, &["--unordered"]);
    let inter = of_kind(anchor, "InterComm").into_iter();
    let inter = inter.map(|inter| {
        let sides = ["group_a", "group_b"].map(|side| -> Vec<u64> {
            groups[&number(&inter[side])].iter().map(|rank| list[*rank as usize]).collect()
        });
        let over = |event: &&serde_json::Value| {
            event["communicator"] == inter["id"] && event["msg_tag"].is_u64()
        };
        (sides, events.iter().filter(over).count())
    });
    inter.collect()
}

#[test]
fn sides_are_joined_wherever_the_trace_stands() {
    let made = [Trace::job(1, &[0, 1], "a"), two_sided(2), two_sided(3)].map(|it| it.write());
    for (order, expected) in [
        ([0, 1, 2], [[[2, 3], [4, 5]], [[6, 7], [8, 9]]]),
        ([1, 0, 2], [[[0, 1], [2, 3]], [[6, 7], [8, 9]]]),
    ] {
        for options in [&[][..], &["--rewrite-events"]] {
            let place = Place::new();
            let ended = place.merge(&order.map(|at| &made[at]), options);
            expect_message(&ended, 0, &["2 communicators between two groups, written as two"]);
            let expected = expected.map(|sides| (sides.map(|side| side.to_vec()), 8));
            assert_eq!(between(&place.anchor()), expected, "{order:?} {options:?}");
            assert_eq!(of_kind(&place.anchor(), "Comm").len(), 3, "the worlds");
            assert_eq!(errors(&place.anchor()), [""; 0]);
        }
    }
}

/// One message of one side has lost an end.
#[test]
fn sides_are_joined_where_ends_of_messages_are_missing() {
    for missing in [3, 4] {
        let mut trace = two_sided(2);
        trace.processes[1].events.remove(missing);
        let place = merged(&[Trace::job(1, &[0, 1], "a").write(), trace.write()], &[]);
        assert_eq!(between(&place.anchor()), [([vec![2, 3], vec![4, 5]], 7)], "{missing}");
    }
}

/// Two communicators that fit to a third one.
#[test]
fn sides_that_fit_to_several_are_told() {
    let mut trace = Trace::job(2, &[0, 1, 2], "a");
    for rank in 0..3 {
        trace.global.push(group(20 + rank, GroupType::CommGroup, &[rank.into()]));
        trace.global.push(comm(10 + rank, 7, 20 + rank, CommRef(0)));
        let event = if rank == 0 { send(0, 10, 77) } else { receive(0, 10 + rank, 77) };
        let events = &mut trace.processes[rank as usize].events;
        let begin = events[0].0;
        events.insert(3, (begin + 300, Vec::new(), event));
    }
    let place = Place::new();
    let job = Trace::job(1, &[0, 1], "a").write();
    let ended = place.merge(&[&job, &trace.write()], &[]);
    expect_message(&ended, 0, &["Comm 10 and 2 more look like sides of one between two groups"]);
    assert_eq!(of_kind(&place.anchor(), "InterComm").len(), 0);
}

/// Who has unified its definitions has said what he knows.
#[test]
fn nobody_looks_where_locations_have_definitions() {
    let made = [Trace::job(1, &[0, 1], "a"), two_sided(2).ununified()].map(|it| it.write());
    let place = merged(&made, &[]);
    assert_eq!(of_kind(&place.anchor(), "InterComm").len(), 0);
}

/// Jobs that are no parts of one run stay apart in what becomes of them, too, whatever their messages look like.
#[test]
fn nobody_looks_where_archives_were_merged() {
    let made = [(1, send(0, 0, 5)), (2, receive(0, 0, 5))].map(|(identifier, event)| {
        let mut trace = Trace::job(identifier, &[0], "a");
        let events = &mut trace.processes[0].events;
        events.splice(1..3, [(1_100, Vec::new(), event)]);
        trace.write()
    });
    let place = merged(&made, &["--rewrite-events"]);
    let again = Place::new();
    let args = ["unify".as_ref(), place.anchor().as_os_str(), "-o".as_ref()].map(ToOwned::to_owned);
    expect(&streamfold(args).arg(again.anchor()).output().expect("a run"), 0);
    assert_eq!(of_kind(&again.anchor(), "InterComm").len(), 0);
    let [merged, again] = [&place, &again].map(|place| Files::read(&place.anchor()));
    again.assert_same(&merged, "unified once more");
}

/// What EZTrace wrote.
#[test]
fn a_real_trace_is_joined_as_if_it_was_unified_before() {
    let name = "eztrace-mpi-p2p-coll-intercomm";
    let Some(eztrace) = large().into_iter().find(|it| it.name == name) else { return };
    let unified = Place::new();
    let args = ["unify".as_ref(), eztrace.anchor.as_os_str(), "-o".as_ref()];
    let ended = streamfold(args).arg(unified.anchor()).output().expect("a run");
    expect(&ended, 0);
    let before = between(&unified.anchor());
    assert!(before.len() == 1 && before[0].1 > 0, "{before:?}");
    let job = Trace::job(1, &[0, 1], "a").write();
    let place = merged(&[&job.anchor, &eztrace.anchor], &[]);
    let now = &renamed(&[&job.anchor, &eztrace.anchor])[1];
    let moved = |side: &Vec<u64>| side.iter().map(|location| now[location]).collect();
    let (sides, count) = &before[0];
    assert_eq!(between(&place.anchor()), [(sides.each_ref().map(moved), *count)]);
    if is_installed("otf2-print") {
        let printed = otf2_print(&["-A"], &place.anchor());
        assert!(printed.status.success(), "{}", said(&printed));
    }
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_joins_the_same() {
    use crate::common::program::on_ranks;

    let made = [two_sided(2), Trace::job(1, &[0, 1], "a"), two_sided(3), two_sided(4)];
    let made = made.map(|it| it.write());
    let expected = Files::read(&merged(&made, &[]).anchor());
    for ranks in [2, 3] {
        let place = Place::new();
        let args = ["merge".into(), "-o".into(), place.anchor().into_os_string()];
        let paths = made.iter().map(|made| made.anchor.clone().into_os_string());
        let Some(ended) = on_ranks(ranks, args.into_iter().chain(paths)) else { return };
        expect_message(&ended, 0, &["3 communicators between two groups"]);
        Files::read(&place.anchor()).assert_same(&expected, &format!("{ranks} ranks"));
    }
}
