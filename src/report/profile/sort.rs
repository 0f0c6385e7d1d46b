//! The order of rows, and how many of them.

use std::cmp::Reverse;

use streamfold_kernels::profile::{
    GroupRow, LocationRow, Profile, RegionRow, Row, SampleRow, Samples,
};

use super::{samples, By};
use streamfold_text::human;

/// Sort key of rows; the largest first, names and numbers the smallest first.
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
    /// Samples; of contexts those in what was called from there, too.
    Samples,
    /// Time as sampling shows it; of contexts that in what was called from there, too.
    Estimated,
    /// Name.
    Name,
    /// Number of the definition.
    Id,
}

/// The order that a table has when nobody asks for another.
pub fn default_key(by: By, sampled: bool) -> SortKey {
    match by {
        By::Region if sampled => SortKey::Estimated,
        By::Region => SortKey::Exclusive,
        By::Callpath => SortKey::Inclusive,
        By::Context => SortKey::Estimated,
        By::Line => SortKey::Samples,
        By::Group | By::Location | By::Generator | By::Metric => SortKey::Id,
        By::Process | By::Thread | By::Node | By::Iteration | By::Request => SortKey::Id,
        By::Kernel => SortKey::Inclusive,
    }
}

/// Returns whether rows of a kind can be sorted by this key.
pub fn fits(by: By, key: SortKey) -> bool {
    match by {
        By::Region => true,
        By::Callpath => !matches!(key, SortKey::Samples | SortKey::Estimated),
        By::Group | By::Location => key != SortKey::Imbalance,
        // They have units of their own.
        By::Metric => matches!(key, SortKey::Name | SortKey::Id),
        By::Context => is_of_samples(key) || key == SortKey::Visits,
        By::Line => is_of_samples(key),
        By::Process | By::Thread | By::Node | By::Iteration | By::Kernel | By::Request => {
            key == SortKey::Id
        }
        By::Generator => matches!(key, SortKey::Samples | SortKey::Name | SortKey::Id),
    }
}

fn is_of_samples(key: SortKey) -> bool {
    let times = matches!(key, SortKey::Estimated | SortKey::Exclusive | SortKey::Inclusive);
    times || matches!(key, SortKey::Samples | SortKey::Name | SortKey::Id)
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

/// Samples of a row: their number, and the estimated time.
type Sampled = (u64, u128);

fn rank(
    key: SortKey,
    row: &Row,
    inclusive: u128,
    sampled: Sampled,
    name: impl FnOnce() -> String,
) -> Rank {
    let number = |number| Rank::Number(Reverse(number));
    match key {
        SortKey::Exclusive => number(row.exclusive),
        SortKey::Inclusive => number(inclusive),
        SortKey::Visits => number(row.visits.into()),
        SortKey::Longest => number(row.longest.into()),
        SortKey::Bytes => number(bytes(row)),
        SortKey::Samples => number(sampled.0.into()),
        SortKey::Estimated => number(sampled.1),
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

/// The indexes of rows of regions in this order, at most `top` of them.
pub fn regions(
    rows: &[RegionRow],
    sampled: Option<&Samples>,
    key: SortKey,
    top: Option<usize>,
    name: impl Fn(usize) -> String,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_cached_key(|&i| {
        let row = &rows[i];
        let sampled = samples::of_region(sampled, row.step);
        let sampled = sampled.map_or((0, 0), |row| (row.samples, row.estimated));
        (rank(key, &row.row, row.outer, sampled, || name(i)), Reverse(sampled.0), row.step)
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
    let of = |i: usize| rank(key, &paths[i].row, paths[i].row.inclusive, (0, 0), || name(i));
    tree(paths.len(), of, |i| paths[i].parent, top)
}

/// The same of calling contexts.
pub fn contexts(
    samples: &Samples,
    key: SortKey,
    top: Option<usize>,
    name: impl Fn(usize) -> String,
) -> Vec<usize> {
    let rows = &samples.contexts;
    let of = |i: usize| {
        let SampleRow { samples_inclusive, estimated_inclusive, .. } = rows[i].row;
        of_samples(key, &rows[i].row, (samples_inclusive, estimated_inclusive), || name(i))
    };
    tree(rows.len(), of, |i| rows[i].parent, top)
}

/// The indexes of lines in this order, at most `top` of them.
pub fn lines(
    samples: &Samples,
    key: SortKey,
    top: Option<usize>,
    name: impl Fn(usize) -> String,
) -> Vec<usize> {
    let rows = &samples.lines;
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_cached_key(|&i| {
        let row = &rows[i].row;
        let rank = of_samples(key, row, (row.samples, row.estimated), || name(i));
        let line = (key == SortKey::Id).then_some(rows[i].line);
        (rank, line)
    });
    order.truncate(top.unwrap_or(usize::MAX));
    order
}

/// The indexes of interrupt generators in this order, at most `top` of them.
pub fn generators(
    samples: &Samples,
    key: SortKey,
    top: Option<usize>,
    name: impl Fn(usize) -> String,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..samples.generators.len()).collect();
    order.sort_by_cached_key(|&i| {
        rank(key, &Row::EMPTY, 0, (samples.generators[i].samples, 0), || name(i))
    });
    order.truncate(top.unwrap_or(usize::MAX));
    order
}

fn of_samples(
    key: SortKey,
    row: &SampleRow,
    sampled: Sampled,
    name: impl FnOnce() -> String,
) -> Rank {
    let as_row = Row { exclusive: row.estimated, visits: row.entered, ..Row::EMPTY };
    rank(key, &as_row, row.estimated_inclusive, sampled, name)
}

/// The indexes of the rows of a tree, in the order of their ranks among siblings.
fn tree(
    rows: usize,
    rank: impl Fn(usize) -> Rank,
    parent: impl Fn(usize) -> Option<u32>,
    top: Option<usize>,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    // Stable: where the key is equal the order of the profile stays.
    order.sort_by_cached_key(|&i| rank(i));
    let mut shown = vec![top.is_none(); rows];
    for &i in order.iter().take(top.unwrap_or(0)) {
        let mut next = Some(i as u32);
        while let Some(path) = next.filter(|&path| !shown[path as usize]) {
            shown[path as usize] = true;
            next = parent(path as usize);
        }
    }
    let mut children = vec![Vec::new(); rows];
    let mut open = Vec::new();
    for &i in order.iter().rev().filter(|&&i| shown[i]) {
        match parent(i) {
            Some(above) => children[above as usize].push(i),
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

/// The indexes of locations in this order, at most `top` of them.
pub fn locations(
    profile: &Profile,
    key: SortKey,
    top: Option<usize>,
    name: impl Fn(usize) -> String,
) -> Vec<usize> {
    let sampled = |i| samples::of_location(profile, i).map(|row| (row.samples(), row.estimated));
    whole(profile.locations.iter().map(location_row), key, top, sampled, name)
}

/// The indexes of location groups in this order, at most `top` of them.
pub fn groups(
    profile: &Profile,
    key: SortKey,
    top: Option<usize>,
    name: impl Fn(usize) -> String,
) -> Vec<usize> {
    let sampled = |i| samples::of_group(profile, i).map(|row| (row.samples(), row.estimated));
    whole(profile.groups.iter().map(group_row), key, top, sampled, name)
}

fn whole(
    rows: impl Iterator<Item = Row>,
    key: SortKey,
    top: Option<usize>,
    sampled: impl Fn(usize) -> Option<Sampled>,
    name: impl Fn(usize) -> String,
) -> Vec<usize> {
    let sampled = |i| sampled(i).unwrap_or_default();
    let rows: Vec<Row> = rows.collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_cached_key(|&i| rank(key, &rows[i], rows[i].inclusive, sampled(i), || name(i)));
    order.truncate(top.unwrap_or(usize::MAX));
    order
}

/// A location as a row; exclusive is what is inside of regions.
pub fn location_row(row: &LocationRow) -> Row {
    Row {
        visits: row.visits,
        closed: row.closed,
        inclusive: row.inclusive,
        exclusive: row.inside,
        shortest: row.shortest,
        longest: row.longest,
        traffic: row.traffic,
        ..Row::EMPTY
    }
}

/// A group as a row; exclusive is what is inside of regions.
pub fn group_row(row: &GroupRow) -> Row {
    Row {
        visits: row.visits,
        closed: row.closed,
        inclusive: row.inclusive,
        exclusive: row.inside,
        shortest: row.shortest,
        longest: row.longest,
        traffic: row.traffic,
        ..Row::EMPTY
    }
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
