//! Tables for people.

use std::cmp::Reverse;
use std::io::{self, Write};

use super::{Cell, MatchReport, Table};
use crate::report::{fit, human};

/// Blanks between columns.
const GAP: &str = "  ";

/// Writes all tables that have rows, each with so many at most: where there are more, those with the
/// most messages or bytes. Lines have so many characters as `width` says, where it does.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &MatchReport<'_>,
    tables: &[Table],
    top: usize,
    width: Option<usize>,
) -> io::Result<()> {
    let resolution = report.provenance.timer_resolution;
    let mut any = false;
    for table in tables.iter().filter(|table| !table.rows.is_empty()) {
        if any {
            writeln!(out)?;
        }
        any = true;
        show(out, table, resolution, top, width)?;
    }
    if !any {
        writeln!(out, "No messages, collective operations, windows or files.")?;
    }
    Ok(())
}

/// Columns that a table can do without, the least missed first.
const SPARED: [&str; 19] = [
    "late",
    "latest",
    "before last",
    "open",
    "requested",
    "begun",
    "event",
    "tag",
    "parts",
    "sum of transfers",
    "bandwidth",
    "received",
    "sent",
    "comm",
    "window",
    "from",
    "to",
    "why",
    "time",
];

/// Characters of a name that is not the last one of its line, where there is no room for more.
const SHORT: usize = 20;

/// Writes a table with so many rows at most, in lines of so many characters where that is said.
pub(crate) fn show(
    out: &mut dyn Write,
    table: &Table,
    resolution: u64,
    top: usize,
    width: Option<usize>,
) -> io::Result<()> {
    let shown: Vec<usize> = (0..table.columns.len()).filter(|&i| is_shown(table, i)).collect();
    let rows = chosen(table, top);
    writeln!(out, "{}", table.title)?;
    let headings: Vec<&str> =
        shown.iter().map(|&i| table.columns[i].heading.unwrap_or_default()).collect();
    let mut lines: Vec<Vec<String>> = vec![headings.iter().map(|&h| h.to_owned()).collect()];
    for &row in &rows {
        let cells = &table.rows[row];
        lines.push(shown.iter().map(|&i| text(&cells[i], resolution)).collect());
    }
    let widest = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let mut widths: Vec<usize> = (0..shown.len()).map(|i| widest(i).unwrap_or(0)).collect();
    let is_text: Vec<bool> = shown.iter().map(|&i| is_name(table, i)).collect();
    let left_out = width.map_or(0, |width| fitted(&headings, &mut widths, &is_text, width));
    for line in &lines {
        let mut text = String::new();
        let cells = line.iter().zip(&widths).zip(&is_text).filter(|((_, width), _)| **width > 0);
        for ((cell, &width), &left) in cells {
            let cell = fit::cut(cell, width);
            text.push_str(GAP);
            match left {
                true => text.push_str(&format!("{cell:<width$}")),
                false => text.push_str(&format!("{cell:>width$}")),
            }
        }
        writeln!(out, "{}", text.trim_end())?;
    }
    if left_out > 0 {
        let columns = human::plural(left_out as u64, "column");
        writeln!(out, "{GAP}({columns} left out for want of room: | less -S shows all)")?;
    }
    match table.rows.len() - rows.len() {
        0 => Ok(()),
        more => writeln!(out, "{GAP}({} more: --top N shows N)", human::count(more as u64)),
    }
}

/// Makes columns fit into so many characters: columns that have no room get 0. Returns how many these are.
fn fitted(headings: &[&str], widths: &mut [usize], is_text: &[bool], width: usize) -> usize {
    let all: usize = widths.iter().map(|width| width + GAP.len()).sum();
    let (Some((last, others)), Some(true)) = (widths.split_last_mut(), is_text.last()) else {
        // There is no name at the end that could be cut.
        return fit::fit(&SPARED, headings, widths, widths.len(), 0, width).1;
    };
    if all <= width {
        return 0;
    }
    for (width, _) in others.iter_mut().zip(is_text).filter(|(_, is_text)| **is_text) {
        *width = (*width).min(SHORT);
    }
    let (spare, room) = (others.len(), width.saturating_sub(GAP.len()));
    let (room, left_out) = fit::fit(&SPARED, headings, others, spare, *last, room);
    *last = (*last).min(room);
    left_out
}

/// A column for people in which anything stands.
fn is_shown(table: &Table, column: usize) -> bool {
    let is_zero = |cell: &Cell| matches!(cell, Cell::Empty | Cell::Count(0) | Cell::Ticks(0));
    let heading = table.columns[column].heading;
    heading.is_some_and(|heading| {
        let needed =
            !matches!(heading, "late" | "latest" | "lone sends" | "lone receives" | "open")
                && !matches!(heading, "incomplete" | "disagreeing" | "not begun");
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
        Cell::Rate(bytes) => format!("{}/s", human::bytes((*bytes).into())),
        Cell::Ticks(ticks) if *ticks < 0 => {
            format!("-{}", human::time(ticks.unsigned_abs(), resolution))
        }
        Cell::Ticks(ticks) => human::time(ticks.unsigned_abs(), resolution),
    }
}

#[cfg(test)]
mod tests {
    use streamfold_kernels::matching::collectives::CollectiveTotals;
    use streamfold_kernels::matching::totals::MessageTotals;
    use streamfold_kernels::matching::Found;
    use streamfold_model::store::Definitions;

    use super::super::{tables, Column, MatrixOf};
    use super::*;
    use crate::drive::{Amount, Folded, Losses};
    use crate::matching::Outcome;
    use crate::report::provenance::Provenance;

    /// Those of all tables, which have no rows.
    fn headings() -> Vec<&'static str> {
        let (partial, losses, amount) = (Found::default(), Losses::default(), Amount::default());
        let (messages, collectives) = (MessageTotals::default(), CollectiveTotals::default());
        let folded = Folded { partial, losses, amount };
        let outcome = Outcome { folded, messages, collectives, streams: Vec::new(), spilled: 0 };
        let provenance = Provenance {
            program: String::new(),
            input: String::new(),
            trace_identifier: String::new(),
            creator: String::new(),
            options: Vec::new(),
            timer_resolution: 1,
            loss_count: 0,
            losses: Vec::new(),
        };
        let report = MatchReport {
            outcome: &outcome,
            definitions: &Definitions::default(),
            provenance: &provenance,
            matrix: MatrixOf::Location,
        };
        let tables = tables(&report);
        tables.iter().flat_map(|table| &table.columns).filter_map(|column| column.heading).collect()
    }

    #[test]
    fn columns_to_do_without_are_columns() {
        let known = headings();
        let unknown: Vec<_> = SPARED.iter().filter(|name| !known.contains(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn tables_shrink_to_the_terminal() {
        let column = |heading| Column { name: "x", heading: Some(heading) };
        let columns = ["from", "messages", "bytes", "latest", "sender", "receiver"].map(column);
        let name = |name: &str| Cell::Text(name.repeat(8));
        let row = vec![
            Cell::Id(1_000_000),
            Cell::Count(1_234_567),
            Cell::Bytes(1 << 31),
            Cell::Ticks(12_345),
            name("MPI Rank"),
            name("MPI Rang"),
        ];
        let (columns, rows) = (columns.to_vec(), vec![row.clone(), row]);
        let table = Table { name: "matrix", title: "Messages".into(), columns, rows };
        let lines = |width| {
            let mut out = Vec::new();
            show(&mut out, &table, 1000, 10, width).expect("shown");
            let text = String::from_utf8(out).expect("text");
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let whole = lines(None);
        assert_eq!(lines(Some(400)), whole);
        assert!(whole[2].contains(&"MPI Rang".repeat(8)) && whole[1].contains("latest"));
        // The names alone take 76.
        for width in 76..150 {
            let narrow = lines(Some(width));
            assert!(narrow.iter().all(|line| line.chars().count() <= width), "{width}: {narrow:?}");
            assert!(
                narrow[2].contains("1 234 567") && narrow[2].contains("MPI Rang"),
                "{narrow:?}"
            );
            let left_out = narrow.len() > whole.len();
            assert_eq!(left_out, !narrow[1].contains("latest"), "{narrow:?}");
        }
    }
}
