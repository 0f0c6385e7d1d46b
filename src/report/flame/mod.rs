//! Call paths as a flame graph: a picture whose boxes are as wide as what they stand for takes. A click on a box
//! enlarges it; without a script it is a picture like others.

mod boxes;

use std::io::{self, Write};

use super::colours::{hex, Colour};
use super::draw::{self, Anchor, Area, Drawing, Look, Short, SIZE};
use super::raster;
use super::sheet::escaped;
pub use boxes::with_below;
use boxes::{Boxes, FlameBox};
use streamfold_text::human;

/// Around the picture, its width, and the height of a box.
const MARGIN: f64 = 12.0;
const WIDTH: f64 = 1200.0;
const BOX: f64 = 17.0;
/// Text in a box: from its left end, and below its upper side.
const TEXT: (f64, f64) = (3.0, 12.5);
/// Colour of a box of several paths.
const SEVERAL: Colour = [0xd8; 3];
/// Script that zooms and searches.
const SCRIPT: &str = include_str!("flame.js");

/// A call path.
#[derive(Clone, Debug)]
pub struct FlamePath {
    /// The name of its last step.
    pub name: String,
    /// The path around it, which stands before this one.
    pub parent: Option<u32>,
    /// How wide it is without those below it.
    pub own: u128,
}

/// How a box looks, and what is said of it.
pub struct FlameLook {
    /// Its colour.
    pub colour: Colour,
    /// Lines of the tooltip after the name.
    pub told: String,
}

/// Colours, with their meanings.
pub type Legend = Vec<(Colour, &'static str)>;

/// Input of a flame graph.
pub struct Flame<'f> {
    /// Title above the picture.
    pub title: String,
    /// A sentence on what is drawn, given how wide everything together is.
    pub said: &'f dyn Fn(u128) -> String,
    /// Name of the box that stands for everything.
    pub root: &'f str,
    /// Each stands before those below it.
    pub paths: &'f [FlamePath],
    /// Returns the look of a path, given the widths of its box and of everything. `None`: everything, or several paths.
    pub look: &'f dyn Fn(Option<usize>, [u128; 2]) -> FlameLook,
    /// Returns the legend, given the paths that have boxes.
    pub legend: &'f dyn Fn(&[usize]) -> Legend,
}

impl FlameLook {
    /// That of several paths.
    pub fn of_several(told: String) -> Self {
        FlameLook { colour: SEVERAL, told }
    }
}

impl Flame<'_> {
    /// The picture as SVG: a file, or a part of a page.
    pub fn svg(&self) -> String {
        let boxes = Boxes::new(self.root, self.paths);
        let mut on = Drawing::default();
        let room = WIDTH - 2.0 * MARGIN;
        on.text(
            (MARGIN, 26.0),
            Look::title(),
            &draw::fitted(&self.title, room, draw::TITLE * 1.08),
        );
        let said = self.said(&boxes);
        on.text((MARGIN, 44.0), Look::quiet(), &draw::fitted(&said, room - 260.0, SIZE));
        buttons(&mut on);
        let top = self.legend(&mut on, &boxes, 52.0);
        let levels = boxes.all.iter().map(|of| of.depth + 1).max().unwrap_or(0);
        for of in &boxes.all {
            self.draw(&mut on, &boxes, of, top);
        }
        let height = top + levels as f64 * BOX + MARGIN;
        if boxes.total == 0 {
            on.text((MARGIN, top + 14.0), Look::default(), "No visit of a region has any time.");
        }
        on.write(format_args!("<script><![CDATA[\n{SCRIPT}]]></script>\n"));
        on.finish((WIDTH, height), &self.title, &said)
    }

    fn said(&self, boxes: &Boxes) -> String {
        let mut said = (self.said)(boxes.total);
        if boxes.narrow > 0 {
            let paths = human::plural(boxes.narrow, "call path");
            said.push_str(&format!(" Narrower than 0.1 %, and drawn together: {paths}."));
        }
        said
    }

    /// Draws the legend; returns the position below it.
    fn legend(&self, on: &mut Drawing, boxes: &Boxes, y: f64) -> f64 {
        let mut x = MARGIN;
        let drawn: Vec<usize> = boxes.all.iter().filter_map(|of| of.path).collect();
        for (colour, title) in (self.legend)(&drawn) {
            on.fill(Area { x, y, width: 11.0, height: 11.0 }, colour, None);
            on.text((x + 16.0, y + 10.0), Look::quiet(), title);
            x += 34.0 + draw::width_of(title, SIZE);
        }
        y + 20.0
    }

    fn draw(&self, on: &mut Drawing, boxes: &Boxes, of: &FlameBox, top: f64) {
        let unit = (WIDTH - 2.0 * MARGIN) / boxes.total.max(1) as f64;
        let x = MARGIN + of.begin as f64 * unit;
        let (width, y) = (of.wide as f64 * unit, top + of.depth as f64 * BOX);
        let FlameLook { colour, told } = (self.look)(of.path, [of.wide, boxes.total]);
        let told: Vec<String> = told.lines().map(|line| escaped(line).to_string()).collect();
        // Without a gap boxes of one colour cannot be told apart.
        let drawn = (width - 0.3).max(0.1);
        let name = human::visible(&of.name);
        let short = short(&name);
        let label = match short == name {
            true => String::new(),
            false => format!(" data-s=\"{}\"", escaped(short)),
        };
        on.write(format_args!(
            "<g class=\"b\"{label}><title>{}\n{}</title>\
             <rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
            escaped(&of.name),
            told.join("\n"),
            Short(x),
            Short(y),
            Short(drawn),
            BOX - 1.0,
            hex(colour),
        ));
        let text = begin_of(short, width - 2.0 * TEXT.0);
        if text.chars().count() > 2 {
            let (x, y) = (Short(x + TEXT.0), Short(y + TEXT.1));
            on.write(format_args!("<text x=\"{x}\" y=\"{y}\">{}</text>", escaped(&text)));
        }
        on.write(format_args!("</g>\n"));
    }
}

/// What a script shows: a picture that nobody can click has no buttons.
fn buttons(on: &mut Drawing) {
    let right = WIDTH - MARGIN;
    on.write(format_args!("<g class=\"find\" display=\"none\" style=\"cursor:pointer\">"));
    on.text((right, 44.0), Look::quiet().at(Anchor::End), "Search");
    on.write(format_args!("</g><g class=\"back\" display=\"none\" style=\"cursor:pointer\">"));
    on.text((right - 60.0, 44.0), Look::quiet().at(Anchor::End), "Whole picture");
    on.write(format_args!(
        "</g><text class=\"found\" x=\"{}\" y=\"60\" text-anchor=\"end\" fill=\"#c000c0\"></text>\n",
        Short(right)
    ));
}

/// Writes a picture as PNG, where it is wanted so.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_picture(out: &mut dyn Write, svg: &str, as_png: bool) -> io::Result<()> {
    match as_png {
        true => raster::write_png(out, svg),
        false => out.write_all(svg.as_bytes()),
    }
}

/// The names of a path in a line of folded stacks: with `;` between them. A `;` in a name becomes a `:`.
pub fn stack(names: &[String]) -> String {
    let names: Vec<String> =
        names.iter().map(|name| human::visible(name).replace(';', ":")).collect();
    names.join(";")
}

/// The name of a function of C++ without what it returns and takes; other names as they are.
fn short(name: &str) -> &str {
    let Some((before, _)) = name.split_once('(').filter(|(before, _)| !before.is_empty()) else {
        return name;
    };
    if before.contains("operator") || before.contains('@') || name.starts_with('(') {
        return name;
    }
    // A blank between brackets is a part of the name.
    let mut depth = 0;
    let begin = before.char_indices().rev().find(|(_, letter)| {
        match letter {
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => {}
        }
        *letter == ' ' && depth <= 0
    });
    let short = begin.map_or(before, |(at, _)| &before[at + 1..]);
    let short = short.trim_start_matches(['*', '&']);
    if short.is_empty() {
        name
    } else {
        short
    }
}

/// As much of the begin of a text as there is room for.
fn begin_of(text: &str, room: f64) -> String {
    if draw::width_of(text, SIZE) <= room {
        return text.to_owned();
    }
    let mut cut = String::new();
    for letter in text.chars() {
        cut.push(letter);
        if draw::width_of(&cut, SIZE) + SIZE > room {
            cut.pop();
            break;
        }
    }
    cut + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_are_shortened() {
        for (name, expected) in [
            ("void LagrangeNodal(Domain&)", "LagrangeNodal"),
            ("int main(int, char**)", "main"),
            ("std::vector<int, A<b> >::push(int)", "std::vector<int, A<b> >::push"),
            ("MPI_Send", "MPI_Send"),
            ("!$omp parallel @a.cc:12", "!$omp parallel @a.cc:12"),
            ("(measurement off)", "(measurement off)"),
            ("bool A::operator()(int)", "bool A::operator()(int)"),
            ("", ""),
        ] {
            assert_eq!(short(name), expected, "{name}");
        }
    }

    #[test]
    fn texts_lose_their_ends() {
        assert_eq!(begin_of("abc", 1000.0), "abc");
        let cut = begin_of(&"abc".repeat(20), 60.0);
        assert!(cut.starts_with("abca") && cut.ends_with('…'), "{cut}");
    }
}
