//! A partial order from files: the transitive closure of pairs that single files order.

use std::collections::HashSet;

use foldhash::fast::RandomState;

/// A partial order of items, which are numbered from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    /// Successors of each item in any file.
    behind: Vec<Vec<usize>>,
    /// The longest chain of predecessors of each item. The largest number of all for items in circles, or behind such.
    levels: Vec<usize>,
    /// A bit for each pair of items in order, if there are few enough items.
    table: Option<Vec<u64>>,
}

impl Before {
    /// Most items with a table, which so takes 2 MiB at most.
    const MOST: usize = 4096;

    /// Creates the order from `pairs`: the first comes before the second in some file, each pair once; all below
    /// `count`.
    pub(super) fn new(count: usize, pairs: &[(usize, usize)]) -> Before {
        let behind = behind(count, pairs);
        let (levels, order) = ordered(&behind);
        let mut before = Before { behind, levels, table: None };
        if count <= Before::MOST {
            before.table = Some(before.all(&order));
        }
        before
    }

    /// Returns the longest chain of predecessors.
    pub(super) fn level(&self, one: usize) -> usize {
        self.levels[one]
    }

    /// Returns whether an item is in a circle of files that contradict each other, or behind one.
    pub(super) fn is_circular(&self, one: usize) -> bool {
        self.levels[one] == usize::MAX
    }

    /// Returns whether one comes before another one.
    pub(super) fn has(&self, one: usize, other: usize, steps: &mut Steps) -> bool {
        match &self.table {
            Some(table) => {
                steps.take(1);
                table[one * self.words() + other / 64] >> (other % 64) & 1 == 1
            }
            None => self.search(one, other, steps),
        }
    }

    fn words(&self) -> usize {
        self.levels.len().div_ceil(64)
    }

    /// The table. `order`: those that are in no circle, each behind all that come before it.
    fn all(&self, order: &[usize]) -> Vec<u64> {
        let words = self.words();
        let mut table = vec![0_u64; self.levels.len() * words];
        // Items in circles have only their direct successors.
        let circular = (0..self.levels.len()).filter(|one| self.is_circular(*one));
        for one in circular.chain(order.iter().rev().copied()) {
            for &next in &self.behind[one] {
                table[one * words + next / 64] |= 1 << (next % 64);
                if !self.is_circular(next) {
                    for word in 0..words {
                        table[one * words + word] |= table[next * words + word];
                    }
                }
            }
        }
        table
    }

    /// The same, without a table.
    fn search(&self, one: usize, other: usize, steps: &mut Steps) -> bool {
        let (mut seen, mut open) = (HashSet::<usize, RandomState>::default(), vec![one]);
        while let Some(at) = open.pop() {
            for &next in &self.behind[at] {
                steps.take(1);
                if next == other || steps.are_spent() {
                    return next == other;
                }
                if self.levels[next] < self.levels[other] {
                    open.extend(seen.insert(next).then_some(next));
                }
            }
        }
        false
    }
}

/// How many come before each of so many, one behind the other, by such pairs.
pub(super) fn levels(count: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    ordered(&behind(count, pairs)).0
}

fn behind(count: usize, pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut behind = vec![Vec::new(); count];
    pairs.iter().for_each(|(one, other)| behind[*one].push(*other));
    behind
}

/// The levels, and those that are in no circle, each behind all that come before it.
fn ordered(behind: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    let mut open = vec![0_usize; behind.len()];
    behind.iter().flatten().for_each(|other| open[*other] += 1);
    let mut levels = vec![usize::MAX; behind.len()];
    let mut order: Vec<usize> = (0..behind.len()).filter(|one| open[*one] == 0).collect();
    order.iter().for_each(|one| levels[*one] = 0);
    let mut done = 0;
    while let Some(&one) = order.get(done) {
        done += 1;
        for &other in &behind[one] {
            open[other] -= 1;
            if open[other] == 0 {
                // All others before it have been taken, and this one is of the highest level.
                levels[other] = levels[one] + 1;
                order.push(other);
            }
        }
    }
    (levels, order)
}

/// How often it may still be looked what comes before what.
#[derive(Debug)]
pub(super) struct Steps(usize);

impl Steps {
    /// For the definitions of one location.
    pub(super) const MOST: usize = 1 << 20;

    /// All of them.
    pub(super) fn new() -> Steps {
        Steps(Steps::MOST)
    }

    /// Number of them that were made.
    pub(super) fn take(&mut self, count: usize) {
        self.0 = self.0.saturating_sub(count);
    }

    /// Returns whether no step is left: then nothing is known for sure.
    pub(super) fn are_spent(&self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the transitive closure of any number of pairs, of items that are in no circle.
    fn expected(count: usize, pairs: &[(usize, usize)]) -> Vec<Vec<bool>> {
        let mut all = vec![vec![false; count]; count];
        pairs.iter().for_each(|(one, other)| all[*one][*other] = true);
        for via in 0..count {
            for one in 0..count {
                for other in 0..count {
                    all[one][other] |= all[one][via] && all[via][other];
                }
            }
        }
        all
    }

    proptest! {
        #[test]
        fn the_table_says_what_a_search_says(
            count in 1..90_usize,
            some in proptest::collection::btree_set((0..90_usize, 0..90_usize), 0..120),
            circles in any::<bool>(),
        ) {
            let pairs = some.into_iter().map(|(a, b)| (a % count, b % count));
            let pairs: std::collections::BTreeSet<_> =
                pairs.filter(|(one, other)| circles || one < other).collect();
            let pairs: Vec<_> = pairs.into_iter().collect();
            let before = Before::new(count, &pairs);
            for (one, behind) in expected(count, &pairs).into_iter().enumerate() {
                for (other, is_behind) in behind.into_iter().enumerate() {
                    let has = before.has(one, other, &mut Steps::new());
                    prop_assert_eq!(has, before.search(one, other, &mut Steps::new()));
                    if !circles {
                        prop_assert_eq!(has, is_behind);
                        prop_assert!(!has || before.level(one) < before.level(other));
                    }
                }
            }
        }
    }

    #[test]
    fn levels_are_the_longest_ways() {
        let before = Before::new(4, &[(0, 1), (0, 2), (1, 2), (3, 2)]);
        assert_eq!([0, 1, 2, 3].map(|one| before.level(one)), [0, 1, 2, 0]);
        let circle = Before::new(4, &[(0, 1), (1, 2), (2, 1), (2, 3)]);
        assert_eq!([0, 1, 2, 3].map(|one| circle.is_circular(one)), [false, true, true, true]);
    }

    #[test]
    fn steps_are_spent() {
        let count = Before::MOST + 1;
        let pairs: Vec<_> = (1..count).map(|other| (other - 1, other)).collect();
        let chain = Before::new(count, &pairs);
        let mut steps = Steps::new();
        assert!(chain.has(0, count - 1, &mut steps) && !steps.are_spent());
        (0..Steps::MOST / count)
            .for_each(|_| assert!(chain.has(0, count - 1, &mut steps) || steps.are_spent()));
        assert!(!chain.has(0, count - 1, &mut steps) && steps.are_spent());
    }
}
