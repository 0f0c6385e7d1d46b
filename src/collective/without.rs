//! No MPI library, in a program that was built without.

use super::launch::{Absent, Launched};
use super::Error;

/// Tells why there is no library.
#[allow(clippy::unnecessary_wraps)] // others can fail
pub(super) fn missing(_: Launched) -> Result<Option<Absent>, Error> {
    Ok(Some(Absent::NotBuilt))
}

/// Ends all ranks where MPI runs; else returns.
pub(super) fn abort(_: i32, _: impl FnOnce()) {}

/// The MPI library for people.
pub fn mpi_library() -> String {
    "none: built without".to_owned()
}
