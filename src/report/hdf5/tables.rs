//! The tables of a report as an HDF5 file: a group of the name of the command, with a table for each of those
//! that have rows, and `/definitions`.

use std::path::Path;

use hdf5_metno::{File, Result};

use super::columns::{Columns, Unit};
use super::table::Tables;
use super::{about, definitions, raw, STEP};
use crate::tables::{change, percent, ratio, Cell, Row, Table, TableReport, PICOSECONDS};
use streamfold_output::Output;
use streamfold_system::exit::Failure;

/// Writes a report. It appears when it is whole, in the place of what was there before.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(output: &Output, report: &TableReport<'_>) -> std::result::Result<(), Failure> {
    let unfinished = output.begin()?;
    let image = contents(unfinished.path(), report);
    let image = image.map_err(|error| Failure::output(output.path(), &error))?;
    let wrote = std::fs::write(unfinished.path(), image);
    wrote.map_err(|error| Failure::output(output.path(), &error))?;
    unfinished.finish()
}

/// The bytes of the file.
fn contents(path: &Path, report: &TableReport<'_>) -> Result<Vec<u8>> {
    let TableReport { schema, provenance, definitions, tables, .. } = report;
    let mut options = File::with_options();
    options.with_fapl(|access| access.core_options(STEP, false));
    let file = options.create(path)?;
    let mut to = Tables::default();
    about(&file, &mut to, [&schema.name(), schema.version], provenance)?;
    definitions::write(&mut to, &file.create_group("definitions")?, definitions)?;
    let group = file.create_group(schema.command)?;
    // Of tables without rows nobody knows what is in their columns.
    for table in tables.iter().filter(|table| !table.is_empty()) {
        to.write_each(&group, table.name, &columns(table), table.len(), || table.rows())?;
    }
    to.end(&file)?;
    raw::image(&file)
}

/// The largest number says that there is none.
const NONE: u64 = u64::MAX;

fn columns(table: &Table<'_>) -> Columns<'static, Row> {
    let mut columns = Columns::<Row>::new();
    for (i, (column, kind)) in table.columns.iter().zip(table.kinds()).enumerate() {
        columns = match kind {
            Some(Cell::Text(_)) => columns.text(&column.name, move |row| match &row[i] {
                Cell::Text(text) => text.clone(),
                _ => String::new(),
            }),
            Some(Cell::Bytes(_) | Cell::Length(_)) => {
                columns.u128(&column.name, Unit::Bytes, move |row| match row[i] {
                    Cell::Bytes(bytes) | Cell::Length(bytes) => bytes,
                    _ => 0,
                })
            }
            Some(Cell::Ticks(_)) => {
                columns.i128(&column.name, Unit::Ticks, move |row| match row[i] {
                    Cell::Ticks(ticks) => ticks,
                    _ => 0,
                })
            }
            Some(Cell::Share(..)) => {
                columns.f64(&column.name, Unit::Percent, move |row| match row[i] {
                    Cell::Share(part, whole) => percent(part, whole),
                    _ => f64::NAN,
                })
            }
            Some(Cell::Picoseconds(_)) => {
                columns.f64(&column.name, Unit::Seconds, move |row| match row[i] {
                    Cell::Picoseconds(time) => time as f64 / PICOSECONDS as f64,
                    _ => f64::NAN,
                })
            }
            Some(Cell::Change(..)) => {
                columns.f64(&column.name, Unit::Percent, move |row| match row[i] {
                    Cell::Change(by, whole) => change(by, whole).unwrap_or(f64::NAN),
                    _ => f64::NAN,
                })
            }
            Some(Cell::Ratio(..)) => {
                columns.f64(&column.name, Unit::None, move |row| match row[i] {
                    Cell::Ratio(part, whole) => ratio(part, whole),
                    _ => f64::NAN,
                })
            }
            Some(Cell::Measured(_)) => {
                columns.f64(&column.name, Unit::None, move |row| match row[i] {
                    Cell::Measured(bits) => f64::from_bits(bits),
                    _ => f64::NAN,
                })
            }
            Some(Cell::Rate(_)) => {
                columns.u64(&column.name, Unit::BytesPerSecond, move |row| match row[i] {
                    Cell::Rate(number) => number,
                    _ => NONE,
                })
            }
            Some(Cell::ExactRate(_)) => {
                columns.f64(&column.name, Unit::BytesPerSecond, move |row| match row[i] {
                    Cell::ExactRate(thousandths) => thousandths as f64 / 1000.0,
                    _ => f64::NAN,
                })
            }
            _ => columns.u64(&column.name, Unit::None, move |row| match row[i] {
                Cell::Id(number) | Cell::Undefined(number) | Cell::Count(number) => number,
                _ => NONE,
            }),
        };
    }
    columns
}
