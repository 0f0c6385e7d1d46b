//! The visits of regions.

use std::collections::BTreeMap;

use streamfold::model::enums::{Paradigm, RegionRole};
use streamfold::model::events::Event;

use super::{Call, Place};
use crate::waitstates::regions;
use crate::waitstates::trace::Trace;

/// A visit of a region.
#[derive(Clone, Debug)]
pub struct Visit {
    pub name: String,
    pub paradigm: Paradigm,
    pub role: RegionRole,
    /// When, and the number of the event.
    pub enter: (u64, usize),
    /// `None`: it is never left.
    pub leave: Option<(u64, usize)>,
    /// The visit it is in, of the same task.
    pub parent: Option<usize>,
}

impl Visit {
    /// The name as the standard has it.
    pub fn call(&self) -> String {
        self.name.to_lowercase().trim_end_matches('_').to_owned()
    }

    /// Whether the call is one of these.
    pub fn is(&self, calls: &[&str]) -> bool {
        calls.contains(&self.call().as_str())
    }
}

/// Which task runs: `None`, the implicit one.
pub type Task = Option<(u32, u32, u32)>;

/// What happened on a location.
#[derive(Clone, Debug)]
pub struct Location {
    pub id: u64,
    pub visits: Vec<Visit>,
    /// By event: the innermost visit that is open behind it (before it, where it ends one), and the task.
    pub innermost: Vec<Option<usize>>,
    pub tasks: Vec<Task>,
    /// By event: the time of the last visit that was entered or left by then; the latest one, where the clock
    /// went back.
    pub times: Vec<u64>,
    /// The same of the forks and joins of teams: they are not before each other either.
    latest: Vec<u64>,
}

impl Location {
    fn new(trace: &Trace, id: u64) -> Location {
        let (visits, innermost, tasks, times, latest) = Default::default();
        let mut location = Location { id, visits, innermost, tasks, times, latest };
        let mut stacks: BTreeMap<Task, Vec<usize>> = BTreeMap::new();
        let mut task = None;
        let (mut known, mut latest) = (0, 0);
        for (number, (time, event)) in trace.streams[&id].iter().enumerate() {
            let visits = matches!(event, Event::Enter(_) | Event::Leave(_));
            let switches =
                matches!(event, Event::ThreadTaskSwitch(_) | Event::ThreadTaskComplete(_));
            if visits || switches {
                known = known.max(*time);
            }
            location.times.push(known);
            let forks = matches!(event, Event::ThreadFork(_) | Event::ThreadJoin(_));
            latest = if forks { latest.max(known).max(*time) } else { latest };
            location.latest.push(if forks { latest } else { known });
            let time = &known;
            if let Event::ThreadTaskSwitch(it) = event {
                let explicit = (it.thread_team.0, it.creating_thread, it.generation_number);
                task = (it.generation_number != 0).then_some(explicit);
            }
            let stack = stacks.entry(task).or_default();
            let mut innermost = stack.last().copied();
            match event {
                Event::Enter(enter) => {
                    let name = &trace.regions[enter.region.0 as usize];
                    let parent = stack.last().copied();
                    stack.push(location.visits.len());
                    innermost = stack.last().copied();
                    location.enter(name, (*time, number), parent);
                }
                Event::Leave(leave) => {
                    let name = &trace.regions[leave.region.0 as usize];
                    let same = |visit: &usize| location.visits[*visit].name == *name;
                    let place = stack.iter().rposition(same);
                    let place = place.expect("traces of these tests leave what is open");
                    // What is inside is never left.
                    let visit = stack.drain(place..).next().expect("the visit itself");
                    location.visits[visit].leave = Some((*time, number));
                    innermost = Some(visit);
                }
                _ => {}
            }
            location.innermost.push(innermost);
            location.tasks.push(task);
        }
        location
    }

    fn enter(&mut self, name: &str, enter: (u64, usize), parent: Option<usize>) {
        let (paradigm, role) = regions::kind(name).expect("a region");
        let name = name.to_owned();
        self.visits.push(Visit { name, paradigm, role, enter, leave: None, parent });
    }

    /// The innermost visit of a paradigm that is open at an event.
    pub fn around(&self, event: usize, paradigm: Paradigm) -> Option<usize> {
        let mut at = self.innermost[event];
        while let Some(visit) = at {
            if self.visits[visit].paradigm == paradigm {
                return at;
            }
            at = self.visits[visit].parent;
        }
        None
    }

    /// When a team was forked or joined: where the clock went back, when that was done last, or a visit was entered
    /// or left.
    pub fn now(&self, event: usize) -> u64 {
        self.latest[event]
    }

    /// Whether a visit has no end since one around it was left up to an event.
    pub fn is_dropped(&self, visit: usize, until: usize) -> bool {
        let around = |visit: &usize| self.visits[*visit].parent;
        let leaves = std::iter::successors(Some(visit), around).map(|it| self.visits[it].leave);
        let first = leaves.enumerate().find_map(|(out, leave)| leave.map(|(_, at)| (out, at)));
        first.is_some_and(|(out, at)| out > 0 && at <= until)
    }

    /// The innermost visit that is open behind an event.
    pub fn behind(&self, event: usize) -> Option<usize> {
        let innermost = self.innermost[event]?;
        let ended = self.visits[innermost].leave.is_some_and(|leave| leave.1 == event);
        if ended {
            self.visits[innermost].parent
        } else {
            Some(innermost)
        }
    }
}

/// Those of all locations.
#[derive(Clone, Debug)]
pub struct Visits(pub BTreeMap<u64, Location>);

impl Visits {
    pub fn new(trace: &Trace) -> Visits {
        Visits(trace.streams.keys().map(|id| (*id, Location::new(trace, *id))).collect())
    }

    /// The time that closed visits have of their own.
    pub fn own_times(&self, trace: &Trace) -> BTreeMap<Call, u64> {
        let mut times = BTreeMap::new();
        for location in trace.streams.keys() {
            let of = self.of(*location);
            for (at, pair) in of.times.windows(2).enumerate() {
                // What a visit does that is never left is that of those around it.
                let around = |visit: &usize| of.visits[*visit].parent;
                let mut open = std::iter::successors(of.behind(at), around);
                if let Some(visit) = open.find(|visit| of.visits[*visit].leave.is_some()) {
                    *times.entry((*location, visit)).or_default() += pair[1] - pair[0];
                }
            }
        }
        times
    }

    pub fn of(&self, location: u64) -> &Location {
        &self.0[&location]
    }

    /// The MPI call in which an event was recorded.
    pub fn mpi(&self, (location, event): Place) -> Option<Call> {
        Some((location, self.of(location).around(event, Paradigm::Mpi)?))
    }

    pub fn visit(&self, (location, visit): Call) -> &Visit {
        &self.of(location).visits[visit]
    }

    pub fn enter(&self, call: Call) -> u64 {
        self.visit(call).enter.0
    }

    pub fn leave(&self, call: Call) -> Option<u64> {
        Some(self.visit(call).leave?.0)
    }
}
