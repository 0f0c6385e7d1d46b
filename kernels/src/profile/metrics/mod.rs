//! Metrics: what was counted or measured besides time, by call path and as series.
//!
//! # Rules
//!
//! * A synchronous metric belongs to the enter or leave that it precedes. Of an accumulated one the
//!   difference of a visit is the value at its leave less the one at its enter; of a relative one
//!   whose values are changes, the sum of the changes after its enter up to its leave.
//! * The inclusive value of a visit is that difference, the exclusive one that less the differences
//!   of the nearest visits inside that have one. A visit without a value at either end has none; a
//!   relative value at its leave alone is a change all the same, and counts like an absolute one.
//! * In a task, what changed while it was suspended does not count, as far as it is known: a record of
//!   the same time as a switch of tasks, else the last one before, tells the value at the switch. In
//!   what the task interrupts, the change while it runs counts for the visit of
//!   [`Step::Task`](super::Step::Task).
//! * Of an absolute metric the values themselves count, for the visit that is entered or left:
//!   number, sum, smallest and largest.
//! * An asynchronous metric is a series. If the location recorded it for itself, its values count for
//!   the innermost open visit, too. Of an accumulated one that is what it grew by since the record before, and of a
//!   visit of which no time has passed, the growth came before: it counts for the visit around. If the record before is
//!   of the same time and call path, it counts for that path.
//! * Values that a location records for another scope, by metric instances, are a series and nothing else.
//! * Differences are not corrected: a counter that overflowed or was reset has a negative one. That is counted as odd
//!   if the metric is an accumulated one.
//!
//! Values that cannot be used are counted, see [`MetricOddities`].

mod exact;
mod inclusive;
mod meter;
mod number;
mod open;
pub mod own_metrics;
mod plan;
mod result;
mod series;
mod sums;

pub use exact::Exact;
pub use number::{Number, Sum};
pub use result::{Column, MemberRow, Metrics, RowValues};
pub use series::{MetricScopeRef, SeriesKey, SeriesRow};
pub use sums::{Aggregate, LocationMetric, Measured, MetricKind, MetricOddities, MetricSums};

pub(super) use inclusive::with_inclusive;
pub(super) use meter::{Meter, Place};
pub(super) use open::OpenValues;
pub(super) use result::Rows;
