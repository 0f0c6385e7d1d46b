//! Pictures as texts of SVG: what all of them draw with.
//!
//! A picture is a root element of its own, with `role="img"`, a title and a description: a file, or a part of a page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::colours::{colour, hex, Colour, Tone, INK, PAPER, QUIET};
use super::heat_map::Stretch;
use super::sheet::escaped;

/// Fonts of texts: the one that the program brings for PNG, then fonts of browsers that are as wide.
pub(crate) const FONT: &str = "DejaVu Sans, Verdana, Geneva, sans-serif";
/// The height of letters, in units of the picture.
pub(crate) const SIZE: f64 = 11.0;
/// Of titles.
pub(crate) const TITLE: f64 = 15.0;

/// Around a picture.
pub(crate) const MARGIN: f64 = 16.0;
/// From one line of text to the next.
pub(crate) const LINE: f64 = 16.0;

/// Anchor of a text: the part of it that stands at its point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// It begins there.
    #[default]
    Begin,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Look {
    /// Its height.
    pub size: f64,
    /// Set if it is bold.
    pub bold: bool,
    /// Its colour.
    pub colour: Colour,
    /// Part of the text that stands at its point.
    pub anchor: Anchor,
    /// Degrees by which it is turned, against the clock.
    pub turned: f64,
}

impl Default for Look {
    fn default() -> Self {
        let (bold, anchor) = Default::default();
        Look { size: SIZE, bold, colour: INK, anchor, turned: 0.0 }
    }
}

impl Look {
    /// That of what explains a picture.
    pub(crate) fn quiet() -> Self {
        Look { colour: QUIET, ..Look::default() }
    }

    /// That of a title.
    pub(crate) fn title() -> Self {
        Look { size: TITLE, bold: true, ..Look::default() }
    }

    /// The same, that ends or is in the middle of where it is put.
    pub(crate) fn at(self, anchor: Anchor) -> Self {
        Look { anchor, ..self }
    }
}

/// A part of a picture: its left upper corner, its width and its height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    /// From the left.
    pub x: f64,
    /// From above.
    pub y: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// A picture that is being drawn.
#[derive(Debug, Default)]
pub(crate) struct Drawing {
    text: String,
    /// Names of tones that it has.
    tones: BTreeSet<&'static str>,
}

/// The part of an element that has a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Its inside.
    Fill,
    /// Its lines.
    Line,
}

impl Drawing {
    /// Elements as they are.
    pub(crate) fn write(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect("texts can be written to");
    }

    /// Attributes of an element of this colour, a blank before them: the colour, and the class of its tone.
    pub(crate) fn paint(&mut self, side: Side, colour: Colour) -> String {
        let (attribute, ending) = match side {
            Side::Fill => ("fill", ""),
            Side::Line => ("stroke", "-line"),
        };
        let paint = format!(" {attribute}=\"{}\"", hex(colour));
        let Some(tone) = Tone::of(colour) else { return paint };
        self.tones.insert(tone.name);
        format!("{paint} class=\"{}{ending}\"", tone.name)
    }

    /// Fills an area with a colour. `tip` is its tooltip.
    pub(crate) fn fill(&mut self, area: Area, colour: Colour, tip: Option<&str>) {
        let Area { x, y, width, height } = area;
        let paint = self.paint(Side::Fill, colour);
        self.write(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{paint}",
            Short(x),
            Short(y),
            Short(width),
            Short(height),
        ));
        match tip {
            Some(tip) => self.write(format_args!("><title>{}</title></rect>\n", escaped(tip))),
            None => self.write(format_args!("/>\n")),
        }
    }

    /// A group of cells with sharp edges, and attributes `more`.
    pub(crate) fn crisp(&mut self, more: &str, draw: impl FnOnce(&mut Drawing)) {
        self.write(format_args!("<g shape-rendering=\"crispEdges\"{more}>\n"));
        draw(self);
        self.write(format_args!("</g>\n"));
    }

    /// Cells of a heat map, all of a colour at once. `place`: position and size of cells, in which `more` is drawn, too.
    pub(crate) fn cells<'s>(
        &mut self,
        place: &str,
        stretches: impl Iterator<Item = &'s Stretch>,
        more: impl FnOnce(&mut Drawing),
    ) {
        let mut paths: BTreeMap<Colour, String> = BTreeMap::new();
        for Stretch { row, column, wide, colour } in stretches {
            let path = paths.entry(*colour).or_default();
            let _ = write!(path, "M{column} {row}h{wide}v1h-{wide}z");
        }
        self.crisp(&format!(" transform=\"{place}\""), |on| {
            for (colour, path) in paths {
                let paint = on.paint(Side::Fill, colour);
                on.write(format_args!("<path{paint} d=\"{path}\"/>\n"));
            }
            more(on);
        });
    }

    /// The bar of colours, given the part of the scale from above at each of its steps.
    pub(crate) fn bar(&mut self, area: Area, steps: usize, part: impl Fn(f64) -> f64) {
        let height = area.height / steps as f64 + 0.3;
        self.crisp("", |on| {
            for step in 0..steps {
                let y = area.y + step as f64 * area.height / steps as f64;
                on.fill(Area { y, height, ..area }, colour(1.0 - part(step as f64)), None);
            }
        });
    }

    /// The lines around a part.
    pub(crate) fn frame(&mut self, Area { x, y, width, height }: Area, colour: Colour) {
        let paint = self.paint(Side::Line, colour);
        self.write(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\"{paint}/>\n",
            Short(x),
            Short(y),
            Short(width),
            Short(height),
        ));
    }

    /// A line.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: Colour) {
        let paint = self.paint(Side::Line, colour);
        self.write(format_args!(
            "<path d=\"M{} {}L{} {}\"{paint}/>\n",
            Short(from.0),
            Short(from.1),
            Short(to.0),
            Short(to.1),
        ));
    }

    /// A text whose letters stand on this height.
    pub(crate) fn text(&mut self, (x, y): (f64, f64), look: Look, text: &str) {
        let (x, y) = (Short(x), Short(y));
        let paint = match look.colour {
            // Letters on a colour that is the same on any paper.
            PAPER => format!(" fill=\"{}\"", hex(PAPER)),
            colour => self.paint(Side::Fill, colour),
        };
        self.write(format_args!("<text x=\"{x}\" y=\"{y}\"{paint}"));
        if look.size != SIZE {
            self.write(format_args!(" font-size=\"{}\"", look.size));
        }
        match look.anchor {
            Anchor::Begin => {}
            Anchor::Middle => self.write(format_args!(" text-anchor=\"middle\"")),
            Anchor::End => self.write(format_args!(" text-anchor=\"end\"")),
        }
        if look.bold {
            self.write(format_args!(" font-weight=\"bold\""));
        }
        if look.turned != 0.0 {
            self.write(format_args!(" transform=\"rotate(-{} {x} {y})\"", look.turned));
        }
        self.write(format_args!(">{}</text>\n", escaped(text)));
    }

    /// The first lines: a title, and below it a sentence, as much of both as there is room for. Returns what is below.
    pub(crate) fn heading(&mut self, room: f64, title: &str, sentence: &str) -> f64 {
        self.text((MARGIN, 26.0), Look::title(), &fitted(title, room, TITLE * 1.08));
        self.text((MARGIN, 44.0), Look::quiet(), &fitted(sentence, room, SIZE));
        56.0
    }

    /// The picture, on paper of this size, with what it is in a few words and in a sentence.
    pub(crate) fn finish(
        mut self,
        (width, height): (f64, f64),
        title: &str,
        description: &str,
    ) -> String {
        let paper = self.paint(Side::Fill, PAPER);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width:.0}\" \
             height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             font-family=\"{FONT}\" font-size=\"{SIZE}\">\n<title>{}</title>\n<desc>{}</desc>\n{}\
             <rect width=\"100%\" height=\"100%\"{paper}/>\n{}</svg>\n",
            escaped(title),
            escaped(description),
            Tone::style(|name| self.tones.contains(name)),
            self.text,
        )
    }
}

/// A length with two digits behind the point at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Short(pub f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.2}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if text == "-0" { "0" } else { text })
    }
}

/// About how wide a text is in [`FONT`].
pub(crate) fn width_of(text: &str, size: f64) -> f64 {
    let width = |letter: char| match letter {
        'i' | 'j' | 'l' | '\'' | '.' | ',' | ':' | ';' | '|' | '!' | 'I' => 0.31,
        ' ' | 'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' | '·' => 0.39,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' => 0.97,
        letter if (letter as u32) >= 0x1100 => 1.0,
        letter if letter.is_uppercase() => 0.7,
        _ => 0.63,
    };
    text.chars().map(width).sum::<f64>() * size
}

/// As much of a text as there is room for; `…` stands for what is left out in its middle.
pub(crate) fn fitted(text: &str, room: f64, size: f64) -> String {
    if width_of(text, size) <= room {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let mut kept = letters.len();
    while kept > 1 {
        kept -= 1;
        let behind = kept / 3;
        let (before, after) = (&letters[..kept - behind], &letters[letters.len() - behind..]);
        let text: String = before.iter().chain(&['…']).chain(after).collect();
        if width_of(&text, size) <= room {
            return text;
        }
    }
    "…".to_owned()
}

/// Steps of an axis from one value to another: round values, about as many as wanted.
pub(crate) fn steps(from: f64, to: f64, about: usize) -> Vec<f64> {
    let step = round_step((to - from) / about.max(1) as f64);
    if !(step.is_finite() && step > 0.0) {
        return Vec::new();
    }
    let first = (from / step - 1e-9).ceil() as i64;
    let last = (to / step + 1e-9).floor() as i64;
    (first..=last.min(first + 200)).map(|at| at as f64 * step).collect()
}

/// 1, 2 or 5 times a power of ten, at least this.
pub(crate) fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * power >= least * 0.999);
    times.unwrap_or(10.0) * power
}

/// Returns the common part of names that differ by a number at their end only, and these numbers: `MPI Rank 7`.
pub(crate) fn numbered(names: &[String]) -> Option<(String, Vec<String>)> {
    let split = |name: &String| {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (what, number) = name.split_at(name.len() - digits);
        (what.to_owned(), number.to_owned())
    };
    let (what, _) = split(names.first()?);
    let all: Vec<(String, String)> = names.iter().map(split).collect();
    let fits = all.iter().all(|(of, number)| *of == what && !number.is_empty());
    (fits && names.len() > 1 && !what.trim().is_empty())
        .then(|| (what.trim_end().to_owned(), all.into_iter().map(|(_, number)| number).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_steps() {
        assert_eq!(steps(0.0, 1.0, 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(steps(3.0, 47.0, 5), [10.0, 20.0, 30.0, 40.0]);
        assert!(steps(1.0, 1.0, 5).is_empty());
        assert_eq!([0.3, 1.0, 7.0, 20.0].map(round_step), [0.5, 1.0, 10.0, 20.0]);
    }

    #[test]
    fn names_with_numbers_are_shortened() {
        let names = ["MPI Rank 7", "MPI Rank 12"].map(str::to_owned);
        let expected = ("MPI Rank".to_owned(), vec!["7".to_owned(), "12".to_owned()]);
        assert_eq!(numbered(&names), Some(expected));
        assert_eq!(numbered(&["a 1".to_owned(), "b 1".to_owned()]), None);
        assert_eq!(numbered(&["a 1".to_owned()]), None);
    }

    #[test]
    fn texts_lose_their_middle() {
        assert_eq!(fitted("short", 100.0, 11.0), "short");
        let cut = fitted(&"ab".repeat(60), 100.0, 11.0);
        assert!(cut.contains('…') && width_of(&cut, 11.0) <= 100.0, "{cut}");
        assert_eq!(fitted("abc", 0.0, 11.0), "…");
        assert_eq!([1.0, 2.5, -0.001, 1.005].map(|x| Short(x).to_string()), ["1", "2.5", "0", "1"]);
    }
}
