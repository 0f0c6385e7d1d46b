//! Directly-follows graphs: tables for people and scripts, and pictures.

mod compared;
mod dot;
mod html;
mod layout;
mod shown;
mod svg;
mod tables;
mod text;
mod timeline;

use std::io::{self, Write};

use streamfold_kernels::dfg::Graph;

pub use compared::Side;
pub use tables::report;

use crate::provenance::Provenance;
use crate::raster;

/// Two parts of the cases that are compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Names of the parts.
    pub names: [String; 2],
    /// Their graphs.
    pub graphs: [Graph; 2],
}

/// Report on cases.
#[derive(Clone, Debug)]
pub struct DfgReport {
    /// Provenance of the report.
    pub provenance: Provenance,
    /// The graph of all cases.
    pub graph: Graph,
    /// Two parts of them.
    pub comparison: Option<Comparison>,
    /// Files that were read.
    pub files: Vec<FileRow>,
}

/// Facts of a file that was read.
#[derive(Clone, Debug)]
pub struct FileRow {
    /// Its case.
    pub case: String,
    /// The file.
    pub path: String,
    /// Forms of its times.
    pub times: String,
    /// Lines by kind, in the order of the format's documentation.
    pub lines: Vec<(&'static str, u64)>,
    /// Bytes of text.
    pub bytes: u64,
}

/// By what nodes are coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// The part of the time of all activities.
    #[default]
    Time,
    /// Events.
    Count,
    /// Bytes.
    Bytes,
    /// The mean rate.
    Rate,
}

/// Choice of nodes, edges and colours that are drawn.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// By what nodes are coloured, where no parts are compared.
    pub colour: ColourBy,
    /// Activities that are not drawn; their edges end in a dot.
    pub hidden: Vec<String>,
    /// Edges that are rarer are not drawn.
    pub least: u64,
    /// Activities that are drawn at most: those with the most time. A page shows more, too.
    pub most: usize,
    /// The activity whose timeline is drawn, in place of the graph.
    pub timeline: Option<String>,
}

/// Sentences about what the picture of the graph has no room for. Tables have all of it.
pub fn left_out(report: &DfgReport, drawing: &Drawing) -> Vec<String> {
    shown::Shown::new(report, drawing, drawing.most).left_out
}

/// Writes the picture as SVG.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_svg(out: &mut dyn Write, report: &DfgReport, drawing: &Drawing) -> io::Result<()> {
    match &drawing.timeline {
        Some(activity) => timeline::write_svg(out, report, activity),
        None => out.write_all(svg::svg(report, drawing, drawing.most).as_bytes()),
    }
}

/// Writes the picture as PNG.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_png(out: &mut dyn Write, report: &DfgReport, drawing: &Drawing) -> io::Result<()> {
    let mut picture = Vec::new();
    write_svg(&mut picture, report, drawing)?;
    raster::write_png(out, &String::from_utf8_lossy(&picture))
}

/// Writes a page that needs nothing else: the picture, with sliders and a search.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_html(out: &mut dyn Write, report: &DfgReport, drawing: &Drawing) -> io::Result<()> {
    html::write(out, report, drawing)
}

/// Writes the graph in the language of Graphviz.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_dot(out: &mut dyn Write, report: &DfgReport, drawing: &Drawing) -> io::Result<()> {
    dot::write(out, report, drawing)
}

/// Writes the answer and tables for people.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_text(
    out: &mut dyn Write,
    report: &DfgReport,
    drawing: &Drawing,
    top: usize,
    width: Option<usize>,
) -> io::Result<()> {
    text::write(out, report, top, width)?;
    match &drawing.timeline {
        Some(activity) => {
            writeln!(out)?;
            timeline::write_text(out, report, activity, top)
        }
        None => Ok(()),
    }
}
