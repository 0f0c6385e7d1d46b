//! Wait states: waiting locations, their causes, ticks and calls. The classes of time of which waits are parts are those
//! of the [account](crate::account).
//!
//! One pass over each location makes a profile of it, and items for other locations: the ends of messages, members of
//! collective operations, epochs of access, threads that meet. Items are exchanged and compared as those of
//! [matching](crate::matching). Verdicts about a call that completes several items go back to its location, where the
//! longest wait counts ([`verdict`]). All waits are whole ticks, and none is longer than the own time of its call. None
//! depends on the rank that read a location.
//!
//! A call is a visit of a region of MPI, or of one in which threads meet. Regions are recognised by paradigm, role and
//! name ([`class`]).

pub mod call;
pub mod charges;
pub mod class;
pub(crate) mod classes;
pub mod collectives;
mod culprit;
pub mod edges;
pub mod epochs;
mod flights;
mod kernel;
pub mod meetings;
pub mod messages;
mod metric;
mod open;
mod over_time;
mod part;
mod path;
pub mod requests;
mod result;
mod scan;
mod severity;
mod teams;
mod threads;
mod times;
pub mod verdict;
mod windows;

pub use culprit::Culprit;
pub use flights::{Flight, Flights};
pub use kernel::{WaitKernel, WaitPartial, WaitSinks, WaitWorker};
pub use metric::Metric;
pub use over_time::{WaitBins, WaitsOverTime};
pub use part::{PartKernel, PartScan};
pub(crate) use path::PathIds;
pub use path::{OnPathPlace, PathId};
pub use result::{Cause, Parts, Row, WaitStates, Worst};
pub use scan::{OpenRegions, Recorded, WaitScan};
pub use severity::{ByClocks, Instance, Kind, LeftOut, Place, Severities, Violations, Waited};
pub use threads::Threads;
pub use times::{TimeSinks, Times};
