//! Communicators that somebody knows whole, and the locations that communicate.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::incomplete::{class, Appearance, Candidate};
use streamfold_kernels::unify::members::{place, Stretch};
use streamfold_kernels::unify::{Key, Target};
use streamfold_model::enums::GroupType;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::keys::Share;
use super::pool::{Map, Pool, Pooled};
use super::records::{members, GroupMembers};
use crate::collective::{Communicator, Error};

/// The paradigm of a group of ranks, as a number, and who is in it.
pub(super) type CommMembers = (u8, Vec<Stretch>);

/// Which rank looks after a key.
pub(super) fn owner(key: Key, ranks: usize) -> usize {
    ((key.0 >> 64) as u64 % ranks as u64) as usize
}

/// A communicator that a rank knows whole, as it travels.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Whole {
    pub class: Key,
    pub candidate: Candidate,
}

/// All communicators of these classes that anybody knows whole, in the order of their appearance.
/// Collective.
pub(super) fn candidates(
    ranks: &dyn Communicator,
    share: &Share,
    classes: &[Key],
) -> Result<Map<Key, Vec<Candidate>>, Error> {
    let size = ranks.size();
    let contents = share.pool.contents.iter();
    let whole = contents.filter_map(|(key, pooled)| whole(*key, pooled, share));
    let whole = whole.map(|whole| (owner(whole.class, size), whole)).collect();
    let mut known: Map<Key, Map<Key, Candidate>> = Map::default();
    for Whole { class, candidate } in ranks.exchange(whole)? {
        let same = known.entry(class).or_default();
        match same.get_mut(&candidate.key) {
            Some(other) => {
                other.first = other.first.min(candidate.first);
                if other.members.is_none() {
                    (other.paradigm, other.members) = (candidate.paradigm, candidate.members);
                }
            }
            None => drop(same.insert(candidate.key, candidate)),
        }
    }
    let known = known.into_iter().map(|(class, same)| {
        let mut same: Vec<Candidate> = same.into_values().collect();
        same.sort_by_key(|other| (other.first, other.key));
        (class, same)
    });
    let known: Map<Key, Vec<Candidate>> = known.collect();
    let asks = classes.iter().map(|class| (owner(*class, size), (ranks.rank(), *class)));
    let asked: Vec<(usize, Key)> = ranks.exchange(asks.collect())?;
    let answers = asked
        .into_iter()
        .map(|(rank, class)| (rank, (class, known.get(&class).cloned().unwrap_or_default())));
    Ok(ranks.exchange(answers.collect())?.into_iter().collect())
}

/// Who is in a group of ranks.
pub(super) fn comm_members(pool: &Pool, group: &Key) -> Option<CommMembers> {
    let GroupMembers { paradigm, members, kind } =
        members(&pool.contents.get(group)?.content.shell)?;
    (kind == GroupType::CommGroup).then(|| (paradigm.into(), members))
}

/// What is known of a communicator that is known whole.
pub(super) fn whole(key: Key, pooled: &Pooled, share: &Share) -> Option<Whole> {
    let comm = pooled.comm?;
    let Some(Target::Key(group)) = pooled.content.targets.get(comm.group) else { return None };
    let group = comm_members(&share.pool, group).or_else(|| share.groups.get(group).cloned());
    let (paradigm, members) =
        group.map_or((0, None), |(paradigm, members)| (paradigm, Some(members)));
    let candidate = Candidate { key, first: pooled.first, paradigm, members };
    Some(Whole { class: class(pooled.content.borrowed(), comm.group, share.seed), candidate })
}

/// The locations that communicate by each paradigm, in the order of their ranks.
#[derive(Debug, Default)]
pub(super) struct Lists(BTreeMap<u8, Vec<Stretch>>);

impl Lists {
    /// The ranks of a location, by paradigm.
    pub fn ranks(&self, location: LocationRef) -> BTreeMap<u8, u64> {
        let rank = |(paradigm, list): (&u8, &Vec<Stretch>)| {
            place(list, location.0).map(|rank| (*paradigm, rank))
        };
        self.0.iter().filter_map(rank).collect()
    }

    /// Whether locations have other ranks in this list than in the one of the paradigm, if there is one.
    pub fn differ(&self, paradigm: u8, members: &[Stretch]) -> bool {
        let mut all = self.members(paradigm);
        let mut listed = members.iter().flat_map(|stretch| stretch.members());
        self.0.contains_key(&paradigm) && !listed.all(|location| all.next() == Some(location))
    }

    /// The locations with ranks, in their order.
    pub fn members(&self, paradigm: u8) -> impl Iterator<Item = u64> + '_ {
        self.0.get(&paradigm).into_iter().flatten().flat_map(|stretch| stretch.members())
    }

    /// How many ranks there are, where anybody says so.
    pub fn count(&self, paradigm: u8) -> Option<u64> {
        Some(self.0.get(&paradigm)?.iter().map(|stretch| stretch.count).sum())
    }
}

/// Tells all ranks which locations communicate. Collective.
pub(super) fn all_lists(ranks: &dyn Communicator, pool: &Pool) -> Result<Lists, Error> {
    let listed = pool.contents.iter().filter_map(|(key, pooled)| {
        let of_group = pooled.kind == Some(ReferenceKind::Group);
        let group = of_group.then(|| members(&pooled.content.shell)).flatten()?;
        let all = group.kind == GroupType::CommLocations;
        all.then(|| (u8::from(group.paradigm), (pooled.first, *key), group.members))
    });
    // Of each paradigm the first one that this rank knows.
    let mut own: BTreeMap<u8, (Appearance, Key, Vec<Stretch>)> = BTreeMap::new();
    for (paradigm, (first, key), members) in listed {
        let known = own.get(&paradigm).map(|(first, key, _)| (*first, *key));
        if known.is_none_or(|known| (first, key) < known) {
            own.insert(paradigm, (first, key, members));
        }
    }
    let listed = ranks.all_gather(own.into_iter().collect::<Vec<_>>())?;
    let mut listed: Vec<_> = listed.into_iter().flatten().collect();
    listed.sort_by_key(|(_, (first, key, _))| (*first, *key));
    let mut lists = Lists::default();
    for (paradigm, (_, _, members)) in listed {
        lists.0.entry(paradigm).or_insert(members);
    }
    Ok(lists)
}
