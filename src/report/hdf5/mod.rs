//! The profile as an HDF5 file, for h5py, pandas and whatever else reads HDF5.
//!
//! docs/use/hdf5.md describes the layout. Rank 0 has the profile and writes it alone. The rows of single locations are
//! on all ranks and too many for one of them. The workers spill them ([`Spools`]), and all ranks write them together
//! ([`write`](fn@write)), or rank 0 alone where the library cannot do that.

mod columns;
mod definitions;
pub mod event_log;
mod matrix;
pub mod messages;
mod plan;
mod profile;
mod raw;
mod reserve;
mod rows;
mod source;
mod table;
pub mod tables;
#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::fs::OpenOptions;
use std::path::Path;

use hdf5_metno::File;

pub use super::aside::Spools;

use super::aside::{Job, Paths};
use super::profile::ProfileReport;
use super::provenance::Provenance;
use columns::Columns;
use matrix::Writing;
use plan::Plans;
use raw::Transfer;
use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_output::{Output, Unfinished};
use streamfold_system::exit::{Failure, Stop};
use table::{number_attribute, text_attribute, texts_attribute, Tables};

/// The version of the layout: the first number changes when a reader has to, the second when
/// something is added.
pub const SCHEMA_VERSION: &str = "2.0";

/// Writes a profile to `path`. Collective.
///
/// `report` is `Some` on rank 0, with the output that was made for `path`, and ignored elsewhere.
/// `spools` is `Some` on all ranks or on none: what the workers of the rank have put aside, of all
/// locations that are in the profile. It is still there afterwards.
///
/// The file appears when it is whole, in the place of what was there before. Its contents do not depend on the number
/// of ranks and threads.
///
/// # Errors
///
/// [`Stop::Together`] on all ranks, with the same text, when anything fails on any of them; nothing
/// is left behind then. [`Stop::Alone`] when the ranks have lost each other.
pub fn write(
    path: &Path,
    ranks: &dyn Communicator,
    report: Option<(&Output, &ProfileReport<'_>)>,
    spools: Option<&Spools>,
) -> Result<(), Stop> {
    let job = Job { path, ranks };
    let report = report.filter(|_| ranks.rank() == 0);
    let plan = spools.map(|spools| Plans::new(&job, spools)).transpose()?;
    let begun = match &report {
        Some((output, report)) => begin(output, report, plan.as_ref()).map(Some),
        None if ranks.rank() == 0 => Err(Failure::output(path, &"rank 0 brought no report")),
        None => Ok(None),
    };
    // Kept to the end: dropped before it is finished, the file is gone.
    let unfinished = job.agree_failure(begun)?;
    if let (Some(plan), Some(spools)) = (&plan, spools) {
        let place = ranks.broadcast(0, unfinished.as_ref().map(|file| file.path().to_owned()))?;
        let paths = Paths::new(ranks, report.as_ref().map(|(_, report)| report.profile))?;
        // A rank that does not see the file would leave the others waiting for it.
        let seen = job.writes().then(|| OpenOptions::new().write(true).open(&place)).transpose();
        let seen =
            job.agree(seen.map_err(|error| format!("this rank does not see it: {error}")))?;
        let on_root = |work: &dyn Fn(&std::fs::File) -> std::io::Result<()>| {
            job.agree_on_root(|| seen.as_ref().map_or(Ok(()), work))
        };
        on_root(&|seen| reserve::reserve(seen, seen.metadata()?.len() + plan.room_to_open()))?;
        fail_point("matrix", ranks.rank())?;
        let (file, transfer) = job.open(&place)?;
        let size = || file.as_ref().map_or(0, |file| file.size());
        let room = |bytes| on_root(&|seen| reserve::reserve(seen, size() + bytes));
        let writing = Writing { job: &job, file: file.as_ref(), transfer, reserve: &room };
        let wrote = writing.matrices(plan, &paths, spools);
        if let Err(Stop::Alone(failure)) = wrote {
            // To close is collective: alone, this rank would wait here and not tell the others.
            std::mem::forget(file);
            return Err(Stop::Alone(failure));
        }
        let closed = job.agree_or_abort(file.map_or(Ok(()), File::close));
        wrote?;
        closed?;
        on_root(&|seen| reserve::give_back(seen))?;
    }
    job.agree_failure(unfinished.map_or(Ok(()), |file| file.finish()))
}

/// Writes all but the rows of single locations.
fn begin<'a>(
    output: &'a Output,
    report: &ProfileReport<'_>,
    plan: Option<&Plans>,
) -> Result<Unfinished<'a>, Failure> {
    let unfinished = output.begin()?;
    // Made in memory, which holds the profile anyway: the library does not cope with a disk that is
    // full, not even to close the file.
    let image = contents(unfinished.path(), report, plan);
    let image = image.map_err(|error| Failure::output(output.path(), &error))?;
    let wrote = std::fs::write(unfinished.path(), image);
    wrote.map_err(|error| Failure::output(output.path(), &error))?;
    Ok(unfinished)
}

/// Bytes by which a file grows in memory.
const STEP: usize = 1 << 20;

/// The bytes of the file.
fn contents(
    path: &Path,
    report: &ProfileReport<'_>,
    plan: Option<&Plans>,
) -> hdf5_metno::Result<Vec<u8>> {
    let ProfileReport { profile, definitions, provenance, .. } = *report;
    let mut options = File::with_options();
    options.with_fapl(|access| access.core_options(STEP, false));
    let file = options.create(path)?;
    let mut tables = Tables::default();
    about(&file, &mut tables, ["streamfold-profile", SCHEMA_VERSION], provenance)?;
    definitions::write(&mut tables, &file.create_group("definitions")?, definitions)?;
    profile::write(&mut tables, &file, *report)?;
    tables.end(&file)?;
    if let Some(plan) = plan {
        plan.make(&file, profile)?;
    }
    raw::image(&file)
}

/// Writes the attributes of the file: its schema and provenance.
fn about(
    file: &File,
    tables: &mut Tables,
    [schema, version]: [&str; 2],
    provenance: &Provenance,
) -> hdf5_metno::Result<()> {
    let Provenance { program, input, trace_identifier, creator, options, .. } = provenance;
    let Provenance { timer_resolution, loss_count, losses, .. } = provenance;
    for (name, text) in [
        ("schema", schema),
        ("schema_version", version),
        ("program", program),
        ("input", input),
        ("trace_identifier", trace_identifier),
        ("creator", creator),
        ("time_unit", "ticks"),
    ] {
        text_attribute(file, name, text)?;
    }
    number_attribute(file, "timer_resolution", *timer_resolution)?;
    number_attribute(file, "loss_count", *loss_count)?;
    for (name, values) in by_name(options) {
        write_option(file, tables, &format!("option.{name}"), &values)?;
    }
    if losses.is_empty() {
        return Ok(()); // h5diff takes empty tables for ones that it cannot compare
    }
    let columns = Columns::<String>::new().text("loss", String::clone);
    tables.write(file, "losses", columns, losses)
}

/// The values of each option, in the order in which they were given.
fn by_name(options: &[(String, String)]) -> Vec<(&str, Vec<String>)> {
    let mut grouped: Vec<(&str, Vec<String>)> = Vec::new();
    for (name, value) in options {
        match grouped.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => values.push(value.clone()),
            None => grouped.push((name, vec![value.clone()])),
        }
    }
    grouped
}

/// Largest number of values of an attribute: 64 KiB, of which each text takes 16 bytes.
const MOST_VALUES: usize = 4000;

/// An attribute: a text, or several of them where the option was given several times; a table where
/// they are too many for that.
fn write_option(
    file: &File,
    tables: &mut Tables,
    name: &str,
    values: &[String],
) -> hdf5_metno::Result<()> {
    match values {
        [value] => text_attribute(file, name, value),
        _ if values.len() <= MOST_VALUES => texts_attribute(file, name, values),
        _ => {
            let columns = Columns::<String>::new().text("value", String::clone);
            tables.write(file, name, columns, values)
        }
    }
}

impl Job<'_> {
    /// The same as [`agree`](Self::agree) for what the library does together. Once that has failed,
    /// it crashes or waits at whatever comes next, the end of MPI included, so rank 0 has to end the
    /// job while the others wait for that.
    fn agree_or_abort<T>(&self, outcome: Result<T, impl Display>) -> Result<T, Stop> {
        match self.agree(outcome) {
            Err(Stop::Together(failure)) if self.writes_together() => {
                if self.ranks.rank() != 0 {
                    self.ranks.barrier()?;
                }
                Err(Stop::Alone(failure))
            }
            other => other,
        }
    }

    /// Tells whether all ranks write: HDF5 needs their communicator for that, and to be built for it.
    fn writes_together(&self) -> bool {
        #[cfg(feature = "mpi")]
        let can = self.ranks.mpi_comm().is_some();
        #[cfg(not(feature = "mpi"))]
        let can = false;
        can && self.ranks.size() > 1
    }

    /// How many ranks write: all of them, or the first alone.
    fn writers(&self) -> usize {
        if self.writes_together() {
            self.ranks.size()
        } else {
            1
        }
    }

    /// Tells whether this rank writes.
    fn writes(&self) -> bool {
        self.ranks.rank() < self.writers()
    }

    /// Opens the file on all ranks that write. Collective.
    fn open(&self, place: &Path) -> Result<(Option<File>, Transfer), Stop> {
        #[cfg(feature = "mpi")]
        if let Some(comm) = self.ranks.mpi_comm().filter(|_| self.writes_together()) {
            let mut options = File::with_options();
            options.with_fapl(|access| access.mpio(comm, None));
            return Ok((Some(self.agree(options.open_rw(place))?), Transfer::Collective));
        }
        let file = self.writes().then(|| File::open_rw(place)).transpose();
        Ok((self.agree(file)?, Transfer::Alone))
    }
}
