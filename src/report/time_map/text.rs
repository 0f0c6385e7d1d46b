//! The same for people at a terminal: shades and bars.

use std::io::{self, Write};
use std::ops::Range;

use streamfold_kernels::account::{Group, Role, TimeCell};

use super::{most, total, HeatValue, TimeMapReport};
use crate::{heading, say};
use streamfold_text::human;

/// Rows at most: more are shown together.
const ROWS: usize = 32;
/// Characters of names at most, and of the time where the width of the terminal is not known.
const NAME: usize = 28;
const COLUMNS: usize = 80;
/// From little to much; nothing recorded is a blank.
const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];
/// The upper bounds of shades, as parts of the whole scale.
const BOUNDS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 1.0];
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Writes the map in lines of so many characters.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &TimeMapReport<'_>,
    width: Option<usize>,
) -> io::Result<()> {
    let locations = human::plural(report.definitions.locations.len() as u64, "location");
    let groups = human::plural(report.definitions.location_groups.len() as u64, "group");
    heading::write(out, report.provenance, &format!("{locations} in {groups}"), width)?;
    say::plain(out, &report.extent(), width)?;
    if report.map.rows.is_empty() {
        return say::plain(out, "No visit of a region is recorded.", width);
    }
    let blocks = Blocks::new(report, width);
    writeln!(out)?;
    blocks.classes(out)?;
    writeln!(out)?;
    blocks.map(out)
}

/// Rows and parts of the time that are shown together.
struct Blocks<'r> {
    report: &'r TimeMapReport<'r>,
    names: usize,
    rows: Vec<Range<usize>>,
    columns: Vec<Range<u32>>,
    width: Option<usize>,
}

impl<'r> Blocks<'r> {
    fn new(report: &'r TimeMapReport<'r>, width: Option<usize>) -> Self {
        let count = report.over.rows.spans.len();
        let together = count.div_ceil(ROWS).next_power_of_two();
        let rows: Vec<Range<usize>> = parts(count, together).collect();
        let name = |rows: &Range<usize>| name(report, rows).chars().count().min(NAME);
        let classes = Group::ALL.iter().map(|class| class.title().len()).max().unwrap_or(0);
        let names = rows.iter().map(name).max().unwrap_or(0).max(classes);
        // Two blanks, two bars, and the value of the row.
        let room = width.map_or(COLUMNS, |width| width.saturating_sub(names + 14)).max(10);
        let columns = cut(report.bins() as usize, room);
        let columns = columns.map(|range| range.start as u32..range.end as u32).collect();
        Blocks { report, names, rows, columns, width }
    }

    /// How all threads and streams spend their time.
    fn classes(&self, out: &mut dyn Write) -> io::Result<()> {
        for accelerator in [false, true] {
            let (sums, threads) = self.report.sums(accelerator);
            if threads == 0 {
                continue;
            }
            let bins = &self.report.over.bins;
            let role = if accelerator { Role::Stream } else { Role::Thread };
            let (account, resolution) =
                (self.report.account, self.report.provenance.timer_resolution);
            let sum = account.sum(role, 0);
            let whole_of = crate::account::whole(account, role, resolution);
            say::plain(out, &format!("Over time: {whole_of}"), self.width)?;
            for class in Group::ALL.iter().copied() {
                let ticks = |cells: &[TimeCell]| -> u128 {
                    cells.iter().map(|cell| u128::from(cell.of(class))).sum()
                };
                let all = ticks(&sums);
                if all == 0 {
                    continue;
                }
                let bar: String = self
                    .columns
                    .iter()
                    .map(|range| {
                        let part = ticks(&sums[range.start as usize..range.end as usize]);
                        let length = bins.begin_of(range.end) - bins.begin_of(range.start);
                        let whole = u128::from(length) * u128::from(threads);
                        let eighths = (part * 8).div_ceil(whole.max(1)).min(8);
                        BARS[eighths as usize]
                    })
                    .collect();
                let (all, whole) = (sum.of_group(class), sum.total());
                let (name, width) = (class.title(), self.names);
                writeln!(out, "  {name:<width$} |{bar}| {:>5} %", human::percent(all, whole))?;
            }
        }
        Ok(())
    }

    fn map(&self, out: &mut dyn Write) -> io::Result<()> {
        let report = self.report;
        let shared = self.rows.first().map_or(1, ExactSizeIterator::len) as u32;
        let shared = match shared * report.over.rows.shared {
            1 => String::new(),
            shared => format!(", {shared} neighbours in each row"),
        };
        let title = format!("{}, by {}{shared}", report.title(), report.noun());
        say::plain(out, &title, self.width)?;
        let values: Vec<Vec<Option<f64>>> = self
            .rows
            .iter()
            .map(|rows| self.columns.iter().map(|bins| number(report, rows, bins)).collect())
            .collect();
        let top = values.iter().flatten().flatten().copied().fold(0.0, f64::max);
        let top = match report.value.is_quantity() {
            true => top,
            false => [0.05, 0.1, 0.2, 0.5].into_iter().find(|round| top <= *round).unwrap_or(1.0),
        };
        for (rows, values) in self.rows.iter().zip(&values) {
            let line: String = match report.value {
                HeatValue::Classes => {
                    self.columns.iter().map(|b| letter(report, rows, b)).collect()
                }
                _ => values
                    .iter()
                    .map(|value| value.map_or(' ', |value| shade(value, top)))
                    .collect(),
            };
            let all = number(report, rows, &(0..report.bins()));
            let all = all.map_or(String::new(), |all| report.shown(all));
            let name = name(report, rows);
            let name = human::visible(&name);
            let name: String = match name.chars().count() > NAME {
                true => name.chars().take(NAME - 1).chain(['…']).collect(),
                false => name.into_owned(),
            };
            let width = self.names;
            let all = if report.value == HeatValue::Classes { String::new() } else { all };
            writeln!(out, "{}", format!("  {name:<width$} |{line}| {all:>7}").trim_end())?;
        }
        self.times(out)?;
        let legend: Vec<String> = match report.value {
            HeatValue::Classes => {
                let used = |group: &&Group| {
                    let rows = report.map.rows.values();
                    rows.flat_map(|row| row.cells.ticks(**group)).any(|ticks| *ticks > 0)
                };
                let has_letter = |group: &&Group| sign(**group) != ' ';
                let names = Group::ALL.iter().filter(used).filter(has_letter);
                let names = names.map(|group| format!("{} {}", sign(*group), group.title()));
                names.collect::<Vec<_>>()
            }
            _ => {
                let bounds = SHADES.iter().zip(BOUNDS).map(|(shade, part)| {
                    let shown = report.shown(top * part);
                    format!("{shade} to {}", shown.replacen(".0 %", " %", 1))
                });
                bounds.collect()
            }
        };
        // A shade and its bound stay together.
        let mut line = "  blank: nothing recorded".to_owned();
        for (number, part) in legend.iter().enumerate() {
            let joint = if number == 0 { ";" } else { "," };
            line.push_str(joint);
            let long = line.chars().count() + 2 + part.chars().count();
            if self.width.is_some_and(|width| long > width) {
                writeln!(out, "{line}")?;
                line = format!("  {part}");
            } else {
                line.push(' ');
                line.push_str(part);
            }
        }
        writeln!(out, "{line}")
    }

    /// When the time begins, and when it ends.
    fn times(&self, out: &mut dyn Write) -> io::Result<()> {
        let bins = &self.report.over.bins;
        let time = |tick| human::seconds(self.report.seconds(tick));
        let (from, to) = (time(bins.begin()), time(bins.end()));
        let room = self.columns.len().saturating_sub(from.chars().count());
        writeln!(out, "  {:<width$}  {from}{to:>room$}", "", width = self.names)
    }
}

/// Sums in equal ranges, at most `most` of them.
fn cut(count: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    parts(count, count.div_ceil(most.max(1)).max(1))
}

/// Ranges of so many together.
fn parts(count: usize, together: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count).step_by(together).map(move |at| at..(at + together).min(count))
}

fn name(report: &TimeMapReport<'_>, rows: &Range<usize>) -> String {
    let spans = &report.over.rows.spans;
    let (Some(first), Some(last)) = (spans.get(rows.start), spans.get(rows.end - 1)) else {
        return String::new();
    };
    let (first, last) = (report.name_of(first.first), report.name_of(last.last));
    match first == last {
        true => first,
        // The number tells which one it is.
        false => {
            let both = crate::draw::numbered(&[first.clone(), last.clone()]);
            both.map_or(format!("{first} … {last}"), |(what, numbers)| {
                format!("{what} {} … {}", numbers[0], numbers[1])
            })
        }
    }
}

/// The value of some rows and parts together.
fn number(report: &TimeMapReport<'_>, rows: &Range<usize>, bins: &Range<u32>) -> Option<f64> {
    let (mut part, mut whole, mut absent, mut used) = (0_u128, 0_u128, 0_u128, false);
    for row in rows.clone() {
        let Some(cells) = report.cells(row) else { continue };
        for bin in bins.clone() {
            let Some(cell) = &cells.get(bin as usize) else { continue };
            used = true;
            part += u128::from(report.part(cell));
            whole += u128::from(cell.all());
            absent += u128::from(cell.of(Group::Absent));
        }
    }
    let of = &report.over.bins;
    if let HeatValue::Metric(_) = report.value {
        let ticks = of.begin_of(bins.end) - of.begin_of(bins.start);
        let part = |row| {
            let cells = report.cells(row)?;
            Some(bins.clone().filter_map(|bin| cells.get(bin as usize)))
        };
        let cells: Vec<TimeCell> = rows.clone().filter_map(part).flatten().collect();
        return used.then(|| report.metric_of(&total(&cells), ticks)).flatten();
    }
    if report.value == HeatValue::Bytes {
        let ticks = (of.begin_of(bins.end) - of.begin_of(bins.start)).max(1) as f64;
        return used
            .then(|| part as f64 / ticks * report.provenance.timer_resolution.max(1) as f64);
    }
    (whole > absent).then(|| part as f64 / whole as f64)
}

fn shade(value: f64, top: f64) -> char {
    let part = if top > 0.0 { value / top } else { 0.0 };
    // A value on a bound belongs below it, though divisions round.
    let at = BOUNDS.iter().position(|bound| part <= bound + 1e-12);
    SHADES[at.unwrap_or(SHADES.len() - 1)]
}

fn letter(report: &TimeMapReport<'_>, rows: &Range<usize>, bins: &Range<u32>) -> char {
    let mut sum = TimeCell::default();
    for row in rows.clone() {
        let Some(cells) = report.cells(row) else { continue };
        bins.clone().filter_map(|bin| cells.get(bin as usize)).for_each(|cell| sum.add(&cell));
    }
    most(&sum).map_or(' ', sign)
}

/// The letter of a class.
fn sign(group: Group) -> char {
    match group {
        Group::Computation => '.',
        Group::Mpi => 'M',
        Group::Shmem => 'S',
        Group::Threads => 'O',
        Group::Io => 'F',
        Group::System => 'x',
        Group::Accelerator => 'G',
        Group::Kernels => 'k',
        Group::Copies => 'c',
        Group::Memset => 'm',
        Group::Synchronisation => 's',
        Group::Measurement => '#',
        Group::Idle => '-',
        Group::NotRecorded | Group::Absent => ' ',
    }
}
