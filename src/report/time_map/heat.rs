//! The heat map: a row for each process, a column for each part of the time.

use std::collections::BTreeMap;

use streamfold_kernels::account::Group;

use super::{most, HeatValue, TimeMapReport};
use crate::colours::{of_group, Colour, Colours, UNRECORDED};
use crate::draw::{Area, Drawing, Look, LINE};
use crate::heat_map::{row_height, stretches, swatch, HeatMap, Key, Names, TimeAxis, Unit, SWATCH};

/// The colour of the critical path.
const PATH: Colour = [0xd6, 0x27, 0x28];

impl TimeMapReport<'_> {
    pub(super) fn names(&self) -> Names {
        let ends: Vec<[String; 2]> = self.spans().map(|(_, span)| self.ends(span)).collect();
        Names::new(&ends)
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
        match self.value.is_quantity() {
            true => Colours::of(numbers()),
            false => Some(Colours::of_shares(numbers())),
        }
    }

    /// The colour of a cell that shows anything.
    fn colour_of(&self, colours: Option<Colours>, row: usize, bin: u32) -> Option<Colour> {
        let number = self.number(row, bin)?;
        let colour = match colours {
            None if self.value == HeatValue::Classes => {
                let cell = self.cells(row).and_then(|cells| cells.get(bin as usize));
                cell.as_ref().and_then(most).map(of_group)
            }
            Some(colours) if number > 0.0 || !self.value.is_quantity() => {
                Some(colours.colour(number))
            }
            _ => None,
        };
        // It tells that nothing was.
        Some(colour.unwrap_or(UNRECORDED))
    }

    /// Draws the map; returns where it ends, and where what stands beside it does.
    pub(super) fn heat(&self, on: &mut Drawing, axis: &TimeAxis, top: f64) -> (f64, f64) {
        let rows = self.over.rows.spans.len();
        let height = row_height(rows);
        let (left, top) = (axis.left, top + LINE);
        let area = Area { x: left, y: top, width: axis.width, height: height * rows as f64 };
        let shared = match self.over.rows.shared {
            1 => String::new(),
            shared => format!(", {shared} neighbours in each row"),
        };
        let title = format!("{}, by {}{shared}", self.title(), self.noun());
        on.text((left, top - 5.0), Look::default(), &title);
        let colours = self.colours();
        let names: Vec<String> = (0..rows).map(|row| self.name(row)).collect();
        let of_row = |row: usize| {
            stretches(row, (0..self.bins()).map(move |bin| self.colour_of(colours, row, bin)))
        };
        let map = HeatMap {
            area,
            rows,
            columns: self.bins() as usize,
            stretches: (0..rows).flat_map(of_row).collect(),
            tip: &|row, bin| self.tip(&names[row], row, bin as u32),
            row_tip: &|row| {
                let number = self.number_of_row(row)?;
                Some(format!("{}: {}", names[row], self.shown(number)))
            },
        };
        map.draw(on);
        self.critical_path(on, axis, (top, height));
        map.names(on, &self.names(), self.over.rows.shared);
        let legend = self.key(on, (axis.right(), top), area.height, colours);
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

    /// Draws the meaning of colours; returns the position below it.
    fn key(
        &self,
        on: &mut Drawing,
        (x, top): (f64, f64),
        height: f64,
        colours: Option<Colours>,
    ) -> f64 {
        let mut y = top;
        if self.value == HeatValue::Classes {
            for class in Group::ALL.iter().copied() {
                let is_used = |row: usize| {
                    self.cells(row)
                        .is_some_and(|cells| cells.iter().any(|cell| most(&cell) == Some(class)))
                };
                if (0..self.over.rows.spans.len()).any(is_used) {
                    y = swatch(on, (x, y), of_group(class), class.title());
                }
            }
        }
        if let Some(colours) = colours {
            let shown = |mark: f64| match self.value.is_quantity() {
                true => self.shown(mark),
                false => format!("{:.0} %", mark * 100.0),
            };
            let unit = match self.value {
                HeatValue::Bytes => Unit::Bytes,
                HeatValue::Metric(_) => Unit::Other,
                _ => Unit::Share,
            };
            y = Key { colours, unit, shown: &shown }.draw(on, (x, y), height);
        }
        let text = match self.value {
            HeatValue::Bytes => "Nothing sent",
            HeatValue::Metric(_) => "Nothing recorded, or 0",
            _ => Group::NotRecorded.title(),
        };
        swatch(on, (x, y), UNRECORDED, text)
    }
}
