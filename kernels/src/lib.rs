//! Analyses of event streams: pure, without files, MPI, clocks or output.
//!
//! A [`Kernel`] sees the events of one location after another and folds them into partial
//! results, which fold among each other into one, whatever the order. A driver brings the events:
//! it may run several workers at once, on threads and on ranks.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod profile;
mod renaming;
pub mod validate;

pub use renaming::{Mapping, Renaming};

use serde::de::DeserializeOwned;
use serde::Serialize;
use streamfold_model::events::EventVisitor;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;
use streamfold_model::stream::StreamSummary;

/// An analysis in the stages of the house: scan each location, fold what was found.
pub trait Kernel: Sync {
    /// What one thread holds while it scans one location after another.
    type Worker: Send;

    /// Receives the events of one location.
    type Scan<'w>: EventVisitor
    where
        Self: 'w;

    /// What is known of some locations. Folding is associative and commutative, and exact.
    type Partial: Send + Serialize + DeserializeOwned;

    /// Knows nothing yet.
    fn worker(&self) -> Self::Worker;

    /// What the references in the events of the next location shall be, given the definitions that
    /// only this location has and its mapping tables. By default what they are.
    fn rename(&self, _: &mut Self::Worker, _own: &Definitions, _: &dyn Mapping) -> Renaming {
        Renaming::default()
    }

    /// Begins with a location.
    fn scan<'w>(&'w self, worker: &'w mut Self::Worker, location: LocationRef) -> Self::Scan<'w>;

    /// Ends with a location: all of its events that could be read were delivered.
    fn end(&self, scan: Self::Scan<'_>, summary: &StreamSummary);

    /// What the worker found in all of its locations.
    fn partial(&self, worker: Self::Worker) -> Self::Partial;

    /// Both together.
    fn fold(&self, into: Self::Partial, other: Self::Partial) -> Self::Partial;
}
