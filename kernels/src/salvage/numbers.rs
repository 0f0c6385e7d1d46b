//! Sets of numbers of definitions, which lie close together as a rule.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::references::ReferenceKind;

/// A set of numbers, held as stretches without gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    /// The last number of each stretch, by its first.
    stretches: BTreeMap<u64, u64>,
}

impl Numbers {
    /// Returns whether a number belongs to it.
    pub fn has(&self, number: u64) -> bool {
        self.before(number).is_some_and(|(_, last)| number <= last)
    }

    /// Adds a number.
    pub fn insert(&mut self, number: u64) {
        self.insert_stretch(number, number);
    }

    /// Adds all numbers from `first` to `last`.
    pub fn insert_stretch(&mut self, mut first: u64, mut last: u64) {
        if let Some((before, end)) = self.before(first) {
            if last <= end {
                return;
            }
            // Those that meet are one.
            if first <= end.saturating_add(1) {
                first = before;
            }
        }
        let reach = last.saturating_add(1);
        while let Some((&next, &end)) = self.stretches.range(first..=reach).next() {
            self.stretches.remove(&next);
            last = last.max(end);
        }
        self.stretches.insert(first, last);
    }

    /// Takes a number out.
    pub fn remove(&mut self, number: u64) {
        let Some((first, last)) = self.before(number).filter(|(_, last)| number <= *last) else {
            return;
        };
        self.stretches.remove(&first);
        if first < number {
            self.stretches.insert(first, number - 1);
        }
        if number < last {
            self.stretches.insert(number + 1, last);
        }
    }

    /// Adds those of another set.
    pub fn fold(&mut self, other: &Numbers) {
        other.stretches().for_each(|(first, last)| self.insert_stretch(first, last));
    }

    /// First and last number of each stretch, in order.
    pub fn stretches(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.stretches.iter().map(|(first, last)| (*first, *last))
    }

    /// How many stretches it takes.
    pub fn pieces(&self) -> usize {
        self.stretches.len()
    }

    /// How many numbers belong to it.
    pub fn count(&self) -> u64 {
        self.stretches().map(|(first, last)| last - first).sum::<u64>() + self.pieces() as u64
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.stretches().flat_map(|(first, last)| first..=last)
    }

    /// The smallest number that does not belong to it.
    pub fn free(&self) -> u64 {
        match self.stretches.first_key_value() {
            Some((0, last)) => last.saturating_add(1),
            _ => 0,
        }
    }

    fn before(&self, number: u64) -> Option<(u64, u64)> {
        self.stretches.range(..=number).next_back().map(|(first, last)| (*first, *last))
    }
}

/// A set for each kind of definitions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumbersByKind {
    sets: [Numbers; ReferenceKind::ALL.len()],
}

impl NumbersByKind {
    /// Those of a kind.
    pub fn of(&self, kind: ReferenceKind) -> &Numbers {
        &self.sets[kind as usize]
    }

    /// Adds a number of a kind, unless it stands for "no definition".
    pub fn insert(&mut self, kind: ReferenceKind, number: u64) {
        if number != kind.undefined() {
            self.sets[kind as usize].insert(number);
        }
    }

    /// Takes a number of a kind out.
    pub fn remove(&mut self, kind: ReferenceKind, number: u64) {
        self.sets[kind as usize].remove(number);
    }

    /// Returns whether a number of a kind belongs to it.
    pub fn has(&self, kind: ReferenceKind, number: u64) -> bool {
        self.of(kind).has(number)
    }

    /// Adds those of others.
    pub fn fold(&mut self, other: &NumbersByKind) {
        self.sets.iter_mut().zip(&other.sets).for_each(|(into, other)| into.fold(other));
    }

    /// How many there are of all kinds.
    pub fn count(&self) -> u64 {
        self.sets.iter().map(Numbers::count).sum()
    }

    /// All of them, kind by kind.
    pub fn iter(&self) -> impl Iterator<Item = (ReferenceKind, u64)> + '_ {
        let kinds = ReferenceKind::ALL.iter().copied();
        kinds.flat_map(|kind| self.of(kind).iter().map(move |number| (kind, number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u64]) -> Numbers {
        let mut set = Numbers::default();
        numbers.iter().for_each(|number| set.insert(*number));
        set
    }

    #[test]
    fn what_was_put_in_is_in_it_and_nothing_else() {
        let numbers = [5, 3, 4, 9, 0, 8, 5, u64::MAX - 1, 1, 20];
        let set = set(&numbers);
        for number in (0..30).chain([u64::MAX - 2, u64::MAX - 1, u64::MAX]) {
            assert_eq!(set.has(number), numbers.contains(&number), "{number}");
        }
        let stretches: Vec<_> = set.stretches().collect();
        let top = u64::MAX - 1;
        assert_eq!(stretches, [(0, 1), (3, 5), (8, 9), (20, 20), (top, top)]);
        assert_eq!((set.count(), set.free()), (9, 2));
        assert_eq!(set.iter().count(), 9);
        let mut less = set.clone();
        [4, 0, 20, 7].into_iter().for_each(|number| less.remove(number));
        let stretches: Vec<_> = less.stretches().collect();
        assert_eq!(stretches, [(1, 1), (3, 3), (5, 5), (8, 9), (top, top)]);
    }

    #[test]
    fn stretches_join_those_that_they_meet() {
        let mut one = set(&[1, 3, 5, 7]);
        one.insert_stretch(2, 6);
        assert_eq!(one.stretches().collect::<Vec<_>>(), [(1, 7)]);
        one.fold(&set(&[0, 8, 10]));
        assert_eq!(one.stretches().collect::<Vec<_>>(), [(0, 8), (10, 10)]);
        assert_eq!(set(&[]).free(), 0);
        assert_eq!(set(&[1]).free(), 0);
    }
}
