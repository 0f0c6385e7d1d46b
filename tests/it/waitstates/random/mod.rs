//! Random small traces: the program finds what the slow way finds.

mod made;
pub mod mpi;
pub mod rma;
mod spans;
pub mod threads;

use std::collections::BTreeMap;
use std::fmt::Debug;

use proptest::arbitrary::any;
use proptest::collection::vec;
use proptest::sample::Index;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use proptest::{prop_assert, prop_assert_eq};
use serde_json::Value;
use streamfold::model::events::Event;

use crate::common::cases::cases;
use crate::waitstates::conserved;
use crate::waitstates::found::{
    account, counts, number, report, rows, text, violations, violations_by_nodes, waited, waits,
};
use crate::waitstates::slow;
use crate::waitstates::split;
use crate::waitstates::trace::Trace;
use crate::waitstates::written::Written;

/// Fails where the program does not find what the slow way finds.
fn compare(trace: &Trace) -> Result<(), TestCaseError> {
    let written = Written::new(trace);
    let (report, code) = report(&written.anchor);
    let found = slow::analyse(trace);
    let differs = |what: &str, program: String, slow: String| {
        let shown = show(trace);
        let said = format!("{what}\n program {program}\n slow    {slow}\n{shown}");
        if program == slow {
            Ok(())
        } else {
            Err(TestCaseError::fail(said))
        }
    };
    differs("exit code", code.to_string(), "0".into())?;
    let both = [waits(&report), found.waits()].map(|waits| format!("{waits:?}"));
    let [program, slow] = both;
    differs("wait states", program, slow)?;
    let both = [violations(&report), found.violations.clone()].map(|of| format!("{of:?}"));
    let [program, slow] = both;
    differs("violations", program, slow)?;
    let both = [violations_by_nodes(&report), found.by_nodes.clone()].map(|of| format!("{of:?}"));
    let [program, slow] = both;
    differs("violations by nodes", program, slow)?;
    let both = [counts(&report), found.counts()].map(|of| format!("{of:?}"));
    let [program, slow] = both;
    differs("instances", program, slow)?;
    for row in rows(&report, "worst") {
        worst(trace, &found, row)?;
    }
    let both = [idle(&report), slow_idle(&found)].map(|of| format!("{of:?}"));
    let [program, slow] = both;
    differs("idle threads", program, slow)?;
    let both = [account(&report), split::sums(&split::account(trace))];
    let [program, slow] = both.map(|of| format!("{of:?}"));
    differs("account", program, slow)?;
    conserved::holds(&report, "a random trace");
    Ok(())
}

/// Idle threads by location, and the part of them that is limited parallelism.
type Idle = BTreeMap<u64, [u64; 2]>;

fn idle(report: &Value) -> Idle {
    let mut idle = Idle::new();
    for row in rows(report, "by_location") {
        match text(row, "metric") {
            "omp_idle_threads" => {
                idle.entry(number(row, "location")).or_default()[0] = number(row, "ticks")
            }
            "omp_limited_parallelism" => {
                idle.entry(number(row, "location")).or_default()[1] = number(row, "ticks")
            }
            _ => {}
        }
    }
    idle
}

fn slow_idle(found: &slow::Found<'_>) -> Idle {
    let ticks = |of: i128| u64::try_from(of).expect("no less than nothing");
    let all = slow::idle(found).into_iter();
    let all = all.map(|(location, [outside, limited])| {
        (location, [ticks(outside + limited), ticks(limited)])
    });
    all.filter(|(_, [idle, _])| *idle > 0).collect()
}

/// Fails where a location waited longer than passed from the first to the last event of its process.
fn within_spans(trace: &Trace) -> Result<(), TestCaseError> {
    let (report, _) = report(&Written::new(trace).anchor);
    for location in trace.streams.keys() {
        let process = trace.streams.iter().filter(|(other, _)| *other / 10 == location / 10);
        let times = || process.clone().flat_map(|(_, events)| events.iter().map(|(time, _)| *time));
        let span = times().max().unwrap_or(0) - times().min().unwrap_or(0);
        let time = waited(&report, *location);
        prop_assert!(time <= span, "{}: {} of {}\n{}", location, time, span, show(trace));
    }
    Ok(())
}

/// Streams that end too soon: which, and behind which event.
pub type Cuts = Vec<(Index, Index)>;

pub fn cuts() -> impl Strategy<Value = Cuts> + Clone {
    vec((any::<Index>(), any::<Index>()), 1..5)
}

pub fn cut(mut trace: Trace, cuts: &Cuts) -> Trace {
    let count = trace.streams.len();
    for (stream, event) in cuts {
        let stream = trace.streams.values_mut().nth(stream.index(count)).expect("a stream");
        if !stream.is_empty() {
            stream.truncate(1 + event.index(stream.len()));
        }
    }
    trace
}

/// Fails where one of the worst is not there.
fn worst(trace: &Trace, found: &slow::Found<'_>, row: &Value) -> Result<(), TestCaseError> {
    let (metric, location) = (text(row, "metric"), number(row, "location"));
    let event = number(row, "event") as usize - 1;
    let visits = &found.visits.of(location).visits;
    let visit = visits.iter().position(|visit| visit.enter.1 == event);
    let Some(visit) = visit else {
        return Err(TestCaseError::fail(format!("{row} is no call\n{}", show(trace))));
    };
    let of = &visits[visit];
    let severities = found.severities.iter();
    let mut same = severities.filter(|(key, _)| (key.0, key.1, key.2) == (metric, location, visit));
    let expected =
        (same.next().map(|(_, ticks)| *ticks), of.enter.0, of.leave.map(|leave| leave.0));
    let told = |column: &str| row[column].as_u64();
    let enter = told("enter").unwrap_or_default();
    prop_assert_eq!((told("ticks"), enter, told("leave")), expected, "{}\n{}", row, show(trace));
    prop_assert_eq!(text(row, "region"), &of.name, "{}", row);
    Ok(())
}

/// Which record of which location has a time before that of the record before it, and by how much.
pub type Jump = (Index, Index, u64);

pub fn jumps() -> impl Strategy<Value = Vec<Jump>> + Clone {
    vec((any::<Index>(), any::<Index>(), 1u64..30), 1..8)
}

/// A trace in which some records do; those of tasks have the time of what they begin and end, as recorders write
/// them.
pub fn backward(mut trace: Trace, jumps: &[Jump]) -> Trace {
    let count = trace.streams.len();
    for (stream, event, by) in jumps {
        let stream = trace.streams.values_mut().nth(stream.index(count)).expect("a stream");
        if stream.len() > 2 {
            let (first, _) = stream[0];
            let event = 1 + event.index(stream.len() - 2);
            let near = event.saturating_sub(1)..(event + 2).min(stream.len());
            let is_task = |(_, event): &(u64, Event<'_>)| {
                matches!(event, Event::ThreadTaskSwitch(_) | Event::ThreadTaskComplete(_))
            };
            if !stream[near].iter().any(is_task) {
                let (time, _) = &mut stream[event];
                *time = time.saturating_sub(*by).max(first);
            }
        }
    }
    trace
}

/// A trace that a person can read.
pub fn show(trace: &Trace) -> String {
    let mut text = String::new();
    for (location, events) in &trace.streams {
        text += &format!("location {location}\n");
        for (time, event) in events {
            let name = match event {
                streamfold::model::events::Event::Enter(it) => {
                    trace.regions[it.region.0 as usize].as_str()
                }
                _ => "",
            };
            text += &format!("  {time} {event:?} {name}\n");
        }
    }
    text
}

/// Streams end too soon, and clocks agree: nobody waits longer than passed.
fn time_is_within_spans<T: Debug>(
    full: u32,
    scripts: impl Strategy<Value = T>,
    trace: impl Fn(&T) -> Trace,
) {
    check_cases(full, (scripts, cuts()), |(script, cuts)| within_spans(&cut(trace(script), cuts)));
}

/// Compares many traces; the smallest that differs is shown.
fn compare_many<T: Debug>(
    full: u32,
    scripts: impl Strategy<Value = T>,
    trace: impl Fn(&T) -> Trace,
) {
    check_cases(full, scripts, |script| compare(&trace(script)));
}

/// Checks many cases; the smallest that fails is shown.
pub fn check_cases<T: Debug>(
    full: u32,
    scripts: impl Strategy<Value = T>,
    check: impl Fn(&T) -> Result<(), TestCaseError>,
) {
    let config = Config { cases: cases(full), failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new(config);
    if let Err(error) = runner.run(&scripts, |script| check(&script)) {
        panic!("{error}");
    }
}

/// Looks at the slow way alone. The cases are the same each time, as they have to hold `least`, which others could miss
/// by chance.
fn check_many<T: Debug>(
    cases: u32,
    scripts: impl Strategy<Value = T>,
    trace: impl Fn(&T) -> Trace,
    least: &[&str],
) {
    let rng_seed = RngSeed::Fixed(1);
    let config = Config { cases, rng_seed, failure_persistence: None, ..Config::default() };
    let mut seen: BTreeMap<&'static str, u64> = BTreeMap::new();
    let counts = std::cell::RefCell::new(&mut seen);
    let mut runner = TestRunner::new(config);
    let ended = runner.run(&scripts, |script| {
        let trace = trace(&script);
        let found = slow::analyse(&trace);
        for (metric, ..) in found.severities.keys() {
            *counts.borrow_mut().entry(metric).or_default() += 1;
        }
        Ok(())
    });
    if let Err(error) = ended {
        panic!("{error}");
    }
    for metric in least {
        assert!(seen.get(metric).is_some_and(|count| *count > 10), "{metric}: {seen:?}");
    }
}
