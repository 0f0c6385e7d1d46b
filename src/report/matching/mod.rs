//! What belongs together, as people and programs read it.
//!
//! docs/match.md describes the layouts. All of them show the same [`Table`]s.

mod build;
pub mod csv;
mod font;
pub mod heat;
pub mod json;
pub mod list;
mod picture;
pub mod png;
mod spans;
pub mod svg;
pub mod text;

pub use build::{tables, MatrixOf};

use streamfold_model::store::Definitions;

use super::provenance::Provenance;
use crate::matching::Outcome;

/// What a report is made from.
#[derive(Clone, Copy, Debug)]
pub struct MatchReport<'a> {
    /// The result.
    pub outcome: &'a Outcome,
    /// What its references mean.
    pub definitions: &'a Definitions,
    /// Where it comes from.
    pub provenance: &'a Provenance,
    /// What sends and receives in the communication matrix.
    pub matrix: MatrixOf,
}

/// Rows of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// For scripts.
    pub name: &'static str,
    /// For people.
    pub title: String,
    /// What is in each column.
    pub columns: Vec<Column>,
    /// A cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// What is in a column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// For scripts; times are in ticks.
    pub name: &'static str,
    /// For people; `None` where there are enough columns for them.
    pub heading: Option<&'static str>,
}

/// A value in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// There is none.
    Empty,
    /// A name.
    Text(String),
    /// A number that something is known by.
    Id(u64),
    /// How often.
    Count(u64),
    /// How many bytes.
    Bytes(u128),
    /// How long, in ticks.
    Ticks(i128),
    /// How many bytes in a second.
    Rate(u64),
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}
