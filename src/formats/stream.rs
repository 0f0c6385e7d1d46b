//! The events of one location, however its format brings them.

use streamfold_model::events::EventVisitor;
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::StreamSummary;
use streamfold_model::values::Ticks;

use super::otf2::{BeforeTime, EventReader, NoLimit};
use super::{Batch, Batches, Loss, Part, Run};

/// The events of a location on their way to visitors.
#[derive(Debug)]
pub enum Stream {
    /// Decoded in place: OTF2's own reader, and its loop.
    InPlace(Box<EventReader>),
    /// Some thousand events at a time.
    Batches(Box<BatchReader>),
}

impl Stream {
    /// The location.
    pub fn location(&self) -> LocationRef {
        match self {
            Stream::InPlace(reader) => reader.location(),
            Stream::Batches(reader) => reader.location,
        }
    }

    /// Events so far, since they were counted.
    pub fn count(&self) -> u64 {
        match self {
            Stream::InPlace(reader) => reader.count(),
            Stream::Batches(reader) => reader.counts.events,
        }
    }

    /// Bytes of the file so far.
    pub fn bytes(&self) -> u64 {
        match self {
            Stream::InPlace(reader) => reader.offset(),
            Stream::Batches(reader) => reader.source.bytes(),
        }
    }

    /// Summary of the events read since counting began.
    pub fn summary(&self) -> StreamSummary {
        match self {
            Stream::InPlace(reader) => reader.summary(),
            Stream::Batches(reader) => reader.counts,
        }
    }

    /// Counts what is read from here on, and forgets what was counted so far.
    pub fn count_from_here(&mut self) {
        match self {
            Stream::InPlace(reader) => reader.count_from_here(),
            Stream::Batches(reader) => reader.counts = StreamSummary::default(),
        }
    }

    /// Losses since the last call, which do not end reading.
    pub fn losses(&mut self) -> Vec<Loss> {
        match self {
            Stream::InPlace(_) => Vec::new(),
            Stream::Batches(reader) => {
                reader.source.losses().into_iter().map(|(_, loss)| loss).collect()
            }
        }
    }

    /// Holds no file open until it reads on.
    pub fn rest(&mut self) {
        match self {
            Stream::InPlace(reader) => reader.rest(),
            Stream::Batches(reader) => reader.source.rest(),
        }
    }

    /// The reader in place, for scans that read locations in pieces.
    pub fn in_place(&mut self) -> Option<&mut EventReader> {
        match self {
            Stream::InPlace(reader) => Some(reader),
            Stream::Batches(_) => None,
        }
    }

    /// Hands the cached events to the visitor. `false`: there are no more.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read. The events before that were delivered.
    pub fn read_part<V: EventVisitor>(&mut self, visitor: &mut V) -> Result<bool, Loss> {
        Ok(self.read_part_to(None, visitor)? == Part::More)
    }

    /// The same up to a time: the first event at or after it is not delivered, and the stream stays there.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read. The events before that were delivered.
    pub fn read_part_to<V: EventVisitor>(
        &mut self,
        limit: Option<Ticks>,
        visitor: &mut V,
    ) -> Result<Part, Loss> {
        match (self, limit) {
            (Stream::InPlace(reader), None) => Ok(reader.read_part_to(NoLimit, visitor)?),
            (Stream::InPlace(reader), Some(time)) => {
                Ok(reader.read_part_to(BeforeTime(time), visitor)?)
            }
            (Stream::Batches(reader), limit) => reader.read_part_to(limit, visitor),
        }
    }

    /// Hands the cached events before the chunk at an offset of the file to the visitor. Only OTF2 has chunks: other
    /// formats are read to their end.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read. The events before that were delivered.
    pub fn read_part_before<V: EventVisitor>(
        &mut self,
        end: u64,
        visitor: &mut V,
    ) -> Result<bool, Loss> {
        match self {
            Stream::InPlace(reader) => Ok(reader.read_part_before(end, visitor)?),
            Stream::Batches(reader) => Ok(reader.read_part_to(None, visitor)? == Part::More),
        }
    }

    /// Tells whether nothing more can be read.
    pub fn has_ended(&self) -> bool {
        match self {
            Stream::InPlace(reader) => reader.has_ended(),
            Stream::Batches(reader) => reader.ended,
        }
    }

    /// The time of the next event, which [`Stream::deliver`] hands out; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the next event cannot be read.
    pub fn peek(&mut self) -> Result<Option<Ticks>, Loss> {
        match self {
            Stream::InPlace(reader) => Ok(reader.peek()?),
            Stream::Batches(reader) => reader.peek(),
        }
    }

    /// Hands the next event to the visitor.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn deliver<V: EventVisitor>(&mut self, visitor: &mut V) -> Result<(), Loss> {
        match self {
            Stream::InPlace(reader) => Ok(reader.deliver(visitor)?),
            Stream::Batches(reader) => reader.deliver(visitor),
        }
    }
}

impl streamfold_model::stream::Stream for Stream {
    type Error = Loss;

    fn time(&mut self) -> Result<Option<Ticks>, Loss> {
        self.peek()
    }

    fn location(&self) -> LocationRef {
        Stream::location(self)
    }
}

/// Adds an event to what is known of its stream.
#[inline]
pub fn count(summary: &mut StreamSummary, time: Ticks) {
    summary.events += 1;
    summary.backward += u64::from(summary.last.is_some_and(|last| time < last));
    summary.first.get_or_insert(time);
    summary.last = Some(time);
}

/// The events of one location out of batches.
pub struct BatchReader {
    source: Box<dyn Batches>,
    location: LocationRef,
    batch: Batch,
    /// The run and the event in it that come next.
    next: (usize, usize),
    counts: StreamSummary,
    ended: bool,
}

impl std::fmt::Debug for BatchReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchReader").field("location", &self.location).finish_non_exhaustive()
    }
}

impl BatchReader {
    /// Of a location, given a reader that brings no events but its own.
    pub fn new(location: LocationRef, source: Box<dyn Batches>) -> Self {
        let (batch, next, counts) = Default::default();
        BatchReader { source, location, batch, next, counts, ended: false }
    }

    /// Reads on until an event is cached. `false`: there is no more.
    fn fill(&mut self) -> Result<bool, Loss> {
        while !self.ended {
            let (run, event) = self.next;
            match self.batch.runs().get(run) {
                Some(run) if event < run.len() => return Ok(true),
                Some(_) => self.next = (run + 1, 0),
                None => {
                    self.batch.clear();
                    self.next = (0, 0);
                    let more = self.source.next(&mut self.batch).inspect_err(|_| self.ended = true);
                    self.ended = !more? && self.batch.is_empty();
                }
            }
        }
        Ok(false)
    }

    /// The current run, and the next event in it.
    fn at_hand(&self) -> (&Run, usize) {
        (&self.batch.runs()[self.next.0], self.next.1)
    }

    fn peek(&mut self) -> Result<Option<Ticks>, Loss> {
        let more = self.fill()?;
        Ok(more.then(|| {
            let (run, event) = self.at_hand();
            run.time(event)
        }))
    }

    fn deliver<V: EventVisitor>(&mut self, visitor: &mut V) -> Result<(), Loss> {
        if self.fill()? {
            let (run, event) = self.at_hand();
            let time = run.time(event);
            run.deliver(event..event + 1, visitor);
            count(&mut self.counts, time);
            self.next.1 += 1;
        }
        Ok(())
    }

    fn read_part_to<V: EventVisitor>(
        &mut self,
        limit: Option<Ticks>,
        visitor: &mut V,
    ) -> Result<Part, Loss> {
        if !self.fill()? {
            return Ok(Part::End);
        }
        let (run, begin) = (&self.batch.runs()[self.next.0], self.next.1);
        let end = run.before(begin, limit);
        run.deliver(begin..end, visitor);
        (begin..end).for_each(|event| count(&mut self.counts, run.time(event)));
        let past = end < run.len();
        self.next.1 = end;
        Ok(if past { Part::Limit } else { Part::More })
    }
}

impl Run {
    /// The first event from one on that is at or after a time, or else the end of the run.
    pub fn before(&self, begin: usize, limit: Option<Ticks>) -> usize {
        let past = |limit| (begin..self.len()).find(|event| self.time(*event) >= limit);
        limit.and_then(past).unwrap_or(self.len())
    }
}
