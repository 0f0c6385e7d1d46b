// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of the marker records, section 16 of the format.

use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::{MarkerScope, MarkerSeverity};
use streamfold_model::ids::MarkerRef;
use streamfold_model::markers;

#[inline]
pub(super) fn def_marker<O: ByteOrder>(c: &Cursor<'_, O>) -> Result<markers::DefMarker, WireError> {
    let mut c = *c;
    let id = MarkerRef(c.cu32()?);
    let marker_group = c.string()?.into();
    let marker_category = c.string()?.into();
    let severity = MarkerSeverity::from(c.u8()?);
    Ok(markers::DefMarker { id, marker_group, marker_category, severity })
}

#[inline]
pub(super) fn marker<O: ByteOrder>(c: &Cursor<'_, O>) -> Result<markers::Marker, WireError> {
    let mut c = *c;
    let timestamp = c.cu64()?;
    let duration = c.cu64()?;
    let marker = MarkerRef(c.cu32()?);
    let marker_scope = MarkerScope::from(c.u8()?);
    let scope = c.cu64()?;
    let text = c.string()?.into();
    Ok(markers::Marker { timestamp, duration, marker, marker_scope, scope, text })
}

/// Decodes the payload of the record `id`; `None`: the id is not known.
pub(crate) fn decode<O: ByteOrder>(
    id: u8,
    c: &Cursor<'_, O>,
) -> Result<Option<markers::MarkerRecord>, WireError> {
    Ok(Some(match id {
        5 => markers::MarkerRecord::DefMarker(def_marker(c)?),
        6 => markers::MarkerRecord::Marker(marker(c)?),
        _ => return Ok(None),
    }))
}
