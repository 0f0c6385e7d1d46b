// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! References in the fields of markers.

use crate::markers::MarkerRecord;
use crate::references::{ReferenceKind, References};

impl References for MarkerRecord {
    #[inline]
    fn each_reference(&self, mut each: impl FnMut(&'static str, ReferenceKind, u64)) {
        match self {
            MarkerRecord::Marker(r) => {
                each("marker", ReferenceKind::Marker, u64::from(r.marker.0));
            }
            MarkerRecord::DefMarker(..) => {}
        }
    }
}
