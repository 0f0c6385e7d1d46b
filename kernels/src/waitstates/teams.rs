//! The teams of one location, as they go by.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;

use super::call::Call;
use super::meetings::{Attendance, Deed, Meeting};
use super::open::Barrier;
use super::path::PathId;
use crate::matching::{Order, Process};
use crate::profile::OpenVisit;

/// A team that a location is in, or was and has not joined.
#[derive(Debug)]
struct Team {
    team: u32,
    /// How often it had begun here before.
    begin: u32,
    barriers: u64,
    /// Where the location forked it.
    fork: Option<Fork>,
    /// Before this time the location did not wait for the team.
    from: u64,
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
pub struct Fork {
    /// When, in ticks.
    pub time: u64,
    /// Where.
    pub path: PathId,
    /// The visit there.
    pub visit: OpenVisit,
    /// How much of its time until then was inside of other visits, in ticks.
    pub inside: u64,
    /// Whether that visit is one of an explicit task.
    pub in_task: bool,
}

impl Fork {
    /// When it would have been, had the location been in no other visit until it began with the team: what it did
    /// there was no forking. `inside`: how much of the time of the innermost visit was inside of others by now.
    fn delayed(&self, (visit, inside): (OpenVisit, u64)) -> u64 {
        let elsewhere = if self.visit == visit { inside.saturating_sub(self.inside) } else { 0 };
        self.time.saturating_add(elsewhere)
    }
}

/// What of a location's own time was forking and joining.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The path on which its time lies.
    pub path: PathId,
    /// The visit of that.
    pub visit: OpenVisit,
    /// Whether it is one of an explicit task.
    pub in_task: bool,
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

impl Teams {
    /// The location was created at this time, in ticks.
    pub fn create(&mut self, time: u64) {
        self.created = time;
    }

    /// The location forks a team.
    pub fn fork(&mut self, fork: Fork) {
        self.forked = Some(fork);
    }

    /// A team begins; `region`: the number of the enter of the innermost parallel region that is open;
    /// `is_master`: the location is the first thread of its process; `visit`: the innermost visit, and how much of its
    /// time was inside of others by now.
    pub fn begin(
        &mut self,
        team: u32,
        region: Option<u64>,
        is_master: bool,
        visit: (OpenVisit, u64),
    ) {
        let begun = self.begun.entry(team).or_default();
        let begin = *begun;
        *begun += 1;
        let taken =
            |number: &u64| self.open.iter().any(|team| team.region == Region::Open(*number));
        let region = region.filter(|number| !taken(number)).map_or(Region::None, Region::Open);
        let leads = is_master && self.open.iter().all(|team| team.ended);
        let fork = self.forked.take();
        let from = fork.map_or(self.created, |fork| fork.delayed(visit));
        let ended = false;
        self.open.push(Team { team, begin, barriers: 0, fork, from, region, ended, leads });
    }

    /// A parallel region is entered.
    pub fn enter(&mut self, number: u64) {
        if let Some(team) = self.present().filter(|team| team.region == Region::None) {
            team.region = Region::Open(number);
        }
    }

    /// A parallel region is over.
    pub fn leave(&mut self, call: Call) {
        let of_call = |team: &&mut Team| team.region == Region::Open(call.number);
        if let Some(team) = self.open.iter_mut().rev().find(of_call) {
            team.region = Region::Over(call);
        }
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

    /// The location joins the last team that it forked; hands over what it did in all teams that are over.
    pub fn join(&mut self, time: u64, over: &mut dyn FnMut(Over)) {
        let Some(place) = self.open.iter().rposition(|team| team.fork.is_some()) else { return };
        for team in self.open.drain(place..).rev() {
            let join = team.fork.is_some().then_some(time);
            team.over(join, over);
        }
    }

    /// Hands over what it did in teams that are over, and were not forked here.
    pub fn settle(&mut self, over: &mut dyn FnMut(Over)) {
        while self.open.last().is_some_and(Team::is_over) {
            let team = self.open.pop().expect("there is a last one");
            team.over(None, over);
        }
    }

    /// Nothing follows.
    pub fn end_all(&mut self, over: &mut dyn FnMut(Over)) {
        self.open.drain(..).rev().for_each(|team| team.over(None, over));
    }
}

/// A team is over for a location.
pub struct Over {
    team: u32,
    begin: u32,
    deed: Deed,
    call: Call,
    /// What of the location's own time it was to fork and join.
    pub moved: Option<Moved>,
}

impl Over {
    /// What it did there.
    pub fn attendance(&self, process: Process, location: LocationRef) -> (Meeting, Attendance) {
        let order = Order { time: 0, location, number: self.call.number };
        let attendance = Attendance { order, deed: self.deed, call: Some(self.call) };
        (Meeting::Team(process, self.team, self.begin), attendance)
    }
}

impl Team {
    /// Whether nothing of it follows, where it was not forked here.
    fn is_over(&self) -> bool {
        self.ended && self.fork.is_none() && !matches!(self.region, Region::Open(_))
    }

    fn over(self, join: Option<u64>, over: &mut dyn FnMut(Over)) {
        let Team { team, begin, fork, from, region, leads, .. } = self;
        let Region::Over(call) = region else { return };
        let deed = Deed::Parallel { fork: fork.map(|fork| fork.time), from, join, leads };
        let mut moved = None;
        if let Some(Fork { path, visit, in_task, .. }) = fork {
            let forking = call.enter.saturating_sub(from);
            let joined = join.zip(call.left());
            let joining = joined.map_or(0, |(join, left)| join.saturating_sub(left));
            // Where the fork was recorded inside of the region neither is on the path around it.
            moved = Some(Moved { path, visit, in_task, ticks: forking + joining, leads });
        }
        over(Over { team, begin, deed, call, moved });
    }
}
