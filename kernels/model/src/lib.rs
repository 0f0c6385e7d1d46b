//! The model of a parallel program's trace: definitions and events, as OTF2 names them.
//!
//! Formats fill this model and kernels read it, so that neither knows the other. How a record
//! lies on disk is no part of it.
//!
//! * [`definitions`]: what events refer to; [`store::Definitions`] holds those of a whole trace
//! * [`events`]: the events of a location, and the [`events::EventVisitor`] that receives them
//! * [`calls`]: the same for runs of enters and leaves, and messages between them
//! * [`snapshots`], [`markers`], [`thumbnails`]: the other things a trace may hold
//! * [`ids`], [`enums`], [`values`]: what their fields are made of
//! * [`fields`]: any record as a list of names and values; [`references`]: what its fields lead to
//! * [`renaming`]: mapping tables of a location, and references that stand for others

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod macros;

pub mod calls;
pub mod fields;
mod generated;
pub mod ids;
pub mod references;
pub mod renaming;
pub mod store;
pub mod stream;
pub mod values;

pub use generated::{definitions, enums, events, markers, snapshots, thumbnails};
