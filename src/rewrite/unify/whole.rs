//! Communicators that somebody knows whole.

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::incomplete::{class, Candidate};
use streamfold_kernels::unify::members::Stretch;
use streamfold_kernels::unify::{Key, Target};
use streamfold_model::enums::GroupType;

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
