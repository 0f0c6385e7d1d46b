//! What a rank knows of all contents that it has read.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::{CommRefs, Content, Key, Record, Target};
use streamfold_model::references::ReferenceKind;

/// Keyed by what nobody outside chooses.
pub(super) type Map<K, V> = HashMap<K, V, RandomState>;

/// A content, once however often it was read.
#[derive(Clone, Debug)]
pub(super) struct Pooled {
    pub content: Content,
    /// What it defines.
    pub kind: Option<ReferenceKind>,
    /// The number that it has where it was read first; 0 where it defines nothing.
    pub number: u64,
    pub comm: Option<CommRefs>,
    /// Where it was read first.
    pub first: Appearance,
}

impl Pooled {
    /// The content of a record that was read there.
    pub fn new(record: &Record, content: Content, first: Appearance) -> Pooled {
        let (kind, number) = record.own.map_or((None, 0), |(kind, number)| (Some(kind), number));
        Pooled { content, kind, number, comm: record.comm, first }
    }
}

/// Contents by their keys.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    pub contents: Map<Key, Pooled>,
    /// Whether two contents have the same key by accident.
    pub collision: bool,
}

impl Pool {
    /// Takes in a content.
    pub fn take(&mut self, key: Key, other: Pooled) {
        match self.contents.entry(key) {
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(other);
            }
            std::collections::hash_map::Entry::Occupied(mut place) => {
                let known = place.get_mut();
                self.collision |= known.content != other.content || known.kind != other.kind;
                if other.first < known.first {
                    (known.first, known.number) = (other.first, other.number);
                }
            }
        }
    }

    /// Takes in all of another.
    pub fn fold(mut self, other: Pool) -> Pool {
        if self.contents.len() < other.contents.len() {
            return other.fold(self);
        }
        self.collision |= other.collision;
        for (key, pooled) in other.contents {
            self.take(key, pooled);
        }
        self
    }

    /// What its contents lead to and does not have itself.
    pub fn foreign(&self) -> impl Iterator<Item = Key> + '_ {
        let targets = self.contents.values().flat_map(|pooled| pooled.content.targets.iter());
        targets.filter_map(|target| match target {
            Target::Key(key) if !self.contents.contains_key(key) => Some(*key),
            _ => None,
        })
    }
}
