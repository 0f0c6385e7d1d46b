//! Sets of definitions with references to them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use streamfold_model::definitions::Definition;
use streamfold_model::enums::MappingType;
use streamfold_model::references::ReferenceKind;

use streamfold_otf2::Mappings;

/// Numbers of definitions, by kind.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Used {
    sets: Vec<Numbers>,
}

/// A set of numbers: the small ones as bits, of which there are no more than somebody uses.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Numbers {
    bits: Vec<u64>,
    large: BTreeSet<u64>,
}

/// Up to this number there are bits: 128 KiB of each kind.
const SMALL: u64 = 1 << 20;

impl Used {
    /// Adds a number. Returns whether it is new.
    #[inline]
    pub(super) fn add(&mut self, kind: ReferenceKind, number: u64) -> bool {
        if self.sets.len() <= kind as usize {
            self.sets.resize(ReferenceKind::ALL.len(), Numbers::default());
        }
        self.sets[kind as usize].add(number)
    }

    /// Returns whether it contains a number.
    #[inline]
    pub(super) fn has(&self, kind: ReferenceKind, number: u64) -> bool {
        self.sets.get(kind as usize).is_some_and(|set| set.has(number))
    }

    /// All of both.
    pub(super) fn fold(mut self, other: Used) -> Used {
        if self.sets.len() < other.sets.len() {
            return other.fold(self);
        }
        for (set, other) in self.sets.iter_mut().zip(other.sets) {
            set.merge(other);
        }
        self
    }

    /// All of them, kind by kind.
    pub(super) fn each(&self, mut each: impl FnMut(ReferenceKind, u64)) {
        for (kind, set) in ReferenceKind::ALL.iter().zip(&self.sets) {
            for (place, bits) in (0..).zip(&set.bits) {
                let mut bits = *bits;
                while bits != 0 {
                    each(*kind, place * 64 + u64::from(bits.trailing_zeros()));
                    bits &= bits - 1;
                }
            }
            set.large.iter().for_each(|number| each(*kind, *number));
        }
    }
}

impl Numbers {
    #[inline]
    fn add(&mut self, number: u64) -> bool {
        if number >= SMALL {
            return self.large.insert(number);
        }
        let (place, bit) = (number as usize / 64, 1 << (number % 64));
        if self.bits.len() <= place {
            self.bits.resize(place + 1, 0);
        }
        let is_new = self.bits[place] & bit == 0;
        self.bits[place] |= bit;
        is_new
    }

    #[inline]
    fn has(&self, number: u64) -> bool {
        match number < SMALL {
            true => {
                let bits = self.bits.get(number as usize / 64);
                bits.is_some_and(|bits| bits >> (number % 64) & 1 == 1)
            }
            false => self.large.contains(&number),
        }
    }

    fn merge(&mut self, mut other: Numbers) {
        if self.bits.len() < other.bits.len() {
            std::mem::swap(&mut self.bits, &mut other.bits);
        }
        self.bits.iter_mut().zip(other.bits).for_each(|(bits, other)| *bits |= other);
        self.large.append(&mut other.large);
    }
}

/// Hands over all that a definition leads to.
pub(super) fn each_target(definition: &Definition, mut each: impl FnMut(ReferenceKind, u64)) {
    let mut definition = definition.clone();
    definition.renumber(&mut |kind, number| {
        each(kind, number);
        number
    });
}

/// The mapping tables of a location, by what their entries lead to.
pub(crate) struct Tables {
    maps: Mappings,
    kinds: [Option<MappingType>; ReferenceKind::ALL.len()],
}

impl Tables {
    pub(crate) fn new(maps: Mappings) -> Tables {
        let mut kinds = [None; ReferenceKind::ALL.len()];
        for &table in MappingType::NAMED {
            if let Some(kind) = table.leads_to() {
                kinds[kind as usize] = Some(table);
            }
        }
        Tables { maps, kinds }
    }

    /// As readers need them.
    pub(crate) fn maps(&self) -> &Mappings {
        &self.maps
    }

    /// The number that the trace has for one of the location.
    #[inline]
    pub(crate) fn global(&self, kind: ReferenceKind, number: u64) -> u64 {
        match self.kinds[kind as usize] {
            Some(table) => self.maps.map64(table, number) & kind.undefined(),
            None => number,
        }
    }

    /// Returns whether there are mapping tables of a kind.
    pub(crate) fn may_have(kind: ReferenceKind) -> bool {
        MappingType::NAMED.iter().any(|table| table.leads_to() == Some(kind))
    }

    /// Returns whether the location has a table of a kind.
    pub(crate) fn has(&self, kind: ReferenceKind) -> bool {
        self.maps.kinds().any(|table| table.leads_to() == Some(kind))
    }

    /// Returns whether the location has any table.
    pub(crate) fn any(&self) -> bool {
        self.maps.kinds().next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_both_sizes_are_remembered_and_folded() {
        let (mut one, mut other) = (Used::default(), Used::default());
        for number in [0, 63, 64, SMALL - 1, SMALL, u64::MAX] {
            assert!(one.add(ReferenceKind::Location, number));
            assert!(!one.add(ReferenceKind::Location, number));
        }
        assert!(other.add(ReferenceKind::Location, 7) && other.add(ReferenceKind::Region, 7));
        for both in [one.clone().fold(other.clone()), other.fold(one.clone())] {
            let mut all = Vec::new();
            both.each(|kind, number| all.push((kind, number)));
            assert_eq!(all.len(), 8, "{all:?}");
            assert!(all.iter().all(|(kind, number)| both.has(*kind, *number)));
            assert!(!both.has(ReferenceKind::Region, 8) && !both.has(ReferenceKind::String, 7));
        }
        assert!(!Used::default().fold(one).has(ReferenceKind::Region, 7));
    }
}
