//! What a thread holds while it scans, and what is left of it: partial results that fold.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::RegionRef;

use super::tally::{LocationRow, Row, Spread, Traffic, Visits};
use super::tree::{CallTree, PathIndex};
use super::{LocationPath, PathSink};

/// The profile of some locations.
///
/// How paths are numbered and in which order locations stand depends on who met them first; what
/// they say does not.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Partial {
    /// The call paths of all these locations.
    pub tree: CallTree,
    /// A row for each path, by its index.
    pub paths: Vec<Row>,
    /// How the exclusive time of each region is spread over locations. Not to be had from the
    /// paths: a location may have a region on several of them.
    pub regions: HashMap<RegionRef, Spread, RandomState>,
    /// A row for each location.
    pub locations: Vec<LocationRow>,
}

impl Partial {
    /// Both together.
    pub fn fold(mut self, mut other: Partial) -> Partial {
        if self.tree.len() < other.tree.len() {
            std::mem::swap(&mut self, &mut other);
        }
        self.tree.index();
        let to = self.tree.graft(&other.tree);
        self.paths.resize(self.tree.len(), Row::EMPTY);
        for (row, to) in other.paths.iter().zip(to) {
            self.paths[to.index()].add(row);
        }
        for (region, spread) in &other.regions {
            self.regions.entry(*region).or_insert(Spread::NONE).add(spread);
        }
        self.locations.append(&mut other.locations);
        self
    }
}

/// What a thread holds: the paths of all locations so far, and the tallies of the present one.
pub struct Worker {
    partial: Partial,
    sink: Option<Box<dyn PathSink>>,
    visits: Vec<Visits>,
    traffic: Vec<Traffic>,
    /// The paths of the present location, in the order of their first visit.
    touched: Vec<PathIndex>,
    regions: HashMap<RegionRef, u128, RandomState>,
}

impl Worker {
    pub(super) fn new(sink: Option<Box<dyn PathSink>>) -> Self {
        Worker {
            partial: Partial::default(),
            sink,
            visits: vec![Visits::NONE],
            traffic: vec![Traffic::default()],
            touched: Vec::new(),
            regions: HashMap::default(),
        }
    }

    /// A visit of `region` begins inside of the visit of a path.
    #[inline(always)]
    pub(super) fn enter(&mut self, from: PathIndex, region: RegionRef) -> PathIndex {
        let path = self.partial.tree.child(from, region);
        if path.index() >= self.visits.len() {
            self.visits.push(Visits::NONE);
            self.traffic.push(Traffic::default());
        }
        let tally = &mut self.visits[path.index()];
        if tally.visits == 0 {
            self.touched.push(path);
        }
        tally.visits += 1;
        path
    }

    /// A visit of a path ends.
    #[inline(always)]
    pub(super) fn leave(&mut self, path: PathIndex, inclusive: u64, exclusive: u64) {
        let tally = &mut self.visits[path.index()];
        tally.closed += 1;
        tally.inclusive += inclusive;
        tally.exclusive += exclusive;
        tally.shortest = tally.shortest.min(inclusive);
        tally.longest = tally.longest.max(inclusive);
    }

    /// The messages of a path.
    #[inline(always)]
    pub(super) fn traffic(&mut self, path: PathIndex) -> &mut Traffic {
        &mut self.traffic[path.index()]
    }

    /// Puts the tallies of the present location into the partial result.
    pub(super) fn end_location(&mut self, mut row: LocationRow) {
        self.touched.push(PathIndex::ROOT);
        self.touched.sort_unstable();
        self.partial.paths.resize(self.partial.tree.len(), Row::EMPTY);
        let mut paths = Vec::with_capacity(self.touched.len());
        for path in self.touched.drain(..) {
            let visits = std::mem::replace(&mut self.visits[path.index()], Visits::NONE);
            let traffic = std::mem::take(&mut self.traffic[path.index()]);
            self.partial.paths[path.index()].add(&Row::of(row.location, &visits, &traffic));
            if path != PathIndex::ROOT {
                *self.regions.entry(self.partial.tree.region(path)).or_default() +=
                    u128::from(visits.exclusive);
            }
            row.visits += visits.visits;
            row.closed += visits.closed;
            row.inclusive += u128::from(visits.inclusive);
            row.shortest = row.shortest.min(visits.shortest);
            row.longest = row.longest.max(visits.longest);
            row.inside += u128::from(visits.exclusive);
            row.traffic.add(&traffic);
            if visits.visits > 0 || !traffic.is_empty() {
                paths.push(LocationPath { path, visits, traffic });
            }
        }
        for (region, exclusive) in self.regions.drain() {
            let spread = self.partial.regions.entry(region).or_insert(Spread::NONE);
            spread.add(&Spread::of(row.location, exclusive));
        }
        if let Some(sink) = &mut self.sink {
            sink.location(row.location, &paths);
        }
        self.partial.locations.push(row);
    }

    pub(super) fn finish(self) -> Partial {
        if let Some(sink) = self.sink {
            sink.end(&self.partial.tree);
        }
        self.partial
    }
}
