//! How exclusive time of regions is spread over locations.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;

use super::tally::Spread;
use crate::profile::tree::step::Step;
use crate::profile::tree::{CallTree, PathIndex};

/// Exclusive time by rows of the table of regions: a location may have a row on several paths, so
/// they are summed up before they are compared with those of other locations.
#[derive(Debug, Default)]
pub(crate) struct RegionSums {
    /// The row in which each path counts.
    row_of: Vec<Option<Place>>,
    /// Step of each row.
    steps: Vec<Step>,
    sums: Vec<RegionSum>,
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

/// A row's exclusive time, in ticks: a line of the cache.
#[derive(Debug)]
#[repr(align(64))]
struct RegionSum {
    /// That at the present location.
    here: u128,
    /// How that of the locations before is spread.
    spread: Spread,
}

impl RegionSum {
    const NONE: RegionSum = RegionSum { here: NO_VISIT, spread: Spread::NONE };
}

/// The time where there is no visit: more than paths, of 64 bits each, can add up to.
const NO_VISIT: u128 = u128::MAX;

const _: () = assert!(size_of::<RegionSum>() == 64);

impl RegionSums {
    /// Learns of the paths that were added to a tree.
    pub(crate) fn grow(&mut self, tree: &CallTree) {
        if self.row_of.is_empty() {
            self.row_of.push(None);
        }
        for path in tree.paths().skip(self.row_of.len() - 1) {
            let above = self.row_of[tree.parent(path).index()];
            let above = above.map(|place| self.steps[place.row as usize]);
            let row = tree.step(path).row(above).map(|step| self.place(step));
            self.row_of.push(row);
        }
    }

    fn place(&mut self, step: Step) -> Place {
        let RegionSums { steps, sums, places, .. } = self;
        let row = *places.entry(step).or_insert_with(|| {
            steps.push(step);
            sums.push(RegionSum::NONE);
            sums.len() as u32 - 1
        });
        Place { row, is_region: matches!(step, Step::Region(_)) }
    }

    /// Tells whether visits of a path are visits of a region.
    pub(crate) fn is_region(&self, path: PathIndex) -> bool {
        self.row_of[path.index()].is_some_and(|place| place.is_region)
    }

    /// Adds the exclusive time of a path at the present location, in ticks. Returns whether its visits
    /// are visits of a region.
    #[inline(always)]
    pub(crate) fn add(&mut self, path: PathIndex, exclusive: u64) -> bool {
        let Some(Place { row, is_region }) = self.row_of[path.index()] else { return false };
        let here = &mut self.sums[row as usize].here;
        if *here == NO_VISIT {
            *here = 0;
            self.present.push(row);
        }
        *here += u128::from(exclusive);
        is_region
    }

    /// The present location has no more.
    pub(crate) fn end_location(&mut self, location: LocationRef) {
        for row in self.present.drain(..) {
            let RegionSum { here, spread } = &mut self.sums[row as usize];
            spread.add_location(location, std::mem::replace(here, NO_VISIT));
        }
    }

    /// How each row is spread.
    pub(crate) fn finish(self) -> HashMap<Step, Spread, RandomState> {
        let spreads = self.sums.into_iter().map(|sum| sum.spread);
        self.steps.into_iter().zip(spreads).collect()
    }
}
