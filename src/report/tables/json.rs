//! All tables as one JSON document.

use std::io::{self, Write};

use serde::ser::{SerializeMap, Serializer};
use serde::Serialize;

use super::{Cell, Column, Row, Table, TableReport};
use crate::json;

/// Writes everything: exact integers, a list of objects for each table.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &TableReport<'_>) -> io::Result<()> {
    json::to_writer(&mut *out, report)?;
    writeln!(out)
}

impl Serialize for TableReport<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut document = to.serialize_map(None)?;
        document.serialize_entry("schema", &self.schema.name())?;
        document.serialize_entry("schema_version", self.schema.version)?;
        document.serialize_entry("provenance", self.provenance)?;
        self.more.iter().try_for_each(|(name, value)| document.serialize_entry(name, value))?;
        self.tables.iter().try_for_each(|table| document.serialize_entry(table.name, table))?;
        document.end()
    }
}

/// A list of objects.
impl Serialize for Table<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.rows().map(|row| Object { columns: &self.columns, row }))
    }
}

/// A row with the names of its columns.
struct Object<'a> {
    columns: &'a [Column],
    row: Row,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.columns.iter().map(|column| &*column.name).zip(&self.row))
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Text(text) => to.serialize_str(text),
            Cell::Object(members) => {
                let there = members.iter().filter(|(_, cell)| !matches!(cell, Cell::Absent));
                to.collect_map(there.map(|(name, cell)| (name, cell)))
            }
            Cell::List(cells) => to.collect_seq(cells),
            cell => match cell.integer() {
                Some(integer) => to.serialize_i128(integer),
                None => cell.float().serialize(to),
            },
        }
    }
}
