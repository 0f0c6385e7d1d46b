// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Meanings of the fields of snapshots.

use crate::enums::{CollectiveOp, MeasurementMode};
use crate::fields::meaning::{
    enumeration, number, reference, time, type_of_values, value, Field, Meanings,
};
use crate::references::ReferenceKind;
use crate::snapshots::Snapshot;

impl Meanings for Snapshot<'_> {
    fn meanings(&self) -> &'static [Field] {
        match self {
            Snapshot::SnapshotStart(_) => const { &[number("number_of_records")] },
            Snapshot::SnapshotEnd(_) => const { &[number("cont_read_pos")] },
            Snapshot::MeasurementOnOffSnap(_) => {
                const {
                    &[
                        time("orig_event_time"),
                        enumeration("measurement_mode", |number| {
                            MeasurementMode::from(number).name()
                        }),
                    ]
                }
            }
            Snapshot::EnterSnap(_) => {
                const { &[time("orig_event_time"), reference("region", ReferenceKind::Region)] }
            }
            Snapshot::MpiSendSnap(_) => {
                const {
                    &[
                        time("orig_event_time"),
                        number("receiver"),
                        reference("communicator", ReferenceKind::Comm),
                        number("msg_tag"),
                        number("msg_length"),
                    ]
                }
            }
            Snapshot::MpiIsendSnap(_) => {
                const {
                    &[
                        time("orig_event_time"),
                        number("receiver"),
                        reference("communicator", ReferenceKind::Comm),
                        number("msg_tag"),
                        number("msg_length"),
                        number("request_id"),
                    ]
                }
            }
            Snapshot::MpiIsendCompleteSnap(_) | Snapshot::MpiIrecvRequestSnap(_) => {
                const { &[time("orig_event_time"), number("request_id")] }
            }
            Snapshot::MpiRecvSnap(_) => {
                const {
                    &[
                        time("orig_event_time"),
                        number("sender"),
                        reference("communicator", ReferenceKind::Comm),
                        number("msg_tag"),
                        number("msg_length"),
                    ]
                }
            }
            Snapshot::MpiIrecvSnap(_) => {
                const {
                    &[
                        time("orig_event_time"),
                        number("sender"),
                        reference("communicator", ReferenceKind::Comm),
                        number("msg_tag"),
                        number("msg_length"),
                        number("request_id"),
                    ]
                }
            }
            Snapshot::MpiCollectiveBeginSnap(_) => const { &[time("orig_event_time")] },
            Snapshot::MpiCollectiveEndSnap(_) => {
                const {
                    &[
                        time("orig_event_time"),
                        enumeration("collective_op", |number| CollectiveOp::from(number).name()),
                        reference("communicator", ReferenceKind::Comm),
                        number("root"),
                        number("size_sent"),
                        number("size_received"),
                    ]
                }
            }
            Snapshot::OmpForkSnap(_) => {
                const { &[time("orig_event_time"), number("number_of_requested_threads")] }
            }
            Snapshot::OmpAcquireLockSnap(_) => {
                const { &[time("orig_event_time"), number("lock_id"), number("acquisition_order")] }
            }
            Snapshot::OmpTaskCreateSnap(_) | Snapshot::OmpTaskSwitchSnap(_) => {
                const { &[time("orig_event_time"), number("task_id")] }
            }
            Snapshot::MetricSnap(_) => {
                const {
                    &[
                        time("orig_event_time"),
                        reference("metric", ReferenceKind::Metric),
                        number("number_of_metrics"),
                        type_of_values("type_ids"),
                        value("metric_values"),
                    ]
                }
            }
            Snapshot::ParameterStringSnap(_) => {
                const {
                    &[
                        time("orig_event_time"),
                        reference("parameter", ReferenceKind::Parameter),
                        reference("string", ReferenceKind::String),
                    ]
                }
            }
            Snapshot::ParameterIntSnap(_) | Snapshot::ParameterUnsignedIntSnap(_) => {
                const {
                    &[
                        time("orig_event_time"),
                        reference("parameter", ReferenceKind::Parameter),
                        number("value"),
                    ]
                }
            }
        }
    }
}
