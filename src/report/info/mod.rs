//! The facts about a trace, as a page for people and as JSON for programs.

pub mod json;
mod otf;
pub mod page;

use std::io::{self, Write};

use streamfold_text::human::{short, visible};

/// A page that is being written.
struct Page<'a> {
    out: &'a mut dyn Write,
}

impl Page<'_> {
    fn heading(&mut self, title: &str) -> io::Result<()> {
        writeln!(self.out, "\n{title}")
    }

    /// A fact and its name.
    fn fact(&mut self, name: &str, value: &str) -> io::Result<()> {
        writeln!(self.out, "  {name:<21} {}", visible(&short(value.to_owned())))
    }
}
