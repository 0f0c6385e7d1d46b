// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of events of the program: regions, calling contexts, parameters, metrics, recording.

use crate::clock::Stamps;
use crate::generated::Scratch;
use crate::mapping::Mappings;
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::{MappingType, MeasurementMode, Type};
use streamfold_model::events;
use streamfold_model::ids::{
    CallingContextRef, InterruptGeneratorRef, MetricRef, ParameterRef, RegionRef, StringRef,
};
use streamfold_model::values::{Ticks, TypedValue};

#[inline]
pub(super) fn buffer_flush<O: ByteOrder>(
    c: &Cursor<'_, O>,
    stamps: &mut Stamps,
) -> Result<events::BufferFlush, WireError> {
    let mut c = *c;
    let stop_time = stamps.correct(Ticks(c.u64()?));
    Ok(events::BufferFlush { stop_time })
}

#[inline]
pub(super) fn measurement_on_off<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::MeasurementOnOff, WireError> {
    let mut c = *c;
    let measurement_mode = MeasurementMode::from(c.u8()?);
    Ok(events::MeasurementOnOff { measurement_mode })
}

#[inline]
pub(super) fn enter<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::Enter, WireError> {
    let mut c = *c;
    let region = RegionRef(maps.map32(MappingType::Region, c.cu32()?));
    Ok(events::Enter { region })
}

#[inline]
pub(super) fn leave<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::Leave, WireError> {
    let mut c = *c;
    let region = RegionRef(maps.map32(MappingType::Region, c.cu32()?));
    Ok(events::Leave { region })
}

#[inline]
pub(super) fn metric<'s, O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
    scratch: &'s mut Scratch,
) -> Result<events::Metric<'s>, WireError> {
    let mut c = *c;
    let metric = MetricRef(maps.map32(MappingType::Metric, c.cu32()?));
    let number_of_metrics = c.u8()?;
    let number_of_metrics = c.count(number_of_metrics, 2)?;
    scratch.values.clear();
    for _ in 0..number_of_metrics {
        let item = TypedValue { value_type: Type::from(c.u8()?), bits: c.cu64()? };
        scratch.values.push(item);
    }
    let values = scratch.values.as_slice();
    Ok(events::Metric { metric, values })
}

#[inline]
pub(super) fn parameter_string<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ParameterString, WireError> {
    let mut c = *c;
    let parameter = ParameterRef(maps.map32(MappingType::Parameter, c.cu32()?));
    let string = StringRef(maps.map32(MappingType::String, c.cu32()?));
    Ok(events::ParameterString { parameter, string })
}

#[inline]
pub(super) fn parameter_int<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ParameterInt, WireError> {
    let mut c = *c;
    let parameter = ParameterRef(maps.map32(MappingType::Parameter, c.cu32()?));
    let value = c.ci64()?;
    Ok(events::ParameterInt { parameter, value })
}

#[inline]
pub(super) fn parameter_unsigned_int<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::ParameterUnsignedInt, WireError> {
    let mut c = *c;
    let parameter = ParameterRef(maps.map32(MappingType::Parameter, c.cu32()?));
    let value = c.cu64()?;
    Ok(events::ParameterUnsignedInt { parameter, value })
}

#[inline]
pub(super) fn calling_context_enter<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::CallingContextEnter, WireError> {
    let mut c = *c;
    let calling_context = CallingContextRef(maps.map32(MappingType::CallingContext, c.cu32()?));
    let unwind_distance = c.cu32()?;
    Ok(events::CallingContextEnter { calling_context, unwind_distance })
}

#[inline]
pub(super) fn calling_context_leave<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::CallingContextLeave, WireError> {
    let mut c = *c;
    let calling_context = CallingContextRef(maps.map32(MappingType::CallingContext, c.cu32()?));
    Ok(events::CallingContextLeave { calling_context })
}

#[inline]
pub(super) fn calling_context_sample<O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
) -> Result<events::CallingContextSample, WireError> {
    let mut c = *c;
    let calling_context = CallingContextRef(maps.map32(MappingType::CallingContext, c.cu32()?));
    let unwind_distance = c.cu32()?;
    let interrupt_generator =
        InterruptGeneratorRef(maps.map32(MappingType::InterruptGenerator, c.cu32()?));
    Ok(events::CallingContextSample { calling_context, unwind_distance, interrupt_generator })
}

#[inline]
pub(super) fn program_begin<'s, O: ByteOrder>(
    c: &Cursor<'_, O>,
    maps: &Mappings,
    scratch: &'s mut Scratch,
) -> Result<events::ProgramBegin<'s>, WireError> {
    let mut c = *c;
    let program_name = StringRef(maps.map32(MappingType::String, c.cu32()?));
    let number_of_arguments = c.cu32()?;
    let number_of_arguments = c.count(number_of_arguments, 1)?;
    scratch.strings.clear();
    for _ in 0..number_of_arguments {
        let item = StringRef(maps.map32(MappingType::String, c.cu32()?));
        scratch.strings.push(item);
    }
    let program_arguments = scratch.strings.as_slice();
    Ok(events::ProgramBegin { program_name, program_arguments })
}

#[inline]
pub(super) fn program_end<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<events::ProgramEnd, WireError> {
    let mut c = *c;
    let exit_status = c.ci64()?;
    Ok(events::ProgramEnd { exit_status })
}
