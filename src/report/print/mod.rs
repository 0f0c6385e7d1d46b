//! The text of `streamfold print`: the bytes that `otf2-print` of OTF2 3.0.2 writes.
//!
//! A [`Printer`] is fed from the start of an archive to its end and knows no files itself:
//!
//! 1. [`Printer::title`], [`Printer::anchor`], [`Printer::thumbnail_header`] and
//!    [`Printer::thumbnail_sample`];
//! 2. [`Printer::definition`] with every global definition, printed or not: what follows takes its
//!    names from them; then [`Printer::locations`] says which locations to read;
//! 3. [`Sections::own_definitions`] with what single locations define, and [`Printer::local_definition`]
//!    with mapping tables and clock offsets;
//! 4. the events of all locations in order of time, through the
//!    [`EventVisitor`](streamfold_model::events::EventVisitor) that the printer is;
//! 5. [`Printer::snapshot`] with the snapshots, and [`Printer::finish`].
//!
//! A [`JsonPrinter`] is fed in the same way ([`Sections`], then [`Streams`]) and writes a JSON object
//! for each record.
//!
//! `names` remembers the names of definitions, `ranks` who is who in a communicator and `callers`
//! who calls whom; `line` writes labelled fields with them; the other files print one kind of
//! record each. The graph of the system tree ([`SystemTree`]) is an output of its own.

mod anchor;
mod callers;
mod definitions;
mod events;
mod json;
mod layout;
mod line;
mod local_definitions;
mod names;
mod options;
mod otf;
mod output;
mod printer;
mod ranks;
mod scope;
mod sections;
mod snapshots;
mod system_tree;
#[cfg(test)]
mod tests;
mod thumbnails;
mod values;

pub use anchor::AnchorInfo;
pub use json::{JsonPrinter, JsonRecords};
pub use names::Names;
pub use options::{Options, Timestamps};
pub use otf::{OtfOptions, OtfPrinter};
pub use printer::Printer;
pub use scope::{LocalScope, Scope};
pub use sections::{Sections, Streams};
pub use system_tree::SystemTree;
