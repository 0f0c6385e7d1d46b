//! Collective operations whose members are put together, by hand.

use streamfold::model::enums::CollectiveOp;
use streamfold::model::events::{
    Event, MpiCollectiveBegin, MpiCollectiveEnd, NonBlockingCollectiveComplete,
    NonBlockingCollectiveRequest, OmpFork,
};
use streamfold::model::ids::CommRef;

use crate::common::program::{said, streamfold};
use crate::matching::made::{Made, Writer, BETWEEN, WORLD};
use crate::matching::{number, report, rows};

const NONE: u32 = u32::MAX;
const SELF: u32 = u32::MAX - 1;
const THIS_GROUP: u32 = u32::MAX - 2;

fn member(to: &mut Writer, [begin, end]: [u64; 2], comm: u32, op: CollectiveOp, root: u32) {
    to.at(begin, Event::MpiCollectiveBegin(MpiCollectiveBegin));
    let (communicator, collective_op, size_sent, size_received) = (CommRef(comm), op, 8, 8);
    let event = MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received };
    to.at(end, Event::MpiCollectiveEnd(event));
}

/// How many operations are complete, incomplete, and disagreeing; and the times in the first row.
fn counts(made: &Made) -> ([u64; 3], [u64; 2]) {
    let (report, code) = report(&made.finish(), &[]);
    assert_eq!(code, 0);
    let rows = rows(&report, "collectives");
    let sum = |column: &str| rows.iter().map(|row| number(row, column)).sum::<u64>();
    let times = ["ticks", "ticks_before_last"].map(|column| number(&rows[0], column));
    (["complete", "incomplete", "disagreeing"].map(sum), times)
}

/// A root may be done long before the last one begins.
#[test]
fn time_before_the_last_is_a_part_of_all_time() {
    let mut made = Made::new(&[1, 1, 1]);
    for (process, times) in [(0, [10, 12]), (1, [990, 1003]), (2, [1000, 1002])] {
        made.events(process * 10, |to| member(to, times, WORLD, CollectiveOp::Bcast, 0));
    }
    assert_eq!(counts(&made), ([1, 0, 0], [2 + 13 + 2, 2 + 10]));
}

#[test]
fn what_blocks_and_what_does_not_are_different_operations() {
    let mut made = Made::new(&[1, 1]);
    made.events(0, |to| member(to, [10, 20], WORLD, CollectiveOp::Barrier, NONE));
    made.events(10, |to| {
        let request_id = 5;
        let request = NonBlockingCollectiveRequest { request_id };
        to.at(10, Event::NonBlockingCollectiveRequest(request));
        let (collective_op, communicator) = (CollectiveOp::Barrier, CommRef(WORLD));
        let (root, size_sent, size_received) = (NONE, 0, 0);
        let complete = NonBlockingCollectiveComplete {
            collective_op,
            communicator,
            root,
            size_sent,
            size_received,
            request_id,
        };
        to.at(20, Event::NonBlockingCollectiveComplete(complete));
    });
    assert_eq!(counts(&made).0, [0, 0, 1]);
}

/// Processes 0 and 2 are one group, 1 and 3 the other.
#[test]
fn between_two_groups_there_is_one_root() {
    let of = |roots: [u32; 4]| {
        let mut made = Made::new(&[1; 4]);
        for (process, root) in (0..4).zip(roots) {
            made.events(process * 10, |to| {
                member(to, [10, 20], BETWEEN, CollectiveOp::Gather, root);
            });
        }
        counts(&made).0
    };
    assert_eq!(of([THIS_GROUP, 1, SELF, 1]), [1, 0, 0]);
    assert_eq!(of([NONE; 4]), [1, 0, 0]);
    assert_eq!(of([SELF, SELF, THIS_GROUP, THIS_GROUP]), [0, 0, 1]);
    // Another member of that group is the root.
    assert_eq!(of([SELF, 1, THIS_GROUP, 1]), [0, 0, 1]);
    assert_eq!(of([SELF, 0, THIS_GROUP, 1]), [0, 0, 1]);
}

/// Whoever writes a trace may have as many open as no program has.
#[test]
fn what_is_beyond_what_is_remembered_is_told() {
    let mut made = Made::new(&[1]);
    made.events(0, |to| {
        for time in 0..(1 << 16) + 9 {
            to.at(time, Event::OmpFork(OmpFork { number_of_requested_threads: 2 }));
        }
    });
    let anchor = made.finish();
    let output = streamfold(["match".as_ref(), anchor.as_os_str()]).output().expect("a run");
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let expected = "9 requests and operations beyond those that are remembered";
    assert!(said(&output).contains(expected), "{}", said(&output));
}
