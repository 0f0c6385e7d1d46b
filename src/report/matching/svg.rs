//! The communication matrix as a picture that a browser shows.

use std::io::{self, Write};

use super::heat::{colour, Heat, Scale, ValueOf};
use super::MatchReport;
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
const BELOW: f64 = 150.0;
/// So many names stand at an axis at most.
const NAMES: usize = 32;
/// Characters of a name at an axis.
const NAME: usize = 26;
/// Squares tell their values where there are no more of them.
const TOLD: usize = 1 << 14;

/// Draws the matrix: senders from top to bottom, receivers from left to right, colours on a logarithmic
/// scale.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &MatchReport<'_>, value: ValueOf) -> io::Result<()> {
    let heat = Heat::new(report, value);
    let resolution = report.provenance.timer_resolution;
    let shown = |number: f64| show(value, number, resolution);
    let (width, height) = (LEFT + SIDE + GAP + BAR + MARKS, ABOVE + SIDE + BELOW);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">"
    )?;
    writeln!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>")?;
    let title = format!("{} sent, by {}", capital(value.name()), report.matrix.name());
    text(out, (LEFT, 24.0), "font-size=\"16\"", &title)?;
    text(out, (LEFT, 42.0), "fill=\"#555555\"", &report.provenance.input)?;
    writeln!(
        out,
        "<rect x=\"{LEFT}\" y=\"{ABOVE}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"#f0f0f0\" \
         stroke=\"#888888\"/>"
    )?;
    squares(out, &heat, &shown)?;
    axes(out, &heat)?;
    match heat.range() {
        Some(range) => bar(out, Scale::new(range), base(value), &shown)?,
        None => text(out, (LEFT + 16.0, ABOVE + 28.0), "font-size=\"14\"", "No matched messages.")?,
    }
    writeln!(out, "</svg>")
}

fn squares(out: &mut dyn Write, heat: &Heat, shown: &dyn Fn(f64) -> String) -> io::Result<()> {
    let Some(range) = heat.range() else { return Ok(()) };
    let (scale, step) = (Scale::new(range), SIDE / heat.side as f64);
    let told = heat.squares.len() <= TOLD;
    writeln!(out, "<g shape-rendering=\"crispEdges\">")?;
    for (&(sender, receiver), &value) in &heat.squares {
        let (x, y) = (LEFT + receiver as f64 * step, ABOVE + sender as f64 * step);
        let [red, green, blue] = colour(scale.part(value));
        write!(
            out,
            "<rect x=\"{x:.3}\" y=\"{y:.3}\" width=\"{step:.3}\" height=\"{step:.3}\" \
             fill=\"#{red:02x}{green:02x}{blue:02x}\""
        )?;
        if told {
            let (from, to) = (heat.name(sender), heat.name(receiver));
            let tip = escaped(&format!("{from} → {to}: {}", shown(value)));
            writeln!(out, "><title>{tip}</title></rect>")?;
        } else {
            writeln!(out, "/>")?;
        }
    }
    writeln!(out, "</g>")
}

fn axes(out: &mut dyn Write, heat: &Heat) -> io::Result<()> {
    let step = SIDE / heat.side.max(1) as f64;
    let every = heat.side.div_ceil(NAMES).max(1);
    for square in (0..heat.side).step_by(every) {
        let middle = (square as f64 + 0.5) * step;
        let name = shortened(&heat.names[square * heat.bin]);
        let (x, y) = (LEFT - 6.0, ABOVE + middle + 4.0);
        text(out, (x, y), "text-anchor=\"end\"", &name)?;
        let (x, y) = (LEFT + middle + 3.0, ABOVE + SIDE + 8.0);
        let turned = format!("text-anchor=\"end\" transform=\"rotate(-60 {x:.3} {y:.3})\"");
        text(out, (x, y), &turned, &name)?;
    }
    let from = match heat.bin {
        1 => "from".to_owned(),
        bin => format!("from ({bin} in each square)"),
    };
    text(out, (LEFT - 6.0, ABOVE - 8.0), "text-anchor=\"end\" font-weight=\"bold\"", &from)?;
    text(out, (LEFT + SIDE + 6.0, ABOVE + SIDE + 12.0), "font-weight=\"bold\"", "to")
}

/// The bar of colours, with values beside it.
fn bar(
    out: &mut dyn Write,
    scale: Scale,
    base: f64,
    shown: &dyn Fn(f64) -> String,
) -> io::Result<()> {
    const STEPS: usize = 128;
    let (x, step) = (LEFT + SIDE + GAP, SIDE / STEPS as f64);
    writeln!(out, "<g shape-rendering=\"crispEdges\">")?;
    for i in 0..STEPS {
        let [red, green, blue] = colour(1.0 - (i as f64 + 0.5) / STEPS as f64);
        let y = ABOVE + i as f64 * step;
        writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y:.3}\" width=\"{BAR}\" height=\"{step:.3}\" \
             fill=\"#{red:02x}{green:02x}{blue:02x}\"/>"
        )?;
    }
    writeln!(out, "</g>")?;
    for mark in scale.marks(base) {
        let y = ABOVE + (1.0 - scale.part(mark)) * SIDE;
        let end = x + BAR + 4.0;
        let from = x + BAR;
        writeln!(out, "<path d=\"M{from} {y:.3}H{end}\" stroke=\"#000000\"/>")?;
        text(out, (end + 4.0, y + 4.0), "", &shown(mark))?;
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
        ValueOf::Time => human::time(number.round() as u128, resolution),
    }
}

fn text(out: &mut dyn Write, (x, y): (f64, f64), how: &str, text: &str) -> io::Result<()> {
    writeln!(out, "<text x=\"{x:.3}\" y=\"{y:.3}\" {how}>{}</text>", escaped(text))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn shortened(name: &str) -> String {
    match name.chars().count() > NAME {
        true => name.chars().take(NAME - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

/// As XML takes it.
fn escaped(text: &str) -> String {
    let visible = human::visible(text);
    let mut escaped = String::with_capacity(visible.len());
    for letter in visible.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}
