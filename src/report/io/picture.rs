//! Picture of file accesses: bytes of all processes over time, and below them a row for each process, by time as a rule.

use std::io::{self, Write};

use streamfold_kernels::io::Bin;

use super::IoReport;
use crate::colours::{Colour, Colours, FRAME, GRID, QUIET, UNRECORDED};
use crate::draw::{self, Anchor, Area, Drawing, Look, Short, Side, LINE, MARGIN};
use crate::heat_map::{self, row_height, stretches, swatch, HeatMap, Key, Names, TimeAxis, Unit};
use crate::raster;
use streamfold_text::human;

/// Value that the colours of rows show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum HeatOf {
    /// Bytes that were read or written.
    Bytes,
    /// Reads and writes.
    Transfers,
    /// Calls on metadata.
    Metadata,
    /// The time of threads in calls that access files: a call that stalls shows, however little it moves.
    #[default]
    Time,
}

impl HeatOf {
    fn title(self) -> &'static str {
        match self {
            HeatOf::Bytes => "Bytes read and written",
            HeatOf::Transfers => "Reads and writes",
            HeatOf::Metadata => "Calls on metadata",
            HeatOf::Time => "Time in calls that access files",
        }
    }

    fn of(self, bin: &Bin) -> f64 {
        match self {
            HeatOf::Bytes => bin.read as f64 + bin.written as f64,
            HeatOf::Transfers => bin.moves as f64,
            HeatOf::Metadata => bin.metadata as f64,
            HeatOf::Time => bin.ticks as f64,
        }
    }
}

/// The height of the curves above the rows.
const CURVES: f64 = 120.0;
/// Colours of curves: those of classes that people tell apart who do not tell red from green.
const READ: Colour = [0x00, 0x72, 0xb2];
const WRITTEN: Colour = [0xd5, 0x5e, 0x00];

/// Writes the picture as PNG.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_png(out: &mut dyn Write, report: &IoReport<'_>, heat: HeatOf) -> io::Result<()> {
    raster::write_png(out, &svg(report, heat))
}

/// Writes the picture as SVG.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_svg(out: &mut dyn Write, report: &IoReport<'_>, heat: HeatOf) -> io::Result<()> {
    out.write_all(svg(report, heat).as_bytes())
}

/// The picture as SVG.
fn svg(report: &IoReport<'_>, heat: HeatOf) -> String {
    Sheet::new(report, heat).draw()
}

struct Sheet<'r> {
    report: &'r IoReport<'r>,
    heat: HeatOf,
    /// Rows in which anything happens, or may, with the first and the last name of each. A row in which nothing happens
    /// has no bins.
    rows: Vec<([String; 2], &'r [Bin])>,
    names: Names,
    axis: TimeAxis,
}

impl<'r> Sheet<'r> {
    fn new(report: &'r IoReport<'r>, heat: HeatOf) -> Self {
        let begins = &report.outcome.bins.begins;
        let (count, shared) = report.outcome.bins.rows;
        let found = &report.outcome.found.bins;
        let of_row = |number: u32| {
            let (first, last) = report.processes_of_row(number, shared);
            ([first, last], found.get(&number).map_or(&[][..], Vec::as_slice))
        };
        // Accesses of no process have a row of their own, which is empty as a rule.
        let is_used = |row: &[Bin]| row.iter().any(|bin| *bin != Bin::default());
        let processes = report.definitions.location_groups.len().div_ceil(shared.max(1) as usize);
        let all = (0..if found.is_empty() { 0 } else { count }).map(of_row).enumerate();
        let rows = all.filter(|(at, (_, row))| *at < processes || is_used(row));
        let rows: Vec<([String; 2], &[Bin])> = rows.map(|(_, row)| row).collect();
        let ends: Vec<[String; 2]> = rows.iter().map(|(ends, _)| ends.clone()).collect();
        let names = Names::new(&ends);
        let seconds = |tick: u64| {
            let begin = heat_map::begin(report.definitions, begins[0]);
            tick.saturating_sub(begin) as f64 / report.provenance.timer_resolution.max(1) as f64
        };
        let span = (seconds(begins[0]), seconds(begins[begins.len() - 1]));
        let axis = TimeAxis::new(begins.len() as u32 - 1, span, names.width());
        Sheet { report, heat, rows, names, axis }
    }

    fn draw(&self) -> String {
        let mut on = Drawing::default();
        let total = self.report.total();
        let resolution = self.report.provenance.timer_resolution;
        let moved = super::text::moved(&total.moved);
        let time = human::time(self.report.outcome.whole.io.into(), resolution);
        let said = format!("{moved}, {time} in I/O");
        let input = human::visible(&self.report.provenance.input);
        let title = format!("{}, by process · {input}", self.heat.title());
        let top = on.heading(self.axis.sheet() - 2.0 * MARGIN, &title, &said);
        let curves = self.curves(&mut on, top + LINE);
        let (bottom, beside) = self.map(&mut on, curves + 2.0 * LINE);
        let bottom = self.axis.draw(&mut on, bottom).max(beside);
        on.finish((self.axis.sheet(), bottom + MARGIN), &title, &said)
    }

    /// Draws bytes in a second over time, reads and writes; returns what is below.
    fn curves(&self, on: &mut Drawing, top: f64) -> f64 {
        let bins = match self.rows.is_empty() {
            true => Vec::new(),
            false => self.report.bins(),
        };
        let begins = &self.report.outcome.bins.begins;
        let resolution = self.report.provenance.timer_resolution.max(1) as f64;
        let seconds = |bin: usize| ((begins[bin + 1] - begins[bin]).max(1)) as f64 / resolution;
        let rates = |of: fn(&Bin) -> u64| -> Vec<f64> {
            let rate = |(bin, of_bin): (usize, &Bin)| of(of_bin) as f64 / seconds(bin);
            bins.iter().enumerate().map(rate).collect()
        };
        let of_kind = [(rates(|bin| bin.read), READ), (rates(|bin| bin.written), WRITTEN)];
        let most = of_kind.iter().flat_map(|(rates, _)| rates).copied().fold(0.0, f64::max);
        let (left, base) = (self.axis.left, top + CURVES);
        on.text((left, top - 5.0), Look::default(), "Bytes read and written in a second");
        self.axis.grid(on, (top, base));
        let (marks, whole) = rates_of_axis(most);
        let end = Look::default().at(Anchor::End);
        for (rate, text) in marks {
            let y = base - rate / whole * CURVES;
            on.line((left, y), (left + self.axis.width, y), GRID);
            on.line((left - 4.0, y), (left, y), QUIET);
            on.text((left - 6.0, y + 4.0), end, &text);
        }
        for (rates, colour) in of_kind.iter().filter(|(rates, _)| rates.iter().any(|r| *r > 0.0)) {
            let paint = on.paint(Side::Fill, *colour) + &on.paint(Side::Line, *colour);
            on.write(format_args!("<path{paint} fill-opacity=\"0.3\" d=\"M{left} {base}"));
            for same in rates.chunk_by(|a, b| a == b) {
                let (y, wide) =
                    (base - same[0] / whole * CURVES, self.axis.part * same.len() as f64);
                on.write(format_args!("V{}h{}", Short(y), Short(wide)));
            }
            on.write(format_args!("V{base}\"/>\n"));
        }
        on.frame(Area { x: left, y: top, width: self.axis.width, height: CURVES }, FRAME);
        let legend = swatch(on, (self.axis.right(), top), READ, "Read");
        swatch(on, (self.axis.right(), legend), WRITTEN, "Written");
        base
    }

    fn value(&self, value: f64) -> String {
        match self.heat {
            HeatOf::Bytes => human::bytes(value as u128),
            HeatOf::Transfers | HeatOf::Metadata => human::count(value as u64),
            HeatOf::Time => human::time(value as u128, self.report.provenance.timer_resolution),
        }
    }

    /// Draws rows of processes; returns where they end, and where what stands beside them does.
    fn map(&self, on: &mut Drawing, top: f64) -> (f64, f64) {
        let (rows, axis) = (&self.rows, &self.axis);
        let height = row_height(rows.len()) * rows.len() as f64;
        let area = Area { x: axis.left, y: top, width: axis.width, height };
        let shared = match self.report.outcome.bins.rows.1 {
            0 | 1 => String::new(),
            shared => format!(", {shared} neighbours in each row"),
        };
        let title = format!("{}, by process{shared}", self.heat.title());
        on.text((axis.left, top - 5.0), Look::default(), &title);
        let values = || rows.iter().flat_map(|(_, row)| row.iter().map(|bin| self.heat.of(bin)));
        let colours = Colours::of(values());
        let colour = |bin: &Bin| {
            let value = self.heat.of(bin);
            colours.filter(|_| value > 0.0).map(|colours| colours.colour(value))
        };
        let name = |row: usize| match &rows[row].0 {
            [first, last] if first == last => first.clone(),
            [first, last] => format!("{first} to {last}"),
        };
        let begins = &self.report.outcome.bins.begins;
        let resolution = self.report.provenance.timer_resolution;
        let map = HeatMap {
            area,
            rows: rows.len(),
            columns: begins.len() - 1,
            stretches: (0..)
                .zip(rows)
                .flat_map(|(row, (_, bins))| stretches(row, bins.iter().map(colour)))
                .collect(),
            tip: &|row, bin| {
                let time =
                    |bin: usize| human::time(u128::from(begins[bin] - begins[0]), resolution);
                let value = self.value(rows[row].1.get(bin).map_or(0.0, |bin| self.heat.of(bin)));
                format!("{}, {} to {}: {value}", name(row), time(bin), time(bin + 1))
            },
            row_tip: &|row| {
                let sum: f64 = rows[row].1.iter().map(|bin| self.heat.of(bin)).sum();
                Some(format!("{}: {}", name(row), self.value(sum)))
            },
        };
        map.draw(on);
        map.names(on, &self.names, self.report.outcome.bins.rows.1.max(1));
        let mut beside = (axis.right(), top);
        if let Some(colours) = colours {
            let unit = match self.heat {
                HeatOf::Bytes => Unit::Bytes,
                HeatOf::Transfers | HeatOf::Metadata => Unit::Count,
                HeatOf::Time => Unit::Other,
            };
            let key = Key { colours, unit, shown: &|value| self.value(value) };
            beside.1 = key.draw(on, beside, height);
        }
        (top + height, swatch(on, beside, UNRECORDED, "Nothing"))
    }
}

/// Round rates of an axis up to this one, with their texts, and the rate at its upper end.
fn rates_of_axis(most: f64) -> (Vec<(f64, String)>, f64) {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let power = (1..UNITS.len()).rev().find(|power| most >= 1024_f64.powi(*power as i32));
    let power = power.unwrap_or(0);
    let (unit, one) = (UNITS[power], 1024_f64.powi(power as i32));
    let step = draw::round_step((most / one / 3.0).max(0.1));
    let whole = (most / one / step).ceil().max(1.0);
    let marks = (0..=whole as u32).map(f64::from).map(|at| {
        let shown = draw::Short(at * step);
        (at * step * one, if at == 0.0 { "0".to_owned() } else { format!("{shown} {unit}/s") })
    });
    (marks.collect(), whole * step * one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_of_rates_have_round_marks() {
        let texts = |most: f64| -> Vec<String> {
            rates_of_axis(most).0.into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(texts(102.4 * 1048576.0), ["0", "50 MiB/s", "100 MiB/s", "150 MiB/s"]);
        assert_eq!(texts(1.0), ["0", "0.5 B/s", "1 B/s"]);
        assert_eq!(texts(0.0), ["0", "0.1 B/s"]);
        let (marks, whole) = rates_of_axis(1500.0);
        assert!(whole >= 1500.0 && marks.iter().all(|(rate, _)| *rate <= whole + 1.0));
    }
}
