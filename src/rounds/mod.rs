//! Items go to the rank that owns their key, in bounded rounds, and are joined there.
//!
//! Scans of locations make blocks ([`streamfold_kernels::matching::Blocks`]) for an [`Outbox`], which
//! holds them by the rank that owns them. When all have scanned, rounds of an all-to-all bring
//! them to the [`Inbox`] of that rank ([`deliver`]), which yields them in the order of their keys. What does
//! not fit into the memory that a box may use goes to temporary files that have no name, so that
//! nothing stays behind whatever ends the job.

mod aside;
mod inbox;
mod mail;
mod outbox;
mod spill;

pub use inbox::{Inbox, Sorted};
pub use mail::Mail;
pub use outbox::{deliver, Outbox};
pub use spill::Room;
