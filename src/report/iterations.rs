//! Visits of a region by their numbers, and regions that look like the body of a loop.

use std::io::{self, Write};

use serde_json::json;
use streamfold_kernels::account::{Class, Group, RegionClasses};
use streamfold_kernels::iterations::{IterationRow, Iterations, LoopRow, Loops};
use streamfold_model::enums::LocationGroupType;
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;

use super::provenance::Provenance;
use super::tables::text::{self, Look, Shown};
use super::tables::{columns, Cell, Row, Schema, Table, TableReport};
use streamfold_text::{human, names};

/// The layouts of outputs for scripts.
const ITERATIONS: Schema = Schema { command: "iterations", version: "1.0" };

/// The visits of a region.
#[derive(Clone, Copy, Debug)]
pub struct IterationReport<'a> {
    /// Iterations that were found.
    pub found: &'a Iterations,
    /// The region, as it was asked for.
    pub region: &'a str,
    /// Definitions that its references lead to.
    pub definitions: &'a Definitions,
    /// Provenance of the report.
    pub provenance: &'a Provenance,
}

impl<'a> IterationReport<'a> {
    /// All tables.
    pub fn tables(&self) -> TableReport<'a> {
        let units =
            json!({ "time": "ticks", "ticks_per_second": self.provenance.timer_resolution });
        let more = vec![("units", units), ("of", self.region.into())];
        TableReport {
            schema: ITERATIONS,
            provenance: self.provenance,
            definitions: self.definitions,
            more,
            tables: vec![self.iterations()],
        }
    }

    fn iterations(&self) -> Table<'a> {
        let columns = columns(&[
            ("iteration", "iteration"),
            ("threads", "threads"),
            ("least", "least"),
            ("mean", "mean"),
            ("most", "most"),
            ("begin", ""),
            ("end", ""),
            ("least_at", ""),
            ("most_at", ""),
            ("least_name", "least at"),
            ("most_name", "most at"),
        ]);
        let report = *self;
        let title = format!("Visits of {} by number", human::visible(self.region));
        let rows: Vec<(u64, &IterationRow)> = (1..)
            .zip(&self.found.rows)
            .filter_map(|(number, row)| Some((number, row.as_ref()?)))
            .collect();
        let rows = std::rc::Rc::new(rows);
        Table::new("iterations", title, columns, move || {
            let rows = std::rc::Rc::clone(&rows);
            (0..rows.len()).map(move |at| report.row(rows[at]))
        })
    }

    fn row(&self, (number, row): (u64, &IterationRow)) -> Row {
        let mean = row.sum / u128::from(row.threads.max(1));
        let (least, most) = (row.least, row.most);
        vec![
            Cell::Id(number),
            Cell::Count(row.threads),
            Cell::Ticks(least.0.into()),
            Cell::Ticks(mean as i128),
            Cell::Ticks(most.0.into()),
            Cell::Ticks(row.span.0.into()),
            Cell::Ticks(row.span.1.into()),
            Cell::id(least.1),
            Cell::id(most.1),
            self.place(least.1).into(),
            self.place(most.1).into(),
        ]
    }

    fn place(&self, location: LocationRef) -> String {
        names::place(self.definitions, location)
    }

    /// Writes the first rows for people.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write_text(
        &self,
        out: &mut dyn Write,
        tables: &TableReport<'_>,
        top: usize,
        width: Option<usize>,
    ) -> io::Result<()> {
        let resolution = self.provenance.timer_resolution;
        text::begin(out, tables, width)?;
        let look = Look { resolution, top, width, spared: &["least at", "threads"], seldom: &[] };
        let Some(table) = tables.table("iterations").filter(|table| !table.is_empty()) else {
            return writeln!(out, "No visit of {} ends.", human::visible(self.region));
        };
        Shown::first(table, top, |_| true, |_| 0).write(out, table, &look)?;
        if let Some(rest) = &self.found.rest {
            let time = human::time(rest.sum, resolution);
            let visits = human::plural(rest.threads, "visit");
            writeln!(out, "and {visits} with larger numbers, of {time} in all")?;
        }
        Ok(())
    }
}

/// Regions that look like loops.
#[derive(Clone, Copy, Debug)]
pub struct LoopReport<'a> {
    /// Loops that were found.
    pub found: &'a Loops,
    /// Definitions that its references lead to.
    pub definitions: &'a Definitions,
    /// The trace, as it was given.
    pub input: &'a str,
}

/// A candidate has at least so many visits at each thread, and takes such a part of all time.
const VISITS: u64 = 3;
/// The same of a region whose visits the program numbers.
const NUMBERED: u64 = 2;
const SHARE: f64 = 0.05;
/// Number of rows that are shown.
const SHOWN: usize = 10;

impl LoopReport<'_> {
    /// Those that look like the body of a loop: visited by as many threads as there are processes, or more. Regions
    /// whose visits the program numbers come first. Regions of the program come before calls of libraries, those with the same number of visits at all threads before
    /// others, and then the outermost.
    fn candidates(&self, classes: &RegionClasses) -> Vec<(RegionRef, &LoopRow)> {
        let groups = self.definitions.location_groups.values();
        let is_process = |kind: LocationGroupType| kind != LocationGroupType::Accelerator;
        let processes = groups.filter(|group| is_process(group.location_group_type)).count() as u64;
        let needed = processes.min(self.found.threads).max(1);
        let fits = |row: &&LoopRow| {
            let visits = if row.is_numbered() { NUMBERED } else { VISITS };
            row.threads >= needed && row.visits.0 >= visits && self.share(row, classes) >= SHARE
        };
        let all = self.found.regions.iter().filter(|(_, row)| fits(row));
        let mut all: Vec<_> = all.map(|(region, row)| (*region, row)).collect();
        let order = |region: RegionRef, row: &LoopRow| {
            let is_library = classes.group(region) != Group::Computation;
            let uneven = row.visits.0 != row.visits.1;
            let differs = row.variation() > 1.0;
            (
                !row.is_numbered(),
                is_library,
                uneven,
                differs,
                row.depth,
                std::cmp::Reverse(row.ticks),
            )
        };
        all.sort_by_key(|(region, row)| (order(*region, row), *region));
        all
    }

    /// Of the time of the threads that visit it, about: all threads lasted the same in the mean. The begin and
    /// the end of MPI are left out: in short runs they take most of the time.
    fn share(&self, row: &LoopRow, classes: &RegionClasses) -> f64 {
        let is_startup = |region: &RegionRef| classes.of(*region).thread == Class::StartUp;
        let startup = self.found.regions.iter().filter(|(region, _)| is_startup(region));
        let startup: u128 = startup.map(|(_, row)| row.ticks).sum();
        let all = self.found.ticks.saturating_sub(startup) as f64;
        let mean = all / self.found.threads.max(1) as f64;
        (row.ticks as f64 / (mean * row.threads.max(1) as f64).max(1.0)).min(1.0)
    }

    /// Writes them for people, and which one is proposed.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write_text(&self, out: &mut dyn Write, width: Option<usize>) -> io::Result<()> {
        writeln!(out, "{}\n", human::visible(self.input))?;
        let classes = RegionClasses::new(self.definitions, false);
        let all = self.candidates(&classes);
        let Some((first, row)) = all.first() else {
            return writeln!(
                out,
                "No region looks like the body of a loop: none with {VISITS} visits or more on all processes \
                 takes 5 % of the time."
            );
        };
        let name = names::region(self.definitions, *first);
        let resolution = self.definitions.clock.as_ref().map_or(1, |clock| clock.timer_resolution);
        let range = if row.visits.0 < VISITS { "1..2" } else { "2..3" };
        let visits = match row.visits {
            (least, most) if least == most => human::plural(least, "visit"),
            (least, most) => format!("{} to {} visits", human::count(least), human::count(most)),
        };
        let mean = human::seconds(row.mean() / resolution.max(1) as f64);
        let shown = human::visible(&name);
        match classes.group(*first) {
            Group::Computation => {
                writeln!(out, "{shown} looks like the body of the main loop:")?;
            }
            _ => writeln!(
                out,
                "No region of the program itself comes again and again; {shown} does, and can stand for \
                 iterations:"
            )?,
        }
        writeln!(out, "{visits} of each thread, {mean} in the mean.\n")?;
        let columns = columns(&[
            ("region", "region"),
            ("threads", "threads"),
            ("fewest", "visits"),
            ("most", "to"),
            ("share", "% of time"),
            ("least", "least"),
            ("mean", "mean"),
            ("longest", "most"),
            ("depth", "depth"),
            ("name", "name"),
        ]);
        let row = |(region, row): &(RegionRef, &LoopRow)| -> Row {
            let ticks = |ticks: u64| Cell::Ticks(ticks.into());
            vec![
                Cell::id(*region),
                Cell::Count(row.threads),
                Cell::Count(row.visits.0),
                Cell::Count(row.visits.1),
                Cell::Share((self.share(row, &classes) * 1e6) as u128, 1_000_000),
                ticks(row.range.0),
                Cell::Ticks(row.mean().round() as i128),
                ticks(row.range.1),
                Cell::Count(row.depth.into()),
                names::region(self.definitions, *region).into(),
            ]
        };
        let rows = all.iter().map(row).collect();
        let table =
            Table::of_rows("loops", "Regions that are visited again and again", columns, rows);
        let spared = &["region", "least", "to", "depth", "threads"];
        let look = Look { resolution, top: SHOWN, width, spared, seldom: &[] };
        Shown::first(&table, SHOWN, |_| true, |_| 0).write(out, &table, &look)?;
        let name = match name.contains(|letter: char| !letter.is_alphanumeric() && letter != '_') {
            true => format!("'{name}'"),
            false => name,
        };
        writeln!(out, "\nNext:")?;
        let input = human::visible(self.input);
        writeln!(out, "  streamfold profile {input} --by iteration --of {name}")?;
        writeln!(out, "  streamfold profile {input} --iterations {name} {range}")
    }
}
