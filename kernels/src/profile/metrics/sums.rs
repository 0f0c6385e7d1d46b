//! Sums of metrics: for a call path at a location, and across locations.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{LocationRef, MetricMemberRef};

use super::super::tree::PathIndex;
use super::number::{Number, NumberKind, Sum};
use super::series::SeriesRow;
use crate::profile::tree::own_numbers::Renumbering;

/// Kind of value of a metric on call paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MetricKind {
    /// How much it changed from the enter to the leave of each visit.
    Difference,
    /// The values that were recorded.
    Values,
    /// By how much a series of an accumulated metric grew from one record to the next.
    Growth,
}

impl MetricKind {
    /// Tells whether the inclusive part is that of the path and all paths below: visits have none of their own.
    pub(super) fn is_of_records(self) -> bool {
        self != MetricKind::Difference
    }
}

/// Several values of a metric together: differences of visits, or recorded values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aggregate {
    /// How many there are.
    pub count: u64,
    /// Their sum.
    pub sum: Sum,
    /// The smallest and the largest; `None` where there is none, or where nobody asks for it: of
    /// exclusive differences, and of [`Step::Task`](super::super::Step::Task).
    pub range: Option<(Number, Number)>,
}

impl Aggregate {
    pub(super) fn none(kind: NumberKind) -> Self {
        Aggregate { count: 0, sum: Sum::zero(kind), range: None }
    }

    /// Takes in a value.
    pub(super) fn add(&mut self, number: Number) {
        self.count += 1;
        self.sum.add(number);
        self.widen(number, number);
    }

    /// Takes in an exact value.
    pub(super) fn add_exact(&mut self, value: &Sum) {
        self.add_unranged(value);
        self.widen(value.number(), value.number());
    }

    /// Takes in an exact value without looking how large it is.
    pub(super) fn add_unranged(&mut self, value: &Sum) {
        self.count += 1;
        self.sum.add_sum(value);
    }

    pub(super) fn widen(&mut self, least: Number, most: Number) {
        self.range = Some(match self.range {
            None => (least, most),
            Some((l, m)) => (l.min(least), m.max(most)),
        });
    }

    /// Takes in others.
    pub(super) fn join(&mut self, other: &Aggregate) {
        self.count += other.count;
        self.sum.add_sum(&other.sum);
        if let Some((least, most)) = other.range {
            self.widen(least, most);
        }
    }

    /// Takes in others whose sum is part of this one already.
    pub(super) fn join_all_but_sum(&mut self, other: &Aggregate) {
        self.join(&Aggregate { sum: other.sum.emptied(), ..*other });
    }

    /// Of nothing, of the same kind of numbers.
    pub(super) fn emptied(&self) -> Aggregate {
        Aggregate { count: 0, sum: self.sum.emptied(), range: None }
    }
}

/// Values of a metric on a call path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// In visits and all that is inside of them.
    pub inclusive: Aggregate,
    /// In visits and nothing that is inside of them.
    pub exclusive: Aggregate,
}

impl Measured {
    pub(super) fn none(kind: NumberKind) -> Self {
        Measured { inclusive: Aggregate::none(kind), exclusive: Aggregate::none(kind) }
    }

    /// Of nothing, of the same kind of numbers.
    pub(super) fn emptied(&self) -> Measured {
        Measured { inclusive: self.inclusive.emptied(), exclusive: self.exclusive.emptied() }
    }

    pub(super) fn join(&mut self, other: &Measured) {
        self.inclusive.join(&other.inclusive);
        self.exclusive.join(&other.exclusive);
    }
}

/// A metric on a call path at one location.
#[derive(Clone, Debug, PartialEq)]
pub struct LocationMetric {
    /// The path, in the call tree of the worker that found it; the root stands for what was recorded
    /// while no region was open.
    pub path: PathIndex,
    /// The metric.
    pub member: MetricMemberRef,
    /// The kind of value.
    pub kind: MetricKind,
    /// Values of the metric there. Of all kinds but [`Difference`](MetricKind::Difference) the inclusive part, of the path and all
    /// paths below, is only made for sinks of single locations.
    pub measured: Measured,
}

/// Values and records of metrics that cannot be used, or are odd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricOddities {
    /// Records of metric classes or instances that are not defined.
    pub undefined: u64,
    /// Records with another number of values than their class has members.
    pub miscounted: u64,
    /// Values of members that are not defined, or whose type is no number.
    pub undefined_members: u64,
    /// Values of another type than their member, or that are no finite numbers.
    pub unusable: u64,
    /// Values of synchronous metrics that precede no enter or leave of an open visit.
    pub unattributed: u64,
    /// Visits at whose enter or leave a synchronous metric was recorded, and not at both: the value
    /// says nothing of the visit.
    pub incomplete: u64,
    /// Visits in which an accumulated metric became smaller.
    pub decreased: u64,
}

impl MetricOddities {
    /// Their names, in the order of [`MetricOddities::numbers`].
    pub const NAMES: [&'static str; 7] = [
        "undefined",
        "miscounted",
        "undefined_members",
        "unusable",
        "unattributed",
        "incomplete",
        "decreased",
    ];

    /// All of them.
    pub fn numbers(&self) -> [u64; 7] {
        [
            self.undefined,
            self.miscounted,
            self.undefined_members,
            self.unusable,
            self.unattributed,
            self.incomplete,
            self.decreased,
        ]
    }

    /// Adds those of other locations.
    pub(crate) fn add(&mut self, other: &MetricOddities) {
        self.undefined += other.undefined;
        self.miscounted += other.miscounted;
        self.undefined_members += other.undefined_members;
        self.unusable += other.unusable;
        self.unattributed += other.unattributed;
        self.incomplete += other.incomplete;
        self.decreased += other.decreased;
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == MetricOddities::default()
    }
}

/// Metrics of some locations.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MetricSums {
    /// All values of each metric as they were recorded.
    pub members: HashMap<MetricMemberRef, Aggregate, RandomState>,
    /// By call path.
    pub paths: HashMap<(PathIndex, MetricMemberRef, MetricKind), Measured, RandomState>,
    /// By location: of differences the exclusive ones.
    pub locations: HashMap<(LocationRef, MetricMemberRef, MetricKind), Aggregate, RandomState>,
    /// Series.
    pub series: Vec<SeriesRow>,
    /// Oddities of metric records.
    pub oddities: MetricOddities,
}

impl MetricSums {
    /// Metrics have other numbers.
    pub(crate) fn renumber(&mut self, numbers: &Renumbering) {
        if numbers.keeps_metrics() {
            return;
        }
        let MetricSums { members, paths, locations, series, .. } = self;
        let number = |member: MetricMemberRef| numbers.member(member);
        let was = std::mem::take(members);
        members.extend(was.into_iter().map(|(member, records)| (number(member), records)));
        let was = std::mem::take(paths);
        paths.extend(was.into_iter().map(|((path, m, kind), of)| ((path, number(m), kind), of)));
        let was = std::mem::take(locations);
        locations.extend(was.into_iter().map(|((at, m, kind), of)| ((at, number(m), kind), of)));
        for SeriesRow { key, .. } in series {
            (key.member, key.metric) = (number(key.member), numbers.metric(key.metric));
        }
    }

    /// Takes in what other locations have. `to`: the paths here of those there.
    pub(crate) fn fold(&mut self, mut other: MetricSums, to: &[PathIndex]) {
        for (member, records) in other.members {
            let sum = self.members.entry(member);
            sum.and_modify(|sum| sum.join(&records)).or_insert(records);
        }
        for ((path, member, kind), measured) in other.paths {
            let sum = self.paths.entry((to[path.index()], member, kind));
            sum.and_modify(|sum| sum.join(&measured)).or_insert(measured);
        }
        for (key, aggregate) in other.locations {
            let sum = self.locations.entry(key);
            sum.and_modify(|sum| sum.join(&aggregate)).or_insert(aggregate);
        }
        self.series.append(&mut other.series);
        self.oddities.add(&other.oddities);
    }

    /// The paths that have anything.
    pub(crate) fn paths_with_any(&self) -> HashSet<PathIndex, RandomState> {
        self.paths.keys().map(|(path, ..)| *path).collect()
    }

    /// Adds what a metric has on a path at a location.
    pub(super) fn add(&mut self, location: LocationRef, metric: &LocationMetric) {
        let LocationMetric { path, member, kind, measured } = metric;
        let sum = self.paths.entry((*path, *member, *kind));
        sum.and_modify(|sum| sum.join(measured)).or_insert_with(|| measured.clone());
        let sum = self.locations.entry((location, *member, *kind));
        let own = &measured.exclusive;
        sum.and_modify(|sum| sum.join(own)).or_insert_with(|| own.clone());
    }
}
