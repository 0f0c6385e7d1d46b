// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! The events of a location, and the visitor that receives them.

use crate::enums::{
    CollectiveOp, IoAccessMode, IoCreationFlag, IoOperationFlag, IoOperationMode, IoSeekOption,
    IoStatusFlag, LockType, MeasurementMode, Paradigm, RmaAtomicType, RmaSyncLevel, RmaSyncType,
};
use crate::ids::{
    CallingContextRef, CommRef, GroupRef, InterruptGeneratorRef, IoFileRef, IoHandleRef,
    IoParadigmRef, MetricRef, ParameterRef, RegionRef, RmaWinRef, StringRef,
};
use crate::stream::{EventHead, EventSet};
use crate::values::{Ticks, TypedValue};

/// The event `BufferFlush` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferFlush {
    /// `stopTime`
    pub stop_time: Ticks,
}

/// The event `MeasurementOnOff` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasurementOnOff {
    /// `measurementMode`
    pub measurement_mode: MeasurementMode,
}

/// The event `Enter` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enter {
    /// `region`, global
    pub region: RegionRef,
}

/// The event `Leave` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leave {
    /// `region`, global
    pub region: RegionRef,
}

/// The event `MpiSend` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiSend {
    /// `receiver`
    pub receiver: u32,
    /// `communicator`, global
    pub communicator: CommRef,
    /// `msgTag`
    pub msg_tag: u32,
    /// `msgLength`
    pub msg_length: u64,
}

/// The event `MpiIsend` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiIsend {
    /// `receiver`
    pub receiver: u32,
    /// `communicator`, global
    pub communicator: CommRef,
    /// `msgTag`
    pub msg_tag: u32,
    /// `msgLength`
    pub msg_length: u64,
    /// `requestID`
    pub request_id: u64,
}

/// The event `MpiIsendComplete` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiIsendComplete {
    /// `requestID`
    pub request_id: u64,
}

/// The event `MpiIrecvRequest` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiIrecvRequest {
    /// `requestID`
    pub request_id: u64,
}

/// The event `MpiRecv` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiRecv {
    /// `sender`
    pub sender: u32,
    /// `communicator`, global
    pub communicator: CommRef,
    /// `msgTag`
    pub msg_tag: u32,
    /// `msgLength`
    pub msg_length: u64,
}

/// The event `MpiIrecv` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiIrecv {
    /// `sender`
    pub sender: u32,
    /// `communicator`, global
    pub communicator: CommRef,
    /// `msgTag`
    pub msg_tag: u32,
    /// `msgLength`
    pub msg_length: u64,
    /// `requestID`
    pub request_id: u64,
}

/// The event `MpiRequestTest` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiRequestTest {
    /// `requestID`
    pub request_id: u64,
}

/// The event `MpiRequestCancelled` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiRequestCancelled {
    /// `requestID`
    pub request_id: u64,
}

/// The event `MpiCollectiveBegin` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiCollectiveBegin;

/// The event `MpiCollectiveEnd` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiCollectiveEnd {
    /// `collectiveOp`
    pub collective_op: CollectiveOp,
    /// `communicator`, global
    pub communicator: CommRef,
    /// `root`
    pub root: u32,
    /// `sizeSent`
    pub size_sent: u64,
    /// `sizeReceived`
    pub size_received: u64,
}

/// The event `OmpFork` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpFork {
    /// `numberOfRequestedThreads`
    pub number_of_requested_threads: u32,
}

/// The event `OmpJoin` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpJoin;

/// The event `OmpAcquireLock` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpAcquireLock {
    /// `lockID`
    pub lock_id: u32,
    /// `acquisitionOrder`
    pub acquisition_order: u32,
}

/// The event `OmpReleaseLock` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpReleaseLock {
    /// `lockID`
    pub lock_id: u32,
    /// `acquisitionOrder`
    pub acquisition_order: u32,
}

/// The event `OmpTaskCreate` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpTaskCreate {
    /// `taskID`
    pub task_id: u64,
}

/// The event `OmpTaskSwitch` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpTaskSwitch {
    /// `taskID`
    pub task_id: u64,
}

/// The event `OmpTaskComplete` (since 1.0, deprecated since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpTaskComplete {
    /// `taskID`
    pub task_id: u64,
}

/// The event `Metric` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric<'a> {
    /// `metric`, global
    pub metric: MetricRef,
    /// `metricValues`
    pub values: &'a [TypedValue],
}

/// The event `ParameterString` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterString {
    /// `parameter`, global
    pub parameter: ParameterRef,
    /// `string`, global
    pub string: StringRef,
}

/// The event `ParameterInt` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterInt {
    /// `parameter`, global
    pub parameter: ParameterRef,
    /// `value`
    pub value: i64,
}

/// The event `ParameterUnsignedInt` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterUnsignedInt {
    /// `parameter`, global
    pub parameter: ParameterRef,
    /// `value`
    pub value: u64,
}

/// The event `RmaWinCreate` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaWinCreate {
    /// `win`, global
    pub win: RmaWinRef,
}

/// The event `RmaWinDestroy` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaWinDestroy {
    /// `win`, global
    pub win: RmaWinRef,
}

/// The event `RmaCollectiveBegin` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaCollectiveBegin;

/// The event `RmaCollectiveEnd` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaCollectiveEnd {
    /// `collectiveOp`
    pub collective_op: CollectiveOp,
    /// `syncLevel`
    pub sync_level: RmaSyncLevel,
    /// `win`, global
    pub win: RmaWinRef,
    /// `root`
    pub root: u32,
    /// `bytesSent`
    pub bytes_sent: u64,
    /// `bytesReceived`
    pub bytes_received: u64,
}

/// The event `RmaGroupSync` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaGroupSync {
    /// `syncLevel`
    pub sync_level: RmaSyncLevel,
    /// `win`, global
    pub win: RmaWinRef,
    /// `group`, global
    pub group: GroupRef,
}

/// The event `RmaRequestLock` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaRequestLock {
    /// `win`, global
    pub win: RmaWinRef,
    /// `remote`
    pub remote: u32,
    /// `lockId`
    pub lock_id: u64,
    /// `lockType`
    pub lock_type: LockType,
}

/// The event `RmaAcquireLock` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaAcquireLock {
    /// `win`, global
    pub win: RmaWinRef,
    /// `remote`
    pub remote: u32,
    /// `lockId`
    pub lock_id: u64,
    /// `lockType`
    pub lock_type: LockType,
}

/// The event `RmaTryLock` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaTryLock {
    /// `win`, global
    pub win: RmaWinRef,
    /// `remote`
    pub remote: u32,
    /// `lockId`
    pub lock_id: u64,
    /// `lockType`
    pub lock_type: LockType,
}

/// The event `RmaReleaseLock` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaReleaseLock {
    /// `win`, global
    pub win: RmaWinRef,
    /// `remote`
    pub remote: u32,
    /// `lockId`
    pub lock_id: u64,
}

/// The event `RmaSync` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaSync {
    /// `win`, global
    pub win: RmaWinRef,
    /// `remote`
    pub remote: u32,
    /// `syncType`
    pub sync_type: RmaSyncType,
}

/// The event `RmaWaitChange` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaWaitChange {
    /// `win`, global
    pub win: RmaWinRef,
}

/// The event `RmaPut` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaPut {
    /// `win`, global
    pub win: RmaWinRef,
    /// `remote`
    pub remote: u32,
    /// `bytes`
    pub bytes: u64,
    /// `matchingId`
    pub matching_id: u64,
}

/// The event `RmaGet` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaGet {
    /// `win`, global
    pub win: RmaWinRef,
    /// `remote`
    pub remote: u32,
    /// `bytes`
    pub bytes: u64,
    /// `matchingId`
    pub matching_id: u64,
}

/// The event `RmaAtomic` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaAtomic {
    /// `win`, global
    pub win: RmaWinRef,
    /// `remote`
    pub remote: u32,
    /// `type`
    pub atomic_type: RmaAtomicType,
    /// `bytesSent`
    pub bytes_sent: u64,
    /// `bytesReceived`
    pub bytes_received: u64,
    /// `matchingId`
    pub matching_id: u64,
}

/// The event `RmaOpCompleteBlocking` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaOpCompleteBlocking {
    /// `win`, global
    pub win: RmaWinRef,
    /// `matchingId`
    pub matching_id: u64,
}

/// The event `RmaOpCompleteNonBlocking` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaOpCompleteNonBlocking {
    /// `win`, global
    pub win: RmaWinRef,
    /// `matchingId`
    pub matching_id: u64,
}

/// The event `RmaOpTest` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaOpTest {
    /// `win`, global
    pub win: RmaWinRef,
    /// `matchingId`
    pub matching_id: u64,
}

/// The event `RmaOpCompleteRemote` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RmaOpCompleteRemote {
    /// `win`, global
    pub win: RmaWinRef,
    /// `matchingId`
    pub matching_id: u64,
}

/// The event `ThreadFork` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadFork {
    /// `model`
    pub model: Paradigm,
    /// `numberOfRequestedThreads`
    pub number_of_requested_threads: u32,
}

/// The event `ThreadJoin` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadJoin {
    /// `model`
    pub model: Paradigm,
}

/// The event `ThreadTeamBegin` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTeamBegin {
    /// `threadTeam`, global
    pub thread_team: CommRef,
}

/// The event `ThreadTeamEnd` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTeamEnd {
    /// `threadTeam`, global
    pub thread_team: CommRef,
}

/// The event `ThreadAcquireLock` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadAcquireLock {
    /// `model`
    pub model: Paradigm,
    /// `lockID`
    pub lock_id: u32,
    /// `acquisitionOrder`
    pub acquisition_order: u32,
}

/// The event `ThreadReleaseLock` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadReleaseLock {
    /// `model`
    pub model: Paradigm,
    /// `lockID`
    pub lock_id: u32,
    /// `acquisitionOrder`
    pub acquisition_order: u32,
}

/// The event `ThreadTaskCreate` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTaskCreate {
    /// `threadTeam`, global
    pub thread_team: CommRef,
    /// `creatingThread`
    pub creating_thread: u32,
    /// `generationNumber`
    pub generation_number: u32,
}

/// The event `ThreadTaskSwitch` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTaskSwitch {
    /// `threadTeam`, global
    pub thread_team: CommRef,
    /// `creatingThread`
    pub creating_thread: u32,
    /// `generationNumber`
    pub generation_number: u32,
}

/// The event `ThreadTaskComplete` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTaskComplete {
    /// `threadTeam`, global
    pub thread_team: CommRef,
    /// `creatingThread`
    pub creating_thread: u32,
    /// `generationNumber`
    pub generation_number: u32,
}

/// The event `ThreadCreate` (since 1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadCreate {
    /// `threadContingent`, global
    pub thread_contingent: CommRef,
    /// `sequenceCount`
    pub sequence_count: u64,
}

/// The event `ThreadBegin` (since 1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadBegin {
    /// `threadContingent`, global
    pub thread_contingent: CommRef,
    /// `sequenceCount`
    pub sequence_count: u64,
}

/// The event `ThreadWait` (since 1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadWait {
    /// `threadContingent`, global
    pub thread_contingent: CommRef,
    /// `sequenceCount`
    pub sequence_count: u64,
}

/// The event `ThreadEnd` (since 1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadEnd {
    /// `threadContingent`, global
    pub thread_contingent: CommRef,
    /// `sequenceCount`
    pub sequence_count: u64,
}

/// The event `CallingContextEnter` (since 2.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallingContextEnter {
    /// `callingContext`, global
    pub calling_context: CallingContextRef,
    /// `unwindDistance`
    pub unwind_distance: u32,
}

/// The event `CallingContextLeave` (since 2.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallingContextLeave {
    /// `callingContext`, global
    pub calling_context: CallingContextRef,
}

/// The event `CallingContextSample` (since 1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallingContextSample {
    /// `callingContext`, global
    pub calling_context: CallingContextRef,
    /// `unwindDistance`
    pub unwind_distance: u32,
    /// `interruptGenerator`, global
    pub interrupt_generator: InterruptGeneratorRef,
}

/// The event `IoCreateHandle` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoCreateHandle {
    /// `handle`, global
    pub handle: IoHandleRef,
    /// `mode`
    pub mode: IoAccessMode,
    /// `creationFlags`
    pub creation_flags: IoCreationFlag,
    /// `statusFlags`
    pub status_flags: IoStatusFlag,
}

/// The event `IoDestroyHandle` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoDestroyHandle {
    /// `handle`, global
    pub handle: IoHandleRef,
}

/// The event `IoDuplicateHandle` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoDuplicateHandle {
    /// `oldHandle`, global
    pub old_handle: IoHandleRef,
    /// `newHandle`, global
    pub new_handle: IoHandleRef,
    /// `statusFlags`
    pub status_flags: IoStatusFlag,
}

/// The event `IoSeek` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoSeek {
    /// `handle`, global
    pub handle: IoHandleRef,
    /// `offsetRequest`
    pub offset_request: i64,
    /// `whence`
    pub whence: IoSeekOption,
    /// `offsetResult`
    pub offset_result: u64,
}

/// The event `IoChangeStatusFlags` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoChangeStatusFlags {
    /// `handle`, global
    pub handle: IoHandleRef,
    /// `statusFlags`
    pub status_flags: IoStatusFlag,
}

/// The event `IoDeleteFile` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoDeleteFile {
    /// `ioParadigm`
    pub io_paradigm: IoParadigmRef,
    /// `file`, global
    pub file: IoFileRef,
}

/// The event `IoOperationBegin` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoOperationBegin {
    /// `handle`, global
    pub handle: IoHandleRef,
    /// `mode`
    pub mode: IoOperationMode,
    /// `operationFlags`
    pub operation_flags: IoOperationFlag,
    /// `bytesRequest`
    pub bytes_request: u64,
    /// `matchingId`
    pub matching_id: u64,
}

/// The event `IoOperationTest` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoOperationTest {
    /// `handle`, global
    pub handle: IoHandleRef,
    /// `matchingId`
    pub matching_id: u64,
}

/// The event `IoOperationIssued` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoOperationIssued {
    /// `handle`, global
    pub handle: IoHandleRef,
    /// `matchingId`
    pub matching_id: u64,
}

/// The event `IoOperationComplete` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoOperationComplete {
    /// `handle`, global
    pub handle: IoHandleRef,
    /// `bytesResult`
    pub bytes_result: u64,
    /// `matchingId`
    pub matching_id: u64,
}

/// The event `IoOperationCancelled` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoOperationCancelled {
    /// `handle`, global
    pub handle: IoHandleRef,
    /// `matchingId`
    pub matching_id: u64,
}

/// The event `IoAcquireLock` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoAcquireLock {
    /// `handle`, global
    pub handle: IoHandleRef,
    /// `lockType`
    pub lock_type: LockType,
}

/// The event `IoReleaseLock` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoReleaseLock {
    /// `handle`, global
    pub handle: IoHandleRef,
    /// `lockType`
    pub lock_type: LockType,
}

/// The event `IoTryLock` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoTryLock {
    /// `handle`, global
    pub handle: IoHandleRef,
    /// `lockType`
    pub lock_type: LockType,
}

/// The event `ProgramBegin` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramBegin<'a> {
    /// `programName`, global
    pub program_name: StringRef,
    /// `programArguments`, global
    pub program_arguments: &'a [StringRef],
}

/// The event `ProgramEnd` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramEnd {
    /// `exitStatus`
    pub exit_status: i64,
}

/// The event `NonBlockingCollectiveRequest` (since 3.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonBlockingCollectiveRequest {
    /// `requestID`
    pub request_id: u64,
}

/// The event `NonBlockingCollectiveComplete` (since 3.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonBlockingCollectiveComplete {
    /// `collectiveOp`
    pub collective_op: CollectiveOp,
    /// `communicator`, global
    pub communicator: CommRef,
    /// `root`
    pub root: u32,
    /// `sizeSent`
    pub size_sent: u64,
    /// `sizeReceived`
    pub size_received: u64,
    /// `requestID`
    pub request_id: u64,
}

/// The event `CommCreate` (since 3.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommCreate {
    /// `communicator`, global
    pub communicator: CommRef,
}

/// The event `CommDestroy` (since 3.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommDestroy {
    /// `communicator`, global
    pub communicator: CommRef,
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum EventKind {
    /// [`BufferFlush`]
    BufferFlush,
    /// [`MeasurementOnOff`]
    MeasurementOnOff,
    /// [`Enter`]
    Enter,
    /// [`Leave`]
    Leave,
    /// [`MpiSend`]
    MpiSend,
    /// [`MpiIsend`]
    MpiIsend,
    /// [`MpiIsendComplete`]
    MpiIsendComplete,
    /// [`MpiIrecvRequest`]
    MpiIrecvRequest,
    /// [`MpiRecv`]
    MpiRecv,
    /// [`MpiIrecv`]
    MpiIrecv,
    /// [`MpiRequestTest`]
    MpiRequestTest,
    /// [`MpiRequestCancelled`]
    MpiRequestCancelled,
    /// [`MpiCollectiveBegin`]
    MpiCollectiveBegin,
    /// [`MpiCollectiveEnd`]
    MpiCollectiveEnd,
    /// [`OmpFork`]
    OmpFork,
    /// [`OmpJoin`]
    OmpJoin,
    /// [`OmpAcquireLock`]
    OmpAcquireLock,
    /// [`OmpReleaseLock`]
    OmpReleaseLock,
    /// [`OmpTaskCreate`]
    OmpTaskCreate,
    /// [`OmpTaskSwitch`]
    OmpTaskSwitch,
    /// [`OmpTaskComplete`]
    OmpTaskComplete,
    /// [`Metric`]
    Metric,
    /// [`ParameterString`]
    ParameterString,
    /// [`ParameterInt`]
    ParameterInt,
    /// [`ParameterUnsignedInt`]
    ParameterUnsignedInt,
    /// [`RmaWinCreate`]
    RmaWinCreate,
    /// [`RmaWinDestroy`]
    RmaWinDestroy,
    /// [`RmaCollectiveBegin`]
    RmaCollectiveBegin,
    /// [`RmaCollectiveEnd`]
    RmaCollectiveEnd,
    /// [`RmaGroupSync`]
    RmaGroupSync,
    /// [`RmaRequestLock`]
    RmaRequestLock,
    /// [`RmaAcquireLock`]
    RmaAcquireLock,
    /// [`RmaTryLock`]
    RmaTryLock,
    /// [`RmaReleaseLock`]
    RmaReleaseLock,
    /// [`RmaSync`]
    RmaSync,
    /// [`RmaWaitChange`]
    RmaWaitChange,
    /// [`RmaPut`]
    RmaPut,
    /// [`RmaGet`]
    RmaGet,
    /// [`RmaAtomic`]
    RmaAtomic,
    /// [`RmaOpCompleteBlocking`]
    RmaOpCompleteBlocking,
    /// [`RmaOpCompleteNonBlocking`]
    RmaOpCompleteNonBlocking,
    /// [`RmaOpTest`]
    RmaOpTest,
    /// [`RmaOpCompleteRemote`]
    RmaOpCompleteRemote,
    /// [`ThreadFork`]
    ThreadFork,
    /// [`ThreadJoin`]
    ThreadJoin,
    /// [`ThreadTeamBegin`]
    ThreadTeamBegin,
    /// [`ThreadTeamEnd`]
    ThreadTeamEnd,
    /// [`ThreadAcquireLock`]
    ThreadAcquireLock,
    /// [`ThreadReleaseLock`]
    ThreadReleaseLock,
    /// [`ThreadTaskCreate`]
    ThreadTaskCreate,
    /// [`ThreadTaskSwitch`]
    ThreadTaskSwitch,
    /// [`ThreadTaskComplete`]
    ThreadTaskComplete,
    /// [`ThreadCreate`]
    ThreadCreate,
    /// [`ThreadBegin`]
    ThreadBegin,
    /// [`ThreadWait`]
    ThreadWait,
    /// [`ThreadEnd`]
    ThreadEnd,
    /// [`CallingContextEnter`]
    CallingContextEnter,
    /// [`CallingContextLeave`]
    CallingContextLeave,
    /// [`CallingContextSample`]
    CallingContextSample,
    /// [`IoCreateHandle`]
    IoCreateHandle,
    /// [`IoDestroyHandle`]
    IoDestroyHandle,
    /// [`IoDuplicateHandle`]
    IoDuplicateHandle,
    /// [`IoSeek`]
    IoSeek,
    /// [`IoChangeStatusFlags`]
    IoChangeStatusFlags,
    /// [`IoDeleteFile`]
    IoDeleteFile,
    /// [`IoOperationBegin`]
    IoOperationBegin,
    /// [`IoOperationTest`]
    IoOperationTest,
    /// [`IoOperationIssued`]
    IoOperationIssued,
    /// [`IoOperationComplete`]
    IoOperationComplete,
    /// [`IoOperationCancelled`]
    IoOperationCancelled,
    /// [`IoAcquireLock`]
    IoAcquireLock,
    /// [`IoReleaseLock`]
    IoReleaseLock,
    /// [`IoTryLock`]
    IoTryLock,
    /// [`ProgramBegin`]
    ProgramBegin,
    /// [`ProgramEnd`]
    ProgramEnd,
    /// [`NonBlockingCollectiveRequest`]
    NonBlockingCollectiveRequest,
    /// [`NonBlockingCollectiveComplete`]
    NonBlockingCollectiveComplete,
    /// [`CommCreate`]
    CommCreate,
    /// [`CommDestroy`]
    CommDestroy,
}

impl EventKind {
    /// All kinds, in the order of their declaration.
    pub const ALL: [EventKind; 79] = [
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
        }
    }
}

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

/// Receives the events of one location, or of several in a common order.
///
/// A reader calls one method for each event of a kind in [`EventVisitor::WANTS`] and skips all
/// others undecoded. Methods that a visitor does not write itself hand their event to
/// [`EventVisitor::event`], which by default does nothing.
pub trait EventVisitor {
    /// The kinds that are decoded and delivered.
    const WANTS: EventSet = EventSet::ALL;
    /// Whether attribute lists are decoded and delivered with their events.
    const ATTRIBUTES: bool = false;

    /// Any event without a method of its own in the visitor.
    #[inline(always)]
    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let _ = (head, event);
    }

    /// A record of a kind that this version does not know; `id` is its number on disk.
    #[inline(always)]
    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        let _ = (head, id);
    }

    /// [`BufferFlush`]
    #[inline(always)]
    fn buffer_flush(&mut self, head: &EventHead<'_>, event: BufferFlush) {
        self.event(head, Event::BufferFlush(event));
    }

    /// [`MeasurementOnOff`]
    #[inline(always)]
    fn measurement_on_off(&mut self, head: &EventHead<'_>, event: MeasurementOnOff) {
        self.event(head, Event::MeasurementOnOff(event));
    }

    /// [`Enter`]
    #[inline(always)]
    fn enter(&mut self, head: &EventHead<'_>, event: Enter) {
        self.event(head, Event::Enter(event));
    }

    /// [`Leave`]
    #[inline(always)]
    fn leave(&mut self, head: &EventHead<'_>, event: Leave) {
        self.event(head, Event::Leave(event));
    }

    /// [`MpiSend`]
    #[inline(always)]
    fn mpi_send(&mut self, head: &EventHead<'_>, event: MpiSend) {
        self.event(head, Event::MpiSend(event));
    }

    /// [`MpiIsend`]
    #[inline(always)]
    fn mpi_isend(&mut self, head: &EventHead<'_>, event: MpiIsend) {
        self.event(head, Event::MpiIsend(event));
    }

    /// [`MpiIsendComplete`]
    #[inline(always)]
    fn mpi_isend_complete(&mut self, head: &EventHead<'_>, event: MpiIsendComplete) {
        self.event(head, Event::MpiIsendComplete(event));
    }

    /// [`MpiIrecvRequest`]
    #[inline(always)]
    fn mpi_irecv_request(&mut self, head: &EventHead<'_>, event: MpiIrecvRequest) {
        self.event(head, Event::MpiIrecvRequest(event));
    }

    /// [`MpiRecv`]
    #[inline(always)]
    fn mpi_recv(&mut self, head: &EventHead<'_>, event: MpiRecv) {
        self.event(head, Event::MpiRecv(event));
    }

    /// [`MpiIrecv`]
    #[inline(always)]
    fn mpi_irecv(&mut self, head: &EventHead<'_>, event: MpiIrecv) {
        self.event(head, Event::MpiIrecv(event));
    }

    /// [`MpiRequestTest`]
    #[inline(always)]
    fn mpi_request_test(&mut self, head: &EventHead<'_>, event: MpiRequestTest) {
        self.event(head, Event::MpiRequestTest(event));
    }

    /// [`MpiRequestCancelled`]
    #[inline(always)]
    fn mpi_request_cancelled(&mut self, head: &EventHead<'_>, event: MpiRequestCancelled) {
        self.event(head, Event::MpiRequestCancelled(event));
    }

    /// [`MpiCollectiveBegin`]
    #[inline(always)]
    fn mpi_collective_begin(&mut self, head: &EventHead<'_>, event: MpiCollectiveBegin) {
        self.event(head, Event::MpiCollectiveBegin(event));
    }

    /// [`MpiCollectiveEnd`]
    #[inline(always)]
    fn mpi_collective_end(&mut self, head: &EventHead<'_>, event: MpiCollectiveEnd) {
        self.event(head, Event::MpiCollectiveEnd(event));
    }

    /// [`OmpFork`]
    #[inline(always)]
    fn omp_fork(&mut self, head: &EventHead<'_>, event: OmpFork) {
        self.event(head, Event::OmpFork(event));
    }

    /// [`OmpJoin`]
    #[inline(always)]
    fn omp_join(&mut self, head: &EventHead<'_>, event: OmpJoin) {
        self.event(head, Event::OmpJoin(event));
    }

    /// [`OmpAcquireLock`]
    #[inline(always)]
    fn omp_acquire_lock(&mut self, head: &EventHead<'_>, event: OmpAcquireLock) {
        self.event(head, Event::OmpAcquireLock(event));
    }

    /// [`OmpReleaseLock`]
    #[inline(always)]
    fn omp_release_lock(&mut self, head: &EventHead<'_>, event: OmpReleaseLock) {
        self.event(head, Event::OmpReleaseLock(event));
    }

    /// [`OmpTaskCreate`]
    #[inline(always)]
    fn omp_task_create(&mut self, head: &EventHead<'_>, event: OmpTaskCreate) {
        self.event(head, Event::OmpTaskCreate(event));
    }

    /// [`OmpTaskSwitch`]
    #[inline(always)]
    fn omp_task_switch(&mut self, head: &EventHead<'_>, event: OmpTaskSwitch) {
        self.event(head, Event::OmpTaskSwitch(event));
    }

    /// [`OmpTaskComplete`]
    #[inline(always)]
    fn omp_task_complete(&mut self, head: &EventHead<'_>, event: OmpTaskComplete) {
        self.event(head, Event::OmpTaskComplete(event));
    }

    /// [`Metric`]
    #[inline(always)]
    fn metric(&mut self, head: &EventHead<'_>, event: Metric<'_>) {
        self.event(head, Event::Metric(event));
    }

    /// [`ParameterString`]
    #[inline(always)]
    fn parameter_string(&mut self, head: &EventHead<'_>, event: ParameterString) {
        self.event(head, Event::ParameterString(event));
    }

    /// [`ParameterInt`]
    #[inline(always)]
    fn parameter_int(&mut self, head: &EventHead<'_>, event: ParameterInt) {
        self.event(head, Event::ParameterInt(event));
    }

    /// [`ParameterUnsignedInt`]
    #[inline(always)]
    fn parameter_unsigned_int(&mut self, head: &EventHead<'_>, event: ParameterUnsignedInt) {
        self.event(head, Event::ParameterUnsignedInt(event));
    }

    /// [`RmaWinCreate`]
    #[inline(always)]
    fn rma_win_create(&mut self, head: &EventHead<'_>, event: RmaWinCreate) {
        self.event(head, Event::RmaWinCreate(event));
    }

    /// [`RmaWinDestroy`]
    #[inline(always)]
    fn rma_win_destroy(&mut self, head: &EventHead<'_>, event: RmaWinDestroy) {
        self.event(head, Event::RmaWinDestroy(event));
    }

    /// [`RmaCollectiveBegin`]
    #[inline(always)]
    fn rma_collective_begin(&mut self, head: &EventHead<'_>, event: RmaCollectiveBegin) {
        self.event(head, Event::RmaCollectiveBegin(event));
    }

    /// [`RmaCollectiveEnd`]
    #[inline(always)]
    fn rma_collective_end(&mut self, head: &EventHead<'_>, event: RmaCollectiveEnd) {
        self.event(head, Event::RmaCollectiveEnd(event));
    }

    /// [`RmaGroupSync`]
    #[inline(always)]
    fn rma_group_sync(&mut self, head: &EventHead<'_>, event: RmaGroupSync) {
        self.event(head, Event::RmaGroupSync(event));
    }

    /// [`RmaRequestLock`]
    #[inline(always)]
    fn rma_request_lock(&mut self, head: &EventHead<'_>, event: RmaRequestLock) {
        self.event(head, Event::RmaRequestLock(event));
    }

    /// [`RmaAcquireLock`]
    #[inline(always)]
    fn rma_acquire_lock(&mut self, head: &EventHead<'_>, event: RmaAcquireLock) {
        self.event(head, Event::RmaAcquireLock(event));
    }

    /// [`RmaTryLock`]
    #[inline(always)]
    fn rma_try_lock(&mut self, head: &EventHead<'_>, event: RmaTryLock) {
        self.event(head, Event::RmaTryLock(event));
    }

    /// [`RmaReleaseLock`]
    #[inline(always)]
    fn rma_release_lock(&mut self, head: &EventHead<'_>, event: RmaReleaseLock) {
        self.event(head, Event::RmaReleaseLock(event));
    }

    /// [`RmaSync`]
    #[inline(always)]
    fn rma_sync(&mut self, head: &EventHead<'_>, event: RmaSync) {
        self.event(head, Event::RmaSync(event));
    }

    /// [`RmaWaitChange`]
    #[inline(always)]
    fn rma_wait_change(&mut self, head: &EventHead<'_>, event: RmaWaitChange) {
        self.event(head, Event::RmaWaitChange(event));
    }

    /// [`RmaPut`]
    #[inline(always)]
    fn rma_put(&mut self, head: &EventHead<'_>, event: RmaPut) {
        self.event(head, Event::RmaPut(event));
    }

    /// [`RmaGet`]
    #[inline(always)]
    fn rma_get(&mut self, head: &EventHead<'_>, event: RmaGet) {
        self.event(head, Event::RmaGet(event));
    }

    /// [`RmaAtomic`]
    #[inline(always)]
    fn rma_atomic(&mut self, head: &EventHead<'_>, event: RmaAtomic) {
        self.event(head, Event::RmaAtomic(event));
    }

    /// [`RmaOpCompleteBlocking`]
    #[inline(always)]
    fn rma_op_complete_blocking(&mut self, head: &EventHead<'_>, event: RmaOpCompleteBlocking) {
        self.event(head, Event::RmaOpCompleteBlocking(event));
    }

    /// [`RmaOpCompleteNonBlocking`]
    #[inline(always)]
    fn rma_op_complete_non_blocking(
        &mut self,
        head: &EventHead<'_>,
        event: RmaOpCompleteNonBlocking,
    ) {
        self.event(head, Event::RmaOpCompleteNonBlocking(event));
    }

    /// [`RmaOpTest`]
    #[inline(always)]
    fn rma_op_test(&mut self, head: &EventHead<'_>, event: RmaOpTest) {
        self.event(head, Event::RmaOpTest(event));
    }

    /// [`RmaOpCompleteRemote`]
    #[inline(always)]
    fn rma_op_complete_remote(&mut self, head: &EventHead<'_>, event: RmaOpCompleteRemote) {
        self.event(head, Event::RmaOpCompleteRemote(event));
    }

    /// [`ThreadFork`]
    #[inline(always)]
    fn thread_fork(&mut self, head: &EventHead<'_>, event: ThreadFork) {
        self.event(head, Event::ThreadFork(event));
    }

    /// [`ThreadJoin`]
    #[inline(always)]
    fn thread_join(&mut self, head: &EventHead<'_>, event: ThreadJoin) {
        self.event(head, Event::ThreadJoin(event));
    }

    /// [`ThreadTeamBegin`]
    #[inline(always)]
    fn thread_team_begin(&mut self, head: &EventHead<'_>, event: ThreadTeamBegin) {
        self.event(head, Event::ThreadTeamBegin(event));
    }

    /// [`ThreadTeamEnd`]
    #[inline(always)]
    fn thread_team_end(&mut self, head: &EventHead<'_>, event: ThreadTeamEnd) {
        self.event(head, Event::ThreadTeamEnd(event));
    }

    /// [`ThreadAcquireLock`]
    #[inline(always)]
    fn thread_acquire_lock(&mut self, head: &EventHead<'_>, event: ThreadAcquireLock) {
        self.event(head, Event::ThreadAcquireLock(event));
    }

    /// [`ThreadReleaseLock`]
    #[inline(always)]
    fn thread_release_lock(&mut self, head: &EventHead<'_>, event: ThreadReleaseLock) {
        self.event(head, Event::ThreadReleaseLock(event));
    }

    /// [`ThreadTaskCreate`]
    #[inline(always)]
    fn thread_task_create(&mut self, head: &EventHead<'_>, event: ThreadTaskCreate) {
        self.event(head, Event::ThreadTaskCreate(event));
    }

    /// [`ThreadTaskSwitch`]
    #[inline(always)]
    fn thread_task_switch(&mut self, head: &EventHead<'_>, event: ThreadTaskSwitch) {
        self.event(head, Event::ThreadTaskSwitch(event));
    }

    /// [`ThreadTaskComplete`]
    #[inline(always)]
    fn thread_task_complete(&mut self, head: &EventHead<'_>, event: ThreadTaskComplete) {
        self.event(head, Event::ThreadTaskComplete(event));
    }

    /// [`ThreadCreate`]
    #[inline(always)]
    fn thread_create(&mut self, head: &EventHead<'_>, event: ThreadCreate) {
        self.event(head, Event::ThreadCreate(event));
    }

    /// [`ThreadBegin`]
    #[inline(always)]
    fn thread_begin(&mut self, head: &EventHead<'_>, event: ThreadBegin) {
        self.event(head, Event::ThreadBegin(event));
    }

    /// [`ThreadWait`]
    #[inline(always)]
    fn thread_wait(&mut self, head: &EventHead<'_>, event: ThreadWait) {
        self.event(head, Event::ThreadWait(event));
    }

    /// [`ThreadEnd`]
    #[inline(always)]
    fn thread_end(&mut self, head: &EventHead<'_>, event: ThreadEnd) {
        self.event(head, Event::ThreadEnd(event));
    }

    /// [`CallingContextEnter`]
    #[inline(always)]
    fn calling_context_enter(&mut self, head: &EventHead<'_>, event: CallingContextEnter) {
        self.event(head, Event::CallingContextEnter(event));
    }

    /// [`CallingContextLeave`]
    #[inline(always)]
    fn calling_context_leave(&mut self, head: &EventHead<'_>, event: CallingContextLeave) {
        self.event(head, Event::CallingContextLeave(event));
    }

    /// [`CallingContextSample`]
    #[inline(always)]
    fn calling_context_sample(&mut self, head: &EventHead<'_>, event: CallingContextSample) {
        self.event(head, Event::CallingContextSample(event));
    }

    /// [`IoCreateHandle`]
    #[inline(always)]
    fn io_create_handle(&mut self, head: &EventHead<'_>, event: IoCreateHandle) {
        self.event(head, Event::IoCreateHandle(event));
    }

    /// [`IoDestroyHandle`]
    #[inline(always)]
    fn io_destroy_handle(&mut self, head: &EventHead<'_>, event: IoDestroyHandle) {
        self.event(head, Event::IoDestroyHandle(event));
    }

    /// [`IoDuplicateHandle`]
    #[inline(always)]
    fn io_duplicate_handle(&mut self, head: &EventHead<'_>, event: IoDuplicateHandle) {
        self.event(head, Event::IoDuplicateHandle(event));
    }

    /// [`IoSeek`]
    #[inline(always)]
    fn io_seek(&mut self, head: &EventHead<'_>, event: IoSeek) {
        self.event(head, Event::IoSeek(event));
    }

    /// [`IoChangeStatusFlags`]
    #[inline(always)]
    fn io_change_status_flags(&mut self, head: &EventHead<'_>, event: IoChangeStatusFlags) {
        self.event(head, Event::IoChangeStatusFlags(event));
    }

    /// [`IoDeleteFile`]
    #[inline(always)]
    fn io_delete_file(&mut self, head: &EventHead<'_>, event: IoDeleteFile) {
        self.event(head, Event::IoDeleteFile(event));
    }

    /// [`IoOperationBegin`]
    #[inline(always)]
    fn io_operation_begin(&mut self, head: &EventHead<'_>, event: IoOperationBegin) {
        self.event(head, Event::IoOperationBegin(event));
    }

    /// [`IoOperationTest`]
    #[inline(always)]
    fn io_operation_test(&mut self, head: &EventHead<'_>, event: IoOperationTest) {
        self.event(head, Event::IoOperationTest(event));
    }

    /// [`IoOperationIssued`]
    #[inline(always)]
    fn io_operation_issued(&mut self, head: &EventHead<'_>, event: IoOperationIssued) {
        self.event(head, Event::IoOperationIssued(event));
    }

    /// [`IoOperationComplete`]
    #[inline(always)]
    fn io_operation_complete(&mut self, head: &EventHead<'_>, event: IoOperationComplete) {
        self.event(head, Event::IoOperationComplete(event));
    }

    /// [`IoOperationCancelled`]
    #[inline(always)]
    fn io_operation_cancelled(&mut self, head: &EventHead<'_>, event: IoOperationCancelled) {
        self.event(head, Event::IoOperationCancelled(event));
    }

    /// [`IoAcquireLock`]
    #[inline(always)]
    fn io_acquire_lock(&mut self, head: &EventHead<'_>, event: IoAcquireLock) {
        self.event(head, Event::IoAcquireLock(event));
    }

    /// [`IoReleaseLock`]
    #[inline(always)]
    fn io_release_lock(&mut self, head: &EventHead<'_>, event: IoReleaseLock) {
        self.event(head, Event::IoReleaseLock(event));
    }

    /// [`IoTryLock`]
    #[inline(always)]
    fn io_try_lock(&mut self, head: &EventHead<'_>, event: IoTryLock) {
        self.event(head, Event::IoTryLock(event));
    }

    /// [`ProgramBegin`]
    #[inline(always)]
    fn program_begin(&mut self, head: &EventHead<'_>, event: ProgramBegin<'_>) {
        self.event(head, Event::ProgramBegin(event));
    }

    /// [`ProgramEnd`]
    #[inline(always)]
    fn program_end(&mut self, head: &EventHead<'_>, event: ProgramEnd) {
        self.event(head, Event::ProgramEnd(event));
    }

    /// [`NonBlockingCollectiveRequest`]
    #[inline(always)]
    fn non_blocking_collective_request(
        &mut self,
        head: &EventHead<'_>,
        event: NonBlockingCollectiveRequest,
    ) {
        self.event(head, Event::NonBlockingCollectiveRequest(event));
    }

    /// [`NonBlockingCollectiveComplete`]
    #[inline(always)]
    fn non_blocking_collective_complete(
        &mut self,
        head: &EventHead<'_>,
        event: NonBlockingCollectiveComplete,
    ) {
        self.event(head, Event::NonBlockingCollectiveComplete(event));
    }

    /// [`CommCreate`]
    #[inline(always)]
    fn comm_create(&mut self, head: &EventHead<'_>, event: CommCreate) {
        self.event(head, Event::CommCreate(event));
    }

    /// [`CommDestroy`]
    #[inline(always)]
    fn comm_destroy(&mut self, head: &EventHead<'_>, event: CommDestroy) {
        self.event(head, Event::CommDestroy(event));
    }
}
