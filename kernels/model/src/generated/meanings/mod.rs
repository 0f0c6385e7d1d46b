//! Meanings of the fields of every record, in the order in which they are stored: a file for each kind
//! of record, written by `ci/generate-records`.

mod definitions;
mod events;
mod markers;
mod snapshots;
mod thumbnails;
