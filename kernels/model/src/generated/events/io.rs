// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Events of files.

use crate::enums::{
    IoAccessMode, IoCreationFlag, IoOperationFlag, IoOperationMode, IoSeekOption, IoStatusFlag,
    LockType,
};
use crate::ids::{IoFileRef, IoHandleRef, IoParadigmRef};

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
