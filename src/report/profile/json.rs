//! The whole profile as JSON: exact integers, names beside references.
//!
//! docs/use/profile.md describes the layout.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::json;
use streamfold_kernels::profile::metrics::MetricOddities;
use streamfold_kernels::profile::Samples;

use super::columns::{self, Columns, TakenBackTables};
use super::ProfileReport;
use crate::json;
use crate::tables::Unit;

/// The version of the layout: the first number changes when a reader has to, the second when
/// something is added.
pub const SCHEMA_VERSION: &str = "1.8";

/// Writes a profile.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &ProfileReport<'_>) -> io::Result<()> {
    let report = *report;
    let (profile, definitions) = (report.profile, report.definitions);
    let resolution = report.provenance.timer_resolution;
    let mut members = Members::new(out);
    members.value("schema", "streamfold-profile")?;
    members.value("schema_version", SCHEMA_VERSION)?;
    members.value("provenance", report.provenance)?;
    let units = json!({ "time": "ticks", "ticks_per_second": resolution, "bytes": "bytes" });
    members.value("units", units)?;
    members.value(
        "definitions",
        json!({
            "count": definitions.count,
            "redefined": definitions.redefined,
            "unknown": definitions.unknown,
        }),
    )?;
    members.value("total", columns::total(report).object(0))?;
    members.value("oddities", profile.oddities)?;
    if !profile.threads.is_empty() {
        members.value("threads", profile.threads)?;
    }
    if let Some(depth) = profile.depth {
        members.value("call_path_depth", depth)?;
    }
    members.list("regions", &columns::regions(report, &profile.regions))?;
    members.list("paths", &columns::paths(report))?;
    members.list("groups", &columns::groups(report))?;
    members.list("locations", &columns::locations(report))?;
    if !profile.taken_back.is_empty() {
        members.value("taken_back", TakenBackTables::new(report))?;
    }
    let metrics = &profile.metrics;
    if !metrics.is_empty() {
        members.list("metrics", &columns::members(report))?;
        if !report.derived.is_empty() {
            members.list("derived", &columns::derived(report))?;
        }
        members.list("series", &columns::series(report))?;
        let oddities = metrics.oddities.numbers();
        let oddities = columns::numbers(MetricOddities::NAMES, Unit::None, oddities);
        members.value("metric_oddities", oddities.object(0))?;
    }
    if let Some(samples) = &profile.samples {
        members.name("samples")?;
        let mut within = Members::new(members.out);
        write_samples(&mut within, report, samples)?;
        write!(within.out, "\n}}")?;
    }
    writeln!(members.out, "\n}}")
}

fn write_samples(
    members: &mut Members<'_>,
    report: ProfileReport<'_>,
    samples: &Samples,
) -> io::Result<()> {
    members.value("total", columns::sampled_total(samples).object(0))?;
    members.value("odd_unwinds", samples.odd_unwinds)?;
    members.value("undefined_contexts", samples.undefined)?;
    members.list("generators", &columns::generators(report, samples))?;
    members.list("contexts", &columns::contexts(report, samples))?;
    members.list("regions", &columns::sampled_regions(report, samples))?;
    members.list("lines", &columns::lines(report, samples))?;
    members.list("groups", &columns::sampled_groups(report, samples))?;
    members.list("locations", &columns::sampled_locations(report, samples))
}

/// The members of an object, a line for each, so that people and `diff` can read it. They are written as they come:
/// there may be millions of rows.
struct Members<'a> {
    out: &'a mut dyn Write,
    any: bool,
}

impl<'a> Members<'a> {
    /// None so far.
    fn new(out: &'a mut dyn Write) -> Self {
        Members { out, any: false }
    }

    fn name(&mut self, name: &str) -> io::Result<()> {
        let before = if std::mem::replace(&mut self.any, true) { ",\n" } else { "{\n" };
        write!(self.out, "{before}\"{name}\": ")
    }

    /// With a value on the same line.
    fn value(&mut self, name: &str, value: impl Serialize) -> io::Result<()> {
        self.name(name)?;
        json::to_writer(&mut *self.out, &value)
    }

    /// With a list of objects, a line for each.
    fn list(&mut self, name: &str, rows: &Columns<'_>) -> io::Result<()> {
        self.name(name)?;
        write!(self.out, "[")?;
        let mut line = Vec::new();
        for row in 0..rows.rows {
            line.clear();
            line.extend_from_slice(if row > 0 { b",\n  " } else { b"\n  " });
            rows.write_object(&mut line, row)?;
            self.out.write_all(&line)?;
        }
        write!(self.out, "\n]")
    }
}
