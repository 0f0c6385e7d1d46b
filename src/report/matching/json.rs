//! All tables as one JSON document.

use std::io::{self, Write};

use serde_json::{json, Map, Value};

use super::{Cell, MatchReport, Table};
use crate::report::provenance::Provenance;

/// The version of the layout: the first number changes when a reader has to, the second when
/// something is added.
pub const SCHEMA_VERSION: &str = "1.1";

/// Writes everything: exact integers, a list of objects for each table.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &MatchReport<'_>, tables: &[Table]) -> io::Result<()> {
    let resolution = report.provenance.timer_resolution;
    let units = json!({ "time": "ticks", "ticks_per_second": resolution, "bytes": "bytes",
        "rate": "bytes per second" });
    let matrix_of = [("matrix_of", report.matrix.name().into())];
    let schema = ["streamfold-match", SCHEMA_VERSION];
    write_tables(
        out,
        schema,
        report.provenance,
        [("units", units)].into_iter().chain(matrix_of),
        tables,
    )
}

/// Writes a layout and its version, where the report comes from, what `more` has, and all tables.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_tables(
    out: &mut dyn Write,
    [schema, version]: [&str; 2],
    provenance: &Provenance,
    more: impl IntoIterator<Item = (&'static str, Value)>,
    tables: &[Table],
) -> io::Result<()> {
    let mut document = Map::new();
    document.insert("schema".into(), schema.into());
    document.insert("schema_version".into(), version.into());
    document.insert("provenance".into(), json!(provenance));
    document.extend(more.into_iter().map(|(name, value)| (name.to_owned(), value)));
    for table in tables {
        document.insert(table.name.into(), rows(table));
    }
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}

/// A list of objects.
fn rows(table: &Table) -> Value {
    let object = |row: &Vec<Cell>| -> Value {
        let names = table.columns.iter().map(|column| column.name.to_owned());
        names.zip(row.iter().map(value)).collect::<Map<_, _>>().into()
    };
    table.rows.iter().map(object).collect()
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Empty => Value::Null,
        Cell::Text(text) => json!(text),
        Cell::Id(number) | Cell::Count(number) | Cell::Rate(number) => json!(number),
        Cell::Bytes(number) => json!(number),
        Cell::Ticks(number) => json!(number),
    }
}
