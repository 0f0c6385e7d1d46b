// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of events of threads, their locks and their tasks.

use crate::mapping::Mappings;
use crate::payload::Payload;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::MappingType;
use streamfold_model::events;

#[inline]
pub(super) fn put_omp_fork<O: ByteOrder>(record: &events::OmpFork, to: &mut Payload<'_, O>) {
    to.cu32(record.number_of_requested_threads);
}

#[inline]
pub(super) fn copy_omp_fork<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    Ok(())
}

#[inline]
pub(super) fn put_omp_join<O: ByteOrder>(_record: &events::OmpJoin, _to: &mut Payload<'_, O>) {}

#[inline]
pub(super) fn copy_omp_join<O: ByteOrder, P: ByteOrder>(
    _c: &mut Cursor<'_, O>,
    _to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    Ok(())
}

#[inline]
pub(super) fn put_omp_acquire_lock<O: ByteOrder>(
    record: &events::OmpAcquireLock,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.lock_id);
    to.cu32(record.acquisition_order);
}

#[inline]
pub(super) fn copy_omp_acquire_lock<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    Ok(())
}

#[inline]
pub(super) fn put_omp_release_lock<O: ByteOrder>(
    record: &events::OmpReleaseLock,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.lock_id);
    to.cu32(record.acquisition_order);
}

#[inline]
pub(super) fn copy_omp_release_lock<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    Ok(())
}

#[inline]
pub(super) fn put_omp_task_create<O: ByteOrder>(
    record: &events::OmpTaskCreate,
    to: &mut Payload<'_, O>,
) {
    to.cu64(record.task_id);
}

#[inline]
pub(super) fn copy_omp_task_create<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_omp_task_switch<O: ByteOrder>(
    record: &events::OmpTaskSwitch,
    to: &mut Payload<'_, O>,
) {
    to.cu64(record.task_id);
}

#[inline]
pub(super) fn copy_omp_task_switch<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_omp_task_complete<O: ByteOrder>(
    record: &events::OmpTaskComplete,
    to: &mut Payload<'_, O>,
) {
    to.cu64(record.task_id);
}

#[inline]
pub(super) fn copy_omp_task_complete<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_thread_fork<O: ByteOrder>(record: &events::ThreadFork, to: &mut Payload<'_, O>) {
    to.u8(record.model.into());
    to.cu32(record.number_of_requested_threads);
}

#[inline]
pub(super) fn copy_thread_fork<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u8(c.u8()?);
    to.cu32(c.cu32()?);
    Ok(())
}

#[inline]
pub(super) fn put_thread_join<O: ByteOrder>(record: &events::ThreadJoin, to: &mut Payload<'_, O>) {
    to.u8(record.model.into());
}

#[inline]
pub(super) fn copy_thread_join<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u8(c.u8()?);
    Ok(())
}

#[inline]
pub(super) fn put_thread_team_begin<O: ByteOrder>(
    record: &events::ThreadTeamBegin,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.thread_team.0);
}

#[inline]
pub(super) fn copy_thread_team_begin<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_thread_team_end<O: ByteOrder>(
    record: &events::ThreadTeamEnd,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.thread_team.0);
}

#[inline]
pub(super) fn copy_thread_team_end<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_thread_acquire_lock<O: ByteOrder>(
    record: &events::ThreadAcquireLock,
    to: &mut Payload<'_, O>,
) {
    to.u8(record.model.into());
    to.cu32(record.lock_id);
    to.cu32(record.acquisition_order);
}

#[inline]
pub(super) fn copy_thread_acquire_lock<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u8(c.u8()?);
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    Ok(())
}

#[inline]
pub(super) fn put_thread_release_lock<O: ByteOrder>(
    record: &events::ThreadReleaseLock,
    to: &mut Payload<'_, O>,
) {
    to.u8(record.model.into());
    to.cu32(record.lock_id);
    to.cu32(record.acquisition_order);
}

#[inline]
pub(super) fn copy_thread_release_lock<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u8(c.u8()?);
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    Ok(())
}

#[inline]
pub(super) fn put_thread_task_create<O: ByteOrder>(
    record: &events::ThreadTaskCreate,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.thread_team.0);
    to.cu32(record.creating_thread);
    to.cu32(record.generation_number);
}

#[inline]
pub(super) fn copy_thread_task_create<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    Ok(())
}

#[inline]
pub(super) fn put_thread_task_switch<O: ByteOrder>(
    record: &events::ThreadTaskSwitch,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.thread_team.0);
    to.cu32(record.creating_thread);
    to.cu32(record.generation_number);
}

#[inline]
pub(super) fn copy_thread_task_switch<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    Ok(())
}

#[inline]
pub(super) fn put_thread_task_complete<O: ByteOrder>(
    record: &events::ThreadTaskComplete,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.thread_team.0);
    to.cu32(record.creating_thread);
    to.cu32(record.generation_number);
}

#[inline]
pub(super) fn copy_thread_task_complete<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    Ok(())
}

#[inline]
pub(super) fn put_thread_create<O: ByteOrder>(
    record: &events::ThreadCreate,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.thread_contingent.0);
    to.cu64(record.sequence_count);
}

#[inline]
pub(super) fn copy_thread_create<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_thread_begin<O: ByteOrder>(
    record: &events::ThreadBegin,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.thread_contingent.0);
    to.cu64(record.sequence_count);
}

#[inline]
pub(super) fn copy_thread_begin<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_thread_wait<O: ByteOrder>(record: &events::ThreadWait, to: &mut Payload<'_, O>) {
    to.cu32(record.thread_contingent.0);
    to.cu64(record.sequence_count);
}

#[inline]
pub(super) fn copy_thread_wait<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_thread_end<O: ByteOrder>(record: &events::ThreadEnd, to: &mut Payload<'_, O>) {
    to.cu32(record.thread_contingent.0);
    to.cu64(record.sequence_count);
}

#[inline]
pub(super) fn copy_thread_end<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Comm, c.cu32()?));
    to.cu64(c.cu64()?);
    Ok(())
}
