// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Coarse pictures of a trace over time.

use crate::enums::ThumbnailType;
use bstr::BString;
use serde::{Deserialize, Serialize};

/// The thumbnail `ThumbnailHeader` (since 1.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Eq)]
pub struct ThumbnailHeader {
    /// `name`
    pub name: BString,
    /// `description`
    pub description: BString,
    /// `type`
    pub thumbnail_type: ThumbnailType,
    /// `numberOfSamples`
    pub number_of_samples: u32,
    /// `refsToDefs`
    pub refs_to_defs: Vec<u64>,
}

/// The thumbnail `ThumbnailSample` (since 1.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Eq)]
pub struct ThumbnailSample {
    /// `baseline`
    pub baseline: u64,
    /// `metricSamples`
    pub metric_samples: Vec<u64>,
}

/// Any thumbnail record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Eq)]
pub enum Thumbnail {
    /// [`ThumbnailHeader`]
    ThumbnailHeader(ThumbnailHeader),
    /// [`ThumbnailSample`]
    ThumbnailSample(ThumbnailSample),
}
