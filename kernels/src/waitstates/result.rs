//! The finished analysis: how much of the time was waiting.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::flights::Flights;
use super::metric::Metric;
use super::over_time::WaitsOverTime;
use super::path::PathId;
use super::scan::{OpenRegions, Recorded};
use super::severity::{Blamed, ByClocks, LeftOut, Place, Severities};
use super::threads::Threads;
use super::times::Times;
use crate::matching::paths::PathNumbers;
use crate::profile::{LocationRow, Profile};

/// The time of a metric. All are ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row<K> {
    /// Of what.
    pub of: K,
    /// The metric.
    pub metric: Metric,
    /// Its time, with that of the waits that are a part of it.
    pub ticks: u128,
    /// Without them.
    pub self_ticks: u128,
    /// In how many calls it was found.
    pub instances: u64,
}

/// One wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worst {
    /// For what.
    pub metric: Metric,
    /// How long, in ticks.
    pub ticks: u64,
    /// The location that waited.
    pub location: LocationRef,
    /// The call path, as an index into [`Profile::paths`].
    pub path: Option<u32>,
    /// The number of the event with which the call was entered.
    pub number: u64,
    /// When it was entered, in ticks.
    pub enter: u64,
    /// When it was left, in ticks; `None`: that was not recorded.
    pub leave: Option<u64>,
    /// The location that it waited for, and its call path as an index into [`Profile::paths`]. `None`: it is unknown.
    pub cause: Option<(LocationRef, Option<u32>)>,
    /// When that location came, in ticks.
    pub cause_time: Option<u64>,
}

/// A location and call path that others waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// The kind of waiting.
    pub metric: Metric,
    /// The location that came late.
    pub location: LocationRef,
    /// The call path of the late call, as an index into [`Profile::paths`]; `None`: it is not known.
    pub path: Option<u32>,
    /// Ticks that others waited.
    pub ticks: u128,
    /// Number of waits.
    pub instances: u64,
    /// The longest of these waits, in ticks, and the location that waited.
    pub longest: (u64, LocationRef),
}

/// The waits of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitStates {
    /// All waits of all locations.
    pub metrics: Vec<Row<()>>,
    /// By call path, as an index into [`Profile::paths`]; `None`: outside of all.
    pub by_path: Vec<Row<Option<u32>>>,
    /// By location.
    pub by_location: Vec<Row<LocationRef>>,
    /// Waits by call path and location.
    pub severities: Vec<Row<(Option<u32>, LocationRef)>>,
    /// The longest waits of each metric, the longest first.
    pub worst: Vec<Worst>,
    /// Messages that were longest on their way, where these are wanted.
    pub flights: Flights,
    /// Locations that made others wait, by metric, the one with the most time first.
    pub causes: Vec<Cause>,
    /// Clocks that disagree.
    pub violations: ByClocks,
    /// Numbers of items that were left out.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Waits by row and part of the time, where these are wanted.
    pub over_time: WaitsOverTime,
    /// Visits, messages, and what is odd.
    pub profile: Profile,
}

/// The results of all ranks.
pub struct Parts {
    /// The profile.
    pub profile: Profile,
    /// Indexes of call paths in the profile.
    pub paths: PathNumbers,
    /// The own times outside of parallel regions.
    pub times: Times,
    /// Facts that locations recorded.
    pub recorded: Recorded,
    /// All waits.
    pub severities: Severities,
}

impl WaitStates {
    /// Combines the results.
    pub fn new(parts: Parts, mut threads: Threads) -> WaitStates {
        let Parts { profile, paths, mut times, recorded, mut severities } = parts;
        count_once(&mut times.outside_of_teams, &recorded);
        threads.exclude(severities.forget_inner_threads());
        let threads = &threads;
        for (what, count) in &recorded.left_out {
            severities.leave_out(*what, *count);
        }
        if recorded.moved_data && !recorded.sizes_known {
            severities.leave_out(LeftOut::SizesUnknown, 1);
        }
        if recorded.openmp {
            idle(&profile, &times, &recorded, threads, &mut severities);
        }
        let index = |path: PathId| paths.row(path.0);
        idle_in_pools(&profile, &times, &recorded, &mut severities);
        let mut found = Found::new();
        let (mut metrics, mut by_path, mut by_location) =
            (Found::new(), Found::new(), Found::new());
        metrics.extend(Metric::all().map(|metric| (((), metric), (0, 0))));
        for (Place { metric, path, location }, waited) in &severities.of {
            let (path, more) = (index(*path), (waited.ticks, waited.instances));
            add(&mut found, ((path, *location), *metric), more);
            add(&mut by_path, (path, *metric), more);
            add(&mut by_location, (*location, *metric), more);
            add(&mut metrics, ((), *metric), more);
        }
        let mut of_places = rows(&found);
        of_places.sort_by_key(|row| (row.metric, Reverse(row.ticks), row.of));
        let worst = severities.worst.iter().flat_map(|(metric, worst)| {
            worst.iter().map(|one| Worst {
                metric: *metric,
                ticks: one.ticks.0,
                location: one.location,
                path: index(one.path),
                number: one.number,
                enter: one.enter,
                leave: one.leave,
                cause: one.culprit.map(|culprit| (culprit.location, index(culprit.path))),
                cause_time: one.culprit.map(|culprit| culprit.time),
            })
        });
        let mut by_cause: BTreeMap<(Metric, LocationRef, Option<u32>), Blamed> = BTreeMap::new();
        for ((metric, location, path), blamed) in &severities.blamed {
            let key = (*metric, *location, index(*path));
            by_cause.entry(key).or_default().add(*blamed);
        }
        let causes = by_cause.into_iter().map(|((metric, location, path), of)| Cause {
            metric,
            location,
            path,
            ticks: of.waited.ticks,
            instances: of.waited.instances,
            longest: (of.longest.0, of.longest.1 .0),
        });
        let mut causes: Vec<Cause> = causes.collect();
        causes.sort_by_key(|of| (of.metric, Reverse(of.ticks), of.location, of.path));
        WaitStates {
            metrics: rows(&metrics),
            by_path: rows(&by_path),
            by_location: rows(&by_location),
            severities: of_places,
            worst: worst.collect(),
            flights: severities.flights,
            causes,
            violations: severities.violations,
            left_out: severities.left_out,
            over_time: severities.over_time,
            profile,
        }
    }
}

/// Adds idle threads: time of worker threads while their process was not in a parallel region.
fn idle(
    profile: &Profile,
    times: &Times,
    recorded: &Recorded,
    threads: &Threads,
    severities: &mut Severities,
) {
    let mut moved: HashMap<(LocationRef, PathId), u64, RandomState> = HashMap::default();
    let mut moved_in_all: HashMap<LocationRef, u64, RandomState> = HashMap::default();
    for (location, path, ticks, _) in recorded.moved.iter().filter(|moved| moved.3) {
        let (of_path, of_all) = (
            moved.entry((*location, *path)).or_default(),
            moved_in_all.entry(*location).or_default(),
        );
        for sum in [of_path, of_all] {
            *sum = u64::saturating_add(*sum, *ticks);
        }
    }
    let workers = |master: LocationRef| {
        let process = threads.master_of(master);
        process.map_or(&[][..], |process| threads.workers(process))
    };
    let mut idle: HashMap<LocationRef, Vec<(PathId, u64)>, RandomState> = HashMap::default();
    let mut add = |master: LocationRef, path: PathId, ticks: u64| {
        let ticks = ticks.saturating_sub(moved.get(&(master, path)).copied().unwrap_or(0));
        if ticks > 0 && !workers(master).is_empty() {
            idle.entry(master).or_default().push((path, ticks));
        }
    };
    for (master, path, ticks) in &times.outside_of_teams {
        add(*master, *path, *ticks);
    }
    let spans = Spans::new(recorded);
    for row in &profile.locations {
        add(row.location, PathId::ROOT, spans.outside(row));
    }
    let open: HashMap<LocationRef, &OpenRegions, RandomState> =
        recorded.open_regions.iter().map(|open| (open.location, open)).collect();
    for row in &profile.locations {
        let (Some(open), Some(idle)) = (open.get(&row.location), idle.get_mut(&row.location))
        else {
            continue;
        };
        let moved = moved_in_all.get(&row.location).copied().unwrap_or(0);
        keep_idle(idle, spans.in_no_team(row, open).saturating_sub(moved));
    }
    for (master, parts) in idle {
        for worker in workers(master) {
            for &(path, ticks) in &parts {
                let place = Place { metric: Metric::OMP_IDLE_THREADS, path, location: *worker };
                severities.add(place, ticks, 1);
            }
        }
    }
}

/// Others were idle for no longer than this: the visit of a region that is never left has no time, so that its time
/// is that of what is around it: of no region, or else of the path that has most.
fn keep_idle(idle: &mut [(PathId, u64)], most: u64) {
    let sum = idle.iter().fold(0u64, |sum, (_, ticks)| sum.saturating_add(*ticks));
    let mut excess = sum.saturating_sub(most);
    idle.sort_unstable_by_key(|(path, ticks)| (*path != PathId::ROOT, Reverse(*ticks), *path));
    for (_, ticks) in idle {
        let part = excess.min(*ticks);
        (*ticks, excess) = (*ticks - part, excess - part);
    }
}

/// Threads that were created, and were in teams that others forked: they were created for these.
fn pooled(recorded: &Recorded, severities: &Severities) -> HashSet<LocationRef, RandomState> {
    let is_guest = |of: &&LocationRef| severities.in_teams.get(of).is_some_and(|teams| teams.guest);
    recorded.created.iter().filter(is_guest).copied().collect()
}

/// Ticks by location and path.
type ByPlace = HashMap<(LocationRef, PathId), u64, RandomState>;

/// Returns the ticks of each location's own time that were forking and joining, by path.
fn moved(recorded: &Recorded) -> ByPlace {
    by_place(recorded.moved.iter().map(|(location, path, ticks, _)| (*location, *path, *ticks)))
}

fn by_place(all: impl Iterator<Item = (LocationRef, PathId, u64)>) -> ByPlace {
    let mut sums = ByPlace::default();
    for (location, path, ticks) in all {
        let sum = sums.entry((location, path)).or_default();
        *sum = sum.saturating_add(ticks);
    }
    sums
}

/// The own time of a path at a location without a part of it.
fn less(
    (location, path, ticks): (LocationRef, PathId, u64),
    part: &ByPlace,
) -> (LocationRef, PathId, u64) {
    let part = part.get(&(location, path)).copied().unwrap_or(0);
    (location, path, ticks.saturating_sub(part))
}

/// How long such threads waited for the next team: all of their own time outside of teams but that which they needed to
/// get there and back.
fn idle_in_pools(
    profile: &Profile,
    times: &Times,
    recorded: &Recorded,
    severities: &mut Severities,
) {
    let (pooled, spans) = (pooled(recorded, severities), Spans::new(recorded));
    let is_pooled = |location: &LocationRef| pooled.contains(location);
    let mut needed: HashMap<LocationRef, u128, RandomState> = HashMap::default();
    for (Place { metric, location, .. }, waited) in &severities.of {
        if *metric == Metric::OMP_MANAGEMENT && is_pooled(location) {
            *needed.entry(*location).or_default() += waited.ticks;
        }
    }
    // The time of teams that they forked themselves belongs to the visits that forked them.
    for (location, _, ticks, _) in recorded.moved.iter().filter(|moved| is_pooled(&moved.0)) {
        let needed = needed.entry(*location).or_default();
        *needed = needed.saturating_sub((*ticks).into());
    }
    let in_regions =
        times.outside_of_teams.iter().copied().filter(|(location, ..)| is_pooled(location));
    let in_none = profile.locations.iter().filter(|row| is_pooled(&row.location));
    let in_none = in_none.map(|row| (row.location, PathId::ROOT, spans.outside(row)));
    let moved = moved(recorded);
    let idle = in_regions.chain(in_none).map(|of| less(of, &moved));
    let mut idle: Vec<(LocationRef, PathId, u64)> = idle.collect();
    idle.sort_unstable_by_key(|(location, path, ticks)| (*location, Reverse(*ticks), *path));
    for (location, path, ticks) in idle {
        let needed = needed.entry(location).or_default();
        let part = u64::try_from(*needed).unwrap_or(u64::MAX).min(ticks);
        *needed -= u128::from(part);
        let place = Place { metric: Metric::OMP_IDLE_THREADS, path, location };
        severities.add(place, ticks - part, 1);
    }
}

/// Takes what counts in visits inside of dropped ones, too, from the own times of call paths.
fn count_once(times: &mut [(LocationRef, PathId, u64)], recorded: &Recorded) {
    let twice = by_place(recorded.counted_twice.iter().copied());
    times.iter_mut().for_each(|of| *of = less(*of, &twice));
}

/// Time spans of locations.
struct Spans {
    /// Ticks that the time of visits counts twice.
    twice: HashMap<LocationRef, u128, RandomState>,
    /// The last flush of the buffer, in ticks, if the stream ended with it.
    flushed: HashMap<LocationRef, u64, RandomState>,
}

impl Spans {
    fn new(recorded: &Recorded) -> Self {
        let mut twice: HashMap<_, u128, RandomState> = HashMap::default();
        for (location, _, ticks) in &recorded.counted_twice {
            *twice.entry(*location).or_default() += u128::from(*ticks);
        }
        Spans { twice, flushed: recorded.flushed.iter().copied().collect() }
    }

    /// When the events of a location begin and end, in ticks; that the buffer is written out is one of these.
    fn of(&self, row: &LocationRow) -> Option<(u64, u64)> {
        let (first, last) = (row.first?.0, row.last?.0);
        let flushed = self.flushed.get(&row.location).copied().unwrap_or(0);
        Some((first, last.max(flushed)))
    }

    /// The time of a location in no region, in ticks.
    fn outside(&self, row: &LocationRow) -> u64 {
        let Some((first, last)) = self.of(row) else { return 0 };
        let twice = self.twice.get(&row.location).copied().unwrap_or(0);
        let inside = u64::try_from(row.inside.saturating_sub(twice)).unwrap_or(u64::MAX);
        last.saturating_sub(first).saturating_sub(inside)
    }

    /// How long a location that never left a parallel region was in none, by the clock.
    fn in_no_team(&self, row: &LocationRow, open: &OpenRegions) -> u64 {
        let Some((first, last)) = self.of(row) else { return 0 };
        let to_the_end = open.since.map_or(0, |since| last.saturating_sub(since));
        last.saturating_sub(first).saturating_sub(open.ticks).saturating_sub(to_the_end)
    }
}

/// Ticks and number of waiting calls, by place and metric.
type Found<K> = BTreeMap<(K, Metric), (u128, u64)>;

fn add<K: Ord>(sums: &mut Found<K>, place: (K, Metric), (ticks, instances): (u128, u64)) {
    let sum = sums.entry(place).or_default();
    *sum = (sum.0 + ticks, sum.1 + instances);
}

/// Rows of waits, with the part of each that is no other wait.
fn rows<K: Copy + Ord>(found: &Found<K>) -> Vec<Row<K>> {
    let of_children = |of: K, metric: Metric| {
        let children = Metric::all().filter(|child| child.parent() == Some(metric));
        children.filter_map(|child| found.get(&(of, child))).map(|(ticks, _)| ticks).sum::<u128>()
    };
    let row = |(&(of, metric), &(ticks, instances)): (&(K, Metric), &(u128, u64))| {
        let self_ticks = ticks.saturating_sub(of_children(of, metric));
        Row { of, metric, ticks, self_ticks, instances }
    };
    found.iter().map(row).collect()
}
