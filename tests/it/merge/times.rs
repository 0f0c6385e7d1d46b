//! Times after merging, as readers find them, against exact arithmetic.

use std::collections::BTreeMap;

use streamfold::model::definitions::{ClockOffset, ClockProperties};
use streamfold::model::events::{BufferFlush, Event};
use streamfold::model::values::Ticks;

use crate::common::program::text;
use crate::common::reference::{is_installed, otf2_print};
use crate::merge::made::{clock, visit, Made, Process, Trace};
use crate::merge::meaning::{number, of_kind, records};
use crate::merge::{merged, Place};

const REAL: u64 = 1_700_000_000_000_000_000;

/// A time as a fraction.
type Exact = (i128, i128);

/// The greatest number of which both are multiples.
fn common(a: i128, b: i128) -> i128 {
    match b {
        0 => a,
        b => common(b, a % b),
    }
}

/// What a time as it was recorded is by the clock offsets, exactly.
fn corrected(offsets: &[ClockOffset], time: u64) -> Exact {
    let Some(last) = offsets.len().checked_sub(2) else { return (time.into(), 1) };
    let at = (0..=last).find(|at| time <= offsets[at + 1].time).unwrap_or(last);
    let (from, to) = (&offsets[at], &offsets[at + 1]);
    let length = i128::from(to.time) - i128::from(from.time);
    let rise = i128::from(to.offset) - i128::from(from.offset);
    let since = i128::from(time) - i128::from(from.time);
    let common = common(length, rise.abs());
    let (length, rise) = (length / common, rise / common);
    ((i128::from(time) + i128::from(from.offset)) * length + since * rise, length)
}

/// What that is by another clock, on which the trace begins at `to`.
fn exact(old: &ClockProperties, to: u64, resolution: u64, (time, of): Exact) -> Exact {
    let since = time - i128::from(old.global_offset) * of;
    let of_second = of * i128::from(old.timer_resolution);
    (i128::from(to) * of_second + since * i128::from(resolution), of_second)
}

/// The nearest tick; halves to even ones.
fn nearest((time, of): Exact) -> i128 {
    let (whole, twice) = (time.div_euclid(of), 2 * time.rem_euclid(of));
    whole + i128::from(twice > of || (twice == of && whole % 2 != 0))
}

pub fn offsets(all: &[(u64, i64)]) -> Vec<ClockOffset> {
    let offset = |(time, offset): &(u64, i64)| ClockOffset {
        time: *time,
        offset: *offset,
        standard_deviation: 0.25,
    };
    all.iter().map(offset).collect()
}

/// Visits all along the trace, at the clock offsets, too, and a flush of memory among them.
pub fn process(location: u64, clock: &ClockProperties, all: &[(u64, i64)]) -> Process {
    let (begin, length) = (clock.global_offset, clock.trace_length);
    let margin = length / 100;
    let mut times: Vec<u64> =
        (1..98).map(|part| begin + margin + length / 100 * part + part % 7).collect();
    times.extend(all.iter().map(|(time, _)| *time));
    times.sort_unstable();
    times.dedup();
    let mut events = Vec::new();
    for pair in times.chunks_exact(2) {
        events.extend(visit([pair[0], pair[1]], 0));
        if events.len() == 40 {
            let flush = Event::BufferFlush(BufferFlush { stop_time: Ticks(pair[1] + margin / 3) });
            events.push((pair[1], Vec::new(), flush));
        }
    }
    Process {
        location,
        group: location as u32,
        events,
        offsets: offsets(all),
        ..Process::default()
    }
}

/// A trace with a clock, and what it is as readers are told.
pub struct Timed {
    pub clock: ClockProperties,
    pub processes: Vec<Process>,
    pub made: Made,
}

impl Timed {
    /// Whether the trace is as long as its clock says, as far as a process tells.
    fn has(&self, process: &Process) -> bool {
        let (begin, length) = (self.clock.global_offset, self.clock.trace_length);
        process.events.iter().all(|(time, ..)| (begin..=begin + length).contains(time))
    }
}

pub fn timed(identifier: u64, clock: ClockProperties, all: &[&[(u64, i64)]]) -> Timed {
    let numbers: Vec<u64> = (0..all.len() as u64).collect();
    let mut trace = Trace::job(identifier, &numbers, "a");
    let processes = numbers.iter().zip(all).map(|(location, all)| process(*location, &clock, all));
    trace.processes = processes.collect();
    trace.clock = Some(clock.clone());
    Timed { clock, processes: trace.processes.clone(), made: trace.write() }
}

/// One of each kind: no offsets, one, few, many; coarse and fine clocks that have no ticks in common.
fn traces() -> [Timed; 3] {
    let a = clock(1_000_000, 5_000_000, 4_000_000, REAL);
    let b = clock(2_600_000_013, 1 << 50, 9_000_000_000, REAL + 1_500_000_000);
    let at = |ticks: u64| b.global_offset + ticks;
    let of_b: [&[(u64, i64)]; 3] = [
        &[(at(90_000_000), 1_234), (at(4_000_000_001), -999_777), (at(8_800_000_000), 52)],
        &[],
        // Near to each other, far from the ends.
        &[(at(4_000_000_000), 40), (at(4_000_000_900), 41), (at(4_100_000_000), 777)],
    ];
    let c = clock(999_983, 123_456_789, 3_000_017, REAL - 500_000_000);
    let of_c: [&[(u64, i64)]; 2] = [
        &[(c.global_offset + 100_000, 17), (c.global_offset + 2_900_000, -23)],
        // A single one corrects nothing.
        &[(c.global_offset + 50_000, 9_999)],
    ];
    let of_a: [&[(u64, i64)]; 2] = [&[(5_100_000, -70), (8_000_000, 1_500), (8_900_000, 800)], &[]];
    [timed(1, a.clone(), &of_a), timed(2, b.clone(), &of_b), timed(3, c.clone(), &of_c)]
}

/// The times of events as they were recorded, and of flushes when they ended.
fn recorded(process: &Process) -> Vec<(u64, Option<u64>)> {
    let stop = |event: &Event<'_>| match event {
        Event::BufferFlush(flush) => Some(flush.stop_time.0),
        _ => None,
    };
    process.events.iter().map(|(time, _, event)| (*time, stop(event))).collect()
}

/// What print shows, in the order of locations.
fn shown(place: &Place) -> BTreeMap<u64, Vec<(u64, Option<u64>)>> {
    let mut shown: BTreeMap<u64, Vec<(u64, Option<u64>)>> = BTreeMap::new();
    for event in records(&place.anchor(), &["--unordered"]) {
        let times = (number(&event["time"]), event["stop_time"].as_u64());
        shown.entry(number(&event["location"])).or_default().push(times);
    }
    shown
}

/// What the reference library shows; of flushes no ends.
fn shown_by_reference(place: &Place) -> BTreeMap<u64, Vec<u64>> {
    let printed = text(otf2_print(&[], &place.anchor()).stdout);
    let mut shown: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for line in printed.lines() {
        let mut words = line.split_whitespace().skip(1);
        let mut next = || words.next().and_then(|word| word.parse::<u64>().ok());
        if let (Some(location), Some(time)) = (next(), next()) {
            shown.entry(location).or_default().push(time);
        }
    }
    shown
}

/// Which locations are whose, when their traces begin, and by which clock.
struct Expected<'a> {
    processes: Vec<(&'a Timed, &'a Process, u64)>,
    resolution: u64,
}

impl Expected<'_> {
    fn exact(&self, place: usize, time: u64) -> Exact {
        let (trace, process, begin) = &self.processes[place];
        let corrected = corrected(&process.offsets, time);
        exact(&trace.clock, *begin, self.resolution, corrected)
    }

    /// Fails where a time is wrong. `rounded`: to the nearest tick everywhere.
    #[track_caller]
    fn check(&self, place: usize, time: u64, found: u64, rounded: bool, what: &str) {
        let (time_exact, of) = self.exact(place, time);
        let found = i128::from(found);
        let offsets = &self.processes[place].1.offsets;
        let is_offset = offsets.len() > 1 && offsets.iter().any(|offset| offset.time == time);
        let what = || format!("{what}: location {place}: {time} is {found}, {time_exact}/{of}");
        if rounded || is_offset {
            assert_eq!(found, nearest((time_exact, of)), "{}", what());
        }
        assert!((found * of - time_exact).abs() <= 2 * of, "{}", what());
    }

    #[track_caller]
    fn check_all(&self, place: &Place, rounded: bool, what: &str) {
        let properties = &of_kind(&place.anchor(), "ClockProperties")[0];
        assert_eq!(properties["timer_resolution"], self.resolution);
        let begin = number(&properties["global_offset"]);
        let end = begin + number(&properties["trace_length"]);
        // That of a trace is not changed by what happens out of it.
        let is_within = self.processes.iter().all(|(trace, process, _)| trace.has(process));
        let span = if is_within { begin..=end } else { 0..=u64::MAX };
        let shown = shown(place);
        assert_eq!(shown.len(), self.processes.len());
        for (location, found) in &shown {
            let at = *location as usize;
            let expected = recorded(self.processes[at].1);
            assert_eq!(found.len(), expected.len(), "{what}: location {location}");
            for ((time, stop), (found, found_stop)) in expected.iter().zip(found) {
                self.check(at, *time, *found, rounded, what);
                assert!(span.contains(found), "{what}: {found} is not in {span:?}");
                assert_eq!(stop.is_some(), found_stop.is_some());
                if let (Some(stop), Some(found)) = (stop, found_stop) {
                    self.check(at, *stop, *found, rounded, &format!("{what}, a flush ends"));
                }
            }
            assert!(found.is_sorted_by_key(|(time, _)| *time), "{what}: location {location}");
        }
        if is_installed("otf2-print") {
            let times = |all: &Vec<(u64, Option<u64>)>| all.iter().map(|(time, _)| *time).collect();
            let ours: BTreeMap<u64, Vec<u64>> =
                shown.iter().map(|(location, all)| (*location, times(all))).collect();
            assert_eq!(shown_by_reference(place), ours, "{what}: the reference");
        }
    }
}

/// Checks traces that begin at these ticks in the merged one.
#[track_caller]
pub fn check(traces: &[Timed], begins: &[u64], resolution: u64, options: &[&str]) {
    let of = |(trace, begin): (_, &u64)| {
        let trace: &Timed = trace;
        let begin = *begin;
        trace.processes.iter().map(move |process| (trace, process, begin))
    };
    let processes = traces.iter().zip(begins).flat_map(of).collect();
    let expected = Expected { processes, resolution };
    let anchors: Vec<_> = traces.iter().map(|trace| &trace.made.anchor).collect();
    let kept = merged(&anchors, options);
    expected.check_all(&kept, false, &format!("{options:?}"));
    let anew = merged(&anchors, &[options, &["--rewrite-events"]].concat());
    expected.check_all(&anew, true, &format!("{options:?} --rewrite-events"));
    let left = records(&anew.anchor(), &["-M", "-C"]);
    let left: Vec<_> = left.iter().map(|record| record["record"].to_string()).collect();
    assert!(
        !left.iter().any(|it| it.contains("ClockOffset") || it.contains("Mapping")),
        "{left:?}"
    );
}

const FINEST: u64 = 2_600_000_013;

#[test]
fn aligned_by_real_time() {
    check_rounded(&traces(), 5 * FINEST, &[REAL, REAL + 1_500_000_000, REAL - 500_000_000]);
}

/// Begins are whole ticks, counted from the earliest.
#[track_caller]
fn check_rounded(traces: &[Timed], first: u64, real: &[u64]) {
    let earliest = *real.iter().min().expect("traces");
    let since = |real: u64| -> u64 {
        let exact = (i128::from(real - earliest) * i128::from(FINEST), 1_000_000_000);
        nearest(exact).try_into().expect("a time")
    };
    let begins: Vec<u64> = real.iter().map(|it| first - since(real[0]) + since(*it)).collect();
    check(traces, &begins, FINEST, &[]);
}

#[test]
fn aligned_by_their_starts() {
    check(&traces(), &[5 * FINEST; 3], FINEST, &["--align", "start"]);
}

#[test]
fn not_aligned() {
    let traces = traces();
    let begin = |trace: &Timed| -> u64 {
        let ClockProperties { global_offset, timer_resolution, .. } = trace.clock;
        let exact = (i128::from(global_offset) * i128::from(FINEST), timer_resolution.into());
        nearest(exact).try_into().expect("a time")
    };
    let begins: Vec<u64> = traces.iter().map(begin).collect();
    check(&traces, &begins, FINEST, &["--align", "none"]);
}

/// With one resolution times are moved and nothing else: exactly, with all that offsets say.
#[test]
fn of_one_resolution_are_moved() {
    let [one, other] = [(1, 1_000), (2, 9_000_000)].map(|(identifier, begin)| {
        let clock = clock(1_000_000, begin, 5_000_000, u64::MAX);
        timed(identifier, clock, &[&[(begin + 60_000, 5), (begin + 4_000_000, -9)], &[]])
    });
    let places = [&one.made.anchor, &other.made.anchor];
    let place = merged(&places, &[]);
    let found = shown(&place);
    let before = merged(&places[1..], &[]);
    for (location, times) in shown(&before) {
        let moved: Vec<_> = times
            .iter()
            .map(|(time, stop)| (time - 8_999_000, stop.map(|stop| stop - 8_999_000)))
            .collect();
        assert_eq!(found[&(location + 2)], moved, "location {location}");
    }
}
