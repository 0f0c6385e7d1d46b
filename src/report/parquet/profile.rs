//! The rows of a profile: the table that CSV has, with times in ticks and in seconds.

use std::io;

use super::{about, tables};
use crate::profile::csv::with_table;
use crate::profile::json::SCHEMA_VERSION;
use crate::profile::sort::SortKey;
use crate::profile::{By, ProfileReport};
use crate::tables::{Cell, Column, Kind, Schema, Table, TableReport, Unit};
use streamfold_output::Output;
use streamfold_system::exit::Failure;

/// Writes the rows of one kind.
///
/// # Errors
///
/// When the output cannot be written, or a number needs more than 63 bits.
pub fn write(
    output: &Output,
    report: &ProfileReport<'_>,
    by: By,
    key: SortKey,
    top: Option<usize>,
) -> Result<(), Failure> {
    with_report(report, by, key, top, |report, table| {
        let of = about(&report.schema.name(), report.schema.version, report.provenance);
        let resolution = report.provenance.timer_resolution;
        let table = report.table(table).expect("there is one");
        tables::write_table(output, &of, resolution, table, |_| {
            io::Error::other("a number needs more than 63 bits: CSV and JSON have it")
        })
    })
}

/// Makes a report with one table, the rows of one kind, and gives it to `take` with the name of the table.
pub fn with_report<R>(
    report: &ProfileReport<'_>,
    by: By,
    key: SortKey,
    top: Option<usize>,
    take: impl FnOnce(&TableReport<'_>, &str) -> R,
) -> R {
    let resolution = report.provenance.timer_resolution;
    with_table(report, by, key, top, |table| {
        let declared = Some((Kind::U64, Unit::None));
        let last = Column { name: "ticks_per_second".into(), heading: None, declared };
        let columns = table.columns.iter().cloned().chain([last]).collect();
        let with_resolution = Table::new(table.name, "", columns, || {
            table.rows().map(|row| row.into_iter().chain([Cell::Count(resolution)]).collect())
        });
        let of_rows = TableReport {
            schema: Schema { command: "profile", version: SCHEMA_VERSION },
            provenance: report.provenance,
            definitions: report.definitions,
            more: Vec::new(),
            tables: vec![with_resolution],
        };
        take(&of_rows, table.name)
    })
}
