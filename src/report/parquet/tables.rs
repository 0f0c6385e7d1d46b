//! One table of a report. Times stand there in ticks and in seconds.

use super::{about, in_seconds, too_large, write_file, Column, Kind, Value};
use crate::tables::{change, percent, ratio, Cell, Table, TableReport, PICOSECONDS};
use streamfold_output::Output;
use streamfold_system::exit::Failure;

/// Writes a table. It appears when it is whole, in the place of what was there before.
///
/// # Errors
///
/// When the output cannot be written, or a number needs more than 63 bits.
pub fn write(output: &Output, report: &TableReport<'_>, table: &Table<'_>) -> Result<(), Failure> {
    let resolution = report.provenance.timer_resolution.max(1) as f64;
    let kinds = table.kinds();
    let empty = with_empty(table);
    let mut columns = Vec::new();
    for ((column, kind), empty) in table.columns.iter().zip(&kinds).zip(empty) {
        let mut add = |name: String, kind| columns.push(Column::new(name, kind, empty));
        match kind {
            Some(Cell::Ticks(_)) => {
                add(column.name.to_owned(), Kind::Signed);
                add(in_seconds(column.name), Kind::Double);
            }
            kind => add(column.name.to_owned(), kind_of(kind.as_ref())),
        }
    }
    let mut of = about(&report.schema.name(), report.schema.version, report.provenance);
    of.push(("table", table.name.to_owned()));
    write_file(output, columns, &of, |rows| {
        table.rows().try_for_each(|row| {
            let mut values = Vec::with_capacity(row.len() + 4);
            for ((cell, kind), column) in row.into_iter().zip(&kinds).zip(&table.columns) {
                let (value, seconds) =
                    value(cell, resolution).ok_or_else(|| too_large(column.name))?;
                values.push(value);
                values.extend(matches!(kind, Some(Cell::Ticks(_))).then_some(seconds));
            }
            rows.push(values)
        })
    })
}

/// Returns for each column whether any cell is empty.
fn with_empty(table: &Table<'_>) -> Vec<bool> {
    // Columns of which nothing is known may hold anything.
    let mut empty = vec![table.is_empty(); table.columns.len()];
    for row in table.rows() {
        for (empty, cell) in empty.iter_mut().zip(&row) {
            *empty |= matches!(cell, Cell::Empty)
                || matches!(cell, Cell::Change(by, whole) if change(*by, *whole).is_none());
        }
    }
    empty
}

/// The kind of a column with such a cell. Of columns without any nobody knows.
fn kind_of(cell: Option<&Cell>) -> Kind {
    match cell {
        None | Some(Cell::Text(_)) => Kind::Text,
        Some(Cell::Empty | Cell::Id(_) | Cell::Undefined(_)) => Kind::Unsigned,
        // Differences of these are to be what one expects.
        Some(
            Cell::Count(_) | Cell::Rate(_) | Cell::Bytes(_) | Cell::Length(_) | Cell::Ticks(_),
        ) => Kind::Signed,
        Some(
            Cell::ExactRate(_)
            | Cell::Share(..)
            | Cell::Ratio(..)
            | Cell::Measured(_)
            | Cell::Picoseconds(_)
            | Cell::Change(..),
        ) => Kind::Double,
    }
}

/// The value of a cell, and the same in seconds; `None` where 63 bits and a sign are not enough.
fn value(cell: Cell, resolution: f64) -> Option<(Value, Value)> {
    let value = match cell {
        Cell::Empty => Value::None,
        Cell::Text(text) => Value::text(&text),
        Cell::Id(number) | Cell::Undefined(number) => Value::Unsigned(number),
        Cell::Count(number) | Cell::Rate(number) => Value::Signed(i64::try_from(number).ok()?),
        Cell::Bytes(bytes) | Cell::Length(bytes) => Value::Signed(i64::try_from(bytes).ok()?),
        Cell::Ticks(ticks) => {
            let ticks = i64::try_from(ticks).ok()?;
            return Some((Value::Signed(ticks), Value::Double(ticks as f64 / resolution)));
        }
        Cell::ExactRate(thousandths) => Value::Double(thousandths as f64 / 1000.0),
        Cell::Share(part, whole) => Value::Double(percent(part, whole)),
        Cell::Ratio(part, whole) => Value::Double(ratio(part, whole)),
        Cell::Measured(bits) => Value::Double(f64::from_bits(bits)),
        Cell::Picoseconds(time) => Value::Double(time as f64 / PICOSECONDS as f64),
        Cell::Change(by, whole) => change(by, whole).map_or(Value::None, Value::Double),
    };
    Some((value, Value::None))
}
