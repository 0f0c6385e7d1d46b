//! The tables of who sends to whom.

use std::collections::BTreeMap;

use streamfold_kernels::matching::totals::Matched;
use streamfold_model::ids::{LocationGroupRef, LocationRef, Reference, SystemTreeNodeRef};

use super::build::{matched, range, with_matched};
use super::MatchReport;
use crate::report::names;
use crate::report::tables::{Cell, Table};

/// What sends and receives in a communication matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum MatrixOf {
    /// Threads, streams.
    #[default]
    Location,
    /// Location groups: processes.
    Process,
    /// Nodes of the system: machines.
    Node,
}

impl MatrixOf {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            MatrixOf::Location => "location",
            MatrixOf::Process => "process",
            MatrixOf::Node => "node",
        }
    }
}

impl MatchReport<'_> {
    pub(super) fn nodes(&self) -> Table {
        let columns = with_matched(
            &[("sender_node", ""), ("receiver_node", "")],
            &[("sender", "from"), ("receiver", "to")],
        );
        let rows = self.outcome.messages.by_nodes.iter().map(|((sender, receiver), of)| {
            let mut row = vec![Cell::id(*sender), Cell::id(*receiver)];
            row.extend(matched(of));
            row.extend([*sender, *receiver].map(|node| self.node(node).into()));
            row
        });
        let rows = rows.collect();
        Table { name: "nodes", title: "Messages by node".into(), columns, rows }
    }

    fn node(&self, node: SystemTreeNodeRef) -> String {
        match node.is_undefined() {
            true => "<no node>".to_owned(),
            false => names::system_tree_node(self.definitions, node),
        }
    }

    pub(super) fn matrix(&self) -> Table {
        let title = format!("Messages by {}", self.matrix.name());
        let rows = match self.matrix {
            MatrixOf::Location => self.location_pairs(),
            MatrixOf::Process => self.group_pairs(),
            MatrixOf::Node => {
                let nodes = self.outcome.messages.by_nodes.iter();
                let row =
                    |(&(from, to), of): (&(SystemTreeNodeRef, SystemTreeNodeRef), &Matched)| {
                        pair(of, [Cell::id(from), Cell::id(to)], [self.node(from), self.node(to)])
                    };
                nodes.map(row).collect()
            }
        };
        let columns = with_matched(
            &[("sender", "from"), ("receiver", "to")],
            &[("sender_name", "sender"), ("receiver_name", "receiver")],
        );
        Table { name: "matrix", title, columns, rows }
    }

    fn location_pairs(&self) -> Vec<Vec<Cell>> {
        let pairs = &self.outcome.messages.by_pair;
        let name = |place: u32| {
            let (first, last) = range(place, pairs.bits);
            let locations = &self.definitions.locations;
            let at = |place: u64| locations.get_index(place as usize).map(|(id, _)| *id);
            let first = at(first).unwrap_or(LocationRef::UNDEFINED);
            let name = self.location(first);
            match pairs.bits {
                0 => (first, name),
                _ => {
                    let last = last.min((locations.len() as u64).saturating_sub(1));
                    let last = at(last).unwrap_or(LocationRef::UNDEFINED);
                    (first, format!("{name} to {}", self.location(last)))
                }
            }
        };
        let row = |(&(sender, receiver), of): (&(u32, u32), &Matched)| {
            let ((from, sender), (to, receiver)) = (name(sender), name(receiver));
            pair(of, [Cell::Id(from.0), Cell::Id(to.0)], [sender, receiver])
        };
        pairs.of.iter().map(row).collect()
    }

    fn group_pairs(&self) -> Vec<Vec<Cell>> {
        let pairs = &self.outcome.messages.by_pair;
        if pairs.bits > 0 {
            // Locations of several processes were counted together: there is nothing finer.
            return self.location_pairs();
        }
        let group = |place: u32| {
            let location = self.definitions.locations.get_index(place as usize);
            location.map_or(LocationGroupRef::UNDEFINED, |(_, found)| found.location_group)
        };
        let mut by_group: BTreeMap<_, Matched> = BTreeMap::new();
        for ((sender, receiver), of) in &pairs.of {
            by_group.entry((group(*sender), group(*receiver))).or_default().add(of);
        }
        let row = |(&(from, to), of): (&(LocationGroupRef, LocationGroupRef), &Matched)| {
            let name = |group| names::group(self.definitions, group);
            pair(of, [Cell::id(from), Cell::id(to)], [name(from), name(to)])
        };
        by_group.iter().map(row).collect()
    }
}

fn pair(of: &Matched, numbers: [Cell; 2], names: [String; 2]) -> Vec<Cell> {
    let mut row = numbers.to_vec();
    row.extend(matched(of));
    row.extend(names.map(Cell::from));
    row
}
