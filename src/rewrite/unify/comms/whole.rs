//! Communicators that somebody knows whole.

use std::collections::{BTreeMap, HashSet};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::incomplete::{class, sides, Candidate, Candidates};
use streamfold_kernels::unify::members::Stretch;
use streamfold_kernels::unify::{ContentRef, Key, Target};
use streamfold_model::enums::GroupType;

use super::sequences::{pairs, Before};
use crate::unify::read::records::{members, CommMembers, GroupMembers};
use crate::unify::same::keys::Share;
use crate::unify::same::pool::{Map, Pool, Pooled};
use crate::unify::same::shared::owner;
use streamfold_collective::{Communicator, Error};

/// A communicator that a rank knows whole, as it travels.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Whole {
    pub class: Key,
    pub candidate: Candidate,
}

/// The same with what tells it apart from others that say the same: which one of these it is.
#[derive(Debug, Serialize, Deserialize)]
struct Nth {
    whole: Whole,
    same: Key,
    nth: u32,
}

/// State of a class on its owner rank.
#[derive(Default)]
struct Class {
    comms: Map<Key, Candidate>,
    /// Pairs that are next to each other in some file.
    before: Vec<(Key, Key)>,
    /// Those that say the same, in the order in which they were made.
    same: BTreeMap<Key, BTreeMap<u32, Key>>,
}

impl Class {
    fn take(&mut self, Nth { whole: Whole { candidate, .. }, same, nth }: Nth) {
        self.same.entry(same).or_default().insert(nth, candidate.key);
        match self.comms.get_mut(&candidate.key) {
            Some(other) => {
                other.first = other.first.min(candidate.first);
                if other.members.is_none() {
                    (other.paradigm, other.members) = (candidate.paradigm, candidate.members);
                }
            }
            None => drop(self.comms.insert(candidate.key, candidate)),
        }
    }

    /// The first of several that say the same comes before the second, whoever knows them.
    fn order_same(&mut self) {
        for same in std::mem::take(&mut self.same).into_values() {
            let keys: Vec<Key> = same.into_values().collect();
            self.before.extend(keys.windows(2).map(|pair| (pair[0], pair[1])));
        }
    }

    /// Each pair once.
    fn tidy(&mut self) {
        self.before.sort_unstable();
        self.before.dedup();
    }

    fn told(&self) -> OfClass {
        (self.comms.values().cloned().collect(), self.before.clone())
    }
}

/// Candidates of a class, and pairs that are next to each other in some file.
type OfClass = (Vec<Candidate>, Vec<(Key, Key)>);

/// All classes that this rank looks after.
#[derive(Default)]
pub(crate) struct Classes(Map<Key, Class>);

impl Classes {
    /// All communicators that anybody knows whole by now, and in which order they were made, as files without any
    /// that is not known tell. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn gather(ranks: &dyn Communicator, share: &Share) -> Result<Classes, Error> {
        let size = ranks.size();
        let contents = share.pool.contents.iter();
        let whole = contents.filter_map(|(key, pooled)| {
            let Whole { class, mut candidate } = whole(*key, pooled, share)?;
            if let Some((paradigm, members)) = everybody(pooled, share) {
                (candidate.paradigm, candidate.members) = (paradigm, Some(members));
            }
            let content = pooled.content.borrowed();
            let same = ContentRef { nth: 0, ..content }.key(share.seed);
            let sides = sides(content, pooled.comm?, share.seed);
            let nth = content.nth;
            Some(std::iter::once(class).chain(sides).map(move |class| {
                let whole = Whole { class, candidate: candidate.clone() };
                (owner(class, size), Nth { whole, same, nth })
            }))
        });
        let whole = whole.flatten().collect();
        let mut classes = Classes::default();
        for nth in ranks.exchange(whole)? {
            let nth: Nth = nth;
            classes.0.entry(nth.whole.class).or_default().take(nth);
        }
        classes.0.values_mut().for_each(Class::order_same);
        classes.order(ranks, share.sequences.all())?;
        Ok(classes)
    }

    /// Takes in what comes before what, from all ranks. Collective.
    fn order(
        &mut self,
        ranks: &dyn Communicator,
        before: impl Iterator<Item = Before>,
    ) -> Result<(), Error> {
        let before = before.map(|pair| (owner(pair.0, ranks.size()), pair)).collect();
        let before: Vec<Before> = ranks.exchange(before)?;
        for (class, one, other) in before {
            self.0.entry(class).or_default().before.push((one, other));
        }
        self.0.values_mut().for_each(Class::tidy);
        Ok(())
    }

    /// All communicators of these classes that anybody knows whole, and in which order they were made, as far as
    /// locations have found out which ones they have. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn candidates(
        &mut self,
        ranks: &dyn Communicator,
        share: &Share,
        classes: &[Key],
    ) -> Result<Map<Key, Candidates>, Error> {
        let mut waiting: Vec<_> = share.waiting.iter().map(|it| it.comms().to_vec()).collect();
        let before: HashSet<Before, RandomState> =
            waiting.iter_mut().flat_map(|comms| pairs(comms)).collect();
        self.order(ranks, before.into_iter())?;
        let asks =
            classes.iter().map(|class| (owner(*class, ranks.size()), (ranks.rank(), *class)));
        let asked: Vec<(usize, Key)> = ranks.exchange(asks.collect())?;
        let answers = asked.into_iter().map(|(rank, class)| {
            (rank, (class, self.0.get(&class).map(Class::told).unwrap_or_default()))
        });
        let answers: Vec<(Key, OfClass)> = ranks.exchange(answers.collect())?;
        let ordered = answers.into_iter();
        Ok(ordered.map(|(class, (all, before))| (class, Candidates::new(all, &before))).collect())
    }
}

/// All who communicate, where a communicator has a group of each process alone or a list of all; `None`: it has
/// not.
fn everybody(comm: &Pooled, share: &Share) -> Option<CommMembers> {
    let refs = comm.comm.filter(|refs| !refs.is_between())?;
    let Some(Target::Key(group)) = comm.content.targets.get(refs.group) else { return None };
    all_of(&share.pool, group).or_else(|| share.everybody.get(group).cloned())
}

/// All who communicate, where this is a group of each process alone or a list of all.
pub(crate) fn all_of(pool: &Pool, group: &Key) -> Option<CommMembers> {
    let GroupMembers { paradigm, kind, .. } = members(&pool.contents.get(group)?.content.shell)?;
    let all = Stretch { first: 0, step: 1, count: u64::MAX };
    let has_all = matches!(kind, GroupType::CommSelf | GroupType::CommLocations);
    has_all.then(|| (paradigm.into(), vec![all]))
}

/// Returns the members of a group of ranks.
pub(crate) fn comm_members(pool: &Pool, group: &Key) -> Option<CommMembers> {
    let GroupMembers { paradigm, members, kind } =
        members(&pool.contents.get(group)?.content.shell)?;
    (kind == GroupType::CommGroup).then(|| (paradigm.into(), members))
}

/// Returns a communicator that is known whole.
pub(crate) fn whole(key: Key, pooled: &Pooled, share: &Share) -> Option<Whole> {
    let comm = pooled.comm?;
    let content = pooled.content.borrowed();
    let groups: Vec<Key> = comm.keys(content.targets).collect::<Option<_>>()?;
    let members: Option<Vec<CommMembers>> =
        groups.iter().map(|group| members_of(share, group)).collect();
    let (paradigm, members) = members.map_or((0, None), |all| {
        let paradigm = all[0].0;
        let is_one = all.iter().all(|(other, _)| *other == paradigm);
        (paradigm, is_one.then(|| all.into_iter().flat_map(|(_, members)| members).collect()))
    });
    let candidate = Candidate { key, first: pooled.first, paradigm, members };
    Some(Whole { class: class(content, comm, share.seed), candidate })
}

/// Returns the members of a group of ranks that definitions of this rank reference.
pub(crate) fn members_of(share: &Share, group: &Key) -> Option<CommMembers> {
    comm_members(&share.pool, group).or_else(|| share.groups.get(group).cloned())
}
