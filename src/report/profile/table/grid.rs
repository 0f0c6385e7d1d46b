//! Columns of text.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::fit::{self, GAP};
use crate::say;
use streamfold_text::human;

/// Columns that tables of times can do without, the least missed first.
pub(super) const SPARED: [&str; 17] = [
    "entered",
    "certain",
    "shortest",
    "longest",
    "mean visit",
    "least",
    "mean",
    "at",
    "most",
    "locs",
    "bytes",
    "operations",
    "odd",
    "events",
    "inclusive",
    "incl. samples",
    "estimated",
];

/// The column of names of locations.
const AT: &str = "at";

/// Number of characters of them where there is no room for more, and of names of rows, for which there is to be room.
const SHORT: usize = 16;
const NAMES: usize = 30;

/// Columns of text; the last one is aligned to the left.
pub(super) struct Grid {
    pub(super) heading: Vec<Cow<'static, str>>,
    pub(super) rows: Vec<Vec<String>>,
    /// Below all rows; where it is empty there is none.
    pub(super) total: Vec<String>,
    /// From this column on they may be left out for want of room.
    pub(super) spare: usize,
    /// Columns that it can do without, the least missed first.
    pub(super) spared: &'static [&'static str],
}

impl Grid {
    /// Writes it, in lines of so many characters where that is said.
    pub(super) fn write(&self, out: &mut dyn Write, width: Option<usize>) -> io::Result<()> {
        let total = Some(&self.total).filter(|total| !total.is_empty());
        let cells = |i: usize| self.rows.iter().chain(total).map(move |row| &row[i]);
        let heading: Vec<&str> = self.heading.iter().map(|name| &**name).collect();
        let last = self.heading.len() - 1;
        let mut widths: Vec<usize> = (0..last)
            .map(|i| {
                let widest = cells(i).map(|cell| cell.chars().count()).max().unwrap_or(0);
                // A column in which there is nothing is left out.
                if widest == 0 {
                    0
                } else {
                    widest.max(heading[i].chars().count())
                }
            })
            .collect();
        if let Some(at) = heading.iter().position(|name| *name == AT).filter(|_| width.is_some()) {
            let all: usize = widths.iter().map(|width| width + GAP).sum();
            if all + NAMES > width.unwrap_or(usize::MAX) {
                widths[at] = widths[at].min(SHORT);
            }
        }
        let longest = cells(last).map(|name| name.chars().count()).max().unwrap_or(0);
        let fitted = width
            .map(|width| fit::fit(self.spared, &heading, &mut widths, self.spare, longest, width));
        let (room, left_out) = fitted.unwrap_or((usize::MAX, 0));
        let names: Vec<_> = cells(last).map(|name| human::visible(name)).collect();
        let names = fit::cut(&names.iter().map(|name| &**name).collect::<Vec<_>>(), room);
        let line = |row: &[&str], name: &str| -> String {
            let cells = row.iter().zip(&widths).filter(|(_, width)| **width > 0);
            let cells = cells.map(|(cell, width)| {
                let cell = &fit::cut(&[cell], *width)[0];
                format!("{cell:>width$}{:GAP$}", "")
            });
            cells.chain([name.to_owned()]).collect()
        };
        say::title(out, &line(&heading, heading[last]), None)?;
        for (row, name) in self.rows.iter().chain(total).zip(&names) {
            writeln!(out, "{}", line(&row.iter().map(String::as_str).collect::<Vec<_>>(), name))?;
        }
        fit::tell_columns(out, left_out)
    }
}

/// All columns of which are needed.
pub(super) fn grid(
    heading: impl IntoIterator<Item = &'static str>,
    rows: Vec<Vec<String>>,
    total: Vec<String>,
) -> Grid {
    let heading = heading.into_iter().map(Cow::Borrowed).collect();
    Grid { heading, rows, total, spare: usize::MAX, spared: &SPARED }
}

#[cfg(test)]
mod tests {
    use super::super::metrics;
    use super::super::rows::ROW_HEADING;
    use super::super::samples::{ESTIMATED, OF_CONTEXTS};
    use super::super::whole::WHOLE_HEADING;
    use super::*;

    #[test]
    fn columns_to_do_without_are_columns() {
        let all = [&ROW_HEADING[..], &WHOLE_HEADING, &ESTIMATED, &OF_CONTEXTS].concat();
        let unknown: Vec<_> = SPARED.iter().filter(|name| !all.contains(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        assert!(metrics::SPARED.iter().all(|name| metrics::HEADING.contains(name)));
    }
}
