//! Origins of the locations and ranks of a merged archive.

use std::collections::BTreeMap;

use streamfold_kernels::unify::members::Stretch;
use streamfold_model::definitions::ClockProperties;
use streamfold_model::enums::Paradigm;

use super::summary::Summary;
use crate::unify::Placed;

/// New numbers and times of one archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The run that it is of, from 0 on in the order of their first archives.
    pub run: u64,
    /// Its locations, in the order of their definitions.
    pub locations: Vec<Moved>,
    /// Its ranks among all, by the paradigm whose ranks they are.
    pub ranks: BTreeMap<Paradigm, Moved>,
    /// When it began, in its own ticks.
    pub begin_before: u64,
    /// How many of these a second had.
    pub resolution_before: u64,
    /// When it begins now, in the ticks of all.
    pub begin: u64,
    /// True if its times have changed.
    pub is_retimed: bool,
}

/// Numbers, and what has become of them one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The numbers so far.
    pub before: Stretch,
    /// The numbers that they have now, as many.
    pub now: Stretch,
}

impl Moved {
    /// No numbers.
    pub const NONE: Moved = {
        let none = Stretch { first: 0, step: 1, count: 0 };
        Moved { before: none, now: none }
    };

    /// Returns whether any number has changed.
    pub fn is_other(&self) -> bool {
        self.before != self.now
    }
}

impl Origin {
    /// Returns the origin for an archive of this run.
    pub(super) fn new(run: u64, summary: &Summary, placed: &Placed) -> Origin {
        let ClockProperties { global_offset, timer_resolution, .. } = summary.clock;
        Origin {
            run,
            locations: summary.locations.iter().map(|before| moved(*before, placed)).collect(),
            ranks: placed
                .ranks
                .iter()
                // Ranks of a list that only other parts of the run have are theirs.
                .filter(|(paradigm, _)| summary.lists.contains_key(paradigm))
                .map(|(paradigm, ranks)| {
                    let before = Stretch { first: 0, step: 1, count: ranks.count() };
                    (*paradigm, Moved { before, now: Stretch { first: ranks.shift, ..before } })
                })
                .collect(),
            begin_before: global_offset,
            resolution_before: timer_resolution,
            // A time that does not fit was refused before.
            begin: placed.times.corrected(global_offset).unwrap_or(global_offset),
            is_retimed: !placed.times.is_identity(),
        }
    }

    /// How many locations it has.
    pub fn count(&self) -> u64 {
        self.locations.iter().map(|moved| moved.now.count).sum()
    }
}

/// New numbers go up one by one.
fn moved(before: Stretch, placed: &Placed) -> Moved {
    let first = placed.renamed_locations().and_then(|renamed| renamed.now(before.first));
    let now = match first {
        Some(first) => Stretch { first, step: 1, count: before.count },
        None => before,
    };
    Moved { before, now }
}
