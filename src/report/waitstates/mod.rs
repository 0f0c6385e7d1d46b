//! Wait states, as people and programs read them.
//!
//! docs/waitstates.md describes the layouts. All of them show the same [`Table`]s.

mod build;
pub mod text;

pub use build::tables;

use streamfold_model::store::Definitions;

use super::matching::{Cell, Column, Table};
use super::provenance::Provenance;
use crate::waitstates::Outcome;

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
