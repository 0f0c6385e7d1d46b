// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of the event records, section 14 of the format.

use crate::formats::otf2::clock::Stamps;
use crate::formats::otf2::mapping::Mappings;
use crate::formats::otf2::records::Scratch;
use crate::formats::otf2::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::{
    CollectiveOp, IoAccessMode, IoCreationFlag, IoOperationFlag, IoOperationMode, IoSeekOption,
    IoStatusFlag, LockType, MappingType, MeasurementMode, Paradigm, RmaAtomicType, RmaSyncLevel,
    RmaSyncType, Type,
};
use streamfold_model::events;
use streamfold_model::events::{EventKind, EventVisitor};
use streamfold_model::ids::{
    CallingContextRef, CommRef, GroupRef, InterruptGeneratorRef, IoFileRef, IoHandleRef,
    IoParadigmRef, MetricRef, ParameterRef, RegionRef, RmaWinRef, StringRef,
};
use streamfold_model::stream::EventHead;
use streamfold_model::values::{Ticks, TypedValue};

#[inline]
pub(super) fn buffer_flush<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    stamps: &mut Stamps,
) -> Result<events::BufferFlush, WireError> {
    let stop_time = stamps.correct(Ticks(c.u64()?));
    Ok(events::BufferFlush { stop_time })
}

#[inline]
pub(super) fn measurement_on_off<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::MeasurementOnOff, WireError> {
    let measurement_mode = MeasurementMode::from(c.u8()?);
    Ok(events::MeasurementOnOff { measurement_mode })
}

#[inline]
pub(super) fn enter<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::Enter, WireError> {
    let region = RegionRef(maps.map32(MappingType::Region, c.cu32()?));
    Ok(events::Enter { region })
}

#[inline]
pub(super) fn leave<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::Leave, WireError> {
    let region = RegionRef(maps.map32(MappingType::Region, c.cu32()?));
    Ok(events::Leave { region })
}

#[inline]
pub(super) fn mpi_send<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::MpiSend, WireError> {
    let receiver = c.cu32()?;
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let msg_tag = c.cu32()?;
    let msg_length = c.cu64()?;
    Ok(events::MpiSend { receiver, communicator, msg_tag, msg_length })
}

#[inline]
pub(super) fn mpi_isend<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::MpiIsend, WireError> {
    let receiver = c.cu32()?;
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let msg_tag = c.cu32()?;
    let msg_length = c.cu64()?;
    let request_id = c.cu64()?;
    Ok(events::MpiIsend { receiver, communicator, msg_tag, msg_length, request_id })
}

#[inline]
pub(super) fn mpi_isend_complete<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::MpiIsendComplete, WireError> {
    let request_id = c.cu64()?;
    Ok(events::MpiIsendComplete { request_id })
}

#[inline]
pub(super) fn mpi_irecv_request<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::MpiIrecvRequest, WireError> {
    let request_id = c.cu64()?;
    Ok(events::MpiIrecvRequest { request_id })
}

#[inline]
pub(super) fn mpi_recv<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::MpiRecv, WireError> {
    let sender = c.cu32()?;
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let msg_tag = c.cu32()?;
    let msg_length = c.cu64()?;
    Ok(events::MpiRecv { sender, communicator, msg_tag, msg_length })
}

#[inline]
pub(super) fn mpi_irecv<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::MpiIrecv, WireError> {
    let sender = c.cu32()?;
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let msg_tag = c.cu32()?;
    let msg_length = c.cu64()?;
    let request_id = c.cu64()?;
    Ok(events::MpiIrecv { sender, communicator, msg_tag, msg_length, request_id })
}

#[inline]
pub(super) fn mpi_request_test<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::MpiRequestTest, WireError> {
    let request_id = c.cu64()?;
    Ok(events::MpiRequestTest { request_id })
}

#[inline]
pub(super) fn mpi_request_cancelled<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::MpiRequestCancelled, WireError> {
    let request_id = c.cu64()?;
    Ok(events::MpiRequestCancelled { request_id })
}

#[inline]
pub(super) fn mpi_collective_begin<O: ByteOrder>(
    _c: &mut Cursor<'_, O>,
) -> Result<events::MpiCollectiveBegin, WireError> {
    Ok(events::MpiCollectiveBegin)
}

#[inline]
pub(super) fn mpi_collective_end<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::MpiCollectiveEnd, WireError> {
    let collective_op = CollectiveOp::from(c.u8()?);
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let root = c.cu32()?;
    let size_sent = c.cu64()?;
    let size_received = c.cu64()?;
    Ok(events::MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received })
}

#[inline]
pub(super) fn omp_fork<O: ByteOrder>(c: &mut Cursor<'_, O>) -> Result<events::OmpFork, WireError> {
    let number_of_requested_threads = c.cu32()?;
    Ok(events::OmpFork { number_of_requested_threads })
}

#[inline]
pub(super) fn omp_join<O: ByteOrder>(_c: &mut Cursor<'_, O>) -> Result<events::OmpJoin, WireError> {
    Ok(events::OmpJoin)
}

#[inline]
pub(super) fn omp_acquire_lock<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::OmpAcquireLock, WireError> {
    let lock_id = c.cu32()?;
    let acquisition_order = c.cu32()?;
    Ok(events::OmpAcquireLock { lock_id, acquisition_order })
}

#[inline]
pub(super) fn omp_release_lock<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::OmpReleaseLock, WireError> {
    let lock_id = c.cu32()?;
    let acquisition_order = c.cu32()?;
    Ok(events::OmpReleaseLock { lock_id, acquisition_order })
}

#[inline]
pub(super) fn omp_task_create<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::OmpTaskCreate, WireError> {
    let task_id = c.cu64()?;
    Ok(events::OmpTaskCreate { task_id })
}

#[inline]
pub(super) fn omp_task_switch<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::OmpTaskSwitch, WireError> {
    let task_id = c.cu64()?;
    Ok(events::OmpTaskSwitch { task_id })
}

#[inline]
pub(super) fn omp_task_complete<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::OmpTaskComplete, WireError> {
    let task_id = c.cu64()?;
    Ok(events::OmpTaskComplete { task_id })
}

#[inline]
pub(super) fn metric<'s, O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    scratch: &'s mut Scratch,
) -> Result<events::Metric<'s>, WireError> {
    let metric = MetricRef(maps.map32(MappingType::Metric, c.cu32()?));
    let number_of_metrics = c.u8()?;
    let number_of_metrics = c.count(number_of_metrics, 2)?;
    scratch.values.clear();
    for _ in 0..number_of_metrics {
        let item = TypedValue { value_type: Type::from(c.u8()?), bits: c.cu64()? };
        scratch.values.push(item);
    }
    let values = scratch.values.as_slice();
    Ok(events::Metric { metric, values })
}

#[inline]
pub(super) fn parameter_string<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ParameterString, WireError> {
    let parameter = ParameterRef(maps.map32(MappingType::Parameter, c.cu32()?));
    let string = StringRef(maps.map32(MappingType::String, c.cu32()?));
    Ok(events::ParameterString { parameter, string })
}

#[inline]
pub(super) fn parameter_int<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ParameterInt, WireError> {
    let parameter = ParameterRef(maps.map32(MappingType::Parameter, c.cu32()?));
    let value = c.ci64()?;
    Ok(events::ParameterInt { parameter, value })
}

#[inline]
pub(super) fn parameter_unsigned_int<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ParameterUnsignedInt, WireError> {
    let parameter = ParameterRef(maps.map32(MappingType::Parameter, c.cu32()?));
    let value = c.cu64()?;
    Ok(events::ParameterUnsignedInt { parameter, value })
}

#[inline]
pub(super) fn rma_win_create<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaWinCreate, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    Ok(events::RmaWinCreate { win })
}

#[inline]
pub(super) fn rma_win_destroy<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaWinDestroy, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    Ok(events::RmaWinDestroy { win })
}

#[inline]
pub(super) fn rma_collective_begin<O: ByteOrder>(
    _c: &mut Cursor<'_, O>,
) -> Result<events::RmaCollectiveBegin, WireError> {
    Ok(events::RmaCollectiveBegin)
}

#[inline]
pub(super) fn rma_collective_end<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaCollectiveEnd, WireError> {
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
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaGroupSync, WireError> {
    let sync_level = RmaSyncLevel::from(c.cu32()?);
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let group = GroupRef(maps.map32(MappingType::Group, c.cu32()?));
    Ok(events::RmaGroupSync { sync_level, win, group })
}

#[inline]
pub(super) fn rma_request_lock<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaRequestLock, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let lock_id = c.cu64()?;
    let lock_type = LockType::from(c.u8()?);
    Ok(events::RmaRequestLock { win, remote, lock_id, lock_type })
}

#[inline]
pub(super) fn rma_acquire_lock<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaAcquireLock, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let lock_id = c.cu64()?;
    let lock_type = LockType::from(c.u8()?);
    Ok(events::RmaAcquireLock { win, remote, lock_id, lock_type })
}

#[inline]
pub(super) fn rma_try_lock<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaTryLock, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let lock_id = c.cu64()?;
    let lock_type = LockType::from(c.u8()?);
    Ok(events::RmaTryLock { win, remote, lock_id, lock_type })
}

#[inline]
pub(super) fn rma_release_lock<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaReleaseLock, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let lock_id = c.cu64()?;
    Ok(events::RmaReleaseLock { win, remote, lock_id })
}

#[inline]
pub(super) fn rma_sync<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaSync, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let sync_type = RmaSyncType::from(c.u8()?);
    Ok(events::RmaSync { win, remote, sync_type })
}

#[inline]
pub(super) fn rma_wait_change<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaWaitChange, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    Ok(events::RmaWaitChange { win })
}

#[inline]
pub(super) fn rma_put<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaPut, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let bytes = c.cu64()?;
    let matching_id = c.cu64()?;
    Ok(events::RmaPut { win, remote, bytes, matching_id })
}

#[inline]
pub(super) fn rma_get<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaGet, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let remote = c.cu32()?;
    let bytes = c.cu64()?;
    let matching_id = c.cu64()?;
    Ok(events::RmaGet { win, remote, bytes, matching_id })
}

#[inline]
pub(super) fn rma_atomic<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaAtomic, WireError> {
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
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaOpCompleteBlocking, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::RmaOpCompleteBlocking { win, matching_id })
}

#[inline]
pub(super) fn rma_op_complete_non_blocking<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaOpCompleteNonBlocking, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::RmaOpCompleteNonBlocking { win, matching_id })
}

#[inline]
pub(super) fn rma_op_test<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaOpTest, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::RmaOpTest { win, matching_id })
}

#[inline]
pub(super) fn rma_op_complete_remote<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::RmaOpCompleteRemote, WireError> {
    let win = RmaWinRef(maps.map32(MappingType::RmaWin, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::RmaOpCompleteRemote { win, matching_id })
}

#[inline]
pub(super) fn thread_fork<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::ThreadFork, WireError> {
    let model = Paradigm::from(c.u8()?);
    let number_of_requested_threads = c.cu32()?;
    Ok(events::ThreadFork { model, number_of_requested_threads })
}

#[inline]
pub(super) fn thread_join<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::ThreadJoin, WireError> {
    let model = Paradigm::from(c.u8()?);
    Ok(events::ThreadJoin { model })
}

#[inline]
pub(super) fn thread_team_begin<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadTeamBegin, WireError> {
    let thread_team = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    Ok(events::ThreadTeamBegin { thread_team })
}

#[inline]
pub(super) fn thread_team_end<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadTeamEnd, WireError> {
    let thread_team = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    Ok(events::ThreadTeamEnd { thread_team })
}

#[inline]
pub(super) fn thread_acquire_lock<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::ThreadAcquireLock, WireError> {
    let model = Paradigm::from(c.u8()?);
    let lock_id = c.cu32()?;
    let acquisition_order = c.cu32()?;
    Ok(events::ThreadAcquireLock { model, lock_id, acquisition_order })
}

#[inline]
pub(super) fn thread_release_lock<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::ThreadReleaseLock, WireError> {
    let model = Paradigm::from(c.u8()?);
    let lock_id = c.cu32()?;
    let acquisition_order = c.cu32()?;
    Ok(events::ThreadReleaseLock { model, lock_id, acquisition_order })
}

#[inline]
pub(super) fn thread_task_create<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadTaskCreate, WireError> {
    let thread_team = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let creating_thread = c.cu32()?;
    let generation_number = c.cu32()?;
    Ok(events::ThreadTaskCreate { thread_team, creating_thread, generation_number })
}

#[inline]
pub(super) fn thread_task_switch<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadTaskSwitch, WireError> {
    let thread_team = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let creating_thread = c.cu32()?;
    let generation_number = c.cu32()?;
    Ok(events::ThreadTaskSwitch { thread_team, creating_thread, generation_number })
}

#[inline]
pub(super) fn thread_task_complete<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadTaskComplete, WireError> {
    let thread_team = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let creating_thread = c.cu32()?;
    let generation_number = c.cu32()?;
    Ok(events::ThreadTaskComplete { thread_team, creating_thread, generation_number })
}

#[inline]
pub(super) fn thread_create<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadCreate, WireError> {
    let thread_contingent = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let sequence_count = c.cu64()?;
    Ok(events::ThreadCreate { thread_contingent, sequence_count })
}

#[inline]
pub(super) fn thread_begin<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadBegin, WireError> {
    let thread_contingent = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let sequence_count = c.cu64()?;
    Ok(events::ThreadBegin { thread_contingent, sequence_count })
}

#[inline]
pub(super) fn thread_wait<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadWait, WireError> {
    let thread_contingent = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let sequence_count = c.cu64()?;
    Ok(events::ThreadWait { thread_contingent, sequence_count })
}

#[inline]
pub(super) fn thread_end<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ThreadEnd, WireError> {
    let thread_contingent = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let sequence_count = c.cu64()?;
    Ok(events::ThreadEnd { thread_contingent, sequence_count })
}

#[inline]
pub(super) fn calling_context_enter<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::CallingContextEnter, WireError> {
    let calling_context = CallingContextRef(maps.map32(MappingType::CallingContext, c.cu32()?));
    let unwind_distance = c.cu32()?;
    Ok(events::CallingContextEnter { calling_context, unwind_distance })
}

#[inline]
pub(super) fn calling_context_leave<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::CallingContextLeave, WireError> {
    let calling_context = CallingContextRef(maps.map32(MappingType::CallingContext, c.cu32()?));
    Ok(events::CallingContextLeave { calling_context })
}

#[inline]
pub(super) fn calling_context_sample<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::CallingContextSample, WireError> {
    let calling_context = CallingContextRef(maps.map32(MappingType::CallingContext, c.cu32()?));
    let unwind_distance = c.cu32()?;
    let interrupt_generator =
        InterruptGeneratorRef(maps.map32(MappingType::InterruptGenerator, c.cu32()?));
    Ok(events::CallingContextSample { calling_context, unwind_distance, interrupt_generator })
}

#[inline]
pub(super) fn io_create_handle<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoCreateHandle, WireError> {
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let mode = IoAccessMode::from(c.u8()?);
    let creation_flags = IoCreationFlag::from(c.cu32()?);
    let status_flags = IoStatusFlag::from(c.cu32()?);
    Ok(events::IoCreateHandle { handle, mode, creation_flags, status_flags })
}

#[inline]
pub(super) fn io_destroy_handle<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoDestroyHandle, WireError> {
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    Ok(events::IoDestroyHandle { handle })
}

#[inline]
pub(super) fn io_duplicate_handle<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoDuplicateHandle, WireError> {
    let old_handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let new_handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let status_flags = IoStatusFlag::from(c.cu32()?);
    Ok(events::IoDuplicateHandle { old_handle, new_handle, status_flags })
}

#[inline]
pub(super) fn io_seek<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoSeek, WireError> {
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let offset_request = c.ci64()?;
    let whence = IoSeekOption::from(c.u8()?);
    let offset_result = c.cu64()?;
    Ok(events::IoSeek { handle, offset_request, whence, offset_result })
}

#[inline]
pub(super) fn io_change_status_flags<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoChangeStatusFlags, WireError> {
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let status_flags = IoStatusFlag::from(c.cu32()?);
    Ok(events::IoChangeStatusFlags { handle, status_flags })
}

#[inline]
pub(super) fn io_delete_file<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoDeleteFile, WireError> {
    let io_paradigm = IoParadigmRef(c.u8()?);
    let file = IoFileRef(maps.map32(MappingType::IoFile, c.cu32()?));
    Ok(events::IoDeleteFile { io_paradigm, file })
}

#[inline]
pub(super) fn io_operation_begin<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoOperationBegin, WireError> {
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let mode = IoOperationMode::from(c.u8()?);
    let operation_flags = IoOperationFlag::from(c.cu32()?);
    let bytes_request = c.cu64()?;
    let matching_id = c.cu64()?;
    Ok(events::IoOperationBegin { handle, mode, operation_flags, bytes_request, matching_id })
}

#[inline]
pub(super) fn io_operation_test<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoOperationTest, WireError> {
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::IoOperationTest { handle, matching_id })
}

#[inline]
pub(super) fn io_operation_issued<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoOperationIssued, WireError> {
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::IoOperationIssued { handle, matching_id })
}

#[inline]
pub(super) fn io_operation_complete<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoOperationComplete, WireError> {
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let bytes_result = c.cu64()?;
    let matching_id = c.cu64()?;
    Ok(events::IoOperationComplete { handle, bytes_result, matching_id })
}

#[inline]
pub(super) fn io_operation_cancelled<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoOperationCancelled, WireError> {
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let matching_id = c.cu64()?;
    Ok(events::IoOperationCancelled { handle, matching_id })
}

#[inline]
pub(super) fn io_acquire_lock<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoAcquireLock, WireError> {
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let lock_type = LockType::from(c.u8()?);
    Ok(events::IoAcquireLock { handle, lock_type })
}

#[inline]
pub(super) fn io_release_lock<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoReleaseLock, WireError> {
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let lock_type = LockType::from(c.u8()?);
    Ok(events::IoReleaseLock { handle, lock_type })
}

#[inline]
pub(super) fn io_try_lock<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::IoTryLock, WireError> {
    let handle = IoHandleRef(maps.map32(MappingType::IoHandle, c.cu32()?));
    let lock_type = LockType::from(c.u8()?);
    Ok(events::IoTryLock { handle, lock_type })
}

#[inline]
pub(super) fn program_begin<'s, O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    scratch: &'s mut Scratch,
) -> Result<events::ProgramBegin<'s>, WireError> {
    let program_name = StringRef(maps.map32(MappingType::String, c.cu32()?));
    let number_of_arguments = c.cu32()?;
    let number_of_arguments = c.count(number_of_arguments, 1)?;
    scratch.strings.clear();
    for _ in 0..number_of_arguments {
        let item = StringRef(maps.map32(MappingType::String, c.cu32()?));
        scratch.strings.push(item);
    }
    let program_arguments = scratch.strings.as_slice();
    Ok(events::ProgramBegin { program_name, program_arguments })
}

#[inline]
pub(super) fn program_end<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::ProgramEnd, WireError> {
    let exit_status = c.ci64()?;
    Ok(events::ProgramEnd { exit_status })
}

#[inline]
pub(super) fn non_blocking_collective_request<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<events::NonBlockingCollectiveRequest, WireError> {
    let request_id = c.cu64()?;
    Ok(events::NonBlockingCollectiveRequest { request_id })
}

#[inline]
pub(super) fn non_blocking_collective_complete<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::NonBlockingCollectiveComplete, WireError> {
    let collective_op = CollectiveOp::from(c.u8()?);
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    let root = c.cu32()?;
    let size_sent = c.cu64()?;
    let size_received = c.cu64()?;
    let request_id = c.cu64()?;
    Ok(events::NonBlockingCollectiveComplete {
        collective_op,
        communicator,
        root,
        size_sent,
        size_received,
        request_id,
    })
}

#[inline]
pub(super) fn comm_create<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::CommCreate, WireError> {
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    Ok(events::CommCreate { communicator })
}

#[inline]
pub(super) fn comm_destroy<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::CommDestroy, WireError> {
    let communicator = CommRef(maps.map32(MappingType::Comm, c.cu32()?));
    Ok(events::CommDestroy { communicator })
}

/// The number on disk of each kind, section 14.
pub const EVENT_IDS: [(u8, EventKind); 79] = [
    (10, EventKind::BufferFlush),
    (11, EventKind::MeasurementOnOff),
    (12, EventKind::Enter),
    (13, EventKind::Leave),
    (14, EventKind::MpiSend),
    (15, EventKind::MpiIsend),
    (16, EventKind::MpiIsendComplete),
    (17, EventKind::MpiIrecvRequest),
    (18, EventKind::MpiRecv),
    (19, EventKind::MpiIrecv),
    (20, EventKind::MpiRequestTest),
    (21, EventKind::MpiRequestCancelled),
    (22, EventKind::MpiCollectiveBegin),
    (23, EventKind::MpiCollectiveEnd),
    (24, EventKind::OmpFork),
    (25, EventKind::OmpJoin),
    (26, EventKind::OmpAcquireLock),
    (27, EventKind::OmpReleaseLock),
    (28, EventKind::OmpTaskCreate),
    (29, EventKind::OmpTaskSwitch),
    (30, EventKind::OmpTaskComplete),
    (31, EventKind::Metric),
    (32, EventKind::ParameterString),
    (33, EventKind::ParameterInt),
    (34, EventKind::ParameterUnsignedInt),
    (35, EventKind::RmaWinCreate),
    (36, EventKind::RmaWinDestroy),
    (37, EventKind::RmaCollectiveBegin),
    (38, EventKind::RmaCollectiveEnd),
    (39, EventKind::RmaGroupSync),
    (40, EventKind::RmaRequestLock),
    (41, EventKind::RmaAcquireLock),
    (42, EventKind::RmaTryLock),
    (43, EventKind::RmaReleaseLock),
    (44, EventKind::RmaSync),
    (45, EventKind::RmaWaitChange),
    (46, EventKind::RmaPut),
    (47, EventKind::RmaGet),
    (48, EventKind::RmaAtomic),
    (49, EventKind::RmaOpCompleteBlocking),
    (50, EventKind::RmaOpCompleteNonBlocking),
    (51, EventKind::RmaOpTest),
    (52, EventKind::RmaOpCompleteRemote),
    (53, EventKind::ThreadFork),
    (54, EventKind::ThreadJoin),
    (55, EventKind::ThreadTeamBegin),
    (56, EventKind::ThreadTeamEnd),
    (57, EventKind::ThreadAcquireLock),
    (58, EventKind::ThreadReleaseLock),
    (59, EventKind::ThreadTaskCreate),
    (60, EventKind::ThreadTaskSwitch),
    (61, EventKind::ThreadTaskComplete),
    (62, EventKind::ThreadCreate),
    (63, EventKind::ThreadBegin),
    (64, EventKind::ThreadWait),
    (65, EventKind::ThreadEnd),
    (66, EventKind::CallingContextEnter),
    (67, EventKind::CallingContextLeave),
    (68, EventKind::CallingContextSample),
    (69, EventKind::IoCreateHandle),
    (70, EventKind::IoDestroyHandle),
    (71, EventKind::IoDuplicateHandle),
    (72, EventKind::IoSeek),
    (73, EventKind::IoChangeStatusFlags),
    (74, EventKind::IoDeleteFile),
    (75, EventKind::IoOperationBegin),
    (76, EventKind::IoOperationTest),
    (77, EventKind::IoOperationIssued),
    (78, EventKind::IoOperationComplete),
    (79, EventKind::IoOperationCancelled),
    (80, EventKind::IoAcquireLock),
    (81, EventKind::IoReleaseLock),
    (82, EventKind::IoTryLock),
    (83, EventKind::ProgramBegin),
    (84, EventKind::ProgramEnd),
    (85, EventKind::NonBlockingCollectiveRequest),
    (86, EventKind::NonBlockingCollectiveComplete),
    (87, EventKind::CommCreate),
    (88, EventKind::CommDestroy),
];

/// The width in bytes of the one compressed integer that a record without a length holds, section
/// 5.2; `None`: the record has a length.
pub const fn bare_width(id: u8) -> Option<u8> {
    match id {
        12 | 13 | 24 => Some(4),
        16 | 17 | 20 | 21 | 28..=30 => Some(8),
        _ => None,
    }
}

/// Decodes the payload of the record `id` and hands the event to the visitor. Kinds that the
/// visitor does not want are not decoded. `false`: the id is not known.
#[inline(always)]
pub(in crate::formats::otf2) fn deliver<V: EventVisitor, O: ByteOrder>(
    id: u8,
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    stamps: &mut Stamps,
    scratch: &mut Scratch,
    head: &EventHead<'_>,
    visitor: &mut V,
) -> Result<bool, WireError> {
    match id {
        10 => {
            if V::WANTS.contains(EventKind::BufferFlush) {
                visitor.buffer_flush(head, buffer_flush(c, stamps)?);
            }
        }
        11 => {
            if V::WANTS.contains(EventKind::MeasurementOnOff) {
                visitor.measurement_on_off(head, measurement_on_off(c)?);
            }
        }
        12 => {
            if V::WANTS.contains(EventKind::Enter) {
                visitor.enter(head, enter(c, maps)?);
            }
        }
        13 => {
            if V::WANTS.contains(EventKind::Leave) {
                visitor.leave(head, leave(c, maps)?);
            }
        }
        14 => {
            if V::WANTS.contains(EventKind::MpiSend) {
                visitor.mpi_send(head, mpi_send(c, maps)?);
            }
        }
        15 => {
            if V::WANTS.contains(EventKind::MpiIsend) {
                visitor.mpi_isend(head, mpi_isend(c, maps)?);
            }
        }
        16 => {
            if V::WANTS.contains(EventKind::MpiIsendComplete) {
                visitor.mpi_isend_complete(head, mpi_isend_complete(c)?);
            }
        }
        17 => {
            if V::WANTS.contains(EventKind::MpiIrecvRequest) {
                visitor.mpi_irecv_request(head, mpi_irecv_request(c)?);
            }
        }
        18 => {
            if V::WANTS.contains(EventKind::MpiRecv) {
                visitor.mpi_recv(head, mpi_recv(c, maps)?);
            }
        }
        19 => {
            if V::WANTS.contains(EventKind::MpiIrecv) {
                visitor.mpi_irecv(head, mpi_irecv(c, maps)?);
            }
        }
        20 => {
            if V::WANTS.contains(EventKind::MpiRequestTest) {
                visitor.mpi_request_test(head, mpi_request_test(c)?);
            }
        }
        21 => {
            if V::WANTS.contains(EventKind::MpiRequestCancelled) {
                visitor.mpi_request_cancelled(head, mpi_request_cancelled(c)?);
            }
        }
        22 => {
            if V::WANTS.contains(EventKind::MpiCollectiveBegin) {
                visitor.mpi_collective_begin(head, mpi_collective_begin(c)?);
            }
        }
        23 => {
            if V::WANTS.contains(EventKind::MpiCollectiveEnd) {
                visitor.mpi_collective_end(head, mpi_collective_end(c, maps)?);
            }
        }
        24 => {
            if V::WANTS.contains(EventKind::OmpFork) {
                visitor.omp_fork(head, omp_fork(c)?);
            }
        }
        25 => {
            if V::WANTS.contains(EventKind::OmpJoin) {
                visitor.omp_join(head, omp_join(c)?);
            }
        }
        26 => {
            if V::WANTS.contains(EventKind::OmpAcquireLock) {
                visitor.omp_acquire_lock(head, omp_acquire_lock(c)?);
            }
        }
        27 => {
            if V::WANTS.contains(EventKind::OmpReleaseLock) {
                visitor.omp_release_lock(head, omp_release_lock(c)?);
            }
        }
        28 => {
            if V::WANTS.contains(EventKind::OmpTaskCreate) {
                visitor.omp_task_create(head, omp_task_create(c)?);
            }
        }
        29 => {
            if V::WANTS.contains(EventKind::OmpTaskSwitch) {
                visitor.omp_task_switch(head, omp_task_switch(c)?);
            }
        }
        30 => {
            if V::WANTS.contains(EventKind::OmpTaskComplete) {
                visitor.omp_task_complete(head, omp_task_complete(c)?);
            }
        }
        31 => {
            if V::WANTS.contains(EventKind::Metric) {
                visitor.metric(head, metric(c, maps, scratch)?);
            }
        }
        32 => {
            if V::WANTS.contains(EventKind::ParameterString) {
                visitor.parameter_string(head, parameter_string(c, maps)?);
            }
        }
        33 => {
            if V::WANTS.contains(EventKind::ParameterInt) {
                visitor.parameter_int(head, parameter_int(c, maps)?);
            }
        }
        34 => {
            if V::WANTS.contains(EventKind::ParameterUnsignedInt) {
                visitor.parameter_unsigned_int(head, parameter_unsigned_int(c, maps)?);
            }
        }
        35 => {
            if V::WANTS.contains(EventKind::RmaWinCreate) {
                visitor.rma_win_create(head, rma_win_create(c, maps)?);
            }
        }
        36 => {
            if V::WANTS.contains(EventKind::RmaWinDestroy) {
                visitor.rma_win_destroy(head, rma_win_destroy(c, maps)?);
            }
        }
        37 => {
            if V::WANTS.contains(EventKind::RmaCollectiveBegin) {
                visitor.rma_collective_begin(head, rma_collective_begin(c)?);
            }
        }
        38 => {
            if V::WANTS.contains(EventKind::RmaCollectiveEnd) {
                visitor.rma_collective_end(head, rma_collective_end(c, maps)?);
            }
        }
        39 => {
            if V::WANTS.contains(EventKind::RmaGroupSync) {
                visitor.rma_group_sync(head, rma_group_sync(c, maps)?);
            }
        }
        40 => {
            if V::WANTS.contains(EventKind::RmaRequestLock) {
                visitor.rma_request_lock(head, rma_request_lock(c, maps)?);
            }
        }
        41 => {
            if V::WANTS.contains(EventKind::RmaAcquireLock) {
                visitor.rma_acquire_lock(head, rma_acquire_lock(c, maps)?);
            }
        }
        42 => {
            if V::WANTS.contains(EventKind::RmaTryLock) {
                visitor.rma_try_lock(head, rma_try_lock(c, maps)?);
            }
        }
        43 => {
            if V::WANTS.contains(EventKind::RmaReleaseLock) {
                visitor.rma_release_lock(head, rma_release_lock(c, maps)?);
            }
        }
        44 => {
            if V::WANTS.contains(EventKind::RmaSync) {
                visitor.rma_sync(head, rma_sync(c, maps)?);
            }
        }
        45 => {
            if V::WANTS.contains(EventKind::RmaWaitChange) {
                visitor.rma_wait_change(head, rma_wait_change(c, maps)?);
            }
        }
        46 => {
            if V::WANTS.contains(EventKind::RmaPut) {
                visitor.rma_put(head, rma_put(c, maps)?);
            }
        }
        47 => {
            if V::WANTS.contains(EventKind::RmaGet) {
                visitor.rma_get(head, rma_get(c, maps)?);
            }
        }
        48 => {
            if V::WANTS.contains(EventKind::RmaAtomic) {
                visitor.rma_atomic(head, rma_atomic(c, maps)?);
            }
        }
        49 => {
            if V::WANTS.contains(EventKind::RmaOpCompleteBlocking) {
                visitor.rma_op_complete_blocking(head, rma_op_complete_blocking(c, maps)?);
            }
        }
        50 => {
            if V::WANTS.contains(EventKind::RmaOpCompleteNonBlocking) {
                visitor.rma_op_complete_non_blocking(head, rma_op_complete_non_blocking(c, maps)?);
            }
        }
        51 => {
            if V::WANTS.contains(EventKind::RmaOpTest) {
                visitor.rma_op_test(head, rma_op_test(c, maps)?);
            }
        }
        52 => {
            if V::WANTS.contains(EventKind::RmaOpCompleteRemote) {
                visitor.rma_op_complete_remote(head, rma_op_complete_remote(c, maps)?);
            }
        }
        53 => {
            if V::WANTS.contains(EventKind::ThreadFork) {
                visitor.thread_fork(head, thread_fork(c)?);
            }
        }
        54 => {
            if V::WANTS.contains(EventKind::ThreadJoin) {
                visitor.thread_join(head, thread_join(c)?);
            }
        }
        55 => {
            if V::WANTS.contains(EventKind::ThreadTeamBegin) {
                visitor.thread_team_begin(head, thread_team_begin(c, maps)?);
            }
        }
        56 => {
            if V::WANTS.contains(EventKind::ThreadTeamEnd) {
                visitor.thread_team_end(head, thread_team_end(c, maps)?);
            }
        }
        57 => {
            if V::WANTS.contains(EventKind::ThreadAcquireLock) {
                visitor.thread_acquire_lock(head, thread_acquire_lock(c)?);
            }
        }
        58 => {
            if V::WANTS.contains(EventKind::ThreadReleaseLock) {
                visitor.thread_release_lock(head, thread_release_lock(c)?);
            }
        }
        59 => {
            if V::WANTS.contains(EventKind::ThreadTaskCreate) {
                visitor.thread_task_create(head, thread_task_create(c, maps)?);
            }
        }
        60 => {
            if V::WANTS.contains(EventKind::ThreadTaskSwitch) {
                visitor.thread_task_switch(head, thread_task_switch(c, maps)?);
            }
        }
        61 => {
            if V::WANTS.contains(EventKind::ThreadTaskComplete) {
                visitor.thread_task_complete(head, thread_task_complete(c, maps)?);
            }
        }
        62 => {
            if V::WANTS.contains(EventKind::ThreadCreate) {
                visitor.thread_create(head, thread_create(c, maps)?);
            }
        }
        63 => {
            if V::WANTS.contains(EventKind::ThreadBegin) {
                visitor.thread_begin(head, thread_begin(c, maps)?);
            }
        }
        64 => {
            if V::WANTS.contains(EventKind::ThreadWait) {
                visitor.thread_wait(head, thread_wait(c, maps)?);
            }
        }
        65 => {
            if V::WANTS.contains(EventKind::ThreadEnd) {
                visitor.thread_end(head, thread_end(c, maps)?);
            }
        }
        66 => {
            if V::WANTS.contains(EventKind::CallingContextEnter) {
                visitor.calling_context_enter(head, calling_context_enter(c, maps)?);
            }
        }
        67 => {
            if V::WANTS.contains(EventKind::CallingContextLeave) {
                visitor.calling_context_leave(head, calling_context_leave(c, maps)?);
            }
        }
        68 => {
            if V::WANTS.contains(EventKind::CallingContextSample) {
                visitor.calling_context_sample(head, calling_context_sample(c, maps)?);
            }
        }
        69 => {
            if V::WANTS.contains(EventKind::IoCreateHandle) {
                visitor.io_create_handle(head, io_create_handle(c, maps)?);
            }
        }
        70 => {
            if V::WANTS.contains(EventKind::IoDestroyHandle) {
                visitor.io_destroy_handle(head, io_destroy_handle(c, maps)?);
            }
        }
        71 => {
            if V::WANTS.contains(EventKind::IoDuplicateHandle) {
                visitor.io_duplicate_handle(head, io_duplicate_handle(c, maps)?);
            }
        }
        72 => {
            if V::WANTS.contains(EventKind::IoSeek) {
                visitor.io_seek(head, io_seek(c, maps)?);
            }
        }
        73 => {
            if V::WANTS.contains(EventKind::IoChangeStatusFlags) {
                visitor.io_change_status_flags(head, io_change_status_flags(c, maps)?);
            }
        }
        74 => {
            if V::WANTS.contains(EventKind::IoDeleteFile) {
                visitor.io_delete_file(head, io_delete_file(c, maps)?);
            }
        }
        75 => {
            if V::WANTS.contains(EventKind::IoOperationBegin) {
                visitor.io_operation_begin(head, io_operation_begin(c, maps)?);
            }
        }
        76 => {
            if V::WANTS.contains(EventKind::IoOperationTest) {
                visitor.io_operation_test(head, io_operation_test(c, maps)?);
            }
        }
        77 => {
            if V::WANTS.contains(EventKind::IoOperationIssued) {
                visitor.io_operation_issued(head, io_operation_issued(c, maps)?);
            }
        }
        78 => {
            if V::WANTS.contains(EventKind::IoOperationComplete) {
                visitor.io_operation_complete(head, io_operation_complete(c, maps)?);
            }
        }
        79 => {
            if V::WANTS.contains(EventKind::IoOperationCancelled) {
                visitor.io_operation_cancelled(head, io_operation_cancelled(c, maps)?);
            }
        }
        80 => {
            if V::WANTS.contains(EventKind::IoAcquireLock) {
                visitor.io_acquire_lock(head, io_acquire_lock(c, maps)?);
            }
        }
        81 => {
            if V::WANTS.contains(EventKind::IoReleaseLock) {
                visitor.io_release_lock(head, io_release_lock(c, maps)?);
            }
        }
        82 => {
            if V::WANTS.contains(EventKind::IoTryLock) {
                visitor.io_try_lock(head, io_try_lock(c, maps)?);
            }
        }
        83 => {
            if V::WANTS.contains(EventKind::ProgramBegin) {
                visitor.program_begin(head, program_begin(c, maps, scratch)?);
            }
        }
        84 => {
            if V::WANTS.contains(EventKind::ProgramEnd) {
                visitor.program_end(head, program_end(c)?);
            }
        }
        85 => {
            if V::WANTS.contains(EventKind::NonBlockingCollectiveRequest) {
                visitor.non_blocking_collective_request(head, non_blocking_collective_request(c)?);
            }
        }
        86 => {
            if V::WANTS.contains(EventKind::NonBlockingCollectiveComplete) {
                visitor.non_blocking_collective_complete(
                    head,
                    non_blocking_collective_complete(c, maps)?,
                );
            }
        }
        87 => {
            if V::WANTS.contains(EventKind::CommCreate) {
                visitor.comm_create(head, comm_create(c, maps)?);
            }
        }
        88 => {
            if V::WANTS.contains(EventKind::CommDestroy) {
                visitor.comm_destroy(head, comm_destroy(c, maps)?);
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}
