// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of the marker records, section 16 of the format.

use crate::payload::Payload;
use crate::wire::ByteOrder;
use streamfold_model::markers;

/// Writes the payload of a record of the model, and returns its number on disk.
#[inline]
pub(crate) fn put<O: ByteOrder>(record: &markers::MarkerRecord, to: &mut Payload<'_, O>) -> u8 {
    match record {
        markers::MarkerRecord::DefMarker(record) => {
            put_def_marker(record, to);
            5
        }
        markers::MarkerRecord::Marker(record) => {
            put_marker(record, to);
            6
        }
    }
}

#[inline]
fn put_def_marker<O: ByteOrder>(record: &markers::DefMarker, to: &mut Payload<'_, O>) {
    to.cu32(record.id.0);
    to.string(&record.marker_group);
    to.string(&record.marker_category);
    to.u8(record.severity.into());
}

#[inline]
fn put_marker<O: ByteOrder>(record: &markers::Marker, to: &mut Payload<'_, O>) {
    to.cu64(record.timestamp);
    to.cu64(record.duration);
    to.cu32(record.marker.0);
    to.u8(record.marker_scope.into());
    to.cu64(record.scope);
    to.string(&record.text);
}
