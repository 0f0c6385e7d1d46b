// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of definitions of the program: regions, parameters, call paths, calling contexts.

use crate::generated::encoders::older::older_region_type;
use crate::payload::Payload;
use crate::wire::ByteOrder;
use streamfold_model::definitions;

#[inline]
pub(super) fn put_region<O: ByteOrder>(record: &definitions::Region, to: &mut Payload<'_, O>) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.cu32(record.description.0);
    to.u8(older_region_type(record).into());
    to.cu32(record.source_file.0);
    to.cu32(record.begin_line_number);
    to.cu32(record.end_line_number);
    to.cu32(record.canonical_name.0);
    to.u8(record.region_role.into());
    to.u8(record.paradigm.into());
    to.cu32(record.region_flags.into());
}

#[inline]
pub(super) fn put_callsite<O: ByteOrder>(record: &definitions::Callsite, to: &mut Payload<'_, O>) {
    to.cu32(record.id.0);
    to.cu32(record.source_file.0);
    to.cu32(record.line_number);
    to.cu32(record.entered_region.0);
    to.cu32(record.left_region.0);
}

#[inline]
pub(super) fn put_callpath<O: ByteOrder>(record: &definitions::Callpath, to: &mut Payload<'_, O>) {
    to.cu32(record.id.0);
    to.cu32(record.parent.0);
    to.cu32(record.region.0);
}

#[inline]
pub(super) fn put_parameter<O: ByteOrder>(
    record: &definitions::Parameter,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.u8(record.parameter_type.into());
}

#[inline]
pub(super) fn put_source_code_location<O: ByteOrder>(
    record: &definitions::SourceCodeLocation,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.file.0);
    to.cu32(record.line_number);
}

#[inline]
pub(super) fn put_calling_context<O: ByteOrder>(
    record: &definitions::CallingContext,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.region.0);
    to.cu32(record.source_code_location.0);
    to.cu32(record.parent.0);
}

#[inline]
pub(super) fn put_calling_context_property<O: ByteOrder>(
    record: &definitions::CallingContextProperty,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.calling_context.0);
    to.cu32(record.name.0);
    to.u8(record.value.value_type.into());
    to.attribute_value(record.value);
}

#[inline]
pub(super) fn put_interrupt_generator<O: ByteOrder>(
    record: &definitions::InterruptGenerator,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.u8(record.interrupt_generator_mode.into());
    to.u8(record.base.into());
    to.ci64(record.exponent);
    to.cu64(record.period);
}

#[inline]
pub(super) fn put_callpath_parameter<O: ByteOrder>(
    record: &definitions::CallpathParameter,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.callpath.0);
    to.cu32(record.parameter.0);
    to.u8(record.value.value_type.into());
    to.attribute_value(record.value);
}
