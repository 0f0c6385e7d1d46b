//! Code that `ci/generate-records` writes from the table of OTF2's records. Only the `mod.rs` of folders
//! without types are written by hand.

pub mod definitions;
pub mod enums;
pub mod events;
pub mod markers;
pub mod snapshots;
pub(crate) mod tables;
pub mod thumbnails;
