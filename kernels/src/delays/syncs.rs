//! Times at which locations were together, and their waits: items by location, in the order of time.

use streamfold_model::ids::{CommRef, LocationRef};

use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Key, Lanes, Order, Outgoing, Process, Sink};
use crate::waitstates::Metric;

/// Locations that are together at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Together {
    /// This one, with the location of the item.
    With(LocationRef),
    /// All processes.
    All,
    /// The processes of a communicator.
    Comm(CommRef),
    /// The threads of a process.
    Threads(Process),
}

/// The meaning of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncWhat {
    /// The location was together with others: the last of them arrived then.
    Met(Together),
    /// It waited from then on.
    Waited {
        /// The end, in ticks.
        end: u64,
        /// The kind.
        metric: Metric,
        /// The location that it waited for; `None`: it cannot be, as clocks disagree.
        cause: Option<LocationRef>,
    },
}

/// An item of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncItem {
    /// The location.
    pub location: LocationRef,
    /// Its time, in ticks.
    pub time: u64,
    /// Its meaning.
    pub what: SyncWhat,
}

/// The key of what belongs to a location.
pub(super) fn key_of(LocationRef(location): LocationRef) -> Key {
    Key([location as u32, (location >> 32) as u32, 0, 0])
}

const WAITED: u8 = 0;
const IMPOSSIBLE: u8 = 1;
const WITH: u8 = 2;
const ALL: u8 = 3;
const COMM: u8 = 4;
const THREADS: u8 = 5;

impl Item for SyncItem {
    /// By time. Waits come before what is at the time of their begin: only what was before them counts.
    fn order(&self) -> Order {
        let number = match self.what {
            SyncWhat::Waited { end, metric, .. } => {
                (end - self.time).min(u64::MAX >> 9) << 8 | u64::from(metric.number())
            }
            SyncWhat::Met(_) => u64::MAX,
        };
        Order { time: self.time, location: self.location, number }
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        put_change(self.time, before.map_or(0, |before| before.time), bytes);
        match self.what {
            SyncWhat::Waited { end, metric, cause } => {
                bytes.push(if cause.is_some() { WAITED } else { IMPOSSIBLE });
                put(end - self.time, bytes);
                bytes.push(metric.number());
                cause.into_iter().for_each(|LocationRef(cause)| put(cause, bytes));
            }
            SyncWhat::Met(Together::With(LocationRef(other))) => {
                bytes.push(WITH);
                put(other, bytes);
            }
            SyncWhat::Met(Together::All) => bytes.push(ALL),
            SyncWhat::Met(Together::Comm(CommRef(comm))) => {
                bytes.push(COMM);
                put(comm.into(), bytes);
            }
            SyncWhat::Met(Together::Threads(Process(process))) => {
                bytes.push(THREADS);
                put(process.into(), bytes);
            }
        }
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let time = take_change(before.map_or(0, |before| before.time), bytes)?;
        let what = match take_byte(bytes)? {
            WITH => SyncWhat::Met(Together::With(LocationRef(take(bytes)?))),
            ALL => SyncWhat::Met(Together::All),
            COMM => SyncWhat::Met(Together::Comm(CommRef(take(bytes)?.try_into().ok()?))),
            THREADS => SyncWhat::Met(Together::Threads(Process(take(bytes)?.try_into().ok()?))),
            tag => {
                let end = time.checked_add(take(bytes)?)?;
                let metric = Metric::of_number(take_byte(bytes)?.into())?;
                let cause = match tag {
                    WAITED => Some(LocationRef(take(bytes)?)),
                    _ => None,
                };
                SyncWhat::Waited { end, metric, cause }
            }
        };
        Some(SyncItem { location, time, what })
    }
}

/// The next byte.
pub(super) fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

/// Items on their way to the rank that owns their location.
pub struct Syncs<'s> {
    /// `None`: none are wanted.
    outgoing: Option<Outgoing<'s>>,
    lanes: Lanes<SyncItem>,
}

impl<'s> Syncs<'s> {
    /// To be put into a sink; `None`: none are wanted.
    pub fn new(sink: Option<&'s dyn Sink>) -> Self {
        Syncs { outgoing: sink.map(Outgoing::new), lanes: Lanes::default() }
    }

    /// Returns whether any are wanted.
    pub fn are_wanted(&self) -> bool {
        self.outgoing.is_some()
    }

    fn push(&mut self, location: LocationRef, time: u64, what: SyncWhat) {
        if let Some(outgoing) = &mut self.outgoing {
            self.lanes.push(key_of(location), SyncItem { location, time, what }, outgoing);
        }
    }

    /// A location waited from one time to another one.
    pub(crate) fn waited(
        &mut self,
        (location, metric): (LocationRef, Metric),
        (begin, end): (u64, u64),
        cause: Option<LocationRef>,
    ) {
        if end > begin {
            self.push(location, begin, SyncWhat::Waited { end, metric, cause });
        }
    }

    /// Two locations were at one operation, where the last of them arrived then.
    pub(crate) fn pair(&mut self, one: LocationRef, other: LocationRef, time: u64) {
        if one != other {
            self.push(one, time, SyncWhat::Met(Together::With(other)));
            self.push(other, time, SyncWhat::Met(Together::With(one)));
        }
    }

    /// Locations were at one operation of a group.
    pub(crate) fn all(
        &mut self,
        locations: impl Iterator<Item = LocationRef>,
        of: Together,
        time: u64,
    ) {
        if self.are_wanted() {
            locations.for_each(|location| self.push(location, time, SyncWhat::Met(of)));
        }
    }

    /// Hands all over that was added.
    pub fn hand_over(&mut self) {
        if let Some(outgoing) = &mut self.outgoing {
            self.lanes.empty(outgoing);
            outgoing.hand_over();
        }
    }
}
