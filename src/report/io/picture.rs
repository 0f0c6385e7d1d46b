//! Picture of file accesses: bytes of all processes over time, and below them a row for each process.

use std::io::{self, Write};

use streamfold_kernels::io::Bin;

use super::IoReport;
use crate::colours::{colour, hex, Scale};
use crate::raster;
use crate::sheet::{escaped, write_sheet, CHARACTER, MARGIN};
use streamfold_text::human;

/// Value that the colours of rows show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum HeatOf {
    /// Bytes that were read or written.
    #[default]
    Bytes,
    /// Reads and writes.
    Transfers,
    /// Calls on metadata.
    Metadata,
    /// The time of threads in calls that access files.
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

/// The width of all bins, in units of the picture.
const WIDTH: f64 = 900.0;
/// The height of the curves above the rows.
const CURVES: f64 = 120.0;
/// Rows are at least and at most so high, and all of them together, where there are many.
const ROW: (f64, f64) = (1.0, 18.0);
const ROWS: f64 = 640.0;
const LINE: f64 = 16.0;
/// Characters of the name of a process.
const NAME: usize = 32;
const READ: &str = "#1b7837";
const WRITTEN: &str = "#762a83";
const NOTHING: &str = "#f4f4f4";
/// Marks of time.
const MARKS: usize = 6;
/// The legend at the right.
const LEGEND: f64 = 14.0;

/// Writes the picture as PNG.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_png(out: &mut dyn Write, report: &IoReport<'_>, heat: HeatOf) -> io::Result<()> {
    let mut picture = Vec::new();
    write_svg(&mut picture, report, heat)?;
    raster::write_png(out, &String::from_utf8_lossy(&picture))
}

/// Writes the picture as SVG.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_svg(out: &mut dyn Write, report: &IoReport<'_>, heat: HeatOf) -> io::Result<()> {
    let sheet = Sheet::new(report, heat);
    let below = (sheet.bottom + 2.0 * LINE).max(sheet.top + sheet.legend_height());
    write_sheet(out, sheet.width, below + MARGIN)?;
    sheet.heading(out)?;
    sheet.curves(out)?;
    sheet.rows(out)?;
    sheet.marks(out)?;
    sheet.legend(out)?;
    writeln!(out, "</svg>")
}

struct Sheet<'r> {
    report: &'r IoReport<'r>,
    heat: HeatOf,
    /// Rows in which anything happens, or may, with the name of each. A row in which nothing happens has no bins.
    rows: Vec<(String, &'r [Bin])>,
    bins: usize,
    row: f64,
    left: f64,
    /// Bounds of curves and rows.
    above: f64,
    top: f64,
    bottom: f64,
    width: f64,
}

impl<'r> Sheet<'r> {
    fn new(report: &'r IoReport<'r>, heat: HeatOf) -> Self {
        let bins = report.outcome.bins.begins.len() - 1;
        let (count, shared) = report.outcome.bins.rows;
        let found = &report.outcome.found.bins;
        let of_row = |number: u32| {
            let (first, last) = report.processes_of_row(number, shared);
            let name = if first == last { first } else { format!("{first} … {last}") };
            (name, found.get(&number).map_or(&[][..], Vec::as_slice))
        };
        // Accesses of no process have a row of their own, which is empty as a rule.
        let is_used = |row: &[Bin]| row.iter().any(|bin| *bin != Bin::default());
        let processes = report.definitions.location_groups.len().div_ceil(shared.max(1) as usize);
        let all = (0..if found.is_empty() { 0 } else { count }).map(of_row).enumerate();
        let rows = all.filter(|(at, (_, row))| *at < processes || is_used(row));
        let rows: Vec<(String, &[Bin])> = rows.map(|(_, row)| row).collect();
        let row = (ROWS / rows.len().max(1) as f64).clamp(ROW.0, ROW.1);
        let longest = rows.iter().map(|(name, _)| name.chars().count().min(NAME)).max();
        let left = 2.0 * MARGIN + longest.unwrap_or(0).max(10) as f64 * CHARACTER;
        let above = MARGIN + 3.0 * LINE;
        let top = above + CURVES + 2.0 * LINE;
        let bottom = top + row * rows.len() as f64;
        let width = left + WIDTH + 8.0 * MARGIN + LEGEND;
        Sheet { report, heat, rows, bins, row, left, above, top, bottom, width }
    }

    fn text(&self, out: &mut dyn Write, at: (f64, f64), more: &str, text: &str) -> io::Result<()> {
        let (x, y) = at;
        writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\"{more}>{}</text>", escaped(text))
    }

    fn heading(&self, out: &mut dyn Write) -> io::Result<()> {
        let total = self.report.total();
        let resolution = self.report.provenance.timer_resolution;
        let heading = format!(
            "{}: {}, {} in I/O",
            self.report.provenance.input,
            super::text::moved(&total.moved),
            human::time(self.report.outcome.whole.io.into(), resolution),
        );
        self.text(out, (MARGIN, MARGIN + 12.0), " font-weight=\"bold\"", &heading)
    }

    /// Bytes a second over time, reads and writes.
    fn curves(&self, out: &mut dyn Write) -> io::Result<()> {
        let bins = match self.rows.is_empty() {
            true => Vec::new(),
            false => self.report.bins(),
        };
        let begins = &self.report.outcome.bins.begins;
        let resolution = self.report.provenance.timer_resolution as f64;
        let seconds = |bin: usize| ((begins[bin + 1] - begins[bin]).max(1)) as f64 / resolution;
        let rates = |of: fn(&Bin) -> u64| -> Vec<f64> {
            let rate = |(bin, of_bin): (usize, &Bin)| of(of_bin) as f64 / seconds(bin);
            bins.iter().enumerate().map(rate).collect()
        };
        let of_kind = [(rates(|bin| bin.read), READ), (rates(|bin| bin.written), WRITTEN)];
        let most = of_kind.iter().flat_map(|(rates, _)| rates).copied().fold(0.0, f64::max);
        let base = self.above + CURVES;
        writeln!(
            out,
            "<path stroke=\"#d0d0d0\" d=\"M{:.1} {base:.1}h{WIDTH}M{:.1} {:.1}h{WIDTH}\"/>",
            self.left, self.left, self.above
        )?;
        let end = " text-anchor=\"end\"";
        let axis = self.left - 8.0;
        self.text(
            out,
            (axis, self.above + 5.0),
            end,
            &format!("{}/s", human::bytes(most as u128)),
        )?;
        self.text(out, (axis, base + 5.0), end, "0")?;
        let legend = self.above - 8.0;
        for ((name, colour), x) in
            [("read", READ), ("written", WRITTEN)].into_iter().zip([0.0, 90.0])
        {
            let x = self.left + x;
            writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\" fill=\"{colour}\"/>",
                legend - 9.0
            )?;
            self.text(out, (x + 16.0, legend), "", name)?;
        }
        if most == 0.0 {
            return Ok(());
        }
        let bin = WIDTH / self.bins as f64;
        for (rates, colour) in of_kind {
            if rates.iter().all(|rate| *rate == 0.0) {
                continue;
            }
            write!(
                out,
                "<path fill=\"{colour}\" fill-opacity=\"0.25\" stroke=\"{colour}\" d=\"M{:.1} {base:.1}",
                self.left
            )?;
            for rate in rates {
                write!(out, "V{:.1}h{bin:.2}", base - rate / most * CURVES)?;
            }
            writeln!(out, "V{base:.1}\"/>")?;
        }
        Ok(())
    }

    fn scale(&self) -> Option<Scale> {
        let values =
            || self.rows.iter().flat_map(|(_, row)| row.iter().map(|bin| self.heat.of(bin)));
        let values = || values().filter(|value| *value > 0.0);
        Some(Scale::new((values().reduce(f64::min)?, values().reduce(f64::max)?)))
    }

    fn value(&self, value: f64) -> String {
        match self.heat {
            HeatOf::Bytes => human::bytes(value as u128),
            HeatOf::Transfers | HeatOf::Metadata => human::count(value as u64),
            HeatOf::Time => human::time(value as u128, self.report.provenance.timer_resolution),
        }
    }

    fn rows(&self, out: &mut dyn Write) -> io::Result<()> {
        let title = format!("{}, by process", self.heat.title());
        self.text(out, (self.left, self.top - 8.0), " font-weight=\"bold\"", &title)?;
        writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{WIDTH}\" height=\"{:.1}\" fill=\"{NOTHING}\"/>",
            self.left,
            self.top,
            self.bottom - self.top
        )?;
        let scale = self.scale();
        let bin = WIDTH / self.bins as f64;
        // Names have room for one in so many rows.
        let every = (LINE / self.row).ceil() as usize;
        writeln!(out, "<g shape-rendering=\"crispEdges\">")?;
        for (number, (name, row)) in self.rows.iter().enumerate() {
            let y = self.top + number as f64 * self.row;
            let mut at = 0;
            while at < row.len() {
                let value = self.heat.of(&row[at]);
                let same = row[at..].iter().take_while(|bin| self.heat.of(bin) == value).count();
                if let Some(scale) = scale.filter(|_| value > 0.0) {
                    let x = self.left + at as f64 * bin;
                    writeln!(
                        out,
                        "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" \
                         fill=\"{}\"><title>{}: {}</title></rect>",
                        bin * same as f64,
                        self.row,
                        hex(colour(scale.part(value))),
                        escaped(name),
                        self.value(value),
                    )?;
                }
                at += same;
            }
        }
        writeln!(out, "</g>")?;
        for (number, (name, _)) in self.rows.iter().enumerate().step_by(every) {
            let y = self.top + number as f64 * self.row + self.row.max(LINE / 2.0) / 2.0 + 4.0;
            let name = human::visible(name);
            let name: String = match name.chars().count() > NAME {
                true => name.chars().take(NAME - 1).chain(['…']).collect(),
                false => name.into_owned(),
            };
            self.text(out, (self.left - 8.0, y), " text-anchor=\"end\"", &name)?;
        }
        Ok(())
    }

    fn marks(&self, out: &mut dyn Write) -> io::Result<()> {
        let begins = &self.report.outcome.bins.begins;
        let length = begins[begins.len() - 1] - begins[0];
        let resolution = self.report.provenance.timer_resolution;
        for mark in 0..MARKS {
            let part = mark as f64 / (MARKS - 1) as f64;
            let x = self.left + part * WIDTH;
            let time = human::time((length as f64 * part).round() as u128, resolution);
            writeln!(out, "<path stroke=\"#333333\" d=\"M{x:.1} {:.1}v5\"/>", self.bottom)?;
            let anchor = if mark + 1 == MARKS { "end" } else { "middle" };
            let anchor = format!(" text-anchor=\"{anchor}\"");
            self.text(out, (x, self.bottom + 18.0), &anchor, &time)?;
        }
        Ok(())
    }

    fn legend_height(&self) -> f64 {
        (self.bottom - self.top).max(6.0 * LINE)
    }

    /// Draws the legend of colours.
    fn legend(&self, out: &mut dyn Write) -> io::Result<()> {
        const STEPS: usize = 32;
        let Some(scale) = self.scale() else { return Ok(()) };
        let x = self.left + WIDTH + 2.0 * MARGIN;
        let height = self.legend_height();
        writeln!(out, "<g shape-rendering=\"crispEdges\">")?;
        for step in 0..STEPS {
            let part = 1.0 - step as f64 / (STEPS - 1) as f64;
            writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{:.2}\" width=\"{LEGEND}\" height=\"{:.2}\" fill=\"{}\"/>",
                self.top + step as f64 * height / STEPS as f64,
                height / STEPS as f64 + 0.5,
                hex(colour(part)),
            )?;
        }
        writeln!(out, "</g>")?;
        let base = if self.heat == HeatOf::Bytes { 1024.0 } else { 10.0 };
        let mut free = f64::INFINITY;
        for mark in scale.marks(base) {
            let y = self.top + (1.0 - scale.part(mark)) * height;
            let y = y.clamp(self.top + 8.0, self.top + height) + 2.0;
            // Marks that are close to each other would cover each other.
            if free - y >= LINE {
                self.text(out, (x + LEGEND + 6.0, y), "", &self.value(mark))?;
                free = y;
            }
        }
        Ok(())
    }
}
