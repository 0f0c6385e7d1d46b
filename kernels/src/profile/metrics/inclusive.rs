//! Inclusive part of recorded values at single locations.

use std::collections::BTreeMap;

use streamfold_model::ids::MetricMemberRef;

use super::super::tree::{CallTree, PathIndex};
use super::sums::{LocationMetric, Measured, MetricKind};

/// Adds the inclusive part of recorded values, also to paths that have none of their own. Sorted as
/// the metrics are: by path, metric and kind.
pub(crate) fn with_inclusive(
    mut metrics: Vec<LocationMetric>,
    tree: &CallTree,
) -> Vec<LocationMetric> {
    let is_of_records = |metric: &LocationMetric| metric.kind.is_of_records();
    if !metrics.iter().any(is_of_records) {
        return metrics;
    }
    let mut open: BTreeMap<(PathIndex, MetricMemberRef, MetricKind), Measured> = BTreeMap::new();
    for metric in metrics.extract_if(.., |metric| is_of_records(metric)) {
        let LocationMetric { path, member, kind, measured } = metric;
        let inclusive = measured.exclusive.clone();
        open.insert((path, member, kind), Measured { inclusive, ..measured });
    }
    // Paths below a path have greater indexes.
    while let Some(((path, member, kind), measured)) = open.pop_last() {
        let parent = tree.parent(path);
        if parent != PathIndex::ROOT {
            let above = open.entry((parent, member, kind)).or_insert_with(|| measured.emptied());
            above.inclusive.join(&measured.inclusive);
        }
        metrics.push(LocationMetric { path, member, kind, measured });
    }
    metrics.sort_unstable_by_key(|metric| (metric.path, metric.member, metric.kind));
    metrics
}

#[cfg(test)]
mod tests {
    use streamfold_model::ids::RegionRef;

    use super::super::number::{Number, NumberKind, Sum};
    use super::super::sums::Aggregate;
    use super::*;
    use crate::profile::tree::step::Step;

    const MEMBER: MetricMemberRef = MetricMemberRef(3);

    fn metric(path: PathIndex, kind: MetricKind, values: &[i128]) -> LocationMetric {
        let mut measured = Measured::none(NumberKind::Integer);
        for value in values {
            measured.exclusive.add(Number::Integer(*value));
        }
        LocationMetric { path, member: MEMBER, kind, measured }
    }

    #[test]
    fn values_inside_count_for_all_paths_above() {
        let mut tree = CallTree::default();
        let mut child = |parent, region| tree.child(parent, Step::Region(RegionRef(region)));
        let outer = child(PathIndex::ROOT, 0);
        let other = child(PathIndex::ROOT, 1);
        let middle = child(outer, 2);
        let inner = child(middle, 3);
        let recorded = vec![
            metric(PathIndex::ROOT, MetricKind::Values, &[100]),
            metric(outer, MetricKind::Difference, &[7]),
            metric(outer, MetricKind::Values, &[1]),
            metric(inner, MetricKind::Values, &[2, 5]),
        ];
        let found = with_inclusive(recorded.clone(), &tree);
        let [outside, difference, of_outer, of_middle, of_inner] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(difference, &recorded[1]);
        assert_eq!([of_outer, of_middle, of_inner].map(|m| m.path), [outer, middle, inner]);
        assert!(found.iter().all(|metric| metric.path != other));
        let inclusive = |metric: &LocationMetric| {
            let Aggregate { count, ref sum, range } = metric.measured.inclusive;
            let Sum::Integer(sum) = *sum else { panic!("no integers") };
            (count, sum, range)
        };
        let range = |least, most| Some((Number::Integer(least), Number::Integer(most)));
        assert_eq!(inclusive(outside), (1, 100, range(100, 100)));
        assert_eq!(inclusive(of_outer), (3, 8, range(1, 5)));
        assert_eq!(inclusive(of_middle), (2, 7, range(2, 5)));
        assert_eq!(inclusive(of_inner), (2, 7, range(2, 5)));
        assert_eq!(of_middle.measured.exclusive, Measured::none(NumberKind::Integer).exclusive);
        assert_eq!(of_outer.measured.exclusive, recorded[2].measured.exclusive);
    }
}
