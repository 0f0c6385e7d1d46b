//! Effects of events on the open visits of a location, and the choice of events that stay.

use streamfold_kernels::task::TaskEvent;
use streamfold_model::events::{Event, EventKind};
use streamfold_model::ids::RegionRef;
use streamfold_model::stream::EventSet;

use super::families::{Families, Family};
use super::open::Open;
use super::opened::{Bracket, BracketEnd, Visited};
use super::regions::Regions;

/// The events that say what is open.
pub(super) const WAY: EventSet =
    EventSet::VISITS.and(EventSet::TASKS).and(EventSet::TEAMS).and(EventSet::IO_OPERATIONS).and(
        EventSet::of(&[
            EventKind::MeasurementOnOff,
            EventKind::BufferFlush,
            EventKind::ProgramBegin,
            EventKind::ProgramEnd,
        ]),
    );

/// The way of a location, of whose events some stay.
pub(super) struct Way<'a> {
    pub open: Open,
    pub regions: Regions<'a>,
    pub families: Families,
    /// Visits that are deeper do not stay.
    pub depth: usize,
    /// True if the choice of a visit depends on the open ones around it.
    chooses: bool,
    /// True if open visits are needed.
    follows: bool,
    /// True if operations on files are followed.
    follows_io: bool,
}

impl<'a> Way<'a> {
    /// With nothing open. `has_window`: something begins and ends with a window of time.
    pub(super) fn new(
        regions: Regions<'a>,
        families: Families,
        depth: usize,
        has_window: bool,
    ) -> Self {
        // Else all visits stay, and with them their leaves.
        let chooses = depth < usize::MAX || !families.has(Family::Tasks);
        let (open, follows, follows_io) = (Open::default(), has_window || chooses, has_window);
        Way { open, regions, families, depth, chooses, follows, follows_io }
    }

    /// Treats everything open at the begin of the window as begun there. `ends`: the window has an end, where open
    /// visits are closed. Returns the number of operations on files under way beyond the limit.
    pub(super) fn begin_window(&mut self, ends: bool) -> u64 {
        let more_io = self.open.forget_io();
        self.follows_io = false;
        self.follows = self.chooses || ends;
        if !self.follows {
            self.open = Open::default();
        }
        more_io
    }

    /// A region is entered, which has this number in the trace. Returns whether that stays.
    #[inline]
    fn enter(&mut self, region: u32, visited: Visited) -> bool {
        if !self.families.has(Family::Calls) || !self.regions.stays(region) {
            return false;
        }
        if !self.follows {
            return true;
        }
        // Without the switches between them nobody could tell visits of tasks apart.
        let tasks = self.families.has(Family::Tasks) || !self.open.in_task();
        let kept = tasks && self.open.depth() < self.depth;
        self.open.enter(region, visited, kept);
        kept
    }

    #[inline]
    fn leave(&mut self, region: u32) -> bool {
        if !self.families.has(Family::Calls) || !self.regions.stays(region) {
            return false;
        }
        if !self.follows {
            return true;
        }
        let tasks = self.families.has(Family::Tasks) || !self.open.in_task();
        self.open.leave(region) && tasks
    }

    /// The region is entered.
    #[inline]
    pub(super) fn enter_region(&mut self, region: RegionRef) -> bool {
        self.enter(self.regions.global(region), Visited::Region(region))
    }

    /// The region is left.
    #[inline]
    pub(super) fn leave_region(&mut self, region: RegionRef) -> bool {
        self.leave(self.regions.global(region))
    }

    /// An event. Returns whether it stays where its family does.
    #[inline]
    pub(super) fn event(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Enter(e) => self.enter_region(e.region),
            Event::Leave(e) => self.leave_region(e.region),
            Event::CallingContextEnter(e) => {
                let visited = Visited::Context(e.calling_context, e.unwind_distance);
                self.enter(self.regions.of_context(e.calling_context), visited)
            }
            Event::CallingContextLeave(e) => self.leave(self.regions.of_context(e.calling_context)),
            other => {
                self.other(other);
                true
            }
        }
    }

    fn other(&mut self, event: &Event<'_>) {
        if !self.follows {
            return;
        }
        match event {
            Event::MeasurementOnOff(e) if self.families.has(Family::Recording) => {
                self.open.recording(e.measurement_mode);
            }
            Event::IoOperationBegin(e) if self.follows_io && self.families.has(Family::Io) => {
                self.open.begin_io(*e);
            }
            Event::IoOperationComplete(e) => self.open.end_io(e.handle, e.matching_id),
            Event::IoOperationCancelled(e) => self.open.end_io(e.handle, e.matching_id),
            Event::ProgramBegin(e) if self.families.has(Family::Program) => {
                let (name, arguments) = (e.program_name, e.program_arguments.to_vec());
                self.open.begin(Bracket::Program { name, arguments });
            }
            Event::ProgramEnd(_) => self.open.end(BracketEnd::Program),
            other => self.threads(other),
        }
    }

    fn threads(&mut self, event: &Event<'_>) {
        let follows = self.families.has(Family::Threads);
        match event {
            Event::ThreadFork(e) if follows => self.open.begin(Bracket::Fork(*e)),
            Event::OmpFork(e) if follows => self.open.begin(Bracket::OmpFork(*e)),
            Event::ThreadTeamBegin(e) if follows => self.open.begin(Bracket::Team(e.thread_team)),
            Event::ThreadJoin(e) => self.open.end(BracketEnd::Join(e.model)),
            Event::OmpJoin(_) => self.open.end(BracketEnd::OmpJoin),
            Event::ThreadTeamEnd(e) => self.open.end(BracketEnd::Team(e.thread_team)),
            other => self.tasks(other),
        }
    }

    fn tasks(&mut self, event: &Event<'_>) {
        match TaskEvent::of(event) {
            Some(TaskEvent::Switch(task)) => self.open.switch(task),
            Some(TaskEvent::Complete(task)) => self.open.complete(task),
            Some(TaskEvent::Create(_)) | None => {}
        }
    }
}
