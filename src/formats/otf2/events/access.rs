//! From where to where events are read.

use std::ops::RangeInclusive;

use streamfold_model::events::{BufferFlush, EventKind, EventVisitor};
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use super::super::archive::{Archive, FileKind, ReadOptions};
use super::super::definitions::LocalDefinitions;
use super::super::error::Error;
use super::super::index::{ChunkIndex, ChunkStart};
use super::limits::{BeforeEvent, BeforeTime, Limit};
use super::state::Delivered;
use super::EventReader;
use super::Part;

/// Wants no event.
struct Nobody;

impl EventVisitor for Nobody {
    const WANTS: EventSet = EventSet::NONE;
}

impl EventReader {
    /// Ends before the chunk that begins at an offset of the file, see [`ChunkIndex::offset`], as if
    /// the data ended there. Of that chunk nothing is looked at.
    pub fn end_before(&mut self, offset: u64) {
        self.end = offset;
    }

    /// Goes forward to the event of a number, from 1, and forgets those that it passes: what is
    /// counted begins anew. `false`: there is no such event any more; all others are passed then.
    ///
    /// # Errors
    ///
    /// When the file is damaged before that, or cannot be read.
    pub fn skip_to_event(&mut self, number: u64) -> Result<bool, Error> {
        self.skip(BeforeEvent(number))
    }

    /// The same to the first event at or after a corrected time.
    ///
    /// # Errors
    ///
    /// When the file is damaged before that, or cannot be read.
    pub fn skip_to_time(&mut self, time: Ticks) -> Result<bool, Error> {
        self.skip(BeforeTime(time))
    }

    fn skip<L: Limit>(&mut self, limit: L) -> Result<bool, Error> {
        let found = loop {
            match self.read_part_to(limit, &mut Nobody)? {
                Part::More => {}
                part => break part == Part::Limit,
            }
        };
        self.count_from_here();
        Ok(found)
    }

    /// Counts what is read from here on, see [`EventReader::count`] and [`EventReader::summary`], and
    /// forgets what was counted so far. The numbers of events go on.
    pub fn count_from_here(&mut self) {
        let state = &mut self.state;
        state.before = state.count.number;
        state.unknown = 0;
        state.count.backward = 0;
        if let Some(Delivered { backward, .. }) = &mut state.delivered {
            *backward = 0;
        }
    }
}

/// The last flush: its time, and when it stops.
#[derive(Default)]
struct Flushes(Ticks, Ticks);

impl EventVisitor for Flushes {
    const WANTS: EventSet = EventSet::of(&[EventKind::BufferFlush]);

    fn buffer_flush(&mut self, head: &EventHead<'_>, flush: BufferFlush) {
        (self.0, self.1) = (head.time, flush.stop_time);
    }
}

/// Random access to events.
impl Archive {
    /// Returns the index of the chunks of a location's events.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened or is empty.
    pub fn event_chunks(&self, location: LocationRef) -> Result<ChunkIndex, Error> {
        let path = self.path(FileKind::Events(location));
        ChunkIndex::open(path, self.anchor().event_chunk_size)
    }

    /// From when to when a location has events, as they were recorded, ends of flushes included; `None`: it has
    /// none, or none that can be read.
    ///
    /// Looks at the first event and the last chunk in which reading can begin. If times go back, other events may be
    /// before or behind.
    pub fn recorded_span(&self, location: LocationRef) -> Option<RangeInclusive<Ticks>> {
        let small = self.with_options(ReadOptions { window: 4096, keep_open: false });
        let first =
            small.events_with(location, LocalDefinitions::default()).ok()?.peek().ok()??;
        let last = self.last_event(location, &LocalDefinitions::default()).unwrap_or(first);
        Some(first.min(last)..=first.max(last))
    }

    /// When the last event of a location is that can be read with these mapping tables and clock offsets, the end of a
    /// flush included. Looks at the last chunk in which reading can begin.
    pub fn last_event(&self, location: LocationRef, local: &LocalDefinitions) -> Option<Ticks> {
        let chunks = self.event_chunks(location).ok()?;
        (0..chunks.len()).rev().find_map(|chunk| self.last_time(location, local.clone(), chunk))
    }

    /// The time of the last event from a chunk on that can be read.
    fn last_time(
        &self,
        location: LocationRef,
        local: LocalDefinitions,
        chunk: u64,
    ) -> Option<Ticks> {
        let mut events = self.events_from(location, local, chunk).ok()?;
        let mut flushes = Flushes::default();
        // Events that can be read before the damage of the file count.
        while let Ok(true) = events.read_part(&mut flushes) {}
        let (last, Flushes(begin, stop)) = (events.summary().last?, flushes);
        // It does not go on behind what comes later.
        Some(if last > begin { last } else { last.max(stop) })
    }

    /// The events of a location from the begin of a chunk, from 0, read with these mapping tables
    /// and clock offsets. Nothing before the chunk is read, and events have the same numbers and
    /// times as if it had been, except as [`EventReader`] says.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, has no such chunk, or one that does not begin with a header
    /// whose numbers can be, and a time.
    pub fn events_from(
        &self,
        location: LocationRef,
        local: LocalDefinitions,
        chunk: u64,
    ) -> Result<EventReader, Error> {
        let chunk_size = self.anchor().event_chunk_size;
        let (window, offset) = self.window_at(FileKind::Events(location), chunk_size, chunk)?;
        EventReader::at_chunk(location, window, chunk_size, local, offset)
    }

    /// The events of a location from the one of a number, from 1. `None`: there are not so many.
    ///
    /// Only one chunk is read up to there, see [`ChunkIndex::with_record`].
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is damaged before that event in its chunk.
    pub fn events_from_number(
        &self,
        location: LocationRef,
        local: LocalDefinitions,
        number: u64,
    ) -> Result<Option<EventReader>, Error> {
        let ChunkStart { chunk, .. } = self.event_chunks(location)?.with_record(number)?;
        let mut reader = self.events_from(location, local, chunk)?;
        Ok(reader.skip_to_event(number)?.then_some(reader))
    }

    /// The events of a location from the first one at or after a corrected time. `None`: there is
    /// none.
    ///
    /// Only one chunk is read up to there, see [`ChunkIndex::before_time`]; where times go back
    /// across the begin of a chunk, events before the one found may be at or after the time, too.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is damaged before that event in its chunk.
    pub fn events_from_time(
        &self,
        location: LocationRef,
        local: LocalDefinitions,
        time: Ticks,
    ) -> Result<Option<EventReader>, Error> {
        let ChunkStart { chunk, .. } =
            self.event_chunks(location)?.before_time(time, &local.clock)?;
        let mut reader = self.events_from(location, local, chunk)?;
        Ok(reader.skip_to_time(time)?.then_some(reader))
    }

    /// Tells whether a location has an event from a corrected time up to, not at, another one: the
    /// event that [`Archive::events_from_time`] finds is before that.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn has_events_within(
        &self,
        location: LocationRef,
        local: LocalDefinitions,
        (begin, end): (Ticks, Option<Ticks>),
    ) -> Result<bool, Error> {
        let Some(mut reader) = self.events_from_time(location, local, begin)? else {
            return Ok(false);
        };
        let first = reader.peek()?;
        Ok(first.is_some_and(|first| end.is_none_or(|end| first < end)))
    }
}
