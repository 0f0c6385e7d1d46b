//! The row of a location over time, while it is read.

use streamfold_model::events::Metric;
use streamfold_model::ids::MetricRef;

use crate::account::cells::{CellOptions, TimeCell, TimeCells};
use crate::account::metric::{LastValues, MetricWatch, Part, Scope};
use crate::account::{Accounts, Class};

/// The cells of a row.
#[derive(Debug)]
pub(super) struct Cells<'w> {
    pub(super) options: &'w CellOptions<'w>,
    /// `None`: the location has no row.
    pub(super) row: Option<u32>,
    pub(super) of: TimeCells,
    pub(super) last_values: LastValues,
}

impl Cells<'_> {
    /// The parts of the row.
    pub(super) fn of_row(&mut self) -> &mut TimeCells {
        self.of.grow(self.options.bins.count() as usize);
        &mut self.of
    }

    pub(super) fn add(&mut self, class: Class, marked: bool, (from, to): (u64, u64)) {
        if self.row.is_none() {
            return;
        }
        let bins = self.options.bins;
        let (from, to) = (from.max(bins.begin()), to.min(bins.end()));
        for (bin, from, to) in (from < to).then(|| bins.parts(from, to)).into_iter().flatten() {
            let ticks = to - from;
            let of_marked = if marked { ticks } else { 0 };
            self.of_row().spend(bin as usize, class.group(), (ticks, of_marked));
        }
    }

    /// The row of the subject of a metric; `None`: it has none.
    pub(super) fn row_of(&self, watch: &MetricWatch, metric: MetricRef) -> Option<u32> {
        let rows = self.options.rows;
        match watch.scope(metric) {
            None => self.row,
            Some(Scope::Group(group)) => rows.of_group(group),
            Some(Scope::Location(location)) => {
                rows.of(location).or_else(|| rows.of_metrics(location))
            }
        }
    }

    /// Adds a part of a metric.
    pub(super) fn measure(
        &mut self,
        found: &mut Accounts,
        row: u32,
        Part { bin, sum, ticks }: Part,
    ) {
        let cells = match self.row == Some(row) {
            true => self.of_row(),
            false => {
                let cells = &mut found.map.rows.entry(row).or_default().cells;
                cells.grow(self.options.bins.count() as usize);
                cells
            }
        };
        let part = TimeCell { metric: sum, measured: ticks, ..TimeCell::default() };
        cells.add_to(bin as usize, &part);
    }

    pub(super) fn metric(&mut self, found: &mut Accounts, time: u64, values: &Metric<'_>) {
        let options = self.options;
        let Some(watch) = &options.metric else { return };
        let Some(row) = self.row_of(watch, values.metric) else { return };
        let mut last = std::mem::take(&mut self.last_values);
        watch.take(values, time, &mut last, &options.bins, &mut |part| {
            self.measure(found, row, part);
        });
        self.last_values = last;
    }

    /// Levels hold up to the last event.
    pub(super) fn end_of_metric(&mut self, found: &mut Accounts, time: u64) {
        let options = self.options;
        let Some(watch) = &options.metric else { return };
        for (metric, from, level) in std::mem::take(&mut self.last_values) {
            let Some(row) = self.row_of(watch, metric) else { continue };
            watch.end(time, (from, level), &options.bins, &mut |part| {
                self.measure(found, row, part);
            });
        }
    }
}
