//! The report as JSON. docs/use/validate.md describes the layout.

use std::io::{self, Write};

use serde_json::{json, Value};
use streamfold_kernels::validate::Severity;

use super::ValidationReport;
use crate::json::to_writer;
use streamfold_analyses::validate::Defect;

/// The version of the layout: the first number changes when a reader has to, the second when
/// something is added.
pub const SCHEMA_VERSION: &str = "1.1";

/// Writes the report.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &ValidationReport<'_>) -> io::Result<()> {
    let outcome = report.outcome;
    let identity = report.source.identity();
    let found = &outcome.found;
    let read = outcome.read;
    let kinds = found.counts().iter().map(|(code, count)| {
        json!({ "code": code.name(), "severity": code.severity().name(), "count": count,
            "shown": report.told(*count) })
    });
    let head = [
        ("schema", json!("streamfold-validation")),
        ("schema_version", json!(SCHEMA_VERSION)),
        ("program", json!(concat!("streamfold ", env!("CARGO_PKG_VERSION")))),
        ("input", json!(report.input)),
        ("trace_identifier", json!(identity.identifier)),
        ("creator", json!(identity.creator)),
        (
            "read",
            json!({ "files": read.files, "events": read.events, "unknown_events": read.unknown,
                "event_bytes": read.bytes }),
        ),
        (
            "counts",
            json!({ "unusable": found.of(Severity::Unusable), "errors": found.of(Severity::Error),
                "findings": found.of(Severity::Finding) }),
        ),
        ("limit", json!(report.limit)),
        ("kinds", Value::Array(kinds.collect())),
    ];
    let mut before = "{";
    for (name, value) in head {
        write!(out, "{before}\n{}: ", json!(name))?;
        to_writer(&mut *out, &value)?;
        before = ",";
    }
    write!(out, ",\n\"defects\": [")?;
    let mut before = "";
    (report.each)(&mut |defect| {
        write!(out, "{before}\n  ")?;
        to_writer(&mut *out, &value(report, defect))?;
        before = ",";
        Ok(())
    })?;
    writeln!(out, "{}]\n}}", if before.is_empty() { "" } else { "\n" })
}

fn value(report: &ValidationReport<'_>, defect: &Defect) -> Value {
    let Defect { stream, code, offset, line, record, message, .. } = defect;
    let number = record.as_ref().map(|(_, number)| *number).filter(|number| *number > 0);
    let mut value = json!({
        "severity": code.severity().name(),
        "code": code.name(),
        "file": stream.path(report.source).display().to_string(),
        "location": stream.location().map(|location| location.0),
        "offset": offset,
        "record": record.as_ref().map(|(name, _)| name),
        "number": number,
        "message": message,
    });
    if let (Some(line), Some(members)) = (line, value.as_object_mut()) {
        members.insert("line".into(), json!(line));
    }
    value
}
