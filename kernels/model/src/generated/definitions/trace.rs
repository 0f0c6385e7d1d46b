// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Definitions of the trace itself: clocks, strings, attributes, paradigms, mappings.

use crate::enums::{MappingType, Paradigm, ParadigmClass, ParadigmProperty, Type};
use crate::ids::{AttributeRef, StringRef};
use crate::values::{IdMap, TypedValue};
use bstr::BString;
use serde::{Deserialize, Serialize};

/// The definition `ClockProperties` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockProperties {
    /// `timerResolution`
    pub timer_resolution: u64,
    /// `globalOffset`
    pub global_offset: u64,
    /// `traceLength`
    pub trace_length: u64,
    /// `realtimeTimestamp`
    pub realtime_timestamp: u64,
}

/// The definition `Paradigm` (since 1.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParadigmDef {
    /// `paradigm`
    pub paradigm: Paradigm,
    /// `name`
    pub name: StringRef,
    /// `paradigmClass`
    pub paradigm_class: ParadigmClass,
}

/// The definition `ParadigmProperty` (since 1.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParadigmPropertyDef {
    /// `paradigm`
    pub paradigm: Paradigm,
    /// `property`
    pub property: ParadigmProperty,
    /// `value`
    pub value: TypedValue,
}

/// The definition `String` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StringDef {
    /// `self`
    pub id: StringRef,
    /// `string`
    pub string: BString,
}

/// The definition `Attribute` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attribute {
    /// `self`
    pub id: AttributeRef,
    /// `name`
    pub name: StringRef,
    /// `type`
    pub value_type: Type,
    /// `description`
    pub description: StringRef,
}

/// The definition `MappingTable` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MappingTable {
    /// `mappingType`
    pub mapping_type: MappingType,
    /// `idMap`
    pub id_map: IdMap,
}

/// The definition `ClockOffset` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockOffset {
    /// `time`
    pub time: u64,
    /// `offset`
    pub offset: i64,
    /// `standardDeviation`
    pub standard_deviation: f64,
}
