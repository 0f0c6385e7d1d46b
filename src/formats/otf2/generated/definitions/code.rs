// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of definitions of the program: regions, parameters, call paths, calling contexts.

use super::conversions::{region_type_paradigm, region_type_region_flags, region_type_region_role};
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::definitions;
use streamfold_model::enums::{
    Base, InterruptGeneratorMode, Paradigm, ParameterType, RegionFlag, RegionRole, RegionType, Type,
};
use streamfold_model::ids::{
    CallingContextRef, CallpathRef, CallsiteRef, InterruptGeneratorRef, ParameterRef, RegionRef,
    SourceCodeLocationRef, StringRef,
};
use streamfold_model::values::TypedValue;

#[inline]
pub(super) fn region<O: ByteOrder>(c: &Cursor<'_, O>) -> Result<definitions::Region, WireError> {
    let mut c = *c;
    let id = RegionRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let description = StringRef(c.cu32()?);
    let region_type = RegionType::from(c.u8()?);
    let source_file = StringRef(c.cu32()?);
    let begin_line_number = c.cu32()?;
    let end_line_number = c.cu32()?;
    let canonical_name = if c.at_end() { name } else { StringRef(c.cu32()?) };
    let region_role =
        if c.at_end() { region_type_region_role(region_type) } else { RegionRole::from(c.u8()?) };
    let paradigm =
        if c.at_end() { region_type_paradigm(region_type) } else { Paradigm::from(c.u8()?) };
    let region_flags = if c.at_end() {
        region_type_region_flags(region_type)
    } else {
        RegionFlag::from(c.cu32()?)
    };
    Ok(definitions::Region {
        id,
        name,
        description,
        source_file,
        begin_line_number,
        end_line_number,
        canonical_name,
        region_role,
        paradigm,
        region_flags,
    })
}

#[inline]
pub(super) fn callsite<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::Callsite, WireError> {
    let mut c = *c;
    let id = CallsiteRef(c.cu32()?);
    let source_file = StringRef(c.cu32()?);
    let line_number = c.cu32()?;
    let entered_region = RegionRef(c.cu32()?);
    let left_region = RegionRef(c.cu32()?);
    Ok(definitions::Callsite { id, source_file, line_number, entered_region, left_region })
}

#[inline]
pub(super) fn callpath<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::Callpath, WireError> {
    let mut c = *c;
    let id = CallpathRef(c.cu32()?);
    let parent = CallpathRef(c.cu32()?);
    let region = RegionRef(c.cu32()?);
    Ok(definitions::Callpath { id, parent, region })
}

#[inline]
pub(super) fn parameter<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::Parameter, WireError> {
    let mut c = *c;
    let id = ParameterRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let parameter_type = ParameterType::from(c.u8()?);
    Ok(definitions::Parameter { id, name, parameter_type })
}

#[inline]
pub(super) fn source_code_location<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::SourceCodeLocation, WireError> {
    let mut c = *c;
    let id = SourceCodeLocationRef(c.cu32()?);
    let file = StringRef(c.cu32()?);
    let line_number = c.cu32()?;
    Ok(definitions::SourceCodeLocation { id, file, line_number })
}

#[inline]
pub(super) fn calling_context<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::CallingContext, WireError> {
    let mut c = *c;
    let id = CallingContextRef(c.cu32()?);
    let region = RegionRef(c.cu32()?);
    let source_code_location = SourceCodeLocationRef(c.cu32()?);
    let parent = CallingContextRef(c.cu32()?);
    Ok(definitions::CallingContext { id, region, source_code_location, parent })
}

#[inline]
pub(super) fn calling_context_property<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::CallingContextProperty, WireError> {
    let mut c = *c;
    let calling_context = CallingContextRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let value_type = Type::from(c.u8()?);
    let value = c.attribute_value(value_type)?;
    Ok(definitions::CallingContextProperty {
        calling_context,
        name,
        value: TypedValue { value_type, bits: value },
    })
}

#[inline]
pub(super) fn interrupt_generator<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::InterruptGenerator, WireError> {
    let mut c = *c;
    let id = InterruptGeneratorRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let interrupt_generator_mode = InterruptGeneratorMode::from(c.u8()?);
    let base = Base::from(c.u8()?);
    let exponent = c.ci64()?;
    let period = c.cu64()?;
    Ok(definitions::InterruptGenerator {
        id,
        name,
        interrupt_generator_mode,
        base,
        exponent,
        period,
    })
}

#[inline]
pub(super) fn callpath_parameter<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::CallpathParameter, WireError> {
    let mut c = *c;
    let callpath = CallpathRef(c.cu32()?);
    let parameter = ParameterRef(c.cu32()?);
    let value_type = Type::from(c.u8()?);
    let value = c.attribute_value(value_type)?;
    Ok(definitions::CallpathParameter {
        callpath,
        parameter,
        value: TypedValue { value_type, bits: value },
    })
}
