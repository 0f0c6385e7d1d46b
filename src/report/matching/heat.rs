//! A communication matrix as squares of colour: who is on its axes, and what each square holds.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_kernels::matching::matched::Matched;
use streamfold_kernels::matching::pairs::PairsOf;
use streamfold_model::enums::Paradigm;
use streamfold_model::ids::{LocationRef, SystemTreeNodeRef};

use super::MatchReport;
use crate::draw;
use streamfold_text::names;

/// Value that a square shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ValueOf {
    /// Bytes sent.
    #[default]
    Bytes,
    /// How many messages.
    Messages,
    /// The sum of times from sending to having received: less than none where clocks disagree.
    Time,
}

impl ValueOf {
    /// In words, as a title begins.
    pub fn title(self) -> &'static str {
        match self {
            ValueOf::Bytes => "Bytes sent",
            ValueOf::Messages => "Messages sent",
            ValueOf::Time => "Time from sending to having received",
        }
    }

    fn of(self, matched: &Matched) -> f64 {
        match self {
            ValueOf::Bytes => matched.bytes as f64,
            ValueOf::Messages => matched.messages as f64,
            ValueOf::Time => matched.ticks as f64,
        }
    }
}

/// Number of squares that are on a side of a file at most: no person sees more.
pub const SQUARES: usize = 512;

/// A communication matrix, binned where there are more ranks than squares.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// The first and the last name of those who were counted as one, for each.
    pub names: Vec<[String; 2]>,
    /// Number that were counted as one.
    pub together: u64,
    /// Number of these that share a square on each axis.
    pub bin: usize,
    /// Squares on a side.
    pub side: usize,
    /// The value of each square in which there is a message, by sender and receiver.
    pub squares: BTreeMap<(usize, usize), f64>,
    /// All messages.
    pub messages: u64,
    /// Set if processes stand for their only locations that have anything to show.
    pub of_processes: bool,
    /// The rank of each, and its name without that.
    pub ranks: Vec<(Option<usize>, String)>,
}

impl Heat {
    /// The matrix of a report, with so many squares on a side at most.
    pub fn new(report: &MatchReport<'_>, value: ValueOf, most: usize) -> Heat {
        match report.matrix.pairs() {
            Some(of) => Heat::of_pairs(report, of, value, most),
            None => Heat::of_nodes(report, value, most),
        }
    }

    /// Those on the axes by anything, in this order, with the names of these.
    fn by<K: Ord + Copy>(
        keys: Vec<K>,
        name: impl Fn(K) -> [String; 2],
        pairs: impl Iterator<Item = ((K, K), Matched)>,
        value: ValueOf,
        most: usize,
    ) -> Heat {
        let place: BTreeMap<K, usize> = keys.iter().copied().zip(0..).collect();
        let bin = keys.len().div_ceil(most.max(1)).max(1).next_power_of_two();
        let mut squares: BTreeMap<_, f64> = BTreeMap::new();
        let mut messages = 0;
        for ((sender, receiver), matched) in pairs {
            messages += matched.messages;
            let square = (place[&sender] / bin, place[&receiver] / bin);
            *squares.entry(square).or_default() += value.of(&matched);
        }
        let side = keys.len().div_ceil(bin);
        let names: Vec<[String; 2]> = keys.into_iter().map(name).collect();
        let ranks = names.iter().map(|[first, _]| (None, first.clone())).collect();
        Heat { names, together: 1, bin, side, squares, messages, of_processes: false, ranks }
    }

    /// Returns the common part of the names on an axis, and the label of each square. Without a common part labels
    /// begin with the rank in MPI.
    pub fn labels(&self) -> (String, Vec<String>) {
        let names: Vec<String> = self.ranks.iter().map(|(_, name)| name.clone()).collect();
        let all = match draw::numbered(&names) {
            // The number is the rank, or says more than that.
            Some((what, numbers)) => (what, numbers),
            None => {
                let name = |(rank, name): &(Option<usize>, String)| match rank {
                    Some(rank) => format!("{rank}: {name}"),
                    None => name.clone(),
                };
                (String::new(), self.ranks.iter().map(name).collect())
            }
        };
        let (what, all) = all;
        (what, all.into_iter().step_by(self.bin.max(1)).collect())
    }

    /// Returns the name of a square of an axis.
    pub fn name(&self, square: usize) -> String {
        let (first, end) = (square * self.bin, ((square + 1) * self.bin).min(self.names.len()));
        let Some([first, ..]) = self.names.get(first) else { return String::new() };
        match &self.names[end - 1] {
            [_, last] if last != first => format!("{first} to {last}"),
            _ => first.clone(),
        }
    }

    /// How many there are in a square on each axis.
    pub fn in_square(&self) -> u64 {
        self.together.saturating_mul(self.bin as u64)
    }
}

/// Axes of the matrix.
impl Heat {
    /// All that have a rank in MPI, by that, and behind them all others that sent or received, in the order of
    /// definitions. That rank stands before their names; neighbours that are counted together are where the first of
    /// them is.
    fn of_pairs(report: &MatchReport<'_>, of: PairsOf, value: ValueOf, most: usize) -> Heat {
        let (definitions, pairs) = (report.definitions, &report.outcome.messages.by_pair);
        let lists = definitions.comm_locations();
        let listed = definitions.location_list(&lists, Paradigm::Mpi);
        let mut ranks: BTreeMap<u32, usize> = BTreeMap::new();
        for (rank, &location) in listed.into_iter().flat_map(|list| &list.members).enumerate() {
            // Those that nobody defines have nothing to show.
            if let Some(number) = of.number(LocationRef(location), definitions, report.processes) {
                ranks.entry(number.checked_shr(pairs.bits).unwrap_or(0)).or_insert(rank);
            }
        }
        let mut keys: BTreeSet<u32> = ranks.keys().copied().collect();
        keys.extend(pairs.of.keys().flat_map(|&(sender, receiver)| [sender, receiver]));
        let mut keys: Vec<u32> = keys.into_iter().collect();
        keys.sort_by_key(|key| (ranks.get(key).copied().unwrap_or(usize::MAX), *key));
        let names = |key: u32| {
            let [first, last] = report.end(of, key, pairs.bits).names;
            let Some(rank) = ranks.get(&key) else { return [first, last] };
            let last = if last == first { format!("{rank}: {last}") } else { last };
            [format!("{rank}: {first}"), last]
        };
        let all = pairs.of.iter().map(|(pair, matched)| (*pair, *matched));
        let groups = Heat::only_locations(report, of, &keys);
        let short = |(at, key): (usize, &u32)| {
            let name = groups.as_ref().map(|groups| groups[at].clone());
            let name = name.unwrap_or_else(|| report.end(of, *key, pairs.bits).names[0].clone());
            (ranks.get(key).copied(), name)
        };
        let short = keys.iter().enumerate().map(short).collect();
        Heat {
            together: 1 << pairs.bits,
            of_processes: groups.is_some(),
            ranks: short,
            ..Heat::by(keys, names, all, value, most)
        }
    }

    /// The names of processes, where no two of these locations are of the same one: that tells enough.
    fn only_locations(report: &MatchReport<'_>, of: PairsOf, keys: &[u32]) -> Option<Vec<String>> {
        let definitions = report.definitions;
        if of != PairsOf::Locations || report.outcome.messages.by_pair.bits > 0 {
            return None;
        }
        let group = |key: &u32| {
            let (_, location) = definitions.locations.get_index(*key as usize)?;
            let group = location.location_group;
            definitions.location_group_name(group).map(|_| group)
        };
        let groups: Vec<_> = keys.iter().map(group).collect::<Option<_>>()?;
        let names: Vec<String> =
            groups.iter().map(|group| names::group(definitions, *group)).collect();
        let different = names.iter().collect::<BTreeSet<_>>().len();
        (different == names.len()).then_some(names)
    }

    fn of_nodes(report: &MatchReport<'_>, value: ValueOf, most: usize) -> Heat {
        let pairs = &report.outcome.messages.by_nodes;
        let keys: BTreeSet<_> =
            pairs.keys().flat_map(|(sender, receiver)| [*sender, *receiver]).collect();
        let names = |node: SystemTreeNodeRef| {
            let name = names::system_tree_node(report.definitions, node);
            [name.clone(), name]
        };
        Heat::by(
            keys.into_iter().collect(),
            names,
            pairs.iter().map(|(pair, of)| (*pair, *of)),
            value,
            most,
        )
    }
}
