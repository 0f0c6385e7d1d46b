//! Replays of runs: on an ideal network, with a faster region, with slower messages.
//!
//! Random programs are run here with times that follow from what each call does, and written as archives. What they would
//! take with other times follows from the program alone, without any trace.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::Value;
use streamfold::model::enums::{CollectiveOp as Op, Paradigm};
use streamfold::model::events::Event;
use streamfold::model::ids::CommRef;

use crate::common::archives::{data, own, Archive};
use crate::common::cases::cases;
use crate::common::program::{said, team};
use crate::waitstates::events::{
    begin, end, fork, join, recv, send, team_begin, team_end, thread_begin, thread_create,
    thread_end, thread_wait, NONE,
};
use crate::waitstates::trace::{Trace, TEAM};
use crate::waitstates::written::Written;

/// An action of ranks. Actions are in an order in which all of them can happen.
#[derive(Clone, Debug)]
pub enum Action {
    /// A rank is in a region for a time.
    Compute(usize, bool, u64),
    /// A buffered message from one to another; times that the sender and the receiver need besides waiting.
    Message(usize, usize, u64, u64),
    /// A rank launches a kernel: the time of the call, and that of the kernel on the stream of the rank.
    Launch(usize, bool, u64, u64),
    /// A rank waits for its stream; the time that it needs besides.
    Synchronise(usize, u64),
    /// A rank creates a thread, unless there is one: the time of the call, and that of the thread.
    Create(usize, u64, bool, u64),
    /// A rank waits for the end of its thread, if there is one; the time that it needs besides.
    Join(usize, u64),
    /// A team of two threads without a barrier: the time of each in it.
    Team(usize, u64, u64),
    /// An operation with a root, where it has one, and the time that each needs besides waiting.
    Together(Kind, usize, u64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Barrier,
    Allreduce,
    Bcast,
    Reduce,
    Scan,
}

impl Kind {
    fn call(self) -> (&'static str, Op) {
        match self {
            Kind::Barrier => ("MPI_Barrier", Op::Barrier),
            Kind::Allreduce => ("MPI_Allreduce", Op::Allreduce),
            Kind::Bcast => ("MPI_Bcast", Op::Bcast),
            Kind::Reduce => ("MPI_Reduce", Op::Reduce),
            Kind::Scan => ("MPI_Scan", Op::Scan),
        }
    }

    /// The ranks that one waits for.
    fn waits_for(self, rank: usize, root: usize, ranks: usize) -> Vec<usize> {
        match self {
            Kind::Barrier | Kind::Allreduce => (0..ranks).collect(),
            Kind::Bcast if rank != root => vec![root],
            Kind::Reduce if rank == root => (0..ranks).filter(|other| *other != root).collect(),
            Kind::Scan => (0..=rank).collect(),
            _ => Vec::new(),
        }
    }
}

/// Names of the regions.
const REGIONS: [&str; 2] = ["foo", "bar"];

/// Other times of a program.
#[derive(Clone, Copy, Default)]
struct Times {
    /// Calls of MPI take no time.
    ideal: bool,
    /// Messages take so much longer.
    latency: u64,
    /// Region `foo` takes so many hundredths of its time.
    foo: u64,
}

const AS_RECORDED: Times = Times { ideal: false, latency: 0, foo: 100 };

/// Ticks that a kernel needs from its launch to its begin, and behind the one before.
const OVERHEAD: u64 = 2;

/// Runs a program; returns when each rank and each stream ends. `call` gets the location, the name, enter, leave, and events
/// with their times.
fn run(
    actions: &[Action],
    ranks: usize,
    times: Times,
    mut call: impl FnMut(u64, &str, u64, u64, Vec<(u64, Event<'static>)>),
) -> Vec<u64> {
    // The parts of ticks that are left over count where they add up to one.
    let (mut now, mut in_foo) = (vec![0u64; ranks], vec![0u64; ranks * 3]);
    // Of each rank the thread that it created: its number, its end, and whether it is still to be joined.
    let mut threads: Vec<(u64, u64, bool)> = vec![(0, 0, false); ranks];
    // When the other thread of a team ended last.
    let mut worker: Vec<Option<u64>> = vec![None; ranks];
    // When each stream ends; none: nothing ran there.
    let mut free: Vec<Option<u64>> = vec![None; ranks];
    let thread = |rank: usize| rank as u64 * 10;
    let [stream, created, member] = [1, 2, 3].map(|of| move |rank: usize| rank as u64 * 10 + of);
    let own = |ticks: u64| if times.ideal { 0 } else { ticks };
    for action in actions {
        match *action {
            Action::Compute(rank, is_bar, ticks) => {
                let begin = now[rank];
                now[rank] += scaled(ticks, is_bar, &mut in_foo[rank], times);
                call(thread(rank), REGIONS[usize::from(is_bar)], begin, now[rank], Vec::new());
                // Time between regions.
                now[rank] += 1;
            }
            Action::Message(from, to, sending, receiving) => {
                let (sent, posted) = (now[from], now[to]);
                now[from] += own(sending);
                let there = sent + times.latency;
                now[to] = posted.max(there) + own(receiving);
                call(thread(from), "MPI_Bsend", sent, now[from], vec![(sent, send(to as u32))]);
                call(thread(to), "MPI_Recv", posted, now[to], vec![(now[to], recv(from as u32))]);
            }
            Action::Launch(rank, is_bar, calling, ticks) => {
                let launched = now[rank];
                now[rank] += calling;
                call(thread(rank), "cuLaunchKernel", launched, now[rank], Vec::new());
                now[rank] += 1;
                // An ideal clock begins with the first kernel.
                let first = times.ideal && free[rank].is_none();
                let overhead = if first { 0 } else { OVERHEAD };
                let begin = launched.max(free[rank].unwrap_or(0)) + overhead;
                let end = begin + scaled(ticks, is_bar, &mut in_foo[ranks + rank], times);
                call(stream(rank), REGIONS[usize::from(is_bar)], begin, end, Vec::new());
                free[rank] = Some(end);
            }
            Action::Synchronise(rank, ticks) => {
                let begin = now[rank];
                now[rank] = begin.max(free[rank].unwrap_or(0)) + ticks;
                call(thread(rank), "cuStreamSynchronize", begin, now[rank], Vec::new());
                now[rank] += 1;
            }
            Action::Create(rank, calling, is_bar, ticks) if !threads[rank].2 => {
                let (number, begin) = (threads[rank].0 + 1, now[rank]);
                let contingent = CommRef(TEAM + rank as u32 * 2);
                now[rank] += calling;
                let event = vec![(begin, thread_create(contingent, number))];
                call(thread(rank), "pthread_create", begin, now[rank], event);
                now[rank] += 1;
                // An ideal clock begins with the first event.
                let first = times.ideal && number == 1;
                let begin = begin.max(threads[rank].1) + if first { 0 } else { 1 };
                let end = begin + scaled(ticks, is_bar, &mut in_foo[ranks * 2 + rank], times);
                let event = vec![(begin, thread_begin(contingent, number))];
                call(created(rank), "", begin, begin, event);
                call(created(rank), REGIONS[usize::from(is_bar)], begin, end, Vec::new());
                call(created(rank), "", end, end, vec![(end, thread_end(contingent, number))]);
                threads[rank] = (number, end, true);
            }
            Action::Create(..) => {}
            Action::Join(rank, ticks) if threads[rank].2 => {
                let (number, end, _) = threads[rank];
                let contingent = CommRef(TEAM + rank as u32 * 2);
                let begin = now[rank];
                now[rank] = begin.max(end) + ticks;
                let event = vec![(now[rank], thread_wait(contingent, number))];
                call(thread(rank), "pthread_join", begin, now[rank], event);
                now[rank] += 1;
                threads[rank].2 = false;
            }
            Action::Join(..) => {}
            Action::Team(rank, own, other) => {
                let (forked, team) = (now[rank], CommRef(TEAM + rank as u32 * 2 + 1));
                let first = times.ideal && worker[rank].is_none();
                let begin = forked + if first { 0 } else { 1 };
                let ends = [forked + own, begin + other];
                let both = [(forked, fork()), (forked, team_begin(team))];
                call(thread(rank), "", forked, forked, both.to_vec());
                call(thread(rank), "omp parallel", forked, ends[0], Vec::new());
                call(member(rank), "", begin, begin, vec![(begin, team_begin(team))]);
                call(member(rank), "omp parallel", begin, ends[1], Vec::new());
                call(member(rank), "", ends[1], ends[1], vec![(ends[1], team_end(team))]);
                worker[rank] = Some(ends[1]);
                now[rank] = ends[0].max(ends[1]) + 1;
                let both = [(ends[0], team_end(team)), (now[rank], join())];
                call(thread(rank), "", ends[0], ends[0], both.to_vec());
                now[rank] += 1;
            }
            Action::Together(kind, root, ticks) => {
                let begun = now.clone();
                let (name, op) = kind.call();
                for rank in 0..ranks {
                    let others = kind.waits_for(rank, root, ranks).into_iter();
                    let last = others.map(|other| begun[other] + times.latency).max().unwrap_or(0);
                    now[rank] = begun[rank].max(last) + own(ticks + rank as u64 % 2);
                    let with_root = matches!(kind, Kind::Bcast | Kind::Reduce);
                    let root_of = if with_root { root as u32 } else { NONE };
                    let sizes = if kind == Kind::Barrier { 0 } else { 8 };
                    let events =
                        vec![(begun[rank], begin()), (now[rank], end(op, root_of, sizes, sizes))];
                    call(thread(rank), name, begun[rank], now[rank], events);
                }
            }
        }
    }
    now.extend(free.into_iter().chain(worker).map(|end| end.unwrap_or(0)));
    now.extend(threads.into_iter().map(|(_, end, _)| end));
    now
}

/// Ticks that a part of a region takes with other times, given all of it so far.
fn scaled(ticks: u64, is_bar: bool, so_far: &mut u64, times: Times) -> u64 {
    if is_bar {
        return ticks;
    }
    let before = *so_far * times.foo / 100;
    *so_far += ticks;
    *so_far * times.foo / 100 - before
}

/// The trace of a program whose ranks have clocks that differ.
pub fn traced(actions: &[Action], ranks: usize, offsets: &[u64]) -> Trace {
    let mut trace = Trace::new(&vec![4; ranks]);
    for rank in 0..ranks as u64 {
        trace.threads_of(Paradigm::Pthread, &[rank * 10, rank * 10 + 2]);
        trace.team(&[rank * 10, rank * 10 + 3]);
    }
    trace.devices.extend((0..ranks as u64).map(|rank| rank * 10 + 1));
    let at = |rank: usize, time: u64| 1000 + offsets[rank] + time;
    for rank in 0..ranks {
        let location = rank as u64 * 10;
        trace.on(location).call("main", at(rank, 0), at(rank, 0), &[]);
    }
    let ends = run(actions, ranks, AS_RECORDED, |location, name, enter, leave, events| {
        let at = |time: u64| at((location / 10) as usize, time);
        let events: Vec<_> = events.into_iter().map(|(time, of)| (at(time), of)).collect();
        if name.is_empty() {
            events.into_iter().fold(trace.on(location), |on, (time, event)| on.at(time, event));
            return;
        }
        trace.on(location).call(name, at(enter), at(leave), &events);
    });
    for (rank, end) in ends.into_iter().take(ranks).enumerate() {
        trace.on(rank as u64 * 10).call("main", at(rank, end), at(rank, end), &[]);
    }
    trace
}

pub fn programs() -> impl Strategy<Value = (usize, Vec<Action>)> {
    (2usize..6).prop_flat_map(|ranks| {
        let of = 0..ranks;
        let kinds = [Kind::Barrier, Kind::Allreduce, Kind::Bcast, Kind::Reduce, Kind::Scan];
        let compute = (of.clone(), any::<bool>(), 0u64..200)
            .prop_map(|(rank, bar, ticks)| Action::Compute(rank, bar, ticks));
        let message = (of.clone(), 1..ranks, 0u64..20, 0u64..20).prop_map(
            move |(from, step, sending, receiving)| {
                Action::Message(from, (from + step) % ranks, sending, receiving)
            },
        );
        let together = (prop::sample::select(kinds.to_vec()), of.clone(), 0u64..20)
            .prop_map(|(kind, root, ticks)| Action::Together(kind, root, ticks));
        let launch = (of.clone(), any::<bool>(), 0u64..20, 1u64..200)
            .prop_map(|(rank, bar, calling, ticks)| Action::Launch(rank, bar, calling, ticks));
        let create = (of.clone(), 0u64..20, any::<bool>(), 0u64..200)
            .prop_map(|(rank, calling, bar, ticks)| Action::Create(rank, calling, bar, ticks));
        let join = (of.clone(), 0u64..20).prop_map(|(rank, ticks)| Action::Join(rank, ticks));
        let team = (of.clone(), 0u64..200, 0u64..200)
            .prop_map(|(rank, own, other)| Action::Team(rank, own, other));
        let synchronise =
            (of.clone(), 0u64..20).prop_map(|(rank, ticks)| Action::Synchronise(rank, ticks));
        let action = prop_oneof![
            5 => compute,
            4 => message,
            1 => together,
            3 => launch,
            2 => synchronise,
            1 => create,
            1 => join,
            1 => team,
        ];
        vec(action, 1..40).prop_map(move |actions| (ranks, actions))
    })
}

/// The report of the program on so many ranks.
fn report(trace: &Trace, what: &[&str], ranks: usize) -> Value {
    let written = Written::new(trace);
    let anchor = written.anchor.to_str().expect("a path");
    let mut args = vec!["efficiency", "-q", "--format", "json", anchor];
    what.iter().for_each(|what| args.extend(["--what-if", what]));
    let output = team(ranks, args);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)))
}

/// How long a scenario takes: an ideal network; or messages that take longer, and what stays of the time of `foo`.
pub fn ticks(report: &Value, ideal: bool, latency: u64, factor: f64) -> Option<u64> {
    let mut rows = report["what_if"].as_array().expect("a table").iter();
    let row = rows.find(|row| {
        let what = row["what"].as_str().expect("words");
        let is_same = row["latency_ticks"] == latency && row["factor"].as_f64() == Some(factor);
        what.contains("ideal") == ideal && is_same
    });
    row.and_then(|row| row["ticks"].as_u64())
}

/// Fails where the program finds other times than the program has.
fn compare(ranks: usize, actions: &[Action]) -> Result<(), TestCaseError> {
    let longest = |times: Times| {
        let ends = run(actions, ranks, times, |_, _, _, _, _| {});
        ends.into_iter().max().unwrap_or(0)
    };
    let trace = traced(actions, ranks, &vec![0; ranks]);
    let has_foo = trace.regions.iter().any(|name| name == "foo");
    let mut what = vec!["latency=0", "latency=+30us", "latency=+1ms"];
    if has_foo {
        what.extend(["foo=0.5", "foo=0", "foo=3"]);
    }
    let report = report(&trace, &what, 1);
    let recorded = longest(AS_RECORDED);
    let ideal = longest(Times { ideal: true, ..AS_RECORDED });
    let found = ticks(&report, false, 0, 1.0);
    prop_assert_eq!(found, Some(recorded), "as recorded\n{:?}", actions);
    prop_assert_eq!(ticks(&report, true, 0, 1.0), Some(ideal), "ideal\n{:?}", actions);
    for latency in [30, 1000] {
        let slower = longest(Times { latency, ..AS_RECORDED });
        let found = ticks(&report, false, latency, 1.0);
        prop_assert_eq!(found, Some(slower), "{} longer\n{:?}", latency, actions);
    }
    if has_foo {
        for (factor, hundredths) in [(0.5, 50), (0.0, 0), (3.0, 300)] {
            let other = longest(Times { foo: hundredths, ..AS_RECORDED });
            let found = ticks(&report, false, 0, factor);
            prop_assert_eq!(found, Some(other), "foo {}\n{:?}", factor, actions);
        }
    }
    let factor = |id: &str| {
        let factors = report["factors"].as_array().expect("factors").iter();
        let found = factors.clone().find(|row| row["factor"] == id);
        found.map_or(1.0, |row| row["value"].as_f64().expect("a value"))
    };
    let product = factor("serialisation_efficiency") * factor("transfer_efficiency");
    let whole = factor("communication_efficiency");
    // A share of nothing is no factor.
    prop_assert!(ideal == 0 || (product - whole).abs() < 1e-9, "{} is not {}", product, whole);
    // Clocks that differ by anything change nothing on an ideal network.
    let offsets: Vec<u64> = (0..ranks as u64).map(|rank| rank * 7919 % 1000).collect();
    let shifted = self::report(&traced(actions, ranks, &offsets), &["latency=0"], 1);
    prop_assert_eq!(ticks(&shifted, true, 0, 1.0), Some(ideal), "shifted\n{:?}", actions);
    Ok(())
}

#[test]
fn random_programs_take_as_long_as_they_would() {
    let config = Config { cases: cases(300), failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let ended = runner.run(&programs(), |(ranks, actions)| compare(ranks, &actions));
    if let Err(error) = ended {
        panic!("{error}");
    }
}

/// By hand: both ranks compute 19 ticks, the mean of 30 and 9 without its half.
#[test]
fn balanced_ranks_compute_as_long_as_the_mean() {
    let actions = [
        Action::Compute(0, true, 10),
        Action::Compute(1, false, 4),
        Action::Message(0, 1, 2, 3),
        Action::Compute(0, false, 20),
        Action::Compute(1, true, 5),
    ];
    let trace = traced(&actions, 2, &[0, 0]);
    for ranks in [1, 2] {
        let report = report(&trace, &["balance"], ranks);
        let rows = report["what_if"].as_array().expect("a table");
        let what = |row: &&Value| row["what"].as_str().is_some_and(|of| of.contains("the mean"));
        let balanced = rows.iter().find(what).expect("a row");
        // Rank 0: 6, a tick between regions, Bsend 2, 13, a tick. Rank 1: 8, a tick, Recv 3, 11, a tick.
        assert_eq!(balanced["ticks"], 24, "{balanced}");
    }
}

/// Forks, joins and other dependencies at one time hold in the order of their events: none of them is given up.
#[test]
fn teams_that_take_no_time_are_joined() {
    let programs = [
        vec![Action::Team(0, 0, 0), Action::Team(0, 0, 30), Action::Compute(0, true, 5)],
        vec![Action::Compute(1, true, 9), Action::Team(1, 0, 40), Action::Team(1, 0, 0)],
        vec![
            Action::Create(0, 0, true, 0),
            Action::Join(0, 0),
            Action::Team(0, 0, 25),
            Action::Together(Kind::Barrier, 0, 0),
            Action::Team(1, 0, 0),
            Action::Message(0, 1, 0, 0),
        ],
    ];
    for actions in programs {
        compare(2, &actions).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// A replay without a change takes as long as the run, on any number of ranks.
#[test]
fn a_replay_without_a_change_is_the_run() {
    let with_streams = Archive::find(&data().join("critical/cuda_simple")).expect("an archive");
    for archive in own().into_iter().chain([with_streams]) {
        let of = |ranks: usize| {
            let anchor = archive.anchor.to_str().expect("a path");
            let args = ["efficiency", "-q", "--format", "json", "--what-if", "latency=0", anchor];
            team(ranks, args)
        };
        let one = of(1);
        let Ok(report) = serde_json::from_slice::<Value>(&one.stdout) else {
            assert_ne!(one.status.code(), Some(0), "{}", said(&one));
            continue;
        };
        let run = report["runs"][0]["elapsed_ticks"].as_u64().expect("ticks");
        let name = archive.anchor.display();
        assert_eq!(ticks(&report, false, 0, 1.0), Some(run), "{name}");
        let ideal = ticks(&report, true, 0, 1.0).expect("an ideal network");
        assert!(ideal <= run, "{name}: {ideal} of {run}");
        for ranks in [2, 5] {
            assert!(of(ranks).stdout == one.stdout, "{name} on {ranks} ranks");
        }
    }
}
