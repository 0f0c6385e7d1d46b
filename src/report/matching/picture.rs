//! The communication matrix as a picture, whatever it is drawn on.

use std::io;

use super::heat::{Heat, ValueOf};
use super::MatchReport;
use crate::report::colours::{colour, Colour, Scale, NOTHING};
use crate::report::human;

/// The side of the matrix, in units of the picture.
const SIDE: f64 = 640.0;
/// Above and at the left of the matrix.
const ABOVE: f64 = 64.0;
const LEFT: f64 = 200.0;
/// Between matrix and colour bar, its width, and the room for what stands beside it.
const GAP: f64 = 24.0;
const BAR: f64 = 20.0;
const MARKS: f64 = 110.0;
const BELOW: f64 = 160.0;
/// The picture, in units.
pub(super) const WIDTH: f64 = LEFT + SIDE + GAP + BAR + MARKS;
pub(super) const HEIGHT: f64 = ABOVE + SIDE + BELOW;
/// So many names stand at an axis at most.
const NAMES: usize = 32;
/// Characters of a name at an axis.
const NAME: usize = 28;
/// Squares tell their values where there are no more of them.
const TOLD: usize = 1 << 14;

/// A part of the picture: its left upper corner, its width and its height, in units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Style {
    /// Its height in units.
    pub size: f64,
    pub bold: bool,
    pub colour: Colour,
    /// It ends where it is put, or else begins there.
    pub ends: bool,
    /// It rises to the right, by [`TURNED`] degrees.
    pub turned: bool,
}

/// Degrees by which names below the matrix are turned.
pub(super) const TURNED: f64 = 60.0;

const PLAIN: Style =
    Style { size: 11.0, bold: false, colour: [0, 0, 0], ends: false, turned: false };

/// What a picture is drawn on.
pub(super) trait Canvas {
    /// A square of one colour. Who points at it is told `tip`.
    fn fill(&mut self, rect: Rect, colour: Colour, tip: Option<&str>) -> io::Result<()>;

    /// The lines around a part.
    fn frame(&mut self, rect: Rect, colour: Colour) -> io::Result<()>;

    /// A line from a point to the right, so long.
    fn mark(&mut self, from: (f64, f64), length: f64) -> io::Result<()>;

    /// A text whose letters stand on this height.
    fn text(&mut self, at: (f64, f64), style: Style, text: &str) -> io::Result<()>;
}

/// Draws the matrix: senders from top to bottom, receivers from left to right, colours on a logarithmic
/// scale.
pub(super) fn draw(
    on: &mut impl Canvas,
    report: &MatchReport<'_>,
    value: ValueOf,
) -> io::Result<()> {
    let heat = Heat::new(report, value);
    let resolution = report.provenance.timer_resolution;
    let shown = |number: f64| show(value, number, resolution);
    let title = format!("{}, by {}", value.title(), report.matrix.name());
    on.text((LEFT, 24.0), Style { size: 16.0, ..PLAIN }, &title)?;
    let grey = Style { colour: [0x55; 3], ..PLAIN };
    on.text((LEFT, 42.0), grey, &ending(&report.provenance.input))?;
    let matrix = Rect { x: LEFT, y: ABOVE, width: SIDE, height: SIDE };
    on.fill(matrix, [0xf0; 3], None)?;
    squares(on, &heat, &shown)?;
    on.frame(matrix, [0x88; 3])?;
    axes(on, &heat)?;
    if heat.squares.is_empty() {
        let style = Style { size: 14.0, ..PLAIN };
        return on.text((LEFT + 16.0, ABOVE + 28.0), style, "No matched messages.");
    }
    if heat.squares.values().any(|value| *value <= 0.0) {
        nothing(on, &nothing_of(value, &shown(0.0)))?;
    }
    match heat.range() {
        Some(range) => bar(on, Scale::new(range), base(value), &shown),
        None => Ok(()),
    }
}

fn squares(on: &mut impl Canvas, heat: &Heat, shown: &dyn Fn(f64) -> String) -> io::Result<()> {
    let (scale, step) = (heat.range().map(Scale::new), SIDE / heat.side.max(1) as f64);
    let told = heat.squares.len() <= TOLD;
    for (&(sender, receiver), &value) in &heat.squares {
        let (x, y) = (LEFT + receiver as f64 * step, ABOVE + sender as f64 * step);
        let tip = told.then(|| {
            let (from, to) = (heat.name(sender), heat.name(receiver));
            format!("{from} → {to}: {}", shown(value))
        });
        let rect = Rect { x, y, width: step, height: step };
        let scale = scale.filter(|_| value > 0.0);
        let colour = scale.map_or(NOTHING, |scale| colour(scale.part(value)));
        on.fill(rect, colour, tip.as_deref())?;
    }
    Ok(())
}

fn axes(on: &mut impl Canvas, heat: &Heat) -> io::Result<()> {
    let step = SIDE / heat.side.max(1) as f64;
    let every = heat.side.div_ceil(NAMES).max(1);
    let ends = Style { ends: true, ..PLAIN };
    for square in (0..heat.side).step_by(every) {
        let middle = (square as f64 + 0.5) * step;
        let name = shortened(&heat.names[square * heat.bin][0]);
        on.text((LEFT - 6.0, ABOVE + middle + 4.0), ends, &name)?;
        let below = (LEFT + middle + 3.0, ABOVE + SIDE + 8.0);
        on.text(below, Style { turned: true, ..ends }, &name)?;
    }
    let from = match heat.in_square() {
        1 => "from".to_owned(),
        many => format!("from ({many} in each square)"),
    };
    on.text((LEFT - 6.0, ABOVE - 8.0), Style { bold: true, ..ends }, &from)?;
    let to = (LEFT + SIDE + 6.0, ABOVE + SIDE + 12.0);
    on.text(to, Style { bold: true, ..PLAIN }, "to")
}

/// The colour of nothing, below the bar.
fn nothing(on: &mut impl Canvas, shown: &str) -> io::Result<()> {
    let (x, y) = (LEFT + SIDE + GAP, ABOVE + SIDE + 8.0);
    on.fill(Rect { x, y, width: BAR, height: BAR }, NOTHING, None)?;
    on.text((x + BAR + 8.0, y + BAR / 2.0 + 4.0), PLAIN, shown)
}

/// What that is: times are sums, and less than none where clocks disagree.
fn nothing_of(value: ValueOf, shown: &str) -> String {
    match value {
        ValueOf::Bytes | ValueOf::Messages => shown.to_owned(),
        ValueOf::Time => format!("≤ {shown}"),
    }
}

/// The bar of colours, with values beside it.
fn bar(
    on: &mut impl Canvas,
    scale: Scale,
    base: f64,
    shown: &dyn Fn(f64) -> String,
) -> io::Result<()> {
    const STEPS: usize = 128;
    let (x, height) = (LEFT + SIDE + GAP, SIDE / STEPS as f64);
    for i in 0..STEPS {
        let colour = colour(1.0 - (i as f64 + 0.5) / STEPS as f64);
        let y = ABOVE + i as f64 * height;
        on.fill(Rect { x, y, width: BAR, height }, colour, None)?;
    }
    for mark in scale.marks(base) {
        let y = ABOVE + (1.0 - scale.part(mark)) * SIDE;
        on.mark((x + BAR, y), 4.0)?;
        on.text((x + BAR + 8.0, y + 4.0), PLAIN, &shown(mark))?;
    }
    Ok(())
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

fn shortened(name: &str) -> String {
    match name.chars().count() > NAME {
        true => name.chars().take(NAME - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

/// As much of the end of a path as there is room for.
fn ending(path: &str) -> String {
    const ROOM: usize = 110;
    match path.chars().count() {
        long if long > ROOM => {
            std::iter::once('…').chain(path.chars().skip(long + 1 - ROOM)).collect()
        }
        _ => path.to_owned(),
    }
}
