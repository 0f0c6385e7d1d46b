//! Rows per location and call path, for reports that need them.
//!
//! It is on all ranks and too much for one of them: the workers put it aside ([`Spools`]) while the
//! trace is read, and reports fetch it again, location by location ([`Paths`]).

mod cells;
mod job;
mod paths;
mod rows;
mod spool;

pub use cells::PlaceCells;
pub use paths::Paths;
pub use rows::{MetricCell, PathCell, Rounded};
pub use spool::Spools;

pub(crate) use cells::PlaceCell;
#[cfg(feature = "hdf5")]
pub(crate) use job::reason;
pub(crate) use job::Job;
pub(crate) use paths::Places;
#[cfg(feature = "hdf5")]
pub(crate) use rows::{Cell, Entry, Row};
pub(crate) use spool::{spool_failed, Spool};
