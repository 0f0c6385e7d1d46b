//! The marker file, section 16.

use streamfold_model::markers::MarkerRecord;

use super::chunk::Ending;
use super::error::Error;
use super::generated::{layouts, markers as records};
use super::plain::{Decoders, PlainRecords};
use super::window::Window;
use super::wire::{ByteOrder, Cursor, WireError};

/// Reads the markers of a trace and their definitions, in the order of the file.
#[derive(Debug)]
pub struct MarkerReader {
    records: PlainRecords,
}

impl MarkerReader {
    pub(super) fn new(window: Window, chunk_size: u64) -> Result<Self, Error> {
        Ok(MarkerReader { records: PlainRecords::open(window, chunk_size)? })
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
    pub fn next(&mut self) -> Result<Option<Result<MarkerRecord, u8>>, Error> {
        self.records.next(&Markers)
    }
}

struct Markers;

impl Decoders for Markers {
    type Record = MarkerRecord;

    fn decode<O: ByteOrder>(
        &self,
        id: u8,
        payload: &mut Cursor<'_, O>,
    ) -> Result<Option<MarkerRecord>, WireError> {
        records::decode(id, payload)
    }

    fn name(&self, id: u8) -> Option<&'static str> {
        layouts::marker(id).map(|layout| layout.name)
    }
}
