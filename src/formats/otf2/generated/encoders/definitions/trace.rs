// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of definitions of the trace itself: clocks, strings, attributes, paradigms, mappings.

use crate::payload::Payload;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::definitions;
use streamfold_model::enums::Type;
use streamfold_model::values::TypedValue;

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
pub(super) fn copy_clock_properties<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    to.cu64(c.cu64()?);
    if c.at_end() {
        return Ok(());
    }
    to.cu64(c.cu64()?);
    Ok(())
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
pub(super) fn copy_paradigm_def<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u8(c.u8()?);
    to.cu32(c.cu32()?);
    to.u8(c.u8()?);
    Ok(())
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
pub(super) fn copy_paradigm_property_def<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u8(c.u8()?);
    to.u8(c.u8()?);
    let value_type = Type::from(c.u8()?);
    to.u8(value_type.into());
    let bits = c.attribute_value(value_type)?;
    to.attribute_value(TypedValue { value_type, bits });
    Ok(())
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
pub(super) fn copy_string_def<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.string(c.string()?);
    Ok(())
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
pub(super) fn copy_attribute<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(c.cu32()?);
    to.cu32(c.cu32()?);
    to.u8(c.u8()?);
    if c.at_end() {
        return Ok(());
    }
    to.cu32(c.cu32()?);
    Ok(())
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
pub(super) fn copy_mapping_table<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u8(c.u8()?);
    to.id_map(&c.id_map()?);
    Ok(())
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

#[inline]
pub(super) fn copy_clock_offset<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u64(c.u64()?);
    to.ci64(c.ci64()?);
    to.f64(c.f64()?);
    Ok(())
}
