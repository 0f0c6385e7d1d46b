//! Communicators of which a file does not say who is in them: which of those that others know is
//! meant.
//!
//! Where only one member of a communicator records its group, the others know its name and its
//! parent. The communicators of that name and that parent of whose group a member is one are those
//! that it may mean. They were made in the same order at all of their members: so each file tells of
//! those that it has in which order they were made, and what one file does not tell others may. Where
//! none does it remains a guess.

use std::collections::{HashMap, HashSet, VecDeque};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::content::{ContentRef, Key, Seed, Target};
use super::members::{place, Stretch};

type Map<K, V> = HashMap<K, V, RandomState>;

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
    /// Whether a location whose process has these ranks may be in it: one whose ranks nobody knows may.
    pub fn may_have(&self, ranks: &[u64]) -> bool {
        let Some(members) = self.members.as_ref().filter(|_| !ranks.is_empty()) else {
            return true;
        };
        ranks.iter().any(|rank| place(members, *rank).is_some())
    }
}

/// All communicators of a class that somebody knows whole, in an order in which they may have been made.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    all: Vec<Candidate>,
    /// Those that come behind each in some file.
    behind: Map<Key, Vec<Key>>,
    /// How many come before each, one behind the other.
    levels: Map<Key, usize>,
}

impl Candidates {
    /// So many steps are taken to find out which of two comes first: it is not known where that is not enough.
    const MOST: usize = 1000;

    /// `before`: pairs of which the first comes before the second in some file, each pair once.
    pub fn new(mut all: Vec<Candidate>, before: &[(Key, Key)]) -> Candidates {
        let mut behind: Map<Key, Vec<Key>> = Map::default();
        let mut open: Map<Key, usize> = all.iter().map(|candidate| (candidate.key, 0)).collect();
        let known = |pair: &&(Key, Key)| open.contains_key(&pair.0) && open.contains_key(&pair.1);
        let before: Vec<(Key, Key)> = before.iter().filter(known).copied().collect();
        for (one, other) in before {
            behind.entry(one).or_default().push(other);
            *open.entry(other).or_default() += 1;
        }
        // Files that contradict each other make circles: those that are in one come last.
        let mut levels: Map<Key, usize> = all.iter().map(|it| (it.key, usize::MAX)).collect();
        let mut now: Vec<Key> = all.iter().map(|it| it.key).filter(|key| open[key] == 0).collect();
        for level in 0.. {
            if now.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for key in now {
                levels.insert(key, level);
                for other in behind.get(&key).into_iter().flatten() {
                    let left = open.entry(*other).or_default();
                    *left -= 1;
                    if *left == 0 {
                        next.push(*other);
                    }
                }
            }
            now = next;
        }
        all.sort_by_key(|it| (levels[&it.key], it.first, it.key));
        Candidates { all, behind, levels }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether files say that one comes before another one.
    fn is_before(&self, one: Key, other: Key) -> bool {
        let (mut seen, mut open) = (HashSet::<Key, RandomState>::default(), vec![one]);
        let mut steps = 0;
        while let Some(key) = open.pop() {
            for next in self.behind.get(&key).into_iter().flatten() {
                steps += 1;
                if *next == other || steps > Candidates::MOST {
                    return *next == other;
                }
                if self.levels[next] < self.levels[&other] {
                    open.extend(seen.insert(*next).then_some(*next));
                }
            }
        }
        false
    }

    /// How sure it is that what stands for the unknown ones of a list stands where it does, where all have a place.
    fn sure(&self, list: &[Option<Key>], filled: &[Option<Key>]) -> Sure {
        let known: Vec<Key> = filled.iter().flatten().copied().collect();
        if known.windows(2).any(|pair| self.is_before(pair[1], pair[0])) {
            return Sure::Guess;
        }
        let places: Vec<usize> = (0..list.len()).filter(|place| list[*place].is_none()).collect();
        let pairs = places.windows(2).filter_map(|pair| {
            let between = &list[pair[0] + 1..pair[1]];
            Some(self.order(filled[pair[0]]?, filled[pair[1]]?, between))
        });
        pairs.max().unwrap_or(Sure::Certain)
    }

    /// How sure it is that one comes before another one, and not in its place, where a file has others `between` them.
    fn order(&self, one: Key, other: Key, between: &[Option<Key>]) -> Sure {
        let is_fixed = || {
            let mut between = between.iter().flatten().take(MANY);
            between.any(|it| self.is_before(one, *it) || self.is_before(*it, other))
        };
        let level = |key: &Key| self.levels.get(key).copied().unwrap_or(usize::MAX);
        match self.is_before(one, other) || is_fixed() {
            true => Sure::Certain,
            false if level(&one) < level(&other) => Sure::ByPlace,
            false => Sure::Guess,
        }
    }
}

/// How sure it is what was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sure {
    /// Files say so.
    Certain,
    /// No file says in which order they were made, but one comes behind more others than the other one.
    ByPlace,
    /// It may be another one as well.
    Guess,
}

/// Of so many communicators of one class it is not looked which come behind which of all others.
const MANY: usize = 100;

/// Which of the candidates the unknown communicators of a location are. `list`: all that it has of their
/// class, in the order of its file, `None` where it is not known which; `ranks`: those of its process among
/// those that communicate by a paradigm. Returns one for each `None`, in their order, which is `None` where
/// there are not so many; and how sure that is.
pub fn meant(
    candidates: &Candidates,
    list: &[Option<Key>],
    ranks: impl Fn(u8) -> Vec<u64>,
) -> (Vec<Option<Key>>, Sure) {
    let own: HashSet<Key, RandomState> = list.iter().flatten().copied().collect();
    let mut known: Map<u8, Vec<u64>> = Map::default();
    let possible = candidates.all.iter().filter(|candidate| {
        let known = known.entry(candidate.paradigm);
        let known = known.or_insert_with_key(|paradigm| ranks(*paradigm));
        !own.contains(&candidate.key) && candidate.may_have(known)
    });
    let mut possible: VecDeque<Key> = possible.map(|candidate| candidate.key).collect();
    let wanted = list.iter().filter(|known| known.is_none()).count();
    let as_many = possible.len() == wanted;
    let mut filled = list.to_vec();
    for place in 0..filled.len() {
        if filled[place].is_some() || possible.is_empty() {
            continue;
        }
        // Those that come behind what the file has later are none of those that are meant here, and those that come
        // before it have to be here, or nowhere.
        let is_little = list.len() < MANY && possible.len() < MANY;
        let later = list[place..].iter().flatten().filter(|_| is_little);
        let fits = |key: &&Key| !later.clone().any(|later| candidates.is_before(*later, **key));
        let is_due = |key: &&Key| later.clone().any(|later| candidates.is_before(**key, *later));
        let of_both = possible.iter().position(|key| fits(&key) && is_due(&key));
        let found = of_both.or_else(|| possible.iter().position(|key| fits(&key))).unwrap_or(0);
        filled[place] = possible.remove(found);
    }
    let sure = if as_many { candidates.sure(list, &filled) } else { Sure::Guess };
    let chosen = filled.iter().zip(list).filter(|(_, known)| known.is_none());
    (chosen.map(|(chosen, _)| *chosen).collect(), sure)
}

#[cfg(test)]
mod tests {
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

    /// What a location with these ranks means; 0 where it is not known which.
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
        // What is read first was made last.
        let all = candidates(&[(1, &[0, 1, 2]), (2, &[1, 2]), (3, &[1, 2])], &[(3, 2), (2, 1)]);
        let expected = vec![Some(3), Some(2), Some(1)];
        assert_eq!(chosen(&all, &[0, 0, 0], &[1]), (expected, Sure::Certain));
        assert_eq!(chosen(&all, &[0, 2, 0], &[1]), (vec![Some(3), Some(1)], Sure::Certain));
        assert_eq!(chosen(&all, &[3, 0], &[1]), (vec![Some(2)], Sure::Guess));
        // What the file has between them tells, too.
        let all = candidates(&[(1, &[1]), (2, &[1]), (3, &[1])], &[(2, 3)]);
        assert_eq!(chosen(&all, &[0, 3, 0], &[1]), (vec![Some(2), Some(1)], Sure::Certain));
        // Rows, then columns.
        let before = [(1, 3), (1, 4), (2, 3)];
        let all: &[(u128, &[u64])] = &[(1, &[0, 1]), (4, &[1, 3]), (2, &[2, 3]), (3, &[0, 2])];
        let all = candidates(all, &before);
        assert_eq!(chosen(&all, &[0, 0], &[3]), (vec![Some(2), Some(4)], Sure::ByPlace));
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
        assert_eq!(class(known.borrowed(), 1, Seed(0)), class(unknown.borrowed(), 1, Seed(0)));
        assert_ne!(class(known.borrowed(), 1, Seed(0)), class(child.borrowed(), 1, Seed(0)));
    }
}
