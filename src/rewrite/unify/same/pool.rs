//! Pool of all contents that a rank has read.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use indexmap::map::Entry;
use indexmap::IndexMap;
use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::{CommRefs, Content, ContentRef, Key, Record, Seed, Target};
use streamfold_model::references::ReferenceKind;

use crate::unify::read::records::is_nobody;

/// Keyed by what nobody outside chooses.
pub(crate) type Map<K, V> = HashMap<K, V, RandomState>;

/// A content, once however often it was read.
#[derive(Clone, Debug)]
pub(crate) struct Pooled {
    pub content: Content,
    /// The kind that it defines.
    pub kind: Option<ReferenceKind>,
    /// The number that it has where it was read first; 0 where it defines nothing.
    pub number: u64,
    pub comm: Option<CommRefs>,
    /// Its first appearance.
    pub first: Appearance,
}

impl Pooled {
    /// The content of a record that was read there.
    fn new(record: &Record, content: ContentRef<'_>, first: Appearance) -> Pooled {
        let (kind, number) = owned(record);
        Pooled { content: content.owned(), kind, number, comm: record.comm, first }
    }

    /// Returns whether it stands for an undefined reference.
    pub(crate) fn is_nobody(&self) -> bool {
        is_nobody(&self.content.shell)
    }

    /// It was read once more. Returns whether it is the same indeed.
    fn meet(
        &mut self,
        content: ContentRef<'_>,
        (kind, number): (Option<ReferenceKind>, u64),
        first: Appearance,
    ) -> bool {
        let is_same = self.content.borrowed() == content && self.kind == kind;
        if is_same && first < self.first {
            (self.first, self.number) = (first, number);
        }
        is_same
    }
}

/// Returns the kind that a record defines, and its number.
fn owned(record: &Record) -> (Option<ReferenceKind>, u64) {
    record.own.map_or((None, 0), |(kind, number)| (Some(kind), number))
}

/// Contents by their keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    pub contents: IndexMap<Key, Pooled, RandomState>,
    /// True if two contents have the same key by accident.
    pub collision: bool,
}

impl Pool {
    /// Takes in the content of a record that was read there. Returns its place among all.
    pub(crate) fn take(
        &mut self,
        key: Key,
        record: &Record,
        content: ContentRef<'_>,
        first: Appearance,
    ) -> usize {
        match self.contents.entry(key) {
            Entry::Vacant(place) => {
                let index = place.index();
                place.insert(Pooled::new(record, content, first));
                index
            }
            Entry::Occupied(mut known) => {
                self.collision |= !known.get_mut().meet(content, owned(record), first);
                known.index()
            }
        }
    }

    /// Takes in the content of a record, if it is the one at a place among all. Returns this, and its key.
    fn meet(
        &mut self,
        place: usize,
        record: &Record,
        content: ContentRef<'_>,
        first: Appearance,
    ) -> Option<(usize, Key)> {
        let (key, pooled) = self.contents.get_index_mut(place)?;
        pooled.meet(content, owned(record), first).then_some((place, *key))
    }

    /// Takes in all of another.
    pub(crate) fn fold(mut self, other: Pool) -> Pool {
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

    /// Returns the references of its contents to contents that it does not have.
    pub(crate) fn foreign(&self) -> impl Iterator<Item = Key> + '_ {
        let targets = self.contents.values().flat_map(|pooled| pooled.content.targets.iter());
        targets.filter_map(|target| match target {
            Target::Key(key) if !self.contents.contains_key(key) => Some(*key),
            _ => None,
        })
    }
}

/// Cache of contents of a pool that were met lately: each is in its only slot, or behind the one before. A hit needs
/// neither a key nor a look-up.
pub(crate) struct Met {
    /// Their places among all.
    places: Vec<u32>,
    /// The one that may come next, as most files say the same in the same order.
    next: usize,
    seed: Seed,
}

impl Met {
    /// Largest number that is remembered.
    const MOST: usize = 1 << 15;

    /// `seed`: by which keys are made.
    pub(crate) fn new(seed: Seed) -> Met {
        Met { places: vec![u32::MAX; Met::MOST], next: 0, seed }
    }

    /// Takes the content of a record that was read there into a pool, always the same one. Returns its place
    /// among all, and its key.
    pub(crate) fn take(
        &mut self,
        pool: &mut Pool,
        record: &Record,
        content: ContentRef<'_>,
        first: Appearance,
    ) -> (usize, Key) {
        let found = pool.meet(self.next, record, content, first).unwrap_or_else(|| {
            let place = &mut self.places[place(record, content)];
            pool.meet(*place as usize, record, content, first).unwrap_or_else(|| {
                let key = content.key(self.seed);
                let index = pool.take(key, record, content, first);
                *place = u32::try_from(index).unwrap_or(u32::MAX);
                (index, key)
            })
        });
        self.next = found.0 + 1;
        found
    }
}

/// The one place where the content of a record may be. Shells that are the same are mostly one in memory.
fn place(record: &Record, content: ContentRef<'_>) -> usize {
    let mix = |hash: u64, with: u64| {
        let product = u128::from(hash ^ with) * 0x9e37_79b9_7f4a_7c15_u128;
        (product >> 64) as u64 ^ product as u64
    };
    let begin = mix(record.shell.as_ptr().addr() as u64, content.nth.into());
    let targets = content.targets.iter().map(|target| match target {
        Target::Undefined => 0,
        Target::Key(key) => key.0 as u64,
        Target::Dangling(number) => *number,
    });
    targets.fold(begin, mix) as usize % Met::MOST
}
