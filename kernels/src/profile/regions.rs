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
    row_of: Vec<Option<Place>>,
    rows: Vec<RegionSum>,
    /// Of each row, exclusive time at the present location, in ticks; `None`: it has no visit.
    sums: Vec<Option<u128>>,
    places: HashMap<Step, u32, RandomState>,
    /// The rows that the present location has.
    present: Vec<u32>,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
struct Place {
    row: u32,
    is_region: bool,
}

#[derive(Debug)]
struct RegionSum {
    step: Step,
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
            let above = above.map(|place| self.rows[place.row as usize].step);
            let row = tree.step(path).row(above).map(|step| self.place(step));
            self.row_of.push(row);
        }
    }

    fn place(&mut self, step: Step) -> Place {
        let RegionSums { rows, sums, places, .. } = self;
        let row = *places.entry(step).or_insert_with(|| {
            rows.push(RegionSum { step, spread: Spread::NONE });
            sums.push(None);
            rows.len() as u32 - 1
        });
        Place { row, is_region: matches!(step, Step::Region(_)) }
    }

    /// Whether visits of a path are visits of a region.
    pub fn is_region(&self, path: PathIndex) -> bool {
        self.row_of[path.index()].is_some_and(|place| place.is_region)
    }

    /// Adds the exclusive time of a path at the present location, in ticks. Returns whether its visits
    /// are visits of a region.
    pub fn add(&mut self, path: PathIndex, exclusive: u64) -> bool {
        let Some(Place { row, is_region }) = self.row_of[path.index()] else { return false };
        let sum = &mut self.sums[row as usize];
        if sum.is_none() {
            self.present.push(row);
        }
        *sum = Some(sum.unwrap_or(0) + u128::from(exclusive));
        is_region
    }

    /// The present location has no more.
    pub fn end_location(&mut self, location: LocationRef) {
        for row in self.present.drain(..) {
            if let Some(exclusive) = self.sums[row as usize].take() {
                self.rows[row as usize].spread.add(&Spread::of(location, exclusive));
            }
        }
    }

    /// How each row is spread.
    pub fn finish(self) -> HashMap<Step, Spread, RandomState> {
        self.rows.into_iter().map(|row| (row.step, row.spread)).collect()
    }
}
