//! The facts about a trace, as a page for people and as JSON for programs.

pub mod json;
mod otf;
pub mod page;

use std::io::{self, Write};

use super::say;
use streamfold_text::human::{self, short, visible};

/// A page that is being written.
struct Page<'a> {
    out: &'a mut dyn Write,
    /// Characters of a line, on a terminal.
    width: Option<usize>,
}

/// A column: its heading, and its width where there is room. Width 0: texts, as long as they are.
type Column = (&'static str, usize);

impl Page<'_> {
    fn heading(&mut self, title: &str) -> io::Result<()> {
        writeln!(self.out)?;
        self.text(title)
    }

    /// A sentence, or a title.
    fn text(&mut self, text: &str) -> io::Result<()> {
        say::plain(self.out, text, self.width)
    }

    /// A fact and its name.
    fn fact(&mut self, name: &str, value: &str) -> io::Result<()> {
        /// Characters before a value.
        const NAME: usize = 24;
        let value = short(value.to_owned());
        let room = self.width.map(|width| width.saturating_sub(NAME).max(16));
        let lines = human::wrapped(&visible(&value), room);
        for (number, line) in lines.iter().enumerate() {
            let name = if number == 0 { name } else { "" };
            writeln!(self.out, "  {name:<21} {line}")?;
        }
        Ok(())
    }

    /// Names with numbers. Columns are no wider than their contents where there is no room for more; what still has none
    /// is left out at the right, and told.
    fn table(
        &mut self,
        (name, names): Column,
        columns: &[Column],
        rows: &[Vec<String>],
    ) -> io::Result<()> {
        let longest = |of: usize, least: usize| {
            rows.iter().map(|row| row[of].chars().count()).fold(least, usize::max)
        };
        let fitted = |of: usize| 1 + longest(1 + of, columns[of].0.chars().count());
        let fixed = |of: usize| if columns[of].1 > 0 { columns[of].1 } else { fitted(of) };
        let mut widths: Vec<usize> = (0..columns.len()).map(fixed).collect();
        let whole = |names: usize, widths: &[usize]| {
            2 + names + widths.iter().map(|of| of + 1).sum::<usize>()
        };
        let has_room =
            |names, widths: &[usize]| self.width.is_none_or(|width| whole(names, widths) <= width);
        let (mut names, mut shown) = (names, columns.len());
        if !has_room(names, &widths) {
            widths = (0..columns.len()).map(fitted).collect();
            names = longest(0, name.chars().count());
            while shown > 1 && !has_room(names, &widths[..shown]) {
                shown -= 1;
            }
        }
        let titles = columns.iter().map(|(title, _)| (*title).to_owned());
        let head: Vec<String> = std::iter::once(name.to_owned()).chain(titles).collect();
        for row in std::iter::once(&head).chain(rows) {
            let mut line = format!("  {:<names$}", row[0]);
            for ((cell, width), (_, fixed)) in row[1..].iter().zip(&widths[..shown]).zip(columns) {
                let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
                match fixed {
                    0 => line.extend([" ", cell, &blanks]),
                    _ => line.extend([" ", &blanks, cell]),
                }
            }
            writeln!(self.out, "{}", line.trim_end())?;
        }
        super::fit::tell_columns(self.out, columns.len() - shown)
    }
}
