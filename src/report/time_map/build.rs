//! Tables of what time is spent on.

use serde_json::json;
use streamfold_kernels::account::{Group, RowOf, TimeCell, TimeCells};

use super::{metric_of, TimeMapReport};
use crate::tables::{columns, Cell, Column, Row, Schema, Table, TableReport};
use streamfold_analyses::account::RowsOverTime;

/// The layout of outputs for scripts.
const SCHEMA: Schema = Schema { command: "timeline", version: "2.0" };

/// The columns of what is known of a part, behind others.
fn with_cell(over: &RowsOverTime, before: &[(&'static str, &'static str)]) -> Vec<Column> {
    let mut all = columns(before);
    let classes: Vec<_> = Group::ALL.iter().map(|class| (class.id(), class.title())).collect();
    all.extend(columns(&classes));
    all.extend(columns(&[("region", ""), ("bytes", "sent")]));
    all.extend(columns(over.has_waits.then_some(&("waits", ""))));
    all.extend(columns(over.metric.as_ref().map(|_| &("metric", ""))));
    all
}

/// The cells of these columns, given how long the part lasts, in seconds.
fn cell_of(over: &RowsOverTime, cell: &TimeCell, seconds: f64) -> impl Iterator<Item = Cell> {
    let ticks = |ticks: u64| Cell::Ticks(ticks.into());
    let classes = cell.groups.map(ticks).into_iter();
    let metric = over
        .metric
        .as_ref()
        .map(|watch| metric_of(watch, cell, seconds).map_or(Cell::Empty, Cell::measured));
    let waits = over.has_waits.then(|| ticks(cell.waited));
    let sums = [ticks(cell.marked), Cell::Bytes(cell.bytes.into())];
    classes.chain(sums).chain(waits).chain(metric)
}

fn number(of: RowOf) -> Cell {
    match of {
        RowOf::Process(group) | RowOf::Accelerator(group) => Cell::id(group),
        RowOf::Location(location) => Cell::id(location),
    }
}

impl<'a> TimeMapReport<'a> {
    /// How long it is from one tick to another, in seconds.
    fn in_seconds(&self) -> impl Fn(u64, u64) -> f64 + Copy + 'static {
        let resolution = self.provenance.timer_resolution.max(1) as f64;
        move |from, to| (to - from).max(1) as f64 / resolution
    }

    /// All tables, with what outputs for scripts say of them. Times are in ticks.
    pub fn tables(&self) -> TableReport<'a>
    where
        Self: 'a,
    {
        let bins = &self.over.bins;
        let units = json!({ "time": "ticks", "ticks_per_second": self.provenance.timer_resolution,
            "bytes": "bytes" });
        let more = vec![
            ("units", units),
            ("value", self.value.id(self.definitions).into()),
            ("rows_are", self.noun().into()),
            ("neighbours_in_a_row", self.over.rows.shared.into()),
            ("account", crate::account::json(self.account, self.provenance.timer_resolution)),
            ("begin", bins.begin().into()),
            ("end", bins.end().into()),
            ("parts", bins.count().into()),
        ];
        TableReport {
            schema: SCHEMA,
            provenance: self.provenance,
            definitions: self.definitions,
            more,
            tables: vec![self.classes(), self.rows(), self.times(), self.all_cells()],
        }
    }

    /// All of the time by class.
    fn classes(&self) -> Table<'a> {
        let names = columns(&[("class", "class"), ("threads", "threads"), ("streams", "streams")]);
        let [threads, streams] = [false, true].map(|accelerator| {
            let (sums, _) = self.sums(accelerator);
            sums.iter().fold(TimeCell::default(), |mut all, sum| {
                all.add(sum);
                all
            })
        });
        let rows = Group::ALL.iter().map(|class| {
            let ticks = |of: &TimeCell| Cell::Ticks(of.of(*class).into());
            vec![class.id().into(), ticks(&threads), ticks(&streams)]
        });
        Table::of_rows("classes", "Time by class", names, rows.collect())
    }

    /// All of the time of each row.
    fn rows(&self) -> Table<'a> {
        let before = [
            ("row", ""),
            ("first", ""),
            ("last", ""),
            ("is_stream", ""),
            ("count", "threads"),
            ("name", "process"),
        ];
        let (bins, seconds) = (&self.over.bins, self.in_seconds());
        let row = |(at, span): (usize, &streamfold_kernels::account::RowSpan)| -> Row {
            let sum = self.cells(at).map(TimeCells::total).unwrap_or_default();
            let mut row = vec![
                Cell::Id(at as u64),
                number(span.first),
                number(span.last),
                Cell::Count(span.accelerator.into()),
                Cell::Count(self.threads(at)),
                self.name(at).into(),
            ];
            row.extend(cell_of(self.over, &sum, seconds(bins.begin(), bins.end())));
            row
        };
        let rows = self.spans().map(row).collect();
        Table::of_rows("rows", "Time by row", with_cell(self.over, &before), rows)
    }

    /// All threads and streams over time.
    fn times(&self) -> Table<'a> {
        let before = [("part", ""), ("begin", ""), ("end", ""), ("is_stream", "")];
        let (bins, seconds) = (self.over.bins, self.in_seconds());
        let mut rows = Vec::new();
        for accelerator in [false, true] {
            let (sums, threads) = self.sums(accelerator);
            for (bin, sum) in (0..).zip(sums).filter(|_| threads > 0) {
                let mut row = vec![
                    Cell::Id(bin.into()),
                    Cell::Ticks(bins.begin_of(bin).into()),
                    Cell::Ticks(bins.begin_of(bin + 1).into()),
                    Cell::Count(accelerator.into()),
                ];
                let length = seconds(bins.begin_of(bin), bins.begin_of(bin + 1));
                row.extend(cell_of(self.over, &sum, length));
                rows.push(row);
            }
        }
        Table::of_rows("times", "Time by part", with_cell(self.over, &before), rows)
    }

    /// Parts of rows in which anything was recorded.
    fn all_cells(&self) -> Table<'a> {
        let before = [("row", ""), ("part", ""), ("begin", "")];
        let (map, over) = (self.map, self.over);
        let (bins, seconds) = (over.bins, self.in_seconds());
        let places: Vec<(u32, u32)> = map
            .rows
            .iter()
            .flat_map(|(row, of)| {
                let used = |(_, cell): &(u32, TimeCell)| *cell != TimeCell::default();
                (0..).zip(of.cells.iter()).filter(used).map(|(bin, _)| (*row, bin))
            })
            .collect();
        let places = std::rc::Rc::new(places);
        Table::new("cells", "Time by row and part", with_cell(self.over, &before), move || {
            let places = std::rc::Rc::clone(&places);
            (0..places.len()).map(move |at| {
                let (row, bin) = places[at];
                let mut cells = vec![
                    Cell::Id(row.into()),
                    Cell::Id(bin.into()),
                    Cell::Ticks(bins.begin_of(bin).into()),
                ];
                let length = seconds(bins.begin_of(bin), bins.begin_of(bin + 1));
                let cell = &map.rows[&row].cells.get(bin as usize).unwrap_or_default();
                cells.extend(cell_of(over, cell, length));
                cells
            })
        })
    }
}
