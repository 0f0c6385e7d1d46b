// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Events of access to the memory of others.

use crate::enums::{CollectiveOp, LockType, RmaAtomicType, RmaSyncLevel, RmaSyncType};
use crate::ids::{GroupRef, RmaWinRef};

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
