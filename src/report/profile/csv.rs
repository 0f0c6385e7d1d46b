//! Tables with a heading line and exact integers, as pandas opens them.
//!
//! docs/use/profile.md says what the columns are. Times are ticks; the column `ticks_per_second` says
//! how long one is.

use std::io::{self, Write};

use streamfold_kernels::profile::Samples;

use super::columns;
use super::metric_rows::metric_rows;
use super::samples::region_rows;
use super::sort::{self, SortKey};
use super::{By, ProfileReport};
use crate::tables::{csv, Table};
use streamfold_analyses::steps;
use streamfold_text::names;

/// Writes the table of one kind of rows.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &ProfileReport<'_>,
    by: By,
    key: SortKey,
    top: Option<usize>,
) -> io::Result<()> {
    with_table(report, by, key, top, |table| csv::write(out, report.provenance, table))
}

/// Makes the table of one kind of rows, and gives it to `write`.
pub(crate) fn with_table<R>(
    report: &ProfileReport<'_>,
    by: By,
    key: SortKey,
    top: Option<usize>,
    write: impl FnOnce(&Table<'_>) -> R,
) -> R {
    let (report, none) = (*report, Samples::default());
    let ProfileReport { profile, definitions, .. } = report;
    let sampled = profile.samples.as_deref();
    let samples = sampled.unwrap_or(&none);
    let rows = region_rows(profile);
    let metrics = if by == By::Metric { metric_rows(&report, key, top) } else { Vec::new() };
    let step = |step| steps::step(definitions, step);
    let (columns, order) = match by {
        // Iterations and kernels have reports of their own.
        By::Region
        | By::Process
        | By::Thread
        | By::Node
        | By::Iteration
        | By::Kernel
        | By::Request => {
            let order = sort::regions(&rows, sampled, key, top, |i| step(rows[i].step));
            (columns::regions(report, &rows), order)
        }
        By::Callpath => {
            let order = sort::paths(profile, key, top, |i| step(profile.paths[i].step));
            (columns::paths(report), order)
        }
        By::Location => {
            let name = |i: usize| names::location(definitions, profile.locations[i].location);
            (columns::locations(report), sort::locations(profile, key, top, name))
        }
        By::Group => {
            let name = |i: usize| names::group(definitions, profile.groups[i].group);
            (columns::groups(report), sort::groups(profile, key, top, name))
        }
        By::Context => {
            let name = |i: usize| names::region(definitions, samples.contexts[i].region);
            (columns::contexts(report, samples), sort::contexts(samples, key, top, name))
        }
        By::Line => {
            let name = |i: usize| names::line(definitions, samples.lines[i].line);
            (columns::lines(report, samples), sort::lines(samples, key, top, name))
        }
        By::Generator => {
            let name = |i: usize| names::generator(definitions, samples.generators[i].generator);
            (columns::generators(report, samples), sort::generators(samples, key, top, name))
        }
        By::Metric => (columns::aggregates(report, &metrics), (0..metrics.len()).collect()),
    };
    let table = columns.table(&order);
    write(&table)
}
