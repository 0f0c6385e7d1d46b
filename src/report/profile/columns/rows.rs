//! Regions, call paths, location groups, locations, and all of them together.

use streamfold_kernels::profile::{Oddities, Quantity, RegionRow, Row, Step, Traffic};
use streamfold_model::definitions::Region;
use streamfold_model::ids::StringRef;
use streamfold_model::store::Definitions;

use super::{
    Columns, Of, Outputs, Type, ALL, COUNT, CSV, EVENTS, HDF5, ID, JSON, LOCATIONS, LONG_ID,
    MEAN_TICKS, PARENT, SMALL, TEXT, TICKS, VISITS,
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
    let (back, samples) = (&profile.taken_back, profile.samples.as_deref());
    let outer_back = move |i: usize| back.outer.get(&rows[i].step).copied().unwrap_or_default();
    let times = move |i: usize| (rows[i].row.exclusive, rows[i].outer);
    Columns::of(rows.len())
        .step(ALL, definitions, move |i| rows[i].step)
        .put(JSON, "canonical_name", TEXT, source(|d, region| text(d, region.canonical_name)))
        .put(CSV | JSON, "file", TEXT, source(|d, region| text(d, region.source_file)))
        .put(CSV, "line", ID, source(|_, region| line(region.begin_line_number)))
        .put(JSON, "begin_line", COUNT, source(|_, region| region.begin_line_number.into()))
        .put(JSON, "end_line", COUNT, source(|_, region| region.end_line_number.into()))
        .put(CSV, "paradigm", TEXT, source(paradigm))
        .put(CSV | JSON, "role", TEXT, source(role))
        .put(JSON, "paradigm", TEXT, source(paradigm))
        .put(JSON | HDF5, "outer", TICKS, move |i| rows[i].outer)
        .times("exclusive", move |i| rows[i].row)
        .put(CSV, "outer", TICKS, move |i| rows[i].outer)
        .spread(move |i| rows[i].row)
        .traffic(move |i| rows[i].row.traffic)
        .taken_back(back, |i| back.regions.get(&rows[i].step))
        .put_if(!back.is_empty(), CSV, "taken_back_outer", TICKS, outer_back)
        .step_metrics(report, times, |i| profile.metrics.of_region(i))
        .sampled(CSV, samples, move |i| samples::of_region(samples, rows[i].step))
}

/// Call paths.
pub(crate) fn paths(report: ProfileReport<'_>) -> Columns<'_> {
    let ProfileReport { profile, definitions, .. } = report;
    let (rows, back) = (&profile.paths, &profile.taken_back);
    let times = |i: usize| (rows[i].row.exclusive, rows[i].row.inclusive);
    Columns::of(rows.len())
        .put(CSV, "path", ID, |i| Cell::Id(i as u64))
        .put(ALL, "parent", PARENT, |i| rows[i].parent.map(|parent| Cell::Id(parent.into())))
        .put(ALL, "depth", SMALL, |i| rows[i].depth)
        .step(ALL, definitions, |i| rows[i].step)
        .put(CSV, "callpath", TEXT, move |i| steps::callpath(definitions, rows, i))
        .times("exclusive", |i| rows[i].row)
        .spread(|i| rows[i].row)
        .traffic(|i| rows[i].row.traffic)
        .taken_back(back, |i| back.paths.get(&(i as u32)))
        .step_metrics(report, times, |i| profile.metrics.of_path(i))
}

/// Locations.
pub(crate) fn locations(report: ProfileReport<'_>) -> Columns<'_> {
    let ProfileReport { profile, definitions, .. } = report;
    let (rows, back) = (&profile.locations, &profile.taken_back);
    let definition = |i: usize| definitions.locations.get(&rows[i].location);
    let kind = move |i| Some(definition(i)?.location_type);
    let samples = |i| samples::of_location(profile, i).map(|of| (&of.counts, of.estimated));
    Columns::of(rows.len())
        .put(ALL, "location", LONG_ID, |i| Cell::Id(rows[i].location.0))
        .put(ALL, "name", TEXT, |i| names::location(definitions, rows[i].location))
        .put(CSV | JSON, "type", TEXT, move |i| kind(i).map(|kind| named(kind.name(), kind)))
        .put(CSV | JSON, "group", ID, move |i| {
            Some(Cell::Id(definition(i)?.location_group.0.into()))
        })
        .put(CSV | JSON, "group_name", TEXT, |i| names::group_of(definitions, rows[i].location))
        .put(ALL, "events", EVENTS, |i| rows[i].events)
        .put(JSON | HDF5, "unknown_events", EVENTS, |i| rows[i].unknown)
        .put(ALL, "first", TICKS, |i| rows[i].first.map(|time| time.0))
        .put(ALL, "last", TICKS, |i| rows[i].last.map(|time| time.0))
        .put(CSV, "max_depth", VISITS, |i| rows[i].depth)
        .times("inside", |i| location_row(&rows[i]))
        .put(JSON | HDF5, "max_depth", VISITS, |i| rows[i].depth)
        .put(JSON, "oddities", TEXT, |i| oddities(&rows[i].oddities))
        .traffic(|i| rows[i].traffic)
        .oddities(CSV | HDF5, |i| &rows[i].oddities)
        .taken_back(back, |i| back.locations.get(&rows[i].location))
        .whole_metrics(report, |i| rows[i].inside, |i| profile.metrics.of_location(i))
        .whole_samples(profile.samples.as_deref(), samples)
}

/// Location groups.
pub(crate) fn groups(report: ProfileReport<'_>) -> Columns<'_> {
    let ProfileReport { profile, definitions, .. } = report;
    let (rows, back) = (&profile.groups, &profile.taken_back);
    let samples = |i| samples::of_group(profile, i).map(|of| (&of.counts, of.estimated));
    Columns::of(rows.len())
        .put(ALL, "group", ID, |i| Cell::id(rows[i].group))
        .put(ALL, "name", TEXT, |i| names::group(definitions, rows[i].group))
        .put(ALL, "locations", LOCATIONS, |i| rows[i].locations)
        .put(ALL, "events", EVENTS, |i| rows[i].events)
        .times("inside", |i| group_row(&rows[i]))
        .put(JSON, "oddities", TEXT, |i| oddities(&rows[i].oddities))
        .traffic(|i| rows[i].traffic)
        .oddities(CSV | HDF5, |i| &rows[i].oddities)
        .taken_back(back, |i| back.groups.get(&rows[i].group))
        .whole_metrics(report, |i| rows[i].inside, |i| profile.metrics.of_group(i))
        .whole_samples(profile.samples.as_deref(), samples)
}

/// The whole trace, as one row.
pub(crate) fn total(report: ProfileReport<'_>) -> Columns<'_> {
    let profile = report.profile;
    Columns::of(1)
        .put(HDF5, "events", EVENTS, |_| profile.events)
        .times("exclusive", |_| profile.total)
        .spread(|_| profile.total)
        .traffic(|_| profile.total.traffic)
        .put(JSON, "events", EVENTS, |_| profile.events)
        .put(JSON, "outside_regions", TEXT, |_| {
            let names = Traffic::COLUMNS.into_iter().map(|(name, _)| name);
            Cell::Object(names.zip(profile.outside.numbers().map(Cell::from)).collect())
        })
        .oddities(HDF5, |_| &profile.oddities)
}

impl<'a> Columns<'a> {
    /// Reference, name and kind of a step.
    pub(super) fn step(
        self,
        outputs: Outputs,
        definitions: &'a Definitions,
        step: impl Fn(usize) -> Step + Clone + 'a,
    ) -> Self {
        let (region, named) = (step.clone(), step.clone());
        self.put(outputs, "region", ID, move |i| steps::reference(region(i)).map(Cell::id))
            .put(outputs, "name", TEXT, move |i| steps::step(definitions, named(i)))
            .put(outputs, "kind", TEXT, move |i| steps::kind(step(i)))
    }

    /// Visits and times. `own`: name of the time that is not that of other rows.
    fn times(self, own: &str, row: impl Of<'a, Row>) -> Self {
        self.put(ALL, "visits", VISITS, move |i| row(i).visits)
            .put(ALL, "closed", VISITS, move |i| row(i).closed)
            .put(ALL, "inclusive", TICKS, move |i| row(i).inclusive)
            .put(ALL, own, TICKS, move |i| row(i).exclusive)
            .put(ALL, "shortest", TICKS, move |i| Some(row(i).extremes()?.0))
            .put(ALL, "longest", TICKS, move |i| Some(row(i).extremes()?.1))
            .or_zero()
            .put(CSV | JSON, "mean", MEAN_TICKS, move |i| row(i).mean())
    }

    /// Exclusive times of the locations that have least and most.
    fn spread(self, row: impl Of<'a, Row>) -> Self {
        let spread = move |i| Some(row(i).spread).filter(|spread| spread.locations > 0);
        let mean = move |i| Some(row(i).exclusive as f64 / spread(i)?.locations as f64);
        let most_at = move |i| Some(Cell::Id(spread(i)?.most_at.0));
        let least = move |i| Some(spread(i)?.least);
        let most = move |i| Some(spread(i)?.most);
        self.put(ALL, "locations", LOCATIONS, move |i| row(i).spread.locations)
            .put(JSON, "exclusive_by_location", TEXT, move |i| {
                let (mean, most) = (("mean", mean(i).into()), ("most", most(i).into()));
                let members = |_| {
                    vec![("least", least(i).into()), mean, most, ("most_at", most_at(i).into())]
                };
                spread(i).map(members).map(Cell::Object)
            })
            .put(CSV | HDF5, "least_exclusive", TICKS, least)
            .put(CSV, "mean_exclusive", MEAN_TICKS, mean)
            .put(CSV | HDF5, "most_exclusive", TICKS, most)
            .or_zero()
            .put(CSV, "most_at_location", LONG_ID, most_at)
            .put(HDF5, "most_at", LONG_ID, most_at)
    }

    /// Messages and other operations.
    pub(crate) fn traffic(self, of: impl Of<'a, Traffic>) -> Self {
        Traffic::COLUMNS.into_iter().enumerate().fold(self, |columns, (at, (name, quantity))| {
            columns.put(ALL, name, (Kind::U64, unit(quantity)), move |i| of(i).numbers()[at])
        })
    }

    fn oddities(self, outputs: Outputs, of: impl Of<'a, &'a Oddities>) -> Self {
        ODDITIES.into_iter().fold(self, |columns, (name, kind, get)| {
            columns.put(outputs, name, kind, move |i| get(of(i)))
        })
    }
}

/// Returns the unit of a number of the traffic.
pub(crate) fn unit(quantity: Quantity) -> Unit {
    match quantity {
        Quantity::Messages => Unit::Messages,
        Quantity::Operations => Unit::Operations,
        Quantity::Bytes => Unit::Bytes,
    }
}

type Oddity = (&'static str, Type, fn(&Oddities) -> u64);

const ODDITIES: [Oddity; 12] = [
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

fn oddities(of: &Oddities) -> Cell {
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

fn role(_: &Definitions, region: &Region) -> Cell {
    named(region.region_role.name(), region.region_role)
}

/// A value of an enumeration by its name, or, of a newer writer, by its number.
pub(super) fn named(name: Option<&str>, number: impl Into<u8>) -> Cell {
    name.map_or_else(|| Cell::Count(u8::into(number.into())), Cell::from)
}
