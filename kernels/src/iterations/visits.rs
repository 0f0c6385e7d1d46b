//! The visits of a region: their times by number, and when those of a range begin and end.

use std::collections::{BTreeMap, HashSet};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};
use streamfold_model::values::Ticks;

use crate::call_stack::{CallStack, Change, Place, Visit};
use crate::{Kernel, Window};

/// Number of visits of a thread that have rows of their own; all further ones share a row.
const ROWS: usize = 1 << 20;

/// Iterations from one number up to another one, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IterationRange {
    /// The first one, from 1 on.
    pub first: u64,
    /// The last one.
    pub last: u64,
}

impl IterationRange {
    /// All of them.
    pub const ALL: IterationRange = IterationRange { first: 1, last: u64::MAX };
}

/// The visits of a number, of all threads. Times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationRow {
    /// Threads that have a visit of this number that ended.
    pub threads: u64,
    /// The sum of the times of these visits.
    pub sum: u128,
    /// The shortest, and the location where it is: of several the one with the smallest number.
    pub least: (u64, LocationRef),
    /// The longest, likewise.
    pub most: (u64, LocationRef),
    /// When the first of them begins, and the last one ends.
    pub span: (u64, u64),
}

impl IterationRow {
    fn of(location: LocationRef, begin: u64, end: u64) -> Self {
        let ticks = end.saturating_sub(begin);
        let at = (ticks, location);
        IterationRow { threads: 1, sum: ticks.into(), least: at, most: at, span: (begin, end) }
    }

    fn add(&mut self, other: &IterationRow) {
        self.threads += other.threads;
        self.sum += other.sum;
        self.least = self.least.min(other.least);
        let order = |(ticks, location)| (ticks, std::cmp::Reverse(location));
        if order(other.most) > order(self.most) {
            self.most = other.most;
        }
        self.span = (self.span.0.min(other.span.0), self.span.1.max(other.span.1));
    }
}

/// The visits of a thread in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationIterations {
    /// All its visits of the region.
    pub visits: u64,
    /// When the first visit of the range begins.
    pub begin: Option<u64>,
    /// When the last one ends; `None`: none of the range ended.
    pub end: Option<u64>,
    /// Set if the visit behind the range begins in the tick in which the range ends.
    pub touches: bool,
}

impl LocationIterations {
    /// The window of the range: from the enter of its first visit to the leave of its last one, whose events belong to
    /// it. Events at a tick in which the next visit begins belong to that. `None`: there is no visit of the range.
    pub fn window(&self) -> Option<Window> {
        let (begin, end) = (Ticks(self.begin?), self.end.map(Ticks));
        Some(Window { begin, end, is_closed: !self.touches })
    }
}

/// The partial result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iterations {
    /// By number: the first row is that of number 1. `None`: no visit of it ended.
    pub rows: Vec<Option<IterationRow>>,
    /// All visits behind those that have rows.
    pub rest: Option<IterationRow>,
    /// Threads that visit the region.
    pub locations: BTreeMap<LocationRef, LocationIterations>,
}

impl Iterations {
    fn take(&mut self, number: u64, row: &IterationRow) {
        let add = |place: &mut Option<IterationRow>| match place {
            Some(known) => known.add(row),
            None => *place = Some(*row),
        };
        let place = number.saturating_sub(1) as usize;
        if place >= ROWS {
            return add(&mut self.rest);
        }
        if place >= self.rows.len() {
            self.rows.resize(place + 1, None);
        }
        add(&mut self.rows[place]);
    }
}

/// Finds the visits of some regions, as if these were one.
#[derive(Debug)]
pub struct IterationsKernel {
    regions: HashSet<RegionRef, RandomState>,
    range: IterationRange,
    with_rows: bool,
}

impl IterationsKernel {
    /// Of these regions: when a range begins and ends at each thread. `with_rows`: and the times of all visits.
    pub fn new(
        regions: impl IntoIterator<Item = RegionRef>,
        range: IterationRange,
        with_rows: bool,
    ) -> Self {
        IterationsKernel { regions: regions.into_iter().collect(), range, with_rows }
    }

    fn is_of(&self, visit: &Visit) -> bool {
        matches!(visit.place, Place::Region(region) if self.regions.contains(&region))
    }
}

/// Receives the events of a location.
#[derive(Debug)]
pub struct IterationsScan<'w> {
    kernel: &'w IterationsKernel,
    found: &'w mut Iterations,
    location: LocationRef,
    stack: CallStack,
    own: LocationIterations,
    now: u64,
}

impl EventVisitor for IterationsScan<'_> {
    const WANTS: EventSet = CallStack::WANTS;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.now = self.now.max(head.time.0);
        let IterationsScan { kernel, found, location, stack, own, now } = self;
        let is_one = |path: &[Visit]| {
            let (last, above) = match path.split_last() {
                Some(split) => split,
                None => return false,
            };
            kernel.is_of(last) && !above.iter().any(|visit| kernel.is_of(visit))
        };
        stack.take(head, &event, |change| match change {
            Change::Begin { path } if is_one(path) => {
                own.visits += 1;
                if own.visits == kernel.range.first {
                    own.begin = Some(*now);
                }
                if own.visits.checked_sub(1) == Some(kernel.range.last) {
                    own.touches = own.end == Some(*now);
                }
            }
            Change::End { path, .. } if is_one(path) => {
                let begin = path.last().map_or(*now, |visit| visit.begin.0);
                if kernel.range.first <= own.visits && own.visits <= kernel.range.last {
                    own.end = Some(*now);
                }
                if kernel.with_rows {
                    found.take(own.visits, &IterationRow::of(*location, begin, *now));
                }
            }
            _ => {}
        });
    }
}

impl Kernel for IterationsKernel {
    type Worker = Iterations;
    type Scan<'w> = IterationsScan<'w>;
    type Partial = Iterations;

    fn worker(&self) -> Iterations {
        Iterations::default()
    }

    fn scan<'w>(&'w self, found: &'w mut Iterations, location: LocationRef) -> IterationsScan<'w> {
        let own = LocationIterations { visits: 0, begin: None, end: None, touches: false };
        let (stack, now) = Default::default();
        IterationsScan { kernel: self, found, location, stack, own, now }
    }

    fn end<'w>(&'w self, scan: IterationsScan<'w>, _: &StreamSummary) {
        if scan.own.visits > 0 {
            scan.found.locations.insert(scan.location, scan.own);
        }
    }

    fn partial(&self, worker: Iterations) -> Iterations {
        worker
    }

    fn fold(&self, mut into: Iterations, other: Iterations) -> Iterations {
        for (number, row) in (1..).zip(&other.rows) {
            row.iter().for_each(|row| into.take(number, row));
        }
        other.rest.iter().for_each(|row| into.take(u64::MAX, row));
        into.locations.extend(other.locations);
        into
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::events::{Enter, Leave};

    use super::*;

    fn scan(kernel: &IterationsKernel, location: u64, times: &[(u64, bool, u32)]) -> Iterations {
        let mut worker = kernel.worker();
        let location = LocationRef(location);
        let mut scan = kernel.scan(&mut worker, location);
        for (time, enters, region) in times {
            let region = RegionRef(*region);
            let event = match enters {
                true => Event::Enter(Enter { region }),
                false => Event::Leave(Leave { region }),
            };
            let head = EventHead { location, number: 1, time: Ticks(*time), attributes: &[] };
            scan.event(&head, event);
        }
        kernel.end(scan, &StreamSummary::default());
        worker
    }

    /// An event at a tick in which a range ends and the next visit begins belongs to that.
    #[test]
    fn windows_that_touch_share_no_event_and_no_time() {
        let visits = [(0, true, 7), (5, false, 7), (5, true, 7), (9, false, 7), (10, true, 7)];
        let window = |first, last| {
            let kernel =
                IterationsKernel::new([RegionRef(7)], IterationRange { first, last }, false);
            scan(&kernel, 1, &visits).locations[&LocationRef(1)].window().expect("a visit")
        };
        let windows = [window(1, 1), window(2, 2), window(3, 3)];
        let ends = windows.map(|window| (window.begin.0, window.end.map(|end| end.0)));
        assert_eq!(ends, [(0, Some(5)), (5, Some(9)), (10, None)]);
        for (time, holds) in [
            (4, [true, false, false]),
            (5, [false, true, false]),
            (9, [false, true, false]),
            (10, [false, false, true]),
            (u64::MAX, [false, false, true]),
        ] {
            assert_eq!(windows.map(|window| window.holds(Ticks(time))), holds, "{time}");
        }
        let around = Window::around(windows[..2].iter()).expect("windows");
        assert_eq!((around.begin, around.limit()), (Ticks(0), Some(Ticks(10))));
        assert_eq!(Window::around(windows.iter()), Some(Window { is_closed: true, ..Window::ALL }));
    }

    #[test]
    fn visits_are_counted_from_one_and_recursion_is_no_iteration() {
        let range = IterationRange { first: 2, last: 3 };
        let kernel = IterationsKernel::new([RegionRef(7)], range, true);
        let one = scan(
            &kernel,
            1,
            &[
                (0, true, 7),
                (1, true, 7),
                (2, false, 7),
                (4, false, 7),
                (10, true, 7),
                (15, false, 7),
                (20, true, 7),
                (26, false, 7),
                (30, true, 7),
            ],
        );
        let own = LocationIterations { visits: 4, begin: Some(10), end: Some(26), touches: false };
        assert_eq!(one.locations[&LocationRef(1)], own);
        let times: Vec<u64> = one.rows.iter().flatten().map(|row| row.least.0).collect();
        assert_eq!(times, [4, 5, 6]);
        let two = scan(&kernel, 2, &[(3, true, 7), (9, false, 7), (9, true, 8), (12, false, 8)]);
        assert_eq!(two.locations[&LocationRef(2)].begin, None);
        let (a, b) = (kernel.fold(one.clone(), two.clone()), kernel.fold(two, one));
        assert_eq!(a, b);
        let first = a.rows[0].expect("a row");
        assert_eq!((first.threads, first.sum, first.span), (2, 10, (0, 9)));
        assert_eq!((first.least, first.most), ((4, LocationRef(1)), (6, LocationRef(2))));
    }
}
