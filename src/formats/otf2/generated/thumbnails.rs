// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of the thumbnail records, section 17.2 of the format.

use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::enums::ThumbnailType;
use streamfold_model::thumbnails;

#[inline]
pub(super) fn thumbnail_header<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<thumbnails::ThumbnailHeader, WireError> {
    let mut c = *c;
    let name = c.string()?.into();
    let description = c.string()?.into();
    let thumbnail_type = ThumbnailType::from(c.u8()?);
    let number_of_samples = c.cu32()?;
    let number_of_metrics = c.cu32()?;
    let number_of_metrics = c.count(number_of_metrics, 1)?;
    let mut refs_to_defs = Vec::with_capacity(number_of_metrics);
    for _ in 0..number_of_metrics {
        refs_to_defs.push(c.cu64()?);
    }
    Ok(thumbnails::ThumbnailHeader {
        name,
        description,
        thumbnail_type,
        number_of_samples,
        refs_to_defs,
    })
}

#[inline]
pub(super) fn thumbnail_sample<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<thumbnails::ThumbnailSample, WireError> {
    let mut c = *c;
    let baseline = c.cu64()?;
    let number_of_metrics = c.cu32()?;
    let number_of_metrics = c.count(number_of_metrics, 1)?;
    let mut metric_samples = Vec::with_capacity(number_of_metrics);
    for _ in 0..number_of_metrics {
        metric_samples.push(c.cu64()?);
    }
    Ok(thumbnails::ThumbnailSample { baseline, metric_samples })
}

/// Decodes the payload of the record `id`; `None`: the id is not known.
pub(crate) fn decode<O: ByteOrder>(
    id: u8,
    c: &Cursor<'_, O>,
) -> Result<Option<thumbnails::Thumbnail>, WireError> {
    Ok(Some(match id {
        10 => thumbnails::Thumbnail::ThumbnailHeader(thumbnail_header(c)?),
        11 => thumbnails::Thumbnail::ThumbnailSample(thumbnail_sample(c)?),
        _ => return Ok(None),
    }))
}
