//! The graph in the language of Graphviz.

use std::io::{self, Write};

use streamfold_kernels::dfg::{END, START};

use super::svg::{colour_of_edge, labels, look_of_node};
use super::{DfgReport, Drawing};
use crate::colours::hex;

/// Writes it.
pub(super) fn write(out: &mut dyn Write, report: &DfgReport, drawing: &Drawing) -> io::Result<()> {
    let graph = &report.graph;
    writeln!(out, "digraph dfg {{")?;
    writeln!(out, "  node [shape=box, style=filled, fontname=\"monospace\"];")?;
    writeln!(out, "  start [label={}, shape=circle, fillcolor=\"#ffffff\"];", quoted(START))?;
    writeln!(out, "  end [label={}, shape=circle, fillcolor=\"#ffffff\"];", quoted(END))?;
    for (place, named) in graph.nodes.iter().enumerate() {
        let (fill, text) = look_of_node(report, drawing, place);
        if drawing.hidden.contains(&named.name) {
            writeln!(out, "  n{place} [label=\"\", shape=point];")?;
            continue;
        }
        let label = labels(report, place).join("\n");
        writeln!(
            out,
            "  n{place} [label={}, fillcolor=\"{}\", fontcolor=\"{}\"];",
            quoted(&label),
            hex(fill),
            hex(text),
        )?;
    }
    let name = |place: Option<usize>, outside: &str| match place {
        Some(place) => format!("n{place}"),
        None => outside.to_owned(),
    };
    for edge in graph.edges.iter().filter(|edge| edge.count >= drawing.least) {
        writeln!(
            out,
            "  {} -> {} [label=\"{}\", color=\"{}\"];",
            name(edge.from, "start"),
            name(edge.to, "end"),
            edge.count,
            hex(colour_of_edge(report, edge)),
        )?;
    }
    writeln!(out, "}}")
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
