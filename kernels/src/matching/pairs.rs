//! Messages between two locations, as many threads add them up.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::totals::{Class, Classes, Matched};

/// Two locations, or two of their groups, by their places in the definitions: who sent, and who received.
pub type Pair = (u32, u32);

/// What messages are added up by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairsOf {
    /// Locations.
    #[default]
    Locations,
    /// Location groups: processes.
    Groups,
}

impl PairsOf {
    /// The place of what a location belongs to; [`u32::MAX`]: nobody defines it.
    pub fn place(self, location: LocationRef, definitions: &Definitions) -> u32 {
        let place = match self {
            PairsOf::Locations => definitions.locations.get_index_of(&location),
            PairsOf::Groups => definitions.locations.get(&location).and_then(|location| {
                definitions.location_groups.get_index_of(&location.location_group)
            }),
        };
        place.map_or(u32::MAX, |place| place as u32)
    }

    /// How many there are.
    pub fn count(self, definitions: &Definitions) -> usize {
        match self {
            PairsOf::Locations => definitions.locations.len(),
            PairsOf::Groups => definitions.location_groups.len(),
        }
    }
}

/// So many pairs are added up before they are put in order.
const HELD: usize = 1 << 15;

/// Messages by pair. There may be so many pairs that there is no room for those of each thread.
#[derive(Debug, Default)]
pub struct Pairs {
    by: PairsOf,
    of: Mutex<Classes<Pair>>,
}

impl Pairs {
    /// Those of these.
    pub fn new(by: PairsOf) -> Self {
        Pairs { by, ..Pairs::default() }
    }

    /// What they are of.
    pub(super) fn by(&self) -> PairsOf {
        self.by
    }

    /// The memory that those of so many locations or groups may take, in bytes.
    pub fn most_memory(locations: usize) -> usize {
        // Trees of numbers have some room in each node.
        const OF_PAIR: usize = size_of::<(Pair, Matched)>() * 8 / 5;
        locations.saturating_mul(locations).min(Pair::MOST) * OF_PAIR
    }

    /// What was added up; none is left here.
    pub fn take(&self) -> Classes<Pair> {
        std::mem::take(&mut *self.of.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, held: &mut HashMap<Pair, Matched, RandomState>) {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        held.drain().for_each(|(pair, matched)| of.add(pair, &matched));
    }
}

/// What one thread has added up of them.
pub(super) struct Adding<'a> {
    pairs: &'a Pairs,
    /// So that not all need be searched for each message.
    held: HashMap<Pair, Matched, RandomState>,
}

impl<'a> Adding<'a> {
    pub fn new(pairs: &'a Pairs) -> Self {
        Adding { pairs, held: HashMap::default() }
    }

    /// What they are of.
    pub fn by(&self) -> PairsOf {
        self.pairs.by()
    }

    pub fn add(&mut self, pair: Pair, matched: &Matched) {
        self.held.entry(pair).or_default().add(matched);
        if self.held.len() >= HELD {
            self.end();
        }
    }

    /// No more are to come.
    pub fn end(&mut self) {
        self.pairs.add(&mut self.held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_many_threads_are_those_of_one() {
        let one = Matched { messages: 1, bytes: 3, ..Matched::default() };
        // More than are counted apart.
        let pair = |i: u32| (i % 1500, i * 7 % 1499);
        let all = 0..1_200_000u32;
        let together = Pairs::default();
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let (together, all) = (&together, all.clone());
                scope.spawn(move || {
                    let mut adding = Adding::new(together);
                    let own = all.filter(|i| i % 3 == thread);
                    own.for_each(|i| {
                        adding.add(pair(i), &one);
                        assert!(adding.held.len() < HELD);
                    });
                    adding.end();
                });
            }
        });
        let alone = Pairs::default();
        let mut adding = Adding::new(&alone);
        all.rev().for_each(|i| adding.add(pair(i), &one));
        adding.end();
        let found = together.take();
        assert_eq!(found, alone.take());
        assert!(found.bits > 0 && found.of.len() <= Pair::MOST);
        assert_eq!(found.of.values().map(|of| of.messages).sum::<u64>(), 1_200_000);
        assert_eq!(together.take(), Classes::default());
    }
}
