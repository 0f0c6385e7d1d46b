//! Definitions of single locations, and the numbers that they get.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::RandomState;

pub(crate) type Map<K, V> = HashMap<K, V, RandomState>;

/// The first and last number of the longest stretch of numbers that are not `taken`, the largest of all not counted.
fn longest_free(taken: impl Iterator<Item = u32>) -> (u32, u32) {
    let mut taken: Vec<u32> = taken.chain([u32::MAX]).collect();
    taken.sort_unstable();
    let before = std::iter::once(None).chain(taken.iter().copied().map(Some));
    let free = before.zip(&taken).filter_map(|(before, &next)| {
        let first = before.map_or(0, |before: u32| before.saturating_add(1));
        (first < next).then(|| (next - first, next - 1))
    });
    free.max().map_or((u32::MAX, u32::MAX), |(length, last)| (last - (length - 1), last))
}

/// Definitions of one kind by what they say, in this order.
///
/// Their numbers stand at the end of the longest stretch that no global definition has. In the end they get numbers
/// behind all that are in use, which depend on the events.
#[derive(Clone, Debug)]
pub(crate) struct Own<C> {
    contents: Vec<C>,
    first: u32,
}

impl<C> Default for Own<C> {
    fn default() -> Self {
        Own { contents: Vec::new(), first: u32::MAX }
    }
}

impl<C: Ord> Own<C> {
    /// Numbers all of these; `taken`: the numbers of the trace.
    pub(crate) fn new(contents: BTreeSet<C>, taken: impl Iterator<Item = u32>) -> Self {
        if contents.is_empty() {
            return Own::default();
        }
        let (first, last) = longest_free(taken);
        let before = u32::try_from(contents.len() - 1).unwrap_or(u32::MAX);
        // There is more room than memory.
        let first = last.saturating_sub(before).max(first);
        Own { contents: contents.into_iter().collect(), first }
    }

    /// Tells whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.contents.is_empty()
    }

    /// Returns the content with this number.
    pub(crate) fn content(&self, number: u32) -> Option<&C> {
        self.contents.get(number.checked_sub(self.first)? as usize)
    }

    /// The number of a content.
    pub(crate) fn find(&self, content: &C) -> Option<u32> {
        let place = self.contents.binary_search(content).ok()?;
        u32::try_from(place).ok()?.checked_add(self.first)
    }

    /// All of them, with their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, &C)> {
        (self.first..=u32::MAX).zip(&self.contents)
    }
}

/// Numbers that are not taken: first those after the largest, then those between.
pub(crate) fn free_numbers(mut taken: Vec<u32>) -> impl Iterator<Item = u32> {
    taken.sort_unstable();
    let after = taken.last().map_or(0, |last| last.saturating_add(1));
    (after..u32::MAX).chain(0..after).filter(move |number| taken.binary_search(number).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_where_references_reach_to_the_end() {
        let taken = vec![0, 2, u32::MAX - 1];
        assert_eq!(longest_free(taken.iter().copied()), (3, u32::MAX - 2));
        assert_eq!(free_numbers(taken).take(2).collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn numbers_follow_contents() {
        let own = Own::new(["b", "a", "c"].into(), [4].into_iter());
        let top = u32::MAX - 1;
        assert_eq!(own.all().collect::<Vec<_>>(), [(top - 2, &"a"), (top - 1, &"b"), (top, &"c")]);
        assert_eq!((own.find(&"b"), own.content(top)), (Some(top - 1), Some(&"c")));
        assert_eq!((own.find(&"d"), own.content(4), own.content(u32::MAX)), (None, None, None));
    }
}
