// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of definitions of the trace itself: clocks, strings, attributes, paradigms, mappings.

use crate::payload::Payload;
use crate::wire::ByteOrder;
use streamfold_model::definitions;

#[inline]
pub(super) fn put_clock_properties<O: ByteOrder>(
    record: &definitions::ClockProperties,
    to: &mut Payload<'_, O>,
) {
    to.cu64(record.timer_resolution);
    to.cu64(record.global_offset);
    to.cu64(record.trace_length);
    to.cu64(record.realtime_timestamp);
}

#[inline]
pub(super) fn put_paradigm_def<O: ByteOrder>(
    record: &definitions::ParadigmDef,
    to: &mut Payload<'_, O>,
) {
    to.u8(record.paradigm.into());
    to.cu32(record.name.0);
    to.u8(record.paradigm_class.into());
}

#[inline]
pub(super) fn put_paradigm_property_def<O: ByteOrder>(
    record: &definitions::ParadigmPropertyDef,
    to: &mut Payload<'_, O>,
) {
    to.u8(record.paradigm.into());
    to.u8(record.property.into());
    to.u8(record.value.value_type.into());
    to.attribute_value(record.value);
}

#[inline]
pub(super) fn put_string_def<O: ByteOrder>(
    record: &definitions::StringDef,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.string(&record.string);
}

#[inline]
pub(super) fn put_attribute<O: ByteOrder>(
    record: &definitions::Attribute,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.u8(record.value_type.into());
    to.cu32(record.description.0);
}

#[inline]
pub(super) fn put_mapping_table<O: ByteOrder>(
    record: &definitions::MappingTable,
    to: &mut Payload<'_, O>,
) {
    to.u8(record.mapping_type.into());
    to.id_map(&record.id_map);
}

#[inline]
pub(super) fn put_clock_offset<O: ByteOrder>(
    record: &definitions::ClockOffset,
    to: &mut Payload<'_, O>,
) {
    to.u64(record.time);
    to.ci64(record.offset);
    to.f64(record.standard_deviation);
}
