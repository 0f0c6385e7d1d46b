//! Metrics.

use serde_json::{json, Value};
use streamfold_kernels::profile::metrics::{
    Aggregate, Column, Measured, MemberRow, Number, SeriesRow,
};

use super::extend;
use crate::report::names;
use crate::report::profile::metrics::{self, Described};
use crate::report::profile::ProfileReport;

/// Integers exact; `null` for what is larger than all floating-point numbers.
fn value_of(number: Number) -> Value {
    match number {
        Number::Integer(integer) => json!(integer),
        Number::Float(float) => json!(float),
    }
}

fn aggregate(of: &Aggregate) -> Value {
    json!({
        "count": of.count,
        "sum": value_of(of.sum.number()),
        "min": of.range.map(|range| value_of(range.0)),
        "max": of.range.map(|range| value_of(range.1)),
    })
}

fn column(report: &ProfileReport<'_>, index: u32) -> Value {
    let Column { member, kind } = report.profile.metrics.columns[index as usize];
    let name = names::metric(report.definitions, member);
    json!({ "member": member, "name": name, "kind": metrics::kind(kind) })
}

/// What a region or call path has; `None` where that is nothing.
pub(super) fn metrics_of(report: &ProfileReport<'_>, row: &[(u32, Measured)]) -> Option<Value> {
    let metric = |(index, measured): &(u32, Measured)| {
        let mut value = column(report, *index);
        let Measured { inclusive, exclusive } = measured;
        let parts = json!({ "inclusive": aggregate(inclusive), "exclusive": aggregate(exclusive) });
        extend(&mut value, parts);
        value
    };
    (!row.is_empty()).then(|| row.iter().map(metric).collect())
}

/// What a location or group has; `None` where that is nothing.
pub(super) fn totals_of(report: &ProfileReport<'_>, row: &[(u32, Aggregate)]) -> Option<Value> {
    let metric = |(index, of): &(u32, Aggregate)| {
        let mut value = column(report, *index);
        extend(&mut value, aggregate(of));
        value
    };
    (!row.is_empty()).then(|| row.iter().map(metric).collect())
}

pub(super) fn metric(report: &ProfileReport<'_>, row: &MemberRow) -> Value {
    let of = Described::new(report.definitions, row.member);
    let found = &report.profile.metrics;
    let first = found.columns.partition_point(|column| column.member < row.member);
    let own = |all: &[(u32, Aggregate)]| -> Value {
        let columns = found.columns.iter().enumerate().skip(first);
        let columns = columns.take_while(|(_, column)| column.member == row.member);
        let part = |(index, column): (usize, &Column)| {
            let at = all.binary_search_by_key(&index, |(index, _)| *index as usize).ok()?;
            Some((metrics::kind(column.kind).to_owned(), aggregate(&all[at].1)))
        };
        columns.filter_map(part).collect()
    };
    json!({
        "member": row.member,
        "name": of.name,
        "description": of.description,
        "type": of.kind,
        "mode": of.mode,
        "value_type": of.value_type,
        "unit": of.unit,
        "base": of.base,
        "exponent": of.exponent,
        "records": {
            "count": row.records.count,
            "min": row.records.range.map(|range| value_of(range.0)),
            "max": row.records.range.map(|range| value_of(range.1)),
        },
        "total": own(&found.total),
        "outside_regions": own(&found.outside),
    })
}

pub(super) fn series(report: &ProfileReport<'_>, row: &SeriesRow) -> Value {
    let definitions = report.definitions;
    let key = row.key;
    json!({
        "member": key.member,
        "name": names::metric(definitions, key.member),
        "metric": key.metric,
        "position": key.position,
        "recorder": key.recorder,
        "recorder_name": names::location(definitions, key.recorder),
        "scope_kind": metrics::scope_kind(row.scope),
        "scope": row.scope.reference,
        "scope_name": metrics::scope_name(definitions, row.scope),
        "count": row.count,
        "first_time": row.first_time,
        "last_time": row.last_time,
        "first": value_of(row.first),
        "last": value_of(row.last),
        "min": value_of(row.least),
        "max": value_of(row.most),
        "mean": row.mean(),
        "integral": row.integral.number(),
    })
}
