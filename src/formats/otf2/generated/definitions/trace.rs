// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of definitions of the trace itself: clocks, strings, attributes, paradigms, mappings.

use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::definitions;
use streamfold_model::enums::{MappingType, Paradigm, ParadigmClass, ParadigmProperty, Type};
use streamfold_model::ids::{AttributeRef, StringRef};
use streamfold_model::values::TypedValue;

#[inline]
pub(super) fn clock_properties<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::ClockProperties, WireError> {
    let mut c = *c;
    let timer_resolution = c.cu64()?;
    let global_offset = c.cu64()?;
    let trace_length = c.cu64()?;
    let realtime_timestamp = if c.at_end() { u64::MAX } else { c.cu64()? };
    Ok(definitions::ClockProperties {
        timer_resolution,
        global_offset,
        trace_length,
        realtime_timestamp,
    })
}

#[inline]
pub(super) fn paradigm_def<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::ParadigmDef, WireError> {
    let mut c = *c;
    let paradigm = Paradigm::from(c.u8()?);
    let name = StringRef(c.cu32()?);
    let paradigm_class = ParadigmClass::from(c.u8()?);
    Ok(definitions::ParadigmDef { paradigm, name, paradigm_class })
}

#[inline]
pub(super) fn paradigm_property_def<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::ParadigmPropertyDef, WireError> {
    let mut c = *c;
    let paradigm = Paradigm::from(c.u8()?);
    let property = ParadigmProperty::from(c.u8()?);
    let value_type = Type::from(c.u8()?);
    let value = c.attribute_value(value_type)?;
    Ok(definitions::ParadigmPropertyDef {
        paradigm,
        property,
        value: TypedValue { value_type, bits: value },
    })
}

#[inline]
pub(super) fn string_def<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::StringDef, WireError> {
    let mut c = *c;
    let id = StringRef(c.cu32()?);
    let string = c.string()?.into();
    Ok(definitions::StringDef { id, string })
}

#[inline]
pub(super) fn attribute<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::Attribute, WireError> {
    let mut c = *c;
    let id = AttributeRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let value_type = Type::from(c.u8()?);
    let description = if c.at_end() { StringRef::UNDEFINED } else { StringRef(c.cu32()?) };
    Ok(definitions::Attribute { id, name, value_type, description })
}

#[inline]
pub(super) fn mapping_table<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::MappingTable, WireError> {
    let mut c = *c;
    let mapping_type = MappingType::from(c.u8()?);
    let id_map = c.id_map()?;
    Ok(definitions::MappingTable { mapping_type, id_map })
}

#[inline]
pub(super) fn clock_offset<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::ClockOffset, WireError> {
    let mut c = *c;
    let time = c.u64()?;
    let offset = c.ci64()?;
    let standard_deviation = c.f64()?;
    Ok(definitions::ClockOffset { time, offset, standard_deviation })
}
