//! Samples.

use std::collections::BTreeMap;
use std::io;

use serde_json::{json, Value};
use streamfold_kernels::profile::{GeneratorRow, LineRow, SampleRow, Samples};
use streamfold_model::ids::{InterruptGeneratorRef, Reference};

use super::{extend, Members};
use crate::report::names;
use crate::report::profile::{samples, ProfileReport};

pub(super) fn write_samples(
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

pub(super) fn line(report: &ProfileReport<'_>, of: &LineRow) -> Value {
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
