//! Regions, call paths, location groups, locations, and all of them together.

use streamfold_kernels::profile::{Oddities, Quantity, RegionRow, Row, Step, Traffic};
use streamfold_model::definitions::Region;
use streamfold_model::ids::StringRef;
use streamfold_model::store::Definitions;

use super::metrics::{step_metrics, whole_metrics};
use super::samples::{sampled, whole_samples};
use super::taken_back::taken_back;
use super::{
    Columns, Outputs, Type, ALL, COUNT, CSV, EVENTS, HDF5, ID, JSON, LOCATIONS, LONG_ID, PARENT,
    SMALL, TEXT, TICKS, VISITS,
};
use crate::profile::sort::{group_row, location_row};
use crate::profile::{samples, ProfileReport};
use crate::tables::{Cell, Kind, Unit};
use streamfold_analyses::steps;
use streamfold_text::names;

/// Regions. CSV has those, too, that only samples have found.
pub(crate) fn regions<'a>(report: ProfileReport<'a>, rows: &'a [RegionRow]) -> Columns<'a> {
    let ProfileReport { profile, definitions, .. } = report;
    let source = move |get: fn(&Definitions, &Region) -> Cell| {
        let region = move |row: usize| definitions.regions.get(&rows[row].step.region()?);
        move |row| region(row).map_or(Cell::Absent, |region| get(definitions, region))
    };
    let columns = step(Columns::of(rows.len()), ALL, definitions, move |i| rows[i].step)
        .put(JSON, "canonical_name", TEXT, source(|d, region| text(d, region.canonical_name)))
        .put(CSV | JSON, "file", TEXT, source(|d, region| text(d, region.source_file)))
        .put(CSV, "line", ID, source(|_, region| line(region.begin_line_number)))
        .put(JSON, "begin_line", COUNT, source(|_, region| region.begin_line_number.into()))
        .put(JSON, "end_line", COUNT, source(|_, region| region.end_line_number.into()))
        .put(CSV, "paradigm", TEXT, source(paradigm))
        .put(
            CSV | JSON,
            "role",
            TEXT,
            source(|_, region| named(region.region_role.name(), region.region_role)),
        )
        .put(JSON, "paradigm", TEXT, source(paradigm))
        .put(JSON | HDF5, "outer", TICKS, move |i| rows[i].outer);
    let columns =
        times(columns, "exclusive", move |i| rows[i].row)
            .put(CSV, "outer", TICKS, move |i| rows[i].outer);
    let columns = spread(columns, move |i| rows[i].row);
    let columns = traffic(columns, move |i| rows[i].row.traffic);
    let back = &profile.taken_back;
    let mut columns = taken_back(columns, back, |i| back.regions.get(&rows[i].step));
    if !back.is_empty() {
        let outer = move |i: usize| back.outer.get(&rows[i].step).copied().unwrap_or_default();
        columns = columns.put(CSV, "taken_back_outer", TICKS, outer);
    }
    let times = move |i: usize| (rows[i].row.exclusive, rows[i].outer);
    let columns = step_metrics(columns, report, times, |i| profile.metrics.of_region(i));
    let Some(found) = profile.samples.as_deref() else { return columns };
    sampled(columns, CSV, found, move |i| samples::of_region(Some(found), rows[i].step))
}

/// Call paths.
pub(crate) fn paths(report: ProfileReport<'_>) -> Columns<'_> {
    let ProfileReport { profile, definitions, .. } = report;
    let rows = &profile.paths;
    let columns = Columns::of(rows.len())
        .put(CSV, "path", ID, |i| Cell::Id(i as u64))
        .put(ALL, "parent", PARENT, |i| rows[i].parent.map(|parent| Cell::Id(parent.into())))
        .put(ALL, "depth", SMALL, |i| rows[i].depth);
    let columns =
        step(columns, ALL, definitions, |i| rows[i].step)
            .put(CSV, "callpath", TEXT, move |i| steps::callpath(definitions, rows, i));
    let columns = spread(times(columns, "exclusive", |i| rows[i].row), |i| rows[i].row);
    let columns = traffic(columns, |i| rows[i].row.traffic);
    let back = &profile.taken_back;
    let columns = taken_back(columns, back, |i| back.paths.get(&(i as u32)));
    let times = |i: usize| (rows[i].row.exclusive, rows[i].row.inclusive);
    step_metrics(columns, report, times, |i| profile.metrics.of_path(i))
}

/// Locations.
pub(crate) fn locations(report: ProfileReport<'_>) -> Columns<'_> {
    let ProfileReport { profile, definitions, .. } = report;
    let rows = &profile.locations;
    let definition = |i: usize| definitions.locations.get(&rows[i].location);
    let columns = Columns::of(rows.len())
        .put(ALL, "location", LONG_ID, |i| Cell::Id(rows[i].location.0))
        .put(ALL, "name", TEXT, |i| names::location(definitions, rows[i].location))
        .put(CSV | JSON, "type", TEXT, move |i| {
            definition(i).map(|of| named(of.location_type.name(), of.location_type))
        })
        .put(CSV | JSON, "group", ID, move |i| {
            definition(i).map(|of| Cell::Id(of.location_group.0.into()))
        })
        .put(CSV | JSON, "group_name", TEXT, |i| names::group_of(definitions, rows[i].location))
        .put(ALL, "events", EVENTS, |i| rows[i].events)
        .put(JSON | HDF5, "unknown_events", EVENTS, |i| rows[i].unknown)
        .put(ALL, "first", TICKS, |i| rows[i].first.map(|time| time.0))
        .put(ALL, "last", TICKS, |i| rows[i].last.map(|time| time.0))
        .put(CSV, "max_depth", VISITS, |i| rows[i].depth);
    let columns = times(columns, "inside", |i| location_row(&rows[i]))
        .put(JSON | HDF5, "max_depth", VISITS, |i| rows[i].depth)
        .put(JSON, "oddities", TEXT, |i| oddities_object(&rows[i].oddities));
    let columns = traffic(columns, |i| rows[i].traffic);
    let columns = oddities(columns, CSV | HDF5, |i| &rows[i].oddities);
    let back = &profile.taken_back;
    let columns = taken_back(columns, back, |i| back.locations.get(&rows[i].location));
    let of_location = |i: usize| profile.metrics.of_location(i);
    let columns = whole_metrics(columns, report, |i| rows[i].inside, of_location);
    let Some(found) = profile.samples.as_deref() else { return columns };
    whole_samples(columns, CSV, found, |i| {
        samples::of_location(profile, i).map(|of| (&of.counts, of.estimated))
    })
}

/// Location groups.
pub(crate) fn groups(report: ProfileReport<'_>) -> Columns<'_> {
    let ProfileReport { profile, definitions, .. } = report;
    let rows = &profile.groups;
    let columns = Columns::of(rows.len())
        .put(ALL, "group", ID, |i| Cell::id(rows[i].group))
        .put(ALL, "name", TEXT, |i| names::group(definitions, rows[i].group))
        .put(ALL, "locations", LOCATIONS, |i| rows[i].locations)
        .put(ALL, "events", EVENTS, |i| rows[i].events);
    let columns =
        times(columns, "inside", |i| group_row(&rows[i]))
            .put(JSON, "oddities", TEXT, |i| oddities_object(&rows[i].oddities));
    let columns = traffic(columns, |i| rows[i].traffic);
    let columns = oddities(columns, CSV | HDF5, |i| &rows[i].oddities);
    let back = &profile.taken_back;
    let columns = taken_back(columns, back, |i| back.groups.get(&rows[i].group));
    let of_group = |i: usize| profile.metrics.of_group(i);
    let columns = whole_metrics(columns, report, |i| rows[i].inside, of_group);
    let Some(found) = profile.samples.as_deref() else { return columns };
    whole_samples(columns, CSV, found, |i| {
        samples::of_group(profile, i).map(|of| (&of.counts, of.estimated))
    })
}

/// The whole trace, as one row.
pub(crate) fn total(report: ProfileReport<'_>) -> Columns<'_> {
    let profile = report.profile;
    let columns = Columns::of(1).put(HDF5, "events", EVENTS, |_| profile.events);
    let columns = spread(times(columns, "exclusive", |_| profile.total), |_| profile.total);
    let columns = traffic(columns, |_| profile.total.traffic)
        .put(JSON, "events", EVENTS, |_| profile.events)
        .put(JSON, "outside_regions", TEXT, |_| {
            let numbers = profile.outside.numbers().map(Cell::from);
            let names = Traffic::COLUMNS.map(|(name, _)| name);
            Cell::Object(names.into_iter().zip(numbers).collect())
        });
    oddities(columns, HDF5, |_| &profile.oddities)
}

/// With reference, name and kind of a step.
pub(super) fn step<'a>(
    columns: Columns<'a>,
    outputs: Outputs,
    definitions: &'a Definitions,
    step: impl Fn(usize) -> Step + Clone + 'a,
) -> Columns<'a> {
    let (region, named) = (step.clone(), step.clone());
    columns
        .put(outputs, "region", ID, move |i| steps::reference(region(i)).map(Cell::id))
        .put(outputs, "name", TEXT, move |i| steps::step(definitions, named(i)))
        .put(outputs, "kind", TEXT, move |i| steps::kind(step(i)))
}

/// With visits and times. `own`: name of the time that is not that of other rows.
fn times<'a>(
    columns: Columns<'a>,
    own: &str,
    row: impl Fn(usize) -> Row + Copy + 'a,
) -> Columns<'a> {
    let extreme = move |i| row(i).extremes();
    columns
        .put(ALL, "visits", VISITS, move |i| row(i).visits)
        .put(ALL, "closed", VISITS, move |i| row(i).closed)
        .put(ALL, "inclusive", TICKS, move |i| row(i).inclusive)
        .put(ALL, own, TICKS, move |i| row(i).exclusive)
        .put(ALL, "shortest", TICKS, move |i| extreme(i).map(|(shortest, _)| shortest))
        .put(ALL, "longest", TICKS, move |i| extreme(i).map(|(_, longest)| longest))
        .or_zero()
        .put(CSV | JSON, "mean", (Kind::F64, Unit::Ticks), move |i| row(i).mean())
}

/// With the exclusive times of the locations that have least and most.
fn spread<'a>(columns: Columns<'a>, row: impl Fn(usize) -> Row + Copy + 'a) -> Columns<'a> {
    let spread = move |i| Some(row(i).spread).filter(|spread| spread.locations > 0);
    let mean = move |i| spread(i).map(|of| row(i).exclusive as f64 / of.locations as f64);
    let most_at = move |i| spread(i).map(|of| Cell::Id(of.most_at.0));
    columns
        .put(ALL, "locations", LOCATIONS, move |i| row(i).spread.locations)
        .put(JSON, "exclusive_by_location", TEXT, move |i| {
            spread(i).map(|of| {
                Cell::Object(vec![
                    ("least", of.least.into()),
                    ("mean", mean(i).into()),
                    ("most", of.most.into()),
                    ("most_at", most_at(i).into()),
                ])
            })
        })
        .put(CSV | HDF5, "least_exclusive", TICKS, move |i| spread(i).map(|of| of.least))
        .put(CSV, "mean_exclusive", (Kind::F64, Unit::Ticks), mean)
        .put(CSV | HDF5, "most_exclusive", TICKS, move |i| spread(i).map(|of| of.most))
        .or_zero()
        .put(CSV, "most_at_location", LONG_ID, most_at)
        .put(HDF5, "most_at", LONG_ID, most_at)
}

/// With messages and other operations.
pub(crate) fn traffic<'a>(
    columns: Columns<'a>,
    of: impl Fn(usize) -> Traffic + Copy + 'a,
) -> Columns<'a> {
    let names = Traffic::COLUMNS.into_iter().enumerate();
    names.fold(columns, |columns, (at, (name, quantity))| {
        columns.put(ALL, name, (Kind::U64, unit(quantity)), move |i| of(i).numbers()[at])
    })
}

/// Returns the unit of a number of the traffic.
pub(crate) fn unit(quantity: Quantity) -> Unit {
    match quantity {
        Quantity::Messages => Unit::Messages,
        Quantity::Operations => Unit::Operations,
        Quantity::Bytes => Unit::Bytes,
    }
}

const ODDITIES: [(&str, Type, fn(&Oddities) -> u64); 12] = [
    ("open", VISITS, |of| of.open),
    ("crossed", EVENTS, |of| of.crossed),
    ("unmatched", EVENTS, |of| of.unmatched),
    ("dropped", VISITS, |of| of.dropped),
    ("backward", EVENTS, |of| of.backward),
    ("undefined_contexts", EVENTS, |of| of.undefined_contexts),
    ("unbegun_io", EVENTS, |of| of.unbegun_io),
    ("wrong_flushes", EVENTS, |of| of.wrong_flushes),
    ("late", VISITS, |of| of.late),
    ("reordered", EVENTS, |of| of.reordered),
    ("instants", VISITS, |of| of.instants),
    ("renamed", EVENTS, |of| of.renamed),
];

fn oddities<'a>(
    columns: Columns<'a>,
    outputs: Outputs,
    of: impl Fn(usize) -> &'a Oddities + Copy + 'a,
) -> Columns<'a> {
    ODDITIES.into_iter().fold(columns, |columns, (name, kind, get)| {
        columns.put(outputs, name, kind, move |i| get(of(i)))
    })
}

fn oddities_object(of: &Oddities) -> Cell {
    Cell::Object(ODDITIES.map(|(name, _, get)| (name, get(of).into())).into())
}

/// One row of numbers.
pub(crate) fn numbers<const N: usize>(
    names: [&'static str; N],
    unit: Unit,
    numbers: [u64; N],
) -> Columns<'static> {
    names.into_iter().zip(numbers).fold(Columns::of(1), |columns, (name, number)| {
        columns.put(ALL, name, (Kind::U64, unit), move |_| number)
    })
}

/// A text of the trace, if it is defined.
fn text(definitions: &Definitions, string: StringRef) -> Cell {
    definitions.string(string).map(|text| text.to_string()).into()
}

/// The number of a line, if there is one.
fn line(number: u32) -> Cell {
    Some(number)
        .filter(|line| ![0, u32::MAX].contains(line))
        .map(|line| Cell::Id(line.into()))
        .into()
}

fn paradigm(_: &Definitions, region: &Region) -> Cell {
    named(region.paradigm.name(), region.paradigm)
}

/// A value of an enumeration by its name, or, of a newer writer, by its number.
pub(super) fn named(name: Option<&str>, number: impl Into<u8>) -> Cell {
    name.map_or_else(|| Cell::Count(u8::into(number.into())), Cell::from)
}
