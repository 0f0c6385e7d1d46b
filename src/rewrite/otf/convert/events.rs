//! The events of a location as records of its process.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::{io, mem};

use foldhash::fast::RandomState;
use streamfold_kernels::probes::Probes;
use streamfold_model::enums::{IoOperationFlag, IoOperationMode, LockType, MeasurementMode, Type};
use streamfold_model::events::{
    Enter, Event, EventVisitor, Leave, MpiCollectiveEnd, MpiIrecv, NonBlockingCollectiveComplete,
};
use streamfold_model::ids::{
    CommRef, IoHandleRef, LocationRef, RegionRef, RmaWinRef, SourceCodeLocationRef, StringRef,
};
use streamfold_model::stream::EventHead;
use streamfold_model::values::AttributeEntry;

use super::tables::{self, token, Tables};
use streamfold_formats::otf::writer::{FileWritten, StreamWriter};
use streamfold_formats::otf::{KeyValue, Record, Value};

/// Number of records that wait for the end of a collective operation, at most.
const MOST: usize = 64 << 10;

/// Numbers of file operations, section 9.4.
mod operation {
    pub(super) const OPEN: u32 = 0;
    pub(super) const CLOSE: u32 = 1;
    pub(super) const READ: u32 = 2;
    pub(super) const WRITE: u32 = 3;
    pub(super) const SEEK: u32 = 4;
    pub(super) const UNLINK: u32 = 5;
    pub(super) const DUP: u32 = 7;
    pub(super) const SYNC: u32 = 8;
    pub(super) const LOCK: u32 = 9;
    pub(super) const UNLOCK: u32 = 10;
    pub(super) const FAILED: u32 = 32;
    pub(super) const ASYNC: u32 = 64;
    pub(super) const COLLECTIVE: u32 = 128;
    pub(super) const IS_READ_LOCK: u32 = 1024;
}

/// Counts of events that records could not hold, by description.
pub(super) type LeftOut = BTreeMap<String, u64>;

/// A location that is written.
pub(super) struct Lane<'t> {
    tables: &'t Tables<'t>,
    location: LocationRef,
    process: u32,
    writer: StreamWriter,
    /// Records behind a collective operation that has not ended: its end says what it was.
    queue: VecDeque<Queued>,
    /// Records that were taken from the queue.
    taken: usize,
    /// Values of counters that stand before their enter in the trace. In records of OTF they stand behind it.
    values: Vec<Queued>,
    /// Places of the open collective operations.
    open: Vec<usize>,
    collectives: u64,
    operations: u64,
    transfers: HashMap<(IoHandleRef, u64), (u64, u32), RandomState>,
    probes: Probes,
    left_out: LeftOut,
    is_off: bool,
    /// True if recording paused.
    has_gaps: bool,
    /// The collective operations that were met.
    ops: BTreeSet<u8>,
    /// Why the file cannot be written.
    failure: Option<io::Error>,
}

/// Result of a location.
pub(super) struct Finished {
    pub written: io::Result<FileWritten>,
    pub left_out: LeftOut,
    /// The collective operations that were met.
    pub ops: BTreeSet<u8>,
    /// True if recording paused.
    pub has_gaps: bool,
}

/// A record that waits.
struct Queued {
    time: u64,
    record: Record,
    values: Vec<Value<'static>>,
    keyvalues: Vec<KeyValue>,
    state: Waiting,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    /// It is whole.
    Whole,
    /// It is the begin of a collective operation that has not ended.
    Open,
    /// It is left out.
    LeftOut,
}

fn numbers<const N: usize>(numbers: [u64; N]) -> Vec<Value<'static>> {
    numbers.into_iter().map(Value::Number).collect()
}

impl<'t> Lane<'t> {
    pub(super) fn new(tables: &'t Tables<'t>, location: LocationRef, writer: StreamWriter) -> Self {
        Lane {
            tables,
            location,
            process: tables.process(location),
            writer,
            queue: VecDeque::new(),
            taken: 0,
            values: Vec::new(),
            open: Vec::new(),
            collectives: 0,
            operations: 0,
            transfers: HashMap::default(),
            probes: Probes::default(),
            left_out: LeftOut::new(),
            is_off: false,
            has_gaps: false,
            ops: BTreeSet::new(),
            failure: None,
        }
    }

    fn leave_out(&mut self, what: &str) {
        match self.left_out.get_mut(what) {
            Some(count) => *count += 1,
            None => drop(self.left_out.insert(what.to_owned(), 1)),
        }
    }

    /// Writes a record, or lets it wait behind others.
    fn push(&mut self, head: &EventHead<'_>, record: Record, values: Vec<Value<'static>>) {
        let queued = self.queued(head, record, values);
        self.put(queued);
    }

    /// A whole record.
    fn queued(
        &mut self,
        head: &EventHead<'_>,
        record: Record,
        mut values: Vec<Value<'static>>,
    ) -> Queued {
        let mut keyvalues = Vec::new();
        if !head.attributes.is_empty() {
            let source = self.attributes(head.attributes, &mut keyvalues);
            let last = record.kind().fields.last();
            match (last.is_some_and(|field| field.name == "source"), values.last_mut(), source) {
                (true, Some(last), Some(source)) => *last = Value::Number(source.into()),
                (false, _, Some(_)) => {
                    self.leave_out("places in the source of records without them")
                }
                _ => {}
            }
        }
        Queued { time: head.time.0, record, values, keyvalues, state: Waiting::Whole }
    }

    /// Writes a record with the values of counters that wait: behind an enter of their time, or else before it.
    fn put(&mut self, queued: Queued) {
        let is_start = queued.record == Record::Enter
            && self.values.first().is_some_and(|value| value.time == queued.time);
        if !is_start {
            self.put_values();
        }
        self.put_next(queued);
        self.put_values();
    }

    /// The value of a counter that belongs to the enter or leave behind it waits for that.
    fn hold(&mut self, value: Queued) {
        let is_later = self.values.first().is_some_and(|first| first.time != value.time);
        if is_later || self.values.len() >= MOST {
            self.put_values();
        }
        self.values.push(value);
    }

    fn put_values(&mut self) {
        if !self.values.is_empty() {
            let values = mem::take(&mut self.values);
            values.into_iter().for_each(|value| self.put_next(value));
        }
    }

    fn put_next(&mut self, queued: Queued) {
        if self.queue.is_empty() && queued.state == Waiting::Whole {
            return self.write(&queued);
        }
        self.queue.push_back(queued);
        if self.queue.len() > MOST {
            self.give_up();
        }
    }

    fn write(&mut self, queued: &Queued) {
        if queued.state == Waiting::LeftOut || self.failure.is_some() {
            return;
        }
        let Queued { time, record, values, keyvalues, .. } = queued;
        if let Err(error) = self.writer.record(*time, self.process, *record, values, keyvalues) {
            self.failure = Some(error);
        }
    }

    /// Writes what waits for nothing any more.
    fn drain(&mut self) {
        while self.queue.front().is_some_and(|first| first.state != Waiting::Open) {
            if let Some(first) = self.queue.pop_front() {
                self.taken += 1;
                self.write(&first);
            }
        }
    }

    /// The collective operation that began first takes too long: its begin is written with its end.
    fn give_up(&mut self) {
        if let Some(first) = self.queue.front_mut() {
            first.state = Waiting::LeftOut;
        }
        self.drain();
    }

    /// Attributes as key-values. Returns the place in the source, if one is among them.
    fn attributes(&mut self, entries: &[AttributeEntry], to: &mut Vec<KeyValue>) -> Option<u32> {
        let mut source = None;
        for AttributeEntry { attribute, value } in entries {
            if value.value_type == Type::SourceCodeLocation {
                source = Some(tables::source(SourceCodeLocationRef(value.bits as u32)));
                continue;
            }
            let Some(value_type) = Tables::key_type(value.value_type) else {
                let name = value.value_type.name().unwrap_or("unknown");
                self.leave_out(&format!("attributes of type {name}"));
                continue;
            };
            let (bits, bytes) = match value.value_type {
                Type::String => {
                    let text = self.tables.text(StringRef(value.bits as u32));
                    (0, text.to_vec())
                }
                _ => (value.bits, Vec::new()),
            };
            to.push(KeyValue { key: token(attribute.0), value_type, bits, bytes });
        }
        source
    }

    fn visit(&mut self, head: &EventHead<'_>, record: Record, function: u32) {
        if function == 0 {
            return self.leave_out("visits of regions that are not defined");
        }
        self.push(head, record, numbers([function.into(), 0]));
    }

    /// A time without recording is a function.
    fn gap(&mut self, head: &EventHead<'_>, mode: MeasurementMode) {
        let is_off = mode == MeasurementMode::Off;
        if is_off == self.is_off {
            return self.leave_out("switches of recording that switch nothing");
        }
        self.is_off = is_off;
        self.has_gaps = true;
        let record = if is_off { Record::Enter } else { Record::Leave };
        self.visit(head, record, self.tables.off());
    }

    fn message(
        &mut self,
        head: &EventHead<'_>,
        record: Record,
        (rank, comm, tag, length): (u32, CommRef, u32, u64),
    ) {
        let Some(peer) = self.tables.peer(self.location, comm, rank) else {
            return self.leave_out("messages to or from a rank that is not defined");
        };
        if length > u32::MAX.into() {
            self.leave_out("lengths of messages above 4 GiB, which are cut to that");
        }
        let length = length.min(u32::MAX.into());
        let comm = self.tables.comm(comm);
        let values = numbers([peer.into(), length, tag.into(), comm.into(), 0]);
        self.push(head, record, values);
    }

    fn receive(&mut self, head: &EventHead<'_>, event: MpiIrecv) {
        let MpiIrecv { sender, communicator, msg_tag, msg_length, .. } = event;
        self.message(head, Record::RecvMsg, (sender, communicator, msg_tag, msg_length));
    }

    fn begin_of_collective(&mut self, head: &EventHead<'_>) {
        let mut keyvalues = Vec::new();
        self.attributes(head.attributes, &mut keyvalues);
        self.put_values();
        self.open.push(self.taken + self.queue.len());
        self.put(Queued {
            time: head.time.0,
            record: Record::BeginCollectiveOperation,
            values: Vec::new(),
            keyvalues,
            state: Waiting::Open,
        });
    }

    fn end_of_collective(&mut self, head: &EventHead<'_>, event: MpiCollectiveEnd) {
        self.collectives += 1;
        let values = self.collective(event, self.collectives);
        let place = self.open.pop().and_then(|place| place.checked_sub(self.taken));
        match place.and_then(|place| self.queue.get_mut(place)) {
            Some(begin) if begin.state == Waiting::Open => {
                begin.values = values;
                begin.state = Waiting::Whole;
            }
            _ => {
                self.leave_out("begins of collective operations that are at their end now");
                let bare = EventHead { attributes: &[], ..*head };
                self.push(&bare, Record::BeginCollectiveOperation, values);
            }
        }
        self.push(head, Record::EndCollectiveOperation, numbers([self.collectives]));
        self.drain();
    }

    fn collective(&mut self, event: MpiCollectiveEnd, number: u64) -> Vec<Value<'static>> {
        let MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received } =
            event;
        self.ops.insert(collective_op.into());
        let root = self.tables.root(self.location, communicator, root);
        if self.tables.has_two_groups(communicator) {
            self.leave_out("parts in collective operations between two groups, which are one now");
        }
        numbers([
            tables::collective(collective_op).into(),
            number,
            self.tables.comm(communicator).into(),
            root.into(),
            size_sent,
            size_received,
            0,
        ])
    }

    /// A collective operation with a request: it begins and ends where it completes.
    fn completion(&mut self, head: &EventHead<'_>, event: NonBlockingCollectiveComplete) {
        let NonBlockingCollectiveComplete {
            collective_op,
            communicator,
            root,
            size_sent,
            size_received,
            ..
        } = event;
        self.leave_out("durations of collective operations with a request");
        self.collectives += 1;
        let event =
            MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received };
        let values = self.collective(event, self.collectives);
        let bare = EventHead { attributes: &[], ..*head };
        self.push(&bare, Record::BeginCollectiveOperation, values);
        self.push(head, Record::EndCollectiveOperation, numbers([self.collectives]));
    }

    /// A file operation without a duration.
    fn operation(&mut self, head: &EventHead<'_>, handle: IoHandleRef, kind: u32, bytes: u64) {
        let file = self.tables.file(handle);
        let number = token(handle.0);
        let values = numbers([file.into(), number.into(), kind.into(), bytes, 0, 0]);
        self.push(head, Record::FileOperation, values);
    }

    fn begin_of_transfer(
        &mut self,
        head: &EventHead<'_>,
        (handle, matching_id): (IoHandleRef, u64),
        (mode, flags): (IoOperationMode, IoOperationFlag),
    ) {
        let mut kind = match mode {
            IoOperationMode::Read => operation::READ,
            IoOperationMode::Write => operation::WRITE,
            _ => operation::SYNC,
        };
        if flags.contains(IoOperationFlag::NON_BLOCKING) {
            kind |= operation::ASYNC;
        }
        if flags.contains(IoOperationFlag::COLLECTIVE) {
            kind |= operation::COLLECTIVE;
        }
        self.operations += 1;
        self.transfers.insert((handle, matching_id), (self.operations, kind));
        self.push(head, Record::BeginFileOperation, numbers([self.operations, 0]));
    }

    fn end_of_transfer(
        &mut self,
        head: &EventHead<'_>,
        (handle, matching_id): (IoHandleRef, u64),
        bytes: Option<u64>,
    ) {
        let Some((number, kind)) = self.transfers.remove(&(handle, matching_id)) else {
            return self.leave_out("ends of file operations that did not begin");
        };
        let kind = if bytes.is_some() { kind } else { kind | operation::FAILED };
        let file = self.tables.file(handle);
        let handle = token(handle.0);
        let bytes = bytes.unwrap_or(0);
        let values = numbers([file.into(), number, handle.into(), kind.into(), bytes, 0]);
        self.push(head, Record::EndFileOperation, values);
    }

    fn access(
        &mut self,
        head: &EventHead<'_>,
        record: Record,
        (win, remote, bytes, matching_id): (RmaWinRef, u32, u64, u64),
    ) {
        let comm = self.tables.comm_of(win);
        let Some(target) = self.tables.peer(self.location, comm, remote) else {
            return self.leave_out("accesses to the memory of a rank that is not defined");
        };
        let tag = matching_id as u32;
        let comm = self.tables.comm(comm);
        // The origin is the process itself.
        self.push(head, record, numbers([0, target.into(), comm.into(), tag.into(), bytes, 0]));
    }

    fn end_of_access(&mut self, head: &EventHead<'_>, win: RmaWinRef, matching_id: u64) {
        let comm = self.tables.comm(self.tables.comm_of(win));
        let tag = matching_id as u32;
        self.push(head, Record::RMAEnd, numbers([0, comm.into(), tag.into(), 0]));
    }

    /// Ends the file, in which readers find a state at least.
    pub(super) fn finish(mut self, time: u64) -> Finished {
        self.put_values();
        while !self.queue.is_empty() {
            self.leave_out("begins of collective operations that do not end");
            self.give_up();
        }
        if self.writer.is_empty() {
            self.writer.state(time, self.process);
        }
        let written = match self.failure.take() {
            Some(error) => Err(error),
            None => self.writer.finish(),
        };
        Finished { written, left_out: self.left_out, ops: self.ops, has_gaps: self.has_gaps }
    }
}

impl EventVisitor for Lane<'_> {
    const ATTRIBUTES: bool = true;

    fn context_visit(&mut self, head: &EventHead<'_>, event: Event<'_>, region: RegionRef) {
        match event {
            Event::CallingContextEnter(_) => self.event(head, Event::Enter(Enter { region })),
            _ => self.event(head, Event::Leave(Leave { region })),
        }
    }

    fn unknown(&mut self, _: &EventHead<'_>, _: u8) {
        self.leave_out("records of kinds that are not known");
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        match event {
            Event::Enter(e) => self.visit(head, Record::Enter, self.tables.function(e.region)),
            Event::Leave(e) => self.visit(head, Record::Leave, self.tables.function(e.region)),
            Event::CallingContextEnter(e) => {
                self.visit(head, Record::Enter, self.tables.function_of(e.calling_context));
            }
            Event::CallingContextLeave(e) => {
                self.visit(head, Record::Leave, self.tables.function_of(e.calling_context));
            }
            Event::MeasurementOnOff(e) => self.gap(head, e.measurement_mode),
            Event::MpiSend(e) => {
                let of = (e.receiver, e.communicator, e.msg_tag, e.msg_length);
                self.message(head, Record::SendMsg, of);
            }
            Event::MpiIsend(e) => {
                let of = (e.receiver, e.communicator, e.msg_tag, e.msg_length);
                self.message(head, Record::SendMsg, of);
            }
            Event::MpiRecv(e) => {
                let of = (e.sender, e.communicator, e.msg_tag, e.msg_length);
                self.message(head, Record::RecvMsg, of);
            }
            Event::MpiIrecv(e) => self.receive(head, e),
            Event::MpiMrecv(_) | Event::MpiImrecv(_) => {
                if let Some(received) = self.probes.take(&event) {
                    self.receive(head, received);
                }
            }
            Event::MpiProbe(_) | Event::MpiImrecvRequest(_) => {
                let _ = self.probes.take(&event);
                self.leave_out(event.kind().name());
            }
            Event::MpiCollectiveBegin(_) => self.begin_of_collective(head),
            Event::MpiCollectiveEnd(e) => self.end_of_collective(head, e),
            Event::NonBlockingCollectiveComplete(e) => self.completion(head, e),
            Event::Metric(e) => {
                let counters = self.tables.counters(e.metric);
                let is_of_calls = self.tables.is_of_calls(e.metric);
                if counters.len() != e.values.len() {
                    self.leave_out("values of metrics that are not defined");
                }
                for (place, (counter, value)) in counters.iter().zip(e.values).enumerate() {
                    // Attributes are of the event, not of each value.
                    let attributes = if place == 0 { head.attributes } else { &[] };
                    let head = EventHead { attributes, ..*head };
                    let values = numbers([(*counter).into(), value.bits]);
                    match is_of_calls {
                        true => {
                            let value = self.queued(&head, Record::Counter, values);
                            self.hold(value);
                        }
                        false => self.push(&head, Record::Counter, values),
                    }
                }
            }
            Event::RmaPut(e) => {
                self.access(head, Record::RMAPut, (e.win, e.remote, e.bytes, e.matching_id));
            }
            Event::RmaGet(e) => {
                self.access(head, Record::RMAGet, (e.win, e.remote, e.bytes, e.matching_id));
            }
            Event::RmaOpCompleteBlocking(e) => self.end_of_access(head, e.win, e.matching_id),
            Event::RmaOpCompleteNonBlocking(e) => self.end_of_access(head, e.win, e.matching_id),
            Event::IoCreateHandle(e) => self.operation(head, e.handle, operation::OPEN, 0),
            Event::IoDestroyHandle(e) => self.operation(head, e.handle, operation::CLOSE, 0),
            Event::IoDuplicateHandle(e) => self.operation(head, e.old_handle, operation::DUP, 0),
            Event::IoSeek(e) => self.operation(head, e.handle, operation::SEEK, e.offset_result),
            Event::IoDeleteFile(e) => {
                let file = token(e.file.0);
                let values = numbers([file.into(), 0, operation::UNLINK.into(), 0, 0, 0]);
                self.push(head, Record::FileOperation, values);
            }
            Event::IoOperationBegin(e) => {
                let of = (e.handle, e.matching_id);
                self.begin_of_transfer(head, of, (e.mode, e.operation_flags));
            }
            Event::IoOperationComplete(e) => {
                self.end_of_transfer(head, (e.handle, e.matching_id), Some(e.bytes_result));
            }
            Event::IoOperationCancelled(e) => {
                self.end_of_transfer(head, (e.handle, e.matching_id), None);
            }
            Event::IoAcquireLock(e) => {
                let is_shared = e.lock_type == LockType::Shared;
                let flag = if is_shared { operation::IS_READ_LOCK } else { 0 };
                self.operation(head, e.handle, operation::LOCK | flag, 0);
            }
            Event::IoReleaseLock(e) => self.operation(head, e.handle, operation::UNLOCK, 0),
            Event::ProgramBegin(_) => self.push(head, Record::BeginProcess, Vec::new()),
            Event::ProgramEnd(_) => self.push(head, Record::EndProcess, Vec::new()),
            other => self.leave_out(other.kind().name()),
        }
    }
}
