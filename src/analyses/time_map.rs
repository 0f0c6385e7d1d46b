//! Use of time, by process and over time: reads the trace once, or twice if it does not last as long as it says.

use std::collections::BTreeSet;

use streamfold_kernels::time_map::{
    MetricWatch, RowsBy, TimeBins, TimeCell, TimeMap, TimeMapKernel, TimeMapOptions, TimeRows,
    WorkClasses,
};
use streamfold_kernels::waitstates::WaitsOverTime;
use streamfold_kernels::Window;
use streamfold_model::ids::LocationRef;

use streamfold_drive::{Amount, Job, Losses, Progress};
use streamfold_system::exit::Stop;

/// A query for a time map.
#[derive(Clone, Debug)]
pub struct TimeMapQuery<'q> {
    /// The kind of rows.
    pub by: RowsBy,
    /// Rows at most.
    pub rows: u32,
    /// Parts of the time at most.
    pub bins: u32,
    /// The locations that have rows; `None`: all.
    pub only: Option<&'q BTreeSet<LocationRef>>,
    /// The window that the job reads.
    pub window: Option<Window>,
    /// Options of the kernel.
    pub options: TimeMapOptions,
}

/// Result of the analysis.
#[derive(Debug)]
pub struct TimeMapOutcome {
    /// The time map.
    pub map: TimeMap,
    /// The rows of the map.
    pub rows: TimeRows,
    /// The parts of the time.
    pub bins: TimeBins,
    /// Losses.
    pub losses: Losses,
    /// How much was read, in all passes.
    pub amount: Amount,
    /// The metric that was looked at.
    pub metric: Option<MetricWatch>,
    /// Set if waits were added, see [`TimeMapOutcome::add_waits`].
    pub has_waits: bool,
}

impl TimeMapOutcome {
    /// Adds waits by row and part of the time, which were found with the same rows and parts.
    pub fn add_waits(&mut self, waits: &WaitsOverTime) {
        self.has_waits = true;
        for (row, ticks) in &waits.rows {
            let row = self.map.rows.entry(*row).or_default();
            row.cells.resize(row.cells.len().max(ticks.len()), TimeCell::default());
            let cells = row.cells.iter_mut().zip(ticks);
            cells.for_each(|(cell, ticks)| cell.waited = cell.waited.saturating_add(*ticks));
        }
    }

    /// Tells whether the map has the growth of the metric, not its level.
    pub fn metric_grows(&self) -> bool {
        self.metric.as_ref().is_some_and(MetricWatch::grows)
    }
}

/// Finds what time is spent on. The result is on rank 0; `progress` shows how far this rank is.
///
/// # Errors
///
/// The first loss, when the job is strict; when ranks cannot communicate.
pub fn run(
    job: &Job<'_>,
    query: &TimeMapQuery<'_>,
    progress: &Progress,
) -> Result<Option<TimeMapOutcome>, Stop> {
    let definitions = job.definitions();
    let rows = TimeRows::new(definitions, query.by, query.only, query.rows);
    let is_system = job.trace().source.regions_are_system_calls();
    // Values before a window may hold in it: the whole is read for them.
    let metric = query.options.metric.clone().filter(|_| query.window.is_none());
    let options = TimeMapOptions { metric, ..query.options.clone() };
    let pass = |bins: TimeBins| {
        let classes = WorkClasses::new(definitions, is_system);
        let kernel = TimeMapKernel::new(classes, &rows, bins, &options);
        job.run_watched(&kernel, progress)
    };
    let mut bins = declared(job, query);
    let first = pass(bins)?;
    let span = first.as_ref().and_then(|folded| folded.partial.span);
    let span = job.ranks().broadcast(0, (job.ranks().rank() == 0).then_some(span))?;
    let mut folded = first;
    if let Some(span) = span.filter(|span| !bins.fits(*span)) {
        let read = folded.as_ref().map(|folded| folded.amount);
        bins = TimeBins::new(span.0, span.1, query.bins);
        folded = pass(bins)?;
        if let Some((folded, read)) = folded.as_mut().zip(read) {
            folded.amount.events += read.events;
            folded.amount.bytes += read.bytes;
        }
    }
    if let Some((watch, window)) = query.options.metric.as_ref().zip(query.window) {
        let bins = job.ranks().broadcast(0, (job.ranks().rank() == 0).then_some(bins))?;
        let watch = watch.clone().within(window);
        let options =
            TimeMapOptions { metric: Some(watch), only_metric: true, ..TimeMapOptions::default() };
        let classes = WorkClasses::new(definitions, is_system);
        let kernel = TimeMapKernel::new(classes, &rows, bins, &options);
        let measured = job.run_over_all(&kernel, progress)?;
        if let Some((folded, measured)) = folded.as_mut().zip(measured) {
            folded.amount.events += measured.amount.events;
            folded.amount.bytes += measured.amount.bytes;
            folded.partial.measure(measured.partial);
        }
    }
    Ok(folded.map(|folded| TimeMapOutcome {
        map: folded.partial,
        rows,
        bins,
        losses: folded.losses,
        amount: folded.amount,
        metric: query.options.metric.clone(),
        has_waits: false,
    }))
}

/// The parts of the time that the trace says it has, or of the window.
fn declared(job: &Job<'_>, query: &TimeMapQuery<'_>) -> TimeBins {
    let clock = job.definitions().clock.as_ref();
    let (begin, length) = clock.map_or((0, 0), |clock| (clock.global_offset, clock.trace_length));
    let end = begin.saturating_add(length);
    let Some(window) = query.window else { return TimeBins::new(begin, end, query.bins) };
    let from = window.begin.0.max(begin);
    let to = window.end.map_or(end, |to| to.0.min(end));
    TimeBins::new(from, to.max(from), query.bins)
}
