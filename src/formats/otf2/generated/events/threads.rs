// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of events of threads, their locks and their tasks.

use crate::mapping::Mappings;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::{MappingType, Paradigm};
use streamfold_model::events;
use streamfold_model::ids::CommRef;

#[inline]
pub(super) fn omp_fork<O: ByteOrder>(c: &Cursor<'_, O>) -> Result<events::OmpFork, WireError> {
    let mut c = *c;
    let number_of_requested_threads = c.cu32()?;
    Ok(events::OmpFork { number_of_requested_threads })
}

#[inline]
pub(super) fn omp_join<O: ByteOrder>(_c: &Cursor<'_, O>) -> Result<events::OmpJoin, WireError> {
    Ok(events::OmpJoin)
}

#[inline]
pub(super) fn omp_acquire_lock<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::OmpAcquireLock, WireError> {
    let mut c = *c;
    let lock_id = c.cu32()?;
    let acquisition_order = c.cu32()?;
    Ok(events::OmpAcquireLock { lock_id, acquisition_order })
}

#[inline]
pub(super) fn omp_release_lock<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::OmpReleaseLock, WireError> {
    let mut c = *c;
    let lock_id = c.cu32()?;
    let acquisition_order = c.cu32()?;
    Ok(events::OmpReleaseLock { lock_id, acquisition_order })
}

#[inline]
pub(super) fn omp_task_create<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::OmpTaskCreate, WireError> {
    let mut c = *c;
    let task_id = c.cu64()?;
    Ok(events::OmpTaskCreate { task_id })
}

#[inline]
pub(super) fn omp_task_switch<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::OmpTaskSwitch, WireError> {
    let mut c = *c;
    let task_id = c.cu64()?;
    Ok(events::OmpTaskSwitch { task_id })
}

#[inline]
pub(super) fn omp_task_complete<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::OmpTaskComplete, WireError> {
    let mut c = *c;
    let task_id = c.cu64()?;
    Ok(events::OmpTaskComplete { task_id })
}

#[inline]
pub(super) fn thread_fork<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::ThreadFork, WireError> {
    let mut c = *c;
    let model = Paradigm::from(c.u8()?);
    let number_of_requested_threads = c.cu32()?;
    Ok(events::ThreadFork { model, number_of_requested_threads })
}

#[inline]
pub(super) fn thread_join<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::ThreadJoin, WireError> {
    let mut c = *c;
    let model = Paradigm::from(c.u8()?);
    Ok(events::ThreadJoin { model })
}

#[inline]
pub(super) fn thread_team_begin<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadTeamBegin, WireError> {
    let mut c = *c;
    let thread_team = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    Ok(events::ThreadTeamBegin { thread_team })
}

#[inline]
pub(super) fn thread_team_end<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadTeamEnd, WireError> {
    let mut c = *c;
    let thread_team = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    Ok(events::ThreadTeamEnd { thread_team })
}

#[inline]
pub(super) fn thread_acquire_lock<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::ThreadAcquireLock, WireError> {
    let mut c = *c;
    let model = Paradigm::from(c.u8()?);
    let lock_id = c.cu32()?;
    let acquisition_order = c.cu32()?;
    Ok(events::ThreadAcquireLock { model, lock_id, acquisition_order })
}

#[inline]
pub(super) fn thread_release_lock<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::ThreadReleaseLock, WireError> {
    let mut c = *c;
    let model = Paradigm::from(c.u8()?);
    let lock_id = c.cu32()?;
    let acquisition_order = c.cu32()?;
    Ok(events::ThreadReleaseLock { model, lock_id, acquisition_order })
}

#[inline]
pub(super) fn thread_task_create<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadTaskCreate, WireError> {
    let mut c = *c;
    let thread_team = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let creating_thread = c.cu32()?;
    let generation_number = c.cu32()?;
    Ok(events::ThreadTaskCreate { thread_team, creating_thread, generation_number })
}

#[inline]
pub(super) fn thread_task_switch<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadTaskSwitch, WireError> {
    let mut c = *c;
    let thread_team = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let creating_thread = c.cu32()?;
    let generation_number = c.cu32()?;
    Ok(events::ThreadTaskSwitch { thread_team, creating_thread, generation_number })
}

#[inline]
pub(super) fn thread_task_complete<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadTaskComplete, WireError> {
    let mut c = *c;
    let thread_team = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let creating_thread = c.cu32()?;
    let generation_number = c.cu32()?;
    Ok(events::ThreadTaskComplete { thread_team, creating_thread, generation_number })
}

#[inline]
pub(super) fn thread_create<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadCreate, WireError> {
    let mut c = *c;
    let thread_contingent = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let sequence_count = c.cu64()?;
    Ok(events::ThreadCreate { thread_contingent, sequence_count })
}

#[inline]
pub(super) fn thread_begin<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadBegin, WireError> {
    let mut c = *c;
    let thread_contingent = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let sequence_count = c.cu64()?;
    Ok(events::ThreadBegin { thread_contingent, sequence_count })
}

#[inline]
pub(super) fn thread_wait<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadWait, WireError> {
    let mut c = *c;
    let thread_contingent = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let sequence_count = c.cu64()?;
    Ok(events::ThreadWait { thread_contingent, sequence_count })
}

#[inline]
pub(super) fn thread_end<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadEnd, WireError> {
    let mut c = *c;
    let thread_contingent = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let sequence_count = c.cu64()?;
    Ok(events::ThreadEnd { thread_contingent, sequence_count })
}
