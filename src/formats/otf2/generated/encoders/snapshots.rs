// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of the snapshot records, section 15 of the format.

use crate::payload::Payload;
use crate::wire::ByteOrder;
use streamfold_model::snapshots;

/// Writes the payload of a record of the model, and returns its number on disk.
#[inline]
pub(crate) fn put<O: ByteOrder>(record: &snapshots::Snapshot<'_>, to: &mut Payload<'_, O>) -> u8 {
    match record {
        snapshots::Snapshot::SnapshotStart(record) => {
            put_snapshot_start(record, to);
            10
        }
        snapshots::Snapshot::SnapshotEnd(record) => {
            put_snapshot_end(record, to);
            11
        }
        snapshots::Snapshot::MeasurementOnOffSnap(record) => {
            put_measurement_on_off_snap(record, to);
            12
        }
        snapshots::Snapshot::EnterSnap(record) => {
            put_enter_snap(record, to);
            13
        }
        snapshots::Snapshot::MpiSendSnap(record) => {
            put_mpi_send_snap(record, to);
            14
        }
        snapshots::Snapshot::MpiIsendSnap(record) => {
            put_mpi_isend_snap(record, to);
            15
        }
        snapshots::Snapshot::MpiIsendCompleteSnap(record) => {
            put_mpi_isend_complete_snap(record, to);
            16
        }
        snapshots::Snapshot::MpiRecvSnap(record) => {
            put_mpi_recv_snap(record, to);
            17
        }
        snapshots::Snapshot::MpiIrecvRequestSnap(record) => {
            put_mpi_irecv_request_snap(record, to);
            18
        }
        snapshots::Snapshot::MpiIrecvSnap(record) => {
            put_mpi_irecv_snap(record, to);
            19
        }
        snapshots::Snapshot::MpiCollectiveBeginSnap(record) => {
            put_mpi_collective_begin_snap(record, to);
            20
        }
        snapshots::Snapshot::MpiCollectiveEndSnap(record) => {
            put_mpi_collective_end_snap(record, to);
            21
        }
        snapshots::Snapshot::OmpForkSnap(record) => {
            put_omp_fork_snap(record, to);
            22
        }
        snapshots::Snapshot::OmpAcquireLockSnap(record) => {
            put_omp_acquire_lock_snap(record, to);
            23
        }
        snapshots::Snapshot::OmpTaskCreateSnap(record) => {
            put_omp_task_create_snap(record, to);
            24
        }
        snapshots::Snapshot::OmpTaskSwitchSnap(record) => {
            put_omp_task_switch_snap(record, to);
            25
        }
        snapshots::Snapshot::MetricSnap(record) => {
            put_metric_snap(record, to);
            26
        }
        snapshots::Snapshot::ParameterStringSnap(record) => {
            put_parameter_string_snap(record, to);
            27
        }
        snapshots::Snapshot::ParameterIntSnap(record) => {
            put_parameter_int_snap(record, to);
            28
        }
        snapshots::Snapshot::ParameterUnsignedIntSnap(record) => {
            put_parameter_unsigned_int_snap(record, to);
            29
        }
    }
}

#[inline]
fn put_snapshot_start<O: ByteOrder>(record: &snapshots::SnapshotStart, to: &mut Payload<'_, O>) {
    to.cu64(record.number_of_records);
}

#[inline]
fn put_snapshot_end<O: ByteOrder>(record: &snapshots::SnapshotEnd, to: &mut Payload<'_, O>) {
    to.cu64(record.cont_read_pos);
}

#[inline]
fn put_measurement_on_off_snap<O: ByteOrder>(
    record: &snapshots::MeasurementOnOffSnap,
    to: &mut Payload<'_, O>,
) {
    to.u64(record.orig_event_time.0);
    to.u8(record.measurement_mode.into());
}

#[inline]
fn put_enter_snap<O: ByteOrder>(record: &snapshots::EnterSnap, to: &mut Payload<'_, O>) {
    to.u64(record.orig_event_time.0);
    to.cu32(record.region.0);
}

#[inline]
fn put_mpi_send_snap<O: ByteOrder>(record: &snapshots::MpiSendSnap, to: &mut Payload<'_, O>) {
    to.u64(record.orig_event_time.0);
    to.cu32(record.receiver);
    to.cu32(record.communicator.0);
    to.cu32(record.msg_tag);
    to.cu64(record.msg_length);
}

#[inline]
fn put_mpi_isend_snap<O: ByteOrder>(record: &snapshots::MpiIsendSnap, to: &mut Payload<'_, O>) {
    to.u64(record.orig_event_time.0);
    to.cu32(record.receiver);
    to.cu32(record.communicator.0);
    to.cu32(record.msg_tag);
    to.cu64(record.msg_length);
    to.cu64(record.request_id);
}

#[inline]
fn put_mpi_isend_complete_snap<O: ByteOrder>(
    record: &snapshots::MpiIsendCompleteSnap,
    to: &mut Payload<'_, O>,
) {
    to.u64(record.orig_event_time.0);
    to.cu64(record.request_id);
}

#[inline]
fn put_mpi_recv_snap<O: ByteOrder>(record: &snapshots::MpiRecvSnap, to: &mut Payload<'_, O>) {
    to.u64(record.orig_event_time.0);
    to.cu32(record.sender);
    to.cu32(record.communicator.0);
    to.cu32(record.msg_tag);
    to.cu64(record.msg_length);
}

#[inline]
fn put_mpi_irecv_request_snap<O: ByteOrder>(
    record: &snapshots::MpiIrecvRequestSnap,
    to: &mut Payload<'_, O>,
) {
    to.u64(record.orig_event_time.0);
    to.cu64(record.request_id);
}

#[inline]
fn put_mpi_irecv_snap<O: ByteOrder>(record: &snapshots::MpiIrecvSnap, to: &mut Payload<'_, O>) {
    to.u64(record.orig_event_time.0);
    to.cu32(record.sender);
    to.cu32(record.communicator.0);
    to.cu32(record.msg_tag);
    to.cu64(record.msg_length);
    to.cu64(record.request_id);
}

#[inline]
fn put_mpi_collective_begin_snap<O: ByteOrder>(
    record: &snapshots::MpiCollectiveBeginSnap,
    to: &mut Payload<'_, O>,
) {
    to.u64(record.orig_event_time.0);
}

#[inline]
fn put_mpi_collective_end_snap<O: ByteOrder>(
    record: &snapshots::MpiCollectiveEndSnap,
    to: &mut Payload<'_, O>,
) {
    to.u64(record.orig_event_time.0);
    to.u8(record.collective_op.into());
    to.cu32(record.communicator.0);
    to.cu32(record.root);
    to.cu64(record.size_sent);
    to.cu64(record.size_received);
}

#[inline]
fn put_omp_fork_snap<O: ByteOrder>(record: &snapshots::OmpForkSnap, to: &mut Payload<'_, O>) {
    to.u64(record.orig_event_time.0);
    to.cu32(record.number_of_requested_threads);
}

#[inline]
fn put_omp_acquire_lock_snap<O: ByteOrder>(
    record: &snapshots::OmpAcquireLockSnap,
    to: &mut Payload<'_, O>,
) {
    to.u64(record.orig_event_time.0);
    to.cu32(record.lock_id);
    to.cu32(record.acquisition_order);
}

#[inline]
fn put_omp_task_create_snap<O: ByteOrder>(
    record: &snapshots::OmpTaskCreateSnap,
    to: &mut Payload<'_, O>,
) {
    to.u64(record.orig_event_time.0);
    to.cu64(record.task_id);
}

#[inline]
fn put_omp_task_switch_snap<O: ByteOrder>(
    record: &snapshots::OmpTaskSwitchSnap,
    to: &mut Payload<'_, O>,
) {
    to.u64(record.orig_event_time.0);
    to.cu64(record.task_id);
}

#[inline]
fn put_metric_snap<O: ByteOrder>(record: &snapshots::MetricSnap<'_>, to: &mut Payload<'_, O>) {
    to.u64(record.orig_event_time.0);
    to.cu32(record.metric.0);
    to.count_u8(record.values.len());
    for value in record.values {
        to.u8(value.value_type.into());
        to.cu64(value.bits);
    }
}

#[inline]
fn put_parameter_string_snap<O: ByteOrder>(
    record: &snapshots::ParameterStringSnap,
    to: &mut Payload<'_, O>,
) {
    to.u64(record.orig_event_time.0);
    to.cu32(record.parameter.0);
    to.cu32(record.string.0);
}

#[inline]
fn put_parameter_int_snap<O: ByteOrder>(
    record: &snapshots::ParameterIntSnap,
    to: &mut Payload<'_, O>,
) {
    to.u64(record.orig_event_time.0);
    to.cu32(record.parameter.0);
    to.ci64(record.value);
}

#[inline]
fn put_parameter_unsigned_int_snap<O: ByteOrder>(
    record: &snapshots::ParameterUnsignedIntSnap,
    to: &mut Payload<'_, O>,
) {
    to.u64(record.orig_event_time.0);
    to.cu32(record.parameter.0);
    to.cu64(record.value);
}
