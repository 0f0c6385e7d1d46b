//! Metrics.

use std::io;

use serde_json::{json, Value};
use streamfold_kernels::profile::metrics::{
    Aggregate, Column, Measured, MemberRow, Number, SeriesRow,
};

use super::members::Fields;
use crate::profile::derived::Derived;
use crate::profile::metrics::{self, Described, Shape};
use crate::profile::ProfileReport;
use streamfold_text::names;

/// Integers exact; `null` for what is larger than all floating-point numbers.
fn value_of(number: Number) -> Value {
    match number {
        Number::Integer(integer) => json!(integer),
        Number::Float(float) => json!(float),
    }
}

fn aggregate(fields: &mut Fields<'_>, of: &Aggregate) -> io::Result<()> {
    fields.put("count", of.count)?;
    fields.put("sum", value_of(of.sum.number()))?;
    fields.put("min", of.range.map(|range| value_of(range.0)))?;
    fields.put("max", of.range.map(|range| value_of(range.1)))
}

fn column(fields: &mut Fields<'_>, report: &ProfileReport<'_>, index: u32) -> io::Result<()> {
    let Column { member, kind } = report.profile.metrics.columns[index as usize];
    fields.put("member", member)?;
    fields.put("name", names::metric(report.definitions, member))?;
    fields.put("kind", metrics::kind(kind))
}

/// Writes the metrics of a region or call path; writes no member if there are none. `times`: exclusive and inclusive
/// ticks.
pub(super) fn metrics_of(
    fields: &mut Fields<'_>,
    report: &ProfileReport<'_>,
    times: (u128, u128),
    row: &[(u32, Measured)],
) -> io::Result<()> {
    if row.is_empty() {
        return Ok(());
    }
    if !report.derived.is_empty() {
        fields.list("derived", report.derived, |fields, of| {
            let [exclusive, inclusive] = of.of_step(report, times, row);
            fields.put("name", &of.name)?;
            fields.put("inclusive", inclusive)?;
            fields.put("exclusive", exclusive)
        })?;
    }
    fields.list("metrics", row, |fields, (index, Measured { inclusive, exclusive })| {
        column(fields, report, *index)?;
        fields.object("inclusive", |fields| aggregate(fields, inclusive))?;
        fields.object("exclusive", |fields| aggregate(fields, exclusive))
    })
}

/// Writes the metrics of a location or group; writes no member if there are none.
pub(super) fn totals_of(
    fields: &mut Fields<'_>,
    report: &ProfileReport<'_>,
    ticks: u128,
    row: &[(u32, Aggregate)],
) -> io::Result<()> {
    if row.is_empty() {
        return Ok(());
    }
    if !report.derived.is_empty() {
        fields.list("derived", report.derived, |fields, of| {
            fields.put("name", &of.name)?;
            fields.put("value", of.of_whole(report, ticks, row))
        })?;
    }
    fields.list("metrics", row, |fields, (index, of)| {
        column(fields, report, *index)?;
        aggregate(fields, of)
    })
}

/// Writes a metric that is derived from others.
pub(super) fn derived(
    fields: &mut Fields<'_>,
    report: &ProfileReport<'_>,
    of: &Derived,
) -> io::Result<()> {
    fields.put("name", &of.name)?;
    fields.put("expression", &of.text)?;
    fields.put("total", of.total(report))
}

pub(super) fn metric(
    fields: &mut Fields<'_>,
    report: &ProfileReport<'_>,
    row: &MemberRow,
) -> io::Result<()> {
    let of = Described::new(report.definitions, row.member);
    let found = &report.profile.metrics;
    let first = found.columns.partition_point(|column| column.member < row.member);
    let own = |fields: &mut Fields<'_>, all: &[(u32, Aggregate)]| {
        let columns = found.columns.iter().enumerate().skip(first);
        let mut columns = columns.take_while(|(_, column)| column.member == row.member);
        columns.try_for_each(|(index, column)| {
            match all.binary_search_by_key(&index, |(index, _)| *index as usize) {
                Ok(at) => fields.object(metrics::kind(column.kind), |f| aggregate(f, &all[at].1)),
                Err(_) => Ok(()),
            }
        })
    };
    let (si_unit, scale) = (of.si_unit(), of.scale());
    fields.put("member", row.member)?;
    fields.put("name", of.name)?;
    fields.put("description", of.description)?;
    fields.put("type", of.kind)?;
    fields.put("mode", of.mode)?;
    fields.put("value_type", of.value_type)?;
    fields.put("unit", of.unit)?;
    fields.put("base", of.base)?;
    fields.put("exponent", of.exponent)?;
    fields.put("si_unit", &si_unit)?;
    fields.put("si_scale", scale)?;
    fields.object("records", |fields| {
        fields.put("count", row.records.count)?;
        fields.put("min", row.records.range.map(|range| value_of(range.0)))?;
        fields.put("max", row.records.range.map(|range| value_of(range.1)))
    })?;
    fields.object("total", |fields| own(fields, &found.total))?;
    fields.object("outside_regions", |fields| own(fields, &found.outside))
}

pub(super) fn series(
    fields: &mut Fields<'_>,
    report: &ProfileReport<'_>,
    row: &SeriesRow,
) -> io::Result<()> {
    let definitions = report.definitions;
    let key = row.key;
    fields.put("member", key.member)?;
    fields.put("name", names::metric(definitions, key.member))?;
    fields.put("metric", key.metric)?;
    fields.put("position", key.position)?;
    fields.put("recorder", key.recorder)?;
    fields.put("recorder_name", names::place(definitions, key.recorder))?;
    fields.put("scope_kind", metrics::scope_kind(row.scope))?;
    fields.put("scope", row.scope.reference)?;
    fields.put("scope_name", metrics::scope_name(definitions, row.scope))?;
    fields.put("count", row.count)?;
    fields.put("first_time", row.first_time)?;
    fields.put("last_time", row.last_time)?;
    fields.put("first", value_of(row.first))?;
    fields.put("last", value_of(row.last))?;
    fields.put("min", value_of(row.least))?;
    fields.put("max", value_of(row.most))?;
    fields.put("mean", row.mean())?;
    fields.put("integral", row.integral.number())?;
    let shape = Described::new(definitions, key.member).shape(row);
    fields.put("shape", shape.name())?;
    if shape == Shape::Counter {
        let ticks_per_second = report.provenance.timer_resolution;
        fields.put("growth", value_of(metrics::growth(row)))?;
        fields.put("per_second", metrics::growth_per_second(row, ticks_per_second))?;
    }
    Ok(())
}
