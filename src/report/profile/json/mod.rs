//! The whole profile as JSON: exact integers, names beside references.
//!
//! docs/profile.md describes the layout.

mod metrics;
mod samples;

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{json, Value};
use streamfold_kernels::profile::metrics::MetricOddities;
use streamfold_kernels::profile::{extremes, Row, Step, TakenBack, Traffic};
use streamfold_model::ids::Reference;

use super::ProfileReport;
use crate::report::names;
use metrics::{metric, metrics_of, series, totals_of};
use samples::write_samples;

/// The version of the layout: the first number changes when a reader has to, the second when
/// something is added.
pub const SCHEMA_VERSION: &str = "1.5";

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
    let region = |(of_step, back): (&Step, &TakenBack)| {
        let mut value = with(step(report, *of_step), back);
        extend(&mut value, json!({ "outer": of.outer.get(of_step) }));
        value
    };
    json!({
        "total": of.total,
        "regions": of.regions.iter().map(region).collect::<Vec<_>>(),
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
