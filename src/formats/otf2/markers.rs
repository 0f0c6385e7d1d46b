//! The marker file, section 16.

use streamfold_model::markers::MarkerRecord;

use super::chunk::Order;
use super::error::Error;
use super::plain::{PlainRecord, PlainRecords};
use super::records::markers as records;
use super::window::Window;
use super::wire::{BigEndian, ByteOrder, LittleEndian};

/// Reads the markers of a trace and their definitions, in the order of the file.
#[derive(Debug)]
pub struct MarkerReader {
    records: PlainRecords,
}

impl MarkerReader {
    pub(super) fn new(window: Window, chunk_size: u64) -> Result<Self, Error> {
        Ok(MarkerReader { records: PlainRecords::open(window, chunk_size)? })
    }

    /// The next record, or the number on disk of one of unknown kind; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    #[allow(clippy::should_implement_trait)] // fallible, as in the other readers
    pub fn next(&mut self) -> Result<Option<Result<MarkerRecord, u8>>, Error> {
        let Some(record) = self.records.next_record()? else { return Ok(None) };
        let decoded = match self.records.order() {
            Order::Little => self.decode::<LittleEndian>(&record),
            Order::Big => self.decode::<BigEndian>(&record),
        };
        decoded.map(|marker| Some(marker.ok_or(record.id)))
    }

    fn decode<O: ByteOrder>(&self, record: &PlainRecord) -> Result<Option<MarkerRecord>, Error> {
        let decoded = records::decode(record.id, &mut self.records.cursor::<O>(record));
        decoded.map_err(|error| self.records.error(record, records::name(record.id), error))
    }
}
