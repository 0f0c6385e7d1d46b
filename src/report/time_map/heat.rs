//! The heat map: a row for each process, a column for each part of the time.

use std::collections::BTreeMap;
use std::fmt::Write;

use streamfold_kernels::time_map::WorkClass;

use super::picture::{TimeAxis, LINE};
use super::{most, HeatValue, TimeMapReport};
use crate::colours::{colour, hex, of_class, Colour, Scale, UNRECORDED};
use crate::draw::{self, Anchor, Area, Drawing, Look, Short, SIZE};

/// All rows together are about so high.
const HEIGHT: f64 = 480.0;
/// Rows are at least and at most so high.
const ROW: (f64, f64) = (2.0, 24.0);
/// Number of cells that show their values.
const TOLD: usize = 4096;
/// Colours of a scale.
const LEVELS: usize = 64;

/// Labels at the left of rows.
pub(super) struct Labels {
    /// Common part of all names, if they differ by a number only.
    what: Option<String>,
    pub names: Vec<String>,
}

/// Scale of colours.
enum Colours {
    /// Shares from 0 up to this one.
    Linear(f64),
    /// Numbers that differ by more than a picture can show otherwise.
    Log(Scale),
    Classes,
}

impl TimeMapReport<'_> {
    pub(super) fn labels(&self) -> Labels {
        let ends: Vec<[String; 2]> = self.spans().map(|(_, span)| self.ends(span)).collect();
        let all: Vec<String> = ends.iter().flatten().cloned().collect();
        let (what, all) = match draw::numbered(&all) {
            Some((what, numbers)) => (Some(what), numbers),
            None => (None, all),
        };
        let name = |ends: &[String]| match ends {
            [first, last] if first != last => format!("{first} … {last}"),
            ends => ends.first().cloned().unwrap_or_default(),
        };
        Labels { what, names: all.chunks(2).map(name).collect() }
    }

    fn colours(&self) -> Colours {
        if self.value == HeatValue::Classes {
            return Colours::Classes;
        }
        let numbers = || {
            let rows = 0..self.outcome.rows.spans.len();
            let all = rows.flat_map(|row| (0..self.bins()).map(move |bin| (row, bin)));
            all.filter_map(|(row, bin)| self.number(row, bin)).filter(|number| *number > 0.0)
        };
        let most = numbers().fold(0.0, f64::max);
        if self.value.is_quantity() {
            let least = numbers().fold(f64::INFINITY, f64::min).min(most);
            return match most > least * 20.0 {
                true => Colours::Log(Scale::new((least, most))),
                false => Colours::Linear(most),
            };
        }
        let round = [0.05, 0.1, 0.2, 0.5].into_iter().find(|round| most <= *round);
        Colours::Linear(round.unwrap_or(1.0))
    }

    /// The colour of a cell.
    fn colour_of(&self, colours: &Colours, row: usize, bin: u32) -> Colour {
        let Some(number) = self.number(row, bin) else { return UNRECORDED };
        let part = match colours {
            Colours::Classes => {
                let cell = self.cells(row).and_then(|cells| cells.get(bin as usize));
                return cell.and_then(most).map_or(UNRECORDED, of_class);
            }
            _ if number <= 0.0 && self.value.is_quantity() => return UNRECORDED,
            Colours::Log(scale) => scale.part(number),
            Colours::Linear(most) if *most > 0.0 => number / most,
            Colours::Linear(_) => 0.0,
        };
        colour((part * LEVELS as f64).round() / LEVELS as f64)
    }

    /// Draws the map; returns where it ends, and where what stands beside it does.
    pub(super) fn heat(&self, on: &mut Drawing, axis: &TimeAxis, top: f64) -> (f64, f64) {
        let rows = self.outcome.rows.spans.len();
        let labels = self.labels();
        let height = (HEIGHT / rows.max(1) as f64).floor().clamp(ROW.0, ROW.1);
        let (left, top) = (axis.left, top + LINE);
        let area = Area { x: left, y: top, width: axis.width, height: height * rows as f64 };
        let shared = match self.outcome.rows.shared {
            1 => String::new(),
            shared => format!(", {shared} neighbours in each row"),
        };
        let title = format!("{}, by {}{shared}", self.title(), self.noun());
        on.text((left, top - 5.0), Look::default(), &title);
        on.fill(area, UNRECORDED, None);
        let colours = self.colours();
        match rows * self.bins() as usize <= TOLD {
            true => self.told_cells(on, axis, (top, height), &colours),
            false => self.cells_by_colour(on, axis, (top, height), &colours),
        }
        on.frame(area, [0x88; 3]);
        let end = Look::default().at(Anchor::End);
        let every = draw::round_step(((SIZE + 2.0) / height).ceil().max(1.0)) as usize;
        for (row, name) in labels.names.iter().enumerate().step_by(every) {
            let y = top + row as f64 * height + height.max(SIZE) / 2.0 + 4.0;
            on.text((left - 6.0, y), end, &draw::fitted(name, left - 24.0, SIZE));
        }
        if let Some(what) = labels.what {
            let what = draw::fitted(&what, left - 24.0, SIZE);
            on.text((left - 6.0, top - 5.0), Look::quiet().at(Anchor::End), &what);
        }
        let legend = self.scale_of(on, (axis.right(), top), area.height, &colours);
        (top + area.height, legend)
    }

    fn tip(&self, name: &str, row: usize, bin: u32) -> String {
        let bins = &self.outcome.bins;
        let [from, to] = [bin, bin + 1]
            .map(|bin| streamfold_text::human::seconds(self.seconds(bins.begin_of(bin))));
        let value = match self.number(row, bin) {
            None => "nothing recorded".to_owned(),
            Some(number) => self.shown(number),
        };
        let class = match self.value {
            HeatValue::Classes => {
                let cell = self.cells(row).and_then(|cells| cells.get(bin as usize));
                let class = cell.and_then(most);
                class.map_or(String::new(), |class| format!("{} ", class.title()))
            }
            _ => String::new(),
        };
        format!("{name}, {from} to {to}: {class}{value}")
    }

    /// Cells one by one, each with its value.
    fn told_cells(
        &self,
        on: &mut Drawing,
        axis: &TimeAxis,
        (top, height): (f64, f64),
        colours: &Colours,
    ) {
        on.write(format_args!("<g shape-rendering=\"crispEdges\">\n"));
        for (row, _) in self.spans() {
            let (name, y) = (self.name(row), top + row as f64 * height);
            for bin in 0..self.bins() {
                if self.number(row, bin).is_some() {
                    let x = axis.left + f64::from(bin) * axis.bin;
                    let area = Area { x, y, width: axis.bin, height };
                    let tip = self.tip(&name, row, bin);
                    on.fill(area, self.colour_of(colours, row, bin), Some(&tip));
                }
            }
        }
        on.write(format_args!("</g>\n"));
    }

    /// All cells of a colour at once; rows tell their values.
    fn cells_by_colour(
        &self,
        on: &mut Drawing,
        axis: &TimeAxis,
        (top, height): (f64, f64),
        colours: &Colours,
    ) {
        let mut paths: BTreeMap<Colour, String> = BTreeMap::new();
        for (row, _) in self.spans() {
            let mut bin = 0;
            while bin < self.bins() {
                let colour = self.colour_of(colours, row, bin);
                let next = (bin..self.bins())
                    .find(|next| self.colour_of(colours, row, *next) != colour)
                    .unwrap_or(self.bins());
                if colour != UNRECORDED {
                    let path = paths.entry(colour).or_default();
                    let wide = next - bin;
                    let _ = write!(path, "M{bin} {row}h{wide}v1h-{wide}z");
                }
                bin = next;
            }
        }
        on.write(format_args!(
            "<g shape-rendering=\"crispEdges\" transform=\"translate({} {}) scale({} {})\">\n",
            Short(axis.left),
            Short(top),
            Short(axis.bin),
            Short(height)
        ));
        for (colour, path) in paths {
            on.write(format_args!("<path fill=\"{}\" d=\"{path}\"/>\n", hex(colour)));
        }
        on.write(format_args!("<g fill-opacity=\"0\">\n"));
        for (row, _) in self.spans() {
            let Some(number) = self.number_of_row(row) else { continue };
            let tip = format!("{}: {}", self.name(row), self.shown(number));
            let width = f64::from(self.bins());
            on.fill(Area { x: 0.0, y: row as f64, width, height: 1.0 }, [0xff; 3], Some(&tip));
        }
        on.write(format_args!("</g>\n</g>\n"));
    }

    /// Draws the legend of colours; returns the position below it.
    fn scale_of(
        &self,
        on: &mut Drawing,
        (x, top): (f64, f64),
        height: f64,
        colours: &Colours,
    ) -> f64 {
        const WIDTH: f64 = 14.0;
        let swatch = |on: &mut Drawing, y: f64, colour: Colour, text: &str| {
            on.fill(Area { x, y, width: WIDTH, height: 11.0 }, colour, None);
            on.text((x + WIDTH + 6.0, y + 10.0), Look::default(), text);
        };
        if let Colours::Classes = colours {
            let mut y = top;
            for class in WorkClass::ALL {
                let is_used = |row: usize| {
                    self.cells(row).unwrap_or_default().iter().any(|cell| most(cell) == Some(class))
                };
                if (0..self.outcome.rows.spans.len()).any(is_used) {
                    swatch(on, y, of_class(class), class.title());
                    y += LINE;
                }
            }
            swatch(on, y, UNRECORDED, "Nothing open");
            return y + LINE;
        }
        let height = height.clamp(80.0, 240.0);
        on.write(format_args!("<g shape-rendering=\"crispEdges\">\n"));
        for level in 0..LEVELS {
            let part = 1.0 - level as f64 / (LEVELS - 1) as f64;
            let y = top + level as f64 * height / LEVELS as f64;
            let area = Area { x, y, width: WIDTH, height: height / LEVELS as f64 + 0.3 };
            on.fill(area, colour(part), None);
        }
        on.write(format_args!("</g>\n"));
        let (marks, note): (Vec<f64>, _) = match colours {
            Colours::Log(scale) => (scale.marks(32.0), "log scale"),
            Colours::Linear(most) if self.value.is_quantity() => (vec![0.0, most / 2.0, *most], ""),
            Colours::Linear(most) => ((0..=5).map(|at| most * f64::from(at) / 5.0).collect(), ""),
            Colours::Classes => (Vec::new(), ""),
        };
        let place = |mark: f64| match colours {
            Colours::Log(scale) => scale.part(mark),
            Colours::Linear(most) if *most > 0.0 => mark / most,
            _ => 0.0,
        };
        let mut free = f64::INFINITY;
        for mark in marks {
            let y = top + (1.0 - place(mark)) * height;
            on.line((x + WIDTH, y), (x + WIDTH + 3.0, y), [0x55; 3]);
            if free - y >= SIZE + 2.0 {
                let text = match self.value.is_quantity() {
                    true => self.shown(mark),
                    false => format!("{:.0} %", mark * 100.0),
                };
                on.text((x + WIDTH + 6.0, y + 4.0), Look::default(), &text);
                free = y;
            }
        }
        let mut below = top + height + LINE;
        if !note.is_empty() {
            on.text((x, below), Look::quiet(), note);
            below += LINE;
        }
        let text = match self.value {
            HeatValue::Bytes => "Nothing sent",
            HeatValue::Metric(_) => "Nothing recorded, or 0",
            _ => "Nothing open",
        };
        swatch(on, below - 6.0, UNRECORDED, text);
        below + LINE
    }
}
