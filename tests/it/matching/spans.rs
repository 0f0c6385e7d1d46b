//! What begins and ends: epochs of windows, forks and teams of threads, locks.

use serde_json::Value;
use streamfold::model::enums::{CollectiveOp, GroupType, LockType, Paradigm, RmaSyncLevel};
use streamfold::model::events::{
    Enter, Event, Leave, RmaAcquireLock, RmaCollectiveBegin, RmaCollectiveEnd, RmaGroupSync,
    RmaReleaseLock, RmaRequestLock, ThreadAcquireLock, ThreadFork, ThreadJoin, ThreadReleaseLock,
    ThreadTeamBegin, ThreadTeamEnd,
};
use streamfold::model::ids::{CommRef, GroupRef, RegionRef, RmaWinRef};

use crate::matching::made::{Made, Writer, OWN, WORLD};
use crate::matching::{number, report, rows};

/// The only row of a table in which a column has this text.
pub fn row<'a>(report: &'a Value, table: &str, column: &str, text: &str) -> &'a Value {
    let mut found = rows(report, table).iter().filter(|row| row[column] == text);
    let row = found.next().unwrap_or_else(|| panic!("{text} in {table}: {}", report[table]));
    assert!(found.next().is_none(), "{text} twice in {table}");
    row
}

pub fn numbers<const N: usize>(row: &Value, columns: [&str; N]) -> [u64; N] {
    columns.map(|column| number(row, column))
}

const SPANS: [&str; 5] = ["begun", "ended", "ticks", "open", "unbegun"];
const TOGETHER: [&str; 4] = ["complete", "incomplete", "disagreeing", "ticks_before_last"];

fn fork(to: &mut Writer, time: u64) {
    let model = Paradigm::Openmp;
    to.at(time, Event::ThreadFork(ThreadFork { model, number_of_requested_threads: 2 }));
}

fn join(to: &mut Writer, time: u64) {
    to.at(time, Event::ThreadJoin(ThreadJoin { model: Paradigm::Openmp }));
}

#[test]
fn forks_are_joined_the_innermost_first() {
    let mut made = Made::new(&[1, 1]);
    made.events(0, |to| {
        join(to, 1);
        fork(to, 10);
        fork(to, 20);
        join(to, 25);
        join(to, 40);
    });
    made.events(10, |to| fork(to, 7));
    let (report, code) = report(&made.finish(), &[]);
    assert_eq!(code, 0);
    let row = row(&report, "forks", "model", "OPENMP");
    assert_eq!(numbers(row, SPANS), [3, 2, 35, 1, 1]);
}

#[test]
fn teams_are_complete_when_all_members_begin() {
    let team = CommRef(WORLD);
    let begin = |to: &mut Writer, time| {
        to.at(time, Event::ThreadTeamBegin(ThreadTeamBegin { thread_team: team }));
    };
    let end = |to: &mut Writer, time| {
        to.at(time, Event::ThreadTeamEnd(ThreadTeamEnd { thread_team: team }));
    };
    let mut made = Made::new(&[1, 1]);
    made.events(0, |to| {
        begin(to, 10);
        end(to, 20);
        begin(to, 30);
        end(to, 40);
        // Recording has missed an end, and later a begin.
        begin(to, 50);
        begin(to, 60);
        end(to, 70);
        end(to, 80);
    });
    made.events(10, |to| {
        begin(to, 13);
        end(to, 19);
        begin(to, 31);
        end(to, 41);
        begin(to, 55);
    });
    let (report, _) = report(&made.finish(), &[]);
    let [row] = rows(&report, "teams") else { panic!("one team") };
    assert_eq!(numbers(row, SPANS), [7, 5, 10 + 10 + 10 + 6 + 10, 2, 1]);
    // Both of the first three, and one in the fourth. The others waited 3 and 1, and a time that nobody knows.
    assert_eq!(numbers(row, TOGETHER), [3, 1, 0, 3 + 1]);
}

#[test]
fn locks_are_released_by_the_order_in_which_they_were_acquired() {
    let model = Paradigm::Openmp;
    let acquire = |to: &mut Writer, time, lock_id, acquisition_order| {
        let event = ThreadAcquireLock { model, lock_id, acquisition_order };
        to.at(time, Event::ThreadAcquireLock(event));
    };
    let release = |to: &mut Writer, time, lock_id, acquisition_order| {
        let event = ThreadReleaseLock { model, lock_id, acquisition_order };
        to.at(time, Event::ThreadReleaseLock(event));
    };
    let mut made = Made::new(&[2]);
    made.events(0, |to| {
        // Nested: the one that was acquired last is released first.
        acquire(to, 10, 3, 1);
        acquire(to, 12, 3, 2);
        release(to, 15, 3, 2);
        release(to, 20, 3, 1);
        acquire(to, 30, 3, 4);
        release(to, 31, 8, 1);
    });
    made.events(1, |to| {
        acquire(to, 21, 3, 3);
        release(to, 29, 3, 3);
    });
    let (report, _) = report(&made.finish(), &[]);
    let [third, eighth] = rows(&report, "locks") else { panic!("{}", report["locks"]) };
    assert_eq!(numbers(third, ["first_lock", "last_lock"]), [3, 3]);
    assert_eq!(numbers(third, SPANS), [4, 3, 3 + 10 + 8, 1, 0]);
    assert_eq!(numbers(eighth, SPANS), [0, 0, 0, 0, 1]);
}

fn fence(to: &mut Writer, win: u32, begin: u64, end: u64, op: CollectiveOp) {
    to.at(begin, Event::RmaCollectiveBegin(RmaCollectiveBegin));
    to.at(
        end,
        Event::RmaCollectiveEnd(RmaCollectiveEnd {
            collective_op: op,
            sync_level: RmaSyncLevel::PROCESS,
            win: RmaWinRef(win),
            root: u32::MAX,
            bytes_sent: 0,
            bytes_received: 0,
        }),
    );
}

#[test]
fn fences_are_those_of_all_members_of_the_window() {
    let mut made = Made::new(&[1, 1, 1]);
    made.window(0, WORLD);
    made.window(1, OWN);
    for (process, late) in [(0, 0), (1, 4), (2, 1)] {
        made.events(process * 10, |to| {
            fence(to, 0, 10 + late, 20, CollectiveOp::Barrier);
            fence(to, 1, 21, 22, CollectiveOp::Barrier);
            fence(
                to,
                0,
                30,
                40,
                if process == 1 { CollectiveOp::Bcast } else { CollectiveOp::Barrier },
            );
            if process != 2 {
                fence(to, 0, 50, 60, CollectiveOp::Barrier);
            }
        });
    }
    let (report, code) = report(&made.finish(), &[]);
    assert_eq!(code, 0);
    let [all, own] = rows(&report, "epochs") else { panic!("{}", report["epochs"]) };
    assert_eq!((number(all, "window"), &all["kind"]), (0, &"BARRIER".into()));
    assert_eq!(numbers(all, TOGETHER), [1, 1, 1, 4 + 3]);
    // Each process has one of its own.
    assert_eq!(number(own, "window"), 1);
    assert_eq!(numbers(own, TOGETHER), [3, 0, 0, 0]);
}

#[test]
fn groups_and_locks_of_windows_begin_and_end() {
    let (win, group) = (RmaWinRef(0), GroupRef(1));
    let sync = |to: &mut Writer, time, sync_level| {
        to.at(time, Event::RmaGroupSync(RmaGroupSync { sync_level, win, group }));
    };
    let (start, complete) = (RmaSyncLevel::PROCESS, RmaSyncLevel(3));
    let mut made = Made::new(&[1, 1]);
    made.window(0, WORLD);
    made.events(0, |to| {
        sync(to, 10, complete);
        sync(to, 20, start);
        // MPI_Win_test that was not successful.
        sync(to, 22, RmaSyncLevel::NONE);
        sync(to, 25, complete);
        sync(to, 30, start);
        sync(to, 31, start);
        sync(to, 36, complete);
    });
    let (remote, lock_type) = (1, LockType::Exclusive);
    made.events(10, |to| {
        let request = |lock_id| RmaRequestLock { win, remote, lock_id, lock_type };
        to.at(10, Event::RmaRequestLock(request(7)));
        to.at(14, Event::RmaAcquireLock(RmaAcquireLock { win, remote, lock_id: 7, lock_type }));
        to.at(20, Event::RmaReleaseLock(RmaReleaseLock { win, remote, lock_id: 7 }));
        to.at(21, Event::RmaReleaseLock(RmaReleaseLock { win, remote, lock_id: 7 }));
        // Of recorders that tell only when a lock is there.
        to.at(30, Event::RmaAcquireLock(RmaAcquireLock { win, remote, lock_id: 8, lock_type }));
        to.at(33, Event::RmaReleaseLock(RmaReleaseLock { win, remote, lock_id: 8 }));
        to.at(40, Event::RmaRequestLock(request(9)));
    });
    let (report, _) = report(&made.finish(), &[]);
    assert_eq!(numbers(row(&report, "epochs", "kind", "GROUP"), SPANS), [3, 2, 5 + 6, 1, 1]);
    assert_eq!(numbers(row(&report, "epochs", "kind", "LOCK"), SPANS), [3, 2, 10 + 3, 1, 1]);
}

/// Three processes give each other access, as their calls say; of a fourth nothing was recorded.
#[test]
fn accesses_belong_to_what_gave_access() {
    const CALLS: [&str; 4] = ["MPI_Win_start", "mpi_win_post_", "MPI_Win_complete", "MPI_Win_wait"];
    let win = RmaWinRef(0);
    let call = |to: &mut Writer, time, region: usize, group| {
        let region_ref = RegionRef(region as u32);
        to.at(time, Event::Enter(Enter { region: region_ref }));
        let sync_level = if region < 2 { RmaSyncLevel::PROCESS } else { RmaSyncLevel(3) };
        let group = GroupRef(group);
        to.at(time + 1, Event::RmaGroupSync(RmaGroupSync { sync_level, win, group }));
        to.at(time + 2, Event::Leave(Leave { region: region_ref }));
    };
    let mut made = Made::new(&[1, 1, 1, 1]);
    made.window(0, WORLD);
    (0..).zip(CALLS).for_each(|(region, name)| made.region(region, name));
    // Groups 3 and 4 are the even processes and the odd ones.
    for process in 0..3 {
        made.events(process * 10, |to| {
            let others = if process % 2 == 0 { 4 } else { 3 };
            call(to, 10, 1, others);
            call(to, 20, 0, others);
            call(to, 30, 2, others);
            call(to, 40, 3, others);
            if process == 1 {
                call(to, 50, 0, 3);
                // In no call that says what it is.
                let (sync_level, group) = (RmaSyncLevel::PROCESS, GroupRef(3));
                to.at(60, Event::RmaGroupSync(RmaGroupSync { sync_level, win, group }));
            }
        });
    }
    made.events(30, |_| {});
    let anchor = made.finish();
    const ALONE: [&str; 6] = [
        "unmatched_accesses",
        "unmatched_accesses_not_recorded",
        "unmatched_accesses_no_partner",
        "unmatched_exposures",
        "unmatched_exposures_not_recorded",
        "unclear",
    ];
    let (whole, code) = report(&anchor, &[]);
    assert_eq!(code, 0);
    let [of] = rows(&whole, "accesses") else { panic!("{}", whole["accesses"]) };
    // Those of 0 and 2 with 1, both ways; with 3 neither; and two more of 1.
    assert_eq!(number(of, "epochs"), 4);
    assert_eq!(numbers(of, ALONE), [2 + 2, 2, 2, 2, 2, 1]);
    // Those who follow call paths see the same.
    let list = made.folder().join("list.csv");
    let (listed, _) = report(&anchor, &["--list", list.to_str().expect("a path")]);
    for table in ["accesses", "epochs"] {
        assert_eq!(listed[table], whole[table], "{table}");
    }
    let (chosen, _) = report(&anchor, &["-L", "10"]);
    let [of] = rows(&chosen, "accesses") else { panic!("{}", chosen["accesses"]) };
    assert_eq!(number(of, "epochs"), 0);
    let columns = ["unmatched_accesses_not_selected", "unmatched_exposures_not_selected"];
    assert_eq!(numbers(of, columns), [4, 2]);
}

/// Whatever recorders know of a region besides its name, both analyses of windows take it for the same call.
#[test]
fn calls_that_begin_epochs_go_by_their_names() {
    let (win, sync_level) = (RmaWinRef(0), RmaSyncLevel::PROCESS);
    let epochs = |regions: &[(Paradigm, &str)]| {
        let mut made = Made::new(&[1, 1]);
        made.window(0, WORLD);
        for (region, (paradigm, name)) in (0..).zip(regions) {
            made.region_of(*paradigm, region, name);
        }
        for (location, group) in [(0, 4), (10, 3)] {
            made.events(location, |to| {
                let group = GroupRef(group);
                let region = RegionRef(location as u32 / 10);
                to.at(1, Event::Enter(Enter { region }));
                to.at(2, Event::RmaGroupSync(RmaGroupSync { sync_level, win, group }));
                to.at(3, Event::Leave(Leave { region }));
            });
        }
        let (report, code) = report(&made.finish(), &[]);
        assert_eq!(code, 0);
        let [of] = rows(&report, "accesses") else { panic!("{}", report["accesses"]) };
        numbers(of, ["epochs", "unclear"])
    };
    use Paradigm::{Compiler, Mpi, Unknown};
    assert_eq!(epochs(&[(Mpi, "PMPI_Win_start"), (Mpi, "pmpi_win_post_")]), [1, 0]);
    assert_eq!(epochs(&[(Compiler, "MPI_Win_start"), (Unknown, "mpi_win_post__")]), [1, 0]);
    // Where regions are known to be of MPI, others are not.
    assert_eq!(epochs(&[(Mpi, "MPI_Win_start"), (Compiler, "MPI_Win_post")]), [0, 1]);
}

/// Few bytes make a group large, and any number of events may name it: what is not followed is told.
#[test]
fn epochs_with_more_processes_than_are_followed_are_losses() {
    let win = RmaWinRef(0);
    let call = |to: &mut Writer, time, region, group| {
        to.at(time, Event::Enter(Enter { region: RegionRef(region) }));
        let (sync_level, group) = (RmaSyncLevel::PROCESS, GroupRef(group));
        to.at(time + 1, Event::RmaGroupSync(RmaGroupSync { sync_level, win, group }));
        to.at(time + 2, Event::Leave(Leave { region: RegionRef(region) }));
    };
    let mut made = Made::new(&[2, 1]);
    made.window(0, WORLD);
    made.region(0, "MPI_Win_start");
    made.region(1, "MPI_Win_post");
    // Process 1, and ranks that nobody has.
    made.group(60, GroupType::CommGroup, 1..=100);
    made.group(61, GroupType::CommGroup, (1..=500).chain([1; 500]));
    // The second is beyond what is followed, and so are all behind it, however small their groups are.
    made.events(0, |_| {});
    made.events(1, |to| {
        for (time, group) in [(10, 60), (20, 61), (30, 4), (40, 4)] {
            call(to, time, 0, group);
        }
    });
    made.events(10, |to| (0..4).for_each(|time| call(to, 10 * time, 1, 3)));
    let anchor = made.finish();
    // It is a loss for other locations of the process, too.
    let (chosen, code) = report(&anchor, &["-L", "0", "-L", "10"]);
    assert_eq!(code, 3);
    assert!(chosen.to_string().contains("3 epochs on windows with more processes"), "{chosen}");
    let (report, code) = report(&anchor, &[]);
    assert_eq!(code, 3);
    let [of] = rows(&report, "accesses") else { panic!("{}", report["accesses"]) };
    let columns = ["epochs", "unmatched_accesses", "unmatched_exposures", "unclear"];
    assert_eq!(numbers(of, columns), [1, 0, 3, 3]);
    assert_eq!(numbers(row(&report, "epochs", "kind", "GROUP"), SPANS), [8, 0, 0, 8, 0]);
    assert!(report.to_string().contains("1 event refers to windows, or to groups"), "{report}");
    assert!(report.to_string().contains("3 epochs on windows with more processes"), "{report}");
}

/// Whole runs of real programs leave nothing open.
#[test]
fn threads_and_windows_of_whole_runs_are_whole() {
    use crate::common::archives::{large, own};
    let mut seen = 0;
    for archive in own().into_iter().chain(large()) {
        if !["hybrid", "scorep8-rma"].iter().any(|name| archive.name.contains(name)) {
            continue;
        }
        let (report, _) = report(&archive.anchor, &[]);
        for table in ["forks", "teams", "locks", "epochs"] {
            for row in rows(&report, table) {
                for column in ["open", "unbegun", "incomplete", "disagreeing"] {
                    // Teams may have members that take no part in a region.
                    let odd = row[column].as_u64().unwrap_or(0);
                    assert!(
                        odd == 0 || table == "teams" && column == "incomplete",
                        "{}: {row}",
                        archive.name
                    );
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 0);
}
