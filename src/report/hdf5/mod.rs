//! The profile as an HDF5 file, for h5py, pandas and whatever else reads HDF5.
//!
//! docs/hdf5.md describes the layout. Rank 0 has the profile and writes it alone. What single
//! locations have on single call paths is on all ranks and too much for one of them: the workers
//! put it aside ([`Spools`]) and all ranks write it together ([`write`]).

mod definitions;
mod matrix;
mod profile;
mod raw;
mod spool;
mod table;
#[cfg(test)]
mod tests;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hdf5_metno::File;
use tempfile::NamedTempFile;

pub use spool::Spools;

use super::provenance::Provenance;
use super::ProfileReport;
use crate::collective::{self, Communicator};
use matrix::{Paths, Plan};
use raw::Transfer;
use table::{number_attribute, text_attribute, Columns, Tables};

/// The version of the layout: the first number changes when a reader has to, the second when
/// something is added.
pub const SCHEMA_VERSION: &str = "1.0";

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It could not be written. All ranks get the same text.
    #[error("cannot write {}: {reason}", path.display())]
    Output {
        /// Where it should have been.
        path: PathBuf,
        /// What happened, on the first of the ranks where something did.
        reason: String,
    },

    /// The ranks could not talk to each other; see [`Communicator`] for what to do then.
    #[error(transparent)]
    Communication(#[from] collective::Error),
}

/// Writes a profile to `path`. Collective.
///
/// `report` is `Some` on rank 0, and ignored elsewhere. `spools` is `Some` on all ranks or on none:
/// what the workers of the rank have put aside, of all locations that are in the profile. It is
/// still there afterwards.
///
/// The file appears when it is whole, in the place of what was there before. It is the same for any
/// number of ranks and threads.
///
/// # Errors
///
/// [`Error::Output`] on all ranks when anything fails on any of them; nothing is left behind then.
/// [`Error::Communication`] when the ranks have lost each other.
pub fn write(
    path: &Path,
    ranks: &dyn Communicator,
    report: Option<&ProfileReport<'_>>,
    spools: Option<&Spools>,
) -> Result<(), Error> {
    try_write(path, ranks, report, spools).map_err(|error| match error {
        // Steps do not know what they are part of.
        Error::Output { reason, .. } => Error::Output { path: path.to_owned(), reason },
        other => other,
    })
}

fn try_write(
    path: &Path,
    ranks: &dyn Communicator,
    report: Option<&ProfileReport<'_>>,
    spools: Option<&Spools>,
) -> Result<(), Error> {
    let report = report.filter(|_| ranks.rank() == 0);
    let plan = spools.map(|spools| Plan::new(ranks, spools)).transpose()?;
    let unfinished = match report {
        Some(report) => begin(path, report, plan.as_ref()).map(Some),
        None if ranks.rank() == 0 => Err("rank 0 brought no report".to_owned()),
        None => Ok(None),
    };
    let unfinished = agree(ranks, unfinished)?;
    if let (Some(plan), Some(spools)) = (&plan, spools) {
        let place = unfinished.as_ref().map(|file| file.path().to_owned());
        let place = ranks.broadcast(0, place)?;
        let paths = Paths::new(ranks, report.map(|report| report.profile))?;
        let (file, transfer) = open(ranks, &place)?;
        let wrote = matrix::write(ranks, &file, plan, &paths, spools, transfer);
        // Closing is collective, too, and comes first whatever happened: MPI must outlive it.
        let closed = file.close().map_err(|error| error.to_string());
        wrote?;
        agree(ranks, closed)?;
    }
    let finished = unfinished.map(|file| file.persist(path).map_err(|e| e.error.to_string()));
    agree(ranks, finished.transpose())?;
    Ok(())
}

/// Writes all but the rows of single locations, beside the place where the file will be.
fn begin(
    path: &Path,
    report: &ProfileReport<'_>,
    plan: Option<&Plan>,
) -> Result<NamedTempFile, String> {
    if path.is_dir() {
        return Err("it is a directory".to_owned());
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".streamfold-").permissions(Permissions::from_mode(0o666));
    let unfinished = builder.tempfile_in(folder).map_err(|error| match error.raw_os_error() {
        // Without the name of the file beside, which nobody knows.
        Some(number) => std::io::Error::from_raw_os_error(number).to_string(),
        None => error.to_string(),
    })?;
    contents(unfinished.path(), report, plan).map_err(|error| error.to_string())?;
    Ok(unfinished)
}

fn contents(
    path: &Path,
    report: &ProfileReport<'_>,
    plan: Option<&Plan>,
) -> hdf5_metno::Result<()> {
    let ProfileReport { profile, definitions, provenance } = *report;
    let file = File::create(path)?;
    let mut tables = Tables::default();
    about(&file, &mut tables, provenance)?;
    definitions::write(&mut tables, &file.create_group("definitions")?, definitions)?;
    profile::write(&mut tables, &file.create_group("profile")?, profile, definitions)?;
    tables.end(&file)?;
    if let Some(plan) = plan {
        matrix::make(&file, plan, profile)?;
    }
    file.close()
}

/// What the file is and where it comes from.
fn about(file: &File, tables: &mut Tables, provenance: &Provenance) -> hdf5_metno::Result<()> {
    let Provenance { program, input, trace_identifier, creator, options, timer_resolution, losses } =
        provenance;
    for (name, text) in [
        ("schema", "streamfold-profile"),
        ("schema_version", SCHEMA_VERSION),
        ("program", program),
        ("input", input),
        ("trace_identifier", trace_identifier),
        ("creator", creator),
        ("unit", "ticks"),
    ] {
        text_attribute(file, name, text)?;
    }
    number_attribute(file, "timer_resolution", *timer_resolution)?;
    for (name, value) in options {
        text_attribute(file, &format!("option.{name}"), value)?;
    }
    let columns = Columns::<String>::new().text("loss", String::clone);
    tables.write(file, "losses", columns, losses)
}

/// Opens the file on all ranks.
fn open(ranks: &dyn Communicator, path: &Path) -> Result<(File, Transfer), Error> {
    if ranks.size() == 1 {
        let file = File::open_rw(path).map_err(|error| error.to_string());
        return Ok((agree(ranks, file)?, Transfer::Alone));
    }
    // Who does not see the file would leave the others waiting for it.
    let seen = std::fs::OpenOptions::new().write(true).open(path);
    agree(ranks, seen.map_err(|error| format!("not all ranks see the folder: {error}")))?;
    let file = open_together(ranks, path)?;
    #[cfg(feature = "mpi")]
    return Ok((file, Transfer::Collective));
    #[cfg(not(feature = "mpi"))]
    return Ok((file, Transfer::Alone));
}

#[cfg(feature = "mpi")]
fn open_together(ranks: &dyn Communicator, path: &Path) -> Result<File, Error> {
    let comm = agree(ranks, ranks.mpi_comm().ok_or_else(|| "there is no MPI".to_owned()))?;
    let mut options = File::with_options();
    options.with_fapl(|access| access.mpio(comm, None));
    agree(ranks, options.open_rw(path).map_err(|error| error.to_string()))
}

#[cfg(not(feature = "mpi"))]
fn open_together(ranks: &dyn Communicator, _: &Path) -> Result<File, Error> {
    agree(ranks, Err("several ranks need a program with the feature `mpi`".to_owned()))
}

/// What this rank has, if all ranks have succeeded. Collective.
fn agree<T>(ranks: &dyn Communicator, outcome: Result<T, String>) -> Result<T, Error> {
    let (value, failure) = match outcome {
        Ok(value) => (Some(value), None),
        Err(reason) if ranks.size() > 1 => {
            (None, Some(format!("{reason} (rank {})", ranks.rank())))
        }
        Err(reason) => (None, Some(reason)),
    };
    match (ranks.all_reduce(failure, Option::or)?, value) {
        (None, Some(value)) => Ok(value),
        (failure, _) => {
            let reason = failure.unwrap_or_default();
            Err(Error::Output { path: PathBuf::new(), reason })
        }
    }
}
