//! `/profile`, `/metrics` and `/derived`: tables over all locations.

use hdf5_metno::{Group, Result};
use streamfold_kernels::profile::metrics::{MetricOddities, Number};
use streamfold_kernels::profile::ThreadCounts;

use super::columns::{Columns, Unit};
use super::table::{number_attribute, Tables};
use crate::profile::columns::{self, Column, TakenBackTables, HDF5};
use crate::profile::ProfileReport;
use crate::tables::{Cell, Kind};

/// Writes all groups.
pub fn write(tables: &mut Tables, file: &Group, report: ProfileReport<'_>) -> Result<()> {
    let profile = report.profile;
    let group = file.create_group("profile")?;
    let mut put = |name: &str, columns| write_table(tables, &group, name, &columns);
    put("regions", columns::regions(report, &profile.regions))?;
    put("paths", columns::paths(report))?;
    put("locations", columns::locations(report))?;
    put("groups", columns::groups(report))?;
    put("total", columns::total(report))?;
    if !profile.threads.is_empty() {
        let counts = profile.threads.numbers();
        put("threads", columns::numbers(ThreadCounts::NAMES, Unit::Events, counts))?;
    }
    put("outside", columns::traffic(columns::Columns::of(1), |_| profile.outside))?;
    if !profile.taken_back.is_empty() {
        let back = TakenBackTables::new(report);
        let total = back.total();
        put("taken_back_paths", back.paths)?;
        put("taken_back_regions", back.regions)?;
        put("taken_back_locations", back.locations)?;
        put("taken_back_groups", back.groups)?;
        put("taken_back_total", total)?;
    }
    if let Some(found) = &profile.samples {
        let group = group.create_group("samples")?;
        number_attribute(&group, "odd_unwinds", found.odd_unwinds)?;
        number_attribute(&group, "undefined_contexts", found.undefined)?;
        let mut put = |name: &str, columns| write_table(tables, &group, name, &columns);
        if !found.generators.is_empty() {
            // h5diff takes empty tables for ones that it cannot compare
            put("generators", columns::generators(report, found))?;
        }
        put("contexts", columns::contexts(report, found))?;
        put("regions", columns::sampled_regions(report, found))?;
        put("lines", columns::lines(report, found))?;
        put("locations", columns::sampled_locations(report, found))?;
        put("groups", columns::sampled_groups(report, found))?;
        put("total", columns::sampled_total(found))?;
    }
    if !profile.metrics.is_empty() {
        write_metrics(tables, &file.create_group("metrics")?, report)?;
    }
    match report.derived {
        [] => Ok(()),
        _ => write_derived(tables, &file.create_group("derived")?, report),
    }
}

/// Writes the metrics of all rows that have any, and the series.
fn write_metrics(tables: &mut Tables, group: &Group, report: ProfileReport<'_>) -> Result<()> {
    let metrics = &report.profile.metrics;
    let mut put = |name: &str, columns: columns::Columns<'_>| match columns.rows {
        0 => Ok(()),
        _ => write_table(tables, group, name, &columns),
    };
    for (name, of, rows) in
        [("paths", "path", &metrics.paths), ("regions", "region_row", &metrics.regions)]
    {
        let cells = columns::metric_cells(report, rows);
        put(name, columns::measured(of, &cells, columns::PARTS))?;
    }
    for (name, of, rows) in [
        ("locations", "location_row", &metrics.locations[..]),
        ("groups", "group_row", &metrics.groups),
        ("total", "", std::slice::from_ref(&metrics.total)),
        ("outside", "", std::slice::from_ref(&metrics.outside)),
    ] {
        let cells = columns::metric_cells(report, rows);
        put(name, columns::measured(of, &cells, &[("", |of| of)]))?;
    }
    put("members", columns::members(report))?;
    put("series", columns::series(report))?;
    let oddities = metrics.oddities.numbers();
    put("oddities", columns::numbers(MetricOddities::NAMES, Unit::None, oddities))
}

/// Writes the metrics that follow from others, of all rows that have any.
fn write_derived(tables: &mut Tables, group: &Group, report: ProfileReport<'_>) -> Result<()> {
    let (profile, metrics) = (report.profile, &report.profile.metrics);
    let mut put = |name: &str, columns: columns::Columns<'_>| match columns.rows {
        0 => Ok(()),
        _ => write_table(tables, group, name, &columns),
    };
    fn filled<T>(rows: &[Vec<T>]) -> Vec<usize> {
        (0..rows.len()).filter(|row| !rows[*row].is_empty()).collect()
    }
    put("names", columns::derived(report))?;
    let both = ["exclusive", "inclusive"];
    let rows = filled(&metrics.paths);
    put(
        "paths",
        columns::derived_cells(report, "path", both, rows, |of, i| {
            let row = &profile.paths[i].row;
            of.of_step(&report, (row.exclusive, row.inclusive), metrics.of_path(i))
        }),
    )?;
    let rows = filled(&metrics.regions);
    put(
        "regions",
        columns::derived_cells(report, "region_row", both, rows, |of, i| {
            let row = &profile.regions[i];
            of.of_step(&report, (row.row.exclusive, row.outer), metrics.of_region(i))
        }),
    )?;
    let rows = filled(&metrics.locations);
    put(
        "locations",
        columns::derived_cells(report, "location_row", ["value"], rows, |of, i| {
            [of.of_whole(&report, profile.locations[i].inside, metrics.of_location(i))]
        }),
    )?;
    let rows = filled(&metrics.groups);
    put(
        "groups",
        columns::derived_cells(report, "group_row", ["value"], rows, |of, i| {
            [of.of_whole(&report, profile.groups[i].inside, metrics.of_group(i))]
        }),
    )
}

fn write_table(
    tables: &mut Tables,
    group: &Group,
    name: &str,
    columns: &columns::Columns<'_>,
) -> Result<()> {
    let typed = columns.iter(HDF5).fold(Columns::<usize>::new(), typed);
    tables.write_each(group, name, &typed, columns.rows, || 0..columns.rows)
}

/// With a column. The largest number of its type says that there is no value, in a column of rows -1.
fn typed<'a>(columns: Columns<'a, usize>, column: &'a Column<'_>) -> Columns<'a, usize> {
    let Column { name, kind, unit, .. } = column;
    let cell = |row: &usize| (column.get)(*row);
    let none = move |none: i128| if column.or_zero { 0 } else { none };
    match kind {
        Kind::Id32 | Kind::U32 => {
            let none = none(u32::MAX.into());
            columns.u32(name, *unit, move |row| integer(cell(row)).unwrap_or(none) as u32)
        }
        Kind::Id64 | Kind::U64 => {
            let none = none(u64::MAX.into());
            columns.u128(name, *unit, move |row| integer(cell(row)).unwrap_or(none) as u128)
        }
        Kind::Parent | Kind::I64 => {
            let none = none(-1);
            columns.i64(name, *unit, move |row| integer(cell(row)).unwrap_or(none) as i64)
        }
        Kind::F64 => columns.f64(name, *unit, move |row| match cell(row) {
            Cell::Mean(number) => number,
            _ => f64::NAN,
        }),
        Kind::Number => columns.number(name, move |row| match cell(row) {
            Cell::Number(number) => Some(number),
            _ => None,
        }),
        Kind::Text => columns.text(name, move |row| match cell(row) {
            Cell::Text(text) => text,
            Cell::Count(number) => number.to_string(),
            _ => String::new(),
        }),
    }
}

fn integer(cell: Cell) -> Option<i128> {
    match cell {
        Cell::Id(number) | Cell::Count(number) => Some(number.into()),
        Cell::Number(Number::Integer(integer)) => Some(integer),
        _ => None,
    }
}
