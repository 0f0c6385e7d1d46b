// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of events of access to the memory of others.

use crate::mapping::Mappings;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::{
    CollectiveOp, LockType, MappingType, RmaAtomicType, RmaSyncLevel, RmaSyncType,
};
use streamfold_model::events;
use streamfold_model::ids::{GroupRef, RmaWinRef};

#[inline]
pub(super) fn rma_win_create<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaWinCreate, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    Ok(events::RmaWinCreate { win })
}

#[inline]
pub(super) fn rma_win_destroy<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaWinDestroy, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    Ok(events::RmaWinDestroy { win })
}

#[inline]
pub(super) fn rma_collective_begin<O: ByteOrder>(
    _c: &Cursor<'_, O>,
) -> Result<events::RmaCollectiveBegin, WireError> {
    Ok(events::RmaCollectiveBegin)
}

#[inline]
pub(super) fn rma_collective_end<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaCollectiveEnd, WireError> {
    let mut c = *c;
    let collective_op = CollectiveOp::from(c.u8()?);
    let sync_level = RmaSyncLevel::from(c.cu32()?);
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let root = c.cu32()?;
    let bytes_sent = c.cu64()?;
    let bytes_received = c.cu64()?;
    Ok(events::RmaCollectiveEnd {
        collective_op,
        sync_level,
        win,
        root,
        bytes_sent,
        bytes_received,
    })
}

#[inline]
pub(super) fn rma_group_sync<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaGroupSync, WireError> {
    let mut c = *c;
    let sync_level = RmaSyncLevel::from(c.cu32()?);
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let group = GroupRef(maps.map32(MappingType::Group, c.cu32()?));
    Ok(events::RmaGroupSync { sync_level, win, group })
}

#[inline]
pub(super) fn rma_request_lock<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaRequestLock, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let lock_id = c.cu64()?;
    let lock_type = LockType::from(c.u8()?);
    Ok(events::RmaRequestLock { win, remote, lock_id, lock_type })
}

#[inline]
pub(super) fn rma_acquire_lock<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaAcquireLock, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let lock_id = c.cu64()?;
    let lock_type = LockType::from(c.u8()?);
    Ok(events::RmaAcquireLock { win, remote, lock_id, lock_type })
}

#[inline]
pub(super) fn rma_try_lock<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaTryLock, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let lock_id = c.cu64()?;
    let lock_type = LockType::from(c.u8()?);
    Ok(events::RmaTryLock { win, remote, lock_id, lock_type })
}

#[inline]
pub(super) fn rma_release_lock<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaReleaseLock, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let lock_id = c.cu64()?;
    Ok(events::RmaReleaseLock { win, remote, lock_id })
}

#[inline]
pub(super) fn rma_sync<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaSync, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let sync_type = RmaSyncType::from(c.u8()?);
    Ok(events::RmaSync { win, remote, sync_type })
}

#[inline]
pub(super) fn rma_wait_change<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaWaitChange, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    Ok(events::RmaWaitChange { win })
}

#[inline]
pub(super) fn rma_put<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaPut, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let bytes = c.cu64()?;
    let matching_id = c.cu64()?;
    Ok(events::RmaPut { win, remote, bytes, matching_id })
}

#[inline]
pub(super) fn rma_get<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaGet, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let bytes = c.cu64()?;
    let matching_id = c.cu64()?;
    Ok(events::RmaGet { win, remote, bytes, matching_id })
}

#[inline]
pub(super) fn rma_atomic<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaAtomic, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let atomic_type = RmaAtomicType::from(c.u8()?);
    let bytes_sent = c.cu64()?;
    let bytes_received = c.cu64()?;
    let matching_id = c.cu64()?;
    Ok(events::RmaAtomic { win, remote, atomic_type, bytes_sent, bytes_received, matching_id })
}

#[inline]
pub(super) fn rma_op_complete_blocking<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaOpCompleteBlocking, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::RmaOpCompleteBlocking { win, matching_id })
}

#[inline]
pub(super) fn rma_op_complete_non_blocking<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaOpCompleteNonBlocking, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::RmaOpCompleteNonBlocking { win, matching_id })
}

#[inline]
pub(super) fn rma_op_test<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaOpTest, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::RmaOpTest { win, matching_id })
}

#[inline]
pub(super) fn rma_op_complete_remote<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaOpCompleteRemote, WireError> {
    let mut c = *c;
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::RmaOpCompleteRemote { win, matching_id })
}
