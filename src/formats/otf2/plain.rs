//! Files whose records all have a length and no time: definitions, markers, thumbnails.

use std::path::Path;

use super::chunk::{length, Chunks, Length, Order, END_OF_CHUNK, END_OF_FILE};
use super::error::{Error, ErrorKind, Record};
use super::window::Window;
use super::wire::{BigEndian, ByteOrder, Cursor, LittleEndian, WireError};

/// A record of a file whose records all have a length and no time: definitions, markers,
/// thumbnails.
#[derive(Debug)]
pub struct PlainRecords {
    chunks: Chunks,
    position: usize,
    number: u64,
    done: bool,
}

/// Where a plain record lies.
#[derive(Clone, Copy, Debug)]
pub struct PlainRecord {
    /// Its number on disk.
    pub id: u8,
    /// Which one of the file it is, from 1.
    pub number: u64,
    at: usize,
    begin: usize,
    end: usize,
}

impl PlainRecords {
    /// Reads the records of a file from its begin.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or does not begin with a chunk header.
    pub fn open(window: Window, chunk_size: u64) -> Result<Self, Error> {
        let (chunks, position) = Chunks::open(window, chunk_size)?;
        Ok(PlainRecords { chunks, position, number: 0, done: false })
    }

    /// The next record; `None` at the end of the data.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read; there is nothing to go on with then.
    pub fn next_record(&mut self) -> Result<Option<PlainRecord>, Error> {
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

    /// The order of bytes in the chunk of the last record.
    pub fn order(&self) -> Order {
        self.chunks.order()
    }

    /// The payload of the last record.
    pub fn cursor<O: ByteOrder>(&self, record: &PlainRecord) -> Cursor<'_, O> {
        Cursor::new(self.chunks.window.bytes(), record.begin, record.end)
    }

    /// An error in the last record.
    pub fn error(
        &self,
        record: &PlainRecord,
        name: Option<&'static str>,
        error: WireError,
    ) -> Error {
        let mut error = self.chunks.window.error(record.at, error);
        error.record = Some(Record { id: record.id, name, number: record.number });
        error
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.chunks.window.path()
    }
}
