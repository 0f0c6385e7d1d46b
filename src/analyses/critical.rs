//! The critical path: what determined how long the run took.
//!
//! Waits were found on all ranks, and each has brought the edges of its parts of the run together. The walk along the
//! path passes from the rank with the latest part to that with the first. One more pass over the events counts the time
//! on the path by call path.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use streamfold_collective::Communicator;
use streamfold_drive::rounds::{together, Exchange, Sorted};
use streamfold_drive::select::Plan;
use streamfold_drive::{self as drive, Scanning, Trace};
use streamfold_kernels::account::{Role, Visits};
use streamfold_kernels::critical::{
    add_impacts, parts_of_times, walk, Forked, Impact, Impacts, OnPathKernel, OnPathTimes,
    PathProfile, Section, Sections, Token,
};
use streamfold_kernels::profile::{Partial, ProfileKernel};
use streamfold_kernels::waitstates::{OnPathPlace, Parts, PathId};
use streamfold_kernels::Window;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;
use streamfold_system::exit::Stop;

/// The run: the time from the first to the last event, and where both are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extent {
    /// In ticks.
    pub run: (u64, u64),
    /// The location of the last event, of several the lowest one.
    last: LocationRef,
}

/// Returns the extent of a run, from the profile of all locations on rank 0. `None`: no thread or stream has any event.
/// Collective.
pub(crate) fn extent(
    ranks: &dyn Communicator,
    definitions: &Definitions,
    profile: Option<&Partial>,
) -> Result<Option<Extent>, Stop> {
    let found = profile.map(|profile| {
        let rows = profile.locations.iter().filter(|row| {
            let role = Role::of(definitions, row.location);
            matches!(role, Some(Role::Thread | Role::Stream))
        });
        let spans = rows.filter_map(|row| Some((row.first?.0, row.last?.0, row.location)));
        let first = spans.clone().map(|(first, ..)| first).min()?;
        let (_, last, location) = spans.max_by_key(|of| (of.1, std::cmp::Reverse(of.2)))?;
        Some(Extent { run: (first, last), last: location })
    });
    Ok(ranks.broadcast(0, found)?)
}

/// Takes the activities and the time off the path of a call path, as a row of the profile, at a location, in ticks.
pub type CellSink<'q> = dyn Fn(u32, LocationRef, [u64; 2]) + Sync + 'q;

/// A query for the critical path.
#[derive(Clone, Copy)]
pub enum PathQuery<'q> {
    /// Its sections.
    Sections,
    /// The time on it by call path, too, and its impact.
    ByCallPath {
        /// The number of the longest sections that are looked at one by one.
        longest: usize,
        /// Set if a path that stays at one location is not looked at: no times are told.
        if_it_moves: bool,
        /// Gets the impact on each location, on the rank that finds it.
        cells: Option<&'q CellSink<'q>>,
    },
}

/// The innermost open region of a time on the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PlaceOnPath {
    /// The row of its call path; `None`: outside of all regions.
    pub path: Option<u32>,
    /// Set if a team is forked or joined then.
    pub forking: bool,
}

/// The critical path of a run. Times in ticks; call paths are rows of the profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriticalPath {
    /// The first and the last event of the run.
    pub run: (u64, u64),
    /// Its sections, in the order of time. They and the time before the first of them are the run.
    pub sections: Sections,
    /// Time on the path by call path and location.
    pub by_path: BTreeMap<(PlaceOnPath, LocationRef), u64>,
    /// The longest sections, the longest first, each with the call path that has most of its time, and that time.
    pub longest: Vec<(Section, PlaceOnPath, u64)>,
    /// The impact on all locations, of all call paths: also of those that are not on the path.
    pub impacts: BTreeMap<PlaceOnPath, Impact>,
}

impl CriticalPath {
    /// The time that the path takes, in ticks.
    pub fn total(&self) -> u64 {
        self.sections.iter().map(Section::ticks).sum()
    }

    /// The times of each location that are on the path, in order.
    pub fn visits(&self) -> Visits {
        let mut visits = Visits::default();
        for section in &self.sections {
            visits.entry(section.location).or_default().push((section.begin, section.end));
        }
        visits
    }
}

/// Result of the walk.
pub(crate) struct Walked {
    extent: Extent,
    sections: Sections,
    times: OnPathTimes,
    longest: Sections,
    impacts: Impacts,
}

/// Walks along the path. Edges are those of this rank. Collective.
pub(crate) fn walked(
    ranks: &dyn Communicator,
    edges: Sorted,
    extent: Extent,
) -> Result<Walked, Stop> {
    let mut at = Token { location: extent.last, time: extent.run.1 };
    let (mut edges, mut own) = (Some(edges), Sections::new());
    for rank in 0..ranks.size() {
        let mut reached = Ok(None);
        if let Some(edges) = edges.take_if(|_| rank == ranks.rank()) {
            reached = walk(edges, at, |section| own.push(section)).map(Some);
        }
        let reached = together(ranks, reached)?;
        at = ranks.broadcast(rank, reached)?;
    }
    let mut sections: Sections = ranks.all_gather(own)?.into_iter().flatten().collect();
    if at.time > extent.run.0 || sections.is_empty() {
        let Token { location, time } = at;
        sections.push(Section { location, begin: extent.run.0, end: time, after: None });
    }
    sections.reverse();
    let (times, longest, impacts) = Default::default();
    Ok(Walked { extent, sections, times, longest, impacts })
}

impl Walked {
    /// Tells whether times by call path are wanted.
    pub(crate) fn is_looked_at(&self, query: Option<PathQuery<'_>>) -> bool {
        match query {
            Some(PathQuery::ByCallPath { if_it_moves, .. }) => {
                !if_it_moves || self.sections.len() > 1
            }
            Some(PathQuery::Sections) | None => false,
        }
    }

    /// The part of the path that is in a window of time of each location. Those without a window have no part.
    pub(crate) fn within(mut self, windows: Option<&BTreeMap<LocationRef, Window>>) -> Walked {
        let Some(windows) = windows else { return self };
        let clipped = self.sections.iter().filter_map(|of| {
            let window = windows.get(&of.location)?;
            let end = of.end.min(window.end.map_or(u64::MAX, |end| end.0));
            let begin = of.begin.max(window.begin.0);
            (begin < end).then_some(Section { begin, end, ..*of })
        });
        self.sections = clipped.collect();
        self
    }

    /// Reads the trace once more: the time on the path by call path, and of so many of the longest sections. The result
    /// is on rank 0. Collective.
    pub(crate) fn timed(
        mut self,
        (ranks, trace, plan): (&dyn Communicator, &Trace, &Plan),
        profile: ProfileKernel<'_>,
        scanning: Scanning<'_>,
        longest: usize,
    ) -> Result<Walked, Stop> {
        let mut by_length: Vec<&Section> = self.sections.iter().collect();
        by_length.sort_by_key(|of| (std::cmp::Reverse(of.ticks()), of.begin));
        self.longest = by_length.into_iter().take(longest).copied().collect();
        let kernel = OnPathKernel::new(profile, &self.sections, &self.longest);
        scanning.progress.begin(drive::READING, plan.share(ranks.rank()).weight);
        let folded = drive::scan_uncut(ranks, trace, plan, &kernel, scanning)?;
        scanning.progress.begin(drive::ADDING, 0);
        let folded = drive::reduce(ranks, &kernel, folded)?;
        self.times = folded.map(|folded| folded.partial).unwrap_or_default();
        Ok(self)
    }

    /// Finds the impact on all locations. Their own times are on their way; rank 0 has their waits and the rows of call
    /// paths. The result is on rank 0. Collective.
    pub(crate) fn with_impacts(
        mut self,
        (ranks, definitions): (&dyn Communicator, &Definitions),
        own_times: Exchange,
        found: Option<&Parts>,
        cells: Option<&CellSink<'_>>,
        spilled: &mut u64,
    ) -> Result<Walked, Stop> {
        if let Some(Parts { severities, recorded, .. }) = found {
            parts_of_times(severities, recorded, own_times.sink());
        }
        let profile = found.map(|Parts { profile, paths, .. }| {
            let forked = Forked::new(profile, paths, definitions);
            self.times = std::mem::take(&mut self.times).as_forked(&forked);
            PathProfile::new(&self.times, forked, definitions)
        });
        let profile = ranks.broadcast(0, profile)?;
        let rows = match cells {
            Some(_) => Some(ranks.broadcast(0, found.map(|found| found.paths.clone()))?),
            None => None,
        };
        let own_times = own_times.sorted(ranks, spilled)?;
        let impacts = profile.impacts(own_times, definitions, |location, path, cell| {
            let row = rows.as_ref().and_then(|rows| rows.row(path.0));
            if let Some((tell, row)) = cells.zip(row) {
                tell(row, location, cell);
            }
        });
        let impacts = together(ranks, impacts)?;
        self.impacts = ranks.reduce(0, impacts, add_impacts)?.unwrap_or_default();
        Ok(self)
    }

    /// The path by rows of the profile.
    pub(crate) fn of_rows(self, row: impl Fn(PathId) -> Option<u32>) -> CriticalPath {
        let Walked { extent, sections, times, longest, impacts } = self;
        let place = |of: OnPathPlace| PlaceOnPath { path: row(of.path), forking: of.forking };
        let mut by_path = BTreeMap::new();
        for ((path, location), ticks) in times.by_path {
            *by_path.entry((place(path), location)).or_default() += ticks;
        }
        let mut by_row: BTreeMap<PlaceOnPath, Impact> = BTreeMap::new();
        for (path, impact) in impacts {
            by_row.entry(place(path)).or_default().add(impact);
        }
        let longest = longest.into_iter().map(|section| {
            let paths = times.longest.get(&(section.location, section.begin));
            let paths = paths.into_iter().flatten();
            let paths = paths.map(|(path, ticks)| (*ticks, place(*path)));
            let most = paths.max_by_key(|(ticks, path)| (*ticks, std::cmp::Reverse(*path)));
            let (ticks, path) = most.unwrap_or_default();
            (section, path, ticks)
        });
        let longest = longest.collect();
        CriticalPath { run: extent.run, sections, by_path, longest, impacts: by_row }
    }
}
