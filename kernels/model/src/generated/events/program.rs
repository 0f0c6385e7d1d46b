// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Events of the program: regions, calling contexts, parameters, metrics, recording.

use crate::enums::MeasurementMode;
use crate::ids::{
    CallingContextRef, InterruptGeneratorRef, MetricRef, ParameterRef, RegionRef, StringRef,
};
use crate::values::{Ticks, TypedValue};

/// The event `BufferFlush` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferFlush {
    /// `stopTime`
    pub stop_time: Ticks,
}

/// The event `MeasurementOnOff` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasurementOnOff {
    /// `measurementMode`
    pub measurement_mode: MeasurementMode,
}

/// The event `Enter` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enter {
    /// `region`, global
    pub region: RegionRef,
}

/// The event `Leave` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leave {
    /// `region`, global
    pub region: RegionRef,
}

/// The event `Metric` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric<'a> {
    /// `metric`, global
    pub metric: MetricRef,
    /// `metricValues`
    pub values: &'a [TypedValue],
}

/// The event `ParameterString` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterString {
    /// `parameter`, global
    pub parameter: ParameterRef,
    /// `string`, global
    pub string: StringRef,
}

/// The event `ParameterInt` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterInt {
    /// `parameter`, global
    pub parameter: ParameterRef,
    /// `value`
    pub value: i64,
}

/// The event `ParameterUnsignedInt` (since 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterUnsignedInt {
    /// `parameter`, global
    pub parameter: ParameterRef,
    /// `value`
    pub value: u64,
}

/// The event `CallingContextEnter` (since 2.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallingContextEnter {
    /// `callingContext`, global
    pub calling_context: CallingContextRef,
    /// `unwindDistance`
    pub unwind_distance: u32,
}

/// The event `CallingContextLeave` (since 2.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallingContextLeave {
    /// `callingContext`, global
    pub calling_context: CallingContextRef,
}

/// The event `CallingContextSample` (since 1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallingContextSample {
    /// `callingContext`, global
    pub calling_context: CallingContextRef,
    /// `unwindDistance`
    pub unwind_distance: u32,
    /// `interruptGenerator`, global
    pub interrupt_generator: InterruptGeneratorRef,
}

/// The event `ProgramBegin` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramBegin<'a> {
    /// `programName`, global
    pub program_name: StringRef,
    /// `programArguments`, global
    pub program_arguments: &'a [StringRef],
}

/// The event `ProgramEnd` (since 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramEnd {
    /// `exitStatus`
    pub exit_status: i64,
}
