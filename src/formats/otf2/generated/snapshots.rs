// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of the snapshot records, section 15 of the format.

use crate::generated::Scratch;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::{CollectiveOp, MeasurementMode, Type};
use streamfold_model::ids::{CommRef, MetricRef, ParameterRef, RegionRef, StringRef};
use streamfold_model::snapshots;
use streamfold_model::values::{Ticks, TypedValue};

#[inline]
pub(super) fn snapshot_start<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::SnapshotStart, WireError> {
    let mut c = *c;
    let number_of_records = c.cu64()?;
    Ok(snapshots::SnapshotStart { number_of_records })
}

#[inline]
pub(super) fn snapshot_end<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::SnapshotEnd, WireError> {
    let mut c = *c;
    let cont_read_pos = c.cu64()?;
    Ok(snapshots::SnapshotEnd { cont_read_pos })
}

#[inline]
pub(super) fn measurement_on_off_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::MeasurementOnOffSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let measurement_mode = MeasurementMode::from(c.u8()?);
    Ok(snapshots::MeasurementOnOffSnap { orig_event_time, measurement_mode })
}

#[inline]
pub(super) fn enter_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::EnterSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let region = RegionRef(c.cu32()?);
    Ok(snapshots::EnterSnap { orig_event_time, region })
}

#[inline]
pub(super) fn mpi_send_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::MpiSendSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let receiver = c.cu32()?;
    let communicator = CommRef(c.cu32()?);
    let msg_tag = c.cu32()?;
    let msg_length = c.cu64()?;
    Ok(snapshots::MpiSendSnap { orig_event_time, receiver, communicator, msg_tag, msg_length })
}

#[inline]
pub(super) fn mpi_isend_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::MpiIsendSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let receiver = c.cu32()?;
    let communicator = CommRef(c.cu32()?);
    let msg_tag = c.cu32()?;
    let msg_length = c.cu64()?;
    let request_id = c.cu64()?;
    Ok(snapshots::MpiIsendSnap {
        orig_event_time,
        receiver,
        communicator,
        msg_tag,
        msg_length,
        request_id,
    })
}

#[inline]
pub(super) fn mpi_isend_complete_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::MpiIsendCompleteSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let request_id = c.cu64()?;
    Ok(snapshots::MpiIsendCompleteSnap { orig_event_time, request_id })
}

#[inline]
pub(super) fn mpi_recv_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::MpiRecvSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let sender = c.cu32()?;
    let communicator = CommRef(c.cu32()?);
    let msg_tag = c.cu32()?;
    let msg_length = c.cu64()?;
    Ok(snapshots::MpiRecvSnap { orig_event_time, sender, communicator, msg_tag, msg_length })
}

#[inline]
pub(super) fn mpi_irecv_request_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::MpiIrecvRequestSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let request_id = c.cu64()?;
    Ok(snapshots::MpiIrecvRequestSnap { orig_event_time, request_id })
}

#[inline]
pub(super) fn mpi_irecv_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::MpiIrecvSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let sender = c.cu32()?;
    let communicator = CommRef(c.cu32()?);
    let msg_tag = c.cu32()?;
    let msg_length = c.cu64()?;
    let request_id = c.cu64()?;
    Ok(snapshots::MpiIrecvSnap {
        orig_event_time,
        sender,
        communicator,
        msg_tag,
        msg_length,
        request_id,
    })
}

#[inline]
pub(super) fn mpi_collective_begin_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::MpiCollectiveBeginSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    Ok(snapshots::MpiCollectiveBeginSnap { orig_event_time })
}

#[inline]
pub(super) fn mpi_collective_end_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::MpiCollectiveEndSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let collective_op = CollectiveOp::from(c.u8()?);
    let communicator = CommRef(c.cu32()?);
    let root = c.cu32()?;
    let size_sent = c.cu64()?;
    let size_received = c.cu64()?;
    Ok(snapshots::MpiCollectiveEndSnap {
        orig_event_time,
        collective_op,
        communicator,
        root,
        size_sent,
        size_received,
    })
}

#[inline]
pub(super) fn omp_fork_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::OmpForkSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let number_of_requested_threads = c.cu32()?;
    Ok(snapshots::OmpForkSnap { orig_event_time, number_of_requested_threads })
}

#[inline]
pub(super) fn omp_acquire_lock_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::OmpAcquireLockSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let lock_id = c.cu32()?;
    let acquisition_order = c.cu32()?;
    Ok(snapshots::OmpAcquireLockSnap { orig_event_time, lock_id, acquisition_order })
}

#[inline]
pub(super) fn omp_task_create_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::OmpTaskCreateSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let task_id = c.cu64()?;
    Ok(snapshots::OmpTaskCreateSnap { orig_event_time, task_id })
}

#[inline]
pub(super) fn omp_task_switch_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::OmpTaskSwitchSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let task_id = c.cu64()?;
    Ok(snapshots::OmpTaskSwitchSnap { orig_event_time, task_id })
}

#[inline]
pub(super) fn metric_snap<'s, O: ByteOrder>(
    c: &Cursor<'_, O>,
    scratch: &'s mut Scratch,
) -> Result<snapshots::MetricSnap<'s>, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let metric = MetricRef(c.cu32()?);
    let number_of_metrics = c.u8()?;
    let number_of_metrics = c.count(number_of_metrics, 2)?;
    scratch.values.clear();
    for _ in 0..number_of_metrics {
        let item = TypedValue { value_type: Type::from(c.u8()?), bits: c.cu64()? };
        scratch.values.push(item);
    }
    let values = scratch.values.as_slice();
    Ok(snapshots::MetricSnap { orig_event_time, metric, values })
}

#[inline]
pub(super) fn parameter_string_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::ParameterStringSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let parameter = ParameterRef(c.cu32()?);
    let string = StringRef(c.cu32()?);
    Ok(snapshots::ParameterStringSnap { orig_event_time, parameter, string })
}

#[inline]
pub(super) fn parameter_int_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::ParameterIntSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let parameter = ParameterRef(c.cu32()?);
    let value = c.ci64()?;
    Ok(snapshots::ParameterIntSnap { orig_event_time, parameter, value })
}

#[inline]
pub(super) fn parameter_unsigned_int_snap<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<snapshots::ParameterUnsignedIntSnap, WireError> {
    let mut c = *c;
    let orig_event_time = Ticks(c.u64()?);
    let parameter = ParameterRef(c.cu32()?);
    let value = c.cu64()?;
    Ok(snapshots::ParameterUnsignedIntSnap { orig_event_time, parameter, value })
}

/// Decodes the payload of the record `id`; `None`: the id is not known.
pub(crate) fn decode<'s, O: ByteOrder>(
    id: u8,
    c: &Cursor<'_, O>,
    scratch: &'s mut Scratch,
) -> Result<Option<snapshots::Snapshot<'s>>, WireError> {
    Ok(Some(match id {
        10 => snapshots::Snapshot::SnapshotStart(snapshot_start(c)?),
        11 => snapshots::Snapshot::SnapshotEnd(snapshot_end(c)?),
        12 => snapshots::Snapshot::MeasurementOnOffSnap(measurement_on_off_snap(c)?),
        13 => snapshots::Snapshot::EnterSnap(enter_snap(c)?),
        14 => snapshots::Snapshot::MpiSendSnap(mpi_send_snap(c)?),
        15 => snapshots::Snapshot::MpiIsendSnap(mpi_isend_snap(c)?),
        16 => snapshots::Snapshot::MpiIsendCompleteSnap(mpi_isend_complete_snap(c)?),
        17 => snapshots::Snapshot::MpiRecvSnap(mpi_recv_snap(c)?),
        18 => snapshots::Snapshot::MpiIrecvRequestSnap(mpi_irecv_request_snap(c)?),
        19 => snapshots::Snapshot::MpiIrecvSnap(mpi_irecv_snap(c)?),
        20 => snapshots::Snapshot::MpiCollectiveBeginSnap(mpi_collective_begin_snap(c)?),
        21 => snapshots::Snapshot::MpiCollectiveEndSnap(mpi_collective_end_snap(c)?),
        22 => snapshots::Snapshot::OmpForkSnap(omp_fork_snap(c)?),
        23 => snapshots::Snapshot::OmpAcquireLockSnap(omp_acquire_lock_snap(c)?),
        24 => snapshots::Snapshot::OmpTaskCreateSnap(omp_task_create_snap(c)?),
        25 => snapshots::Snapshot::OmpTaskSwitchSnap(omp_task_switch_snap(c)?),
        26 => snapshots::Snapshot::MetricSnap(metric_snap(c, scratch)?),
        27 => snapshots::Snapshot::ParameterStringSnap(parameter_string_snap(c)?),
        28 => snapshots::Snapshot::ParameterIntSnap(parameter_int_snap(c)?),
        29 => snapshots::Snapshot::ParameterUnsignedIntSnap(parameter_unsigned_int_snap(c)?),
        _ => return Ok(None),
    }))
}
