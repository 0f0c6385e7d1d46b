// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Any event.

use crate::stream::EventHead;

use super::{
    BufferFlush, CallingContextEnter, CallingContextLeave, CallingContextSample, CommCreate,
    CommDestroy, Enter, EventKind, EventVisitor, IoAcquireLock, IoChangeStatusFlags,
    IoCreateHandle, IoDeleteFile, IoDestroyHandle, IoDuplicateHandle, IoOperationBegin,
    IoOperationCancelled, IoOperationComplete, IoOperationIssued, IoOperationTest, IoReleaseLock,
    IoSeek, IoTryLock, Leave, MeasurementOnOff, Metric, MpiCollectiveBegin, MpiCollectiveEnd,
    MpiImrecv, MpiImrecvRequest, MpiIrecv, MpiIrecvRequest, MpiIsend, MpiIsendComplete, MpiMrecv,
    MpiProbe, MpiRecv, MpiRequestCancelled, MpiRequestTest, MpiSend, NonBlockingCollectiveComplete,
    NonBlockingCollectiveRequest, OmpAcquireLock, OmpFork, OmpJoin, OmpReleaseLock,
    OmpTaskComplete, OmpTaskCreate, OmpTaskSwitch, ParameterInt, ParameterString,
    ParameterUnsignedInt, ProgramBegin, ProgramEnd, RmaAcquireLock, RmaAtomic, RmaCollectiveBegin,
    RmaCollectiveEnd, RmaGet, RmaGroupSync, RmaOpCompleteBlocking, RmaOpCompleteNonBlocking,
    RmaOpCompleteRemote, RmaOpTest, RmaPut, RmaReleaseLock, RmaRequestLock, RmaSync, RmaTryLock,
    RmaWaitChange, RmaWinCreate, RmaWinDestroy, ThreadAcquireLock, ThreadBegin, ThreadCreate,
    ThreadEnd, ThreadFork, ThreadJoin, ThreadReleaseLock, ThreadTaskComplete, ThreadTaskCreate,
    ThreadTaskSwitch, ThreadTeamBegin, ThreadTeamEnd, ThreadWait,
};

/// Any event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// [`BufferFlush`]
    BufferFlush(BufferFlush),
    /// [`MeasurementOnOff`]
    MeasurementOnOff(MeasurementOnOff),
    /// [`Enter`]
    Enter(Enter),
    /// [`Leave`]
    Leave(Leave),
    /// [`MpiSend`]
    MpiSend(MpiSend),
    /// [`MpiIsend`]
    MpiIsend(MpiIsend),
    /// [`MpiIsendComplete`]
    MpiIsendComplete(MpiIsendComplete),
    /// [`MpiIrecvRequest`]
    MpiIrecvRequest(MpiIrecvRequest),
    /// [`MpiRecv`]
    MpiRecv(MpiRecv),
    /// [`MpiIrecv`]
    MpiIrecv(MpiIrecv),
    /// [`MpiRequestTest`]
    MpiRequestTest(MpiRequestTest),
    /// [`MpiRequestCancelled`]
    MpiRequestCancelled(MpiRequestCancelled),
    /// [`MpiCollectiveBegin`]
    MpiCollectiveBegin(MpiCollectiveBegin),
    /// [`MpiCollectiveEnd`]
    MpiCollectiveEnd(MpiCollectiveEnd),
    /// [`OmpFork`]
    OmpFork(OmpFork),
    /// [`OmpJoin`]
    OmpJoin(OmpJoin),
    /// [`OmpAcquireLock`]
    OmpAcquireLock(OmpAcquireLock),
    /// [`OmpReleaseLock`]
    OmpReleaseLock(OmpReleaseLock),
    /// [`OmpTaskCreate`]
    OmpTaskCreate(OmpTaskCreate),
    /// [`OmpTaskSwitch`]
    OmpTaskSwitch(OmpTaskSwitch),
    /// [`OmpTaskComplete`]
    OmpTaskComplete(OmpTaskComplete),
    /// [`Metric`]
    Metric(Metric<'a>),
    /// [`ParameterString`]
    ParameterString(ParameterString),
    /// [`ParameterInt`]
    ParameterInt(ParameterInt),
    /// [`ParameterUnsignedInt`]
    ParameterUnsignedInt(ParameterUnsignedInt),
    /// [`RmaWinCreate`]
    RmaWinCreate(RmaWinCreate),
    /// [`RmaWinDestroy`]
    RmaWinDestroy(RmaWinDestroy),
    /// [`RmaCollectiveBegin`]
    RmaCollectiveBegin(RmaCollectiveBegin),
    /// [`RmaCollectiveEnd`]
    RmaCollectiveEnd(RmaCollectiveEnd),
    /// [`RmaGroupSync`]
    RmaGroupSync(RmaGroupSync),
    /// [`RmaRequestLock`]
    RmaRequestLock(RmaRequestLock),
    /// [`RmaAcquireLock`]
    RmaAcquireLock(RmaAcquireLock),
    /// [`RmaTryLock`]
    RmaTryLock(RmaTryLock),
    /// [`RmaReleaseLock`]
    RmaReleaseLock(RmaReleaseLock),
    /// [`RmaSync`]
    RmaSync(RmaSync),
    /// [`RmaWaitChange`]
    RmaWaitChange(RmaWaitChange),
    /// [`RmaPut`]
    RmaPut(RmaPut),
    /// [`RmaGet`]
    RmaGet(RmaGet),
    /// [`RmaAtomic`]
    RmaAtomic(RmaAtomic),
    /// [`RmaOpCompleteBlocking`]
    RmaOpCompleteBlocking(RmaOpCompleteBlocking),
    /// [`RmaOpCompleteNonBlocking`]
    RmaOpCompleteNonBlocking(RmaOpCompleteNonBlocking),
    /// [`RmaOpTest`]
    RmaOpTest(RmaOpTest),
    /// [`RmaOpCompleteRemote`]
    RmaOpCompleteRemote(RmaOpCompleteRemote),
    /// [`ThreadFork`]
    ThreadFork(ThreadFork),
    /// [`ThreadJoin`]
    ThreadJoin(ThreadJoin),
    /// [`ThreadTeamBegin`]
    ThreadTeamBegin(ThreadTeamBegin),
    /// [`ThreadTeamEnd`]
    ThreadTeamEnd(ThreadTeamEnd),
    /// [`ThreadAcquireLock`]
    ThreadAcquireLock(ThreadAcquireLock),
    /// [`ThreadReleaseLock`]
    ThreadReleaseLock(ThreadReleaseLock),
    /// [`ThreadTaskCreate`]
    ThreadTaskCreate(ThreadTaskCreate),
    /// [`ThreadTaskSwitch`]
    ThreadTaskSwitch(ThreadTaskSwitch),
    /// [`ThreadTaskComplete`]
    ThreadTaskComplete(ThreadTaskComplete),
    /// [`ThreadCreate`]
    ThreadCreate(ThreadCreate),
    /// [`ThreadBegin`]
    ThreadBegin(ThreadBegin),
    /// [`ThreadWait`]
    ThreadWait(ThreadWait),
    /// [`ThreadEnd`]
    ThreadEnd(ThreadEnd),
    /// [`CallingContextEnter`]
    CallingContextEnter(CallingContextEnter),
    /// [`CallingContextLeave`]
    CallingContextLeave(CallingContextLeave),
    /// [`CallingContextSample`]
    CallingContextSample(CallingContextSample),
    /// [`IoCreateHandle`]
    IoCreateHandle(IoCreateHandle),
    /// [`IoDestroyHandle`]
    IoDestroyHandle(IoDestroyHandle),
    /// [`IoDuplicateHandle`]
    IoDuplicateHandle(IoDuplicateHandle),
    /// [`IoSeek`]
    IoSeek(IoSeek),
    /// [`IoChangeStatusFlags`]
    IoChangeStatusFlags(IoChangeStatusFlags),
    /// [`IoDeleteFile`]
    IoDeleteFile(IoDeleteFile),
    /// [`IoOperationBegin`]
    IoOperationBegin(IoOperationBegin),
    /// [`IoOperationTest`]
    IoOperationTest(IoOperationTest),
    /// [`IoOperationIssued`]
    IoOperationIssued(IoOperationIssued),
    /// [`IoOperationComplete`]
    IoOperationComplete(IoOperationComplete),
    /// [`IoOperationCancelled`]
    IoOperationCancelled(IoOperationCancelled),
    /// [`IoAcquireLock`]
    IoAcquireLock(IoAcquireLock),
    /// [`IoReleaseLock`]
    IoReleaseLock(IoReleaseLock),
    /// [`IoTryLock`]
    IoTryLock(IoTryLock),
    /// [`ProgramBegin`]
    ProgramBegin(ProgramBegin<'a>),
    /// [`ProgramEnd`]
    ProgramEnd(ProgramEnd),
    /// [`NonBlockingCollectiveRequest`]
    NonBlockingCollectiveRequest(NonBlockingCollectiveRequest),
    /// [`NonBlockingCollectiveComplete`]
    NonBlockingCollectiveComplete(NonBlockingCollectiveComplete),
    /// [`CommCreate`]
    CommCreate(CommCreate),
    /// [`CommDestroy`]
    CommDestroy(CommDestroy),
    /// [`MpiProbe`]
    MpiProbe(MpiProbe),
    /// [`MpiMrecv`]
    MpiMrecv(MpiMrecv),
    /// [`MpiImrecvRequest`]
    MpiImrecvRequest(MpiImrecvRequest),
    /// [`MpiImrecv`]
    MpiImrecv(MpiImrecv),
}

impl Event<'_> {
    /// The kind of this event.
    pub fn kind(&self) -> EventKind {
        match self {
            Event::BufferFlush(_) => EventKind::BufferFlush,
            Event::MeasurementOnOff(_) => EventKind::MeasurementOnOff,
            Event::Enter(_) => EventKind::Enter,
            Event::Leave(_) => EventKind::Leave,
            Event::MpiSend(_) => EventKind::MpiSend,
            Event::MpiIsend(_) => EventKind::MpiIsend,
            Event::MpiIsendComplete(_) => EventKind::MpiIsendComplete,
            Event::MpiIrecvRequest(_) => EventKind::MpiIrecvRequest,
            Event::MpiRecv(_) => EventKind::MpiRecv,
            Event::MpiIrecv(_) => EventKind::MpiIrecv,
            Event::MpiRequestTest(_) => EventKind::MpiRequestTest,
            Event::MpiRequestCancelled(_) => EventKind::MpiRequestCancelled,
            Event::MpiCollectiveBegin(_) => EventKind::MpiCollectiveBegin,
            Event::MpiCollectiveEnd(_) => EventKind::MpiCollectiveEnd,
            Event::OmpFork(_) => EventKind::OmpFork,
            Event::OmpJoin(_) => EventKind::OmpJoin,
            Event::OmpAcquireLock(_) => EventKind::OmpAcquireLock,
            Event::OmpReleaseLock(_) => EventKind::OmpReleaseLock,
            Event::OmpTaskCreate(_) => EventKind::OmpTaskCreate,
            Event::OmpTaskSwitch(_) => EventKind::OmpTaskSwitch,
            Event::OmpTaskComplete(_) => EventKind::OmpTaskComplete,
            Event::Metric(_) => EventKind::Metric,
            Event::ParameterString(_) => EventKind::ParameterString,
            Event::ParameterInt(_) => EventKind::ParameterInt,
            Event::ParameterUnsignedInt(_) => EventKind::ParameterUnsignedInt,
            Event::RmaWinCreate(_) => EventKind::RmaWinCreate,
            Event::RmaWinDestroy(_) => EventKind::RmaWinDestroy,
            Event::RmaCollectiveBegin(_) => EventKind::RmaCollectiveBegin,
            Event::RmaCollectiveEnd(_) => EventKind::RmaCollectiveEnd,
            Event::RmaGroupSync(_) => EventKind::RmaGroupSync,
            Event::RmaRequestLock(_) => EventKind::RmaRequestLock,
            Event::RmaAcquireLock(_) => EventKind::RmaAcquireLock,
            Event::RmaTryLock(_) => EventKind::RmaTryLock,
            Event::RmaReleaseLock(_) => EventKind::RmaReleaseLock,
            Event::RmaSync(_) => EventKind::RmaSync,
            Event::RmaWaitChange(_) => EventKind::RmaWaitChange,
            Event::RmaPut(_) => EventKind::RmaPut,
            Event::RmaGet(_) => EventKind::RmaGet,
            Event::RmaAtomic(_) => EventKind::RmaAtomic,
            Event::RmaOpCompleteBlocking(_) => EventKind::RmaOpCompleteBlocking,
            Event::RmaOpCompleteNonBlocking(_) => EventKind::RmaOpCompleteNonBlocking,
            Event::RmaOpTest(_) => EventKind::RmaOpTest,
            Event::RmaOpCompleteRemote(_) => EventKind::RmaOpCompleteRemote,
            Event::ThreadFork(_) => EventKind::ThreadFork,
            Event::ThreadJoin(_) => EventKind::ThreadJoin,
            Event::ThreadTeamBegin(_) => EventKind::ThreadTeamBegin,
            Event::ThreadTeamEnd(_) => EventKind::ThreadTeamEnd,
            Event::ThreadAcquireLock(_) => EventKind::ThreadAcquireLock,
            Event::ThreadReleaseLock(_) => EventKind::ThreadReleaseLock,
            Event::ThreadTaskCreate(_) => EventKind::ThreadTaskCreate,
            Event::ThreadTaskSwitch(_) => EventKind::ThreadTaskSwitch,
            Event::ThreadTaskComplete(_) => EventKind::ThreadTaskComplete,
            Event::ThreadCreate(_) => EventKind::ThreadCreate,
            Event::ThreadBegin(_) => EventKind::ThreadBegin,
            Event::ThreadWait(_) => EventKind::ThreadWait,
            Event::ThreadEnd(_) => EventKind::ThreadEnd,
            Event::CallingContextEnter(_) => EventKind::CallingContextEnter,
            Event::CallingContextLeave(_) => EventKind::CallingContextLeave,
            Event::CallingContextSample(_) => EventKind::CallingContextSample,
            Event::IoCreateHandle(_) => EventKind::IoCreateHandle,
            Event::IoDestroyHandle(_) => EventKind::IoDestroyHandle,
            Event::IoDuplicateHandle(_) => EventKind::IoDuplicateHandle,
            Event::IoSeek(_) => EventKind::IoSeek,
            Event::IoChangeStatusFlags(_) => EventKind::IoChangeStatusFlags,
            Event::IoDeleteFile(_) => EventKind::IoDeleteFile,
            Event::IoOperationBegin(_) => EventKind::IoOperationBegin,
            Event::IoOperationTest(_) => EventKind::IoOperationTest,
            Event::IoOperationIssued(_) => EventKind::IoOperationIssued,
            Event::IoOperationComplete(_) => EventKind::IoOperationComplete,
            Event::IoOperationCancelled(_) => EventKind::IoOperationCancelled,
            Event::IoAcquireLock(_) => EventKind::IoAcquireLock,
            Event::IoReleaseLock(_) => EventKind::IoReleaseLock,
            Event::IoTryLock(_) => EventKind::IoTryLock,
            Event::ProgramBegin(_) => EventKind::ProgramBegin,
            Event::ProgramEnd(_) => EventKind::ProgramEnd,
            Event::NonBlockingCollectiveRequest(_) => EventKind::NonBlockingCollectiveRequest,
            Event::NonBlockingCollectiveComplete(_) => EventKind::NonBlockingCollectiveComplete,
            Event::CommCreate(_) => EventKind::CommCreate,
            Event::CommDestroy(_) => EventKind::CommDestroy,
            Event::MpiProbe(_) => EventKind::MpiProbe,
            Event::MpiMrecv(_) => EventKind::MpiMrecv,
            Event::MpiImrecvRequest(_) => EventKind::MpiImrecvRequest,
            Event::MpiImrecv(_) => EventKind::MpiImrecv,
        }
    }

    /// Calls the method of the visitor that is for this event.
    pub fn hand_to<V: EventVisitor>(self, head: &EventHead<'_>, visitor: &mut V) {
        match self {
            Event::BufferFlush(event) => visitor.buffer_flush(head, event),
            Event::MeasurementOnOff(event) => visitor.measurement_on_off(head, event),
            Event::Enter(event) => visitor.enter(head, event),
            Event::Leave(event) => visitor.leave(head, event),
            Event::MpiSend(event) => visitor.mpi_send(head, event),
            Event::MpiIsend(event) => visitor.mpi_isend(head, event),
            Event::MpiIsendComplete(event) => visitor.mpi_isend_complete(head, event),
            Event::MpiIrecvRequest(event) => visitor.mpi_irecv_request(head, event),
            Event::MpiRecv(event) => visitor.mpi_recv(head, event),
            Event::MpiIrecv(event) => visitor.mpi_irecv(head, event),
            Event::MpiRequestTest(event) => visitor.mpi_request_test(head, event),
            Event::MpiRequestCancelled(event) => visitor.mpi_request_cancelled(head, event),
            Event::MpiCollectiveBegin(event) => visitor.mpi_collective_begin(head, event),
            Event::MpiCollectiveEnd(event) => visitor.mpi_collective_end(head, event),
            Event::OmpFork(event) => visitor.omp_fork(head, event),
            Event::OmpJoin(event) => visitor.omp_join(head, event),
            Event::OmpAcquireLock(event) => visitor.omp_acquire_lock(head, event),
            Event::OmpReleaseLock(event) => visitor.omp_release_lock(head, event),
            Event::OmpTaskCreate(event) => visitor.omp_task_create(head, event),
            Event::OmpTaskSwitch(event) => visitor.omp_task_switch(head, event),
            Event::OmpTaskComplete(event) => visitor.omp_task_complete(head, event),
            Event::Metric(event) => visitor.metric(head, event),
            Event::ParameterString(event) => visitor.parameter_string(head, event),
            Event::ParameterInt(event) => visitor.parameter_int(head, event),
            Event::ParameterUnsignedInt(event) => visitor.parameter_unsigned_int(head, event),
            Event::RmaWinCreate(event) => visitor.rma_win_create(head, event),
            Event::RmaWinDestroy(event) => visitor.rma_win_destroy(head, event),
            Event::RmaCollectiveBegin(event) => visitor.rma_collective_begin(head, event),
            Event::RmaCollectiveEnd(event) => visitor.rma_collective_end(head, event),
            Event::RmaGroupSync(event) => visitor.rma_group_sync(head, event),
            Event::RmaRequestLock(event) => visitor.rma_request_lock(head, event),
            Event::RmaAcquireLock(event) => visitor.rma_acquire_lock(head, event),
            Event::RmaTryLock(event) => visitor.rma_try_lock(head, event),
            Event::RmaReleaseLock(event) => visitor.rma_release_lock(head, event),
            Event::RmaSync(event) => visitor.rma_sync(head, event),
            Event::RmaWaitChange(event) => visitor.rma_wait_change(head, event),
            Event::RmaPut(event) => visitor.rma_put(head, event),
            Event::RmaGet(event) => visitor.rma_get(head, event),
            Event::RmaAtomic(event) => visitor.rma_atomic(head, event),
            Event::RmaOpCompleteBlocking(event) => visitor.rma_op_complete_blocking(head, event),
            Event::RmaOpCompleteNonBlocking(event) => {
                visitor.rma_op_complete_non_blocking(head, event)
            }
            Event::RmaOpTest(event) => visitor.rma_op_test(head, event),
            Event::RmaOpCompleteRemote(event) => visitor.rma_op_complete_remote(head, event),
            Event::ThreadFork(event) => visitor.thread_fork(head, event),
            Event::ThreadJoin(event) => visitor.thread_join(head, event),
            Event::ThreadTeamBegin(event) => visitor.thread_team_begin(head, event),
            Event::ThreadTeamEnd(event) => visitor.thread_team_end(head, event),
            Event::ThreadAcquireLock(event) => visitor.thread_acquire_lock(head, event),
            Event::ThreadReleaseLock(event) => visitor.thread_release_lock(head, event),
            Event::ThreadTaskCreate(event) => visitor.thread_task_create(head, event),
            Event::ThreadTaskSwitch(event) => visitor.thread_task_switch(head, event),
            Event::ThreadTaskComplete(event) => visitor.thread_task_complete(head, event),
            Event::ThreadCreate(event) => visitor.thread_create(head, event),
            Event::ThreadBegin(event) => visitor.thread_begin(head, event),
            Event::ThreadWait(event) => visitor.thread_wait(head, event),
            Event::ThreadEnd(event) => visitor.thread_end(head, event),
            Event::CallingContextEnter(event) => visitor.calling_context_enter(head, event),
            Event::CallingContextLeave(event) => visitor.calling_context_leave(head, event),
            Event::CallingContextSample(event) => visitor.calling_context_sample(head, event),
            Event::IoCreateHandle(event) => visitor.io_create_handle(head, event),
            Event::IoDestroyHandle(event) => visitor.io_destroy_handle(head, event),
            Event::IoDuplicateHandle(event) => visitor.io_duplicate_handle(head, event),
            Event::IoSeek(event) => visitor.io_seek(head, event),
            Event::IoChangeStatusFlags(event) => visitor.io_change_status_flags(head, event),
            Event::IoDeleteFile(event) => visitor.io_delete_file(head, event),
            Event::IoOperationBegin(event) => visitor.io_operation_begin(head, event),
            Event::IoOperationTest(event) => visitor.io_operation_test(head, event),
            Event::IoOperationIssued(event) => visitor.io_operation_issued(head, event),
            Event::IoOperationComplete(event) => visitor.io_operation_complete(head, event),
            Event::IoOperationCancelled(event) => visitor.io_operation_cancelled(head, event),
            Event::IoAcquireLock(event) => visitor.io_acquire_lock(head, event),
            Event::IoReleaseLock(event) => visitor.io_release_lock(head, event),
            Event::IoTryLock(event) => visitor.io_try_lock(head, event),
            Event::ProgramBegin(event) => visitor.program_begin(head, event),
            Event::ProgramEnd(event) => visitor.program_end(head, event),
            Event::NonBlockingCollectiveRequest(event) => {
                visitor.non_blocking_collective_request(head, event)
            }
            Event::NonBlockingCollectiveComplete(event) => {
                visitor.non_blocking_collective_complete(head, event)
            }
            Event::CommCreate(event) => visitor.comm_create(head, event),
            Event::CommDestroy(event) => visitor.comm_destroy(head, event),
            Event::MpiProbe(event) => visitor.mpi_probe(head, event),
            Event::MpiMrecv(event) => visitor.mpi_mrecv(head, event),
            Event::MpiImrecvRequest(event) => visitor.mpi_imrecv_request(head, event),
            Event::MpiImrecv(event) => visitor.mpi_imrecv(head, event),
        }
    }
}
