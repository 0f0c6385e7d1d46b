//! The events of one location, section 14.

mod access;
mod extent;
mod kinds;
pub(crate) mod limits;
mod messages;
mod pieces;
mod raw;
mod run;
mod state;

use streamfold_model::events::EventVisitor;
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::StreamSummary;
use streamfold_model::values::Ticks;

use super::chunk::{ChunkHead, Chunks, Ending, Order};
use super::definitions::LocalDefinitions;
use super::error::{Error, Record};
use super::index::records_before;
use super::timed::{record_error, Found, Place};
use super::window::Window;
use super::wire::{BigEndian, ByteOrder, LittleEndian};
use limits::{Limit, NoLimit, Stop};
use state::State;

pub(super) use extent::bare_payload;
pub(super) use kinds::{name, BUFFER_FLUSH, IO_DELETE_FILE, LEAVE};
pub use pieces::{PieceReader, ResumePoint};
pub use raw::RawEvent;

/// Continuation behind a part that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Perhaps more.
    More,
    /// An event that is past the limit.
    Limit,
    /// Nothing.
    End,
}

/// Reads the events of one location in their order, with global identifiers and corrected times.
///
/// A reader begins at the first event or, by [`Archive::events_from`] and its like, at any chunk,
/// event or time. It ends with the file or before a chunk ([`EventReader::end_before`]), or stops
/// at a limit and can go on from there ([`EventReader::read_part_to`]).
///
/// The clock correction only ever moves forward, section 9. A reader that begins in the middle cannot know how far the
/// events before have moved it on. It begins with the interval of the time that stands at the start of its chunk. If
/// times never go back, and no BufferFlush before ended in a later interval, that is the one in use. The scan that
/// joins pieces can check this, see [`EventReader::takes`].
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
        let state = State::new(location, local, before);
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

    /// Summary of the events so far. Records of unknown kinds are skipped by their length,
    /// section 5.4.
    pub fn summary(&self) -> StreamSummary {
        self.state.summary()
    }

    /// Offset in the file, in bytes, up to which [`EventReader::read_part`] has read.
    pub fn offset(&self) -> u64 {
        self.passed
    }

    /// Returns the local definitions that it was given.
    pub fn into_local_definitions(self) -> LocalDefinitions {
        self.state.into_local_definitions()
    }

    /// The length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.chunks.window.length()
    }

    /// The header of the chunk that is being read. [`EventReader::read_part`] never reads beyond a
    /// chunk, so that a caller that asks after each part sees all of them.
    pub fn chunk(&self) -> ChunkHead {
        self.chunks.head()
    }

    /// How the file ends; to ask once all was read.
    pub fn ending(&mut self) -> Ending {
        self.chunks.ending(self.place.position)
    }

    /// Tells whether two times stood before one event so far. The later one counts; but the reference reader cannot
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

    /// Hands the cached events to the visitor: up to some more than the size of the window.
    /// `false`: there are no more.
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

    /// Delivers the cached events of this chunk.
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
