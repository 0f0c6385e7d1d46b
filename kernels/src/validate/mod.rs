//! Defects of a trace: references, nesting, order, types, and pairs of events.
//!
//! Everything here receives the position of each record and returns defects; unreadable records are the reader's
//! business. `docs/use/validate.md` describes each defect.
//!
//! * [`Rules`]: the global definitions, prepared for looking up
//! * [`FirstLook`], [`SecondLook`]: the events of one location
//! * [`confirm`]: tells which ends that one location lacks no other one of its process has
//! * [`DefinitionScan`], [`mapping_table`], [`SnapshotScan`], [`MarkerScan`], [`ThumbnailScan`]: the
//!   records of other files

mod code;
mod conventions;
mod definitions;
mod elsewhere;
mod events;
mod first;
mod known;
mod look;
mod order;
mod others;
mod pairs;
mod rules;
mod scan;
mod second;
mod sink;
mod tasks;

pub use code::{Code, Severity};
pub use definitions::{mapping_table, DefinitionScan};
pub use elsewhere::{confirm, Confirmed, Others, Suspect};
pub use first::FirstLook;
pub use known::{may_be_undefined, Known};
pub use order::is_suspicious;
pub use others::{MarkerScan, SnapshotScan, ThumbnailScan};
pub use rules::Rules;
pub use second::SecondLook;
pub use sink::{Collector, Mark, Sink, Teller, Told};
pub(crate) use tasks::{Stack, Stacks};
