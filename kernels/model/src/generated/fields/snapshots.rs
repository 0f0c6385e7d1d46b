// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! The fields of snapshots, in the order in which they are stored.

use crate::fields::FieldValue::{List, Signed, Unsigned};
use crate::fields::{FieldValue, Record};
use crate::snapshots::Snapshot;

impl Record for Snapshot<'_> {
    fn record_name(&self) -> &'static str {
        match self {
            Snapshot::SnapshotStart(_) => "SnapshotStart",
            Snapshot::SnapshotEnd(_) => "SnapshotEnd",
            Snapshot::MeasurementOnOffSnap(_) => "MeasurementOnOffSnap",
            Snapshot::EnterSnap(_) => "EnterSnap",
            Snapshot::MpiSendSnap(_) => "MpiSendSnap",
            Snapshot::MpiIsendSnap(_) => "MpiIsendSnap",
            Snapshot::MpiIsendCompleteSnap(_) => "MpiIsendCompleteSnap",
            Snapshot::MpiRecvSnap(_) => "MpiRecvSnap",
            Snapshot::MpiIrecvRequestSnap(_) => "MpiIrecvRequestSnap",
            Snapshot::MpiIrecvSnap(_) => "MpiIrecvSnap",
            Snapshot::MpiCollectiveBeginSnap(_) => "MpiCollectiveBeginSnap",
            Snapshot::MpiCollectiveEndSnap(_) => "MpiCollectiveEndSnap",
            Snapshot::OmpForkSnap(_) => "OmpForkSnap",
            Snapshot::OmpAcquireLockSnap(_) => "OmpAcquireLockSnap",
            Snapshot::OmpTaskCreateSnap(_) => "OmpTaskCreateSnap",
            Snapshot::OmpTaskSwitchSnap(_) => "OmpTaskSwitchSnap",
            Snapshot::MetricSnap(_) => "MetricSnap",
            Snapshot::ParameterStringSnap(_) => "ParameterStringSnap",
            Snapshot::ParameterIntSnap(_) => "ParameterIntSnap",
            Snapshot::ParameterUnsignedIntSnap(_) => "ParameterUnsignedIntSnap",
        }
    }

    fn each_field(&self, each: &mut dyn FnMut(&'static str, FieldValue<'_>)) {
        match self {
            Snapshot::SnapshotStart(r) => {
                each("numberOfRecords", Unsigned(r.number_of_records));
            }
            Snapshot::SnapshotEnd(r) => {
                each("contReadPos", Unsigned(r.cont_read_pos));
            }
            Snapshot::MeasurementOnOffSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("measurementMode", Unsigned(u8::from(r.measurement_mode).into()));
            }
            Snapshot::EnterSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("region", Unsigned(r.region.0.into()));
            }
            Snapshot::MpiSendSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("receiver", Unsigned(r.receiver.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
            }
            Snapshot::MpiIsendSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("receiver", Unsigned(r.receiver.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
                each("requestID", Unsigned(r.request_id));
            }
            Snapshot::MpiIsendCompleteSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("requestID", Unsigned(r.request_id));
            }
            Snapshot::MpiRecvSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("sender", Unsigned(r.sender.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
            }
            Snapshot::MpiIrecvRequestSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("requestID", Unsigned(r.request_id));
            }
            Snapshot::MpiIrecvSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("sender", Unsigned(r.sender.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
                each("requestID", Unsigned(r.request_id));
            }
            Snapshot::MpiCollectiveBeginSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
            }
            Snapshot::MpiCollectiveEndSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("collectiveOp", Unsigned(u8::from(r.collective_op).into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("root", Unsigned(r.root.into()));
                each("sizeSent", Unsigned(r.size_sent));
                each("sizeReceived", Unsigned(r.size_received));
            }
            Snapshot::OmpForkSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("numberOfRequestedThreads", Unsigned(r.number_of_requested_threads.into()));
            }
            Snapshot::OmpAcquireLockSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("lockID", Unsigned(r.lock_id.into()));
                each("acquisitionOrder", Unsigned(r.acquisition_order.into()));
            }
            Snapshot::OmpTaskCreateSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("taskID", Unsigned(r.task_id));
            }
            Snapshot::OmpTaskSwitchSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("taskID", Unsigned(r.task_id));
            }
            Snapshot::MetricSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("metric", Unsigned(r.metric.0.into()));
                each("numberOfMetrics", Unsigned(r.values.len() as u64));
                each("typeIDs", List(&mut r.values.iter().map(|v| u8::from(v.value_type).into())));
                each("metricValues", List(&mut r.values.iter().map(|v| v.bits)));
            }
            Snapshot::ParameterStringSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("parameter", Unsigned(r.parameter.0.into()));
                each("string", Unsigned(r.string.0.into()));
            }
            Snapshot::ParameterIntSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("parameter", Unsigned(r.parameter.0.into()));
                each("value", Signed(r.value));
            }
            Snapshot::ParameterUnsignedIntSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("parameter", Unsigned(r.parameter.0.into()));
                each("value", Unsigned(r.value));
            }
        }
    }
}
