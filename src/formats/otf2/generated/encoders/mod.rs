//! Encoders of the records of each kind of file, written by `ci/generate-records`: of those of the
//! model, and of events that stand in another file.

pub mod definitions;
pub mod events;
pub mod markers;
mod older;
pub mod snapshots;
pub mod thumbnails;
