//! Definitions of single locations, and the numbers that they get.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

pub(crate) type Map<K, V> = HashMap<K, V, RandomState>;

/// The last number of the longest stretch of numbers that are not `taken`, the largest of all not counted.
pub(crate) fn last_free(taken: impl Iterator<Item = u32>) -> u32 {
    let mut taken: Vec<u32> = taken.chain([u32::MAX]).collect();
    taken.sort_unstable();
    let before = std::iter::once(None).chain(taken.iter().copied().map(Some));
    let free = before.zip(&taken).filter_map(|(before, &next)| {
        let first = before.map_or(0, |before: u32| before.saturating_add(1));
        (first < next).then(|| (next - first, next - 1))
    });
    free.max().map_or(u32::MAX, |(_, last)| last)
}

/// Definitions of one kind by what they say.
///
/// Their numbers go down from the end of the longest stretch that no global definition has, in the order in
/// which they were met; in the end they get numbers that depend on what they are.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "C: Serialize", deserialize = "C: Deserialize<'de>"))]
pub(crate) struct Own<C> {
    last: u32,
    contents: Vec<C>,
    #[serde(skip)]
    numbers: Map<C, u32>,
}

impl<C> Default for Own<C> {
    fn default() -> Self {
        Own { last: 0, contents: Vec::new(), numbers: Map::default() }
    }
}

impl<C: Clone + Eq + Hash + Ord> Own<C> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.contents.len()
    }

    /// Returns the content with this number.
    pub fn content(&self, number: u32) -> Option<&C> {
        self.contents.get(self.last.checked_sub(number)? as usize)
    }

    /// The number that this got.
    pub fn find(&self, content: &C) -> Option<u32> {
        self.numbers.get(content).copied()
    }

    /// All of them, with their numbers.
    pub fn all(&self) -> impl Iterator<Item = (u32, &C)> {
        self.contents.iter().zip(0..).map(|(content, place)| (self.last - place, content))
    }

    /// The number of what says this; `last`: that of the first one. All ones where there is no more room.
    pub fn number(&mut self, content: C, last: u32) -> u32 {
        self.last = last;
        let place = self.contents.len();
        // There is more room than memory.
        let next = u32::try_from(place).ok().and_then(|place| last.checked_sub(place));
        let Some(next) = next else { return u32::MAX };
        let contents = &mut self.contents;
        *self.numbers.entry(content).or_insert_with_key(|content| {
            contents.push(content.clone());
            next
        })
    }

    /// The same for what has a number among others; `None`: it is none of those.
    pub fn adopt(&mut self, other: &Own<C>, number: u32) -> Option<u32> {
        let content = other.content(number)?;
        Some(self.number(content.clone(), other.last))
    }

    /// Makes the index by which numbers are found, which does not travel.
    pub fn index(&mut self) {
        if self.numbers.len() == self.contents.len() {
            return;
        }
        let numbers = self.all().map(|(number, content)| (content.clone(), number));
        self.numbers = numbers.collect();
    }

    /// Takes in all of another, and says which numbers of it are others here.
    pub fn merge(&mut self, other: &Own<C>) -> Map<u32, u32> {
        let mut to = Map::default();
        for (number, content) in other.all() {
            let here = self.number(content.clone(), other.last);
            if here != number {
                to.insert(number, here);
            }
        }
        to
    }

    /// Numbers that depend on nothing but what these are: those after all that are `taken`, in the order
    /// of their contents. Each as it was, as it is, and what it says.
    pub fn finish(&self, mut taken: Vec<u32>) -> Vec<(u32, u32, &C)> {
        let mut own: Vec<_> = self.all().map(|(number, content)| (content, number)).collect();
        taken.sort_unstable();
        own.sort_unstable();
        let numbered = own.into_iter().zip(free_numbers(&taken));
        numbered.map(|((content, before), number)| (before, number, content)).collect()
    }
}

/// Numbers that are not taken: first those after the largest, then those between. Sorted.
fn free_numbers(taken: &[u32]) -> impl Iterator<Item = u32> + '_ {
    let after = taken.last().map_or(0, |last| last.saturating_add(1));
    let is_free = |number: &u32| taken.binary_search(number).is_err();
    (after..u32::MAX).chain(0..after).filter(is_free)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_where_references_reach_to_the_end() {
        let taken = [0, 2, u32::MAX - 1];
        assert_eq!(free_numbers(&taken).take(2).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(last_free([0, 100, u32::MAX - 1].into_iter()), u32::MAX - 2);
    }

    #[test]
    fn what_says_the_same_has_one_number_wherever_it_is_from() {
        let (mut here, mut there) = (Own::default(), Own::default());
        assert_eq!([here.number("a", 9), here.number("b", 9), here.number("a", 9)], [9, 8, 9]);
        assert_eq!([there.number("b", 9), there.number("c", 9)], [9, 8]);
        assert_eq!(here.merge(&there), Map::from_iter([(9, 8), (8, 7)]));
        assert_eq!(here.finish(vec![4]), [(9, 5, &"a"), (8, 6, &"b"), (7, 7, &"c")]);
    }
}
