//! Tables in columns, as Parquet has them.
//!
//! A row is given to [`Rows`] as its values. Rows are written in groups as they come, so that a file
//! may be larger than memory.

pub mod events;
pub mod profile;
pub mod tables;
#[cfg(feature = "parquet")]
mod writer;
#[cfg(not(feature = "parquet"))]
#[path = "without.rs"]
mod writer;

use std::fs::File;
use std::io::{self, BufWriter, Write};

use super::provenance::Provenance;
use streamfold_output::Output;
use streamfold_system::exit::Failure;
use writer::bytes_of;
pub use writer::{Rows, Text};

/// Type of the values in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers that may be negative.
    Signed,
    /// Numbers that things are known by.
    Unsigned,
    /// Any number.
    Double,
    /// Text, each of which is stored once.
    Text,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Type of its values.
    pub kind: Kind,
    /// Set if a cell may be empty.
    pub optional: bool,
}

impl Column {
    /// A column of this name and kind.
    pub fn new(name: impl Into<String>, kind: Kind, optional: bool) -> Column {
        Column { name: name.into(), kind, optional }
    }
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// There is none.
    None,
    /// Of a column of signed numbers.
    Signed(i64),
    /// Of a column of numbers without a sign.
    Unsigned(u64),
    /// Of a column of any numbers.
    Double(f64),
    /// Of a column of texts. Copies share it.
    Text(Text),
}

impl Value {
    /// A text.
    pub fn text(text: &str) -> Value {
        Value::Text(Text::from(text))
    }

    /// The bytes of a text; `None`: it is none.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Text(text) => Some(bytes_of(text)),
            _ => None,
        }
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::None, Into::into)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Value {
        Value::Unsigned(number)
    }
}

/// Writes a file that appears whole or not at all.
///
/// # Errors
///
/// When it cannot be written, or what is there is no regular file.
pub fn write_file(
    output: &Output,
    columns: Vec<Column>,
    about: &[(&str, String)],
    write: impl FnOnce(&mut Rows<BufWriter<File>>) -> io::Result<()>,
) -> Result<(), Failure> {
    let unfinished = output.begin()?;
    let written = unfinished.open().and_then(|file| {
        let mut rows = Rows::new(file, columns, about)?;
        write(&mut rows)?;
        rows.end()?.flush()
    });
    written.map_err(|error| Failure::output(output.path(), &error))?;
    unfinished.finish()
}

/// Returns the metadata of a file.
pub(super) fn about(
    schema: &str,
    version: &str,
    provenance: &Provenance,
) -> Vec<(&'static str, String)> {
    vec![
        ("schema", schema.to_owned()),
        ("schema_version", version.to_owned()),
        ("program", provenance.program.clone()),
        ("input", provenance.input.clone()),
        ("trace_identifier", provenance.trace_identifier.clone()),
        ("ticks_per_second", provenance.timer_resolution.to_string()),
        ("loss_count", provenance.loss_count.to_string()),
    ]
}

/// A number is larger than its column takes.
pub fn too_large(column: &str) -> io::Error {
    let text = format!("column {column}: a number needs more than 63 bits: CSV and JSON have it");
    io::Error::other(text)
}

/// The name of the column with the same times in seconds.
pub(super) fn in_seconds(name: &str) -> String {
    match name.strip_suffix("ticks") {
        Some(begin) => format!("{begin}seconds"),
        None => format!("{name}_seconds"),
    }
}
