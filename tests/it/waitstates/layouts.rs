//! The same bytes for any number of ranks and threads; and traces that are not whole, which end.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Output;

use streamfold::model::enums::{CollectiveOp, LockType, Paradigm};
use streamfold::model::events::{Event, MpiRecv, MpiSend};
use streamfold::model::ids::{CommRef, GroupRef};

use crate::common::archives::{one, own, Archive};
use crate::common::copy_folder;
use crate::common::program::{said, streamfold};
use crate::waitstates::conserved::{archives, holds};
use crate::waitstates::events::{
    acquire, begin, closed, end, lock_release, lock_request, on_window, opened, over, put, release,
    NONE,
};
use crate::waitstates::found::{args, at_location, number, report, rows, text};
use crate::waitstates::trace::{Trace, WORLD};
use crate::waitstates::written::Written;

/// What the program writes, and its exit code.
#[derive(Debug, PartialEq)]
struct Reports {
    json: String,
    code: Option<i32>,
}

fn made(
    anchor: &Path,
    more: &[&str],
    run: impl FnOnce(Vec<OsString>) -> Option<Output>,
) -> Option<Reports> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("report.json");
    let mut args = args(anchor, &file);
    args.extend(more.iter().map(Into::into));
    let output = run(args)?;
    let json = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{e}: {}", said(&output)));
    Some(Reports { json, code: output.status.code() })
}

fn alone(anchor: &Path, more: &[&str]) -> Reports {
    let run = |args| Some(streamfold(args).output().expect("a run"));
    made(anchor, more, run).expect("a run")
}

/// Archives with messages, threads, collective operations, access to the memory of others.
fn several() -> Vec<Archive> {
    let names = ["scorep8-rma", "lulesh-hybrid-rusage", "stencil4d", "tasks-rma-io-rusage"];
    let large = archives().into_iter().filter(|a| names.iter().any(|name| a.name.contains(name)));
    own().into_iter().chain(large).collect()
}

/// Of the waits of one path and location some may not count.
#[test]
fn one_trace_says_the_same_each_time() {
    const CRITICAL: &str = "omp critical";
    let take = |time, lock, order| (time, acquire(Paradigm::Openmp, lock, order));
    let give = |time, lock, order| (time, release(Paradigm::Openmp, lock, order));
    let mut trace = Trace::new(&[2]);
    let first = [take(1, 0, 1), take(1, 1, 1), give(18, 0, 1), give(18, 1, 1), take(20, 2, 1)];
    trace.on(0).call(CRITICAL, 0, 50, &first).at(55, release(Paradigm::Openmp, 2, 1));
    let second = [take(20, 0, 2), take(20, 1, 2), give(20, 0, 2), give(20, 1, 2)];
    let on = trace.on(1).call(CRITICAL, 0, 20, &second).enter(40, "foo");
    on.call(CRITICAL, 40, 60, &[take(60, 2, 2), give(60, 2, 2)]).leave(60);
    let written = Written::new(&trace);
    let expected = alone(&written.anchor, &["--mpi", "off"]);
    let (report, _) = report(&written.anchor);
    assert_eq!(at_location(&report, "omp_lock_contention_critical", 1), 18 + 15);
    for _ in 0..8 {
        assert_eq!(alone(&written.anchor, &["--mpi", "off"]), expected);
    }
}

#[test]
fn any_number_of_threads_says_the_same() {
    for archive in several() {
        let expected = alone(&archive.anchor, &["--mpi", "off", "--threads", "1"]);
        let found = alone(&archive.anchor, &["--mpi", "off", "--threads", "4"]);
        assert_eq!(found, expected, "{}", archive.name);
    }
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_says_the_same() {
    use crate::common::program::on_ranks;

    for archive in several() {
        let expected = alone(&archive.anchor, &["--mpi", "off"]);
        for (ranks, threads) in [(1, "4"), (2, "1"), (3, "4"), (5, "1"), (8, "1")] {
            let more = ["--threads", threads];
            let found = made(&archive.anchor, &more, |args| on_ranks(ranks, args));
            let Some(found) = found else { return };
            assert_eq!(found, expected, "{}, {ranks} ranks", archive.name);
        }
    }
}

/// What is found of many messages that have nothing in common comes back to a location in no order at all.
#[test]
fn messages_each_with_a_tag_of_its_own_say_the_same_with_little_memory() {
    const MESSAGES: u32 = 30_000;
    let of = |partner: u32, tag: u32| {
        let (communicator, msg_length) = (CommRef(WORLD), 1);
        (
            MpiSend { receiver: partner, communicator, msg_tag: tag, msg_length },
            MpiRecv { sender: partner, communicator, msg_tag: tag, msg_length },
        )
    };
    let mut trace = Trace::of(2);
    for tag in 0..MESSAGES {
        let begin = 100 * u64::from(tag);
        // Every third is received in the place of the one before it.
        let received = if tag % 3 == 1 { tag + 1 } else { tag - u32::from(tag % 3 == 2) };
        let send = (begin + 7 + u64::from(tag % 40), Event::MpiSend(of(1, tag).0));
        trace.on(0).call("MPI_Send", begin + 5, begin + 50, &[send]);
        let receive = (begin + 290, Event::MpiRecv(of(0, received.min(MESSAGES - 1)).1));
        trace.on(10).call("MPI_Recv", begin + 201, begin + 300, &[receive]);
    }
    let anchor = Written::new(&trace);
    let expected = alone(&anchor.anchor, &["--mpi", "off", "--threads", "1"]);
    assert_eq!(expected.code, Some(0));
    assert!(expected.json.contains("mpi_lswo_same") && expected.json.contains("mpi_latesender"));
    for (threads, room) in [("1", "100"), ("4", "100000"), ("4", "1000000")] {
        let found = alone(&anchor.anchor, &["--mpi", "off", "--threads", threads, "--room", room]);
        assert_eq!(found, expected, "{threads} threads, {room} bytes");
    }
}

/// Few bytes make a group large, and any number of events may name it: what is not followed is told.
#[test]
fn epochs_with_more_processes_than_are_followed_are_losses() {
    let mut trace = Trace::of(2);
    let (origin, target) = (trace.group(&[0]), trace.group(&[1]));
    let [large, larger] = [300, 2000].map(|most| trace.group(&Vec::from_iter(1..=most)));
    // The second is beyond what is followed, and so are all behind it, however small their groups are.
    for (begin, to) in [(100, large), (200, larger), (300, target), (400, target)] {
        let on = trace.on(0).call("MPI_Win_start", begin, begin + 1, &[(begin + 1, opened(to))]);
        on.call("MPI_Win_complete", begin + 10, begin + 50, &[(begin + 50, closed(to))]);
        let records = [(begin + 31, opened(origin))];
        let on = trace.on(10).call("MPI_Win_post", begin + 30, begin + 31, &records);
        on.call("MPI_Win_wait", begin + 51, begin + 55, &[(begin + 55, closed(origin))]);
    }
    let (report, code) = report(&Written::new(&trace).anchor);
    assert_eq!(code, 3);
    // One was.
    assert_eq!(at_location(&report, "mpi_rma_sync_late_post", 0), 20);
    let left_out = |name: &str| {
        let rows = rows(&report, "left_out").iter();
        rows.filter(|row| text(row, "what") == name).map(|row| number(row, "count")).sum::<u64>()
    };
    assert_eq!([left_out("large_epochs"), left_out("unmatched_epochs")], [3, 3]);
}

/// What is done with communicators, windows and ranks that nobody has is counted, and a loss.
#[test]
fn what_nobody_defines_is_lost_and_said() {
    let mut trace = Trace::of(2);
    trace.windows = 1;
    let group = trace.group(&[1]);
    let partly = trace.group(&[1, 5]);
    let barrier = [(11, begin()), (12, over(9, end(CollectiveOp::Barrier, NONE, 0, 0)))];
    let on = trace.on(0).call("MPI_Barrier", 10, 13, &barrier);
    let on = on.call("MPI_Put", 20, 25, &[(21, on_window(7, put(1)))]);
    let on = on.call("MPI_Win_start", 30, 35, &[(31, on_window(7, opened(group)))]);
    // Groups and ranks that nobody has.
    let on = on.call("MPI_Win_start", 36, 39, &[(37, opened(GroupRef(99)))]);
    let on = on.call("MPI_Put", 40, 45, &[(41, put(999))]);
    let lock = |event: Event<'static>, time| [(time, event)];
    let on = on.call("MPI_Win_lock", 50, 55, &lock(lock_request(999, LockType::Shared), 51));
    let on = on.call("MPI_Win_unlock", 60, 65, &lock(lock_release(999), 61));
    // That of all memory is none of these.
    let on = on.call("MPI_Win_lock_all", 70, 75, &lock(lock_request(NONE, LockType::Shared), 71));
    let on = on.call("MPI_Win_unlock_all", 80, 85, &lock(lock_release(NONE), 81));
    // A group with a member that nobody has, at the end of an access and of an exposure.
    let on = on.call("MPI_Win_start", 90, 92, &[(91, opened(partly))]);
    let on = on.call("MPI_Win_complete", 93, 95, &[(94, closed(partly))]);
    let on = on.call("MPI_Win_post", 96, 98, &[(97, opened(partly))]);
    on.call("MPI_Win_wait", 99, 101, &[(100, closed(partly))]);
    let (report, code) = report(&Written::new(&trace).anchor);
    assert_eq!(code, 3);
    let found: Vec<_> = rows(&report, "left_out").iter().map(left_out).collect();
    // The member that is known has no side of these epochs.
    let expected =
        [("undefined_collectives", 1), ("undefined_windows", 8), ("unmatched_epochs", 2)];
    assert_eq!(found, expected);
    let losses = report["provenance"]["losses"].to_string();
    for loss in [
        "1 part of collective operations on communicators that are not defined",
        "8 events refer to windows, or to groups or ranks of these, that are not defined",
    ] {
        assert!(losses.contains(loss), "{loss}: {losses}");
    }
}

fn left_out(row: &serde_json::Value) -> (&str, u64) {
    (text(row, "what"), number(row, "count"))
}

/// The archive in a folder of its own, with one of its streams changed: those that are not empty, by
/// number.
fn changed(archive: &Archive, number: usize, change: impl FnOnce(&Path)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    copy_folder(&archive.folder, folder.path());
    let events = folder.path().join(archive.anchor.file_stem().expect("a name"));
    let entries = fs::read_dir(events).expect("a folder of events");
    let mut streams: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|suffix| suffix == "evt"))
        .collect();
    streams.sort();
    change(&streams[number % streams.len()]);
    folder
}

fn ends_with_losses(folder: &Path, name: &str) {
    let archive = Archive::find(folder).expect("an archive");
    let (report, code) = report(&archive.anchor);
    assert_eq!(code, 3, "{name}");
    holds(&report, name);
}

#[test]
fn a_missing_stream_is_a_loss() {
    for archive in ["intercomm", "hybrid", "pingpong", "eztrace"].map(one) {
        for number in 0..2 {
            let folder = changed(&archive, number, |path| fs::remove_file(path).expect("a file"));
            ends_with_losses(folder.path(), &archive.name);
        }
    }
}

#[test]
fn streams_may_be_cut_anywhere() {
    let mut cuts = 0;
    for archive in several() {
        for number in 0..3 {
            let share = number + 1;
            let folder = changed(&archive, number, |path| {
                let bytes = fs::read(path).expect("a file");
                let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                let cut = 20 + used.saturating_sub(20) * share / 5;
                fs::write(path, &bytes[..cut.min(bytes.len())]).expect("written");
            });
            ends_with_losses(folder.path(), &archive.name);
            cuts += 1;
        }
    }
    assert!(cuts >= 15, "{cuts}");
}

/// A large archive has rows in all tables.
#[test]
fn tables_are_not_empty() {
    let archive = one("hybrid");
    let (report, _) = report(&archive.anchor);
    for table in ["metrics", "call_paths", "by_path", "by_location", "severities", "worst"] {
        assert!(!rows(&report, table).is_empty(), "{table}");
    }
}
