//! Enters and leaves that follow each other, and messages between them: most of any trace.

use std::marker::PhantomData;

use streamfold_model::calls::{Call, Calls, Envelope, Message};
use streamfold_model::ids::{CommRef, LocationRef, RegionRef};
use streamfold_model::stream::EventHead;
use streamfold_model::values::Ticks;

use super::super::chunk::TIMESTAMP;
use super::super::clock::{Line, Stamps};
use super::super::mapping::Table;
use super::super::timed::TIMESTAMP_SIZE;
use super::super::wire::ByteOrder;
use super::kinds::{ENTER, LEAVE};
use super::limits::Limit;
use super::messages::{short_envelope, short_message, ShortMessage, MESSAGE_LOOK};

/// Bytes that are looked at for an enter or a leave: id, size, and a load of four.
const RECORD_LOOK: usize = 6;
/// The same with the time before it.
const LOOK: usize = TIMESTAMP_SIZE + RECORD_LOOK;

/// Keeps what follows out of the registers of the loop around it, however often it is done.
#[cold]
#[inline]
fn seldom() {}

/// How many regions a record leaves: none that is an enter, 1 that is a leave; more where it is neither.
#[inline(always)]
fn leaves(id: u8) -> u32 {
    const { assert!(LEAVE == ENTER + 1) };
    u32::from(id).wrapping_sub(ENTER.into())
}

/// Counts of the events so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    /// Events up to here, those before the begin of reading too.
    pub number: u64,
    /// The corrected time of the last event, or of the next one once its time was read.
    pub time: Ticks,
    pub first: Ticks,
    pub backward: u64,
}

impl Count {
    /// The corrected time of the next event.
    #[inline(always)]
    pub(super) fn at(&mut self, time: Ticks) {
        self.backward += u64::from(time < self.time);
        self.time = time;
    }
}

/// A run of enters and leaves, and messages. `PLAIN`: times and regions are delivered as they are in
/// the file.
pub(super) struct Run<'a, O, L, const PLAIN: bool> {
    pub until: L,
    pub location: LocationRef,
    pub regions: &'a Table,
    /// Those of them that are found by their number.
    pub listed: &'a [u64],
    pub comms: &'a Table,
    pub stamps: &'a mut Stamps,
    /// That of the stamps.
    pub line: Line,
    pub count: Count,
    /// See [`Run::recorded`]: where that is not the time of the count.
    pub time: Ticks,
    /// The rest of this chunk.
    pub rest: &'a [u8],
    pub order: PhantomData<O>,
}

impl<O: ByteOrder, L: Limit, const PLAIN: bool> Run<'_, O, L, PLAIN> {
    /// The time of the last event as recorded.
    pub(super) fn recorded(&self) -> Ticks {
        if PLAIN {
            self.count.time
        } else {
            self.time
        }
    }

    /// The enter or leave that stands behind `TIME` bytes of time.
    #[inline(always)]
    pub(super) fn record<const TIME: usize>(&mut self, look: &[u8; LOOK]) -> Option<Call> {
        let leaves = leaves(look[TIME]);
        let size = usize::from(look[TIME + 1]);
        if leaves > 1 || size > 4 {
            return None;
        }
        self.go_to::<TIME>(look)?;
        let word = look[TIME + 2..TIME + RECORD_LOOK].try_into().expect("4 bytes");
        let region = O::leading_u32(word, size);
        self.rest = &self.rest[TIME + 2 + size..];
        self.count.number += 1;
        let region = RegionRef(if PLAIN { region } else { self.region(region) });
        Some(if leaves == 0 { Call::Enter(region) } else { Call::Leave(region) })
    }

    /// Passes enters and leaves with a time and a region of one byte, which most are: as they are of one
    /// length, none waits for the one before.
    #[inline(always)]
    fn skip_short(&mut self) {
        const ID: usize = TIMESTAMP_SIZE;
        while let Some(look) = self.rest.first_chunk::<LOOK>() {
            let is_short = look[0] == TIMESTAMP && leaves(look[ID]) <= 1 && look[ID + 1] == 1;
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
        listed.unwrap_or_else(|| {
            seldom();
            self.regions.unlisted(local.into())
        }) as u32
    }

    /// The corrected time.
    #[inline(always)]
    fn correct(&mut self, recorded: Ticks) -> Ticks {
        self.line.correct(recorded).unwrap_or_else(|| {
            seldom();
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
            let time = if PLAIN {
                recorded
            } else {
                self.time = recorded;
                self.correct(recorded)
            };
            // If this is not taken, the next reader of it corrects the time again, with the same result.
            let past = L::LIMITED && self.until.is_past(self.count.number + 1, time);
            if time < self.count.time || past {
                return None;
            }
            self.count.time = time;
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
            false => {
                seldom();
                self.record::<0>(look)
            }
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
