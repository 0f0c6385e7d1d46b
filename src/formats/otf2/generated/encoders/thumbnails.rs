// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of the thumbnail records, section 17.2 of the format.

use crate::payload::Payload;
use crate::wire::{ByteOrder, Cursor, WireError};
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

/// Reads the payload of the record `id` and writes it anew, with the fields that it has; what
/// stands behind the fields that are known is left. `false`: the id is not known.
#[inline]
pub(crate) fn copy<O: ByteOrder, P: ByteOrder>(
    id: u8,
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<bool, WireError> {
    match id {
        10 => copy_thumbnail_header(c, to)?,
        11 => copy_thumbnail_sample(c, to)?,
        _ => return Ok(false),
    }
    Ok(true)
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
fn copy_thumbnail_header<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.string(c.string()?);
    to.string(c.string()?);
    to.u8(c.u8()?);
    to.cu32(c.cu32()?);
    let number_of_metrics = c.cu32()?;
    to.cu32(number_of_metrics);
    let number_of_metrics = c.count(number_of_metrics, 1)?;
    for _ in 0..number_of_metrics {
        to.cu64(c.cu64()?);
    }
    Ok(())
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

#[inline]
fn copy_thumbnail_sample<O: ByteOrder, P: ByteOrder>(
    c: &mut Cursor<'_, O>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    to.cu64(c.cu64()?);
    let number_of_metrics = c.cu32()?;
    to.cu32(number_of_metrics);
    let number_of_metrics = c.count(number_of_metrics, 1)?;
    for _ in 0..number_of_metrics {
        to.cu64(c.cu64()?);
    }
    Ok(())
}
