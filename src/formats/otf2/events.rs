//! The events of one location, section 14.

pub mod access;
mod messages;
mod pieces;
mod raw;

use std::marker::PhantomData;

use streamfold_model::calls::{hand_over, Call, Calls, Envelope, Message};
use streamfold_model::enums::MappingType;
use streamfold_model::events::{EventKind, EventVisitor};
use streamfold_model::ids::{CommRef, LocationRef, RegionRef};
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};
use streamfold_model::values::{AttributeEntry, Ticks};

use super::chunk::{length, ChunkHead, Chunks, Ending, Length, Order, TIMESTAMP};
use super::clock::{Line, Stamps};
use super::definitions::LocalDefinitions;
use super::error::{Error, Record};
use super::index::records_before;
use super::mapping::{Mappings, Table};
use super::records::events::{bare_width, deliver, EVENT_IDS};
use super::records::Scratch;
use super::timed::{record_error, Found, Place, TIMESTAMP_SIZE};
use super::window::Window;
use super::wire::{BigEndian, ByteOrder, Cursor, LittleEndian, WireError};
use access::{Limit, NoLimit, Part};
use messages::{short_envelope, short_message, ShortMessage, MESSAGE_LOOK};

pub use pieces::{Passage, PieceReader};
pub use raw::RawEvent;

/// A record with a stop time, which moves the clock's interval even where nobody wants it.
pub(super) const BUFFER_FLUSH: u8 = 10;
/// The only event with a number of a definition for which there are no mapping tables.
pub(super) const IO_DELETE_FILE: u8 = 74;
const ENTER: u8 = 12;
pub(super) const LEAVE: u8 = 13;
/// Bytes that are looked at for an enter or a leave: id, size, and a load of four.
const RECORD_LOOK: usize = 6;
/// The same with the time before it.
const LOOK: usize = TIMESTAMP_SIZE + RECORD_LOOK;

/// Reads the events of one location in their order, with global identifiers and corrected times.
///
/// A reader begins at the first event or, by [`Archive::events_from`] and its like, at any chunk,
/// event or time. It ends with the file or before a chunk ([`EventReader::end_before`]), or stops
/// at a limit and can go on from there ([`EventReader::read_part_to`]).
///
/// What a reader that begins in the middle cannot know is how far the events before have moved the
/// clock correction on, which only ever moves forward, section 9. It begins with the interval of the
/// time that stands at the begin of its chunk. Where times never go back, and no BufferFlush before
/// ended in a later interval, that is the one in use; whoever joins pieces can see it, see
/// [`EventReader::takes`].
///
/// [`Archive::events_from`]: super::Archive::events_from
#[derive(Debug)]
pub struct EventReader {
    chunks: Chunks,
    place: Place,
    state: State,
    passed: u64,
    /// Offset of the chunk that is read no more.
    end: u64,
    done: bool,
    /// Offset of the chunk with which reading may go on, where it has ended before that.
    next_chunk: Option<u64>,
}

/// What decoding needs besides the bytes.
#[derive(Debug)]
struct State {
    location: LocationRef,
    maps: Mappings,
    stamps: Stamps,
    scratch: Scratch,
    attributes: Vec<AttributeEntry>,
    count: Count,
    /// Events before those that are counted.
    before: u64,
    /// What of it was there before the time of an event that is not delivered yet.
    delivered: Option<Delivered>,
    unknown: u64,
}

/// Of the events that were delivered.
#[derive(Clone, Copy, Debug)]
struct Delivered {
    last: Ticks,
    backward: u64,
}

/// What is counted on the way.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// Events up to here, those before the begin of reading too.
    number: u64,
    /// The corrected time of the last event, or of the next one once its time was read.
    time: Ticks,
    first: Ticks,
    backward: u64,
}

impl Count {
    /// The corrected time of the next event.
    #[inline(always)]
    fn at(&mut self, time: Ticks) {
        self.backward += u64::from(time < self.time);
        self.time = time;
    }
}

/// Why a part of the file was left.
enum Stop {
    EndOfChunk,
    EndOfFile,
    More(u64),
    Damaged {
        id: u8,
        error: WireError,
    },
    /// The next event is not wanted any more.
    Limit,
}

impl EventReader {
    pub(super) fn new(
        location: LocationRef,
        window: Window,
        chunk_size: u64,
        local: LocalDefinitions,
    ) -> Result<Self, Error> {
        EventReader::at_chunk(location, window, chunk_size, local, 0)
    }

    /// Begins with the chunk at an offset.
    pub(super) fn at_chunk(
        location: LocationRef,
        window: Window,
        chunk_size: u64,
        local: LocalDefinitions,
        offset: u64,
    ) -> Result<Self, Error> {
        let (chunks, position) = Chunks::open_at(window, chunk_size, offset)?;
        let before = if offset == 0 { 0 } else { records_before(&chunks)? };
        Ok(EventReader::at(Place::first(position), location, chunks, local, before))
    }

    /// Begins at a place, behind so many events.
    fn at(
        place: Place,
        location: LocationRef,
        chunks: Chunks,
        local: LocalDefinitions,
        before: u64,
    ) -> Self {
        let state = State {
            location,
            maps: local.mappings,
            stamps: Stamps::new(local.clock),
            scratch: Scratch::default(),
            attributes: Vec::new(),
            count: Count { number: before, ..Count::default() },
            before,
            delivered: None,
            unknown: 0,
        };
        let (passed, end, next_chunk) = (chunks.head().offset, u64::MAX, None);
        EventReader { chunks, place, state, passed, end, next_chunk, done: false }
    }

    /// The location.
    pub fn location(&self) -> LocationRef {
        self.state.location
    }

    /// Events read so far, those of unknown kinds included.
    pub fn count(&self) -> u64 {
        self.state.count.number - self.state.before
    }

    /// The number in its location, from 1, of the next event, if there is one.
    pub fn next_number(&self) -> u64 {
        self.state.count.number + 1
    }

    /// What was read so far. Records of unknown kinds are skipped by their length, section 5.4.
    pub fn summary(&self) -> StreamSummary {
        let State { count: Count { number, time, first, backward }, before, unknown, .. } =
            self.state;
        let delivered = Delivered { last: time, backward };
        let Delivered { last, backward } = self.state.delivered.unwrap_or(delivered);
        let any = number > before;
        StreamSummary {
            events: number - before,
            unknown,
            first: any.then_some(first),
            last: any.then_some(last),
            backward,
        }
    }

    /// Offset in the file, in bytes, up to which [`EventReader::read_part`] has read.
    pub fn offset(&self) -> u64 {
        self.passed
    }

    /// What it was given to read with.
    pub fn into_local_definitions(self) -> LocalDefinitions {
        let State { maps: mappings, stamps, .. } = self.state;
        LocalDefinitions { mappings, clock: stamps.into_clock(), ..LocalDefinitions::default() }
    }

    /// The length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.chunks.window.length()
    }

    /// The header of the chunk that is being read. [`EventReader::read_part`] never reads beyond a
    /// chunk, so that whoever asks after each part sees all of them.
    pub fn chunk(&self) -> ChunkHead {
        self.chunks.head()
    }

    /// How the file ends; to ask once all was read.
    pub fn ending(&mut self) -> Ending {
        self.chunks.ending(self.place.position)
    }

    /// Whether two times stood before one event so far. The later one counts; but the reference reader cannot
    /// read on there.
    pub fn restamped(&self) -> bool {
        self.place.restamped
    }

    /// Offset in the file of the event that [`EventReader::peek`] found, and its time as recorded.
    pub fn found(&self) -> (u64, Ticks) {
        (self.chunks.window.offset(self.place.position), self.place.time)
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
        Ok(self.read_part_to(NoLimit, visitor)? == Part::More)
    }

    /// The same up to a limit: the first event that is past it is not delivered, and the reader stays
    /// there.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read. The events before that were delivered.
    pub fn read_part_to<V: EventVisitor, L: Limit>(
        &mut self,
        limit: L,
        visitor: &mut V,
    ) -> Result<Part, Error> {
        if self.done {
            return Ok(Part::End);
        }
        let stop = match self.chunks.order() {
            Order::Little => self.scan::<V, LittleEndian, L>(limit, visitor),
            Order::Big => self.scan::<V, BigEndian, L>(limit, visitor),
        };
        self.passed = self.chunks.window.offset(self.place.position);
        if matches!(stop, Stop::Limit) {
            return Ok(Part::Limit);
        }
        self.go_on(stop)?;
        Ok(if self.done { Part::End } else { Part::More })
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
                Order::Little => self.place.seek_record::<LittleEndian>(bytes, limit),
                Order::Big => self.place.seek_record::<BigEndian>(bytes, limit),
            };
            let stop = match found {
                Found::Record(_) => {
                    self.state.stamp(&mut self.place);
                    return Ok(Some(self.state.count.time));
                }
                Found::EndOfChunk => Stop::EndOfChunk,
                Found::EndOfFile => Stop::EndOfFile,
                Found::More(length) => Stop::More(length),
            };
            self.go_on(stop)?;
        }
        Ok(None)
    }

    /// Hands the event that [`EventReader::peek`] found to the visitor, or else the next one.
    ///
    /// # Errors
    ///
    /// When the record is damaged or the file cannot be read.
    #[inline]
    pub fn deliver<V: EventVisitor>(&mut self, visitor: &mut V) -> Result<(), Error> {
        while !self.done {
            let (bytes, limit) = (self.chunks.window.bytes(), self.chunks.end());
            let (state, place) = (&mut self.state, &mut self.place);
            let taken = match self.chunks.order() {
                Order::Little => state.one::<V, LittleEndian>(place, bytes, limit, visitor),
                Order::Big => state.one::<V, BigEndian>(place, bytes, limit, visitor),
            };
            match taken {
                Ok(()) => return Ok(()),
                Err(stop) => self.go_on(stop)?,
            }
        }
        Ok(())
    }

    /// Delivers what is at hand of this chunk.
    ///
    /// Times, enters and leaves are most of any trace, so this loop knows them, and messages where
    /// they are asked for, and keeps what it needs in registers. Everything else takes the way through
    /// [`State::next`].
    fn scan<V: EventVisitor, O: ByteOrder, L: Limit>(&mut self, until: L, visitor: &mut V) -> Stop {
        let (bytes, limit) = (self.chunks.window.bytes(), self.chunks.end());
        let state = &mut self.state;
        let place = &mut self.place;
        // The first event is counted there, what is waiting delivered, and attributes belong to what
        // follows.
        if state.is_first() || state.delivered.is_some() || place.has_attributes() {
            if let Err(stop) = state.next::<V, O, L>(until, place, bytes, limit, visitor) {
                return stop;
            }
        }
        let plain = state.is_plain();
        loop {
            match plain {
                true => state.common::<V, O, L, true>(until, place, bytes, limit, visitor),
                false => state.common::<V, O, L, false>(until, place, bytes, limit, visitor),
            }
            if let Err(stop) = state.next::<V, O, L>(until, place, bytes, limit, visitor) {
                return stop;
            }
        }
    }

    fn go_on(&mut self, stop: Stop) -> Result<(), Error> {
        let gone_on = match stop {
            Stop::EndOfFile => {
                self.done = true;
                Ok(())
            }
            Stop::EndOfChunk if self.chunks.next_offset() >= self.end => {
                self.done = true;
                self.next_chunk = Some(self.chunks.next_offset());
                Ok(())
            }
            Stop::EndOfChunk => self.chunks.next_chunk().map(|position| {
                self.place = self.place.at(position);
            }),
            Stop::Limit => Ok(()),
            Stop::More(needed) => self.place.refill(&mut self.chunks, needed),
            Stop::Damaged { id, error } => {
                let number = self.state.count.number + 1;
                let record = Record { id, name: name(id), number };
                Err(record_error(&self.chunks, self.place.position, record, error))
            }
        };
        gone_on.inspect_err(|_| self.done = true)
    }
}

impl State {
    /// Delivers enters and leaves, with the times before them, and messages that are asked for, up to
    /// something else, or to where not all is at hand.
    ///
    /// One look at the bytes is enough for a time and its record, and one comparison for their
    /// bounds. The last bytes of a chunk, where the look would go beyond it, are left to
    /// [`State::next`].
    #[inline(never)] // or its registers would be needed for what surrounds it
    fn common<V: EventVisitor, O: ByteOrder, L: Limit, const PLAIN: bool>(
        &mut self,
        until: L,
        place: &mut Place,
        bytes: &[u8],
        limit: usize,
        visitor: &mut V,
    ) {
        if place.fresh {
            return;
        }
        let mut run = self.run::<O, L, PLAIN>(until, place, bytes, limit);
        visitor.calls(&mut run);
        let Run { count, time, rest, .. } = run;
        place.time = time;
        place.pass(limit - rest.len());
        self.count = count;
    }

    /// Whether no event was read so far.
    fn is_first(&self) -> bool {
        self.count.number == self.before
    }

    /// Whether times and regions are in the file as they are delivered.
    fn is_plain(&self) -> bool {
        self.stamps.is_identity() && self.maps.table(MappingType::Region).is_identity()
    }

    /// The run that begins at this place.
    #[inline(always)]
    fn run<'a, O, L, const PLAIN: bool>(
        &'a mut self,
        until: L,
        place: &Place,
        bytes: &'a [u8],
        limit: usize,
    ) -> Run<'a, O, L, PLAIN> {
        let regions = self.maps.table(MappingType::Region);
        Run {
            until,
            location: self.location,
            regions,
            listed: regions.listed(),
            comms: self.maps.table(MappingType::Comm),
            line: self.stamps.line(),
            stamps: &mut self.stamps,
            count: self.count,
            time: place.time,
            rest: &bytes[place.position..limit],
            order: PhantomData,
        }
    }

    /// Delivers the next record. Enters and leaves without attributes, which are most of what a
    /// merged reader meets, go a short way.
    #[inline(always)]
    fn one<V: EventVisitor, O: ByteOrder>(
        &mut self,
        place: &mut Place,
        bytes: &[u8],
        limit: usize,
        visitor: &mut V,
    ) -> Result<(), Stop> {
        // The first event is counted by `take`.
        let short_way = !self.is_first() && !place.has_attributes() && !place.fresh;
        if short_way && place.position < limit {
            let mut run = self.run::<O, _, false>(NoLimit, place, bytes, limit);
            let call = run.rest.first_chunk().and_then(|look| run.record::<0>(look));
            if let Some(call) = call {
                let head = run.head();
                let Run { count, rest, .. } = run;
                place.pass(limit - rest.len());
                self.count = count;
                self.delivered = None;
                hand_over(visitor, call, &head);
                return Ok(());
            }
        }
        self.next::<V, O, _>(NoLimit, place, bytes, limit, visitor)
    }

    /// Corrects the time of the next event, once for each time that was read.
    #[inline(always)]
    fn stamp(&mut self, place: &mut Place) {
        if place.fresh {
            let Count { time: last, backward, .. } = self.count;
            // A time behind an attribute list is read again with it when bytes are missing.
            self.delivered.get_or_insert(Delivered { last, backward });
            self.count.at(self.stamps.correct(place.time));
            place.fresh = false;
        }
    }

    /// Delivers the next record, whatever it is, with the time and the attributes before it.
    #[inline(never)]
    fn next<V: EventVisitor, O: ByteOrder, L: Limit>(
        &mut self,
        until: L,
        place: &mut Place,
        bytes: &[u8],
        limit: usize,
        visitor: &mut V,
    ) -> Result<(), Stop> {
        match place.seek_record::<O>(bytes, limit) {
            Found::Record(id) => {
                if L::LIMITED {
                    self.stamp(place);
                    if until.is_past(self.count.number + 1, self.count.time) {
                        return Err(Stop::Limit);
                    }
                }
                self.take::<V, O>(id, place, bytes, limit, visitor)
            }
            Found::EndOfChunk => Err(Stop::EndOfChunk),
            Found::EndOfFile => Err(Stop::EndOfFile),
            Found::More(length) => Err(Stop::More(length)),
        }
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
        self.stamp(place);
        let damaged = |error| Stop::Damaged { id, error };
        if wants::<V>(id) {
            self.decode::<V, O>(id, place, bytes, (begin, end), visitor).map_err(damaged)?;
        } else if id == BUFFER_FLUSH {
            let stop = Cursor::<O>::new(bytes, begin, end).u64();
            self.stamps.correct(Ticks(stop.map_err(damaged)?));
        } else if !is_known(id) {
            self.unknown += 1;
        }
        if self.is_first() {
            self.count.first = self.count.time;
        }
        self.count.number += 1;
        self.delivered = None;
        place.pass(end);
        // The stop time may have moved the interval by which the same time is corrected next.
        place.fresh = id == BUFFER_FLUSH;
        Ok(())
    }

    #[inline(always)]
    fn decode<V: EventVisitor, O: ByteOrder>(
        &mut self,
        id: u8,
        place: &Place,
        bytes: &[u8],
        (begin, end): (usize, usize),
        visitor: &mut V,
    ) -> Result<(), WireError> {
        let State { maps, stamps, scratch, attributes, .. } = self;
        if V::ATTRIBUTES {
            place.attributes::<O>(bytes, maps, attributes)?;
        }
        let head = EventHead {
            location: self.location,
            number: self.count.number + 1,
            time: self.count.time,
            attributes,
        };
        let cursor = Cursor::<O>::new(bytes, begin, end);
        if !deliver(id, &cursor, maps, stamps, scratch, &head, visitor)? {
            self.unknown += 1;
            visitor.unknown(&head, id);
        }
        Ok(())
    }
}

/// A run of enters and leaves, and messages. `PLAIN`: times and regions are delivered as they are in
/// the file.
struct Run<'a, O, L, const PLAIN: bool> {
    until: L,
    location: LocationRef,
    regions: &'a Table,
    /// Those of them that are found by their number.
    listed: &'a [u64],
    comms: &'a Table,
    stamps: &'a mut Stamps,
    /// That of the stamps.
    line: Line,
    count: Count,
    /// As recorded.
    time: Ticks,
    /// What follows in this chunk.
    rest: &'a [u8],
    order: PhantomData<O>,
}

impl<O: ByteOrder, L: Limit, const PLAIN: bool> Run<'_, O, L, PLAIN> {
    /// The enter or leave that stands behind `TIME` bytes of time.
    #[inline(always)]
    fn record<const TIME: usize>(&mut self, look: &[u8; LOOK]) -> Option<Call> {
        let (id, size) = (look[TIME], usize::from(look[TIME + 1]));
        // One comparison for both: their numbers differ in the lowest bit.
        if id | 1 != LEAVE || size > 4 {
            return None;
        }
        self.go_to::<TIME>(look)?;
        let word = look[TIME + 2..TIME + RECORD_LOOK].try_into().expect("4 bytes");
        let region = O::leading_u32(word, size);
        let region = RegionRef(if PLAIN { region } else { self.region(region) });
        self.count.number += 1;
        self.rest = &self.rest[TIME + 2 + size..];
        Some(if id == ENTER { Call::Enter(region) } else { Call::Leave(region) })
    }

    /// Passes enters and leaves with a time and a region of one byte, which most are: as they are of one
    /// length, none waits for the one before.
    #[inline(always)]
    fn skip_short(&mut self) {
        const ID: usize = TIMESTAMP_SIZE;
        while let Some(look) = self.rest.first_chunk::<LOOK>() {
            let is_short = look[0] == TIMESTAMP && look[ID] | 1 == LEAVE && look[ID + 1] == 1;
            if !is_short || self.go_to::<TIMESTAMP_SIZE>(look).is_none() {
                return;
            }
            self.count.number += 1;
            self.rest = &self.rest[ID + 3..];
        }
    }

    /// The message that stands behind `TIME` bytes of time.
    #[inline(always)]
    fn message<const TIME: usize>(&mut self, look: &[u8; MESSAGE_LOOK]) -> Option<Message> {
        let ShortMessage { size, message } = short_message::<O>(look, TIME)?;
        self.go_to::<TIME>(look)?;
        self.count.number += 1;
        self.rest = &self.rest[TIME + size..];
        Some(message)
    }

    /// The same with all that it says.
    #[inline(always)]
    fn envelope<const TIME: usize>(&mut self, look: &[u8; MESSAGE_LOOK]) -> Option<Envelope> {
        let (size, envelope) = short_envelope::<O>(look, TIME)?;
        self.go_to::<TIME>(look)?;
        self.count.number += 1;
        self.rest = &self.rest[TIME + size..];
        let comm = CommRef(self.comms.map64(envelope.comm.0.into()) as u32);
        Some(Envelope { comm, ..envelope })
    }

    /// The global identifier of a region.
    #[inline(always)]
    fn region(&self, local: u32) -> u32 {
        let listed = self.listed.get(local as usize).copied();
        listed.unwrap_or_else(|| self.regions.unlisted(local.into())) as u32
    }

    /// The corrected time.
    #[inline(always)]
    fn correct(&mut self, recorded: Ticks) -> Ticks {
        self.line.correct(recorded).unwrap_or_else(|| {
            let time = self.stamps.correct(recorded);
            self.line = self.stamps.line();
            time
        })
    }

    /// The time that stands before the next event, in `TIME` bytes, if any. `None`: it goes back, or
    /// the event is not wanted.
    #[inline(always)]
    fn go_to<const TIME: usize>(&mut self, look: &[u8]) -> Option<()> {
        if TIME > 0 {
            let recorded = Ticks(O::u64(look[1..TIMESTAMP_SIZE].try_into().expect("8 bytes")));
            let time = if PLAIN { recorded } else { self.correct(recorded) };
            // Correcting it again, by whoever looks at it next, gives the same.
            let past = L::LIMITED && self.until.is_past(self.count.number + 1, time);
            if time < self.count.time || past {
                return None;
            }
            (self.time, self.count.time) = (recorded, time);
        } else if L::LIMITED && self.until.is_past(self.count.number + 1, self.count.time) {
            return None;
        }
        Some(())
    }
}

impl<O: ByteOrder, L: Limit, const PLAIN: bool> Calls for Run<'_, O, L, PLAIN> {
    #[inline(always)]
    fn next(&mut self) -> Option<Call> {
        let look = self.rest.first_chunk::<LOOK>()?;
        // Two copies of the same, since where the record stands is better guessed than computed:
        // everything after it waits for that.
        match look[0] == TIMESTAMP {
            true => self.record::<TIMESTAMP_SIZE>(look),
            false => self.record::<0>(look),
        }
    }

    #[inline(always)]
    fn skip(&mut self) {
        loop {
            self.skip_short();
            if self.next().is_none() {
                return;
            }
        }
    }

    #[inline(always)]
    fn next_message(&mut self) -> Option<Message> {
        let look = self.rest.first_chunk::<MESSAGE_LOOK>()?;
        match look[0] == TIMESTAMP {
            true => self.message::<TIMESTAMP_SIZE>(look),
            false => self.message::<0>(look),
        }
    }

    #[inline(always)]
    fn next_envelope(&mut self) -> Option<Envelope> {
        let look = self.rest.first_chunk::<MESSAGE_LOOK>()?;
        match look[0] == TIMESTAMP {
            true => self.envelope::<TIMESTAMP_SIZE>(look),
            false => self.envelope::<0>(look),
        }
    }

    #[inline(always)]
    fn time(&self) -> Ticks {
        self.count.time
    }

    #[inline(always)]
    fn head(&self) -> EventHead<'static> {
        let Count { number, time, .. } = self.count;
        EventHead { location: self.location, number, time, attributes: &[] }
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
    let Some(width) = bare_width(id) else {
        return match length::<O>(bytes, position, limit) {
            Length::Payload { begin, end } => Ok((begin, end)),
            Length::More(length) => Err(Stop::More(length)),
        };
    };
    let found = bare_payload(width, bytes, position, limit);
    found.map_err(|error| Stop::Damaged { id, error })?.ok_or(Stop::More(0))
}

/// Begin and end of the only integer of a record without a length; `None`: not all of it is at hand.
#[inline(always)]
pub(super) fn bare_payload(
    width: u8,
    bytes: &[u8],
    position: usize,
    limit: usize,
) -> Result<Option<(usize, usize)>, WireError> {
    if position >= limit {
        return Ok(None);
    }
    let size = match bytes[position] {
        0xff => 0,
        size if size <= width => size,
        size => return Err(WireError::IntegerSize { size, width }),
    };
    let end = position + 1 + usize::from(size);
    Ok((end <= limit).then_some((position, end)))
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

/// The name of the event `id`.
pub(super) fn name(id: u8) -> Option<&'static str> {
    EVENT_IDS.iter().find(|(number, _)| *number == id).map(|(_, kind)| kind.name())
}
