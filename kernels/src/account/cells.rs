//! Time by row and part of the time, with bytes and metrics: for heat maps and areas.

use std::collections::{BTreeMap, HashSet};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{LocationRef, RegionRef, StringRef};

use super::{Group, MetricWatch, TimeBins, TimeRows};

/// Rows and parts of the time that are wanted.
#[derive(Clone, Debug)]
pub struct CellOptions<'k> {
    /// The rows.
    pub rows: &'k TimeRows,
    /// The parts of the time. Times outside of all count for the first and the last one.
    pub bins: TimeBins,
    /// Regions whose inclusive time is wanted, as if they were one.
    pub marked: HashSet<RegionRef, RandomState>,
    /// A metric that is wanted.
    pub metric: Option<MetricWatch>,
}

/// One row in a part of the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeCell {
    /// Ticks of threads or streams by class.
    pub groups: [u64; Group::COUNT],
    /// Ticks in which a marked region is open.
    pub marked: u64,
    /// Bytes sent: in messages, in collective operations, and to and from the memory of others.
    pub bytes: u64,
    /// Ticks that were waited, if they were filled in.
    pub waited: u64,
    /// Growth of the metric, or its level times ticks: see [`MetricWatch::one`].
    pub metric: i128,
    /// Ticks of threads in which it is known.
    pub measured: u64,
}

impl TimeCell {
    /// Ticks of a class.
    pub fn of(&self, group: Group) -> u64 {
        self.groups[group as usize]
    }

    /// All ticks.
    pub fn all(&self) -> u64 {
        self.groups.iter().fold(0, |sum, ticks| sum.saturating_add(*ticks))
    }

    /// Adds another cell. Sums are capped at the largest number, so that the order of additions never shows.
    pub fn add(&mut self, other: &TimeCell) {
        let groups = self.groups.iter_mut().zip(other.groups);
        groups.for_each(|(sum, more)| *sum = sum.saturating_add(more));
        self.marked = self.marked.saturating_add(other.marked);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.waited = self.waited.saturating_add(other.waited);
        self.metric = self.metric.saturating_add(other.metric);
        self.measured = self.measured.saturating_add(other.measured);
    }
}

/// Parts of the time of a row. Each quantity has a plane of its own, which takes memory only where it is not 0.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TimeCells {
    count: usize,
    groups: [Vec<u64>; Group::COUNT],
    marked: Vec<u64>,
    bytes: Vec<u64>,
    waited: Vec<u64>,
    metric: Vec<i128>,
    measured: Vec<u64>,
}

/// Returns the value of a plane, to be changed; all are 0 at first.
fn of_plane<T: Clone + Default>(plane: &mut Vec<T>, count: usize, part: usize) -> &mut T {
    if plane.len() < count {
        plane.resize(count, T::default());
    }
    &mut plane[part]
}

impl TimeCells {
    /// Makes so many parts, without any time.
    pub fn new(count: usize) -> Self {
        TimeCells { count, ..TimeCells::default() }
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Has so many parts at least.
    pub fn grow(&mut self, count: usize) {
        self.count = self.count.max(count);
    }

    /// A part; `None`: there is no such part.
    pub fn get(&self, part: usize) -> Option<TimeCell> {
        let of = |plane: &Vec<u64>| plane.get(part).copied().unwrap_or(0);
        (part < self.count).then(|| TimeCell {
            groups: std::array::from_fn(|group| of(&self.groups[group])),
            marked: of(&self.marked),
            bytes: of(&self.bytes),
            waited: of(&self.waited),
            metric: self.metric.get(part).copied().unwrap_or(0),
            measured: of(&self.measured),
        })
    }

    /// All parts, in order.
    pub fn iter(&self) -> impl Iterator<Item = TimeCell> + '_ {
        (0..self.count).filter_map(|part| self.get(part))
    }

    /// All parts together.
    pub fn total(&self) -> TimeCell {
        let of = |plane: &Vec<u64>| plane.iter().fold(0_u64, |sum, of| sum.saturating_add(*of));
        TimeCell {
            groups: std::array::from_fn(|group| of(&self.groups[group])),
            marked: of(&self.marked),
            bytes: of(&self.bytes),
            waited: of(&self.waited),
            metric: self.metric.iter().fold(0, |sum, of| sum.saturating_add(*of)),
            measured: of(&self.measured),
        }
    }

    /// Ticks of a class by part; empty: there are none.
    pub fn ticks(&self, group: Group) -> &[u64] {
        &self.groups[group as usize]
    }

    /// Ticks that were waited, by part; empty: there are none.
    pub fn waited(&self) -> &[u64] {
        &self.waited
    }

    /// Adds a cell to a part that is there.
    pub fn add_to(&mut self, part: usize, cell: &TimeCell) {
        let count = self.count;
        let add = |plane: &mut Vec<u64>, more: u64| {
            if more > 0 {
                let sum = of_plane(plane, count, part);
                *sum = sum.saturating_add(more);
            }
        };
        let groups = self.groups.iter_mut().zip(cell.groups);
        groups.for_each(|(plane, more)| add(plane, more));
        add(&mut self.marked, cell.marked);
        add(&mut self.bytes, cell.bytes);
        add(&mut self.waited, cell.waited);
        add(&mut self.measured, cell.measured);
        if cell.metric != 0 {
            let sum = of_plane(&mut self.metric, count, part);
            *sum = sum.saturating_add(cell.metric);
        }
    }

    /// Adds ticks of a class, and how many of them count as marked.
    pub fn spend(&mut self, part: usize, group: Group, (ticks, marked): (u64, u64)) {
        let sum = of_plane(&mut self.groups[group as usize], self.count, part);
        *sum = sum.saturating_add(ticks);
        if marked > 0 {
            let sum = of_plane(&mut self.marked, self.count, part);
            *sum = sum.saturating_add(marked);
        }
    }

    /// Adds bytes.
    pub fn send(&mut self, part: usize, bytes: u64) {
        let sum = of_plane(&mut self.bytes, self.count, part);
        *sum = sum.saturating_add(bytes);
    }

    /// Adds ticks that were waited, by part.
    pub fn wait(&mut self, ticks: &[u64]) {
        self.grow(ticks.len());
        for (part, ticks) in ticks.iter().enumerate().filter(|(_, ticks)| **ticks > 0) {
            let sum = of_plane(&mut self.waited, self.count, part);
            *sum = sum.saturating_add(*ticks);
        }
    }

    /// Ticks of one class are those of another one.
    pub fn rename(&mut self, from: Group, to: Group) {
        let ticks = std::mem::take(&mut self.groups[from as usize]);
        add_plane(&mut self.groups[to as usize], ticks);
    }

    /// Adds others, part by part.
    pub fn add(&mut self, other: TimeCells) {
        self.grow(other.count);
        let groups = self.groups.iter_mut().zip(other.groups);
        groups.for_each(|(plane, more)| add_plane(plane, more));
        add_plane(&mut self.marked, other.marked);
        add_plane(&mut self.bytes, other.bytes);
        add_plane(&mut self.waited, other.waited);
        add_plane(&mut self.measured, other.measured);
        if self.metric.len() < other.metric.len() {
            self.metric.resize(other.metric.len(), 0);
        }
        let sums = self.metric.iter_mut().zip(other.metric);
        sums.for_each(|(sum, more)| *sum = sum.saturating_add(more));
    }
}

/// Adds a plane to another one.
fn add_plane(plane: &mut Vec<u64>, more: Vec<u64>) {
    if plane.is_empty() {
        *plane = more;
        return;
    }
    if plane.len() < more.len() {
        plane.resize(more.len(), 0);
    }
    plane.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(more));
}

impl PartialEq for TimeCells {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count && self.iter().eq(other.iter())
    }
}

impl Eq for TimeCells {}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeRow {
    /// Its parts of the time.
    pub cells: TimeCells,
    /// Threads or streams in it that have events.
    pub threads: u64,
}

/// Rows over time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeMap {
    /// Rows that have events, by their numbers.
    pub rows: BTreeMap<u32, TimeRow>,
    /// The name of the program, as the first location that says it has it.
    pub program: Option<(LocationRef, StringRef)>,
}

impl TimeMap {
    /// A location says which program runs.
    pub(super) fn name(&mut self, program: (LocationRef, StringRef)) {
        self.program = Some(self.program.map_or(program, |known| known.min(program)));
    }

    /// Joins rows, given the new number of each, and so many neighbours among the parts of the time.
    #[must_use]
    pub fn coarser(&self, new: &[u32], parts: usize) -> TimeMap {
        let mut coarser = TimeMap { program: self.program, ..TimeMap::default() };
        for (number, row) in &self.rows {
            let number = new.get(*number as usize).copied().unwrap_or(*number);
            let into = coarser.rows.entry(number).or_default();
            into.threads += row.threads;
            let count = row.cells.len().div_ceil(parts.max(1));
            into.cells.grow(count);
            for (part, cell) in row.cells.iter().enumerate() {
                into.cells.add_to(part / parts.max(1), &cell);
            }
        }
        coarser
    }

    /// Adds what other locations have.
    pub(super) fn fold(&mut self, other: TimeMap) {
        other.program.into_iter().for_each(|program| self.name(program));
        for (number, row) in other.rows {
            let own = self.rows.entry(number).or_default();
            own.threads += row.threads;
            own.cells.add(row.cells);
        }
    }
}
