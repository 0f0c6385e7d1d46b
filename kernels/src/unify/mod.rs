//! One set of definitions from many.
//!
//! Each location numbers its own definitions. Two definitions are the same if their content is: the fields of the
//! record, with the targets in place of numbers. So each definition gets a [`Key`] from its content, by hash. Equal
//! definitions of any two files have equal keys. Contents are compared, too, so that nothing is decided by a hash
//! alone.
//!
//! * [`Record`] is a definition as it is compared
//! * [`Scope`] finds the keys of all definitions of one file
//! * [`incomplete`] finds the communicator that is meant if a file does not record its members
//! * [`numbers`] numbers new definitions
//! * [`tables`] makes a location's mapping tables

mod before;
mod candidates;
mod content;
pub mod incomplete;
pub mod members;
pub mod numbers;
mod scope;
pub mod sides;
pub mod tables;

pub use content::{CommRefs, Content, ContentRef, Key, Record, Ref, Says, Seed, Target};
pub use scope::{AllBroken, Awaited, Broken, Global, Known, Made, Place, Resolved, Scope, Waiting};
