//! Work of processes over time: for heat maps and areas.
//!
//! Time is cut into equal [parts](TimeBins), and processes or threads into [rows](TimeRows). Each tick between two
//! events of a thread counts for the innermost region that is open then, by the [class](WorkClass) of
//! that. Ticks in which nothing is open count for nothing.
//!
//! * Whole ticks are added, so that neither the order of locations nor who reads them shows.
//! * A crossed leave ends the nearest open visit of its region and those inside of it. Up to then they had their
//!   time, unlike in a profile.
//! * What is open at the end of a stream lasts to its last event.
//! * Where time goes back the clock stands still.
//! * While a task runs, the regions of the task are open.
//! * Of a metric, what it grows by counts evenly from one value to the next, and a level holds up to the next value. It is
//!   that of the row that the instance of the metric names as its scope, else of the row in which it is recorded; of
//!   locations that record metrics only, that of their group.

mod bins;
mod class;
mod kernel;
mod metric;
mod rows;

pub use bins::TimeBins;
pub use class::{WorkClass, WorkClasses};
pub use kernel::{TimeCell, TimeMap, TimeMapKernel, TimeMapOptions, TimeMapScan, TimeRow};
pub use metric::MetricWatch;
pub use rows::{RowOf, RowSpan, RowsBy, TimeRows};
