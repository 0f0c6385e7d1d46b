//! Communicators whose members a file does not record: finds the one that is meant among those that others know.
//!
//! If only one member of a communicator records its group, the others know its name and its parent. Candidates are the
//! communicators of that name and parent whose group has the member. All members create their communicators in the same
//! order. So each file orders those that it has, and other files may order the rest. If none does, it remains a guess.

use std::collections::{HashSet, VecDeque};

use foldhash::fast::RandomState;

use super::candidates::{Bounds, Map};
use super::content::{CommRefs, ContentRef, Key, Seed, Target};

pub use super::candidates::{Appearance, Candidate, Candidates, Sure};

/// Returns the class of a communicator: its content without its group, or without both.
pub fn class(content: ContentRef<'_>, comm: CommRefs, seed: Seed) -> Key {
    with_groups(content, comm, [Target::Undefined; 2], seed)
}

/// Returns the classes of a communicator between two groups: its content without one of the two, in either order. One
/// for each known group; none if there is one group only.
pub fn sides(
    content: ContentRef<'_>,
    comm: CommRefs,
    seed: Seed,
) -> impl Iterator<Item = Key> + '_ {
    let groups = comm.groups().filter(move |_| comm.is_between());
    let known = groups.filter_map(|group| content.targets.get(group).copied());
    let known = known.filter(|target| *target != Target::Undefined);
    known.map(move |target| with_groups(content, comm, [target, Target::Undefined], seed))
}

/// The key of a content that leads to these groups.
fn with_groups(content: ContentRef<'_>, comm: CommRefs, groups: [Target; 2], seed: Seed) -> Key {
    let mut targets = content.targets.to_vec();
    comm.put_groups(&mut targets, groups);
    ContentRef { targets: &targets, nth: 0, ..content }.key(seed)
}

/// Finds the candidates that the unknown communicators of a location are. `list`: all that it has of their class, in
/// the order of its file, `None` if it is unknown. `ranks`: ranks of its process in a paradigm. Returns one for each
/// `None`, in their order, itself `None` if there are too few; and the certainty.
pub fn meant(
    candidates: &Candidates,
    list: &[Option<Key>],
    ranks: impl Fn(u8) -> Vec<u64>,
) -> (Vec<Option<Key>>, Sure) {
    let own: HashSet<Key, RandomState> = list.iter().flatten().copied().collect();
    let mut known: Map<u8, Vec<u64>> = Map::default();
    let mut is_known = true;
    let possible = candidates.all.iter().enumerate().filter(|(_, candidate)| {
        let known = known.entry(candidate.paradigm);
        let known = known.or_insert_with_key(|paradigm| ranks(*paradigm));
        let has = if own.contains(&candidate.key) { Some(false) } else { candidate.has(known) };
        is_known &= has.is_some();
        has != Some(false)
    });
    let possible: Vec<usize> = possible.map(|(place, _)| place).collect();
    let unknown: Vec<usize> = (0..list.len()).filter(|place| list[*place].is_none()).collect();
    let as_many = possible.len() == unknown.len();
    let place = |key: &Option<Key>| key.and_then(|key| candidates.places.get(&key).copied());
    let mut filled: Vec<Option<usize>> = list.iter().map(place).collect();
    match candidates.bounds(&possible, &filled) {
        Some(bounds) => fill(&mut filled, &unknown, possible.into_iter().zip(bounds).collect()),
        None => unknown.iter().zip(possible).for_each(|(at, found)| filled[*at] = Some(found)),
    }
    let sure = match as_many && is_known {
        true => candidates.sure(&unknown, &filled),
        false => Sure::Guess,
    };
    let chosen = unknown.iter().map(|place| filled[*place].map(|found| candidates.all[found].key));
    (chosen.collect(), sure)
}

/// Puts those that are possible into the places of a list at which it is not known which they are.
fn fill(list: &mut [Option<usize>], unknown: &[usize], mut left: VecDeque<(usize, Bounds)>) {
    for &place in unknown {
        // Successors of later entries of the file are not meant here. Predecessors of these have to be here, or they
        // are not in the list.
        let fits = |bounds: &Bounds| bounds.from <= place;
        let is_due = |bounds: &Bounds| bounds.until > place;
        let of_both = left.iter().position(|(_, bounds)| fits(bounds) && is_due(bounds));
        let found = of_both.or_else(|| left.iter().position(|(_, bounds)| fits(bounds)));
        list[place] = left.remove(found.unwrap_or(0)).map(|(found, _)| found);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::unify::members::stretches;
    use crate::unify::Content;

    fn candidate(key: u128, members: &[u64]) -> Candidate {
        let members = Some(stretches(members.iter().copied()));
        Candidate { key: Key(key), first: (1, key as u64), paradigm: 4, members }
    }

    fn candidates(all: &[(u128, &[u64])], before: &[(u128, u128)]) -> Candidates {
        let before: Vec<_> = before.iter().map(|(a, b)| (Key(*a), Key(*b))).collect();
        Candidates::new(
            all.iter().map(|(key, members)| candidate(*key, members)).collect(),
            &before,
        )
    }

    /// Returns the candidates for a location with these ranks; 0 is an unknown one.
    fn chosen(all: &Candidates, list: &[u128], ranks: &[u64]) -> (Vec<Option<u128>>, Sure) {
        let list: Vec<_> = list.iter().map(|key| (*key > 0).then_some(Key(*key))).collect();
        let (chosen, sure) = meant(all, &list, |_| ranks.to_vec());
        (chosen.into_iter().map(|key| key.map(|key| key.0)).collect(), sure)
    }

    #[test]
    fn a_communicator_is_one_of_which_the_location_is_a_member() {
        let rows = candidates(&[(1, &[0, 1, 2]), (2, &[3, 4, 5])], &[]);
        assert_eq!(chosen(&rows, &[0], &[4]), (vec![Some(2)], Sure::Certain));
        assert_eq!(chosen(&rows, &[0, 0], &[4]), (vec![Some(2), None], Sure::Guess));
        assert_eq!(chosen(&rows, &[0], &[9]), (vec![None], Sure::Guess));
        // It may be in any.
        assert_eq!(chosen(&rows, &[0], &[]), (vec![Some(1)], Sure::Guess));
        // A process with two ranks.
        assert_eq!(chosen(&rows, &[0], &[9, 3]), (vec![Some(2)], Sure::Certain));
    }

    #[test]
    fn two_of_the_same_stay_two() {
        let worlds = candidates(&[(1, &[0, 1]), (2, &[0, 1])], &[(1, 2)]);
        assert_eq!(chosen(&worlds, &[0, 0], &[1]), (vec![Some(1), Some(2)], Sure::Certain));
        assert_eq!(chosen(&worlds, &[1, 0], &[1]), (vec![Some(2)], Sure::Certain));
        // The second is none of those that come before the first.
        assert_eq!(chosen(&worlds, &[0, 1], &[1]), (vec![Some(2)], Sure::Guess));
        // One alone is where there is room, whatever is known of the order.
        let alone = candidates(&[(1, &[0]), (2, &[0])], &[]);
        assert_eq!(chosen(&alone, &[1, 0], &[0]), (vec![Some(2)], Sure::Certain));
        let apart = candidates(&[(1, &[0, 1]), (2, &[0, 1])], &[]);
        assert_eq!(chosen(&apart, &[0, 0], &[1]), (vec![Some(1), Some(2)], Sure::Guess));
    }

    #[test]
    fn files_tell_the_order() {
        // The candidate that was read first was created last.
        let all = candidates(&[(1, &[0, 1, 2]), (2, &[1, 2]), (3, &[1, 2])], &[(3, 2), (2, 1)]);
        let expected = vec![Some(3), Some(2), Some(1)];
        assert_eq!(chosen(&all, &[0, 0, 0], &[1]), (expected, Sure::Certain));
        assert_eq!(chosen(&all, &[0, 2, 0], &[1]), (vec![Some(3), Some(1)], Sure::Certain));
        assert_eq!(chosen(&all, &[3, 0], &[1]), (vec![Some(2)], Sure::Guess));
        // The order between known ones counts, too.
        let all = candidates(&[(1, &[1]), (2, &[1]), (3, &[1])], &[(2, 3)]);
        assert_eq!(chosen(&all, &[0, 3, 0], &[1]), (vec![Some(2), Some(1)], Sure::Certain));
        // Rows, then columns.
        let before = [(1, 3), (1, 4), (2, 3)];
        let all: &[(u128, &[u64])] = &[(1, &[0, 1]), (4, &[1, 3]), (2, &[2, 3]), (3, &[0, 2])];
        let all = candidates(all, &before);
        assert_eq!(chosen(&all, &[0, 0], &[3]), (vec![Some(2), Some(4)], Sure::ByPlace));
    }

    /// Two that the file has others between, of which it does not know one either, may be exchanged.
    #[test]
    fn those_that_are_not_next_to_each_other_may_be_exchanged() {
        let all: [(u128, &[u64]); 5] = [1, 2, 3, 4, 5].map(|key| (key, &[0_u64][..]));
        let all = candidates(&all, &[(4, 2), (2, 5), (4, 5)]);
        let (chosen, sure) = chosen(&all, &[0, 4, 0, 5, 0], &[0]);
        assert_eq!((chosen, sure), (vec![Some(1), Some(2), Some(3)], Sure::Guess));
    }

    /// Two contents may have one key by accident, and then be of another class: they are found out later.
    #[test]
    fn one_that_is_no_candidate_tells_nothing() {
        let all = candidates(&[(1, &[0]), (2, &[0])], &[(1, 2), (2, 9)]);
        assert_eq!(chosen(&all, &[0, 9, 0], &[0]), (vec![Some(1), Some(2)], Sure::Certain));
        assert_eq!(chosen(&all, &[9, 0, 2], &[0]), (vec![Some(1)], Sure::Certain));
    }

    /// The ranks of the location are unknown, or the members of the only candidate.
    #[test]
    fn one_of_which_nobody_knows_who_is_in_it_is_a_guess() {
        let one = candidates(&[(1, &[0, 1])], &[]);
        assert_eq!(chosen(&one, &[0], &[1]), (vec![Some(1)], Sure::Certain));
        assert_eq!(chosen(&one, &[0], &[]), (vec![Some(1)], Sure::Guess));
        let unknown = Candidate { members: None, ..candidate(1, &[]) };
        let unknown = Candidates::new(vec![unknown], &[]);
        assert_eq!(chosen(&unknown, &[0], &[1]), (vec![Some(1)], Sure::Guess));
    }

    proptest! {
        /// It is certain only where no other order fits to what files say.
        #[test]
        fn what_is_certain_is_the_only_one_that_fits(
            order in Just((1..=6_u128).collect::<Vec<_>>()).prop_shuffle(),
            count in 2..=6_usize,
            told in proptest::collection::vec(any::<bool>(), 15),
            known in proptest::collection::vec(any::<bool>(), 6),
        ) {
            let made: Vec<u128> = order.into_iter().filter(|key| *key <= count as u128).collect();
            let all: Vec<(u128, &[u64])> = (1..=count as u128).map(|key| (key, &[0][..])).collect();
            let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
            let pairs = pairs.zip(told).filter(|(_, told)| *told);
            let mut before: Vec<_> = pairs.map(|((a, b), _)| (made[a], made[b])).collect();
            let list: Vec<u128> =
                made.iter().zip(known).map(|(key, known)| if known { *key } else { 0 }).collect();
            let whole: Vec<u128> = list.iter().copied().filter(|key| *key > 0).collect();
            before.extend(whole.windows(2).map(|pair| (pair[0], pair[1])));
            before.sort_unstable();
            before.dedup();
            let (found, sure) = chosen(&candidates(&all, &before), &list, &[0]);
            let unknown: Vec<u128> = made.iter().copied().filter(|key| !list.contains(key)).collect();
            let fitting: Vec<Vec<u128>> = orders(&unknown).into_iter().filter(|order| {
                let mut order = order.iter();
                let filled = list.iter().map(|key| if *key > 0 { key } else { order.next().unwrap() });
                let places: HashMap<u128, usize> = filled.copied().zip(0..).collect();
                before.iter().all(|(one, other)| places[one] < places[other])
            }).collect();
            if sure == Sure::Certain {
                let found: Vec<u128> = found.into_iter().flatten().collect();
                prop_assert_eq!(vec![found], fitting);
            } else {
                prop_assert!(fitting.len() > 1 || found.into_iter().flatten().ne(fitting[0].iter().copied()));
            }
        }
    }

    /// All orders of some.
    fn orders(all: &[u128]) -> Vec<Vec<u128>> {
        if all.is_empty() {
            return vec![Vec::new()];
        }
        let with = |first: u128| {
            let rest: Vec<u128> = all.iter().copied().filter(|it| *it != first).collect();
            orders(&rest).into_iter().map(move |rest| [vec![first], rest].concat())
        };
        all.iter().copied().flat_map(with).collect()
    }

    #[test]
    fn files_that_contradict_each_other_tell_nothing() {
        let all = candidates(&[(1, &[0]), (2, &[0]), (3, &[0])], &[(1, 2), (2, 1)]);
        let (chosen, sure) = chosen(&all, &[0, 0, 0], &[0]);
        assert_eq!((chosen, sure), (vec![Some(3), Some(1), Some(2)], Sure::Guess));
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
        let comm = CommRefs { group: 1, other: None, parent: 2 };
        let class = |content: &Content| class(content.borrowed(), comm, Seed(0));
        assert_eq!(class(&known), class(&unknown));
        assert_ne!(class(&known), class(&child));
        assert_eq!(sides(known.borrowed(), comm, Seed(0)).count(), 0);
    }

    /// Each side may know its own group alone, and write it in either place.
    #[test]
    fn sides_have_one_group_in_common_wherever_it_stands() {
        let comm = CommRefs { group: 0, other: Some(1), parent: 2 };
        let between = |a, b| Content {
            shell: b"c".as_slice().into(),
            targets: [a, b, Target::Undefined].into(),
            nth: 1,
        };
        let [one, other, none] = [Target::Key(Key(5)), Target::Key(Key(6)), Target::Undefined];
        let sides = |a, b| -> Vec<Key> { sides(between(a, b).borrowed(), comm, Seed(0)).collect() };
        let both = sides(one, other);
        assert_eq!(both.len(), 2);
        assert_eq!(sides(one, none), both[..1]);
        assert_eq!(sides(none, other), both[1..]);
        assert_eq!(sides(other, one), [both[1], both[0]]);
        assert_eq!(sides(none, none), []);
        assert!(comm.is_whole(&between(one, other).targets));
        assert!(!comm.is_whole(&between(one, none).targets));
    }
}
