//! Reports on messages, operations and spans, for people and programs.
//!
//! docs/use/match.md describes the layouts. All of them show the same tables.

mod build;
mod files;
pub mod heat;
pub mod list;
mod matrix;
mod messages;
mod operations;
pub mod picture;
pub mod sites;
mod spans;
#[cfg(test)]
mod tests;
pub mod text;

use build::tables;
pub use matrix::MatrixOf;

use serde_json::json;
use streamfold_kernels::matching::Processes;
use streamfold_model::store::Definitions;

use super::provenance::Provenance;
use super::tables::{Schema, TableReport};
use streamfold_analyses::matching::Outcome;

/// The layout of JSON and HDF5.
const SCHEMA: Schema = Schema { command: "match", version: "1.3" };

/// Input of a report.
#[derive(Clone, Copy, Debug)]
pub struct MatchReport<'a> {
    /// The result.
    pub outcome: &'a Outcome,
    /// Definitions that its references lead to.
    pub definitions: &'a Definitions,
    /// The processes that these define.
    pub processes: &'a Processes,
    /// Provenance of the report.
    pub provenance: &'a Provenance,
    /// Senders and receivers of the communication matrix.
    pub matrix: MatrixOf,
    /// The files of the examples of messages with one end, in the order of these.
    pub files: &'a [String],
}

impl<'a> MatchReport<'a> {
    /// All tables, with what outputs for scripts say of them.
    pub fn table_report(&self) -> TableReport<'a> {
        let MatchReport { definitions, provenance, matrix, .. } = *self;
        let resolution = provenance.timer_resolution;
        let units = json!({ "time": "ticks", "ticks_per_second": resolution, "bytes": "bytes",
            "rate": "bytes per second" });
        let more = vec![("units", units), ("matrix_of", matrix.name().into())];
        TableReport { schema: SCHEMA, provenance, definitions, more, tables: tables(self) }
    }
}
