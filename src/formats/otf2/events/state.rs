//! Counts and corrections that every record goes through.

use std::marker::PhantomData;

use streamfold_model::calls::{hand_over, Calls};
use streamfold_model::enums::MappingType;
use streamfold_model::events::EventVisitor;
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::{EventHead, StreamSummary};
use streamfold_model::values::{AttributeEntry, Ticks};

use super::super::clock::Stamps;
use super::super::definitions::LocalDefinitions;
use super::super::generated::events;
use super::super::generated::Scratch;
use super::super::mapping::Mappings;
use super::super::timed::{Found, Place};
use super::super::wire::{ByteOrder, Cursor, WireError};
use super::extent::payload;
use super::kinds::{is_known, wants, BUFFER_FLUSH};
use super::limits::{Limit, NoLimit, Stop};
use super::run::{Count, Run};

/// State that decoding needs besides the bytes.
#[derive(Debug)]
pub(super) struct State {
    pub location: LocationRef,
    pub maps: Mappings,
    pub stamps: Stamps,
    pub scratch: Scratch,
    pub attributes: Vec<AttributeEntry>,
    pub count: Count,
    /// Events before those that are counted.
    pub before: u64,
    /// The count before the time of an event that is not delivered yet.
    pub delivered: Option<Delivered>,
    pub unknown: u64,
}

/// Of the events that were delivered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivered {
    pub last: Ticks,
    pub backward: u64,
}

impl State {
    /// Behind so many events of a location.
    pub(super) fn new(location: LocationRef, local: LocalDefinitions, before: u64) -> Self {
        State {
            location,
            maps: local.mappings,
            stamps: Stamps::new(local.clock),
            scratch: Scratch::default(),
            attributes: Vec::new(),
            count: Count { number: before, ..Count::default() },
            before,
            delivered: None,
            unknown: 0,
        }
    }

    /// Summary of the events so far.
    pub(super) fn summary(&self) -> StreamSummary {
        let Count { number, time, first, backward } = self.count;
        let Delivered { last, backward } =
            self.delivered.unwrap_or(Delivered { last: time, backward });
        let any = number > self.before;
        StreamSummary {
            events: number - self.before,
            unknown: self.unknown,
            first: any.then_some(first),
            last: any.then_some(last),
            backward,
        }
    }

    /// Returns the local definitions that it was given.
    pub(super) fn into_local_definitions(self) -> LocalDefinitions {
        let State { maps: mappings, stamps, .. } = self;
        LocalDefinitions { mappings, clock: stamps.into_clock(), ..LocalDefinitions::default() }
    }

    /// Delivers enters and leaves, with the times before them, and messages that are asked for. Stops at any other
    /// record, or at the first one that is not cached as a whole.
    ///
    /// One look at the bytes is enough for a time and its record, and one comparison for their
    /// bounds. The last bytes of a chunk, where the look would go beyond it, are left to
    /// [`State::next`].
    #[inline(never)] // or its registers would be needed for what surrounds it
    pub(super) fn common<V: EventVisitor, O: ByteOrder, L: Limit, const PLAIN: bool>(
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
        place.time = run.recorded();
        let Run { count, rest, .. } = run;
        place.pass(limit - rest.len());
        self.count = count;
    }

    /// Tells whether no event was read so far.
    pub(super) fn is_first(&self) -> bool {
        self.count.number == self.before
    }

    /// Tells whether times and regions are in the file as they are delivered.
    pub(super) fn is_plain(&self) -> bool {
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
    pub(super) fn one<V: EventVisitor, O: ByteOrder>(
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
    pub(super) fn stamp(&mut self, place: &mut Place) {
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
    pub(super) fn next<V: EventVisitor, O: ByteOrder, L: Limit>(
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

    /// Delivers a record other than those of [`State::common`].
    #[inline(never)] // all limits share it
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
        let is_known = if O::COMMON {
            events::deliver(id, &cursor, maps, stamps, scratch, &head, visitor)?
        } else {
            let event = events::decode(id, &cursor, maps, stamps, scratch)?;
            event.map(|event| event.hand_to(&head, visitor)).is_some()
        };
        if !is_known {
            self.unknown += 1;
            visitor.unknown(&head, id);
        }
        Ok(())
    }
}
