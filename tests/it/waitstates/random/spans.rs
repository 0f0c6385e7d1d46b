//! Whatever locations record, in whatever order: each tick counts once, and they wait no longer than they are there.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use streamfold::model::enums::{CollectiveOp, Paradigm};
use streamfold::model::events::{Event, Leave};
use streamfold::model::ids::CommRef;

use super::show;
use crate::waitstates::conserved;
use crate::waitstates::events::{
    acquire, begin, end, flush, fork, join, recv, release, send, task_complete, task_switch,
    team_begin, team_end, NONE,
};
use crate::waitstates::found::{account, at_location, by_thread, report, waited};
use crate::waitstates::split;
use crate::waitstates::trace::Trace;
use crate::waitstates::written::Written;

/// What a location does next.
#[derive(Clone, Debug)]
enum Deed {
    Enter(usize),
    /// Leaves the region that is so far out, and drops what is inside of it.
    Leave(usize),
    Fork,
    Join,
    Begin(usize),
    End(usize),
    Switch(u32),
    Complete(u32),
    Acquire(usize),
    Release(usize),
    BeginCollective,
    EndCollective,
    Send,
    Receive,
}

/// Which location does what, and how much later than before.
type Step = (usize, Deed, u64);

const LOCATIONS: [u64; 4] = [0, 1, 10, 11];

const GROUPS: [&str; 7] =
    ["computation", "mpi", "threads", "measurement", "idle", "not_recorded", "absent"];

const REGIONS: [&str; 9] = [
    "foo",
    "bar",
    "omp parallel",
    "omp parallel inner",
    "omp critical",
    "omp barrier",
    "MPI_Recv",
    "MPI_Barrier",
    "MPI_Finalize",
];

fn step() -> impl Strategy<Value = Step> + Clone {
    let action = prop_oneof![
        8 => (0..REGIONS.len()).prop_map(Deed::Enter),
        6 => Just(Deed::Leave(0)),
        2 => (0usize..4).prop_map(Deed::Leave),
        2 => Just(Deed::Fork),
        2 => Just(Deed::Join),
        2 => (0usize..2).prop_map(Deed::Begin),
        2 => (0usize..2).prop_map(Deed::End),
        2 => (0u32..3).prop_map(Deed::Switch),
        1 => (1u32..3).prop_map(Deed::Complete),
        3 => (0usize..3).prop_map(Deed::Acquire),
        3 => (0usize..3).prop_map(Deed::Release),
        1 => Just(Deed::BeginCollective),
        1 => Just(Deed::EndCollective),
        1 => Just(Deed::Send),
        1 => Just(Deed::Receive),
    ];
    (0..LOCATIONS.len(), action, 0u64..12)
}

/// Where a location is.
#[derive(Default)]
struct At {
    now: u64,
    task: u32,
    open: BTreeMap<u32, Vec<&'static str>>,
}

fn trace(steps: &[Step], flushes: &[Option<u64>]) -> Trace {
    let mut trace = Trace::new(&[2, 2]);
    let teams: Vec<[CommRef; 2]> =
        [0, 10].map(|first| [trace.team(&[first, first + 1]), trace.team(&[first])]).to_vec();
    let mut at: BTreeMap<usize, At> = BTreeMap::new();
    let mut turns = [[0u32; 3]; 2];
    for (location, action, gap) in steps {
        let (process, at) = (location / 2, at.entry(*location).or_default());
        at.now += gap;
        let open = at.open.entry(at.task).or_default();
        let event = match action {
            Deed::Enter(region) => {
                open.push(REGIONS[*region]);
                trace.on(LOCATIONS[*location]).enter(at.now, REGIONS[*region]);
                continue;
            }
            Deed::Leave(around) => {
                let Some(name) = open.iter().rev().nth(*around).copied() else { continue };
                let place = open.iter().rposition(|other| *other == name).expect("it is open");
                open.truncate(place);
                Event::Leave(Leave { region: trace.region(name) })
            }
            Deed::Fork => fork(),
            Deed::Join => join(),
            Deed::Begin(team) => team_begin(teams[process][*team]),
            Deed::End(team) => team_end(teams[process][*team]),
            Deed::Switch(task) => {
                at.task = *task;
                task_switch(teams[process][0], 0, *task)
            }
            Deed::Complete(task) => {
                at.open.remove(task);
                at.task = if at.task == *task { 0 } else { at.task };
                task_complete(teams[process][0], 0, *task)
            }
            Deed::Acquire(lock) => {
                turns[process][*lock] += 1;
                acquire(Paradigm::Openmp, *lock as u32, turns[process][*lock])
            }
            Deed::Release(lock) => release(Paradigm::Openmp, *lock as u32, turns[process][*lock]),
            Deed::BeginCollective => begin(),
            Deed::EndCollective => end(CollectiveOp::Barrier, NONE, 0, 0),
            Deed::Send => send(1 - process as u32),
            Deed::Receive => recv(1 - process as u32),
        };
        trace.on(LOCATIONS[*location]).at(at.now, event);
    }
    for (location, ticks) in LOCATIONS.iter().zip(flushes) {
        let last = trace.streams[location].last().map(|(time, _)| *time);
        if let (Some(last), Some(ticks)) = (last, ticks) {
            trace.on(*location).at(last, flush(last + ticks));
        }
    }
    trace
}

/// From the first event of a location to the end of the last.
fn span(trace: &Trace, location: u64) -> u64 {
    let events = &trace.streams[&location];
    let end = |(time, event): &(u64, Event<'_>)| match event {
        Event::BufferFlush(flush) => flush.stop_time.0,
        _ => *time,
    };
    events.last().map_or(0, |last| end(last) - events[0].0)
}

fn check(trace: &Trace) -> Result<(), TestCaseError> {
    let written = Written::new(trace);
    let (report, _) = report(&written.anchor);
    conserved::holds(&report, &show(trace));
    let expected = split::account(trace);
    prop_assert_eq!(account(&report), split::sums(&expected), "{}", show(trace));
    for (location, of) in by_thread(&written.anchor) {
        for group in GROUPS {
            let expected = split::at(&expected, group, location);
            prop_assert_eq!(of[group], expected, "{} at {}\n{}", group, location, show(trace));
        }
    }
    for location in LOCATIONS {
        let of = |metric: &str| at_location(&report, metric, location);
        // Threads other than the first wait for teams while they do nothing.
        let apart =
            if location % 10 == 0 { 0 } else { of("omp_idle_threads") + of("omp_management") };
        let (waited, span) = (waited(&report, location), span(trace, location));
        let shown = || format!("location {location}, {waited} of {span}\n{}", show(trace));
        prop_assert!(waited <= span + apart, "{}", shown());
    }
    Ok(())
}

#[test]
fn each_tick_counts_once_from_begin_to_end() {
    let flushes = vec(proptest::option::weighted(0.3, 0u64..20), LOCATIONS.len());
    let scripts = (vec(step(), 0..120), flushes);
    let config = ProptestConfig {
        cases: crate::common::cases::cases(700),
        failure_persistence: None,
        ..Default::default()
    };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let ended = runner.run(&scripts, |(steps, flushes)| check(&trace(&steps, &flushes)));
    if let Err(error) = ended {
        panic!("{error}");
    }
}
