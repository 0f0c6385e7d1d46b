//! The tables of who sends to whom.

use std::collections::BTreeMap;
use std::rc::Rc;

use streamfold_kernels::matching::totals::Matched;
use streamfold_model::ids::{LocationGroupRef, LocationRef, Reference, SystemTreeNodeRef};

use super::build::{matched, range, with_matched};
use super::MatchReport;
use crate::report::names;
use crate::report::tables::{Cell, Row, Table};

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

impl<'a> MatchReport<'a> {
    pub(super) fn nodes(&self) -> Table<'a> {
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
        Table::of_rows("nodes", "Messages by node", columns, rows)
    }

    fn node(&self, node: SystemTreeNodeRef) -> String {
        match node.is_undefined() {
            true => "<no node>".to_owned(),
            false => names::system_tree_node(self.definitions, node),
        }
    }

    pub(super) fn matrix(&self) -> Table<'a> {
        let title = format!("Messages by {}", self.matrix.name());
        let columns = with_matched(
            &[("sender", "from"), ("receiver", "to")],
            &[("sender_name", "sender"), ("receiver_name", "receiver")],
        );
        let report = *self;
        let messages = &report.outcome.messages;
        let (name, processes) = ("matrix", messages.by_pair.bits == 0);
        match self.matrix {
            MatrixOf::Process if processes => {
                let by_group = Rc::new(self.group_pairs());
                Table::new(name, title, columns, move || {
                    let by_group = Rc::clone(&by_group);
                    (0..by_group.len()).map(move |at| report.group_row(&by_group[at]))
                })
            }
            MatrixOf::Node => Table::new(name, title, columns, move || {
                messages.by_nodes.iter().map(move |(&(from, to), of)| {
                    let names = [report.node(from), report.node(to)];
                    pair(of, [Cell::id(from), Cell::id(to)], names)
                })
            }),
            // Where locations of several processes were counted together there is nothing finer.
            MatrixOf::Location | MatrixOf::Process => Table::new(name, title, columns, move || {
                messages.by_pair.of.iter().map(move |(&pair, of)| report.location_row(pair, of))
            }),
        }
    }

    fn location_row(&self, (sender, receiver): (u32, u32), of: &Matched) -> Row {
        let bits = self.outcome.messages.by_pair.bits;
        let name = |place: u32| {
            let (first, last) = range(place, bits);
            let locations = &self.definitions.locations;
            let at = |place: u64| locations.get_index(place as usize).map(|(id, _)| *id);
            let first = at(first).unwrap_or(LocationRef::UNDEFINED);
            let name = self.location(first);
            match bits {
                0 => (first, name),
                _ => {
                    let last = last.min((locations.len() as u64).saturating_sub(1));
                    let last = at(last).unwrap_or(LocationRef::UNDEFINED);
                    (first, format!("{name} to {}", self.location(last)))
                }
            }
        };
        let ((from, sender), (to, receiver)) = (name(sender), name(receiver));
        pair(of, [Cell::Id(from.0), Cell::Id(to.0)], [sender, receiver])
    }

    fn group_row(&self, ((from, to), of): &GroupPair) -> Row {
        let name = |group| names::group(self.definitions, group);
        pair(of, [Cell::id(*from), Cell::id(*to)], [name(*from), name(*to)])
    }

    fn group_pairs(&self) -> Vec<GroupPair> {
        let group = |place: u32| {
            let location = self.definitions.locations.get_index(place as usize);
            location.map_or(LocationGroupRef::UNDEFINED, |(_, found)| found.location_group)
        };
        let mut by_group: BTreeMap<_, Matched> = BTreeMap::new();
        for ((sender, receiver), of) in &self.outcome.messages.by_pair.of {
            by_group.entry((group(*sender), group(*receiver))).or_default().add(of);
        }
        by_group.into_iter().collect()
    }
}

/// What one process has sent to another.
type GroupPair = ((LocationGroupRef, LocationGroupRef), Matched);

fn pair(of: &Matched, numbers: [Cell; 2], names: [String; 2]) -> Vec<Cell> {
    let mut row = numbers.to_vec();
    row.extend(matched(of));
    row.extend(names.map(Cell::from));
    row
}
