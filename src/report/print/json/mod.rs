//! `streamfold print --json`: a JSON object on each line.
//!
//! The names and meanings of a record's fields come from the generated
//! [`Record`](streamfold_model::fields::Record), so that no kind of record is forgotten.
//! docs/use/print.md describes the lines.

mod fields;
mod lines;
mod names;
mod printer;
mod records;

pub use printer::JsonPrinter;
pub use records::JsonRecords;
