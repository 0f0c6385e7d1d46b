//! The whole profile as JSON: exact integers, names beside references.
//!
//! docs/use/profile.md describes the layout.

mod members;
mod metrics;
mod rows;
mod samples;

use std::io::{self, Write};

use streamfold_kernels::profile::metrics::MetricOddities;
use streamfold_kernels::profile::{Step, TakenBack};
use streamfold_model::ids::Reference;

use super::ProfileReport;
use members::{Fields, Members};
use metrics::{derived, metric, metrics_of, series, totals_of};
use rows::{group, location, path, region, row, step};
use samples::write_samples;

/// The version of the layout: the first number changes when a reader has to, the second when
/// something is added.
pub const SCHEMA_VERSION: &str = "1.7";

/// Writes a profile.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &ProfileReport<'_>) -> io::Result<()> {
    let profile = report.profile;
    let mut members = Members::new(out);
    members.value("schema", "streamfold-profile")?;
    members.value("schema_version", SCHEMA_VERSION)?;
    members.value("provenance", report.provenance)?;
    members.fields("units", |fields| {
        fields.put("time", "ticks")?;
        fields.put("ticks_per_second", report.provenance.timer_resolution)?;
        fields.put("bytes", "bytes")
    })?;
    members.fields("definitions", |fields| {
        let definitions = report.definitions;
        fields.put("count", definitions.count)?;
        fields.put("redefined", definitions.redefined)?;
        fields.put("unknown", definitions.unknown)
    })?;
    members.fields("total", |fields| {
        row(fields, &profile.total)?;
        fields.put("events", profile.events)?;
        fields.put("outside_regions", profile.outside)
    })?;
    members.value("oddities", profile.oddities)?;
    if !profile.threads.is_empty() {
        members.value("threads", profile.threads)?;
    }
    let metrics = &profile.metrics;
    members.list("regions", profile.regions.iter().enumerate(), |fields, (i, of)| {
        region(fields, report, of)?;
        metrics_of(fields, report, (of.row.exclusive, of.outer), metrics.of_region(i))
    })?;
    members.list("paths", profile.paths.iter().enumerate(), |fields, (i, of)| {
        path(fields, report, of)?;
        metrics_of(fields, report, (of.row.exclusive, of.row.inclusive), metrics.of_path(i))
    })?;
    members.list("groups", profile.groups.iter().enumerate(), |fields, (i, of)| {
        group(fields, report, of)?;
        totals_of(fields, report, of.inside, metrics.of_group(i))
    })?;
    members.list("locations", profile.locations.iter().enumerate(), |fields, (i, of)| {
        location(fields, report, of)?;
        totals_of(fields, report, of.inside, metrics.of_location(i))
    })?;
    if !profile.taken_back.is_empty() {
        members.fields("taken_back", |fields| taken_back(fields, report))?;
    }
    if !metrics.is_empty() {
        members.list("metrics", &metrics.members, |fields, of| metric(fields, report, of))?;
        if !report.derived.is_empty() {
            members.list("derived", report.derived, |fields, of| derived(fields, report, of))?;
        }
        members.list("series", &metrics.series, |fields, of| series(fields, report, of))?;
        members.fields("metric_oddities", |fields| {
            let mut numbers = MetricOddities::NAMES.into_iter().zip(metrics.oddities.numbers());
            numbers.try_for_each(|(name, number)| fields.put(name, number))
        })?;
    }
    if let Some(samples) = &profile.samples {
        members.object("samples", |members| write_samples(members, report, samples))?;
    }
    members.end()
}

/// Writes the visits and times that windows before have counted.
fn taken_back(fields: &mut Fields<'_>, report: &ProfileReport<'_>) -> io::Result<()> {
    let of = &report.profile.taken_back;
    let put = |fields: &mut Fields<'_>, back: &TakenBack| {
        fields.put("visits", back.visits)?;
        fields.put("inclusive", back.inclusive)?;
        fields.put("exclusive", back.exclusive)
    };
    fields.put("total", of.total)?;
    fields.list("regions", &of.regions, |fields, (of_step, back): (&Step, _)| {
        step(fields, report, *of_step)?;
        put(fields, back)?;
        fields.put("outer", of.outer.get(of_step))
    })?;
    fields.list("paths", &of.paths, |fields, (path, back)| {
        fields.put("path", path)?;
        put(fields, back)
    })?;
    fields.list("groups", &of.groups, |fields, (group, back)| {
        fields.put("group", (!group.is_undefined()).then_some(group))?;
        put(fields, back)
    })?;
    fields.list("locations", &of.locations, |fields, (location, back)| {
        fields.put("location", location)?;
        put(fields, back)
    })
}
