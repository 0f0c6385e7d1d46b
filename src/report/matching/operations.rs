//! The tables of collective operations, and of accesses to the memory of others.

use std::collections::BTreeMap;

use streamfold_kernels::matching::collectives::{Operations, RecordedParts};
use streamfold_kernels::matching::Amount;
use streamfold_model::enums::CollectiveOp;
use streamfold_model::ids::{CommRef, RmaWinRef};

use super::MatchReport;
use crate::tables::{columns, Cell, Table};
use streamfold_text::names;

impl<'a> MatchReport<'a> {
    pub(super) fn collectives(&self) -> Table<'a> {
        let columns = columns(&[
            ("communicator", "comm"),
            ("parts", "calls"),
            ("sent_bytes", "sent"),
            ("received_bytes", "received"),
            ("ticks", "time"),
            ("complete", "complete"),
            ("incomplete", "incomplete"),
            ("disagreeing", "disagreeing"),
            ("ticks_before_last", "wait for last"),
            ("non_blocking_parts", ""),
            ("operation", "operation"),
            ("name", "communicator"),
        ]);
        let mut kinds: BTreeMap<(CommRef, CollectiveOp), (RecordedParts, u64, Operations)> =
            BTreeMap::new();
        for ((comm, op, blocks), parts) in &self.outcome.folded.partial.collectives.by_kind {
            let (sum, non_blocking, _) = kinds.entry((*comm, *op)).or_default();
            sum.add(parts);
            *non_blocking += if *blocks { 0 } else { parts.parts };
        }
        for (kind, operations) in &self.outcome.collectives.by_kind {
            kinds.entry(*kind).or_default().2 = *operations;
        }
        let rows = kinds.iter().map(|((comm, op), (parts, non_blocking, operations))| {
            vec![
                Cell::number(*comm),
                Cell::Count(parts.parts),
                Cell::Bytes(parts.sent),
                Cell::Bytes(parts.received),
                Cell::Ticks(parts.ticks as i128),
                Cell::Count(operations.complete),
                Cell::Count(operations.incomplete),
                Cell::Count(operations.disagreeing),
                Cell::Ticks(operations.ticks_before_last as i128),
                Cell::Count(*non_blocking),
                names::value(op.name(), *op).into(),
                self.comm(*comm).into(),
            ]
        });
        let rows = rows.collect();
        Table::of_rows("collectives", "Collective operations", columns, rows)
    }

    /// The name of a window, or what stands for it.
    pub(super) fn window(&self, win: RmaWinRef) -> String {
        match self.definitions.rma_wins.get(&win).map(|win| self.string(win.name)) {
            Some(Some(name)) => name,
            Some(None) => format!("<window {win} without a name>"),
            None => "<undefined windows>".to_owned(),
        }
    }

    pub(super) fn windows(&self) -> Table<'a> {
        let columns = columns(&[
            ("window", "window"),
            ("count", "count"),
            ("bytes", "bytes"),
            ("complete", "completed"),
            ("complete_ticks", "time"),
            ("complete_remote", "remote"),
            ("open", "open"),
            ("unknown_completions", "unknown"),
            ("operation", "operation"),
            ("name", "name"),
        ]);
        let mut rows = Vec::new();
        for (win, of) in &self.outcome.folded.partial.windows {
            let name = self.window(*win);
            let mut row = |amount: &Amount, operation: String, others: [Cell; 5]| {
                let mut row =
                    vec![Cell::id(*win), Cell::Count(amount.count), Cell::Bytes(amount.bytes)];
                row.extend(others);
                row.extend([operation.into(), name.clone().into()]);
                rows.push(row);
            };
            let operations = [("PUT", &of.puts), ("GET", &of.gets), ("ATOMIC", &of.atomics)];
            for (operation, amount) in operations.into_iter().filter(|(_, of)| of.count > 0) {
                row(amount, operation.to_owned(), [const { Cell::Empty }; 5]);
            }
            for (op, amount) in &of.collectives {
                row(amount, names::value(op.name(), *op), [const { Cell::Empty }; 5]);
            }
            let operations = of.puts.count + of.gets.count + of.atomics.count;
            if operations + of.unknown > 0 {
                let bytes = of.puts.bytes + of.gets.bytes + of.atomics.bytes;
                let others = [
                    Cell::Count(of.complete),
                    Cell::Ticks(of.ticks as i128),
                    Cell::Count(of.remote),
                    Cell::Count(of.open),
                    Cell::Count(of.unknown),
                ];
                row(&Amount { count: operations, bytes }, "ALL".to_owned(), others);
            }
        }
        Table::of_rows("windows", "Access to the memory of others", columns, rows)
    }
}
