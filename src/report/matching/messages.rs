//! The tables of messages: by communicator, size and tag, and what has no partner.

use streamfold_kernels::matching::messages::Recorded;
use streamfold_kernels::matching::totals::{Alone, CommMessages};
use streamfold_kernels::matching::Process;

use super::build::{length_class, matched, range, with_matched};
use super::MatchReport;
use crate::tables::{columns, Cell, Table};
use streamfold_text::names;

impl<'a> MatchReport<'a> {
    pub(super) fn communicators(&self) -> Table<'a> {
        const REASONS: [[(&str, &str); 5]; 2] = [
            [
                ("unmatched_sends_stream_cut", ""),
                ("unmatched_sends_recording_off", ""),
                ("unmatched_sends_not_recorded", ""),
                ("unmatched_sends_no_partner", ""),
                ("unmatched_sends_not_selected", ""),
            ],
            [
                ("unmatched_receives_stream_cut", ""),
                ("unmatched_receives_recording_off", ""),
                ("unmatched_receives_not_recorded", ""),
                ("unmatched_receives_no_partner", ""),
                ("unmatched_receives_not_selected", ""),
            ],
        ];
        let mut columns = with_matched(
            &[
                ("communicator", "comm"),
                ("sends", "sends"),
                ("send_bytes", ""),
                ("receives", "receives"),
                ("receive_bytes", ""),
            ],
            &[
                ("unmatched_sends", "lone sends"),
                ("unmatched_receives", "lone receives"),
                ("undefined_sends", ""),
                ("undefined_receives", ""),
            ],
        );
        columns.extend(self::columns(REASONS.iter().flatten()));
        columns.extend(self::columns(&[("name", "communicator")]));
        let recorded = &self.outcome.folded.partial.messages.by_comm;
        let rows = recorded.iter().map(|(comm, [sends, receives])| {
            let of = self.outcome.messages.by_comm.get(comm).copied().unwrap_or_default();
            let CommMessages { matched: both, sends: lone_sends, receives: lone_receives } = of;
            let sum = |alone: Alone| alone.iter().sum::<u64>();
            let recorded = |of: &Recorded| [Cell::Count(of.messages), Cell::Bytes(of.bytes)];
            let mut row = vec![Cell::number(*comm)];
            row.extend(recorded(sends));
            row.extend(recorded(receives));
            row.extend(matched(&both));
            row.extend([sum(lone_sends), sum(lone_receives)].map(Cell::Count));
            row.extend([sends.undefined, receives.undefined].map(Cell::Count));
            row.extend(lone_sends.into_iter().chain(lone_receives).map(Cell::Count));
            row.push(self.comm(*comm).into());
            row
        });
        let rows = rows.collect();
        Table::of_rows("communicators", "Messages by communicator", columns, rows)
    }

    /// Returns the table of requests that led to no message.
    pub(super) fn requests(&self) -> Table<'a> {
        let columns = columns(&[("count", "count"), ("what", "requests")]);
        let messages = &self.outcome.folded.partial.messages.requests;
        let collectives = &self.outcome.folded.partial.collectives;
        let counts = [
            (messages.cancelled_sends, "cancelled sends"),
            (messages.cancelled_receives, "cancelled receives"),
            (messages.open_receives, "receives that were never completed"),
            (messages.unposted_receives, "receives without a recorded request"),
            (collectives.cancelled, "cancelled collective operations"),
            (collectives.open_requests, "collective operations that were never completed"),
            (collectives.unbegun, "collective operations without a recorded start"),
        ];
        let rows = counts.into_iter().filter(|(count, _)| *count > 0);
        let rows = rows.map(|(count, what)| vec![Cell::Count(count), what.into()]).collect();
        Table::of_rows("requests", "Requests that led to nothing", columns, rows)
    }

    pub(super) fn sizes(&self) -> Table<'a> {
        let before = [("from_bytes", "from"), ("to_bytes", ""), ("below_bytes", "below")];
        let columns = with_matched(&before, &[]);
        let rows = self.outcome.messages.by_size.iter().map(|(bits, of)| {
            let mut row = length_class(*bits).to_vec();
            row.extend(matched(of));
            row
        });
        let rows = rows.collect();
        Table::of_rows("sizes", "Messages by size", columns, rows)
    }

    pub(super) fn tags(&self) -> Table<'a> {
        let tags = &self.outcome.messages.by_tag;
        let to = if tags.bits > 0 { "to" } else { "" };
        let columns = with_matched(&[("first_tag", "tag"), ("last_tag", to)], &[]);
        let rows = tags.of.iter().map(|(tag, of)| {
            let (first, last) = range(*tag, tags.bits);
            let mut row = vec![Cell::Id(first), Cell::Id(last)];
            row.extend(matched(of));
            row
        });
        let rows = rows.collect();
        Table::of_rows("tags", "Messages by tag", columns, rows)
    }

    pub(super) fn alone(&self) -> Table<'a> {
        let columns = columns(&[
            ("location", "location"),
            ("event", "event"),
            ("kind", "kind"),
            ("communicator", "comm"),
            ("tag", "tag"),
            ("partner", "partner"),
            ("reason", "why"),
            ("name", "where"),
            ("file", "file"),
        ]);
        let partner = |process| match self.processes.identity(process, self.definitions) {
            Ok(group) => names::group(self.definitions, group),
            Err(location) => self.location(location),
        };
        let examples = self.outcome.messages.examples.iter().zip(self.files);
        let rows = examples.map(|(example, file)| {
            vec![
                Cell::Id(example.location.0),
                Cell::Id(example.number),
                if example.is_send { "send" } else { "receive" }.into(),
                Cell::number(example.comm),
                Cell::Id(example.tag.into()),
                partner(Process(example.partner)).into(),
                example.reason.name().into(),
                self.location(example.location).into(),
                file.clone().into(),
            ]
        });
        let rows = rows.collect();
        Table::of_rows("unmatched", "The first messages with one end", columns, rows)
    }
}
