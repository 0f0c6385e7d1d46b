//! A comparison for merge requests.

use std::io::{self, Write};

use super::answer::names;
use super::text::{is_wanted, tell_hidden, wanted};
use super::DiffReport;
use crate::tables::{change as percent, PICOSECONDS};
use streamfold_analyses::compare::Change;
use streamfold_text::human;

/// Writes the answer and a table of the rows that changed the most, `top` at most.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &DiffReport<'_>, top: usize) -> io::Result<()> {
    writeln!(out, "{}\n", escaped(&report.answer().join(" ")))?;
    let failures = report.failures();
    if !failures.is_empty() {
        writeln!(out, "Too much time:\n")?;
        failures.iter().try_for_each(|text| writeln!(out, "* {}", escaped(text)))?;
        writeln!(out)?;
    }
    let [before, after] = report.runs.map(names);
    writeln!(out, "* before: {}\n* after: {}", escaped(&before), escaped(&after))?;
    let table = report.table();
    let (count, hidden) = wanted(report, &table);
    if count > 0 {
        writeln!(out, "\n| {} | before | after | change | % | verdict |", report.noun())?;
        writeln!(out, "|---|---:|---:|---:|---:|---|")?;
    }
    let rows = report.comparison.rows.iter().zip(table.rows());
    let rows = rows.filter(|(_, cells)| is_wanted(report, cells));
    // Names of classes and waits say what these are parts of.
    for (row, _) in rows.take(top) {
        let change = &row.change;
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            escaped(&human::short(row.label.clone())),
            human::time(change.before.time, PICOSECONDS),
            human::time(change.after.time, PICOSECONDS),
            human::signed_time(change.by(), PICOSECONDS),
            in_percent(change),
            change.verdict.name(),
        )?;
    }
    if count > top {
        writeln!(out, "\n{} more", human::count((count - top) as u64))?;
    }
    tell_hidden(out, report, hidden)
}

fn in_percent(change: &Change) -> String {
    percent(change.by(), change.before.time).map_or(String::new(), |by| format!("{by:+.1}"))
}

/// Text that is no markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in human::visible(text).chars() {
        if matches!(c, '|' | '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '~' | '&') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
