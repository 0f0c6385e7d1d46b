//! Items go to the rank that owns their key, in bounded rounds, and are joined there.
//!
//! Scans of locations make blocks ([`streamfold_kernels::matching::Blocks`]) for an [`Outbox`], which holds them by the
//! rank that owns them. When all have scanned, rounds of an all-to-all bring them to the [`Inbox`] of that rank
//! ([`deliver`]), which yields them in the order of their keys. Blocks that do not fit into memory go to temporary
//! files that have no name, so that nothing stays behind however the job ends.

mod exchange;
mod inbox;
mod outbox;
mod spill;

use streamfold_collective::stop::agree;
use streamfold_collective::Communicator;
use streamfold_system::exit::{Failure, Stop};

pub use exchange::Exchange;
pub use inbox::{Inbox, Sorted};
pub use outbox::{deliver, Outbox};
pub use spill::Room;

/// Ends all ranks where one of them could not write or read what it put aside; says which. Collective.
///
/// # Errors
///
/// [`Stop::Together`] where one has failed.
pub fn together<T>(ranks: &dyn Communicator, outcome: Result<T, Failure>) -> Result<T, Stop> {
    let outcome = outcome.map_err(|failure| match ranks.size() {
        1 => failure,
        _ => {
            let message = format!("rank {}: {}", ranks.rank(), failure.message);
            Failure { message, ..failure }
        }
    });
    agree(ranks, outcome)
}
