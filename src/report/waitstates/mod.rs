//! Wait states, as people and programs read them.
//!
//! docs/use/waitstates.md describes the layouts. All of them show the same tables.

mod build;
pub mod text;

use build::tables;
use serde_json::json;
use streamfold_model::store::Definitions;

use super::provenance::Provenance;
use super::tables::{Schema, TableReport};
use crate::analyses::waitstates::Outcome;

/// The layout of JSON and HDF5.
const SCHEMA: Schema = Schema { command: "waitstates", version: "1.2" };

/// What a report is made from.
#[derive(Clone, Copy, Debug)]
pub struct WaitReport<'a> {
    /// The result.
    pub outcome: &'a Outcome,
    /// What its references mean.
    pub definitions: &'a Definitions,
    /// Where it comes from.
    pub provenance: &'a Provenance,
}

impl<'a> WaitReport<'a> {
    /// All tables, with what outputs for scripts say of them.
    pub fn table_report(&self) -> TableReport<'a> {
        let WaitReport { definitions, provenance, .. } = *self;
        let resolution = provenance.timer_resolution;
        let units = json!({ "time": "ticks", "ticks_per_second": resolution });
        let more = vec![("units", units)];
        TableReport { schema: SCHEMA, provenance, definitions, more, tables: tables(self) }
    }
}
