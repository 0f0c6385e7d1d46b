// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! From a record, or its number, to its encoder.

use super::{io, messages, program, rma, threads};
use crate::mapping::Mappings;
use crate::payload::Payload;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::events;

/// Writes the payload of a record of the model, and returns its number on disk.
#[inline]
pub(crate) fn put<O: ByteOrder>(record: &events::Event<'_>, to: &mut Payload<'_, O>) -> u8 {
    match record {
        events::Event::BufferFlush(record) => {
            program::put_buffer_flush(record, to);
            10
        }
        events::Event::MeasurementOnOff(record) => {
            program::put_measurement_on_off(record, to);
            11
        }
        events::Event::Enter(record) => {
            program::put_enter(record, to);
            12
        }
        events::Event::Leave(record) => {
            program::put_leave(record, to);
            13
        }
        events::Event::MpiSend(record) => {
            messages::put_mpi_send(record, to);
            14
        }
        events::Event::MpiIsend(record) => {
            messages::put_mpi_isend(record, to);
            15
        }
        events::Event::MpiIsendComplete(record) => {
            messages::put_mpi_isend_complete(record, to);
            16
        }
        events::Event::MpiIrecvRequest(record) => {
            messages::put_mpi_irecv_request(record, to);
            17
        }
        events::Event::MpiRecv(record) => {
            messages::put_mpi_recv(record, to);
            18
        }
        events::Event::MpiIrecv(record) => {
            messages::put_mpi_irecv(record, to);
            19
        }
        events::Event::MpiRequestTest(record) => {
            messages::put_mpi_request_test(record, to);
            20
        }
        events::Event::MpiRequestCancelled(record) => {
            messages::put_mpi_request_cancelled(record, to);
            21
        }
        events::Event::MpiCollectiveBegin(record) => {
            messages::put_mpi_collective_begin(record, to);
            22
        }
        events::Event::MpiCollectiveEnd(record) => {
            messages::put_mpi_collective_end(record, to);
            23
        }
        events::Event::OmpFork(record) => {
            threads::put_omp_fork(record, to);
            24
        }
        events::Event::OmpJoin(record) => {
            threads::put_omp_join(record, to);
            25
        }
        events::Event::OmpAcquireLock(record) => {
            threads::put_omp_acquire_lock(record, to);
            26
        }
        events::Event::OmpReleaseLock(record) => {
            threads::put_omp_release_lock(record, to);
            27
        }
        events::Event::OmpTaskCreate(record) => {
            threads::put_omp_task_create(record, to);
            28
        }
        events::Event::OmpTaskSwitch(record) => {
            threads::put_omp_task_switch(record, to);
            29
        }
        events::Event::OmpTaskComplete(record) => {
            threads::put_omp_task_complete(record, to);
            30
        }
        events::Event::Metric(record) => {
            program::put_metric(record, to);
            31
        }
        events::Event::ParameterString(record) => {
            program::put_parameter_string(record, to);
            32
        }
        events::Event::ParameterInt(record) => {
            program::put_parameter_int(record, to);
            33
        }
        events::Event::ParameterUnsignedInt(record) => {
            program::put_parameter_unsigned_int(record, to);
            34
        }
        events::Event::RmaWinCreate(record) => {
            rma::put_rma_win_create(record, to);
            35
        }
        events::Event::RmaWinDestroy(record) => {
            rma::put_rma_win_destroy(record, to);
            36
        }
        events::Event::RmaCollectiveBegin(record) => {
            rma::put_rma_collective_begin(record, to);
            37
        }
        events::Event::RmaCollectiveEnd(record) => {
            rma::put_rma_collective_end(record, to);
            38
        }
        events::Event::RmaGroupSync(record) => {
            rma::put_rma_group_sync(record, to);
            39
        }
        events::Event::RmaRequestLock(record) => {
            rma::put_rma_request_lock(record, to);
            40
        }
        events::Event::RmaAcquireLock(record) => {
            rma::put_rma_acquire_lock(record, to);
            41
        }
        events::Event::RmaTryLock(record) => {
            rma::put_rma_try_lock(record, to);
            42
        }
        events::Event::RmaReleaseLock(record) => {
            rma::put_rma_release_lock(record, to);
            43
        }
        events::Event::RmaSync(record) => {
            rma::put_rma_sync(record, to);
            44
        }
        events::Event::RmaWaitChange(record) => {
            rma::put_rma_wait_change(record, to);
            45
        }
        events::Event::RmaPut(record) => {
            rma::put_rma_put(record, to);
            46
        }
        events::Event::RmaGet(record) => {
            rma::put_rma_get(record, to);
            47
        }
        events::Event::RmaAtomic(record) => {
            rma::put_rma_atomic(record, to);
            48
        }
        events::Event::RmaOpCompleteBlocking(record) => {
            rma::put_rma_op_complete_blocking(record, to);
            49
        }
        events::Event::RmaOpCompleteNonBlocking(record) => {
            rma::put_rma_op_complete_non_blocking(record, to);
            50
        }
        events::Event::RmaOpTest(record) => {
            rma::put_rma_op_test(record, to);
            51
        }
        events::Event::RmaOpCompleteRemote(record) => {
            rma::put_rma_op_complete_remote(record, to);
            52
        }
        events::Event::ThreadFork(record) => {
            threads::put_thread_fork(record, to);
            53
        }
        events::Event::ThreadJoin(record) => {
            threads::put_thread_join(record, to);
            54
        }
        events::Event::ThreadTeamBegin(record) => {
            threads::put_thread_team_begin(record, to);
            55
        }
        events::Event::ThreadTeamEnd(record) => {
            threads::put_thread_team_end(record, to);
            56
        }
        events::Event::ThreadAcquireLock(record) => {
            threads::put_thread_acquire_lock(record, to);
            57
        }
        events::Event::ThreadReleaseLock(record) => {
            threads::put_thread_release_lock(record, to);
            58
        }
        events::Event::ThreadTaskCreate(record) => {
            threads::put_thread_task_create(record, to);
            59
        }
        events::Event::ThreadTaskSwitch(record) => {
            threads::put_thread_task_switch(record, to);
            60
        }
        events::Event::ThreadTaskComplete(record) => {
            threads::put_thread_task_complete(record, to);
            61
        }
        events::Event::ThreadCreate(record) => {
            threads::put_thread_create(record, to);
            62
        }
        events::Event::ThreadBegin(record) => {
            threads::put_thread_begin(record, to);
            63
        }
        events::Event::ThreadWait(record) => {
            threads::put_thread_wait(record, to);
            64
        }
        events::Event::ThreadEnd(record) => {
            threads::put_thread_end(record, to);
            65
        }
        events::Event::CallingContextEnter(record) => {
            program::put_calling_context_enter(record, to);
            66
        }
        events::Event::CallingContextLeave(record) => {
            program::put_calling_context_leave(record, to);
            67
        }
        events::Event::CallingContextSample(record) => {
            program::put_calling_context_sample(record, to);
            68
        }
        events::Event::IoCreateHandle(record) => {
            io::put_io_create_handle(record, to);
            69
        }
        events::Event::IoDestroyHandle(record) => {
            io::put_io_destroy_handle(record, to);
            70
        }
        events::Event::IoDuplicateHandle(record) => {
            io::put_io_duplicate_handle(record, to);
            71
        }
        events::Event::IoSeek(record) => {
            io::put_io_seek(record, to);
            72
        }
        events::Event::IoChangeStatusFlags(record) => {
            io::put_io_change_status_flags(record, to);
            73
        }
        events::Event::IoDeleteFile(record) => {
            io::put_io_delete_file(record, to);
            74
        }
        events::Event::IoOperationBegin(record) => {
            io::put_io_operation_begin(record, to);
            75
        }
        events::Event::IoOperationTest(record) => {
            io::put_io_operation_test(record, to);
            76
        }
        events::Event::IoOperationIssued(record) => {
            io::put_io_operation_issued(record, to);
            77
        }
        events::Event::IoOperationComplete(record) => {
            io::put_io_operation_complete(record, to);
            78
        }
        events::Event::IoOperationCancelled(record) => {
            io::put_io_operation_cancelled(record, to);
            79
        }
        events::Event::IoAcquireLock(record) => {
            io::put_io_acquire_lock(record, to);
            80
        }
        events::Event::IoReleaseLock(record) => {
            io::put_io_release_lock(record, to);
            81
        }
        events::Event::IoTryLock(record) => {
            io::put_io_try_lock(record, to);
            82
        }
        events::Event::ProgramBegin(record) => {
            program::put_program_begin(record, to);
            83
        }
        events::Event::ProgramEnd(record) => {
            program::put_program_end(record, to);
            84
        }
        events::Event::NonBlockingCollectiveRequest(record) => {
            messages::put_non_blocking_collective_request(record, to);
            85
        }
        events::Event::NonBlockingCollectiveComplete(record) => {
            messages::put_non_blocking_collective_complete(record, to);
            86
        }
        events::Event::CommCreate(record) => {
            messages::put_comm_create(record, to);
            87
        }
        events::Event::CommDestroy(record) => {
            messages::put_comm_destroy(record, to);
            88
        }
        events::Event::MpiProbe(record) => {
            messages::put_mpi_probe(record, to);
            89
        }
        events::Event::MpiMrecv(record) => {
            messages::put_mpi_mrecv(record, to);
            90
        }
        events::Event::MpiImrecvRequest(record) => {
            messages::put_mpi_imrecv_request(record, to);
            91
        }
        events::Event::MpiImrecv(record) => {
            messages::put_mpi_imrecv(record, to);
            92
        }
    }
}

/// Reads the payload of the record `id` and writes it anew, with the fields that it has; what
/// stands behind the fields that are known is left. `false`: the id is not known.
#[inline]
pub(crate) fn copy<O: ByteOrder, P: ByteOrder>(
    id: u8,
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<bool, WireError> {
    match id {
        10 => program::copy_buffer_flush(c, to)?,
        11 => program::copy_measurement_on_off(c, to)?,
        12 => program::copy_enter(c, maps, to)?,
        13 => program::copy_leave(c, maps, to)?,
        14 => messages::copy_mpi_send(c, maps, to)?,
        15 => messages::copy_mpi_isend(c, maps, to)?,
        16 => messages::copy_mpi_isend_complete(c, to)?,
        17 => messages::copy_mpi_irecv_request(c, to)?,
        18 => messages::copy_mpi_recv(c, maps, to)?,
        19 => messages::copy_mpi_irecv(c, maps, to)?,
        20 => messages::copy_mpi_request_test(c, to)?,
        21 => messages::copy_mpi_request_cancelled(c, to)?,
        22 => messages::copy_mpi_collective_begin(c, to)?,
        23 => messages::copy_mpi_collective_end(c, maps, to)?,
        24 => threads::copy_omp_fork(c, to)?,
        25 => threads::copy_omp_join(c, to)?,
        26 => threads::copy_omp_acquire_lock(c, to)?,
        27 => threads::copy_omp_release_lock(c, to)?,
        28 => threads::copy_omp_task_create(c, to)?,
        29 => threads::copy_omp_task_switch(c, to)?,
        30 => threads::copy_omp_task_complete(c, to)?,
        31 => program::copy_metric(c, maps, to)?,
        32 => program::copy_parameter_string(c, maps, to)?,
        33 => program::copy_parameter_int(c, maps, to)?,
        34 => program::copy_parameter_unsigned_int(c, maps, to)?,
        35 => rma::copy_rma_win_create(c, maps, to)?,
        36 => rma::copy_rma_win_destroy(c, maps, to)?,
        37 => rma::copy_rma_collective_begin(c, to)?,
        38 => rma::copy_rma_collective_end(c, maps, to)?,
        39 => rma::copy_rma_group_sync(c, maps, to)?,
        40 => rma::copy_rma_request_lock(c, maps, to)?,
        41 => rma::copy_rma_acquire_lock(c, maps, to)?,
        42 => rma::copy_rma_try_lock(c, maps, to)?,
        43 => rma::copy_rma_release_lock(c, maps, to)?,
        44 => rma::copy_rma_sync(c, maps, to)?,
        45 => rma::copy_rma_wait_change(c, maps, to)?,
        46 => rma::copy_rma_put(c, maps, to)?,
        47 => rma::copy_rma_get(c, maps, to)?,
        48 => rma::copy_rma_atomic(c, maps, to)?,
        49 => rma::copy_rma_op_complete_blocking(c, maps, to)?,
        50 => rma::copy_rma_op_complete_non_blocking(c, maps, to)?,
        51 => rma::copy_rma_op_test(c, maps, to)?,
        52 => rma::copy_rma_op_complete_remote(c, maps, to)?,
        53 => threads::copy_thread_fork(c, to)?,
        54 => threads::copy_thread_join(c, to)?,
        55 => threads::copy_thread_team_begin(c, maps, to)?,
        56 => threads::copy_thread_team_end(c, maps, to)?,
        57 => threads::copy_thread_acquire_lock(c, to)?,
        58 => threads::copy_thread_release_lock(c, to)?,
        59 => threads::copy_thread_task_create(c, maps, to)?,
        60 => threads::copy_thread_task_switch(c, maps, to)?,
        61 => threads::copy_thread_task_complete(c, maps, to)?,
        62 => threads::copy_thread_create(c, maps, to)?,
        63 => threads::copy_thread_begin(c, maps, to)?,
        64 => threads::copy_thread_wait(c, maps, to)?,
        65 => threads::copy_thread_end(c, maps, to)?,
        66 => program::copy_calling_context_enter(c, maps, to)?,
        67 => program::copy_calling_context_leave(c, maps, to)?,
        68 => program::copy_calling_context_sample(c, maps, to)?,
        69 => io::copy_io_create_handle(c, maps, to)?,
        70 => io::copy_io_destroy_handle(c, maps, to)?,
        71 => io::copy_io_duplicate_handle(c, maps, to)?,
        72 => io::copy_io_seek(c, maps, to)?,
        73 => io::copy_io_change_status_flags(c, maps, to)?,
        74 => io::copy_io_delete_file(c, maps, to)?,
        75 => io::copy_io_operation_begin(c, maps, to)?,
        76 => io::copy_io_operation_test(c, maps, to)?,
        77 => io::copy_io_operation_issued(c, maps, to)?,
        78 => io::copy_io_operation_complete(c, maps, to)?,
        79 => io::copy_io_operation_cancelled(c, maps, to)?,
        80 => io::copy_io_acquire_lock(c, maps, to)?,
        81 => io::copy_io_release_lock(c, maps, to)?,
        82 => io::copy_io_try_lock(c, maps, to)?,
        83 => program::copy_program_begin(c, maps, to)?,
        84 => program::copy_program_end(c, to)?,
        85 => messages::copy_non_blocking_collective_request(c, to)?,
        86 => messages::copy_non_blocking_collective_complete(c, maps, to)?,
        87 => messages::copy_comm_create(c, maps, to)?,
        88 => messages::copy_comm_destroy(c, maps, to)?,
        89 => messages::copy_mpi_probe(c, maps, to)?,
        90 => messages::copy_mpi_mrecv(c, to)?,
        91 => messages::copy_mpi_imrecv_request(c, to)?,
        92 => messages::copy_mpi_imrecv(c, to)?,
        _ => return Ok(false),
    }
    Ok(true)
}
