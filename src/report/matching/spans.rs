//! The tables of what begins and ends: epochs of windows, forks and teams of threads, locks.

use std::collections::BTreeSet;

use streamfold_kernels::matching::collectives::Operations;
use streamfold_kernels::matching::epochs::WindowEpochs;
use streamfold_kernels::matching::Spans;
use streamfold_model::enums::CollectiveOp;
use streamfold_model::ids::{CommRef, RmaWinRef};

use super::build::range;
use super::MatchReport;
use crate::tables::{columns, Cell, Table};
use streamfold_text::names;

/// The columns of [`spans`].
const SPANS: [(&str, &str); 5] = [
    ("begun", "begun"),
    ("ended", "ended"),
    ("ticks", "time"),
    ("open", "open"),
    ("unbegun", "not begun"),
];

fn spans(of: &Spans) -> [Cell; 5] {
    [
        Cell::Count(of.begun),
        Cell::Count(of.complete),
        Cell::Ticks(of.ticks as i128),
        Cell::Count(of.open),
        Cell::Count(of.unbegun),
    ]
}

/// The columns of [`operations`].
const OPERATIONS: [(&str, &str); 4] = [
    ("complete", "complete"),
    ("incomplete", "incomplete"),
    ("disagreeing", "disagreeing"),
    ("ticks_before_last", "wait for last"),
];

fn operations(of: &Operations) -> [Cell; 4] {
    [
        Cell::Count(of.complete),
        Cell::Count(of.incomplete),
        Cell::Count(of.disagreeing),
        Cell::Ticks(of.ticks_before_last as i128),
    ]
}

impl<'a> MatchReport<'a> {
    /// Returns the table of epochs that synchronise accesses to windows.
    pub(super) fn epochs(&self) -> Table<'a> {
        let mut columns = columns(&[("window", "window")]);
        columns.extend(self::columns(&SPANS));
        columns.extend(self::columns(&OPERATIONS));
        columns.extend(self::columns(&[("kind", "kind"), ("name", "name")]));
        let windows = &self.outcome.folded.partial.windows;
        let found = &self.outcome.collectives.by_window;
        let mut rows = Vec::new();
        let mut row = |win: RmaWinRef, cells: [&[Cell]; 2], kind: String| {
            let mut row = vec![Cell::id(win)];
            row.extend(cells.into_iter().flatten().cloned());
            row.extend([kind.into(), self.window(win).into()]);
            rows.push(row);
        };
        let nothing = [const { Cell::Empty }; 5];
        for (win, of) in windows {
            let all = (*win, CollectiveOp::from(0))..=(*win, CollectiveOp::from(u8::MAX));
            for ((_, op), of) in found.range(all) {
                let kind = names::value(op.name(), *op);
                row(*win, [&nothing, &operations(of)], kind);
            }
            for (of, kind) in [(&of.groups, "GROUP"), (&of.locks, "LOCK")] {
                if of.begun + of.unbegun > 0 {
                    row(*win, [&spans(of), &nothing[..4]], kind.to_owned());
                }
            }
        }
        Table::of_rows("epochs", "Synchronisation of windows", columns, rows)
    }

    /// Accesses to windows, together with what gave access.
    pub(super) fn accesses(&self) -> Table<'a> {
        const ALONE: [(&str, &str); 12] = [
            ("unmatched_accesses", "lone accesses"),
            ("unmatched_exposures", "lone exposures"),
            ("unmatched_accesses_stream_cut", ""),
            ("unmatched_accesses_recording_off", ""),
            ("unmatched_accesses_not_recorded", ""),
            ("unmatched_accesses_no_partner", ""),
            ("unmatched_accesses_not_selected", ""),
            ("unmatched_exposures_stream_cut", ""),
            ("unmatched_exposures_recording_off", ""),
            ("unmatched_exposures_not_recorded", ""),
            ("unmatched_exposures_no_partner", ""),
            ("unmatched_exposures_not_selected", ""),
        ];
        let mut columns = columns(&[("window", "window"), ("epochs", "epochs")]);
        columns.extend(self::columns(&ALONE));
        columns.extend(self::columns(&[("unclear", "unclear"), ("name", "name")]));
        let windows = &self.outcome.folded.partial.windows;
        let unclear = |win: &RmaWinRef| windows.get(win).map_or(0, |of| of.unclear);
        let of = |win: &RmaWinRef| self.outcome.epochs.get(win).copied().unwrap_or_default();
        let all: BTreeSet<RmaWinRef> =
            windows.keys().chain(self.outcome.epochs.keys()).copied().collect();
        let rows = all.iter().filter_map(|win| {
            let WindowEpochs { matched, accesses, exposures } = of(win);
            let sums = [accesses, exposures].map(|alone| alone.iter().sum::<u64>());
            if matched + sums[0] + sums[1] + unclear(win) == 0 {
                return None;
            }
            let counts = [matched].into_iter().chain(sums).chain(accesses).chain(exposures);
            let counts = counts.chain([unclear(win)]).map(Cell::Count);
            let name = self.window(*win).into();
            Some([Cell::id(*win)].into_iter().chain(counts).chain([name]).collect())
        });
        let title = "Accesses to windows, and who gave access";
        Table::of_rows("accesses", title, columns, rows.collect())
    }

    /// From forks to joins.
    pub(super) fn forks(&self) -> Table<'a> {
        let mut columns = columns(&SPANS);
        columns.extend(self::columns(&[("model", "by")]));
        let rows = self.outcome.folded.partial.threads.forks.iter().map(|(model, of)| {
            let mut row = spans(of).to_vec();
            row.push(names::value(model.name(), *model).into());
            row
        });
        let rows = rows.collect();
        Table::of_rows("forks", "Forks and joins of threads", columns, rows)
    }

    /// Teams of threads.
    pub(super) fn teams(&self) -> Table<'a> {
        let mut columns = columns(&[("communicator", "comm")]);
        columns.extend(self::columns(&SPANS));
        columns.extend(self::columns(&OPERATIONS));
        columns.extend(self::columns(&[("name", "team")]));
        let teams = &self.outcome.folded.partial.threads.teams;
        let rows = teams.iter().map(|(team, of): (&CommRef, &Spans)| {
            let together = self.outcome.collectives.by_team.get(team).copied().unwrap_or_default();
            let mut row = vec![Cell::id(*team)];
            row.extend(spans(of));
            row.extend(operations(&together));
            row.push(self.comm(*team).into());
            row
        });
        let rows = rows.collect();
        Table::of_rows("teams", "Teams of threads", columns, rows)
    }

    /// Locks that threads hold.
    pub(super) fn locks(&self) -> Table<'a> {
        let locks = &self.outcome.folded.partial.threads.locks;
        let to = if locks.bits > 0 { "to" } else { "" };
        let mut columns = columns(&[("first_lock", "lock"), ("last_lock", to)]);
        columns.extend(self::columns(&SPANS));
        columns.extend(self::columns(&[("model", "by")]));
        let rows = locks.of.iter().map(|((model, lock), of)| {
            let (first, last) = range(*lock, locks.bits);
            let mut row = vec![Cell::Id(first), Cell::Id(last)];
            row.extend(spans(of));
            row.push(names::value(model.name(), *model).into());
            row
        });
        let rows = rows.collect();
        Table::of_rows("locks", "Locks of threads", columns, rows)
    }
}
