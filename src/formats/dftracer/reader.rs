//! The events of some locations, thread by thread.

use std::collections::VecDeque;
use std::sync::Arc;

use streamfold_model::enums::{IoOperationFlag, IoOperationMode};
use streamfold_model::events::{
    Enter, Event, IoOperationBegin, IoOperationComplete, Leave, MpiCollectiveBegin,
    MpiCollectiveEnd, MpiIrecv, MpiIrecvRequest, MpiIsend, MpiIsendComplete, MpiRecv, MpiSend,
    ParameterUnsignedInt, RmaGet, RmaOpCompleteBlocking, RmaPut,
};
use streamfold_model::ids::{
    CommRef, IoFileRef, IoHandleRef, LocationRef, MetricRef, ParameterRef, RegionRef, RmaWinRef,
};
use streamfold_model::values::{Ticks, TypedValue};

use super::messages::collective_op;
use super::slices::{Decoder, Op, Peer, Slice, Slices, Way};
use super::trace::{Dftracer, TracePart};
use crate::defining::Known;
use crate::{Batch, Batches, Loss, OwnRun, Run};

/// A batch ends behind so many calls.
const CALLS: u64 = 2048;

/// Reads the calls of some locations.
pub(super) struct Reader {
    trace: Arc<Dftracer>,
    /// The threads that are left: the number of the file, and the wanted lanes of the thread.
    left: VecDeque<(usize, Vec<u32>)>,
    /// The calls of the file before: threads of one file follow each other.
    slices: Option<(usize, Arc<Slices>)>,
    open: Option<Thread>,
    turn: u64,
    /// Bytes of the threads before.
    before: u64,
}

/// The thread that is read.
struct Thread {
    part: usize,
    calls: Decoder,
    /// The first lane, and all of them; those that are not wanted are `None`.
    first: u32,
    lanes: Vec<Option<Lane>>,
    bytes: u64,
}

/// A lane that is read.
struct Lane {
    location: LocationRef,
    /// Set if its messages have ends.
    has_messages: bool,
    /// The location that uses the accelerator.
    host: Option<u32>,
    events: u64,
    operations: u64,
    /// Open calls, with what their operation on a file, or their copy, transferred.
    open: Vec<(Slice, Option<Operation>)>,
    /// Messages that were begun and that nothing has waited for yet.
    requests: VecDeque<Request>,
    /// Requests so far.
    requested: u64,
    /// When the last call ended, and in which line it stands.
    last: (u64, u64),
    run: OwnRun,
}

#[derive(Clone, Copy)]
struct Operation {
    handle: IoHandleRef,
    bytes: u64,
    id: u64,
}

/// A message that does not block.
#[derive(Clone, Copy)]
struct Request {
    id: u64,
    /// The sender of a receive. `None`: it is a send.
    from: Option<Peer>,
}

impl Reader {
    /// Of these locations.
    pub(super) fn new(trace: &Dftracer, locations: &[LocationRef]) -> Self {
        let mut wanted = locations.to_vec();
        wanted.sort_unstable();
        let mut left: VecDeque<(usize, Vec<u32>)> = VecDeque::new();
        for location in wanted {
            let Some(part) = trace.part_of(location) else { continue };
            let lane = (location.0 - trace.parts[part].first_location) as u32;
            match left.back_mut() {
                Some((last, lanes)) if *last == part => lanes.push(lane),
                _ => left.push_back((part, vec![lane])),
            }
        }
        Reader { trace: trace.shared(), left, slices: None, open: None, turn: 0, before: 0 }
    }

    /// Opens the next thread. `false`: there is none.
    fn open_next(&mut self) -> Result<bool, Loss> {
        let Some((part, mut lanes)) = self.left.pop_front() else { return Ok(false) };
        let slices = match &self.slices {
            Some((of, slices)) if *of == part => slices.clone(),
            _ => self.trace.slices(part)?,
        };
        self.slices = Some((part, slices.clone()));
        let (first, calls) = slices.of_thread_with(lanes[0]);
        let count = slices.lanes_from(first);
        let others: Vec<u32> =
            lanes.iter().copied().filter(|lane| *lane >= first + count).collect();
        lanes.retain(|lane| *lane < first + count);
        if !others.is_empty() {
            self.left.push_front((part, others));
        }
        let of = &self.trace.parts[part];
        let lane = |number: u32| {
            lanes.contains(&(first + number)).then(|| Lane {
                location: LocationRef(of.first_location + u64::from(first + number)),
                has_messages: of.has_messages[(first + number) as usize],
                host: of.hosts[(first + number) as usize],
                events: 0,
                operations: 0,
                open: Vec::new(),
                requests: VecDeque::new(),
                requested: 0,
                last: (0, 0),
                run: OwnRun::default(),
            })
        };
        let bytes = lanes.iter().map(|lane| {
            use crate::Source;
            self.trace.cost(LocationRef(of.first_location + u64::from(*lane)))
        });
        let bytes = bytes.sum();
        let lanes = (0..count).map(lane).collect();
        self.open = Some(Thread { part, calls, first, lanes, bytes });
        Ok(true)
    }
}

impl Batches for Reader {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, Loss> {
        if self.open.is_none() && !self.open_next()? {
            return Ok(false);
        }
        self.turn += 1;
        let Reader { trace, open, turn, before, .. } = self;
        let Some(thread) = open else { return Ok(false) };
        let part = &trace.parts[thread.part];
        for _ in 0..CALLS {
            let slice = thread.calls.next().map_err(|error| {
                let what = format!("a temporary file cannot be read: {error}");
                Loss::of_system(&part.path, &what)
            })?;
            let Some(slice) = slice else {
                for lane in thread.lanes.iter_mut().flatten() {
                    lane.leave_before(part, Slice::OPEN - 1, *turn, batch);
                    lane.complete(usize::MAX, lane.last, *turn, batch);
                }
                *before += thread.bytes;
                *open = None;
                return Ok(true);
            };
            let lane = thread.lanes.get_mut((slice.lane - thread.first) as usize);
            if let Some(Some(lane)) = lane {
                lane.leave_before(part, slice.start, *turn, batch);
                lane.enter(part, slice, *turn, batch);
            }
        }
        Ok(true)
    }

    fn bytes(&self) -> u64 {
        self.before
    }

    fn rest(&mut self) {}
}

impl Lane {
    fn run<'b>(&mut self, turn: u64, batch: &'b mut Batch) -> &'b mut Run {
        self.run.of(turn, (self.location, self.events), batch)
    }

    /// Calls that ended up to a time are left.
    fn leave_before(&mut self, part: &TracePart, time: u64, turn: u64, batch: &mut Batch) {
        while let Some((slice, operation)) = self.open.pop_if(|(slice, _)| slice.end <= time) {
            let end = Ticks(slice.end);
            self.last = (slice.end, slice.line);
            if let (Some(Operation { id: matching_id, .. }), Op::Copy(..)) = (operation, slice.op) {
                let complete = RmaOpCompleteBlocking { win: RmaWinRef(0), matching_id };
                self.push(slice.line, end, Event::RmaOpCompleteBlocking(complete), turn, batch);
            } else if let Some(Operation { handle, bytes, id }) = operation {
                let complete = IoOperationComplete { handle, bytes_result: bytes, matching_id: id };
                self.push(slice.line, end, Event::IoOperationComplete(complete), turn, batch);
            }
            self.end_of_message(part, &slice, turn, batch);
            let region = RegionRef(part.regions[slice.region as usize]);
            self.push(slice.line, end, Event::Leave(Leave { region }), turn, batch);
        }
    }

    fn push(
        &mut self,
        line: u64,
        time: Ticks,
        event: Event<'static>,
        turn: u64,
        batch: &mut Batch,
    ) {
        self.run(turn, batch).push(line, time, event);
        self.events += 1;
    }

    fn enter(&mut self, part: &TracePart, slice: Slice, turn: u64, batch: &mut Batch) {
        if let Op::Value(bits) = slice.op {
            let (metric, value_type) = part.series[slice.region as usize];
            let value = TypedValue { value_type, bits };
            let time = Ticks(slice.start);
            self.run(turn, batch).push_metric(slice.line, time, MetricRef(metric), [value]);
            self.events += 1;
            return;
        }
        let region = RegionRef(part.regions[slice.region as usize]);
        let begin = Ticks(slice.start);
        let handle = part.handles.get(slice.file as usize).copied();
        let moved = match slice.op {
            Op::Read(bytes) => Some((IoOperationMode::Read, bytes)),
            Op::Write(bytes) => Some((IoOperationMode::Write, bytes)),
            _ => None,
        };
        self.push(slice.line, begin, Event::Enter(Enter { region }), turn, batch);
        let file = part.files.get(slice.file as usize).filter(|_| moved.is_none());
        let known = [
            file.map(|file| Known::File(IoFileRef(*file))),
            slice.offset.map(Known::Offset),
            (slice.op == Op::Failed).then_some(Known::Error(0)),
            match slice.op {
                Op::Linked(number) | Op::Copy(.., Some(number)) => Some(Known::Correlation(number)),
                Op::External(number) => Some(Known::External(number)),
                _ => None,
            },
        ];
        let run = self.run(turn, batch);
        known.into_iter().flatten().for_each(|known| run.note(known.entry()));
        if let Op::Phase(numbers) = slice.op {
            for (parameter, value) in (0..).zip(numbers) {
                let parameter = ParameterRef(parameter);
                let event = value.map(|value| ParameterUnsignedInt { parameter, value });
                let Some(event) = event.map(Event::ParameterUnsignedInt) else { continue };
                self.push(slice.line, begin, event, turn, batch);
            }
        }
        let operation = moved.map(|(mode, bytes)| {
            self.operations += 1;
            let handle = handle.map_or(IoHandleRef::UNDEFINED, IoHandleRef);
            let operation = IoOperationBegin {
                handle,
                mode,
                operation_flags: IoOperationFlag::NONE,
                bytes_request: bytes,
                matching_id: self.operations,
            };
            self.push(slice.line, begin, Event::IoOperationBegin(operation), turn, batch);
            Operation { handle, bytes, id: self.operations }
        });
        let operation = match slice.op {
            Op::Copy(way, bytes, _) => Some(self.copy(&slice, (way, bytes), turn, batch)),
            _ => operation,
        };
        self.begin_of_message(&slice, turn, batch);
        self.open.push((slice, operation));
    }

    /// Adds the transfer of a copy, when it begins. Ranks are numbers of locations.
    fn copy(
        &mut self,
        slice: &Slice,
        (way, bytes): (Way, u64),
        turn: u64,
        batch: &mut Batch,
    ) -> Operation {
        self.operations += 1;
        let (win, matching_id) = (RmaWinRef(0), self.operations);
        let host = self.host.unwrap_or(u32::MAX);
        let own = u32::try_from(self.location.0).unwrap_or(u32::MAX);
        let event = match way {
            Way::HostToDevice => Event::RmaGet(RmaGet { win, remote: host, bytes, matching_id }),
            Way::DeviceToHost => Event::RmaPut(RmaPut { win, remote: host, bytes, matching_id }),
            Way::DeviceToDevice => Event::RmaPut(RmaPut { win, remote: own, bytes, matching_id }),
        };
        self.push(slice.line, Ticks(slice.start), event, turn, batch);
        Operation { handle: IoHandleRef::UNDEFINED, bytes, id: matching_id }
    }

    /// Adds the send of a call of MPI, when the call begins.
    fn begin_of_message(&mut self, slice: &Slice, turn: u64, batch: &mut Batch) {
        let (communicator, msg_length) = (CommRef(0), 0);
        if !self.has_messages {
            return;
        }
        let event = match slice.op {
            Op::Send(to) | Op::Sendrecv(to, _) => Event::MpiSend(MpiSend {
                receiver: to.rank,
                communicator,
                msg_tag: to.tag,
                msg_length,
            }),
            Op::Isend(to) => {
                let request_id = self.request(None);
                Event::MpiIsend(MpiIsend {
                    receiver: to.rank,
                    communicator,
                    msg_tag: to.tag,
                    msg_length,
                    request_id,
                })
            }
            Op::Collective(..) => Event::MpiCollectiveBegin(MpiCollectiveBegin {}),
            _ => return,
        };
        self.push(slice.line, Ticks(slice.start), event, turn, batch);
    }

    /// Adds the receives or completions of a call of MPI, when the call ends.
    fn end_of_message(&mut self, part: &TracePart, slice: &Slice, turn: u64, batch: &mut Batch) {
        let communicator = CommRef(0);
        if !self.has_messages {
            return;
        }
        let known = |from: Peer| match from.rank == Peer::ANY || from.tag == Peer::ANY {
            true => part.guesses.get(&slice.line).copied(),
            false => Some(from),
        };
        let event = match slice.op {
            Op::Recv(from) | Op::Sendrecv(_, from) => {
                let Some(from) = known(from) else { return };
                Event::MpiRecv(MpiRecv {
                    sender: from.rank,
                    communicator,
                    msg_tag: from.tag,
                    msg_length: 0,
                })
            }
            Op::Irecv(from) => {
                let Some(from) = known(from) else { return };
                let request_id = self.request(Some(from));
                Event::MpiIrecvRequest(MpiIrecvRequest { request_id })
            }
            Op::Collective(number, root) => Event::MpiCollectiveEnd(MpiCollectiveEnd {
                collective_op: collective_op(number),
                communicator,
                root,
                size_sent: 0,
                size_received: 0,
            }),
            Op::Wait => return self.complete(1, (slice.end, slice.line), turn, batch),
            Op::Waitall => return self.complete(usize::MAX, (slice.end, slice.line), turn, batch),
            _ => return,
        };
        self.push(slice.line, Ticks(slice.end), event, turn, batch);
    }

    fn request(&mut self, from: Option<Peer>) -> u64 {
        self.requested += 1;
        self.requests.push_back(Request { id: self.requested, from });
        self.requested
    }

    /// Number of requests that are complete, the oldest first.
    fn complete(&mut self, most: usize, at: (u64, u64), turn: u64, batch: &mut Batch) {
        let (end, line) = at;
        for _ in 0..most {
            let Some(Request { id: request_id, from }) = self.requests.pop_front() else { return };
            let event = match from {
                None => Event::MpiIsendComplete(MpiIsendComplete { request_id }),
                Some(from) => Event::MpiIrecv(MpiIrecv {
                    sender: from.rank,
                    communicator: CommRef(0),
                    msg_tag: from.tag,
                    msg_length: 0,
                    request_id,
                }),
            };
            self.push(line, Ticks(end), event, turn, batch);
        }
    }
}
