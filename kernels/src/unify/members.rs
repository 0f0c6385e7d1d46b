//! Members of groups as stretches: groups of all processes, or of every other one, stay small.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

/// Members that follow each other by the same step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Stretch {
    /// The first of them.
    pub first: u64,
    /// How far it is from one to the next, wrapping.
    pub step: u64,
    /// How many.
    pub count: u64,
}

impl Stretch {
    /// The members.
    pub fn members(self) -> impl Iterator<Item = u64> {
        (0..self.count).map(move |i| self.first.wrapping_add(self.step.wrapping_mul(i)))
    }

    fn next(self) -> u64 {
        self.first.wrapping_add(self.step.wrapping_mul(self.count))
    }

    /// Returns the place of a member in it.
    fn place(self, member: u64) -> Option<u64> {
        let (distance, step) = match (self.step as i64) < 0 {
            true => (self.first.wrapping_sub(member), self.step.wrapping_neg()),
            false => (member.wrapping_sub(self.first), self.step),
        };
        let place = match step {
            0 => (distance == 0).then_some(0),
            step => distance.is_multiple_of(step).then(|| distance / step),
        };
        place.filter(|place| *place < self.count)
    }
}

/// The stretches of members, in their order: the same ones for the same members.
pub fn stretches(members: impl IntoIterator<Item = u64>) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    for member in members {
        match found.last_mut() {
            Some(last) if last.count == 1 => {
                last.step = member.wrapping_sub(last.first);
                last.count = 2;
            }
            Some(last) if last.next() == member => last.count += 1,
            _ => found.push(Stretch { first: member, step: 0, count: 1 }),
        }
    }
    found
}

/// Returns the place of a member among all, from 0.
pub fn place(stretches: &[Stretch], member: u64) -> Option<u64> {
    let mut before = 0;
    for stretch in stretches {
        if let Some(place) = stretch.place(member) {
            return Some(before + place);
        }
        before += stretch.count;
    }
    None
}

/// Members, and where each stands among them.
#[derive(Debug)]
pub struct Places {
    stretches: Vec<Stretch>,
    /// The place of each, if there are many stretches.
    table: OnceLock<HashMap<u64, u64, RandomState>>,
}

impl Places {
    /// Up to so many stretches a linear search is faster than a table.
    const FEW: usize = 16;

    /// Of these members.
    pub fn new(stretches: Vec<Stretch>) -> Places {
        Places { stretches, table: OnceLock::new() }
    }

    /// The members, in their order.
    pub fn members(&self) -> impl Iterator<Item = u64> + '_ {
        self.stretches.iter().flat_map(|stretch| stretch.members())
    }

    /// Returns the place of a member among all, from 0: the first of its places.
    pub fn of(&self, member: u64) -> Option<u64> {
        match self.stretches.len() <= Self::FEW {
            true => place(&self.stretches, member),
            false => self.table.get_or_init(|| self.table()).get(&member).copied(),
        }
    }

    /// Returns the member at a place among all, from 0.
    pub fn at(&self, place: u64) -> Option<u64> {
        let mut before = place;
        for stretch in &self.stretches {
            if before < stretch.count {
                return Some(stretch.first.wrapping_add(stretch.step.wrapping_mul(before)));
            }
            before -= stretch.count;
        }
        None
    }

    fn table(&self) -> HashMap<u64, u64, RandomState> {
        let mut places = HashMap::default();
        for (member, stands) in self.members().zip(0..) {
            places.entry(member).or_insert(stands);
        }
        places
    }
}

/// Many lists as one: the first one as it is, and behind it what only others have, in the order of lists
/// and of their members.
#[derive(Debug, Default)]
pub struct Union {
    first: Vec<Stretch>,
    more: Vec<u64>,
    seen: HashSet<u64, RandomState>,
}

impl Union {
    /// Begins with the first list.
    pub fn new(first: Vec<Stretch>) -> Union {
        let seen = first.iter().flat_map(|stretch| stretch.members()).collect();
        Union { first, more: Vec::new(), seen }
    }

    /// Adds members of another list that are new. The last number of all is no member.
    pub fn add(&mut self, list: &[Stretch]) {
        let members = list.iter().flat_map(|stretch| stretch.members());
        let Union { more, seen, .. } = self;
        more.extend(members.filter(|member| *member != u64::MAX && seen.insert(*member)));
    }

    /// All of them.
    pub fn end(self) -> Vec<Stretch> {
        let first = self.first.into_iter().flat_map(Stretch::members);
        stretches(first.chain(self.more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_groups_are_one_stretch() {
        let world = stretches(0..1_000_000);
        assert_eq!(world, [Stretch { first: 0, step: 1, count: 1_000_000 }]);
        assert_eq!(stretches((0..10).map(|i| 3 * i)).len(), 1);
        assert_eq!(stretches([]), []);
    }

    #[test]
    fn members_come_back_in_their_order_and_are_found() {
        for members in [vec![5], vec![5, 5, 5], vec![9, 7, 5, 1, 2, 3], vec![u64::MAX, 0, 1, 8, 8]]
        {
            let found = stretches(members.iter().copied());
            let back: Vec<_> = found.iter().flat_map(|stretch| stretch.members()).collect();
            assert_eq!(back, members);
            for (i, member) in members.iter().enumerate() {
                let first = members.iter().position(|other| other == member);
                assert_eq!(place(&found, *member), first.map(|first| first as u64), "{i}");
            }
            assert_eq!(place(&found, 1_000), None);
        }
    }

    #[test]
    fn places_are_the_same_in_few_and_many_stretches() {
        // Squares are no stretches; each stands twice.
        for count in [3, 400] {
            let members = (0..count).chain(0..count).map(|i| i * i);
            let places = Places::new(stretches(members));
            for i in 0..count {
                assert_eq!(places.of(i * i), Some(i));
                assert_eq!(places.at(i), Some(i * i));
            }
            assert_eq!(places.of(count * count), None);
            assert_eq!(places.at(2 * count), None);
        }
    }

    #[test]
    fn lists_become_one_in_their_order() {
        // A member that the first list has twice has two ranks there.
        let mut all = Union::new(stretches([5, 3, 5, u64::MAX]));
        all.add(&stretches([9, 3, 1, 9]));
        all.add(&stretches([u64::MAX, 1, 0]));
        let members: Vec<u64> = all.end().into_iter().flat_map(Stretch::members).collect();
        assert_eq!(members, [5, 3, 5, u64::MAX, 9, 1, 0]);
    }
}
