//! Thumbnail files, section 17.2.

use streamfold_model::thumbnails::Thumbnail;

use super::chunk::Ending;
use super::error::Error;
use super::generated::{layouts, thumbnails as records};
use super::plain::{Decoders, PlainRecords};
use super::window::Window;
use super::wire::{ByteOrder, Cursor, WireError};

/// Reads a thumbnail: its header, then its samples.
#[derive(Debug)]
pub struct ThumbnailReader {
    records: PlainRecords,
}

impl ThumbnailReader {
    pub(super) fn new(window: Window, chunk_size: u64) -> Result<Self, Error> {
        Ok(ThumbnailReader { records: PlainRecords::open(window, chunk_size)? })
    }

    /// The number in its file of the last record, from 1, and its offset.
    pub fn last(&self) -> (u64, u64) {
        self.records.last()
    }

    /// How the file ends; to ask once all was read.
    pub fn ending(&mut self) -> Ending {
        self.records.ending()
    }

    /// The next record, or the number on disk of one of unknown kind; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    #[allow(clippy::should_implement_trait)] // fallible, as in the other readers
    pub fn next(&mut self) -> Result<Option<Result<Thumbnail, u8>>, Error> {
        self.records.next(&Thumbnails)
    }
}

struct Thumbnails;

impl Decoders for Thumbnails {
    type Record = Thumbnail;

    fn decode<O: ByteOrder>(
        &self,
        id: u8,
        payload: &mut Cursor<'_, O>,
    ) -> Result<Option<Thumbnail>, WireError> {
        records::decode(id, payload)
    }

    fn name(&self, id: u8) -> Option<&'static str> {
        layouts::thumbnail(id).map(|layout| layout.name)
    }
}
