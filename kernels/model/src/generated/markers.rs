// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Marks that people or tools leave in a trace.

use crate::enums::{MarkerScope, MarkerSeverity};
use crate::ids::MarkerRef;
use bstr::BString;
use serde::{Deserialize, Serialize};

/// The marker `DefMarker` (since 1.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Eq)]
pub struct DefMarker {
    /// `self`
    pub id: MarkerRef,
    /// `markerGroup`
    pub marker_group: BString,
    /// `markerCategory`
    pub marker_category: BString,
    /// `severity`
    pub severity: MarkerSeverity,
}

/// The marker `Marker` (since 1.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Eq)]
pub struct Marker {
    /// `timestamp`
    pub timestamp: u64,
    /// `duration`
    pub duration: u64,
    /// `marker`
    pub marker: MarkerRef,
    /// `markerScope`
    pub marker_scope: MarkerScope,
    /// `scope`
    pub scope: u64,
    /// `text`
    pub text: BString,
}

/// Any marker record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Eq)]
pub enum MarkerRecord {
    /// [`DefMarker`]
    DefMarker(DefMarker),
    /// [`Marker`]
    Marker(Marker),
}
