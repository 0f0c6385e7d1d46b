//! Common parts of files of events and snapshots: records with times and attribute lists,
//! section 5.

use std::path::PathBuf;

use streamfold_model::values::{AttributeEntry, Ticks};

use super::chunks::ChunkWriter;
use super::error::{WriteError, WriteErrorKind};
use crate::chunk::{Order, TIMESTAMP};
use crate::payload::Payload;
use crate::timed::{ATTRIBUTE_LIST, TIMESTAMP_SIZE};
use crate::wire::ByteOrder;

/// From this estimate on a length takes nine bytes, section 5.2.
pub(super) const LONG: u64 = 255;

/// A record as it is encoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoded<'a> {
    /// Its number on disk.
    pub id: u8,
    /// Set if it has no length.
    pub bare: bool,
    /// Its fields.
    pub payload: &'a [u8],
    /// Bytes that are reserved for them.
    pub reserved: u64,
}

/// The attribute list of a record as it is encoded: empty where there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EncodedList<'a> {
    /// How many attributes.
    pub count: u64,
    /// Their number, and they.
    pub payload: &'a [u8],
}

impl EncodedList<'_> {
    /// Bytes that are reserved for its payload, section 2.4.
    fn reserved(self) -> u64 {
        5 + 15 * self.count
    }

    fn reserved_with_head(self) -> u64 {
        match self.count {
            0 => 0,
            _ => 1 + length_size(self.reserved()) + self.reserved(),
        }
    }
}

/// Bytes of the length of a payload for which so much is reserved.
#[inline(always)]
pub(super) fn length_size(reserved: u64) -> u64 {
    if reserved < LONG {
        1
    } else {
        9
    }
}

/// Writes timed records in their order.
#[derive(Debug)]
pub(crate) struct TimedWriter {
    chunks: ChunkWriter,
    chunk_size: u64,
    /// The time that was stored last.
    time: Ticks,
    /// Set if it was stored for the record that comes next.
    stamped: bool,
}

impl TimedWriter {
    /// A new file.
    pub(crate) fn new(path: PathBuf, chunk_size: u64, order: Order) -> Self {
        let chunks = ChunkWriter::new(path, chunk_size, order);
        TimedWriter { chunks, chunk_size, time: Ticks(0), stamped: false }
    }

    /// Goes on behind the records of a file that was ended, the last of which has this time.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is none that was ended here.
    pub(crate) fn reopen(path: PathBuf, chunk_size: u64, time: Ticks) -> Result<Self, WriteError> {
        let chunks = ChunkWriter::reopen(path, chunk_size)?;
        Ok(TimedWriter { chunks, chunk_size, time, stamped: false })
    }

    /// The order of bytes.
    #[inline(always)]
    pub(crate) fn order(&self) -> Order {
        self.chunks.order()
    }

    /// Records so far.
    pub(crate) fn count(&self) -> u64 {
        self.chunks.count()
    }

    /// The time of the last record.
    pub(crate) fn time(&self) -> Ticks {
        self.time
    }

    /// An error of this file.
    pub(crate) fn error(&self, kind: WriteErrorKind) -> WriteError {
        WriteError::new(self.chunks.path(), kind)
    }

    /// Appends a record with its time and its attributes, in a new chunk where this one has no room
    /// for what may be needed.
    #[inline(always)]
    pub(crate) fn put<O: ByteOrder>(
        &mut self,
        time: Ticks,
        list: EncodedList<'_>,
        record: Encoded<'_>,
    ) -> Result<(), WriteError> {
        let head = if record.bare { 1 } else { 1 + length_size(record.reserved) };
        let reserved = head + record.reserved + list.reserved_with_head();
        self.make_room::<O>(time, record.id, reserved)?;
        self.stamp::<O>(time);
        if list.count > 0 {
            self.chunks.put(&[ATTRIBUTE_LIST]);
            self.put_with_length::<O>(list.payload, list.reserved());
        }
        self.chunks.put(&[record.id]);
        match record.bare {
            true => self.chunks.put(record.payload),
            false => self.put_with_length::<O>(record.payload, record.reserved),
        }
        self.chunks.count_record();
        Ok(())
    }

    /// Bytes that are free in this chunk.
    #[inline(always)]
    pub(crate) fn free(&self) -> usize {
        self.chunks.free()
    }

    /// Appends records with the times before them, which stand as they would be written, with room for
    /// each. `time` is that of the last one.
    #[inline(always)]
    pub(crate) fn put_calls(&mut self, bytes: &[u8], records: u64, time: Ticks) {
        self.chunks.put(bytes);
        self.chunks.count_records(records);
        (self.time, self.stamped) = (time, false);
    }

    /// Begins a new chunk before the record of this time, unless nothing is in this one.
    pub(crate) fn break_chunk<O: ByteOrder>(&mut self, time: Ticks) -> Result<(), WriteError> {
        match self.chunks.is_fresh() {
            true => Ok(()),
            false => self.next_chunk::<O>(time),
        }
    }

    /// Begins a new chunk where this one has no room for so much.
    #[inline(always)]
    fn make_room<O: ByteOrder>(
        &mut self,
        time: Ticks,
        id: u8,
        reserved: u64,
    ) -> Result<(), WriteError> {
        // Room for a time is reserved whether one is stored or not.
        if self.chunks.has_room(reserved + TIMESTAMP_SIZE as u64) {
            return Ok(());
        }
        self.next_chunk::<O>(time)?;
        match self.chunks.has_room(reserved + TIMESTAMP_SIZE as u64) {
            true => Ok(()),
            false => {
                let chunk = self.chunk_size;
                Err(self.error(WriteErrorKind::RecordSize { id, reserved, chunk }))
            }
        }
    }

    #[cold]
    fn next_chunk<O: ByteOrder>(&mut self, time: Ticks) -> Result<(), WriteError> {
        self.chunks.next_chunk()?;
        // So that reading can begin here, section 2.5.
        self.put_time::<O>(time);
        self.stamped = true;
        Ok(())
    }

    /// Stores the time where it is another one; while it is 0, with each record, section 5.3.
    #[inline(always)]
    fn stamp<O: ByteOrder>(&mut self, time: Ticks) {
        if time != self.time || (time == Ticks(0) && !self.stamped) {
            self.put_time::<O>(time);
        }
        self.stamped = false;
    }

    #[inline(always)]
    fn put_time<O: ByteOrder>(&mut self, time: Ticks) {
        let mut stamp = [TIMESTAMP; TIMESTAMP_SIZE];
        stamp[1..].copy_from_slice(&O::bytes_u64(time.0));
        self.chunks.put(&stamp);
        self.time = time;
    }

    #[inline(always)]
    fn put_with_length<O: ByteOrder>(&mut self, payload: &[u8], reserved: u64) {
        let length = payload.len() as u64;
        match reserved < LONG {
            true => self.chunks.put(&[length as u8]),
            false => {
                self.chunks.put(&[LONG as u8]);
                self.chunks.put(&O::bytes_u64(length));
            }
        }
        self.chunks.put(payload);
    }

    /// Holds no file open until the next chunk is full. Not for a file that was reopened.
    pub(crate) fn rest(&mut self) {
        self.chunks.rest();
    }

    /// Ends the file. Returns its length in bytes.
    pub(crate) fn finish(self) -> Result<u64, WriteError> {
        self.chunks.finish()
    }
}

/// Encodes the attribute list of a record, section 5.6.
#[inline(always)]
pub(crate) fn encode_list<'b, O: ByteOrder>(
    attributes: &[AttributeEntry],
    buffer: &'b mut Vec<u8>,
) -> EncodedList<'b> {
    if attributes.is_empty() {
        return EncodedList::default();
    }
    let mut payload = Payload::<O>::new(buffer);
    payload.cu32(attributes.len() as u32);
    for AttributeEntry { attribute, value } in attributes {
        payload.cu32(attribute.0);
        payload.u8(value.value_type.into());
        payload.attribute_value(*value);
    }
    EncodedList { count: attributes.len() as u64, payload: buffer }
}
