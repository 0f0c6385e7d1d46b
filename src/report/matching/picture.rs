//! The communication matrix as a picture: squares of colour, the sums of rows and columns, and what colours stand
//! for.

use std::io::{self, Write};

use super::heat::{Heat, ValueOf, SQUARES};
use super::MatchReport;
use crate::colours::{Colour, Colours, INK, NOTHING, PAPER, SUMS};
use crate::draw::{self, width_of, Anchor, Area, Drawing, Look, LINE, MARGIN, SIZE};
use crate::heat_map::{self, every, swatch, HeatMap, Key, Names, Stretch, Unit, NAMES};
use crate::raster;
use streamfold_text::human;

/// The side of a matrix of many squares, of a square of few, and the least of all sides.
const SIDE: f64 = 640.0;
const SQUARE: f64 = 96.0;
const LEAST: f64 = 260.0;
/// The height of bars of sums, and the gaps around them.
const HEIGHT: f64 = 48.0;
const GAP: f64 = 10.0;
/// Room beside the bar of colours.
const MARKS: f64 = 96.0;
/// Degrees by which long names below the matrix are turned.
const TURNED: f64 = 60.0;
/// Squares that are so wide have their values written in them.
const WRITTEN: f64 = 40.0;

/// Draws the matrix as SVG: senders from top to bottom, receivers from left to right.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_svg(out: &mut dyn Write, report: &MatchReport<'_>, value: ValueOf) -> io::Result<()> {
    out.write_all(svg(report, value, SQUARES).as_bytes())
}

/// The same as PNG.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_png(out: &mut dyn Write, report: &MatchReport<'_>, value: ValueOf) -> io::Result<()> {
    raster::write_png(out, &svg(report, value, SQUARES))
}

/// The matrix as SVG, with so many squares on a side at most: a file, or a part of a page.
pub fn svg(report: &MatchReport<'_>, value: ValueOf, most: usize) -> String {
    Matrix::new(report, value, most).draw()
}

struct Matrix<'r> {
    report: &'r MatchReport<'r>,
    value: ValueOf,
    heat: Heat,
    /// `None`: no square has more than nothing.
    colours: Option<Colours>,
    /// Noun of an axis, and its labels.
    what: String,
    names: Names,
    /// The matrix.
    area: Area,
    /// The width of a square.
    step: f64,
}

impl<'r> Matrix<'r> {
    fn new(report: &'r MatchReport<'r>, value: ValueOf, most: usize) -> Self {
        let heat = Heat::new(report, value, most);
        let colours = Colours::of(heat.squares.values().copied());
        let (what, all) = heat.labels();
        let side = (heat.side as f64 * SQUARE).clamp(LEAST, SIDE);
        let names = Names { what: Some(format!("from {what}").trim_end().to_owned()), all };
        let room = width_of(names.what.as_deref().unwrap_or_default(), SIZE);
        let x = MARGIN + names.width().min(NAMES).max(room) + 10.0;
        let y = 56.0 + LINE + HEIGHT + GAP;
        let area = Area { x, y, width: side, height: side };
        let step = side / heat.side.max(1) as f64;
        Matrix { report, value, heat, colours, what, names, area, step }
    }

    fn shown(&self, number: f64) -> String {
        show(self.value, number, self.report.provenance.timer_resolution)
    }

    fn draw(&self) -> String {
        let mut on = Drawing::default();
        let title = format!("{}, by {}: {}", self.value.title(), self.noun(), self.total());
        let area = self.area;
        self.squares(&mut on);
        let below = self.names_of_columns(&mut on);
        let mut right = area.x + area.width + GAP;
        let mut bottom = below;
        if self.heat.squares.is_empty() {
            on.text((area.x + 14.0, area.y + 26.0), Look::default(), "No matched messages.");
        } else {
            self.sums(&mut on);
            let (x, below) = self.key(&mut on, right + HEIGHT + 24.0);
            (right, bottom) = (x, bottom.max(below));
        }
        let room = width_of(&title, draw::TITLE * 1.08).min(900.0);
        let width = (right + MARGIN).max(room + 2.0 * MARGIN);
        let input = human::visible(&self.report.provenance.input).into_owned();
        on.heading(width - 2.0 * MARGIN, &title, &input);
        on.finish((width, bottom + MARGIN), &title, &format!("{input}: {}", self.total()))
    }

    /// Returns the noun of an axis.
    fn noun(&self) -> &'static str {
        match self.heat.of_processes {
            true => "process",
            false => self.report.matrix.name(),
        }
    }

    fn total(&self) -> String {
        let all = self.heat.squares.values().sum::<f64>();
        let messages = human::plural(self.heat.messages, "message");
        match self.value {
            ValueOf::Messages => messages,
            ValueOf::Bytes | ValueOf::Time => format!("{} in {messages}", self.shown(all)),
        }
    }

    fn colour(&self, value: f64) -> Colour {
        let colours = self.colours.filter(|_| value > 0.0);
        colours.map_or(NOTHING, |colours| colours.colour(value))
    }

    /// Draws squares, with the names of rows.
    fn squares(&self, on: &mut Drawing) {
        let Matrix { heat, area, step, .. } = self;
        let stretch = |(&(row, column), &value): (&(usize, usize), &f64)| Stretch {
            row,
            column,
            wide: 1,
            colour: self.colour(value),
        };
        let map = HeatMap {
            area: *area,
            rows: heat.side,
            columns: heat.side,
            stretches: heat.squares.iter().map(stretch).collect(),
            tip: &|sender, receiver| {
                let value = heat.squares.get(&(sender, receiver)).copied().unwrap_or(0.0);
                let (from, to) = (heat.name(sender), heat.name(receiver));
                format!("{from} → {to}: {}", self.shown(value))
            },
            row_tip: &|_| None,
        };
        map.draw(on);
        map.names(on, &self.names, self.shared());
        if *step < WRITTEN {
            return;
        }
        for (&(sender, receiver), &value) in &heat.squares {
            let text = self.shown(value);
            if width_of(&text, SIZE) > step - 4.0 {
                continue;
            }
            let x = area.x + (receiver as f64 + 0.5) * step;
            let y = area.y + (sender as f64 + 0.5) * step + 4.0;
            let below = self.colour(value);
            let light = below.iter().map(|part| u32::from(*part)).sum::<u32>();
            let colour = match below {
                NOTHING => INK,
                _ if light < 330 => PAPER,
                _ => [0x11; 3],
            };
            let look = Look { colour, ..Look::default() }.at(Anchor::Middle);
            on.write(format_args!("<g pointer-events=\"none\">"));
            on.text((x, y), look, &text);
            on.write(format_args!("</g>"));
        }
    }

    /// How many share a row.
    fn shared(&self) -> u32 {
        u32::try_from(self.heat.in_square()).unwrap_or(u32::MAX)
    }

    /// Draws the names of columns; returns the position below them.
    fn names_of_columns(&self, on: &mut Drawing) -> f64 {
        let Matrix { area, step, names, .. } = self;
        let bottom = area.y + area.height;
        let longest = names.width();
        let every = |room: f64| every(room / step, self.shared());
        // Short names stand below their columns, long ones are turned.
        let least = every(SIZE + 2.0);
        let fits = longest + 6.0 <= step * least as f64 || longest < 30.0;
        let (every, look) = match fits {
            true => (every(longest + 6.0), Look::default().at(Anchor::Middle)),
            false => (least, Look { turned: TURNED, ..Look::default().at(Anchor::End) }),
        };
        for (square, name) in names.all.iter().enumerate().step_by(every) {
            let x = area.x + (square as f64 + 0.5) * step;
            let at = if fits { (x, bottom + 14.0) } else { (x + 4.0, bottom + 10.0) };
            on.text(at, look, &draw::fitted(name, NAMES, SIZE));
        }
        let height = match fits {
            true => 18.0,
            false => longest.min(NAMES) * TURNED.to_radians().sin() + 14.0,
        };
        let many = match self.heat.in_square() {
            1 => String::new(),
            many => format!(" ({many} in each square)"),
        };
        let to = format!("to {}{many}", self.what);
        let middle = area.x + area.width / 2.0;
        let quiet = Look::quiet().at(Anchor::Middle);
        on.text((middle, bottom + height + 14.0), quiet, to.trim_end());
        bottom + height + 20.0
    }

    /// Draws the sum that each sends, at the right of its row, and receives, above its column.
    fn sums(&self, on: &mut Drawing) {
        let Matrix { heat, area, step, .. } = self;
        let (mut sent, mut received) = (vec![0.0; heat.side], vec![0.0; heat.side]);
        for (&(sender, receiver), value) in &heat.squares {
            sent[sender] += value;
            received[receiver] += value;
        }
        let most = |sums: &[f64]| sums.iter().copied().fold(0.0, f64::max);
        let most = most(&sent).max(most(&received));
        if most <= 0.0 {
            return;
        }
        let length = |sum: f64| (sum / most * HEIGHT).max(0.0);
        // Gaps between thin bars make patterns of their own.
        let thick = if *step < 4.0 { *step } else { step * 0.8 };
        let (right, top) = (area.x + area.width + GAP, area.y - GAP);
        on.crisp("", |on| {
            for (at, (sent, received)) in sent.iter().zip(&received).enumerate() {
                let off = at as f64 * step + (step - thick) / 2.0;
                let told = heat.side <= 256;
                let tip = |verb: &str, sum: f64| {
                    told.then(|| format!("{} {verb} {}", heat.name(at), self.shown(sum)))
                };
                let row = Area { x: right, y: area.y + off, width: length(*sent), height: thick };
                on.fill(row, SUMS, tip("sends", *sent).as_deref());
                let height = length(*received);
                let column = Area { x: area.x + off, y: top - height, width: thick, height };
                on.fill(column, SUMS, tip("receives", *received).as_deref());
            }
        });
        let quiet = Look::quiet();
        let text = format!("received: {} at most", self.shown(most_of(&received)));
        on.text((area.x, top - HEIGHT - 3.0), quiet, &text);
        let text = format!("sent: {} at most", self.shown(most_of(&sent)));
        on.text((right, area.y + area.height + 14.0), quiet, &text);
    }

    /// Draws the meaning of colours; returns what is at the right and below of it.
    fn key(&self, on: &mut Drawing, x: f64) -> (f64, f64) {
        let mut below = self.area.y;
        if let Some(colours) = self.colours {
            let unit = match self.value {
                ValueOf::Bytes => Unit::Bytes,
                ValueOf::Messages => Unit::Count,
                ValueOf::Time => Unit::Other,
            };
            // The text with the largest sent sum stands beside the bar's lower end.
            let height = self.area.height - 40.0;
            let key = Key { colours, unit, shown: &|value| self.shown(value) };
            below = key.draw(on, (x, below), height);
        }
        if self.heat.squares.values().any(|value| *value <= 0.0) {
            let nothing = nothing_of(self.value, &self.shown(0.0));
            below = swatch(on, (x, below), NOTHING, &nothing);
        }
        (x + heat_map::SWATCH + MARKS, below)
    }
}

fn most_of(sums: &[f64]) -> f64 {
    sums.iter().copied().fold(0.0, f64::max)
}

/// Returns the label of squares without a positive value. Times are sums, and fall below zero if clocks disagree.
fn nothing_of(value: ValueOf, shown: &str) -> String {
    match value {
        ValueOf::Bytes | ValueOf::Messages => shown.to_owned(),
        ValueOf::Time => format!("≤ {shown}"),
    }
}

/// A value with its unit.
fn show(value: ValueOf, number: f64, resolution: u64) -> String {
    match value {
        ValueOf::Bytes => human::bytes(number.round() as u128),
        ValueOf::Messages => human::count(number.round() as u64),
        ValueOf::Time if number < 0.0 => format!("-{}", show(value, -number, resolution)),
        ValueOf::Time => human::time(number.round() as u128, resolution),
    }
}
