// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! References in the fields of snapshots.

use crate::references::{ReferenceKind, References};
use crate::snapshots::Snapshot;

impl References for Snapshot<'_> {
    #[inline]
    fn each_reference(&self, mut each: impl FnMut(&'static str, ReferenceKind, u64)) {
        match self {
            Snapshot::EnterSnap(r) => {
                each("region", ReferenceKind::Region, u64::from(r.region.0));
            }
            Snapshot::MpiSendSnap(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Snapshot::MpiIsendSnap(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Snapshot::MpiRecvSnap(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Snapshot::MpiIrecvSnap(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Snapshot::MpiCollectiveEndSnap(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Snapshot::MetricSnap(r) => {
                each("metric", ReferenceKind::Metric, u64::from(r.metric.0));
            }
            Snapshot::ParameterStringSnap(r) => {
                each("parameter", ReferenceKind::Parameter, u64::from(r.parameter.0));
                each("string", ReferenceKind::String, u64::from(r.string.0));
            }
            Snapshot::ParameterIntSnap(r) => {
                each("parameter", ReferenceKind::Parameter, u64::from(r.parameter.0));
            }
            Snapshot::ParameterUnsignedIntSnap(r) => {
                each("parameter", ReferenceKind::Parameter, u64::from(r.parameter.0));
            }
            Snapshot::SnapshotStart(..)
            | Snapshot::SnapshotEnd(..)
            | Snapshot::MeasurementOnOffSnap(..)
            | Snapshot::MpiIsendCompleteSnap(..)
            | Snapshot::MpiIrecvRequestSnap(..)
            | Snapshot::MpiCollectiveBeginSnap(..)
            | Snapshot::OmpForkSnap(..)
            | Snapshot::OmpAcquireLockSnap(..)
            | Snapshot::OmpTaskCreateSnap(..)
            | Snapshot::OmpTaskSwitchSnap(..) => {}
        }
    }
}
