//! Intervals of waits: from when on it was open who would come late.
//!
//! The items of a location come in the order of time. Of each location and group of locations that it met, the last time
//! is kept.

use std::collections::{BTreeSet, HashMap, HashSet};

use foldhash::fast::RandomState;
use streamfold_model::ids::{GroupRef, LocationRef};

use super::spread::{TellWhat, Told};
use super::syncs::{take_byte, SyncItem, SyncWhat, Together};
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{
    Item, Items, Key, Lanes, Order, Outgoing, Partners, Process, Processes, Sink, Source,
};
use crate::waitstates::edges::RunParts;

/// The part that a location has in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It waited behind the interval, up to a time.
    Waits(u64),
    /// The wait of another location for it ended with the interval.
    Delays(LocationRef),
}

/// An interval of which the own times of a location are wanted. Times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The location.
    pub location: LocationRef,
    /// Its begin.
    pub begin: u64,
    /// Its end.
    pub end: u64,
    /// The number of the wait at the location that waits.
    pub number: u64,
    /// Its part.
    pub part: Part,
    /// Set if both locations are threads of one process.
    pub in_process: bool,
}

const WAITS: u8 = 0;
const DELAYS: u8 = 1;
/// Added if both are threads of one process.
const IN_PROCESS: u8 = 2;

impl Item for Interval {
    fn order(&self) -> Order {
        Order { time: self.end, location: self.location, number: self.number }
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        let of = |field: fn(&Interval) -> u64| before.map_or(0, field);
        put_change(self.end, of(|before| before.end), bytes);
        put(self.end.saturating_sub(self.begin), bytes);
        put_change(self.number, of(|before| before.number), bytes);
        let of = if self.in_process { IN_PROCESS } else { 0 };
        match self.part {
            Part::Waits(until) => {
                bytes.push(WAITS | of);
                put(until - self.end, bytes);
            }
            Part::Delays(LocationRef(waiter)) => {
                bytes.push(DELAYS | of);
                put(waiter, bytes);
            }
        }
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let of = |field: fn(&Interval) -> u64| before.map_or(0, field);
        let end = take_change(of(|before| before.end), bytes)?;
        let begin = end.checked_sub(take(bytes)?)?;
        let number = take_change(of(|before| before.number), bytes)?;
        let kind = take_byte(bytes)?;
        let in_process = kind & IN_PROCESS != 0;
        let part = match kind & !IN_PROCESS {
            WAITS => Part::Waits(end.checked_add(take(bytes)?)?),
            DELAYS => Part::Delays(LocationRef(take(bytes)?)),
            _ => return None,
        };
        Some(Interval { location, begin, end, number, part, in_process })
    }
}

/// The ranks that read locations.
pub struct Readers {
    ranks: usize,
    of: HashMap<LocationRef, usize, RandomState>,
}

impl Readers {
    /// The locations that each of so many ranks reads.
    pub fn new(ranks: usize, reads: impl Iterator<Item = (LocationRef, usize)>) -> Self {
        Readers { ranks, of: reads.collect() }
    }

    /// Returns the key of a location that the rank owns that reads it; `None`: nobody does.
    fn key(&self, location: LocationRef) -> Option<Key> {
        let reader = *self.of.get(&location)?;
        let LocationRef(number) = location;
        let key = |place| Key([place, number as u32, (number >> 32) as u32, 1]);
        (0..).map(key).find(|key| key.owner(self.ranks) == reader)
    }
}

/// Tells whether locations were together at operations of groups.
pub struct Groups<'d> {
    partners: &'d Partners<'d>,
    processes: &'d Processes,
    /// The members of each group that was asked for.
    members: HashMap<GroupRef, HashSet<Process, RandomState>, RandomState>,
}

impl<'d> Groups<'d> {
    /// Of a trace.
    pub fn new(partners: &'d Partners<'d>, processes: &'d Processes) -> Self {
        Groups { partners, processes, members: HashMap::default() }
    }

    /// Tells whether two locations are threads of one process.
    fn is_one_process(&self, one: LocationRef, other: LocationRef) -> bool {
        let process = self.processes.of(one);
        process.is_some() && process == self.processes.of(other)
    }

    /// Tells whether a location is there where others meet.
    fn has(&mut self, together: Together, other: LocationRef) -> bool {
        let comm = match together {
            Together::With(location) => return location == other,
            Together::All => return true,
            Together::Threads(process) => return self.processes.of(other) == Some(process),
            Together::Comm(comm) => comm,
        };
        let Some(other) = self.processes.of(other) else { return false };
        let partners = self.partners;
        partners.groups(comm).any(|group| {
            let members = self.members.entry(group);
            members.or_insert_with(|| partners.members(group).collect()).contains(&other)
        })
    }
}

/// Destinations of intervals.
pub struct IntervalsTo<'s> {
    readers: &'s Readers,
    parts: &'s RunParts,
    keys: HashMap<LocationRef, Option<Key>, RandomState>,
    intervals: Lanes<Interval>,
    to_readers: Outgoing<'s>,
    told: Lanes<Told>,
    to_parts: Outgoing<'s>,
}

impl<'s> IntervalsTo<'s> {
    /// Intervals go to the ranks that read locations, and waits to those that own their parts of the run.
    pub fn new(
        (readers, intervals): (&'s Readers, &'s dyn Sink),
        (parts, waits): (&'s RunParts, &'s dyn Sink),
    ) -> Self {
        let (keys, lanes, told) = Default::default();
        let (to_readers, to_parts) = (Outgoing::new(intervals), Outgoing::new(waits));
        IntervalsTo { readers, parts, keys, intervals: lanes, to_readers, told, to_parts }
    }

    /// Returns whether anybody reads the location.
    fn interval(&mut self, interval: Interval) -> bool {
        let location = interval.location;
        let key = *self.keys.entry(location).or_insert_with(|| self.readers.key(location));
        if let Some(key) = key {
            self.intervals.push(key, interval, &mut self.to_readers);
        }
        key.is_some()
    }

    /// No more are to come.
    pub fn end(mut self) {
        self.intervals.empty(&mut self.to_readers);
        self.to_readers.hand_over();
        self.told.empty(&mut self.to_parts);
        self.to_parts.hand_over();
    }
}

/// Finds the interval of each wait.
///
/// # Errors
///
/// When a block cannot be read.
pub fn find_intervals<S: Source>(
    source: S,
    groups: &mut Groups<'_>,
    to: &mut IntervalsTo<'_>,
) -> Result<(), S::Error> {
    let (run_begin, _) = to.parts.run();
    let mut items = Items::<S, SyncItem>::new(source)?;
    while let Some(key) = items.key() {
        let (mut met, mut number) = (Met::default(), 0);
        while let Some(SyncItem { location, time, what }) = items.next_of_all(key)? {
            match what {
                SyncWhat::Met(together) => met.add(together, time),
                SyncWhat::Waited { end, metric, cause } => {
                    number += 1;
                    let last = cause.and_then(|cause| met.last(cause, groups));
                    let begin = last.unwrap_or(run_begin).min(time);
                    let in_process =
                        cause.is_some_and(|cause| groups.is_one_process(location, cause));
                    let part = Part::Waits(end);
                    to.interval(Interval { location, begin, end: time, number, part, in_process });
                    let part = Part::Delays(location);
                    let cause = cause.filter(|&location| {
                        to.interval(Interval { location, begin, end, number, part, in_process })
                    });
                    let what = TellWhat::Wait { begin: time, interval: begin, metric, cause };
                    let wait = Told { location, end, number, what };
                    to.told.push(to.parts.latest_first(end), wait, &mut to.to_parts);
                }
            }
        }
    }
    Ok(())
}

/// The times at which a location met others.
#[derive(Default)]
struct Met {
    with: HashMap<LocationRef, u64, RandomState>,
    groups: HashMap<Together, u64, RandomState>,
    /// The groups by the last time.
    latest: BTreeSet<(u64, Together)>,
}

impl Met {
    /// Time goes on from one to the next.
    fn add(&mut self, together: Together, time: u64) {
        if let Together::With(location) = together {
            self.with.insert(location, time);
            return;
        }
        if let Some(before) = self.groups.insert(together, time) {
            self.latest.remove(&(before, together));
        }
        self.latest.insert((time, together));
    }

    /// The last time at which it met a location.
    fn last(&self, other: LocationRef, groups: &mut Groups<'_>) -> Option<u64> {
        let with = self.with.get(&other).copied();
        let later = self.latest.iter().rev().take_while(|(time, _)| Some(*time) > with);
        let mut later = later.copied();
        let group = later.find(|(_, together)| groups.has(*together, other));
        group.map(|(time, _)| time).or(with)
    }
}
