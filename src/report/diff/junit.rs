//! A comparison as test cases, as servers that build and test read them.

use std::io::{self, Write};

use super::DiffReport;
use crate::tables::PICOSECONDS;
use streamfold_analyses::compare::Change;
use streamfold_text::human;

/// Writes a test case for the whole, and for each row that changed by enough to matter. Those that take too
/// much time have failed.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &DiffReport<'_>) -> io::Result<()> {
    let comparison = report.comparison;
    let (failing, whole) = report.failing();
    let mut failed = vec![false; comparison.rows.len()];
    failing.iter().for_each(|number| failed[*number] = true);
    let rows = comparison.rows.iter().zip(&failed);
    let rows = rows.filter(|(row, _)| comparison.is_large(&row.change, report.limits.min));
    let rows: Vec<_> = rows.collect();
    let failures = failing.len() + usize::from(whole);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites>\n<testsuite name=\"streamfold diff\" tests=\"{}\" failures=\"{failures}\">",
        rows.len() + 1,
    )?;
    case(out, "the whole", comparison.whole(), whole)?;
    rows.into_iter().try_for_each(|(row, failed)| case(out, &row.label, &row.change, *failed))?;
    writeln!(out, "<system-out>{}</system-out>", escaped(&report.answer().join(" ")))?;
    writeln!(out, "</testsuite>\n</testsuites>")
}

fn case(out: &mut dyn Write, name: &str, change: &Change, failed: bool) -> io::Result<()> {
    let seconds = change.after.time as f64 / PICOSECONDS as f64;
    write!(
        out,
        "<testcase classname=\"streamfold.diff\" name=\"{}\" time=\"{seconds}\"",
        escaped(name),
    )?;
    if !failed {
        return writeln!(out, "/>");
    }
    let message = super::answer::failure(name, change);
    let (message, after) = (escaped(&message), human::time(change.after.time, PICOSECONDS));
    writeln!(out, "><failure message=\"{message}\" type=\"slower\">{after}</failure></testcase>")
}

/// Text that is no markup. A character that XML does not allow is shown as its picture.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in human::visible(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            c => escaped.push(c),
        }
    }
    escaped
}
