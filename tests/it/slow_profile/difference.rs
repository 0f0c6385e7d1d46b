//! Where two profiles differ.

use std::collections::BTreeSet;
use std::fmt::Debug;

use streamfold::kernels::profile::metrics::Metrics;
use streamfold::kernels::profile::Profile;

use super::metric_rows::Numbers;

/// The first number of metrics that differs.
pub fn metric_difference(found: &Numbers, expected: &Numbers) -> Option<String> {
    let names: BTreeSet<_> = found.keys().chain(expected.keys()).collect();
    names.into_iter().find_map(|name| row(name, &found.get(name), &expected.get(name)))
}

/// The first thing that differs, rather than thousands that are equal; but for metrics.
pub fn difference(found: &Profile, expected: &Profile) -> Option<String> {
    let found = &Profile { metrics: Metrics::default(), ..found.clone() };
    let expected = &Profile { metrics: Metrics::default(), ..expected.clone() };
    rows("location", &found.locations, &expected.locations)
        .or_else(|| rows("call path", &found.paths, &expected.paths))
        .or_else(|| rows("region", &found.regions, &expected.regions))
        .or_else(|| rows("group", &found.groups, &expected.groups))
        .or_else(|| row("total", &found.total, &expected.total))
        .or_else(|| row("outside", &found.outside, &expected.outside))
        .or_else(|| row("oddities", &found.oddities, &expected.oddities))
        .or_else(|| samples(found, expected))
        .or_else(|| (found.events != expected.events).then(|| "the sum of events".to_owned()))
}

/// The slow profile knows nothing of samples; they have a slow one of their own.
fn samples(found: &Profile, expected: &Profile) -> Option<String> {
    expected.samples.as_ref()?;
    row("samples", &found.samples, &expected.samples)
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
