//! The snapshots of one location, sections 15 and 17.1.

use streamfold_model::ids::LocationRef;
use streamfold_model::snapshots::Snapshot;
use streamfold_model::stream::EventHead;
use streamfold_model::values::{AttributeEntry, Ticks};

use super::chunk::{length, ChunkHead, Chunks, Ending, Length, Order};
use super::error::{Error, Record};
use super::generated::layouts::snapshot;
use super::generated::snapshots::decode;
use super::generated::Scratch;
use super::index::records_before;
use super::mapping::Mappings;
use super::timed::{record_error, Found, Place};
use super::window::Window;
use super::wire::{BigEndian, ByteOrder, Cursor, LittleEndian};

/// Reads the snapshot records of one location in their order. Their identifiers are global and
/// their times corrected as they stand.
#[derive(Debug)]
pub struct SnapshotReader {
    location: LocationRef,
    chunks: Chunks,
    place: Place,
    scratch: Scratch,
    attributes: Vec<AttributeEntry>,
    no_maps: Mappings,
    number: u64,
    done: bool,
}

impl SnapshotReader {
    pub(super) fn new(
        location: LocationRef,
        window: Window,
        chunk_size: u64,
    ) -> Result<Self, Error> {
        SnapshotReader::at_chunk(location, window, chunk_size, 0)
    }

    /// Begins with the chunk at an offset.
    pub(super) fn at_chunk(
        location: LocationRef,
        window: Window,
        chunk_size: u64,
        offset: u64,
    ) -> Result<Self, Error> {
        let (chunks, position) = Chunks::open_at(window, chunk_size, offset)?;
        let number = if offset == 0 { 0 } else { records_before(&chunks)? };
        Ok(SnapshotReader {
            location,
            chunks,
            place: Place::first(position),
            scratch: Scratch::default(),
            attributes: Vec::new(),
            no_maps: Mappings::default(),
            number,
            done: false,
        })
    }

    /// The location.
    pub fn location(&self) -> LocationRef {
        self.location
    }

    /// Offset in the file of the record that [`SnapshotReader::peek`] found.
    pub fn offset(&self) -> u64 {
        self.chunks.window.offset(self.place.position)
    }

    /// The header of the chunk that is being read.
    pub fn chunk(&self) -> ChunkHead {
        self.chunks.head()
    }

    /// How the file ends; to ask once all was read.
    pub fn ending(&mut self) -> Ending {
        self.chunks.ending(self.place.position)
    }

    /// Goes to the next record and returns its time; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    pub fn peek(&mut self) -> Result<Option<Ticks>, Error> {
        while !self.done {
            let (bytes, limit) = (self.chunks.window.bytes(), self.chunks.end());
            let found = match self.chunks.order() {
                Order::Little => self.place.seek_record::<LittleEndian>(bytes, limit),
                Order::Big => self.place.seek_record::<BigEndian>(bytes, limit),
            };
            match found {
                Found::Record(_) => return Ok(Some(self.place.time)),
                Found::EndOfFile => self.done = true,
                Found::EndOfChunk => {
                    let next = self.chunks.next_chunk().inspect_err(|_| self.done = true)?;
                    self.place = self.place.at(next);
                }
                Found::More(needed) => self.refill(needed)?,
            }
        }
        Ok(None)
    }

    /// Hands the record that [`SnapshotReader::peek`] found to `receive`; one of an unknown kind
    /// as its number on disk.
    ///
    /// # Errors
    ///
    /// When the record is damaged or the file cannot be read.
    pub fn deliver(
        &mut self,
        receive: &mut impl FnMut(&EventHead<'_>, Result<Snapshot<'_>, u8>),
    ) -> Result<(), Error> {
        while self.peek()?.is_some() {
            let bytes = self.chunks.window.bytes();
            let id = bytes[self.place.position];
            let limit = self.chunks.end();
            let taken = match self.chunks.order() {
                Order::Little => length::<LittleEndian>(bytes, self.place.position + 1, limit),
                Order::Big => length::<BigEndian>(bytes, self.place.position + 1, limit),
            };
            let (begin, end) = match taken {
                Length::Payload { begin, end } => (begin, end),
                Length::More(needed) => {
                    self.refill(needed)?;
                    continue;
                }
            };
            self.number += 1;
            return match self.chunks.order() {
                Order::Little => self.decode::<LittleEndian>(id, begin, end, receive),
                Order::Big => self.decode::<BigEndian>(id, begin, end, receive),
            };
        }
        Ok(())
    }

    fn decode<O: ByteOrder>(
        &mut self,
        id: u8,
        begin: usize,
        end: usize,
        receive: &mut impl FnMut(&EventHead<'_>, Result<Snapshot<'_>, u8>),
    ) -> Result<(), Error> {
        let bytes = self.chunks.window.bytes();
        let cursor = Cursor::<O>::new(bytes, begin, end);
        let attributes = self.place.attributes::<O>(bytes, &self.no_maps, &mut self.attributes);
        let decoded =
            attributes.and_then(|()| decode(id, &cursor, &mut self.scratch)).map_err(|error| {
                let name = snapshot(id).map(|layout| layout.name);
                let record = Record { id, name, number: self.number };
                record_error(&self.chunks, self.place.position, record, error)
            });
        let snapshot = decoded.inspect_err(|_| self.done = true)?;
        let head = EventHead {
            location: self.location,
            number: self.number,
            time: self.place.time,
            attributes: &self.attributes,
        };
        receive(&head, snapshot.ok_or(id));
        self.place.pass(end);
        Ok(())
    }

    fn refill(&mut self, needed: u64) -> Result<(), Error> {
        let refilled = self.place.refill(&mut self.chunks, needed);
        refilled.inspect_err(|_| self.done = true)
    }
}
