//! One pass over the events of a location.

mod events;
mod operations;
mod posts;
mod regions;
mod room;
mod visits;

pub use regions::OpenRegions;
pub use room::Recorded;
pub(super) use room::Room;

use regions::InRegions;

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::enums::LocationType;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;
use streamfold_model::stream::EventHead;

use crate::matching::{Order, Partners, Process, Processes};
use crate::probes::Probes;
use crate::profile::Scan;
use crate::task::Task;
use crate::waitstates::open::{OpenCall, OpenCalls};
use crate::waitstates::path::PathId;
use crate::waitstates::requests::Start;
use crate::waitstates::severity::LeftOut;
use crate::waitstates::teams::Teams;
use crate::waitstates::threads::Threads;
use crate::waitstates::windows::Windows;

/// Definitions, processes and threads of the trace.
#[derive(Clone, Copy)]
pub(super) struct World<'w> {
    pub definitions: &'w Definitions,
    pub processes: &'w Processes,
    pub partners: &'w Partners<'w>,
    pub threads: &'w Threads,
}

/// Receives the events of one location.
pub struct WaitScan<'w, 's> {
    pub(super) profile: Scan<'w>,
    world: World<'w>,
    pub(super) room: &'w mut Room<'s>,
    location: LocationRef,
    own: Option<Process>,
    latest: u64,
    open: OpenCalls,
    /// The value of [`Scan::crossed`] so far.
    crossed: u64,
    /// The number of the last leave of a region that matters.
    left_with: u64,
    /// The running task; `None`: the thread itself.
    running: Option<Task>,
    suspended: HashMap<Task, Vec<OpenCall>, RandomState>,
    /// The calls of the thread itself, while a task runs.
    interrupted: Vec<OpenCall>,
    begun: Option<(Order, Start)>,
    window_begun: Option<(Order, Start)>,
    teams: Teams,
    /// When the last created thread ended here, in ticks.
    thread_ended: u64,
    windows: Windows,
    regions: InRegions,
    pub(super) probes: Probes,
    /// Of a location that takes no part: what was found before it, as all that is to be known.
    found_before: Option<Recorded>,
}

impl<'w, 's> WaitScan<'w, 's> {
    pub(super) fn new(
        profile: Scan<'w>,
        world: World<'w>,
        room: &'w mut Room<'s>,
        location: LocationRef,
    ) -> Self {
        let crossed = profile.crossed();
        let defined = world.definitions.locations.get(&location);
        let takes_part = defined.is_none_or(|of| of.location_type != LocationType::Metric);
        // Events of no process are compared with none.
        let own = world.processes.of(location).filter(|_| takes_part);
        let found_before = (!takes_part).then(|| std::mem::take(&mut room.found));
        let shared = own.filter(|process| world.processes.is_shared(*process));
        room.requests.begin(location, shared);
        room.operations.begin(location, shared);
        WaitScan {
            profile,
            world,
            room,
            location,
            own,
            latest: 0,
            open: OpenCalls::default(),
            crossed,
            left_with: 0,
            running: None,
            suspended: HashMap::default(),
            interrupted: Vec::new(),
            begun: None,
            window_begun: None,
            teams: Teams::default(),
            thread_ended: 0,
            windows: Windows::default(),
            regions: InRegions::default(),
            probes: Probes::default(),
            found_before,
        }
    }

    /// All events were delivered: hands out the profile's scan.
    pub(super) fn end(mut self) -> Scan<'w> {
        self.settle(None);
        let forked = self.teams.forked_last();
        self.room.found.open_regions.extend(self.regions.open(self.location, forked));
        while let Some(call) = self.open.pop() {
            self.drop_call(call);
        }
        let interrupted = std::mem::take(&mut self.interrupted);
        let suspended = std::mem::take(&mut self.suspended).into_values().flatten();
        suspended.chain(interrupted).for_each(|call| self.drop_call(call));
        let mut open = u64::from(self.begun.is_some());
        while let Some((at, post)) = self.room.requests.end_one() {
            self.never_completed(at, post);
        }
        self.room.operations.end(|_, _| open += 1);
        self.room.found.leave_out(LeftOut::OpenCollectives, open);
        self.hand_over_teams(|teams, over| teams.end_all(over));
        let (room, location) = (self.room, self.location);
        let asides = self.profile.asides();
        for ((path, leads), ticks) in asides {
            let path = room.ids.of(path, self.profile.call_tree());
            room.found.moved.push((location, path, ticks, leads));
        }
        let flushed = self.profile.end_of_flush();
        room.found.flushed.extend(flushed.map(|end| (location, end)));
        let mut twice: HashMap<PathId, u64, RandomState> = HashMap::default();
        for (path, ticks) in self.profile.counted_twice() {
            let sum = twice.entry(room.ids.of(*path, self.profile.call_tree())).or_default();
            *sum = sum.saturating_add(*ticks);
        }
        let twice = twice.into_iter().map(|(path, ticks)| (location, path, ticks));
        room.found.counted_twice.extend(twice);
        room.sends.empty(&mut room.to_sends);
        room.receives.empty(&mut room.to_receives);
        room.members.empty(&mut room.to_members);
        room.attendances.empty(&mut room.to_attendances);
        room.epochs.empty();
        room.cache.clear();
        self.found_before.into_iter().for_each(|before| room.found = before);
        self.profile
    }

    /// Returns the order of an event of the location.
    fn order(&mut self, head: &EventHead<'_>) -> Order {
        self.latest = self.latest.max(head.time.0).max(self.profile.now());
        Order { time: self.latest, location: self.location, number: head.number }
    }
}
