//! The axis of time below a picture.

use streamfold_model::store::Definitions;

use crate::colours::{GRID, QUIET};
use crate::draw::{self, width_of, Anchor, Drawing, Look, LINE, MARGIN, SIZE};

/// About as wide is the time.
const WIDTH: f64 = 960.0;
/// Width at its right.
const LEGEND: f64 = 196.0;

/// Axis of time.
#[derive(Clone, Debug)]
pub(crate) struct TimeAxis {
    /// Left end and width of the axis, and width of each of its parts.
    pub left: f64,
    pub width: f64,
    pub part: f64,
    /// Its zero, in words.
    since: &'static str,
    /// Seconds at its begin and its end.
    from: f64,
    to: f64,
}

/// The begin of the trace in ticks, or the first event where the trace does not say when it begins.
pub(crate) fn begin(definitions: &Definitions, first: u64) -> u64 {
    let clock = definitions.clock.as_ref().map(|clock| clock.global_offset);
    clock.filter(|offset| *offset > 0 && *offset <= first).unwrap_or(first)
}

impl TimeAxis {
    /// That of so many parts from a time to another one, in seconds, beside names that are so wide.
    pub(crate) fn new(parts: u32, (from, to): (f64, f64), names: f64) -> Self {
        let parts = f64::from(parts.max(1));
        // Whole units look the same for all parts.
        let part = (WIDTH / parts).round().clamp(1.0, WIDTH);
        let part = if part * parts > 1.5 * WIDTH { WIDTH / parts } else { part };
        let left = MARGIN + names.clamp(60.0, super::NAMES) + 8.0;
        TimeAxis { left, width: part * parts, part, since: "the begin of the trace", from, to }
    }

    /// The same, from another zero.
    pub(crate) fn since(self, since: &'static str) -> Self {
        TimeAxis { since, ..self }
    }

    /// The width of a sheet with it.
    pub(crate) fn sheet(&self) -> f64 {
        self.left + self.width + LEGEND
    }

    /// Returns the left end of legends.
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width + 16.0
    }

    /// The position of a time, in seconds.
    pub(crate) fn place(&self, seconds: f64) -> f64 {
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
    pub(crate) fn draw(&self, on: &mut Drawing, y: f64) -> f64 {
        let (marks, unit) = self.marks();
        let mut free = f64::NEG_INFINITY;
        for (x, text) in marks {
            on.line((x, y), (x, y + 4.0), QUIET);
            let wide = width_of(&text, SIZE) / 2.0;
            if x - wide > free {
                on.text((x, y + LINE), Look::default().at(Anchor::Middle), &text);
                free = x + wide + 8.0;
            }
        }
        let middle = self.left + self.width / 2.0;
        let text = format!("Time since {} ({unit})", self.since);
        on.text((middle, y + 2.0 * LINE), Look::quiet().at(Anchor::Middle), &text);
        y + 38.0
    }

    /// Draws light lines at round times.
    pub(crate) fn grid(&self, on: &mut Drawing, (top, bottom): (f64, f64)) {
        for (x, _) in self.marks().0 {
            on.line((x, top), (x, bottom), GRID);
        }
    }
}
