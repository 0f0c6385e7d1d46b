// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of events of files.

use crate::mapping::Mappings;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::{
    IoAccessMode, IoCreationFlag, IoOperationFlag, IoOperationMode, IoSeekOption, IoStatusFlag,
    LockType, MappingType,
};
use streamfold_model::events;
use streamfold_model::ids::{IoFileRef, IoHandleRef, IoParadigmRef};

#[inline]
pub(super) fn io_create_handle<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoCreateHandle, WireError> {
    let mut c = *c;
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let mode = IoAccessMode::from(c.u8()?);
    let creation_flags = IoCreationFlag::from(c.cu32()?);
    let status_flags = IoStatusFlag::from(c.cu32()?);
    Ok(events::IoCreateHandle { handle, mode, creation_flags, status_flags })
}

#[inline]
pub(super) fn io_destroy_handle<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoDestroyHandle, WireError> {
    let mut c = *c;
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    Ok(events::IoDestroyHandle { handle })
}

#[inline]
pub(super) fn io_duplicate_handle<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoDuplicateHandle, WireError> {
    let mut c = *c;
    let old_handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let new_handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let status_flags = IoStatusFlag::from(c.cu32()?);
    Ok(events::IoDuplicateHandle { old_handle, new_handle, status_flags })
}

#[inline]
pub(super) fn io_seek<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoSeek, WireError> {
    let mut c = *c;
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let offset_request = c.ci64()?;
    let whence = IoSeekOption::from(c.u8()?);
    let offset_result = c.cu64()?;
    Ok(events::IoSeek { handle, offset_request, whence, offset_result })
}

#[inline]
pub(super) fn io_change_status_flags<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoChangeStatusFlags, WireError> {
    let mut c = *c;
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let status_flags = IoStatusFlag::from(c.cu32()?);
    Ok(events::IoChangeStatusFlags { handle, status_flags })
}

#[inline]
pub(super) fn io_delete_file<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoDeleteFile, WireError> {
    let mut c = *c;
    let io_paradigm = IoParadigmRef(c.u8()?);
    let file = IoFileRef(maps.map32(MappingType::IoFile, c.cu32()?));
    Ok(events::IoDeleteFile { io_paradigm, file })
}

#[inline]
pub(super) fn io_operation_begin<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoOperationBegin, WireError> {
    let mut c = *c;
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let mode = IoOperationMode::from(c.u8()?);
    let operation_flags = IoOperationFlag::from(c.cu32()?);
    let bytes_request = c.cu64()?;
    let matching_id = c.cu64()?;
    Ok(events::IoOperationBegin { handle, mode, operation_flags, bytes_request, matching_id })
}

#[inline]
pub(super) fn io_operation_test<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoOperationTest, WireError> {
    let mut c = *c;
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::IoOperationTest { handle, matching_id })
}

#[inline]
pub(super) fn io_operation_issued<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoOperationIssued, WireError> {
    let mut c = *c;
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::IoOperationIssued { handle, matching_id })
}

#[inline]
pub(super) fn io_operation_complete<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoOperationComplete, WireError> {
    let mut c = *c;
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let bytes_result = c.cu64()?;
    let matching_id = c.cu64()?;
    Ok(events::IoOperationComplete { handle, bytes_result, matching_id })
}

#[inline]
pub(super) fn io_operation_cancelled<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoOperationCancelled, WireError> {
    let mut c = *c;
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::IoOperationCancelled { handle, matching_id })
}

#[inline]
pub(super) fn io_acquire_lock<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoAcquireLock, WireError> {
    let mut c = *c;
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let lock_type = LockType::from(c.u8()?);
    Ok(events::IoAcquireLock { handle, lock_type })
}

#[inline]
pub(super) fn io_release_lock<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoReleaseLock, WireError> {
    let mut c = *c;
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let lock_type = LockType::from(c.u8()?);
    Ok(events::IoReleaseLock { handle, lock_type })
}

#[inline]
pub(super) fn io_try_lock<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoTryLock, WireError> {
    let mut c = *c;
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let lock_type = LockType::from(c.u8()?);
    Ok(events::IoTryLock { handle, lock_type })
}
