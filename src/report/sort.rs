//! The order of rows, and how many of them.

use std::cmp::Reverse;

use streamfold_kernels::profile::{Profile, Row};

use super::human;

/// What rows are sorted by; the largest first, names and numbers the smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum SortKey {
    /// Exclusive time.
    Exclusive,
    /// Inclusive time, that of regions without recursion.
    Inclusive,
    /// Visits.
    Visits,
    /// Mean inclusive time of a visit.
    Mean,
    /// The longest visit.
    Longest,
    /// Bytes sent and received.
    Bytes,
    /// How much more than the mean the location with the largest exclusive time has.
    Imbalance,
    /// Name.
    Name,
    /// Number of the definition.
    Id,
}

/// The order that a table has when nobody asks for another.
pub fn default_key(by: super::By) -> SortKey {
    match by {
        super::By::Region => SortKey::Exclusive,
        super::By::Callpath => SortKey::Inclusive,
        super::By::Group | super::By::Location | super::By::Metric => SortKey::Id,
    }
}

/// Rows of which the largest come first, as a number whose order is exact: fractions are compared
/// as products.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Number(Reverse<u128>),
    Fraction(Reverse<Fraction>),
    Name(String),
    Id,
}

/// A fraction by its exact value.
#[derive(Clone, Copy, Debug)]
struct Fraction {
    part: u128,
    whole: u64,
}

impl Fraction {
    fn new(part: u128, whole: u64) -> Self {
        if whole == 0 {
            return Fraction { part: 0, whole: 1 };
        }
        Fraction { part, whole }
    }

    /// Whole part and rest, so that nothing overflows.
    fn parts(self) -> (u128, u128) {
        (self.part / u128::from(self.whole), self.part % u128::from(self.whole))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let (a, b) = (self.parts(), other.parts());
        let rests = (a.1 * u128::from(other.whole), b.1 * u128::from(self.whole));
        a.0.cmp(&b.0).then(rests.0.cmp(&rests.1))
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Fraction {}

fn rank(key: SortKey, row: &Row, inclusive: u128, name: impl FnOnce() -> String) -> Rank {
    let number = |number| Rank::Number(Reverse(number));
    match key {
        SortKey::Exclusive => number(row.exclusive),
        SortKey::Inclusive => number(inclusive),
        SortKey::Visits => number(row.visits.into()),
        SortKey::Longest => number(row.longest.into()),
        SortKey::Bytes => number(bytes(row)),
        SortKey::Mean => Rank::Fraction(Reverse(Fraction::new(row.inclusive, row.closed))),
        SortKey::Imbalance => {
            // most - mean, as a multiple of the mean's denominator
            let locations = row.spread.locations;
            let most = row.spread.most.saturating_mul(u128::from(locations));
            let over = most.saturating_sub(row.exclusive);
            Rank::Fraction(Reverse(Fraction::new(over, locations)))
        }
        SortKey::Name => Rank::Name(human::short(name())),
        SortKey::Id => Rank::Id,
    }
}

fn bytes(row: &Row) -> u128 {
    row.traffic.bytes()
}

/// The indexes of the regions in this order, at most `top` of them.
pub fn regions(
    profile: &Profile,
    key: SortKey,
    top: Option<usize>,
    name: impl Fn(usize) -> String,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..profile.regions.len()).collect();
    order.sort_by_cached_key(|&i| {
        let row = &profile.regions[i];
        (rank(key, &row.row, row.outer, || name(i)), row.step)
    });
    order.truncate(top.unwrap_or(usize::MAX));
    order
}

/// The indexes of the call paths in this order: siblings are sorted, and each stands behind its
/// parent. With `top`, of that many that come first by the key, and of the paths to them.
pub fn paths(
    profile: &Profile,
    key: SortKey,
    top: Option<usize>,
    name: impl Fn(usize) -> String,
) -> Vec<usize> {
    let paths = &profile.paths;
    let mut order: Vec<usize> = (0..paths.len()).collect();
    // Stable: where the key is equal the order of the profile stays.
    order.sort_by_cached_key(|&i| rank(key, &paths[i].row, paths[i].row.inclusive, || name(i)));
    let mut shown = vec![top.is_none(); paths.len()];
    for &i in order.iter().take(top.unwrap_or(0)) {
        let mut next = Some(i as u32);
        while let Some(path) = next.filter(|&path| !shown[path as usize]) {
            shown[path as usize] = true;
            next = paths[path as usize].parent;
        }
    }
    let mut children = vec![Vec::new(); paths.len()];
    let mut open = Vec::new();
    for &i in order.iter().rev().filter(|&&i| shown[i]) {
        match paths[i].parent {
            Some(parent) => children[parent as usize].push(i),
            None => open.push(i),
        }
    }
    let mut sorted = Vec::new();
    while let Some(path) = open.pop() {
        sorted.push(path);
        open.append(&mut children[path]);
    }
    sorted
}

/// The indexes of locations or groups in this order, at most `top` of them.
pub fn whole<T>(
    rows: &[T],
    key: SortKey,
    top: Option<usize>,
    as_row: impl Fn(&T) -> Row,
    name: impl Fn(usize) -> String,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_cached_key(|&i| {
        let row = as_row(&rows[i]);
        rank(key, &row, row.inclusive, || name(i))
    });
    order.truncate(top.unwrap_or(usize::MAX));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_compared_by_value_without_overflow() {
        assert_eq!(Fraction::new(1, 3), Fraction::new(2, 6));
        assert!(Fraction::new(u128::MAX, 2) > Fraction::new(u128::MAX, 3));
        assert!(Fraction::new(10, 3) < Fraction::new(7, 2));
        assert_eq!(Fraction::new(5, 0), Fraction::new(0, 9));
    }
}
