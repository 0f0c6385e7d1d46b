//! Matching: the two ends of messages, the members of collective operations, the start and the end of accesses to
//! windows and to files.
//!
//! One pass over each location makes [`Blocks`] of items, each with the [`Key`] of its match and an [`Order`] there.
//! The driver of the kernel brings all blocks of a key to one rank, in order. There [`join`] matches the first item of
//! one side with the first of the other. No item waits for a partner: items that are left after the join have none.
//!
//! The rules are these:
//!
//! - The key of a message is its communicator, sending process, receiving process, and tag. Sends
//!   are in the order of their records, receives in that in which they were posted: at the record of a
//!   receive that blocks, at the request of one that does not. MPI's messages do not overtake each
//!   other in that order. Tag and source are those of the completed receive.
//! - A process is a location group. Records of several of its locations are in the order of time. Those of one location
//!   are in the order of its stream, even if its clock goes back.
//! - Cancelled operations take no part; nor does a receive that never completes, since its sender is unknown. A
//!   completed receive without a recorded request (recording was off, or the recorder leaves it out) counts as posted
//!   where it was completed.
//! - The number of a request may be used again once its operation is over. If it is used again before that, the end was
//!   not recorded.
//! - Another location of the process may have the missing end of a request. Ends that are left of a number in a process
//!   are joined in the order of time.

mod block;
mod chosen;
pub mod classes;
pub mod collectives;
pub mod epochs;
pub mod io;
mod items;
mod join;
mod lanes;
pub mod listed;
pub mod matched;
pub mod messages;
mod opened;
pub mod pairs;
mod partners;
pub mod paths;
mod recurring;
pub mod requests;
pub mod rma;
mod scan;
pub mod sites;
#[cfg(test)]
pub(crate) mod sorted;
mod spans;
pub mod threads;
pub mod totals;

pub use block::{BlockHead, Blocks, Item, Key, Order, Sink, Source};
pub use chosen::Chosen;
pub use items::Items;
pub use join::{join, Receiver, Side};
pub use partners::{Partners, Process, Processes, Side as GroupSide};
pub use scan::{Found, MatchKernel, MatchScan, Sinks, Worker};
pub use spans::Spans;

/// For items of other kernels.
pub(crate) mod coding {
    pub(crate) use super::block::{put, put_change, take, take_change};
}
pub(crate) use epochs::Followed;
pub(crate) use lanes::{Lanes, Outgoing};
pub(crate) use partners::PartnerCache;
pub(crate) use recurring::RecurringSums;
pub(crate) use requests::RequestRoom;

use serde::{Deserialize, Serialize};

/// How often, and how many bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// How often.
    pub count: u64,
    /// How many bytes in all.
    pub bytes: u128,
}

impl Amount {
    /// Once more.
    pub fn count(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes += u128::from(bytes);
    }

    /// Adds that of others.
    pub fn add(&mut self, other: &Amount) {
        self.count += other.count;
        self.bytes += other.bytes;
    }
}
