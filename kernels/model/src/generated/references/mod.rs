//! References in the fields of records: [`References`](crate::references::References).

mod definitions;
mod events;
pub(crate) mod kind;
mod markers;
mod snapshots;
