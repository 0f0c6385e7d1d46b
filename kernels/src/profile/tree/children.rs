//! The index by which those children of a call path are found that are not at hand beside its times.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

/// From keys to numbers, by open addressing: most looks end at the first slot.
///
/// A key is multiplied by an odd number that was chosen at random, since keys come from files that
/// nobody vouches for; the highest bits of the product are its first slot.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    /// A power of two of them, or none as long as there is no entry: most indexes are made to be thrown away.
    slots: Vec<Slot>,
    used: usize,
    factor: u64,
    shift: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    number: u32,
}

impl Slot {
    const EMPTY: Slot = Slot { key: Index::NO_KEY, number: 0 };
}

const FEWEST_SLOTS: usize = 64;

impl Default for Index {
    fn default() -> Self {
        let factor = RandomState::default().hash_one(FEWEST_SLOTS) | 1;
        // Any shift that can be done: nothing is found where no slots are.
        Index { slots: Vec::new(), used: 0, factor, shift: u64::BITS - 1 }
    }
}

impl Index {
    /// No entry has this key.
    pub(crate) const NO_KEY: u64 = u64::MAX;

    fn with_slots(slots: usize, factor: u64) -> Self {
        let shift = u64::BITS - slots.trailing_zeros();
        Index { slots: vec![Slot::EMPTY; slots], used: 0, factor, shift }
    }

    /// Tells whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Finds numbers while none is given.
    #[inline(always)]
    pub(crate) fn finder(&self) -> IndexFinder<'_> {
        IndexFinder { slots: &self.slots, factor: self.factor, shift: self.shift }
    }

    /// Gives a number to a key that has none yet.
    pub(crate) fn insert(&mut self, key: u64, number: u32) {
        self.used += 1;
        if 2 * self.used > self.slots.len() {
            self.grow();
        }
        let place = self.slot_of(key);
        self.slots[place] = Slot { key, number };
    }

    #[inline(always)]
    fn first_slot(&self, key: u64) -> usize {
        (key.wrapping_mul(self.factor) >> self.shift) as usize
    }

    /// Returns the slot of a key, or the free one that it would get.
    fn slot_of(&self, key: u64) -> usize {
        let mut place = self.first_slot(key);
        while self.slots[place].key != key && self.slots[place].key != Index::NO_KEY {
            place = (place + 1) & (self.slots.len() - 1);
        }
        place
    }

    fn grow(&mut self) {
        let slots = (2 * self.slots.len()).max(FEWEST_SLOTS);
        let larger = Index::with_slots(slots, self.factor);
        let old = std::mem::replace(self, larger);
        self.used = old.used;
        for slot in old.slots.into_iter().filter(|slot| slot.key != Index::NO_KEY) {
            let place = self.slot_of(slot.key);
            self.slots[place] = slot;
        }
    }
}

/// An index to which nothing is added.
#[derive(Clone, Copy)]
pub(crate) struct IndexFinder<'a> {
    slots: &'a [Slot],
    factor: u64,
    shift: u32,
}

impl IndexFinder<'_> {
    /// The number of a key.
    #[inline(always)]
    pub(crate) fn get(self, key: u64) -> Option<u32> {
        let mut place = (key.wrapping_mul(self.factor) >> self.shift) as usize;
        loop {
            let slot = self.slots.get(place)?;
            if slot.key == key {
                return Some(slot.number);
            }
            if slot.key == Index::NO_KEY {
                return None;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_put_in_and_nothing_else() {
        let mut index = Index::default();
        assert_eq!(index.finder().get(0), None);
        let key = |i: u64| i * i * 0x1_0000_0001;
        for i in 0..10_000 {
            index.insert(key(i), i as u32);
            assert_eq!(index.finder().get(key(i)), Some(i as u32));
        }
        for i in 0..10_000 {
            assert_eq!(index.finder().get(key(i)), Some(i as u32));
            assert_eq!(
                index.finder().get(key(i) + 1),
                (i == 0).then_some(1).filter(|_| key(1) == 1)
            );
        }
    }
}
