// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! The fields of thumbnails, in the order in which they are stored.

use crate::fields::FieldValue::{List, Text, Unsigned};
use crate::fields::{FieldValue, Record};
use crate::thumbnails::Thumbnail;

impl Record for Thumbnail {
    fn record_name(&self) -> &'static str {
        match self {
            Thumbnail::ThumbnailHeader(_) => "ThumbnailHeader",
            Thumbnail::ThumbnailSample(_) => "ThumbnailSample",
        }
    }

    fn each_field(&self, each: &mut dyn FnMut(&'static str, FieldValue<'_>)) {
        match self {
            Thumbnail::ThumbnailHeader(r) => {
                each("name", Text(r.name.as_ref()));
                each("description", Text(r.description.as_ref()));
                each("type", Unsigned(u8::from(r.thumbnail_type).into()));
                each("numberOfSamples", Unsigned(r.number_of_samples.into()));
                each("numberOfMetrics", Unsigned(r.refs_to_defs.len() as u64));
                each("refsToDefs", List(&mut r.refs_to_defs.iter().copied()));
            }
            Thumbnail::ThumbnailSample(r) => {
                each("baseline", Unsigned(r.baseline));
                each("numberOfMetrics", Unsigned(r.metric_samples.len() as u64));
                each("metricSamples", List(&mut r.metric_samples.iter().copied()));
            }
        }
    }
}
