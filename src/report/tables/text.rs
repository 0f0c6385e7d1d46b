//! A table for people.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::io::{self, Write};

use super::{change, ratio, Cell, Row, Table, TableReport, PICOSECONDS};
use crate::work::{self, BARS};
use crate::{fit, heading, say};
use streamfold_text::human;

/// Blanks between columns.
const GAP: &str = "  ";

/// Number of characters of the last one that are worth more than columns that can be done without.
const LAST: usize = 18;

/// Number of characters of other names that are.
const NARROW: usize = 14;

/// Number of characters of names where nothing else can be done without, and of bars.
const LEAST_OF_NAMES: usize = 8;
const LEAST_OF_BARS: usize = 6;

/// How a table is shown.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Ticks of the clock in a second.
    pub resolution: u64,
    /// Number of rows at most.
    pub top: usize,
    /// Characters of a line; `None`: as many as it takes.
    pub width: Option<usize>,
    /// Headings of columns that a table can do without on narrow terminals, the least missed first.
    pub spared: &'static [&'static str],
    /// Headings of columns that are shown only where anything but 0 stands in them.
    pub seldom: &'static [&'static str],
}

/// Writes the first lines, of so many characters: of which trace the tables are.
///
/// # Errors
///
/// When the output cannot be written.
pub fn begin(
    out: &mut dyn Write,
    report: &TableReport<'_>,
    width: Option<usize>,
) -> io::Result<()> {
    let definitions = report.definitions;
    let locations = human::plural(definitions.locations.len() as u64, "location");
    let groups = human::plural(definitions.location_groups.len() as u64, "group");
    heading::write(out, report.provenance, &format!("{locations} in {groups}"), width)
}

/// Writes a table: the rows with the most bytes and messages where there are more than those that are wanted.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, table: &Table<'_>, look: &Look) -> io::Result<()> {
    let shown = match table.len() <= look.top {
        true => Shown::all(table),
        false => Shown::first(table, look.top, |_| true, weight),
    };
    shown.write(out, table, look)
}

/// How much a row is about.
fn weight(row: &Row) -> (u128, u128) {
    let sum = |of: fn(&Cell) -> u128| row.iter().map(of).sum::<u128>();
    let bytes = sum(|cell| if let Cell::Bytes(bytes) = cell { *bytes } else { 0 });
    let counts = sum(|cell| if let Cell::Count(count) = cell { (*count).into() } else { 0 });
    (bytes, counts)
}

/// The rows of a table that are shown.
pub struct Shown {
    rows: Vec<Row>,
    /// How many there are besides.
    more: usize,
    /// The columns in which any row of the table has anything but 0.
    filled: Vec<bool>,
}

impl Shown {
    /// All rows, in their order.
    fn all(table: &Table<'_>) -> Shown {
        let mut filled = vec![false; table.columns.len()];
        let rows = table.rows().inspect(|row| fill(&mut filled, row)).collect();
        Shown { rows, more: 0, filled }
    }

    /// All rows, in their order, of a table that lacks so many.
    pub fn but(table: &Table<'_>, more: usize) -> Shown {
        Shown { more, ..Shown::all(table) }
    }

    /// Number of rows of those that are `wanted`: those with the largest keys, these first.
    pub fn first<K: Ord>(
        table: &Table<'_>,
        top: usize,
        wanted: impl Fn(&Row) -> bool,
        key: impl Fn(&Row) -> K,
    ) -> Shown {
        let mut filled = vec![false; table.columns.len()];
        let (mut best, mut count) = (Vec::new(), 0);
        let rows = table.rows().inspect(|row| fill(&mut filled, row));
        for row in rows.filter(wanted) {
            best.push((Reverse(key(&row)), count, row));
            count += 1;
            // Rows that come first stay before others with the same key.
            if best.len() >= top.saturating_mul(2).max(LEAST) {
                keep(&mut best, top);
            }
        }
        keep(&mut best, top);
        let rows: Vec<Row> = best.into_iter().map(|(_, _, row)| row).collect();
        Shown { more: count - rows.len(), rows, filled }
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows themselves.
    pub fn into_rows(self) -> Vec<Row> {
        self.rows
    }

    /// Writes them.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write(&self, out: &mut dyn Write, table: &Table<'_>, look: &Look) -> io::Result<()> {
        let shown: Vec<usize> =
            (0..table.columns.len()).filter(|&i| self.shows(table, i, look.seldom)).collect();
        say::title(out, &table.title, look.width)?;
        let headings: Vec<&str> =
            shown.iter().map(|&i| table.columns[i].heading.unwrap_or_default()).collect();
        let mut lines: Vec<Vec<String>> = vec![headings.iter().map(|&h| h.to_owned()).collect()];
        for row in &self.rows {
            let cells = shown.iter().zip(&headings);
            lines.push(cells.map(|(&i, heading)| shown_as(heading, &row[i], look)).collect());
        }
        let widest = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
        let mut widths: Vec<usize> = (0..shown.len()).map(|i| widest(i).unwrap_or(0)).collect();
        let is_text: Vec<bool> = shown.iter().map(|&i| self.is_name(i)).collect();
        let whole = widths.clone();
        let fitted = |width| fitted(look.spared, &headings, &mut widths, &is_text, width);
        let left_out = look.width.map_or(0, fitted);
        let mut texts = vec![String::new(); lines.len()];
        for (i, &width) in widths.iter().enumerate().filter(|(_, width)| **width > 0) {
            let cells: Vec<&str> = lines.iter().map(|line| line[i].as_str()).collect();
            let is_bar = BARS.contains(&headings[i]);
            let cells = match (is_bar, PATHS.contains(&headings[i])) {
                (true, _) => {
                    let heading = fit::cut(&cells[..1], width);
                    let bars = cells[1..].iter().map(|bar| work::shorter(bar, whole[i], width));
                    heading.into_iter().chain(bars.map(Cow::Owned)).collect()
                }
                (_, true) => fit::cut_begins(&cells, width),
                _ => fit::cut(&cells, width),
            };
            for (text, cell) in texts.iter_mut().zip(cells) {
                let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
                let cell = if is_bar { work::painted(&cell) } else { cell.into_owned() };
                text.push_str(GAP);
                match is_text[i] {
                    true => text.extend([cell, blanks]),
                    false => text.extend([blanks, cell]),
                }
            }
        }
        for text in texts {
            writeln!(out, "{}", text.trim_end())?;
        }
        fit::tell_columns(out, left_out)?;
        fit::tell_rows(out, self.more)
    }

    /// A column for people in which anything stands.
    fn shows(&self, table: &Table<'_>, column: usize, seldom: &[&str]) -> bool {
        let heading = table.columns[column].heading;
        heading.is_some_and(|heading| !seldom.contains(&heading) || self.filled[column])
    }

    /// Names stand at the left of their column.
    fn is_name(&self, column: usize) -> bool {
        self.rows.iter().any(|row| matches!(row[column], Cell::Text(_)))
    }
}

/// The heading of call paths.
const CALL_PATH: &str = "call path";

/// Headings of names whose ends say most.
const PATHS: [&str; 3] = [CALL_PATH, "file", "directory"];

fn shown_as(heading: &str, cell: &Cell, look: &Look) -> String {
    match cell {
        Cell::Text(path) if heading == CALL_PATH => {
            human::visible(&human::short_path(path)).into_owned()
        }
        _ => text(cell, look.resolution),
    }
}

/// Number of rows that are held at least before those are dropped that are not among the first.
const LEAST: usize = 1024;

fn keep<K: Ord>(best: &mut Vec<(K, usize, Row)>, top: usize) {
    best.sort_unstable_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    best.truncate(top);
}

fn fill(filled: &mut [bool], row: &Row) {
    let is_zero = |cell: &Cell| {
        matches!(
            cell,
            Cell::Empty | Cell::Count(0) | Cell::Ticks(0) | Cell::Bytes(0) | Cell::Picoseconds(0)
        )
    };
    filled.iter_mut().zip(row).for_each(|(filled, cell)| *filled |= !is_zero(cell));
}

/// Makes columns fit into so many characters: columns that have no room get 0. Returns how many these are.
///
/// Bars and names are cut first, then columns go that can be done without. If that does not do, names are cut more, and
/// then other columns go, numbers first, from the right; the first one and the last name stay.
fn fitted(
    spared: &[&str],
    headings: &[&str],
    widths: &mut [usize],
    is_text: &[bool],
    width: usize,
) -> usize {
    let (whole, widths_count) = (widths.to_vec(), widths.len());
    let taken = |widths: &[usize]| -> usize {
        widths.iter().filter(|width| **width > 0).map(|width| width + GAP.len()).sum()
    };
    if taken(widths) <= width {
        return 0;
    }
    let last_name =
        |widths: &[usize]| (0..widths.len()).rev().find(|&i| is_text[i] && widths[i] > 0);
    let narrow = |widths: &mut [usize], most: usize| {
        let last = last_name(widths);
        for i in (0..widths.len()).filter(|&i| is_text[i]) {
            let most = match () {
                () if BARS.contains(&headings[i]) => LEAST_OF_BARS,
                () if Some(i) == last && most > LEAST_OF_NAMES => LAST,
                () => most,
            };
            widths[i] = widths[i].min(most);
        }
    };
    narrow(widths, NARROW);
    let mut left_out = 0;
    let go = |widths: &mut [usize], i: usize| {
        let gone = usize::from(widths[i] > 0);
        widths[i] = 0;
        gone
    };
    for spared in spared {
        if taken(widths) <= width {
            break;
        }
        for i in (0..widths.len()).filter(|&i| headings[i] == *spared) {
            left_out += go(widths, i);
            // A column of percents belongs to the one before.
            if headings.get(i + 1) == Some(&"%") {
                left_out += go(widths, i + 1);
            }
        }
    }
    if taken(widths) > width {
        narrow(widths, LEAST_OF_NAMES);
    }
    let last = last_name(widths);
    let others = || (1..widths_count).rev().filter(|&i| Some(i) != last);
    for i in others().filter(|&i| !is_text[i]).chain(others().filter(|&i| is_text[i])) {
        if taken(widths) > width {
            left_out += go(widths, i);
        }
    }
    // Room that is left goes to names until they can be read, then to bars, to other names, and to the last one.
    let mut room = width.saturating_sub(taken(widths));
    let mut widen = |i: usize, most: usize| {
        let more = room.min(whole[i].min(most).saturating_sub(widths[i]));
        if widths[i] > 0 {
            widths[i] += more;
            room -= more;
        }
    };
    let is_bar = |i: &usize| BARS.contains(&headings[*i]);
    (0..widths_count).filter(|i| is_text[*i] && !is_bar(i)).for_each(|i| widen(i, NARROW));
    last.into_iter().for_each(|i| widen(i, LAST));
    (0..widths_count).filter(is_bar).for_each(|i| widen(i, usize::MAX));
    (0..widths_count).for_each(|i| widen(i, usize::MAX));
    left_out
}

pub(super) fn text(cell: &Cell, resolution: u64) -> String {
    match cell {
        Cell::Empty | Cell::Absent | Cell::Undefined(_) => String::new(),
        Cell::Object(_) | Cell::List(_) => String::new(),
        Cell::Text(text) => human::visible(&human::short(text.clone())).into_owned(),
        Cell::Id(number) => number.to_string(),
        Cell::Count(number) => human::count(*number),
        Cell::Bytes(bytes) | Cell::Length(bytes) => human::bytes(*bytes),
        Cell::Share(part, whole) => human::percent(*part, *whole),
        Cell::Picoseconds(time) => human::signed_time(*time, PICOSECONDS),
        Cell::Change(by, whole) => {
            change(*by, *whole).map(|change| format!("{change:+.1}")).unwrap_or_default()
        }
        Cell::Ratio(part, whole) => human::share(ratio(*part, *whole)),
        Cell::Measured(bits) => human::quantity(f64::from_bits(*bits), ""),
        Cell::Mean(number) => human::quantity(*number, ""),
        Cell::Number(number) => human::quantity(number.as_f64(), ""),
        Cell::ExactRate(thousandths) => format!("{}/s", human::bytes(thousandths / 1000)),
        Cell::Rate(bytes) => format!("{}/s", human::bytes((*bytes).into())),
        Cell::Ticks(ticks) if *ticks < 0 => {
            format!("-{}", human::time(ticks.unsigned_abs(), resolution))
        }
        Cell::Ticks(ticks) => human::time(ticks.unsigned_abs(), resolution),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Column;
    use super::*;

    #[test]
    fn tables_shrink_to_the_terminal() {
        let column =
            |name: &'static str| Column { name: name.into(), heading: Some(name), declared: None };
        let columns = ["from", "messages", "bytes", "latest", "sender", "receiver"].map(column);
        let name = |name: &str| Cell::Text(name.repeat(8));
        let row = vec![
            Cell::Id(1_000_000),
            Cell::Count(1_234_567),
            Cell::Bytes(1 << 31),
            Cell::Ticks(12_345),
            name("MPI Rank"),
            name("MPI Rang"),
        ];
        let (columns, rows) = (columns.to_vec(), vec![row.clone(), row]);
        let table = Table::of_rows("matrix", "Messages", columns, rows);
        let lines = |width| {
            let mut out = Vec::new();
            let spared = &["latest", "from", "to"];
            let look = Look { resolution: 1000, top: 10, width, spared, seldom: &[] };
            write(&mut out, &table, &look).expect("shown");
            let text = String::from_utf8(out).expect("text");
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let whole = lines(None);
        assert_eq!(lines(Some(400)), whole);
        assert!(whole[2].contains(&"MPI Rang".repeat(8)) && whole[1].contains("latest"));
        for width in 50..150 {
            let narrow = lines(Some(width));
            assert!(narrow.iter().all(|line| line.chars().count() <= width), "{width}: {narrow:?}");
            assert!(narrow[2].contains("1 234 567") && narrow[2].contains("MPI R"), "{narrow:?}");
            let left_out = narrow.len() > whole.len();
            assert_eq!(left_out, !narrow[1].contains("latest"), "{narrow:?}");
        }
    }
}
