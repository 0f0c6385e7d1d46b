//! Records as lists of names and values: [`Record`](crate::fields::Record).

mod definitions;
mod events;
mod markers;
mod snapshots;
mod thumbnails;
