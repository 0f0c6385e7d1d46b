//! One table of a report. Times stand there in ticks and in seconds.

use std::io;

use streamfold_kernels::profile::metrics::Number;

use super::{about, in_seconds, too_large, write_file, Column, Kind, Value};
use crate::tables::{self, Cell, Table, TableReport, Unit};
use streamfold_output::Output;
use streamfold_system::exit::Failure;

/// Writes a table. It appears when it is whole, in the place of what was there before.
///
/// # Errors
///
/// When the output cannot be written, or a number needs more than 63 bits.
pub fn write(output: &Output, report: &TableReport<'_>, table: &Table<'_>) -> Result<(), Failure> {
    let of = about_table(report, table);
    write_table(output, &of, report.provenance.timer_resolution, table, too_large)
}

/// Writes a table with this metadata. `too_large`: the error for a number in a column.
pub(super) fn write_table(
    output: &Output,
    about: &[(&'static str, String)],
    resolution: u64,
    table: &Table<'_>,
    too_large: fn(&str) -> io::Error,
) -> Result<(), Failure> {
    let typed = Typed::new(table, resolution);
    write_file(output, typed.columns(), about, |rows| {
        typed.rows(too_large).try_for_each(|row| rows.push(row?))
    })
}

/// A table whose columns have types, as files in columns have them.
pub struct Typed<'t, 'a> {
    table: &'t Table<'a>,
    resolution: f64,
    found: Vec<(Column, bool)>,
}

impl<'t, 'a> Typed<'t, 'a> {
    /// A table, given the ticks of a second.
    pub fn new(table: &'t Table<'a>, resolution: u64) -> Self {
        Typed { table, resolution: resolution.max(1) as f64, found: columns(table) }
    }

    /// All columns; behind each with ticks stands one with the same times in seconds.
    pub fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for (column, is_time) in &self.found {
            columns.push(column.clone());
            let seconds = Column::new(in_seconds(&column.name), Kind::Double, column.optional);
            columns.extend(is_time.then_some(seconds));
        }
        columns
    }

    /// The rows, made one after another. `too_large`: the error for a number in a column.
    pub fn rows(
        &self,
        too_large: fn(&str) -> io::Error,
    ) -> impl Iterator<Item = io::Result<Vec<Value>>> + use<'_, 't, 'a> {
        self.table.rows().map(move |row| {
            let mut values = Vec::with_capacity(row.len() * 2);
            for (cell, (column, is_time)) in row.into_iter().zip(&self.found) {
                let value = value(cell, column.kind).ok_or_else(|| too_large(&column.name))?;
                let seconds = match value {
                    Value::Signed(ticks) => Value::Double(ticks as f64 / self.resolution),
                    Value::Unsigned(ticks) => Value::Double(ticks as f64 / self.resolution),
                    Value::Double(ticks) => Value::Double(ticks / self.resolution),
                    _ => Value::None,
                };
                values.push(value);
                values.extend(is_time.then_some(seconds));
            }
            Ok(values)
        })
    }
}

/// Metadata of a table of a report.
pub fn about_table(report: &TableReport<'_>, table: &Table<'_>) -> Vec<(&'static str, String)> {
    let mut of = about(&report.schema.name(), report.schema.version, report.provenance);
    of.push(("table", table.name.to_owned()));
    let begin = report.definitions.clock.as_ref().map(|clock| clock.global_offset.to_string());
    of.extend(begin.map(|begin| ("begin_ticks", begin)));
    of
}

/// The columns of a table, given all of its rows, and whether they hold times.
fn columns(table: &Table<'_>) -> Vec<(Column, bool)> {
    let with_kinds = table.columns.iter().zip(table.kinds());
    let mut columns: Vec<(Column, bool)> = with_kinds
        .map(|(column, found)| {
            // Columns of which nothing is known may hold anything.
            let optional = table.is_empty() && column.declared.is_none();
            let (kind, unit) = found.unwrap_or((tables::Kind::Text, Unit::None));
            (Column::new(&*column.name, kind_of(kind), optional), unit == Unit::Ticks)
        })
        .collect();
    let mut ranges = vec![(0, 0); columns.len()];
    for row in table.rows() {
        for (((column, _), (least, most)), cell) in columns.iter_mut().zip(&mut ranges).zip(&row) {
            let number = cell.integer().unwrap_or(0);
            (*least, *most) = (number.min(*least), number.max(*most));
            let is_text = matches!(cell, Cell::Text(_));
            column.optional |= !is_text && cell.integer().is_none() && cell.float().is_none();
            let is_fraction = match cell {
                Cell::Number(Number::Float(_)) => true,
                Cell::Mean(mean) => i64::try_from(*mean as i128).map(|it| it as f64) != Ok(*mean),
                _ => false,
            };
            if is_fraction && column.kind == Kind::Signed {
                column.kind = Kind::Double;
            }
        }
    }
    // Sums of broken clocks need more bits than others.
    for ((column, _), (least, most)) in columns.iter_mut().zip(ranges) {
        let fits = i64::try_from(least).is_ok() && i64::try_from(most).is_ok();
        if column.kind == Kind::Signed && !fits {
            let is_unsigned = least == 0 && u64::try_from(most).is_ok();
            column.kind = if is_unsigned { Kind::Unsigned } else { Kind::Double };
        }
    }
    columns
}

/// The kind of a column. Differences of numbers that nothing is known by are to be what one expects; a value of a
/// metric may turn out to be no integer.
fn kind_of(kind: tables::Kind) -> Kind {
    match kind {
        tables::Kind::Id32 | tables::Kind::Id64 | tables::Kind::Parent => Kind::Unsigned,
        tables::Kind::F64 => Kind::Double,
        tables::Kind::Text => Kind::Text,
        _ => Kind::Signed,
    }
}

/// The value of a cell; `None` where 63 bits and a sign are not enough.
fn value(cell: Cell, kind: Kind) -> Option<Value> {
    match (kind, cell) {
        (_, Cell::Text(text)) => Some(Value::text(&text)),
        (Kind::Text, Cell::Count(number)) => Some(Value::text(&number.to_string())),
        (Kind::Signed, Cell::Mean(number)) => Some(Value::Signed(number as i64)),
        (kind, cell) => match (kind, cell.integer()) {
            (Kind::Signed, Some(integer)) => Some(Value::Signed(i64::try_from(integer).ok()?)),
            (Kind::Double, Some(integer)) => Some(Value::Double(integer as f64)),
            (_, Some(integer)) => Some(Value::Unsigned(u64::try_from(integer).ok()?)),
            (_, None) => Some(cell.float().map_or(Value::None, Value::Double)),
        },
    }
}
