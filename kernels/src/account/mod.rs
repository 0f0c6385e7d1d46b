//! The account of time: each tick of each thread and stream, from the first to the last event of the run, belongs to
//! exactly one [class](Class).
//!
//! Every command that speaks of time takes it from here. One pass needs nothing from other locations, so that waiting is
//! no part of it: waits are parts of classes.
//!
//! # Rules
//!
//! * The [role](Role) of a location says whether it has an account: threads and streams do.
//! * A tick counts for the innermost region that is open then. A crossed leave ends the nearest open visit of its region
//!   and those inside of it. Visits that are open at the end of a stream last to its last event. While a task runs, the
//!   regions of the task are open. The clock stands still while times go back.
//! * The time from the fork of a team to its begin at the thread that forks it, and from its end to the join, is
//!   [`Class::ForkJoin`], whatever region is open.
//! * Computation is in a team between begin and end of a team, in a parallel region, and in an explicit task.
//! * A thread other than the first of its process is [idle](Class::AnyIdle) where no region is open, from its first team
//!   on; from its first event on, if the trace lists it among the locations of OpenMP and no event says that the program
//!   created it.
//! * The time of a `BufferFlush` is measurement, up to the next event.
//! * On a stream, copies that are recorded as transfers count while no region is open. The rest is idle.
//! * Before the first event a thread [has not begun](Class::NotBegun), after the last one it [has
//!   ended](Class::Ended). The run is the time from the first to the last event of all threads and streams.
//! * Time without a region is [taken as computing](Class::Assumed) if no thread visits any region of the program in the
//!   whole trace.
//! * Counters of instructions and cycles that add up count for the class before their record, if that is computation.
//! * Start-up lasts from the begin of the run to the last leave of `MPI_Init` of a process, finalization from the first
//!   enter of `MPI_Finalize` to the end.

mod bins;
mod cells;
mod class;
mod copies;
mod counters;
mod kernel;
mod metric;
mod overlap;
mod partition;
mod regions;
mod role;
mod rows;
mod run;
mod teams;
#[cfg(test)]
mod tests;
mod work;

pub use bins::TimeBins;
pub use cells::{CellOptions, TimeCell, TimeCells, TimeMap, TimeRow};
pub use class::{Class, Group};
#[cfg(test)]
pub(crate) use copies::MOST_UNDER_WAY;
pub use copies::{CopiesUnderWay, CopyEnds, Direction};
pub use kernel::{AccountKernel, AccountOptions, AccountScan, AccountWorker};
pub use metric::MetricWatch;
pub use overlap::{Overlap, Overlaps};
pub use partition::{Partition, PhaseKernel, PhaseScan, Visits};
pub use regions::{RegionClass, RegionClasses};
pub use role::Role;
pub use rows::{RowOf, RowSpan, RowsBy, TimeRows};
pub use teams::TeamState;
pub use work::{Account, Accounts, Counts, LocationAccount, Places, Run, Sum, Ticks, Work};
