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
//!
//! ```
//! use streamfold_model::events::{Enter, EventKind, EventVisitor};
//! use streamfold_model::ids::{LocationRef, RegionRef};
//! use streamfold_model::stream::{EventHead, EventSet};
//! use streamfold_model::values::Ticks;
//!
//! /// Counts visits. A reader decodes no other records for it.
//! #[derive(Default)]
//! struct Visits(u64);
//!
//! impl EventVisitor for Visits {
//!     const WANTS: EventSet = EventSet::of(&[EventKind::Enter]);
//!
//!     fn enter(&mut self, _: &EventHead<'_>, _: Enter) {
//!         self.0 += 1;
//!     }
//! }
//!
//! let mut visits = Visits::default();
//! let head = EventHead { location: LocationRef(0), number: 1, time: Ticks(10), attributes: &[] };
//! visits.enter(&head, Enter { region: RegionRef(0) });
//! assert_eq!(visits.0, 1);
//! ```

#![forbid(unsafe_code)]

mod macros;

pub mod calls;
pub mod fields;
mod generated;
pub mod ids;
pub mod references;
pub mod renaming;
pub mod store;
pub mod stream;
pub mod system_calls;
pub mod values;

pub use generated::{definitions, enums, events, markers, snapshots, thumbnails};

/// The example of the crate's page, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
