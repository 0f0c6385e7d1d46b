// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of definitions of metrics and who records them.

use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::definitions;
use streamfold_model::enums::{
    Base, MetricMode, MetricOccurrence, MetricScope, MetricType, RecorderKind, Type,
};
use streamfold_model::ids::{LocationRef, MetricMemberRef, MetricRef, StringRef};

#[inline]
pub(super) fn metric_member<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::MetricMember, WireError> {
    let mut c = *c;
    let id = MetricMemberRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let description = StringRef(c.cu32()?);
    let metric_type = MetricType::from(c.u8()?);
    let metric_mode = MetricMode::from(c.u8()?);
    let value_type = Type::from(c.u8()?);
    let base = Base::from(c.u8()?);
    let exponent = c.ci64()?;
    let unit = StringRef(c.cu32()?);
    Ok(definitions::MetricMember {
        id,
        name,
        description,
        metric_type,
        metric_mode,
        value_type,
        base,
        exponent,
        unit,
    })
}

#[inline]
pub(super) fn metric_class<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::MetricClass, WireError> {
    let mut c = *c;
    let id = MetricRef(c.cu32()?);
    let number_of_metrics = c.u8()?;
    let number_of_metrics = c.count(number_of_metrics, 1)?;
    let mut metric_members = Vec::with_capacity(number_of_metrics);
    for _ in 0..number_of_metrics {
        metric_members.push(MetricMemberRef(c.cu32()?));
    }
    let metric_occurrence = MetricOccurrence::from(c.u8()?);
    let recorder_kind =
        if c.at_end() { RecorderKind::from(0) } else { RecorderKind::from(c.u8()?) };
    Ok(definitions::MetricClass { id, metric_members, metric_occurrence, recorder_kind })
}

#[inline]
pub(super) fn metric_instance<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::MetricInstance, WireError> {
    let mut c = *c;
    let id = MetricRef(c.cu32()?);
    let metric_class = MetricRef(c.cu32()?);
    let recorder = LocationRef(c.cu64()?);
    let metric_scope = MetricScope::from(c.u8()?);
    let scope = c.cu64()?;
    Ok(definitions::MetricInstance { id, metric_class, recorder, metric_scope, scope })
}

#[inline]
pub(super) fn metric_class_recorder<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::MetricClassRecorder, WireError> {
    let mut c = *c;
    let metric = MetricRef(c.cu32()?);
    let recorder = LocationRef(c.cu64()?);
    Ok(definitions::MetricClassRecorder { metric, recorder })
}
