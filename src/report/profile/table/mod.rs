//! Tables for people: aligned columns, times in readable units, the call tree as a tree.

mod grid;
mod metrics;
mod notes;
mod rows;
mod samples;
mod whole;
mod wholes;

use std::io::{self, Write};

use super::sort::SortKey;
use super::{By, ProfileReport};
use crate::{fit, heading};
use grid::Grid;
use streamfold_text::human;

/// Writes a table of one kind of rows, with a heading above and what is odd below. On a terminal of
/// `width` columns what has no room is left out.
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
    width: Option<usize>,
) -> io::Result<()> {
    begin(out, report, width)?;
    let (grid, left_out, of_metrics) = match by {
        // Iterations and kernels have reports of their own.
        By::Region
        | By::Process
        | By::Thread
        | By::Node
        | By::Iteration
        | By::Kernel
        | By::Request => rows::regions(report, key, top),
        By::Callpath => rows::paths(report, key, top),
        By::Location => whole::locations(report, key, top),
        By::Group => whole::groups(report, key, top),
        By::Context => without_metrics(samples::contexts(report, key, top)),
        By::Line => without_metrics(samples::lines(report, key, top)),
        By::Generator => without_metrics(samples::generators(report, key, top)),
        By::Metric => without_metrics(metrics::rows(report, key, top)),
    };
    grid.write(out, width)?;
    fit::tell_rows(out, left_out)?;
    if by == By::Callpath && report.profile.samples.is_some() {
        writeln!(out, "\nBy calling context, which samples and enters tell (--by context):\n")?;
        let (grid, left_out) = samples::contexts(report, SortKey::Estimated, top);
        grid.write(out, width)?;
        fit::tell_rows(out, left_out)?;
    }
    if let Some(grid) = of_metrics {
        writeln!(out)?;
        grid.write(out, width)?;
    }
    if by == By::Callpath {
        notes::rest(out, report.profile)?;
    }
    notes::oddities(out, &report.profile.oddities, &report.profile.threads)?;
    notes::taken_back(out, report)?;
    match &report.profile.samples {
        Some(found) => samples::notes(out, report, found)?,
        None if is_about_samples(by, key) => {
            writeln!(out, "\nThe trace has no events with calling contexts: nothing was sampled.")?;
        }
        None => {}
    }
    metrics::notes(out, report, by)?;
    if matches!(by, By::Region | By::Callpath | By::Group | By::Location) {
        notes::streams(out, report)?;
    }
    notes::losses(out, report.provenance)
}

/// Returns whether these rows, or their order, need samples.
fn is_about_samples(by: By, key: SortKey) -> bool {
    matches!(by, By::Context | By::Line | By::Generator)
        || matches!(key, SortKey::Samples | SortKey::Estimated)
}

/// A table, how many rows are left out of it, and the table of the metrics of its rows.
type Tables = (Grid, usize, Option<Grid>);

fn without_metrics((grid, left_out): (Grid, usize)) -> Tables {
    (grid, left_out, None)
}

fn begin(out: &mut dyn Write, report: &ProfileReport<'_>, width: Option<usize>) -> io::Result<()> {
    let (profile, provenance) = (report.profile, report.provenance);
    let resolution = provenance.timer_resolution;
    let first = profile.locations.iter().filter_map(|row| row.first).min();
    let last = profile.locations.iter().filter_map(|row| row.last).max();
    let span = first.zip(last).map_or(0, |(first, last)| last.0.saturating_sub(first.0));
    let what = format!(
        "{} of {} in {}, {}",
        human::time(span.into(), resolution),
        human::plural(profile.locations.len() as u64, "location"),
        human::plural(profile.groups.len() as u64, "group"),
        human::plural(profile.events, "event"),
    );
    heading::write(out, provenance, &what, width)
}
