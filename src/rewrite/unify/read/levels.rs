//! Forward references between locations. A location may use a communicator that only a later location knows whole, and
//! may have made others from it. It may also have groups of ranks that count in the list of a later location. Such
//! definitions get their numbers, and are written, behind the later one.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::{Key, Target};
use streamfold_model::enums::GroupType;
use streamfold_model::references::ReferenceKind;

use super::records::members;
use crate::unify::ranks::lists::Lists;
use crate::unify::same::keys::Share;
use crate::unify::same::pool::{Map, Pool, Pooled};
use crate::unify::same::shared::Shared;
use streamfold_collective::{Communicator, Error};

/// Kinds with numbers that may reference communicators or groups of ranks, directly or not.
const BELOW_COMMS: [ReferenceKind; 5] = [
    ReferenceKind::Group,
    ReferenceKind::Comm,
    ReferenceKind::RmaWin,
    ReferenceKind::CartTopology,
    ReferenceKind::IoHandle,
];

/// How often one has to go forward, in the order in which all was read, on the way from a definition to all that it
/// leads to. Of those that are on one level each comes behind what it leads to.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    /// Those of what this rank has read first, where they are not 0.
    of: Map<Key, u32>,
    /// The highest one on any rank.
    pub most: u32,
}

impl Levels {
    /// Finds those of all that this rank has read first. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn find(
        ranks: &dyn Communicator,
        share: &Share,
        shared: &Shared,
    ) -> Result<Levels, Error> {
        // Mostly files say all that their definitions lead to, and nothing comes before it.
        let firsts = shared.firsts.iter().map(|key| (*key, &share.pool.contents[key]));
        let firsts = firsts.filter(|(_, pooled)| is_before_list(pooled, &share.lists));
        let of: Map<Key, u32> = firsts.map(|(key, _)| (key, 1)).collect();
        if !ranks.all_reduce(share.means_others || !of.is_empty(), |a, b| a || b)? {
            return Ok(Levels::default());
        }
        let mut known: HashSet<Key, RandomState> = of.keys().copied().collect();
        let mut finding = Finding::new(ranks, &share.pool, shared, of)?;
        // At most as often as there are communicators above one without a group.
        loop {
            known.extend(finding.levels());
            let told = finding.asked.iter().filter(|(key, _)| known.contains(key));
            let told = told.map(|(key, rank)| (*rank, (*key, finding.level(key)))).collect();
            let told: Vec<(Key, u32)> = ranks.exchange(told)?;
            let is_done = told.is_empty();
            finding.others.extend(told);
            known.clear();
            if ranks.all_reduce(is_done, |a, b| a && b)? {
                break;
            }
        }
        let of = finding.of;
        let most = ranks.all_reduce(of.values().copied().max().unwrap_or(0), u32::max)?;
        Ok(Levels { of, most })
    }

    /// That of what this rank has read first.
    pub(crate) fn level(&self, key: &Key) -> u32 {
        self.of.get(key).copied().unwrap_or(0)
    }
}

/// A content that this rank has read first.
type Own<'a> = (Key, &'a Pooled);

/// Levels that are being found.
struct Finding<'a> {
    /// Contents that this rank has read first, each behind all that it references.
    own: Vec<Own<'a>>,
    of: Map<Key, u32>,
    /// First appearances, on other ranks, of contents that these reference; and their levels, if not 0.
    first: Map<Key, Appearance>,
    others: Map<Key, u32>,
    /// Keys whose level other ranks need.
    asked: Vec<(Key, usize)>,
}

impl<'a> Finding<'a> {
    /// `of`: levels that are known.
    fn new(
        ranks: &dyn Communicator,
        pool: &'a Pool,
        shared: &Shared,
        of: Map<Key, u32>,
    ) -> Result<Self, Error> {
        let own = shared.firsts.iter().map(|key| (*key, &pool.contents[key]));
        let own = own.filter(|(_, pooled)| {
            pooled.kind.is_none_or(|kind| BELOW_COMMS.contains(&kind)) && !pooled.is_nobody()
        });
        let own = behind_targets(own.collect());
        let is_own: HashSet<Key, RandomState> = shared.firsts.iter().copied().collect();
        let targets = own.iter().flat_map(|(_, pooled)| targets(pooled));
        let mut wanted: Vec<Key> = targets.filter(|key| !is_own.contains(key)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let readers = shared.readers(ranks, wanted)?;
        let asks = readers.iter().map(|(key, (_, rank))| (*rank, (*key, ranks.rank()))).collect();
        let asked = ranks.exchange(asks)?;
        let first = readers.into_iter().map(|(key, (first, _))| (key, first)).collect();
        let own_first = is_own.into_iter().map(|key| (key, pool.contents[&key].first));
        let first = own_first.chain::<Map<Key, Appearance>>(first).collect();
        Ok(Finding { own, of, first, others: Map::default(), asked })
    }

    fn level(&self, key: &Key) -> u32 {
        self.of.get(key).or(self.others.get(key)).copied().unwrap_or(0)
    }

    /// Finds levels by what is known of those of other ranks. Returns what has got another one.
    fn levels(&mut self) -> HashSet<Key, RandomState> {
        let mut changed = HashSet::default();
        for (key, pooled) in &self.own {
            let above = targets(pooled).map(|target| {
                let is_later = self.first.get(&target).is_some_and(|other| *other > pooled.first);
                self.level(&target) + u32::from(is_later)
            });
            let level = above.max().unwrap_or(0);
            if level > self.level(key) {
                self.of.insert(*key, level);
                changed.insert(*key);
            }
        }
        changed
    }
}

/// The same, each behind what it leads to, however far that goes on: contents lead in no circle.
fn behind_targets(all: Vec<Own<'_>>) -> Vec<Own<'_>> {
    let places: Map<Key, usize> = all.iter().map(|(key, _)| *key).zip(0..).collect();
    let mut is_met = vec![false; all.len()];
    let mut sorted = Vec::with_capacity(all.len());
    for begin in 0..all.len() {
        // With whether all is there to which it leads.
        let mut open = vec![(begin, false)];
        while let Some((place, is_behind)) = open.pop() {
            if is_behind {
                sorted.push(all[place]);
            } else if !std::mem::replace(&mut is_met[place], true) {
                open.push((place, true));
                let targets = targets(all[place].1).filter_map(|key| places.get(&key).copied());
                open.extend(
                    targets.filter(|target| !is_met[*target]).map(|target| (target, false)),
                );
            }
        }
    }
    sorted
}

/// Returns whether it is a group of ranks that was read before the list in which these count.
fn is_before_list(pooled: &Pooled, lists: &Lists) -> bool {
    if pooled.kind != Some(ReferenceKind::Group) {
        return false;
    }
    members(&pooled.content.shell).is_some_and(|group| {
        let list = lists.first(group.paradigm.into());
        group.kind == GroupType::CommGroup && list.is_some_and(|list| list > pooled.first)
    })
}

/// Returns the references of a content.
fn targets(pooled: &Pooled) -> impl Iterator<Item = Key> + '_ {
    pooled.content.targets.iter().filter_map(|target| match target {
        Target::Key(key) => Some(*key),
        _ => None,
    })
}
