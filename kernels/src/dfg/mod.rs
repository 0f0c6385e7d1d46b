//! Directly-follows graphs: which activity follows on which, in cases whose events are in the order of their begins.
//!
//! The method is that of Sankaran, Zhukov, Frings and Bientinesi (arXiv 2408.07378). An *activity* is what an event
//! is called, a *case* is a process or another sequence of events. A [`Log`] takes the events of any cases; logs of
//! different cases fold in any order, and their [`Graph`] is the same.

mod concurrency;
mod graph;
mod kernel;

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU64;

use foldhash::fast::RandomState;
use indexmap::IndexSet;
use serde::{Deserialize, Serialize};

pub use concurrency::{concurrency, Concurrency, Interval};
pub use graph::{Edge, Graph, NamedNode, Variant, END, START};
pub use kernel::{DfgKernel, DfgScan, DfgWorker, Naming, Over};

/// Stands in an edge for the begin of a case, if it is before, and for its end, if it is behind.
const OUTSIDE: u32 = u32::MAX;

/// Rates are added up in units of bytes a second divided by this, so that their sum does not depend on their order.
const RATE_UNITS: u32 = 20;

/// Facts about an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// When it began, in ticks.
    pub start: i64,
    /// How long it took, in ticks.
    pub duration: u64,
    /// Bytes that it transferred, if it is of a kind that does.
    pub size: Option<u64>,
    /// Set if it failed.
    pub failed: bool,
}

/// An event in its case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Happening {
    /// Number of its case among those that are processed together.
    pub case: u64,
    /// When it began, in ticks.
    pub start: i64,
    /// Order of events that begin at one time.
    pub order: u64,
    /// Its activity, see [`Log::activity`].
    pub activity: u32,
}

/// The numbers of an activity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Events.
    pub count: u64,
    /// Events that failed.
    pub failed: u64,
    /// Cases with any of them.
    pub cases: u64,
    /// Ticks in all events.
    pub duration: u128,
    /// Ticks of the shortest event, and of the longest.
    pub shortest: u64,
    /// See above.
    pub longest: u64,
    /// Events with a size.
    pub sized: u64,
    /// Bytes in those.
    pub bytes: u128,
    /// Events with a size and a duration.
    pub rated: u64,
    /// The sum of their rates, in bytes a second over 2^20.
    rates: u128,
    /// When the first one began, and when the last one ended.
    pub first: i64,
    /// See above.
    pub last: i64,
}

impl Node {
    fn add(&mut self, facts: &Facts, ticks_per_second: NonZeroU64) {
        let Facts { start, duration, size, failed } = *facts;
        let end = start.saturating_add_unsigned(duration);
        if self.count == 0 {
            (self.first, self.last) = (start, end);
            (self.shortest, self.longest) = (duration, duration);
        }
        self.count += 1;
        self.failed += u64::from(failed);
        self.duration += u128::from(duration);
        self.shortest = self.shortest.min(duration);
        self.longest = self.longest.max(duration);
        self.first = self.first.min(start);
        self.last = self.last.max(end);
        let Some(size) = size else { return };
        self.sized += 1;
        self.bytes += u128::from(size);
        if duration > 0 {
            // Divided as floating-point numbers, which is the same for each event wherever it is read; the sum is one
            // of whole numbers.
            let rate = size as f64 * ticks_per_second.get() as f64 / duration as f64;
            let units = rate * f64::from(1u32 << RATE_UNITS);
            let units =
                if units < u64::MAX as f64 { u128::from(units as u64) } else { units as u128 };
            self.rated += 1;
            self.rates = self.rates.saturating_add(units);
        }
    }

    fn fold(&mut self, other: &Node) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        self.count += other.count;
        self.failed += other.failed;
        self.cases += other.cases;
        self.duration += other.duration;
        self.shortest = self.shortest.min(other.shortest);
        self.longest = self.longest.max(other.longest);
        self.sized += other.sized;
        self.bytes += other.bytes;
        self.rated += other.rated;
        self.rates = self.rates.saturating_add(other.rates);
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }

    /// The same, in thousandths of a byte a second, rounded down.
    pub fn mean_rate_thousandths(&self) -> Option<u128> {
        let mean = self.rates.checked_div(self.rated.into())?;
        Some(match mean.checked_mul(1000) {
            Some(mean) => mean >> RATE_UNITS,
            None => (mean >> RATE_UNITS).saturating_mul(1000),
        })
    }

    /// The mean of the rates of single events, in bytes a second. `None`: no event has a size and a duration.
    pub fn mean_rate(&self) -> Option<f64> {
        let sum = self.rates as f64 / f64::from(1u32 << RATE_UNITS);
        (self.rated > 0).then(|| sum / self.rated as f64)
    }
}

/// An event of the activity whose timeline is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Occurrence {
    /// When it began, in ticks.
    pub start: i64,
    /// How long it took, in ticks.
    pub duration: u64,
    /// Bytes that it transferred, if it is of a kind that does.
    pub size: Option<u64>,
}

/// How cases are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keeping {
    /// Ticks a second.
    pub ticks_per_second: NonZeroU64,
    /// Set if the sequences of whole cases are kept.
    pub variants: bool,
}

/// The events of some cases.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Log {
    activities: IndexSet<String, RandomState>,
    nodes: Vec<Node>,
    intervals: Vec<Vec<Interval>>,
    edges: HashMap<(u32, u32), u64, RandomState>,
    /// How many cases have which sequence.
    variants: HashMap<Vec<u32>, u64, RandomState>,
    cases: u64,
    empty: u64,
    /// The events of one activity, by the names of cases.
    timeline: BTreeMap<String, Vec<Occurrence>>,
}

impl Log {
    /// The number of an activity in this log.
    pub fn activity(&mut self, name: &str) -> u32 {
        if let Some(number) = self.activities.get_index_of(name) {
            return number as u32;
        }
        self.nodes.push(Node::default());
        self.intervals.push(Vec::new());
        self.activities.insert_full(name.to_owned()).0 as u32
    }

    /// Adds what is known of an event to its activity.
    pub fn event(&mut self, activity: u32, facts: &Facts, keeping: Keeping) {
        self.nodes[activity as usize].add(facts, keeping.ticks_per_second);
        let end = facts.start.saturating_add_unsigned(facts.duration);
        self.intervals[activity as usize].push((facts.start, end));
    }

    /// Adds the sequence of events of cases, all events of each. They are put in order.
    pub fn cases(&mut self, happenings: &mut [Happening], keeping: Keeping) {
        sort(happenings);
        let mut seen: Vec<u64> = vec![u64::MAX; self.nodes.len()];
        for (number, case) in happenings.chunk_by(|one, other| one.case == other.case).enumerate() {
            self.cases += 1;
            let mut before = OUTSIDE;
            // The same edge many times over is entered once.
            let mut again = ((OUTSIDE, OUTSIDE), 0);
            for happening in case {
                let activity = happening.activity;
                if again.0 != (before, activity) {
                    self.count(again);
                    again = ((before, activity), 0);
                }
                again.1 += 1;
                let last = &mut seen[activity as usize];
                if *last != number as u64 {
                    *last = number as u64;
                    self.nodes[activity as usize].cases += 1;
                }
                before = activity;
            }
            self.count(again);
            self.count(((before, OUTSIDE), 1));
            if keeping.variants {
                let sequence = case.iter().map(|happening| happening.activity).collect();
                *self.variants.entry(sequence).or_default() += 1;
            }
        }
    }

    fn count(&mut self, (edge, count): ((u32, u32), u64)) {
        if count > 0 {
            *self.edges.entry(edge).or_default() += count;
        }
    }

    /// Keeps an event of the activity whose timeline is wanted.
    pub fn occurrence(&mut self, case: &str, facts: &Facts) {
        let Facts { start, duration, size, .. } = *facts;
        let event = Occurrence { start, duration, size };
        match self.timeline.get_mut(case) {
            Some(events) => events.push(event),
            None => drop(self.timeline.insert(case.to_owned(), vec![event])),
        }
    }

    /// The same with times in other units, rounded to the nearest one.
    #[must_use]
    pub fn in_units(mut self, from: NonZeroU64, to: NonZeroU64) -> Log {
        if from == to {
            return self;
        }
        let (from, to) = (u128::from(from.get()), u128::from(to.get()));
        let whole = |ticks: u128| match ticks.checked_mul(to) {
            Some(ticks) => (ticks + from / 2) / from,
            None => (ticks / from).saturating_mul(to),
        };
        let length = |ticks: u64| u64::try_from(whole(ticks.into())).unwrap_or(u64::MAX);
        let time = |ticks: i64| {
            let ticks = i128::try_from(whole(ticks.unsigned_abs().into())).unwrap_or(i128::MAX)
                * i128::from(ticks.signum());
            i64::try_from(ticks).unwrap_or(if ticks < 0 { i64::MIN } else { i64::MAX })
        };
        for node in &mut self.nodes {
            node.duration = whole(node.duration);
            (node.shortest, node.longest) = (length(node.shortest), length(node.longest));
            (node.first, node.last) = (time(node.first), time(node.last));
        }
        for (start, end) in self.intervals.iter_mut().flatten() {
            (*start, *end) = (time(*start), time(*end));
        }
        for event in self.timeline.values_mut().flatten() {
            (event.start, event.duration) = (time(event.start), length(event.duration));
        }
        self
    }

    /// Counts cases without any event that has an activity.
    pub fn empty_cases(&mut self, count: u64) {
        self.empty = self.empty.saturating_add(count);
    }

    /// Of the cases of two logs, which have none in common.
    #[must_use]
    pub fn fold(mut self, mut other: Log) -> Log {
        if self.activities.len() < other.activities.len() {
            std::mem::swap(&mut self, &mut other);
        }
        let numbers: Vec<u32> = other.activities.iter().map(|name| self.activity(name)).collect();
        for (number, (node, intervals)) in
            numbers.iter().zip(other.nodes.iter().zip(&mut other.intervals))
        {
            self.nodes[*number as usize].fold(node);
            let own = &mut self.intervals[*number as usize];
            match own.is_empty() {
                true => *own = std::mem::take(intervals),
                false => own.append(intervals),
            }
        }
        let here = |number: u32| match number {
            OUTSIDE => OUTSIDE,
            number => numbers[number as usize],
        };
        for ((from, to), count) in other.edges {
            *self.edges.entry((here(from), here(to))).or_default() += count;
        }
        for (sequence, count) in other.variants {
            let sequence = sequence.into_iter().map(here).collect();
            *self.variants.entry(sequence).or_default() += count;
        }
        for (case, events) in other.timeline {
            self.timeline.entry(case).or_default().extend(events);
        }
        self.cases += other.cases;
        self.empty = self.empty.saturating_add(other.empty);
        self
    }
}

/// Sorts by insertion, since items are nearly in order: each moves a few places back. After too many steps all are
/// sorted anew.
fn sort<T: Ord + Copy>(items: &mut [T]) {
    let mut steps = 4 * items.len();
    for number in 1..items.len() {
        let item = items[number];
        let mut at = number;
        while at > 0 && item < items[at - 1] {
            items[at] = items[at - 1];
            at -= 1;
            steps = steps.saturating_sub(1);
            if steps == 0 {
                items[at] = item;
                return items.sort();
            }
        }
        items[at] = item;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEEPING: Keeping =
        Keeping { ticks_per_second: NonZeroU64::new(1_000_000_000).expect("some"), variants: true };

    fn log(cases: &[&[&str]]) -> Log {
        let mut log = Log::default();
        for case in cases {
            let mut happenings = Vec::new();
            for (order, name) in case.iter().enumerate() {
                let activity = log.activity(name);
                let start = order as i64;
                log.event(activity, &Facts { start, duration: 1, ..Facts::default() }, KEEPING);
                happenings.push(Happening { case: 0, start, order: order as u64, activity });
            }
            // In any order.
            happenings.reverse();
            match happenings.is_empty() {
                true => log.empty_cases(1),
                false => log.cases(&mut happenings, KEEPING),
            }
        }
        log
    }

    /// Edges in and edges out add up to the occurrences.
    #[test]
    fn edges_add_up() {
        let all: [&[&str]; 4] = [&["a", "a", "b"], &["b"], &[], &["c", "a", "b", "c"]];
        let graph = log(&all).graph(true);
        assert_eq!((graph.cases, graph.empty), (3, 1));
        for (number, node) in graph.nodes.iter().enumerate() {
            let sum = |of: fn(&Edge) -> Option<usize>| -> u64 {
                let edges = graph.edges.iter().filter(|edge| of(edge) == Some(number));
                edges.map(|edge| edge.count).sum()
            };
            assert_eq!(sum(|edge| edge.from), node.node.count, "{}", node.name);
            assert_eq!(sum(|edge| edge.to), node.node.count, "{}", node.name);
        }
        let begins = graph.edges.iter().filter(|edge| edge.from.is_none());
        assert_eq!(begins.map(|edge| edge.count).sum::<u64>(), 3);
    }

    /// Times in other units are what they were.
    #[test]
    fn units() {
        let mut log = Log::default();
        let activity = log.activity("read");
        let facts = Facts { start: -3, duration: 5, ..Facts::default() };
        log.event(activity, &facts, KEEPING);
        log.occurrence("case", &facts);
        let of = |ticks| NonZeroU64::new(ticks).expect("some");
        let graph = log.in_units(of(1_000), of(1_000_000)).graph(true);
        let node = graph.nodes[0].node;
        assert_eq!((node.first, node.last, node.duration, node.longest), (-3000, 2000, 5000, 5000));
        let event = Occurrence { start: -3000, duration: 5000, size: None };
        assert_eq!(graph.timeline, [("case".to_owned(), vec![event])]);
    }

    /// Whatever the order, the result is that of sorting.
    #[test]
    fn sorting() {
        for length in 0..40u64 {
            let scattered: Vec<u64> = (0..length).map(|number| number * 7919 % 41).collect();
            let near: Vec<u64> = (0..length).map(|number| number ^ 1).collect();
            let back: Vec<u64> = (0..length).rev().collect();
            for mut items in [scattered, near, back] {
                let mut expected = items.clone();
                expected.sort_unstable();
                super::sort(&mut items);
                assert_eq!(items, expected);
            }
        }
    }

    /// However cases are shared, the graph is the same.
    #[test]
    fn logs_fold_in_any_order() {
        let cases: [&[&str]; 4] = [&["x", "a"], &["b", "x", "b"], &["a"], &["c", "b"]];
        let whole = log(&cases).graph(true);
        for cut in 0..=cases.len() {
            let (one, other) = (log(&cases[..cut]), log(&cases[cut..]));
            assert_eq!(one.clone().fold(other.clone()).graph(true), whole);
            assert_eq!(other.fold(one).graph(true), whole);
        }
    }

    /// Of single rates the mean, not bytes by time; what has no duration is left out.
    #[test]
    fn rates() {
        let mut log = Log::default();
        let activity = log.activity("read");
        for (size, duration) in [(100, 1_000_000_000), (100, 100_000_000), (7, 0)] {
            let facts = Facts { duration, size: Some(size), ..Facts::default() };
            log.event(activity, &facts, KEEPING);
        }
        let node = log.graph(true).nodes[0].node;
        assert_eq!((node.mean_rate(), node.bytes, node.sized), (Some(550.0), 207, 3));
        assert_eq!(Node::default().mean_rate(), None);
    }
}
