//! Decoders and encoders of the records of each kind of file, written by `ci/generate-records`.

use streamfold_model::ids::StringRef;
use streamfold_model::values::TypedValue;

pub mod definitions;
pub(super) mod encoders;
pub(super) mod estimates;
pub mod events;
pub(super) mod layouts;
pub mod markers;
pub mod snapshots;
pub mod thumbnails;

/// Room for the arrays of an event, reused from one event to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    values: Vec<TypedValue>,
    strings: Vec<StringRef>,
}
