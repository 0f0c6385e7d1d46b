// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! The fields of events, in the order in which they are stored.

use crate::events::Event;
use crate::fields::FieldValue::{List, Signed, Unsigned};
use crate::fields::{FieldValue, Record};

impl Record for Event<'_> {
    fn record_name(&self) -> &'static str {
        self.kind().name()
    }

    fn each_field(&self, each: &mut dyn FnMut(&'static str, FieldValue<'_>)) {
        match self {
            Event::BufferFlush(r) => {
                each("stopTime", Unsigned(r.stop_time.0));
            }
            Event::MeasurementOnOff(r) => {
                each("measurementMode", Unsigned(u8::from(r.measurement_mode).into()));
            }
            Event::Enter(r) => {
                each("region", Unsigned(r.region.0.into()));
            }
            Event::Leave(r) => {
                each("region", Unsigned(r.region.0.into()));
            }
            Event::MpiSend(r) => {
                each("receiver", Unsigned(r.receiver.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
            }
            Event::MpiIsend(r) => {
                each("receiver", Unsigned(r.receiver.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
                each("requestID", Unsigned(r.request_id));
            }
            Event::MpiIsendComplete(r) => {
                each("requestID", Unsigned(r.request_id));
            }
            Event::MpiIrecvRequest(r) => {
                each("requestID", Unsigned(r.request_id));
            }
            Event::MpiRecv(r) => {
                each("sender", Unsigned(r.sender.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
            }
            Event::MpiIrecv(r) => {
                each("sender", Unsigned(r.sender.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
                each("requestID", Unsigned(r.request_id));
            }
            Event::MpiRequestTest(r) => {
                each("requestID", Unsigned(r.request_id));
            }
            Event::MpiRequestCancelled(r) => {
                each("requestID", Unsigned(r.request_id));
            }
            Event::MpiCollectiveBegin(_) => {}
            Event::MpiCollectiveEnd(r) => {
                each("collectiveOp", Unsigned(u8::from(r.collective_op).into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("root", Unsigned(r.root.into()));
                each("sizeSent", Unsigned(r.size_sent));
                each("sizeReceived", Unsigned(r.size_received));
            }
            Event::OmpFork(r) => {
                each("numberOfRequestedThreads", Unsigned(r.number_of_requested_threads.into()));
            }
            Event::OmpJoin(_) => {}
            Event::OmpAcquireLock(r) => {
                each("lockID", Unsigned(r.lock_id.into()));
                each("acquisitionOrder", Unsigned(r.acquisition_order.into()));
            }
            Event::OmpReleaseLock(r) => {
                each("lockID", Unsigned(r.lock_id.into()));
                each("acquisitionOrder", Unsigned(r.acquisition_order.into()));
            }
            Event::OmpTaskCreate(r) => {
                each("taskID", Unsigned(r.task_id));
            }
            Event::OmpTaskSwitch(r) => {
                each("taskID", Unsigned(r.task_id));
            }
            Event::OmpTaskComplete(r) => {
                each("taskID", Unsigned(r.task_id));
            }
            Event::Metric(r) => {
                each("metric", Unsigned(r.metric.0.into()));
                each("numberOfMetrics", Unsigned(r.values.len() as u64));
                each("typeIDs", List(&mut r.values.iter().map(|v| u8::from(v.value_type).into())));
                each("metricValues", List(&mut r.values.iter().map(|v| v.bits)));
            }
            Event::ParameterString(r) => {
                each("parameter", Unsigned(r.parameter.0.into()));
                each("string", Unsigned(r.string.0.into()));
            }
            Event::ParameterInt(r) => {
                each("parameter", Unsigned(r.parameter.0.into()));
                each("value", Signed(r.value));
            }
            Event::ParameterUnsignedInt(r) => {
                each("parameter", Unsigned(r.parameter.0.into()));
                each("value", Unsigned(r.value));
            }
            Event::RmaWinCreate(r) => {
                each("win", Unsigned(r.win.0.into()));
            }
            Event::RmaWinDestroy(r) => {
                each("win", Unsigned(r.win.0.into()));
            }
            Event::RmaCollectiveBegin(_) => {}
            Event::RmaCollectiveEnd(r) => {
                each("collectiveOp", Unsigned(u8::from(r.collective_op).into()));
                each("syncLevel", Unsigned(u32::from(r.sync_level).into()));
                each("win", Unsigned(r.win.0.into()));
                each("root", Unsigned(r.root.into()));
                each("bytesSent", Unsigned(r.bytes_sent));
                each("bytesReceived", Unsigned(r.bytes_received));
            }
            Event::RmaGroupSync(r) => {
                each("syncLevel", Unsigned(u32::from(r.sync_level).into()));
                each("win", Unsigned(r.win.0.into()));
                each("group", Unsigned(r.group.0.into()));
            }
            Event::RmaRequestLock(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("lockId", Unsigned(r.lock_id));
                each("lockType", Unsigned(u8::from(r.lock_type).into()));
            }
            Event::RmaAcquireLock(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("lockId", Unsigned(r.lock_id));
                each("lockType", Unsigned(u8::from(r.lock_type).into()));
            }
            Event::RmaTryLock(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("lockId", Unsigned(r.lock_id));
                each("lockType", Unsigned(u8::from(r.lock_type).into()));
            }
            Event::RmaReleaseLock(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("lockId", Unsigned(r.lock_id));
            }
            Event::RmaSync(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("syncType", Unsigned(u8::from(r.sync_type).into()));
            }
            Event::RmaWaitChange(r) => {
                each("win", Unsigned(r.win.0.into()));
            }
            Event::RmaPut(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("bytes", Unsigned(r.bytes));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::RmaGet(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("bytes", Unsigned(r.bytes));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::RmaAtomic(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("type", Unsigned(u8::from(r.atomic_type).into()));
                each("bytesSent", Unsigned(r.bytes_sent));
                each("bytesReceived", Unsigned(r.bytes_received));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::RmaOpCompleteBlocking(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::RmaOpCompleteNonBlocking(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::RmaOpTest(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::RmaOpCompleteRemote(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::ThreadFork(r) => {
                each("model", Unsigned(u8::from(r.model).into()));
                each("numberOfRequestedThreads", Unsigned(r.number_of_requested_threads.into()));
            }
            Event::ThreadJoin(r) => {
                each("model", Unsigned(u8::from(r.model).into()));
            }
            Event::ThreadTeamBegin(r) => {
                each("threadTeam", Unsigned(r.thread_team.0.into()));
            }
            Event::ThreadTeamEnd(r) => {
                each("threadTeam", Unsigned(r.thread_team.0.into()));
            }
            Event::ThreadAcquireLock(r) => {
                each("model", Unsigned(u8::from(r.model).into()));
                each("lockID", Unsigned(r.lock_id.into()));
                each("acquisitionOrder", Unsigned(r.acquisition_order.into()));
            }
            Event::ThreadReleaseLock(r) => {
                each("model", Unsigned(u8::from(r.model).into()));
                each("lockID", Unsigned(r.lock_id.into()));
                each("acquisitionOrder", Unsigned(r.acquisition_order.into()));
            }
            Event::ThreadTaskCreate(r) => {
                each("threadTeam", Unsigned(r.thread_team.0.into()));
                each("creatingThread", Unsigned(r.creating_thread.into()));
                each("generationNumber", Unsigned(r.generation_number.into()));
            }
            Event::ThreadTaskSwitch(r) => {
                each("threadTeam", Unsigned(r.thread_team.0.into()));
                each("creatingThread", Unsigned(r.creating_thread.into()));
                each("generationNumber", Unsigned(r.generation_number.into()));
            }
            Event::ThreadTaskComplete(r) => {
                each("threadTeam", Unsigned(r.thread_team.0.into()));
                each("creatingThread", Unsigned(r.creating_thread.into()));
                each("generationNumber", Unsigned(r.generation_number.into()));
            }
            Event::ThreadCreate(r) => {
                each("threadContingent", Unsigned(r.thread_contingent.0.into()));
                each("sequenceCount", Unsigned(r.sequence_count));
            }
            Event::ThreadBegin(r) => {
                each("threadContingent", Unsigned(r.thread_contingent.0.into()));
                each("sequenceCount", Unsigned(r.sequence_count));
            }
            Event::ThreadWait(r) => {
                each("threadContingent", Unsigned(r.thread_contingent.0.into()));
                each("sequenceCount", Unsigned(r.sequence_count));
            }
            Event::ThreadEnd(r) => {
                each("threadContingent", Unsigned(r.thread_contingent.0.into()));
                each("sequenceCount", Unsigned(r.sequence_count));
            }
            Event::CallingContextEnter(r) => {
                each("callingContext", Unsigned(r.calling_context.0.into()));
                each("unwindDistance", Unsigned(r.unwind_distance.into()));
            }
            Event::CallingContextLeave(r) => {
                each("callingContext", Unsigned(r.calling_context.0.into()));
            }
            Event::CallingContextSample(r) => {
                each("callingContext", Unsigned(r.calling_context.0.into()));
                each("unwindDistance", Unsigned(r.unwind_distance.into()));
                each("interruptGenerator", Unsigned(r.interrupt_generator.0.into()));
            }
            Event::IoCreateHandle(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("mode", Unsigned(u8::from(r.mode).into()));
                each("creationFlags", Unsigned(u32::from(r.creation_flags).into()));
                each("statusFlags", Unsigned(u32::from(r.status_flags).into()));
            }
            Event::IoDestroyHandle(r) => {
                each("handle", Unsigned(r.handle.0.into()));
            }
            Event::IoDuplicateHandle(r) => {
                each("oldHandle", Unsigned(r.old_handle.0.into()));
                each("newHandle", Unsigned(r.new_handle.0.into()));
                each("statusFlags", Unsigned(u32::from(r.status_flags).into()));
            }
            Event::IoSeek(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("offsetRequest", Signed(r.offset_request));
                each("whence", Unsigned(u8::from(r.whence).into()));
                each("offsetResult", Unsigned(r.offset_result));
            }
            Event::IoChangeStatusFlags(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("statusFlags", Unsigned(u32::from(r.status_flags).into()));
            }
            Event::IoDeleteFile(r) => {
                each("ioParadigm", Unsigned(r.io_paradigm.0.into()));
                each("file", Unsigned(r.file.0.into()));
            }
            Event::IoOperationBegin(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("mode", Unsigned(u8::from(r.mode).into()));
                each("operationFlags", Unsigned(u32::from(r.operation_flags).into()));
                each("bytesRequest", Unsigned(r.bytes_request));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::IoOperationTest(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::IoOperationIssued(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::IoOperationComplete(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("bytesResult", Unsigned(r.bytes_result));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::IoOperationCancelled(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::IoAcquireLock(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("lockType", Unsigned(u8::from(r.lock_type).into()));
            }
            Event::IoReleaseLock(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("lockType", Unsigned(u8::from(r.lock_type).into()));
            }
            Event::IoTryLock(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("lockType", Unsigned(u8::from(r.lock_type).into()));
            }
            Event::ProgramBegin(r) => {
                each("programName", Unsigned(r.program_name.0.into()));
                each("numberOfArguments", Unsigned(r.program_arguments.len() as u64));
                each("programArguments", List(&mut r.program_arguments.iter().map(|x| x.0.into())));
            }
            Event::ProgramEnd(r) => {
                each("exitStatus", Signed(r.exit_status));
            }
            Event::NonBlockingCollectiveRequest(r) => {
                each("requestID", Unsigned(r.request_id));
            }
            Event::NonBlockingCollectiveComplete(r) => {
                each("collectiveOp", Unsigned(u8::from(r.collective_op).into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("root", Unsigned(r.root.into()));
                each("sizeSent", Unsigned(r.size_sent));
                each("sizeReceived", Unsigned(r.size_received));
                each("requestID", Unsigned(r.request_id));
            }
            Event::CommCreate(r) => {
                each("communicator", Unsigned(r.communicator.0.into()));
            }
            Event::CommDestroy(r) => {
                each("communicator", Unsigned(r.communicator.0.into()));
            }
            Event::MpiProbe(r) => {
                each("sender", Unsigned(r.sender.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("tag", Unsigned(r.tag.into()));
                each("messageId", Unsigned(r.message_id));
            }
            Event::MpiMrecv(r) => {
                each("messageId", Unsigned(r.message_id));
                each("msgLength", Unsigned(r.msg_length));
            }
            Event::MpiImrecvRequest(r) => {
                each("messageId", Unsigned(r.message_id));
                each("requestID", Unsigned(r.request_id));
            }
            Event::MpiImrecv(r) => {
                each("requestID", Unsigned(r.request_id));
                each("msgLength", Unsigned(r.msg_length));
            }
        }
    }
}
