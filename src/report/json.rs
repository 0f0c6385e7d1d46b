//! The whole profile as JSON: exact integers, names beside references.
//!
//! docs/profile.md describes the layout.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{json, Value};
use streamfold_kernels::profile::metrics::{
    Aggregate, Column, Measured, MemberRow, MetricOddities, Number, SeriesRow,
};
use streamfold_kernels::profile::{
    extremes, GeneratorRow, LineRow, Row, SampleRow, Samples, Step, TakenBack, Traffic,
};
use streamfold_model::ids::{InterruptGeneratorRef, Reference};

use super::metrics::{self, Described};
use super::{names, samples, ProfileReport};

/// The version of the layout: the first number changes when a reader has to, the second when
/// something is added.
pub const SCHEMA_VERSION: &str = "1.3";

/// Writes a profile.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &ProfileReport<'_>) -> io::Result<()> {
    let profile = report.profile;
    let mut total = row(&profile.total);
    extend(&mut total, json!({ "events": profile.events, "outside_regions": profile.outside }));
    let resolution = report.provenance.timer_resolution;
    let units = json!({ "time": "ticks", "ticks_per_second": resolution, "bytes": "bytes" });
    let mut members = Members { out, any: false };
    members.value("schema", &"streamfold-profile")?;
    members.value("schema_version", &SCHEMA_VERSION)?;
    members.value("provenance", report.provenance)?;
    members.value("units", &units)?;
    let definitions = report.definitions;
    let counted = json!({ "count": definitions.count, "redefined": definitions.redefined,
        "unknown": definitions.unknown });
    members.value("definitions", &counted)?;
    members.value("total", &total)?;
    members.value("oddities", &profile.oddities)?;
    if !profile.threads.is_empty() {
        members.value("threads", &profile.threads)?;
    }
    let metrics = &profile.metrics;
    let with = |mut row: Value, metrics: Option<Value>| {
        if let Some(metrics) = metrics {
            extend(&mut row, json!({ "metrics": metrics }));
        }
        row
    };
    let rows = profile.regions.iter().enumerate();
    let rows = rows.map(|(i, r)| with(region(report, r), metrics_of(report, metrics.of_region(i))));
    members.list("regions", rows)?;
    let rows = profile.paths.iter().enumerate();
    let rows = rows.map(|(i, r)| with(path(report, r), metrics_of(report, metrics.of_path(i))));
    members.list("paths", rows)?;
    let rows = profile.groups.iter().enumerate();
    let rows = rows.map(|(i, r)| with(group(report, r), totals_of(report, metrics.of_group(i))));
    members.list("groups", rows)?;
    let rows = profile.locations.iter().enumerate();
    let rows =
        rows.map(|(i, r)| with(location(report, r), totals_of(report, metrics.of_location(i))));
    members.list("locations", rows)?;
    if !profile.taken_back.is_empty() {
        members.value("taken_back", &taken_back(report))?;
    }
    if !metrics.is_empty() {
        members.list("metrics", metrics.members.iter().map(|row| metric(report, row)))?;
        members.list("series", metrics.series.iter().map(|row| series(report, row)))?;
        let oddities = MetricOddities::NAMES.into_iter().zip(metrics.oddities.numbers());
        let oddities: Value = oddities.map(|(n, v)| (n.to_owned(), json!(v))).collect();
        members.value("metric_oddities", &oddities)?;
    }
    if let Some(samples) = &profile.samples {
        members.object("samples", |members| write_samples(members, report, samples))?;
    }
    members.end()
}

/// The members of an object, a line for each, so that people and `diff` can read it.
struct Members<'a> {
    out: &'a mut dyn Write,
    any: bool,
}

impl Members<'_> {
    fn name(&mut self, name: &str) -> io::Result<()> {
        let before = if std::mem::replace(&mut self.any, true) { ",\n" } else { "{\n" };
        write!(self.out, "{before}{}: ", serde_json::to_string(name)?)
    }

    fn value(&mut self, name: &str, value: &impl Serialize) -> io::Result<()> {
        self.name(name)?;
        write!(self.out, "{}", serde_json::to_string(value)?)
    }

    /// With a line for each element.
    fn list(&mut self, name: &str, values: impl Iterator<Item = Value>) -> io::Result<()> {
        self.name(name)?;
        write!(self.out, "[")?;
        for (i, value) in values.enumerate() {
            write!(self.out, "{}\n  {value}", if i > 0 { "," } else { "" })?;
        }
        write!(self.out, "\n]")
    }

    /// With an object of its own.
    fn object(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Members<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.name(name)?;
        write(&mut Members { out: self.out, any: false })?;
        write!(self.out, "\n}}")
    }

    fn end(self) -> io::Result<()> {
        writeln!(self.out, "\n}}")
    }
}

fn write_samples(
    members: &mut Members<'_>,
    report: &ProfileReport<'_>,
    samples: &Samples,
) -> io::Result<()> {
    let definitions = report.definitions;
    let mut total = sample_row(&samples.total);
    extend(&mut total, json!({ "outside": samples.outside }));
    members.value("total", &total)?;
    members.value("odd_unwinds", &samples.odd_unwinds)?;
    members.value("undefined_contexts", &samples.undefined)?;
    members.list("generators", samples.generators.iter().map(|r| generator(report, r)))?;
    let contexts = samples.contexts.iter().map(|of| {
        let mut value = json!({
            "parent": of.parent,
            "depth": of.depth,
            "region": (!of.region.is_undefined()).then_some(of.region),
            "name": names::region(definitions, of.region),
        });
        extend(&mut value, sample_row(&of.row));
        value
    });
    members.list("contexts", contexts)?;
    let regions = samples.regions.iter().map(|of| {
        let mut value = json!({
            "region": (!of.region.is_undefined()).then_some(of.region),
            "name": names::region(definitions, of.region),
        });
        extend(&mut value, sample_row(&of.row));
        value
    });
    members.list("regions", regions)?;
    members.list("lines", samples.lines.iter().map(|of| line(report, of)))?;
    let groups = samples.groups.iter().map(|of| {
        let mut value = json!({
            "group": (!of.group.is_undefined()).then_some(of.group),
            "name": names::group(definitions, of.group),
            "estimated": of.estimated,
        });
        extend(&mut value, sample_counts(samples, &of.counts));
        value
    });
    members.list("groups", groups)?;
    let locations = samples.locations.iter().map(|of| {
        let mut value = json!({
            "location": of.location,
            "name": names::location(definitions, of.location),
            "estimated": of.estimated,
            "odd_unwinds": of.odd_unwinds,
            "undefined_contexts": of.undefined,
        });
        extend(&mut value, sample_counts(samples, &of.counts));
        value
    });
    members.list("locations", locations)
}

fn generator(report: &ProfileReport<'_>, of: &GeneratorRow) -> Value {
    let definition = samples::definition(report.definitions, of.generator);
    let mode = definition.map(|d| d.interrupt_generator_mode);
    json!({
        "generator": definition.map(|d| d.id),
        "name": names::generator(report.definitions, of.generator),
        "mode": mode.map(|mode| names::json_value(mode.name(), mode)),
        "base": definition.map(|d| names::json_value(d.base.name(), d.base)),
        "exponent": definition.map(|d| d.exponent),
        "period": definition.map(|d| d.period),
        "samples": of.samples,
        "locations": of.locations,
        "stands_for": definition.and_then(|d| samples::stands_for(d, of.samples)),
    })
}

fn line(report: &ProfileReport<'_>, of: &LineRow) -> Value {
    let row = &of.row;
    let mut value = json!({
        "file": of.line.map(|(file, _)| names::file(report.definitions, file)),
        "line": of.line.map(|(_, line)| line),
        "samples": row.samples,
        "samples_inclusive": row.samples_inclusive,
        "estimated": row.estimated,
        "estimated_inclusive": row.estimated_inclusive,
    });
    extend(&mut value, split(row));
    value
}

fn sample_row(row: &SampleRow) -> Value {
    let mut value = json!({
        "samples": row.samples,
        "samples_inclusive": row.samples_inclusive,
        "enters": row.enters,
        "entered": row.entered,
        "estimated": row.estimated,
        "estimated_inclusive": row.estimated_inclusive,
        "certain": row.certain,
    });
    extend(&mut value, split(row));
    value
}

/// By generator, in their order; nothing where there are too many of them.
fn split(row: &SampleRow) -> Value {
    if row.by_generator.is_empty() {
        return json!({});
    }
    let (own, inclusive): (Vec<u64>, Vec<u64>) = row.by_generator.iter().copied().unzip();
    json!({ "samples_by_generator": own, "samples_inclusive_by_generator": inclusive })
}

fn sample_counts(samples: &Samples, counts: &BTreeMap<InterruptGeneratorRef, u64>) -> Value {
    let mut value = json!({ "samples": counts.values().sum::<u64>() });
    if samples.generators.len() <= Samples::MOST_SPLIT {
        let count = |row: &GeneratorRow| counts.get(&row.generator).copied().unwrap_or(0);
        let counts: Vec<u64> = samples.generators.iter().map(count).collect();
        extend(&mut value, json!({ "samples_by_generator": counts }));
    }
    value
}

fn extend(into: &mut Value, with: Value) {
    if let (Value::Object(into), Value::Object(with)) = (into, with) {
        into.extend(with);
    }
}

fn traffic(traffic: &Traffic) -> Value {
    let numbers = Traffic::COLUMNS.iter().zip(traffic.numbers());
    numbers.map(|((name, _), number)| ((*name).to_owned(), json!(number))).collect()
}

fn row(row: &Row) -> Value {
    let (shortest, longest) = row.extremes().unzip();
    let spread = &row.spread;
    let spread_over = (spread.locations > 0).then(|| {
        json!({
            "least": spread.least,
            "mean": row.exclusive as f64 / spread.locations as f64,
            "most": spread.most,
            "most_at": spread.most_at,
        })
    });
    let mut value = json!({
        "visits": row.visits,
        "closed": row.closed,
        "inclusive": row.inclusive,
        "exclusive": row.exclusive,
        "shortest": shortest,
        "longest": longest,
        "mean": row.mean(),
        "locations": spread.locations,
        "exclusive_by_location": spread_over,
    });
    extend(&mut value, traffic(&row.traffic));
    value
}

fn step(report: &ProfileReport<'_>, step: Step) -> Value {
    let name = names::step(report.definitions, step);
    json!({ "region": step.region(), "name": name, "kind": names::kind(step) })
}

fn region(report: &ProfileReport<'_>, of: &streamfold_kernels::profile::RegionRow) -> Value {
    let definitions = report.definitions;
    let mut value = step(report, of.step);
    if let Some(region) = of.step.region().and_then(|region| definitions.regions.get(&region)) {
        let text = |string| definitions.string(string).map(|text| text.to_string());
        extend(
            &mut value,
            json!({
                "canonical_name": text(region.canonical_name),
                "file": text(region.source_file),
                "begin_line": region.begin_line_number,
                "end_line": region.end_line_number,
                "role": names::json_value(region.region_role.name(), region.region_role),
                "paradigm": names::json_value(region.paradigm.name(), region.paradigm),
            }),
        );
    }
    extend(&mut value, json!({ "outer": of.outer }));
    extend(&mut value, row(&of.row));
    value
}

fn path(report: &ProfileReport<'_>, of: &streamfold_kernels::profile::PathRow) -> Value {
    let mut value = json!({ "parent": of.parent, "depth": of.depth });
    extend(&mut value, step(report, of.step));
    extend(&mut value, row(&of.row));
    value
}

/// What windows of time before have counted.
fn taken_back(report: &ProfileReport<'_>) -> Value {
    let of = &report.profile.taken_back;
    let with = |mut key: Value, back: &TakenBack| {
        extend(&mut key, json!(back));
        key
    };
    json!({
        "total": of.total,
        "regions": of.regions.iter().map(|(s, b)| with(step(report, *s), b)).collect::<Vec<_>>(),
        "paths": of.paths.iter().map(|(p, b)| with(json!({ "path": p }), b)).collect::<Vec<_>>(),
        "groups": of.groups.iter().map(|(g, b)| {
            with(json!({ "group": (!g.is_undefined()).then_some(g) }), b)
        }).collect::<Vec<_>>(),
        "locations": of.locations.iter().map(|(l, b)| with(json!({ "location": l }), b))
            .collect::<Vec<_>>(),
    })
}

fn group(report: &ProfileReport<'_>, of: &streamfold_kernels::profile::GroupRow) -> Value {
    let (shortest, longest) = extremes(of.shortest, of.longest).unzip();
    let mut value = json!({
        "group": (!of.group.is_undefined()).then_some(of.group),
        "name": names::group(report.definitions, of.group),
        "locations": of.locations,
        "events": of.events,
        "visits": of.visits,
        "closed": of.closed,
        "inclusive": of.inclusive,
        "inside": of.inside,
        "shortest": shortest,
        "longest": longest,
        "mean": (of.closed > 0).then(|| of.inclusive as f64 / of.closed as f64),
        "oddities": of.oddities,
    });
    extend(&mut value, traffic(&of.traffic));
    value
}

fn location(report: &ProfileReport<'_>, of: &streamfold_kernels::profile::LocationRow) -> Value {
    let definitions = report.definitions;
    let definition = definitions.locations.get(&of.location);
    let (shortest, longest) = extremes(of.shortest, of.longest).unzip();
    let mut value = json!({
        "location": of.location,
        "name": names::location(definitions, of.location),
        "type": definition.map(|d| names::json_value(d.location_type.name(), d.location_type)),
        "group": definition.map(|d| d.location_group),
        "group_name": names::group_of(definitions, of.location),
        "events": of.events,
        "unknown_events": of.unknown,
        "first": of.first,
        "last": of.last,
        "visits": of.visits,
        "closed": of.closed,
        "inclusive": of.inclusive,
        "inside": of.inside,
        "shortest": shortest,
        "longest": longest,
        "mean": (of.closed > 0).then(|| of.inclusive as f64 / of.closed as f64),
        "max_depth": of.depth,
        "oddities": of.oddities,
    });
    extend(&mut value, traffic(&of.traffic));
    value
}

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
fn metrics_of(report: &ProfileReport<'_>, row: &[(u32, Measured)]) -> Option<Value> {
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
fn totals_of(report: &ProfileReport<'_>, row: &[(u32, Aggregate)]) -> Option<Value> {
    let metric = |(index, of): &(u32, Aggregate)| {
        let mut value = column(report, *index);
        extend(&mut value, aggregate(of));
        value
    };
    (!row.is_empty()).then(|| row.iter().map(metric).collect())
}

fn metric(report: &ProfileReport<'_>, row: &MemberRow) -> Value {
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

fn series(report: &ProfileReport<'_>, row: &SeriesRow) -> Value {
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
