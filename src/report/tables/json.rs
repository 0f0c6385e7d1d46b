//! All tables as one JSON document.

use std::io::{self, Write};

use serde_json::{json, Map, Value};

use super::{Cell, Table, TableReport};

/// Writes everything: exact integers, a list of objects for each table.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &TableReport<'_>) -> io::Result<()> {
    let mut document = Map::new();
    document.insert("schema".into(), report.schema.name().into());
    document.insert("schema_version".into(), report.schema.version.into());
    document.insert("provenance".into(), json!(report.provenance));
    document.extend(report.more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    for table in &report.tables {
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
