//! The table of a comparison.

use std::collections::BTreeMap;
use std::iter::successors;

use serde_json::json;

use super::text::{is_wanted, title};
use super::{DiffReport, SCHEMA};
use crate::tables::{columns, Cell, Table, TableReport};
use streamfold_analyses::compare::{Change, CompareBy, Run};

impl DiffReport<'_> {
    /// The table, with what outputs for scripts say of it.
    pub fn table_report(&self) -> TableReport<'_> {
        let change = |change: &Change| {
            json!({
                "before_seconds": seconds(change.before.time),
                "after_seconds": seconds(change.after.time),
                "change_percent": crate::tables::change(change.by(), change.before.time),
                "verdict": change.verdict.name(),
            })
        };
        let run = |run: &Run| {
            json!({
                "name": run.name,
                "total_seconds": seconds(run.total),
                "elapsed_seconds": run.elapsed.map(seconds),
                "locations": run.locations,
                "losses": run.losses,
            })
        };
        let runs = self.runs.map(|runs| runs.iter().map(run).collect::<Vec<_>>());
        let [before, after] = &runs;
        let comparison = self.comparison;
        let more = vec![
            ("answer", json!(self.answer().join(" "))),
            ("same", json!(comparison.is_same())),
            ("failures", json!(self.failures())),
            ("total", change(&comparison.total)),
            ("elapsed", json!(comparison.elapsed.as_ref().map(change))),
            ("before", json!(before)),
            ("after", json!(after)),
        ];
        let tables = vec![self.table()];
        let (provenance, definitions) = (&self.provenance, &self.definitions);
        TableReport { schema: SCHEMA, provenance, definitions, more, tables }
    }

    /// Classes and waits for people, and how many rows are left out: the `top` that changed the most, with what they are
    /// parts of, in the order of the tree. `indent` stands before a name for each row that it is a part of. `None`:
    /// other rows are compared.
    pub fn tree(&self, top: usize, indent: &str) -> Option<(Table<'_>, usize)> {
        if self.by != CompareBy::Waits {
            return None;
        }
        let (table, rows) = (self.table(), &self.comparison.rows);
        let cells: Vec<_> = table.rows().collect();
        let wanted = (0..rows.len()).filter(|at| is_wanted(self, &cells[*at]));
        let mut wanted: Vec<usize> = wanted.collect();
        let more = wanted.len().saturating_sub(top);
        wanted.truncate(top);
        let places: BTreeMap<u32, usize> =
            rows.iter().enumerate().map(|(at, row)| (row.number, at)).collect();
        let above = |at: usize| rows[at].parent.and_then(|parent| places.get(&parent).copied());
        // A path of numbers from the top stands for the place in the tree.
        let path = |at: usize| {
            let mut path: Vec<u32> =
                successors(Some(at), |at| above(*at)).map(|at| rows[at].number).collect();
            path.reverse();
            path
        };
        let shown = wanted.into_iter().flat_map(|at| successors(Some(at), |at| above(*at)));
        let shown: BTreeMap<Vec<u32>, usize> = shown.map(|at| (path(at), at)).collect();
        let row = |(path, at): (Vec<u32>, usize)| {
            let name = format!("{}{}", indent.repeat(path.len() - 1), rows[at].subject.name);
            let mut cells = cells[at].clone();
            // A heading has no time of its own.
            let change = &rows[at].change;
            if change.before.time == 0 && change.after.time == 0 {
                cells.iter_mut().for_each(|cell| *cell = Cell::Empty);
            }
            if let Some(last) = cells.last_mut() {
                *last = name.into();
            }
            cells
        };
        let rows = shown.into_iter().map(row).collect();
        Some((Table::of_rows(table.name, table.title.clone(), table.columns.clone(), rows), more))
    }

    /// All rows.
    pub fn table(&self) -> Table<'_> {
        let noun = self.noun();
        // Of single runs the spread is nothing.
        let [from, to] = if self.comparison.repeated { ["from", "to"] } else { [""; 2] };
        let columns = columns(&[
            ("before_seconds", "before"),
            ("before_least_seconds", from),
            ("before_most_seconds", to),
            ("after_seconds", "after"),
            ("after_least_seconds", from),
            ("after_most_seconds", to),
            ("change_seconds", "change"),
            ("change_percent", "%"),
            ("before_visits", "visits before"),
            ("after_visits", "visits after"),
            ("verdict", "verdict"),
            ("failed", ""),
            ("file", ""),
            ("line", ""),
            ("name", noun),
        ]);
        let by = self.by;
        let title = title(by);
        let (failing, _) = self.failing();
        let mut failed = vec![false; self.comparison.rows.len()];
        failing.into_iter().for_each(|number| failed[number] = true);
        let rows = &self.comparison.rows;
        Table::new("rows", title, columns, move || {
            let failed = failed.clone();
            rows.iter().enumerate().map(move |(number, row)| {
                let change = &row.change;
                let time =
                    |time: u128| Cell::Picoseconds(i128::try_from(time).unwrap_or(i128::MAX));
                // Classes of time have no visits.
                let has_visits = change.before.visits > 0 || change.after.visits > 0;
                let visits = |visits: u64| match by == CompareBy::Waits && !has_visits {
                    true => Cell::Empty,
                    false => Cell::Count(visits),
                };
                let known = |line: u32| if line > 0 { Cell::Id(line.into()) } else { Cell::Empty };
                vec![
                    time(change.before.time),
                    time(change.before.least),
                    time(change.before.most),
                    time(change.after.time),
                    time(change.after.least),
                    time(change.after.most),
                    Cell::Picoseconds(change.by()),
                    Cell::Change(change.by(), change.before.time),
                    visits(change.before.visits),
                    visits(change.after.visits),
                    change.verdict.name().into(),
                    Cell::Id(failed[number].into()),
                    row.subject.file.clone().into(),
                    known(row.subject.line),
                    row.label.clone().into(),
                ]
            })
        })
    }
}

fn seconds(picoseconds: u128) -> f64 {
    picoseconds as f64 / crate::tables::PICOSECONDS as f64
}
