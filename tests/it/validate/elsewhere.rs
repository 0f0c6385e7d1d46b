//! Requests and operations that one thread begins and another one of its process ends.

use std::path::Path;

use serde_json::Value;
use streamfold::model::definitions::{Definition, IoHandle};
use streamfold::model::enums::{CollectiveOp, IoHandleFlag, IoOperationFlag, IoOperationMode};
use streamfold::model::events::*;
use streamfold::model::ids::{CommRef, IoFileRef, IoHandleRef, IoParadigmRef, StringRef};

use crate::common::program::{on_ranks, said, streamfold};
use crate::matching::made::{Made, WORLD};
use crate::validate::validate;

type Events = Vec<(u64, Event<'static>)>;

/// A defect: code, location, number of the record there.
type Placed = (String, u64, u64);

const COMM: CommRef = CommRef(WORLD);

fn isend(request_id: u64) -> Event<'static> {
    let (receiver, communicator, msg_tag, msg_length) = (0, COMM, 1, 8);
    Event::MpiIsend(MpiIsend { receiver, communicator, msg_tag, msg_length, request_id })
}

fn sent(request_id: u64) -> Event<'static> {
    Event::MpiIsendComplete(MpiIsendComplete { request_id })
}

fn irecv(request_id: u64) -> Event<'static> {
    Event::MpiIrecvRequest(MpiIrecvRequest { request_id })
}

fn received(request_id: u64) -> Event<'static> {
    let (sender, communicator, msg_tag, msg_length) = (0, COMM, 1, 8);
    Event::MpiIrecv(MpiIrecv { sender, communicator, msg_tag, msg_length, request_id })
}

fn ibarrier(request_id: u64) -> Event<'static> {
    Event::NonBlockingCollectiveRequest(NonBlockingCollectiveRequest { request_id })
}

fn met(request_id: u64) -> Event<'static> {
    Event::NonBlockingCollectiveComplete(NonBlockingCollectiveComplete {
        collective_op: CollectiveOp::Barrier,
        communicator: COMM,
        root: u32::MAX,
        size_sent: 0,
        size_received: 0,
        request_id,
    })
}

fn tested(request_id: u64) -> Event<'static> {
    Event::MpiRequestTest(MpiRequestTest { request_id })
}

fn cancelled(request_id: u64) -> Event<'static> {
    Event::MpiRequestCancelled(MpiRequestCancelled { request_id })
}

fn probed(message_id: u64) -> Event<'static> {
    let (sender, communicator, tag) = (0, COMM, 1);
    Event::MpiProbe(MpiProbe { sender, communicator, tag, message_id })
}

fn imrecv(request_id: u64, message_id: u64) -> Event<'static> {
    Event::MpiImrecvRequest(MpiImrecvRequest { request_id, message_id })
}

fn mreceived(request_id: u64) -> Event<'static> {
    Event::MpiImrecv(MpiImrecv { msg_length: 8, request_id })
}

const HANDLE: IoHandleRef = IoHandleRef(0);

fn begin(matching_id: u64) -> Event<'static> {
    Event::IoOperationBegin(IoOperationBegin {
        handle: HANDLE,
        mode: IoOperationMode::Write,
        operation_flags: IoOperationFlag::NON_BLOCKING,
        bytes_request: 8,
        matching_id,
    })
}

fn issued(matching_id: u64) -> Event<'static> {
    Event::IoOperationIssued(IoOperationIssued { handle: HANDLE, matching_id })
}

fn complete(matching_id: u64) -> Event<'static> {
    let (handle, bytes_result) = (HANDLE, 8);
    Event::IoOperationComplete(IoOperationComplete { handle, bytes_result, matching_id })
}

/// Two processes: one of locations 0, 1, 2, and one of location 10.
fn made(of: &[(u64, Events)]) -> Made {
    let mut made = Made::new(&[3, 1]);
    made.posix();
    made.add(Definition::IoHandle(IoHandle {
        id: HANDLE,
        name: StringRef(500),
        file: IoFileRef::UNDEFINED,
        io_paradigm: IoParadigmRef(0),
        io_handle_flags: IoHandleFlag::NONE,
        comm: CommRef::UNDEFINED,
        parent: IoHandleRef::UNDEFINED,
    }));
    for location in [0, 1, 2, 10] {
        let events = of.iter().find(|(of, _)| *of == location);
        made.events_at(location, events.map_or(&[][..], |(_, events)| events));
    }
    made
}

/// The defects of requests and operations in a report.
fn placed(report: &Value) -> Vec<Placed> {
    let defects = report["defects"].as_array().expect("a list").iter();
    let one = |defect: &Value| {
        let code = defect["code"].as_str().expect("a code").to_owned();
        let number = |of: &str| defect[of].as_u64();
        let is_one = code.ends_with("-request") || code.ends_with("-operation");
        is_one.then(|| Some((code, number("location")?, number("number")?))).flatten()
    };
    defects.filter_map(one).collect()
}

fn found(of: &[(u64, Events)]) -> Vec<Placed> {
    let made = made(of);
    let (code, report) = validate(&made.finish());
    assert_eq!(code, 0, "{report:#}");
    placed(&report)
}

fn defects<const N: usize>(of: [(&str, u64, u64); N]) -> Vec<Placed> {
    of.into_iter().map(|(code, location, number)| (code.to_owned(), location, number)).collect()
}

#[test]
fn another_thread_may_end_what_one_has_begun() {
    let pairs = [
        (isend(1), sent(1)),
        (irecv(2), received(2)),
        (ibarrier(3), met(3)),
        (isend(4), cancelled(4)),
        (ibarrier(5), cancelled(5)),
        (isend(1 << 40), sent(1 << 40)),
        (begin(1), complete(1)),
    ];
    for (begun, ended) in pairs {
        assert_eq!(found(&[(0, vec![(10, begun)]), (1, vec![(20, ended)])]), []);
        // One tick has no order, and locations have none of their own.
        assert_eq!(found(&[(2, vec![(10, begun)]), (1, vec![(10, ended)])]), []);
    }
    let probes = vec![(10, probed(7)), (11, imrecv(1, 7))];
    assert_eq!(found(&[(1, probes), (0, vec![(20, mreceived(1))])]), []);
}

#[test]
fn a_request_is_tested_anywhere() {
    // The thread that posted completes, and another one has tested before.
    let own = vec![(10, irecv(1)), (30, received(1))];
    assert_eq!(found(&[(0, own), (1, vec![(20, tested(1))])]), []);
    let other = vec![(20, tested(1)), (30, tested(1)), (40, received(1))];
    assert_eq!(found(&[(0, vec![(10, irecv(1))]), (1, other)]), []);
    let issue = vec![(20, issued(1)), (30, complete(1))];
    assert_eq!(found(&[(0, vec![(10, begin(1))]), (1, issue)]), []);
    // A process of one location has no others.
    let alone = vec![(20, tested(1))];
    assert_eq!(
        found(&[(0, vec![(10, irecv(1)), (30, received(1))]), (10, alone)]),
        defects([("unknown-request", 10, 1)])
    );
}

#[test]
fn threads_use_a_number_one_after_another() {
    let of = [
        (0, vec![(10, irecv(1)), (50, ibarrier(1))]),
        (1, vec![(20, received(1)), (40, sent(1)), (60, met(1))]),
        (2, vec![(30, isend(1)), (70, irecv(1)), (80, received(1))]),
    ];
    assert_eq!(found(&of), []);
    // One thread reuses what others complete.
    let of = [
        (0, (1..9).map(|at| (10 * at, begin(7))).collect()),
        (1, (1..9).map(|at| (10 * at + 5, complete(7))).collect()),
    ];
    assert_eq!(found(&of), []);
}

#[test]
fn what_no_thread_has_begun_or_ended_is_a_defect() {
    let unknown = [("unknown-request", 1, 1)];
    assert_eq!(found(&[(1, vec![(10, sent(1))])]), defects(unknown));
    assert_eq!(found(&[(1, vec![(10, cancelled(1))])]), defects(unknown));
    assert_eq!(found(&[(1, vec![(10, isend(1))])]), defects([("open-request", 1, 1)]));
    // Another process is another one.
    let two = defects([("open-request", 0, 1), ("unknown-request", 10, 1)]);
    assert_eq!(found(&[(0, vec![(10, irecv(1))]), (10, vec![(20, received(1))])]), two);
    // A receive's request is no send's.
    let other = defects([("open-request", 0, 1), ("unknown-request", 1, 1)]);
    assert_eq!(found(&[(0, vec![(10, irecv(1))]), (1, vec![(20, sent(1))])]), other);
    // Twice ended, ended before it began.
    let twice = vec![(20, received(1)), (21, received(1))];
    let again = defects([("unknown-request", 1, 2)]);
    assert_eq!(found(&[(0, vec![(10, irecv(1))]), (1, twice)]), again);
    assert_eq!(found(&[(0, vec![(30, irecv(1))]), (1, vec![(20, received(1))])]), other);
    // Of two posts one is complete.
    let posts = vec![(10, irecv(1)), (20, irecv(1))];
    let reused = defects([("reused-request", 0, 2)]);
    assert_eq!(found(&[(0, posts.clone()), (1, vec![(30, received(1))])]), reused);
    let open = defects([("open-request", 0, 2)]);
    assert_eq!(found(&[(0, posts), (1, vec![(15, received(1))])]), open);
    let operations = [(0, vec![(10, begin(1))]), (1, vec![(20, complete(2))])];
    let two = defects([("open-operation", 0, 1), ("unknown-operation", 1, 1)]);
    assert_eq!(found(&operations), two);
    // An operation is no request.
    let of = [(0, vec![(10, begin(1))]), (1, vec![(20, sent(1))])];
    assert_eq!(found(&of), defects([("open-operation", 0, 1), ("unknown-request", 1, 1)]));
}

/// The other ends may be in what was lost.
#[test]
fn nothing_is_told_of_a_process_that_is_not_all_there() {
    let many: Events = (0..3000).map(|at| (at, irecv(at))).collect();
    let ends: Events = (0..3000).map(|at| (4000 + at, received(at))).collect();
    let of = [(0, many), (1, ends), (2, vec![(1, isend(1 << 50))]), (10, vec![(1, sent(9))])];
    let made = made(&of);
    let anchor = made.finish();
    let (code, report) = validate(&anchor);
    let open = defects([("open-request", 2, 1), ("unknown-request", 10, 1)]);
    assert_eq!((code, placed(&report)), (0, open));
    let file = made.folder().join("made/0.evt");
    let bytes = std::fs::read(&file).expect("it is there");
    std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("written");
    let expected = defects([("unknown-request", 10, 1)]);
    let (code, report) = validate(&anchor);
    assert_eq!((code, placed(&report)), (3, expected.clone()));
    std::fs::remove_file(&file).expect("it was there");
    let (code, report) = validate(&anchor);
    assert_eq!((code, placed(&report)), (3, expected));
}

fn run(anchor: &Path, args: &[&str], ranks: usize) -> Option<String> {
    let mut all = vec!["validate".as_ref(), anchor.as_os_str()];
    all.extend(args.iter().map(AsRef::<std::ffi::OsStr>::as_ref));
    let output = match ranks {
        0 => streamfold(&all).output().expect("it runs"),
        ranks => on_ranks(ranks, &all)?,
    };
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    Some(String::from_utf8(output.stdout).expect("text"))
}

/// Of however many ranks, limits and room.
#[test]
fn any_number_of_ranks_and_any_room_says_the_same() {
    let mut of: [(u64, Events); 4] = [0, 1, 2, 10].map(|location| (location, Vec::new()));
    let mut add = |place: usize, time: u64, event| of[place].1.push((time, event));
    for number in 0..4000 {
        add((number % 3) as usize, 10 * number, irecv(number));
        let location = ((number + number / 3) % 3) as usize;
        // Some stay open, and some end twice.
        if number % 7 != 0 {
            add(location, 10 * number + 3, received(number));
        }
        if number % 11 == 0 {
            add(location, 10 * number + 5, sent(number));
        }
    }
    add(3, 1, sent(1));
    let made = made(&of);
    let anchor = made.finish();
    let report = run(&anchor, &["--json", "--limit", "0"], 0).expect("one");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let all = placed(&report);
    let of = |code: &str| all.iter().filter(|(of, ..)| of == code).count();
    assert_eq!((of("open-request"), of("unknown-request")), (572, 365));
    assert_eq!(of("reused-request"), 0);
    assert!(all.is_sorted_by_key(|(_, location, _)| *location));
    for limit in ["0", "1", "30"] {
        for form in [&["-q", "-o", "-"][..], &["--json"]] {
            let args = [&["--limit", limit], form].concat();
            let expected = run(&anchor, &args, 0).expect("one");
            for more in [&["--threads", "1"][..], &["--room", "1"], &["--room", "40000"]] {
                let args = [&args[..], more].concat();
                assert_eq!(run(&anchor, &args, 0).as_ref(), Some(&expected), "{args:?}");
            }
            for ranks in [2, 3, 5] {
                let Some(found) = run(&anchor, &args, ranks) else { continue };
                assert_eq!(found, expected, "{ranks} ranks: {args:?}");
            }
        }
    }
    // What is shown are the first ones.
    let shown = run(&anchor, &["--json", "--limit", "30"], 0).expect("one");
    let shown = placed(&serde_json::from_str(&shown).expect("JSON"));
    let first = |code: &'static str| all.iter().filter(move |(of, ..)| of == code).take(30);
    for code in ["open-request", "unknown-request"] {
        assert!(shown.iter().filter(|(of, ..)| of == code).eq(first(code)), "{code}");
    }
}
