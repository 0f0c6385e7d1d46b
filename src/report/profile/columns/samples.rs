//! Rows of calling contexts, lines and generators, and the columns that other rows have of samples.

use std::collections::BTreeMap;

use streamfold_kernels::profile::{SampleRow, Samples};
use streamfold_model::ids::{InterruptGeneratorRef, Reference};

use super::rows::named;
use super::{
    Columns, Outputs, ALL, COUNT, CSV, EVENTS, FLOAT, HDF5, ID, JSON, LOCATIONS, LONG_ID, NUMBER,
    PARENT, SAMPLES, SIGNED, SMALL, TEXT, TICKS, VISITS,
};
use crate::profile::{samples, ProfileReport};
use crate::tables::Cell;
use streamfold_analyses::steps;
use streamfold_text::names;

/// Calling contexts.
pub(crate) fn contexts<'a>(report: ProfileReport<'a>, found: &'a Samples) -> Columns<'a> {
    let (rows, definitions) = (&found.contexts, report.definitions);
    let columns = Columns::of(rows.len())
        .put(CSV, "context", ID, |i| Cell::Id(i as u64))
        .put(ALL, "parent", PARENT, |i| rows[i].parent.map(|parent| Cell::Id(parent.into())))
        .put(ALL, "depth", SMALL, |i| rows[i].depth)
        .put(ALL, "region", ID, |i| Cell::id(rows[i].region))
        .put(ALL, "name", TEXT, |i| names::region(definitions, rows[i].region))
        .put(CSV, "callpath", TEXT, move |i| steps::context(definitions, rows, i));
    sampled(columns, ALL, found, |i| Some(&rows[i].row))
}

/// Regions over all contexts.
pub(crate) fn sampled_regions<'a>(report: ProfileReport<'a>, found: &'a Samples) -> Columns<'a> {
    let (rows, definitions) = (&found.regions, report.definitions);
    let columns = Columns::of(rows.len())
        .put(JSON | HDF5, "region", ID, |i| Cell::id(rows[i].region))
        .put(JSON | HDF5, "name", TEXT, |i| names::region(definitions, rows[i].region));
    sampled(columns, JSON | HDF5, found, |i| Some(&rows[i].row))
}

/// The whole trace, as one row.
pub(crate) fn sampled_total(found: &Samples) -> Columns<'_> {
    let columns = Columns::of(1).put(HDF5, "outside", TICKS, |_| found.outside);
    sampled(columns, JSON | HDF5, found, |_| Some(&found.total))
        .put(JSON, "outside", TICKS, |_| found.outside)
}

/// Source lines.
pub(crate) fn lines<'a>(report: ProfileReport<'a>, found: &'a Samples) -> Columns<'a> {
    let (rows, definitions) = (&found.lines, report.definitions);
    let columns = Columns::of(rows.len())
        .put(ALL, "file", TEXT, |i| rows[i].line.map(|(file, _)| names::file(definitions, file)))
        .put(ALL, "line", ID, |i| rows[i].line.map(|(_, line)| Cell::Id(line.into())));
    let row = |i: usize| Some(&rows[i].row);
    let columns = estimated(counts(columns, ALL, row), ALL, row);
    split(columns, ALL, found, row)
}

/// Interrupt generators.
pub(crate) fn generators<'a>(report: ProfileReport<'a>, found: &'a Samples) -> Columns<'a> {
    let (rows, definitions) = (&found.generators, report.definitions);
    let definition = |i: usize| samples::definition(definitions, rows[i].generator);
    let stands_for = move |i| definition(i).and_then(|of| samples::stands_for(of, rows[i].samples));
    Columns::of(rows.len())
        .put(ALL, "generator", ID, |i| Cell::id(rows[i].generator))
        .put(ALL, "name", TEXT, |i| names::generator(definitions, rows[i].generator))
        .put(ALL, "mode", TEXT, move |i| {
            let mode = definition(i).map(|of| of.interrupt_generator_mode);
            mode.map(|mode| named(mode.name(), mode))
        })
        .put(ALL, "base", TEXT, move |i| definition(i).map(|of| named(of.base.name(), of.base)))
        .put(ALL, "exponent", SIGNED, move |i| definition(i).map(|of| i128::from(of.exponent)))
        .or_zero()
        .put(ALL, "period", COUNT, move |i| definition(i).map(|of| of.period))
        .or_zero()
        .put(ALL, "samples", SAMPLES, |i| rows[i].samples)
        .put(ALL, "locations", LOCATIONS, |i| rows[i].locations)
        .put(CSV, "stands_for", NUMBER, stands_for)
        .put(JSON | HDF5, "stands_for", FLOAT, stands_for)
}

/// Locations.
pub(crate) fn sampled_locations<'a>(report: ProfileReport<'a>, found: &'a Samples) -> Columns<'a> {
    let (rows, definitions) = (&found.locations, report.definitions);
    let columns = Columns::of(rows.len())
        .put(JSON | HDF5, "location", LONG_ID, |i| Cell::Id(rows[i].location.0))
        .put(JSON | HDF5, "name", TEXT, |i| names::location(definitions, rows[i].location))
        .put(HDF5, "samples", SAMPLES, |i| rows[i].samples())
        .put(JSON | HDF5, "estimated", TICKS, |i| rows[i].estimated)
        .put(JSON | HDF5, "odd_unwinds", EVENTS, |i| rows[i].odd_unwinds)
        .put(JSON | HDF5, "undefined_contexts", SAMPLES, |i| rows[i].undefined);
    let columns = sample_list(columns, found, |i| &rows[i].counts);
    split_counts(columns, HDF5, found, |i| Some(&rows[i].counts))
}

/// Location groups.
pub(crate) fn sampled_groups<'a>(report: ProfileReport<'a>, found: &'a Samples) -> Columns<'a> {
    let (rows, definitions) = (&found.groups, report.definitions);
    let columns = Columns::of(rows.len())
        .put(JSON | HDF5, "group", ID, |i| Cell::id(rows[i].group))
        .put(JSON | HDF5, "name", TEXT, |i| names::group(definitions, rows[i].group))
        .put(HDF5, "samples", SAMPLES, |i| rows[i].samples())
        .put(JSON | HDF5, "estimated", TICKS, |i| rows[i].estimated);
    let columns = sample_list(columns, found, |i| &rows[i].counts);
    split_counts(columns, HDF5, found, |i| Some(&rows[i].counts))
}

/// With the columns that contexts and regions have. A row that was never sampled has zeros.
pub(super) fn sampled<'a>(
    columns: Columns<'a>,
    outputs: Outputs,
    found: &'a Samples,
    row: impl Fn(usize) -> Option<&'a SampleRow> + Copy + 'a,
) -> Columns<'a> {
    let enters = move |i| row(i).map_or(0, |row| row.enters);
    let entered = move |i| row(i).map_or(0, |row| row.entered);
    let columns = counts(columns, outputs, row)
        .put(outputs & CSV, "context_enters", EVENTS, enters)
        .put(outputs & JSON, "enters", EVENTS, enters)
        .put(outputs & (CSV | JSON), "entered", VISITS, entered);
    let columns = estimated(columns, outputs, row)
        .put(outputs & HDF5, "enters", EVENTS, enters)
        .put(outputs & HDF5, "entered", VISITS, entered)
        .put(outputs, "certain", TICKS, move |i| row(i).map_or(0, |row| row.certain));
    split(columns, outputs, found, row)
}

fn counts<'a>(
    columns: Columns<'a>,
    outputs: Outputs,
    row: impl Fn(usize) -> Option<&'a SampleRow> + Copy + 'a,
) -> Columns<'a> {
    let inclusive = move |i| row(i).map_or(0, |row| row.samples_inclusive);
    columns.put(outputs, "samples", SAMPLES, move |i| row(i).map_or(0, |row| row.samples)).put(
        outputs,
        "samples_inclusive",
        SAMPLES,
        inclusive,
    )
}

fn estimated<'a>(
    columns: Columns<'a>,
    outputs: Outputs,
    row: impl Fn(usize) -> Option<&'a SampleRow> + Copy + 'a,
) -> Columns<'a> {
    let inclusive = move |i| row(i).map_or(0, |row| row.estimated_inclusive);
    columns.put(outputs, "estimated", TICKS, move |i| row(i).map_or(0, |row| row.estimated)).put(
        outputs,
        "estimated_inclusive",
        TICKS,
        inclusive,
    )
}

/// With the counts of each interrupt generator: as columns where there are several, as lists in JSON, unless there are
/// too many of them.
fn split<'a>(
    mut columns: Columns<'a>,
    outputs: Outputs,
    found: &'a Samples,
    row: impl Fn(usize) -> Option<&'a SampleRow> + Copy + 'a,
) -> Columns<'a> {
    let part = move |i, at| row(i).and_then(|row| row.by_generator.get(at)).copied();
    for (at, generator) in split_generators(found).enumerate() {
        for output in [CSV, HDF5] {
            let number = number(generator, output);
            let own = move |i| part(i, at).unwrap_or_default().0;
            let inclusive = move |i| part(i, at).unwrap_or_default().1;
            columns = columns.put(outputs & output, format!("samples_{number}"), SAMPLES, own).put(
                outputs & output,
                format!("samples_inclusive_{number}"),
                SAMPLES,
                inclusive,
            );
        }
    }
    let list = move |get: fn(&(u64, u64)) -> u64| {
        let all = move |i| row(i).map_or(&[][..], |row| &row.by_generator);
        move |i| match all(i) {
            [] => Cell::Absent,
            all => Cell::List(all.iter().map(get).map(Cell::from).collect()),
        }
    };
    columns.put(outputs & JSON, "samples_by_generator", SAMPLES, list(|of| of.0)).put(
        outputs & JSON,
        "samples_inclusive_by_generator",
        SAMPLES,
        list(|of| of.1),
    )
}

type Counts = BTreeMap<InterruptGeneratorRef, u64>;

/// With the columns of samples that locations and groups have.
pub(super) fn whole_samples<'a>(
    columns: Columns<'a>,
    outputs: Outputs,
    found: &'a Samples,
    of: impl Fn(usize) -> Option<(&'a Counts, u128)> + Copy + 'a,
) -> Columns<'a> {
    let columns = columns
        .put(outputs, "samples", SAMPLES, move |i| {
            of(i).map_or(0, |(counts, _)| counts.values().sum())
        })
        .put(outputs, "estimated", TICKS, move |i| of(i).map_or(0, |(_, estimated)| estimated));
    split_counts(columns, outputs, found, move |i| Some(of(i)?.0))
}

fn split_counts<'a>(
    columns: Columns<'a>,
    output: Outputs,
    found: &'a Samples,
    of: impl Fn(usize) -> Option<&'a Counts> + Copy + 'a,
) -> Columns<'a> {
    split_generators(found).fold(columns, |columns, generator| {
        let name = format!("samples_{}", number(generator, output));
        let count = move |i| of(i).and_then(|counts| counts.get(&generator)).copied();
        columns.put(output, name, SAMPLES, move |i| count(i).unwrap_or(0))
    })
}

/// With the members of JSON.
fn sample_list<'a>(
    columns: Columns<'a>,
    found: &'a Samples,
    of: impl Fn(usize) -> &'a Counts + Copy + 'a,
) -> Columns<'a> {
    let columns = columns.put(JSON, "samples", SAMPLES, move |i| of(i).values().sum::<u64>());
    if found.generators.len() > Samples::MOST_SPLIT {
        return columns;
    }
    columns.put(JSON, "samples_by_generator", SAMPLES, move |i| {
        let count = |generator| of(i).get(generator).copied().unwrap_or(0);
        let generators = found.generators.iter();
        Cell::List(generators.map(|row| count(&row.generator).into()).collect())
    })
}

/// The generators that have columns of their own.
fn split_generators(found: &Samples) -> impl Iterator<Item = InterruptGeneratorRef> + '_ {
    let several = (2..=Samples::MOST_SPLIT).contains(&found.generators.len());
    let shown = if several { &found.generators[..] } else { &[] };
    shown.iter().map(|row| row.generator)
}

/// The number of a generator in names of columns: CSV has none of undefined ones.
fn number(generator: InterruptGeneratorRef, output: Outputs) -> String {
    match output == CSV && generator.is_undefined() {
        true => String::new(),
        false => generator.to_string(),
    }
}
