//! The graph of a log, in an order that depends on nothing but the log.

use super::{concurrency, Concurrency, Log, Node, Occurrence, OUTSIDE};

/// How the begin of cases is named.
pub const START: &str = "START";
/// How the end of cases is named.
pub const END: &str = "END";

/// An activity and its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedNode {
    /// Its name.
    pub name: String,
    /// Its numbers.
    pub node: Node,
    /// How many of its events were under way at a time; `None` where times of cases cannot be compared.
    pub concurrency: Option<Concurrency>,
}

/// An activity, and one that directly follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The activity before, by its place among the nodes; `None`: the begin of a case.
    pub from: Option<usize>,
    /// The activity behind; `None`: the end of a case.
    pub to: Option<usize>,
    /// Number of times.
    pub count: u64,
}

/// The sequence of activities of cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Cases that have it.
    pub cases: u64,
    /// The activities, by their places among the nodes.
    pub activities: Vec<usize>,
}

/// A directly-follows graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The activities, by name.
    pub nodes: Vec<NamedNode>,
    /// By their ends: the begin of cases first, their end last.
    pub edges: Vec<Edge>,
    /// Kept on request: the most frequent first, then by length and activities.
    pub variants: Vec<Variant>,
    /// Cases with any event that has an activity.
    pub cases: u64,
    /// Cases without.
    pub empty: u64,
    /// Kept on request: the events of one activity, by the names of cases and by time.
    pub timeline: Vec<(String, Vec<Occurrence>)>,
}

impl Graph {
    /// Ticks in all events of all activities.
    pub fn duration(&self) -> u128 {
        self.nodes.iter().map(|node| node.node.duration).sum()
    }

    /// Events of all activities.
    pub fn events(&self) -> u64 {
        self.nodes.iter().map(|node| node.node.count).sum()
    }

    /// The part of an activity in the time of all, from 0 to 1.
    pub fn share(&self, node: &Node) -> f64 {
        match self.duration() {
            0 => 0.0,
            all => node.duration as f64 / all as f64,
        }
    }

    /// The place of an activity.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.nodes.binary_search_by(|node| node.name.as_str().cmp(name)).ok()
    }

    /// The name of an end of an edge, or else this one.
    pub fn name_of<'g>(&'g self, place: Option<usize>, outside: &'g str) -> &'g str {
        place.map_or(outside, |place| self.nodes[place].name.as_str())
    }
}

impl Log {
    /// The graph. `is_comparable`: whether times of different cases can be compared.
    pub fn graph(self, is_comparable: bool) -> Graph {
        let Log { activities, nodes, mut intervals, edges, variants, cases, empty, timeline } =
            self;
        let mut order: Vec<usize> = (0..nodes.len()).filter(|at| nodes[*at].count > 0).collect();
        order.sort_unstable_by_key(|at| &activities[*at]);
        let mut places = vec![0; nodes.len()];
        order.iter().enumerate().for_each(|(place, at)| places[*at] = place);
        let place = |number: u32| (number != OUTSIDE).then(|| places[number as usize]);
        let named = order.iter().map(|at| NamedNode {
            name: activities[*at].clone(),
            node: nodes[*at],
            concurrency: is_comparable.then(|| concurrency(&mut intervals[*at])),
        });
        let nodes = named.collect();
        let edges = edges.into_iter().map(|((from, to), count)| Edge {
            from: place(from),
            to: place(to),
            count,
        });
        let mut edges: Vec<Edge> = edges.collect();
        // `None` is smaller than all: right for begins; ends come last.
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to.is_none(), edge.to));
        let variants = variants.into_iter().map(|(sequence, cases)| Variant {
            cases,
            activities: sequence.into_iter().filter_map(place).collect(),
        });
        let mut variants: Vec<Variant> = variants.collect();
        variants.sort_unstable_by(|one, other| {
            let key = |of: &Variant| (std::cmp::Reverse(of.cases), of.activities.len());
            key(one).cmp(&key(other)).then_with(|| one.activities.cmp(&other.activities))
        });
        let timeline = timeline.into_iter().map(|(case, mut events)| {
            events.sort_unstable();
            (case, events)
        });
        Graph { nodes, edges, variants, cases, empty, timeline: timeline.collect() }
    }
}
