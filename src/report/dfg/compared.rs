//! Two parts of the cases, compared.

use streamfold_kernels::dfg::{Edge, Graph, Node};

use super::DfgReport;

/// In which of two parts something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first one only.
    First,
    /// The second one only.
    Second,
    /// Both.
    Both,
    /// Neither.
    Neither,
}

impl Side {
    fn of(first: bool, second: bool) -> Side {
        match (first, second) {
            (true, true) => Side::Both,
            (true, false) => Side::First,
            (false, true) => Side::Second,
            (false, false) => Side::Neither,
        }
    }

    /// As reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Side::First => "a",
            Side::Second => "b",
            Side::Both => "both",
            Side::Neither => "neither",
        }
    }
}

/// The numbers of an activity in a graph, by its name.
pub(super) fn node<'g>(graph: &'g Graph, name: &str) -> Option<&'g Node> {
    graph.find(name).map(|place| &graph.nodes[place].node)
}

/// How often an edge of one graph is in another one.
pub(super) fn count(graph: &Graph, of: &Graph, edge: &Edge) -> u64 {
    let place = |end: Option<usize>| match end {
        Some(place) => of.find(&graph.nodes[place].name).map(Some),
        None => Some(None),
    };
    let (Some(from), Some(to)) = (place(edge.from), place(edge.to)) else { return 0 };
    let key = |edge: &Edge| (edge.from, edge.to.is_none(), edge.to);
    let found = of.edges.binary_search_by_key(&(from, to.is_none(), to), key);
    found.map_or(0, |at| of.edges[at].count)
}

impl DfgReport {
    /// In which part an activity is; `None`: no parts are compared.
    pub(super) fn side_of_node(&self, name: &str) -> Option<Side> {
        let [a, b] = &self.comparison.as_ref()?.graphs;
        Some(Side::of(a.find(name).is_some(), b.find(name).is_some()))
    }

    /// In which part an edge is.
    pub(super) fn side_of_edge(&self, edge: &Edge) -> Option<Side> {
        let [a, b] = &self.comparison.as_ref()?.graphs;
        let is_in = |of: &Graph| count(&self.graph, of, edge) > 0;
        Some(Side::of(is_in(a), is_in(b)))
    }
}
