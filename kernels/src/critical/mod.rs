//! The critical path of a run: the code that determined how long it took.
//!
//! # Definition
//!
//! The path begins at the last event of the run, at its location (of several the one with the lowest number). On a
//! location at a time, the path goes back to the latest end of a wait there that is before that time. The time between
//! both is a [section](Section). The path goes on at the location that ended the wait. A thread that has no earlier wait
//! was there from its first event on, or from its creation or the fork of its team on, whose location the path goes on to.
//! A stream that was idle goes on at the [launch](crate::devices::DependencyKernel) of what ran there next.
//!
//! * Sections and the time before the last location of the path began have no gap and do not overlap: together they are
//!   the run, to the tick.
//! * Each step goes back in time, so that clocks that disagree cannot make a circle. Waits whose cause came after the
//!   call had been left are no steps; they are counted.
//! * Nothing depends on how many ranks read the trace.

mod forked;
mod impact;
mod on_path;
mod walk;

pub use forked::Forked;
pub use impact::{add_impacts, own_times, parts_of_times, Impact, Impacts, PathProfile};
pub use on_path::{OnPathKernel, OnPathScan, OnPathTimes, OnPathWorker};
pub use walk::{walk, Section, Sections, Token};
