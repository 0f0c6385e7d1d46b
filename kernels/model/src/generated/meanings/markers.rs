// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Meanings of the fields of markers.

use crate::enums::{MarkerScope, MarkerSeverity};
use crate::fields::meaning::{enumeration, number, reference, Field, Meanings};
use crate::markers::MarkerRecord;
use crate::references::ReferenceKind;

impl Meanings for MarkerRecord {
    fn meanings(&self) -> &'static [Field] {
        match self {
            MarkerRecord::DefMarker(_) => {
                const {
                    &[
                        number("id"),
                        number("marker_group"),
                        number("marker_category"),
                        enumeration("severity", |number| MarkerSeverity::from(number).name()),
                    ]
                }
            }
            MarkerRecord::Marker(_) => {
                const {
                    &[
                        number("timestamp"),
                        number("duration"),
                        reference("marker", ReferenceKind::Marker),
                        enumeration("marker_scope", |number| MarkerScope::from(number).name()),
                        number("scope"),
                        number("text"),
                    ]
                }
            }
        }
    }
}
