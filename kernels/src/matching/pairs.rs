//! Messages between two locations or processes, as many threads add them up.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::classes::{Class, Classes};
use super::matched::Matched;
use super::partners::{Process, Processes};

/// Sender and receiver, as [`PairsOf`] numbers them.
pub type Pair = (u32, u32);

/// Number of undefined locations and processes.
pub const NOBODY: u32 = u32::MAX;

impl Class for Pair {
    const MOST: usize = 1 << 20;
    const BITS: u32 = 32;

    fn without(self, bits: u32) -> Self {
        (self.0.without(bits), self.1.without(bits))
    }
}

/// Unit by which messages are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairsOf {
    /// Locations, by their places in the definitions.
    Locations,
    /// Processes, by their numbers.
    Processes,
}

impl PairsOf {
    /// Returns the number of a location, or of its process; `None`: it is undefined.
    pub fn number(
        self,
        location: LocationRef,
        definitions: &Definitions,
        processes: &Processes,
    ) -> Option<u32> {
        match self {
            PairsOf::Locations => {
                definitions.locations.get_index_of(&location).map(|place| place as u32)
            }
            PairsOf::Processes => processes.of(location).map(|Process(number)| number),
        }
    }

    /// How many there are.
    pub fn count(self, definitions: &Definitions, processes: &Processes) -> usize {
        match self {
            PairsOf::Locations => definitions.locations.len(),
            PairsOf::Processes => processes.count(),
        }
    }
}

/// Number of pairs that are added up before they are put in order.
const HELD: usize = 1 << 15;

/// Messages by pair. There may be so many pairs that there is no room for those of each thread.
#[derive(Debug, Default)]
pub struct Pairs {
    by: Option<PairsOf>,
    of: Mutex<Classes<Pair>>,
}

impl Pairs {
    /// Those of these; `None`: nobody needs any.
    pub fn new(by: Option<PairsOf>) -> Self {
        Pairs { by, ..Pairs::default() }
    }

    /// The memory that those of so many locations or processes may take, in bytes.
    pub fn most_memory(locations: usize) -> usize {
        // Trees of numbers have some room in each node: it is 128 bytes, as docs/rules/match.md has it.
        const OF_PAIR: usize = size_of::<(Pair, Matched)>() * 8 / 5;
        locations.saturating_mul(locations).min(Pair::MOST) * OF_PAIR
    }

    /// Takes the sums out.
    pub fn take(&self) -> Classes<Pair> {
        std::mem::take(&mut *self.of.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, held: &mut HashMap<Pair, Matched, RandomState>) {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        held.drain().for_each(|(pair, matched)| of.add(pair, &matched));
    }
}

/// Sums of one thread, not yet added to the common ones.
pub(super) struct Adding<'a> {
    pairs: &'a Pairs,
    /// So that not all need be searched for each message.
    held: HashMap<Pair, Matched, RandomState>,
}

impl<'a> Adding<'a> {
    pub(super) fn new(pairs: &'a Pairs) -> Self {
        Adding { pairs, held: HashMap::default() }
    }

    /// Returns the unit of the pairs; `None`: no pairs are needed.
    pub(super) fn by(&self) -> Option<PairsOf> {
        self.pairs.by
    }

    pub(super) fn add(&mut self, pair: Pair, matched: &Matched) {
        self.held.entry(pair).or_default().add(matched);
        if self.held.len() >= HELD {
            self.end();
        }
    }

    /// No more are to come.
    pub(super) fn end(&mut self) {
        self.pairs.add(&mut self.held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_nobody_needs_are_not_added_up() {
        use super::super::join::Receiver;
        use super::super::messages::{Channel, End};
        use super::super::totals::Totalling;
        use super::super::Order;
        use streamfold_model::ids::CommRef;

        let definitions = Definitions::default();
        let processes = Processes::new(&definitions);
        let (sender, receiver) = (Process(4), Process(5));
        let key = Channel { comm: CommRef(0), sender, receiver, tag: 0 }.key();
        let location = LocationRef(7);
        let posted = Order { time: 0, location, number: 1 };
        let end = End { posted, time: 0, location, number: 1, bytes: 8 };
        for by in [None, Some(PairsOf::Locations), Some(PairsOf::Processes)] {
            let pairs = Pairs::new(by);
            let mut totalling = Totalling::new(&definitions, &processes, &[], &pairs);
            totalling.pair(key, end, end);
            assert_eq!(totalling.totals().by_comm[&CommRef(0)].matched.messages, 1);
            let found: Vec<Pair> = pairs.take().of.into_keys().collect();
            let expected = by.map(|by| match by {
                PairsOf::Locations => (NOBODY, NOBODY),
                PairsOf::Processes => (4, 5),
            });
            assert_eq!(found, Vec::from_iter(expected));
        }
    }

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
