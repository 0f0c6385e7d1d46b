//! Costs of delays: the code that made others wait.
//!
//! Waits were found on all ranks, and with them the times at which locations were together. The ranks that own locations
//! find the interval of each wait. One more pass over the events brings the own times in the intervals together. The
//! spread passes from the rank with the latest part of the run to that with the first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::critical::PlaceOnPath;
use serde::{Deserialize, Serialize};
use streamfold_collective::Communicator;
use streamfold_drive::rounds::{together, Exchange, Room};
use streamfold_drive::select::Plan;
use streamfold_drive::{self as drive, Scanning, Trace};
use streamfold_kernels::delays::{
    find_intervals, Cost, Costs, DelayKernel, Groups, Intervals, IntervalsTo, Readers, Spread,
};
use streamfold_kernels::profile::ProfileKernel;
use streamfold_kernels::waitstates::edges::RunParts;
use streamfold_kernels::waitstates::{Metric, PathId};
use streamfold_kernels::Window;
use streamfold_model::ids::LocationRef;
use streamfold_system::exit::Stop;

/// The costs of delays. Times in ticks; call paths are rows of the profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delays {
    /// By the kind of the waits, and by location and call path of the delay.
    pub of: BTreeMap<(Metric, LocationRef, PlaceOnPath), Cost>,
    /// Waits that nothing explains, by kind.
    pub not_explained: BTreeMap<Metric, u128>,
}

impl Delays {
    /// Given the rows of call paths.
    pub(crate) fn new(costs: Costs, row: impl Fn(PathId) -> Option<u32>) -> Self {
        let mut of: BTreeMap<_, Cost> = BTreeMap::new();
        for ((metric, place, location), cost) in costs.of {
            let place = PlaceOnPath { path: row(place.path), forking: place.forking };
            of.entry((metric, location, place)).or_default().add(cost);
        }
        Delays { of, not_explained: costs.not_explained }
    }

    /// By location and call path, those with the highest costs first.
    pub fn by_place(&self) -> Vec<((LocationRef, PlaceOnPath), Cost)> {
        let mut sums: BTreeMap<_, Cost> = BTreeMap::new();
        for ((_, location, place), cost) in &self.of {
            sums.entry((*location, *place)).or_default().add(*cost);
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by_key(|(place, cost)| (Reverse(cost.ticks()), *place));
        sums
    }

    /// All costs.
    pub fn total(&self) -> Cost {
        let mut total = Cost::default();
        self.of.values().for_each(|cost| total.add(*cost));
        total
    }

    /// Ticks of waits that nothing explains.
    pub fn not_explained(&self) -> u128 {
        self.not_explained.values().sum()
    }
}

/// Everything that travels for costs.
pub(crate) struct Mails {
    /// Waits and times at which locations are together, by location.
    pub syncs: Exchange,
    /// Intervals, by the rank that reads their location.
    intervals: Exchange,
    /// Facts about waits, by parts of the run.
    told: Exchange,
}

impl Mails {
    /// For so many ranks.
    pub(crate) fn new(ranks: usize, room: &Room) -> Self {
        let new_mail = || Exchange::new(ranks, room);
        Mails { syncs: new_mail(), intervals: new_mail(), told: new_mail() }
    }
}

/// A trace that is read once more.
pub(crate) struct Reading<'a> {
    pub ranks: &'a dyn Communicator,
    pub trace: &'a Trace,
    pub plan: &'a Plan,
    pub scanning: Scanning<'a>,
    pub parts: &'a RunParts,
    /// The time that counts of each location; `None`: all.
    pub windows: Option<&'a BTreeMap<LocationRef, Window>>,
}

impl Reading<'_> {
    /// Finds the costs of this rank's parts of the run. Collective.
    pub(crate) fn costs(
        &self,
        mails: Mails,
        mut groups: Groups<'_>,
        profile: ProfileKernel<'_>,
        spilled: &mut u64,
    ) -> Result<Costs, Stop> {
        let Reading { ranks, trace, plan, scanning, parts, windows } = *self;
        let Mails { syncs, intervals, told } = mails;
        scanning.progress.begin("finding when locations were together", 0);
        let shares = (0..ranks.size()).map(|rank| (plan.share(rank).all(), rank));
        let reads =
            shares.flat_map(|(all, rank)| all.into_iter().map(move |location| (location, rank)));
        let readers = Readers::new(ranks.size(), reads);
        let syncs = syncs.sorted(ranks, spilled)?;
        let mut to = IntervalsTo::new((&readers, intervals.sink()), (parts, told.sink()));
        together(ranks, find_intervals(syncs, &mut groups, &mut to))?;
        to.end();
        let intervals = intervals.sorted(ranks, spilled)?;
        let intervals = together(ranks, Intervals::new(intervals))?;
        scanning.progress.begin(drive::READING, plan.share(ranks.rank()).weight);
        let profile = (profile, &trace.definitions);
        let kernel = DelayKernel::new(profile, &intervals, (parts, told.sink()));
        drive::scan_uncut(ranks, trace, plan, &kernel, scanning)?;
        drop(kernel);
        drop(intervals);
        scanning.progress.begin("finding what made others wait", 0);
        let mut told = Some(told.sorted(ranks, spilled)?);
        let counts = |location: LocationRef, (begin, end): (u64, u64)| match windows {
            Some(windows) => windows.get(&location).map_or(0, |window| {
                let end = end.min(window.end.map_or(u64::MAX, |end| end.0));
                end.saturating_sub(begin.max(window.begin.0))
            }),
            None => end - begin,
        };
        let mut spread = (ranks.rank() == 0).then(Spread::default);
        let mut costs = Costs::default();
        for rank in 0..ranks.size() {
            let mut gone = Ok(());
            if let Some((spread, told)) =
                spread.as_mut().zip(told.take_if(|_| rank == ranks.rank()))
            {
                gone = spread.go_on(told, counts);
                costs = costs.fold(spread.take_costs());
            }
            together(ranks, gone)?;
            let next = rank + 1;
            let on = if next < ranks.size() { spread.take() } else { None };
            let received = ranks.exchange(on.map(|spread| (next, spread)).into_iter().collect())?;
            spread = received.into_iter().next().or(spread);
        }
        Ok(costs.fold(spread.map(Spread::end).unwrap_or_default()))
    }
}
