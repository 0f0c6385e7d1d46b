// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Enumerations and flags of metrics and who records them.

use crate::macros::enumeration;

enumeration! {
    /// `MetricOccurrence` of the format.
    MetricOccurrence: u8 {
    SynchronousStrict = 0 "SYNCHRONOUS_STRICT",
    Synchronous = 1 "SYNCHRONOUS",
    Asynchronous = 2 "ASYNCHRONOUS",
} }

enumeration! {
    /// `MetricType` of the format.
    MetricType: u8 {
    Other = 0 "OTHER",
    Papi = 1 "PAPI",
    Rusage = 2 "RUSAGE",
    User = 3 "USER",
} }

enumeration! {
    /// `MetricValueProperty` of the format.
    MetricValueProperty: u8 {
    Accumulated = 0 "ACCUMULATED",
    Absolute = 1 "ABSOLUTE",
    Relative = 2 "RELATIVE",
} }

enumeration! {
    /// `MetricTiming` of the format.
    MetricTiming: u8 {
    Start = 0 "START",
    Point = 16 "POINT",
    Last = 32 "LAST",
    Next = 48 "NEXT",
} }

enumeration! {
    /// `MetricMode` of the format.
    MetricMode: u8 {
    AccumulatedStart = 0 "ACCUMULATED_START",
    AccumulatedPoint = 16 "ACCUMULATED_POINT",
    AccumulatedLast = 32 "ACCUMULATED_LAST",
    AccumulatedNext = 48 "ACCUMULATED_NEXT",
    AbsolutePoint = 17 "ABSOLUTE_POINT",
    AbsoluteLast = 33 "ABSOLUTE_LAST",
    AbsoluteNext = 49 "ABSOLUTE_NEXT",
    RelativePoint = 18 "RELATIVE_POINT",
    RelativeLast = 34 "RELATIVE_LAST",
    RelativeNext = 50 "RELATIVE_NEXT",
} }

enumeration! {
    /// `MetricScope` of the format.
    MetricScope: u8 {
    Location = 0 "LOCATION",
    LocationGroup = 1 "LOCATION_GROUP",
    SystemTreeNode = 2 "SYSTEM_TREE_NODE",
    Group = 3 "GROUP",
} }

enumeration! {
    /// `RecorderKind` of the format.
    RecorderKind: u8 {
    Unknown = 0 "UNKNOWN",
    Abstract = 1 "ABSTRACT",
    Cpu = 2 "CPU",
    Gpu = 3 "GPU",
} }
