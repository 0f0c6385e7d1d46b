//! Order of the two groups of an intercommunicator: each side may have its own group first.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::{CommRefs, Content, ContentRef, Key, Seed};

use super::{with_groups, Groups};
use crate::unify::read::source::Source;
use crate::unify::same::keys::Share;
use crate::unify::same::pool::Map;
use crate::unify::same::settle::Settling;
use crate::unify::same::shared::owner;
use crate::unify::same::waiting::Around;
use streamfold_collective::{Communicator, Error};

/// In which order somebody has the groups of a communicator. The first of all counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Way {
    /// True if it has no key yet. Those that have one stay as they are.
    is_open: bool,
    first: Appearance,
    groups: Groups,
}

/// All ways in which somebody has them, by what is the same either way.
#[derive(Debug, Default)]
struct Ways(BTreeMap<Key, BTreeSet<Way>>);

impl Ways {
    fn take(&mut self, found: Option<(Key, Groups)>, is_open: bool, first: Appearance) {
        if let Some((key, groups)) = found {
            self.0.entry(key).or_default().insert(Way { is_open, first, groups });
        }
    }

    /// Those that any rank has, of what this rank has. Collective.
    fn of_all(self, ranks: &dyn Communicator) -> Result<Map<Key, Vec<Way>>, Error> {
        let said = self.0.into_iter().map(|(key, ways)| {
            (owner(key, ranks.size()), (key, ranks.rank(), ways.into_iter().collect()))
        });
        let said: Vec<(Key, usize, Vec<Way>)> = ranks.exchange(said.collect())?;
        let mut all = Ways::default();
        for (key, _, ways) in &said {
            all.0.entry(*key).or_default().extend(ways);
        }
        let told = said.iter().map(|(key, rank, _)| {
            let ways: Vec<Way> = all.0[key].iter().copied().collect();
            (*rank, (*key, ways))
        });
        let told: Vec<(Key, Vec<Way>)> = ranks.exchange(told.collect())?;
        Ok(told.into_iter().collect())
    }
}

/// Its groups, and what it has in common with those that say the same, and with those whose groups are the other way
/// round; `None`: not both are known.
fn either_way(content: ContentRef<'_>, comm: CommRefs, seed: Seed) -> Option<(Key, Groups)> {
    let known: Vec<Key> = comm.keys(content.targets).collect::<Option<_>>()?;
    let said: Groups = known.try_into().ok()?;
    let mut sorted = said;
    sorted.sort_unstable();
    let same = with_groups(&content.owned(), comm, sorted);
    Some((ContentRef { nth: 0, ..same.borrowed() }.key(seed), said))
}

impl Share {
    /// Gives keys to those of which both groups are known, in one order wherever they are defined. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(super) fn settle_whole(
        &mut self,
        settling: &Settling<'_, impl Source>,
        depth: usize,
    ) -> Result<(), Error> {
        let all = self.waiting.iter();
        let all = all.map(|waiting| waiting.between(settling.globals(waiting), depth));
        let all: Vec<Vec<(usize, Content)>> = all.collect();
        let (seed, ways) = (self.seed, self.ways(&all).of_all(settling.ranks)?);
        for (waiting, all) in self.waiting.iter_mut().zip(all) {
            let globals = settling.globals(waiting);
            for (place, content) in all {
                let comm = waiting.refs(place);
                let found = either_way(content.borrowed(), comm, seed);
                let Some((key, said)) = found else { continue };
                let ways = &ways[&key];
                let has_key = ways.iter().any(|way| !way.is_open && way.groups == said);
                let groups = if has_key { said } else { ways[0].groups };
                let mut around = Around { seed, globals, pool: &mut self.pool };
                waiting.give(place, with_groups(&content, comm, groups), &mut around);
            }
        }
        Ok(())
    }

    /// The ways of this rank: of what has keys, and of `all` those that wait.
    fn ways(&self, all: &[Vec<(usize, Content)>]) -> Ways {
        let mut ways = Ways::default();
        for pooled in self.pool.contents.values() {
            if let Some(comm) = pooled.comm.filter(|comm| comm.is_between()) {
                let found = either_way(pooled.content.borrowed(), comm, self.seed);
                ways.take(found, false, pooled.first);
            }
        }
        for (waiting, all) in self.waiting.iter().zip(all) {
            for (place, content) in all {
                let found = either_way(content.borrowed(), waiting.refs(*place), self.seed);
                ways.take(found, true, (waiting.numbered.ordinal, *place as u64));
            }
        }
        ways
    }
}
