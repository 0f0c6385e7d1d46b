//! Communicators that somebody knows whole.

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::incomplete::{class, Candidate, Candidates};
use streamfold_kernels::unify::members::Stretch;
use streamfold_kernels::unify::{Key, Target};
use streamfold_model::enums::GroupType;

use super::keys::Share;
use super::pool::{Map, Pool, Pooled};
use super::records::{members, GroupMembers};
use super::sequences::pairs;
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

/// What the rank that looks after a class knows of it.
#[derive(Default)]
struct Class {
    comms: Map<Key, Candidate>,
    /// Which two are next to each other in some file.
    before: Vec<(Key, Key)>,
}

/// What is known of a class: who is what, and which two are next to each other in some file.
type OfClass = (Vec<Candidate>, Vec<(Key, Key)>);

/// All communicators of these classes that anybody knows whole, and in which order they were made.
/// Collective.
pub(super) fn candidates(
    ranks: &dyn Communicator,
    share: &Share,
    classes: &[Key],
) -> Result<Map<Key, Candidates>, Error> {
    let size = ranks.size();
    let contents = share.pool.contents.iter();
    let whole = contents.filter_map(|(key, pooled)| whole(*key, pooled, share));
    let whole = whole.map(|whole| (owner(whole.class, size), whole)).collect();
    let mut known: Map<Key, Class> = Map::default();
    for Whole { class, candidate } in ranks.exchange(whole)? {
        let same = &mut known.entry(class).or_default().comms;
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
    let mut waiting: Vec<_> = share.waiting.iter().map(|it| it.comms().to_vec()).collect();
    let before = share.sequences.with(waiting.iter_mut().flat_map(|comms| pairs(comms)));
    let before = before.into_iter().map(|pair| (owner(pair.0, size), pair)).collect();
    for (class, one, other) in ranks.exchange(before)? {
        known.entry(class).or_default().before.push((one, other));
    }
    let known = known.into_iter().map(|(class, Class { comms, mut before })| {
        before.sort_unstable();
        before.dedup();
        (class, (comms.into_values().collect(), before))
    });
    let known: Map<Key, OfClass> = known.collect();
    let asks = classes.iter().map(|class| (owner(*class, size), (ranks.rank(), *class)));
    let asked: Vec<(usize, Key)> = ranks.exchange(asks.collect())?;
    let answers = asked
        .into_iter()
        .map(|(rank, class)| (rank, (class, known.get(&class).cloned().unwrap_or_default())));
    let answers: Vec<(Key, OfClass)> = ranks.exchange(answers.collect())?;
    let ordered = answers.into_iter();
    Ok(ordered.map(|(class, (all, before))| (class, Candidates::new(all, &before))).collect())
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
