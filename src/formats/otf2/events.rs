//! The events of one location, section 14.

use streamfold_model::events::{EventKind, EventVisitor};
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};
use streamfold_model::values::{AttributeEntry, Ticks};

use super::chunk::{length, Chunks, Length, Order, Window};
use super::clock::Stamps;
use super::definitions::LocalDefinitions;
use super::error::{Error, Record};
use super::mapping::Mappings;
use super::records::events::{deliver, is_bare, EVENT_IDS};
use super::records::Scratch;
use super::timed::{record_error, Found, Place};
use super::wire::{BigEndian, ByteOrder, Cursor, LittleEndian, WireError};

/// A record with a stop time, which moves the clock's interval even where nobody wants it.
const BUFFER_FLUSH: u8 = 10;

/// Reads the events of one location in their order, with global identifiers and corrected times.
#[derive(Debug)]
pub struct EventReader {
    chunks: Chunks,
    place: Place,
    state: State,
    done: bool,
}

/// What decoding needs besides the bytes.
#[derive(Debug)]
struct State {
    location: LocationRef,
    maps: Mappings,
    stamps: Stamps,
    scratch: Scratch,
    attributes: Vec<AttributeEntry>,
    number: u64,
    time: Ticks,
    first: Ticks,
    last: Ticks,
    backward: u64,
    unknown: u64,
}

/// Why a part of the file was left.
enum Stop {
    EndOfChunk,
    EndOfFile,
    More(u64),
    Damaged { id: u8, error: WireError },
}

impl EventReader {
    pub(super) fn new(
        location: LocationRef,
        window: Window,
        chunk_size: u64,
        local: LocalDefinitions,
    ) -> Result<Self, Error> {
        let (chunks, position) = Chunks::open(window, chunk_size)?;
        let state = State {
            location,
            maps: local.mappings,
            stamps: Stamps::new(local.clock),
            scratch: Scratch::default(),
            attributes: Vec::new(),
            number: 0,
            time: Ticks(0),
            first: Ticks(0),
            last: Ticks(0),
            backward: 0,
            unknown: 0,
        };
        let place = Place::first(position);
        Ok(EventReader { chunks, place, state, done: false })
    }

    /// The location.
    pub fn location(&self) -> LocationRef {
        self.state.location
    }

    /// Events read so far, those of unknown kinds included.
    pub fn count(&self) -> u64 {
        self.state.number
    }

    /// What was read so far. Records of unknown kinds are skipped by their length, section 5.4.
    pub fn summary(&self) -> StreamSummary {
        let State { number, unknown, first, last, backward, .. } = self.state;
        let any = number > 0;
        StreamSummary {
            events: number,
            unknown,
            first: any.then_some(first),
            last: any.then_some(last),
            backward,
        }
    }

    /// Offset in the file, in bytes, up to which events were read.
    pub fn offset(&self) -> u64 {
        self.chunks.window.offset(self.place.position)
    }

    /// The length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.chunks.window.length()
    }

    /// Hands all events that are left to the visitor.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read. The events before that were delivered.
    pub fn read_all<V: EventVisitor>(&mut self, visitor: &mut V) -> Result<(), Error> {
        while self.read_part(visitor)? {}
        Ok(())
    }

    /// Hands the events that are at hand to the visitor: up to some more than the size of the
    /// window. `false`: there are no more.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read. The events before that were delivered.
    pub fn read_part<V: EventVisitor>(&mut self, visitor: &mut V) -> Result<bool, Error> {
        if self.done {
            return Ok(false);
        }
        let stop = match self.chunks.order() {
            Order::Little => self.scan::<V, LittleEndian>(visitor),
            Order::Big => self.scan::<V, BigEndian>(visitor),
        };
        self.go_on(stop)?;
        Ok(!self.done)
    }

    /// Goes to the next event and returns its corrected time; `None` at the end. The event is
    /// delivered by [`EventReader::deliver`]; until then the reader stays there.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    #[inline]
    pub fn peek(&mut self) -> Result<Option<Ticks>, Error> {
        while !self.done {
            let (bytes, limit) = (self.chunks.window.bytes(), self.chunks.end());
            let found = match self.chunks.order() {
                Order::Little => self.place.to_record::<LittleEndian>(bytes, limit),
                Order::Big => self.place.to_record::<BigEndian>(bytes, limit),
            };
            let stop = match found {
                Found::Record(_) => {
                    self.state.stamp(&mut self.place);
                    return Ok(Some(self.state.time));
                }
                Found::EndOfChunk => Stop::EndOfChunk,
                Found::EndOfFile => Stop::EndOfFile,
                Found::More(length) => Stop::More(length),
            };
            self.go_on(stop)?;
        }
        Ok(None)
    }

    /// Hands the event that [`EventReader::peek`] found to the visitor.
    ///
    /// # Errors
    ///
    /// When the record is damaged or the file cannot be read.
    #[inline]
    pub fn deliver<V: EventVisitor>(&mut self, visitor: &mut V) -> Result<(), Error> {
        while self.peek()?.is_some() {
            let (bytes, limit) = (self.chunks.window.bytes(), self.chunks.end());
            let id = bytes[self.place.position];
            let taken = match self.chunks.order() {
                Order::Little => self.state.take_one::<V, LittleEndian>(
                    id,
                    &mut self.place,
                    bytes,
                    limit,
                    visitor,
                ),
                Order::Big => {
                    self.state.take_one::<V, BigEndian>(id, &mut self.place, bytes, limit, visitor)
                }
            };
            match taken {
                Ok(()) => return Ok(()),
                Err(stop) => self.go_on(stop)?,
            }
        }
        Ok(())
    }

    /// Delivers what is at hand of this chunk.
    fn scan<V: EventVisitor, O: ByteOrder>(&mut self, visitor: &mut V) -> Stop {
        let (bytes, limit) = (self.chunks.window.bytes(), self.chunks.end());
        let mut place = self.place;
        let stop = loop {
            match place.to_record::<O>(bytes, limit) {
                Found::Record(id) => {
                    self.state.stamp(&mut place);
                    let taken = self.state.take::<V, O>(id, &mut place, bytes, limit, visitor);
                    if let Err(stop) = taken {
                        break stop;
                    }
                }
                Found::EndOfChunk => break Stop::EndOfChunk,
                Found::EndOfFile => break Stop::EndOfFile,
                Found::More(length) => break Stop::More(length),
            }
        };
        self.place = place;
        stop
    }

    fn go_on(&mut self, stop: Stop) -> Result<(), Error> {
        let gone_on = match stop {
            Stop::EndOfFile => {
                self.done = true;
                Ok(())
            }
            Stop::EndOfChunk => self.chunks.next().map(|position| {
                self.place = self.place.at(position);
            }),
            Stop::More(needed) => self.place.refill(&mut self.chunks, needed),
            Stop::Damaged { id, error } => {
                let record = Record { id, name: name(id), number: self.state.number };
                Err(record_error(&self.chunks, self.place.position, record, error))
            }
        };
        gone_on.inspect_err(|_| self.done = true)
    }
}

impl State {
    /// Corrects the time of the next event, once for each time that was read.
    #[inline(always)]
    fn stamp(&mut self, place: &mut Place) {
        if place.fresh {
            place.fresh = false;
            self.time = self.stamps.correct(place.time);
        }
    }

    /// Counts the next event, all of which is at hand.
    #[inline(always)]
    fn count(&mut self) {
        if self.number == 0 {
            self.first = self.time;
        } else if self.time < self.last {
            self.backward += 1;
        }
        self.number += 1;
        self.last = self.time;
    }

    /// As [`State::take`], on its own: inside of a loop the compiler computes the addresses for all
    /// kinds of events ahead of it, which costs more than a single event does.
    #[inline(never)]
    fn take_one<V: EventVisitor, O: ByteOrder>(
        &mut self,
        id: u8,
        place: &mut Place,
        bytes: &[u8],
        limit: usize,
        visitor: &mut V,
    ) -> Result<(), Stop> {
        self.take::<V, O>(id, place, bytes, limit, visitor)
    }

    /// Delivers the record at this place and passes it.
    #[inline(always)]
    fn take<V: EventVisitor, O: ByteOrder>(
        &mut self,
        id: u8,
        place: &mut Place,
        bytes: &[u8],
        limit: usize,
        visitor: &mut V,
    ) -> Result<(), Stop> {
        let (begin, end) = payload::<O>(id, bytes, place.position + 1, limit)?;
        self.count();
        let mut flushed = false;
        if wants::<V>(id) {
            if V::ATTRIBUTES {
                place
                    .attributes::<O>(bytes, &self.maps, &mut self.attributes)
                    .map_err(|error| Stop::Damaged { id, error })?;
            }
            let mut cursor = Cursor::<O>::new(bytes, begin, end);
            let head = EventHead {
                location: self.location,
                number: self.number,
                time: self.time,
                attributes: &self.attributes,
            };
            let known = deliver(
                id,
                &mut cursor,
                &self.maps,
                &mut self.stamps,
                &mut self.scratch,
                &head,
                visitor,
            );
            if !known.map_err(|error| Stop::Damaged { id, error })? {
                self.unknown += 1;
                visitor.unknown(&head, id);
            }
            flushed = id == BUFFER_FLUSH;
        } else if id == BUFFER_FLUSH {
            let stop = Cursor::<O>::new(bytes, begin, end).u64();
            self.stamps.correct(Ticks(stop.map_err(|error| Stop::Damaged { id, error })?));
            flushed = true;
        } else if !is_known(id) {
            self.unknown += 1;
        }
        place.pass(end);
        // The stop time may have moved the interval by which the same time is corrected next.
        place.fresh = flushed;
        Ok(())
    }
}

/// Begin and end of a record's payload, whose length or only integer stands at `position`.
#[inline(always)]
fn payload<O: ByteOrder>(
    id: u8,
    bytes: &[u8],
    position: usize,
    limit: usize,
) -> Result<(usize, usize), Stop> {
    if !is_bare(id) {
        return match length::<O>(bytes, position, limit) {
            Length::Payload { begin, end } => Ok((begin, end)),
            Length::More(length) => Err(Stop::More(length)),
        };
    }
    if position >= limit {
        return Err(Stop::More(0));
    }
    let size = match bytes[position] {
        0xff => 0,
        size @ 0..=8 => size,
        size => {
            return Err(Stop::Damaged { id, error: WireError::IntegerSize { size, width: 8 } });
        }
    };
    let end = position + 1 + usize::from(size);
    match end <= limit {
        true => Ok((position, end)),
        false => Err(Stop::More(0)),
    }
}

/// The kinds that have this number on disk, as sets of bits by number.
const fn ids_of(set: EventSet) -> [u64; 4] {
    let mut bits = if set.contains_unknown() { [u64::MAX; 4] } else { [0; 4] };
    let mut i = 0;
    while i < EVENT_IDS.len() {
        let (id, kind) = EVENT_IDS[i];
        let bit = 1 << (id % 64);
        if set.contains(kind) {
            bits[id as usize / 64] |= bit;
        } else {
            bits[id as usize / 64] &= !bit;
        }
        i += 1;
    }
    bits
}

#[inline(always)]
fn wants<V: EventVisitor>(id: u8) -> bool {
    let ids = const { ids_of(V::WANTS) };
    ids[usize::from(id / 64)] >> (id % 64) & 1 == 1
}

#[inline(always)]
fn is_known(id: u8) -> bool {
    const KNOWN: [u64; 4] = ids_of(EventSet::of(&EventKind::ALL));
    KNOWN[usize::from(id / 64)] >> (id % 64) & 1 == 1
}

fn name(id: u8) -> Option<&'static str> {
    EVENT_IDS.iter().find(|(number, _)| *number == id).map(|(_, kind)| kind.name())
}
