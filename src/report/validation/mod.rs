//! Defects of a trace: for people, and for programs.

pub mod json;
pub mod text;

use std::io;

use streamfold_analyses::validate::{Defect, Outcome};
use streamfold_formats::Source;

/// Hands over one defect after another, in the order of files.
pub type Each<'a> = dyn Fn(&mut dyn FnMut(&Defect) -> io::Result<()>) -> io::Result<()> + 'a;

/// Input of a report.
pub struct ValidationReport<'a> {
    /// The trace, as given on the command line.
    pub input: String,
    /// Its files.
    pub source: &'a dyn Source,
    /// Outcome of the validation.
    pub outcome: &'a Outcome,
    /// Number of defects of each kind that are told; `None`: all.
    pub limit: Option<u64>,
    /// Those that are told.
    pub each: &'a Each<'a>,
}

impl ValidationReport<'_> {
    /// How many of `count` defects of one kind are told.
    fn told(&self, count: u64) -> u64 {
        self.limit.map_or(count, |limit| count.min(limit))
    }
}
