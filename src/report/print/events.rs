//! Events, with their attributes and calling contexts.

use std::io::Write;

use streamfold_model::enums::Type;
use streamfold_model::events::{Event, EventVisitor, Metric};
use streamfold_model::ids::*;
use streamfold_model::stream::EventHead;
use streamfold_model::values::{AttributeEntry, Ticks};

use super::callers::Step;
use super::layout::{EVENT_FIELDS, EVENT_WIDTH, LOCATION_WIDTH, TIME_WIDTH};
use super::line::Line;
use super::names::Names;
use super::printer::Printer;
use super::values::widen;

impl<W: Write> EventVisitor for Printer<W> {
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if !self.options.time.contains(&head.time.0) {
            return;
        }
        self.print_event(head.location, head.time, &event);
        self.print_attributes(head.attributes);
        self.output.record_done();
    }

    fn unknown(&mut self, head: &EventHead<'_>, _: u8) {
        if !self.options.time.contains(&head.time.0) {
            return;
        }
        let text = &mut self.output.text;
        text.left("UNKNOWN", EVENT_WIDTH);
        text.push(" ");
        text.right_number(head.location.0, LOCATION_WIDTH);
        text.push(" ");
        text.right_number(head.time.0, TIME_WIDTH);
        text.push("\n");
        self.print_attributes(head.attributes);
        self.output.record_done();
    }
}

impl<W: Write> Printer<W> {
    pub(super) fn print_attributes(&mut self, attributes: &[AttributeEntry]) {
        if attributes.is_empty() {
            return;
        }
        let text = &mut self.output.text;
        text.spaces(EVENT_FIELDS);
        let mut before = "ADDITIONAL ATTRIBUTES: (";
        for AttributeEntry { attribute, value } in attributes {
            text.push(before);
            self.names.attributes.append(text, widen(*attribute));
            text.push("; ");
            text.enumeration(value.value_type);
            text.push("; ");
            text.typed_value(&self.names, *value);
            text.push(")");
            before = ", (";
        }
        text.push("\n");
    }

    /// The line of an event and, where asked for, the callers of its calling context.
    pub(super) fn print_event(&mut self, location: LocationRef, time: Ticks, event: &Event<'_>) {
        let (names, timestamps) = (&self.names, self.options.timestamps);
        let text = &mut self.output.text;
        let mut context = None;
        let line = Line::new(text, names, timestamps, location);
        let line = match event {
            Event::BufferFlush(e) => {
                line.event("BUFFER_FLUSH", time).time("Stop Time: ", e.stop_time)
            }
            Event::MeasurementOnOff(e) => {
                line.event("MEASUREMENT_ON_OFF", time).value("Mode: ", e.measurement_mode)
            }
            Event::Enter(e) => line.event("ENTER", time).name("Region: ", &names.regions, e.region),
            Event::Leave(e) => line.event("LEAVE", time).name("Region: ", &names.regions, e.region),
            Event::MpiSend(e) => line
                .event("MPI_SEND", time)
                .rank("Receiver: ", e.communicator, e.receiver)
                .name(", Communicator: ", &names.comms, e.communicator)
                .number(", Tag: ", e.msg_tag)
                .number(", Length: ", e.msg_length),
            Event::MpiIsend(e) => line
                .event("MPI_ISEND", time)
                .rank("Receiver: ", e.communicator, e.receiver)
                .name(", Communicator: ", &names.comms, e.communicator)
                .number(", Tag: ", e.msg_tag)
                .number(", Length: ", e.msg_length)
                .number(", Request: ", e.request_id),
            Event::MpiIsendComplete(e) => {
                line.event("MPI_ISEND_COMPLETE", time).number("Request: ", e.request_id)
            }
            Event::MpiIrecvRequest(e) => {
                line.event("MPI_IRECV_REQUEST", time).number("Request: ", e.request_id)
            }
            Event::MpiRecv(e) => line
                .event("MPI_RECV", time)
                .rank("Sender: ", e.communicator, e.sender)
                .name(", Communicator: ", &names.comms, e.communicator)
                .number(", Tag: ", e.msg_tag)
                .number(", Length: ", e.msg_length),
            Event::MpiIrecv(e) => line
                .event("MPI_IRECV", time)
                .rank("Sender: ", e.communicator, e.sender)
                .name(", Communicator: ", &names.comms, e.communicator)
                .number(", Tag: ", e.msg_tag)
                .number(", Length: ", e.msg_length)
                .number(", Request: ", e.request_id),
            Event::MpiRequestTest(e) => {
                line.event("MPI_REQUEST_TEST", time).number("Request: ", e.request_id)
            }
            Event::MpiRequestCancelled(e) => {
                line.event("MPI_REQUEST_CANCELLED", time).number("Request: ", e.request_id)
            }
            Event::MpiCollectiveBegin(_) => line.event("MPI_COLLECTIVE_BEGIN", time),
            Event::MpiCollectiveEnd(e) => line
                .event("MPI_COLLECTIVE_END", time)
                .value("Operation: ", e.collective_op)
                .name(", Communicator: ", &names.comms, e.communicator)
                .root(", Root: ", e.communicator, e.root)
                .number(", Sent: ", e.size_sent)
                .number(", Received: ", e.size_received),
            Event::OmpFork(e) => line
                .event("OMP_FORK", time)
                .number("# Requested Threads: ", e.number_of_requested_threads),
            Event::OmpJoin(_) => line.event("OMP_JOIN", time),
            Event::OmpAcquireLock(e) => line
                .event("OMP_ACQUIRE_LOCK", time)
                .number("Lock: ", e.lock_id)
                .number(", Acquisition Order: ", e.acquisition_order),
            Event::OmpReleaseLock(e) => line
                .event("OMP_RELEASE_LOCK", time)
                .number("Lock: ", e.lock_id)
                .number(", Acquisition Order: ", e.acquisition_order),
            Event::OmpTaskCreate(e) => {
                line.event("OMP_TASK_CREATE", time).number("Task: ", e.task_id)
            }
            Event::OmpTaskSwitch(e) => {
                line.event("OMP_TASK_SWITCH", time).number("Task: ", e.task_id)
            }
            Event::OmpTaskComplete(e) => {
                line.event("OMP_TASK_COMPLETE", time).number("Task: ", e.task_id)
            }
            Event::Metric(e) => metric(line.event("METRIC", time), names, e),
            Event::ParameterString(e) => line
                .event("PARAMETER_STRING", time)
                .name("Parameter: ", &names.parameters, e.parameter)
                .string(", Value: ", e.string),
            Event::ParameterInt(e) => line
                .event("PARAMETER_INT64", time)
                .name("Parameter: ", &names.parameters, e.parameter)
                .number(", Value: ", e.value),
            Event::ParameterUnsignedInt(e) => line
                .event("PARAMETER_UINT64", time)
                .name("Parameter: ", &names.parameters, e.parameter)
                .number(", Value: ", e.value),
            Event::RmaWinCreate(e) => {
                line.event("RMA_WIN_CREATE", time).name("Window: ", &names.rma_wins, e.win)
            }
            Event::RmaWinDestroy(e) => {
                line.event("RMA_WIN_DESTROY", time).name("Window: ", &names.rma_wins, e.win)
            }
            Event::RmaCollectiveBegin(_) => line.event("RMA_COLLECTIVE_BEGIN", time),
            Event::RmaCollectiveEnd(e) => line
                .event("RMA_COLLECTIVE_END", time)
                .value("Operation: ", e.collective_op)
                .name(", Window: ", &names.rma_wins, e.win)
                .flags(", Level of Synchronicity: ", e.sync_level)
                .root_in_win(", Root: ", e.win, e.root)
                .number(", Sent: ", e.bytes_sent)
                .number(", Received: ", e.bytes_received),
            Event::RmaGroupSync(e) => line
                .event("RMA_GROUP_SYNC", time)
                .flags("Level of Synchronicity: ", e.sync_level)
                .name(", Window: ", &names.rma_wins, e.win)
                .name(", Group: ", &names.groups, e.group),
            Event::RmaRequestLock(e) => line
                .event("RMA_REQUEST_LOCK", time)
                .name("Window: ", &names.rma_wins, e.win)
                .rank_in_win(", Remote: ", e.win, e.remote)
                .number(", Lock: ", e.lock_id)
                .value(", Type: ", e.lock_type),
            Event::RmaAcquireLock(e) => line
                .event("RMA_ACQUIRE_LOCK", time)
                .name("Window: ", &names.rma_wins, e.win)
                .rank_in_win(", Remote: ", e.win, e.remote)
                .number(", Lock: ", e.lock_id)
                .value(", Type: ", e.lock_type),
            Event::RmaTryLock(e) => line
                .event("RMA_TRY_LOCK", time)
                .name("Window: ", &names.rma_wins, e.win)
                .rank_in_win(", Remote: ", e.win, e.remote)
                .number(", Lock: ", e.lock_id)
                .value(", Type: ", e.lock_type),
            Event::RmaReleaseLock(e) => line
                .event("RMA_RELEASE_LOCK", time)
                .name("Window: ", &names.rma_wins, e.win)
                .rank_in_win(", Remote: ", e.win, e.remote)
                .number(", Lock: ", e.lock_id),
            Event::RmaSync(e) => line
                .event("RMA_SYNC", time)
                .name("Window: ", &names.rma_wins, e.win)
                .rank_in_win(", Remote: ", e.win, e.remote)
                .value(", Sync Type: ", e.sync_type),
            Event::RmaWaitChange(e) => {
                line.event("RMA_WAIT_CHANGE", time).name("Window: ", &names.rma_wins, e.win)
            }
            Event::RmaPut(e) => line
                .event("RMA_PUT", time)
                .name("Window: ", &names.rma_wins, e.win)
                .rank_in_win(", Remote: ", e.win, e.remote)
                .number(", Bytes: ", e.bytes)
                .number(", Matching: ", e.matching_id),
            Event::RmaGet(e) => line
                .event("RMA_GET", time)
                .name("Window: ", &names.rma_wins, e.win)
                .rank_in_win(", Remote: ", e.win, e.remote)
                .number(", Bytes: ", e.bytes)
                .number(", Matching: ", e.matching_id),
            Event::RmaAtomic(e) => line
                .event("RMA_ATOMIC", time)
                .name("Window: ", &names.rma_wins, e.win)
                .rank_in_win(", Remote: ", e.win, e.remote)
                .value(", Type: ", e.atomic_type)
                .number(", Sent: ", e.bytes_sent)
                .number(", Received: ", e.bytes_received)
                .number(", Matching: ", e.matching_id),
            Event::RmaOpCompleteBlocking(e) => line
                .event("RMA_OP_COMPLETE_BLOCKING", time)
                .name("Window: ", &names.rma_wins, e.win)
                .number(", Matching: ", e.matching_id),
            Event::RmaOpCompleteNonBlocking(e) => line
                .event("RMA_OP_COMPLETE_NON_BLOCKING", time)
                .name("Window: ", &names.rma_wins, e.win)
                .number(", Matching: ", e.matching_id),
            Event::RmaOpTest(e) => line
                .event("RMA_OP_TEST", time)
                .name("Window: ", &names.rma_wins, e.win)
                .number(", Matching: ", e.matching_id),
            Event::RmaOpCompleteRemote(e) => line
                .event("RMA_OP_COMPLETE_REMOTE", time)
                .name("Window: ", &names.rma_wins, e.win)
                .number(", Matching: ", e.matching_id),
            Event::ThreadFork(e) => line
                .event("THREAD_FORK", time)
                .paradigm("Model: ", e.model)
                .number(", # Requested Threads: ", e.number_of_requested_threads),
            Event::ThreadJoin(e) => line.event("THREAD_JOIN", time).paradigm("Model: ", e.model),
            Event::ThreadTeamBegin(e) => line.event("THREAD_TEAM_BEGIN", time).name(
                "Thread Team: ",
                &names.comms,
                e.thread_team,
            ),
            Event::ThreadTeamEnd(e) => line.event("THREAD_TEAM_END", time).name(
                "Thread Team: ",
                &names.comms,
                e.thread_team,
            ),
            Event::ThreadAcquireLock(e) => line
                .event("THREAD_ACQUIRE_LOCK", time)
                .paradigm("Model: ", e.model)
                .number(", Lock: ", e.lock_id)
                .number(", Acquisition Order: ", e.acquisition_order),
            Event::ThreadReleaseLock(e) => line
                .event("THREAD_RELEASE_LOCK", time)
                .paradigm("Model: ", e.model)
                .number(", Lock: ", e.lock_id)
                .number(", Acquisition Order: ", e.acquisition_order),
            Event::ThreadTaskCreate(e) => {
                let task = (e.thread_team, e.creating_thread, e.generation_number);
                thread_task(line.event("THREAD_TASK_CREATE", time), names, task)
            }
            Event::ThreadTaskSwitch(e) => {
                let task = (e.thread_team, e.creating_thread, e.generation_number);
                thread_task(line.event("THREAD_TASK_SWITCH", time), names, task)
            }
            Event::ThreadTaskComplete(e) => {
                let task = (e.thread_team, e.creating_thread, e.generation_number);
                thread_task(line.event("THREAD_TASK_COMPLETE", time), names, task)
            }
            Event::ThreadCreate(e) => line
                .event("THREAD_CREATE", time)
                .name("Thread Contingent: ", &names.comms, e.thread_contingent)
                .number(", Sequence Count: ", e.sequence_count),
            Event::ThreadBegin(e) => line
                .event("THREAD_BEGIN", time)
                .name("Thread Contingent: ", &names.comms, e.thread_contingent)
                .number(", Sequence Count: ", e.sequence_count),
            Event::ThreadWait(e) => line
                .event("THREAD_WAIT", time)
                .name("Thread Contingent: ", &names.comms, e.thread_contingent)
                .number(", Sequence Count: ", e.sequence_count),
            Event::ThreadEnd(e) => line
                .event("THREAD_END", time)
                .name("Thread Contingent: ", &names.comms, e.thread_contingent)
                .number(", Sequence Count: ", e.sequence_count),
            Event::CallingContextEnter(e) => {
                context = Some((e.calling_context, e.unwind_distance));
                line.event("CALLING_CONTEXT_ENTER", time)
                    .name("Calling Context: ", &names.calling_contexts, e.calling_context)
                    .optional_number(", Unwind Distance: ", e.unwind_distance)
            }
            Event::CallingContextLeave(e) => {
                // The region that is left has made progress, its callers have not.
                context = Some((e.calling_context, 1));
                line.event("CALLING_CONTEXT_LEAVE", time).name(
                    "Calling Context: ",
                    &names.calling_contexts,
                    e.calling_context,
                )
            }
            Event::CallingContextSample(e) => {
                context = Some((e.calling_context, e.unwind_distance));
                line.event("CALLING_CONTEXT_SAMPLE", time)
                    .name("Calling Context: ", &names.calling_contexts, e.calling_context)
                    .optional_number(", Unwind Distance: ", e.unwind_distance)
                    .name(
                        ", Interrupt Generator: ",
                        &names.interrupt_generators,
                        e.interrupt_generator,
                    )
            }
            Event::IoCreateHandle(e) => line
                .event("IO_CREATE_HANDLE", time)
                .name("Handle: ", &names.io_handles, e.handle)
                .value(", Access Mode: ", e.mode)
                .flags(", Creation Flags: ", e.creation_flags)
                .flags(", Status Flags: ", e.status_flags),
            Event::IoDestroyHandle(e) => {
                line.event("IO_DESTROY_HANDLE", time).name("Handle: ", &names.io_handles, e.handle)
            }
            Event::IoDuplicateHandle(e) => line
                .event("IO_DUPLICATE_HANDLE", time)
                .name("Old Handle: ", &names.io_handles, e.old_handle)
                .name(", New Handle: ", &names.io_handles, e.new_handle)
                .flags(", Status Flags: ", e.status_flags),
            Event::IoSeek(e) => line
                .event("IO_SEEK", time)
                .name("Handle: ", &names.io_handles, e.handle)
                .number(", Offset Request: ", e.offset_request)
                .value(", Whence: ", e.whence)
                .number(", Offset Result: ", e.offset_result),
            Event::IoChangeStatusFlags(e) => line
                .event("IO_CHANGE_FLAGS", time)
                .name("Handle: ", &names.io_handles, e.handle)
                .flags(", Status Flags: ", e.status_flags),
            Event::IoDeleteFile(e) => line
                .event("IO_DELETE_FILE", time)
                .io_paradigm("I/O Paradigm: ", e.io_paradigm)
                .name(", File: ", &names.io_files, e.file),
            Event::IoOperationBegin(e) => line
                .event("IO_OPERATION_BEGIN", time)
                .name("Handle: ", &names.io_handles, e.handle)
                .value(", Mode: ", e.mode)
                .flags(", Operation Flags: ", e.operation_flags)
                .number(", Bytes Request: ", e.bytes_request)
                .number(", Matching Id: ", e.matching_id),
            Event::IoOperationTest(e) => line
                .event("IO_OPERATION_TEST", time)
                .name("Handle: ", &names.io_handles, e.handle)
                .number(", Matching Id: ", e.matching_id),
            Event::IoOperationIssued(e) => line
                .event("IO_OPERATION_ISSUED", time)
                .name("Handle: ", &names.io_handles, e.handle)
                .number(", Matching Id: ", e.matching_id),
            Event::IoOperationComplete(e) => line
                .event("IO_OPERATION_COMPLETE", time)
                .name("Handle: ", &names.io_handles, e.handle)
                .number(", Bytes Result: ", e.bytes_result)
                .number(", Matching Id: ", e.matching_id),
            Event::IoOperationCancelled(e) => line
                .event("IO_OPERATION_CANCELLED", time)
                .name("Handle: ", &names.io_handles, e.handle)
                .number(", Matching Id: ", e.matching_id),
            Event::IoAcquireLock(e) => line
                .event("IO_ACQUIRE_LOCK", time)
                .name("Handle: ", &names.io_handles, e.handle)
                .value(", Type: ", e.lock_type),
            Event::IoReleaseLock(e) => line
                .event("IO_RELEASE_LOCK", time)
                .name("Handle: ", &names.io_handles, e.handle)
                .value(", Type: ", e.lock_type),
            Event::IoTryLock(e) => line
                .event("IO_TRY_LOCK", time)
                .name("Handle: ", &names.io_handles, e.handle)
                .value(", Type: ", e.lock_type),
            Event::ProgramBegin(e) => line
                .event("PROGRAM_BEGIN", time)
                .string("Name: ", e.program_name)
                .count(", ", e.program_arguments.len(), " Argument", " Arguments")
                .list(": ", e.program_arguments, |line, argument| line.string("", *argument)),
            Event::ProgramEnd(e) if e.exit_status == i64::MIN => {
                line.event("PROGRAM_END", time).label("Exit status: UNDEFINED")
            }
            Event::ProgramEnd(e) => {
                line.event("PROGRAM_END", time).number("Exit status: ", e.exit_status)
            }
            Event::NonBlockingCollectiveRequest(e) => line
                .event("NON_BLOCKING_COLLECTIVE_REQUEST", time)
                .number("Request: ", e.request_id),
            Event::NonBlockingCollectiveComplete(e) => line
                .event("NON_BLOCKING_COLLECTIVE_COMPLETE", time)
                .value("Operation: ", e.collective_op)
                .name(", Communicator: ", &names.comms, e.communicator)
                .root(", Root: ", e.communicator, e.root)
                .number(", Sent: ", e.size_sent)
                .number(", Received: ", e.size_received)
                .number(", Request: ", e.request_id),
            Event::CommCreate(e) => {
                line.event("COMM_CREATE", time).name("Communicator: ", &names.comms, e.communicator)
            }
            Event::CommDestroy(e) => line.event("COMM_DESTROY", time).name(
                "Communicator: ",
                &names.comms,
                e.communicator,
            ),
        };
        line.end();
        if let Some((context, distance)) = context {
            if self.options.unwind_calling_context {
                self.unwind(context, distance);
            }
        }
    }

    /// The calling context and its callers, one a line, marked by what they did since the last
    /// sample.
    fn unwind(&mut self, from: CallingContextRef, mut distance: u32) {
        let Printer { names, output, .. } = self;
        names.callers.begin_walk();
        let mut context = from;
        while !context.is_undefined() {
            let caller = match names.callers.step(context) {
                Step::To(caller) => caller,
                Step::Nowhere => {
                    output.text.spaces(EVENT_FIELDS);
                    output.text.invalid("INVALID", widen(context));
                    output.text.push("\n");
                    return;
                }
                // The reference goes round for ever.
                Step::Repeated => return,
            };
            output.text.spaces(EVENT_FIELDS);
            output.text.push(match distance {
                u32::MAX => "?",
                0 => " ",
                1 => "*",
                _ => "+",
            });
            names.calling_contexts.append(&mut output.text, widen(context));
            output.text.push("\n");
            output.record_done();
            context = caller;
            if distance != u32::MAX {
                distance = distance.saturating_sub(1);
            }
        }
    }
}

fn metric<'a>(line: Line<'a>, names: &'a Names, event: &Metric<'_>) -> Line<'a> {
    let members = names.members_of_metrics.get(&event.metric);
    line.name("Metric: ", &names.metrics, event.metric)
        .count(", ", event.values.len(), " Value", " Values")
        .list(": ", event.values.iter().enumerate(), |line, (index, value)| {
            let line = match members.and_then(|members| members.get(index)) {
                Some(member) => line.name("(", &names.metric_members, *member),
                None => line.label("(INVALID"),
            };
            let line = line.metric_type("; ", value.value_type);
            match value.value_type {
                Type::Int64 => line.number("; ", value.bits as i64),
                Type::Uint64 => line.number("; ", value.bits),
                Type::Double => line.float("; ", f64::from_bits(value.bits)),
                _ => line.format(format_args!("; {:08x}", value.bits)),
            }
            .label(")")
        })
}

fn thread_task<'a>(
    line: Line<'a>,
    names: &'a Names,
    (team, creator, generation): (CommRef, u32, u32),
) -> Line<'a> {
    line.name("Thread Team: ", &names.comms, team)
        .rank(", Creating Thread: ", team, creator)
        .number(", Generation Number: ", generation)
}
