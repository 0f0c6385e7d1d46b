//! The communication matrix as a picture that a browser shows.

use std::io::{self, Write};

use super::heat::ValueOf;
use super::picture::{draw, Canvas, Rect, Style, HEIGHT, TURNED, WIDTH};
use super::MatchReport;
use crate::report::colours::{hex, Colour};
use crate::report::sheet::escaped;

/// Draws the matrix.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &MatchReport<'_>, value: ValueOf) -> io::Result<()> {
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"11\" \
         shape-rendering=\"crispEdges\">"
    )?;
    writeln!(out, "<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>")?;
    draw(&mut Svg(out), report, value)?;
    writeln!(out, "</svg>")
}

struct Svg<'a>(&'a mut dyn Write);

impl Canvas for Svg<'_> {
    fn fill(&mut self, rect: Rect, colour: Colour, tip: Option<&str>) -> io::Result<()> {
        let Rect { x, y, width, height } = rect;
        write!(
            self.0,
            "<rect x=\"{x:.3}\" y=\"{y:.3}\" width=\"{width:.3}\" height=\"{height:.3}\" \
             fill=\"{}\"",
            hex(colour)
        )?;
        match tip {
            Some(tip) => writeln!(self.0, "><title>{}</title></rect>", escaped(tip)),
            None => writeln!(self.0, "/>"),
        }
    }

    fn frame(&mut self, Rect { x, y, width, height }: Rect, colour: Colour) -> io::Result<()> {
        writeln!(
            self.0,
            "<rect x=\"{x:.3}\" y=\"{y:.3}\" width=\"{width:.3}\" height=\"{height:.3}\" \
             fill=\"none\" stroke=\"{}\"/>",
            hex(colour)
        )
    }

    fn mark(&mut self, (x, y): (f64, f64), length: f64) -> io::Result<()> {
        writeln!(self.0, "<path d=\"M{x:.3} {y:.3}h{length}\" stroke=\"#000000\"/>")
    }

    fn text(&mut self, (x, y): (f64, f64), style: Style, text: &str) -> io::Result<()> {
        write!(self.0, "<text x=\"{x:.3}\" y=\"{y:.3}\" font-size=\"{}\"", style.size)?;
        if style.ends {
            write!(self.0, " text-anchor=\"end\"")?;
        }
        if style.turned {
            write!(self.0, " transform=\"rotate(-{TURNED} {x:.3} {y:.3})\"")?;
        }
        if style.bold {
            write!(self.0, " font-weight=\"bold\"")?;
        }
        writeln!(self.0, " fill=\"{}\">{}</text>", hex(style.colour), escaped(text))
    }
}
