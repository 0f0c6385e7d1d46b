//! Sets of defined global numbers, for mapping tables and markers.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use streamfold_model::references::ReferenceKind;

use crate::unify::read::inputs::Placed;

/// The numbers of an archive that its global definitions define, in stretches from the first to the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Defined(BTreeMap<ReferenceKind, Vec<(u64, u64)>>);

impl Defined {
    /// Of these numbers, in any order.
    pub(crate) fn new(numbers: impl Iterator<Item = (ReferenceKind, u64)>) -> Defined {
        let mut by_kind: BTreeMap<ReferenceKind, Vec<u64>> = BTreeMap::new();
        numbers.for_each(|(kind, number)| by_kind.entry(kind).or_default().push(number));
        let stretches = |mut numbers: Vec<u64>| {
            numbers.sort_unstable();
            let mut found: Vec<(u64, u64)> = Vec::new();
            for number in numbers {
                match found.last_mut() {
                    Some((_, last)) if number <= last.saturating_add(1) => *last = number,
                    _ => found.push((number, number)),
                }
            }
            found
        };
        Defined(by_kind.into_iter().map(|(kind, numbers)| (kind, stretches(numbers))).collect())
    }

    /// Returns whether a number is defined.
    pub(crate) fn has(&self, kind: ReferenceKind, number: u64) -> bool {
        let Some(stretches) = self.0.get(&kind) else { return false };
        let behind = stretches.partition_point(|(first, _)| *first <= number);
        behind.checked_sub(1).is_some_and(|at| number <= stretches[at].1)
    }
}

/// New numbers of an archive's undefined references.
#[derive(Clone, Copy)]
pub(crate) struct Dangling<'a> {
    pub defined: &'a Defined,
    /// Kinds of which there are definitions now that have got a number.
    pub numbered: &'a BTreeSet<ReferenceKind>,
    pub placed: &'a Placed,
}

impl Dangling<'_> {
    /// Returns the new number of an undefined reference: the number itself if no other definition may have it. `None`:
    /// it is defined, or is the undefined value.
    pub(crate) fn now(&self, kind: ReferenceKind, number: u64) -> Option<u64> {
        if number == kind.undefined() || self.defined.has(kind, number) {
            return None;
        }
        let others = match kind {
            ReferenceKind::Location => match &self.placed.locations {
                // Another part of the same run may have it.
                Some(locations) if locations.now(number).is_some() => return None,
                locations => locations.as_ref().is_some_and(|locations| locations.is_other()),
            },
            kind => self.placed.run.is_some() || self.numbered.contains(&kind),
        };
        Some(if others { kind.undefined() } else { number })
    }
}
