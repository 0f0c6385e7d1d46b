//! Rows of locations and of groups.

use std::borrow::Cow;

use streamfold_kernels::profile::Oddities;
use streamfold_model::enums::LocationType;
use streamfold_model::ids::LocationRef;

use super::grid::{Grid, SPARED};
use super::rows::traffic_cells;
use super::wholes::Wholes;
use super::{metrics, Tables};
use crate::profile::listed::Listed;
use crate::profile::sort::SortKey;
use crate::profile::{samples, ProfileReport};
use streamfold_text::{human, names};

pub(super) fn locations(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> Tables {
    let profile = report.profile;
    let typed = any_other_type(report);
    let wholes = Wholes::new(report);
    let listed = Listed::locations(report, key, top);
    let row = |(i, name): (usize, &str)| {
        let row = &profile.locations[i];
        let percent = wholes.percent(row.inside, row.location);
        let mut cells = whole_cells(report, (row.inside, percent), row.events, row.visits);
        cells.extend(traffic_cells(&row.traffic));
        cells.push(odd(&row.oddities));
        let samples = samples::of_location(profile, i);
        cells.push(samples.map_or_else(String::new, |row| human::count(row.samples())));
        cells.push(row.location.to_string());
        let kind = location_type(report, row.location).filter(|_| typed);
        cells.push(kind.map(type_name).unwrap_or_default());
        cells.push(name.to_owned());
        cells
    };
    let rows: Vec<_> = listed.rows().map(row).collect();
    let of_location = |i| profile.metrics.of_location(i);
    let ticks = |i: usize| profile.locations[i].inside;
    let metrics = metrics::of_locations(report, "location", &listed, of_location, ticks);
    (whole_grid(report, rows, "number", "location"), listed.left_out, metrics)
}

pub(super) fn groups(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> Tables {
    let profile = report.profile;
    let wholes = Wholes::new(report);
    let listed = Listed::groups(report, key, top);
    let row = |(i, name): (usize, &str)| {
        let row = &profile.groups[i];
        let percent = wholes.percent_of_group(row.inside, row.group);
        let mut cells = whole_cells(report, (row.inside, percent), row.events, row.visits);
        cells.extend(traffic_cells(&row.traffic));
        cells.push(odd(&row.oddities));
        let samples = samples::of_group(profile, i);
        cells.push(samples.map_or_else(String::new, |row| human::count(row.samples())));
        cells.push(human::count(row.locations));
        cells.push(String::new());
        cells.push(name.to_owned());
        cells
    };
    let rows: Vec<_> = listed.rows().map(row).collect();
    let of_group = |i| profile.metrics.of_group(i);
    let ticks = |i: usize| profile.groups[i].inside;
    let metrics = metrics::of_locations(report, "group", &listed, of_group, ticks);
    (whole_grid(report, rows, "locs", "group"), listed.left_out, metrics)
}

/// Returns the type of a location.
fn location_type(report: &ProfileReport<'_>, location: LocationRef) -> Option<LocationType> {
    Some(report.definitions.locations.get(&location)?.location_type)
}

/// Returns whether some locations are no threads of processors.
fn any_other_type(report: &ProfileReport<'_>) -> bool {
    let mut types = report.profile.locations.iter().map(|row| location_type(report, row.location));
    types.any(|kind| kind.is_some_and(|kind| kind != LocationType::CpuThread))
}

fn type_name(kind: LocationType) -> String {
    word(&names::value(kind.name(), kind))
}

/// A name of the format in lower case: `cpu thread`.
pub(super) fn word(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', " ")
}

fn whole_cells(
    report: &ProfileReport<'_>,
    (inside, percent): (u128, String),
    events: u64,
    visits: u64,
) -> Vec<String> {
    vec![
        human::time(inside, report.provenance.timer_resolution),
        percent,
        human::count(events),
        human::count(visits),
    ]
}

/// Returns a word on oddities; empty if there are none.
pub(super) fn odd(oddities: &Oddities) -> String {
    let Oddities { open, crossed, unmatched, dropped: _, backward, .. } = *oddities;
    let Oddities { undefined_contexts, unbegun_io, wrong_flushes, .. } = *oddities;
    let Oddities { reordered, instants, renamed, .. } = *oddities;
    let records = backward + undefined_contexts + unbegun_io + wrong_flushes;
    let records = records + reordered + instants + renamed;
    match open + crossed + unmatched + records {
        0 => String::new(),
        sum => human::count(sum),
    }
}

fn whole_grid(
    report: &ProfileReport<'_>,
    rows: Vec<Vec<String>>,
    before: &'static str,
    what: &'static str,
) -> Grid {
    let profile = report.profile;
    let all = profile.total.exclusive;
    let percent = Wholes::new(report).percent_of_all(all);
    let mut total = whole_cells(report, (all, percent), profile.events, profile.total.visits);
    total.extend(traffic_cells(&profile.total.traffic));
    total.push(odd(&profile.oddities));
    let samples = profile.samples.as_ref();
    total.push(samples.map_or_else(String::new, |samples| human::count(samples.total.samples)));
    total.push(String::new());
    total.push(String::new());
    total.push("total".to_owned());
    let heading =
        WHOLE_HEADING.into_iter().chain([before, "type", what]).map(Cow::Borrowed).collect();
    Grid { heading, rows, total, spare: usize::MAX, spared: &SPARED }
}

/// The columns that rows of locations and of groups have first.
pub(super) const WHOLE_HEADING: [&str; 8] =
    ["in regions", "%", "events", "visits", "operations", "bytes", "odd", "samples"];
