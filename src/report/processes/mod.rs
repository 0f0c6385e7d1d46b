//! Work of processes, threads or nodes: a row for each, with the least, mean and most of all.

mod build;
mod text;

use std::collections::BTreeMap;

use serde_json::json;
use streamfold_kernels::account::{Account, Role, Work};
use streamfold_kernels::matching::Processes;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::provenance::Provenance;
use super::tables::{Schema, TableReport};
use streamfold_text::names;

pub use text::write as write_text;

/// The layout of outputs for scripts.
const SCHEMA: Schema = Schema { command: "processes", version: "2.0" };

/// Subject of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Processes: groups of threads.
    Process,
    /// Threads.
    Thread,
    /// Nodes of the machine.
    Node,
}

/// Order of rows: the largest first, names and numbers the smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they are defined.
    Id,
    /// Name.
    Name,
    /// Time of computation.
    Computing,
    /// Bytes of messages.
    Bytes,
}

/// Report on processes, threads or nodes.
#[derive(Clone, Copy, Debug)]
pub struct ProcessReport<'a> {
    /// The account.
    pub account: &'a Account,
    /// How long each location waited in MPI and OpenMP, in ticks. `None`: that is not known of a part of the time.
    pub waits: Option<&'a BTreeMap<LocationRef, u128>>,
    /// Definitions that its references lead to.
    pub definitions: &'a Definitions,
    /// Provenance of the report.
    pub provenance: &'a Provenance,
    /// Subject of the rows.
    pub subject: Subject,
    /// Their order.
    pub order: Order,
}

/// A row: a process, thread or node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    /// The number of its definition.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Its threads.
    pub threads: u64,
    /// Work of these.
    pub work: Work,
    /// How long they waited, in ticks.
    pub waiting: u128,
}

impl<'a> ProcessReport<'a> {
    /// The rows, in order.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut rows: BTreeMap<(usize, u64), Row> = BTreeMap::new();
        let processes = Processes::new(self.definitions);
        for (location, found) in &self.account.locations {
            let Some(work) = found.parts.first().filter(|_| found.role == Role::Thread) else {
                continue;
            };
            let (key, name) = self.row_of(*location, &processes);
            let row = rows.entry(key).or_insert_with(|| Row { id: key.1, name, ..Row::default() });
            row.threads += 1;
            row.work.add(work);
            row.waiting += self.waits.and_then(|of| of.get(location)).copied().unwrap_or(0);
        }
        let mut rows: Vec<Row> = rows.into_values().collect();
        match self.order {
            Order::Id => {}
            Order::Name => rows.sort_by(|a, b| a.name.cmp(&b.name)),
            Order::Computing => rows.sort_by_key(|row| std::cmp::Reverse(row.work.useful())),
            Order::Bytes => {
                rows.sort_by_key(|row| std::cmp::Reverse(row.work.bytes.iter().sum::<u64>()))
            }
        }
        rows
    }

    /// In which order the row of a location comes, its number, and its name.
    fn row_of(&self, location: LocationRef, processes: &Processes) -> ((usize, u64), String) {
        let definitions = self.definitions;
        let definition = definitions.locations.get(&location);
        let group = definition.map(|of| of.location_group);
        let place = |at: Option<usize>| at.unwrap_or(usize::MAX);
        match self.subject {
            Subject::Thread => {
                let at = place(definitions.locations.get_index_of(&location));
                ((at, location.0), names::place(definitions, location))
            }
            Subject::Process => {
                let process = processes.of(location);
                let at = place(process.map(|process| process.0 as usize));
                let of = process.map(|process| processes.identity(process, definitions));
                let of = of.unwrap_or(Err(location));
                let id = of.map_or_else(|location| location.0, |group| group.0.into());
                ((at, id), names::process(definitions, of))
            }
            Subject::Node => {
                let node = group.and_then(|group| definitions.location_groups.get(&group));
                let node = node.map(|group| group.system_tree_parent);
                let at =
                    place(node.and_then(|node| definitions.system_tree_nodes.get_index_of(&node)));
                let name = node.map(|node| names::system_tree_node(definitions, node));
                let id = node.map_or(u64::MAX, |node| node.0.into());
                ((at, id), name.unwrap_or_else(|| "<no node>".to_owned()))
            }
        }
    }

    /// Returns the noun for the rows, for one and for many.
    pub(crate) fn noun(&self) -> [&'static str; 2] {
        match self.subject {
            Subject::Process => ["process", "processes"],
            Subject::Thread => ["thread", "threads"],
            Subject::Node => ["node", "nodes"],
        }
    }

    /// All tables, those without rows included.
    pub fn tables(&self) -> TableReport<'a> {
        let more = vec![
            (
                "units",
                json!({ "time": "ticks", "ticks_per_second": self.provenance.timer_resolution }),
            ),
            ("rows_are", json!(self.noun()[1])),
            ("account", crate::account::json(self.account, self.provenance.timer_resolution)),
        ];
        TableReport {
            schema: SCHEMA,
            provenance: self.provenance,
            definitions: self.definitions,
            more,
            tables: build::tables(self),
        }
    }
}
