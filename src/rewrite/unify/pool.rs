//! What a rank knows of all contents that it has read.

use std::collections::hash_map::Entry;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::{CommRefs, Content, ContentRef, Key, Record, Target};
use streamfold_model::references::ReferenceKind;

use super::records::is_nobody;

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
    fn new(record: &Record, content: ContentRef<'_>, first: Appearance) -> Pooled {
        let (kind, number) = owned(record);
        Pooled { content: content.owned(), kind, number, comm: record.comm, first }
    }

    /// Whether it stands for a number that nobody defines.
    pub fn is_nobody(&self) -> bool {
        is_nobody(&self.content.shell)
    }

    /// It was read once more. Returns whether it is the same indeed.
    fn meet(
        &mut self,
        content: ContentRef<'_>,
        (kind, number): (Option<ReferenceKind>, u64),
        first: Appearance,
    ) -> bool {
        if first < self.first {
            (self.first, self.number) = (first, number);
        }
        self.content.borrowed() == content && self.kind == kind
    }
}

/// What a record defines, and its number.
fn owned(record: &Record) -> (Option<ReferenceKind>, u64) {
    record.own.map_or((None, 0), |(kind, number)| (Some(kind), number))
}

/// Contents by their keys.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    pub contents: Map<Key, Pooled>,
    /// Whether two contents have the same key by accident.
    pub collision: bool,
}

impl Pool {
    /// Takes in the content of a record that was read there.
    pub fn take(&mut self, key: Key, record: &Record, content: ContentRef<'_>, first: Appearance) {
        match self.contents.entry(key) {
            Entry::Vacant(place) => {
                place.insert(Pooled::new(record, content, first));
            }
            Entry::Occupied(mut known) => {
                self.collision |= !known.get_mut().meet(content, owned(record), first);
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
            match self.contents.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(pooled);
                }
                Entry::Occupied(mut known) => {
                    let Pooled { content, kind, number, first, .. } = pooled;
                    let meets = known.get_mut().meet(content.borrowed(), (kind, number), first);
                    self.collision |= !meets;
                }
            }
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
