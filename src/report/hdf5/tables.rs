//! The tables of a report as an HDF5 file: a group of the name of the command, with a table for each of those
//! that have rows, and `/definitions`.

use std::path::Path;

use hdf5_metno::{File, Result};

use super::columns::{Columns, Unit};
use super::table::Tables;
use super::{about, definitions, raw, STEP};
use crate::tables::{Cell, Row, Table, TableReport};
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
    let with_kinds = table.columns.iter().zip(table.kinds()).enumerate();
    with_kinds.fold(Columns::new(), |columns, (i, (column, kind))| {
        let (name, unit) = (&column.name, kind.as_ref().map_or(Unit::None, unit));
        match kind {
            Some(Cell::Text(_)) => columns.text(name, move |row| match &row[i] {
                Cell::Text(text) => text.clone(),
                _ => String::new(),
            }),
            Some(Cell::Ticks(_)) => {
                columns.i128(name, unit, move |row| row[i].integer().unwrap_or(0))
            }
            Some(Cell::Bytes(_) | Cell::Length(_)) => {
                columns.u128(name, unit, move |row| row[i].integer().unwrap_or(0) as u128)
            }
            Some(kind) if kind.float().is_some() || matches!(kind, Cell::Change(..)) => {
                columns.f64(name, unit, move |row| row[i].float().unwrap_or(f64::NAN))
            }
            _ => columns.u64(name, unit, move |row| row[i].integer().map_or(NONE, |it| it as u64)),
        }
    })
}

/// The unit of a cell.
fn unit(cell: &Cell) -> Unit {
    match cell {
        Cell::Bytes(_) | Cell::Length(_) => Unit::Bytes,
        Cell::Ticks(_) => Unit::Ticks,
        Cell::Share(..) | Cell::Change(..) => Unit::Percent,
        Cell::Picoseconds(_) => Unit::Seconds,
        Cell::Rate(_) | Cell::ExactRate(_) => Unit::BytesPerSecond,
        _ => Unit::None,
    }
}
