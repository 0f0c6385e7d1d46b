//! A report of one trace, or of two, as a page: one file that needs no network.

mod compare;
mod sections;

use std::io::{self, Write};

use crate::time_line::Visits;
use askama::Template;
use streamfold_model::store::Definitions;

use super::efficiency::Run;
use super::provenance::Provenance;
use super::tables::html::HtmlTable;
use streamfold_analyses as analyses;
use streamfold_analyses::critical::CriticalPath;

pub use compare::ComparisonPage;

/// Input of a page.
#[derive(Clone, Copy, Debug)]
pub struct PageReport<'a> {
    /// How well processors are used.
    pub run: &'a Run,
    /// Waits, and the profile.
    pub waits: &'a analyses::waitstates::Outcome,
    /// The critical path, and the account of its time.
    pub critical: Option<&'a (CriticalPath, analyses::account::Outcome)>,
    /// Messages, files and memory of others.
    pub matched: Option<&'a analyses::matching::Outcome>,
    /// Files.
    pub io: Option<&'a analyses::io::Outcome>,
    /// Definitions that the references of all of them lead to.
    pub definitions: &'a Definitions,
    /// Provenance of the report.
    pub provenance: &'a Provenance,
    /// The title; `None`: that of the program.
    pub title: Option<&'a str>,
    /// Oddities of the trace that may make numbers wrong.
    pub warnings: &'a [String],
    /// Squares on a side of the matrix at most.
    pub squares: usize,
    /// How long the longest bar of a process is, in ticks; `None`: as long as that of this run.
    pub longest: Option<u64>,
    /// Rows of pictures over time at most.
    pub rows: u32,
    /// The longest visits, for the time line. `None`: it is not wanted.
    pub visits: Option<&'a Visits>,
}

/// The page.
#[derive(Template)]
#[template(path = "page.html")]
struct Page {
    title: String,
    subtitle: String,
    verdict: Vec<String>,
    facts: Vec<(String, String)>,
    sections: Vec<Section>,
    warnings: Vec<String>,
    losses: Vec<String>,
    loss_count: u64,
    program: String,
    /// The style of the time line.
    style: &'static str,
}

/// A part of the page.
#[derive(Default)]
struct Section {
    id: String,
    title: String,
    texts: Vec<String>,
    factors: Vec<FactorRow>,
    legend: Vec<(String, &'static str)>,
    bars: Vec<Bar>,
    pictures: Vec<String>,
    /// A part of the page for a time line, or nothing.
    time_line: String,
    tables: Vec<HtmlTable>,
    note: String,
}

/// An efficiency.
struct FactorRow {
    indent: usize,
    title: &'static str,
    value: String,
    percent: String,
}

/// The bar of a process, or of several.
struct Bar {
    name: String,
    label: String,
    /// The colour, and the width in percent.
    parts: Vec<(String, String)>,
    /// From the least to the most computation of several: where it begins, and how wide it is, in percent.
    band: Option<(String, String)>,
    value: String,
}

impl PageReport<'_> {
    /// Writes the page.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.page().write(out)
    }
}

impl Page {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = self.render().map_err(io::Error::other)?;
        out.write_all(text.as_bytes())
    }
}
