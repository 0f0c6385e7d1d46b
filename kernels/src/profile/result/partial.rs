//! State of a thread while it scans, and its partial result, which folds.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{LocationRef, RegionRef};

use super::regions::RegionSums;
use super::tally::{LocationRow, Oddities, PathSum, Row, Spread, Traffic, Visits};
use super::window::{EarlierAt, EarlierSums, TakenBackAt, TakenBackSums};
use crate::adapt::repair::Counts;
use crate::adapt::LocalReferences;
use crate::profile::metrics::{with_inclusive, Meter, MetricSums};
use crate::profile::samples::sampling::SampleSums;
use crate::profile::scan::stack::Frame;
use crate::profile::scan::tallies::Tallies;
use crate::profile::threads::thread_tree::ThreadCounts;
use crate::profile::tree::own_numbers::OwnNumbers;
use crate::profile::tree::step::Step;
use crate::profile::tree::{CallTree, Kept, PathIndex};
use crate::profile::{LocationPath, PathSink};

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
    /// The paths that are kept so far.
    pub kept: Kept,
    /// How the exclusive time of each region, and of what else has such time, is spread over locations. Not to be had from the
    /// paths: a location may have a region on several of them.
    pub regions: HashMap<Step, Spread, RandomState>,
    /// A row for each location.
    pub locations: Vec<LocationRow>,
    /// Sums of the events with calling contexts.
    pub samples: SampleSums,
    /// Numbers that earlier windows of time have counted, and the whole profile does not.
    pub taken_back: TakenBackSums,
    /// Visits before the window of time, as far as they were read.
    pub earlier: EarlierSums,
    /// Set if this is the profile of a window of time: then some paths may stand only before it.
    pub of_window: bool,
    /// Metrics.
    pub metrics: MetricSums,
    /// Forks, teams and programs, where they are asked for.
    pub threads: ThreadCounts,
    /// Locations with leaves before the window of time that are not of the innermost visit.
    pub odd_before: Vec<LocationRef>,
    /// Definitions of single locations: what their numbers in all this mean.
    #[serde(skip)]
    pub own: Arc<OwnNumbers>,
}

impl Partial {
    /// The locations that have leaves which are not of the innermost visit.
    pub fn with_leaves_that_do_not_fit(&self) -> HashSet<LocationRef> {
        let odd = self.locations.iter().filter(|row| {
            let Oddities { crossed, unmatched, .. } = row.oddities;
            crossed > 0 || unmatched > 0
        });
        odd.map(|row| row.location).chain(self.odd_before.iter().copied()).collect()
    }

    /// With what was repaired of the enters and leaves of locations.
    pub fn with_repairs(mut self, repaired: &BTreeMap<LocationRef, Counts>) -> Partial {
        for row in &mut self.locations {
            let Some(Counts { reordered, instants, renamed }) = repaired.get(&row.location) else {
                continue;
            };
            row.oddities.reordered += reordered;
            row.oddities.instants += instants;
            row.oddities.renamed += renamed;
        }
        self
    }

    /// The same with those paths only that are kept: the depth falls until they are few enough.
    pub(crate) fn cut(mut self) -> Partial {
        let Kept { most, depth } = self.kept;
        if self.tree.len() > most {
            self.kept.depth = self.tree.depth_for(most, depth);
        }
        let depth = self.kept.depth;
        if self.tree.deepest() <= depth {
            return self;
        }
        let Some((tree, to)) = self.tree.cut(depth, usize::MAX) else { return self };
        self.tree = tree;
        let rows = std::mem::take(&mut self.paths);
        let metrics = std::mem::take(&mut self.metrics);
        let taken_back = std::mem::take(&mut self.taken_back);
        let earlier = std::mem::take(&mut self.earlier);
        self.add_paths(&to, &rows, metrics, taken_back, earlier);
        self
    }

    /// Both together.
    pub fn fold(mut self, mut other: Partial) -> Partial {
        if self.tree.len() < other.tree.len() {
            std::mem::swap(&mut self, &mut other);
        }
        self.tree.index();
        let paths = self.tree.graft(&other.tree);
        self.kept.most = self.kept.most.min(other.kept.most);
        self.kept.depth = self.kept.depth.min(other.kept.depth);
        self.add(other, paths);
        self.cut()
    }

    /// Adds another one, whose paths went there.
    fn add(&mut self, mut other: Partial, to: Vec<PathIndex>) {
        self.add_paths(&to, &other.paths, other.metrics, other.taken_back, other.earlier);
        self.of_window |= other.of_window;
        for (region, spread) in &other.regions {
            self.regions.entry(*region).or_insert(Spread::NONE).add(spread);
        }
        self.locations.append(&mut other.locations);
        self.odd_before.append(&mut other.odd_before);
        self.threads.add(&other.threads);
        self.samples.fold(other.samples);
    }

    /// Adds what paths have that went there.
    fn add_paths(
        &mut self,
        to: &[PathIndex],
        rows: &[Row],
        metrics: MetricSums,
        taken_back: TakenBackSums,
        earlier: EarlierSums,
    ) {
        self.taken_back.fold(taken_back, to);
        self.earlier.fold(earlier, to);
        self.paths.resize(self.tree.len(), Row::EMPTY);
        for (row, to) in rows.iter().zip(to) {
            self.paths[to.index()].add(row);
        }
        self.metrics.fold(metrics, to);
    }
}

/// State of a thread: the paths of all locations so far, and the tallies of the present one.
#[derive(Default)]
pub struct Worker {
    partial: Partial,
    /// The visits of each path; what else it has is in the partial result.
    sums: Vec<PathSum>,
    sink: Option<Box<dyn PathSink>>,
    /// Lent to the location that is being scanned; nothing but room, in between.
    pub(crate) tallies: Tallies,
    /// Likewise.
    meter: Meter,
    /// Likewise.
    frames: Vec<Frame>,
    regions: RegionSums,
    /// The locations before a tree that had grown too large.
    done: Option<Partial>,
    /// References of the next location.
    pub(crate) local: LocalReferences,
}

impl Worker {
    pub(crate) fn new(sink: Option<Box<dyn PathSink>>) -> Self {
        Worker { sink, ..Worker::default() }
    }

    /// For a location with these references.
    pub(crate) fn of(local: LocalReferences) -> Self {
        Worker { local, ..Worker::default() }
    }

    /// Keeps these paths.
    pub(crate) fn keep(&mut self, kept: Kept) {
        self.tallies.keep(kept);
    }

    /// Begins a new tree where the present one has grown too large: paths that are deeper than kept remain in it.
    ///
    /// A sink refers to the tree, which remains then.
    fn begin_anew(&mut self) {
        let kept = self.tallies.kept();
        if self.sink.is_some() || self.tallies.tree.len() / 2 < kept.most {
            return;
        }
        let mut old = std::mem::take(self);
        self.local = std::mem::take(&mut old.local);
        self.frames = std::mem::take(&mut old.frames);
        let done = old.finish();
        self.keep(done.kept);
        self.done = Some(done);
    }

    /// Lends the next location what all work on.
    pub(crate) fn lend(&mut self) -> (Tallies, Meter, Vec<Frame>) {
        let Worker { tallies, meter, frames, .. } = self;
        (std::mem::take(tallies), std::mem::take(meter), std::mem::take(frames))
    }

    /// A location gives that back.
    pub(crate) fn give_back(&mut self, tallies: Tallies, meter: Meter, frames: Vec<Frame>) {
        (self.tallies, self.meter, self.frames) = (tallies, meter, frames);
    }

    /// Leaves before the window of time are not of the innermost visit.
    pub(crate) fn note_odd_before(&mut self, location: LocationRef) {
        self.partial.odd_before.push(location);
    }

    /// Takes what windows of time before the present one have counted too much of a location, and what it had then.
    pub(crate) fn take_back(&mut self, location: LocationRef, at: TakenBackAt, earlier: EarlierAt) {
        self.partial.of_window = true;
        self.partial.earlier.add(earlier);
        if !at.is_empty() {
            self.regions.grow(&self.tallies.tree);
            self.partial.taken_back.add(location, at, |path| self.regions.is_region(path));
        }
    }

    /// Adds what was found of forks, teams and programs.
    pub(crate) fn add_threads(&mut self, counts: &ThreadCounts) {
        self.partial.threads.add(counts);
    }

    /// Returns the sums of the events with calling contexts of all locations.
    pub(crate) fn samples(&mut self) -> &mut SampleSums {
        &mut self.partial.samples
    }

    /// Adds a location of which sums are known, and no events: visits by region, and what the location did besides.
    pub fn add_summary(
        &mut self,
        location: LocationRef,
        regions: &[(RegionRef, Visits)],
        traffic: &Traffic,
    ) {
        for (region, visits) in regions {
            let path = self.tallies.path(PathIndex::ROOT, Step::Region(*region));
            self.tallies.add_summary(path, visits);
        }
        if !traffic.is_empty() {
            self.tallies.traffic(PathIndex::ROOT).add(traffic);
        }
        self.end_location(LocationRow {
            location,
            events: 0,
            unknown: 0,
            first: None,
            last: None,
            visits: 0,
            closed: 0,
            inclusive: 0,
            inside: 0,
            shortest: u64::MAX,
            longest: 0,
            depth: 0,
            traffic: Traffic::NONE,
            oddities: Oddities::default(),
        });
    }

    /// Puts the tallies of the present location into the partial result.
    pub(crate) fn end_location(&mut self, mut row: LocationRow) {
        let Worker { partial, sums, sink, tallies, meter, regions, .. } = self;
        sums.resize(tallies.tree.len(), PathSum::EMPTY);
        partial.paths.resize(tallies.tree.len(), Row::EMPTY);
        regions.grow(&tallies.tree);
        let mut paths = Vec::new();
        let keep_paths = sink.is_some();
        tallies.take_visits(|path, depth, visits| {
            sums[path.index()].add(row.location, &visits);
            row.add_visits(&visits, regions.add(path, visits.exclusive));
            row.depth = row.depth.max(depth.into());
            if keep_paths {
                paths.push(LocationPath { path, visits, traffic: Traffic::NONE });
            }
        });
        tallies.take_traffic(|path, traffic| {
            partial.paths[path.index()].traffic.add(&traffic);
            row.traffic.add(&traffic);
            if keep_paths {
                paths.push(LocationPath { path, visits: Visits::NONE, traffic });
            }
        });
        regions.end_location(row.location);
        let metrics = meter.end_location(&mut partial.metrics, row.location);
        if let Some(sink) = sink {
            let metrics = with_inclusive(metrics, &tallies.tree);
            sink.location(row.location, &tallies.tree, &joined(paths), &metrics);
        }
        partial.locations.push(row);
        self.begin_anew();
    }

    /// A meter is used no more.
    pub(crate) fn finish_meter(&mut self, meter: Meter) {
        meter.finish(&mut self.partial.metrics);
    }

    pub(crate) fn finish(mut self) -> Partial {
        let rows = self.partial.paths.iter_mut().zip(&self.sums);
        rows.for_each(|(row, sum)| row.add(&sum.row()));
        self.partial.kept = self.tallies.kept();
        self.partial.tree = self.tallies.tree;
        self.partial.regions = self.regions.finish();
        self.meter.finish(&mut self.partial.metrics);
        if let Some(sink) = self.sink {
            sink.end(&self.partial.tree);
        }
        let partial = self.partial.cut();
        match self.done {
            Some(done) => done.fold(partial),
            None => partial,
        }
    }
}

/// In the order of paths, one entry for each that has anything. In a window of time visits that go on
/// through all of it may have no tick there.
fn joined(mut paths: Vec<LocationPath>) -> Vec<LocationPath> {
    paths.sort_unstable_by_key(|entry| entry.path);
    paths.dedup_by(|second, first| {
        let same = first.path == second.path;
        if same {
            // One of them has the visits and one the traffic.
            first.traffic.add(&second.traffic);
            // Not only where visits began: in a window of time others go on.
            if second.visits != Visits::NONE {
                first.visits = second.visits;
            }
        }
        same
    });
    paths.retain(|entry| entry.visits != Visits::NONE || !entry.traffic.is_empty());
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_that_go_on_are_kept_in_either_order() {
        let path = PathIndex(3);
        let visits = Visits { inclusive: 200, exclusive: 90, ..Visits::NONE };
        let traffic = Traffic { sent: 1, bytes_sent: 7, ..Traffic::NONE };
        let of_visits = LocationPath { path, visits, traffic: Traffic::NONE };
        let of_traffic = LocationPath { path, visits: Visits::NONE, traffic };
        let nothing = LocationPath { path: PathIndex(2), ..of_traffic };
        let nothing = LocationPath { traffic: Traffic::NONE, ..nothing };
        let both = LocationPath { path, visits, traffic };
        assert_eq!(joined(vec![of_visits, of_traffic, nothing]), [both]);
        assert_eq!(joined(vec![of_traffic, nothing, of_visits]), [both]);
    }
}
