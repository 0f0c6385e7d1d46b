//! Tables for people.

use std::io::{self, Write};

use crate::report::tables::text::{self, Look};
use crate::report::tables::TableReport;

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
    let mut any = false;
    for table in report.tables.iter().filter(|table| !table.is_empty()) {
        if any {
            writeln!(out)?;
        }
        any = true;
        text::write(out, table, &look)?;
    }
    if !any {
        writeln!(out, "No messages, collective operations, windows or files.")?;
    }
    Ok(())
}

/// Columns that a table can do without, the least missed first.
const SPARED: [&str; 19] = [
    "before last",
    "open",
    "requested",
    "begun",
    "parts",
    "bandwidth",
    "sum of transfers",
    "received",
    "sent",
    "comm",
    "window",
    "from",
    "to",
    "tag",
    "late",
    "latest",
    "event",
    "why",
    "time",
];

/// Columns that are shown only where anything stands in them.
const SELDOM: [&str; 10] = [
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
];

#[cfg(test)]
mod tests {
    use streamfold_kernels::matching::totals::MessageTotals;
    use streamfold_model::store::Definitions;

    use super::super::tests::with_report;
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

    #[test]
    fn columns_to_do_without_are_columns() {
        let known = headings();
        let named = SPARED.iter().chain(&SELDOM);
        let unknown: Vec<_> = named.filter(|name| !known.contains(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
