// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! From the number of a record to its decoder and its visitor.

use super::{io, messages, program, rma, threads};
use crate::clock::Stamps;
use crate::generated::Scratch;
use crate::mapping::Mappings;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::stream::EventHead;

/// Decodes the payload of the record `id` and hands the event to the visitor. Kinds that the
/// visitor does not want are not decoded. `false`: the id is not known.
#[inline(always)]
pub(crate) fn deliver<V: EventVisitor, O: ByteOrder>(
    id: u8,
    c: &Cursor<'_, O>,
    maps: &Mappings,
    stamps: &mut Stamps,
    scratch: &mut Scratch,
    head: &EventHead<'_>,
    visitor: &mut V,
) -> Result<bool, WireError> {
    match id {
        10 => {
            if V::WANTS.contains(EventKind::BufferFlush) {
                visitor.buffer_flush(head, program::buffer_flush(c, stamps)?);
            }
        }
        11 => {
            if V::WANTS.contains(EventKind::MeasurementOnOff) {
                visitor.measurement_on_off(head, program::measurement_on_off(c)?);
            }
        }
        12 => {
            if V::WANTS.contains(EventKind::Enter) {
                visitor.enter(head, program::enter(c, maps)?);
            }
        }
        13 => {
            if V::WANTS.contains(EventKind::Leave) {
                visitor.leave(head, program::leave(c, maps)?);
            }
        }
        14 => {
            if V::WANTS.contains(EventKind::MpiSend) {
                visitor.mpi_send(head, messages::mpi_send(c, maps)?);
            }
        }
        15 => {
            if V::WANTS.contains(EventKind::MpiIsend) {
                visitor.mpi_isend(head, messages::mpi_isend(c, maps)?);
            }
        }
        16 => {
            if V::WANTS.contains(EventKind::MpiIsendComplete) {
                visitor.mpi_isend_complete(head, messages::mpi_isend_complete(c)?);
            }
        }
        17 => {
            if V::WANTS.contains(EventKind::MpiIrecvRequest) {
                visitor.mpi_irecv_request(head, messages::mpi_irecv_request(c)?);
            }
        }
        18 => {
            if V::WANTS.contains(EventKind::MpiRecv) {
                visitor.mpi_recv(head, messages::mpi_recv(c, maps)?);
            }
        }
        19 => {
            if V::WANTS.contains(EventKind::MpiIrecv) {
                visitor.mpi_irecv(head, messages::mpi_irecv(c, maps)?);
            }
        }
        20 => {
            if V::WANTS.contains(EventKind::MpiRequestTest) {
                visitor.mpi_request_test(head, messages::mpi_request_test(c)?);
            }
        }
        21 => {
            if V::WANTS.contains(EventKind::MpiRequestCancelled) {
                visitor.mpi_request_cancelled(head, messages::mpi_request_cancelled(c)?);
            }
        }
        22 => {
            if V::WANTS.contains(EventKind::MpiCollectiveBegin) {
                visitor.mpi_collective_begin(head, messages::mpi_collective_begin(c)?);
            }
        }
        23 => {
            if V::WANTS.contains(EventKind::MpiCollectiveEnd) {
                visitor.mpi_collective_end(head, messages::mpi_collective_end(c, maps)?);
            }
        }
        24 => {
            if V::WANTS.contains(EventKind::OmpFork) {
                visitor.omp_fork(head, threads::omp_fork(c)?);
            }
        }
        25 => {
            if V::WANTS.contains(EventKind::OmpJoin) {
                visitor.omp_join(head, threads::omp_join(c)?);
            }
        }
        26 => {
            if V::WANTS.contains(EventKind::OmpAcquireLock) {
                visitor.omp_acquire_lock(head, threads::omp_acquire_lock(c)?);
            }
        }
        27 => {
            if V::WANTS.contains(EventKind::OmpReleaseLock) {
                visitor.omp_release_lock(head, threads::omp_release_lock(c)?);
            }
        }
        28 => {
            if V::WANTS.contains(EventKind::OmpTaskCreate) {
                visitor.omp_task_create(head, threads::omp_task_create(c)?);
            }
        }
        29 => {
            if V::WANTS.contains(EventKind::OmpTaskSwitch) {
                visitor.omp_task_switch(head, threads::omp_task_switch(c)?);
            }
        }
        30 => {
            if V::WANTS.contains(EventKind::OmpTaskComplete) {
                visitor.omp_task_complete(head, threads::omp_task_complete(c)?);
            }
        }
        31 => {
            if V::WANTS.contains(EventKind::Metric) {
                visitor.metric(head, program::metric(c, maps, scratch)?);
            }
        }
        32 => {
            if V::WANTS.contains(EventKind::ParameterString) {
                visitor.parameter_string(head, program::parameter_string(c, maps)?);
            }
        }
        33 => {
            if V::WANTS.contains(EventKind::ParameterInt) {
                visitor.parameter_int(head, program::parameter_int(c, maps)?);
            }
        }
        34 => {
            if V::WANTS.contains(EventKind::ParameterUnsignedInt) {
                visitor.parameter_unsigned_int(head, program::parameter_unsigned_int(c, maps)?);
            }
        }
        35 => {
            if V::WANTS.contains(EventKind::RmaWinCreate) {
                visitor.rma_win_create(head, rma::rma_win_create(c, maps)?);
            }
        }
        36 => {
            if V::WANTS.contains(EventKind::RmaWinDestroy) {
                visitor.rma_win_destroy(head, rma::rma_win_destroy(c, maps)?);
            }
        }
        37 => {
            if V::WANTS.contains(EventKind::RmaCollectiveBegin) {
                visitor.rma_collective_begin(head, rma::rma_collective_begin(c)?);
            }
        }
        38 => {
            if V::WANTS.contains(EventKind::RmaCollectiveEnd) {
                visitor.rma_collective_end(head, rma::rma_collective_end(c, maps)?);
            }
        }
        39 => {
            if V::WANTS.contains(EventKind::RmaGroupSync) {
                visitor.rma_group_sync(head, rma::rma_group_sync(c, maps)?);
            }
        }
        40 => {
            if V::WANTS.contains(EventKind::RmaRequestLock) {
                visitor.rma_request_lock(head, rma::rma_request_lock(c, maps)?);
            }
        }
        41 => {
            if V::WANTS.contains(EventKind::RmaAcquireLock) {
                visitor.rma_acquire_lock(head, rma::rma_acquire_lock(c, maps)?);
            }
        }
        42 => {
            if V::WANTS.contains(EventKind::RmaTryLock) {
                visitor.rma_try_lock(head, rma::rma_try_lock(c, maps)?);
            }
        }
        43 => {
            if V::WANTS.contains(EventKind::RmaReleaseLock) {
                visitor.rma_release_lock(head, rma::rma_release_lock(c, maps)?);
            }
        }
        44 => {
            if V::WANTS.contains(EventKind::RmaSync) {
                visitor.rma_sync(head, rma::rma_sync(c, maps)?);
            }
        }
        45 => {
            if V::WANTS.contains(EventKind::RmaWaitChange) {
                visitor.rma_wait_change(head, rma::rma_wait_change(c, maps)?);
            }
        }
        46 => {
            if V::WANTS.contains(EventKind::RmaPut) {
                visitor.rma_put(head, rma::rma_put(c, maps)?);
            }
        }
        47 => {
            if V::WANTS.contains(EventKind::RmaGet) {
                visitor.rma_get(head, rma::rma_get(c, maps)?);
            }
        }
        48 => {
            if V::WANTS.contains(EventKind::RmaAtomic) {
                visitor.rma_atomic(head, rma::rma_atomic(c, maps)?);
            }
        }
        49 => {
            if V::WANTS.contains(EventKind::RmaOpCompleteBlocking) {
                visitor.rma_op_complete_blocking(head, rma::rma_op_complete_blocking(c, maps)?);
            }
        }
        50 => {
            if V::WANTS.contains(EventKind::RmaOpCompleteNonBlocking) {
                visitor.rma_op_complete_non_blocking(
                    head,
                    rma::rma_op_complete_non_blocking(c, maps)?,
                );
            }
        }
        51 => {
            if V::WANTS.contains(EventKind::RmaOpTest) {
                visitor.rma_op_test(head, rma::rma_op_test(c, maps)?);
            }
        }
        52 => {
            if V::WANTS.contains(EventKind::RmaOpCompleteRemote) {
                visitor.rma_op_complete_remote(head, rma::rma_op_complete_remote(c, maps)?);
            }
        }
        53 => {
            if V::WANTS.contains(EventKind::ThreadFork) {
                visitor.thread_fork(head, threads::thread_fork(c)?);
            }
        }
        54 => {
            if V::WANTS.contains(EventKind::ThreadJoin) {
                visitor.thread_join(head, threads::thread_join(c)?);
            }
        }
        55 => {
            if V::WANTS.contains(EventKind::ThreadTeamBegin) {
                visitor.thread_team_begin(head, threads::thread_team_begin(c, maps)?);
            }
        }
        56 => {
            if V::WANTS.contains(EventKind::ThreadTeamEnd) {
                visitor.thread_team_end(head, threads::thread_team_end(c, maps)?);
            }
        }
        57 => {
            if V::WANTS.contains(EventKind::ThreadAcquireLock) {
                visitor.thread_acquire_lock(head, threads::thread_acquire_lock(c)?);
            }
        }
        58 => {
            if V::WANTS.contains(EventKind::ThreadReleaseLock) {
                visitor.thread_release_lock(head, threads::thread_release_lock(c)?);
            }
        }
        59 => {
            if V::WANTS.contains(EventKind::ThreadTaskCreate) {
                visitor.thread_task_create(head, threads::thread_task_create(c, maps)?);
            }
        }
        60 => {
            if V::WANTS.contains(EventKind::ThreadTaskSwitch) {
                visitor.thread_task_switch(head, threads::thread_task_switch(c, maps)?);
            }
        }
        61 => {
            if V::WANTS.contains(EventKind::ThreadTaskComplete) {
                visitor.thread_task_complete(head, threads::thread_task_complete(c, maps)?);
            }
        }
        62 => {
            if V::WANTS.contains(EventKind::ThreadCreate) {
                visitor.thread_create(head, threads::thread_create(c, maps)?);
            }
        }
        63 => {
            if V::WANTS.contains(EventKind::ThreadBegin) {
                visitor.thread_begin(head, threads::thread_begin(c, maps)?);
            }
        }
        64 => {
            if V::WANTS.contains(EventKind::ThreadWait) {
                visitor.thread_wait(head, threads::thread_wait(c, maps)?);
            }
        }
        65 => {
            if V::WANTS.contains(EventKind::ThreadEnd) {
                visitor.thread_end(head, threads::thread_end(c, maps)?);
            }
        }
        66 => {
            if V::WANTS.contains(EventKind::CallingContextEnter) {
                visitor.calling_context_enter(head, program::calling_context_enter(c, maps)?);
            }
        }
        67 => {
            if V::WANTS.contains(EventKind::CallingContextLeave) {
                visitor.calling_context_leave(head, program::calling_context_leave(c, maps)?);
            }
        }
        68 => {
            if V::WANTS.contains(EventKind::CallingContextSample) {
                visitor.calling_context_sample(head, program::calling_context_sample(c, maps)?);
            }
        }
        69 => {
            if V::WANTS.contains(EventKind::IoCreateHandle) {
                visitor.io_create_handle(head, io::io_create_handle(c, maps)?);
            }
        }
        70 => {
            if V::WANTS.contains(EventKind::IoDestroyHandle) {
                visitor.io_destroy_handle(head, io::io_destroy_handle(c, maps)?);
            }
        }
        71 => {
            if V::WANTS.contains(EventKind::IoDuplicateHandle) {
                visitor.io_duplicate_handle(head, io::io_duplicate_handle(c, maps)?);
            }
        }
        72 => {
            if V::WANTS.contains(EventKind::IoSeek) {
                visitor.io_seek(head, io::io_seek(c, maps)?);
            }
        }
        73 => {
            if V::WANTS.contains(EventKind::IoChangeStatusFlags) {
                visitor.io_change_status_flags(head, io::io_change_status_flags(c, maps)?);
            }
        }
        74 => {
            if V::WANTS.contains(EventKind::IoDeleteFile) {
                visitor.io_delete_file(head, io::io_delete_file(c, maps)?);
            }
        }
        75 => {
            if V::WANTS.contains(EventKind::IoOperationBegin) {
                visitor.io_operation_begin(head, io::io_operation_begin(c, maps)?);
            }
        }
        76 => {
            if V::WANTS.contains(EventKind::IoOperationTest) {
                visitor.io_operation_test(head, io::io_operation_test(c, maps)?);
            }
        }
        77 => {
            if V::WANTS.contains(EventKind::IoOperationIssued) {
                visitor.io_operation_issued(head, io::io_operation_issued(c, maps)?);
            }
        }
        78 => {
            if V::WANTS.contains(EventKind::IoOperationComplete) {
                visitor.io_operation_complete(head, io::io_operation_complete(c, maps)?);
            }
        }
        79 => {
            if V::WANTS.contains(EventKind::IoOperationCancelled) {
                visitor.io_operation_cancelled(head, io::io_operation_cancelled(c, maps)?);
            }
        }
        80 => {
            if V::WANTS.contains(EventKind::IoAcquireLock) {
                visitor.io_acquire_lock(head, io::io_acquire_lock(c, maps)?);
            }
        }
        81 => {
            if V::WANTS.contains(EventKind::IoReleaseLock) {
                visitor.io_release_lock(head, io::io_release_lock(c, maps)?);
            }
        }
        82 => {
            if V::WANTS.contains(EventKind::IoTryLock) {
                visitor.io_try_lock(head, io::io_try_lock(c, maps)?);
            }
        }
        83 => {
            if V::WANTS.contains(EventKind::ProgramBegin) {
                visitor.program_begin(head, program::program_begin(c, maps, scratch)?);
            }
        }
        84 => {
            if V::WANTS.contains(EventKind::ProgramEnd) {
                visitor.program_end(head, program::program_end(c)?);
            }
        }
        85 => {
            if V::WANTS.contains(EventKind::NonBlockingCollectiveRequest) {
                visitor.non_blocking_collective_request(
                    head,
                    messages::non_blocking_collective_request(c)?,
                );
            }
        }
        86 => {
            if V::WANTS.contains(EventKind::NonBlockingCollectiveComplete) {
                visitor.non_blocking_collective_complete(
                    head,
                    messages::non_blocking_collective_complete(c, maps)?,
                );
            }
        }
        87 => {
            if V::WANTS.contains(EventKind::CommCreate) {
                visitor.comm_create(head, messages::comm_create(c, maps)?);
            }
        }
        88 => {
            if V::WANTS.contains(EventKind::CommDestroy) {
                visitor.comm_destroy(head, messages::comm_destroy(c, maps)?);
            }
        }
        89 => {
            if V::WANTS.contains(EventKind::MpiProbe) {
                visitor.mpi_probe(head, messages::mpi_probe(c, maps)?);
            }
        }
        90 => {
            if V::WANTS.contains(EventKind::MpiMrecv) {
                visitor.mpi_mrecv(head, messages::mpi_mrecv(c)?);
            }
        }
        91 => {
            if V::WANTS.contains(EventKind::MpiImrecvRequest) {
                visitor.mpi_imrecv_request(head, messages::mpi_imrecv_request(c)?);
            }
        }
        92 => {
            if V::WANTS.contains(EventKind::MpiImrecv) {
                visitor.mpi_imrecv(head, messages::mpi_imrecv(c)?);
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Decodes the payload of the record `id`; `None`: the id is not known.
pub(crate) fn decode<'s, O: ByteOrder>(
    id: u8,
    c: &Cursor<'_, O>,
    maps: &Mappings,
    stamps: &mut Stamps,
    scratch: &'s mut Scratch,
) -> Result<Option<Event<'s>>, WireError> {
    Ok(Some(match id {
        10 => Event::BufferFlush(program::buffer_flush(c, stamps)?),
        11 => Event::MeasurementOnOff(program::measurement_on_off(c)?),
        12 => Event::Enter(program::enter(c, maps)?),
        13 => Event::Leave(program::leave(c, maps)?),
        14 => Event::MpiSend(messages::mpi_send(c, maps)?),
        15 => Event::MpiIsend(messages::mpi_isend(c, maps)?),
        16 => Event::MpiIsendComplete(messages::mpi_isend_complete(c)?),
        17 => Event::MpiIrecvRequest(messages::mpi_irecv_request(c)?),
        18 => Event::MpiRecv(messages::mpi_recv(c, maps)?),
        19 => Event::MpiIrecv(messages::mpi_irecv(c, maps)?),
        20 => Event::MpiRequestTest(messages::mpi_request_test(c)?),
        21 => Event::MpiRequestCancelled(messages::mpi_request_cancelled(c)?),
        22 => Event::MpiCollectiveBegin(messages::mpi_collective_begin(c)?),
        23 => Event::MpiCollectiveEnd(messages::mpi_collective_end(c, maps)?),
        24 => Event::OmpFork(threads::omp_fork(c)?),
        25 => Event::OmpJoin(threads::omp_join(c)?),
        26 => Event::OmpAcquireLock(threads::omp_acquire_lock(c)?),
        27 => Event::OmpReleaseLock(threads::omp_release_lock(c)?),
        28 => Event::OmpTaskCreate(threads::omp_task_create(c)?),
        29 => Event::OmpTaskSwitch(threads::omp_task_switch(c)?),
        30 => Event::OmpTaskComplete(threads::omp_task_complete(c)?),
        31 => Event::Metric(program::metric(c, maps, scratch)?),
        32 => Event::ParameterString(program::parameter_string(c, maps)?),
        33 => Event::ParameterInt(program::parameter_int(c, maps)?),
        34 => Event::ParameterUnsignedInt(program::parameter_unsigned_int(c, maps)?),
        35 => Event::RmaWinCreate(rma::rma_win_create(c, maps)?),
        36 => Event::RmaWinDestroy(rma::rma_win_destroy(c, maps)?),
        37 => Event::RmaCollectiveBegin(rma::rma_collective_begin(c)?),
        38 => Event::RmaCollectiveEnd(rma::rma_collective_end(c, maps)?),
        39 => Event::RmaGroupSync(rma::rma_group_sync(c, maps)?),
        40 => Event::RmaRequestLock(rma::rma_request_lock(c, maps)?),
        41 => Event::RmaAcquireLock(rma::rma_acquire_lock(c, maps)?),
        42 => Event::RmaTryLock(rma::rma_try_lock(c, maps)?),
        43 => Event::RmaReleaseLock(rma::rma_release_lock(c, maps)?),
        44 => Event::RmaSync(rma::rma_sync(c, maps)?),
        45 => Event::RmaWaitChange(rma::rma_wait_change(c, maps)?),
        46 => Event::RmaPut(rma::rma_put(c, maps)?),
        47 => Event::RmaGet(rma::rma_get(c, maps)?),
        48 => Event::RmaAtomic(rma::rma_atomic(c, maps)?),
        49 => Event::RmaOpCompleteBlocking(rma::rma_op_complete_blocking(c, maps)?),
        50 => Event::RmaOpCompleteNonBlocking(rma::rma_op_complete_non_blocking(c, maps)?),
        51 => Event::RmaOpTest(rma::rma_op_test(c, maps)?),
        52 => Event::RmaOpCompleteRemote(rma::rma_op_complete_remote(c, maps)?),
        53 => Event::ThreadFork(threads::thread_fork(c)?),
        54 => Event::ThreadJoin(threads::thread_join(c)?),
        55 => Event::ThreadTeamBegin(threads::thread_team_begin(c, maps)?),
        56 => Event::ThreadTeamEnd(threads::thread_team_end(c, maps)?),
        57 => Event::ThreadAcquireLock(threads::thread_acquire_lock(c)?),
        58 => Event::ThreadReleaseLock(threads::thread_release_lock(c)?),
        59 => Event::ThreadTaskCreate(threads::thread_task_create(c, maps)?),
        60 => Event::ThreadTaskSwitch(threads::thread_task_switch(c, maps)?),
        61 => Event::ThreadTaskComplete(threads::thread_task_complete(c, maps)?),
        62 => Event::ThreadCreate(threads::thread_create(c, maps)?),
        63 => Event::ThreadBegin(threads::thread_begin(c, maps)?),
        64 => Event::ThreadWait(threads::thread_wait(c, maps)?),
        65 => Event::ThreadEnd(threads::thread_end(c, maps)?),
        66 => Event::CallingContextEnter(program::calling_context_enter(c, maps)?),
        67 => Event::CallingContextLeave(program::calling_context_leave(c, maps)?),
        68 => Event::CallingContextSample(program::calling_context_sample(c, maps)?),
        69 => Event::IoCreateHandle(io::io_create_handle(c, maps)?),
        70 => Event::IoDestroyHandle(io::io_destroy_handle(c, maps)?),
        71 => Event::IoDuplicateHandle(io::io_duplicate_handle(c, maps)?),
        72 => Event::IoSeek(io::io_seek(c, maps)?),
        73 => Event::IoChangeStatusFlags(io::io_change_status_flags(c, maps)?),
        74 => Event::IoDeleteFile(io::io_delete_file(c, maps)?),
        75 => Event::IoOperationBegin(io::io_operation_begin(c, maps)?),
        76 => Event::IoOperationTest(io::io_operation_test(c, maps)?),
        77 => Event::IoOperationIssued(io::io_operation_issued(c, maps)?),
        78 => Event::IoOperationComplete(io::io_operation_complete(c, maps)?),
        79 => Event::IoOperationCancelled(io::io_operation_cancelled(c, maps)?),
        80 => Event::IoAcquireLock(io::io_acquire_lock(c, maps)?),
        81 => Event::IoReleaseLock(io::io_release_lock(c, maps)?),
        82 => Event::IoTryLock(io::io_try_lock(c, maps)?),
        83 => Event::ProgramBegin(program::program_begin(c, maps, scratch)?),
        84 => Event::ProgramEnd(program::program_end(c)?),
        85 => Event::NonBlockingCollectiveRequest(messages::non_blocking_collective_request(c)?),
        86 => Event::NonBlockingCollectiveComplete(messages::non_blocking_collective_complete(
            c, maps,
        )?),
        87 => Event::CommCreate(messages::comm_create(c, maps)?),
        88 => Event::CommDestroy(messages::comm_destroy(c, maps)?),
        89 => Event::MpiProbe(messages::mpi_probe(c, maps)?),
        90 => Event::MpiMrecv(messages::mpi_mrecv(c)?),
        91 => Event::MpiImrecvRequest(messages::mpi_imrecv_request(c)?),
        92 => Event::MpiImrecv(messages::mpi_imrecv(c)?),
        _ => return Ok(None),
    }))
}
