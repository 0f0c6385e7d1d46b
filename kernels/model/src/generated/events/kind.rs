// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! The kinds of events.

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum EventKind {
    /// [`BufferFlush`](super::BufferFlush)
    BufferFlush,
    /// [`MeasurementOnOff`](super::MeasurementOnOff)
    MeasurementOnOff,
    /// [`Enter`](super::Enter)
    Enter,
    /// [`Leave`](super::Leave)
    Leave,
    /// [`MpiSend`](super::MpiSend)
    MpiSend,
    /// [`MpiIsend`](super::MpiIsend)
    MpiIsend,
    /// [`MpiIsendComplete`](super::MpiIsendComplete)
    MpiIsendComplete,
    /// [`MpiIrecvRequest`](super::MpiIrecvRequest)
    MpiIrecvRequest,
    /// [`MpiRecv`](super::MpiRecv)
    MpiRecv,
    /// [`MpiIrecv`](super::MpiIrecv)
    MpiIrecv,
    /// [`MpiRequestTest`](super::MpiRequestTest)
    MpiRequestTest,
    /// [`MpiRequestCancelled`](super::MpiRequestCancelled)
    MpiRequestCancelled,
    /// [`MpiCollectiveBegin`](super::MpiCollectiveBegin)
    MpiCollectiveBegin,
    /// [`MpiCollectiveEnd`](super::MpiCollectiveEnd)
    MpiCollectiveEnd,
    /// [`OmpFork`](super::OmpFork)
    OmpFork,
    /// [`OmpJoin`](super::OmpJoin)
    OmpJoin,
    /// [`OmpAcquireLock`](super::OmpAcquireLock)
    OmpAcquireLock,
    /// [`OmpReleaseLock`](super::OmpReleaseLock)
    OmpReleaseLock,
    /// [`OmpTaskCreate`](super::OmpTaskCreate)
    OmpTaskCreate,
    /// [`OmpTaskSwitch`](super::OmpTaskSwitch)
    OmpTaskSwitch,
    /// [`OmpTaskComplete`](super::OmpTaskComplete)
    OmpTaskComplete,
    /// [`Metric`](super::Metric)
    Metric,
    /// [`ParameterString`](super::ParameterString)
    ParameterString,
    /// [`ParameterInt`](super::ParameterInt)
    ParameterInt,
    /// [`ParameterUnsignedInt`](super::ParameterUnsignedInt)
    ParameterUnsignedInt,
    /// [`RmaWinCreate`](super::RmaWinCreate)
    RmaWinCreate,
    /// [`RmaWinDestroy`](super::RmaWinDestroy)
    RmaWinDestroy,
    /// [`RmaCollectiveBegin`](super::RmaCollectiveBegin)
    RmaCollectiveBegin,
    /// [`RmaCollectiveEnd`](super::RmaCollectiveEnd)
    RmaCollectiveEnd,
    /// [`RmaGroupSync`](super::RmaGroupSync)
    RmaGroupSync,
    /// [`RmaRequestLock`](super::RmaRequestLock)
    RmaRequestLock,
    /// [`RmaAcquireLock`](super::RmaAcquireLock)
    RmaAcquireLock,
    /// [`RmaTryLock`](super::RmaTryLock)
    RmaTryLock,
    /// [`RmaReleaseLock`](super::RmaReleaseLock)
    RmaReleaseLock,
    /// [`RmaSync`](super::RmaSync)
    RmaSync,
    /// [`RmaWaitChange`](super::RmaWaitChange)
    RmaWaitChange,
    /// [`RmaPut`](super::RmaPut)
    RmaPut,
    /// [`RmaGet`](super::RmaGet)
    RmaGet,
    /// [`RmaAtomic`](super::RmaAtomic)
    RmaAtomic,
    /// [`RmaOpCompleteBlocking`](super::RmaOpCompleteBlocking)
    RmaOpCompleteBlocking,
    /// [`RmaOpCompleteNonBlocking`](super::RmaOpCompleteNonBlocking)
    RmaOpCompleteNonBlocking,
    /// [`RmaOpTest`](super::RmaOpTest)
    RmaOpTest,
    /// [`RmaOpCompleteRemote`](super::RmaOpCompleteRemote)
    RmaOpCompleteRemote,
    /// [`ThreadFork`](super::ThreadFork)
    ThreadFork,
    /// [`ThreadJoin`](super::ThreadJoin)
    ThreadJoin,
    /// [`ThreadTeamBegin`](super::ThreadTeamBegin)
    ThreadTeamBegin,
    /// [`ThreadTeamEnd`](super::ThreadTeamEnd)
    ThreadTeamEnd,
    /// [`ThreadAcquireLock`](super::ThreadAcquireLock)
    ThreadAcquireLock,
    /// [`ThreadReleaseLock`](super::ThreadReleaseLock)
    ThreadReleaseLock,
    /// [`ThreadTaskCreate`](super::ThreadTaskCreate)
    ThreadTaskCreate,
    /// [`ThreadTaskSwitch`](super::ThreadTaskSwitch)
    ThreadTaskSwitch,
    /// [`ThreadTaskComplete`](super::ThreadTaskComplete)
    ThreadTaskComplete,
    /// [`ThreadCreate`](super::ThreadCreate)
    ThreadCreate,
    /// [`ThreadBegin`](super::ThreadBegin)
    ThreadBegin,
    /// [`ThreadWait`](super::ThreadWait)
    ThreadWait,
    /// [`ThreadEnd`](super::ThreadEnd)
    ThreadEnd,
    /// [`CallingContextEnter`](super::CallingContextEnter)
    CallingContextEnter,
    /// [`CallingContextLeave`](super::CallingContextLeave)
    CallingContextLeave,
    /// [`CallingContextSample`](super::CallingContextSample)
    CallingContextSample,
    /// [`IoCreateHandle`](super::IoCreateHandle)
    IoCreateHandle,
    /// [`IoDestroyHandle`](super::IoDestroyHandle)
    IoDestroyHandle,
    /// [`IoDuplicateHandle`](super::IoDuplicateHandle)
    IoDuplicateHandle,
    /// [`IoSeek`](super::IoSeek)
    IoSeek,
    /// [`IoChangeStatusFlags`](super::IoChangeStatusFlags)
    IoChangeStatusFlags,
    /// [`IoDeleteFile`](super::IoDeleteFile)
    IoDeleteFile,
    /// [`IoOperationBegin`](super::IoOperationBegin)
    IoOperationBegin,
    /// [`IoOperationTest`](super::IoOperationTest)
    IoOperationTest,
    /// [`IoOperationIssued`](super::IoOperationIssued)
    IoOperationIssued,
    /// [`IoOperationComplete`](super::IoOperationComplete)
    IoOperationComplete,
    /// [`IoOperationCancelled`](super::IoOperationCancelled)
    IoOperationCancelled,
    /// [`IoAcquireLock`](super::IoAcquireLock)
    IoAcquireLock,
    /// [`IoReleaseLock`](super::IoReleaseLock)
    IoReleaseLock,
    /// [`IoTryLock`](super::IoTryLock)
    IoTryLock,
    /// [`ProgramBegin`](super::ProgramBegin)
    ProgramBegin,
    /// [`ProgramEnd`](super::ProgramEnd)
    ProgramEnd,
    /// [`NonBlockingCollectiveRequest`](super::NonBlockingCollectiveRequest)
    NonBlockingCollectiveRequest,
    /// [`NonBlockingCollectiveComplete`](super::NonBlockingCollectiveComplete)
    NonBlockingCollectiveComplete,
    /// [`CommCreate`](super::CommCreate)
    CommCreate,
    /// [`CommDestroy`](super::CommDestroy)
    CommDestroy,
    /// [`MpiProbe`](super::MpiProbe)
    MpiProbe,
    /// [`MpiMrecv`](super::MpiMrecv)
    MpiMrecv,
    /// [`MpiImrecvRequest`](super::MpiImrecvRequest)
    MpiImrecvRequest,
    /// [`MpiImrecv`](super::MpiImrecv)
    MpiImrecv,
}

impl EventKind {
    /// All kinds, in the order of their declaration.
    pub const ALL: [EventKind; 83] = [
        EventKind::BufferFlush,
        EventKind::MeasurementOnOff,
        EventKind::Enter,
        EventKind::Leave,
        EventKind::MpiSend,
        EventKind::MpiIsend,
        EventKind::MpiIsendComplete,
        EventKind::MpiIrecvRequest,
        EventKind::MpiRecv,
        EventKind::MpiIrecv,
        EventKind::MpiRequestTest,
        EventKind::MpiRequestCancelled,
        EventKind::MpiCollectiveBegin,
        EventKind::MpiCollectiveEnd,
        EventKind::OmpFork,
        EventKind::OmpJoin,
        EventKind::OmpAcquireLock,
        EventKind::OmpReleaseLock,
        EventKind::OmpTaskCreate,
        EventKind::OmpTaskSwitch,
        EventKind::OmpTaskComplete,
        EventKind::Metric,
        EventKind::ParameterString,
        EventKind::ParameterInt,
        EventKind::ParameterUnsignedInt,
        EventKind::RmaWinCreate,
        EventKind::RmaWinDestroy,
        EventKind::RmaCollectiveBegin,
        EventKind::RmaCollectiveEnd,
        EventKind::RmaGroupSync,
        EventKind::RmaRequestLock,
        EventKind::RmaAcquireLock,
        EventKind::RmaTryLock,
        EventKind::RmaReleaseLock,
        EventKind::RmaSync,
        EventKind::RmaWaitChange,
        EventKind::RmaPut,
        EventKind::RmaGet,
        EventKind::RmaAtomic,
        EventKind::RmaOpCompleteBlocking,
        EventKind::RmaOpCompleteNonBlocking,
        EventKind::RmaOpTest,
        EventKind::RmaOpCompleteRemote,
        EventKind::ThreadFork,
        EventKind::ThreadJoin,
        EventKind::ThreadTeamBegin,
        EventKind::ThreadTeamEnd,
        EventKind::ThreadAcquireLock,
        EventKind::ThreadReleaseLock,
        EventKind::ThreadTaskCreate,
        EventKind::ThreadTaskSwitch,
        EventKind::ThreadTaskComplete,
        EventKind::ThreadCreate,
        EventKind::ThreadBegin,
        EventKind::ThreadWait,
        EventKind::ThreadEnd,
        EventKind::CallingContextEnter,
        EventKind::CallingContextLeave,
        EventKind::CallingContextSample,
        EventKind::IoCreateHandle,
        EventKind::IoDestroyHandle,
        EventKind::IoDuplicateHandle,
        EventKind::IoSeek,
        EventKind::IoChangeStatusFlags,
        EventKind::IoDeleteFile,
        EventKind::IoOperationBegin,
        EventKind::IoOperationTest,
        EventKind::IoOperationIssued,
        EventKind::IoOperationComplete,
        EventKind::IoOperationCancelled,
        EventKind::IoAcquireLock,
        EventKind::IoReleaseLock,
        EventKind::IoTryLock,
        EventKind::ProgramBegin,
        EventKind::ProgramEnd,
        EventKind::NonBlockingCollectiveRequest,
        EventKind::NonBlockingCollectiveComplete,
        EventKind::CommCreate,
        EventKind::CommDestroy,
        EventKind::MpiProbe,
        EventKind::MpiMrecv,
        EventKind::MpiImrecvRequest,
        EventKind::MpiImrecv,
    ];

    /// The name of the kind, as the format writes it.
    pub const fn name(self) -> &'static str {
        match self {
            EventKind::BufferFlush => "BufferFlush",
            EventKind::MeasurementOnOff => "MeasurementOnOff",
            EventKind::Enter => "Enter",
            EventKind::Leave => "Leave",
            EventKind::MpiSend => "MpiSend",
            EventKind::MpiIsend => "MpiIsend",
            EventKind::MpiIsendComplete => "MpiIsendComplete",
            EventKind::MpiIrecvRequest => "MpiIrecvRequest",
            EventKind::MpiRecv => "MpiRecv",
            EventKind::MpiIrecv => "MpiIrecv",
            EventKind::MpiRequestTest => "MpiRequestTest",
            EventKind::MpiRequestCancelled => "MpiRequestCancelled",
            EventKind::MpiCollectiveBegin => "MpiCollectiveBegin",
            EventKind::MpiCollectiveEnd => "MpiCollectiveEnd",
            EventKind::OmpFork => "OmpFork",
            EventKind::OmpJoin => "OmpJoin",
            EventKind::OmpAcquireLock => "OmpAcquireLock",
            EventKind::OmpReleaseLock => "OmpReleaseLock",
            EventKind::OmpTaskCreate => "OmpTaskCreate",
            EventKind::OmpTaskSwitch => "OmpTaskSwitch",
            EventKind::OmpTaskComplete => "OmpTaskComplete",
            EventKind::Metric => "Metric",
            EventKind::ParameterString => "ParameterString",
            EventKind::ParameterInt => "ParameterInt",
            EventKind::ParameterUnsignedInt => "ParameterUnsignedInt",
            EventKind::RmaWinCreate => "RmaWinCreate",
            EventKind::RmaWinDestroy => "RmaWinDestroy",
            EventKind::RmaCollectiveBegin => "RmaCollectiveBegin",
            EventKind::RmaCollectiveEnd => "RmaCollectiveEnd",
            EventKind::RmaGroupSync => "RmaGroupSync",
            EventKind::RmaRequestLock => "RmaRequestLock",
            EventKind::RmaAcquireLock => "RmaAcquireLock",
            EventKind::RmaTryLock => "RmaTryLock",
            EventKind::RmaReleaseLock => "RmaReleaseLock",
            EventKind::RmaSync => "RmaSync",
            EventKind::RmaWaitChange => "RmaWaitChange",
            EventKind::RmaPut => "RmaPut",
            EventKind::RmaGet => "RmaGet",
            EventKind::RmaAtomic => "RmaAtomic",
            EventKind::RmaOpCompleteBlocking => "RmaOpCompleteBlocking",
            EventKind::RmaOpCompleteNonBlocking => "RmaOpCompleteNonBlocking",
            EventKind::RmaOpTest => "RmaOpTest",
            EventKind::RmaOpCompleteRemote => "RmaOpCompleteRemote",
            EventKind::ThreadFork => "ThreadFork",
            EventKind::ThreadJoin => "ThreadJoin",
            EventKind::ThreadTeamBegin => "ThreadTeamBegin",
            EventKind::ThreadTeamEnd => "ThreadTeamEnd",
            EventKind::ThreadAcquireLock => "ThreadAcquireLock",
            EventKind::ThreadReleaseLock => "ThreadReleaseLock",
            EventKind::ThreadTaskCreate => "ThreadTaskCreate",
            EventKind::ThreadTaskSwitch => "ThreadTaskSwitch",
            EventKind::ThreadTaskComplete => "ThreadTaskComplete",
            EventKind::ThreadCreate => "ThreadCreate",
            EventKind::ThreadBegin => "ThreadBegin",
            EventKind::ThreadWait => "ThreadWait",
            EventKind::ThreadEnd => "ThreadEnd",
            EventKind::CallingContextEnter => "CallingContextEnter",
            EventKind::CallingContextLeave => "CallingContextLeave",
            EventKind::CallingContextSample => "CallingContextSample",
            EventKind::IoCreateHandle => "IoCreateHandle",
            EventKind::IoDestroyHandle => "IoDestroyHandle",
            EventKind::IoDuplicateHandle => "IoDuplicateHandle",
            EventKind::IoSeek => "IoSeek",
            EventKind::IoChangeStatusFlags => "IoChangeStatusFlags",
            EventKind::IoDeleteFile => "IoDeleteFile",
            EventKind::IoOperationBegin => "IoOperationBegin",
            EventKind::IoOperationTest => "IoOperationTest",
            EventKind::IoOperationIssued => "IoOperationIssued",
            EventKind::IoOperationComplete => "IoOperationComplete",
            EventKind::IoOperationCancelled => "IoOperationCancelled",
            EventKind::IoAcquireLock => "IoAcquireLock",
            EventKind::IoReleaseLock => "IoReleaseLock",
            EventKind::IoTryLock => "IoTryLock",
            EventKind::ProgramBegin => "ProgramBegin",
            EventKind::ProgramEnd => "ProgramEnd",
            EventKind::NonBlockingCollectiveRequest => "NonBlockingCollectiveRequest",
            EventKind::NonBlockingCollectiveComplete => "NonBlockingCollectiveComplete",
            EventKind::CommCreate => "CommCreate",
            EventKind::CommDestroy => "CommDestroy",
            EventKind::MpiProbe => "MpiProbe",
            EventKind::MpiMrecv => "MpiMrecv",
            EventKind::MpiImrecvRequest => "MpiImrecvRequest",
            EventKind::MpiImrecv => "MpiImrecv",
        }
    }
}
