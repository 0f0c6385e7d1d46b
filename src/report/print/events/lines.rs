//! The lines of events.

use streamfold_model::enums::Type;
use streamfold_model::events::{Event, Metric};
use streamfold_model::values::Ticks;

use crate::print::line::{lines, number, show, Line};

/// The line of an event.
#[inline]
pub(super) fn line<'a>(line: Line<'a>, time: Ticks, event: &Event<'_>) -> Line<'a> {
    let begin = |kind: &str, _: Option<u64>| line.event(kind, time);
    lines! { Event, event, begin;
        BufferFlush "BUFFER_FLUSH" { stop_time "Stop Time: " }
        MeasurementOnOff "MEASUREMENT_ON_OFF" { measurement_mode "Mode: " }
        Enter "ENTER" { region "Region: " }
        Leave "LEAVE" { region "Region: " }
        MpiSend "MPI_SEND" { receiver "Receiver: " rank(communicator),
            communicator ", Communicator: ", msg_tag ", Tag: ", msg_length ", Length: " }
        MpiIsend "MPI_ISEND" { receiver "Receiver: " rank(communicator),
            communicator ", Communicator: ", msg_tag ", Tag: ", msg_length ", Length: ",
            request_id ", Request: " }
        MpiIsendComplete "MPI_ISEND_COMPLETE" { request_id "Request: " }
        MpiIrecvRequest "MPI_IRECV_REQUEST" { request_id "Request: " }
        MpiRecv "MPI_RECV" { sender "Sender: " rank(communicator),
            communicator ", Communicator: ", msg_tag ", Tag: ", msg_length ", Length: " }
        MpiIrecv "MPI_IRECV" { sender "Sender: " rank(communicator),
            communicator ", Communicator: ", msg_tag ", Tag: ", msg_length ", Length: ",
            request_id ", Request: " }
        MpiRequestTest "MPI_REQUEST_TEST" { request_id "Request: " }
        MpiRequestCancelled "MPI_REQUEST_CANCELLED" { request_id "Request: " }
        MpiProbe "MPI_PROBE" { sender "Sender: " rank(communicator),
            communicator ", Communicator: ", tag ", Tag: ", message_id ", Message: " id }
        MpiMrecv "MPI_MRECV" { message_id "Message: ", msg_length ", Length: " }
        MpiImrecvRequest "MPI_IMRECV_REQUEST" { message_id "Message: ", request_id ", Request: " }
        MpiImrecv "MPI_IMRECV" { request_id "Request: ", msg_length ", Length: " }
        MpiCollectiveBegin "MPI_COLLECTIVE_BEGIN" {}
        MpiCollectiveEnd "MPI_COLLECTIVE_END" { collective_op "Operation: ",
            communicator ", Communicator: ", root ", Root: " root(communicator),
            size_sent ", Sent: ", size_received ", Received: " }
        NonBlockingCollectiveRequest "NON_BLOCKING_COLLECTIVE_REQUEST" { request_id "Request: " }
        NonBlockingCollectiveComplete "NON_BLOCKING_COLLECTIVE_COMPLETE" {
            collective_op "Operation: ", communicator ", Communicator: ",
            root ", Root: " root(communicator), size_sent ", Sent: ", size_received ", Received: ",
            request_id ", Request: " }
        CommCreate "COMM_CREATE" { communicator "Communicator: " }
        CommDestroy "COMM_DESTROY" { communicator "Communicator: " }
        OmpFork "OMP_FORK" { number_of_requested_threads "# Requested Threads: " }
        OmpJoin "OMP_JOIN" {}
        OmpAcquireLock "OMP_ACQUIRE_LOCK" { lock_id "Lock: ",
            acquisition_order ", Acquisition Order: " }
        OmpReleaseLock "OMP_RELEASE_LOCK" { lock_id "Lock: ",
            acquisition_order ", Acquisition Order: " }
        OmpTaskCreate "OMP_TASK_CREATE" { task_id "Task: " }
        OmpTaskSwitch "OMP_TASK_SWITCH" { task_id "Task: " }
        OmpTaskComplete "OMP_TASK_COMPLETE" { task_id "Task: " }
        ThreadFork "THREAD_FORK" { model "Model: " paradigm,
            number_of_requested_threads ", # Requested Threads: " }
        ThreadJoin "THREAD_JOIN" { model "Model: " paradigm }
        ThreadTeamBegin "THREAD_TEAM_BEGIN" { thread_team "Thread Team: " }
        ThreadTeamEnd "THREAD_TEAM_END" { thread_team "Thread Team: " }
        ThreadAcquireLock "THREAD_ACQUIRE_LOCK" { model "Model: " paradigm, lock_id ", Lock: ",
            acquisition_order ", Acquisition Order: " }
        ThreadReleaseLock "THREAD_RELEASE_LOCK" { model "Model: " paradigm, lock_id ", Lock: ",
            acquisition_order ", Acquisition Order: " }
        ThreadTaskCreate "THREAD_TASK_CREATE" { thread_team "Thread Team: ",
            creating_thread ", Creating Thread: " rank(thread_team),
            generation_number ", Generation Number: " }
        ThreadTaskSwitch "THREAD_TASK_SWITCH" { thread_team "Thread Team: ",
            creating_thread ", Creating Thread: " rank(thread_team),
            generation_number ", Generation Number: " }
        ThreadTaskComplete "THREAD_TASK_COMPLETE" { thread_team "Thread Team: ",
            creating_thread ", Creating Thread: " rank(thread_team),
            generation_number ", Generation Number: " }
        ThreadCreate "THREAD_CREATE" { thread_contingent "Thread Contingent: ",
            sequence_count ", Sequence Count: " }
        ThreadBegin "THREAD_BEGIN" { thread_contingent "Thread Contingent: ",
            sequence_count ", Sequence Count: " }
        ThreadWait "THREAD_WAIT" { thread_contingent "Thread Contingent: ",
            sequence_count ", Sequence Count: " }
        ThreadEnd "THREAD_END" { thread_contingent "Thread Contingent: ",
            sequence_count ", Sequence Count: " }
        ParameterString "PARAMETER_STRING" { parameter "Parameter: ", string ", Value: " }
        ParameterInt "PARAMETER_INT64" { parameter "Parameter: ", value ", Value: " number }
        ParameterUnsignedInt "PARAMETER_UINT64" { parameter "Parameter: ", value ", Value: " }
        CallingContextEnter "CALLING_CONTEXT_ENTER" { calling_context "Calling Context: ",
            unwind_distance ", Unwind Distance: " optional }
        CallingContextLeave "CALLING_CONTEXT_LEAVE" { calling_context "Calling Context: " }
        CallingContextSample "CALLING_CONTEXT_SAMPLE" { calling_context "Calling Context: ",
            unwind_distance ", Unwind Distance: " optional,
            interrupt_generator ", Interrupt Generator: " }
        ProgramEnd "PROGRAM_END" { exit_status "Exit status: " exit_status }
        RmaWinCreate "RMA_WIN_CREATE" { win "Window: " }
        RmaWinDestroy "RMA_WIN_DESTROY" { win "Window: " }
        RmaCollectiveBegin "RMA_COLLECTIVE_BEGIN" {}
        RmaCollectiveEnd "RMA_COLLECTIVE_END" { collective_op "Operation: ", win ", Window: ",
            sync_level ", Level of Synchronicity: ", root ", Root: " root_in_win(win),
            bytes_sent ", Sent: ", bytes_received ", Received: " }
        RmaGroupSync "RMA_GROUP_SYNC" { sync_level "Level of Synchronicity: ", win ", Window: ",
            group ", Group: " }
        RmaRequestLock "RMA_REQUEST_LOCK" { win "Window: ", remote ", Remote: " rank_in_win(win),
            lock_id ", Lock: ", lock_type ", Type: " }
        RmaAcquireLock "RMA_ACQUIRE_LOCK" { win "Window: ", remote ", Remote: " rank_in_win(win),
            lock_id ", Lock: ", lock_type ", Type: " }
        RmaTryLock "RMA_TRY_LOCK" { win "Window: ", remote ", Remote: " rank_in_win(win),
            lock_id ", Lock: ", lock_type ", Type: " }
        RmaReleaseLock "RMA_RELEASE_LOCK" { win "Window: ", remote ", Remote: " rank_in_win(win),
            lock_id ", Lock: " }
        RmaSync "RMA_SYNC" { win "Window: ", remote ", Remote: " rank_in_win(win),
            sync_type ", Sync Type: " }
        RmaWaitChange "RMA_WAIT_CHANGE" { win "Window: " }
        RmaPut "RMA_PUT" { win "Window: ", remote ", Remote: " rank_in_win(win),
            bytes ", Bytes: ", matching_id ", Matching: " }
        RmaGet "RMA_GET" { win "Window: ", remote ", Remote: " rank_in_win(win),
            bytes ", Bytes: ", matching_id ", Matching: " }
        RmaAtomic "RMA_ATOMIC" { win "Window: ", remote ", Remote: " rank_in_win(win),
            atomic_type ", Type: ", bytes_sent ", Sent: ", bytes_received ", Received: ",
            matching_id ", Matching: " }
        RmaOpCompleteBlocking "RMA_OP_COMPLETE_BLOCKING" { win "Window: ",
            matching_id ", Matching: " }
        RmaOpCompleteNonBlocking "RMA_OP_COMPLETE_NON_BLOCKING" { win "Window: ",
            matching_id ", Matching: " }
        RmaOpTest "RMA_OP_TEST" { win "Window: ", matching_id ", Matching: " }
        RmaOpCompleteRemote "RMA_OP_COMPLETE_REMOTE" { win "Window: ", matching_id ", Matching: " }
        IoCreateHandle "IO_CREATE_HANDLE" { handle "Handle: ", mode ", Access Mode: ",
            creation_flags ", Creation Flags: ", status_flags ", Status Flags: " }
        IoDestroyHandle "IO_DESTROY_HANDLE" { handle "Handle: " }
        IoDuplicateHandle "IO_DUPLICATE_HANDLE" { old_handle "Old Handle: ",
            new_handle ", New Handle: ", status_flags ", Status Flags: " }
        IoSeek "IO_SEEK" { handle "Handle: ", offset_request ", Offset Request: " number,
            whence ", Whence: ", offset_result ", Offset Result: " }
        IoChangeStatusFlags "IO_CHANGE_FLAGS" { handle "Handle: ", status_flags ", Status Flags: " }
        IoDeleteFile "IO_DELETE_FILE" { io_paradigm "I/O Paradigm: ", file ", File: " }
        IoOperationBegin "IO_OPERATION_BEGIN" { handle "Handle: ", mode ", Mode: ",
            operation_flags ", Operation Flags: ", bytes_request ", Bytes Request: ",
            matching_id ", Matching Id: " }
        IoOperationTest "IO_OPERATION_TEST" { handle "Handle: ", matching_id ", Matching Id: " }
        IoOperationIssued "IO_OPERATION_ISSUED" { handle "Handle: ", matching_id ", Matching Id: " }
        IoOperationComplete "IO_OPERATION_COMPLETE" { handle "Handle: ",
            bytes_result ", Bytes Result: ", matching_id ", Matching Id: " }
        IoOperationCancelled "IO_OPERATION_CANCELLED" { handle "Handle: ",
            matching_id ", Matching Id: " }
        IoAcquireLock "IO_ACQUIRE_LOCK" { handle "Handle: ", lock_type ", Type: " }
        IoReleaseLock "IO_RELEASE_LOCK" { handle "Handle: ", lock_type ", Type: " }
        IoTryLock "IO_TRY_LOCK" { handle "Handle: ", lock_type ", Type: " }
        ;
        Event::Metric(e) => metric(begin("METRIC", None), e),
        Event::ProgramBegin(e) => begin("PROGRAM_BEGIN", None)
            .field("Name: ", e.program_name)
            .count(", ", e.program_arguments.len(), " Argument", " Arguments")
            .list(": ", e.program_arguments, |line, argument| line.field("", *argument)),
    }
}

/// The values of a metric, each with the member that it is of.
fn metric<'a>(line: Line<'a>, event: &Metric<'_>) -> Line<'a> {
    let members = line.names().members_of_metrics.get(&event.metric);
    line.field("Metric: ", event.metric).count(", ", event.values.len(), " Value", " Values").list(
        ": ",
        event.values.iter().enumerate(),
        |line, (index, value)| {
            let line = match members.and_then(|members| members.get(index)) {
                Some(member) => line.field("(", *member),
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
        },
    )
}
