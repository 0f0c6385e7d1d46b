//! `match`: what belongs together, against facts that others found, and against a slow implementation
//! that does the same in the simplest way.

mod callpaths;
mod collectives;
mod facts;
mod failing_ranks;
mod files;
mod layouts;
mod list;
pub mod made;
mod outputs;
mod random;
mod reasons;
mod slices;
mod slow;
mod spans;

use std::ffi::OsStr;
use std::path::Path;

use crate::common::program::{said, streamfold};
use serde_json::Value;

/// The JSON report of an archive, and the exit code.
fn report(anchor: &Path, more: &[&str]) -> (Value, i32) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("report.json");
    let args =
        [OsStr::new("match"), OsStr::new("-q"), anchor.as_ref(), OsStr::new("-o"), file.as_ref()];
    let output =
        streamfold(args.into_iter().chain(more.iter().map(OsStr::new))).output().expect("a run");
    let code = output.status.code().expect("an exit code");
    let report = std::fs::read(&file).ok().and_then(|text| serde_json::from_slice(&text).ok());
    (report.unwrap_or_else(|| panic!("exit code {code}: {}", said(&output))), code)
}

/// The rows of a table.
fn rows<'a>(report: &'a Value, table: &str) -> &'a [Value] {
    report[table].as_array().unwrap_or_else(|| panic!("a table {table}"))
}

/// A number of a row.
fn number(row: &Value, column: &str) -> u64 {
    row[column].as_u64().unwrap_or_else(|| panic!("{column} in {row}"))
}
