//! Effect of forks, teams and programs on call paths.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use foldhash::fast::RandomState;
use streamfold_model::enums::GroupType;
use streamfold_model::events::ProgramBegin;
use streamfold_model::ids::{CommRef, LocationRef, RegionRef};
use streamfold_model::store::{CommLocations, Communicator, Definitions};
use streamfold_model::values::Ticks;

use super::forks::{ForkLogs, ForkStreams, Forks, Master, Reading};
use super::tasks::Tasks;
use super::thread_tree::ThreadCounts;
use crate::profile::result::partial::Worker;
use crate::profile::result::window::{carry, Cut, EarlierAt, TakenBackAt};
use crate::profile::scan::before::Before;
use crate::profile::scan::stack::Stack;
use crate::profile::scan::walk::Walk;
use crate::profile::scan::Scan;
use crate::profile::tree::content::Meanings;
use crate::profile::tree::programs::Programs;
use crate::profile::tree::step::Splitting;
use crate::profile::tree::PathIndex;

/// The teams of a location that so many others fork are followed. Each of these is read to its end at
/// most, so this bounds time and memory.
const MOST_MASTERS: u32 = 64;

/// Number of streams that are read for each of them, to learn where it is itself, …
const MOST_ABOVE: u32 = 32;

/// … and teams within teams are followed so far.
const DEEPEST: u32 = 8;

/// How the call paths of a location hang together with those of others and with the program.
pub(crate) struct Trees<'w> {
    fork_streams: Option<&'w TeamForkStreams<'w>>,
    programs: Option<&'w Programs>,
    /// The program that runs.
    program: Option<RegionRef>,
    teams: Teams,
    /// The locations that forked the teams of this one; `None`: its events cannot be had.
    readings: HashMap<LocationRef, Option<Master<'w>>, RandomState>,
    /// Forks that are kept. Trees of forking locations, which are read for a log, use none.
    logs: Option<&'w ForkLogs>,
    /// How many more may be read, here and for those that are read for each other.
    /// By one thread at a time.
    left: Arc<AtomicU32>,
    /// Teams within teams from here.
    depth: u32,
    counts: ThreadCounts,
}

/// The teams of a location.
#[derive(Default)]
struct Teams {
    /// Path of a fork whose team has not begun.
    forked: Option<PathIndex>,
    unjoined: u64,
    open: Vec<OpenTeam>,
    /// Index of each of them. None is open twice.
    places: HashMap<CommRef, usize, RandomState>,
    /// The innermost team around which each of these regions is open, since the last team began or ended.
    around: HashMap<RegionRef, Option<usize>, RandomState>,
    /// How often each team began here that others forked.
    begun: HashMap<CommRef, u64, RandomState>,
    /// Location that forks each team.
    forking: HashMap<CommRef, Option<LocationRef>, RandomState>,
    /// The forks of this location, if they are asked for.
    forks: Option<Forks>,
}

/// A team that has begun.
struct OpenTeam {
    team: CommRef,
    /// Stack that was open here before; `None`: it still is.
    outer: Option<Stack>,
}

/// Of so many regions it is remembered around which team they are open. A damaged stream may leave any number.
const MOST_REMEMBERED: usize = 1 << 16;

impl Teams {
    /// The innermost team that others forked around which a region is open.
    fn outside_of(&mut self, region: RegionRef) -> Option<usize> {
        let Teams { open, around, .. } = self;
        if around.len() == MOST_REMEMBERED {
            around.clear();
        }
        let is_outside = |team: &mut OpenTeam| {
            team.outer.as_mut().is_some_and(|outer| outer.inside_of(region).is_some())
        };
        *around.entry(region).or_insert_with(|| open.iter_mut().rposition(is_outside))
    }
}

/// Location that is being read, and what is needed to read other locations for it.
#[derive(Clone, Copy)]
pub(crate) struct Place<'w> {
    pub meanings: Meanings<'w>,
    pub splitting: &'w Splitting,
    /// The one that is being read.
    pub location: LocationRef,
}

impl<'w> Trees<'w> {
    pub(crate) fn new(
        fork_streams: Option<&'w TeamForkStreams<'w>>,
        logs: Option<&'w ForkLogs>,
        programs: Option<&'w Programs>,
    ) -> Self {
        Trees {
            fork_streams,
            logs,
            programs,
            program: None,
            teams: Teams::default(),
            readings: HashMap::default(),
            left: Arc::new(AtomicU32::new(MOST_MASTERS)),
            depth: DEEPEST,
            counts: ThreadCounts::default(),
        }
    }

    /// Trees of a location whose forks are asked for. The result does not depend on the location that asks.
    fn of_master(&self) -> Self {
        let teams = Teams { forks: Some(Forks::new()), ..Teams::default() };
        let left = match self.depth {
            DEEPEST => Arc::new(AtomicU32::new(MOST_ABOVE)),
            _ => self.left.clone(),
        };
        let depth = self.depth.saturating_sub(1);
        Trees { teams, left, depth, ..Trees::new(self.fork_streams, None, self.programs) }
    }

    /// Returns the forks that were not taken yet.
    pub(crate) fn forks(&mut self) -> &mut Forks {
        self.teams.forks.get_or_insert_with(Forks::new)
    }

    /// A ThreadFork.
    pub(crate) fn fork(&mut self, walk: &Walk) {
        if self.fork_streams.is_none() {
            return;
        }
        self.counts.forks += 1;
        self.teams.unjoined += 1;
        self.forked_without_team();
        self.teams.forked = Some(walk.here());
    }

    /// A ThreadJoin.
    pub(crate) fn join(&mut self) {
        if self.fork_streams.is_none() {
            return;
        }
        self.forked_without_team();
        match self.teams.unjoined.checked_sub(1) {
            Some(left) => self.teams.unjoined = left,
            None => self.counts.joins_without_fork += 1,
        }
    }

    fn forked_without_team(&mut self) {
        self.counts.forks_without_team += u64::from(self.teams.forked.take().is_some());
    }

    /// A ThreadTeamBegin, now.
    pub(crate) fn begin_team(
        &mut self,
        place: Place<'w>,
        walk: &mut Walk,
        tasks: &mut Tasks,
        team: CommRef,
    ) {
        let Some(fork_streams) = self.fork_streams else { return };
        // One that has begun and not ended does not begin in itself.
        if let Some(begun) = self.teams.places.get(&team).copied() {
            self.close_teams(walk, tasks, begun);
            self.counts.teams_without_end += 1;
        }
        let outer = match self.teams.forked.take() {
            Some(path) => {
                if let Some(forks) = &mut self.teams.forks {
                    forks.push_back((team, path));
                }
                None
            }
            None => self.base(fork_streams, place, walk, team).map(|base| {
                tasks.suspend(walk);
                walk.end_of_off();
                let mut outer = walk.exchange(Stack::in_team(base, walk.operating()));
                walk.rest(&mut outer);
                outer
            }),
        };
        self.teams.around.clear();
        self.teams.places.insert(team, self.teams.open.len());
        self.teams.open.push(OpenTeam { team, outer });
    }

    /// The path of the fork to which this begin of a team belongs.
    fn base(
        &mut self,
        fork_streams: &'w TeamForkStreams<'w>,
        place: Place<'w>,
        walk: &mut Walk,
        team: CommRef,
    ) -> Option<PathIndex> {
        self.counts.teams += 1;
        let begun = self.teams.begun.entry(team).or_default();
        let before = *begun;
        *begun += 1;
        let definitions = place.meanings.definitions;
        let find = || fork_streams.of_team(definitions, team);
        let master = self.teams.forking.entry(team).or_insert_with(find);
        let Some(master) = *master else {
            self.counts.undefined_teams += 1;
            return None;
        };
        if !self.readings.contains_key(&master) {
            // A location that forks the team itself reads no other stream for the fork.
            let other = master != place.location;
            let opened = other.then(|| self.open(fork_streams, place, master)).flatten();
            self.readings.insert(master, opened);
        }
        let master = self.readings.get_mut(&master).and_then(Option::as_mut);
        let base = master.and_then(|master| master.fork(team, before, &mut walk.tallies));
        self.counts.teams_without_fork += u64::from(base.is_none());
        base
    }

    fn open(
        &self,
        fork_streams: &'w TeamForkStreams<'w>,
        place: Place<'w>,
        location: LocationRef,
    ) -> Option<Master<'w>> {
        let left = self.left.load(Ordering::Relaxed).checked_sub(1).filter(|_| self.depth > 0)?;
        self.left.store(left, Ordering::Relaxed);
        let read = || self.read(fork_streams, place, location);
        match self.logs.and_then(|logs| logs.get(location, read)) {
            Some(log) => Some(Master::logged(log)),
            None => self.read(fork_streams, place, location).map(Master::read),
        }
    }

    fn read(
        &self,
        fork_streams: &'w TeamForkStreams<'w>,
        place: Place<'w>,
        location: LocationRef,
    ) -> Option<Reading<'w>> {
        let Place { meanings, splitting, .. } = place;
        let (stream, local) = fork_streams.streams.open(location)?;
        let worker = Worker::of(local);
        let trees = self.of_master();
        let scan = Scan::alone(meanings, splitting, worker, location).with_trees(trees);
        Some(Reading::new(stream, Before(scan)))
    }

    /// A ThreadTeamEnd, now.
    pub(crate) fn end_team(&mut self, walk: &mut Walk, tasks: &mut Tasks, team: CommRef) {
        if self.fork_streams.is_none() {
            return;
        }
        match self.teams.places.get(&team).copied() {
            Some(place) => self.close_teams(walk, tasks, place),
            None => self.counts.ends_without_team += 1,
        }
    }

    /// A region is about to be left. If it is open around teams alone, these have no end: visits that are open in them
    /// are dropped, as in any crossed leave.
    pub(crate) fn leave_around(
        &mut self,
        walk: &mut Walk,
        tasks: &mut Tasks,
        time: Ticks,
        region: RegionRef,
    ) {
        // A task that runs has a stack of its own, with no team in it.
        let alone = self.teams.open.is_empty() || tasks.is_running();
        if alone || walk.stack.inside_of(region).is_some() {
            return;
        }
        let Some(place) = self.teams.outside_of(region) else { return };
        walk.go_to(time);
        let open = std::mem::take(&mut walk.oddities.open);
        self.close_teams(walk, tasks, place);
        self.counts.teams_without_end += 1;
        let dropped = std::mem::replace(&mut walk.oddities.open, open);
        walk.oddities.dropped += dropped;
        // Else the leave itself will be found to be crossed.
        let is_innermost = walk.stack.inside_of(region) == Some(0);
        walk.oddities.crossed += u64::from(dropped > 0 && is_innermost);
    }

    /// Ends the team at this place, and those inside of it, which have no end of their own.
    fn close_teams(&mut self, walk: &mut Walk, tasks: &mut Tasks, place: usize) {
        let inside = self.teams.open.len().saturating_sub(place + 1);
        self.counts.teams_without_end += inside as u64;
        self.teams.around.clear();
        while self.teams.open.len() > place {
            let Some(OpenTeam { team, outer }) = self.teams.open.pop() else { break };
            self.teams.places.remove(&team);
            let Some(outer) = outer else { continue };
            tasks.suspend(walk);
            walk.end_of_off();
            walk.end_stack();
            let team = walk.exchange(outer);
            walk.add_inside(&team);
        }
    }

    /// A ProgramBegin: the region that it enters.
    pub(crate) fn begin_program(
        &mut self,
        event: &ProgramBegin<'_>,
        definitions: &Definitions,
    ) -> Option<RegionRef> {
        let programs = self.programs?;
        self.counts.programs += 1;
        self.program = programs.region(event, definitions);
        self.counts.programs_without_region += u64::from(self.program.is_none());
        self.program
    }

    /// A ProgramEnd: the region that it leaves.
    pub(crate) fn end_program(&mut self) -> Option<RegionRef> {
        self.program.take()
    }

    /// A window of time begins, `now`, by when something has been open for `inside` ticks in the team that began last.
    pub(crate) fn begin_window(&mut self, now: u64, mut inside: u64, earlier: &mut EarlierAt) {
        self.counts = ThreadCounts::default();
        for outer in self.teams.open.iter_mut().rev().filter_map(|open| open.outer.as_mut()) {
            carry(outer, now, inside, earlier);
            inside = outer.busy(now, inside);
        }
    }

    /// The window ends, and what is open around teams goes on; as [`Trees::begin_window`].
    pub(crate) fn end_window(
        self,
        now: u64,
        mut inside: u64,
        cut: &mut Cut,
        taken_back: &mut TakenBackAt,
    ) -> ThreadCounts {
        for outer in self.teams.open.iter().rev().filter_map(|open| open.outer.as_ref()) {
            cut.stack(outer, now, inside, taken_back);
            inside = outer.busy(now, inside);
        }
        self.counts
    }

    /// Nothing follows, and no explicit task runs.
    pub(crate) fn end(mut self, walk: &mut Walk, tasks: &mut Tasks) -> ThreadCounts {
        self.counts.teams_without_end += u64::from(!self.teams.open.is_empty());
        walk.end();
        self.close_teams(walk, tasks, 0);
        self.forked_without_team();
        self.counts.forks_without_join += self.teams.unjoined;
        self.counts
    }
}

/// Streams of the locations that fork teams.
pub(crate) struct TeamForkStreams<'a> {
    streams: &'a dyn ForkStreams,
    comm_locations: CommLocations,
}

impl<'a> TeamForkStreams<'a> {
    pub(crate) fn new(streams: &'a dyn ForkStreams, definitions: &Definitions) -> Self {
        TeamForkStreams { streams, comm_locations: definitions.comm_locations() }
    }

    /// The location that forks a team: its first member.
    fn of_team(&self, definitions: &Definitions, team: CommRef) -> Option<LocationRef> {
        let Communicator::Comm(comm) = definitions.comms.get(&team)? else { return None };
        let group = definitions.groups.get(&comm.group)?;
        let first = *group.members.first()?;
        match group.group_type {
            GroupType::Locations | GroupType::CommLocations => Some(LocationRef(first)),
            // Members are places in the list of all locations that the paradigm has.
            GroupType::CommGroup => {
                let all = definitions.location_list(&self.comm_locations, group.paradigm)?;
                all.members.get(usize::try_from(first).ok()?).copied().map(LocationRef)
            }
            _ => None,
        }
    }
}
