//! Tables for people.

use std::cmp::Reverse;
use std::io::{self, Write};

use super::{Cell, MatchReport, Table};
use crate::report::human;

/// Blanks between columns.
const GAP: &str = "  ";

/// Writes all tables that have rows, each with so many at most: where there are more, those with the
/// most messages or bytes.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &MatchReport<'_>,
    tables: &[Table],
    top: usize,
) -> io::Result<()> {
    let resolution = report.provenance.timer_resolution;
    let mut any = false;
    for table in tables.iter().filter(|table| !table.rows.is_empty()) {
        if any {
            writeln!(out)?;
        }
        any = true;
        show(out, table, resolution, top)?;
    }
    if !any {
        writeln!(out, "No messages, collective operations, windows or files.")?;
    }
    Ok(())
}

/// Writes a table with so many rows at most.
pub(crate) fn show(
    out: &mut dyn Write,
    table: &Table,
    resolution: u64,
    top: usize,
) -> io::Result<()> {
    let shown: Vec<usize> = (0..table.columns.len()).filter(|&i| is_shown(table, i)).collect();
    let rows = chosen(table, top);
    writeln!(out, "{}", table.title)?;
    let heading = |i: usize| table.columns[i].heading.unwrap_or_default().to_owned();
    let mut lines: Vec<Vec<String>> = vec![shown.iter().map(|&i| heading(i)).collect()];
    for &row in &rows {
        let cells = &table.rows[row];
        lines.push(shown.iter().map(|&i| text(&cells[i], resolution)).collect());
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..shown.len()).map(|i| width(i).unwrap_or(0)).collect();
    let is_text: Vec<bool> = shown.iter().map(|&i| is_name(table, i)).collect();
    for line in &lines {
        let mut text = String::new();
        for ((cell, &width), &left) in line.iter().zip(&widths).zip(&is_text) {
            text.push_str(GAP);
            match left {
                true => text.push_str(&format!("{cell:<width$}")),
                false => text.push_str(&format!("{cell:>width$}")),
            }
        }
        writeln!(out, "{}", text.trim_end())?;
    }
    match table.rows.len() - rows.len() {
        0 => Ok(()),
        more => writeln!(out, "{GAP}({} more: --top N shows N)", human::count(more as u64)),
    }
}

/// A column for people in which anything stands.
fn is_shown(table: &Table, column: usize) -> bool {
    let is_zero = |cell: &Cell| matches!(cell, Cell::Empty | Cell::Count(0) | Cell::Ticks(0));
    let heading = table.columns[column].heading;
    heading.is_some_and(|heading| {
        let needed =
            !matches!(heading, "late" | "latest" | "lone sends" | "lone receives" | "open")
                && !matches!(heading, "incomplete" | "disagreeing");
        needed || table.rows.iter().any(|row| !is_zero(&row[column]))
    })
}

/// Names stand at the left of their column.
fn is_name(table: &Table, column: usize) -> bool {
    table.rows.iter().any(|row| matches!(row[column], Cell::Text(_)))
}

/// The rows to show, in their order: those with the most bytes and messages where there are too many.
fn chosen(table: &Table, top: usize) -> Vec<usize> {
    let all = 0..table.rows.len();
    if table.rows.len() <= top {
        return all.collect();
    }
    let weight = |row: usize| {
        let sum = |of: fn(&Cell) -> u128| table.rows[row].iter().map(of).sum::<u128>();
        let bytes = sum(|cell| if let Cell::Bytes(bytes) = cell { *bytes } else { 0 });
        let counts = sum(|cell| if let Cell::Count(count) = cell { (*count).into() } else { 0 });
        (bytes, counts)
    };
    let mut rows: Vec<usize> = all.collect();
    rows.sort_by_key(|&row| Reverse(weight(row)));
    rows.truncate(top);
    rows
}

fn text(cell: &Cell, resolution: u64) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => human::visible(&human::short(text.clone())).into_owned(),
        Cell::Id(number) => number.to_string(),
        Cell::Count(number) => human::count(*number),
        Cell::Bytes(bytes) => human::bytes(*bytes),
        Cell::Ticks(ticks) if *ticks < 0 => {
            format!("-{}", human::time(ticks.unsigned_abs(), resolution))
        }
        Cell::Ticks(ticks) => human::time(ticks.unsigned_abs(), resolution),
    }
}
