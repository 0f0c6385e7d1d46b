//! streamfold folds the event streams of a parallel program's trace into profiles.
//!
//! The program `streamfold` is a thin layer over this library:
//!
//! * [`formats`] read traces and hand their events to an
//!   [`EventVisitor`](model::events::EventVisitor); [`formats::otf2`] has an example
//! * [`model`] is what they read: definitions and events, independent of any format
//! * [`kernels`] are the analyses: pure, and folding in any order
//! * [`drive`] brings them together: opens a trace once, lets every rank scan its share
//!   ([`selection`]), folds the results over the ranks ([`collective`])
//! * [`validate`] reads everything there is of a trace and says what is wrong with it
//! * [`matching`] finds what belongs together: messages, collective operations ([`rounds`])
//! * [`waitstates`] finds who waited for whom, and where all time went
//! * [`merge`] brings the events of all locations into one order, for those who need it
//! * [`rewrite`] makes archives from archives
//! * [`info`] is what a trace says of itself, without its events
//! * [`report`] shows results to people and to programs
//!
//! It needs neither MPI nor HDF5 (`default-features = false`).

#![warn(missing_docs)]

pub mod analyses;
pub mod cli;
pub mod collective;
pub mod drive;
pub mod formats;
pub mod report;
pub mod rewrite;
pub mod system;

pub use streamfold_kernels as kernels;
pub use streamfold_model as model;
