//! The tables of a graph: activities, edges, variants, files.

use serde_json::json;
use streamfold_kernels::dfg::{Graph, Node, END, START};
use streamfold_model::store::Definitions;

use super::compared::{count, node};
use super::DfgReport;
use crate::tables::{columns, ticks, Cell, Column, Row, Schema, Table, TableReport};
use streamfold_formats::strace::Lines;

/// The layout of outputs for scripts.
const SCHEMA: Schema = Schema { command: "dfg", version: "1.0" };

/// Of an activity.
const NODE: [(&str, &str); 18] = [
    ("activity", "activity"),
    ("count", "events"),
    ("cases", "cases"),
    ("duration", "time"),
    ("share_percent", "%"),
    ("bytes", "bytes"),
    ("sized", ""),
    ("rate", "rate"),
    ("rated", ""),
    ("concurrency_window", "window"),
    ("concurrency_overlap", "overlap"),
    ("failed", "failed"),
    ("shortest", ""),
    ("longest", "longest"),
    ("first", ""),
    ("last", ""),
    ("in", "in"),
    ("place", ""),
];

/// Of an activity in one of two parts.
const IN_PARTS: [(&str, &str); 8] = [
    ("count_a", "events a"),
    ("count_b", "events b"),
    ("duration_a", "time a"),
    ("duration_b", "time b"),
    ("share_percent_a", "% a"),
    ("share_percent_b", "% b"),
    ("bytes_a", ""),
    ("bytes_b", ""),
];

const EDGE: [(&str, &str); 6] = [
    ("from", "from"),
    ("to", "to"),
    ("count", "times"),
    ("in", "in"),
    ("count_a", "times a"),
    ("count_b", "times b"),
];

const VARIANT: [(&str, &str); 3] =
    [("cases", "cases"), ("length", "events"), ("activities", "activities")];

const TIMELINE: [(&str, &str); 4] =
    [("case", "case"), ("start", "start"), ("duration", "time"), ("bytes", "bytes")];

/// All tables. Columns of parts are there where parts are compared.
pub fn report<'a>(of: &'a DfgReport, definitions: &'a Definitions) -> TableReport<'a> {
    let graph = &of.graph;
    let total = of.files.iter().fold(vec![0; Lines::MEANINGS.len()], |mut sums, file| {
        sums.iter_mut().zip(&file.lines).for_each(|(sum, (_, count))| *sum += count);
        sums
    });
    let lines = Lines::MEANINGS.iter().map(|(name, _)| *name).zip(total);
    let lines: serde_json::Map<String, serde_json::Value> =
        lines.map(|(name, count)| (name.to_owned(), json!(count))).collect();
    let mut more = vec![
        ("cases", json!(graph.cases)),
        ("empty_cases", json!(graph.empty)),
        ("events", json!(graph.events())),
        ("total_duration", json!(graph.duration())),
    ];
    if !of.files.is_empty() {
        more.push(("lines", lines.into()));
    }
    if let Some(comparison) = &of.comparison {
        let part = |number: usize| {
            let Graph { cases, empty, .. } = &comparison.graphs[number];
            let duration = comparison.graphs[number].duration();
            json!({
                "name": comparison.names[number], "cases": cases, "empty_cases": empty,
                "events": comparison.graphs[number].events(), "total_duration": duration,
            })
        };
        more.push(("compared", json!({"a": part(0), "b": part(1)})));
    }
    let tables = vec![nodes(of), edges(of), variants(of), timeline(of), files(of)];
    TableReport { schema: SCHEMA, provenance: &of.provenance, definitions, more, tables }
}

fn is_compared(of: &DfgReport) -> bool {
    of.comparison.is_some()
}

fn rate(node: &Node) -> Cell {
    node.mean_rate_thousandths().map_or(Cell::Empty, Cell::ExactRate)
}

fn bytes(node: &Node) -> Cell {
    match node.sized {
        0 => Cell::Empty,
        _ => Cell::Bytes(node.bytes),
    }
}

/// The activities, the one with the most time first.
pub(super) fn nodes(of: &DfgReport) -> Table<'_> {
    let graph = &of.graph;
    let total = graph.duration();
    let mut headings: Vec<Column> = columns(&NODE);
    if is_compared(of) {
        headings.extend(columns(&IN_PARTS));
    }
    let mut order: Vec<usize> = (0..graph.nodes.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(graph.nodes[*place].node.duration));
    let row = |place: &usize| {
        let named = &graph.nodes[*place];
        let node = &named.node;
        let concurrency = |of: fn(&streamfold_kernels::dfg::Concurrency) -> u64| {
            named.concurrency.as_ref().map_or(Cell::Empty, |found| Cell::Count(of(found)))
        };
        let mut row: Row = vec![
            named.name.as_str().into(),
            Cell::Count(node.count),
            Cell::Count(node.cases),
            ticks(node.duration),
            Cell::Share(node.duration, total),
            bytes(node),
            Cell::Count(node.sized),
            rate(node),
            Cell::Count(node.rated),
            concurrency(|found| found.window),
            concurrency(|found| found.overlap),
            Cell::Count(node.failed),
            Cell::Ticks(node.shortest.into()),
            Cell::Ticks(node.longest.into()),
            Cell::Ticks(node.first.into()),
            Cell::Ticks(node.last.into()),
            of.side_of_node(&named.name).map_or(Cell::Empty, |side| side.name().into()),
            Cell::Id(*place as u64),
        ];
        if let Some(comparison) = &of.comparison {
            row.extend(in_parts(&comparison.graphs, &named.name));
        }
        row
    };
    let rows = order.iter().map(row).collect();
    Table::of_rows("nodes", "Activities", headings, rows)
}

fn in_parts(graphs: &[Graph; 2], name: &str) -> Row {
    let nothing = Node::default();
    let of = |part: usize| node(&graphs[part], name).unwrap_or(&nothing);
    vec![
        Cell::Count(of(0).count),
        Cell::Count(of(1).count),
        ticks(of(0).duration),
        ticks(of(1).duration),
        Cell::Share(of(0).duration, graphs[0].duration()),
        Cell::Share(of(1).duration, graphs[1].duration()),
        bytes(of(0)),
        bytes(of(1)),
    ]
}

/// Returns the table of edges, the most frequent first.
pub(super) fn edges(of: &DfgReport) -> Table<'_> {
    let graph = &of.graph;
    let count_of_columns = if is_compared(of) { EDGE.len() } else { 3 };
    let mut order: Vec<usize> = (0..graph.edges.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(graph.edges[*place].count));
    let row = |place: &usize| {
        let edge = &graph.edges[*place];
        let mut row: Row = vec![
            graph.name_of(edge.from, START).into(),
            graph.name_of(edge.to, END).into(),
            Cell::Count(edge.count),
        ];
        if let Some(comparison) = &of.comparison {
            row.push(of.side_of_edge(edge).map_or(Cell::Empty, |side| side.name().into()));
            let [a, b] = &comparison.graphs;
            row.push(Cell::Count(count(graph, a, edge)));
            row.push(Cell::Count(count(graph, b, edge)));
        }
        row
    };
    let rows = order.iter().map(row).collect();
    Table::of_rows("edges", "What follows on what", columns(&EDGE[..count_of_columns]), rows)
}

/// Sequences of whole cases.
pub(super) fn variants(of: &DfgReport) -> Table<'_> {
    let graph = &of.graph;
    let rows = graph.variants.iter().map(|variant| {
        let names = variant.activities.iter().map(|place| graph.nodes[*place].name.as_str());
        let length = variant.activities.len() as u64;
        let names: Vec<&str> = names.collect();
        vec![Cell::Count(variant.cases), Cell::Count(length), names.join(" → ").into()]
    });
    Table::of_rows("variants", "Variants", columns(&VARIANT), rows.collect())
}

/// The events of one activity.
fn timeline(of: &DfgReport) -> Table<'_> {
    let events = of.graph.timeline.iter();
    let events = events.flat_map(|(case, events)| events.iter().map(move |event| (case, event)));
    let rows = events.map(|(case, event)| {
        vec![
            case.as_str().into(),
            Cell::Ticks(event.start.into()),
            Cell::Ticks(event.duration.into()),
            event.size.map_or(Cell::Empty, |size| Cell::Bytes(size.into())),
        ]
    });
    Table::of_rows("timeline", "Timeline", columns(&TIMELINE), rows.collect())
}

/// The files, with their lines by kind.
fn files(of: &DfgReport) -> Table<'_> {
    let head = [("case", "case"), ("file", ""), ("times", "times"), ("bytes", "bytes")];
    let kinds: Vec<(&str, &str)> = Lines::MEANINGS.iter().map(|(name, _)| (*name, *name)).collect();
    let headings = columns(head.iter().chain(&kinds));
    let rows = of.files.iter().map(|file| {
        let mut row: Row = vec![
            file.case.as_str().into(),
            file.path.as_str().into(),
            file.times.as_str().into(),
            Cell::Length(file.bytes.into()),
        ];
        row.extend(file.lines.iter().map(|(_, count)| Cell::Count(*count)));
        row
    });
    Table::of_rows("files", "Files", headings, rows.collect())
}
