//! The first lines of a report for people: of which trace it is, and of what part.

use std::io::{self, Write};

use super::provenance::Provenance;
use streamfold_text::human;

/// Writes them: the trace, who recorded it and what is known of all (`what`), and what was asked for.
///
/// # Errors
///
/// When the output cannot be written.
pub(crate) fn write(out: &mut dyn Write, provenance: &Provenance, what: &str) -> io::Result<()> {
    writeln!(out, "{}", human::visible(&provenance.input))?;
    let creator = match &provenance.creator[..] {
        "" => "an unnamed program".into(),
        creator => human::visible(creator),
    };
    writeln!(out, "recorded by {creator}: {what}")?;
    let asked: Vec<_> = provenance.options.iter().filter_map(asked).collect();
    if !asked.is_empty() {
        writeln!(out, "with {}", asked.join(", "))?;
    }
    writeln!(out)
}

/// An option that changes what all tables are about, as it was given.
fn asked((name, value): &(String, String)) -> Option<String> {
    let value = human::visible(value);
    match (&name[..], &value[..]) {
        ("per-location" | "strict" | "by" | "worst", _) => None,
        (name, "true") => Some(format!("--{name}")),
        (name, value) => Some(format!("--{name} {value}")),
    }
}
