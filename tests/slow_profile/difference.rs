//! Where two profiles differ.

use std::fmt::Debug;

use streamfold::kernels::profile::Profile;

/// The first thing that differs, rather than thousands that are equal.
pub fn difference(found: &Profile, expected: &Profile) -> Option<String> {
    rows("location", &found.locations, &expected.locations)
        .or_else(|| rows("call path", &found.paths, &expected.paths))
        .or_else(|| rows("region", &found.regions, &expected.regions))
        .or_else(|| rows("group", &found.groups, &expected.groups))
        .or_else(|| row("total", &found.total, &expected.total))
        .or_else(|| row("outside", &found.outside, &expected.outside))
        .or_else(|| row("oddities", &found.oddities, &expected.oddities))
        .or_else(|| (found != expected).then(|| "the sum of events".to_owned()))
}

fn rows<T: PartialEq + Debug>(what: &str, found: &[T], expected: &[T]) -> Option<String> {
    let mut pairs = found.iter().zip(expected).enumerate();
    pairs
        .find_map(|(i, (found, expected))| row(&format!("{what} in row {i}"), found, expected))
        .or_else(|| row(&format!("number of {what}s"), &found.len(), &expected.len()))
}

fn row<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Option<String> {
    (found != expected).then(|| format!("{what}:\n   found {found:?}\nexpected {expected:?}"))
}
