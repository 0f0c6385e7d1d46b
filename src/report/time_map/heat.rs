//! The heat map: a row for each process, a column for each part of the time.

use std::collections::BTreeMap;

use streamfold_kernels::account::Group;

use super::picture::{TimeAxis, LINE};
use super::{most, HeatValue, TimeMapReport};
use crate::colours::{colour, of_group, Colour, Colours, Scale, UNRECORDED};
use crate::draw::{self, Anchor, Area, Drawing, Look, Short, SIZE};

/// All rows together are about so high.
const HEIGHT: f64 = 480.0;
/// Rows are at least and at most so high.
const ROW: (f64, f64) = (2.0, 24.0);
/// Number of cells that show their values.
const TOLD: usize = 4096;
/// Colours of a scale.
const LEVELS: usize = 64;
/// Colours of a legend are so wide.
const SWATCH: f64 = 14.0;
/// The colour of the critical path.
const PATH: Colour = [0xd6, 0x27, 0x28];

/// Labels at the left of rows.
pub(super) struct Labels {
    /// Common part of all names, if they differ by a number only.
    what: Option<String>,
    pub names: Vec<String>,
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

    /// The scale of colours; `None` where they stand for classes.
    fn colours(&self) -> Option<Colours> {
        if self.value == HeatValue::Classes {
            return None;
        }
        let numbers = || {
            let rows = 0..self.over.rows.spans.len();
            let all = rows.flat_map(|row| (0..self.bins()).map(move |bin| (row, bin)));
            all.filter_map(|(row, bin)| self.number(row, bin)).filter(|number| *number > 0.0)
        };
        let most = numbers().fold(0.0, f64::max);
        if self.value.is_quantity() {
            let least = numbers().fold(f64::INFINITY, f64::min).min(most);
            return Some(match most > least * 20.0 {
                true => Colours::Log(Scale::new((least, most))),
                false => Colours::Linear(most),
            });
        }
        let round = [0.05, 0.1, 0.2, 0.5].into_iter().find(|round| most <= *round);
        Some(Colours::Linear(round.unwrap_or(1.0)))
    }

    /// The colour of a cell.
    fn colour_of(&self, colours: Option<Colours>, row: usize, bin: u32) -> Colour {
        let Some(number) = self.number(row, bin) else { return UNRECORDED };
        match colours {
            None => {
                let cell = self.cells(row).and_then(|cells| cells.get(bin as usize));
                cell.as_ref().and_then(most).map_or(UNRECORDED, of_group)
            }
            _ if number <= 0.0 && self.value.is_quantity() => UNRECORDED,
            Some(colours) => colour((colours.part(number) * LEVELS as f64).round() / LEVELS as f64),
        }
    }

    /// Draws the map; returns where it ends, and where what stands beside it does.
    pub(super) fn heat(&self, on: &mut Drawing, axis: &TimeAxis, top: f64) -> (f64, f64) {
        let rows = self.over.rows.spans.len();
        let labels = self.labels();
        let height = (HEIGHT / rows.max(1) as f64).floor().clamp(ROW.0, ROW.1);
        let (left, top) = (axis.left, top + LINE);
        let area = Area { x: left, y: top, width: axis.width, height: height * rows as f64 };
        let shared = match self.over.rows.shared {
            1 => String::new(),
            shared => format!(", {shared} neighbours in each row"),
        };
        let title = format!("{}, by {}{shared}", self.title(), self.noun());
        on.text((left, top - 5.0), Look::default(), &title);
        on.fill(area, UNRECORDED, None);
        let colours = self.colours();
        let cell = Area { x: left, y: top, width: axis.bin, height };
        match rows * self.bins() as usize <= TOLD {
            true => self.told_cells(on, cell, colours),
            false => self.cells_by_colour(on, cell, colours),
        }
        on.frame(area, [0x88; 3]);
        self.critical_path(on, axis, (top, height));
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
        let legend = self.scale_of(on, (axis.right(), top), area.height, colours);
        // Below a scale there is more room.
        let room = if colours.is_some() { 6.0 } else { 0.0 };
        let legend = self.legend_of_path(on, (axis.right(), legend - room)).max(legend);
        (top + area.height, legend)
    }

    /// Draws the critical path: a line through the row of each section, and from there to the next row.
    fn critical_path(&self, on: &mut Drawing, axis: &TimeAxis, (top, height): (f64, f64)) {
        let Some(path) = self.critical else { return };
        // The rows between which the path changes, by column of pixels: a picture has a number of these.
        let mut changes: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
        let mut before = None;
        for section in &path.sections {
            let row = self.over.rows.of(section.location);
            let y = row.map(|row| top + (f64::from(row) + 0.5) * height);
            let place = |tick| axis.place(self.seconds(tick));
            let (from, to) = (place(section.begin), place(section.end));
            if let Some(y) = y.filter(|_| to - from >= 1.0) {
                on.line((from, y), (to, y), PATH);
            }
            if let (Some(before), Some(y)) = (std::mem::replace(&mut before, y), y) {
                let rows = changes.entry(from.round() as u64).or_insert((y, y));
                *rows = (rows.0.min(before).min(y), rows.1.max(before).max(y));
            }
        }
        for (x, (from, to)) in changes.into_iter().filter(|(_, (from, to))| from < to) {
            on.line((x as f64, from), (x as f64, to), PATH);
        }
    }

    /// Tells the colour of the critical path, if it is drawn; returns the position below.
    fn legend_of_path(&self, on: &mut Drawing, (x, y): (f64, f64)) -> f64 {
        if self.critical.is_none() {
            return y;
        }
        on.line((x, y + 6.0), (x + SWATCH, y + 6.0), PATH);
        on.text((x + SWATCH + 6.0, y + 10.0), Look::default(), "Critical path");
        y + LINE
    }

    fn tip(&self, name: &str, row: usize, bin: u32) -> String {
        let bins = &self.over.bins;
        let [from, to] = [bin, bin + 1]
            .map(|bin| streamfold_text::human::seconds(self.seconds(bins.begin_of(bin))));
        let value = match self.number(row, bin) {
            None => "nothing recorded".to_owned(),
            Some(number) => self.shown(number),
        };
        let class = match self.value {
            HeatValue::Classes => {
                let cell = self.cells(row).and_then(|cells| cells.get(bin as usize));
                let class = cell.as_ref().and_then(most);
                class.map_or(String::new(), |class| format!("{} ", class.title()))
            }
            _ => String::new(),
        };
        format!("{name}, {from} to {to}: {class}{value}")
    }

    /// Cells one by one, each with its value.
    fn told_cells(&self, on: &mut Drawing, first: Area, colours: Option<Colours>) {
        on.crisp("", |on| {
            for (row, _) in self.spans() {
                let (name, y) = (self.name(row), first.y + row as f64 * first.height);
                for bin in (0..self.bins()).filter(|bin| self.number(row, *bin).is_some()) {
                    let area = Area { x: first.x + f64::from(bin) * first.width, y, ..first };
                    let tip = self.tip(&name, row, bin);
                    on.fill(area, self.colour_of(colours, row, bin), Some(&tip));
                }
            }
        });
    }

    /// All cells of a colour at once; rows tell their values.
    fn cells_by_colour(&self, on: &mut Drawing, first: Area, colours: Option<Colours>) {
        let mut stretches = Vec::new();
        for (row, _) in self.spans() {
            let colours = (0..self.bins()).map(|bin| self.colour_of(colours, row, bin));
            let colours: Vec<Colour> = colours.collect();
            let mut bin = 0;
            for same in colours.chunk_by(|a, b| a == b) {
                stretches.extend((same[0] != UNRECORDED).then_some((
                    row,
                    bin,
                    same.len(),
                    same[0],
                )));
                bin += same.len();
            }
        }
        let [x, y, width, height] = [first.x, first.y, first.width, first.height].map(Short);
        let place = format!("translate({x} {y}) scale({width} {height})");
        on.cells(&place, stretches.into_iter(), |on| {
            on.write(format_args!("<g fill-opacity=\"0\">\n"));
            for (row, _) in self.spans() {
                let Some(number) = self.number_of_row(row) else { continue };
                let tip = format!("{}: {}", self.name(row), self.shown(number));
                let width = f64::from(self.bins());
                on.fill(Area { x: 0.0, y: row as f64, width, height: 1.0 }, [0xff; 3], Some(&tip));
            }
            on.write(format_args!("</g>\n"));
        });
    }

    /// Draws the legend of colours; returns the position below it.
    fn scale_of(
        &self,
        on: &mut Drawing,
        (x, top): (f64, f64),
        height: f64,
        colours: Option<Colours>,
    ) -> f64 {
        let swatch = |on: &mut Drawing, y: f64, colour: Colour, text: &str| {
            on.fill(Area { x, y, width: SWATCH, height: 11.0 }, colour, None);
            on.text((x + SWATCH + 6.0, y + 10.0), Look::default(), text);
        };
        let Some(colours) = colours else {
            let mut y = top;
            for class in Group::ALL.iter().copied() {
                let is_used = |row: usize| {
                    self.cells(row)
                        .is_some_and(|cells| cells.iter().any(|cell| most(&cell) == Some(class)))
                };
                if (0..self.over.rows.spans.len()).any(is_used) {
                    swatch(on, y, of_group(class), class.title());
                    y += LINE;
                }
            }
            swatch(on, y, UNRECORDED, Group::NotRecorded.title());
            return y + LINE;
        };
        let height = height.clamp(80.0, 240.0);
        let bar = Area { x, y: top, width: SWATCH, height };
        on.bar(bar, LEVELS, |level| level / (LEVELS - 1) as f64);
        let (marks, note): (Vec<f64>, _) = match colours {
            Colours::Log(scale) => (scale.marks(32.0), "log scale"),
            Colours::Linear(most) if self.value.is_quantity() => (vec![0.0, most / 2.0, most], ""),
            Colours::Linear(most) => ((0..=5).map(|at| most * f64::from(at) / 5.0).collect(), ""),
        };
        let mut free = f64::INFINITY;
        for mark in marks {
            let y = top + (1.0 - colours.part(mark)) * height;
            on.line((x + SWATCH, y), (x + SWATCH + 3.0, y), [0x55; 3]);
            if free - y >= SIZE + 2.0 {
                let text = match self.value.is_quantity() {
                    true => self.shown(mark),
                    false => format!("{:.0} %", mark * 100.0),
                };
                on.text((x + SWATCH + 6.0, y + 4.0), Look::default(), &text);
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
            _ => Group::NotRecorded.title(),
        };
        swatch(on, below - 6.0, UNRECORDED, text);
        below + LINE
    }
}
