//! What commands have in common whose result is tables: how they read, where tables go, and how they end.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::formats::{Format, Standard};
use super::{tell_losses, terminal_width, Session};
use crate::drive::{Losses, Scanning};
use crate::exit::{ExitCode, Failure, Stop};
use crate::memory;
use crate::report::output::Output;
use crate::report::tables::{csv, json, TableReport};
use crate::selection::Plan;

impl Session<'_> {
    /// Reads this rank's share of a plan, a stream with each worker, while it shows how far that is.
    pub(super) fn scan<T>(
        &self,
        plan: &Plan,
        strict: bool,
        scan: impl FnOnce(Scanning<'_>) -> T,
    ) -> T {
        let workers = self.threads.count.min(self.common.max_open_files);
        self.watch(plan.share(self.ranks.rank()).weight, |progress| {
            scan(Scanning { workers, strict, progress })
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

/// Refuses outputs of which one would replace another.
///
/// # Errors
///
/// The first place that is named twice.
pub(super) fn refuse_twice<'p>(paths: impl Iterator<Item = &'p Path>) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    for path in paths {
        if !seen.insert(place(path)) {
            let message = format!("{} is named as an output twice", path.display());
            return Err(Failure::new(ExitCode::Usage, message));
        }
    }
    Ok(())
}

/// Where a file is, however one gets there.
fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// An output and what goes into it.
pub(super) struct Target {
    pub output: Output,
    pub format: Format,
}

impl Target {
    /// An output in one of these formats, or on standard output where that can be had, as `standard` says.
    /// Nothing is written yet.
    ///
    /// # Errors
    ///
    /// Where its suffix names none of the formats, or nothing can be written there.
    pub fn prepare(
        path: &Path,
        formats: &[Format],
        standard: Option<Standard>,
    ) -> Result<Self, Failure> {
        let named = Format::of(path, formats, standard.is_some())?;
        let format =
            named.or(standard.map(Format::from)).expect("only standard output has no name");
        Ok(Target { output: Output::prepare(path)?, format })
    }

    /// Those of a report.
    ///
    /// # Errors
    ///
    /// Those of [`prepare`](Self::prepare).
    pub fn reports(
        paths: &[PathBuf],
        formats: &[Format],
        standard: Standard,
    ) -> Result<Vec<Self>, Failure> {
        refuse_twice(paths.iter().map(PathBuf::as_path))?;
        paths.iter().map(|path| Target::prepare(path, formats, Some(standard))).collect()
    }

    /// Writes tables, one of them (`table`) to CSV. What people read is what `text` writes, in lines of so
    /// many characters, where that is known.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write(
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
            Format::Hdf5 => hdf5(output, report),
            _ => {
                let width = output.is_standard().then(terminal_width).flatten();
                output.write(|out| text(out, width))
            }
        }
    }
}

#[cfg(feature = "hdf5")]
fn hdf5(output: &Output, report: &TableReport<'_>) -> Result<(), Failure> {
    crate::report::hdf5::tables::write(output, report)
}

/// Nobody gets that far, see [`Format::of`].
#[cfg(not(feature = "hdf5"))]
fn hdf5(output: &Output, _: &TableReport<'_>) -> Result<(), Failure> {
    Err(no_hdf5(output))
}

/// What an output is answered that takes what this program does not have.
#[cfg(not(feature = "hdf5"))]
pub(super) fn no_hdf5(output: &Output) -> Failure {
    Failure::output(output.path(), &"this program was built without HDF5")
}
