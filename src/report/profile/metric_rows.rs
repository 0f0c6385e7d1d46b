//! Rows of metrics: one for the sum of all visits, one for each series, and one for each derived metric.

use streamfold_kernels::profile::metrics::{Aggregate, MetricKind, SeriesRow};
use streamfold_model::ids::MetricMemberRef;

use super::derived::Derived;
use super::metrics::Described;
use super::sort::SortKey;
use super::ProfileReport;

/// A row.
pub(crate) struct MetricRow<'a> {
    /// The metric; undefined where it follows from others.
    pub member: MetricMemberRef,
    /// Definition of the metric.
    pub described: Described,
    /// How many values were recorded of it.
    pub records: u64,
    /// Values in the row.
    pub told: MetricLine<'a>,
}

/// Values in a row of a metric.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MetricLine<'a> {
    /// All that call paths have, and what was recorded outside of them.
    Total(MetricKind, &'a Aggregate),
    /// How it went over time.
    Series(&'a SeriesRow),
    /// Metric that is derived from others.
    Derived(&'a Derived),
}

/// All rows by metric, the series after the rest; at most `top` of them.
pub(super) fn metric_rows<'a>(
    report: &ProfileReport<'a>,
    key: SortKey,
    top: Option<usize>,
) -> Vec<MetricRow<'a>> {
    let metrics = &report.profile.metrics;
    let row = |member: MetricMemberRef, told: MetricLine<'a>| {
        let at = metrics.members.binary_search_by_key(&member, |row| row.member);
        let records = at.map_or(0, |at| metrics.members[at].records.count);
        let described = Described::new(report.definitions, member);
        MetricRow { member, described, records, told }
    };
    let total = |(column, total): &'a (u32, Aggregate)| {
        let column = metrics.columns[*column as usize];
        row(column.member, MetricLine::Total(column.kind, total))
    };
    let series =
        metrics.series.iter().map(|series| row(series.key.member, MetricLine::Series(series)));
    let derived = report.derived.iter().map(|of| MetricRow {
        member: MetricMemberRef::UNDEFINED,
        described: Described {
            name: of.name.clone(),
            description: of.text.clone(),
            ..Described::default()
        },
        records: 0,
        told: MetricLine::Derived(of),
    });
    let total = metrics.total.iter().map(total);
    let mut rows: Vec<_> = total.chain(series).chain(derived).collect();
    // Stable: within a metric the order stays.
    match key {
        SortKey::Name => rows.sort_by_cached_key(|row| (row.described.name.clone(), row.member)),
        _ => rows.sort_by_key(|row| row.member),
    }
    rows.truncate(top.unwrap_or(usize::MAX));
    rows
}
