//! Places of what is looked for again and again, in an order that repeats: the partners of an exchange.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::RandomState;

/// Numbers of keys, from 0 in the order in which they are added. Halo exchanges repeat the same keys in the same order.
/// So a lookup first tries the key that followed the last one before.
#[derive(Debug)]
pub(crate) struct Recurring<K> {
    of: HashMap<K, usize, RandomState>,
    /// Each with the index of the key that was looked up after it.
    keys: Vec<(K, usize)>,
    last: usize,
}

impl<K> Default for Recurring<K> {
    fn default() -> Self {
        Recurring { of: HashMap::default(), keys: Vec::new(), last: 0 }
    }
}

impl<K: Copy + Eq + Hash> Recurring<K> {
    /// The place of a key, if it was added.
    #[inline(always)]
    pub(super) fn find(&mut self, key: &K) -> Option<usize> {
        let (last, following) = self.keys.get(self.last)?;
        if last == key {
            return Some(self.last);
        }
        let following = *following;
        match self.keys.get(following) {
            Some((known, _)) if known == key => {
                self.last = following;
                Some(following)
            }
            _ => self.search(key),
        }
    }

    #[inline(never)]
    fn search(&mut self, key: &K) -> Option<usize> {
        let place = *self.of.get(key)?;
        self.follows(place);
        Some(place)
    }

    /// Adds a key that was not found.
    pub(super) fn add(&mut self, key: K) -> usize {
        let place = self.keys.len();
        self.of.insert(key, place);
        self.follows(place);
        self.keys.push((key, place));
        place
    }

    fn follows(&mut self, place: usize) {
        if let Some((_, following)) = self.keys.get_mut(self.last) {
            *following = place;
        }
        self.last = place;
    }

    /// None is left.
    pub(super) fn clear(&mut self) {
        self.of.clear();
        self.keys.clear();
        self.last = 0;
    }
}

/// Sums by key.
#[derive(Debug)]
pub(crate) struct RecurringSums<K> {
    keys: Recurring<K>,
    sums: Vec<u64>,
}

impl<K> Default for RecurringSums<K> {
    fn default() -> Self {
        RecurringSums { keys: Recurring::default(), sums: Vec::new() }
    }
}

impl<K: Copy + Eq + Hash> RecurringSums<K> {
    /// Adds to the sum of a key.
    #[inline(always)]
    pub(crate) fn add(&mut self, key: K, more: u64) {
        match self.keys.find(&key) {
            Some(place) => self.sums[place] += more,
            None => {
                self.keys.add(key);
                self.sums.push(more);
            }
        }
    }

    /// Tells all keys with their sums. None is left; the memory stays.
    pub(crate) fn take_sums(&mut self, mut tell: impl FnMut(K, u64)) {
        let keys = self.keys.keys.iter().map(|(key, _)| *key);
        keys.zip(self.sums.drain(..)).for_each(|(key, sum)| tell(key, sum));
        self.keys.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever was looked for before, and whatever was cleared.
        #[test]
        fn each_key_has_the_place_at_which_it_was_added(
            keys in proptest::collection::vec(prop_oneof![20 => (0u32..9).prop_map(Some), 1 => Just(None)], 0..200),
        ) {
            let (mut found, mut expected) = (Recurring::default(), Vec::new());
            for key in keys {
                let Some(key) = key else {
                    found.clear();
                    expected.clear();
                    continue;
                };
                let place = expected.iter().position(|known| *known == key);
                prop_assert_eq!(found.find(&key), place);
                if place.is_none() {
                    prop_assert_eq!(found.add(key), expected.len());
                    expected.push(key);
                }
            }
        }
    }
}
