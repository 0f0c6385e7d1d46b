//! The longest visits of a region, one by one.

use std::io::{self, Write};

use serde_json::json;
use streamfold_kernels::longest::{LongVisit, Longest};
use streamfold_kernels::matching::Amount;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use super::provenance::Provenance;
use super::tables::text::{self, Look, Shown};
use super::tables::{columns, Cell, Row, Schema, Table, TableReport};
use streamfold_text::{human, names};

/// The layout of outputs for scripts.
const SCHEMA: Schema = Schema { command: "calls", version: "1.0" };

/// The longest visits of a region.
#[derive(Clone, Copy, Debug)]
pub struct LongestReport<'a> {
    /// Visits that were found.
    pub found: &'a Longest,
    /// The region, as it was asked for.
    pub region: &'a str,
    /// Definitions that its references lead to.
    pub definitions: &'a Definitions,
    /// Provenance of the report.
    pub provenance: &'a Provenance,
}

impl<'a> LongestReport<'a> {
    /// All tables.
    pub fn tables(&self) -> TableReport<'a> {
        let units =
            json!({ "time": "ticks", "ticks_per_second": self.provenance.timer_resolution });
        let more = vec![
            ("units", units),
            ("of", self.region.into()),
            ("visits", self.found.count.into()),
            ("ticks", json!(Cell::from(self.found.ticks))),
            ("open", self.found.open.into()),
        ];
        TableReport {
            schema: SCHEMA,
            provenance: self.provenance,
            definitions: self.definitions,
            more,
            tables: vec![self.calls()],
        }
    }

    fn calls(&self) -> Table<'a> {
        let columns = columns(&[
            ("ticks", "time"),
            ("share_percent", "%"),
            ("begin", ""),
            ("end", ""),
            ("since_begin", "entered at"),
            ("location", ""),
            ("event", "event"),
            ("region", ""),
            ("operations", "operations"),
            ("bytes", "bytes"),
            ("sent_bytes", ""),
            ("received_bytes", ""),
            ("collective_bytes", ""),
            ("accessed_bytes", ""),
            ("file_bytes", ""),
            ("location_name", "location"),
            ("region_name", ""),
            ("source", "at"),
            ("call_path", "call path"),
        ]);
        let title = format!("The longest visits of {}", human::visible(self.region));
        let rows = self.found.visits.iter().map(|visit| self.row(visit)).collect();
        Table::of_rows("calls", title, columns, rows)
    }

    fn row(&self, visit: &LongVisit) -> Row {
        let region = visit.path.last().copied().unwrap_or(RegionRef::UNDEFINED);
        let begin = self.definitions.clock.as_ref().map_or(0, |clock| clock.global_offset);
        let bytes = |of: Amount| match of.count {
            0 => Cell::Empty,
            _ => Cell::Bytes(of.bytes),
        };
        let (all, each) = (visit.moved.all(), visit.moved.each());
        let mut row = vec![
            Cell::Ticks(visit.ticks.into()),
            Cell::Share(visit.ticks.into(), self.found.ticks),
            Cell::Ticks(visit.begin.into()),
            Cell::Ticks(visit.end.into()),
            Cell::Ticks(i128::from(visit.begin) - i128::from(begin)),
            Cell::Id(visit.location.0),
            // Events are numbered from 1 on.
            if visit.number == 0 { Cell::Empty } else { Cell::Id(visit.number) },
            Cell::id(region),
            Cell::Count(all.count),
            bytes(all),
        ];
        row.extend(each.map(bytes));
        row.extend([
            names::place(self.definitions, visit.location).into(),
            names::region(self.definitions, region).into(),
            self.source(visit).into(),
            self.path(visit).into(),
        ]);
        row
    }

    /// The file and the line of the innermost region of its call path of which the trace has both.
    fn source(&self, visit: &LongVisit) -> Option<String> {
        let mut up = visit.path.iter().rev();
        up.find_map(|region| names::source(self.definitions, *region))
    }

    fn path(&self, visit: &LongVisit) -> String {
        let regions = visit.path.iter().map(|region| names::region(self.definitions, *region));
        let outside = visit.is_deeper.then(|| "…".to_owned());
        outside.into_iter().chain(regions).collect::<Vec<_>>().join(" > ")
    }

    /// Writes all of it for people.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write_text(
        &self,
        out: &mut dyn Write,
        tables: &TableReport<'_>,
        width: Option<usize>,
    ) -> io::Result<()> {
        let resolution = self.provenance.timer_resolution;
        text::begin(out, tables, width)?;
        let Longest { visits, count, ticks, open } = self.found;
        let name = human::visible(self.region);
        match count {
            0 => writeln!(out, "No visit of {name} ends.")?,
            _ => {
                let time = human::time(*ticks, resolution);
                let each = human::time(ticks / u128::from(*count), resolution);
                let visits = human::plural(*count, "visit");
                writeln!(out, "{visits} of {name}: {time}, {each} in the mean")?;
            }
        }
        if *open > 0 {
            writeln!(out, "{} of it never end: they have no time", human::plural(*open, "visit"))?;
        }
        let Some(table) = tables.table("calls").filter(|table| !table.is_empty()) else {
            return Ok(());
        };
        writeln!(out)?;
        let spared = &["operations", "event", "at", "%", "entered at"];
        let (top, seldom) = (visits.len(), &["operations", "bytes", "event"]);
        let look = Look { resolution, top, width, spared, seldom };
        Shown::first(table, top, |_| true, |_| 0).write(out, table, &look)
    }
}
