//! Call paths in the JSON of Caliper (`json-split`), as Hatchet and Thicket open it.
//!
//! A node stands for each call path, and a row for each node, in the same order. All other members of
//! the document say something of the run.

use std::io::{self, Write};

use serde_json::{json, Value};
use streamfold_kernels::profile::PathRow;
use streamfold_model::enums::LocationGroupType;

use super::ProfileReport;
use crate::json::to_writer;
use streamfold_analyses::steps;

/// The columns of a row. Readers want the order of nodes first.
const COLUMNS: [&str; 8] = [
    "Node order",
    "path",
    "sum#time.duration",
    "inclusive#sum#time.duration",
    "min#sum#time.duration",
    "avg#sum#time.duration",
    "max#sum#time.duration",
    "visits",
];

/// Writes all call paths; times are in seconds, of all locations together.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &ProfileReport<'_>) -> io::Result<()> {
    let paths = &report.profile.paths;
    let resolution = report.provenance.timer_resolution.max(1) as f64;
    writeln!(out, "{{")?;
    list(out, "data", paths.iter().enumerate(), |(number, path)| row(number, path, resolution))?;
    member(out, "columns", &json!(COLUMNS))?;
    let about = COLUMNS.map(|column| json!({ "is_value": column != "path" }));
    member(out, "column_metadata", &json!(about))?;
    list(out, "nodes", paths, |path| {
        let label = steps::step(report.definitions, path.step);
        match path.parent {
            Some(parent) => json!({ "label": label, "column": "path", "parent": parent }),
            None => json!({ "label": label, "column": "path" }),
        }
    })?;
    let provenance = report.provenance;
    for (name, value) in [
        ("program", json!(provenance.program)),
        ("input", json!(provenance.input)),
        ("creator", json!(provenance.creator)),
        ("trace_identifier", json!(provenance.trace_identifier)),
        ("losses", json!(provenance.loss_count)),
        ("locations", json!(report.profile.locations.len())),
    ] {
        member(out, name, &value)?;
    }
    writeln!(out, "\"mpi.world.size\": {}\n}}", processes(report))
}

fn row(number: usize, path: &PathRow, resolution: f64) -> Value {
    let row = &path.row;
    let seconds = |ticks: u128| ticks as f64 / resolution;
    let locations = row.spread.locations;
    let mean = if locations == 0 { 0.0 } else { seconds(row.exclusive) / locations as f64 };
    let (least, most) = if locations == 0 { (0, 0) } else { (row.spread.least, row.spread.most) };
    json!([
        number,
        number,
        seconds(row.exclusive),
        seconds(row.inclusive),
        seconds(least),
        mean,
        seconds(most),
        row.visits,
    ])
}

fn member(out: &mut dyn Write, name: &str, value: &Value) -> io::Result<()> {
    write!(out, "{}: ", json!(name))?;
    to_writer(&mut *out, value)?;
    writeln!(out, ",")
}

/// A list with a line for each element.
fn list<T>(
    out: &mut dyn Write,
    name: &str,
    of: impl IntoIterator<Item = T>,
    element: impl Fn(T) -> Value,
) -> io::Result<()> {
    write!(out, "{}: [", json!(name))?;
    for (i, it) in of.into_iter().enumerate() {
        let before = if i > 0 { ",\n  " } else { "\n  " };
        out.write_all(before.as_bytes())?;
        to_writer(&mut *out, &element(it))?;
    }
    writeln!(out, "\n],")
}

/// How many processes were read, at least 1.
pub(super) fn processes(report: &ProfileReport<'_>) -> u64 {
    let groups = report.profile.groups.iter();
    let defined = groups.filter_map(|row| report.definitions.location_groups.get(&row.group));
    let processes =
        defined.filter(|group| group.location_group_type == LocationGroupType::Process).count();
    (processes as u64).max(1)
}
