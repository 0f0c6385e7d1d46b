// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of events of the program: regions, calling contexts, parameters, metrics, recording.

use crate::mapping::Mappings;
use crate::payload::Payload;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::MappingType;
use streamfold_model::events;

#[inline]
pub(super) fn put_buffer_flush<O: ByteOrder>(
    record: &events::BufferFlush,
    to: &mut Payload<'_, O>,
) {
    to.u64(record.stop_time.0);
}

#[inline]
pub(super) fn copy_buffer_flush<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u64(c.u64()?);
    Ok(())
}

#[inline]
pub(super) fn put_measurement_on_off<O: ByteOrder>(
    record: &events::MeasurementOnOff,
    to: &mut Payload<'_, O>,
) {
    to.u8(record.measurement_mode.into());
}

#[inline]
pub(super) fn copy_measurement_on_off<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.u8(c.u8()?);
    Ok(())
}

#[inline]
pub(super) fn put_enter<O: ByteOrder>(record: &events::Enter, to: &mut Payload<'_, O>) {
    to.cu32(record.region.0);
}

#[inline]
pub(super) fn copy_enter<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Region, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_leave<O: ByteOrder>(record: &events::Leave, to: &mut Payload<'_, O>) {
    to.cu32(record.region.0);
}

#[inline]
pub(super) fn copy_leave<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Region, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_metric<O: ByteOrder>(record: &events::Metric<'_>, to: &mut Payload<'_, O>) {
    to.cu32(record.metric.0);
    to.count_u8(record.values.len());
    for value in record.values {
        to.u8(value.value_type.into());
        to.cu64(value.bits);
    }
}

#[inline]
pub(super) fn copy_metric<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Metric, c.cu32()?));
    let number_of_metrics = c.u8()?;
    to.u8(number_of_metrics);
    let number_of_metrics = c.count(number_of_metrics, 2)?;
    for _ in 0..number_of_metrics {
        to.u8(c.u8()?);
        to.cu64(c.cu64()?);
    }
    Ok(())
}

#[inline]
pub(super) fn put_parameter_string<O: ByteOrder>(
    record: &events::ParameterString,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.parameter.0);
    to.cu32(record.string.0);
}

#[inline]
pub(super) fn copy_parameter_string<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Parameter, c.cu32()?));
    to.cu32(maps.map32(MappingType::String, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_parameter_int<O: ByteOrder>(
    record: &events::ParameterInt,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.parameter.0);
    to.ci64(record.value);
}

#[inline]
pub(super) fn copy_parameter_int<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Parameter, c.cu32()?));
    to.ci64(c.ci64()?);
    Ok(())
}

#[inline]
pub(super) fn put_parameter_unsigned_int<O: ByteOrder>(
    record: &events::ParameterUnsignedInt,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.parameter.0);
    to.cu64(record.value);
}

#[inline]
pub(super) fn copy_parameter_unsigned_int<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::Parameter, c.cu32()?));
    to.cu64(c.cu64()?);
    Ok(())
}

#[inline]
pub(super) fn put_calling_context_enter<O: ByteOrder>(
    record: &events::CallingContextEnter,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.calling_context.0);
    to.cu32(record.unwind_distance);
}

#[inline]
pub(super) fn copy_calling_context_enter<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::CallingContext, c.cu32()?));
    to.cu32(c.cu32()?);
    Ok(())
}

#[inline]
pub(super) fn put_calling_context_leave<O: ByteOrder>(
    record: &events::CallingContextLeave,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.calling_context.0);
}

#[inline]
pub(super) fn copy_calling_context_leave<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::CallingContext, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_calling_context_sample<O: ByteOrder>(
    record: &events::CallingContextSample,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.calling_context.0);
    to.cu32(record.unwind_distance);
    to.cu32(record.interrupt_generator.0);
}

#[inline]
pub(super) fn copy_calling_context_sample<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::CallingContext, c.cu32()?));
    to.cu32(c.cu32()?);
    to.cu32(maps.map32(MappingType::InterruptGenerator, c.cu32()?));
    Ok(())
}

#[inline]
pub(super) fn put_program_begin<O: ByteOrder>(
    record: &events::ProgramBegin<'_>,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.program_name.0);
    to.count_cu32(record.program_arguments.len());
    for item in record.program_arguments {
        to.cu32(item.0);
    }
}

#[inline]
pub(super) fn copy_program_begin<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    maps: &Mappings,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu32(maps.map32(MappingType::String, c.cu32()?));
    let number_of_arguments = c.cu32()?;
    to.cu32(number_of_arguments);
    let number_of_arguments = c.count(number_of_arguments, 1)?;
    for _ in 0..number_of_arguments {
        to.cu32(maps.map32(MappingType::String, c.cu32()?));
    }
    Ok(())
}

#[inline]
pub(super) fn put_program_end<O: ByteOrder>(record: &events::ProgramEnd, to: &mut Payload<'_, O>) {
    to.ci64(record.exit_status);
}

#[inline]
pub(super) fn copy_program_end<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.ci64(c.ci64()?);
    Ok(())
}
