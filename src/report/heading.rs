//! The first lines of a report for people: of which trace it is, and of what part.

use std::io::{self, Write};

use super::provenance::Provenance;
use super::{fit, say};
use streamfold_text::human;
use streamfold_text::style::{self, Style};

/// Writes them, in lines of so many characters: the trace, who recorded it and what is known of all (`what`), and what was
/// asked for.
///
/// # Errors
///
/// When the output cannot be written.
pub(crate) fn write(
    out: &mut dyn Write,
    provenance: &Provenance,
    what: &str,
    width: Option<usize>,
) -> io::Result<()> {
    input(out, provenance, width)?;
    let creator = match &provenance.creator[..] {
        "" => "an unnamed program".into(),
        creator => human::visible(creator),
    };
    say::plain(out, &format!("recorded by {creator}: {what}"), width)?;
    let asked: Vec<_> = provenance.options.iter().filter_map(asked).collect();
    if !asked.is_empty() {
        say::plain(out, &format!("with {}", asked.join(", ")), width)?;
    }
    writeln!(out)
}

/// Writes the path of the trace; on terminals without its begin where that has no room.
///
/// # Errors
///
/// When the output cannot be written.
pub(crate) fn input(
    out: &mut dyn Write,
    provenance: &Provenance,
    width: Option<usize>,
) -> io::Result<()> {
    let path = human::visible(&provenance.input);
    let path = &fit::cut_begins(&[&path], width.unwrap_or(usize::MAX))[0];
    writeln!(out, "{}", style::styled(Style::Heading, path))
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
