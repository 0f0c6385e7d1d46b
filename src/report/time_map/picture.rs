//! The sheet on which pictures are: where the time is, and its axis.

use std::io::{self, Write};

use super::TimeMapReport;
use crate::draw::{self, width_of, Anchor, Drawing, Look, SIZE};
use crate::raster;
use streamfold_text::human;

/// Around a picture.
pub(super) const MARGIN: f64 = 16.0;
/// About as wide is the time.
const WIDTH: f64 = 960.0;
/// Largest width at the left of the time.
const NAMES: f64 = 190.0;
/// Width at its right.
const LEGEND: f64 = 196.0;
/// From one line of text to the next.
pub(super) const LINE: f64 = 16.0;

/// Axis of time.
#[derive(Clone, Debug)]
pub(super) struct TimeAxis {
    /// Left end and width of the axis, and width of each of its parts.
    pub left: f64,
    pub width: f64,
    pub bin: f64,
    /// Seconds at its begin and its end.
    from: f64,
    to: f64,
}

impl TimeAxis {
    /// That of a report, beside names that are so wide.
    pub(super) fn new(report: &TimeMapReport<'_>, names: f64) -> Self {
        let bins = f64::from(report.bins());
        // Whole units look the same for all parts.
        let bin = (WIDTH / bins).round().clamp(1.0, WIDTH);
        let bin = if bin * bins > 1.5 * WIDTH { WIDTH / bins } else { bin };
        let left = MARGIN + names.clamp(60.0, NAMES) + 8.0;
        let of = &report.over.bins;
        let (from, to) = (report.seconds(of.begin()), report.seconds(of.end()));
        TimeAxis { left, width: bin * bins, bin, from, to }
    }

    /// The width of a sheet with it.
    pub(super) fn sheet(&self) -> f64 {
        self.left + self.width + LEGEND
    }

    /// Returns the left end of legends.
    pub(super) fn right(&self) -> f64 {
        self.left + self.width + 16.0
    }

    /// The position of a time, in seconds.
    pub(super) fn place(&self, seconds: f64) -> f64 {
        let part = (seconds - self.from) / (self.to - self.from).max(f64::MIN_POSITIVE);
        self.left + part.clamp(0.0, 1.0) * self.width
    }

    /// Returns the positions of round times, with their labels in `unit`.
    fn marks(&self) -> (Vec<(f64, String)>, &'static str) {
        const UNITS: [(f64, &str); 4] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
        let length = self.to - self.from;
        let unit = UNITS.into_iter().find(|(unit, _)| length >= 2.0 * unit);
        let (unit, name) = unit.unwrap_or(UNITS[3]);
        let steps = draw::steps(self.from / unit, self.to / unit, 8);
        let step = steps.get(1).zip(steps.first()).map_or(1.0, |(b, a)| b - a);
        let digits = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
        let place = |at: f64| self.left + (at * unit - self.from) / length * self.width;
        (steps.iter().map(|at| (place(*at), format!("{at:.digits$}"))).collect(), name)
    }

    /// Draws the axis at this height; returns what is below it.
    pub(super) fn draw(&self, on: &mut Drawing, y: f64) -> f64 {
        let (marks, unit) = self.marks();
        let mut free = f64::NEG_INFINITY;
        for (x, text) in marks {
            on.line((x, y), (x, y + 4.0), [0x55; 3]);
            let wide = width_of(&text, SIZE) / 2.0;
            if x - wide > free {
                on.text((x, y + 16.0), Look::default().at(Anchor::Middle), &text);
                free = x + wide + 8.0;
            }
        }
        let middle = self.left + self.width / 2.0;
        let text = format!("Time since the begin of the trace ({unit})");
        on.text((middle, y + 32.0), Look::quiet().at(Anchor::Middle), &text);
        y + 38.0
    }

    /// Draws light lines at round times.
    pub(super) fn grid(&self, on: &mut Drawing, (top, bottom): (f64, f64)) {
        for (x, _) in self.marks().0 {
            on.line((x, top), (x, bottom), [0xdd; 3]);
        }
    }
}

impl TimeMapReport<'_> {
    pub(super) fn axis(&self) -> TimeAxis {
        let longest =
            self.labels().names.iter().map(|name| width_of(name, SIZE)).fold(0.0, f64::max);
        TimeAxis::new(self, longest)
    }

    /// The first lines: what it is, of what, and how much.
    fn heading(&self, on: &mut Drawing, axis: &TimeAxis, title: &str) -> f64 {
        let room = axis.sheet() - 2.0 * MARGIN;
        let whole = format!("{} · {}", title, human::visible(&self.program()));
        on.text((MARGIN, 28.0), Look::title(), &draw::fitted(&whole, room, draw::TITLE * 1.08));
        let extent = format!("{}. {}", self.extent(), self.explained());
        on.text((MARGIN, 46.0), Look::quiet(), &draw::fitted(&extent, room, SIZE));
        58.0
    }

    /// `body` draws what is above the axis, and says where that ends, and where what stands beside it does.
    fn alone(
        &self,
        title: &str,
        body: impl FnOnce(&mut Drawing, &TimeAxis, f64) -> (f64, f64),
    ) -> String {
        let (axis, mut on) = (self.axis(), Drawing::default());
        let top = self.heading(&mut on, &axis, title);
        let (bottom, beside) = body(&mut on, &axis, top);
        let bottom = axis.draw(&mut on, bottom).max(beside);
        let what = format!("{title} · {}", self.program());
        on.finish((axis.sheet(), bottom + MARGIN), &what, &self.extent())
    }

    /// The heat map alone, as SVG.
    pub fn heat_map(&self) -> String {
        let title = format!("{}, by {}", self.title(), self.noun());
        self.alone(&title, |on, axis, top| self.heat(on, axis, top))
    }

    /// Returns the areas of all threads by class of work, alone, as SVG.
    pub fn areas(&self) -> String {
        self.alone("What time is spent on", |on, axis, top| self.stacks(on, axis, top))
    }

    /// Both on one sheet, as SVG: what all threads spend their time on, and below it the heat map.
    pub fn picture(&self) -> String {
        let title = format!("{}, by {}", self.title(), self.noun());
        self.alone(&title, |on, axis, top| {
            let (below, beside) = self.stacks(on, axis, top);
            self.heat(on, axis, below.max(beside) + LINE)
        })
    }

    pub(super) fn noun(&self) -> &'static str {
        match self.by {
            streamfold_kernels::account::RowsBy::Process => "process",
            streamfold_kernels::account::RowsBy::Location => "thread",
        }
    }

    /// Writes both as SVG.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write_svg(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.picture().as_bytes())
    }

    /// Writes both as PNG.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write_png(&self, out: &mut dyn Write) -> io::Result<()> {
        raster::write_png(out, &self.picture())
    }
}
