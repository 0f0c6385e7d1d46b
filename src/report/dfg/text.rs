//! The answer, then tables, for people.

use std::io::{self, Write};

use super::tables::{edges, nodes, variants};
use super::{DfgReport, Side};
use crate::tables::text::{write as write_table, Look, Shown};
use streamfold_text::human;

/// Writes it.
pub(super) fn write(
    out: &mut dyn Write,
    report: &DfgReport,
    top: usize,
    width: Option<usize>,
) -> io::Result<()> {
    let graph = &report.graph;
    writeln!(out, "{}", human::visible(&report.provenance.input))?;
    let all = graph.cases + graph.empty;
    writeln!(
        out,
        "{} in {}: {}, {}",
        human::plural(graph.events(), "event"),
        human::plural(all, "case"),
        human::counted(graph.nodes.len() as u64, ["activity", "activities"]),
        human::plural(graph.edges.len() as u64, "edge"),
    )?;
    if graph.empty > 0 {
        let cases = human::plural(graph.empty, "case");
        writeln!(out, "{cases} without any event that has an activity")?;
    }
    answer(out, report)?;
    let spared = &["cases", "longest", "failed", "overlap", "window", "rate", "% a", "% b"];
    let seldom = &["failed", "bytes", "rate", "in"];
    let look = Look { resolution: report.provenance.timer_resolution, top, width, spared, seldom };
    writeln!(out)?;
    let table = nodes(report);
    Shown::first(&table, top, |_| true, |_| ()).write(out, &table, &look)?;
    writeln!(out)?;
    let table = edges(report);
    Shown::first(&table, top, |_| true, |_| ()).write(out, &table, &look)?;
    if !graph.variants.is_empty() {
        writeln!(out)?;
        write_table(out, &variants(report), &look)?;
    }
    Ok(())
}

/// A sentence or two.
fn answer(out: &mut dyn Write, report: &DfgReport) -> io::Result<()> {
    let graph = &report.graph;
    // Of equal ones the first.
    let longest = graph.nodes.iter().rev().max_by_key(|node| node.node.duration);
    if let Some(longest) = longest.filter(|longest| longest.node.duration > 0) {
        writeln!(
            out,
            "Most time goes into {}: {} % of {}, in {}.",
            human::visible(&longest.name),
            human::percent(longest.node.duration, graph.duration()),
            human::time(graph.duration(), report.provenance.timer_resolution),
            human::plural(longest.node.count, "event"),
        )?;
    }
    let Some(comparison) = &report.comparison else { return Ok(()) };
    let [a, b] = &comparison.names;
    for (side, name) in [(Side::First, a), (Side::Second, b)] {
        let nodes = graph.nodes.iter();
        let nodes = nodes.filter(|node| report.side_of_node(&node.name) == Some(side)).count();
        let edges = graph.edges.iter();
        let edges = edges.filter(|edge| report.side_of_edge(edge) == Some(side)).count();
        writeln!(
            out,
            "Only in {} ({}): {}, {}.",
            side.name(),
            human::visible(name),
            human::counted(nodes as u64, ["activity", "activities"]),
            human::plural(edges as u64, "edge"),
        )?;
    }
    Ok(())
}
