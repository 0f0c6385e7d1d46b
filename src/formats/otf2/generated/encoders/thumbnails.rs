// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of the thumbnail records, section 17.2 of the format.

use crate::payload::Payload;
use crate::wire::ByteOrder;
use streamfold_model::thumbnails;

/// Writes the payload of a record of the model, and returns its number on disk.
#[inline]
pub(crate) fn put<O: ByteOrder>(record: &thumbnails::Thumbnail, to: &mut Payload<'_, O>) -> u8 {
    match record {
        thumbnails::Thumbnail::ThumbnailHeader(record) => {
            put_thumbnail_header(record, to);
            10
        }
        thumbnails::Thumbnail::ThumbnailSample(record) => {
            put_thumbnail_sample(record, to);
            11
        }
    }
}

#[inline]
fn put_thumbnail_header<O: ByteOrder>(
    record: &thumbnails::ThumbnailHeader,
    to: &mut Payload<'_, O>,
) {
    to.string(&record.name);
    to.string(&record.description);
    to.u8(record.thumbnail_type.into());
    to.cu32(record.number_of_samples);
    to.count_cu32(record.refs_to_defs.len());
    for item in &record.refs_to_defs {
        to.cu64(*item);
    }
}

#[inline]
fn put_thumbnail_sample<O: ByteOrder>(
    record: &thumbnails::ThumbnailSample,
    to: &mut Payload<'_, O>,
) {
    to.cu64(record.baseline);
    to.count_cu32(record.metric_samples.len());
    for item in &record.metric_samples {
        to.cu64(*item);
    }
}
