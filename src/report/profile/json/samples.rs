//! Samples.

use std::collections::BTreeMap;
use std::io;

use streamfold_kernels::profile::{GeneratorRow, LineRow, SampleRow, Samples};
use streamfold_model::ids::{InterruptGeneratorRef, Reference};

use super::members::{Fields, Members};
use crate::profile::{samples, ProfileReport};
use streamfold_text::names;

pub(super) fn write_samples(
    members: &mut Members<'_>,
    report: &ProfileReport<'_>,
    samples: &Samples,
) -> io::Result<()> {
    let definitions = report.definitions;
    members.fields("total", |fields| {
        sample_row(fields, &samples.total)?;
        fields.put("outside", samples.outside)
    })?;
    members.value("odd_unwinds", samples.odd_unwinds)?;
    members.value("undefined_contexts", samples.undefined)?;
    members.list("generators", &samples.generators, |fields, of| generator(fields, report, of))?;
    members.list("contexts", &samples.contexts, |fields, of| {
        fields.put("parent", of.parent)?;
        fields.put("depth", of.depth)?;
        fields.put("region", (!of.region.is_undefined()).then_some(of.region))?;
        fields.put("name", names::region(definitions, of.region))?;
        sample_row(fields, &of.row)
    })?;
    members.list("regions", &samples.regions, |fields, of| {
        fields.put("region", (!of.region.is_undefined()).then_some(of.region))?;
        fields.put("name", names::region(definitions, of.region))?;
        sample_row(fields, &of.row)
    })?;
    members.list("lines", &samples.lines, |fields, of| line(fields, report, of))?;
    members.list("groups", &samples.groups, |fields, of| {
        fields.put("group", (!of.group.is_undefined()).then_some(of.group))?;
        fields.put("name", names::group(definitions, of.group))?;
        fields.put("estimated", of.estimated)?;
        sample_counts(fields, samples, &of.counts)
    })?;
    members.list("locations", &samples.locations, |fields, of| {
        fields.put("location", of.location)?;
        fields.put("name", names::location(definitions, of.location))?;
        fields.put("estimated", of.estimated)?;
        fields.put("odd_unwinds", of.odd_unwinds)?;
        fields.put("undefined_contexts", of.undefined)?;
        sample_counts(fields, samples, &of.counts)
    })
}

fn generator(
    fields: &mut Fields<'_>,
    report: &ProfileReport<'_>,
    of: &GeneratorRow,
) -> io::Result<()> {
    let definition = samples::definition(report.definitions, of.generator);
    let mode = definition.map(|d| d.interrupt_generator_mode);
    let stands_for = definition.and_then(|d| samples::stands_for(d, of.samples));
    fields.put("generator", definition.map(|d| d.id))?;
    fields.put("name", names::generator(report.definitions, of.generator))?;
    fields.put("mode", mode.map(|mode| names::json_value(mode.name(), mode)))?;
    fields.put("base", definition.map(|d| names::json_value(d.base.name(), d.base)))?;
    fields.put("exponent", definition.map(|d| d.exponent))?;
    fields.put("period", definition.map(|d| d.period))?;
    fields.put("samples", of.samples)?;
    fields.put("locations", of.locations)?;
    fields.put("stands_for", stands_for)
}

fn line(fields: &mut Fields<'_>, report: &ProfileReport<'_>, of: &LineRow) -> io::Result<()> {
    let row = &of.row;
    fields.put("file", of.line.map(|(file, _)| names::file(report.definitions, file)))?;
    fields.put("line", of.line.map(|(_, line)| line))?;
    fields.put("samples", row.samples)?;
    fields.put("samples_inclusive", row.samples_inclusive)?;
    fields.put("estimated", row.estimated)?;
    fields.put("estimated_inclusive", row.estimated_inclusive)?;
    split(fields, row)
}

fn sample_row(fields: &mut Fields<'_>, row: &SampleRow) -> io::Result<()> {
    fields.put("samples", row.samples)?;
    fields.put("samples_inclusive", row.samples_inclusive)?;
    fields.put("enters", row.enters)?;
    fields.put("entered", row.entered)?;
    fields.put("estimated", row.estimated)?;
    fields.put("estimated_inclusive", row.estimated_inclusive)?;
    fields.put("certain", row.certain)?;
    split(fields, row)
}

/// By generator, in their order; nothing where there are too many of them.
fn split(fields: &mut Fields<'_>, row: &SampleRow) -> io::Result<()> {
    if row.by_generator.is_empty() {
        return Ok(());
    }
    let (own, inclusive): (Vec<u64>, Vec<u64>) = row.by_generator.iter().copied().unzip();
    fields.put("samples_by_generator", own)?;
    fields.put("samples_inclusive_by_generator", inclusive)
}

fn sample_counts(
    fields: &mut Fields<'_>,
    samples: &Samples,
    counts: &BTreeMap<InterruptGeneratorRef, u64>,
) -> io::Result<()> {
    fields.put("samples", counts.values().sum::<u64>())?;
    if samples.generators.len() > Samples::MOST_SPLIT {
        return Ok(());
    }
    let count = |row: &GeneratorRow| counts.get(&row.generator).copied().unwrap_or(0);
    fields.put("samples_by_generator", samples.generators.iter().map(count).collect::<Vec<_>>())
}
