//! One table as CSV.

use std::io::{self, Write};

use csv::Writer;
use serde_json::json;
use streamfold_kernels::profile::metrics::Number;

use super::{change, percent, ratio, Cell, Table, PICOSECONDS};
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
            Cell::Empty | Cell::Absent | Cell::Object(_) | Cell::List(_) => String::new(),
            Cell::Text(text) => text.clone(),
            Cell::Id(number)
            | Cell::Undefined(number)
            | Cell::Count(number)
            | Cell::Rate(number) => number.to_string(),
            Cell::Bytes(number) | Cell::Length(number) => number.to_string(),
            Cell::ExactRate(thousandths) => json!(*thousandths as f64 / 1000.0).to_string(),
            Cell::Ticks(number) => number.to_string(),
            Cell::Share(part, whole) => json!(percent(*part, *whole)).to_string(),
            Cell::Picoseconds(time) => json!(*time as f64 / PICOSECONDS as f64).to_string(),
            Cell::Change(by, whole) => {
                change(*by, *whole).map(|change| json!(change).to_string()).unwrap_or_default()
            }
            Cell::Ratio(part, whole) => json!(ratio(*part, *whole)).to_string(),
            Cell::Measured(bits) => json!(f64::from_bits(*bits)).to_string(),
            Cell::Mean(mean) => mean.to_string(),
            Cell::Number(Number::Integer(integer)) => integer.to_string(),
            Cell::Number(Number::Float(number)) => format!("{number:?}"),
        });
        writer.write_record(cells.chain([resolution.clone()]))?;
    }
    writer.flush()
}
