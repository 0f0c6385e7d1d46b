//! Points of a location: where its clocks go on, and where they are compared with those of others.

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::SCENARIOS;
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Key, Lanes, Order, Outgoing, Sink};
use crate::schedule::{ScheduleLanes, ScheduleSinks};
use crate::waitstates::edges::RunParts;

/// A dependency: the location and the event that stand for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LinkId {
    /// The location of the event.
    pub location: LocationRef,
    /// Its number there.
    pub number: u64,
    /// Of several that one event stands for, which it is.
    pub kind: u8,
}

/// The locations that a dependency has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Its name.
    pub id: LinkId,
    /// Number of locations that give.
    pub givers: u32,
    /// Number of locations that take.
    pub takers: u32,
    /// Set if a location that takes may depend on the first of those that give only.
    pub ordered: bool,
    /// Set if each of those around a root has data of its own, or else all have the same.
    pub parts: bool,
}

/// The network on which a dependency holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum On {
    /// On any.
    Any,
    /// On the recorded one: an ideal one takes messages before they are received.
    Recorded,
    /// On an ideal one: by its clock, the one that takes did not wait long enough.
    Ideal,
}

impl On {
    /// Returns whether it holds on an ideal network, or else on the recorded one.
    pub(crate) fn holds(self, ideal: bool) -> bool {
        self != if ideal { On::Recorded } else { On::Ideal }
    }
}

/// The meaning of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// Clocks go on. All ticks are since the step before.
    Step {
        /// Ticks outside of MPI.
        outside: u64,
        /// Ticks of the regions of each scenario, outside of MPI.
        regions: [u64; SCENARIOS],
        /// Set if it is the last one of its location.
        last: bool,
    },
    /// Others depend on this one.
    Gives {
        /// The dependency.
        link: Link,
        /// Its place among those that give: those that take may depend on the first of them only.
        place: u32,
        /// Set if it is a message, which a network brings.
        message: bool,
        /// Bytes that this one sends.
        bytes: u64,
    },
    /// This one depends on others.
    Takes {
        /// The dependency.
        link: Link,
        /// It depends on so many of those that give.
        first: u32,
        /// Ticks that it waited in the recorded run.
        waited: u64,
        /// Set if it waited in MPI.
        in_mpi: bool,
        /// Set if it waited up to this point, or else from here on.
        before: bool,
        /// The network on which it does.
        on: On,
        /// Bytes that this one receives.
        bytes: u64,
    },
    /// This one is ready for what it takes later, in another call. For schedules.
    Posts {
        /// The dependency.
        link: Link,
    },
    /// Something that this one gave in another call is on its way from here on at the latest. For schedules.
    Completes {
        /// The dependency.
        link: Link,
    },
}

/// A point of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// The location.
    pub location: LocationRef,
    /// When it is, in ticks.
    pub time: u64,
    /// The number of its event. Steps have 0: they come before what else is at that time.
    pub number: u64,
    /// Its meaning.
    pub what: What,
}

impl Link {
    /// One location takes, one gives.
    pub(crate) fn pair(id: LinkId) -> Self {
        Link { id, givers: 1, takers: 1, ordered: false, parts: false }
    }

    fn put(self, location: LocationRef, bytes: &mut Vec<u8>) {
        put_change(self.id.location.0, location.0, bytes);
        put(self.id.number, bytes);
        bytes.push(self.id.kind);
        let flags = u64::from(self.ordered) | u64::from(self.parts) << 1;
        put(u64::from(self.givers) << 2 | flags, bytes);
        put(self.takers.into(), bytes);
    }

    fn take(location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let of = LocationRef(take_change(location.0, bytes)?);
        let number = take(bytes)?;
        let (kind, rest) = bytes.split_first()?;
        *bytes = rest;
        let id = LinkId { location: of, number, kind: *kind };
        let (givers, takers) = (take(bytes)?, take(bytes)?.try_into().ok()?);
        let (ordered, parts) = (givers & 1 == 1, givers & 2 == 2);
        let givers = (givers >> 2).try_into().ok()?;
        Some(Link { id, givers, takers, ordered, parts })
    }
}

const STEP: u8 = 0;
const GIVES: u8 = 1;
const TAKES: u8 = 2;
const WAITS: u8 = 3;
const LAST: u8 = 4;
const MESSAGE: u8 = 8;
const IN_MPI: u8 = 8;
const RECORDED: u8 = 16;
const HAS_REGIONS: u8 = 32;
const IDEAL: u8 = 64;
const BEFORE: u8 = 4;
const HAS_BYTES: u8 = 128;
const COMPLETES: u8 = 4;

/// Writes bytes of a message, if it has any.
fn put_any(length: u64, bytes: &mut Vec<u8>) {
    if length > 0 {
        put(length, bytes);
    }
}

fn flag(set: bool, flag: u8) -> u8 {
    if set {
        flag
    } else {
        0
    }
}

impl Item for Point {
    /// Of those at one time steps come first, but for the last one. An event first gives, then takes.
    fn order(&self) -> Order {
        let number = self.number.saturating_mul(2);
        let number = match self.what {
            What::Step { last: false, .. } => 0,
            What::Step { .. } => u64::MAX,
            What::Gives { .. } | What::Posts { .. } => number.saturating_add(1),
            What::Takes { .. } | What::Completes { .. } => number.saturating_add(2),
        };
        Order { time: self.time, location: self.location, number }
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        let of = |field: fn(&Point) -> u64| before.map_or(0, field);
        put_change(self.time, of(|point| point.time), bytes);
        put(self.number, bytes);
        match self.what {
            What::Step { outside, regions, last } => {
                let has_regions = regions.iter().any(|ticks| *ticks > 0);
                bytes.push(STEP | flag(last, LAST) | flag(has_regions, HAS_REGIONS));
                put(outside, bytes);
                if has_regions {
                    regions.iter().for_each(|ticks| put(*ticks, bytes));
                }
            }
            What::Gives { link, place, message, bytes: length } => {
                bytes.push(GIVES | flag(message, MESSAGE) | flag(length > 0, HAS_BYTES));
                link.put(self.location, bytes);
                put(place.into(), bytes);
                put_any(length, bytes);
            }
            What::Takes { link, first, waited, in_mpi, before, on, bytes: length } => {
                let on = flag(on == On::Recorded, RECORDED) | flag(on == On::Ideal, IDEAL);
                let flags = flag(in_mpi, IN_MPI) | flag(before, BEFORE) | on;
                bytes.push(TAKES | flags | flag(length > 0, HAS_BYTES));
                link.put(self.location, bytes);
                put(first.into(), bytes);
                put(waited, bytes);
                put_any(length, bytes);
            }
            What::Posts { link } => {
                bytes.push(WAITS);
                link.put(self.location, bytes);
            }
            What::Completes { link } => {
                bytes.push(WAITS | COMPLETES);
                link.put(self.location, bytes);
            }
        }
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let time = take_change(before.map_or(0, |point| point.time), bytes)?;
        let number = take(bytes)?;
        let (flags, rest) = bytes.split_first()?;
        *bytes = rest;
        let has = |flag: u8| flags & flag != 0;
        let what = match flags & 3 {
            STEP => {
                let outside = take(bytes)?;
                let mut regions = [0; SCENARIOS];
                if has(HAS_REGIONS) {
                    for ticks in &mut regions {
                        *ticks = take(bytes)?;
                    }
                }
                What::Step { outside, regions, last: has(LAST) }
            }
            GIVES => {
                let link = Link::take(location, bytes)?;
                let place = take(bytes)?.try_into().ok()?;
                let length = if has(HAS_BYTES) { take(bytes)? } else { 0 };
                What::Gives { link, place, message: has(MESSAGE), bytes: length }
            }
            TAKES => {
                let link = Link::take(location, bytes)?;
                let first = take(bytes)?.try_into().ok()?;
                let waited = take(bytes)?;
                let length = if has(HAS_BYTES) { take(bytes)? } else { 0 };
                let on = match (has(RECORDED), has(IDEAL)) {
                    (true, _) => On::Recorded,
                    (_, true) => On::Ideal,
                    _ => On::Any,
                };
                let (in_mpi, before) = (has(IN_MPI), has(BEFORE));
                What::Takes { link, first, waited, in_mpi, before, on, bytes: length }
            }
            _ => {
                let link = Link::take(location, bytes)?;
                match has(COMPLETES) {
                    true => What::Completes { link },
                    false => What::Posts { link },
                }
            }
        };
        Some(Point { location, time, number, what })
    }
}

/// A location that depends on others. Times in ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taker {
    /// The location.
    pub location: LocationRef,
    /// Begin of the wait, or its end.
    pub time: u64,
    /// The number of an event.
    pub number: u64,
    /// It cannot have waited for what happened later than this.
    pub until: u64,
    /// Ticks that it waited.
    pub waited: u64,
    /// Set if it waited in MPI.
    pub in_mpi: bool,
    /// Set if the time is the end of the wait.
    pub before: bool,
    /// Set if it waits for a message.
    pub message: bool,
    /// Set if an ideal network has no such dependency.
    pub recorded_only: bool,
    /// Bytes that it receives.
    pub bytes: u64,
}

impl Taker {
    /// Its point: it depends on so many of those that give, the last of which did so at a time.
    pub(crate) fn point(self, link: Link, first: u32, given: u64) -> Point {
        let Taker { location, time, number, in_mpi, before, bytes, .. } = self;
        let (on, waited) = match (self.recorded_only, given <= self.until) {
            (true, _) => (On::Recorded, self.waited),
            (false, true) => (On::Any, self.waited),
            (false, false) => (On::Ideal, 0),
        };
        let what = What::Takes { link, first, waited, in_mpi, before, on, bytes };
        Point { location, time, number, what }
    }
}

/// Destination of points: for a replay by parts of the run, for a schedule by what belongs together.
#[derive(Clone, Copy)]
pub struct LinkSinks<'s> {
    /// The parts of the run, and the sink of its points.
    pub replay: (&'s RunParts, &'s dyn Sink),
    /// Sinks of a schedule, if one is wanted.
    pub schedule: Option<ScheduleSinks<'s>>,
}

/// Points on their way to the rank that owns their part of the run.
pub struct Links<'s> {
    /// `None`: none are wanted.
    to: Option<(&'s RunParts, Outgoing<'s>)>,
    lanes: Lanes<Point>,
    schedule: Option<ScheduleLanes<'s>>,
}

impl<'s> Links<'s> {
    /// To be put into sinks; `None`: none are wanted.
    pub fn new(to: Option<LinkSinks<'s>>) -> Self {
        let schedule = to.and_then(|to| to.schedule).map(ScheduleLanes::new);
        let to = to.map(|LinkSinks { replay: (parts, sink), .. }| (parts, Outgoing::new(sink)));
        Links { to, lanes: Lanes::default(), schedule }
    }

    /// Returns whether any are wanted.
    pub fn are_wanted(&self) -> bool {
        self.to.is_some()
    }

    /// Adds a point.
    pub(crate) fn push(&mut self, point: Point) {
        if let Some(schedule) = &mut self.schedule {
            schedule.push(point);
        }
        let Some((parts, outgoing)) = &mut self.to else { return };
        let key: Key = parts.in_order(point.time);
        self.lanes.push(key, point, outgoing);
    }

    /// Adds a point that replays pass over.
    pub(crate) fn push_for_schedule(&mut self, point: Point) {
        if let Some(schedule) = &mut self.schedule {
            schedule.push(point);
        }
    }

    /// Adds a dependency of one location that takes on one that gives. `giver`: its location, a time in ticks, and the
    /// number of an event.
    pub(crate) fn pair(&mut self, id: LinkId, giver: (LocationRef, u64, u64), taker: Taker) {
        if !self.are_wanted() {
            return;
        }
        let link = Link::pair(id);
        let what = What::Gives { link, place: 0, message: taker.message, bytes: taker.bytes };
        let (location, time, number) = giver;
        self.push(Point { location, time, number, what });
        self.push(taker.point(link, 1, time));
    }

    /// Hands all over that was added.
    pub fn hand_over(&mut self) {
        if let Some((_, outgoing)) = &mut self.to {
            self.lanes.empty(outgoing);
            outgoing.hand_over();
        }
        if let Some(schedule) = &mut self.schedule {
            schedule.hand_over();
        }
    }
}
