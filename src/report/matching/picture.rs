//! The communication matrix as a picture: squares of colour, the sums of rows and columns, and what colours stand
//! for.

use std::io::{self, Write};

use super::heat::{Heat, ValueOf, SQUARES};
use super::MatchReport;
use crate::colours::{colour, Colour, Colours, Scale, NOTHING};
use crate::draw::{self, width_of, Anchor, Area, Drawing, Look, Short, SIZE};
use crate::raster;
use streamfold_text::human;

/// The side of a matrix of many squares, of a square of few, and the least of all sides.
const SIDE: f64 = 640.0;
const SQUARE: f64 = 96.0;
const LEAST: f64 = 260.0;
/// Around the picture.
const MARGIN: f64 = 16.0;
/// Height of the two lines above everything.
const HEADING: f64 = 62.0;
/// The height of bars of sums, and the gaps around them.
const SUMS: f64 = 48.0;
const GAP: f64 = 10.0;
/// The bar of colours, and what stands beside it.
const BAR: f64 = 16.0;
const MARKS: f64 = 96.0;
/// Names take no more room than this.
const NAMES: f64 = 190.0;
/// Degrees by which long names below the matrix are turned.
const TURNED: f64 = 60.0;
/// Squares tell their values where there are no more of them; others are drawn by colour.
const TOLD: usize = 1 << 13;
/// Squares that are so wide have their values written in them.
const WRITTEN: f64 = 40.0;
/// Values that differ by more are on a logarithmic scale.
const LOG: f64 = 32.0;
/// Colours of the bar.
const STEPS: usize = 64;

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
    labels: Vec<String>,
    /// The matrix.
    area: Area,
    /// The width of a square.
    step: f64,
}

impl<'r> Matrix<'r> {
    fn new(report: &'r MatchReport<'r>, value: ValueOf, most: usize) -> Self {
        let heat = Heat::new(report, value, most);
        let colours = heat.range().map(|(least, most)| match most / least >= LOG {
            true => Colours::Log(Scale::new((least, most))),
            false => Colours::Linear(most),
        });
        let (what, labels) = heat.labels();
        let side = (heat.side as f64 * SQUARE).clamp(LEAST, SIDE);
        let longest = labels.iter().map(|name| width_of(name, SIZE)).fold(0.0, f64::max);
        let x = MARGIN + longest.min(NAMES).max(1.1 * width_of(&format!("from {what}"), SIZE));
        let y = HEADING + SUMS + 2.0 * GAP;
        let area = Area { x: x + 10.0, y, width: side, height: side };
        let step = side / heat.side.max(1) as f64;
        Matrix { report, value, heat, colours, what, labels, area, step }
    }

    fn shown(&self, number: f64) -> String {
        show(self.value, number, self.report.provenance.timer_resolution)
    }

    fn draw(&self) -> String {
        let mut on = Drawing::default();
        let title = format!("{}, by {}: {}", self.value.title(), self.noun(), self.total());
        let area = self.area;
        let below = self.names(&mut on);
        on.fill(area, [0xf0; 3], None);
        match self.heat.squares.len() <= TOLD {
            true => self.squares(&mut on),
            false => self.squares_by_colour(&mut on),
        }
        on.frame(area, [0x88; 3]);
        let mut right = area.x + area.width + GAP;
        let mut bottom = below;
        if self.heat.squares.is_empty() {
            let style = Look { size: 13.0, ..Look::default() };
            on.text((area.x + 14.0, area.y + 26.0), style, "No matched messages.");
        } else {
            self.sums(&mut on);
            let (x, below) = self.bar(&mut on, right + SUMS + 24.0);
            (right, bottom) = (x, bottom.max(below));
        }
        let room = width_of(&title, draw::TITLE * 1.08).min(900.0);
        let width = (right + MARGIN).max(room + 2.0 * MARGIN);
        let room = width - 2.0 * MARGIN;
        on.text((MARGIN, 26.0), Look::title(), &draw::fitted(&title, room, draw::TITLE * 1.08));
        let input = human::visible(&self.report.provenance.input).into_owned();
        on.text((MARGIN, 44.0), Look::quiet(), &draw::fitted(&input, room, SIZE));
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
        colours.map_or(NOTHING, |colours| colour(colours.part(value)))
    }

    /// Squares one by one, each with its value.
    fn squares(&self, on: &mut Drawing) {
        let Matrix { heat, area, step, .. } = self;
        on.crisp("", |on| {
            for (&(sender, receiver), &value) in &heat.squares {
                let (x, y) = (area.x + receiver as f64 * step, area.y + sender as f64 * step);
                let (from, to) = (heat.name(sender), heat.name(receiver));
                let tip = format!("{from} → {to}: {}", self.shown(value));
                on.fill(Area { x, y, width: *step, height: *step }, self.colour(value), Some(&tip));
            }
        });
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
            let light = self.colour(value).iter().map(|part| u32::from(*part)).sum::<u32>();
            let colour = if light < 330 { [0xff; 3] } else { [0x11; 3] };
            let look = Look { colour, ..Look::default() }.at(Anchor::Middle);
            on.write(format_args!("<g pointer-events=\"none\">"));
            on.text((x, y), look, &text);
            on.write(format_args!("</g>"));
        }
    }

    /// All squares of a colour at once.
    fn squares_by_colour(&self, on: &mut Drawing) {
        let square = |(&(sender, receiver), &value): (&(usize, usize), &f64)| {
            (sender, receiver, 1, self.colour(value))
        };
        let (x, y) = (Short(self.area.x), Short(self.area.y));
        let place = format!("translate({x} {y}) scale({:.5})", self.step);
        on.cells(&place, self.heat.squares.iter().map(square), |_| {});
    }

    /// Draws the names on the axes; returns the position below them.
    fn names(&self, on: &mut Drawing) -> f64 {
        let Matrix { area, step, labels, .. } = self;
        let bottom = area.y + area.height;
        let end = Look::default().at(Anchor::End);
        let longest = labels.iter().map(|name| width_of(name, SIZE)).fold(0.0, f64::max);
        let round = |least: f64| draw::round_step(least.ceil().max(1.0)) as usize;
        let every = round((SIZE + 3.0) / step);
        for (square, name) in labels.iter().enumerate().step_by(every) {
            let y = area.y + (square as f64 + 0.5) * step + 4.0;
            on.text((area.x - 6.0, y), end, &draw::fitted(name, NAMES, SIZE));
        }
        // Short names stand below their columns, long ones are turned.
        let fits = longest + 6.0 <= step * every as f64 || longest < 30.0;
        let (every, look) = match fits {
            true => {
                let every = round((longest + 6.0) / step);
                (every, Look::default().at(Anchor::Middle))
            }
            false => (every, Look { turned: TURNED, ..end }),
        };
        for (square, name) in labels.iter().enumerate().step_by(every) {
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
        let name = |end: &str| format!("{end} {}", self.what).trim_end().to_owned();
        let bold = Look { bold: true, ..Look::default() };
        on.text((area.x - 6.0, area.y - 6.0), bold.at(Anchor::End), &name("from"));
        let to = format!("{}{many}", name("to"));
        let middle = area.x + area.width / 2.0;
        on.text((middle, bottom + height + 14.0), bold.at(Anchor::Middle), &to);
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
        let length = |sum: f64| (sum / most * SUMS).max(0.0);
        // Gaps between thin bars make patterns of their own.
        let thick = if *step < 4.0 { *step } else { step * 0.8 };
        let grey: Colour = [0x77; 3];
        let (right, top) = (area.x + area.width + GAP, area.y - GAP);
        on.crisp("", |on| {
            for (at, (sent, received)) in sent.iter().zip(&received).enumerate() {
                let off = at as f64 * step + (step - thick) / 2.0;
                let told = heat.side <= 256;
                let tip = |verb: &str, sum: f64| {
                    told.then(|| format!("{} {verb} {}", heat.name(at), self.shown(sum)))
                };
                let row = Area { x: right, y: area.y + off, width: length(*sent), height: thick };
                on.fill(row, grey, tip("sends", *sent).as_deref());
                let height = length(*received);
                let column = Area { x: area.x + off, y: top - height, width: thick, height };
                on.fill(column, grey, tip("receives", *received).as_deref());
            }
        });
        let quiet = Look::quiet();
        let text = format!("received: {} at most", self.shown(most_of(&received)));
        on.text((area.x, top - SUMS - 3.0), quiet, &text);
        let text = format!("sent: {} at most", self.shown(most_of(&sent)));
        on.text((right, area.y + area.height + 14.0), quiet, &text);
    }

    /// The bar of colours, with values beside it; returns what is at the right and below of it.
    fn bar(&self, on: &mut Drawing, x: f64) -> (f64, f64) {
        let area = self.area;
        let mut below = area.y;
        if let Some(colours) = self.colours {
            // The text with the largest sent sum stands beside the bar's lower end.
            let height = (area.height - 40.0).min(320.0);
            let bar = Area { x, y: area.y, width: BAR, height };
            on.bar(bar, STEPS, |step| (step + 0.5) / STEPS as f64);
            let marks = match colours {
                Colours::Log(scale) => scale.marks(base(self.value)),
                Colours::Linear(most) => vec![0.0, most / 2.0, most],
            };
            let marks: Vec<f64> = match (self.value, colours) {
                // There is no half of a message.
                (ValueOf::Messages, Colours::Linear(most)) if most < 2.0 => vec![0.0, most],
                _ => marks,
            };
            for mark in marks {
                let y = area.y + (1.0 - colours.part(mark)) * height;
                on.line((x + BAR, y), (x + BAR + 4.0, y), [0x55; 3]);
                on.text((x + BAR + 7.0, y + 4.0), Look::default(), &self.shown(mark));
            }
            below += height + 18.0;
            let note = match colours {
                Colours::Log(_) => "log scale",
                Colours::Linear(_) => "from 0",
            };
            on.text((x, below), Look::quiet(), note);
            below += 10.0;
        }
        if self.heat.squares.values().any(|value| *value <= 0.0) {
            on.fill(Area { x, y: below, width: BAR, height: BAR }, NOTHING, None);
            let nothing = nothing_of(self.value, &self.shown(0.0));
            on.text((x + BAR + 7.0, below + 12.0), Look::default(), &nothing);
            below += BAR;
        }
        (x + BAR + MARKS, below)
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

/// Round values are powers of this.
fn base(value: ValueOf) -> f64 {
    match value {
        ValueOf::Bytes => 32.0,
        ValueOf::Messages | ValueOf::Time => 10.0,
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
