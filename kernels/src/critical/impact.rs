//! Impact of the path on all locations: what they spend on its call paths, and what its imbalance costs them.
//!
//! # Definition
//!
//! T is the time of a call path at a location without waits, P its time on the path. Threads are compared with the path on
//! threads, streams with that on streams. Of each location:
//!
//! * *Activities* are min(T, P), time *off the path* is max(T − P, 0), and the *excess* is max(P − T, 0).
//! * The sum of P less that of T, of all call paths, is what the imbalance of the path costs the location. It is shared out over
//!   call paths in proportion to their excess.
//! * Shares of call paths on which the location is never are *between partitions*. Forks and joins of teams are of all.
//!
//! Time outside of all regions takes no part. All times of a location come together at the rank that owns it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::forked::Forked;
use super::on_path::OnPathTimes;
use crate::account::Role;
use crate::delays::Sharing;
use crate::matching::coding::{put, take};
use crate::matching::{Item, Items, Key, Lanes, Order, Outgoing, Sink, Source};
use crate::profile::metrics::LocationMetric;
use crate::profile::{CallTree, LocationPath, PathIndex, PathSink};
use crate::waitstates::{OnPathPlace, PathId, PathIds, Recorded, Severities};

/// A meaning of ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Time in the call path itself.
    Own,
    /// A part of it that does not count.
    Waited,
    /// A part of it in which teams were forked and joined.
    Forking,
}

/// Ticks of a call path at a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PathTime {
    location: LocationRef,
    path: PathId,
    what: What,
    ticks: u64,
}

impl PathTime {
    /// All of a location come together.
    fn key(&self) -> Key {
        let LocationRef(number) = self.location;
        Key([(number >> 32) as u32, number as u32, 0, 0])
    }
}

impl Item for PathTime {
    /// Sums do not depend on the order.
    fn order(&self) -> Order {
        Order { time: 0, location: self.location, number: 0 }
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        self.path.put(before.map(|before| before.path), bytes);
        bytes.push(self.what as u8);
        put(self.ticks, bytes);
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let path = PathId::take(before.map(|before| before.path), bytes)?;
        let (what, rest) = bytes.split_first()?;
        *bytes = rest;
        let all = [What::Own, What::Waited, What::Forking];
        let what = all.into_iter().find(|known| *known as u8 == *what)?;
        Some(PathTime { location, path, what, ticks: take(bytes)? })
    }
}

/// Takes the own times of locations from a profile.
struct OwnTimeSink {
    to: Arc<dyn Sink + Send + Sync>,
    ids: PathIds,
    lanes: Lanes<PathTime>,
}

/// A sink for a worker of a profile: the own times of its locations go on.
pub fn own_times(to: Arc<dyn Sink + Send + Sync>) -> Box<dyn PathSink> {
    let (ids, lanes) = Default::default();
    Box::new(OwnTimeSink { to, ids, lanes })
}

impl PathSink for OwnTimeSink {
    fn location(
        &mut self,
        location: LocationRef,
        tree: &CallTree,
        paths: &[LocationPath],
        _: &[LocationMetric],
    ) {
        let mut outgoing = Outgoing::new(&*self.to);
        let has_time = |of: &&LocationPath| of.visits.exclusive > 0 && of.path != PathIndex::ROOT;
        for LocationPath { path, visits, .. } in paths.iter().filter(has_time) {
            let (path, ticks) = (self.ids.of(*path, tree), visits.exclusive);
            let time = PathTime { location, path, what: What::Own, ticks };
            self.lanes.push(time.key(), time, &mut outgoing);
        }
        self.lanes.empty(&mut outgoing);
        outgoing.hand_over();
    }

    fn end(self: Box<Self>, _: &CallTree) {}
}

/// Hands on the parts of own times that are waits, and those in which teams were forked and joined.
pub fn parts_of_times(severities: &Severities, recorded: &Recorded, to: &dyn Sink) {
    let (mut lanes, mut outgoing) = (Lanes::default(), Outgoing::new(to));
    let mut push = |location, path, what, ticks: u128| {
        let ticks = u64::try_from(ticks).unwrap_or(u64::MAX);
        let time = PathTime { location, path, what, ticks };
        lanes.push(time.key(), time, &mut outgoing);
    };
    for (place, waited) in &severities.of {
        let metric = place.metric;
        // The path has the time to complete an operation, too.
        let leads = !metric.is_of_no_timeline() && !metric.is_completion();
        if leads && metric.parent().is_none() {
            push(place.location, place.path, What::Waited, waited.ticks);
        }
    }
    for (location, path, ticks, _) in &recorded.moved {
        push(*location, *path, What::Forking, (*ticks).into());
    }
    for (location, path, ticks) in &recorded.counted_twice {
        push(*location, *path, What::Waited, (*ticks).into());
    }
    lanes.empty(&mut outgoing);
    outgoing.hand_over();
}

/// The impact of a call path, the sum of locations. Times in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Impact {
    /// Its time without waits.
    pub busy: u128,
    /// Of that, as much as is on the path.
    pub activities: u128,
    /// Of that, what is beyond the time on the path.
    pub off_path: u128,
    /// The cost of imbalance.
    pub imbalance: u128,
    /// The part of that between partitions.
    pub inter_partition: u128,
}

impl Impact {
    /// Both together.
    pub fn add(&mut self, other: Impact) {
        self.busy += other.busy;
        self.activities += other.activities;
        self.off_path += other.off_path;
        self.imbalance += other.imbalance;
        self.inter_partition += other.inter_partition;
    }
}

/// The impact by call path.
pub type Impacts = HashMap<OnPathPlace, Impact, RandomState>;

/// Both together.
#[must_use]
pub fn add_impacts(mut into: Impacts, other: Impacts) -> Impacts {
    for (place, impact) in other {
        into.entry(place).or_default().add(impact);
    }
    into
}

/// The time on the path by call path in order, in ticks: on threads, and on streams.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathProfile {
    of_roles: [Vec<(OnPathPlace, u64)>; 2],
    forked: Forked,
}

/// The roles of locations that are compared.
const ROLES: [Role; 2] = [Role::Thread, Role::Stream];

impl PathProfile {
    /// Without the time outside of all regions; given times of workers where their teams were forked.
    pub fn new(times: &OnPathTimes, forked: Forked, definitions: &Definitions) -> Self {
        let of_role = |role| {
            let mut sums: BTreeMap<OnPathPlace, u64> = BTreeMap::new();
            let all = times.by_path.iter().filter(|((place, _), _)| is_compared(place));
            let own = all.filter(|((_, of), _)| Role::of(definitions, *of) == Some(role));
            own.for_each(|((place, _), ticks)| *sums.entry(*place).or_default() += ticks);
            sums.into_iter().collect()
        };
        PathProfile { of_roles: ROLES.map(of_role), forked }
    }

    /// The impact on the locations whose times a source has; `tell` gets the activities and the time off the path of
    /// each location on each call path, in ticks.
    ///
    /// # Errors
    ///
    /// When a block cannot be read.
    pub fn impacts<S: Source>(
        &self,
        times: S,
        definitions: &Definitions,
        mut tell: impl FnMut(LocationRef, PathId, [u64; 2]),
    ) -> Result<Impacts, S::Error> {
        let mut times = Items::<S, PathTime>::new(times)?;
        let mut impacts = Impacts::default();
        while let Some(key) = times.key() {
            let (mut of, mut sums) = (None, BTreeMap::<PathId, [u64; 3]>::new());
            while let Some(PathTime { location, path, what, ticks }) = times.next_of_all(key)? {
                let path = self.forked.of(path);
                let sum = &mut sums.entry(path).or_default()[what as usize];
                (of, *sum) = (Some(location), sum.saturating_add(ticks));
            }
            let role = of.and_then(|location| Role::of(definitions, location));
            let place = ROLES.iter().position(|known| Some(*known) == role);
            let Some((location, place)) = of.zip(place) else { continue };
            let mut cells: BTreeMap<PathId, [u64; 2]> = BTreeMap::new();
            for (place, impact) in of_location(&self.of_roles[place], &without_waits(&sums)) {
                let cell = cells.entry(place.path).or_default();
                // At one location neither exceeds the time of the call path.
                for (sum, ticks) in cell.iter_mut().zip([impact.activities, impact.off_path]) {
                    *sum = sum.saturating_add(ticks as u64);
                }
                impacts.entry(place).or_default().add(impact);
            }
            for (path, cell) in cells.into_iter().filter(|(_, cell)| *cell != [0, 0]) {
                tell(location, path, cell);
            }
        }
        Ok(impacts)
    }
}

/// Time outside of all regions is nobody's.
fn is_compared(place: &OnPathPlace) -> bool {
    place.path != PathId::ROOT
}

/// The times of a location without waits, those of teams apart, in order.
fn without_waits(sums: &BTreeMap<PathId, [u64; 3]>) -> BTreeMap<OnPathPlace, u64> {
    let places = sums.iter().flat_map(|(path, [own, waited, forking])| {
        let busy = own.saturating_sub(*waited).saturating_sub(*forking);
        [(false, busy), (true, *forking)].map(|(forking, ticks)| {
            let place = OnPathPlace { path: *path, forking };
            (place, ticks)
        })
    });
    places.filter(|(place, ticks)| *ticks > 0 && is_compared(place)).collect()
}

/// The impact on a location, given the path and the times of the location without waits.
fn of_location(
    path: &[(OnPathPlace, u64)],
    times: &BTreeMap<OnPathPlace, u64>,
) -> BTreeMap<OnPathPlace, Impact> {
    let mut impacts = BTreeMap::new();
    for (place, ticks) in times {
        let busy = u128::from(*ticks);
        impacts.insert(*place, Impact { busy, off_path: busy, ..Impact::default() });
    }
    let (mut excess, mut on_path) = (Vec::new(), 0u64);
    for (place, ticks) in path {
        let own = times.get(place).copied().unwrap_or(0);
        on_path = on_path.saturating_add(*ticks);
        if own > 0 {
            let impact: &mut Impact = impacts.entry(*place).or_default();
            impact.activities = own.min(*ticks).into();
            impact.off_path -= impact.activities;
        }
        if *ticks > own {
            excess.push((*place, ticks - own, own == 0 && !place.forking));
        }
    }
    let sum = |ticks: &mut dyn Iterator<Item = u64>| ticks.fold(0, u64::saturating_add);
    let cost = on_path.saturating_sub(sum(&mut times.values().copied()));
    let whole = sum(&mut excess.iter().map(|(_, ticks, _)| *ticks));
    let mut sharing = Sharing::of(whole);
    for (place, ticks, is_never_there) in excess {
        let share = u128::from(sharing.part(ticks)(cost));
        if share > 0 {
            let impact: &mut Impact = impacts.entry(place).or_default();
            impact.imbalance = share;
            impact.inter_partition = if is_never_there { share } else { 0 };
        }
    }
    impacts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn places(of: &BTreeMap<u64, u64>) -> BTreeMap<OnPathPlace, u64> {
        let place = |path: &u64| OnPathPlace { path: PathId(path / 2 + 1), forking: path % 2 == 1 };
        of.iter().map(|(path, ticks)| (place(path), *ticks)).collect()
    }

    proptest! {
        #[test]
        fn all_time_is_an_activity_or_off_the_path_and_all_cost_is_shared_out(
            path in prop::collection::btree_map(0u64..20, 1u64..1000, 0..12),
            times in prop::collection::btree_map(0u64..20, 1u64..1000, 0..12),
        ) {
            let (path, times) = (places(&path), places(&times));
            let of_path: Vec<_> = path.iter().map(|(place, ticks)| (*place, *ticks)).collect();
            let found = of_location(&of_path, &times);
            let mut all = Impact::default();
            for (place, impact) in &found {
                let (busy, on_path) = [&times, &path].map(|of| of.get(place).copied().unwrap_or(0)).into();
                prop_assert_eq!(impact.busy, u128::from(busy));
                prop_assert_eq!(impact.activities, u128::from(busy.min(on_path)));
                prop_assert_eq!(impact.activities + impact.off_path, impact.busy);
                prop_assert!(impact.imbalance <= u128::from(on_path.saturating_sub(busy)) + 1);
                let is_between = busy == 0 && !place.forking;
                let expected = if is_between { impact.imbalance } else { 0 };
                prop_assert_eq!(impact.inter_partition, expected);
                all.add(*impact);
            }
            let [on_path, busy] = [&path, &times].map(|of| of.values().sum::<u64>());
            prop_assert_eq!(all.busy, u128::from(busy));
            prop_assert_eq!(all.imbalance, u128::from(on_path.saturating_sub(busy)));
        }
    }

    #[test]
    fn items_come_back() {
        let location = LocationRef(7);
        let items = [
            (PathId(3), What::Own, 1u64),
            (PathId(3), What::Waited, u64::MAX),
            (PathId(9), What::Forking, 0),
        ];
        let mut bytes = Vec::new();
        let mut before = None;
        for (path, what, ticks) in items {
            let item = PathTime { location, path, what, ticks };
            item.put(before.as_ref(), &mut bytes);
            before = Some(item);
        }
        let (mut rest, mut before) = (&bytes[..], None);
        for (path, what, ticks) in items {
            let item = PathTime::take(before.as_ref(), location, &mut rest);
            assert_eq!(item, Some(PathTime { location, path, what, ticks }));
            before = item;
        }
        assert!(rest.is_empty());
    }
}
