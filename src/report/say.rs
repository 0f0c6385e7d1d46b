//! Sentences and titles for people, in lines of a terminal.

use std::io::{self, Write};

use streamfold_text::human;
use streamfold_text::style::{self, Style};

/// Writes a sentence of an answer, the numbers of which stand out.
///
/// # Errors
///
/// When the output cannot be written.
pub(crate) fn answer(out: &mut dyn Write, sentence: &str, width: Option<usize>) -> io::Result<()> {
    lines(out, &style::answer(&human::visible(sentence)), width)
}

/// Writes a sentence.
///
/// # Errors
///
/// When the output cannot be written.
pub(crate) fn plain(out: &mut dyn Write, sentence: &str, width: Option<usize>) -> io::Result<()> {
    lines(out, &human::visible(sentence), width)
}

/// Writes the title of what follows.
///
/// # Errors
///
/// When the output cannot be written.
pub(crate) fn title(out: &mut dyn Write, title: &str, width: Option<usize>) -> io::Result<()> {
    of_style(out, Style::Heading, title, width)
}

/// Writes a sentence of one style.
///
/// # Errors
///
/// When the output cannot be written.
pub(crate) fn of_style(
    out: &mut dyn Write,
    style: Style,
    sentence: &str,
    width: Option<usize>,
) -> io::Result<()> {
    let lines = human::wrapped(sentence, width);
    lines.iter().try_for_each(|line| writeln!(out, "{}", style::styled(style, line)))
}

fn lines(out: &mut dyn Write, text: &str, width: Option<usize>) -> io::Result<()> {
    human::wrapped(text, width).iter().try_for_each(|line| writeln!(out, "{line}"))
}
