//! Counts by a number of which there may be too many.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::matched::Matched;
use super::spans::Spans;

/// Counts that add up.
pub trait Sum: Copy + Default {
    /// Adds another.
    fn add(&mut self, other: &Self);
}

impl Sum for Matched {
    fn add(&mut self, other: &Self) {
        Matched::add(self, other);
    }
}

impl Sum for Spans {
    fn add(&mut self, other: &Self) {
        Spans::add(self, other);
    }
}

/// Counts, of messages as a rule, by a number with possibly too many values. Then numbers that differ in the lowest
/// bits only are counted together, with as few bits as needed. The result depends on the numbers alone, not on their
/// order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classes<K: Ord, V = Matched> {
    /// Number of lowest bits that do not count.
    pub bits: u32,
    /// Counts by number.
    pub of: BTreeMap<K, V>,
}

impl<K: Class, V> Default for Classes<K, V> {
    fn default() -> Self {
        Classes { bits: 0, of: BTreeMap::new() }
    }
}

/// A number that can be counted together with its neighbours.
pub trait Class: Copy + Ord {
    /// Number of them that are counted apart.
    const MOST: usize;
    /// Bits that it has.
    const BITS: u32;

    /// Without its lowest bits, which may be all that it has.
    fn without(self, bits: u32) -> Self;
}

impl Class for u32 {
    const MOST: usize = 1 << 14;
    const BITS: u32 = 32;

    fn without(self, bits: u32) -> Self {
        self.checked_shr(bits).unwrap_or(0)
    }
}

impl<K: Class, V: Sum> Classes<K, V> {
    /// Adds what was counted of a number.
    pub(super) fn add(&mut self, of: K, matched: &V) {
        self.of.entry(of.without(self.bits)).or_default().add(matched);
        while self.of.len() > K::MOST && self.bits < K::BITS {
            self.coarsen(self.bits + 1);
        }
    }

    fn coarsen(&mut self, bits: u32) {
        let more = bits - self.bits;
        self.bits = bits;
        for (of, matched) in std::mem::take(&mut self.of) {
            self.of.entry(of.without(more)).or_default().add(&matched);
        }
    }

    /// Adds others.
    pub(super) fn fold(&mut self, mut other: Classes<K, V>) {
        let bits = self.bits.max(other.bits);
        self.coarsen(bits);
        other.coarsen(bits);
        other.of.iter().for_each(|(of, matched)| {
            self.of.entry(*of).or_default().add(matched);
        });
        while self.of.len() > K::MOST && self.bits < K::BITS {
            self.coarsen(self.bits + 1);
        }
    }
}
