//! Regions that may be the body of the program's main loop.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{LocationRef, ParameterRef, RegionRef};
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use crate::call_stack::{CallStack, Change, Place, Visit};
use crate::Kernel;

/// A region at all threads that visit it. Times in ticks, of visits that are not inside of another one of the same
/// region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopRow {
    /// Threads that visit it.
    pub threads: u64,
    /// The fewest and the most visits of a thread.
    pub visits: (u64, u64),
    /// All visits that ended.
    pub closed: u64,
    /// Their time.
    pub ticks: u128,
    /// The sum of the squares of their times.
    pub squares: u128,
    /// The shortest and the longest.
    pub range: (u64, u64),
    /// The fewest visits around one of them.
    pub depth: u32,
    /// Visits in which a parameter is recorded with a larger value than in the visit before at the same thread.
    pub numbered: u64,
}

impl LoopRow {
    const NONE: LoopRow = LoopRow {
        threads: 0,
        visits: (u64::MAX, 0),
        closed: 0,
        ticks: 0,
        squares: 0,
        range: (u64::MAX, 0),
        depth: u32::MAX,
        numbered: 0,
    };

    fn add(&mut self, other: &LoopRow) {
        self.threads += other.threads;
        self.visits = (self.visits.0.min(other.visits.0), self.visits.1.max(other.visits.1));
        self.closed += other.closed;
        self.ticks += other.ticks;
        self.squares = self.squares.saturating_add(other.squares);
        self.range = (self.range.0.min(other.range.0), self.range.1.max(other.range.1));
        self.depth = self.depth.min(other.depth);
        self.numbered += other.numbered;
    }

    /// Returns whether the program numbers these visits, as a profiler numbers the steps of a training.
    pub fn is_numbered(&self) -> bool {
        self.closed > 0 && self.numbered >= self.closed
    }

    /// The mean time of a visit.
    pub fn mean(&self) -> f64 {
        if self.closed == 0 {
            return 0.0;
        }
        self.ticks as f64 / self.closed as f64
    }

    /// How much times differ: their standard deviation as a part of their mean.
    pub fn variation(&self) -> f64 {
        let (mean, squares) = (self.mean(), self.squares as f64 / self.closed.max(1) as f64);
        if mean == 0.0 {
            return 0.0;
        }
        (squares - mean * mean).max(0.0).sqrt() / mean
    }
}

/// The partial result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loops {
    /// By region.
    pub regions: BTreeMap<RegionRef, LoopRow>,
    /// Threads that visit any region.
    pub threads: u64,
    /// The time of these from the first to the last event.
    pub ticks: u128,
}

/// Looks at all regions.
#[derive(Debug, Default)]
pub struct LoopsKernel;

/// The state of a worker.
#[derive(Debug, Default)]
pub struct LoopsWorker {
    found: Loops,
    present: HashMap<RegionRef, LoopRow, RandomState>,
    numbers: HashMap<(RegionRef, ParameterRef), u64, RandomState>,
}

/// Receives the events of a location.
#[derive(Debug)]
pub struct LoopsScan<'w> {
    worker: &'w mut LoopsWorker,
    stack: CallStack,
    span: Option<(u64, u64)>,
    /// Set if the visit that began last has a number.
    has_number: bool,
}

impl EventVisitor for LoopsScan<'_> {
    const WANTS: EventSet = CallStack::WANTS
        .and(EventSet::of(&[EventKind::ParameterUnsignedInt, EventKind::ParameterInt]));

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let (first, last) = self.span.unwrap_or((head.time.0, head.time.0));
        self.span = Some((first, last.max(head.time.0)));
        let LoopsScan { worker, stack, has_number, .. } = self;
        let LoopsWorker { present, numbers, .. } = &mut **worker;
        let outermost = |path: &[Visit]| {
            let (last, above) = path.split_last()?;
            let Place::Region(region) = last.place else { return None };
            let is_first = above.iter().all(|visit| visit.place != last.place);
            is_first.then_some((region, above.len() as u32))
        };
        let number = match event {
            Event::ParameterUnsignedInt(event) => Some((event.parameter, event.value)),
            Event::ParameterInt(event) => {
                u64::try_from(event.value).ok().map(|value| (event.parameter, value))
            }
            _ => None,
        };
        if let Some((parameter, value)) = number {
            let Some((region, _)) = outermost(stack.open()) else { return };
            let before = numbers.insert((region, parameter), value);
            if !*has_number && before.is_none_or(|before| before < value) {
                *has_number = true;
                present.entry(region).or_insert(LoopRow::NONE).numbered += 1;
            }
            return;
        }
        stack.take(head, &event, |change| match change {
            Change::Begin { path } => {
                *has_number = false;
                let Some((region, depth)) = outermost(path) else { return };
                let row = present.entry(region).or_insert(LoopRow::NONE);
                row.visits.1 += 1;
                row.depth = row.depth.min(depth);
            }
            Change::End { path, inclusive, .. } => {
                let Some((region, _)) = outermost(path) else { return };
                let row = present.entry(region).or_insert(LoopRow::NONE);
                row.closed += 1;
                row.ticks += u128::from(inclusive);
                let square = u128::from(inclusive).saturating_mul(inclusive.into());
                row.squares = row.squares.saturating_add(square);
                row.range = (row.range.0.min(inclusive), row.range.1.max(inclusive));
            }
            _ => {}
        });
    }
}

impl Kernel for LoopsKernel {
    type Worker = LoopsWorker;
    type Scan<'w> = LoopsScan<'w>;
    type Partial = Loops;

    fn worker(&self) -> LoopsWorker {
        LoopsWorker::default()
    }

    fn scan<'w>(&'w self, worker: &'w mut LoopsWorker, _: LocationRef) -> LoopsScan<'w> {
        worker.present.clear();
        worker.numbers.clear();
        LoopsScan { worker, stack: CallStack::default(), span: None, has_number: false }
    }

    fn end<'w>(&'w self, scan: LoopsScan<'w>, _: &StreamSummary) {
        let LoopsWorker { found, present, .. } = scan.worker;
        if present.is_empty() {
            return;
        }
        found.threads += 1;
        let (first, last) = scan.span.unwrap_or((0, 0));
        found.ticks += u128::from(last - first);
        for (region, mut row) in present.drain() {
            row.threads = 1;
            row.visits.0 = row.visits.1;
            found.regions.entry(region).or_insert(LoopRow::NONE).add(&row);
        }
    }

    fn partial(&self, worker: LoopsWorker) -> Loops {
        worker.found
    }

    fn fold(&self, mut into: Loops, other: Loops) -> Loops {
        for (region, row) in other.regions {
            into.regions.entry(region).or_insert(LoopRow::NONE).add(&row);
        }
        into.threads += other.threads;
        into.ticks += other.ticks;
        into
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::events::{Enter, Leave, ParameterUnsignedInt};
    use streamfold_model::values::Ticks;

    use super::*;

    fn scan(location: u64, lengths: &[u64]) -> Loops {
        let kernel = LoopsKernel;
        let mut worker = kernel.worker();
        let location = LocationRef(location);
        let mut scan = kernel.scan(&mut worker, location);
        let mut at = |time, event| {
            scan.event(
                &EventHead { location, number: 1, time: Ticks(time), attributes: &[] },
                event,
            );
        };
        let enter = |region| Event::Enter(Enter { region: RegionRef(region) });
        let leave = |region| Event::Leave(Leave { region: RegionRef(region) });
        at(0, enter(1));
        let mut time = 0;
        for length in lengths {
            at(time, enter(2));
            time += length;
            at(time, leave(2));
        }
        at(time, leave(1));
        kernel.end(scan, &StreamSummary::default());
        kernel.partial(worker)
    }

    /// Numbers grow from visit to visit; one that several visits share is none of theirs.
    #[test]
    fn numbered_visits_are_told_from_others() {
        let mut worker = LoopsKernel.worker();
        let location = LocationRef(1);
        let mut scan = LoopsKernel.scan(&mut worker, location);
        let mut at = |time, event| {
            let head = EventHead { location, number: 1, time: Ticks(time), attributes: &[] };
            scan.event(&head, event);
        };
        let number = |value| {
            Event::ParameterUnsignedInt(ParameterUnsignedInt { parameter: ParameterRef(0), value })
        };
        for step in 1..4 {
            at(step * 10, Event::Enter(Enter { region: RegionRef(1) }));
            at(step * 10, number(step));
            for time in [step * 10 + 1, step * 10 + 3] {
                at(time, Event::Enter(Enter { region: RegionRef(2) }));
                at(time, number(step));
                at(time + 1, Event::Leave(Leave { region: RegionRef(2) }));
            }
            at(step * 10 + 9, Event::Leave(Leave { region: RegionRef(1) }));
        }
        LoopsKernel.end(scan, &StreamSummary::default());
        let found = LoopsKernel.partial(worker);
        let rows = [1, 2].map(|region| found.regions[&RegionRef(region)]);
        assert_eq!(rows.map(|row| (row.closed, row.numbered)), [(3, 3), (6, 3)]);
        assert_eq!(rows.map(|row| row.is_numbered()), [true, false]);
    }

    #[test]
    fn regions_say_how_often_and_how_evenly_they_are_visited() {
        let (one, two) = (scan(1, &[10, 10, 10]), scan(2, &[10, 30]));
        let row = one.regions[&RegionRef(2)];
        assert_eq!((row.visits, row.depth, row.range, row.variation()), ((3, 3), 1, (10, 10), 0.0));
        let (a, b) = (LoopsKernel.fold(one.clone(), two.clone()), LoopsKernel.fold(two, one));
        assert_eq!(a, b);
        let row = a.regions[&RegionRef(2)];
        assert_eq!((row.threads, row.visits, row.ticks, row.range), (2, (2, 3), 70, (10, 30)));
        assert!((row.variation() - 8.0 / 14.0).abs() < 1e-9, "{}", row.variation());
        assert_eq!((a.threads, a.ticks), (2, 70));
    }
}
