//! Writing the events of a location, section 14.

use std::path::PathBuf;

use streamfold_model::events::Event;
use streamfold_model::snapshots::Snapshot;
use streamfold_model::values::{AttributeEntry, Ticks};

use super::error::{WriteError, WriteErrorKind};
use super::timed::{encode_list, Encoded, TimedWriter};
use crate::chunk::Order;
use crate::events::RawEvent;
use crate::generated::encoders::{events, snapshots};
use crate::generated::events::bare_width;
use crate::payload::Payload;
use crate::wire::{BigEndian, ByteOrder, LittleEndian};

/// Writes the events of one location, in the order of their times, chunk by chunk as the reference
/// library does. Holds one chunk in memory.
#[derive(Debug)]
pub struct EventWriter {
    records: TimedWriter,
    payload: Vec<u8>,
    list: Vec<u8>,
}

/// Writes the snapshots of one location: for each a start, the states, and an end, all at its time,
/// section 17.1.
#[derive(Debug)]
pub struct SnapshotWriter {
    records: TimedWriter,
    payload: Vec<u8>,
    list: Vec<u8>,
}

impl EventWriter {
    pub(crate) fn new(path: PathBuf, chunk_size: u64, order: Order) -> Self {
        let records = TimedWriter::new(path, chunk_size, order);
        EventWriter { records, payload: Vec::new(), list: Vec::new() }
    }

    /// Goes on behind the events of a file that was ended, the last of which has this time.
    pub(crate) fn reopen(path: PathBuf, chunk_size: u64, time: Ticks) -> Result<Self, WriteError> {
        let records = TimedWriter::reopen(path, chunk_size, time)?;
        Ok(EventWriter { records, payload: Vec::new(), list: Vec::new() })
    }

    /// Appends an event. `time` is in ticks, not before that of the event before.
    ///
    /// # Errors
    ///
    /// When time goes back, when the event does not go into a chunk, or when the file cannot be
    /// written.
    #[inline]
    pub fn write(
        &mut self,
        time: Ticks,
        attributes: &[AttributeEntry],
        event: &Event<'_>,
    ) -> Result<(), WriteError> {
        check_time(&self.records, time)?;
        self.write_as_recorded(time, attributes, event)
    }

    /// Appends an event of another trace, at the time that it has there, even where that goes back.
    ///
    /// # Errors
    ///
    /// When the event does not go into a chunk, or when the file cannot be written.
    #[inline]
    pub fn write_as_recorded(
        &mut self,
        time: Ticks,
        attributes: &[AttributeEntry],
        event: &Event<'_>,
    ) -> Result<(), WriteError> {
        match self.records.order() {
            Order::Little => self.write_as::<LittleEndian>(time, attributes, event),
            Order::Big => self.write_as::<BigEndian>(time, attributes, event),
        }
    }

    #[inline(always)]
    fn write_as<O: ByteOrder>(
        &mut self,
        time: Ticks,
        attributes: &[AttributeEntry],
        event: &Event<'_>,
    ) -> Result<(), WriteError> {
        let mut payload = Payload::<O>::new(&mut self.payload);
        let id = events::put(event, &mut payload);
        check_arrays(&self.records, id, &payload)?;
        let reserved = payload.bound();
        let list = encode_list::<O>(attributes, &mut self.list);
        let bare = bare_width(id).is_some();
        self.records.put::<O>(time, list, Encoded { id, bare, payload: &self.payload, reserved })
    }

    /// Appends an event that was taken from another file, at the time that it has there, even where that
    /// goes back.
    ///
    /// # Errors
    ///
    /// When it does not go into a chunk, or when the file cannot be written.
    #[inline]
    pub fn write_raw(&mut self, event: &RawEvent) -> Result<(), WriteError> {
        let (time, list, record) = (event.time(), event.list(), event.encoded());
        match self.records.order() {
            Order::Little => self.records.put::<LittleEndian>(time, list, record),
            Order::Big => self.records.put::<BigEndian>(time, list, record),
        }
    }

    /// The order of bytes in the file.
    pub fn order(&self) -> Order {
        self.records.order()
    }

    /// The time of the last event, as recorded, in ticks.
    pub fn time(&self) -> Ticks {
        self.records.time()
    }

    /// Events so far: what the location's definition has to say.
    pub fn count(&self) -> u64 {
        self.records.count()
    }

    /// Ends the file. Returns the number of its events.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn finish(self) -> Result<u64, WriteError> {
        self.finish_with_length().map(|(events, _)| events)
    }

    /// The same, with the length of the file in bytes.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn finish_with_length(self) -> Result<(u64, u64), WriteError> {
        let events = self.count();
        Ok((events, self.records.finish()?))
    }
}

impl SnapshotWriter {
    pub(crate) fn new(path: PathBuf, chunk_size: u64, order: Order) -> Self {
        let records = TimedWriter::new(path, chunk_size, order);
        SnapshotWriter { records, payload: Vec::new(), list: Vec::new() }
    }

    /// Appends a record of a snapshot. `time` is that of the snapshot, corrected; identifiers are
    /// global.
    ///
    /// # Errors
    ///
    /// When time goes back, when the record does not go into a chunk, or when the file cannot be
    /// written.
    pub fn write(
        &mut self,
        time: Ticks,
        attributes: &[AttributeEntry],
        record: &Snapshot<'_>,
    ) -> Result<(), WriteError> {
        match self.records.order() {
            Order::Little => self.write_as::<LittleEndian>(time, attributes, record),
            Order::Big => self.write_as::<BigEndian>(time, attributes, record),
        }
    }

    fn write_as<O: ByteOrder>(
        &mut self,
        time: Ticks,
        attributes: &[AttributeEntry],
        record: &Snapshot<'_>,
    ) -> Result<(), WriteError> {
        check_time(&self.records, time)?;
        let mut payload = Payload::<O>::new(&mut self.payload);
        let id = snapshots::put(record, &mut payload);
        check_arrays(&self.records, id, &payload)?;
        let reserved = payload.bound();
        let list = encode_list::<O>(attributes, &mut self.list);
        let encoded = Encoded { id, bare: false, payload: &self.payload, reserved };
        self.records.put::<O>(time, list, encoded)
    }

    /// Holds no file open until the next chunk is full.
    pub fn rest(&mut self) {
        self.records.rest();
    }

    /// Ends the file.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn finish(self) -> Result<(), WriteError> {
        self.records.finish().map(drop)
    }
}

#[inline(always)]
fn check_time(records: &TimedWriter, time: Ticks) -> Result<(), WriteError> {
    match time < records.time() {
        true => {
            let (from, to) = (records.time().0, time.0);
            Err(records.error(WriteErrorKind::TimeGoesBack { from, to }))
        }
        false => Ok(()),
    }
}

#[inline(always)]
fn check_arrays<O: ByteOrder>(
    records: &TimedWriter,
    id: u8,
    payload: &Payload<'_, O>,
) -> Result<(), WriteError> {
    match payload.too_long() {
        Some(count) => Err(records.error(WriteErrorKind::ArrayLength { id, count })),
        None => Ok(()),
    }
}
