//! The events of a process, as those of the model.

use std::collections::{BTreeMap, HashMap};

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
use super::record::{Numbers, Record};
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
    /// Set if an event was replaced by nothing.
    pub has_gaps: bool,
    /// Set if a part is read.
    pub is_part: bool,
    /// Set if the part has anything for which all before it has to be known.
    pub is_odd: bool,
}

impl<'b> Turn<'b> {
    /// The turn with a number, and an empty batch.
    pub(super) fn new(known: &'b Known, number: u64, batch: &'b mut Batch) -> Self {
        let (events, pending) = (0, 0);
        let (has_gaps, is_part, is_odd) = (false, false, false);
        Turn { known, number, batch, events, pending, has_gaps, is_part, is_odd }
    }
}

/// A process that is read.
pub(super) struct Lane {
    pub location: LocationRef,
    /// Events so far.
    pub events: u64,
    process: u32,
    /// The stream, if it has definitions of its own.
    renamed: Option<usize>,
    run: OwnRun,
    /// The last communicator, its place, and whether the process is in it.
    comm: Option<(u32, usize, bool)>,
    /// The functions that are open.
    stack: Vec<u32>,
    /// Ends of operations with a duration, which are delivered later. The first one is the last of
    /// the list.
    later: Vec<(u64, u64, Event<'static>)>,
    /// Those that have begun; of a part also those that have ended, with nothing.
    collectives: HashMap<u64, Option<Collective>, RandomState>,
    operations: HashMap<u64, Operation, RandomState>,
    /// Numbers of file operations without one.
    numbered: u64,
    faults: Faults,
    /// Of a part: uses of what the blocks before it have left open, in their order.
    outer: Option<Vec<Outer>>,
}

/// The use of something that was begun before a part, with the place of its event in the run.
enum Outer {
    /// The end of a function; `None`: of the last one that is open.
    Leave(usize, Option<u32>),
    /// The end of a collective operation, by its number.
    Collective(usize, u64),
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
        let stream = self.stream_of(process);
        Lane {
            location: LocationRef(process.into()),
            events: 0,
            process,
            renamed: stream.filter(|stream| self.streams[*stream].renamed.is_some()),
            run: OwnRun::default(),
            comm: None,
            stack: Vec::new(),
            later: Vec::new(),
            collectives: HashMap::default(),
            operations: HashMap::default(),
            numbered: 0,
            faults: Faults::default(),
            outer: None,
        }
    }

    /// The lane of a process in a part of its stream, before which anything may have been.
    pub(super) fn part(&self, process: u32) -> Lane {
        Lane { outer: Some(Vec::new()), ..self.lane(process) }
    }

    /// The token in the trace for a token of a stream, if that has definitions of its own.
    #[inline]
    fn rename(
        &self,
        stream: Option<usize>,
        of: impl Fn(&Renamed) -> &BTreeMap<u32, u32>,
        token: u32,
    ) -> u32 {
        let renamed = stream.and_then(|stream| self.streams[stream].renamed.as_ref());
        renamed.and_then(|renamed| of(renamed).get(&token).copied()).unwrap_or(token)
    }
}

impl Lane {
    #[inline]
    fn run<'b>(&mut self, turn: &'b mut Turn<'_>) -> &'b mut Run {
        self.run.of(turn.number, (self.location, self.events), turn.batch)
    }

    /// Adds an event, and before it what ends up to its time.
    #[inline]
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
            let key = known.rename(self.renamed, |it| &it.keys, keyvalue.key);
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
            let source = turn.known.rename(self.renamed, |it| &it.sources, source);
            let value = TypedValue { value_type: Type::SourceCodeLocation, bits: source.into() };
            let attribute = AttributeRef(known.source);
            self.run(turn).note(AttributeEntry { attribute, value });
        }
    }

    #[inline]
    pub(super) fn enter(
        &mut self,
        line: u64,
        time: u64,
        function: u32,
        keyvalues: &mut Vec<KeyValue>,
        turn: &mut Turn<'_>,
    ) {
        let function = turn.known.rename(self.renamed, |it| &it.functions, function);
        self.stack.push(function);
        self.push(line, time, Event::Enter(Enter { region: RegionRef(function) }), turn);
        if !keyvalues.is_empty() {
            self.note(keyvalues, 0, turn);
        }
    }

    /// Leaves a function; 0: the one that was entered last.
    #[inline]
    pub(super) fn leave(
        &mut self,
        line: u64,
        time: u64,
        function: u32,
        keyvalues: &mut Vec<KeyValue>,
        turn: &mut Turn<'_>,
    ) {
        let named = match function {
            0 => None,
            _ => Some(turn.known.rename(self.renamed, |it| &it.functions, function)),
        };
        let left = self.close(named, turn);
        self.push(line, time, Event::Leave(Leave { region: RegionRef(left) }), turn);
        if !keyvalues.is_empty() {
            self.note(keyvalues, 0, turn);
        }
    }

    /// Closes a function that is left, which has a name or is the one that was entered last. Returns it.
    #[inline]
    fn close(&mut self, named: Option<u32>, turn: &mut Turn<'_>) -> u32 {
        let last = self.stack.last().copied();
        if let Some(last) = last.filter(|last| named.is_none_or(|named| named == *last)) {
            self.stack.pop();
            return last;
        }
        let left = named.unwrap_or(u32::MAX);
        // A leave of a function that is not the last one entered stays as it is: the repair treats it.
        if let Some(place) = self.stack.iter().rposition(|open| *open == left) {
            self.stack.truncate(place);
        } else if self.outer.is_some() {
            // It closes a function that is open since before, with those of the part, or none.
            turn.is_odd |= last.is_some();
            let place = self.run(turn).len();
            self.outer.get_or_insert_default().push(Outer::Leave(place, named));
        }
        left
    }

    /// Takes a record with its numbers.
    pub(super) fn take(
        &mut self,
        line: u64,
        time: u64,
        record: Record,
        numbers: &Numbers,
        keyvalues: &mut Vec<KeyValue>,
        turn: &mut Turn<'_>,
    ) {
        let number = |at: usize| numbers[at];
        let token = |at: usize| numbers[at] as u32;
        let before = self.events;
        if self.outer.is_some() && is_of_blocks(record) {
            turn.is_odd = true;
            return;
        }
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
                self.collectives.insert(number(1), Some(begun));
                let begin = Event::MpiCollectiveBegin(MpiCollectiveBegin {});
                self.push(line, time, begin, turn);
                token(6)
            }
            Record::EndCollectiveOperation => {
                if let Some(end) = self.end_collective(number(0), turn) {
                    self.push(line, time, end, turn);
                }
                0
            }
            Record::FileOperation => {
                let file = turn.known.rename(self.renamed, |it| &it.files, token(0));
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
                let file = turn.known.rename(self.renamed, |it| &it.files, token(0));
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
                let (place, _) = self.comm(token(1), turn.known);
                let comm = turn.known.comms[place].comm;
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

    /// The end of a collective operation, if that has begun.
    fn end_collective(&mut self, id: u64, turn: &mut Turn<'_>) -> Option<Event<'static>> {
        let begun = match &self.outer {
            None => self.collectives.remove(&id).flatten(),
            Some(_) => match self.collectives.get_mut(&id) {
                Some(begun) => begun.take(),
                None => {
                    let place = self.run(turn).len();
                    self.outer.get_or_insert_default().push(Outer::Collective(place, id));
                    return Some(Event::MpiCollectiveBegin(MpiCollectiveBegin {}));
                }
            },
        };
        self.faults.collective_ends += u64::from(begun.is_none());
        begun.map(|begun| begun.end())
    }

    /// Adds a part, which nothing open but functions and collective operations is before, with the run of its events. So many
    /// lines are before it.
    pub(super) fn join(&mut self, part: Lane, run: &mut Run, lines: u64) {
        let mut has_gaps = false;
        for outer in part.outer.into_iter().flatten() {
            match outer {
                Outer::Leave(place, named) => {
                    let left = named.or(self.stack.last().copied()).unwrap_or(u32::MAX);
                    if let Some(place) = self.stack.iter().rposition(|open| *open == left) {
                        self.stack.truncate(place);
                    }
                    run.replace(place, Some(Event::Leave(Leave { region: RegionRef(left) })));
                }
                Outer::Collective(place, id) => {
                    let begun = self.collectives.remove(&id).flatten();
                    self.faults.collective_ends += u64::from(begun.is_none());
                    has_gaps |= begun.is_none();
                    run.replace(place, begun.map(|begun| begun.end()));
                }
            }
        }
        if has_gaps {
            run.remove_replaced();
        }
        self.stack.extend(part.stack);
        for (id, begun) in part.collectives {
            match begun {
                Some(_) => self.collectives.insert(id, begun),
                None => self.collectives.remove(&id),
            };
        }
        self.faults.collective_ends += part.faults.collective_ends;
        run.begin_behind(self.events + 1, lines);
        self.events += run.len() as u64;
    }

    /// Tells whether nothing is to be delivered later, so that a part may be added.
    pub(super) fn is_even(&self) -> bool {
        self.later.is_empty()
    }

    fn counter(&mut self, line: u64, time: u64, counter: u32, bits: u64, turn: &mut Turn<'_>) {
        if !self.later.is_empty() {
            self.end_before(time, turn);
        }
        let counter = turn.known.rename(self.renamed, |it| &it.counters, counter);
        let known = turn.known.counters.get(&counter);
        let (value_type, is_float) = known.copied().unwrap_or((Type::Uint64, false));
        let bits = if is_float { f64::from(f32::from_bits(bits as u32)).to_bits() } else { bits };
        let value = TypedValue { value_type, bits };
        self.run(turn).push_metric(line, Ticks(time), MetricRef(counter), [value]);
        self.events += 1;
        turn.events += 1;
    }

    /// The place of the communicator of a token, and whether the process is in it.
    fn comm(&mut self, token: u32, known: &Known) -> (usize, bool) {
        if let Some((_, place, is_in)) = self.comm.filter(|(last, ..)| *last == token) {
            return (place, is_in);
        }
        let comm = known.rename(self.renamed, |it| &it.groups, token);
        let place = known.comm(comm);
        let is_in = known.rank(place, self.process).is_some();
        self.comm = Some((token, place, is_in));
        (place, is_in)
    }

    /// The rank of another process in a communicator, and that; where one of the two is in none, all processes are.
    fn peer(&mut self, peer: u32, comm: u32, known: &Known) -> (u32, u32) {
        let (place, is_in) = self.comm(comm, known);
        let rank = if is_in { known.rank(place, peer) } else { None };
        let all = || {
            known.rank(known.all, self.process)?;
            known.rank(known.all, peer)
        };
        match rank {
            Some(rank) => (rank, known.comms[place].comm),
            None => (all().unwrap_or(u32::MAX), known.comms[known.all].comm),
        }
    }

    fn collective(
        &mut self,
        operation: u32,
        comm: u32,
        root: u32,
        (sent, received): (u64, u64),
        known: &Known,
    ) -> Collective {
        let operation = known.rename(self.renamed, |it| &it.collectives, operation);
        let op = known.collectives.get(&operation).copied().unwrap_or(CollectiveOp::Barrier);
        let (place, _) = self.comm(comm, known);
        let rank = known.rank(place, root);
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
        let comm = known.comms[place].comm;
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
                    turn.has_gaps = true;
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
            turn.has_gaps = true;
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
        turn.has_gaps |= !left_out.is_empty();
        if turn.has_gaps && self.run.is_of(turn.number) {
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

/// Tells whether the events of a record depend on those of other blocks.
fn is_of_blocks(record: Record) -> bool {
    matches!(
        record,
        Record::CollectiveOperation
            | Record::FileOperation
            | Record::BeginFileOperation
            | Record::BeginFileOperationOld
            | Record::EndFileOperation
            | Record::EndFileOperationOld
    )
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
