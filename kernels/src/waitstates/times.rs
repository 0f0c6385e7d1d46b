//! Own times outside of parallel regions: what threads of teams may have been idle in.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;

use super::class::CallKind;
use super::classes::{class_of, classes_of_own};
use super::path::{PathId, PathIds};
use super::threads::Threads;
use crate::account::Role;
use crate::adapt::References;
use crate::by_name::ByName;
use crate::profile::metrics::LocationMetric;
use crate::profile::{CallTree, LocationPath, PathIndex, PathSink, Step};

/// The own times outside of parallel regions, in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// Of the first threads of processes that have others, and of all that are not the first and were in parallel
    /// regions.
    pub outside_of_teams: Vec<(LocationRef, PathId, u64)>,
}

impl Times {
    /// Both together.
    #[must_use]
    pub fn fold(mut self, mut other: Times) -> Times {
        self.outside_of_teams.append(&mut other.outside_of_teams);
        self
    }
}

/// Data that the sinks of all workers share. A sink may outlive its caller, so that it borrows nothing.
#[derive(Debug)]
pub struct TimeSinks {
    /// Recorders of metrics.
    recorders: HashSet<LocationRef, RandomState>,
    /// Parallel regions.
    teams: HashSet<RegionRef, RandomState>,
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
        let all = definitions.locations.keys().copied();
        let is_recorder = |of: &LocationRef| Role::of(definitions, *of) == Some(Role::Metrics);
        let recorders = all.filter(is_recorder).collect();
        let by_name = ByName::new(definitions);
        let class = |region| class_of(region, definitions, by_name);
        let regions = definitions.regions.keys().map(|region| (*region, class(*region)));
        let regions = regions.chain(classes_of_own(&references.own, by_name));
        let teams = regions.filter(|(_, kind)| kind.call == Some(CallKind::Parallel));
        let teams = teams.map(|(region, _)| region).collect();
        let masters = threads.masters_with_workers().collect();
        let first = threads.masters().collect();
        Arc::new(TimeSinks { recorders, teams, masters, first, all: Mutex::default() })
    }

    /// For one worker.
    pub fn sink(self: &Arc<Self>) -> Box<dyn PathSink> {
        let (ids, in_team, times) = Default::default();
        Box::new(TimeSink { shared: self.clone(), ids, in_team, times })
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
    /// Set for paths that are a parallel region, or in one.
    in_team: Vec<bool>,
    times: Times,
}

impl TimeSink {
    fn is_in_team(&mut self, path: PathIndex, tree: &CallTree) -> bool {
        for number in self.in_team.len()..=path.index() {
            let new = PathIndex(number as u32);
            let above = new != PathIndex::ROOT && self.in_team[tree.parent(new).index()];
            let region = tree.step(new).region();
            let is_team = region.is_some_and(|region| self.shared.teams.contains(&region));
            // Explicit tasks run in teams, wherever these are.
            let is_task = matches!(tree.step(new), Step::Tasks | Step::Task(_));
            self.in_team.push(above || is_team || is_task);
        }
        self.in_team[path.index()]
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
                && paths.iter().any(|of| self.is_in_team(of.path, tree))
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
        let is_recorder = self.shared.recorders.contains(&location);
        if is_recorder || !self.waits_for_teams(location, tree, paths) {
            return;
        }
        for LocationPath { path, visits, .. } in paths.iter().filter(|p| p.visits.exclusive > 0) {
            if !self.is_in_team(*path, tree) {
                let id = self.ids.of(*path, tree);
                self.times.outside_of_teams.push((location, id, visits.exclusive));
            }
        }
    }

    fn end(self: Box<Self>, _: &CallTree) {
        let mut all = self.shared.all.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut *all);
        *all = before.fold(self.times);
    }
}
