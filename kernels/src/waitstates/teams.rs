//! The teams of one location, as they go by.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;
use streamfold_model::values::Ticks;

use super::call::Call;
use super::meetings::{Attendance, Deed, Meeting};
use super::open::Barrier;
use crate::matching::{Order, Process};
use crate::profile::{Here, OpenVisit, Scan};

/// A team that a location is in, or was and has not joined.
#[derive(Debug)]
struct Team {
    team: u32,
    /// How often it had begun here before.
    begin: u32,
    barriers: u64,
    /// Where the location forked it.
    fork: Option<Fork>,
    /// When the location joined it.
    join: Option<u64>,
    /// The visit around the region, from the leave of that on, until the location joins it or leaves that visit.
    left: Option<Here>,
    /// How much of the time of that visit it was to join.
    joining: u64,
    /// Before this time the location did not wait for the team.
    created: u64,
    region: Region,
    ended: bool,
    /// Whether threads that take no part could have done so: it is the first thread of its process that
    /// is in it, and not inside of another one.
    leads: bool,
}

/// The parallel region of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    /// None was entered.
    None,
    /// The one whose enter has this number is open.
    Open(u64),
    /// It is over, whether it was left or not.
    Over(Call),
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
    /// The visit around it, and how much of its time it was to fork, in ticks.
    around: OpenVisit,
    forking: u64,
}

impl Fork {
    /// A parallel region is entered.
    fn enter(&mut self, number: u64, profile: &Scan<'_>) {
        let (around, now) = (profile.around(), Ticks(profile.now()));
        let visit = around.visit;
        let forking = match self.from.visit == visit {
            true => profile.own_since(self.from, now),
            // It was entered later, or else this would be the visit.
            false => around.own,
        };
        self.entered = Some(Entered { number, around: visit, forking });
    }
}

/// What of a location's own time was forking or joining.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The visit whose time it is.
    pub visit: OpenVisit,
    /// Ticks.
    pub ticks: u64,
    /// Whether others were idle before and after.
    pub leads: bool,
}

/// The teams of one location.
#[derive(Debug, Default)]
pub struct Teams {
    open: Vec<Team>,
    begun: HashMap<u32, u32, RandomState>,
    forked: Option<Fork>,
    /// When the location was created, as far as that was recorded.
    created: u64,
}

/// So many teams of a location may be open at a time: all of them are looked through.
const MOST_OPEN: usize = 1024;

impl Teams {
    /// Whether one more may begin.
    pub fn has_room(&self) -> bool {
        self.open.len() < MOST_OPEN
    }

    /// The location was created at this time, in ticks.
    pub fn create(&mut self, time: u64) {
        self.created = time;
    }

    /// The location forks a team.
    pub fn fork(&mut self, time: u64, from: Here) {
        self.forked = Some(Fork { time, from, entered: None });
    }

    /// A team begins; `region`: the number of the enter of the innermost parallel region that is open;
    /// `is_master`: the location is the first thread of its process; `here`: where it is.
    pub fn begin(
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
        let (created, ended, join, left) = (self.created, false, None, None);
        let team = Team {
            team,
            begin,
            barriers: 0,
            fork,
            join,
            left,
            joining: 0,
            created,
            region,
            ended,
            leads,
        };
        let moved = team.forking();
        self.open.push(team);
        moved
    }

    /// A parallel region is entered.
    pub fn enter(&mut self, number: u64, profile: &Scan<'_>) -> Option<Moved> {
        if let Some(team) = self.present().filter(|team| team.region == Region::None) {
            team.region = Region::Open(number);
            team.fork.iter_mut().for_each(|fork| fork.enter(number, profile));
            return team.forking();
        }
        let forked = self.forked.iter_mut().filter(|fork| fork.entered.is_none());
        forked.for_each(|fork| fork.enter(number, profile));
        None
    }

    /// A parallel region is over; `here`: where the location is.
    pub fn leave(&mut self, call: Call, here: Here) {
        let of_call = |team: &&mut Team| team.region == Region::Open(call.number);
        if let Some(team) = self.open.iter_mut().rev().find(of_call) {
            team.region = Region::Over(call);
            let joins = call.is_left && team.fork.is_some() && team.join.is_none();
            team.left = joins.then_some(here);
        }
    }

    /// Whether it has to be told where the location is: it forks, or joins.
    pub fn follows(&self) -> bool {
        let forks = |team: &Team| team.region == Region::None && team.fork.is_some();
        self.forked.is_some_and(|fork| fork.entered.is_none())
            || self.open.iter().any(|team| team.left.is_some() || forks(team))
    }

    /// The location has entered or left something.
    pub fn follow(&mut self, profile: &Scan<'_>, moved: &mut Vec<Moved>) {
        let now = Ticks(profile.now());
        self.go_on(|visit| profile.is_open(visit), profile.here(now));
        let is_over = |left: &mut Here| !profile.is_open(left.visit);
        for team in &mut self.open {
            let left = team.left.take_if(is_over);
            moved.extend(left.map(|left| team.joining(left, profile, now)));
        }
    }

    /// Another task goes on: up to here it was to join.
    pub fn interrupt(&mut self, profile: &Scan<'_>, time: Ticks, moved: &mut Vec<Moved>) {
        for team in &mut self.open {
            let left = team.left.take();
            moved.extend(left.map(|left| team.joining(left, profile, time)));
        }
    }

    /// The location is somewhere else: where visits are over in which it forked, it forks from here on.
    pub fn go_on(&mut self, is_open: impl Fn(OpenVisit) -> bool, here: Here) {
        let begun = self.open.iter_mut().filter(|team| team.region == Region::None);
        let forks = begun.filter_map(|team| team.fork.as_mut()).chain(&mut self.forked);
        let forks = forks.filter(|fork| fork.entered.is_none() && !is_open(fork.from.visit));
        forks.for_each(|fork| fork.from = here);
    }

    /// A barrier of the present team is entered.
    pub fn barrier(&mut self) -> Option<Barrier> {
        let team = self.present()?;
        let barrier = Barrier { team: team.team, begin: team.begin, number: team.barriers };
        team.barriers += 1;
        Some(barrier)
    }

    fn present(&mut self) -> Option<&mut Team> {
        self.open.iter_mut().rev().find(|team| !team.ended)
    }

    /// A team ends.
    pub fn end(&mut self, team: u32) {
        let of_team = |open: &&mut Team| open.team == team && !open.ended;
        if let Some(open) = self.open.iter_mut().rev().find(of_team) {
            open.ended = true;
        }
    }

    /// The location joins the last team that it forked.
    pub fn join(&mut self, time: u64, at: Ticks, profile: &Scan<'_>) -> Option<Moved> {
        let joins = |team: &Team| team.fork.is_some() && team.join.is_none();
        let place = self.open.iter().rposition(joins)?;
        self.open[place..].iter_mut().for_each(|team| team.ended = true);
        let team = &mut self.open[place];
        team.join = Some(time);
        let left = team.left.take();
        left.map(|left| team.joining(left, profile, at))
    }

    /// Hands over what it did in teams that are over.
    pub fn settle(&mut self, over: &mut dyn FnMut(Over)) {
        while self.open.last().is_some_and(Team::is_over) {
            let team = self.open.pop().expect("there is a last one");
            team.over(over);
        }
    }

    /// Nothing follows.
    pub fn end_all(&mut self, over: &mut dyn FnMut(Over)) {
        self.open.drain(..).rev().for_each(|team| team.over(over));
    }
}

/// A team is over for a location.
pub struct Over {
    team: u32,
    begin: u32,
    deed: Deed,
    call: Call,
}

impl Over {
    /// What it did there.
    pub fn attendance(&self, process: Process, location: LocationRef) -> (Meeting, Attendance) {
        let order = Order { time: 0, location, number: self.call.number };
        let attendance = Attendance { order, deed: self.deed, call: Some(self.call) };
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
    /// Whether nothing of it follows.
    fn is_over(&self) -> bool {
        let is_joined = self.fork.is_none() || self.join.is_some();
        self.ended && is_joined && !matches!(self.region, Region::Open(_))
    }

    /// What it was to fork it.
    fn forking(&self) -> Option<Moved> {
        let Entered { around: visit, forking: ticks, .. } = self.fork?.entered?;
        Some(Moved { visit, ticks, leads: self.leads })
    }

    /// What it was to join it, since its region was left.
    fn joining(&mut self, left: Here, profile: &Scan<'_>, time: Ticks) -> Moved {
        self.joining = profile.own_since(left, time);
        Moved { visit: left.visit, ticks: self.joining, leads: self.leads }
    }

    fn over(self, over: &mut dyn FnMut(Over)) {
        let Team { team, begin, fork, join, joining, created, region, leads, .. } = self;
        let Region::Over(call) = region else { return };
        // Where the fork was recorded inside of the region it is not on the path around it.
        let forking = |fork: Fork| fork.entered.map_or(0, |entered| entered.forking);
        let from = fork.map_or(created, |fork| call.enter.saturating_sub(forking(fork)));
        let until = fork.map(|_| call.leave.saturating_add(joining));
        let fork = fork.map(|fork| fork.time);
        let deed = Deed::Parallel { fork, from, join, until, leads };
        over(Over { team, begin, deed, call });
    }
}
