//! Tables of an answer, for programs and for the rule that chooses the next question.

use std::sync::{Mutex, PoisonError};

use serde_json::{json, Value};

use crate::sink::Sink;
use streamfold_report::tables::text::Shown;
use streamfold_report::tables::{Cell, Row, Table, TableReport};
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
    // Bits of floating-point numbers that are not negative have their order.
    let key = |cell: &Cell| {
        cell.integer().unwrap_or_else(|| cell.float().map_or(0, |it| it.max(0.0).to_bits().into()))
    };
    let first: Vec<Row> = match wanted.by.and_then(|by| place(&by)) {
        None => table.rows().take(KEPT).collect(),
        Some(by) => Shown::first(table, KEPT, |_| true, |row| key(&row[by])).into_rows(),
    };
    let heading = |place: &usize| {
        let name = &table.columns[*place].name;
        name.strip_suffix(TICKS).map_or_else(|| name.to_string(), |begin| format!("{begin}seconds"))
    };
    let value = |row: &[Cell], place: usize| match &row[place] {
        Cell::Text(text) => human::visible(text).into(),
        cell => match (cell.integer(), table.columns[place].name.ends_with(TICKS)) {
            (Some(ticks), true) => json!(ticks as f64 / resolution.max(1) as f64),
            (Some(integer), false) => json!(integer),
            (None, _) => cell.float().map_or(Value::Null, rounded),
        },
    };
    let columns = places.iter().map(heading).collect();
    let values = |row: &Row| places.iter().map(|place| value(row, *place)).collect();
    Rows { name: table.name, columns, rows: first.iter().map(values).collect(), count: table.len() }
}

/// A share or a rate, to six digits behind the point.
fn rounded(number: f64) -> Value {
    json!((number * 1e6).round() / 1e6)
}
