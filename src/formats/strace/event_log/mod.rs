//! Event logs: the calls of many cases in one HDF5 file, section 4 of this project's notes on the method.
//!
//! Each case is a group `/CID_HOST_RID` with a `table`, a row for each call. The columns `pid`, `call`, `start`,
//! `dur`, `fp` and `size` are needed, and those that streamfold adds are used where they are there. Columns are found
//! by their names: files that pandas wrote are read, too.

#[cfg(feature = "hdf5")]
mod tables;
#[cfg(not(feature = "hdf5"))]
#[path = "without.rs"]
mod tables;

use std::path::Path;

use super::call::Call;
use super::names::CaseName;
use super::report::FileReport;
use crate::Loss;

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

/// The cases of a file, with the number of calls of each.
///
/// # Errors
///
/// When the file is no event log.
pub fn cases(path: &Path) -> Result<Vec<(CaseName, u64)>, Loss> {
    tables::cases(path)
}

/// Reads the calls of a case in the order of their begins, each with the number of the file that it was in.
/// `sockets`: whether `recv` and `send` and their like transfer bytes.
///
/// # Errors
///
/// When there is no such case, or its table has other columns.
pub fn read_case(
    path: &Path,
    name: &CaseName,
    sockets: bool,
    receive: &mut dyn FnMut(&Call<'_>, u64),
) -> Result<Stored, Loss> {
    tables::read_case(path, name, sockets, receive)
}
