//! `/profile/samples`: what events with calling contexts say, of traces that have any.

use std::collections::BTreeMap;

use hdf5_metno::{Group, Result};
use streamfold_kernels::profile::{
    ContextRow, GeneratorRow, GroupSamples, LineRow, LocationSamples, SampleRow, SampledRegion,
    Samples,
};
use streamfold_model::definitions::InterruptGenerator;
use streamfold_model::ids::InterruptGeneratorRef;
use streamfold_model::store::Definitions;

use super::columns::{Columns, Unit};
use super::table::{number_attribute, Tables};
use crate::profile::samples;
use streamfold_text::names;

/// Writes all of the group.
pub fn write(
    tables: &mut Tables,
    group: &Group,
    found: &Samples,
    definitions: &Definitions,
) -> Result<()> {
    number_attribute(group, "odd_unwinds", found.odd_unwinds)?;
    number_attribute(group, "undefined_contexts", found.undefined)?;
    generators(tables, group, found, definitions)?;

    let contexts = Columns::<ContextRow>::new()
        .i64("parent", Unit::None, |r| r.parent.map_or(-1, i64::from))
        .u32("depth", Unit::None, |r| r.depth)
        .u32("region", Unit::None, |r| r.region.0)
        .text("name", |r| names::region(definitions, r.region));
    tables.write(group, "contexts", row(contexts, found, |r| &r.row), &found.contexts)?;

    let regions = Columns::<SampledRegion>::new()
        .u32("region", Unit::None, |r| r.region.0)
        .text("name", |r| names::region(definitions, r.region));
    tables.write(group, "regions", row(regions, found, |r| &r.row), &found.regions)?;

    let lines = Columns::<LineRow>::new()
        .text("file", |r| {
            r.line.map(|(file, _)| names::file(definitions, file)).unwrap_or_default()
        })
        // The largest number says that there is no line.
        .u32("line", Unit::None, |r| r.line.map_or(u32::MAX, |(_, line)| line));
    let lines = split(counts(lines, |r| &r.row), found, |r| &r.row);
    tables.write(group, "lines", lines, &found.lines)?;

    let locations = Columns::<LocationSamples>::new()
        .u64("location", Unit::None, |r| r.location.0)
        .text("name", |r| names::location(definitions, r.location))
        .u64("samples", Unit::Samples, LocationSamples::samples)
        .u128("estimated", Unit::Ticks, |r| r.estimated)
        .u64("odd_unwinds", Unit::Events, |r| r.odd_unwinds)
        .u64("undefined_contexts", Unit::Samples, |r| r.undefined);
    let locations = split_counts(locations, found, |r| &r.counts);
    tables.write(group, "locations", locations, &found.locations)?;

    let groups = Columns::<GroupSamples>::new()
        .u32("group", Unit::None, |r| r.group.0)
        .text("name", |r| names::group(definitions, r.group))
        .u64("samples", Unit::Samples, GroupSamples::samples)
        .u128("estimated", Unit::Ticks, |r| r.estimated);
    let groups = split_counts(groups, found, |r| &r.counts);
    tables.write(group, "groups", groups, &found.groups)?;

    let total = Columns::<&Samples>::new().u128("outside", Unit::Ticks, |s| s.outside);
    tables.write(group, "total", row(total, found, |s| &s.total), &[found])
}

fn generators(
    tables: &mut Tables,
    group: &Group,
    found: &Samples,
    definitions: &Definitions,
) -> Result<()> {
    if found.generators.is_empty() {
        return Ok(()); // h5diff takes empty tables for ones that it cannot compare
    }
    let definition = |r: &GeneratorRow| samples::definition(definitions, r.generator);
    let mode = |d: &InterruptGenerator| {
        names::value(d.interrupt_generator_mode.name(), d.interrupt_generator_mode)
    };
    let base = |d: &InterruptGenerator| names::value(d.base.name(), d.base);
    let stands_for = |r: &GeneratorRow| {
        definition(r).and_then(|d| samples::stands_for(d, r.samples)).unwrap_or(f64::NAN)
    };
    let generators = Columns::<GeneratorRow>::new()
        .u32("generator", Unit::None, |r| r.generator.0)
        .text("name", |r| names::generator(definitions, r.generator))
        .text("mode", move |r| definition(r).map(mode).unwrap_or_default())
        .text("base", move |r| definition(r).map(base).unwrap_or_default())
        .i64("exponent", Unit::None, move |r| definition(r).map_or(0, |d| d.exponent))
        .u64("period", Unit::None, move |r| definition(r).map_or(0, |d| d.period))
        .u64("samples", Unit::Samples, |r| r.samples)
        .u64("locations", Unit::Locations, |r| r.locations)
        .f64("stands_for", Unit::None, stands_for);
    tables.write(group, "generators", generators, &found.generators)
}

/// With the columns that contexts, regions and the total have.
fn row<'a, T: 'a>(
    columns: Columns<'a, T>,
    found: &Samples,
    of: fn(&T) -> &SampleRow,
) -> Columns<'a, T> {
    let columns = counts(columns, of)
        .u64("enters", Unit::Events, move |r| of(r).enters)
        .u64("entered", Unit::Visits, move |r| of(r).entered)
        .u128("certain", Unit::Ticks, move |r| of(r).certain);
    split(columns, found, of)
}

fn counts<'a, T: 'a>(columns: Columns<'a, T>, of: fn(&T) -> &SampleRow) -> Columns<'a, T> {
    columns
        .u64("samples", Unit::Samples, move |r| of(r).samples)
        .u64("samples_inclusive", Unit::Samples, move |r| of(r).samples_inclusive)
        .u128("estimated", Unit::Ticks, move |r| of(r).estimated)
        .u128("estimated_inclusive", Unit::Ticks, move |r| of(r).estimated_inclusive)
}

/// With the counts of each interrupt generator, where there are several.
fn split<'a, T: 'a>(
    mut columns: Columns<'a, T>,
    found: &Samples,
    of: fn(&T) -> &SampleRow,
) -> Columns<'a, T> {
    let part = move |r: &T, i: usize| of(r).by_generator.get(i).copied().unwrap_or((0, 0));
    for (i, InterruptGeneratorRef(number)) in split_generators(found).enumerate() {
        columns = columns
            .u64(&format!("samples_{number}"), Unit::Samples, move |r| part(r, i).0)
            .u64(&format!("samples_inclusive_{number}"), Unit::Samples, move |r| part(r, i).1);
    }
    columns
}

/// The same of locations and groups.
fn split_counts<'a, T: 'a>(
    mut columns: Columns<'a, T>,
    found: &Samples,
    of: fn(&T) -> &BTreeMap<InterruptGeneratorRef, u64>,
) -> Columns<'a, T> {
    for generator in split_generators(found) {
        let count = move |r: &T| of(r).get(&generator).copied().unwrap_or(0);
        columns = columns.u64(&format!("samples_{}", generator.0), Unit::Samples, count);
    }
    columns
}

/// The generators that have columns of their own.
fn split_generators(found: &Samples) -> impl Iterator<Item = InterruptGeneratorRef> + '_ {
    let several = (2..=Samples::MOST_SPLIT).contains(&found.generators.len());
    let shown = if several { &found.generators[..] } else { &[] };
    shown.iter().map(|row| row.generator)
}
