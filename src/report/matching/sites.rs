//! Messages by the call path that sends them.

use std::cmp::Reverse;
use std::io::{self, Write};

use serde_json::json;
use streamfold_kernels::matching::sites::{CallSite, CallSites};
use streamfold_model::store::Definitions;

use super::build::{length_class, matched, with_matched};
use crate::provenance::Provenance;
use crate::tables::text::{self, Look, Shown};
use crate::tables::{columns, Cell, Row, Schema, Table, TableReport};
use streamfold_analyses::matching::list::Paths;
use streamfold_analyses::steps;

/// The layout of JSON and HDF5.
const SCHEMA: Schema = Schema { command: "callsites", version: "1.0" };

/// Messages by the call path that sends them.
#[derive(Clone, Copy, Debug)]
pub struct SiteReport<'a> {
    /// Sums by call path.
    pub sites: &'a CallSites,
    /// The call paths.
    pub paths: &'a Paths,
    /// Definitions that its references lead to.
    pub definitions: &'a Definitions,
    /// Provenance of the report.
    pub provenance: &'a Provenance,
}

impl<'a> SiteReport<'a> {
    /// All tables, those without rows included.
    pub fn tables(&self) -> TableReport<'a> {
        let SiteReport { definitions, provenance, .. } = *self;
        let resolution = provenance.timer_resolution;
        let units = json!({ "time": "ticks", "ticks_per_second": resolution, "bytes": "bytes" });
        let (more, tables) = (vec![("units", units)], vec![self.callpaths(), self.sizes()]);
        TableReport { schema: SCHEMA, provenance, definitions, more, tables }
    }

    /// Call paths in their order: the most bytes come first, then the most messages.
    fn sorted(&self) -> Vec<(Option<u32>, u64, &'a CallSite)> {
        let row = |path: u64| self.paths.numbers.row(path);
        let mut all: Vec<_> =
            self.sites.of.iter().map(|(path, of)| (row(*path), *path, of)).collect();
        let order = |of: &CallSite| Reverse((of.matched.bytes, of.matched.messages));
        all.sort_by_key(|(row, path, of)| (order(of), row.is_none(), *row, *path));
        all
    }

    fn callpaths(&self) -> Table<'a> {
        let before = [("path", "")];
        let after = [
            ("smallest_bytes", "smallest"),
            ("mean_bytes", "mean"),
            ("largest_bytes", "largest"),
            ("senders", "senders"),
            ("pairs", ""),
            ("most_partners", "partners"),
            ("source", "at"),
            ("call_path", "call path"),
        ];
        let rows = self.sorted().into_iter().map(|(row, path, of)| {
            let sum = &of.matched;
            let mean = sum.bytes / u128::from(sum.messages.max(1));
            let length = |bytes: u64| Cell::Length(bytes.into());
            let mut cells = vec![path_id(row)];
            cells.extend(matched(sum));
            cells.extend([length(of.range.0), Cell::Length(mean), length(of.range.1)]);
            cells.extend([of.senders, of.pairs, of.most_partners].map(Cell::Count));
            cells.extend([self.source(row), self.path(row, path)]);
            cells
        });
        let (columns, rows) = (with_matched(&before, &after), rows.collect());
        Table::of_rows("callpaths", "Messages by call path of the send", columns, rows)
    }

    fn sizes(&self) -> Table<'a> {
        let columns = columns(&[
            ("path", ""),
            ("from_bytes", "from"),
            ("to_bytes", ""),
            ("below_bytes", "below"),
            ("messages", "messages"),
            ("bytes", "bytes"),
            ("call_path", "call path"),
        ]);
        let rows = self.sorted().into_iter().flat_map(|(row, path, of)| {
            of.by_size.iter().map(move |(bits, amount)| -> Row {
                let mut cells = vec![path_id(row)];
                cells.extend(length_class(*bits));
                cells.extend([Cell::Count(amount.count), Cell::Bytes(amount.bytes)]);
                cells.push(self.path(row, path));
                cells
            })
        });
        let rows = rows.collect();
        Table::of_rows("callpath_sizes", "Messages by call path and size", columns, rows)
    }

    fn path(&self, row: Option<u32>, path: u64) -> Cell {
        match row {
            Some(row) => {
                let paths = &self.paths.profile.paths;
                steps::callpath(self.definitions, paths, row as usize).into()
            }
            None if path == 0 => "(outside)".into(),
            None => "(several call paths)".into(),
        }
    }

    fn source(&self, row: Option<u32>) -> Cell {
        let paths = &self.paths.profile.paths;
        row.and_then(|row| steps::source(self.definitions, paths, row as usize)).into()
    }

    /// Writes the first rows of both tables for people.
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
        let spared = &["late", "latest", "unequal", "transfer time", "at", "senders", "smallest"];
        let seldom = &["late", "latest", "unequal"];
        let look = Look { resolution, top, width, spared, seldom };
        text::begin(out, tables, width)?;
        let filled = tables.tables.iter().filter(|table| !table.is_empty());
        for (at, table) in filled.enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            Shown::first(table, top, |_| true, |_| 0).write(out, table, &look)?;
        }
        if self.sites.of.is_empty() {
            writeln!(out, "No messages.")?;
        }
        Ok(())
    }
}

fn path_id(row: Option<u32>) -> Cell {
    row.map_or(Cell::Empty, |row| Cell::Id(row.into()))
}
