//! First reader and owner rank of each key.

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::{Content, Key};
use streamfold_model::references::ReferenceKind;

use super::pool::{Map, Pool};
use streamfold_collective::{self as collective, Communicator};

/// Entry that a rank sends about a key to its owner.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    key: Key,
    rank: usize,
    /// Its first appearance; `None`: this rank only needs its number.
    first: Option<Appearance>,
}

/// State of a key on its owner rank.
#[derive(Debug, Default)]
struct Looked {
    /// First appearance, and the rank that has read it.
    first: Option<(Appearance, usize)>,
    /// Other ranks with its content.
    others: Vec<usize>,
    /// Ranks that need its number, besides the first.
    askers: Vec<usize>,
}

impl Looked {
    /// Returns the ranks with its content.
    fn holders(&self) -> impl Iterator<Item = usize> + '_ {
        let first = self.first.map(|(_, first)| first);
        first.into_iter().chain(self.others.iter().copied())
    }
}

/// Answer about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Told {
    key: Key,
    /// True if this rank gives it a number.
    is_first: bool,
    /// True if other ranks have a content with this key, too.
    is_shared: bool,
}

/// Keys, who looks after them, and who gives them numbers.
#[derive(Debug)]
pub(crate) struct Shared {
    looked: IndexMap<Key, Looked, RandomState>,
    /// Those to which this rank gives numbers, or that it writes.
    pub firsts: Vec<Key>,
}

impl Shared {
    /// Finds out who has read what first. `None`: two contents have the same key by accident, on some
    /// rank. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn new(
        ranks: &dyn Communicator,
        pool: &Pool,
        wanted: impl Iterator<Item = Key>,
    ) -> Result<Option<Shared>, collective::Error> {
        let (size, rank) = (ranks.size(), ranks.rank());
        let held = pool.contents.iter().map(|(key, pooled)| (*key, Some(pooled.first)));
        let mut others: Vec<Key> = pool.foreign().chain(wanted).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|key| !pool.contents.contains_key(key));
        let entries = held.chain(others.into_iter().map(|key| (key, None)));
        let entries = entries.map(|(key, first)| (owner(key, size), Entry { key, rank, first }));
        let entries: Vec<Entry> = ranks.exchange(entries.collect())?;
        let mut looked: IndexMap<Key, Looked, RandomState> = IndexMap::default();
        looked.reserve(pool.contents.len());
        for Entry { key, rank, first } in entries {
            let known = looked.entry(key).or_default();
            match first {
                Some(first) => {
                    let one = (first, rank);
                    let least = known.first.map_or(one, |other| other.min(one));
                    let other = known.first.replace(least);
                    known.others.extend(other.map(|other| other.max(one).1));
                }
                None => known.askers.push(rank),
            }
        }
        let told = looked.iter().flat_map(|(key, known)| {
            let is_shared = !known.others.is_empty();
            known.holders().map(move |rank| {
                let is_first = known.first.is_some_and(|(_, first)| first == rank);
                (rank, Told { key: *key, is_first, is_shared })
            })
        });
        let told: Vec<Told> = ranks.exchange(told.collect())?;
        // All ranks compare, whatever each of them knows already.
        let collision = compare(ranks, pool, &told)? || pool.collision;
        if ranks.all_reduce(collision, |a, b| a || b)? {
            return Ok(None);
        }
        let firsts = told.iter().filter(|told| told.is_first).map(|told| told.key).collect();
        Ok(Some(Shared { looked, firsts }))
    }

    /// Returns first appearances and first readers of these keys, if any rank has read them. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn readers(
        &self,
        ranks: &dyn Communicator,
        keys: Vec<Key>,
    ) -> Result<Map<Key, (Appearance, usize)>, collective::Error> {
        let (size, rank) = (ranks.size(), ranks.rank());
        let asks = keys.into_iter().map(|key| (owner(key, size), (key, rank))).collect();
        let asked: Vec<(Key, usize)> = ranks.exchange(asks)?;
        let first = |key: &Key| self.looked.get(key)?.first;
        let answers = asked.into_iter().filter_map(|(key, rank)| Some((rank, (key, first(&key)?))));
        Ok(ranks.exchange(answers.collect())?.into_iter().collect())
    }

    /// Tells everybody the numbers that it wants to know: those that this rank gives are `own`.
    /// Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn tell(
        &self,
        ranks: &dyn Communicator,
        own: Map<Key, u64>,
    ) -> Result<Map<Key, u64>, collective::Error> {
        let size = ranks.size();
        let given = own.iter().map(|(key, number)| (owner(*key, size), (*key, *number)));
        let given: Vec<(Key, u64)> = ranks.exchange(given.collect())?;
        let answers = given.into_iter().flat_map(|(key, number)| {
            let known = &self.looked[&key];
            let askers = known.askers.iter().copied();
            known.holders().chain(askers).map(move |rank| (rank, (key, number)))
        });
        let mut numbers = own;
        numbers.extend(ranks.exchange(answers.collect())?);
        Ok(numbers)
    }
}

/// Returns whether two contents with the same key differ. Equal keys alone decide nothing.
fn compare(
    ranks: &dyn Communicator,
    pool: &Pool,
    told: &[Told],
) -> Result<bool, collective::Error> {
    let size = ranks.size();
    let shared = told.iter().filter(|told| told.is_shared).map(|told| {
        let pooled = &pool.contents[&told.key];
        (owner(told.key, size), (told.key, pooled.kind, pooled.content.clone()))
    });
    let contents: Vec<(Key, Option<ReferenceKind>, Content)> = ranks.exchange(shared.collect())?;
    let mut known: Map<Key, (Option<ReferenceKind>, Content)> = Map::default();
    let mut differ = false;
    for (key, kind, content) in contents {
        let first = known.entry(key).or_insert_with(|| (kind, content.clone()));
        differ |= *first != (kind, content);
    }
    Ok(differ)
}

/// Returns the owner rank of a key.
pub(crate) fn owner(key: Key, ranks: usize) -> usize {
    ((key.0 >> 64) as u64 % ranks as u64) as usize
}
