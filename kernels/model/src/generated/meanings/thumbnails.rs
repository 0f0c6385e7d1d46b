// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Meanings of the fields of thumbnails.

use crate::enums::ThumbnailType;
use crate::fields::meaning::{enumeration, number, Field, Meanings};
use crate::thumbnails::Thumbnail;

impl Meanings for Thumbnail {
    fn meanings(&self) -> &'static [Field] {
        match self {
            Thumbnail::ThumbnailHeader(_) => {
                const {
                    &[
                        number("name"),
                        number("description"),
                        enumeration("type", |number| ThumbnailType::from(number).name()),
                        number("number_of_samples"),
                        number("number_of_metrics"),
                        number("refs_to_defs"),
                    ]
                }
            }
            Thumbnail::ThumbnailSample(_) => {
                const { &[number("baseline"), number("number_of_metrics"), number("metric_samples")] }
            }
        }
    }
}
