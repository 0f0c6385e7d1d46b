//! Copying files of events and snapshots.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::PathBuf;

use streamfold_model::values::{AttributeEntry, Ticks};

use super::{keeps_regions, Changes, Copied, Copy, Failure, Retime};
use crate::chunk::{length, Chunks, Length, Order, TIMESTAMP};
use crate::error::{Error, ErrorKind, Record};
use crate::events::{bare_payload, BUFFER_FLUSH, IO_DELETE_FILE, LEAVE};
use crate::generated::encoders::events;
use crate::generated::events::bare_width;
use crate::generated::layouts;
use crate::layout;
use crate::mapping::Mappings;
use crate::payload::Payload;
use crate::timed::{record_error, Found, Place, TIMESTAMP_SIZE};
use crate::window::Window;
use crate::wire::{BigEndian, ByteOrder, Cursor, LittleEndian, WireError};
use crate::writer::{encode_list, Encoded, TimedWriter, WriteError};
use crate::Part;

/// The kind of records of a timed file.
pub(super) trait TimedKind {
    /// The width of the only field of records without a length.
    fn bare_width(id: u8) -> Option<u8>;

    /// Reads the payload of a record and writes it anew. `false`: its kind is not known.
    fn copy<O: ByteOrder, P: ByteOrder>(
        id: u8,
        c: &mut Cursor<'_, O>,
        maps: &Mappings,
        to: &mut Payload<'_, P>,
    ) -> Result<bool, WireError>;

    /// The name of the record `id`.
    fn name(id: u8) -> Option<&'static str>;

    /// Set if the file has enters and leaves, and flushes of the tracer's memory.
    const EVENTS: bool;
}

/// Of event files.
#[derive(Debug)]
pub(super) struct Events;

/// Of snapshot files.
#[derive(Debug)]
pub(super) struct Snapshots;

impl TimedKind for Events {
    const EVENTS: bool = true;

    #[inline(always)]
    fn bare_width(id: u8) -> Option<u8> {
        bare_width(id)
    }

    #[inline(always)]
    fn copy<O: ByteOrder, P: ByteOrder>(
        id: u8,
        c: &mut Cursor<'_, O>,
        maps: &Mappings,
        to: &mut Payload<'_, P>,
    ) -> Result<bool, WireError> {
        events::copy(id, c, maps, to)
    }

    fn name(id: u8) -> Option<&'static str> {
        crate::events::name(id)
    }
}

impl TimedKind for Snapshots {
    const EVENTS: bool = false;

    fn bare_width(_: u8) -> Option<u8> {
        None
    }

    fn copy<O: ByteOrder, P: ByteOrder>(
        id: u8,
        c: &mut Cursor<'_, O>,
        maps: &Mappings,
        to: &mut Payload<'_, P>,
    ) -> Result<bool, WireError> {
        layout::copy(layouts::snapshot(id), c, Some(maps), to)
    }

    fn name(id: u8) -> Option<&'static str> {
        layouts::snapshot(id).map(|layout| layout.name)
    }
}

/// A file and its copy.
#[derive(Debug)]
pub(super) struct TimedCopy<K> {
    chunks: Chunks,
    place: Place,
    /// Set if no record of this chunk was copied so far, and it is not the first.
    begun: bool,
    copied: Copied,
    buffers: Buffers,
    writer: TimedWriter,
    /// The number of the first record, from 1, that is not copied any more.
    until: u64,
    kind: PhantomData<K>,
}

#[derive(Debug, Default)]
struct Buffers {
    attributes: Vec<AttributeEntry>,
    list: Vec<u8>,
    payload: Vec<u8>,
}

/// Why a part of the file was left.
enum Stop {
    EndOfChunk,
    EndOfFile,
    More(u64),
    Damaged {
        id: u8,
        kind: ErrorKind,
    },
    Write(WriteError),
    /// The next record is not wanted any more.
    Limit,
}

impl<K: TimedKind> TimedCopy<K> {
    /// Opens a file to copy it to `target`, in the order of bytes that its first chunk has.
    pub(super) fn open(
        window: Window,
        chunk_size: u64,
        target: PathBuf,
        target_size: u64,
    ) -> Result<Self, Error> {
        let (chunks, position) = Chunks::open(window, chunk_size)?;
        let writer = TimedWriter::new(target, target_size, chunks.order());
        Ok(TimedCopy {
            chunks,
            place: Place::first(position),
            begun: false,
            copied: Copied::default(),
            buffers: Buffers::default(),
            writer,
            until: u64::MAX,
            kind: PhantomData,
        })
    }

    /// Ends before the record of a number, from 1, as if the data ended there.
    pub(super) fn before(self, number: u64) -> Self {
        TimedCopy { until: number, ..self }
    }

    /// Copies all that can be read.
    pub(super) fn run(mut self, changes: Changes<'_>) -> Result<Copy, WriteError> {
        let mut ends = false;
        let damage = loop {
            match self.part(changes) {
                Ok(Part::More) => {}
                Ok(Part::Limit) => break None,
                Ok(Part::End) => {
                    ends = true;
                    break None;
                }
                Err(Failure::Read(damage)) => break Some(damage),
                Err(Failure::Write(error)) => return Err(error),
            }
        };
        self.copied.records = self.writer.count();
        self.copied.bytes = self.writer.finish()?;
        let ending = ends.then(|| self.chunks.ending(self.place.position));
        let trailing = ending.map_or(0, |ending| ending.trailing);
        Ok(Copy { copied: self.copied, damage, trailing })
    }

    /// Copies the cached records.
    fn part(&mut self, changes: Changes<'_>) -> Result<Part, Failure> {
        let stop = match (self.chunks.order(), self.writer.order()) {
            (Order::Little, Order::Little) => self.records::<LittleEndian, LittleEndian>(changes),
            (Order::Little, Order::Big) => self.records::<LittleEndian, BigEndian>(changes),
            (Order::Big, Order::Little) => self.records::<BigEndian, LittleEndian>(changes),
            (Order::Big, Order::Big) => self.records::<BigEndian, BigEndian>(changes),
        };
        match stop {
            Stop::EndOfFile => return Ok(Part::End),
            Stop::Limit => return Ok(Part::Limit),
            Stop::EndOfChunk => {
                let position = self.chunks.next_chunk()?;
                self.place = self.place.at(position);
                self.begun = true;
            }
            Stop::More(needed) => self.place.refill(&mut self.chunks, needed)?,
            Stop::Write(error) => return Err(error.into()),
            Stop::Damaged { id, kind } => {
                let record = Record { id, name: K::name(id), number: self.writer.count() + 1 };
                return Err(record_error(&self.chunks, self.place.position, record, kind).into());
            }
        }
        Ok(Part::More)
    }

    /// Copies records up to the first that is not cached as a whole.
    fn records<O: ByteOrder, P: ByteOrder>(&mut self, changes: Changes<'_>) -> Stop {
        let Changes { maps, times, io_paradigms } = changes;
        let (bytes, limit) = (self.chunks.window.bytes(), self.chunks.end());
        let same_order = self.chunks.order() == self.writer.order();
        // Records that are taken together would pass a limit.
        let keeps = keeps_regions(maps) && times.is_none() && self.until == u64::MAX;
        let TimedCopy { place, writer, buffers, copied, begun, until, .. } = self;
        loop {
            // A time that was read before more bytes had to be got is not written yet.
            let is_written = place.time == writer.time();
            if K::EVENTS && keeps && same_order && is_written && !place.has_attributes() {
                let rest = &bytes[place.position..limit];
                let run = CallRun::new::<O>(rest, writer.free(), writer.time());
                if run.records > 0 {
                    writer.put_calls(&rest[..run.length], run.records, run.time);
                    place.time = run.time;
                    place.pass(place.position + run.length);
                    *begun = false;
                }
            }
            let id = match place.seek_record::<O>(bytes, limit) {
                Found::Record(id) => id,
                Found::EndOfChunk => return Stop::EndOfChunk,
                Found::EndOfFile => return Stop::EndOfFile,
                Found::More(length) => return Stop::More(length),
            };
            if writer.count() + 1 >= *until {
                return Stop::Limit;
            }
            let taken = match take::<K, O, P>(id, place, bytes, limit, maps, buffers) {
                Ok(Taken { left, .. }) if left > 0 && !same_order => {
                    return Stop::Damaged { id, kind: ErrorKind::MixedOrder { left } };
                }
                Ok(taken) => taken,
                Err(stop) => return stop,
            };
            if let (true, Some(now)) = (K::EVENTS && id == BUFFER_FLUSH, times) {
                retime_flush::<P>(&mut buffers.payload, now);
            }
            if let (true, Some(now)) = (K::EVENTS && id == IO_DELETE_FILE, io_paradigms) {
                renumber_paradigm(&mut buffers.payload, now);
            }
            // A chunk that begins with a flush was begun for it.
            let early = K::EVENTS && id == BUFFER_FLUSH && *begun;
            let time = times.map_or(place.time, |now| now(place.time));
            let put = put::<P>(writer, time, id, early, &taken, buffers);
            if let Err(error) = put {
                return Stop::Write(error);
            }
            copied.unknown += u64::from(!taken.known);
            place.pass(taken.end);
            *begun = false;
        }
    }
}

/// A record that was read; its fields are in the buffers.
struct Taken {
    /// The position behind it.
    end: usize,
    known: bool,
    bare: bool,
    /// Bytes that are reserved for its fields.
    reserved: u64,
    /// Bytes of it that were copied as they stand.
    left: u64,
}

/// Enters and leaves behind each other, with the times before them, which stand as a writer would write
/// them, all in the chunk that it has begun.
struct CallRun {
    /// Bytes of them.
    length: usize,
    records: u64,
    /// The time of the last one.
    time: Ticks,
}

impl CallRun {
    /// Those at the begin of these bytes, where so many bytes of the chunk are free.
    #[inline(always)]
    fn new<O: ByteOrder>(bytes: &[u8], free: usize, time: Ticks) -> CallRun {
        /// An enter or leave, and the time before it.
        const LOOK: usize = TIMESTAMP_SIZE + 6;
        let mut run = CallRun { length: 0, records: 0, time };
        // Bytes are reserved for a record and a time; one byte more has to be free.
        let end = free.saturating_sub(LOOK);
        while run.length < end {
            let Some(look) = bytes[run.length..].first_chunk::<LOOK>() else { break };
            let (before, time) = match look[0] {
                TIMESTAMP => {
                    let time = look[1..TIMESTAMP_SIZE].try_into().expect("eight bytes");
                    (TIMESTAMP_SIZE, Ticks(O::u64(time)))
                }
                _ => (0, run.time),
            };
            // A time is stored where it is another one, and with each record while it is 0.
            let stamped = before > 0;
            if stamped != (time > run.time) || time < run.time || time == Ticks(0) {
                break;
            }
            let (id, size) = (look[before], usize::from(look[before + 1]));
            if id | 1 != LEAVE || size > 4 {
                break;
            }
            let word = look[before + 2..before + 6].try_into().expect("four bytes");
            let region = O::leading_u32(word, size);
            // In as few bytes as it can be, and that of all ones in a form of its own.
            if size != 4 - region.leading_zeros() as usize / 8 || region == u32::MAX {
                break;
            }
            run.length += before + 2 + size;
            run.records += 1;
            run.time = time;
        }
        run
    }
}

/// Reads the record at this place into the buffers.
#[inline(always)]
fn take<K: TimedKind, O: ByteOrder, P: ByteOrder>(
    id: u8,
    place: &Place,
    bytes: &[u8],
    limit: usize,
    maps: &Mappings,
    buffers: &mut Buffers,
) -> Result<Taken, Stop> {
    let damaged = |error: WireError| Stop::Damaged { id, kind: error.into() };
    let width = K::bare_width(id);
    let (begin, end) = match width {
        Some(width) => bare_payload(width, bytes, place.position + 1, limit)
            .map_err(damaged)?
            .ok_or(Stop::More(0))?,
        None => match length::<O>(bytes, place.position + 1, limit) {
            Length::Payload { begin, end } => (begin, end),
            Length::More(length) => return Err(Stop::More(length)),
        },
    };
    place.attributes::<O>(bytes, maps, &mut buffers.attributes).map_err(damaged)?;
    let mut c = Cursor::<O>::new(bytes, begin, end);
    let mut payload = Payload::<P>::new(&mut buffers.payload);
    let known = K::copy(id, &mut c, maps, &mut payload).map_err(damaged)?;
    let left = c.left();
    payload.raw(&bytes[end - left..end]);
    let reserved = payload.bound();
    Ok(Taken { end, known, bare: width.is_some(), reserved, left: left as u64 })
}

/// Changes when a flush ended, which its payload begins with.
fn retime_flush<P: ByteOrder>(payload: &mut [u8], now: &Retime<'_>) {
    let mut c = Cursor::<P>::new(payload, 0, payload.len());
    let Ok(stop) = c.u64() else { return };
    let changed = P::bytes_u64(now(Ticks(stop)).0);
    payload[..changed.len()].copy_from_slice(&changed);
}

/// Changes the paradigm by which a file was deleted, which its payload begins with.
fn renumber_paradigm(payload: &mut [u8], now: &BTreeMap<u64, u64>) {
    let Some(paradigm) = payload.first_mut() else { return };
    let number = now.get(&u64::from(*paradigm)).and_then(|now| u8::try_from(*now).ok());
    *paradigm = number.unwrap_or(*paradigm);
}

/// Writes the record that is in the buffers.
#[inline(always)]
fn put<P: ByteOrder>(
    writer: &mut TimedWriter,
    time: Ticks,
    id: u8,
    early: bool,
    taken: &Taken,
    buffers: &mut Buffers,
) -> Result<(), WriteError> {
    if early {
        writer.break_chunk::<P>(time)?;
    }
    let Buffers { attributes, list, payload } = buffers;
    let list = encode_list::<P>(attributes, list);
    let record = Encoded { id, bare: taken.bare, payload, reserved: taken.reserved };
    writer.put::<P>(time, list, record)
}
