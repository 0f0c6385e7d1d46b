//! Wait states: who waited for whom, for how long, and in which call; and what all other time was spent
//! on.
//!
//! One pass over each location makes a profile of it, and items for what others have to do with: the ends of
//! messages, members of collective operations, epochs of access, threads that meet. They travel as those
//! of [matching](crate::matching) do, to where what belongs together is compared. What that says
//! about a call that completes more than one thing goes back to its location, where the longest
//! wait counts ([`verdict`]). All waits are whole ticks, none is longer than the own time of the
//! call in which it is, and none depends on who read what.
//!
//! A call is a visit of a region of MPI, or of one in which threads meet. Regions are told by
//! paradigm, role and name ([`class`]).

pub mod call;
pub mod charges;
pub mod class;
pub(crate) mod classes;
pub mod collectives;
mod culprit;
pub mod epochs;
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

pub(crate) use classes::Classes;
pub use culprit::Culprit;
pub use kernel::{WaitKernel, WaitPartial, WaitSinks, WaitWorker};
pub use metric::Metric;
pub use over_time::{WaitBins, WaitsOverTime};
pub use part::{PartKernel, PartScan};
pub use path::PathId;
pub use result::{Cause, Parts, Row, WaitStates, Worst};
pub use scan::{OpenRegions, Recorded, WaitScan};
pub use severity::{ByClocks, Instance, Kind, LeftOut, Place, Severities, Violations, Waited};
pub use threads::Threads;
pub use times::{TimeSinks, Times};
