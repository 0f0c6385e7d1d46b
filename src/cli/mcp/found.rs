//! Tables of an answer, for programs and for the rule that chooses the next question.

use std::collections::BinaryHeap;
use std::sync::{Mutex, PoisonError};

use serde_json::{json, Value};

use crate::sink::Sink;
use streamfold_report::tables::{Cell, Table, TableReport};
use streamfold_system::exit::Failure;
use streamfold_text::human;

/// A table that is kept, with some of its columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Its name; empty: the one that CSV would have.
    table: &'static str,
    columns: &'static [&'static str],
    /// The column whose largest numbers come first; `None`: the order of the table.
    by: Option<&'static str>,
}

impl Wanted {
    pub(super) const fn new(table: &'static str, columns: &'static [&'static str]) -> Wanted {
        Wanted { table, columns, by: None }
    }

    pub(super) const fn by(self, column: &'static str) -> Wanted {
        Wanted { by: Some(column), ..self }
    }
}

/// The end of names of columns with times.
const TICKS: &str = "ticks";

/// Rows that are kept of a table.
const KEPT: usize = 50;

/// Rows of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) name: &'static str,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Vec<Value>>,
    /// How many the table has.
    pub(super) count: usize,
}

impl Rows {
    /// A text of a row.
    pub(super) fn text(&self, row: usize, column: &str) -> Option<&str> {
        self.value(row, column)?.as_str()
    }

    /// A number of a row.
    pub(super) fn number(&self, row: usize, column: &str) -> Option<f64> {
        self.value(row, column)?.as_f64()
    }

    fn value(&self, row: usize, column: &str) -> Option<&Value> {
        let at = self.columns.iter().position(|name| name == column)?;
        self.rows.get(row)?.get(at)
    }

    /// The first rows, for programs.
    pub(super) fn first(&self, top: usize) -> Value {
        let rows = &self.rows[..top.min(self.rows.len())];
        json!({
            "columns": self.columns,
            "rows": rows,
            "rows_left_out": self.count.saturating_sub(rows.len()),
        })
    }
}

/// Keeps the tables that a tool wants.
pub(super) struct Kept {
    wanted: &'static [Wanted],
    found: Mutex<Vec<Rows>>,
}

impl Kept {
    pub(super) fn new(wanted: &'static [Wanted]) -> Kept {
        Kept { wanted, found: Mutex::default() }
    }

    /// The tables that have rows, in the order in which they are wanted.
    pub(super) fn take(&self) -> Vec<Rows> {
        std::mem::take(&mut *self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Sink for Kept {
    fn tables(&self, report: &TableReport<'_>, table: &str) -> Result<(), Failure> {
        let resolution = report.provenance.timer_resolution;
        let of = |wanted: &Wanted| {
            let name = if wanted.table.is_empty() { table } else { wanted.table };
            let table = report.table(name).filter(|table| !table.is_empty())?;
            Some(rows(table, wanted, resolution))
        };
        let found = self.wanted.iter().filter_map(of).collect();
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = found;
        Ok(())
    }
}

/// Some columns and rows of a table.
fn rows(table: &Table<'_>, wanted: &Wanted, resolution: u64) -> Rows {
    let place = |name: &&str| table.columns.iter().position(|column| column.name == **name);
    let places: Vec<usize> = wanted.columns.iter().filter_map(&place).collect();
    let mut first: Vec<Vec<Cell>> = match wanted.by.and_then(|by| place(&by)) {
        None => table.rows().take(KEPT).collect(),
        Some(by) => largest(table, by),
    };
    first.truncate(KEPT);
    let heading = |place: &usize| {
        let name = &table.columns[*place].name;
        name.strip_suffix(TICKS).map_or_else(|| name.to_string(), |begin| format!("{begin}seconds"))
    };
    let value = |row: &[Cell], place: usize| match &row[place] {
        Cell::Text(text) => human::visible(text).into(),
        cell => match (cell.integer(), table.columns[place].name.ends_with(TICKS)) {
            (Some(ticks), true) => seconds(ticks, resolution),
            (Some(integer), false) => json!(integer),
            (None, _) => cell.float().map_or(Value::Null, rounded),
        },
    };
    let columns = places.iter().map(heading).collect();
    let values = |row: &Vec<Cell>| places.iter().map(|place| value(row, *place)).collect();
    Rows { name: table.name, columns, rows: first.iter().map(values).collect(), count: table.len() }
}

/// The rows with the largest values in a column, these first.
fn largest(table: &Table<'_>, by: usize) -> Vec<Vec<Cell>> {
    // Bits of floating-point numbers that are not negative have their order.
    let key = |cell: &Cell| {
        cell.integer().unwrap_or_else(|| cell.float().map_or(0, |it| it.max(0.0).to_bits().into()))
    };
    let mut best = BinaryHeap::new();
    for (at, row) in table.rows().enumerate() {
        best.push((std::cmp::Reverse(key(&row[by])), at));
        if best.len() > KEPT {
            best.pop();
        }
    }
    let best: Vec<usize> = best.into_sorted_vec().into_iter().map(|(_, at)| at).collect();
    let mut kept: Vec<(usize, Vec<Cell>)> =
        table.rows().enumerate().filter(|(at, _)| best.contains(at)).collect();
    kept.sort_by_key(|(at, _)| best.iter().position(|best| best == at));
    kept.into_iter().map(|(_, row)| row).collect()
}

/// A share or a rate, to six digits behind the point.
fn rounded(number: f64) -> Value {
    json!((number * 1e6).round() / 1e6)
}

/// Ticks as seconds, exact where a second has a power of ten of ticks.
fn seconds(ticks: i128, resolution: u64) -> Value {
    let digits = resolution.checked_ilog10().unwrap_or(0);
    if resolution != 10_u64.saturating_pow(digits) {
        return json!(ticks as f64 / resolution as f64);
    }
    let whole = ticks.unsigned_abs() / u128::from(resolution);
    let rest = ticks.unsigned_abs() % u128::from(resolution);
    let sign = if ticks < 0 { "-" } else { "" };
    let text = format!("{sign}{whole}.{rest:0width$}", width = digits as usize);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    serde_json::from_str(text).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_of_decimal_clocks_are_exact() {
        for (ticks, resolution, text) in [
            (8_007_065_219, 1_000_000_000, "8.007065219"),
            (-1_500, 1000, "-1.5"),
            (0, 1000, "0"),
            (7, 1, "7"),
            (10, 1, "10"),
            (1, 1_000_000_000, "0.000000001"),
            (3, 2, "1.5"),
        ] {
            assert_eq!(seconds(ticks, resolution).to_string(), text);
        }
    }
}
