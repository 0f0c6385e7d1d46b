//! One table as CSV.

use std::io::{self, Write};

use csv::Writer;
use serde_json::json;
use streamfold_kernels::profile::metrics::Number;

use super::{Cell, Table};
use crate::provenance::Provenance;

/// Writes a table: a heading line, exact integers, and how long a tick is.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, provenance: &Provenance, table: &Table<'_>) -> io::Result<()> {
    let resolution = provenance.timer_resolution.to_string();
    let mut writer = Writer::from_writer(out);
    let names = table.columns.iter().map(|column| &*column.name);
    writer.write_record(names.chain(["ticks_per_second"]))?;
    for row in table.rows() {
        let cells = row.iter().map(|cell| match cell {
            Cell::Text(text) => text.clone(),
            Cell::Mean(mean) => mean.to_string(),
            Cell::Number(Number::Float(number)) => format!("{number:?}"),
            cell => match cell.integer() {
                Some(integer) => integer.to_string(),
                None => cell.float().map(|float| json!(float).to_string()).unwrap_or_default(),
            },
        });
        writer.write_record(cells.chain([resolution.clone()]))?;
    }
    writer.flush()
}
