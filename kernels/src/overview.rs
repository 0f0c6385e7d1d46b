//! Overview of a trace: the time of each region and location, and numbers of other events.

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::definitions::Region;
use streamfold_model::enums::{Paradigm, RegionRole};
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use crate::call_stack::{CallStack, Change, Place};
use crate::Kernel;

/// Adds up what a trace is about. Times are in ticks.
#[derive(Debug)]
pub struct OverviewKernel {
    /// Regions in which a process communicates or synchronises: they are not its own work.
    parallel: HashSet<RegionRef, RandomState>,
}

/// The partial result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overview {
    /// Visits that ended, and their exclusive time, of each region.
    pub regions: BTreeMap<RegionRef, (u64, u128)>,
    /// Locations that were read.
    pub locations: BTreeMap<LocationRef, LocationSums>,
    /// Messages sent.
    pub messages: u64,
    /// Ends of collective operations, one for each member.
    pub collectives: u64,
    /// Transfers to and from remote memory.
    pub transfers: u64,
    /// Operations on files that ended.
    pub io: u64,
    /// Visits that a crossed leave or the end of a stream cut off, and leaves of what was not open.
    pub odd_visits: u64,
}

/// A location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationSums {
    /// Events.
    pub events: u64,
    /// The times of the first and of the last event.
    pub span: Option<(u64, u64)>,
    /// Exclusive time in all regions.
    pub inside: u128,
    /// Exclusive time in regions in which a process communicates or waits for others.
    pub parallel: u128,
}

impl OverviewKernel {
    /// Given the definitions that references lead to.
    pub fn new(definitions: &Definitions) -> Self {
        let regions = definitions.regions.values();
        let parallel = regions.filter(|region| !is_own(region)).map(|region| region.id);
        OverviewKernel { parallel: parallel.collect() }
    }
}

/// Returns whether a process does its own work in a region. Loops of OpenMP and the like are own work, their barriers
/// are not.
fn is_own(region: &Region) -> bool {
    let waits = matches!(
        region.region_role,
        RegionRole::Barrier | RegionRole::ImplicitBarrier | RegionRole::TaskWait
    );
    let communicates = matches!(
        region.paradigm,
        Paradigm::Mpi
            | Paradigm::Gaspi
            | Paradigm::Upc
            | Paradigm::Shmem
            | Paradigm::MeasurementSystem
    );
    !waits && !communicates
}

/// The state of a worker.
#[derive(Debug, Default)]
pub struct OverviewWorker {
    found: Overview,
    /// The visits and exclusive times of the present location.
    regions: HashMap<RegionRef, (u64, u128), RandomState>,
}

/// Receives the events of a location.
#[derive(Debug)]
pub struct OverviewScan<'w> {
    stack: CallStack,
    worker: &'w mut OverviewWorker,
    location: LocationRef,
}

impl EventVisitor for OverviewScan<'_> {
    const WANTS: EventSet = CallStack::WANTS.and(EventSet::TRANSFERS).and(EventSet::of(&[
        EventKind::MpiSend,
        EventKind::MpiIsend,
        EventKind::MpiCollectiveEnd,
        EventKind::NonBlockingCollectiveComplete,
        EventKind::IoOperationComplete,
    ]));

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let OverviewWorker { found, regions } = &mut *self.worker;
        match event {
            Event::MpiSend(_) | Event::MpiIsend(_) => found.messages += 1,
            Event::MpiCollectiveEnd(_) | Event::NonBlockingCollectiveComplete(_) => {
                found.collectives += 1;
            }
            Event::RmaPut(_) | Event::RmaGet(_) | Event::RmaAtomic(_) => found.transfers += 1,
            Event::IoOperationComplete(_) => found.io += 1,
            event => self.stack.take(head, &event, |change| match change {
                Change::End { path, exclusive, .. } => {
                    if let Some(Place::Region(region)) = path.last().map(|visit| visit.place) {
                        let sums = regions.entry(region).or_default();
                        *sums = (sums.0 + 1, sums.1 + u128::from(exclusive));
                    }
                }
                Change::Drop { .. } | Change::Unmatched { .. } => found.odd_visits += 1,
                Change::Begin { .. } => {}
            }),
        }
    }
}

impl Kernel for OverviewKernel {
    type Worker = OverviewWorker;
    type Scan<'w> = OverviewScan<'w>;
    type Partial = Overview;

    fn worker(&self) -> OverviewWorker {
        OverviewWorker::default()
    }

    fn scan<'w>(
        &'w self,
        worker: &'w mut OverviewWorker,
        location: LocationRef,
    ) -> OverviewScan<'w> {
        OverviewScan { stack: CallStack::default(), worker, location }
    }

    fn end<'w>(&'w self, scan: OverviewScan<'w>, summary: &StreamSummary) {
        let OverviewScan { stack, worker, location } = scan;
        let OverviewWorker { found, regions } = worker;
        stack.end(|_| found.odd_visits += 1);
        let span = summary.first.zip(summary.last).map(|(first, last)| (first.0, last.0));
        let mut sums = LocationSums { events: summary.events, span, ..LocationSums::default() };
        for (region, (visits, exclusive)) in regions.drain() {
            sums.inside += exclusive;
            if self.parallel.contains(&region) {
                sums.parallel += exclusive;
            }
            let all = found.regions.entry(region).or_default();
            *all = (all.0 + visits, all.1 + exclusive);
        }
        found.locations.insert(location, sums);
    }

    fn partial(&self, worker: OverviewWorker) -> Overview {
        worker.found
    }

    fn fold(&self, mut into: Overview, other: Overview) -> Overview {
        for (region, (visits, exclusive)) in other.regions {
            let all = into.regions.entry(region).or_default();
            *all = (all.0 + visits, all.1 + exclusive);
        }
        into.locations.extend(other.locations);
        into.messages += other.messages;
        into.collectives += other.collectives;
        into.transfers += other.transfers;
        into.io += other.io;
        into.odd_visits += other.odd_visits;
        into
    }
}
