// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Any event.

use super::{
    BufferFlush, CallingContextEnter, CallingContextLeave, CallingContextSample, CommCreate,
    CommDestroy, Enter, EventKind, IoAcquireLock, IoChangeStatusFlags, IoCreateHandle,
    IoDeleteFile, IoDestroyHandle, IoDuplicateHandle, IoOperationBegin, IoOperationCancelled,
    IoOperationComplete, IoOperationIssued, IoOperationTest, IoReleaseLock, IoSeek, IoTryLock,
    Leave, MeasurementOnOff, Metric, MpiCollectiveBegin, MpiCollectiveEnd, MpiIrecv,
    MpiIrecvRequest, MpiIsend, MpiIsendComplete, MpiRecv, MpiRequestCancelled, MpiRequestTest,
    MpiSend, NonBlockingCollectiveComplete, NonBlockingCollectiveRequest, OmpAcquireLock, OmpFork,
    OmpJoin, OmpReleaseLock, OmpTaskComplete, OmpTaskCreate, OmpTaskSwitch, ParameterInt,
    ParameterString, ParameterUnsignedInt, ProgramBegin, ProgramEnd, RmaAcquireLock, RmaAtomic,
    RmaCollectiveBegin, RmaCollectiveEnd, RmaGet, RmaGroupSync, RmaOpCompleteBlocking,
    RmaOpCompleteNonBlocking, RmaOpCompleteRemote, RmaOpTest, RmaPut, RmaReleaseLock,
    RmaRequestLock, RmaSync, RmaTryLock, RmaWaitChange, RmaWinCreate, RmaWinDestroy,
    ThreadAcquireLock, ThreadBegin, ThreadCreate, ThreadEnd, ThreadFork, ThreadJoin,
    ThreadReleaseLock, ThreadTaskComplete, ThreadTaskCreate, ThreadTaskSwitch, ThreadTeamBegin,
    ThreadTeamEnd, ThreadWait,
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
        }
    }
}
