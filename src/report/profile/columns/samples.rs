//! Rows of calling contexts, lines and generators, and the columns that other rows have of samples.

use std::collections::BTreeMap;

use streamfold_kernels::profile::{GeneratorRow, SampleRow, Samples};
use streamfold_model::ids::{InterruptGeneratorRef, Reference};

use super::rows::named;
use super::{
    Columns, Of, Outputs, Type, ALL, COUNT, CSV, EVENTS, FLOAT, HDF5, ID, JSON, LOCATIONS, LONG_ID,
    NUMBER, PARENT, SAMPLES, SIGNED, SMALL, TEXT, TICKS, VISITS,
};
use crate::profile::{samples, ProfileReport};
use crate::tables::Cell;
use streamfold_analyses::steps;
use streamfold_text::names;

/// Calling contexts.
pub(crate) fn contexts<'a>(report: ProfileReport<'a>, found: &'a Samples) -> Columns<'a> {
    let (rows, definitions) = (&found.contexts, report.definitions);
    Columns::of(rows.len())
        .put(CSV, "context", ID, |i| Cell::Id(i as u64))
        .put(ALL, "parent", PARENT, |i| rows[i].parent.map(|parent| Cell::Id(parent.into())))
        .put(ALL, "depth", SMALL, |i| rows[i].depth)
        .put(ALL, "region", ID, |i| Cell::id(rows[i].region))
        .put(ALL, "name", TEXT, |i| names::region(definitions, rows[i].region))
        .put(CSV, "callpath", TEXT, move |i| steps::context(definitions, rows, i))
        .sampled(ALL, Some(found), |i| Some(&rows[i].row))
}

/// Regions over all contexts.
pub(crate) fn sampled_regions<'a>(report: ProfileReport<'a>, found: &'a Samples) -> Columns<'a> {
    let (rows, definitions) = (&found.regions, report.definitions);
    Columns::of(rows.len())
        .put(JSON | HDF5, "region", ID, |i| Cell::id(rows[i].region))
        .put(JSON | HDF5, "name", TEXT, |i| names::region(definitions, rows[i].region))
        .sampled(JSON | HDF5, Some(found), |i| Some(&rows[i].row))
}

/// The whole trace, as one row.
pub(crate) fn sampled_total(found: &Samples) -> Columns<'_> {
    Columns::of(1)
        .put(HDF5, "outside", TICKS, |_| found.outside)
        .sampled(JSON | HDF5, Some(found), |_| Some(&found.total))
        .put(JSON, "outside", TICKS, |_| found.outside)
}

/// Source lines.
pub(crate) fn lines<'a>(report: ProfileReport<'a>, found: &'a Samples) -> Columns<'a> {
    let (rows, definitions) = (&found.lines, report.definitions);
    Columns::of(rows.len())
        .put(ALL, "file", TEXT, |i| Some(names::file(definitions, rows[i].line?.0)))
        .put(ALL, "line", ID, |i| Some(Cell::Id(rows[i].line?.1.into())))
        .put(ALL, "samples", SAMPLES, |i| rows[i].row.samples)
        .put(ALL, "samples_inclusive", SAMPLES, |i| rows[i].row.samples_inclusive)
        .put(ALL, "estimated", TICKS, |i| rows[i].row.estimated)
        .put(ALL, "estimated_inclusive", TICKS, |i| rows[i].row.estimated_inclusive)
        .split(ALL, found, |i| Some(&rows[i].row))
}

/// Interrupt generators.
pub(crate) fn generators<'a>(report: ProfileReport<'a>, found: &'a Samples) -> Columns<'a> {
    let (rows, definitions) = (&found.generators, report.definitions);
    let definition = |i: usize| samples::definition(definitions, rows[i].generator);
    let mode = move |i| Some(definition(i)?.interrupt_generator_mode);
    let base = move |i| Some(definition(i)?.base);
    let stands_for = move |i| samples::stands_for(definition(i)?, rows[i].samples);
    Columns::of(rows.len())
        .put(ALL, "generator", ID, |i| Cell::id(rows[i].generator))
        .put(ALL, "name", TEXT, |i| names::generator(definitions, rows[i].generator))
        .put(ALL, "mode", TEXT, move |i| mode(i).map(|mode| named(mode.name(), mode)))
        .put(ALL, "base", TEXT, move |i| base(i).map(|base| named(base.name(), base)))
        .put(ALL, "exponent", SIGNED, move |i| Some(i128::from(definition(i)?.exponent)))
        .or_zero()
        .put(ALL, "period", COUNT, move |i| Some(definition(i)?.period))
        .or_zero()
        .put(ALL, "samples", SAMPLES, |i| rows[i].samples)
        .put(ALL, "locations", LOCATIONS, |i| rows[i].locations)
        .put(CSV, "stands_for", NUMBER, stands_for)
        .put(JSON | HDF5, "stands_for", FLOAT, stands_for)
}

/// Locations.
pub(crate) fn sampled_locations<'a>(report: ProfileReport<'a>, found: &'a Samples) -> Columns<'a> {
    let (rows, definitions) = (&found.locations, report.definitions);
    Columns::of(rows.len())
        .put(JSON | HDF5, "location", LONG_ID, |i| Cell::Id(rows[i].location.0))
        .put(JSON | HDF5, "name", TEXT, |i| names::location(definitions, rows[i].location))
        .put(HDF5, "samples", SAMPLES, |i| rows[i].samples())
        .put(JSON | HDF5, "estimated", TICKS, |i| rows[i].estimated)
        .put(JSON | HDF5, "odd_unwinds", EVENTS, |i| rows[i].odd_unwinds)
        .put(JSON | HDF5, "undefined_contexts", SAMPLES, |i| rows[i].undefined)
        .put(JSON, "samples", SAMPLES, |i| rows[i].samples())
        .split_counts(JSON | HDF5, found, |i| Some(&rows[i].counts))
}

/// Location groups.
pub(crate) fn sampled_groups<'a>(report: ProfileReport<'a>, found: &'a Samples) -> Columns<'a> {
    let (rows, definitions) = (&found.groups, report.definitions);
    Columns::of(rows.len())
        .put(JSON | HDF5, "group", ID, |i| Cell::id(rows[i].group))
        .put(JSON | HDF5, "name", TEXT, |i| names::group(definitions, rows[i].group))
        .put(HDF5, "samples", SAMPLES, |i| rows[i].samples())
        .put(JSON | HDF5, "estimated", TICKS, |i| rows[i].estimated)
        .put(JSON, "samples", SAMPLES, |i| rows[i].samples())
        .split_counts(JSON | HDF5, found, |i| Some(&rows[i].counts))
}

type Sampled = (Outputs, &'static str, Type, fn(&SampleRow) -> Cell);

/// Columns that contexts and regions have of samples.
const SAMPLED: [Sampled; 10] = [
    (ALL, "samples", SAMPLES, |row| row.samples.into()),
    (ALL, "samples_inclusive", SAMPLES, |row| row.samples_inclusive.into()),
    (CSV, "context_enters", EVENTS, |row| row.enters.into()),
    (JSON, "enters", EVENTS, |row| row.enters.into()),
    (CSV | JSON, "entered", VISITS, |row| row.entered.into()),
    (ALL, "estimated", TICKS, |row| row.estimated.into()),
    (ALL, "estimated_inclusive", TICKS, |row| row.estimated_inclusive.into()),
    (HDF5, "enters", EVENTS, |row| row.enters.into()),
    (HDF5, "entered", VISITS, |row| row.entered.into()),
    (ALL, "certain", TICKS, |row| row.certain.into()),
];

/// How many samples each interrupt generator took.
type Counts = BTreeMap<InterruptGeneratorRef, u64>;

impl<'a> Columns<'a> {
    /// Samples of contexts and regions, where anything was sampled. A row that never was has zeros.
    pub(super) fn sampled(
        self,
        outputs: Outputs,
        found: Option<&'a Samples>,
        row: impl Of<'a, Option<&'a SampleRow>>,
    ) -> Self {
        let Some(found) = found else { return self };
        let columns = SAMPLED.into_iter().fold(self, |columns, (to, name, of, get)| {
            columns.put(outputs & to, name, of, move |i| row(i).map_or(Cell::Count(0), get))
        });
        columns.split(outputs, found, row)
    }

    /// Counts of each interrupt generator: as columns where there are several, as lists in JSON, unless there are too
    /// many of them.
    fn split(
        mut self,
        outputs: Outputs,
        found: &'a Samples,
        row: impl Of<'a, Option<&'a SampleRow>>,
    ) -> Self {
        let part = move |i, at: usize| row(i).and_then(|row| row.by_generator.get(at)).copied();
        for (at, [csv, hdf5]) in split_generators(found).enumerate() {
            for (output, number) in [(CSV, csv), (HDF5, hdf5)] {
                let (own, all) =
                    (format!("samples_{number}"), format!("samples_inclusive_{number}"));
                self = self
                    .put(outputs & output, own, SAMPLES, move |i| part(i, at).unwrap_or_default().0)
                    .put(outputs & output, all, SAMPLES, move |i| {
                        part(i, at).unwrap_or_default().1
                    });
            }
        }
        let list = move |get: fn(&(u64, u64)) -> u64| {
            move |i| match row(i).map_or(&[][..], |row| &row.by_generator) {
                [] => Cell::Absent,
                all => Cell::List(all.iter().map(get).map(Cell::from).collect()),
            }
        };
        self.put(outputs & JSON, "samples_by_generator", SAMPLES, list(|of| of.0)).put(
            outputs & JSON,
            "samples_inclusive_by_generator",
            SAMPLES,
            list(|of| of.1),
        )
    }

    /// Samples of locations and groups in CSV, where anything was sampled.
    pub(super) fn whole_samples(
        self,
        found: Option<&'a Samples>,
        of: impl Of<'a, Option<(&'a Counts, u128)>>,
    ) -> Self {
        let Some(found) = found else { return self };
        self.put(CSV, "samples", SAMPLES, move |i| of(i).map_or(0, |of| of.0.values().sum()))
            .put(CSV, "estimated", TICKS, move |i| of(i).map_or(0, |of| of.1))
            .split_counts(CSV, found, move |i| Some(of(i)?.0))
    }

    fn split_counts(
        mut self,
        outputs: Outputs,
        found: &'a Samples,
        of: impl Of<'a, Option<&'a Counts>>,
    ) -> Self {
        let count = move |i, at: usize| {
            of(i).and_then(|counts| counts.get(&found.generators[at].generator)).copied()
        };
        for (at, [csv, hdf5]) in split_generators(found).enumerate() {
            for (output, number) in [(CSV, csv), (HDF5, hdf5)] {
                let own = move |i| count(i, at).unwrap_or(0);
                self = self.put(outputs & output, format!("samples_{number}"), SAMPLES, own);
            }
        }
        let list = move |i| {
            let counts = (0..found.generators.len()).map(|at| count(i, at).unwrap_or(0).into());
            Cell::List(counts.collect())
        };
        let few = found.generators.len() <= Samples::MOST_SPLIT;
        self.put_if(few, outputs & JSON, "samples_by_generator", SAMPLES, list)
    }
}

/// The numbers of generators that have columns of their own, in CSV and in HDF5: CSV has none of undefined ones.
fn split_generators(found: &Samples) -> impl Iterator<Item = [String; 2]> + '_ {
    let several = (2..=Samples::MOST_SPLIT).contains(&found.generators.len());
    let shown = if several { &found.generators[..] } else { &[] };
    shown.iter().map(|GeneratorRow { generator, .. }| {
        let hdf5 = generator.to_string();
        [if generator.is_undefined() { String::new() } else { hdf5.clone() }, hdf5]
    })
}
