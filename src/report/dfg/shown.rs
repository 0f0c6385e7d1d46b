//! Activities and edges that a picture has room for.

use std::cmp::Reverse;
use std::collections::HashMap;

use streamfold_kernels::dfg::{Edge, Graph};

use super::layout::{passed, Link, Size};
use super::{DfgReport, Drawing};
use streamfold_text::human;

/// Activities of a picture, at most, whatever is wanted.
pub(super) const NODES: usize = 250;
/// Edges of a picture, at most: for each activity, and in all.
const EDGES: (usize, usize) = (3, 800);
/// Layers that all edges of a picture pass, at most: each takes room for a piece of a curve. The first is for each activity,
/// and in all.
const PASSED: (usize, usize) = (40, 6000);

/// Pictures of fewer activities have room for edges as if they had so many.
const LEAST: usize = 20;

/// The activities and edges of a picture.
#[derive(Debug)]
pub(super) struct Shown<'g> {
    /// Places of activities, in their order.
    pub nodes: Vec<usize>,
    /// Edges, in their order.
    pub edges: Vec<&'g Edge>,
    /// Sentences about what there was no room for.
    pub left_out: Vec<String>,
}

impl<'g> Shown<'g> {
    /// Chooses so many activities with the most time, and the most frequent edges between them.
    pub(super) fn new(report: &'g DfgReport, drawing: &Drawing, most: usize) -> Self {
        let graph = &report.graph;
        let nodes = nodes(graph, most.clamp(1, NODES));
        let wanted = || graph.edges.iter().filter(|edge| edge.count >= drawing.least);
        let is_drawn =
            |end: Option<usize>| end.is_none_or(|place| nodes.binary_search(&place).is_ok());
        let all: Vec<&Edge> = wanted().collect();
        let between: Vec<&Edge> =
            wanted().filter(|edge| is_drawn(edge.from) && is_drawn(edge.to)).collect();
        let edges = edges(&nodes, between);
        let mut left_out = Vec::new();
        if nodes.len() < graph.nodes.len() {
            let time: u128 = nodes.iter().map(|place| graph.nodes[*place].node.duration).sum();
            left_out.push(format!(
                "{} of {} activities are shown; the others have {} of the time",
                human::count(nodes.len() as u64),
                human::count(graph.nodes.len() as u64),
                percent(graph.duration() - time, graph.duration()),
            ));
        }
        if edges.len() < all.len() {
            let sum = |edges: &[&Edge]| edges.iter().map(|edge| u128::from(edge.count)).sum();
            let (of_all, of_shown): (u128, u128) = (sum(&all), sum(&edges));
            left_out.push(format!(
                "{} of {} edges are shown; the others have {} of the transitions",
                human::count(edges.len() as u64),
                human::count(all.len() as u64),
                percent(of_all - of_shown, of_all),
            ));
        }
        Shown { nodes, edges, left_out }
    }

    /// The number of an end of an edge in the picture: the begin, the activities, the end.
    pub(super) fn ends(&self, edge: &Edge) -> (usize, usize) {
        ends(&self.nodes, edge)
    }
}

fn percent(part: u128, whole: u128) -> String {
    format!("{} %", human::percent(part, whole.max(1)))
}

fn ends(nodes: &[usize], edge: &Edge) -> (usize, usize) {
    let number = |end: Option<usize>, outside: usize| {
        end.and_then(|place| nodes.binary_search(&place).ok()).map_or(outside, |at| at + 1)
    };
    (number(edge.from, 0), number(edge.to, nodes.len() + 1))
}

/// The places of the activities that are drawn.
fn nodes(graph: &Graph, most: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..graph.nodes.len()).collect();
    if places.len() > most {
        // Without an activity next to it the begin would stand alone, and so would the end.
        let next_to = |place: fn(&Edge) -> Option<usize>| {
            let outside =
                graph.edges.iter().filter(|edge| edge.from.is_none() || edge.to.is_none());
            let known = outside.filter_map(|edge| Some((edge.count, Reverse(place(edge)?))));
            known.max().map(|(_, Reverse(place))| place)
        };
        let first = next_to(|edge| edge.to.filter(|_| edge.from.is_none()));
        let last = next_to(|edge| edge.from.filter(|_| edge.to.is_none()));
        let key = |place: &usize| {
            let node = &graph.nodes[*place].node;
            let is_inside = ![first, last].contains(&Some(*place));
            (is_inside, Reverse((node.duration, node.count)), *place)
        };
        places.select_nth_unstable_by_key(most, key);
        places.truncate(most);
        places.sort_unstable();
    }
    places
}

/// The most frequent edges that there is room for. Of those that are as frequent each activity has as many as others.
fn edges<'g>(nodes: &[usize], all: Vec<&'g Edge>) -> Vec<&'g Edge> {
    let key = |edge: &&Edge| (edge.from, edge.to.is_none(), edge.to);
    let mut edges = all;
    let most = (EDGES.0 * nodes.len().max(LEAST)).min(EDGES.1);
    let passed = (PASSED.0 * nodes.len().max(LEAST)).min(PASSED.1);
    if edges.len() <= most && passed_by(nodes, &edges) <= passed {
        return edges;
    }
    let mut turns: HashMap<(Option<usize>, u64), u64> = HashMap::new();
    let mut turn = |edge: &Edge| {
        let turn = turns.entry((edge.from, edge.count)).or_default();
        *turn += 1;
        *turn
    };
    // Edges from the begin and to the end are rare, and tell where all begins.
    let is_inside = |edge: &Edge| edge.from.is_some() && edge.to.is_some();
    let mut order: Vec<(_, &Edge)> = edges
        .iter()
        .map(|edge| ((is_inside(edge), Reverse(edge.count), turn(edge)), *edge))
        .collect();
    // Stable: in the order of the graph where all else is equal.
    order.sort_by_key(|(rank, _)| *rank);
    order.truncate(most);
    loop {
        edges = order.iter().map(|(_, edge)| *edge).collect();
        if passed_by(nodes, &edges) <= passed {
            edges.sort_unstable_by_key(key);
            return edges;
        }
        order.truncate(order.len() * 7 / 8);
    }
}

fn passed_by(nodes: &[usize], edges: &[&Edge]) -> usize {
    let link = |edge: &&Edge| {
        let (from, to) = ends(nodes, edge);
        (from != to).then_some(Link { from, to, label: Size::default() })
    };
    let links: Vec<Link> = edges.iter().filter_map(link).collect();
    passed(nodes.len() + 2, &links)
}
