//! Operations of MPI that do not block: how much of their time computation covers.

use std::cmp::Reverse;
use std::io::{self, Write};

use serde_json::json;
use streamfold_kernels::in_flight::{FlightTicks, Flights, InFlight, PostSite, ThreadFlights};
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::provenance::Provenance;
use super::tables::text::{self, Look, Shown};
use super::tables::{columns, ticks, Cell, Schema, Table, TableReport};
use streamfold_text::{human, names};

/// The layout of outputs for scripts.
const SCHEMA: Schema = Schema { command: "requests", version: "1.0" };

/// Operations of MPI that do not block.
#[derive(Clone, Copy, Debug)]
pub struct RequestReport<'a> {
    /// Operations that were found.
    pub found: &'a InFlight,
    /// Definitions that their references lead to.
    pub definitions: &'a Definitions,
    /// Provenance of the report.
    pub provenance: &'a Provenance,
}

/// The columns of [`times`].
const TIMES: [(&str, &str); 6] = [
    ("in_flight_ticks", "in flight"),
    ("computing_ticks", "computing"),
    ("computing_percent", "%"),
    ("mpi_ticks", "in MPI"),
    ("other_ticks", "other"),
    ("exposed_ticks", "exposed"),
];

fn times(of: &FlightTicks) -> [Cell; 6] {
    let exposed = ticks(of.exposed());
    let share = Cell::Share(of.computing, of.all);
    [ticks(of.all), ticks(of.computing), share, ticks(of.mpi), ticks(of.others()), exposed]
}

impl<'a> RequestReport<'a> {
    /// All tables, those without rows included.
    pub fn tables(&self) -> TableReport<'a> {
        let RequestReport { found, definitions, provenance } = *self;
        let resolution = provenance.timer_resolution;
        let more = vec![
            ("units", json!({ "time": "ticks", "ticks_per_second": resolution })),
            ("open", found.open.into()),
            ("unposted", found.unposted.into()),
            ("cancelled", found.cancelled.into()),
            ("untracked", found.untracked.into()),
        ];
        let tables = vec![self.requests(), self.threads()];
        TableReport { schema: SCHEMA, provenance, definitions, more, tables }
    }

    fn requests(&self) -> Table<'a> {
        let mut columns = columns(&[("operations", "operations")]);
        columns.extend(self::columns(&TIMES));
        columns.extend(self::columns(&[
            ("mean_ticks", "mean"),
            ("operation", "operation"),
            ("source", "at"),
            ("call_path", "call path"),
        ]));
        let mut sites: Vec<(&PostSite, &Flights)> = self.found.sites.iter().collect();
        sites.sort_by_key(|(_, of)| Reverse((of.ticks.exposed(), of.operations)));
        let row = |of: &Flights, names: [Cell; 3]| {
            let mut row = vec![Cell::Count(of.operations)];
            row.extend(times(&of.ticks));
            row.push(ticks(of.ticks.all / u128::from(of.operations.max(1))));
            row.extend(names);
            row
        };
        let rows = sites.into_iter().map(|(site, of)| {
            let source = site.path.iter().rev();
            let source =
                { source }.find_map(|region| names::source(self.definitions, *region)).into();
            row(of, [site.operation.name().into(), source, self.path(site).into()])
        });
        let rest = (self.found.rest.operations > 0).then(|| {
            let names = [Cell::Empty, Cell::Empty, "(all other call paths)".into()];
            row(&self.found.rest, names)
        });
        let rows = rows.chain(rest).collect();
        Table::of_rows("requests", "Operations by call path of their post", columns, rows)
    }

    fn path(&self, site: &PostSite) -> String {
        if site.path.is_empty() {
            return "(outside)".to_owned();
        }
        let regions = site.path.iter().map(|region| names::region(self.definitions, *region));
        let outside = site.is_deeper.then(|| "…".to_owned());
        outside.into_iter().chain(regions).collect::<Vec<_>>().join(" > ")
    }

    fn threads(&self) -> Table<'a> {
        let mut columns = columns(&[("location", "number"), ("operations", "operations")]);
        columns.extend(self::columns(&TIMES));
        columns.extend(self::columns(&[("sum_ticks", ""), ("name", "thread")]));
        let mut threads: Vec<(&LocationRef, &ThreadFlights)> = self.found.threads.iter().collect();
        threads.sort_by_key(|(_, of)| Reverse((of.any.exposed(), of.flights.operations)));
        let rows = threads.into_iter().map(|(location, of)| {
            let mut row = vec![Cell::id(*location), Cell::Count(of.flights.operations)];
            row.extend(times(&of.any));
            row.push(ticks(of.flights.ticks.all));
            row.push(names::place(self.definitions, *location).into());
            row
        });
        let rows = rows.collect();
        Table::of_rows("threads", "Threads with any operation in flight", columns, rows)
    }

    /// Writes all of it for people, `top` rows of each table at most.
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
        let mut any = FlightTicks::default();
        self.found.threads.values().for_each(|of| any.add(&of.any));
        let threads = human::plural(self.found.threads.len() as u64, "thread");
        match self.found.threads.len() {
            0 => writeln!(out, "No operation of MPI that does not block.")?,
            _ => writeln!(
                out,
                "{threads} with operations in flight for {}: computing in {} % of it, exposed {}",
                human::time(any.all, resolution),
                human::percent(any.computing, any.all),
                human::time(any.exposed(), resolution),
            )?,
        }
        let spared = &["number", "other", "mean", "at", "operation", "exposed"];
        let look = Look { resolution, top, width, spared, seldom: &[] };
        for table in tables.tables.iter().filter(|table| !table.is_empty()) {
            writeln!(out)?;
            Shown::first(table, top, |_| true, |_| 0).write(out, table, &look)?;
        }
        let InFlight { open, unposted, cancelled, untracked, .. } = *self.found;
        for (number, text) in [
            (open, "never completed by the thread that posted: not counted"),
            (unposted, "completed by a thread that did not post: not counted"),
            (cancelled, "cancelled: not counted"),
            (untracked, "beyond those that are followed of a thread: not counted"),
        ] {
            if number > 0 {
                writeln!(out, "\n{} {text}", human::plural(number, "operation"))?;
            }
        }
        Ok(())
    }
}
