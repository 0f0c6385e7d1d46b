//! The teams of one location, as they go by.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;
use streamfold_model::values::Ticks;

use super::call::Call;
use super::meetings::{Attendance, Meeting, MeetingEvent};
use super::open::Barrier;
use crate::matching::{Order, Process};
use crate::profile::{Here, OpenVisit, Owner, Part, Scan};

/// A team that a location is in, or was and has not joined.
#[derive(Debug)]
struct Team {
    team: u32,
    /// How often it had begun here before.
    begin: u32,
    barriers: u64,
    /// Set if any of them was an implicit one.
    meets: bool,
    /// The fork, if the location forked it.
    fork: Option<Fork>,
    /// When the location joined it.
    join: Option<u64>,
    /// The visit around the region, from the leave of that on, until the location joins it, leaves that visit, or
    /// does something else.
    left: Option<Here>,
    /// How much of the time of that visit it was to join, in ticks, if it is joined.
    joining: u64,
    /// Number and visit of joining time that was set aside before the join.
    unjoined: Option<(u64, OpenVisit)>,
    /// Before this time the location did not wait for the team.
    created: u64,
    region: Region,
    ended: bool,
    /// Set if threads that take no part count as idle. The location leads as the first thread of its process, and the
    /// team is not nested.
    leads: bool,
}

/// The parallel region of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    /// None was entered.
    None,
    /// The one whose enter has this number is open.
    Open(u64),
    /// It is over, whether it was left or not; and the number of the event with which it was.
    Over(Call, u64),
}

/// A team is forked.
#[derive(Clone, Copy, Debug)]
struct Fork {
    /// When, in ticks.
    time: u64,
    /// From where on it is the time of its visit: where it was forked, or where the location was when that ended.
    from: Here,
    entered: Option<Entered>,
}

/// The region of a team is entered.
#[derive(Clone, Copy, Debug)]
struct Entered {
    /// The number of its enter.
    number: u64,
    /// How much of the time of the visit around it was to fork.
    forking: Part,
}

impl Fork {
    /// A parallel region is entered.
    fn enter(&mut self, number: u64, profile: &Scan<'_>) {
        let visit = profile.around().visit;
        // If it is another one it was entered later.
        let from = if self.from.visit == visit { self.from } else { Here { visit, own: 0 } };
        let forking = profile.own_since(from, Ticks(profile.now()));
        self.entered = Some(Entered { number, forking });
    }
}

/// Part of a location's own time that was forking or joining.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moved {
    /// It counts; `leads`: others were idle before and after.
    For { part: Part, leads: bool },
    /// It counts if the team is joined; `number`: its identifier.
    IfJoined { part: Part, number: u64 },
    /// The team is joined.
    Joined { of: (u64, OpenVisit), leads: bool },
}

impl Moved {
    /// Carries it out.
    pub(super) fn charge(self, profile: &mut Scan<'_>) {
        match self {
            Moved::For { part, leads } if part.ticks > 0 => {
                profile.set_aside(part, Owner::Kind(leads));
            }
            Moved::For { .. } => {}
            Moved::IfJoined { part, number } => profile.set_aside(part, Owner::Open(number)),
            Moved::Joined { of, leads } => profile.tell_aside(of, leads),
        }
    }
}

/// The teams of one location.
#[derive(Debug, Default)]
pub(super) struct Teams {
    open: Vec<Team>,
    begun: HashMap<u32, u32, RandomState>,
    /// Collective operations of teams, of which no begin is recorded.
    operations: HashMap<u32, u64, RandomState>,
    forked: Option<Fork>,
    /// When the location was created, as far as that was recorded.
    created: u64,
    /// When it forked or joined last, in ticks.
    latest: u64,
    /// Number of joining times that were set aside before the join.
    unjoined: u64,
}

/// Number of teams of a location that may be open at a time: all of them are looked through.
const MOST_OPEN: usize = 1024;

impl Teams {
    /// Returns whether one more may begin.
    pub(super) fn has_room(&self) -> bool {
        self.open.len() < MOST_OPEN
    }

    /// The location forks or joins at a time, in ticks; where the clock went back, when it did so last.
    pub(super) fn pass(&mut self, time: u64) -> u64 {
        self.latest = self.latest.max(time);
        self.latest
    }

    /// The location was created at this time, in ticks.
    pub(super) fn create(&mut self, time: u64) {
        self.created = time;
    }

    /// The location forks a team: it joins no other one meanwhile.
    pub(super) fn fork(
        &mut self,
        time: u64,
        from: Here,
        profile: &Scan<'_>,
        moved: &mut Vec<Moved>,
    ) {
        self.interrupt(profile, Ticks(time), moved);
        self.forked = Some(Fork { time, from, entered: None });
    }

    /// A team begins; `region`: the number of the enter of the innermost parallel region that is open;
    /// `is_master`: the location is the first thread of its process; `here`: where it is.
    pub(super) fn begin(
        &mut self,
        team: u32,
        region: Option<u64>,
        is_master: bool,
        here: Here,
    ) -> Option<Moved> {
        let begun = self.begun.entry(team).or_default();
        let begin = *begun;
        *begun += 1;
        let taken =
            |number: &u64| self.open.iter().any(|team| team.region == Region::Open(*number));
        let region = region.filter(|number| !taken(number));
        let leads = is_master && self.open.iter().all(|team| team.ended);
        let mut fork = self.forked.take();
        if let Some(fork) = fork.as_mut().filter(|fork| fork.number() != region) {
            (fork.from, fork.entered) = (here, None);
        }
        let region = region.map_or(Region::None, Region::Open);
        let (created, ended) = (self.created, false);
        let (join, left, unjoined) = Default::default();
        let team = Team {
            team,
            begin,
            barriers: 0,
            meets: false,
            fork,
            join,
            left,
            joining: 0,
            unjoined,
            created,
            region,
            ended,
            leads,
        };
        let moved = team.forking();
        self.open.push(team);
        moved
    }

    /// A parallel region is entered: no other team is joined meanwhile.
    pub(super) fn enter(&mut self, number: u64, profile: &Scan<'_>, moved: &mut Vec<Moved>) {
        self.interrupt(profile, Ticks(profile.now()), moved);
        if let Some(team) = self.present().filter(|team| team.region == Region::None) {
            team.region = Region::Open(number);
            team.fork.iter_mut().for_each(|fork| fork.enter(number, profile));
            moved.extend(team.forking());
        } else if let Some(fork) = self.forked.as_mut().filter(|fork| fork.entered.is_none()) {
            fork.enter(number, profile);
        }
        // No other team was forked meanwhile.
        self.forking().for_each(|fork| fork.from = profile.around());
    }

    /// The forks of which the regions are not entered.
    fn forking(&mut self) -> impl Iterator<Item = &mut Fork> {
        let begun = self.open.iter_mut().filter(|team| team.region == Region::None);
        let forks = begun.filter_map(|team| team.fork.as_mut()).chain(&mut self.forked);
        forks.filter(|fork| fork.entered.is_none())
    }

    /// Returns whether it forks: a fork exists whose region is not entered.
    fn forks(&self) -> bool {
        let begun = self.open.iter().filter(|team| team.region == Region::None);
        let mut forks = begun.filter_map(|team| team.fork.as_ref()).chain(&self.forked);
        forks.any(|fork| fork.entered.is_none())
    }

    /// A parallel region is over, with an event of this number; `here`: where the location is. While it forks it does not join.
    pub(super) fn leave(&mut self, call: Call, number: u64, here: Here) {
        let forks = self.forks();
        let of_call = |team: &&mut Team| team.region == Region::Open(call.number);
        if let Some(team) = self.open.iter_mut().rev().find(of_call) {
            team.region = Region::Over(call, number);
            let joins = call.is_left && !forks && team.fork.is_some() && team.join.is_none();
            team.left = joins.then_some(here);
        }
    }

    /// Returns whether it needs the location's position: it forks, or joins.
    pub(super) fn follows(&self) -> bool {
        self.forks() || self.open.iter().any(|team| team.left.is_some())
    }

    /// The location has entered or left something.
    pub(super) fn follow(&mut self, profile: &Scan<'_>, moved: &mut Vec<Moved>) {
        let now = Ticks(profile.now());
        self.go_on(|visit| profile.is_open(visit), profile.here(now));
        self.stop(|left| !profile.is_open(left.visit), profile, now, moved);
    }

    /// Something else goes on: up to here it was to join.
    pub(super) fn interrupt(&mut self, profile: &Scan<'_>, time: Ticks, moved: &mut Vec<Moved>) {
        self.stop(|_| true, profile, time, moved);
    }

    fn stop(
        &mut self,
        stops: impl Fn(&Here) -> bool,
        profile: &Scan<'_>,
        time: Ticks,
        moved: &mut Vec<Moved>,
    ) {
        for team in &mut self.open {
            let Some(left) = team.left.take_if(|left| stops(left)) else { continue };
            let (part, number) = (profile.own_since(left, time), self.unjoined);
            if part.ticks > 0 {
                self.unjoined += 1;
                (team.joining, team.unjoined) = (part.ticks, Some((number, part.visit)));
                moved.push(Moved::IfJoined { part, number });
            }
        }
    }

    /// Starts to count joining time here, for teams that have ended.
    pub(super) fn join_from(&mut self, here: Here) {
        let joins = |team: &&mut Team| team.ended && team.fork.is_some() && team.join.is_none();
        let of_teams = self.open.iter_mut().filter(joins);
        of_teams.for_each(|team| team.left = team.left.or(Some(here)));
    }

    /// Stops counting at this time. Returns the forking time up to there: a region is entered later.
    pub(super) fn fork_up_to(
        &self,
        time: Ticks,
        is_master: bool,
        profile: &Scan<'_>,
    ) -> Option<Moved> {
        let is_pending = |fork: &&Fork| fork.entered.is_none();
        let begun = self.open.iter().rev().find_map(|team| {
            let fork = team.fork.as_ref().filter(|_| team.region == Region::None);
            Some((fork.filter(is_pending)?, team.leads))
        });
        let forked = || {
            let leads = is_master && self.open.iter().all(|team| team.ended);
            Some((self.forked.as_ref().filter(is_pending)?, leads))
        };
        let (fork, leads) = begun.or_else(forked)?;
        Some(Moved::For { part: profile.own_since(fork.from, time), leads })
    }

    /// When it forked the last team of which the region is not entered, in ticks.
    pub(super) fn forked_last(&mut self) -> Option<u64> {
        self.forking().map(|fork| fork.time).max()
    }

    /// The location is somewhere else: where visits are over in which it forked, it forks from here on.
    pub(super) fn go_on(&mut self, is_open: impl Fn(OpenVisit) -> bool, here: Here) {
        let is_over = |fork: &&mut Fork| !is_open(fork.from.visit);
        self.forking().filter(is_over).for_each(|fork| fork.from = here);
    }

    /// A barrier of the present team is entered; `implicit`: it belongs to the end of a region.
    pub(super) fn barrier(&mut self, implicit: bool) -> Option<Barrier> {
        let team = self.present()?;
        team.meets |= implicit;
        let barrier = Barrier { team: team.team, begin: team.begin, number: team.barriers };
        team.barriers += 1;
        Some(barrier)
    }

    /// A barrier of a team is recorded as a collective operation.
    pub(super) fn operation(&mut self, team: u32) -> Barrier {
        let next = self.operations.entry(team).or_default();
        let number = *next;
        *next += 1;
        Barrier { team, begin: 0, number }
    }

    fn present(&mut self) -> Option<&mut Team> {
        self.open.iter_mut().rev().find(|team| !team.ended)
    }

    /// A team ends.
    pub(super) fn end(&mut self, team: u32) {
        let of_team = |open: &&mut Team| open.team == team && !open.ended;
        if let Some(open) = self.open.iter_mut().rev().find(of_team) {
            open.ended = true;
        }
    }

    /// The location joins the last team that it forked.
    pub(super) fn join(&mut self, time: u64, profile: &Scan<'_>) -> Option<Moved> {
        let joins = |team: &Team| team.fork.is_some() && team.join.is_none();
        let place = self.open.iter().rposition(joins)?;
        self.open[place..].iter_mut().for_each(|team| team.ended = true);
        let team = &mut self.open[place];
        team.join = Some(time);
        let leads = team.leads;
        if let Some(left) = team.left.take() {
            let part = profile.own_since(left, Ticks(time));
            team.joining = part.ticks;
            return Some(Moved::For { part, leads });
        }
        team.unjoined.take().map(|of| Moved::Joined { of, leads })
    }

    /// Hands over what it did in teams that are over.
    pub(super) fn settle(&mut self, over: &mut dyn FnMut(Over)) {
        while self.open.last().is_some_and(Team::is_over) {
            let team = self.open.pop().expect("there is a last one");
            team.over(over);
        }
    }

    /// Nothing follows.
    pub(super) fn end_all(&mut self, over: &mut dyn FnMut(Over)) {
        self.open.drain(..).rev().for_each(|team| team.over(over));
    }
}

/// A team is over for a location.
pub(super) struct Over {
    team: u32,
    begin: u32,
    action: MeetingEvent,
    call: Call,
}

impl Over {
    /// Returns its meeting, and the attendance of the location.
    pub(super) fn attendance(
        &self,
        process: Process,
        location: LocationRef,
    ) -> (Meeting, Attendance) {
        let order = Order { time: 0, location, number: self.call.number };
        let attendance = Attendance { order, action: self.action, call: Some(self.call) };
        (Meeting::Team(process, self.team, self.begin), attendance)
    }
}

impl Fork {
    /// The region that was entered.
    fn number(&self) -> Option<u64> {
        self.entered.map(|entered| entered.number)
    }
}

impl Team {
    /// Returns whether it is complete.
    fn is_over(&self) -> bool {
        let is_joined = self.fork.is_none() || self.join.is_some();
        self.ended && is_joined && !matches!(self.region, Region::Open(_))
    }

    /// Returns the time of forking it.
    fn forking(&self) -> Option<Moved> {
        let Entered { forking: part, .. } = self.fork?.entered?;
        Some(Moved::For { part, leads: self.leads })
    }

    fn over(self, over: &mut dyn FnMut(Over)) {
        let Team { team, begin, fork, join, joining, created, region, leads, meets, .. } = self;
        let Region::Over(call, left) = region else { return };
        // A fork inside of the region is not on the path around it.
        let forking = |fork: Fork| fork.entered.map_or(0, |entered| entered.forking.ticks);
        let from = fork.map_or(created, |fork| call.enter.saturating_sub(forking(fork)));
        let joining = if join.is_some() { joining } else { 0 };
        let until = fork.map(|_| call.leave.saturating_add(joining));
        let fork = fork.map(|fork| fork.time);
        let action = MeetingEvent::Parallel { fork, from, join, until, leads, meets, left };
        over(Over { team, begin, action, call });
    }
}
