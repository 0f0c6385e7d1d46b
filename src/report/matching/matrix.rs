//! The tables of who sends to whom.

use streamfold_kernels::matching::matched::Matched;
use streamfold_kernels::matching::pairs::PairsOf;
use streamfold_kernels::matching::Process;
use streamfold_model::ids::{LocationRef, Reference, SystemTreeNodeRef};

use super::build::{matched, range, with_matched};
use super::MatchReport;
use crate::tables::{Cell, Row, Table};
use streamfold_text::names;

/// Senders and receivers of a communication matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixOf {
    /// Threads, streams.
    Location,
    /// Processes: location groups, and locations without one.
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

    /// Returns the pairs by which messages are summed; `None` for nodes, since sums by node are always there.
    pub fn pairs(self) -> Option<PairsOf> {
        match self {
            MatrixOf::Location => Some(PairsOf::Locations),
            MatrixOf::Process => Some(PairsOf::Processes),
            MatrixOf::Node => None,
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
        if bits > 0 {
            title.push_str(&format!(", {} neighbours together", 1u64 << bits));
        }
        let before =
            [("sender", "from"), ("receiver", "to"), ("last_sender", ""), ("last_receiver", "")];
        let after = [("sender_name", "sender"), ("receiver_name", "receiver")];
        let columns = with_matched(&before, &after);
        match self.matrix.pairs() {
            None => Table::new("matrix", title, columns, move || {
                messages.by_nodes.iter().map(move |(&(from, to), of)| {
                    let end = |node| End::one(Cell::id(node), report.node(node));
                    pair(of, end(from), end(to))
                })
            }),
            Some(pairs) => Table::new("matrix", title, columns, move || {
                let end = move |number| report.end(pairs, number, bits);
                let all = messages.by_pair.of.iter();
                all.map(move |(&(from, to), of)| pair(of, end(from), end(to)))
            }),
        }
    }

    /// Those who are counted as one that sends or receives, by what their numbers have in common.
    pub(super) fn end(&self, of: PairsOf, number: u32, bits: u32) -> End {
        let (first, last) = range(number, bits);
        let count = of.count(self.definitions, self.processes) as u64;
        let last = last.min(count.saturating_sub(1));
        let (id, name) = self.who(of, first);
        match first < last {
            true => {
                let (last_id, last_name) = self.who(of, last);
                End { ids: [id, last_id], names: [name, last_name] }
            }
            false => End::one(id, name),
        }
    }

    /// The identifier and the name of the location or process of this number: those of a location group, or, where a
    /// process has none, of its location.
    fn who(&self, of: PairsOf, number: u64) -> (Cell, String) {
        let is_known = number < of.count(self.definitions, self.processes) as u64;
        let location = match of {
            PairsOf::Locations => {
                let found = self.definitions.locations.get_index(number as usize);
                found.map_or(LocationRef::UNDEFINED, |(location, _)| *location)
            }
            PairsOf::Processes if is_known => {
                match self.processes.identity(Process(number as u32), self.definitions) {
                    Ok(group) => return (Cell::id(group), names::group(self.definitions, group)),
                    Err(location) => location,
                }
            }
            PairsOf::Processes => LocationRef::UNDEFINED,
        };
        (Cell::Id(location.0), self.location(location))
    }
}

/// Sender or receiver: the numbers and names of its first and last member.
pub(super) struct End {
    ids: [Cell; 2],
    pub names: [String; 2],
}

impl End {
    fn one(id: Cell, name: String) -> End {
        End { ids: [id.clone(), id], names: [name.clone(), name] }
    }

    fn name(self) -> String {
        let [first, last] = self.names;
        if first == last {
            first
        } else {
            format!("{first} to {last}")
        }
    }
}

fn pair(of: &Matched, sender: End, receiver: End) -> Row {
    let ([from, last_from], [to, last_to]) = (sender.ids.clone(), receiver.ids.clone());
    let mut row = vec![from, to, last_from, last_to];
    row.extend(matched(of));
    row.extend([sender.name().into(), receiver.name().into()]);
    row
}
