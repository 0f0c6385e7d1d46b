//! Counted parts of the time: a window that is cut into equal bins, or the visits of a region, of each process its own.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use crate::call_stack::{CallStack, Change, Place};
use crate::matching::{Process, Processes};
use crate::Kernel;

use super::TimeBins;

/// The parts of the time that count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partition {
    /// Equal parts; times outside of all count for none. `None`: all of the time is one part.
    bins: Option<TimeBins>,
    /// The time of each location that counts. `None`: all of it does.
    visits: Option<Visits>,
}

/// Of each location the time that counts, in ticks: from here, up to, not at, there; in order.
pub type Visits = HashMap<LocationRef, Vec<(u64, u64)>, RandomState>;

impl Partition {
    /// Equal parts.
    pub fn bins(bins: TimeBins) -> Partition {
        Partition { bins: Some(bins), visits: None }
    }

    /// The same, of this time of each location only.
    #[must_use]
    pub fn within(self, visits: Visits) -> Partition {
        Partition { visits: Some(visits), ..self }
    }

    /// How many parts there are.
    pub fn count(&self) -> usize {
        self.bins.map_or(1, |bins| bins.count() as usize)
    }

    /// Returns whether all of the time of all locations is one part.
    pub fn is_whole(&self) -> bool {
        self.bins.is_none() && self.visits.is_none()
    }

    /// Returns whether it has parts, or an end.
    pub(super) fn has_bins(&self) -> bool {
        self.bins.is_some()
    }

    /// The part of a run that is in the partition.
    pub fn within_run(&self, (first, last): (u64, u64)) -> (u64, u64) {
        let Some(bins) = &self.bins else { return (first, last) };
        let begin = first.max(bins.begin());
        (begin, last.min(bins.end()).max(begin))
    }

    /// Returns whether only some of the time of locations counts.
    pub fn has_visits(&self) -> bool {
        self.visits.is_some()
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
        let (from, to) = match &self.bins {
            Some(bins) => (from.max(bins.begin()), to.min(bins.end())),
            None => (from, to),
        };
        match &self.bins {
            _ if from >= to => {}
            Some(bins) => {
                bins.parts(from, to).for_each(|(bin, from, to)| tell(bin as usize, from, to));
            }
            None => tell(0, from, to),
        }
    }
}

/// Finds the visits of a region, of each process those of the thread that visits it first.
#[derive(Debug)]
pub struct PhaseKernel {
    wanted: Vec<RegionRef>,
    processes: HashMap<LocationRef, Process, RandomState>,
}

/// The visits of a thread, those inside of others left out, in ticks.
type OfThread = HashMap<LocationRef, Vec<(u64, u64)>, RandomState>;

impl PhaseKernel {
    /// Visits of any of these regions.
    pub fn new(definitions: &Definitions, wanted: Vec<RegionRef>) -> Self {
        let processes = Processes::new(definitions);
        let all = definitions.locations.keys();
        let all = all.filter_map(|location| Some((*location, processes.of(*location)?)));
        PhaseKernel { wanted, processes: all.collect() }
    }

    /// The visits of each process, of those of all threads, as the time that counts of all its locations.
    pub fn visits(&self, found: OfThread) -> Visits {
        let mut threads: Vec<_> = found.into_iter().collect();
        // The thread with the first visit, of those with the same the first defined.
        threads.sort_by_key(|(location, visits)| (visits.first().copied(), *location));
        let mut of: HashMap<Process, Vec<(u64, u64)>, RandomState> = HashMap::default();
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

    fn split(
        partition: &Partition,
        visits: Option<&[(u64, u64)]>,
        of: (u64, u64),
    ) -> Vec<(usize, u64, u64)> {
        let mut parts = Vec::new();
        partition.split(visits, &mut 0, of, |part, from, to| parts.push((part, from, to)));
        parts
    }

    #[test]
    fn bins_share_time_to_the_tick() {
        let partition = Partition::bins(TimeBins::new(10, 20, 3));
        assert_eq!(split(&partition, None, (0, 15)), [(0, 10, 14), (1, 14, 15)]);
        assert_eq!(split(&partition, None, (15, 99)), [(1, 15, 17), (2, 17, 20)]);
        assert_eq!(split(&partition, None, (20, 30)), []);
        assert_eq!(split(&partition, None, (3, 10)), []);
    }

    #[test]
    fn only_visits_count() {
        let visits: &[(u64, u64)] = &[(2, 4), (6, 9)];
        assert_eq!(split(&Partition::default(), Some(visits), (3, 7)), [(0, 3, 4), (0, 6, 7)]);
        assert_eq!(split(&Partition::default(), Some(visits), (4, 6)), []);
    }
}
