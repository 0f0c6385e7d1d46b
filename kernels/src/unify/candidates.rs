//! The communicators of a class with known members, in the order of their creation.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::before::{levels, Before, Steps};
use super::content::Key;
use super::members::{place, Stretch};

pub(super) type Map<K, V> = HashMap<K, V, RandomState>;

/// The first appearance: 0 and the place in the global file, or the number of the location from 1 and the place in its
/// file.
pub type Appearance = (u64, u64);

/// Certainty of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sure {
    /// Files record it.
    Certain,
    /// No file orders them, but one comes behind more others than the other one.
    ByPlace,
    /// Not certain: another one may be meant as well.
    Guess,
}

/// A communicator with known members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The communicator.
    pub key: Key,
    /// Its first appearance.
    pub first: Appearance,
    /// The paradigm of its members, as a number.
    pub paradigm: u8,
    /// Its members, as ranks among all locations of the paradigm; `None`: they are not known here.
    pub members: Option<Vec<Stretch>>,
}

impl Candidate {
    /// Returns whether a location whose process has these ranks is in it; `None`: the ranks or the members are not
    /// known.
    pub fn has(&self, ranks: &[u64]) -> Option<bool> {
        let members = self.members.as_ref().filter(|_| !ranks.is_empty())?;
        Some(ranks.iter().any(|rank| place(members, *rank).is_some()))
    }
}

/// All communicators of a class with known members, in a possible order of their creation.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    pub(super) all: Vec<Candidate>,
    /// Index of each in `all`.
    pub(super) places: Map<Key, usize>,
    before: Before,
}

impl Candidates {
    /// `before`: pairs of which the first comes before the second in some file, each pair once.
    pub fn new(mut all: Vec<Candidate>, before: &[(Key, Key)]) -> Candidates {
        let placed = |all: &[Candidate]| -> (Map<Key, usize>, Vec<(usize, usize)>) {
            let places: Map<Key, usize> = all.iter().map(|it| it.key).zip(0..).collect();
            let pairs = before.iter();
            let pairs = pairs.filter_map(|(a, b)| Some((*places.get(a)?, *places.get(b)?)));
            let pairs = pairs.collect();
            (places, pairs)
        };
        let (places, pairs) = placed(&all);
        let levels = levels(all.len(), &pairs);
        // Files that contradict each other make circles: those that are in one come last.
        all.sort_by_key(|it| (levels[places[&it.key]], it.first, it.key));
        let (places, pairs) = placed(&all);
        let before = Before::new(all.len(), &pairs);
        Candidates { all, places, before }
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Rates the order of these places of a list: tries whether any two may be exchanged. If all can be ordered in
    /// another way, two can be exchanged.
    pub(super) fn sure(&self, unknown: &[usize], list: &[Option<usize>]) -> Sure {
        let (before, mut steps) = (&self.before, Steps::new());
        if self.contradicts(list, &mut steps) {
            return Sure::Guess;
        }
        let mut comes = |one: usize, other: usize| match (list[one], list[other]) {
            // No more is looked for.
            _ if steps.are_spent() => true,
            (Some(one), Some(other)) => before.has(one, other, &mut steps),
            _ => false,
        };
        // The next place of each at which something stands that comes behind it, and the last one before it.
        let ends = unknown.iter().map(|at| {
            let next = (at + 1..list.len()).find(|next| comes(*at, *next));
            let last = (0..*at).rev().find(|last| comes(*last, *at));
            (*at, next.unwrap_or(list.len()), last)
        });
        let ends: Vec<(usize, usize, Option<usize>)> = ends.collect();
        let mut sure = Sure::Certain;
        for (which, &(one, next, _)) in ends.iter().enumerate() {
            let others = ends[which + 1..].iter().take_while(|(other, ..)| *other < next);
            for &(other, _, last) in others {
                steps.take(1);
                if last.is_none_or(|last| last < one) {
                    sure = sure.max(self.by_place(list[one], list[other]));
                }
            }
            if sure == Sure::Guess || steps.are_spent() {
                return Sure::Guess;
            }
        }
        sure
    }

    /// How sure it is that one comes before another one, where no file says it.
    fn by_place(&self, one: Option<usize>, other: Option<usize>) -> Sure {
        let level = |at: Option<usize>| at.map_or(usize::MAX, |at| self.before.level(at));
        if level(one) < level(other) {
            Sure::ByPlace
        } else {
            Sure::Guess
        }
    }

    /// Returns whether one stands behind a successor.
    fn contradicts(&self, list: &[Option<usize>], steps: &mut Steps) -> bool {
        let before = &self.before;
        let (mut seen, mut highest) = (Vec::with_capacity(list.len()), 0);
        for &at in list.iter().flatten() {
            // A predecessor has a lower level.
            let may = before.level(at) < highest || before.is_circular(at);
            if may && seen.iter().any(|other| before.has(at, *other, steps)) {
                return true;
            }
            if steps.are_spent() {
                return true;
            }
            highest = highest.max(before.level(at));
            seen.push(at);
        }
        false
    }

    /// Returns the bounds of each possible one, by the known entries of a list; `None`: that would take too long.
    pub(super) fn bounds(&self, possible: &[usize], list: &[Option<usize>]) -> Option<Vec<Bounds>> {
        if possible.len().saturating_mul(list.len()) > Steps::MOST {
            return None;
        }
        let mut steps = Steps::new();
        let mut last = |is_so: &dyn Fn(usize, &mut Steps) -> bool| {
            let found =
                list.iter().rposition(|known| known.is_some_and(|it| is_so(it, &mut steps)));
            found.map_or(0, |place| place + 1)
        };
        let bounds = possible.iter().map(|&one| Bounds {
            from: last(&|known, steps| self.before.has(known, one, steps)),
            until: last(&|known, steps| self.before.has(one, known, steps)),
        });
        Some(bounds.collect())
    }
}

/// Places of a list at which one may stand, by the known entries.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    /// Behind all that come before it: it may stand from here on.
    pub from: usize,
    /// Before all that come behind it: it has to stand before this, or it is not in the list.
    pub until: usize,
}
