//! One set of definitions from many.
//!
//! Whoever records a location numbers what it defines for itself. What two of them define is the same
//! where its content is: the fields of the record, with that to which they lead in place of numbers.
//! So each definition gets a [`Key`] from its content, which says of two of them, wherever they were
//! read, whether they are the same (and is compared with the content itself, so that nothing is
//! decided by a hash alone).
//!
//! * [`Record`] is a definition as it is compared
//! * [`Scope`] finds the keys of all definitions of one file
//! * [`incomplete`] finds out which communicator is meant where a file does not say who is in it
//! * [`numbers`] gives numbers to what has none yet
//! * [`tables`] says what a location's numbers become

mod before;
mod candidates;
mod circles;
mod content;
pub mod incomplete;
pub mod members;
pub mod numbers;
mod scope;
pub mod sides;
pub mod tables;

pub use content::{CommRefs, Content, ContentRef, Key, Record, Ref, Says, Seed, Target};
pub use scope::{AllBroken, Awaited, Broken, Global, Known, Made, Place, Resolved, Scope, Waiting};
