// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of events of files.

use crate::mapping::Mappings;
use crate::payload::Payload;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::MappingType;
use streamfold_model::events;

#[inline]
pub(super) fn put_io_create_handle<O: ByteOrder>(
    record: &events::IoCreateHandle,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.handle.0);
    to.u8(record.mode.into());
    to.cu32(record.creation_flags.into());
    to.cu32(record.status_flags.into());
}

#[inline]
pub(super) fn copy_io_create_handle<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    to.u8(c.u8()?);
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    Ok(())
}

#[inline]
pub(super) fn put_io_destroy_handle<O: ByteOrder>(
    record: &events::IoDestroyHandle,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.handle.0);
}

#[inline]
pub(super) fn copy_io_destroy_handle<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_io_duplicate_handle<O: ByteOrder>(
    record: &events::IoDuplicateHandle,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.old_handle.0);
    to.cu32(record.new_handle.0);
    to.cu32(record.status_flags.into());
}

#[inline]
pub(super) fn copy_io_duplicate_handle<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    to.cu32(c.cu32()?);
    Ok(())
}

#[inline]
pub(super) fn put_io_seek<O: ByteOrder>(record: &events::IoSeek, to: &mut Payload<'_, O>) {
    to.cu32(record.handle.0);
    to.ci64(record.offset_request);
    to.u8(record.whence.into());
    to.cu64(record.offset_result);
}

#[inline]
pub(super) fn copy_io_seek<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    to.ci64(c.ci64()?);
    to.u8(c.u8()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_io_change_status_flags<O: ByteOrder>(
    record: &events::IoChangeStatusFlags,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.handle.0);
    to.cu32(record.status_flags.into());
}

#[inline]
pub(super) fn copy_io_change_status_flags<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    to.cu32(c.cu32()?);
    Ok(())
}

#[inline]
pub(super) fn put_io_delete_file<O: ByteOrder>(
    record: &events::IoDeleteFile,
    to: &mut Payload<'_, O>,
) {
    to.u8(record.io_paradigm.0);
    to.cu32(record.file.0);
}

#[inline]
pub(super) fn copy_io_delete_file<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u8(c.u8()?);
    to.cu32(maps.map32(MappingType::IoFile, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_io_operation_begin<O: ByteOrder>(
    record: &events::IoOperationBegin,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.handle.0);
    to.u8(record.mode.into());
    to.cu32(record.operation_flags.into());
    to.cu64(record.bytes_request);
    to.cu64(record.matching_id);
}

#[inline]
pub(super) fn copy_io_operation_begin<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    to.u8(c.u8()?);
    to.cu32(c.cu32()?);
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_io_operation_test<O: ByteOrder>(
    record: &events::IoOperationTest,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.handle.0);
    to.cu64(record.matching_id);
}

#[inline]
pub(super) fn copy_io_operation_test<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_io_operation_issued<O: ByteOrder>(
    record: &events::IoOperationIssued,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.handle.0);
    to.cu64(record.matching_id);
}

#[inline]
pub(super) fn copy_io_operation_issued<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_io_operation_complete<O: ByteOrder>(
    record: &events::IoOperationComplete,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.handle.0);
    to.cu64(record.bytes_result);
    to.cu64(record.matching_id);
}

#[inline]
pub(super) fn copy_io_operation_complete<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_io_operation_cancelled<O: ByteOrder>(
    record: &events::IoOperationCancelled,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.handle.0);
    to.cu64(record.matching_id);
}

#[inline]
pub(super) fn copy_io_operation_cancelled<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_io_acquire_lock<O: ByteOrder>(
    record: &events::IoAcquireLock,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.handle.0);
    to.u8(record.lock_type.into());
}

#[inline]
pub(super) fn copy_io_acquire_lock<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    to.u8(c.u8()?);
    Ok(())
}

#[inline]
pub(super) fn put_io_release_lock<O: ByteOrder>(
    record: &events::IoReleaseLock,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.handle.0);
    to.u8(record.lock_type.into());
}

#[inline]
pub(super) fn copy_io_release_lock<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    to.u8(c.u8()?);
    Ok(())
}

#[inline]
pub(super) fn put_io_try_lock<O: ByteOrder>(record: &events::IoTryLock, to: &mut Payload<'_, O>) {
    to.cu32(record.handle.0);
    to.u8(record.lock_type.into());
}

#[inline]
pub(super) fn copy_io_try_lock<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::IoHandle, c.cu32()?));
    to.u8(c.u8()?);
    Ok(())
}
