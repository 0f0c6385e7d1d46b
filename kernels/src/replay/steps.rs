//! Steps of locations: how their clocks go on between the calls in which they depend on others.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::calls::{hand_over, Call, Calls, Message};
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use super::point::{LinkSinks, Links, Point, What};
use super::{Scenario, SCENARIOS};
use crate::account::{Group, Role};
use crate::by_name::ByName;
use crate::call_stack::{CallStack, Following, OwnTime, Place, Visit};
use crate::waitstates::class::CallKind;
use crate::waitstates::classes::class_of;
use crate::Kernel;

/// Regions up to this number are found by it.
const DENSE: usize = 1 << 20;

/// Makes the steps of threads and streams.
pub struct StepKernel<'k> {
    definitions: &'k Definitions,
    /// Kinds of regions by number.
    dense: Vec<Kind>,
    others: HashMap<RegionRef, Kind, RandomState>,
    /// Scenarios in which the time of all regions inside changes.
    inclusive: u16,
    to: LinkSinks<'k>,
}

/// Facts about a region.
#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    /// Its own time is time in MPI.
    in_mpi: bool,
    /// In it locations depend on others.
    is_call: bool,
    /// Others depend on its end.
    is_team: bool,
    /// Scenarios of which it is a region.
    scenarios: u16,
}

impl<'k> StepKernel<'k> {
    /// Given the definitions that references lead to, and the scenarios: as many as a replay may have. Steps go to
    /// sinks.
    pub fn new(definitions: &'k Definitions, scenarios: &[Scenario], to: LinkSinks<'k>) -> Self {
        let by_name = ByName::new(definitions);
        let kind = |region: &RegionRef| {
            let found = class_of(*region, definitions, by_name);
            let in_mpi = found.class.group() == Group::Mpi;
            let is_call = found.call.is_some() || found.class.group() == Group::Accelerator;
            let is_team = found.call == Some(CallKind::Parallel);
            (*region, Kind { in_mpi, is_call, is_team, scenarios: 0 })
        };
        let mut regions: HashMap<RegionRef, Kind, RandomState> =
            definitions.regions.keys().map(kind).collect();
        let mut inclusive = 0;
        for (number, scenario) in scenarios.iter().take(SCENARIOS).enumerate() {
            for region in &scenario.regions {
                regions.entry(*region).or_default().scenarios |= 1 << number;
            }
            inclusive |= u16::from(!scenario.own) << number;
        }
        let mut dense = Vec::new();
        let mut others: HashMap<RegionRef, Kind, RandomState> = HashMap::default();
        for (region, kind) in regions {
            let place = region.0 as usize;
            if place >= DENSE {
                others.insert(region, kind);
                continue;
            }
            if place >= dense.len() {
                dense.resize(place + 1, Kind::default());
            }
            dense[place] = kind;
        }
        StepKernel { definitions, dense, others, inclusive, to }
    }

    #[inline(always)]
    fn kind(&self, place: Place) -> Kind {
        match place {
            Place::Region(region) => match self.dense.get(region.0 as usize) {
                Some(kind) => *kind,
                None => self.others.get(&region).copied().unwrap_or_default(),
            },
            Place::Off => Kind::default(),
        }
    }

    /// Looks at the innermost of these visits: whether it is in MPI, and the scenarios to whose regions its own time
    /// belongs.
    #[inline(always)]
    fn present(&self, open: &[Visit]) -> (bool, u16) {
        let top = open.last().map(|visit| self.kind(visit.place)).unwrap_or_default();
        let mut scenarios = top.scenarios;
        if self.inclusive != 0 {
            let open = open.iter().map(|visit| self.kind(visit.place).scenarios);
            scenarios |= open.fold(0, |all, of| all | of) & self.inclusive;
        }
        (top.in_mpi, scenarios)
    }
}

/// The state of a worker.
pub struct StepWorker<'k> {
    links: Links<'k>,
}

/// Receives the events of a location.
pub struct StepScan<'w, 'k> {
    kernel: &'w StepKernel<'k>,
    links: &'w mut Links<'k>,
    location: LocationRef,
    /// `None`: recorders have no clock here.
    role: Option<Role>,
    stack: CallStack,
    /// `None`: there was no event yet.
    now: Option<u64>,
    in_mpi: bool,
    /// Scenarios to whose regions the present time belongs.
    scenarios: u16,
    ticks: StepTicks,
}

/// Ticks since the last step.
#[derive(Debug, Default)]
struct StepTicks {
    outside: u64,
    /// Of the regions of each scenario.
    regions: [u64; SCENARIOS],
}

impl StepTicks {
    /// Adds ticks outside of MPI, of the regions of these scenarios.
    #[inline(always)]
    fn add(&mut self, ticks: u64, mut scenarios: u16) {
        self.outside += ticks;
        while scenarios != 0 {
            self.regions[scenarios.trailing_zeros() as usize] += ticks;
            scenarios &= scenarios - 1;
        }
    }
}

impl StepScan<'_, '_> {
    fn pass(&mut self, time: u64) {
        let Some(now) = self.now else {
            self.now = Some(time);
            // A stream begins with the launch of what runs there first.
            if self.role == Some(Role::Thread) {
                self.step(time, false);
            }
            return;
        };
        let ticks = time.saturating_sub(now);
        if ticks == 0 {
            return;
        }
        self.now = Some(time);
        if self.in_mpi {
            return;
        }
        self.ticks.add(ticks, self.scenarios);
    }

    fn step(&mut self, time: u64, last: bool) {
        let StepTicks { outside, regions } = std::mem::take(&mut self.ticks);
        let what = What::Step { outside, regions, last };
        self.links.push(Point { location: self.location, time, number: 0, what });
    }

    /// Looks at what is open.
    fn look(&mut self) {
        (self.in_mpi, self.scenarios) = self.kernel.present(self.stack.open());
    }
}

/// Counts the own time of visits in a run of calls.
struct Run<'s, 'k> {
    kernel: &'s StepKernel<'k>,
    is_stream: bool,
    ticks: &'s mut StepTicks,
}

impl Following for Run<'_, '_> {
    #[inline(always)]
    fn takes(&mut self, call: Call) -> bool {
        let kind = self.kernel.kind(Place::Region(call.region()));
        match (call.is_leave(), self.is_stream) {
            (true, true) => false,
            (true, false) => !kind.is_team,
            (false, true) => true,
            (false, false) => !kind.is_call,
        }
    }

    #[inline(always)]
    fn own(&mut self, OwnTime { path, ticks, .. }: OwnTime<'_>) {
        let (in_mpi, scenarios) = self.kernel.present(path);
        if !in_mpi {
            self.ticks.add(ticks, scenarios);
        }
    }

    fn message(&mut self, _: Message) {}
}

impl EventVisitor for StepScan<'_, '_> {
    const WANTS: EventSet = CallStack::WANTS.and(EventSet::of(&[
        EventKind::ThreadFork,
        EventKind::ThreadCreate,
        EventKind::ThreadEnd,
        EventKind::ThreadReleaseLock,
        EventKind::OmpReleaseLock,
        EventKind::RmaOpCompleteBlocking,
        EventKind::RmaOpCompleteNonBlocking,
    ]));

    #[inline]
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        let Some(role) = self.role else { return calls.skip() };
        let is_stream = role == Role::Stream;
        loop {
            let StepScan { kernel, stack, now, ticks, .. } = self;
            let behind = match now.filter(|now| *now <= calls.time().0) {
                Some(since) => {
                    let mut run = Run { kernel, is_stream, ticks };
                    let (last, behind) = stack.follow(calls, since, &mut run);
                    *now = Some(last);
                    self.look();
                    behind
                }
                None => calls.next(),
            };
            match behind {
                Some(call) => hand_over(self, call, &calls.head()),
                None => return,
            }
        }
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let Some(role) = self.role else { return };
        self.pass(head.time.0);
        let is_point = match (&event, role) {
            // Hosts depend on the ends of what runs on streams.
            (Event::Leave(_), Role::Stream) => true,
            (Event::Leave(leave), _) => self.kernel.kind(Place::Region(leave.region)).is_team,
            (Event::RmaOpCompleteBlocking(_) | Event::RmaOpCompleteNonBlocking(_), role) => {
                role == Role::Stream
            }
            (Event::Enter(enter), Role::Thread) => {
                self.kernel.kind(Place::Region(enter.region)).is_call
            }
            (Event::ThreadFork(_) | Event::ThreadCreate(_), _) => true,
            (Event::ThreadEnd(_) | Event::ThreadReleaseLock(_), _) => true,
            (Event::OmpReleaseLock(_), _) => true,
            _ => false,
        };
        if is_point {
            self.step(head.time.0.max(self.now.unwrap_or(0)), false);
        }
        self.stack.take(head, &event, |_| {});
        self.look();
    }
}

impl<'k> Kernel for StepKernel<'k> {
    type Worker = StepWorker<'k>;
    type Scan<'w>
        = StepScan<'w, 'k>
    where
        Self: 'w;
    type Partial = ();

    fn worker(&self) -> Self::Worker {
        StepWorker { links: Links::new(Some(self.to)) }
    }

    fn scan<'w>(&'w self, worker: &'w mut Self::Worker, location: LocationRef) -> Self::Scan<'w> {
        StepScan {
            kernel: self,
            links: &mut worker.links,
            location,
            role: Role::of(self.definitions, location)
                .filter(|role| matches!(role, Role::Thread | Role::Stream)),
            stack: CallStack::default(),
            now: None,
            in_mpi: false,
            scenarios: 0,
            ticks: StepTicks::default(),
        }
    }

    fn end<'w>(&'w self, mut scan: Self::Scan<'w>, summary: &StreamSummary) {
        let Some(last) = summary.last.filter(|_| scan.role.is_some()) else { return };
        scan.pass(last.0);
        let end = scan.now.map_or(last.0, |now| now.max(last.0));
        scan.step(end, true);
    }

    fn partial(&self, worker: Self::Worker) {
        let StepWorker { mut links } = worker;
        links.hand_over();
    }

    fn fold(&self, (): (), (): ()) {}
}
