//! A comparison for people.

use std::io::{self, Write};

use super::answer::names;
use super::DiffReport;
use crate::tables::text::{Look, Shown};
use crate::tables::{Cell, Row, Table, PICOSECONDS};
use streamfold_analyses::compare::CompareBy;
use streamfold_text::human;

/// Columns that a table can do without, the least missed first.
const SPARED: [&str; 5] = ["visits before", "visits after", "from", "to", "verdict"];

/// Writes the answer, then the rows whose time changed the most, `top` at most. On a terminal of `width`
/// characters what has no room is left out.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &DiffReport<'_>,
    top: usize,
    width: Option<usize>,
) -> io::Result<()> {
    for sentence in report.answer() {
        writeln!(out, "{sentence}")?;
    }
    let [before, after] = report.runs.map(names);
    writeln!(out, "\nBEFORE  {before}\nAFTER   {after}")?;
    let table = report.table();
    let (wanted, hidden) = wanted(report, &table);
    if wanted > 0 {
        writeln!(out)?;
        let look = Look { resolution: PICOSECONDS, top, width, spared: &SPARED, seldom: &[] };
        match report.tree(top, "  ") {
            Some((table, more)) => Shown::but(&table, more).write(out, &table, &look)?,
            None => {
                let is_wanted = |row: &Row| is_wanted(report, row);
                Shown::first(&table, top, is_wanted, size).write(out, &table, &look)?;
            }
        }
    }
    tell_hidden(out, report, hidden)
}

/// How many rows are shown, and how many that changed are hidden since they changed by too little.
pub(super) fn wanted(report: &DiffReport<'_>, table: &Table<'_>) -> (usize, usize) {
    let changed = table.rows().filter(is_changed).count();
    let wanted = table.rows().filter(|row| is_wanted(report, row)).count();
    (wanted, changed - wanted)
}

/// Says that rows are hidden.
pub(super) fn tell_hidden(
    out: &mut dyn Write,
    report: &DiffReport<'_>,
    hidden: usize,
) -> io::Result<()> {
    if hidden == 0 {
        return Ok(());
    }
    let noun = report.noun();
    let rows = human::counted(hidden as u64, [noun, &format!("{noun}s")]);
    let min = 100.0 * report.limits.min;
    writeln!(
        out,
        "\nHidden: {rows} whose change is less than {min} % of the {} of all locations before (--min)",
        human::time(report.comparison.total.before.time, PICOSECONDS),
    )
}

/// The change of a row.
fn change(row: &Row) -> Option<(i128, u128)> {
    row.iter().find_map(|cell| match cell {
        Cell::Change(by, before) => Some((*by, *before)),
        _ => None,
    })
}

/// Returns whether the time of a row, or its visits, changed at all.
fn is_changed(row: &Row) -> bool {
    !row.iter().any(|cell| matches!(cell, Cell::Text(text) if text == "same"))
}

/// Returns whether a row changed by enough to be shown.
pub fn is_wanted(report: &DiffReport<'_>, row: &Row) -> bool {
    let least = report.comparison.total.before.time as f64 * report.limits.min;
    let large = |(by, _): (i128, u128)| by != 0 && by.unsigned_abs() as f64 >= least;
    is_changed(row) && change(row).is_some_and(large)
}

/// The size of the change.
pub(super) fn size(row: &Row) -> u128 {
    change(row).map_or(0, |(by, _)| by.unsigned_abs())
}

/// Returns the title of the table of rows.
pub(super) fn title(by: CompareBy) -> &'static str {
    match by {
        CompareBy::Region => "Regions",
        CompareBy::Callpath => "Call paths",
        CompareBy::Waits => "Where time went",
    }
}
