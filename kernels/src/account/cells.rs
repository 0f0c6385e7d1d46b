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

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeRow {
    /// Its parts of the time.
    pub cells: Vec<TimeCell>,
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
            into.cells.resize(into.cells.len().max(count), TimeCell::default());
            for (sum, cells) in into.cells.iter_mut().zip(row.cells.chunks(parts.max(1))) {
                cells.iter().for_each(|cell| sum.add(cell));
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
            match own.cells.is_empty() {
                true => own.cells = row.cells,
                false => own.cells.iter_mut().zip(&row.cells).for_each(|(a, b)| a.add(b)),
            }
        }
    }
}
