//! `/derived`: metrics that follow from others.

use hdf5_metno::{Group, Result};
use streamfold_kernels::profile::metrics::{Aggregate, Measured};

use super::columns::{Columns, Unit};
use super::table::Tables;
use crate::profile::derived::Derived;
use crate::profile::ProfileReport;

/// A metric of a row of the profile. NaN: it has no value there.
struct Cell<'a> {
    row: u32,
    metric: &'a Derived,
    values: [f64; 2],
}

/// Writes the group, if there are any.
pub fn write(tables: &mut Tables, file: &Group, report: &ProfileReport<'_>) -> Result<()> {
    if report.derived.is_empty() {
        return Ok(());
    }
    let group = file.create_group("derived")?;
    let columns = Columns::<&Derived>::new()
        .text("name", |of| of.name.clone())
        .text("expression", |of| of.text.clone())
        .f64("total", Unit::None, move |of| number(of.total(report)));
    let all: Vec<&Derived> = report.derived.iter().collect();
    tables.write(&group, "names", columns, &all)?;
    let (profile, metrics) = (report.profile, &report.profile.metrics);
    let mut cells = Vec::new();
    for (at, of) in profile.paths.iter().enumerate() {
        steps(report, at, (of.row.exclusive, of.row.inclusive), metrics.of_path(at), &mut cells);
    }
    write_cells(tables, &group, ("paths", "path"), &STEPS, &cells)?;
    cells.clear();
    for (at, of) in profile.regions.iter().enumerate() {
        steps(report, at, (of.row.exclusive, of.outer), metrics.of_region(at), &mut cells);
    }
    write_cells(tables, &group, ("regions", "region_row"), &STEPS, &cells)?;
    cells.clear();
    for (at, of) in profile.locations.iter().enumerate() {
        wholes(report, at, of.inside, metrics.of_location(at), &mut cells);
    }
    write_cells(tables, &group, ("locations", "location_row"), &["value"], &cells)?;
    cells.clear();
    for (at, of) in profile.groups.iter().enumerate() {
        wholes(report, at, of.inside, metrics.of_group(at), &mut cells);
    }
    write_cells(tables, &group, ("groups", "group_row"), &["value"], &cells)
}

/// The values of regions and call paths.
const STEPS: [&str; 2] = ["exclusive", "inclusive"];

/// Adds those of a region or call path that has any metrics.
fn steps<'a>(
    report: &ProfileReport<'a>,
    row: usize,
    times: (u128, u128),
    measured: &[(u32, Measured)],
    cells: &mut Vec<Cell<'a>>,
) {
    let cell = |metric: &'a Derived| Cell {
        row: row as u32,
        metric,
        values: metric.of_step(report, times, measured).map(number),
    };
    cells.extend(report.derived.iter().filter(|_| !measured.is_empty()).map(cell));
}

/// Adds those of a location or group that has any metrics.
fn wholes<'a>(
    report: &ProfileReport<'a>,
    row: usize,
    ticks: u128,
    measured: &[(u32, Aggregate)],
    cells: &mut Vec<Cell<'a>>,
) {
    let cell = |metric: &'a Derived| Cell {
        row: row as u32,
        metric,
        values: [number(metric.of_whole(report, ticks, measured)); 2],
    };
    cells.extend(report.derived.iter().filter(|_| !measured.is_empty()).map(cell));
}

fn number(value: Option<f64>) -> f64 {
    value.unwrap_or(f64::NAN)
}

/// Writes a table with the row, the name, and these values; none where it has no rows.
fn write_cells(
    tables: &mut Tables,
    group: &Group,
    (name, of): (&str, &str),
    values: &[&str],
    cells: &[Cell<'_>],
) -> Result<()> {
    if cells.is_empty() {
        return Ok(());
    }
    let mut columns = Columns::<Cell<'_>>::new()
        .u32(of, Unit::None, |cell| cell.row)
        .text("name", |cell| cell.metric.name.clone());
    for (at, value) in values.iter().enumerate() {
        columns = columns.f64(value, Unit::None, move |cell| cell.values[at]);
    }
    tables.write(group, name, columns, cells)
}
