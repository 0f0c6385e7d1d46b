//! Heat maps: rows of cells whose colours stand for values, the names of rows, and what the colours mean. Pictures of
//! time, of file accesses and of messages have one each.

mod axis;

use crate::colours::{Colour, Colours, FRAME, LEVELS, QUIET, UNRECORDED};
use crate::draw::{self, Anchor, Area, Drawing, Look, Short, LINE, SIZE};

pub(crate) use axis::{begin, TimeAxis};

/// Names take no more room than this.
pub(crate) const NAMES: f64 = 190.0;
/// All rows together are about so high, where they are over time.
const HEIGHT: f64 = 480.0;
/// Rows are at least and at most so high.
const ROW: (f64, f64) = (2.0, 24.0);
/// Number of cells that show their values. More of them are drawn by colour.
const TOLD: usize = 4096;
/// Colours of a key are so wide.
pub(crate) const SWATCH: f64 = 14.0;
/// Height of a bar of colours, at least and at most.
const BAR: (f64, f64) = (80.0, 320.0);

/// Neighbours in a row that have one colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// The row, and the first column.
    pub row: usize,
    pub column: usize,
    /// The number of columns.
    pub wide: usize,
    pub colour: Colour,
}

/// Cells, and what is said of them.
pub(crate) struct HeatMap<'m> {
    /// Place of all of them.
    pub area: Area,
    pub rows: usize,
    pub columns: usize,
    /// Cells that have anything to show, by row.
    pub stretches: Vec<Stretch>,
    /// Returns the tooltip of a cell, where there are few.
    pub tip: &'m dyn Fn(usize, usize) -> String,
    /// Returns the tooltip of a row, where there are many cells.
    pub row_tip: &'m dyn Fn(usize) -> Option<String>,
}

/// The height of each of so many rows over time.
pub(crate) fn row_height(rows: usize) -> f64 {
    (HEIGHT / rows.max(1) as f64).floor().clamp(ROW.0, ROW.1)
}

/// Joins cells of a row that have one colour; those of `None` show nothing.
pub(crate) fn stretches(
    row: usize,
    colours: impl Iterator<Item = Option<Colour>>,
) -> impl Iterator<Item = Stretch> {
    let colours: Vec<Option<Colour>> = colours.collect();
    let mut column = 0;
    let mut found = Vec::new();
    for same in colours.chunk_by(|a, b| a == b) {
        let wide = same.len();
        found.extend(same[0].map(|colour| Stretch { row, column, wide, colour }));
        column += wide;
    }
    found.into_iter()
}

impl HeatMap<'_> {
    /// The width and the height of a cell.
    fn cell(&self) -> (f64, f64) {
        let Area { width, height, .. } = self.area;
        (width / self.columns.max(1) as f64, height / self.rows.max(1) as f64)
    }

    /// Draws cells and the frame around them.
    pub(crate) fn draw(&self, on: &mut Drawing) {
        on.fill(self.area, UNRECORDED, None);
        match self.stretches.iter().map(|stretch| stretch.wide).sum::<usize>() <= TOLD {
            true => self.cells(on),
            false => self.cells_by_colour(on),
        }
        on.frame(self.area, FRAME);
    }

    /// Cells one by one, each with its value.
    fn cells(&self, on: &mut Drawing) {
        let (width, height) = self.cell();
        on.crisp("", |on| {
            for Stretch { row, column, wide, colour } in &self.stretches {
                let y = self.area.y + *row as f64 * height;
                for column in *column..column + wide {
                    let x = self.area.x + column as f64 * width;
                    let tip = (self.tip)(*row, column);
                    on.fill(Area { x, y, width, height }, *colour, Some(&tip));
                }
            }
        });
    }

    /// All cells of a colour at once; rows tell their values.
    fn cells_by_colour(&self, on: &mut Drawing) {
        let (width, height) = self.cell();
        let place = format!(
            "translate({} {}) scale({width:.5} {height:.5})",
            Short(self.area.x),
            Short(self.area.y)
        );
        let shown = self.stretches.iter().filter(|stretch| stretch.colour != UNRECORDED);
        on.cells(&place, shown, |on| {
            let tips = (0..self.rows).filter_map(|row| Some((row, (self.row_tip)(row)?)));
            let tips: Vec<(usize, String)> = tips.collect();
            if tips.is_empty() {
                return;
            }
            on.write(format_args!("<g fill-opacity=\"0\">\n"));
            for (row, tip) in tips {
                let width = self.columns as f64;
                on.fill(Area { x: 0.0, y: row as f64, width, height: 1.0 }, UNRECORDED, Some(&tip));
            }
            on.write(format_args!("</g>\n"));
        });
    }

    /// Writes the names of rows at their left, where there is room for them, and above them what all have in common.
    /// `shared`: how many share a row.
    pub(crate) fn names(&self, on: &mut Drawing, names: &Names, shared: u32) {
        let (_, height) = self.cell();
        let Area { x, y: top, height: all, .. } = self.area;
        let end = Look::default().at(Anchor::End);
        let room = (x - 24.0).min(NAMES);
        if let Some(what) = &names.what {
            let what = draw::fitted(what, room, SIZE);
            on.text((x - 6.0, top - 5.0), Look::quiet().at(Anchor::End), &what);
        }
        let every = every((SIZE + 2.0) / height, shared);
        for (row, name) in names.all.iter().enumerate().step_by(every) {
            let y = top + (row as f64 + 0.5) * height + 4.0;
            // The first and the last one stay beside their rows.
            let y = y.clamp(top + SIZE - 2.0, (top + all).max(top + SIZE));
            on.text((x - 6.0, y), end, &draw::fitted(name, room, SIZE));
        }
    }
}

/// Names of rows.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// Common part of all names, if they differ by a number only.
    pub what: Option<String>,
    /// What is left of each.
    pub all: Vec<String>,
}

impl Names {
    /// Those of rows, given the first and the last name in each.
    pub(crate) fn new(ends: &[[String; 2]]) -> Self {
        let all: Vec<String> = ends.iter().flatten().cloned().collect();
        let (what, all) = match draw::numbered(&all) {
            Some((what, numbers)) => (Some(what), numbers),
            None => (None, all),
        };
        let name = |ends: &[String]| match ends {
            [first, last] if first != last => format!("{first} … {last}"),
            ends => ends.first().cloned().unwrap_or_default(),
        };
        Names { what, all: all.chunks(2).map(name).collect() }
    }

    /// Room that the longest one takes.
    pub(crate) fn width(&self) -> f64 {
        self.all.iter().map(|name| draw::width_of(name, SIZE)).fold(0.0, f64::max)
    }
}

/// Labels stand at one of so many rows or columns, of which there is room for one in `least`: round numbers, powers of
/// two where neighbours are joined so.
pub(crate) fn every(least: f64, shared: u32) -> usize {
    let least = least.ceil().max(1.0);
    match shared {
        1 => draw::round_step(least) as usize,
        _ => (least as usize).next_power_of_two(),
    }
}

/// Kind of values: it says which of them are round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A share of a whole.
    Share,
    /// Bytes, or bytes in a second.
    Bytes,
    /// A number of something that has no halves.
    Count,
    /// Any other quantity.
    Other,
}

/// Meaning of colours.
pub(crate) struct Key<'k> {
    pub colours: Colours,
    pub unit: Unit,
    /// Returns a value with its unit.
    pub shown: &'k dyn Fn(f64) -> String,
}

impl Key<'_> {
    /// Values that stand beside the bar.
    fn marks(&self) -> Vec<f64> {
        match (self.colours, self.unit) {
            (Colours::Log(scale), Unit::Bytes) => scale.marks(32.0),
            (Colours::Log(scale), _) => scale.marks(10.0),
            (Colours::Linear(most), Unit::Share) => draw::steps(0.0, most, 5),
            (Colours::Linear(most), Unit::Count) if most < 2.0 => vec![0.0, most],
            (Colours::Linear(most), _) => vec![0.0, most / 2.0, most],
        }
    }

    /// Draws the bar of colours beside a map of this height; returns the position below.
    pub(crate) fn draw(&self, on: &mut Drawing, (x, top): (f64, f64), height: f64) -> f64 {
        let height = height.clamp(BAR.0, BAR.1);
        let bar = Area { x, y: top, width: SWATCH, height };
        on.bar(bar, LEVELS, |level| level / (LEVELS - 1) as f64);
        let mut free = f64::INFINITY;
        for mark in self.marks() {
            let y = top + (1.0 - self.colours.part(mark)) * height;
            on.line((x + SWATCH, y), (x + SWATCH + 3.0, y), QUIET);
            // Marks that are close to each other would cover each other.
            if free - y >= SIZE + 2.0 {
                on.text((x + SWATCH + 6.0, y + 4.0), Look::default(), &(self.shown)(mark));
                free = y;
            }
        }
        let below = top + height + LINE + 2.0;
        match self.colours {
            Colours::Log(_) => {
                on.text((x, below), Look::quiet(), "log scale");
                below + LINE - 8.0
            }
            Colours::Linear(_) => below - 8.0,
        }
    }
}

/// Draws a colour with its meaning; returns the position below.
pub(crate) fn swatch(on: &mut Drawing, (x, y): (f64, f64), colour: Colour, text: &str) -> f64 {
    on.fill(Area { x, y, width: SWATCH, height: SIZE }, colour, None);
    on.text((x + SWATCH + 6.0, y + 10.0), Look::default(), text);
    y + LINE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stand_at_round_rows() {
        assert_eq!([0.5, 1.0, 3.2, 6.5].map(|least| every(least, 1)), [1, 1, 5, 10]);
        assert_eq!([0.5, 1.0, 3.2, 6.5].map(|least| every(least, 4)), [1, 1, 4, 8]);
    }

    #[test]
    fn neighbours_of_one_colour_are_joined() {
        let [one, other] = [[1; 3], [2; 3]];
        let colours = [None, Some(one), Some(one), Some(other), None];
        let found: Vec<_> = stretches(3, colours.into_iter())
            .map(|Stretch { row, column, wide, colour }| (row, column, wide, colour))
            .collect();
        assert_eq!(found, [(3, 1, 2, one), (3, 3, 1, other)]);
    }

    #[test]
    fn shares_have_round_marks() {
        let shown = |value: f64| value.to_string();
        let marks = |colours, unit| Key { colours, unit, shown: &shown }.marks();
        assert_eq!(marks(Colours::Linear(0.5), Unit::Share).len(), 6);
        assert_eq!(marks(Colours::Linear(1.0), Unit::Count), [0.0, 1.0]);
        assert_eq!(marks(Colours::Linear(8.0), Unit::Bytes), [0.0, 4.0, 8.0]);
    }
}
