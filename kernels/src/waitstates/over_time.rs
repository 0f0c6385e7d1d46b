//! Waits by row and part of the time.
//!
//! Part of another wait counts with that wait. Time of no thread, such as of idle threads, does not count.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::flights::Flight;
use super::metric::Metric;
use crate::account::{TimeBins, TimeRows};

/// Rows and parts of the time.
#[derive(Clone, Debug)]
pub struct WaitBins {
    /// The rows.
    pub rows: TimeRows,
    /// The parts of the time.
    pub bins: TimeBins,
}

/// Ticks that were waited.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WaitsOverTime {
    /// `None`: it is not wanted.
    #[serde(skip)]
    of: Option<Arc<WaitBins>>,
    /// By row, for each part.
    pub rows: BTreeMap<u32, Vec<u64>>,
}

impl PartialEq for WaitsOverTime {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

impl Eq for WaitsOverTime {}

impl WaitsOverTime {
    /// None yet; with these rows and parts.
    pub fn new(of: Option<Arc<WaitBins>>) -> Self {
        WaitsOverTime { of, rows: BTreeMap::new() }
    }

    /// None, with the same rows and parts.
    pub(super) fn none(&self) -> Self {
        WaitsOverTime::new(self.of.clone())
    }

    /// Adds a wait, from a time on, for so many ticks.
    pub(super) fn wait(&mut self, metric: Metric, location: LocationRef, from: u64, ticks: u64) {
        let Some(of) = &self.of else { return };
        let is_part = metric.parent().is_some();
        if ticks == 0 || is_part || metric.is_of_no_timeline() {
            return;
        }
        let Some(row) = of.rows.of(location) else { return };
        let sums = self.rows.entry(row).or_insert_with(|| vec![0; of.bins.count() as usize]);
        for (bin, begin, end) in of.bins.parts(from, from.saturating_add(ticks)) {
            let sum = &mut sums[bin as usize];
            *sum = sum.saturating_add(end - begin);
        }
    }

    /// Returns whether a message is between two rows, and begins or ends in the time.
    pub(super) fn has_message(&self, flight: &Flight) -> bool {
        let Some(of) = &self.of else { return false };
        let is_inside = |time: u64| of.bins.begin() <= time && time <= of.bins.end();
        if !is_inside(flight.sent) && !is_inside(flight.received) {
            return false;
        }
        let rows = [flight.sender, flight.receiver].map(|location| of.rows.of(location));
        matches!(rows, [Some(from), Some(to)] if from != to)
    }

    /// Adds others.
    pub(super) fn add(&mut self, other: WaitsOverTime) {
        for (row, ticks) in other.rows {
            let sums = self.rows.entry(row).or_default();
            sums.resize(sums.len().max(ticks.len()), 0);
            sums.iter_mut().zip(ticks).for_each(|(sum, ticks)| *sum = sum.saturating_add(ticks));
        }
    }
}
