//! Why messages have one end only.

use std::ffi::OsStr;
use std::fs;

use streamfold::model::enums::{CollectiveOp, LockType, MeasurementMode, RmaSyncLevel};
use streamfold::model::events::{
    Enter, Event, Leave, MeasurementOnOff, MpiCollectiveBegin, MpiCollectiveEnd, MpiIrecv,
    MpiIrecvRequest, MpiRecv, MpiSend, RmaGroupSync, RmaPut, RmaRequestLock,
};
use streamfold::model::ids::{CommRef, GroupRef, RegionRef, RmaWinRef};

use crate::common::program::{said, streamfold};
use crate::matching::made::{Made, Writer, NOWHERE, WORLD};
use crate::matching::{number, report, rows};

fn send(to: &mut Writer, time: u64, receiver: u32, comm: u32) {
    let communicator = CommRef(comm);
    let send = MpiSend { receiver, communicator, msg_tag: 5, msg_length: 8 };
    to.at(time, Event::MpiSend(send));
}

fn receive(to: &mut Writer, time: u64, sender: u32) {
    let communicator = CommRef(WORLD);
    let receive = MpiRecv { sender, communicator, msg_tag: 5, msg_length: 8 };
    to.at(time, Event::MpiRecv(receive));
}

fn barrier(to: &mut Writer, time: u64, comm: u32) {
    to.at(time, Event::MpiCollectiveBegin(MpiCollectiveBegin));
    let (communicator, collective_op) = (CommRef(comm), CollectiveOp::Barrier);
    let (root, size_sent, size_received) = (u32::MAX, 0, 0);
    let end = MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received };
    to.at(time + 1, Event::MpiCollectiveEnd(end));
}

/// Process 0 sends a message to 1, which was recorded throughout, 2, which has no events, 3, which was
/// recorded with pauses, and 4, whose stream was lost.
fn archive() -> Made {
    let mut made = Made::new(&[1; 5]);
    made.events(0, |to| (1..5).for_each(|other| send(to, 10, other, WORLD)));
    made.events(10, |to| receive(to, 12, 0));
    made.events(20, |_| {});
    made.events(30, |to| {
        for (time, measurement_mode) in [(5, MeasurementMode::Off), (20, MeasurementMode::On)] {
            to.at(time, Event::MeasurementOnOff(MeasurementOnOff { measurement_mode }));
        }
    });
    made.events(40, |to| receive(to, 12, 0));
    made
}

#[test]
fn a_message_without_partner_says_why() {
    let made = archive();
    let anchor = made.finish();
    let (whole, code) = report(&anchor, &[]);
    assert_eq!(code, 0, "what the program did is no loss");
    let [row] = rows(&whole, "communicators") else { panic!("one communicator") };
    assert_eq!(number(row, "messages"), 2);
    for (reason, count) in
        [("stream_cut", 0), ("recording_off", 1), ("not_recorded", 1), ("no_partner", 0)]
    {
        assert_eq!(number(row, &format!("unmatched_sends_{reason}")), count, "{reason}");
    }
    fs::remove_file(made.folder().join("made/40.evt")).expect("a file");
    let (cut, code) = report(&anchor, &[]);
    assert_eq!(code, 3);
    let [row] = rows(&cut, "communicators") else { panic!("one communicator") };
    assert_eq!(number(row, "messages"), 1);
    assert_eq!(number(row, "unmatched_sends_stream_cut"), 1);
    let first: Vec<_> = rows(&cut, "unmatched")
        .iter()
        .map(|row| (number(row, "location"), number(row, "event"), row["reason"].as_str().unwrap()))
        .collect();
    let expected = [(0, 2, "not_recorded"), (0, 3, "recording_off"), (0, 4, "stream_cut")];
    assert_eq!(first, expected);
    let file = made.folder().join("made/0.evt");
    let file = file.to_str().expect("a path");
    assert!(rows(&cut, "unmatched").iter().all(|row| row["file"] == file), "{}", cut["unmatched"]);
}

#[test]
fn a_stream_that_is_shorter_than_it_should_be_is_cut() {
    let mut made = Made::new(&[1, 1]);
    made.events(0, |to| (0..5).for_each(|i| send(to, 10 + i, 1, WORLD)));
    made.events(10, |to| (0..5).for_each(|i| receive(to, 20 + i, 0)));
    let anchor = made.finish();
    let events = made.folder().join("made/10.evt");
    let bytes = fs::read(&events).expect("a file");
    // Behind the third receive, as far as one can say that of a file: most of it is empty.
    let mut cut = bytes.clone();
    cut.truncate(90);
    fs::write(&events, cut).expect("written");
    let (report, code) = report(&anchor, &[]);
    assert_eq!(code, 3);
    let [row] = rows(&report, "communicators") else { panic!("one communicator") };
    let alone = number(row, "unmatched_sends_stream_cut");
    assert_eq!(alone + number(row, "messages"), 5);
    assert!(alone > 0, "{row}");
}

#[test]
fn what_nobody_defines_is_lost_and_said() {
    let mut made = Made::new(&[1, 1]);
    made.events(0, |to| {
        send(to, 10, 1, NOWHERE);
        send(to, 11, 7, WORLD);
        send(to, 12, 1, WORLD);
    });
    made.events(10, |to| receive(to, 20, 0));
    let (report, code) = report(&made.finish(), &[]);
    assert_eq!(code, 3);
    let sum = |column: &str| -> u64 {
        rows(&report, "communicators").iter().map(|row| number(row, column)).sum()
    };
    let columns = ["sends", "messages", "undefined_sends", "unmatched_sends"];
    assert_eq!(columns.map(sum), [3, 1, 2, 0]);
    let losses = report["provenance"]["losses"].to_string();
    assert!(
        losses.contains("2 sends and receives are over communicators or with ranks"),
        "{losses}"
    );
}

/// Collective operations, windows, and all that is done with these.
#[test]
fn communicators_and_windows_that_nobody_defines_are_lost_and_said() {
    let mut made = Made::new(&[1]);
    made.events(0, |to| {
        barrier(to, 10, NOWHERE);
        let (win, remote, bytes, matching_id) = (RmaWinRef(7), 0, 8, 0);
        to.at(20, Event::RmaPut(RmaPut { win, remote, bytes, matching_id }));
        let (sync_level, group) = (RmaSyncLevel::PROCESS, GroupRef(1));
        to.at(21, Event::RmaGroupSync(RmaGroupSync { sync_level, win, group }));
        let (lock_id, lock_type) = (0, LockType::Shared);
        to.at(22, Event::RmaRequestLock(RmaRequestLock { win, remote, lock_id, lock_type }));
        // The window is defined, the group is not.
        to.at(30, Event::Enter(Enter { region: RegionRef(0) }));
        let (win, group) = (RmaWinRef(0), GroupRef(99));
        to.at(31, Event::RmaGroupSync(RmaGroupSync { sync_level, win, group }));
        to.at(32, Event::Leave(Leave { region: RegionRef(0) }));
    });
    made.window(0, WORLD);
    made.region(0, "MPI_Win_start");
    let (report, code) = report(&made.finish(), &[]);
    assert_eq!(code, 3);
    let losses = report["provenance"]["losses"].to_string();
    for loss in [
        "1 part of collective operations on communicators that are not defined",
        "4 events refer to windows",
    ] {
        assert!(losses.contains(loss), "{loss}: {losses}");
    }
}

/// Where there are no communicators at all it is said, by both commands in the same words, who knows them.
#[test]
fn archives_that_were_never_unified_are_told_what_to_do() {
    let mut made = Made::new(&[1]);
    made.forget_communicators();
    made.events(0, |to| {
        send(to, 5, 0, WORLD);
        barrier(to, 10, WORLD);
        barrier(to, 20, WORLD);
    });
    let anchor = made.finish();
    let of = |command: &str| {
        let args = [OsStr::new(command), anchor.as_os_str(), OsStr::new("-q")];
        let run = streamfold(args).output().expect("a run");
        assert_eq!(run.status.code(), Some(3), "{}", said(&run));
        let said = said(&run);
        let lost: Vec<_> = ["2 parts of collective operations on", "1 send or receive is over"]
            .into_iter()
            .map(|what| said.lines().find(|line| line.contains(what)).map(str::to_owned))
            .map(|line| line.unwrap_or_else(|| panic!("{command}: {said}")))
            .collect();
        assert!(lost.iter().all(|line| line.contains("`streamfold unify`")), "{command}: {lost:?}");
        lost
    };
    assert_eq!(of("match"), of("waitstates"));
}

/// Threads of a process: what happens on two of them in one tick has no order.
#[test]
fn a_request_may_complete_on_a_thread_in_the_tick_in_which_another_one_posts_it() {
    for (poster, completer) in [(10, 11), (11, 10)] {
        let mut made = Made::new(&[1, 2]);
        made.events(0, |to| send(to, 10, 1, WORLD));
        for location in [10, 11] {
            made.events(location, |to| {
                if location == poster {
                    let request = MpiIrecvRequest { request_id: 7 };
                    to.at(50, Event::MpiIrecvRequest(request));
                }
                if location == completer {
                    let (communicator, request_id) = (CommRef(WORLD), 7);
                    let (sender, msg_tag, msg_length) = (0, 5, 8);
                    let it = MpiIrecv { sender, communicator, msg_tag, msg_length, request_id };
                    to.at(50, Event::MpiIrecv(it));
                }
            });
        }
        let (report, code) = report(&made.finish(), &[]);
        assert_eq!(code, 0);
        let [row] = rows(&report, "communicators") else { panic!("one communicator") };
        assert_eq!(number(row, "messages"), 1);
        let counted = rows(&report, "requests");
        assert!(counted.iter().all(|row| number(row, "count") == 0), "{counted:?}");
    }
}
