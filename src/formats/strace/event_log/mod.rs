//! Event logs: the calls of many cases in one HDF5 file, section 4 of this project's notes on the method.
//!
//! The table `calls` has a row for each call, case by case, `cases` says which rows are those of a case, and `paths`
//! has each path once. Older files have a group `/CID_HOST_RID` with a `table` for each case. The columns `pid`,
//! `call`, `start`, `dur`, `fp` and `size` are needed, and those that streamfold adds are used where they are there.
//! Columns are found by their names: files that pandas wrote are read, too.

#[cfg(feature = "hdf5")]
mod calls;
#[cfg(feature = "hdf5")]
mod index;
#[cfg(feature = "hdf5")]
mod stored;
#[cfg(not(feature = "hdf5"))]
#[path = "without.rs"]
mod stored;
#[cfg(feature = "hdf5")]
mod tables;

use std::path::Path;

pub use stored::{CaseReader, EventLog};

use super::report::FileReport;

/// Facts of a case besides its calls.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The lines of its files, and what their times are.
    pub report: FileReport,
    /// How many files there were.
    pub files: u64,
}

/// Tells whether a file is an event log, by its name.
pub fn is_event_log(path: &Path) -> bool {
    let is =
        |suffix: &std::ffi::OsStr| ["h5", "hdf5"].iter().any(|it| suffix.eq_ignore_ascii_case(it));
    path.extension().is_some_and(is)
}
