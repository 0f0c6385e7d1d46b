// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of events of access to the memory of others.

use crate::mapping::Mappings;
use crate::payload::Payload;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::MappingType;
use streamfold_model::events;

#[inline]
pub(super) fn put_rma_win_create<O: ByteOrder>(
    record: &events::RmaWinCreate,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.win.0);
}

#[inline]
pub(super) fn copy_rma_win_create<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_rma_win_destroy<O: ByteOrder>(
    record: &events::RmaWinDestroy,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.win.0);
}

#[inline]
pub(super) fn copy_rma_win_destroy<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_rma_collective_begin<O: ByteOrder>(
    _record: &events::RmaCollectiveBegin,
    _to: &mut Payload<'_, O>,
) {
}

#[inline]
pub(super) fn copy_rma_collective_begin<O: ByteOrder, P: ByteOrder>(
    _c: &mut Cursor<'_, O>,
    _to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    Ok(())
}

#[inline]
pub(super) fn put_rma_collective_end<O: ByteOrder>(
    record: &events::RmaCollectiveEnd,
    to: &mut Payload<'_, O>,
) {
    to.u8(record.collective_op.into());
    to.cu32(record.sync_level.into());
    to.cu32(record.win.0);
    to.cu32(record.root);
    to.cu64(record.bytes_sent);
    to.cu64(record.bytes_received);
}

#[inline]
pub(super) fn copy_rma_collective_end<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u8(c.u8()?);
    to.cu32(c.cu32()?);
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_rma_group_sync<O: ByteOrder>(
    record: &events::RmaGroupSync,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.sync_level.into());
    to.cu32(record.win.0);
    to.cu32(record.group.0);
}

#[inline]
pub(super) fn copy_rma_group_sync<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu32(maps.map32(MappingType::Group, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_rma_request_lock<O: ByteOrder>(
    record: &events::RmaRequestLock,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.win.0);
    to.cu32(record.remote);
    to.cu64(record.lock_id);
    to.u8(record.lock_type.into());
}

#[inline]
pub(super) fn copy_rma_request_lock<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    to.u8(c.u8()?);
    Ok(())
}

#[inline]
pub(super) fn put_rma_acquire_lock<O: ByteOrder>(
    record: &events::RmaAcquireLock,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.win.0);
    to.cu32(record.remote);
    to.cu64(record.lock_id);
    to.u8(record.lock_type.into());
}

#[inline]
pub(super) fn copy_rma_acquire_lock<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    to.u8(c.u8()?);
    Ok(())
}

#[inline]
pub(super) fn put_rma_try_lock<O: ByteOrder>(record: &events::RmaTryLock, to: &mut Payload<'_, O>) {
    to.cu32(record.win.0);
    to.cu32(record.remote);
    to.cu64(record.lock_id);
    to.u8(record.lock_type.into());
}

#[inline]
pub(super) fn copy_rma_try_lock<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    to.u8(c.u8()?);
    Ok(())
}

#[inline]
pub(super) fn put_rma_release_lock<O: ByteOrder>(
    record: &events::RmaReleaseLock,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.win.0);
    to.cu32(record.remote);
    to.cu64(record.lock_id);
}

#[inline]
pub(super) fn copy_rma_release_lock<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_rma_sync<O: ByteOrder>(record: &events::RmaSync, to: &mut Payload<'_, O>) {
    to.cu32(record.win.0);
    to.cu32(record.remote);
    to.u8(record.sync_type.into());
}

#[inline]
pub(super) fn copy_rma_sync<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu32(c.cu32()?);
    to.u8(c.u8()?);
    Ok(())
}

#[inline]
pub(super) fn put_rma_wait_change<O: ByteOrder>(
    record: &events::RmaWaitChange,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.win.0);
}

#[inline]
pub(super) fn copy_rma_wait_change<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_rma_put<O: ByteOrder>(record: &events::RmaPut, to: &mut Payload<'_, O>) {
    to.cu32(record.win.0);
    to.cu32(record.remote);
    to.cu64(record.bytes);
    to.cu64(record.matching_id);
}

#[inline]
pub(super) fn copy_rma_put<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_rma_get<O: ByteOrder>(record: &events::RmaGet, to: &mut Payload<'_, O>) {
    to.cu32(record.win.0);
    to.cu32(record.remote);
    to.cu64(record.bytes);
    to.cu64(record.matching_id);
}

#[inline]
pub(super) fn copy_rma_get<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_rma_atomic<O: ByteOrder>(record: &events::RmaAtomic, to: &mut Payload<'_, O>) {
    to.cu32(record.win.0);
    to.cu32(record.remote);
    to.u8(record.atomic_type.into());
    to.cu64(record.bytes_sent);
    to.cu64(record.bytes_received);
    to.cu64(record.matching_id);
}

#[inline]
pub(super) fn copy_rma_atomic<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu32(c.cu32()?);
    to.u8(c.u8()?);
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_rma_op_complete_blocking<O: ByteOrder>(
    record: &events::RmaOpCompleteBlocking,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.win.0);
    to.cu64(record.matching_id);
}

#[inline]
pub(super) fn copy_rma_op_complete_blocking<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_rma_op_complete_non_blocking<O: ByteOrder>(
    record: &events::RmaOpCompleteNonBlocking,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.win.0);
    to.cu64(record.matching_id);
}

#[inline]
pub(super) fn copy_rma_op_complete_non_blocking<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_rma_op_test<O: ByteOrder>(record: &events::RmaOpTest, to: &mut Payload<'_, O>) {
    to.cu32(record.win.0);
    to.cu64(record.matching_id);
}

#[inline]
pub(super) fn copy_rma_op_test<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_rma_op_complete_remote<O: ByteOrder>(
    record: &events::RmaOpCompleteRemote,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.win.0);
    to.cu64(record.matching_id);
}

#[inline]
pub(super) fn copy_rma_op_complete_remote<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::RmaWin, c.cu32()?));
    to.cu64(c.cu64()?);
    Ok(())
}
