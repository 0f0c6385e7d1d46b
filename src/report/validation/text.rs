//! One line that says it all, then a table of the kinds of defects, then a line for each.

use std::io::{self, Write};

use streamfold_kernels::validate::{Code, Severity};

use super::ValidationReport;
use streamfold_analyses::validate::Defect;
use streamfold_text::human;

/// Writes the report.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &ValidationReport<'_>) -> io::Result<()> {
    writeln!(out, "{}", human::visible(&conclusion(report)))?;
    table(out, report)?;
    let mut any = false;
    (report.each)(&mut |defect| {
        if !std::mem::replace(&mut any, true) {
            writeln!(out)?;
        }
        writeln!(out, "{}", human::visible(&line(report, defect)))
    })
}

/// `error    undefined-reference  t/0.evt: at byte 46: Enter record 3: …`
fn line(report: &ValidationReport<'_>, defect: &Defect) -> String {
    let Defect { stream, code, offset, line: at, record, message, .. } = defect;
    let path = stream.path(report.source);
    let mut line =
        format!("{:8}  {:20}  {}: ", code.severity().name(), code.name(), path.display());
    if let Some(offset) = offset {
        line += &format!("at byte {offset}: ");
    }
    if let Some(at) = at {
        line += &format!("line {at}: ");
    }
    line + &record_text(record) + message
}

fn record_text(record: &Option<(String, u64)>) -> String {
    match record {
        None => String::new(),
        Some((name, 0)) => format!("{name} record: "),
        // The name of an unnamed record contains the word already.
        Some((name, number)) if name.contains("record") => format!("{name}, number {number}: "),
        Some((name, number)) => format!("{name} record {number}: "),
    }
}

/// How many of each kind, the worst first.
fn table(out: &mut dyn Write, report: &ValidationReport<'_>) -> io::Result<()> {
    let counts = report.outcome.found.counts();
    if counts.is_empty() {
        return Ok(());
    }
    let mut rows: Vec<(Code, u64)> = counts.iter().map(|(code, count)| (*code, *count)).collect();
    rows.sort_by_key(|(code, _)| (code.severity(), *code));
    let width = rows.iter().map(|(_, count)| human::count(*count).chars().count()).max();
    let width = width.unwrap_or(0).max("count".len());
    writeln!(out, "\n{:8}  {:>width$}  {:22}  what it is", "severity", "count", "kind")?;
    for (code, count) in rows {
        let severity = code.severity().name();
        let shown = human::count(count);
        write!(out, "{severity:8}  {shown:>width$}  {:22}  {}", code.name(), code.meaning())?;
        let told = report.told(count);
        if told < count {
            write!(out, " ({} shown)", human::count(told))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// `t.otf2: 2 errors, 1 finding in 6 files with 2 916 events`
fn conclusion(report: &ValidationReport<'_>) -> String {
    let (found, read) = (&report.outcome.found, &report.outcome.read);
    let mut parts = Vec::new();
    for severity in Severity::ALL {
        let count = found.of(severity);
        match (severity, count) {
            (_, 0) => {}
            (Severity::Unusable, _) => parts.push("unusable".to_owned()),
            (other, count) => parts.push(human::plural(count, other.name())),
        }
    }
    let verdict = if parts.is_empty() { "nothing is wrong".to_owned() } else { parts.join(", ") };
    let (files, events) = (human::plural(read.files, "file"), human::plural(read.events, "event"));
    format!("{}: {verdict} in {files} with {events}", report.input)
}
