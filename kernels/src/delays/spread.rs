//! Costs of delays: waits are given to the code that made others wait, the latest first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::syncs::take_byte;
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Items, Order, Source};
use crate::waitstates::{Metric, OnPathPlace, PathId};

/// Facts about a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TellWhat {
    /// The wait. Times in ticks.
    Wait {
        /// Its begin.
        begin: u64,
        /// The begin of its interval.
        interval: u64,
        /// Its metric.
        metric: Metric,
        /// The location that it waited for; `None`: it cannot be.
        cause: Option<LocationRef>,
    },
    /// The own time of the location that waited on a call path in the interval, in ticks.
    Waiting(OnPathPlace, u64),
    /// That of the location that it waited for.
    Delaying {
        /// The call path.
        place: OnPathPlace,
        /// The call path that the location has that waited for the same code.
        same: OnPathPlace,
        /// Its own time, in ticks.
        ticks: u64,
    },
    /// How long that location waited in waits that ended in the interval, in ticks.
    Inside(u64),
}

/// An item of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// The location that waited.
    pub location: LocationRef,
    /// The end of the wait, in ticks.
    pub end: u64,
    /// The number of the wait there.
    pub number: u64,
    /// The meaning.
    pub what: TellWhat,
}

const WAIT: u8 = 0;
const IMPOSSIBLE: u8 = 1;
const WAITING: u8 = 2;
const DELAYING: u8 = 3;
const INSIDE: u8 = 4;
const DELAYING_IN_PROCESS: u8 = 5;

impl Item for Told {
    /// The latest wait first.
    fn order(&self) -> Order {
        Order { time: u64::MAX - self.end, location: self.location, number: self.number }
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        let of = |field: fn(&Told) -> u64| before.map_or(0, field);
        put_change(self.end, of(|before| before.end), bytes);
        put_change(self.number, of(|before| before.number), bytes);
        match self.what {
            TellWhat::Wait { begin, interval, metric, cause } => {
                bytes.push(if cause.is_some() { WAIT } else { IMPOSSIBLE });
                put_change(begin, self.end, bytes);
                put_change(interval, begin, bytes);
                bytes.push(metric.number());
                cause.into_iter().for_each(|LocationRef(cause)| put(cause, bytes));
            }
            TellWhat::Waiting(path, ticks) => {
                bytes.push(WAITING);
                path.put(bytes);
                put(ticks, bytes);
            }
            TellWhat::Delaying { place, same, ticks } => {
                bytes.push(if place == same { DELAYING } else { DELAYING_IN_PROCESS });
                place.put(bytes);
                if place != same {
                    same.put(bytes);
                }
                put(ticks, bytes);
            }
            TellWhat::Inside(ticks) => {
                bytes.push(INSIDE);
                put(ticks, bytes);
            }
        }
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let of = |field: fn(&Told) -> u64| before.map_or(0, field);
        let end = take_change(of(|before| before.end), bytes)?;
        let number = take_change(of(|before| before.number), bytes)?;
        let what = match take_byte(bytes)? {
            WAITING => TellWhat::Waiting(OnPathPlace::take(bytes)?, take(bytes)?),
            tag @ (DELAYING | DELAYING_IN_PROCESS) => {
                let place = OnPathPlace::take(bytes)?;
                let same = if tag == DELAYING { place } else { OnPathPlace::take(bytes)? };
                TellWhat::Delaying { place, same, ticks: take(bytes)? }
            }
            INSIDE => TellWhat::Inside(take(bytes)?),
            tag => {
                let begin = take_change(end, bytes)?;
                let interval = take_change(begin, bytes)?;
                let metric = Metric::of_number(take_byte(bytes)?.into())?;
                let cause = match tag {
                    WAIT => Some(LocationRef(take(bytes)?)),
                    _ => None,
                };
                TellWhat::Wait { begin, interval, metric, cause }
            }
        };
        Some(Told { location, end, number, what })
    }
}

/// The costs of a call path at a location, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Waits of others that it made.
    pub direct: u128,
    /// Waits that those made that waited for it.
    pub long_term: u128,
}

impl Cost {
    /// Direct and long-term together.
    pub fn ticks(&self) -> u128 {
        self.direct + self.long_term
    }

    /// Both together.
    pub fn add(&mut self, other: Cost) {
        self.direct += other.direct;
        self.long_term += other.long_term;
    }
}

/// The costs of delays: all waits that have a cause, to the tick.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    /// By the kind of the waits, the call path and the location of the delay.
    pub of: HashMap<(Metric, OnPathPlace, LocationRef), Cost, RandomState>,
    /// Ticks of waits that nothing explains, by kind.
    pub not_explained: BTreeMap<Metric, u128>,
}

impl Costs {
    /// The call paths of all delays.
    pub fn paths(&self) -> impl Iterator<Item = PathId> + '_ {
        self.of.keys().map(|(_, place, _)| place.path)
    }

    /// Both together.
    #[must_use]
    pub fn fold(mut self, mut other: Costs) -> Costs {
        if self.of.len() < other.of.len() {
            std::mem::swap(&mut self.of, &mut other.of);
        }
        for (place, cost) in other.of {
            self.of.entry(place).or_default().add(cost);
        }
        for (metric, ticks) in other.not_explained {
            *self.not_explained.entry(metric).or_default() += ticks;
        }
        self
    }
}

/// Waits of a kind that have to be given to somebody, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Mass {
    metric: Metric,
    ticks: u64,
    /// Set if it is the wait itself, and not what later waits have passed on.
    is_own: bool,
}

/// Something that is shared in proportion to parts of a whole, which come one after another. Each share is rounded so
/// that all parts so far have what they should have, rounded down: all of them together have everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sharing {
    whole: u64,
    given: u64,
}

impl Sharing {
    /// Nothing is given yet.
    pub(crate) fn of(whole: u64) -> Self {
        Sharing { whole, given: 0 }
    }

    /// The next part of the whole. Returns how much of something is its share.
    pub(crate) fn part(&mut self, part: u64) -> impl Fn(u64) -> u64 {
        let (whole, from) = (self.whole.max(1), self.given);
        let to = from.saturating_add(part).min(self.whole);
        self.given = to;
        let up_to = move |ticks: u64, part: u64| {
            (u128::from(ticks) * u128::from(part) / u128::from(whole)) as u64
        };
        move |ticks| up_to(ticks, to) - up_to(ticks, from)
    }
}

/// A wait that passes on what earlier waits of the location get that it waited for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Passing {
    /// Its interval, in ticks.
    begin: u64,
    end: u64,
    sharing: Sharing,
    masses: Vec<Mass>,
}

/// Goes back over the waits of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Spread {
    /// By the location that was waited for.
    passing: HashMap<LocationRef, Vec<Passing>, RandomState>,
    /// The findings so far.
    costs: Costs,
}

/// Everything that is known about a wait.
#[derive(Default)]
struct Present {
    wait: Option<Told>,
    waiting: HashMap<OnPathPlace, u64, RandomState>,
    /// Ticks by call path, and by that of the location that waited.
    delaying: Vec<(u64, OnPathPlace, OnPathPlace)>,
    inside: u64,
}

impl Spread {
    /// Goes back as far as the waits of a source lead: the latest come first. `counts` says how much of a wait of a
    /// location counts, given its begin and end.
    ///
    /// # Errors
    ///
    /// When a block cannot be read.
    pub fn go_on<S: Source>(
        &mut self,
        source: S,
        counts: impl Fn(LocationRef, (u64, u64)) -> u64,
    ) -> Result<(), S::Error> {
        let mut items = Items::<S, Told>::new(source)?;
        let mut present = Present::default();
        let mut of = None;
        while let Some(key) = items.key() {
            while let Some(told) = items.next_of_all(key)? {
                let order = told.order();
                if of.replace(order).is_some_and(|before| before != order) {
                    self.take(std::mem::take(&mut present), &counts);
                }
                match told.what {
                    TellWhat::Wait { .. } => present.wait = Some(told),
                    TellWhat::Waiting(path, ticks) => {
                        *present.waiting.entry(path).or_default() += ticks;
                    }
                    TellWhat::Delaying { place, same, ticks } => {
                        present.delaying.push((ticks, place, same));
                    }
                    TellWhat::Inside(ticks) => present.inside += ticks,
                }
            }
        }
        self.take(present, &counts);
        Ok(())
    }

    /// Returns the costs. The rest was not passed on to anybody.
    pub fn end(mut self) -> Costs {
        for passing in std::mem::take(&mut self.passing).into_values().flatten() {
            self.is_over(passing);
        }
        self.costs
    }

    /// The findings so far; the walk goes on elsewhere.
    pub fn take_costs(&mut self) -> Costs {
        std::mem::take(&mut self.costs)
    }

    fn take(&mut self, mut present: Present, counts: impl Fn(LocationRef, (u64, u64)) -> u64) {
        let Some(Told { location, end, what, .. }) = present.wait else { return };
        let TellWhat::Wait { begin, interval, metric, cause } = what else { return };
        let mut masses = self.received(location, (begin, end));
        let mut differences: Vec<(OnPathPlace, u64)> = Vec::with_capacity(present.delaying.len());
        present.delaying.sort_unstable_by_key(|(ticks, place, _)| (Reverse(*ticks), *place));
        for (ticks, place, same) in present.delaying {
            // Of several call paths of the same code, that with most time is compared first.
            let waiting = present.waiting.entry(same).or_default();
            let both = ticks.min(*waiting);
            *waiting -= both;
            if ticks > both {
                differences.push((place, ticks - both));
            }
        }
        differences.sort_unstable_by_key(|(path, ticks)| (Reverse(*ticks), *path));
        let delays: u64 = differences.iter().map(|(_, ticks)| ticks).sum();
        let whole = delays.saturating_add(present.inside);
        let own = counts(location, (begin, end));
        let explained = own.min(whole);
        self.not_explained(metric, own - explained);
        masses.push(Mass { metric, ticks: explained, is_own: true });
        masses.retain(|mass| mass.ticks > 0);
        let Some(cause) = cause.filter(|_| whole > 0) else {
            masses.into_iter().for_each(|mass| self.not_explained(mass.metric, mass.ticks));
            return;
        };
        if masses.is_empty() {
            return;
        }
        let mut sharing = Sharing::of(whole);
        for (path, ticks) in differences {
            let share = sharing.part(ticks);
            for mass in &masses {
                let ticks = u128::from(share(mass.ticks));
                let cost = match mass.is_own {
                    true => Cost { direct: ticks, long_term: 0 },
                    false => Cost { direct: 0, long_term: ticks },
                };
                if ticks > 0 {
                    self.costs.of.entry((mass.metric, path, cause)).or_default().add(cost);
                }
            }
        }
        if present.inside > 0 {
            let passing = Passing { begin: interval, end, sharing, masses };
            self.passing.entry(cause).or_default().push(passing);
        }
    }

    /// Costs that later waits for a location pass on to one of its waits.
    fn received(&mut self, location: LocationRef, (begin, end): (u64, u64)) -> Vec<Mass> {
        let Some(passing) = self.passing.get_mut(&location) else { return Vec::new() };
        let over: Vec<Passing> = passing.extract_if(.., |one| one.begin >= end).collect();
        let mut sums: BTreeMap<Metric, u64> = BTreeMap::new();
        for one in passing.iter_mut().filter(|one| one.end > end) {
            let share = one.sharing.part(end - begin);
            for mass in &one.masses {
                *sums.entry(mass.metric).or_default() += share(mass.ticks);
            }
        }
        over.into_iter().for_each(|one| self.is_over(one));
        let sums = sums.into_iter();
        sums.map(|(metric, ticks)| Mass { metric, ticks, is_own: false }).collect()
    }

    /// No more waits are in its interval.
    fn is_over(&mut self, mut passing: Passing) {
        let rest = passing.sharing.part(u64::MAX);
        for mass in passing.masses {
            self.not_explained(mass.metric, rest(mass.ticks));
        }
    }

    fn not_explained(&mut self, metric: Metric, ticks: u64) {
        if ticks > 0 {
            *self.costs.not_explained.entry(metric).or_default() += u128::from(ticks);
        }
    }
}
