//! Costs of delays: the code that made others wait.
//!
//! # Definition
//!
//! A location waited from a to e for another one. Both were together before, the last time before a at t. Since then the
//! one that waited had own time on its call paths up to a, and the other one up to e, both without waiting. On each call
//! path on which the other one had more, it has the difference as a *delay*. It also waited itself, in waits that ended
//! in between. The wait is shared out over the delays and these waits, in proportion to their ticks:
//!
//! * The share of a delay is a *direct* cost of its call path at that location.
//! * The share of a wait is passed on to what that wait was for. There it is a *long-term* cost.
//! * A wait that is longer than all delays and waits together is not explained as far as it is longer.
//!
//! The sum of the costs and of what is not explained is the sum of all waits that have a cause, to the tick.
//!
//! # Way
//!
//! Times at which locations were [together](SyncItem) come to the rank that owns the location, in the order of time. The
//! [interval](Interval) of each wait goes to the ranks that read the two locations. They read the trace once more
//! ([`DelayKernel`]), and bring the times by call path together by parts of the run. The [spread](Spread) passes from the
//! rank with the latest part to that with the first.

mod in_teams;
mod intervals;
mod own_times;
mod spread;
mod syncs;
mod times;

pub(crate) use in_teams::Parallel;
pub use intervals::{find_intervals, Groups, Interval, IntervalsTo, Part, Readers};
pub(crate) use spread::Sharing;
pub use spread::{Cost, Costs, Spread};
pub use syncs::{SyncItem, SyncWhat, Syncs, Together};
pub use times::{DelayKernel, DelayScan, DelayWorker, Intervals};
