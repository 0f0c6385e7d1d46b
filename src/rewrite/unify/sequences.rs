//! In which order files have communicators that have all but the group in common: that in which they were made.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use streamfold_kernels::unify::Key;

/// A communicator that is known whole, where a file has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct InOrder {
    /// What it has in common with others, all but the group.
    pub class: Key,
    /// Where it stands in the file.
    pub place: usize,
    pub key: Key,
}

/// Of two communicators of a class, which are next to each other in some file, the class, the first and the second.
pub(super) type Before = (Key, Key, Key);

/// All such pairs of the files that a rank has read.
#[derive(Debug, Default)]
pub(super) struct Sequences(HashSet<Before, RandomState>);

impl Sequences {
    /// Takes in what a file has.
    pub fn take(&mut self, comms: &mut [InOrder]) {
        if comms.len() > 1 {
            self.0.extend(pairs(comms));
        }
    }

    /// With those of other files.
    pub fn fold(&mut self, other: Sequences) {
        self.0.extend(other.0);
    }

    /// All of them, each once.
    pub fn all(&self) -> impl Iterator<Item = Before> + '_ {
        self.0.iter().copied()
    }
}

/// The pairs of a file.
pub(super) fn pairs(comms: &mut [InOrder]) -> impl Iterator<Item = Before> + '_ {
    comms.sort_unstable();
    let next = comms.windows(2).filter(|two| two[0].class == two[1].class);
    next.map(|two| (two[0].class, two[0].key, two[1].key))
}
