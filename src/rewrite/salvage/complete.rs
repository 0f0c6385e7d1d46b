//! Checks that snapshots and thumbnails have all records that they announce.

use streamfold_model::snapshots::Snapshot;
use streamfold_model::thumbnails::Thumbnail;

/// The snapshots of a location: each has a begin, as many records as that announces, and an end.
#[derive(Debug, Default)]
pub(super) struct Snapshots {
    /// Records that are still to come in the snapshot that is open.
    missing: Option<u64>,
    is_torn: bool,
}

impl Snapshots {
    /// The next record.
    pub(super) fn take(&mut self, record: &Snapshot<'_>) {
        let fits = match record {
            Snapshot::SnapshotStart(start) => {
                self.missing.replace(start.number_of_records).is_none()
            }
            Snapshot::SnapshotEnd(_) => self.missing.take() == Some(0),
            _ => self.missing_one_less(),
        };
        self.is_torn |= !fits;
    }

    /// A record of a kind that this version does not know.
    pub(super) fn take_unknown(&mut self) {
        self.is_torn |= !self.missing_one_less();
    }

    fn missing_one_less(&mut self) -> bool {
        let less = self.missing.and_then(|missing| missing.checked_sub(1));
        self.missing = less.or(self.missing);
        less.is_some()
    }

    /// Nothing follows: whether all are whole.
    pub(super) fn end(&self) -> bool {
        !self.is_torn && self.missing.is_none()
    }
}

/// A thumbnail: a header, and as many samples with as many values as it announces.
#[derive(Debug, Default)]
pub(super) struct Samples {
    /// How many, and of how many values.
    header: Option<(u64, usize)>,
    samples: u64,
    is_torn: bool,
}

impl Samples {
    /// The next record.
    pub(super) fn take(&mut self, record: &Thumbnail) {
        match record {
            Thumbnail::ThumbnailHeader(header) => {
                let announced = (header.number_of_samples.into(), header.refs_to_defs.len());
                self.is_torn |= self.header.replace(announced).is_some() || self.samples > 0;
            }
            Thumbnail::ThumbnailSample(sample) => {
                let values = sample.metric_samples.len();
                self.is_torn |= self.header.is_none_or(|header| header.1 != values);
                self.samples += 1;
            }
        }
    }

    /// Nothing follows: whether it is whole.
    pub(super) fn end(&self) -> bool {
        !self.is_torn && self.header.is_some_and(|header| header.0 == self.samples)
    }
}
