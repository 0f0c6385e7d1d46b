// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of definitions of metrics and who records them.

use crate::payload::Payload;
use crate::wire::ByteOrder;
use streamfold_model::definitions;

#[inline]
pub(super) fn put_metric_member<O: ByteOrder>(
    record: &definitions::MetricMember,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.cu32(record.description.0);
    to.u8(record.metric_type.into());
    to.u8(record.metric_mode.into());
    to.u8(record.value_type.into());
    to.u8(record.base.into());
    to.ci64(record.exponent);
    to.cu32(record.unit.0);
}

#[inline]
pub(super) fn put_metric_class<O: ByteOrder>(
    record: &definitions::MetricClass,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.count_u8(record.metric_members.len());
    for item in &record.metric_members {
        to.cu32(item.0);
    }
    to.u8(record.metric_occurrence.into());
    to.u8(record.recorder_kind.into());
}

#[inline]
pub(super) fn put_metric_instance<O: ByteOrder>(
    record: &definitions::MetricInstance,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.metric_class.0);
    to.cu64(record.recorder.0);
    to.u8(record.metric_scope.into());
    to.cu64(record.scope);
}

#[inline]
pub(super) fn put_metric_class_recorder<O: ByteOrder>(
    record: &definitions::MetricClassRecorder,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.metric.0);
    to.cu64(record.recorder.0);
}
