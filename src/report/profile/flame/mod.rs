//! Call paths as a flame graph: a picture whose boxes are as wide as what they stand for takes. Who clicks on one
//! sees it enlarged; without a script it is a picture like others.

mod boxes;

use std::io::{self, Write};

use streamfold_kernels::time_map::{WorkClass, WorkClasses};

use super::ProfileReport;
use crate::report::colours::{hex, of_class, Colour};
use crate::report::draw::{self, Anchor, Area, Drawing, Look, Short, SIZE};
use crate::report::sheet::escaped;
use crate::report::{human, raster};
use boxes::{Boxes, FlameBox};

/// Around the picture, its width, and the height of a box.
const MARGIN: f64 = 12.0;
const WIDTH: f64 = 1200.0;
const BOX: f64 = 17.0;
/// Text in a box: from its left end, and below its upper side.
const TEXT: (f64, f64) = (3.0, 12.5);
/// What zooms and searches.
const SCRIPT: &str = include_str!("flame.js");

impl ProfileReport<'_> {
    /// The flame graph as SVG: a file, or a part of a page.
    pub fn flame_graph(&self) -> String {
        let boxes = Boxes::new(self);
        let mut on = Drawing::default();
        let title = format!("Where time goes · {}", human::visible(&self.provenance.input));
        let room = WIDTH - 2.0 * MARGIN;
        on.text((MARGIN, 26.0), Look::title(), &draw::fitted(&title, room, draw::TITLE * 1.08));
        let said = self.said(&boxes);
        on.text((MARGIN, 44.0), Look::quiet(), &draw::fitted(&said, room - 260.0, SIZE));
        self.buttons(&mut on);
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
        on.finish((WIDTH, height), &title, &said)
    }

    fn said(&self, boxes: &Boxes) -> String {
        let time = human::time(boxes.total, self.provenance.timer_resolution);
        let locations = human::plural(self.profile.total.spread.locations, "thread");
        let mut said = format!("{time} of {locations} added up; callers stand above.");
        if boxes.narrow > 0 {
            let paths = human::plural(boxes.narrow, "call path");
            said.push_str(&format!(" Narrower than 0.1 %, and drawn together: {paths}."));
        }
        said
    }

    fn buttons(&self, on: &mut Drawing) {
        let right = WIDTH - MARGIN;
        on.write(format_args!("<g class=\"find\" style=\"cursor:pointer\">"));
        on.text((right, 44.0), Look::quiet().at(Anchor::End), "Search");
        on.write(format_args!("</g><g class=\"back\" display=\"none\" style=\"cursor:pointer\">"));
        on.text((right - 60.0, 44.0), Look::quiet().at(Anchor::End), "Whole picture");
        on.write(format_args!(
            "</g><text class=\"found\" x=\"{}\" y=\"60\" text-anchor=\"end\" fill=\"#c000c0\"></text>\n",
            Short(right)
        ));
    }

    /// What colours stand for; returns what is below.
    fn legend(&self, on: &mut Drawing, boxes: &Boxes, y: f64) -> f64 {
        let mut x = MARGIN;
        for class in WorkClass::ALL {
            let used = |of: &&FlameBox| of.class == Some(class);
            if boxes.all.iter().find(used).is_none() {
                continue;
            }
            on.fill(Area { x, y, width: 11.0, height: 11.0 }, tinted(class, 4), None);
            on.text((x + 16.0, y + 10.0), Look::quiet(), class.title());
            x += 34.0 + draw::width_of(class.title(), SIZE);
        }
        y + 20.0
    }

    fn draw(&self, on: &mut Drawing, boxes: &Boxes, of: &FlameBox, top: f64) {
        let unit = (WIDTH - 2.0 * MARGIN) / boxes.total.max(1) as f64;
        let x = MARGIN + of.begin as f64 * unit;
        let (width, y) = (of.ticks as f64 * unit, top + of.depth as f64 * BOX);
        let time = human::time(of.ticks, self.provenance.timer_resolution);
        let share = human::percent(of.ticks, boxes.total);
        let own = match of.own {
            Some(own) if own < of.ticks => {
                let own = human::time(own, self.provenance.timer_resolution);
                format!(", {own} of it its own")
            }
            _ => String::new(),
        };
        let visits = of
            .visits
            .map_or(String::new(), |visits| format!("\n{}", human::plural(visits, "visit")));
        let colour = of.class.map_or([0xd8; 3], |class| tinted(class, hash(&of.name)));
        // Without a gap boxes of one colour cannot be told apart.
        let drawn = (width - 0.3).max(0.1);
        let name = human::visible(&of.name);
        let short = short(&name);
        let label = match short == name {
            true => String::new(),
            false => format!(" data-s=\"{}\"", escaped(short)),
        };
        on.write(format_args!(
            "<g class=\"b\"{label}><title>{}\n{time}, {share} %{own}{visits}</title>\
             <rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
            escaped(&of.name),
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

    /// Writes the flame graph as SVG.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write_flame_svg(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.flame_graph().as_bytes())
    }

    /// Writes the flame graph as PNG.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write_flame_png(&self, out: &mut dyn Write) -> io::Result<()> {
        raster::write_png(out, &self.flame_graph())
    }

    /// Writes call paths as folded stacks: the names of steps with `;` between them, a blank, and the exclusive time
    /// in ticks. A `;` in a name becomes a `:`.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write_folded(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut names: Vec<String> = Vec::new();
        for path in &self.profile.paths {
            names.truncate(path.depth as usize);
            let name = crate::report::names::step(self.definitions, path.step);
            names.push(human::visible(&name).replace(';', ":"));
            if path.row.exclusive > 0 {
                writeln!(out, "{} {}", names.join(";"), path.row.exclusive)?;
            }
        }
        Ok(())
    }

    fn work_classes(&self) -> WorkClasses {
        WorkClasses::new(self.definitions, false)
    }
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

/// The colour of a class, a little lighter or darker by name.
fn tinted(class: WorkClass, hash: u64) -> Colour {
    let white = 0.30 + (hash % 9) as f64 * 0.035;
    of_class(class).map(|part| (f64::from(part) * (1.0 - white) + 255.0 * white).round() as u8)
}

/// A number that a name always has: by the method of Fowler, Noll and Vo.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
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

    #[test]
    fn a_name_always_has_the_same_colour() {
        let colour = |name: &str| tinted(WorkClass::Mpi, hash(name));
        assert_eq!(colour("MPI_Send"), colour("MPI_Send"));
        assert_ne!(colour("MPI_Send"), colour("MPI_Recv"));
    }
}
