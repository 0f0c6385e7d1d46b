//! Tables for people.

use std::io::{self, Write};

use streamfold_kernels::matching::totals::Reason;

use crate::tables::text::{self, Look};
use crate::tables::{columns, Cell, Row, Table, TableReport};

/// Writes all tables that have rows, each with `top` at most: where there are more, those with the
/// most messages or bytes. Lines have so many characters as `width` says, where it does.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &TableReport<'_>,
    top: usize,
    width: Option<usize>,
) -> io::Result<()> {
    let resolution = report.provenance.timer_resolution;
    let look = Look { resolution, top, width, spared: &SPARED, seldom: &SELDOM };
    text::begin(out, report, width)?;
    let mut any = false;
    for table in &report.tables {
        let reasons = (table.name == "unmatched").then(|| reasons(report)).flatten();
        for table in reasons.iter().chain([table]).filter(|table| !table.is_empty()) {
            if any {
                writeln!(out)?;
            }
            any = true;
            text::write(out, table, &look)?;
        }
    }
    if !any {
        writeln!(out, "No messages, collective operations, windows or files.")?;
    }
    Ok(())
}

/// Why messages have one end only, of all communicators: scripts find that in the table of these.
fn reasons<'a>(report: &TableReport<'a>) -> Option<Table<'a>> {
    let communicators = report.table("communicators")?;
    let sum = |side: &str, reason: Reason| {
        let name = format!("unmatched_{side}_{}", reason.name());
        let column = communicators.columns.iter().position(|column| column.name == name);
        let count = |row: Row| match column.and_then(|column| row.get(column).cloned()) {
            Some(Cell::Count(count)) => count,
            _ => 0,
        };
        communicators.rows().map(count).sum::<u64>()
    };
    let row = |reason: Reason| {
        let counts = ["sends", "receives"].map(|side| sum(side, reason));
        let is_any = counts.iter().any(|count| *count > 0);
        is_any.then(|| counts.map(Cell::Count).into_iter().chain([reason.name().into()]).collect())
    };
    let columns = columns(&[("sends", "sends"), ("receives", "receives"), ("reason", "why")]);
    let rows = Reason::ALL.into_iter().filter_map(row).collect();
    Some(Table::of_rows("reasons", "Messages with one end", columns, rows))
}

/// Columns that a table can do without, the least missed first: a message with one end is known by its file and
/// the number of its event.
const SPARED: [&str; 30] = [
    "where",
    "location",
    "partner",
    "wait for last",
    "open",
    "requested",
    "begun",
    "calls",
    "rate in calls",
    "transfer time",
    "received",
    "sent",
    "sends",
    "receives",
    "duplicated",
    "created",
    "destroyed",
    "open before",
    "window",
    "from",
    "to",
    "late",
    "latest",
    "unequal",
    "by",
    "name",
    "tag",
    "comm",
    "time",
    "unknown",
];

/// Columns that are shown only where anything stands in them.
const SELDOM: [&str; 13] = [
    "cancelled",
    "unequal",
    "late",
    "latest",
    "lone sends",
    "lone receives",
    "open",
    "incomplete",
    "disagreeing",
    "not begun",
    "completed",
    "remote",
    "unknown",
];

#[cfg(test)]
mod tests {
    use streamfold_kernels::matching::totals::{Example, MessageTotals};
    use streamfold_model::ids::{CommRef, LocationRef};
    use streamfold_model::store::Definitions;

    use super::super::tests::{definitions, with_report};
    use super::super::{tables, MatrixOf};
    use super::*;

    /// Those of all tables, which have no rows.
    fn headings() -> Vec<&'static str> {
        let (definitions, messages) = (Definitions::default(), MessageTotals::default());
        with_report(&definitions, messages, MatrixOf::Location, |report| {
            let tables = tables(report);
            let columns = tables.iter().flat_map(|table| &table.columns);
            columns.filter_map(|column| column.heading).collect()
        })
    }

    /// The lines of a report of messages with one end on a terminal: they tell what and why, and where it stands.
    #[test]
    fn messages_with_one_end_are_told_on_narrow_terminals() {
        let definitions = definitions();
        let example = |number| Example {
            location: LocationRef(13),
            number,
            is_send: true,
            comm: CommRef(7),
            tag: 4242,
            partner: 0,
            reason: Reason::NoPartner,
        };
        let examples = vec![example(12_345)];
        let mut messages = MessageTotals { examples, ..MessageTotals::default() };
        let of = messages.by_comm.entry(CommRef(7)).or_default();
        of.sends[Reason::NoPartner as usize] = 5;
        of.receives[Reason::StreamCut as usize] = 8;
        let text = with_report(&definitions, messages, MatrixOf::Location, |report| {
            let mut out = Vec::new();
            write(&mut out, &report.table_report(), 10, Some(80)).expect("written");
            String::from_utf8(out).expect("text")
        });
        let line = |begin: &str| {
            let after = text.split_once(begin).unwrap_or_else(|| panic!("{begin}: {text}")).1;
            after.lines().nth(2).unwrap_or_default().to_owned()
        };
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let first = line("The first messages with one end");
        let has = ["12345", "send", "7", "4242", "no_partner", "folder/13.evt"];
        assert!(has.iter().all(|has| first.contains(has)), "{text}");
        let sums: Vec<_> =
            line("Messages with one end").split_whitespace().map(str::to_owned).collect();
        assert_eq!(sums, ["0", "8", "stream_cut"], "{text}");
        assert!(line("Messages by communicator").trim_start().starts_with('7'), "{text}");
    }

    #[test]
    fn columns_to_do_without_are_columns() {
        let known = headings();
        let named = SPARED.iter().chain(&SELDOM);
        let unknown: Vec<_> = named.filter(|name| !known.contains(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
