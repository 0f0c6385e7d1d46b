//! What begins with one event and ends with another.

use crate::common::small::Bytes;
use crate::validate::{archive, assert_defects, at_100, payload, sound, UNDEFINED};

fn case(events: Bytes, count: u64, expected: &[(&str, &str, u64)]) {
    assert_defects(&archive(sound(), events, count), expected, 0);
}

fn isend(events: Bytes, id: u64) -> Bytes {
    events.record(15, payload().c(0).c(0).c(0).c(8).c(id))
}

fn bare(events: Bytes, record: u8, id: u64) -> Bytes {
    events.raw(&[record]).c(id)
}

#[test]
fn requests() {
    let complete = |events, id| bare(events, 16, id);
    case(complete(isend(at_100(), 3), 3), 2, &[]);
    case(isend(at_100(), 3), 1, &[("open-request", "MpiIsend", 1)]);
    case(complete(at_100(), 3), 1, &[("unknown-request", "MpiIsendComplete", 1)]);
    let reused = complete(isend(isend(at_100(), 3), 3), 3);
    case(reused, 3, &[("reused-request", "MpiIsend", 2)]);
    // A receive's request is no send's.
    let other = complete(bare(at_100(), 17, 3), 3);
    let expected =
        [("unknown-request", "MpiIsendComplete", 2), ("open-request", "MpiIrecvRequest", 1)];
    case(other, 2, &expected);
    let tested = bare(bare(isend(at_100(), 3), 20, 3), 21, 3);
    case(tested, 3, &[]);
    case(bare(at_100(), 20, 3), 1, &[("unknown-request", "MpiRequestTest", 1)]);
    case(bare(at_100(), 21, 3), 1, &[("unknown-request", "MpiRequestCancelled", 1)]);
}

#[test]
fn receives_and_non_blocking_collectives() {
    let receive = payload().c(0).c(0).c(0).c(8).c(3);
    case(bare(at_100(), 17, 3).record(19, receive.clone()), 2, &[]);
    case(at_100().record(19, receive), 1, &[("unknown-request", "MpiIrecv", 1)]);
    let end = payload().raw(&[0]).c(0).c(UNDEFINED).c(0).c(0).c(3);
    case(at_100().record(85, payload().c(3)).record(86, end.clone()), 2, &[]);
    let unknown = [("unknown-request", "NonBlockingCollectiveComplete", 1)];
    case(at_100().record(86, end), 1, &unknown);
}

#[test]
fn collectives() {
    let end = payload().raw(&[0]).c(0).c(UNDEFINED).c(0).c(0);
    case(at_100().record(23, end), 1, &[("unmatched-end", "MpiCollectiveEnd", 1)]);
    case(at_100().record(22, payload()), 1, &[("open-begin", "MpiCollectiveBegin", 1)]);
}

#[test]
fn operations_on_files() {
    let paradigm = payload().raw(&[0]).c(1).c(1).raw(&[0]).c(0).raw(&[0]);
    let handle = payload().c(0).c(1).c(UNDEFINED).raw(&[0]).c(0).c(UNDEFINED).c(UNDEFINED);
    let definitions = || sound().record(8, paradigm.clone()).record(40, handle.clone());
    let begin = || payload().c(0).raw(&[0]).c(1).c(8).c(5);
    let end = || payload().c(0).c(8).c(5);
    let case = |events, count, expected: &[(&str, &str, u64)]| {
        assert_defects(&archive(definitions(), events, count), expected, 0);
    };
    case(at_100().record(75, begin()).record(77, payload().c(0).c(5)).record(78, end()), 3, &[]);
    case(at_100().record(75, begin()), 1, &[("open-operation", "IoOperationBegin", 1)]);
    case(at_100().record(78, end()), 1, &[("unknown-operation", "IoOperationComplete", 1)]);
    let twice = at_100().record(75, begin()).record(75, begin()).record(78, end());
    case(twice, 3, &[("reused-operation", "IoOperationBegin", 2)]);
    let cancelled = at_100().record(75, begin()).record(79, payload().c(0).c(5));
    case(cancelled, 2, &[]);
    let test = at_100().record(76, payload().c(0).c(5));
    case(test, 1, &[("unknown-operation", "IoOperationTest", 1)]);
    let lock = || payload().c(0).raw(&[0]);
    case(at_100().record(80, lock()).record(81, lock()), 2, &[]);
    case(at_100().record(81, lock()), 1, &[("unmatched-release", "IoReleaseLock", 1)]);
}

#[test]
fn remote_memory() {
    let definitions = || sound().record(24, payload().c(0).c(1).c(0).c(0));
    let put = |remote: u64| payload().c(0).c(remote).c(8).c(5);
    let complete = || payload().c(0).c(5);
    let ended = |events, count, expected: &[(&str, &str, u64)], code| {
        assert_defects(&archive(definitions(), events, count), expected, code);
    };
    ended(at_100().record(46, put(0)).record(49, complete()), 2, &[], 0);
    // The completion at the other side may follow on the one at this side.
    let both = at_100().record(46, put(0)).record(50, complete()).record(52, complete());
    ended(both, 3, &[], 0);
    ended(at_100().record(46, put(0)), 1, &[("open-operation", "RmaPut", 1)], 0);
    ended(
        at_100().record(49, complete()),
        1,
        &[("unknown-operation", "RmaOpCompleteBlocking", 1)],
        0,
    );
    let far = at_100().record(46, put(4)).record(49, complete());
    ended(far, 2, &[("rank-out-of-range", "RmaPut", 1)], 3);
    let lock = |remote: u64| payload().c(0).c(remote).c(1).raw(&[0]);
    let release = |remote: u64| payload().c(0).c(remote).c(1);
    // The undefined rank is all of them.
    let locked = at_100().record(40, lock(UNDEFINED)).record(43, release(UNDEFINED));
    ended(locked, 2, &[], 0);
    ended(at_100().record(43, release(0)), 1, &[("unmatched-release", "RmaReleaseLock", 1)], 0);
    ended(at_100().record(41, lock(0)), 1, &[("open-lock", "RmaAcquireLock", 1)], 0);
}

#[test]
fn locks_of_threads() {
    let lock = |order: u64| payload().raw(&[3]).c(7).c(order);
    case(at_100().record(57, lock(1)).record(58, lock(1)), 2, &[]);
    let expected =
        [("unmatched-release", "ThreadReleaseLock", 2), ("open-lock", "ThreadAcquireLock", 1)];
    case(at_100().record(57, lock(1)).record(58, lock(2)), 2, &expected);
}

#[test]
fn forks_teams_and_programs() {
    let model = || payload().raw(&[3]);
    case(at_100().record(53, model().c(2)).record(54, model()), 2, &[]);
    case(at_100().record(54, model()), 1, &[("unmatched-end", "ThreadJoin", 1)]);
    case(at_100().record(53, model().c(2)), 1, &[("open-begin", "ThreadFork", 1)]);
    case(at_100().record(56, payload().c(0)), 1, &[("unmatched-end", "ThreadTeamEnd", 1)]);
    case(at_100().record(55, payload().c(0)), 1, &[("open-begin", "ThreadTeamBegin", 1)]);
    case(at_100().record(84, payload().c(0)), 1, &[("unmatched-end", "ProgramEnd", 1)]);
    case(at_100().record(83, payload().c(1).c(0)), 1, &[("open-begin", "ProgramBegin", 1)]);
}
