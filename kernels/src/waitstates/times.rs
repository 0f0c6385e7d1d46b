//! Own times of locations, by metric.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;

use super::class::{CallKind, Class};
use super::classes::{class_of, classes_of_own};
use super::metric::Metric;
use super::path::{PathId, PathIds};
use super::threads::Threads;
use crate::account::Role;
use crate::adapt::References;
use crate::by_name::ByName;
use crate::profile::metrics::LocationMetric;
use crate::profile::{CallTree, LocationPath, PathIndex, PathSink, Step};

/// The own times of call paths and locations, in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// By path and what its time is spent on.
    pub by_path: HashMap<(PathId, Metric), u128, RandomState>,
    /// By location.
    pub by_location: Vec<(LocationRef, Vec<(Metric, u64)>)>,
    /// The own time outside of parallel regions: of the first threads of processes that have others, and of all that
    /// are not the first and were in parallel regions.
    pub outside_of_teams: Vec<(LocationRef, PathId, u64)>,
}

impl Times {
    /// Both together.
    #[must_use]
    pub fn fold(mut self, mut other: Times) -> Times {
        if self.by_path.len() < other.by_path.len() {
            std::mem::swap(&mut self.by_path, &mut other.by_path);
        }
        for (place, ticks) in other.by_path {
            *self.by_path.entry(place).or_default() += ticks;
        }
        self.by_location.append(&mut other.by_location);
        self.outside_of_teams.append(&mut other.outside_of_teams);
        self
    }
}

/// Data that the sinks of all workers share. A sink may outlive its caller, so that it borrows nothing.
#[derive(Debug)]
pub struct TimeSinks {
    /// Of locations that are no CPU threads.
    kinds: HashMap<LocationRef, Role, RandomState>,
    regions: HashMap<RegionRef, Class, RandomState>,
    /// The first threads of processes that have others.
    masters: HashSet<LocationRef, RandomState>,
    /// The first threads of all processes.
    first: HashSet<LocationRef, RandomState>,
    all: Mutex<Times>,
}

impl TimeSinks {
    /// For a trace, whose locations have these references.
    pub fn new(
        definitions: &Definitions,
        references: &References<'_>,
        threads: &Threads,
    ) -> Arc<Self> {
        let all = definitions.locations.keys();
        let kind = all.filter_map(|of| Some((*of, Role::of(definitions, *of)?)));
        let kinds = kind.filter(|(_, kind)| *kind != Role::Thread).collect();
        let by_name = ByName::new(definitions);
        let class = |region| class_of(region, definitions, by_name);
        let regions = definitions.regions.keys().map(|region| (*region, class(*region)));
        let regions = regions.chain(classes_of_own(&references.own, by_name)).collect();
        let masters = threads.masters_with_workers().collect();
        let first = threads.masters().collect();
        Arc::new(TimeSinks { kinds, regions, masters, first, all: Mutex::default() })
    }

    /// For one worker.
    pub fn sink(self: &Arc<Self>) -> Box<dyn PathSink> {
        let (ids, paths, times) = Default::default();
        Box::new(TimeSink { shared: self.clone(), ids, paths, times })
    }

    /// Returns the times of all of them.
    pub fn times(&self) -> Times {
        std::mem::take(&mut *self.all.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Takes the times of locations from the profile of a worker.
struct TimeSink {
    shared: Arc<TimeSinks>,
    ids: PathIds,
    paths: Vec<OfPath>,
    times: Times,
}

/// Facts about a path.
#[derive(Clone, Copy)]
struct OfPath {
    leaf: Metric,
    /// Set if it is a parallel region, or in one.
    in_team: bool,
}

impl TimeSink {
    fn of_path(&mut self, path: PathIndex, tree: &CallTree) -> OfPath {
        for number in self.paths.len()..=path.index() {
            let new = PathIndex(number as u32);
            let above = match new {
                PathIndex::ROOT => OfPath { leaf: Metric::OUTSIDE, in_team: false },
                _ => self.paths[tree.parent(new).index()],
            };
            let region = tree.step(new).region();
            let class = region.and_then(|region| self.shared.regions.get(&region).copied());
            let is_team = class.is_some_and(|class| class.call == Some(CallKind::Parallel));
            // Explicit tasks run in teams, wherever these are.
            let is_task = matches!(tree.step(new), Step::Tasks | Step::Task(_));
            let leaf = match (tree.step(new), class) {
                (_, Some(class)) if new != PathIndex::ROOT => class.leaf,
                (Step::MeasurementOff, _) => Metric::MEASUREMENT_OFF,
                (Step::BufferFlush, _) => Metric::OVERHEAD,
                // The kind of region is unknown.
                (Step::Region(_), _) if new != PathIndex::ROOT => Metric::COMP,
                // A task with nothing open is at work, whatever it interrupts.
                (Step::Task(_), _) => Metric::COMP,
                _ => above.leaf,
            };
            self.paths.push(OfPath { leaf, in_team: above.in_team || is_team || is_task });
        }
        self.paths[path.index()]
    }

    /// Returns whether a location waits for the begin of parallel regions while it is in none.
    fn waits_for_teams(
        &mut self,
        location: LocationRef,
        tree: &CallTree,
        paths: &[LocationPath],
    ) -> bool {
        self.shared.masters.contains(&location)
            || !self.shared.first.contains(&location)
                && paths.iter().any(|of| self.of_path(of.path, tree).in_team)
    }
}

impl PathSink for TimeSink {
    fn location(
        &mut self,
        location: LocationRef,
        tree: &CallTree,
        paths: &[LocationPath],
        _: &[LocationMetric],
    ) {
        let kind = self.shared.kinds.get(&location).copied();
        if kind == Some(Role::Metrics) {
            return;
        }
        let waits_for_teams = self.waits_for_teams(location, tree, paths);
        let mut sums: Vec<(Metric, u64)> = Vec::new();
        for LocationPath { path, visits, .. } in paths.iter().filter(|p| p.visits.exclusive > 0) {
            let OfPath { mut leaf, in_team } = self.of_path(*path, tree);
            let apart = [Metric::OVERHEAD, Metric::MEASUREMENT_OFF].contains(&leaf);
            if kind == Some(Role::Stream) && !apart {
                leaf = Metric::COMP;
            }
            let id = self.ids.of(*path, tree);
            *self.times.by_path.entry((id, leaf)).or_default() += u128::from(visits.exclusive);
            match sums.iter_mut().find(|(metric, _)| *metric == leaf) {
                // Crossed leaves may count more than the time that passed.
                Some((_, sum)) => *sum = sum.saturating_add(visits.exclusive),
                None => sums.push((leaf, visits.exclusive)),
            }
            if waits_for_teams && !in_team {
                self.times.outside_of_teams.push((location, id, visits.exclusive));
            }
        }
        self.times.by_location.push((location, sums));
    }

    fn end(self: Box<Self>, _: &CallTree) {
        let mut all = self.shared.all.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut *all);
        *all = before.fold(self.times);
    }
}
