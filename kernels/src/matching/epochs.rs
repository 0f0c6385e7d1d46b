//! General active target synchronisation of windows: a process begins to access the memory of others
//! (MPI_Win_start), which give it access (MPI_Win_post). The n-th access of an origin to a target of a window
//! belongs to the n-th time that this target gave it access.
//!
//! Both calls leave the same records (RmaGroupSync), so their regions tell them apart.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::definitions::Region;
use streamfold_model::ids::{LocationRef, RegionRef, RmaWinRef};
use streamfold_model::store::Definitions;

use super::block::{put_change, take_change, Item, Key, Order, Source};
use super::chosen::Chosen;
use super::join::{self, Receiver, Side};
use super::lanes::{Lanes, Outgoing};
use super::partners::Process;
use super::totals::{Alone, Reason, Streams};
use crate::mpi_calls::MpiCalls;

/// Start of an epoch, on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begin {
    /// Its place among those of its process.
    pub order: Order,
    /// Time of its record, in ticks.
    pub time: u64,
}

impl Item for Begin {
    fn order(&self) -> Order {
        self.order
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        let of = |field: fn(&Begin) -> u64| before.map_or(0, field);
        put_change(self.order.time, of(|begin| begin.order.time), bytes);
        put_change(self.order.number, of(|begin| begin.order.number), bytes);
        put_change(self.time, self.order.time, bytes);
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let of = |field: fn(&Begin) -> u64| before.map_or(0, field);
        let time = take_change(of(|begin| begin.order.time), bytes)?;
        let number = take_change(of(|begin| begin.order.number), bytes)?;
        let order = Order { time, location, number };
        Some(Begin { order, time: take_change(time, bytes)? })
    }
}

/// Sides that begin in regions.
pub(super) struct Callers<'d> {
    definitions: &'d Definitions,
    calls: MpiCalls,
    known: HashMap<RegionRef, Option<Side>, RandomState>,
}

impl<'d> Callers<'d> {
    pub(super) fn new(definitions: &'d Definitions) -> Self {
        Callers { definitions, calls: MpiCalls::new(definitions), known: HashMap::default() }
    }

    /// An access begins in it, or an exposure.
    #[inline]
    pub(super) fn side(&mut self, region: RegionRef) -> Option<Side> {
        if let Some(known) = self.known.get(&region) {
            return *known;
        }
        // Undefined references may be any number: they are not remembered.
        let definition = self.definitions.regions.get(&region)?;
        let side = self.side_of(definition);
        self.known.insert(region, side);
        side
    }

    fn side_of(&self, region: &Region) -> Option<Side> {
        let names = [region.canonical_name, region.name];
        let names = names.map(|name| self.definitions.string(name));
        match self.calls.name(region.paradigm, names)?.as_str() {
            "win_start" => Some(Side::First),
            "win_post" => Some(Side::Second),
            _ => None,
        }
    }
}

/// How many members of groups the epochs of one location were followed to. Few bytes name a group however large
/// it is, and any number of events may name it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Followed {
    members: u64,
    is_over: bool,
}

impl Followed {
    /// Number for each event of the location, besides one epoch with all processes.
    const OF_EVENT: u64 = 64;

    /// Tells whether an epoch of the event with this number is followed to so many members. Once one is not, no later
    /// one of this location is. Else its n-th would be matched with a wrong one of others.
    pub(crate) fn follows(&mut self, members: usize, processes: usize, event: u64) -> bool {
        self.members = self.members.saturating_add(members as u64);
        let most = (processes as u64).saturating_add(event.saturating_mul(Self::OF_EVENT));
        self.is_over |= self.members > most;
        !self.is_over
    }
}

/// State of a worker for the epochs of one location after another.
pub(super) struct EpochRoom<'s> {
    pub callers: Callers<'s>,
    /// Of the location.
    pub followed: Followed,
    lanes: [Lanes<Begin>; 2],
    outgoing: [Outgoing<'s>; 2],
}

impl<'s> EpochRoom<'s> {
    /// Accesses go to the first, exposures to the second.
    pub(super) fn new(definitions: &'s Definitions, outgoing: [Outgoing<'s>; 2]) -> Self {
        let (followed, lanes) = Default::default();
        EpochRoom { callers: Callers::new(definitions), followed, lanes, outgoing }
    }

    /// An epoch begins between a process and others. Returns how many these are.
    pub(super) fn begin(
        &mut self,
        (win, own, side): (RmaWinRef, Process, Side),
        others: impl Iterator<Item = Process>,
        begin: Begin,
    ) -> usize {
        let (place, mut count) = (side as usize, 0);
        for other in others {
            count += 1;
            let (origin, target) = match side {
                Side::First => (own, other),
                Side::Second => (other, own),
            };
            let key = Key([win.0, origin.0, target.0, 0]);
            self.lanes[place].push(key, begin, &mut self.outgoing[place]);
        }
        count
    }

    /// The location is at its end.
    pub(super) fn end(&mut self) {
        self.followed = Followed::default();
        self.lanes.iter_mut().zip(&mut self.outgoing).for_each(|(lanes, out)| lanes.empty(out));
    }

    /// There are no more locations.
    pub(super) fn hand_over(&mut self) {
        self.outgoing.iter_mut().for_each(Outgoing::hand_over);
    }
}

/// The epochs of a window, one for each pair of an origin and a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowEpochs {
    /// Those of which both sides are known.
    pub matched: u64,
    /// Accesses that no target gave.
    pub accesses: Alone,
    /// Exposures that no origin used.
    pub exposures: Alone,
}

/// Epochs by window.
pub type EpochTotals = BTreeMap<RmaWinRef, WindowEpochs>;

/// Adds those of others.
pub fn fold(into: &mut EpochTotals, other: &EpochTotals) {
    for (win, of) in other {
        let own = into.entry(*win).or_default();
        own.matched += of.matched;
        own.accesses.iter_mut().zip(of.accesses).for_each(|(own, other)| *own += other);
        own.exposures.iter_mut().zip(of.exposures).for_each(|(own, other)| *own += other);
    }
}

/// Joins accesses with exposures. Of the pairs those count whose locations are both chosen, and whose access
/// began in the chosen time; `streams` say why something is alone.
///
/// # Errors
///
/// When a block cannot be read.
pub fn join<S: Source>(
    accesses: S,
    exposures: S,
    chosen: &Chosen,
    streams: &[Streams],
) -> Result<EpochTotals, S::Error> {
    let mut joining = Joining { chosen, streams, totals: EpochTotals::new() };
    join::join::<S, Begin>(accesses, exposures, &mut joining)?;
    Ok(joining.totals)
}

struct Joining<'a> {
    chosen: &'a Chosen,
    streams: &'a [Streams],
    totals: EpochTotals,
}

impl Joining<'_> {
    fn has(&self, begin: &Begin) -> bool {
        self.chosen.has(begin.order.location)
    }

    fn is_in_time(&self, begin: &Begin) -> bool {
        self.chosen.is_in_time_of(begin.order.location, begin.time)
    }

    fn count_alone(&mut self, key: Key, side: Side, begin: &Begin, reason: Reason) {
        if self.has(begin) && self.is_in_time(begin) {
            let of = self.totals.entry(RmaWinRef(key.0[0])).or_default();
            let alone = match side {
                Side::First => &mut of.accesses,
                Side::Second => &mut of.exposures,
            };
            alone[reason as usize] += 1;
        }
    }
}

impl Receiver<Begin> for Joining<'_> {
    fn pair(&mut self, key: Key, access: Begin, exposure: Begin) {
        match (self.has(&access), self.has(&exposure)) {
            (true, true) if self.is_in_time(&access) => {
                self.totals.entry(RmaWinRef(key.0[0])).or_default().matched += 1;
            }
            (true, true) => {}
            (true, false) => self.count_alone(key, Side::First, &access, Reason::NotSelected),
            (false, _) => self.count_alone(key, Side::Second, &exposure, Reason::NotSelected),
        }
    }

    fn alone(&mut self, key: Key, side: Side, begin: Begin) {
        let Key([_, origin, target, _]) = key;
        let other = if side == Side::First { target } else { origin };
        let streams = self.streams.get(other as usize).copied().unwrap_or_default();
        let reason = match self.chosen.reads(Process(other)) {
            true => streams.reason(),
            false => Reason::NotSelected,
        };
        self.count_alone(key, side, &begin, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events may name any region.
    #[test]
    fn regions_that_nobody_defines_are_not_remembered() {
        let definitions = Definitions::default();
        let mut callers = Callers::new(&definitions);
        assert!((0..1000).all(|region| callers.side(RegionRef(region)).is_none()));
        assert!(callers.known.is_empty());
    }

    /// As many as there are processes, and some more for each event.
    #[test]
    fn epochs_are_followed_as_far_as_events_go() {
        let mut followed = Followed::default();
        assert!(followed.follows(1000, 1000, 1));
        assert!(followed.follows(64, 1000, 1));
        assert!(!followed.follows(100, 1000, 2));
        // All behind it would be others than they are.
        assert!(!followed.follows(1, 1000, 1_000_000));
        assert!(!Followed::default().follows(1 << 20, 2, 1000));
        assert!(Followed::default().follows(1 << 20, 2, 1 << 14));
    }
}
