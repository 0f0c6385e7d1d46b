//! Counted parts of the time: a window that is cut into equal bins, or the visits of a region, of each process its own.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::{LocationGroupRef, LocationRef, RegionRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use crate::call_stack::{CallStack, Change, Place};
use crate::{Kernel, Window};

/// Counted parts of the time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// The parts, as the ticks between which they are: one more than there are parts. Empty: all of the time is one
    /// part.
    edges: Vec<u64>,
    /// Of each location the time that counts. `None`: all of it does.
    visits: Option<Visits>,
}

/// Of each location the time that counts, in ticks: from here, up to, not at, there; in order.
pub type Visits = HashMap<LocationRef, Vec<(u64, u64)>, RandomState>;

impl Phases {
    /// A window in so many parts of the same length, to the tick.
    pub fn bins(window: Window, end: u64, bins: u32) -> Phases {
        let (begin, bins) = (window.begin.0, u128::from(bins.max(1)));
        let end = window.end.map_or(end, |end| end.0).max(begin);
        let length = u128::from(end - begin);
        let edge = |bin: u128| begin + (length * bin / bins) as u64;
        Phases { edges: (0..=bins).map(edge).collect(), visits: None }
    }

    /// The same, of this time of each location only.
    #[must_use]
    pub fn within(self, visits: Visits) -> Phases {
        Phases { visits: Some(visits), ..self }
    }

    /// How many parts there are.
    pub fn count(&self) -> usize {
        self.edges.len().saturating_sub(1).max(1)
    }

    /// The ticks between which the parts are; empty where all of the time is one.
    pub fn edges(&self) -> &[u64] {
        &self.edges
    }

    /// The time of a location that counts; `None`: all of it does.
    pub fn visits(&self, location: LocationRef) -> Option<&[(u64, u64)]> {
        let visits = self.visits.as_ref()?;
        Some(visits.get(&location).map_or(&[], |visits| visits))
    }

    /// Reports each counted part of the time from `from` to `to`: its number, its begin, and its end. `at` is the place
    /// in the counted time: times come in order.
    pub(super) fn split(
        &self,
        visits: Option<&[(u64, u64)]>,
        at: &mut usize,
        (from, to): (u64, u64),
        mut tell: impl FnMut(usize, u64, u64),
    ) {
        match visits {
            None => self.parts(from, to, &mut tell),
            Some(visits) => {
                while visits.get(*at).is_some_and(|visit| visit.1 <= from) {
                    *at += 1;
                }
                let inside = visits[*at..].iter().take_while(|visit| visit.0 < to);
                for &(begin, end) in inside {
                    self.parts(begin.max(from), end.min(to), &mut tell);
                }
            }
        }
    }

    fn parts(&self, from: u64, to: u64, tell: &mut impl FnMut(usize, u64, u64)) {
        let (Some(&begin), Some(&end)) = (self.edges.first(), self.edges.last()) else {
            return if from < to {
                tell(0, from, to)
            };
        };
        let (mut from, to) = (from.max(begin), to.min(end));
        if from >= to {
            return;
        }
        let mut part = self.edges.partition_point(|edge| *edge <= from) - 1;
        while from < to {
            let until = self.edges[part + 1].min(to);
            if from < until {
                tell(part, from, until);
            }
            (from, part) = (until, part + 1);
        }
    }
}

/// Finds the visits of a region, of each process those of the thread that visits it first.
#[derive(Debug)]
pub struct PhaseKernel {
    wanted: Vec<RegionRef>,
    processes: HashMap<LocationRef, LocationGroupRef, RandomState>,
}

/// The visits of a thread, those inside of others left out, in ticks.
type OfThread = HashMap<LocationRef, Vec<(u64, u64)>, RandomState>;

impl PhaseKernel {
    /// Visits of any of these regions.
    pub fn new(definitions: &Definitions, wanted: Vec<RegionRef>) -> Self {
        let process = definitions.locations.values().map(|of| (of.id, of.location_group));
        PhaseKernel { wanted, processes: process.collect() }
    }

    /// The visits of each process, of those of all threads, as the time that counts of all its locations.
    pub fn visits(&self, found: OfThread) -> Visits {
        let mut threads: Vec<_> = found.into_iter().collect();
        // The thread with the first visit, of those with the same the first defined.
        threads.sort_by_key(|(location, visits)| (visits.first().copied(), *location));
        let mut of: HashMap<LocationGroupRef, Vec<(u64, u64)>, RandomState> = HashMap::default();
        for (location, visits) in threads {
            if let Some(process) = self.processes.get(&location) {
                of.entry(*process).or_insert(visits);
            }
        }
        let all = self.processes.iter();
        all.filter_map(|(location, process)| Some((*location, of.get(process)?.clone()))).collect()
    }
}

/// Reads a location.
#[derive(Debug)]
pub struct PhaseScan<'w> {
    kernel: &'w PhaseKernel,
    stack: CallStack,
    open: u64,
    begin: u64,
    found: &'w mut OfThread,
    location: LocationRef,
}

impl EventVisitor for PhaseScan<'_> {
    const WANTS: EventSet = CallStack::WANTS;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let PhaseScan { kernel, stack, open, begin, found, location } = self;
        let is_wanted = |place: Option<Place>| match place {
            Some(Place::Region(region)) => kernel.wanted.contains(&region),
            _ => false,
        };
        let time = head.time.0;
        stack.take(head, &event, |change| match change {
            Change::Begin { path } if is_wanted(path.last().map(|visit| visit.place)) => {
                if *open == 0 {
                    *begin = time;
                }
                *open += 1;
            }
            Change::End { path, .. } | Change::Drop { path }
                if is_wanted(path.last().map(|visit| visit.place)) =>
            {
                *open = open.saturating_sub(1);
                if *open == 0 && *begin < time {
                    found.entry(*location).or_default().push((*begin, time));
                }
            }
            _ => {}
        });
    }
}

impl Kernel for PhaseKernel {
    type Worker = OfThread;
    type Scan<'w> = PhaseScan<'w>;
    type Partial = OfThread;

    fn worker(&self) -> OfThread {
        OfThread::default()
    }

    fn scan<'w>(&'w self, found: &'w mut OfThread, location: LocationRef) -> PhaseScan<'w> {
        let (stack, open, begin) = Default::default();
        PhaseScan { kernel: self, stack, open, begin, found, location }
    }

    fn end(&self, _: PhaseScan<'_>, _: &StreamSummary) {}

    fn partial(&self, found: OfThread) -> OfThread {
        found
    }

    fn fold(&self, mut into: OfThread, other: OfThread) -> OfThread {
        into.extend(other);
        into
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use streamfold_model::values::Ticks;

    fn split(
        phases: &Phases,
        visits: Option<&[(u64, u64)]>,
        of: (u64, u64),
    ) -> Vec<(usize, u64, u64)> {
        let mut parts = Vec::new();
        phases.split(visits, &mut 0, of, |part, from, to| parts.push((part, from, to)));
        parts
    }

    #[test]
    fn bins_share_time_to_the_tick() {
        let window = Window { begin: Ticks(10), end: Some(Ticks(20)) };
        let phases = Phases::bins(window, 0, 3);
        assert_eq!(phases.edges(), [10, 13, 16, 20]);
        assert_eq!(split(&phases, None, (0, 14)), [(0, 10, 13), (1, 13, 14)]);
        assert_eq!(split(&phases, None, (15, 99)), [(1, 15, 16), (2, 16, 20)]);
        assert_eq!(split(&phases, None, (20, 30)), []);
    }

    #[test]
    fn more_bins_than_ticks() {
        let window = Window { begin: Ticks(0), end: Some(Ticks(2)) };
        let phases = Phases::bins(window, 0, 5);
        let all: u64 = split(&phases, None, (0, 2)).iter().map(|(_, from, to)| to - from).sum();
        assert_eq!(all, 2);
    }

    #[test]
    fn only_visits_count() {
        let visits: &[(u64, u64)] = &[(2, 4), (6, 9)];
        assert_eq!(split(&Phases::default(), Some(visits), (3, 7)), [(0, 3, 4), (0, 6, 7)]);
        assert_eq!(split(&Phases::default(), Some(visits), (4, 6)), []);
    }
}
