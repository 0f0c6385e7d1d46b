//! Pieces of an event file: whole chunks that are read without those before them, section 2.6.
//!
//! Two things go from chunk to chunk: the time, which writers repeat at the begin of each, section
//! 2.5, and the interval of the clock correction, which only ever moves forward.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use streamfold_model::events::EventVisitor;
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::StreamSummary;
use streamfold_model::values::Ticks;

use super::super::archive::{Archive, FileKind, ReadOptions};
use super::super::definitions::LocalDefinitions;
use super::super::error::Error;
use super::super::window::Window;
use super::run::Count;
use super::EventReader;

/// Reads the events of some chunks that follow each other.
#[derive(Debug)]
pub struct PieceReader {
    reader: EventReader,
    part: Range<u64>,
    /// The interval of the clock correction in which the first event lies.
    interval: usize,
}

/// End of a piece whose chunks were read. A reader that is before these chunks can go on behind
/// them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResumePoint {
    begin: u64,
    /// The chunk that follows; `None` where the data ends.
    next: Option<u64>,
    /// Offset up to which was read.
    offset: u64,
    events: u64,
    unknown: u64,
    backward: u64,
    /// The corrected times of the first event and of the last.
    times: (Ticks, Ticks),
    /// The intervals of the clock correction there.
    intervals: (usize, usize),
    /// The last time as recorded, and whether it belongs to the next event.
    recorded: (Ticks, bool),
}

impl PieceReader {
    /// The chunks that begin in this part of the file; `None` where they hold no event.
    fn new(
        location: LocationRef,
        window: Window,
        chunk_size: u64,
        local: LocalDefinitions,
        part: Range<u64>,
    ) -> Result<Option<Self>, Error> {
        let mut reader = EventReader::at_chunk(location, window, chunk_size, local, part.start)?;
        reader.end_before(part.end);
        let any = reader.peek()?.is_some();
        let interval = reader.state.stamps.interval();
        Ok(any.then_some(PieceReader { reader, part, interval }))
    }

    /// Hands the cached events to the visitor. `false`: there are no more in this piece.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    pub fn read_part<V: EventVisitor>(&mut self, visitor: &mut V) -> Result<bool, Error> {
        self.reader.read_part(visitor)
    }

    /// Events read so far.
    pub fn count(&self) -> u64 {
        self.reader.count()
    }

    /// Bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.reader.offset().saturating_sub(self.part.start)
    }

    /// Returns the end of the piece, once all was read.
    pub fn end(self) -> ResumePoint {
        let EventReader { place, passed, next_chunk, ref state, .. } = self.reader;
        let StreamSummary { events, unknown, first, last, backward } = self.reader.summary();
        ResumePoint {
            begin: self.part.start,
            next: next_chunk,
            offset: passed,
            events,
            unknown,
            backward,
            times: (first.unwrap_or_default(), last.unwrap_or_default()),
            intervals: (self.interval, state.stamps.interval()),
            recorded: (place.time, place.fresh),
        }
    }
}

impl EventReader {
    /// Reads on, as [`EventReader::read_part`] does, where reading has ended before some chunk, and
    /// ends before that at another offset.
    ///
    /// # Errors
    ///
    /// Those of [`EventReader::read_part`].
    pub fn read_part_before<V: EventVisitor>(
        &mut self,
        end: u64,
        visitor: &mut V,
    ) -> Result<bool, Error> {
        self.end_before(end);
        if let Some(offset) = self.next_chunk.take() {
            let position = self.chunks.go_to_chunk(offset)?;
            self.place = self.place.at(position);
            self.done = false;
        }
        self.read_part(visitor)
    }

    /// Tells whether nothing more can be read, also behind the chunk before which reading ends.
    pub fn has_ended(&self) -> bool {
        self.done && self.next_chunk.is_none()
    }

    /// Tells whether the chunks of a piece follow, and have the same meaning behind the events read
    /// so far.
    pub fn takes(&self, passage: &ResumePoint) -> bool {
        let follows = self.next_chunk == Some(passage.begin);
        follows && self.state.stamps.interval() <= passage.intervals.0
    }

    /// Goes on behind the chunks of a piece, as if it had read them. Only where
    /// [`EventReader::takes`] says so.
    pub fn pass(&mut self, passage: &ResumePoint) {
        let (first, last) = passage.times;
        let Count { number, time, .. } = self.state.count;
        let count = &mut self.state.count;
        count.backward += passage.backward + u64::from(first < time);
        if number == 0 {
            count.first = first;
        }
        count.number += passage.events;
        count.time = last;
        self.state.unknown += passage.unknown;
        self.state.stamps.skip_to(passage.intervals.1);
        (self.place.time, self.place.fresh) = passage.recorded;
        self.passed = passage.offset;
        self.next_chunk = passage.next;
        self.done = true;
    }

    /// Holds no file open, and no buffer, until reading goes on. Only where it has ended before
    /// a chunk.
    pub fn rest(&mut self) {
        if self.done {
            self.chunks.window.rest();
        }
    }
}

impl Archive {
    /// The events of a location in the chunks that begin in this part of its file, in bytes, which
    /// is not the first; `None` where they hold no event.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or has no chunk there, or one that does not begin with a header
    /// whose numbers can be, and a time.
    pub fn piece(
        &self,
        location: LocationRef,
        local: LocalDefinitions,
        part: Range<u64>,
    ) -> Result<Option<PieceReader>, Error> {
        let path = self.path(FileKind::Events(location));
        let ReadOptions { window, keep_open } = self.options();
        let window = Window::open_at(path, window, keep_open, part.start)?;
        PieceReader::new(location, window, self.anchor().event_chunk_size, local, part)
    }
}
