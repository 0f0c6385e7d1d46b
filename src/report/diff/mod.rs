//! Comparisons of runs, as people and programs read them.
//!
//! docs/use/diff.md describes the layouts.

mod answer;
mod flame;
pub mod junit;
pub mod markdown;
mod tables;
pub mod text;

pub use text::is_wanted;

use streamfold_model::store::Definitions;

use super::provenance::Provenance;
use super::tables::{Schema, PICOSECONDS};
use streamfold_analyses::compare::{CompareBy, Comparison, Run};

/// The layout of JSON and HDF5.
const SCHEMA: Schema = Schema { command: "diff", version: "1.0" };

/// Limits of changes, as parts of a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// More time than before by this part of it; `None`: nothing is too much.
    pub fail_over: Option<f64>,
    /// Changes below this part of all time before are no matter.
    pub min: f64,
}

/// Report on two sets of runs.
#[derive(Debug)]
pub struct DiffReport<'a> {
    /// Kind of the rows.
    pub by: CompareBy,
    /// The runs before and after.
    pub runs: [&'a [Run]; 2],
    /// Their comparison.
    pub comparison: &'a Comparison,
    /// Limits above which a change is too much.
    pub limits: Limits,
    /// Of no trace: there are several.
    definitions: Definitions,
    provenance: Provenance,
}

impl<'a> DiffReport<'a> {
    /// A report on a comparison, which these options made.
    pub fn new(
        by: CompareBy,
        runs: [&'a [Run]; 2],
        comparison: &'a Comparison,
        limits: Limits,
        options: Vec<(String, String)>,
    ) -> Self {
        let names = runs.map(|runs| runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>());
        let provenance = Provenance {
            program: concat!("streamfold ", env!("CARGO_PKG_VERSION")).to_owned(),
            input: names.map(|names| names.join(", ")).join(" and "),
            trace_identifier: String::new(),
            creator: String::new(),
            options,
            timer_resolution: PICOSECONDS,
            loss_count: runs.iter().flat_map(|runs| runs.iter()).map(|run| run.losses).sum(),
            losses: Vec::new(),
        };
        DiffReport { by, runs, comparison, limits, definitions: Definitions::default(), provenance }
    }

    /// The rows that take too much time, and `true` where the whole does.
    pub fn failing(&self) -> (Vec<usize>, bool) {
        let Some(part) = self.limits.fail_over else { return (Vec::new(), false) };
        let rows = self.comparison.rows.iter().enumerate();
        let rows = rows.filter(|(_, row)| {
            row.change.exceeds(part) && self.comparison.is_large(&row.change, self.limits.min)
        });
        (rows.map(|(number, _)| number).collect(), self.comparison.whole().exceeds(part))
    }

    /// Returns a sentence about each row that takes too much time, and about the whole.
    pub fn failures(&self) -> Vec<String> {
        let (rows, whole) = self.failing();
        let whole = whole.then(|| answer::failure("the whole", self.comparison.whole()));
        let rows = rows.into_iter().map(|number| {
            let row = &self.comparison.rows[number];
            answer::failure(&row.label, &row.change)
        });
        whole.into_iter().chain(rows).collect()
    }

    /// Returns the noun for one row.
    fn noun(&self) -> &'static str {
        match self.by {
            CompareBy::Region => "region",
            CompareBy::Callpath => "call path",
            CompareBy::Waits => "metric",
        }
    }
}
