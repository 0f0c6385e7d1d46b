// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Definitions of metrics and who records them.

use crate::enums::{
    Base, MetricMode, MetricOccurrence, MetricScope, MetricType, RecorderKind, Type,
};
use crate::ids::{LocationRef, MetricMemberRef, MetricRef, StringRef};
use serde::{Deserialize, Serialize};

/// The definition `MetricMember` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricMember {
    /// `self`
    pub id: MetricMemberRef,
    /// `name`
    pub name: StringRef,
    /// `description`
    pub description: StringRef,
    /// `metricType`
    pub metric_type: MetricType,
    /// `metricMode`
    pub metric_mode: MetricMode,
    /// `valueType`
    pub value_type: Type,
    /// `base`
    pub base: Base,
    /// `exponent`
    pub exponent: i64,
    /// `unit`
    pub unit: StringRef,
}

/// The definition `MetricClass` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricClass {
    /// `self`
    pub id: MetricRef,
    /// `metricMembers`
    pub metric_members: Vec<MetricMemberRef>,
    /// `metricOccurrence`
    pub metric_occurrence: MetricOccurrence,
    /// `recorderKind`
    pub recorder_kind: RecorderKind,
}

/// The definition `MetricInstance` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricInstance {
    /// `self`
    pub id: MetricRef,
    /// `metricClass`
    pub metric_class: MetricRef,
    /// `recorder`
    pub recorder: LocationRef,
    /// `metricScope`
    pub metric_scope: MetricScope,
    /// `scope`
    pub scope: u64,
}

/// The definition `MetricClassRecorder` (since 1.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricClassRecorder {
    /// `metric`
    pub metric: MetricRef,
    /// `recorder`
    pub recorder: LocationRef,
}
