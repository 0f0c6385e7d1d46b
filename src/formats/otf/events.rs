//! The events of a process, as those of the model.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::enums::{
    CollectiveOp, IoAccessMode, IoCreationFlag, IoOperationFlag, IoOperationMode, IoSeekOption,
    IoStatusFlag, LockType, Type,
};
use streamfold_model::events::{
    Enter, Event, IoAcquireLock, IoCreateHandle, IoDeleteFile, IoDestroyHandle, IoDuplicateHandle,
    IoOperationBegin, IoOperationComplete, IoReleaseLock, IoSeek, Leave, MpiCollectiveBegin,
    MpiCollectiveEnd, MpiRecv, MpiSend, RmaGet, RmaOpCompleteBlocking, RmaPut,
};
use streamfold_model::ids::{
    AttributeRef, CommRef, IoFileRef, IoHandleRef, IoParadigmRef, LocationRef, MetricRef,
    RegionRef, RmaWinRef,
};
use streamfold_model::values::{AttributeEntry, Ticks, TypedValue};

use super::definitions::Renamed;
use super::keyvalues::{KeyValue, KeyValueType};
use super::known::Known;
use super::record::{Record, Value};
use crate::{Batch, OwnRun, Run};

/// A batch that is filled.
pub(super) struct Turn<'b> {
    pub known: &'b Known,
    pub number: u64,
    pub batch: &'b mut Batch,
    /// Events in it.
    pub events: usize,
    /// File operations in it whose kind is not known yet.
    pub pending: usize,
}

/// A process that is read.
pub(super) struct Lane {
    pub location: LocationRef,
    /// Events so far.
    pub events: u64,
    process: u32,
    renamed: Renamed,
    has_renamed: bool,
    run: OwnRun,
    /// The functions that are open.
    stack: Vec<u32>,
    /// Ends of operations with a duration, which are delivered later. The first one is the last of
    /// the list.
    later: Vec<(u64, u64, Event<'static>)>,
    collectives: HashMap<u64, Collective, RandomState>,
    operations: HashMap<u64, Operation, RandomState>,
    /// Numbers of file operations without one.
    numbered: u64,
    faults: Faults,
}

/// A collective operation that has begun.
struct Collective {
    op: CollectiveOp,
    comm: u32,
    root: u32,
    sent: u64,
    received: u64,
}

/// A file operation that has begun.
struct Operation {
    /// The index of its begin event in the run; `None`: the batch of that was handed out.
    place: Option<usize>,
}

/// Counts of faults in the events of a process.
#[derive(Default)]
struct Faults {
    /// Ends of collective operations that did not begin.
    collective_ends: u64,
    /// Ends of file operations that did not begin.
    operation_ends: u64,
    /// File operations that do not end, or end too late: their begin is left out.
    unfinished: u64,
}

const NO_ROOT: u32 = u32::MAX;

impl Known {
    /// The lane of a process.
    pub(super) fn lane(&self, process: u32) -> Lane {
        let stream = self.stream_of(process).map(|stream| &self.streams[stream]);
        let renamed = stream.and_then(|stream| stream.renamed.clone());
        Lane {
            location: LocationRef(process.into()),
            events: 0,
            process,
            has_renamed: renamed.is_some(),
            renamed: renamed.unwrap_or_default(),
            run: OwnRun::default(),
            stack: Vec::new(),
            later: Vec::new(),
            collectives: HashMap::default(),
            operations: HashMap::default(),
            numbered: 0,
            faults: Faults::default(),
        }
    }
}

impl Lane {
    fn run<'b>(&mut self, turn: &'b mut Turn<'_>) -> &'b mut Run {
        self.run.of(turn.number, (self.location, self.events), turn.batch)
    }

    /// Adds an event, and before it what ends up to its time.
    fn push(&mut self, line: u64, time: u64, event: Event<'static>, turn: &mut Turn<'_>) {
        if !self.later.is_empty() {
            self.end_before(time, turn);
        }
        self.run(turn).push(line, Ticks(time), event);
        self.events += 1;
        turn.events += 1;
    }

    fn end_before(&mut self, time: u64, turn: &mut Turn<'_>) {
        while let Some((end, line, event)) = self.later.pop_if(|(end, ..)| *end <= time) {
            self.run(turn).push(line, Ticks(end), event);
            self.events += 1;
            turn.events += 1;
        }
    }

    /// Keeps an event until its time comes.
    fn push_later(&mut self, line: u64, time: u64, event: Event<'static>) {
        // The earliest is the last; of equal times the first one goes first.
        let place = self.later.partition_point(|(other, ..)| *other > time);
        self.later.insert(place, (time, line, event));
    }

    /// Gives the last event its key-values and its place in the source.
    fn note(&mut self, keyvalues: &mut Vec<KeyValue>, source: u32, turn: &mut Turn<'_>) {
        let known = turn.known;
        for keyvalue in keyvalues.drain(..) {
            if keyvalue.value_type == KeyValueType::ByteArray {
                continue;
            }
            let key = rename(self.has_renamed, &self.renamed.keys, keyvalue.key);
            let value_type = known.keys.get(&key).copied();
            let entry = AttributeEntry {
                attribute: AttributeRef(key),
                value: TypedValue {
                    value_type: value_type.unwrap_or(type_of(keyvalue.value_type)),
                    bits: keyvalue.bits,
                },
            };
            self.run(turn).note(entry);
        }
        if source != 0 {
            let source = rename(self.has_renamed, &self.renamed.sources, source);
            let value = TypedValue { value_type: Type::SourceCodeLocation, bits: source.into() };
            let attribute = AttributeRef(known.source);
            self.run(turn).note(AttributeEntry { attribute, value });
        }
    }

    pub(super) fn enter(
        &mut self,
        line: u64,
        time: u64,
        function: u32,
        keyvalues: &mut Vec<KeyValue>,
        turn: &mut Turn<'_>,
    ) {
        let function = rename(self.has_renamed, &self.renamed.functions, function);
        self.stack.push(function);
        self.push(line, time, Event::Enter(Enter { region: RegionRef(function) }), turn);
        if !keyvalues.is_empty() {
            self.note(keyvalues, 0, turn);
        }
    }

    /// Leaves a function; 0: the one that was entered last.
    pub(super) fn leave(
        &mut self,
        line: u64,
        time: u64,
        function: u32,
        keyvalues: &mut Vec<KeyValue>,
        turn: &mut Turn<'_>,
    ) {
        let top = self.stack.last().copied();
        let left = match function {
            0 => top.unwrap_or(u32::MAX),
            _ => rename(self.has_renamed, &self.renamed.functions, function),
        };
        // A leave of a function that is not the last one entered stays as it is: the repair treats
        // it.
        if let Some(place) = self.stack.iter().rposition(|open| *open == left) {
            self.stack.truncate(place);
        }
        self.push(line, time, Event::Leave(Leave { region: RegionRef(left) }), turn);
        if !keyvalues.is_empty() {
            self.note(keyvalues, 0, turn);
        }
    }

    /// Takes a record with its values.
    pub(super) fn take(
        &mut self,
        line: u64,
        time: u64,
        record: Record,
        values: &[Value<'_>],
        keyvalues: &mut Vec<KeyValue>,
        turn: &mut Turn<'_>,
    ) {
        let number = |at: usize| values.get(at).map_or(0, Value::number);
        let token = |at: usize| values.get(at).map_or(0, Value::token);
        let before = self.events;
        let source = match record {
            Record::Enter => {
                self.enter(line, time, token(0), keyvalues, turn);
                token(1)
            }
            Record::Leave => {
                self.leave(line, time, token(0), keyvalues, turn);
                token(1)
            }
            Record::SendMsg | Record::RecvMsg => {
                let (peer, comm) = self.peer(token(0), token(3), turn.known);
                let (msg_tag, msg_length) = (token(2), number(1));
                let communicator = CommRef(comm);
                let event = match record {
                    Record::SendMsg => {
                        let receiver = peer;
                        Event::MpiSend(MpiSend { receiver, communicator, msg_tag, msg_length })
                    }
                    _ => {
                        let sender = peer;
                        Event::MpiRecv(MpiRecv { sender, communicator, msg_tag, msg_length })
                    }
                };
                self.push(line, time, event, turn);
                token(4)
            }
            Record::Counter => {
                self.counter(line, time, token(0), number(1), turn);
                0
            }
            Record::CollectiveOperation => {
                let sizes = (number(3), number(4));
                let begun = self.collective(token(0), token(1), token(2), sizes, turn.known);
                let begin = Event::MpiCollectiveBegin(MpiCollectiveBegin {});
                self.push(line, time, begin, turn);
                self.note(keyvalues, token(6), turn);
                self.push_later(line, time.saturating_add(number(5)), begun.end());
                return;
            }
            Record::BeginCollectiveOperation => {
                let sizes = (number(4), number(5));
                let begun = self.collective(token(0), token(2), token(3), sizes, turn.known);
                self.collectives.insert(number(1), begun);
                let begin = Event::MpiCollectiveBegin(MpiCollectiveBegin {});
                self.push(line, time, begin, turn);
                token(6)
            }
            Record::EndCollectiveOperation => {
                match self.collectives.remove(&number(0)) {
                    Some(begun) => self.push(line, time, begun.end(), turn),
                    None => self.faults.collective_ends += 1,
                }
                0
            }
            Record::FileOperation => {
                let file = rename(self.has_renamed, &self.renamed.files, token(0));
                self.numbered += 1;
                // Numbers of those with begin and end are mostly small.
                let id = 1 << 63 | self.numbered;
                let operation = FileOperation::new(token(2), file, number(3), id);
                if let Some(begin) = operation.begin() {
                    self.push(line, time, begin, turn);
                    self.note(keyvalues, token(5), turn);
                }
                if let Some(end) = operation.end() {
                    self.push_later(line, time.saturating_add(number(4)), end);
                }
                return;
            }
            Record::BeginFileOperation | Record::BeginFileOperationOld => {
                // The end record has the mode and the bytes: `end_of_operation` replaces this
                // event.
                let begin = IoOperationBegin {
                    handle: IoHandleRef::UNDEFINED,
                    mode: IoOperationMode::Read,
                    operation_flags: IoOperationFlag::NONE,
                    bytes_request: 0,
                    matching_id: number(0),
                };
                self.push(line, time, Event::IoOperationBegin(begin), turn);
                let place = Some(self.run(turn).len() - 1);
                turn.pending += 1;
                if let Some(other) = self.operations.insert(number(0), Operation { place }) {
                    self.leave_out(other, turn);
                }
                token(1)
            }
            Record::EndFileOperation | Record::EndFileOperationOld => {
                let at = if record == Record::EndFileOperation { 3 } else { 2 };
                let file = rename(self.has_renamed, &self.renamed.files, token(0));
                let id = number(1);
                let operation = FileOperation::new(token(at), file, number(at + 1), id);
                self.end_of_operation(line, time, &operation, turn);
                token(at + 2)
            }
            Record::RMAPut | Record::RMAPutRemoteEnd | Record::RMAGet => {
                let (remote, comm) = self.peer(token(1), token(2), turn.known);
                let (win, bytes, matching_id) = (RmaWinRef(comm), number(4), number(3));
                let event = match record {
                    Record::RMAGet => Event::RmaGet(RmaGet { win, remote, bytes, matching_id }),
                    _ => Event::RmaPut(RmaPut { win, remote, bytes, matching_id }),
                };
                self.push(line, time, event, turn);
                token(5)
            }
            Record::RMAEnd => {
                let comm = self.comm(token(1), turn.known);
                let end = RmaOpCompleteBlocking { win: RmaWinRef(comm), matching_id: number(2) };
                self.push(line, time, Event::RmaOpCompleteBlocking(end), turn);
                token(3)
            }
            // The model has no such events; dumps show them.
            _ => return,
        };
        if self.events > before && (source != 0 || !keyvalues.is_empty()) {
            self.note(keyvalues, source, turn);
        }
    }

    fn counter(&mut self, line: u64, time: u64, counter: u32, bits: u64, turn: &mut Turn<'_>) {
        if !self.later.is_empty() {
            self.end_before(time, turn);
        }
        let counter = rename(self.has_renamed, &self.renamed.counters, counter);
        let known = turn.known.counters.get(&counter);
        let (value_type, is_float) = known.copied().unwrap_or((Type::Uint64, false));
        let bits = if is_float { f64::from(f32::from_bits(bits as u32)).to_bits() } else { bits };
        let value = TypedValue { value_type, bits };
        self.run(turn).push_metric(line, Ticks(time), MetricRef(counter), [value]);
        self.events += 1;
        turn.events += 1;
    }

    /// The communicator of a token; that of all processes, where it is not defined.
    fn comm(&self, comm: u32, known: &Known) -> u32 {
        let comm = rename(self.has_renamed, &self.renamed.groups, comm);
        if known.ranks.contains_key(&comm) {
            comm
        } else {
            known.all
        }
    }

    /// The rank of another process in a communicator, and that; where one of the two is in none, all processes are.
    fn peer(&self, peer: u32, comm: u32, known: &Known) -> (u32, u32) {
        let comm = self.comm(comm, known);
        let rank = |comm: u32| {
            known.rank(comm, self.process)?;
            known.rank(comm, peer)
        };
        match rank(comm) {
            Some(rank) => (rank, comm),
            None => (rank(known.all).unwrap_or(u32::MAX), known.all),
        }
    }

    fn collective(
        &self,
        operation: u32,
        comm: u32,
        root: u32,
        (sent, received): (u64, u64),
        known: &Known,
    ) -> Collective {
        let operation = rename(self.has_renamed, &self.renamed.collectives, operation);
        let op = known.collectives.get(&operation).copied().unwrap_or(CollectiveOp::Barrier);
        let comm = self.comm(comm, known);
        let rank = known.rank(comm, root);
        let has_root = matches!(
            op,
            CollectiveOp::Bcast
                | CollectiveOp::Gather
                | CollectiveOp::Gatherv
                | CollectiveOp::Scatter
                | CollectiveOp::Scatterv
                | CollectiveOp::Reduce
        );
        let root = rank.filter(|_| has_root).unwrap_or(NO_ROOT);
        Collective { op, comm, root, sent, received }
    }

    /// The end of a file operation says what its begin was.
    fn end_of_operation(
        &mut self,
        line: u64,
        time: u64,
        operation: &FileOperation,
        turn: &mut Turn<'_>,
    ) {
        let begun = self.operations.remove(&operation.id);
        if begun.is_none() {
            self.faults.operation_ends += 1;
        }
        let place = begun.and_then(|begun| begun.place);
        match (place, operation.begin()) {
            (Some(place), Some(begin)) if operation.is_transfer() => {
                self.run(turn).replace(place, Some(begin));
                turn.pending -= 1;
            }
            (place, begin) => {
                if let Some(place) = place {
                    self.run(turn).replace(place, None);
                    turn.pending -= 1;
                }
                // An operation that is no transfer has no duration in the model.
                if let Some(begin) = begin {
                    self.push(line, time, begin, turn);
                }
            }
        }
        if let Some(end) = operation.end() {
            self.push(line, time, end, turn);
        }
    }

    /// The begin of an operation is not known: it is left out.
    fn leave_out(&mut self, operation: Operation, turn: &mut Turn<'_>) {
        self.faults.unfinished += 1;
        if let Some(place) = operation.place {
            self.run(turn).replace(place, None);
            turn.pending -= 1;
        }
    }

    /// The batch goes out.
    pub(super) fn end_batch(&mut self, turn: &mut Turn<'_>, has_ended: bool) {
        if has_ended {
            self.end_before(u64::MAX, turn);
        }
        let mut left_out = Vec::new();
        for operation in self.operations.values_mut() {
            left_out.extend(operation.place.take());
        }
        self.faults.unfinished += left_out.len() as u64;
        turn.pending -= left_out.len();
        if self.run.is_of(turn.number) {
            let run = self.run(turn);
            left_out.into_iter().for_each(|place| run.replace(place, None));
            let removed = run.remove_replaced();
            self.events -= removed as u64;
        }
    }

    /// Faults of the events, as sentences.
    pub(super) fn faults(&self) -> Vec<String> {
        let Faults { collective_ends, operation_ends, unfinished } = self.faults;
        let process = self.process;
        let what = [
            (
                collective_ends,
                "collective operations end that did not begin: the ends are left out",
            ),
            (operation_ends, "file operations end that did not begin: they have no duration"),
            (unfinished, "file operations do not end, or too late: their begin is left out"),
        ];
        let what = what.into_iter().filter(|(count, _)| *count > 0);
        what.map(|(count, what)| format!("process {process}: {count} {what}")).collect()
    }
}

impl Collective {
    fn end(&self) -> Event<'static> {
        Event::MpiCollectiveEnd(MpiCollectiveEnd {
            collective_op: self.op,
            communicator: CommRef(self.comm),
            root: self.root,
            size_sent: self.sent,
            size_received: self.received,
        })
    }
}

/// A file operation, section 9.4.
struct FileOperation {
    kind: u32,
    flags: u32,
    file: u32,
    bytes: u64,
    id: u64,
}

impl FileOperation {
    const OPEN: u32 = 0;
    const CLOSE: u32 = 1;
    const READ: u32 = 2;
    const WRITE: u32 = 3;
    const SEEK: u32 = 4;
    const UNLINK: u32 = 5;
    const DUP: u32 = 7;
    const SYNC: u32 = 8;
    const LOCK: u32 = 9;
    const UNLOCK: u32 = 10;
    const FAILED: u32 = 32;
    const COLLECTIVE: u32 = 128;
    const IS_READ_LOCK: u32 = 1024;

    fn new(operation: u32, file: u32, bytes: u64, id: u64) -> Self {
        FileOperation { kind: operation & 31, flags: operation & !31, file, bytes, id }
    }

    fn is_transfer(&self) -> bool {
        matches!(self.kind, FileOperation::READ | FileOperation::WRITE | FileOperation::SYNC)
    }

    /// The event with which it begins, or the only one. The model has none for a rename.
    fn begin(&self) -> Option<Event<'static>> {
        let handle = IoHandleRef(self.file);
        let has_failed = self.flags & FileOperation::FAILED != 0;
        Some(match self.kind {
            FileOperation::READ | FileOperation::WRITE | FileOperation::SYNC => {
                let mode = match self.kind {
                    FileOperation::READ => IoOperationMode::Read,
                    FileOperation::WRITE => IoOperationMode::Write,
                    _ => IoOperationMode::Flush,
                };
                let operation_flags = match self.flags & FileOperation::COLLECTIVE {
                    0 => IoOperationFlag::NONE,
                    _ => IoOperationFlag::COLLECTIVE,
                };
                // The bytes that a failed operation should have moved are not recorded.
                let bytes_request = if has_failed { 0 } else { self.bytes };
                let matching_id = self.id;
                Event::IoOperationBegin(IoOperationBegin {
                    handle,
                    mode,
                    operation_flags,
                    bytes_request,
                    matching_id,
                })
            }
            _ if has_failed => return None,
            FileOperation::OPEN => Event::IoCreateHandle(IoCreateHandle {
                handle,
                mode: IoAccessMode::ReadWrite,
                creation_flags: IoCreationFlag::NONE,
                status_flags: IoStatusFlag::NONE,
            }),
            FileOperation::CLOSE => Event::IoDestroyHandle(IoDestroyHandle { handle }),
            FileOperation::SEEK => Event::IoSeek(IoSeek {
                handle,
                offset_request: self.bytes as i64,
                whence: IoSeekOption::FromStart,
                // Most recorders leave it out.
                offset_result: if self.bytes == 0 { u64::MAX } else { self.bytes },
            }),
            FileOperation::UNLINK => Event::IoDeleteFile(IoDeleteFile {
                io_paradigm: IoParadigmRef(0),
                file: IoFileRef(self.file),
            }),
            FileOperation::DUP => Event::IoDuplicateHandle(IoDuplicateHandle {
                old_handle: handle,
                new_handle: handle,
                status_flags: IoStatusFlag::NONE,
            }),
            FileOperation::LOCK => {
                let lock_type = match self.flags & FileOperation::IS_READ_LOCK {
                    0 => LockType::Exclusive,
                    _ => LockType::Shared,
                };
                Event::IoAcquireLock(IoAcquireLock { handle, lock_type })
            }
            FileOperation::UNLOCK => {
                Event::IoReleaseLock(IoReleaseLock { handle, lock_type: LockType::Exclusive })
            }
            _ => return None,
        })
    }

    /// The event with which a transfer ends.
    fn end(&self) -> Option<Event<'static>> {
        self.is_transfer().then(|| {
            let has_failed = self.flags & FileOperation::FAILED != 0;
            Event::IoOperationComplete(IoOperationComplete {
                handle: IoHandleRef(self.file),
                bytes_result: if has_failed { 0 } else { self.bytes },
                matching_id: self.id,
            })
        })
    }
}

/// Returns the token in the trace for a token of the stream.
fn rename(has_renamed: bool, renamed: &std::collections::BTreeMap<u32, u32>, token: u32) -> u32 {
    match has_renamed {
        false => token,
        true => renamed.get(&token).copied().unwrap_or(token),
    }
}

fn type_of(of: KeyValueType) -> Type {
    match of {
        KeyValueType::Char | KeyValueType::Uint8 => Type::Uint8,
        KeyValueType::Int8 => Type::Int8,
        KeyValueType::Int16 => Type::Int16,
        KeyValueType::Uint16 => Type::Uint16,
        KeyValueType::Int32 => Type::Int32,
        KeyValueType::Uint32 => Type::Uint32,
        KeyValueType::Int64 => Type::Int64,
        KeyValueType::Uint64 | KeyValueType::ByteArray => Type::Uint64,
        KeyValueType::Float => Type::Float,
        KeyValueType::Double => Type::Double,
    }
}
