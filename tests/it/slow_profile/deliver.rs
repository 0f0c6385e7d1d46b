//! Streams as a reader hands them to a kernel.

use streamfold::kernels::profile::ParameterValue;
use streamfold::model::calls::{Call, Calls, Message};
use streamfold::model::enums::{
    CollectiveOp, IoOperationFlag, MeasurementMode, RmaAtomicType, RmaSyncLevel,
};
use streamfold::model::events::*;
use streamfold::model::ids::{
    CallingContextRef, CommRef, IoHandleRef, LocationRef, MetricRef, ParameterRef, RegionRef,
    RmaWinRef,
};
use streamfold::model::stream::{EventHead, StreamSummary};
use streamfold::model::values::Ticks;

use super::{Happening, Stream, Task};

/// Hands over a stream. `cuts` says over and over how many enters, leaves and messages that follow
/// each other are handed over as one run, if there are so many; 0: the next one alone, by its own
/// method. So are messages that are not asked for.
pub fn deliver(
    scan: &mut impl EventVisitor,
    location: LocationRef,
    stream: &Stream,
    cuts: &[usize],
) -> StreamSummary {
    let mut cuts = cuts.iter().copied().cycle();
    let mut at = 0;
    while at < stream.len() {
        let in_run = |(_, happening): &&(u64, Happening)| {
            call(*happening).is_some() || message(*happening).is_some()
        };
        let calls = stream[at..].iter().take_while(in_run).count();
        // A run does not go backward, and not behind the event before it either.
        let since = at.saturating_sub(1);
        let forward = stream[since..].windows(2).take_while(|pair| pair[0].0 <= pair[1].0).count();
        let calls = calls.min(forward + 1 - (at - since));
        let cut = if calls > 0 { cuts.next().unwrap_or(usize::MAX) } else { 0 };
        let end = at + calls.min(cut);
        if end > at {
            let mut run = Run { location, events: &stream[..end], next: at };
            scan.calls(&mut run);
            at = run.next;
        }
        if cut == 0 || at < end {
            let (time, happening) = stream[at];
            assert!(cut == 0 || message(happening).is_some(), "all calls are taken");
            let (number, time) = (at as u64 + 1, Ticks(time));
            deliver_one(scan, &EventHead { location, number, time, attributes: &[] }, happening);
            at += 1;
        }
    }
    StreamSummary {
        events: stream.len() as u64,
        unknown: 0,
        first: stream.first().map(|event| Ticks(event.0)),
        last: stream.last().map(|event| Ticks(event.0)),
        backward: stream.windows(2).filter(|pair| pair[1].0 < pair[0].0).count() as u64,
    }
}

/// Enters, leaves and messages that follow each other.
struct Run<'a> {
    location: LocationRef,
    /// The stream up to the last of them.
    events: &'a [(u64, Happening)],
    next: usize,
}

impl Calls for Run<'_> {
    fn next(&mut self) -> Option<Call> {
        let call = call(self.events.get(self.next)?.1)?;
        self.next += 1;
        Some(call)
    }

    fn next_message(&mut self) -> Option<Message> {
        let message = message(self.events.get(self.next)?.1)?;
        self.next += 1;
        Some(message)
    }

    fn time(&self) -> Ticks {
        Ticks(self.next.checked_sub(1).map_or(0, |last| self.events[last].0))
    }

    fn head(&self) -> EventHead<'static> {
        let number = self.next as u64;
        EventHead { location: self.location, number, time: self.time(), attributes: &[] }
    }
}

fn call(happening: Happening) -> Option<Call> {
    match happening {
        Happening::Enter(region) => Some(Call::Enter(RegionRef(region))),
        Happening::Leave(region) => Some(Call::Leave(RegionRef(region))),
        _ => None,
    }
}

fn message(happening: Happening) -> Option<Message> {
    match happening {
        Happening::Send(bytes) | Happening::Isend(bytes) => {
            Some(Message { received: false, bytes })
        }
        Happening::Recv(bytes) | Happening::Irecv(bytes) => Some(Message { received: true, bytes }),
        _ => None,
    }
}

fn deliver_one(scan: &mut impl EventVisitor, head: &EventHead<'_>, happening: Happening) {
    match happening {
        Happening::Enter(region) => scan.enter(head, Enter { region: RegionRef(region) }),
        Happening::Leave(region) => scan.leave(head, Leave { region: RegionRef(region) }),
        Happening::ContextEnter(context) => {
            let calling_context = CallingContextRef(context);
            let event = CallingContextEnter { calling_context, unwind_distance: 1 };
            scan.calling_context_enter(head, event)
        }
        Happening::ContextLeave(context) => {
            let calling_context = CallingContextRef(context);
            scan.calling_context_leave(head, CallingContextLeave { calling_context })
        }
        Happening::RecordingOff => {
            let measurement_mode = MeasurementMode::Off;
            scan.measurement_on_off(head, MeasurementOnOff { measurement_mode })
        }
        Happening::RecordingOn => {
            let measurement_mode = MeasurementMode::On;
            scan.measurement_on_off(head, MeasurementOnOff { measurement_mode })
        }
        Happening::Flush(until) => scan.buffer_flush(head, BufferFlush { stop_time: Ticks(until) }),
        Happening::Switch(task) => deliver_switch(scan, head, task),
        Happening::Complete(task) => deliver_complete(scan, head, task),
        Happening::Parameter(parameter, value) => {
            deliver_parameter(scan, head, ParameterRef(parameter), value)
        }
        Happening::Metric(record) => {
            let (metric, values) = (MetricRef(record.metric), record.values());
            scan.metric(head, Metric { metric, values: &values })
        }
        Happening::Other => {}
        operation => {
            deliver_message(scan, head, operation);
            deliver_access(scan, head, operation);
        }
    }
}

fn deliver_switch(scan: &mut impl EventVisitor, head: &EventHead<'_>, task: Task) {
    match task {
        Task::Thread { team, creator, generation } => {
            let event = ThreadTaskSwitch {
                thread_team: CommRef(team),
                creating_thread: creator,
                generation_number: generation,
            };
            scan.thread_task_switch(head, event)
        }
        Task::Omp(task_id) => scan.omp_task_switch(head, OmpTaskSwitch { task_id }),
    }
}

fn deliver_complete(scan: &mut impl EventVisitor, head: &EventHead<'_>, task: Task) {
    match task {
        Task::Thread { team, creator, generation } => {
            let event = ThreadTaskComplete {
                thread_team: CommRef(team),
                creating_thread: creator,
                generation_number: generation,
            };
            scan.thread_task_complete(head, event)
        }
        Task::Omp(task_id) => scan.omp_task_complete(head, OmpTaskComplete { task_id }),
    }
}

fn deliver_parameter(
    scan: &mut impl EventVisitor,
    head: &EventHead<'_>,
    parameter: ParameterRef,
    value: ParameterValue,
) {
    match value {
        ParameterValue::Int(value) => scan.parameter_int(head, ParameterInt { parameter, value }),
        ParameterValue::Unsigned(value) => {
            scan.parameter_unsigned_int(head, ParameterUnsignedInt { parameter, value })
        }
        ParameterValue::String(string) => {
            scan.parameter_string(head, ParameterString { parameter, string })
        }
    }
}

fn deliver_message(scan: &mut impl EventVisitor, head: &EventHead<'_>, message: Happening) {
    let communicator = CommRef(0);
    let (collective_op, root) = (CollectiveOp::Barrier, 0);
    let (request_id, msg_tag) = (0, 0);
    match message {
        Happening::Send(msg_length) => {
            scan.mpi_send(head, MpiSend { receiver: 0, communicator, msg_tag, msg_length })
        }
        Happening::Isend(msg_length) => {
            let receiver = 0;
            let event = MpiIsend { receiver, communicator, msg_tag, msg_length, request_id };
            scan.mpi_isend(head, event)
        }
        Happening::Recv(msg_length) => {
            scan.mpi_recv(head, MpiRecv { sender: 0, communicator, msg_tag, msg_length })
        }
        Happening::Irecv(msg_length) => {
            let sender = 0;
            let event = MpiIrecv { sender, communicator, msg_tag, msg_length, request_id };
            scan.mpi_irecv(head, event)
        }
        Happening::Collective(size_sent, size_received) => scan.mpi_collective_end(
            head,
            MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received },
        ),
        Happening::NonBlockingCollective(size_sent, size_received) => {
            let event = NonBlockingCollectiveComplete {
                collective_op,
                communicator,
                root,
                size_sent,
                size_received,
                request_id,
            };
            scan.non_blocking_collective_complete(head, event)
        }
        _ => {}
    }
}

fn deliver_access(scan: &mut impl EventVisitor, head: &EventHead<'_>, access: Happening) {
    let (win, remote, matching_id) = (RmaWinRef(0), 0, 0);
    match access {
        Happening::Put(bytes) => scan.rma_put(head, RmaPut { win, remote, bytes, matching_id }),
        Happening::Get(bytes) => scan.rma_get(head, RmaGet { win, remote, bytes, matching_id }),
        Happening::Atomic(bytes_sent, bytes_received) => {
            let atomic_type = RmaAtomicType::Swap;
            let event =
                RmaAtomic { win, remote, atomic_type, bytes_sent, bytes_received, matching_id };
            scan.rma_atomic(head, event)
        }
        Happening::RmaCollective(bytes_sent, bytes_received) => {
            let (collective_op, sync_level) = (CollectiveOp::Barrier, RmaSyncLevel::NONE);
            let root = 0;
            let event = RmaCollectiveEnd {
                collective_op,
                sync_level,
                win,
                root,
                bytes_sent,
                bytes_received,
            };
            scan.rma_collective_end(head, event)
        }
        Happening::IoBegin(handle, matching_id, mode) => {
            let (handle, operation_flags) = (IoHandleRef(handle), IoOperationFlag::NONE);
            let bytes_request = 1 << 20;
            let event =
                IoOperationBegin { handle, mode, operation_flags, bytes_request, matching_id };
            scan.io_operation_begin(head, event)
        }
        Happening::IoComplete(handle, matching_id, bytes_result) => {
            let handle = IoHandleRef(handle);
            scan.io_operation_complete(
                head,
                IoOperationComplete { handle, bytes_result, matching_id },
            )
        }
        Happening::IoCancel(handle, matching_id) => {
            let handle = IoHandleRef(handle);
            scan.io_operation_cancelled(head, IoOperationCancelled { handle, matching_id })
        }
        _ => {}
    }
}
