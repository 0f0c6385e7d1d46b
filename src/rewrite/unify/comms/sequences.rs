//! In which order files have communicators that have all but the group in common: that in which they were made.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use streamfold_kernels::unify::incomplete::{class, sides};
use streamfold_kernels::unify::{CommRefs, ContentRef, Key, Seed};

/// A communicator that is known whole, where a file has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct InOrder {
    /// Key of all that it has in common with others: all but the group, or one of two groups.
    pub class: Key,
    /// Its place in the file.
    pub place: usize,
    pub key: Key,
    /// True if the class includes one of two groups.
    pub is_side: bool,
}

impl InOrder {
    /// A communicator that is known whole, by each class that it is of: the one without any group comes first.
    pub(crate) fn all(
        content: ContentRef<'_>,
        comm: CommRefs,
        seed: Seed,
        (place, key): (usize, Key),
    ) -> impl Iterator<Item = InOrder> + '_ {
        let sides = sides(content, comm, seed).map(|class| (class, true));
        let classes = std::iter::once((class(content, comm, seed), false)).chain(sides);
        classes.map(move |(class, is_side)| InOrder { class, place, key, is_side })
    }
}

/// Of two communicators of a class, which are next to each other in some file, the class, the first and the second.
pub(crate) type Before = (Key, Key, Key);

/// All such pairs of the files that a rank has read.
#[derive(Debug, Default)]
pub(crate) struct Sequences(HashSet<Before, RandomState>);

impl Sequences {
    /// Takes in what a file has.
    pub(crate) fn take(&mut self, comms: &mut [InOrder]) {
        if comms.len() > 1 {
            self.0.extend(pairs(comms));
        }
    }

    /// With those of other files.
    pub(crate) fn fold(&mut self, other: Sequences) {
        self.0.extend(other.0);
    }

    /// All of them, each once.
    pub(crate) fn all(&self) -> impl Iterator<Item = Before> + '_ {
        self.0.iter().copied()
    }
}

/// The pairs of a file.
pub(crate) fn pairs(comms: &mut [InOrder]) -> impl Iterator<Item = Before> + '_ {
    comms.sort_unstable();
    let next = comms.windows(2).filter(|two| two[0].class == two[1].class);
    next.map(|two| (two[0].class, two[0].key, two[1].key))
}
