//! What the fields of records lead to: [`References`](crate::references::References).

mod definitions;
mod events;
pub(crate) mod kind;
mod markers;
mod snapshots;
