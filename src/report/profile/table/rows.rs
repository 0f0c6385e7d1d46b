//! Rows of regions and of call paths.

use std::borrow::Cow;

use streamfold_kernels::profile::{Row, SampleRow, Spread, Traffic};

use super::grid::{Grid, SPARED};
use super::wholes::Wholes;
use super::{metrics, Tables};
use crate::profile::listed::Listed;
use crate::profile::sort::SortKey;
use crate::profile::{samples, ProfileReport};
use streamfold_text::{human, names};

/// The columns that rows of regions and of call paths have before their names.
pub(super) const ROW_HEADING: [&str; 18] = [
    "exclusive",
    "%",
    "inclusive",
    "visits",
    "mean visit",
    "shortest",
    "longest",
    "locs",
    "least",
    "mean",
    "most",
    "at",
    "operations",
    "bytes",
    "estimated",
    "incl. estimated",
    "samples",
    "incl. samples",
];

/// The place of the number of locations among them.
const LOCATIONS: usize = 7;

fn row_cells(
    report: &ProfileReport<'_>,
    row: &Row,
    inclusive: u128,
    sampled: Option<&SampleRow>,
    wholes: &Wholes<'_>,
) -> Vec<String> {
    let resolution = report.provenance.timer_resolution;
    let percent = |ticks: u128| wholes.percent(ticks, row.spread.most_at);
    let time = |ticks: u128| human::time(ticks, resolution);
    let if_closed = |text: String| if row.closed > 0 { text } else { "-".to_owned() };
    let (shortest, longest) = row.extremes().unzip();
    let if_any = |ticks: Option<u64>| ticks.map_or("-".to_owned(), |ticks| time(ticks.into()));
    let mean = row.inclusive.checked_div(row.closed.into()).unwrap_or(0);
    let mut cells = vec![
        time(row.exclusive),
        percent(row.exclusive),
        time(inclusive),
        human::count(row.visits),
        if_closed(time(mean)),
        if_any(shortest),
        if_any(longest),
    ];
    if (row.visits, row.closed, row.inclusive) == (0, 0, 0) && sampled.is_some() {
        // Only samples have found it.
        cells.iter_mut().for_each(String::clear);
    }
    cells.extend(spread_cells(report, &row.spread, row.exclusive));
    cells.extend(traffic_cells(&row.traffic));
    cells.extend(sampled.map_or_else(Default::default, |row| sample_cells(row, resolution)));
    cells
}

fn sample_cells(row: &SampleRow, resolution: u64) -> [String; 4] {
    [
        human::time(row.estimated, resolution),
        human::time(row.estimated_inclusive, resolution),
        human::count(row.samples),
        human::count(row.samples_inclusive),
    ]
}

fn spread_cells(report: &ProfileReport<'_>, spread: &Spread, exclusive: u128) -> Vec<String> {
    let resolution = report.provenance.timer_resolution;
    if spread.locations == 0 {
        return vec![String::new(); 5];
    }
    vec![
        human::count(spread.locations),
        human::time(spread.least, resolution),
        human::time(exclusive / u128::from(spread.locations), resolution),
        human::time(spread.most, resolution),
        human::visible(&human::short(names::place(report.definitions, spread.most_at)))
            .into_owned(),
    ]
}

/// Messages and other operations together, and their bytes in both directions.
pub(super) fn traffic_cells(traffic: &Traffic) -> Vec<String> {
    if traffic.is_empty() {
        return vec![String::new(); 2];
    }
    vec![human::count(traffic.operations()), human::bytes(traffic.bytes())]
}

pub(super) fn regions(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> Tables {
    let profile = report.profile;
    let all = samples::region_rows(profile);
    let samples = profile.samples.as_deref();
    let wholes = Wholes::new(report);
    let listed = Listed::regions(report, &all, key, top);
    let row = |(i, name): (usize, &str)| {
        let row = &all[i];
        let sampled = samples::of_region(samples, row.step);
        let mut cells = row_cells(report, &row.row, row.outer, sampled, &wholes);
        cells.push(name.to_owned());
        cells
    };
    let rows: Vec<_> = listed.rows().map(row).collect();
    let total = samples.map(|samples| &samples.total);
    let of_region = |i| profile.metrics.of_region(i);
    let times = |i: usize| (all[i].row.exclusive, all[i].outer);
    let metrics = metrics::of_steps(report, "region", &listed, of_region, times);
    (row_grid(report, rows, (total, &wholes), "region"), listed.left_out, metrics)
}

pub(super) fn paths(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> Tables {
    let profile = report.profile;
    let wholes = Wholes::new(report);
    let listed = Listed::paths(report, key, top);
    let row = |(i, name): (usize, &str)| {
        let row = &profile.paths[i].row;
        let mut cells = row_cells(report, row, row.inclusive, None, &wholes);
        cells.push(name.to_owned());
        cells
    };
    let rows: Vec<_> = listed.rows().map(row).collect();
    let of_path = |i| profile.metrics.of_path(i);
    let times = |i: usize| (profile.paths[i].row.exclusive, profile.paths[i].row.inclusive);
    let metrics = metrics::of_steps(report, "call path", &listed, of_path, times);
    (row_grid(report, rows, (None, &wholes), "call path"), listed.left_out, metrics)
}

fn row_grid(
    report: &ProfileReport<'_>,
    rows: Vec<Vec<String>>,
    (sampled, wholes): (Option<&SampleRow>, &Wholes<'_>),
    what: &'static str,
) -> Grid {
    let total = &report.profile.total;
    let mut cells = row_cells(report, total, total.exclusive, sampled, wholes);
    cells[1] = wholes.percent_of_all(total.exclusive);
    for meaningless in [2, 4, 5, 6, 15, 17] {
        cells[meaningless].clear();
    }
    cells.push(format!("total, {} outside of all regions", outside(&report.profile.outside)));
    if report.profile.outside.is_empty() {
        *cells.last_mut().expect("the name") = "total".to_owned();
    }
    let heading = ROW_HEADING.into_iter().chain([what]).map(Cow::Borrowed).collect();
    let mut rows = rows;
    let everywhere = &cells[LOCATIONS];
    // A column that says the same everywhere says nothing.
    if rows.iter().all(|row| row[LOCATIONS] == *everywhere) {
        rows.iter_mut().for_each(|row| row[LOCATIONS].clear());
        cells[LOCATIONS].clear();
    }
    Grid { heading, rows, total: cells, spare: usize::MAX, spared: &SPARED }
}

fn outside(traffic: &Traffic) -> String {
    human::plural(traffic.operations(), "operation")
}
