//! The tables of a report.

use std::collections::BTreeMap;

use streamfold_kernels::matching::collectives::{Operations, RecordedParts};
use streamfold_kernels::matching::io;
use streamfold_kernels::matching::messages::Recorded;
use streamfold_kernels::matching::totals::{Alone, CommMessages, Matched, Reason};
use streamfold_kernels::matching::Amount;
use streamfold_model::enums::{CollectiveOp, IoOperationMode};
use streamfold_model::ids::{
    CommRef, IoFileRef, IoHandleRef, IoParadigmRef, LocationGroupRef, LocationRef, Reference,
    RmaWinRef, StringRef, SystemTreeNodeRef,
};
use streamfold_model::store::{Communicator, IoFile};

use super::{Cell, Column, MatchReport, Table};
use crate::report::names;

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

/// All tables, those without rows included.
pub fn tables(report: &MatchReport<'_>) -> Vec<Table> {
    vec![
        report.communicators(),
        report.requests(),
        report.sizes(),
        report.tags(),
        report.nodes(),
        report.matrix(),
        report.alone(),
        report.collectives(),
        report.windows(),
        report.epochs(),
        report.accesses(),
        report.files(),
        report.forks(),
        report.teams(),
        report.locks(),
    ]
}

/// Columns by their names for scripts, and for people.
pub(super) fn columns<const N: usize>(of: [(&'static str, &'static str); N]) -> Vec<Column> {
    let heading = |heading: &'static str| (!heading.is_empty()).then_some(heading);
    of.into_iter().map(|(name, people)| Column { name, heading: heading(people) }).collect()
}

/// The columns of [`matched`].
const MATCHED: [(&str, &str); 6] = [
    ("messages", "messages"),
    ("bytes", "bytes"),
    ("transfer_ticks", "sum of transfers"),
    ("unequal_lengths", ""),
    ("late", "late"),
    ("latest_ticks", "latest"),
];

fn matched(of: &Matched) -> [Cell; 6] {
    [
        Cell::Count(of.messages),
        Cell::Bytes(of.bytes),
        Cell::Ticks(of.ticks),
        Cell::Count(of.unequal),
        Cell::Count(of.late),
        Cell::Ticks(of.latest.into()),
    ]
}

fn with_matched<const N: usize>(
    before: [(&'static str, &'static str); N],
    after: &[(&'static str, &'static str)],
) -> Vec<Column> {
    let mut all = columns(before);
    all.extend(columns(MATCHED));
    all.extend(after.iter().flat_map(|column| columns([*column])));
    all
}

impl MatchReport<'_> {
    /// The name of a communicator, or what stands for it.
    pub(crate) fn comm(&self, comm: CommRef) -> String {
        let name = match self.definitions.comms.get(&comm) {
            Some(Communicator::Comm(comm)) => comm.name,
            Some(Communicator::InterComm(comm)) => comm.name,
            None if comm.is_undefined() => return "<undefined communicators>".to_owned(),
            None => return format!("<undefined communicator {comm}>"),
        };
        self.string(name).unwrap_or_else(|| format!("<communicator {comm} without a name>"))
    }

    /// A text that says something.
    fn string(&self, string: StringRef) -> Option<String> {
        let text = self.definitions.string(string)?.to_string();
        (!text.is_empty()).then_some(text)
    }

    fn communicators(&self) -> Table {
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
            [
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
        columns.extend(REASONS.into_iter().flat_map(self::columns));
        columns.extend(self::columns([("name", "communicator")]));
        let recorded = &self.outcome.folded.partial.messages.by_comm;
        let rows = recorded.iter().map(|(comm, [sends, receives])| {
            let of = self.outcome.messages.by_comm.get(comm).copied().unwrap_or_default();
            let CommMessages { matched: both, sends: lone_sends, receives: lone_receives } = of;
            let sum = |alone: Alone| alone.iter().sum::<u64>();
            let recorded = |of: &Recorded| [Cell::Count(of.messages), Cell::Bytes(of.bytes)];
            let mut row = vec![Cell::Id(comm.0.into())];
            row.extend(recorded(sends));
            row.extend(recorded(receives));
            row.extend(matched(&both));
            row.extend([sum(lone_sends), sum(lone_receives)].map(Cell::Count));
            row.extend([sends.nowhere, receives.nowhere].map(Cell::Count));
            row.extend(lone_sends.into_iter().chain(lone_receives).map(Cell::Count));
            row.push(self.comm(*comm).into());
            row
        });
        let rows = rows.collect();
        Table { name: "communicators", title: "Messages by communicator".into(), columns, rows }
    }

    /// What was recorded of requests, and led to no message.
    fn requests(&self) -> Table {
        let columns = columns([("count", "count"), ("what", "requests")]);
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
        Table { name: "requests", title: "Requests that led to nothing".into(), columns, rows }
    }

    fn sizes(&self) -> Table {
        let columns = with_matched([("from_bytes", "from"), ("to_bytes", "to")], &[]);
        let rows = self.outcome.messages.by_size.iter().map(|(bits, of)| {
            let least = if *bits == 0 { 0 } else { 1u128 << (bits - 1) };
            let most = (1u128 << bits) - 1;
            let mut row = vec![Cell::Bytes(least), Cell::Bytes(most)];
            row.extend(matched(of));
            row
        });
        let rows = rows.collect();
        Table { name: "sizes", title: "Messages by size".into(), columns, rows }
    }

    fn tags(&self) -> Table {
        let tags = &self.outcome.messages.by_tag;
        let to = if tags.bits > 0 { "to" } else { "" };
        let columns = with_matched([("first_tag", "tag"), ("last_tag", to)], &[]);
        let rows = tags.of.iter().map(|(tag, of)| {
            let (first, last) = range(*tag, tags.bits);
            let mut row = vec![Cell::Id(first), Cell::Id(last)];
            row.extend(matched(of));
            row
        });
        let rows = rows.collect();
        Table { name: "tags", title: "Messages by tag".into(), columns, rows }
    }

    fn nodes(&self) -> Table {
        let columns = with_matched(
            [("sender_node", ""), ("receiver_node", "")],
            &[("sender", "from"), ("receiver", "to")],
        );
        let rows = self.outcome.messages.by_nodes.iter().map(|((sender, receiver), of)| {
            let mut row = vec![id(*sender), id(*receiver)];
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

    fn matrix(&self) -> Table {
        let title = format!("Messages by {}", self.matrix.name());
        let rows = match self.matrix {
            MatrixOf::Location => self.location_pairs(),
            MatrixOf::Process => self.group_pairs(),
            MatrixOf::Node => {
                let nodes = self.outcome.messages.by_nodes.iter();
                let row =
                    |(&(from, to), of): (&(SystemTreeNodeRef, SystemTreeNodeRef), &Matched)| {
                        pair(of, [id(from), id(to)], [self.node(from), self.node(to)])
                    };
                nodes.map(row).collect()
            }
        };
        let columns = with_matched(
            [("sender", "from"), ("receiver", "to")],
            &[("sender_name", "sender"), ("receiver_name", "receiver")],
        );
        Table { name: "matrix", title, columns, rows }
    }

    /// The name of a location with that of its group before it.
    pub(crate) fn location(&self, location: LocationRef) -> String {
        let group = names::group_of(self.definitions, location);
        format!("{group} · {}", names::location(self.definitions, location))
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
            pair(of, [id(from), id(to)], [name(from), name(to)])
        };
        by_group.iter().map(row).collect()
    }

    fn alone(&self) -> Table {
        let columns = columns([
            ("location", "location"),
            ("event", "event"),
            ("kind", "kind"),
            ("communicator", "comm"),
            ("tag", "tag"),
            ("partner", "partner"),
            ("reason", "why"),
            ("name", "where"),
        ]);
        let groups = &self.definitions.location_groups;
        let partner = |process: u32| match groups.get_index(process as usize) {
            Some((group, _)) => names::group(self.definitions, *group),
            None => "<a location without group>".to_owned(),
        };
        let examples = self.outcome.messages.examples.iter();
        let rows = examples.map(|example| {
            vec![
                Cell::Id(example.location.0),
                Cell::Id(example.number),
                if example.is_send { "send" } else { "receive" }.into(),
                Cell::Id(example.comm.0.into()),
                Cell::Id(example.tag.into()),
                partner(example.partner).into(),
                why(example.reason).into(),
                self.location(example.location).into(),
            ]
        });
        let rows = rows.collect();
        Table { name: "unmatched", title: "The first messages with one end".into(), columns, rows }
    }

    fn collectives(&self) -> Table {
        let columns = columns([
            ("communicator", "comm"),
            ("parts", "parts"),
            ("sent_bytes", "sent"),
            ("received_bytes", "received"),
            ("ticks", "time"),
            ("complete", "complete"),
            ("incomplete", "incomplete"),
            ("disagreeing", "disagreeing"),
            ("ticks_before_last", "before last"),
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
                Cell::Id(comm.0.into()),
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
        Table { name: "collectives", title: "Collective operations".into(), columns, rows }
    }

    /// The name of a window, or what stands for it.
    pub(super) fn window(&self, win: RmaWinRef) -> String {
        match self.definitions.rma_wins.get(&win).map(|win| self.string(win.name)) {
            Some(Some(name)) => name,
            Some(None) => format!("<window {win} without a name>"),
            None => "<undefined windows>".to_owned(),
        }
    }

    fn windows(&self) -> Table {
        let columns = columns([
            ("window", "window"),
            ("count", "count"),
            ("bytes", "bytes"),
            ("complete", ""),
            ("complete_ticks", ""),
            ("complete_remote", ""),
            ("open", ""),
            ("unknown_completions", ""),
            ("operation", "operation"),
            ("name", "name"),
        ]);
        let mut rows = Vec::new();
        for (win, of) in &self.outcome.folded.partial.windows {
            let name = self.window(*win);
            let mut row = |amount: &Amount, operation: String, others: [Cell; 5]| {
                let mut row = vec![id(*win), Cell::Count(amount.count), Cell::Bytes(amount.bytes)];
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
        Table { name: "windows", title: "Access to the memory of others".into(), columns, rows }
    }

    fn files(&self) -> Table {
        let columns = columns([
            ("file", ""),
            ("begun", "begun"),
            ("requested_bytes", "requested"),
            ("complete", "complete"),
            ("bytes", "moved"),
            ("ticks", "time"),
            ("bytes_per_second", "bandwidth"),
            ("cancelled", ""),
            ("open", "open"),
            ("mode", "mode"),
            ("paradigm", "by"),
            ("name", "file"),
        ]);
        type Kind = (Option<IoFileRef>, Option<IoParadigmRef>, Option<IoOperationMode>);
        let mut kinds: BTreeMap<Kind, io::Operations> = BTreeMap::new();
        for (handle, of) in &self.outcome.folded.partial.handles {
            let (file, paradigm) = self.handle(*handle);
            for (mode, operations) in &of.modes {
                kinds.entry((file, paradigm, Some(*mode))).or_default().add(operations);
            }
            if of.unbegun.count > 0 {
                let complete = of.unbegun;
                let unbegun = io::Operations { complete, ..io::Operations::default() };
                kinds.entry((file, paradigm, None)).or_default().add(&unbegun);
            }
        }
        let rows = kinds.iter().map(|((file, paradigm, mode), of)| {
            let mode = mode.map(|mode| names::value(mode.name(), mode));
            vec![
                file.map_or(Cell::Empty, id),
                Cell::Count(of.begun.count),
                Cell::Bytes(of.begun.bytes),
                Cell::Count(of.complete.count),
                Cell::Bytes(of.complete.bytes),
                Cell::Ticks(of.ticks as i128),
                bandwidth(&of.complete, of.ticks, self.provenance.timer_resolution),
                Cell::Count(of.cancelled),
                Cell::Count(of.open),
                mode.unwrap_or_else(|| "<not begun>".to_owned()).into(),
                self.paradigm(*paradigm).into(),
                self.file(*file).into(),
            ]
        });
        let rows = rows.collect();
        Table { name: "files", title: "Operations on files".into(), columns, rows }
    }

    /// The file and the paradigm of a handle: its own, or those of the handles that it stands on.
    fn handle(&self, handle: IoHandleRef) -> (Option<IoFileRef>, Option<IoParadigmRef>) {
        const MOST_PARENTS: usize = 16;
        let handles = &self.definitions.io_handles;
        let Some(own) = handles.get(&handle) else { return (None, None) };
        let mut at = own;
        for _ in 0..MOST_PARENTS {
            if self.definitions.io_files.contains_key(&at.file) {
                return (Some(at.file), Some(own.io_paradigm));
            }
            let Some(parent) = handles.get(&at.parent) else { break };
            at = parent;
        }
        (None, Some(own.io_paradigm))
    }

    fn file(&self, file: Option<IoFileRef>) -> String {
        let Some(file) = file else { return "<no file>".to_owned() };
        let name = match self.definitions.io_files.get(&file) {
            Some(IoFile::Regular(file)) => self.string(file.name),
            Some(IoFile::Directory(file)) => self.string(file.name),
            None => None,
        };
        name.unwrap_or_else(|| format!("<file {file} without a name>"))
    }

    fn paradigm(&self, paradigm: Option<IoParadigmRef>) -> String {
        let Some(paradigm) = paradigm else { return "<undefined handles>".to_owned() };
        let found = self.definitions.io_paradigms.get(&paradigm);
        let name = found.and_then(|found| self.string(found.name));
        name.unwrap_or_else(|| format!("<paradigm {paradigm}>"))
    }
}

/// A number, if there is one.
pub(super) fn id<R: Reference>(of: R) -> Cell {
    match of.is_undefined() {
        true => Cell::Empty,
        false => Cell::Id(of.number()),
    }
}

/// The first and the last of the numbers that are counted together.
pub(super) fn range(number: u32, bits: u32) -> (u64, u64) {
    let first = u64::from(number) << bits;
    (first, first + ((1 << bits) - 1))
}

fn pair(of: &Matched, numbers: [Cell; 2], names: [String; 2]) -> Vec<Cell> {
    let mut row = numbers.to_vec();
    row.extend(matched(of));
    row.extend(names.map(Cell::from));
    row
}

/// For people; scripts have [`Reason::name`] in the columns of communicators.
fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::StreamCut => "stream cut",
        Reason::RecordingOff => "recording was off at times",
        Reason::NotRecorded => "partner has no events",
        Reason::NoPartner => "partner has none",
        Reason::NotSelected => "partner is not selected",
    }
}

/// Bytes in a second of so many ticks; none where no time passed.
fn bandwidth(moved: &Amount, ticks: u128, resolution: u64) -> Cell {
    let bytes = moved.bytes.saturating_mul(resolution.into());
    match bytes.checked_div(ticks) {
        Some(bytes) if moved.count > 0 => Cell::Rate(u64::try_from(bytes).unwrap_or(u64::MAX - 1)),
        _ => Cell::Empty,
    }
}
