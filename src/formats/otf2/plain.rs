//! Files whose records all have a length and no time: definitions, markers, thumbnails.

use std::path::Path;

use super::chunk::{length, Chunks, Ending, Length, Order, END_OF_CHUNK, END_OF_FILE};
use super::error::{Error, ErrorKind, Record};
use super::window::Window;
use super::wire::{BigEndian, ByteOrder, Cursor, LittleEndian, WireError};

/// A record of a file whose records all have a length and no time: definitions, markers,
/// thumbnails.
#[derive(Debug)]
pub(crate) struct PlainRecords {
    chunks: Chunks,
    position: usize,
    number: u64,
    last: u64,
    done: bool,
}

/// Decoders of the records of a plain file.
pub(crate) trait Decoders {
    /// Any of them.
    type Record;

    /// Decodes the payload of the record `id`; `None`: the id is not known.
    ///
    /// # Errors
    ///
    /// When the payload is no such record.
    fn decode<O: ByteOrder>(
        &self,
        id: u8,
        payload: &mut Cursor<'_, O>,
    ) -> Result<Option<Self::Record>, WireError>;

    /// The name of the record `id`.
    fn name(&self, id: u8) -> Option<&'static str>;
}

/// Position of a plain record.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlainRecord {
    /// Its number on disk.
    pub id: u8,
    /// Its number in the file, from 1.
    number: u64,
    at: usize,
    begin: usize,
    end: usize,
}

/// A definition as it stands in a file.
#[derive(Clone, Copy, Debug)]
pub struct RawDefinition<'a> {
    /// Its number on disk.
    pub id: u8,
    /// The order of its bytes.
    pub order: Order,
    /// Its fields. With the same number on disk, from 10 on in files of either kind, and the same order they
    /// say the same.
    pub payload: &'a [u8],
}

impl<'a> RawDefinition<'a> {
    /// The first field, if it is a number of 32 bits, and all behind it. A definition begins with the number of the
    /// object that it defines.
    pub fn split_number(&self) -> Option<(u32, &'a [u8])> {
        fn split<O: ByteOrder>(payload: &[u8]) -> Option<(u32, &[u8])> {
            let mut c = Cursor::<O>::new(payload, 0, payload.len());
            Some((c.cu32().ok()?, c.rest()))
        }
        match self.order {
            Order::Little => split::<LittleEndian>(self.payload),
            Order::Big => split::<BigEndian>(self.payload),
        }
    }
}

impl PlainRecords {
    /// Reads the records of a file from its begin.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or does not begin with a chunk header.
    pub(crate) fn open(window: Window, chunk_size: u64) -> Result<Self, Error> {
        let (chunks, position) = Chunks::open(window, chunk_size)?;
        Ok(PlainRecords { chunks, position, number: 0, last: 0, done: false })
    }

    /// The next record, or the number on disk of one of unknown kind; `None` at the end of the data.
    ///
    /// # Errors
    ///
    /// When a record cannot be decoded, or when the file is damaged or cannot be read; in the latter
    /// cases there is nothing to go on with.
    pub(crate) fn next<D: Decoders>(
        &mut self,
        decoders: &D,
    ) -> Result<Option<Result<D::Record, u8>>, Error> {
        let Some(record) = self.next_record()? else { return Ok(None) };
        self.decode(decoders, &record).map(Some)
    }

    /// Decodes the last record.
    ///
    /// # Errors
    ///
    /// When it cannot be decoded.
    pub(super) fn decode<D: Decoders>(
        &self,
        decoders: &D,
        record: &PlainRecord,
    ) -> Result<Result<D::Record, u8>, Error> {
        let decoded = match self.chunks.order() {
            Order::Little => decoders.decode(record.id, &mut self.cursor::<LittleEndian>(record)),
            Order::Big => decoders.decode(record.id, &mut self.cursor::<BigEndian>(record)),
        };
        let decoded = decoded.map_err(|error| self.error(record, decoders.name(record.id), error));
        decoded.map(|decoded| decoded.ok_or(record.id))
    }

    /// The last record as it stands.
    pub(super) fn raw(&self, record: &PlainRecord) -> RawDefinition<'_> {
        let payload = &self.chunks.window.bytes()[record.begin..record.end];
        RawDefinition { id: record.id, order: self.chunks.order(), payload }
    }

    /// An error in a record of this name.
    pub(super) fn error(
        &self,
        record: &PlainRecord,
        name: Option<&'static str>,
        kind: impl Into<ErrorKind>,
    ) -> Error {
        let mut error = self.chunks.window.error(record.at, kind);
        error.record = Some(Record { id: record.id, name, number: record.number });
        error
    }

    /// The order of bytes in the chunk that is being read.
    pub(super) fn order(&self) -> Order {
        self.chunks.order()
    }

    /// Returns the position of the next record; `None` at the end of the data.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    pub(super) fn next_record(&mut self) -> Result<Option<PlainRecord>, Error> {
        while !self.done {
            let (position, limit) = (self.position, self.chunks.end());
            if position >= limit {
                self.position = self.fail_unless_more(position)?;
                continue;
            }
            match self.chunks.window.bytes()[position] {
                END_OF_CHUNK => {
                    let next = self.chunks.next_chunk();
                    self.position = next.inspect_err(|_| self.done = true)?;
                }
                END_OF_FILE => self.done = true,
                id => match self.payload(position + 1, limit) {
                    Length::Payload { begin, end } => {
                        self.position = end;
                        self.number += 1;
                        self.last = self.chunks.window.offset(position);
                        let number = self.number;
                        return Ok(Some(PlainRecord { id, number, at: position, begin, end }));
                    }
                    Length::More(length) => {
                        let left = self.chunks.left(position);
                        if length >= left {
                            self.done = true;
                            let kind = ErrorKind::RecordLength { length, left };
                            return Err(self.chunks.window.error(position, kind));
                        }
                        self.position = self.fail_unless_more(position)?;
                    }
                },
            }
        }
        Ok(None)
    }

    fn payload(&self, position: usize, limit: usize) -> Length {
        let bytes = self.chunks.window.bytes();
        match self.chunks.order() {
            Order::Little => length::<LittleEndian>(bytes, position, limit),
            Order::Big => length::<BigEndian>(bytes, position, limit),
        }
    }

    fn fail_unless_more(&mut self, position: usize) -> Result<usize, Error> {
        let more = self.chunks.more(position);
        more.inspect_err(|_| self.done = true)
    }

    /// The number of the last record, from 1, and its offset in the file.
    pub(crate) fn last(&self) -> (u64, u64) {
        (self.number, self.last)
    }

    /// How the file ends; to ask once all was read.
    pub(crate) fn ending(&mut self) -> Ending {
        self.chunks.ending(self.position)
    }

    /// The payload of a record.
    pub(super) fn cursor<O: ByteOrder>(&self, record: &PlainRecord) -> Cursor<'_, O> {
        Cursor::new(self.chunks.window.bytes(), record.begin, record.end)
    }

    /// Records read so far, those of unknown kinds included.
    pub(crate) fn count(&self) -> u64 {
        self.number
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        self.chunks.window.path()
    }
}
