// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Definitions of the program: regions, parameters, call paths, calling contexts.

use crate::enums::{Base, InterruptGeneratorMode, Paradigm, ParameterType, RegionFlag, RegionRole};
use crate::ids::{
    CallingContextRef, CallpathRef, CallsiteRef, InterruptGeneratorRef, ParameterRef, RegionRef,
    SourceCodeLocationRef, StringRef,
};
use crate::values::TypedValue;
use serde::{Deserialize, Serialize};

/// The definition `Region` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// `self`
    pub id: RegionRef,
    /// `name`
    pub name: StringRef,
    /// `description`
    pub description: StringRef,
    /// `sourceFile`
    pub source_file: StringRef,
    /// `beginLineNumber`
    pub begin_line_number: u32,
    /// `endLineNumber`
    pub end_line_number: u32,
    /// `canonicalName`
    pub canonical_name: StringRef,
    /// `regionRole`
    pub region_role: RegionRole,
    /// `paradigm`
    pub paradigm: Paradigm,
    /// `regionFlags`
    pub region_flags: RegionFlag,
}

/// The definition `Callsite` (since 1.0, deprecated since 2.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Callsite {
    /// `self`
    pub id: CallsiteRef,
    /// `sourceFile`
    pub source_file: StringRef,
    /// `lineNumber`
    pub line_number: u32,
    /// `enteredRegion`
    pub entered_region: RegionRef,
    /// `leftRegion`
    pub left_region: RegionRef,
}

/// The definition `Callpath` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Callpath {
    /// `self`
    pub id: CallpathRef,
    /// `parent`
    pub parent: CallpathRef,
    /// `region`
    pub region: RegionRef,
}

/// The definition `Parameter` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// `self`
    pub id: ParameterRef,
    /// `name`
    pub name: StringRef,
    /// `parameterType`
    pub parameter_type: ParameterType,
}

/// The definition `SourceCodeLocation` (since 1.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceCodeLocation {
    /// `self`
    pub id: SourceCodeLocationRef,
    /// `file`
    pub file: StringRef,
    /// `lineNumber`
    pub line_number: u32,
}

/// The definition `CallingContext` (since 1.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallingContext {
    /// `self`
    pub id: CallingContextRef,
    /// `region`
    pub region: RegionRef,
    /// `sourceCodeLocation`
    pub source_code_location: SourceCodeLocationRef,
    /// `parent`
    pub parent: CallingContextRef,
}

/// The definition `CallingContextProperty` (since 2.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallingContextProperty {
    /// `callingContext`
    pub calling_context: CallingContextRef,
    /// `name`
    pub name: StringRef,
    /// `value`
    pub value: TypedValue,
}

/// The definition `InterruptGenerator` (since 1.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InterruptGenerator {
    /// `self`
    pub id: InterruptGeneratorRef,
    /// `name`
    pub name: StringRef,
    /// `interruptGeneratorMode`
    pub interrupt_generator_mode: InterruptGeneratorMode,
    /// `base`
    pub base: Base,
    /// `exponent`
    pub exponent: i64,
    /// `period`
    pub period: u64,
}

/// The definition `CallpathParameter` (since 2.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallpathParameter {
    /// `callpath`
    pub callpath: CallpathRef,
    /// `parameter`
    pub parameter: ParameterRef,
    /// `value`
    pub value: TypedValue,
}
