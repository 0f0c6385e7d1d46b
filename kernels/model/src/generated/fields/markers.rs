// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! The fields of markers, in the order in which they are stored.

use crate::fields::FieldValue::{Text, Unsigned};
use crate::fields::{FieldValue, Record};
use crate::markers::MarkerRecord;

impl Record for MarkerRecord {
    fn record_name(&self) -> &'static str {
        match self {
            MarkerRecord::DefMarker(_) => "DefMarker",
            MarkerRecord::Marker(_) => "Marker",
        }
    }

    fn each_field(&self, each: &mut dyn FnMut(&'static str, FieldValue<'_>)) {
        match self {
            MarkerRecord::DefMarker(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("markerGroup", Text(r.marker_group.as_ref()));
                each("markerCategory", Text(r.marker_category.as_ref()));
                each("severity", Unsigned(u8::from(r.severity).into()));
            }
            MarkerRecord::Marker(r) => {
                each("timestamp", Unsigned(r.timestamp));
                each("duration", Unsigned(r.duration));
                each("marker", Unsigned(r.marker.0.into()));
                each("markerScope", Unsigned(u8::from(r.marker_scope).into()));
                each("scope", Unsigned(r.scope));
                each("text", Text(r.text.as_ref()));
            }
        }
    }
}
