//! Tables of what time is spent on.

use serde_json::json;
use streamfold_kernels::time_map::{RowOf, TimeCell, WorkClass};

use super::TimeMapReport;
use crate::report::tables::{columns, Cell, Column, Row, Schema, Table, TableReport};

/// The layout of outputs for scripts.
const SCHEMA: Schema = Schema { command: "timeline", version: "1.0" };

/// The columns of what is known of a part, behind others.
fn with_cell(before: &[(&'static str, &'static str)]) -> Vec<Column> {
    let mut all = columns(before);
    let classes = WorkClass::ALL.map(|class| (class.id(), class.title()));
    all.extend(columns(&classes));
    all.extend(columns(&[("region", ""), ("bytes", "sent")]));
    all
}

fn cell_of(cell: &TimeCell) -> impl Iterator<Item = Cell> {
    let ticks = |ticks: u64| Cell::Ticks(ticks.into());
    let classes = cell.classes.map(ticks).into_iter();
    classes.chain([ticks(cell.marked), Cell::Bytes(cell.bytes.into())])
}

fn number(of: RowOf) -> Cell {
    match of {
        RowOf::Process(group) | RowOf::Accelerator(group) => Cell::id(group),
        RowOf::Location(location) => Cell::id(location),
    }
}

impl<'a> TimeMapReport<'a> {
    /// All tables, with what outputs for scripts say of them. Times are in ticks.
    pub fn tables(&self) -> TableReport<'a>
    where
        Self: 'a,
    {
        let bins = &self.outcome.bins;
        let units = json!({ "time": "ticks", "ticks_per_second": self.provenance.timer_resolution,
            "bytes": "bytes" });
        let more = vec![
            ("units", units),
            ("value", self.value.id().into()),
            ("rows_are", self.noun().into()),
            ("neighbours_in_a_row", self.outcome.rows.shared.into()),
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
        let rows = WorkClass::ALL.into_iter().map(|class| {
            let ticks = |of: &TimeCell| Cell::Ticks(of.classes[class as usize].into());
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
            ("accelerator", ""),
            ("threads", "threads"),
            ("name", "process"),
        ];
        let row = |(at, span): (usize, &streamfold_kernels::time_map::RowSpan)| -> Row {
            let cells = self.cells(at).unwrap_or_default();
            let sum = cells.iter().fold(TimeCell::default(), |mut sum, cell| {
                sum.add(cell);
                sum
            });
            let mut row = vec![
                Cell::Id(at as u64),
                number(span.first),
                number(span.last),
                Cell::Count(span.accelerator.into()),
                Cell::Count(self.threads(at)),
                self.name(at).into(),
            ];
            row.extend(cell_of(&sum));
            row
        };
        let rows = self.spans().map(row).collect();
        Table::of_rows("rows", "Time by row", with_cell(&before), rows)
    }

    /// All threads and streams over time.
    fn times(&self) -> Table<'a> {
        let before = [("part", ""), ("begin", ""), ("end", ""), ("accelerator", "")];
        let bins = self.outcome.bins;
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
                row.extend(cell_of(&sum));
                rows.push(row);
            }
        }
        Table::of_rows("times", "Time by part", with_cell(&before), rows)
    }

    /// Parts of rows in which anything was recorded.
    fn all_cells(&self) -> Table<'a> {
        let before = [("row", ""), ("part", ""), ("begin", "")];
        let (outcome, bins) = (self.outcome, self.outcome.bins);
        let places: Vec<(u32, u32)> = outcome
            .map
            .rows
            .iter()
            .flat_map(|(row, of)| {
                let used = |(_, cell): &(u32, &TimeCell)| **cell != TimeCell::default();
                (0..).zip(&of.cells).filter(used).map(|(bin, _)| (*row, bin))
            })
            .collect();
        let places = std::rc::Rc::new(places);
        Table::new("cells", "Time by row and part", with_cell(&before), move || {
            let places = std::rc::Rc::clone(&places);
            (0..places.len()).map(move |at| {
                let (row, bin) = places[at];
                let mut cells = vec![
                    Cell::Id(row.into()),
                    Cell::Id(bin.into()),
                    Cell::Ticks(bins.begin_of(bin).into()),
                ];
                cells.extend(cell_of(&outcome.map.rows[&row].cells[bin as usize]));
                cells
            })
        })
    }
}
