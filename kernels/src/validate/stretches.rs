//! A set of numbers most of which follow each other.

use std::collections::BTreeMap;

/// Numbers, held as stretches: the first of each, and the last.
#[derive(Debug, Default)]
pub(super) struct Stretches(BTreeMap<u64, u64>);

impl Stretches {
    /// How many stretches there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The smallest number.
    pub fn first(&self) -> Option<u64> {
        self.0.keys().next().copied()
    }

    /// The stretch with a number.
    fn stretch(&self, number: u64) -> Option<(u64, u64)> {
        let (first, last) = self.0.range(..=number).next_back()?;
        (*last >= number).then_some((*first, *last))
    }

    /// Adds a number; `false` where it is there.
    pub fn insert(&mut self, number: u64) -> bool {
        if self.stretch(number).is_some() {
            return false;
        }
        let before = number.checked_sub(1).and_then(|before| self.stretch(before));
        let after = number.checked_add(1).and_then(|after| self.0.remove(&after));
        let first = before.map_or(number, |(first, _)| first);
        self.0.insert(first, after.unwrap_or(number));
        true
    }

    /// Takes a number away; `false` where it is not there.
    pub fn remove(&mut self, number: u64) -> bool {
        let Some((first, last)) = self.stretch(number) else { return false };
        self.0.remove(&first);
        if first < number {
            self.0.insert(first, number - 1);
        }
        if number < last {
            self.0.insert(number + 1, last);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_follow_each_other_are_one_stretch() {
        let mut numbers = Stretches::default();
        assert_eq!((numbers.count(), numbers.first()), (0, None));
        for number in [0, 5, 1, 3, u64::MAX, 2, 4, u64::MAX - 1] {
            assert!(numbers.insert(number) && !numbers.insert(number));
        }
        let stretches: Vec<_> = numbers.0.iter().map(|(a, b)| (*a, *b)).collect();
        assert_eq!(stretches, [(0, 5), (u64::MAX - 1, u64::MAX)]);
        assert_eq!((numbers.count(), numbers.first()), (2, Some(0)));
        assert!(numbers.remove(3) && !numbers.remove(3) && numbers.remove(0));
        assert!(!numbers.remove(6) && numbers.remove(u64::MAX));
        let stretches: Vec<_> = numbers.0.into_iter().collect();
        assert_eq!(stretches, [(1, 2), (4, 5), (u64::MAX - 1, u64::MAX - 1)]);
    }
}
