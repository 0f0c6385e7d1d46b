//! Communicators between two groups that locations define: whether each side has written its own.

use std::collections::BTreeMap;

use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::{ContentRef, Key, Seed, Target};
use streamfold_model::definitions::Definition;
use streamfold_model::references::ReferenceKind;

use super::findings::CommOf;
use super::pool::Pooled;
use super::records::without_members;
use super::whole::owner;
use crate::collective::{Communicator, Error};

/// Which of the fields of such a communicator lead to its groups.
const GROUPS: [usize; 2] = [1, 2];

/// Whether it is a communicator between two groups.
pub(super) fn is_between(pooled: &Pooled) -> bool {
    pooled.kind == Some(ReferenceKind::Comm)
        && !pooled.is_nobody()
        && matches!(without_members(&pooled.content.shell), Definition::InterComm(_))
}

/// Such a communicator of which one group is not known.
pub(super) fn lacks_group(pooled: &Pooled) -> bool {
    let targets = &pooled.content.targets;
    let lacks = |group: usize| targets.get(group) == Some(&Target::Undefined);
    is_between(pooled) && GROUPS.into_iter().any(lacks)
}

/// What it has in common with the same one whose groups are the other way round; `None`: it is none, or not
/// known whole.
fn of_both(pooled: &Pooled, seed: Seed) -> Option<Key> {
    if !is_between(pooled) {
        return None;
    }
    let mut targets = pooled.content.targets.to_vec();
    let [a, b] = GROUPS.map(|group| match targets.get(group) {
        Some(Target::Key(key)) => Some(*key),
        _ => None,
    });
    let (a, b) = a.zip(b)?;
    (targets[GROUPS[0]], targets[GROUPS[1]]) = (Target::Key(a.min(b)), Target::Key(a.max(b)));
    Some(ContentRef { targets: &targets, ..pooled.content.borrowed() }.key(seed))
}

/// Tells of those that are there twice, with their groups the other way round. `firsts`: those that this rank has
/// read first, and how each is called; `tell` learns where one of them was read, and how the other one is called.
/// Collective.
///
/// # Errors
///
/// When ranks cannot communicate.
pub(super) fn tell_swapped<'p>(
    ranks: &dyn Communicator,
    firsts: impl Iterator<Item = (&'p Pooled, CommOf)>,
    seed: Seed,
    mut tell: impl FnMut(Appearance, CommOf),
) -> Result<(), Error> {
    let rank = ranks.rank();
    let said = firsts.filter_map(|(pooled, of)| {
        let key = of_both(pooled, seed)?;
        Some((owner(key, ranks.size()), (key, (pooled.first, of, rank))))
    });
    let mut all: BTreeMap<Key, Vec<(Appearance, CommOf, usize)>> = BTreeMap::new();
    for (key, said) in ranks.exchange(said.collect())? {
        all.entry(key).or_default().push(said);
    }
    let told = all.into_values().flat_map(|mut same| {
        same.sort_unstable();
        let first = same[0].1;
        same.into_iter().skip(1).map(move |(own, _, rank)| (rank, (own, first)))
    });
    let mut told: Vec<(Appearance, CommOf)> = ranks.exchange(told.collect())?;
    told.sort_unstable();
    told.into_iter().for_each(|(own, other)| tell(own, other));
    Ok(())
}
