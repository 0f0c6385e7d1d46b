//! `/profile/samples`: what events with calling contexts say, of traces that have any.

use hdf5_metno::{Group, Result};
use streamfold_kernels::profile::{
    ContextRow, GeneratorRow, GroupSamples, LineRow, LocationSamples, SampleRow, SampledRegion,
    Samples,
};
use streamfold_model::definitions::InterruptGenerator;
use streamfold_model::store::Definitions;

use super::super::{names, samples};
use super::table::{number_attribute, Columns, Tables, Unit};

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
    tables.write(group, "locations", locations, &found.locations)?;

    let groups = Columns::<GroupSamples>::new()
        .u32("group", Unit::None, |r| r.group.0)
        .text("name", |r| names::group(definitions, r.group))
        .u64("samples", Unit::Samples, GroupSamples::samples)
        .u128("estimated", Unit::Ticks, |r| r.estimated);
    tables.write(group, "groups", groups, &found.groups)?;

    let total = row(Columns::<SampleRow>::new(), found, |r| r);
    tables.write(group, "total", total, std::slice::from_ref(&found.total))
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
    let text = |get: fn(&InterruptGenerator) -> (Option<&'static str>, u8)| {
        move |r: &GeneratorRow| {
            let found = definition(r).map(get);
            found.map(|(name, number)| name.map_or(number.to_string(), str::to_owned))
        }
    };
    let mode = text(|d| {
        let mode = d.interrupt_generator_mode;
        (mode.name(), mode.into())
    });
    let base = text(|d| (d.base.name(), d.base.into()));
    let generators = Columns::<GeneratorRow>::new()
        .u32("generator", Unit::None, |r| r.generator.0)
        .text("name", |r| names::generator(definitions, r.generator))
        .text("mode", move |r| mode(r).unwrap_or_default())
        .text("base", move |r| base(r).unwrap_or_default())
        .i64("exponent", Unit::None, move |r| definition(r).map_or(0, |d| d.exponent))
        .u64("period", Unit::None, move |r| definition(r).map_or(0, |d| d.period))
        .u64("samples", Unit::Samples, |r| r.samples)
        .u64("locations", Unit::Locations, |r| r.locations);
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
    if !(2..=Samples::MOST_SPLIT).contains(&found.generators.len()) {
        return columns;
    }
    let part = move |r: &T, i: usize| of(r).by_generator.get(i).copied().unwrap_or((0, 0));
    for (i, generator) in found.generators.iter().enumerate() {
        let number = generator.generator.0;
        columns = columns
            .u64(&format!("samples_{number}"), Unit::Samples, move |r| part(r, i).0)
            .u64(&format!("samples_inclusive_{number}"), Unit::Samples, move |r| part(r, i).1);
    }
    columns
}
