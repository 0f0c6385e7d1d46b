//! Follows the open regions of a location, and counts the time of the innermost one.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use super::{Activities, Activity, LocationWork, Phases, TeamState, Work};
use crate::call_stack::{CallStack, Place};
use crate::devices::is_stream;
use crate::waitstates::Classes;
use crate::Kernel;

/// Regions of each location that are kept.
const REGIONS: usize = 16;

/// Finds the activities of threads.
#[derive(Debug)]
pub struct ActivityKernel<'k> {
    definitions: &'k Definitions,
    phases: &'k Phases,
    /// Set if a thread computes outside of all regions: regions are system calls then.
    outside_computes: bool,
}

impl<'k> ActivityKernel<'k> {
    /// Given the definitions that references lead to, and the parts of the time that count.
    pub fn new(definitions: &'k Definitions, phases: &'k Phases, outside_computes: bool) -> Self {
        ActivityKernel { definitions, phases, outside_computes }
    }
}

/// The state of a worker.
pub struct ActivityWorker<'k> {
    classes: Classes<'k>,
    found: Activities,
}

impl std::fmt::Debug for ActivityWorker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ActivityWorker").field("found", &self.found).finish_non_exhaustive()
    }
}

/// Reads a location.
pub struct ActivityScan<'w, 'k> {
    phases: &'k Phases,
    classes: &'w mut Classes<'k>,
    found: &'w mut Activities,
    location: LocationRef,
    visits: Option<&'k [(u64, u64)]>,
    /// The place in these.
    at: usize,
    stack: CallStack,
    is_device: bool,
    outside: Activity,
    teams: TeamState,
    /// Time up to here is counted. `None`: there was no event yet.
    since: Option<u64>,
    /// The first event that was wanted.
    first: Option<u64>,
    work: Vec<Work>,
    regions: HashMap<Option<RegionRef>, u64, RandomState>,
    span: Option<(u64, u64)>,
}

impl ActivityScan<'_, '_> {
    /// Returns the activity of the thread since the latest event, and its region.
    fn present(&mut self) -> (Activity, Option<RegionRef>) {
        let top = self.stack.open().last().map(|visit| visit.place);
        let region = match top {
            Some(Place::Region(region)) => Some(region),
            _ => None,
        };
        let activity = match top {
            _ if self.teams.is_forking() => Activity::Fork,
            Some(Place::Off) => Activity::Measurement,
            Some(Place::Region(region)) => match Activity::of(self.classes.of(region).leaf) {
                Activity::Measurement => Activity::Measurement,
                _ if self.is_device => Activity::Device,
                Activity::Serial if self.teams.is_inside() => Activity::Parallel,
                activity => activity,
            },
            None => self.outside,
        };
        (activity, region)
    }

    fn count_up_to(&mut self, time: u64) {
        let since = *self.since.get_or_insert(time);
        self.first.get_or_insert(time);
        if time <= since {
            return;
        }
        self.since = Some(time);
        let (activity, region) = self.present();
        let is_useful = matches!(activity, Activity::Serial | Activity::Parallel);
        let ActivityScan { phases, work, regions, span, visits, at, .. } = self;
        phases.split(*visits, at, (since, time), |part, from, to| {
            let ticks = to - from;
            let of = &mut work[part];
            of.ticks[activity as usize] += ticks;
            if is_useful {
                *regions.entry(region).or_default() += ticks;
            }
            *span = Some(span.map_or((from, to), |(first, last)| (first.min(from), last.max(to))));
        });
    }

    /// No region is open before the first event that is wanted.
    fn count_before(&mut self, first: u64, wanted: u64) {
        let ActivityScan { phases, work, span, visits, outside, .. } = self;
        phases.split(*visits, &mut 0, (first, wanted), |part, from, to| {
            work[part].ticks[*outside as usize] += to - from;
            *span = Some(span.map_or((from, to), |(first, last)| (first.min(from), last.max(to))));
        });
    }

    /// The part of the time in which something happens at a time, where it counts.
    fn part_of(&mut self, time: u64) -> Option<&mut Work> {
        let mut found = None;
        let (visits, mut at) = (self.visits, self.at);
        self.phases.split(visits, &mut at, (time, time.saturating_add(1)), |part, _, _| {
            found = Some(part)
        });
        found.map(|part| &mut self.work[part])
    }

    fn add_bytes(&mut self, time: u64, add: impl FnOnce(&mut Work)) {
        if let Some(work) = self.part_of(time) {
            add(work);
        }
    }
}

impl EventVisitor for ActivityScan<'_, '_> {
    const WANTS: EventSet =
        CallStack::WANTS.and(EventSet::TEAMS).and(EventSet::MESSAGES).and(EventSet::of(&[
            EventKind::MpiCollectiveEnd,
            EventKind::NonBlockingCollectiveComplete,
            EventKind::IoOperationComplete,
        ]));

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let time = head.time.0.max(self.since.unwrap_or(0));
        self.count_up_to(time);
        let more = |sum: &mut u64, bytes: u64| *sum = sum.saturating_add(bytes);
        match &event {
            Event::MpiSend(of) => {
                self.add_bytes(time, |work| more(&mut work.bytes[0], of.msg_length))
            }
            Event::MpiIsend(of) => {
                self.add_bytes(time, |work| more(&mut work.bytes[0], of.msg_length))
            }
            Event::MpiRecv(of) => {
                self.add_bytes(time, |work| more(&mut work.bytes[1], of.msg_length))
            }
            Event::MpiIrecv(of) => {
                self.add_bytes(time, |work| more(&mut work.bytes[1], of.msg_length))
            }
            Event::MpiCollectiveEnd(of) => self.add_bytes(time, |work| {
                more(&mut work.bytes[0], of.size_sent);
                more(&mut work.bytes[1], of.size_received);
            }),
            Event::NonBlockingCollectiveComplete(of) => self.add_bytes(time, |work| {
                more(&mut work.bytes[0], of.size_sent);
                more(&mut work.bytes[1], of.size_received);
            }),
            Event::IoOperationComplete(of) => {
                if of.bytes_result != u64::MAX {
                    self.add_bytes(time, |work| more(&mut work.file_bytes, of.bytes_result));
                }
            }
            _ if self.teams.take(&event) => {}
            _ => self.stack.take(head, &event, |_| {}),
        }
    }
}

impl<'k> Kernel for ActivityKernel<'k> {
    type Worker = ActivityWorker<'k>;
    type Scan<'w>
        = ActivityScan<'w, 'k>
    where
        Self: 'w;
    type Partial = Activities;

    fn worker(&self) -> ActivityWorker<'k> {
        ActivityWorker { classes: Classes::new(self.definitions), found: Activities::default() }
    }

    fn scan<'w>(
        &'w self,
        worker: &'w mut ActivityWorker<'k>,
        location: LocationRef,
    ) -> ActivityScan<'w, 'k> {
        let is_device = is_stream(self.definitions, location);
        let outside = match self.outside_computes && !is_device {
            true => Activity::Serial,
            false => Activity::Outside,
        };
        let visits = self.phases.visits(location);
        ActivityScan {
            phases: self.phases,
            classes: &mut worker.classes,
            found: &mut worker.found,
            location,
            visits,
            at: 0,
            stack: CallStack::default(),
            is_device,
            outside,
            teams: TeamState::default(),
            since: None,
            first: None,
            work: vec![Work::default(); self.phases.count()],
            regions: HashMap::default(),
            span: None,
        }
    }

    fn end<'w>(&'w self, mut scan: ActivityScan<'w, 'k>, summary: &StreamSummary) {
        match (scan.first, summary.first) {
            (None, Some(first)) => scan.since = Some(first.0),
            // Events before that were not wanted.
            (Some(wanted), Some(first)) => scan.count_before(first.0, wanted),
            _ => {}
        }
        if let Some(last) = summary.last {
            scan.count_up_to(last.0);
        }
        let mut regions: Vec<_> = scan.regions.into_iter().collect();
        regions.sort_unstable_by_key(|(region, ticks)| (std::cmp::Reverse(*ticks), *region));
        regions.truncate(REGIONS);
        let work = LocationWork { span: scan.span, parts: scan.work, regions };
        scan.found.locations.insert(scan.location, work);
    }

    fn partial(&self, worker: ActivityWorker<'k>) -> Activities {
        worker.found
    }

    fn fold(&self, mut into: Activities, other: Activities) -> Activities {
        into.locations.extend(other.locations);
        into
    }
}
