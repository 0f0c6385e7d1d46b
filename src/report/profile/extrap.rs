//! Lines of JSON for Extra-P, which makes models of how times grow with the number of processes.
//!
//! A line is a measurement of a region or call path, the mean of all processes. The lines of several
//! runs in one file are an experiment.

use std::io::{self, Write};

use serde_json::json;
use streamfold_kernels::profile::{PathRow, Row};

use super::caliper::processes;
use super::{By, ProfileReport};
use streamfold_analyses::steps;

/// Between the steps of a call path.
const ARROW: &str = "->";

/// Writes the rows: call paths where these are asked for, else regions.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &ProfileReport<'_>, by: By) -> io::Result<()> {
    let profile = report.profile;
    let definitions = report.definitions;
    let mut lines = Lines { out, report, processes: processes(report) };
    if by != By::Callpath {
        return profile.regions.iter().try_for_each(|region| {
            lines.write(&steps::step(definitions, region.step), &region.row, region.outer)
        });
    }
    profile.paths.iter().enumerate().try_for_each(|(i, path)| {
        lines.write(&whole(report, &profile.paths, i), &path.row, path.row.inclusive)
    })
}

/// All steps of a call path, none left out: names have to differ.
fn whole(report: &ProfileReport<'_>, paths: &[PathRow], index: usize) -> String {
    let above = |path: &usize| paths[*path].parent.map(|parent| parent as usize);
    let steps = std::iter::successors(Some(index), above);
    let mut steps: Vec<String> =
        steps.map(|path| steps::step(report.definitions, paths[path].step)).collect();
    steps.reverse();
    steps.join(ARROW)
}

struct Lines<'a> {
    out: &'a mut dyn Write,
    report: &'a ProfileReport<'a>,
    processes: u64,
}

impl Lines<'_> {
    fn write(&mut self, callpath: &str, row: &Row, inclusive: u128) -> io::Result<()> {
        let seconds = self.report.provenance.timer_resolution.max(1) as f64;
        let processes = self.processes as f64;
        for (metric, value) in [
            ("time", row.exclusive as f64 / seconds),
            ("inclusive_time", inclusive as f64 / seconds),
            ("visits", row.visits as f64),
        ] {
            let line = json!({
                "params": { "p": self.processes },
                "callpath": callpath,
                "metric": metric,
                "value": value / processes,
            });
            crate::json::to_writer(&mut *self.out, &line)?;
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }
}
