//! Commands that write tables: reading, outputs, and the end of a run.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use streamfold_model::ids::LocationRef;

use super::formats::Format;
use super::outputs::Reports;
use super::sink::hand_over;
use crate::session::{tell_losses, write_text, Session};
use streamfold_drive::select::Plan;
use streamfold_drive::{Job, Losses, Scanning, Trace};
use streamfold_output::Output;
use streamfold_report::parquet;
use streamfold_report::tables::{csv, json, TableReport};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::memory;

impl Session<'_> {
    /// A job over a trace, of all or some of its locations. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(super) fn job(
        &self,
        trace: Trace,
        only: Option<&BTreeSet<LocationRef>>,
        strict: bool,
    ) -> Result<Job<'_>, Stop> {
        let workers = self.threads.count.min(self.common.max_open_files);
        let job = Job::over(self.ranks, trace)?.workers(workers).strict(strict);
        Ok(match only {
            Some(only) => job.only(only.iter().copied()),
            None => job,
        })
    }

    /// Reads this rank's share of a plan, a stream with each worker, while it shows how far that is.
    ///
    /// # Errors
    ///
    /// Errors of [`watch`](Self::watch).
    pub(super) fn scan<T>(
        &self,
        plan: &Plan,
        strict: bool,
        scan: impl FnOnce(Scanning<'_>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let workers = self.threads.count.min(self.common.max_open_files);
        self.watch(plan.share(self.ranks.rank()).weight, |progress| {
            scan(Scanning { workers, strict, progress, references: None })
        })
    }

    /// Bytes that any rank has had in memory at most up to now; known on rank 0.
    pub(super) fn peak_memory(&self) -> Result<u64, Stop> {
        Ok(self.ranks.reduce(0, memory::peak(), u64::max)?.unwrap_or(0))
    }

    /// Says what was lost, and what is said at the end; returns the exit code of that.
    pub(super) fn conclude(&self, losses: &Losses, summary: &str) -> ExitCode {
        if !losses.is_empty() {
            tell_losses(losses);
        }
        self.say(summary);
        if losses.is_empty() {
            ExitCode::Done
        } else {
            ExitCode::Losses
        }
    }
}

/// The first loss, where none is to be had.
///
/// # Errors
///
/// That one.
pub(super) fn refuse_losses(strict: bool, losses: &Losses) -> Result<(), Failure> {
    match losses.first.first() {
        Some(loss) if strict => Err(Failure::new(ExitCode::Trace, loss.message.clone())),
        _ => Ok(()),
    }
}

/// An output and what goes into it.
pub(super) struct Target {
    pub output: Output,
    pub format: Format,
}

impl Target {
    /// Those of reports. Nothing is written yet.
    ///
    /// # Errors
    ///
    /// When an output cannot be written.
    pub(crate) fn reports(reports: &Reports<'_>) -> Result<Vec<Self>, Failure> {
        reports.all().map(|(path, format)| Target::prepare(path, format)).collect()
    }

    /// The one at a path. Nothing is written yet.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub(crate) fn prepare(path: &Path, format: Format) -> Result<Self, Failure> {
        Ok(Target { output: Output::prepare(path)?, format })
    }

    /// Writes tables, one of them (`table`) to CSV and Parquet. `text` writes the tables for people, in lines of so
    /// many characters if the width is known.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub(crate) fn write(
        &self,
        report: &TableReport<'_>,
        table: &str,
        text: impl FnOnce(&mut dyn Write, Option<usize>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let output = &self.output;
        match self.format {
            Format::Json => output.write(|out| json::write(out, report)),
            Format::Csv => output.write(|out| {
                let table = report.table(table).expect("clap knows all tables");
                csv::write(out, report.provenance, table)
            }),
            Format::Parquet => {
                let table = report.table(table).expect("clap knows all tables");
                parquet::tables::write(output, report, table)
            }
            Format::Hdf5 => hdf5(output, report),
            _ if output.is_standard() => {
                hand_over(report, table)?;
                write_text(output, text)
            }
            _ => write_text(output, text),
        }
    }
}

#[cfg(feature = "hdf5")]
fn hdf5(output: &Output, report: &TableReport<'_>) -> Result<(), Failure> {
    streamfold_report::hdf5::tables::write(output, report)
}

/// Nobody gets that far, see [`Format::of`].
#[cfg(not(feature = "hdf5"))]
fn hdf5(output: &Output, _: &TableReport<'_>) -> Result<(), Failure> {
    Err(no_hdf5(output))
}

/// Returns the failure of an HDF5 output in a program without HDF5.
#[cfg(not(feature = "hdf5"))]
pub(super) fn no_hdf5(output: &Output) -> Failure {
    Failure::output(output.path(), &"this program was built without HDF5")
}
