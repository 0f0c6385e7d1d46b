//! Time on the path by call path: each tick of a section counts for the innermost region that is open then.
//!
//! Time in which a thread forks or joins a team is kept apart, as in the [account](crate::account). So is the time from the
//! fork of a team to the first region of a worker.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::calls::Calls;
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use super::walk::{by_location, ByLocation, Section};
use crate::account::TeamState;
use crate::adapt::LocalReferences;
use crate::profile::{Before, ProfileKernel, Worker};
use crate::stretches::Stretches;
use crate::waitstates::edges::EdgeKind;
use crate::waitstates::{OnPathPlace, PathId, PathIds};
use crate::Kernel;

/// Counts the time in sections by call path.
pub struct OnPathKernel<'k> {
    profile: ProfileKernel<'k>,
    sections: ByLocation,
    /// Sections of which the call path with most time is wanted, by their place.
    longest: Vec<(LocationRef, u64)>,
}

/// Time in sections, in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnPathTimes {
    /// By call path and location.
    pub by_path: HashMap<(OnPathPlace, LocationRef), u64, RandomState>,
    /// Of each of the longest sections, by call path.
    pub longest: HashMap<(LocationRef, u64), HashMap<OnPathPlace, u64, RandomState>, RandomState>,
}

impl<'k> OnPathKernel<'k> {
    /// Given a profile, which says what call paths are, and the sections. Of those in `longest` the times of call paths
    /// are kept apart.
    pub fn new(profile: ProfileKernel<'k>, sections: &[Section], longest: &[Section]) -> Self {
        let mut longest: Vec<_> = longest.iter().map(|of| (of.location, of.begin)).collect();
        longest.sort_unstable();
        OnPathKernel { profile, sections: by_location(sections), longest }
    }
}

/// The state of a worker.
pub struct OnPathWorker {
    profile: Worker,
    ids: PathIds,
    times: OnPathTimes,
}

/// Receives the events of a location.
pub struct OnPathScan<'w> {
    way: Before<'w>,
    ids: &'w mut PathIds,
    times: &'w mut OnPathTimes,
    longest: &'w [(LocationRef, u64)],
    location: LocationRef,
    sections: &'w [Section],
    teams: TeamState,
    /// Time up to here is counted.
    now: u64,
}

impl<'w> Stretches<'w> for OnPathScan<'w> {
    fn way(&mut self) -> &mut Before<'w> {
        &mut self.way
    }

    fn now(&mut self) -> &mut u64 {
        &mut self.now
    }

    fn pass(&mut self, time: u64) {
        if time <= self.now {
            return;
        }
        let from = std::mem::replace(&mut self.now, time);
        let is_over = |section: &&Section| section.end <= from;
        self.sections = &self.sections[self.sections.iter().take_while(is_over).count()..];
        let mut path = None;
        for section in self.sections.iter().take_while(|section| section.begin < time) {
            let ticks = section.end.min(time) - section.begin.max(from);
            let path = *path.get_or_insert_with(|| self.ids.of(self.way.path(), self.way.tree()));
            let is_new = path == PathId::ROOT && section.edge() == Some(EdgeKind::Fork);
            let place = OnPathPlace { path, forking: is_new || self.teams.is_forking() };
            *self.times.by_path.entry((place, self.location)).or_default() += ticks;
            let section = (self.location, section.begin);
            if self.longest.binary_search(&section).is_ok() {
                *self.times.longest.entry(section).or_default().entry(place).or_default() += ticks;
            }
        }
    }

    fn next(&self) -> u64 {
        let next = self.sections.iter().find(|section| section.end > self.now);
        next.map_or(u64::MAX, |section| section.begin)
    }
}

impl EventVisitor for OnPathScan<'_> {
    const WANTS: EventSet = <Before<'_> as EventVisitor>::WANTS.and(EventSet::TEAMS);

    fn calls<C: Calls>(&mut self, calls: &mut C) {
        self.take_calls(calls);
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.pass(head.time.0);
        self.teams.take(&event);
        event.hand_to(head, &mut self.way);
    }
}

impl Kernel for OnPathKernel<'_> {
    type Worker = OnPathWorker;
    type Scan<'w>
        = OnPathScan<'w>
    where
        Self: 'w;
    type Partial = OnPathTimes;

    fn worker(&self) -> OnPathWorker {
        let (ids, times) = Default::default();
        OnPathWorker { profile: self.profile.worker(), ids, times }
    }

    fn meet(&self, worker: &mut OnPathWorker, local: LocalReferences) {
        self.profile.meet(&mut worker.profile, local);
    }

    fn scan<'w>(&'w self, worker: &'w mut OnPathWorker, location: LocationRef) -> OnPathScan<'w> {
        let OnPathWorker { profile, ids, times } = worker;
        let sections = self.sections.get(&location).map_or(&[][..], Vec::as_slice);
        let way = self.profile.way(profile, location);
        let (longest, teams) = (&self.longest[..], TeamState::default());
        OnPathScan { way, ids, times, longest, location, sections, teams, now: 0 }
    }

    fn end<'w>(&'w self, mut scan: OnPathScan<'w>, summary: &StreamSummary) {
        // Open visits last to the last event.
        scan.pass(summary.last.map_or(0, |last| last.0));
        let rest = scan.sections.iter();
        let rest = rest.map(|of| of.end.saturating_sub(of.begin.max(scan.now)));
        let rest: u64 = rest.sum();
        if rest > 0 {
            let outside = (OnPathPlace { path: PathId::ROOT, forking: false }, scan.location);
            *scan.times.by_path.entry(outside).or_default() += rest;
        }
        self.profile.end_way(scan.way, summary);
    }

    fn partial(&self, worker: OnPathWorker) -> OnPathTimes {
        worker.times
    }

    fn fold(&self, mut into: OnPathTimes, other: OnPathTimes) -> OnPathTimes {
        for (place, ticks) in other.by_path {
            *into.by_path.entry(place).or_default() += ticks;
        }
        into.longest.extend(other.longest);
        into
    }
}
