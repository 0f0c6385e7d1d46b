//! GISTLOG-01: a text log of per-processor events with counters, all processors in one file.
//!
//! The only description is a page by the format's author, which leaves gaps. Its readings, the codes of
//! faults (E) and of oddities (W), and their numbers are those of this project's notes on the format:
//!
//! * Fields of a record are `processor:event:time:counter…`. Processor, time and counters are hexadecimal,
//!   the event is decimal; `starttime` and `stoptime` are hexadecimal, `nproc` is decimal.
//! * A state is formed by two records that are adjacent in the stream of a processor.
//! * A rejected record whose processor can be read separates the records around it.
//!
//! [`scan`] reads the whole log once, on one rank: heads, the number of events of each processor, and every fault. So
//! definitions and losses are the same for any number of ranks. `Reader` brings the events of some processors, in one
//! pass over the file.
//!
//! In the model, a processor is a location in a process of its own. A state is a region, entered and left at its two
//! records. An event that forms no state is a region without duration. The counters of a record are one metric event
//! before that.

mod head;
mod meaning;
mod reader;
mod records;
mod scan;
mod source;
mod text;

pub use head::{Counters, Processors, Readings};
pub use scan::scan;
pub use source::Log;

/// The first bytes of every log of any version.
pub const MAGIC: &[u8; 8] = b"GISTLOG-";
