//! Losses of streams that are read, by location.

use std::collections::BTreeMap;

use streamfold_model::ids::LocationRef;

use crate::Loss;

/// Number of losses of a location that are kept; the others are counted.
const KEPT: usize = 20;

/// Losses by location.
#[derive(Default)]
pub(super) struct Losses {
    kept: BTreeMap<LocationRef, Vec<Loss>>,
    /// How many were not kept, of each location, and the first of them.
    more: BTreeMap<LocationRef, (u64, Loss)>,
    /// Lines whose keyword is in no table, by stream and keyword: how many, and the first of them.
    pub unknown: BTreeMap<(LocationRef, usize, String), (u64, Loss)>,
}

impl Losses {
    /// Adds what belongs to no process, if this reader is the one that reports it.
    pub(super) fn of(&mut self, location: Option<LocationRef>, loss: Loss) {
        if let Some(location) = location {
            self.push(location, loss);
        }
    }

    pub(super) fn push(&mut self, location: LocationRef, loss: Loss) {
        let kept = self.kept.entry(location).or_default();
        if kept.len() < KEPT {
            kept.push(loss);
            return;
        }
        self.more.entry(location).or_insert((0, loss)).0 += 1;
    }

    pub(super) fn all(self) -> Vec<(LocationRef, Loss)> {
        let mut all = Vec::new();
        for (location, kept) in self.kept {
            all.extend(kept.into_iter().map(|loss| (location, loss)));
        }
        for (location, (count, mut first)) in self.more {
            if count > 1 {
                first.what += &format!(" (and {} more lines like that)", count - 1);
            }
            all.push((location, first));
        }
        for ((location, ..), (count, mut first)) in self.unknown {
            if count > 1 {
                first.what += &format!(" ({count} such lines)");
            }
            all.push((location, first));
        }
        all
    }
}
