//! Encoders of the records of each kind of file, written by `ci/generate-records`: of those of the
//! model, and of events that stand in another file.

pub(crate) mod definitions;
pub(crate) mod events;
pub(crate) mod markers;
mod older;
pub(crate) mod snapshots;
pub(crate) mod thumbnails;
