//! Thumbnail files, section 17.2.

use streamfold_model::thumbnails::Thumbnail;

use super::chunk::Order;
use super::error::Error;
use super::plain::{PlainRecord, PlainRecords};
use super::records::thumbnails as records;
use super::window::Window;
use super::wire::{BigEndian, ByteOrder, LittleEndian};

/// Reads a thumbnail: its header, then its samples.
#[derive(Debug)]
pub struct ThumbnailReader {
    records: PlainRecords,
}

impl ThumbnailReader {
    pub(super) fn new(window: Window, chunk_size: u64) -> Result<Self, Error> {
        Ok(ThumbnailReader { records: PlainRecords::open(window, chunk_size)? })
    }

    /// The next record, or the number on disk of one of unknown kind; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    #[allow(clippy::should_implement_trait)] // fallible, as in the other readers
    pub fn next(&mut self) -> Result<Option<Result<Thumbnail, u8>>, Error> {
        let Some(record) = self.records.next_record()? else { return Ok(None) };
        let decoded = match self.records.order() {
            Order::Little => self.decode::<LittleEndian>(&record),
            Order::Big => self.decode::<BigEndian>(&record),
        };
        decoded.map(|thumbnail| Some(thumbnail.ok_or(record.id)))
    }

    fn decode<O: ByteOrder>(&self, record: &PlainRecord) -> Result<Option<Thumbnail>, Error> {
        let decoded = records::decode(record.id, &mut self.records.cursor::<O>(record));
        decoded.map_err(|error| self.records.error(record, records::name(record.id), error))
    }
}
