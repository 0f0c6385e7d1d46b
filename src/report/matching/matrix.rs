//! The tables of who sends to whom.

use streamfold_kernels::matching::pairs::PairsOf;
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

    /// What messages have to be added up by for it. Those of nodes are, in any case.
    pub fn pairs(self) -> PairsOf {
        match self {
            MatrixOf::Process => PairsOf::Groups,
            MatrixOf::Location | MatrixOf::Node => PairsOf::Locations,
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
        let report = *self;
        let messages = &report.outcome.messages;
        let bits = messages.by_pair.bits;
        let mut title = format!("Messages by {}", self.matrix.name());
        if bits > 0 && self.matrix != MatrixOf::Node {
            title.push_str(&format!(", {} neighbours together", 1u64 << bits));
        }
        let before =
            [("sender", "from"), ("receiver", "to"), ("last_sender", ""), ("last_receiver", "")];
        let after = [("sender_name", "sender"), ("receiver_name", "receiver")];
        let columns = with_matched(&before, &after);
        match self.matrix {
            MatrixOf::Node => Table::new("matrix", title, columns, move || {
                messages.by_nodes.iter().map(move |(&(from, to), of)| {
                    let end = |node| End {
                        ids: [Cell::id(node), Cell::id(node)],
                        name: report.node(node),
                    };
                    pair(of, end(from), end(to))
                })
            }),
            MatrixOf::Location | MatrixOf::Process => {
                Table::new("matrix", title, columns, move || {
                    let end = move |place| report.end(place, bits);
                    messages
                        .by_pair
                        .of
                        .iter()
                        .map(move |(&(from, to), of)| pair(of, end(from), end(to)))
                })
            }
        }
    }

    /// Those who are counted as one that sends or receives, by their first place.
    fn end(&self, place: u32, bits: u32) -> End {
        let (first, last) = range(place, bits);
        let last = last.min((self.matrix.pairs().count(self.definitions) as u64).saturating_sub(1));
        let (id, name) = self.who(first);
        match first < last {
            true => {
                let (last_id, last) = self.who(last);
                End { ids: [id, last_id], name: format!("{name} to {last}") }
            }
            false => End { ids: [id.clone(), id], name },
        }
    }

    /// The number and the name of the location or group at this place of the definitions.
    pub(super) fn who(&self, place: u64) -> (Cell, String) {
        let (definitions, place) = (self.definitions, place as usize);
        match self.matrix.pairs() {
            PairsOf::Locations => {
                let location =
                    definitions.locations.get_index(place).map(|(location, _)| *location);
                let location = location.unwrap_or(LocationRef::UNDEFINED);
                (Cell::Id(location.0), self.location(location))
            }
            PairsOf::Groups => {
                let group = definitions.location_groups.get_index(place).map(|(group, _)| *group);
                let group = group.unwrap_or(LocationGroupRef::UNDEFINED);
                (Cell::id(group), names::group(definitions, group))
            }
        }
    }
}

/// Who sends or receives: the first and the last of them, and what they are called.
struct End {
    ids: [Cell; 2],
    name: String,
}

fn pair(of: &Matched, sender: End, receiver: End) -> Row {
    let ([from, last_from], [to, last_to]) = (sender.ids, receiver.ids);
    let mut row = vec![from, to, last_from, last_to];
    row.extend(matched(of));
    row.extend([sender.name.into(), receiver.name.into()]);
    row
}
