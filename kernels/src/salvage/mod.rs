//! Definitions for events whose own are lost: what there is, what a donor says, and what the events
//! themselves tell.
//!
//! * [`tidy`]: definitions as they were read, each number once
//! * [`merge`]: with those of a donor
//! * [`unclear`], [`Defined`]: what definitions say, and of what of it they do not say enough
//! * [`RankLists`]: groups of ranks that are larger than the lists of their locations
//! * [`Scan`], [`Facts`]: undefined references of events
//! * [`complete`]: a definition for everything that anything leads to, in an order that readers
//!   like
//! * [`without_gaps`]: numbers that readers like
//! * [`OpenVisits`]: what is open where a stream was cut

mod book;
mod comms;
mod complaints;
mod complete;
mod facts;
mod groups;
mod invent;
mod mend;
mod merge;
mod metrics;
mod numbers;
mod order;
mod processes;
mod ranks;
mod renumber;
mod scan;
mod tidy;
mod unclear;
mod visits;

pub use complaints::Complaints;
pub use complete::{complete, Completed, Wanted};
pub use facts::{Activity, CommUse, Facts, LocationFacts, Seen, TooMany, ValueTypes};
pub use groups::{RankGroup, RankLists};
pub use merge::{merge, Merged};
pub use numbers::{Numbers, NumbersByKind};
pub use order::ordered;
pub(crate) use renumber::may_change;
pub use renumber::{without_gaps, Renumbered};
pub use scan::Scan;
pub use tidy::{tidy, Tidied};
pub use unclear::{unclear, Defined};
pub use visits::OpenVisits;

use streamfold_model::definitions::Definition;
use streamfold_model::references::ReferenceKind;

/// Everything that has a number among these definitions.
pub fn defined(definitions: &[Definition]) -> NumbersByKind {
    let mut numbers = NumbersByKind::default();
    for (kind, number) in definitions.iter().filter_map(Definition::defines) {
        numbers.insert(kind, number);
    }
    numbers
}

/// A kind and a number, for messages.
fn named(kind: ReferenceKind, number: u64) -> String {
    format!("{} {number}", kind.name())
}
