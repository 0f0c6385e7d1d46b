// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! The state of a location at a point in time.

use crate::enums::{CollectiveOp, MeasurementMode};
use crate::ids::{CommRef, MetricRef, ParameterRef, RegionRef, StringRef};
use crate::values::{Ticks, TypedValue};

/// The snapshot `SnapshotStart` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotStart {
    /// `numberOfRecords`
    pub number_of_records: u64,
}

/// The snapshot `SnapshotEnd` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotEnd {
    /// `contReadPos`
    pub cont_read_pos: u64,
}

/// The snapshot `MeasurementOnOffSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasurementOnOffSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `measurementMode`
    pub measurement_mode: MeasurementMode,
}

/// The snapshot `EnterSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnterSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `region`
    pub region: RegionRef,
}

/// The snapshot `MpiSendSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiSendSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `receiver`
    pub receiver: u32,
    /// `communicator`
    pub communicator: CommRef,
    /// `msgTag`
    pub msg_tag: u32,
    /// `msgLength`
    pub msg_length: u64,
}

/// The snapshot `MpiIsendSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiIsendSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `receiver`
    pub receiver: u32,
    /// `communicator`
    pub communicator: CommRef,
    /// `msgTag`
    pub msg_tag: u32,
    /// `msgLength`
    pub msg_length: u64,
    /// `requestID`
    pub request_id: u64,
}

/// The snapshot `MpiIsendCompleteSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiIsendCompleteSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `requestID`
    pub request_id: u64,
}

/// The snapshot `MpiRecvSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiRecvSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `sender`
    pub sender: u32,
    /// `communicator`
    pub communicator: CommRef,
    /// `msgTag`
    pub msg_tag: u32,
    /// `msgLength`
    pub msg_length: u64,
}

/// The snapshot `MpiIrecvRequestSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiIrecvRequestSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `requestID`
    pub request_id: u64,
}

/// The snapshot `MpiIrecvSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiIrecvSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `sender`
    pub sender: u32,
    /// `communicator`
    pub communicator: CommRef,
    /// `msgTag`
    pub msg_tag: u32,
    /// `msgLength`
    pub msg_length: u64,
    /// `requestID`
    pub request_id: u64,
}

/// The snapshot `MpiCollectiveBeginSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiCollectiveBeginSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
}

/// The snapshot `MpiCollectiveEndSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiCollectiveEndSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `collectiveOp`
    pub collective_op: CollectiveOp,
    /// `communicator`
    pub communicator: CommRef,
    /// `root`
    pub root: u32,
    /// `sizeSent`
    pub size_sent: u64,
    /// `sizeReceived`
    pub size_received: u64,
}

/// The snapshot `OmpForkSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpForkSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `numberOfRequestedThreads`
    pub number_of_requested_threads: u32,
}

/// The snapshot `OmpAcquireLockSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpAcquireLockSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `lockID`
    pub lock_id: u32,
    /// `acquisitionOrder`
    pub acquisition_order: u32,
}

/// The snapshot `OmpTaskCreateSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpTaskCreateSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `taskID`
    pub task_id: u64,
}

/// The snapshot `OmpTaskSwitchSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmpTaskSwitchSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `taskID`
    pub task_id: u64,
}

/// The snapshot `MetricSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricSnap<'a> {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `metric`
    pub metric: MetricRef,
    /// `metricValues`
    pub values: &'a [TypedValue],
}

/// The snapshot `ParameterStringSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterStringSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `parameter`
    pub parameter: ParameterRef,
    /// `string`
    pub string: StringRef,
}

/// The snapshot `ParameterIntSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterIntSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `parameter`
    pub parameter: ParameterRef,
    /// `value`
    pub value: i64,
}

/// The snapshot `ParameterUnsignedIntSnap` (since 1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterUnsignedIntSnap {
    /// `origEventTime`
    pub orig_event_time: Ticks,
    /// `parameter`
    pub parameter: ParameterRef,
    /// `value`
    pub value: u64,
}

/// Any snapshot record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snapshot<'a> {
    /// [`SnapshotStart`]
    SnapshotStart(SnapshotStart),
    /// [`SnapshotEnd`]
    SnapshotEnd(SnapshotEnd),
    /// [`MeasurementOnOffSnap`]
    MeasurementOnOffSnap(MeasurementOnOffSnap),
    /// [`EnterSnap`]
    EnterSnap(EnterSnap),
    /// [`MpiSendSnap`]
    MpiSendSnap(MpiSendSnap),
    /// [`MpiIsendSnap`]
    MpiIsendSnap(MpiIsendSnap),
    /// [`MpiIsendCompleteSnap`]
    MpiIsendCompleteSnap(MpiIsendCompleteSnap),
    /// [`MpiRecvSnap`]
    MpiRecvSnap(MpiRecvSnap),
    /// [`MpiIrecvRequestSnap`]
    MpiIrecvRequestSnap(MpiIrecvRequestSnap),
    /// [`MpiIrecvSnap`]
    MpiIrecvSnap(MpiIrecvSnap),
    /// [`MpiCollectiveBeginSnap`]
    MpiCollectiveBeginSnap(MpiCollectiveBeginSnap),
    /// [`MpiCollectiveEndSnap`]
    MpiCollectiveEndSnap(MpiCollectiveEndSnap),
    /// [`OmpForkSnap`]
    OmpForkSnap(OmpForkSnap),
    /// [`OmpAcquireLockSnap`]
    OmpAcquireLockSnap(OmpAcquireLockSnap),
    /// [`OmpTaskCreateSnap`]
    OmpTaskCreateSnap(OmpTaskCreateSnap),
    /// [`OmpTaskSwitchSnap`]
    OmpTaskSwitchSnap(OmpTaskSwitchSnap),
    /// [`MetricSnap`]
    MetricSnap(MetricSnap<'a>),
    /// [`ParameterStringSnap`]
    ParameterStringSnap(ParameterStringSnap),
    /// [`ParameterIntSnap`]
    ParameterIntSnap(ParameterIntSnap),
    /// [`ParameterUnsignedIntSnap`]
    ParameterUnsignedIntSnap(ParameterUnsignedIntSnap),
}
