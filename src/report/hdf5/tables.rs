//! The tables of a report as an HDF5 file: a group of the name of the command, with a table for each of those
//! that have rows, and `/definitions`.

use std::path::Path;

use hdf5_metno::{File, Result};

use super::columns::{Columns, Unit};
use super::table::Tables;
use super::{about, definitions, raw, STEP};
use crate::tables::{Kind, Row, Table, TableReport};
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

fn columns(table: &Table<'_>) -> Columns<'static, Row> {
    let with_kinds = table.columns.iter().zip(table.kinds()).enumerate();
    with_kinds.fold(Columns::new(), |columns, (i, (column, kind))| {
        let kind = kind.unwrap_or((Kind::U64, Unit::None));
        let or_zero = matches!(kind.1, Unit::Bytes | Unit::Ticks);
        columns.cells(&column.name, kind, or_zero, move |row: &Row| row[i].clone())
    })
}
