//! Communicators of which a file does not say who is in them: which of those that others know is
//! meant.
//!
//! Where only one member of a communicator records its group, the others know its name and its
//! parent. The communicators of that name and that parent of whose group a member is one are those
//! that it may mean; they were made in the same order at all of their members, so its first such
//! communicator is the first of them, and so on. What it knows whole itself is none of them.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::content::{ContentRef, Key, Seed, Target};
use super::members::{place, Stretch};

/// What communicators may have in common: all but the group.
pub fn class(content: ContentRef<'_>, group: usize, seed: Seed) -> Key {
    let mut targets = content.targets.to_vec();
    if let Some(target) = targets.get_mut(group) {
        *target = Target::Undefined;
    }
    ContentRef { targets: &targets, nth: 0, ..content }.key(seed)
}

/// Where something was read first: 0 and its place in the global file, or the number of its location
/// from 1 and the place in the file of that.
pub type Appearance = (u64, u64);

/// A communicator that somebody knows whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The communicator.
    pub key: Key,
    /// Where it was read first.
    pub first: Appearance,
    /// By which paradigm its members communicate, as a number.
    pub paradigm: u8,
    /// Who is in it, as ranks among all locations that communicate so; `None`: that is not known here.
    pub members: Option<Vec<Stretch>>,
}

impl Candidate {
    /// Whether a location with this rank may be in it: one whose rank nobody knows may.
    pub fn may_have(&self, rank: Option<u64>) -> bool {
        match (&self.members, rank) {
            (Some(members), Some(rank)) => place(members, rank).is_some(),
            _ => true,
        }
    }
}

/// Which of the candidates, in the order of their appearance, each of the `wanted` communicators of a
/// location is, in their order; `None` where there are not so many. `rank`: which one the location is
/// among those that communicate by a paradigm; `own`: those that it knows whole itself.
pub fn meant(
    candidates: &[Candidate],
    wanted: usize,
    rank: impl Fn(u8) -> Option<u64>,
    own: &[Key],
) -> Vec<Option<Key>> {
    let own: HashSet<&Key, RandomState> = own.iter().collect();
    let mut possible = candidates
        .iter()
        .filter(|candidate| candidate.may_have(rank(candidate.paradigm)))
        .filter(|candidate| !own.contains(&candidate.key));
    (0..wanted).map(|_| possible.next().map(|candidate| candidate.key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unify::members::stretches;
    use crate::unify::Content;

    fn candidate(key: u128, members: &[u64]) -> Candidate {
        let members = Some(stretches(members.iter().copied()));
        Candidate { key: Key(key), first: (1, 0), paradigm: 4, members }
    }

    #[test]
    fn a_communicator_is_one_of_which_the_location_is_a_member() {
        let rows = [candidate(1, &[0, 1, 2]), candidate(2, &[3, 4, 5])];
        assert_eq!(meant(&rows, 1, |_| Some(4), &[]), [Some(Key(2))]);
        assert_eq!(meant(&rows, 2, |_| Some(4), &[]), [Some(Key(2)), None]);
        assert_eq!(meant(&rows, 1, |_| Some(9), &[]), [None]);
        assert_eq!(meant(&rows, 1, |_| None, &[]), [Some(Key(1))]);
    }

    #[test]
    fn two_of_the_same_stay_two() {
        let worlds = [candidate(1, &[0, 1]), candidate(2, &[0, 1])];
        assert_eq!(meant(&worlds, 2, |_| Some(1), &[]), [Some(Key(1)), Some(Key(2))]);
        assert_eq!(meant(&worlds, 1, |_| Some(1), &[Key(1)]), [Some(Key(2))]);
    }

    #[test]
    fn a_class_has_all_but_the_group() {
        let comm = |group, parent| Content {
            shell: b"c".as_slice().into(),
            targets: [Target::Undefined, group, parent].into(),
            nth: 3,
        };
        let known = comm(Target::Key(Key(5)), Target::Undefined);
        let unknown = comm(Target::Undefined, Target::Undefined);
        let child = comm(Target::Undefined, Target::Key(Key(1)));
        assert_eq!(class(known.borrowed(), 1, Seed(0)), class(unknown.borrowed(), 1, Seed(0)));
        assert_ne!(class(known.borrowed(), 1, Seed(0)), class(child.borrowed(), 1, Seed(0)));
    }
}
