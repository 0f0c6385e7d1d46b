//! How exclusive time of regions is spread over locations.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;

use super::step::Step;
use super::tally::Spread;
use super::tree::{CallTree, PathIndex};

/// Exclusive time by rows of the table of regions: a location may have a row on several paths, so
/// they are summed up before they are compared with those of other locations.
#[derive(Debug, Default)]
pub(super) struct RegionSums {
    /// The row in which each path counts.
    row_of: Vec<Option<u32>>,
    rows: Vec<RegionSum>,
    places: HashMap<Step, u32, RandomState>,
    /// The rows that the present location has.
    present: Vec<u32>,
}

#[derive(Debug)]
struct RegionSum {
    step: Step,
    /// Exclusive time at the present location, in ticks; `None`: it has no visit.
    present: Option<u128>,
    spread: Spread,
}

impl RegionSums {
    /// Learns of the paths that were added to a tree.
    pub fn grow(&mut self, tree: &CallTree) {
        if self.row_of.is_empty() {
            self.row_of.push(None);
        }
        for path in tree.paths().skip(self.row_of.len() - 1) {
            let above = self.row_of[tree.parent(path).index()];
            let above = above.map(|row| self.rows[row as usize].step);
            let row = tree.step(path).row(above).map(|step| self.place(step));
            self.row_of.push(row);
        }
    }

    fn place(&mut self, step: Step) -> u32 {
        let rows = &mut self.rows;
        *self.places.entry(step).or_insert_with(|| {
            rows.push(RegionSum { step, present: None, spread: Spread::NONE });
            rows.len() as u32 - 1
        })
    }

    /// Whether visits of a path are visits of a region.
    pub fn is_region(&self, path: PathIndex) -> bool {
        let row = self.row_of[path.index()];
        row.is_some_and(|row| matches!(self.rows[row as usize].step, Step::Region(_)))
    }

    /// Adds the exclusive time of a path at the present location, in ticks.
    pub fn add(&mut self, path: PathIndex, exclusive: u64) {
        let Some(row) = self.row_of[path.index()] else { return };
        let sum = &mut self.rows[row as usize].present;
        if sum.is_none() {
            self.present.push(row);
        }
        *sum = Some(sum.unwrap_or(0) + u128::from(exclusive));
    }

    /// The present location has no more.
    pub fn end_location(&mut self, location: LocationRef) {
        for row in self.present.drain(..) {
            let row = &mut self.rows[row as usize];
            if let Some(exclusive) = row.present.take() {
                row.spread.add(&Spread::of(location, exclusive));
            }
        }
    }

    /// How each row is spread.
    pub fn finish(self) -> HashMap<Step, Spread, RandomState> {
        self.rows.into_iter().map(|row| (row.step, row.spread)).collect()
    }
}
