//! The rows of a profile: the table that CSV has, with times in ticks and in seconds.
//!
//! The table of CSV goes to a temporary file and is read twice: for the kinds of its columns, then for
//! its rows. So both have the same columns, and memory holds a group of rows.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};

use csv::{Reader, StringRecord};

use super::{about, in_seconds, write_file, Column, Kind, Value};
use crate::profile::json::SCHEMA_VERSION;
use crate::profile::sort::SortKey;
use crate::profile::{csv as table, By, ProfileReport};
use streamfold_output::Output;
use streamfold_system::exit::Failure;

/// Columns of texts. All others have numbers.
const TEXTS: [&str; 19] = [
    "name",
    "kind",
    "file",
    "paradigm",
    "role",
    "callpath",
    "type",
    "group_name",
    "mode",
    "base",
    "unit",
    "shape",
    "si_unit",
    "description",
    "value_type",
    "recorder_name",
    "scope_kind",
    "scope_name",
    "region_name",
];

/// Columns of numbers that things are known by. All others are signed, so that differences of them are what
/// one expects.
const IDS: [&str; 13] = [
    "region",
    "path",
    "parent",
    "location",
    "group",
    "most_at_location",
    "context",
    "generator",
    "member",
    "metric",
    "recorder",
    "scope",
    "line",
];

/// Writes the rows of one kind.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    output: &Output,
    report: &ProfileReport<'_>,
    by: By,
    key: SortKey,
    top: Option<usize>,
) -> Result<(), Failure> {
    let spooled = || -> io::Result<(File, Vec<Column>)> {
        let mut spool = tempfile::tempfile()?;
        let mut out = BufWriter::new(&mut spool);
        table::write(&mut out, report, by, key, top)?;
        out.flush()?;
        drop(out);
        let columns = columns(&mut spool)?;
        Ok((spool, columns))
    };
    let failed = |error: io::Error| Failure::output(output.path(), &error);
    let (mut spool, columns) = spooled().map_err(failed)?;
    let resolution = report.provenance.timer_resolution.max(1) as f64;
    let is_time: Vec<bool> = columns.iter().map(|column| is_time(&column.name)).collect();
    let mut all = Vec::new();
    for (column, is_time) in columns.iter().zip(&is_time) {
        all.push(column.clone());
        let seconds = Column::new(in_seconds(&column.name), Kind::Double, column.optional);
        all.extend(is_time.then_some(seconds));
    }
    let of = about("streamfold-profile", SCHEMA_VERSION, report.provenance);
    write_file(output, all, &of, |rows| {
        let mut reader = reader(&mut spool)?;
        let mut record = StringRecord::new();
        while reader.read_record(&mut record)? {
            let mut values = Vec::with_capacity(columns.len() * 2);
            for ((text, column), is_time) in record.iter().zip(&columns).zip(&is_time) {
                let value = value(text, column.kind);
                let seconds = match &value {
                    Value::Signed(ticks) => Value::Double(*ticks as f64 / resolution),
                    Value::Double(ticks) => Value::Double(ticks / resolution),
                    _ => Value::None,
                };
                values.push(value);
                values.extend(is_time.then_some(seconds));
            }
            rows.push(values)?;
        }
        Ok(())
    })
}

fn reader(spool: &mut File) -> io::Result<Reader<BufReader<&mut File>>> {
    spool.rewind()?;
    Ok(Reader::from_reader(BufReader::new(spool)))
}

fn is_time(name: &str) -> bool {
    name.ends_with("_ticks")
}

/// The columns of a table, given all of its rows.
fn columns(spool: &mut File) -> io::Result<Vec<Column>> {
    let mut reader = reader(spool)?;
    let names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    let is_text: Vec<bool> = names.iter().map(|name| TEXTS.contains(&name.as_str())).collect();
    let kind = |(name, is_text): (&String, &bool)| match is_text {
        true => Kind::Text,
        false if name.starts_with("mean_") => Kind::Double,
        false if IDS.contains(&name.as_str()) => Kind::Unsigned,
        false => Kind::Signed,
    };
    let mut kinds: Vec<Kind> = std::iter::zip(&names, &is_text).map(kind).collect();
    let mut optional = vec![false; names.len()];
    let mut record = StringRecord::new();
    while reader.read_record(&mut record)? {
        for ((text, kind), optional) in record.iter().zip(&mut kinds).zip(&mut optional) {
            *optional |= text.is_empty();
            let is_whole = matches!(kind, Kind::Signed | Kind::Unsigned);
            if is_whole && text.parse::<i128>().is_ok() && !fits(text, *kind) {
                let text = "a number needs more than 63 bits: CSV and JSON have it";
                return Err(io::Error::other(text));
            }
            while !text.is_empty() && !fits(text, *kind) {
                *kind = match kind {
                    Kind::Unsigned | Kind::Signed => Kind::Double,
                    _ => Kind::Text,
                };
            }
        }
    }
    let columns = names.into_iter().zip(kinds).zip(optional);
    Ok(columns.map(|((name, kind), optional)| Column::new(name, kind, optional)).collect())
}

fn fits(text: &str, kind: Kind) -> bool {
    match kind {
        Kind::Unsigned => text.parse::<u64>().is_ok(),
        Kind::Signed => text.parse::<i64>().is_ok(),
        Kind::Double => text.parse::<f64>().is_ok(),
        Kind::Text => true,
    }
}

fn value(text: &str, kind: Kind) -> Value {
    match kind {
        _ if text.is_empty() => Value::None,
        Kind::Unsigned => text.parse().map_or(Value::None, Value::Unsigned),
        Kind::Signed => text.parse().map_or(Value::None, Value::Signed),
        Kind::Double => text.parse().map_or(Value::None, Value::Double),
        Kind::Text => Value::text(text),
    }
}
