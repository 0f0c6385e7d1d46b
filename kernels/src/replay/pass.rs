//! The pass over all points, in the order of time.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::point::{Link, LinkId, Point, What};
use super::{Scenario, SCENARIOS};
use crate::matching::{Items, Source};

/// Dependencies that were given up are known one by one up to so many.
pub const RELEASED: usize = 1 << 20;

/// The clocks of a location or of a message, one for each scenario, in ticks.
type Clocks = [u64; SCENARIOS];

/// A replay: the state between two points.
#[derive(Debug, Serialize, Deserialize)]
pub struct Replay {
    scenarios: Vec<Scenario>,
    /// The first event of the run, in ticks.
    begin: u64,
    locations: HashMap<LocationRef, Timeline, RandomState>,
    links: HashMap<LinkId, Channel, RandomState>,
    /// Locations that wait, by the time since when they do.
    blocked: BTreeSet<(u64, LocationRef)>,
    /// Locations that need not wait any more.
    ready: VecDeque<LocationRef>,
    ended: Clocks,
    /// Dependencies that were given up.
    given_up: u64,
    released: Vec<(LinkId, LocationRef)>,
}

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replayed {
    /// How long each scenario takes, in ticks.
    pub ticks: Vec<u64>,
    /// Dependencies that could not be kept, since locations wait for each other in a circle.
    pub given_up: u64,
    /// The first of these, and the locations that take: at most [`RELEASED`].
    pub released: Vec<(LinkId, LocationRef)>,
}

/// A location alone: its own time on an ideal network.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnTime {
    timeline: Timeline,
    begin: u64,
}

impl OwnTime {
    /// Of a run that begins at a time, in ticks.
    pub(crate) fn new(begin: u64) -> Self {
        OwnTime { timeline: Timeline::default(), begin }
    }

    /// Passes the next point. `given_up`: a replay gave up the dependency that it takes. Returns the time so far, in ticks.
    pub(crate) fn pass(&mut self, mut point: Point, given_up: bool) -> u64 {
        let scenarios = [Scenario::ideal()];
        self.timeline.reach(&mut point, self.begin, &scenarios);
        match point.what {
            What::Step { outside, regions, .. } => {
                self.timeline.step(point.location, outside, &regions, &scenarios);
            }
            What::Takes { waited, in_mpi, .. } if !given_up => {
                self.timeline.wait(point.time, waited, in_mpi);
            }
            What::Takes { .. }
            | What::Gives { .. }
            | What::Posts { .. }
            | What::Completes { .. } => {}
        }
        self.timeline.clocks[0]
    }
}

/// A location.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Timeline {
    clocks: Clocks,
    /// Time of the last point, in ticks. `None`: there was none yet.
    last: Option<u64>,
    /// Recorded waiting that is still to be taken from the time that passes; and that outside of MPI from the time outside.
    waited: [u64; 2],
    /// The point of the last wait, in ticks, and how much of it was taken.
    waiting: (u64, u64),
    /// Ticks of the regions of each scenario so far, to be rounded as one sum.
    regions: Clocks,
    /// Points that come behind a dependency that is not there yet, with that one first.
    queue: VecDeque<Point>,
}

/// The clocks that givers gave.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Channel {
    /// How many have given.
    given: u32,
    /// The latest clocks of these. If the order counts, of the first ones, as far as none is missing: of the first alone,
    /// of the first two, and so on.
    latest: Vec<Clocks>,
    /// Clocks behind one that is missing, if the order counts.
    ahead: BTreeMap<u32, Clocks>,
    /// How many have taken.
    taken: u32,
    /// Locations that wait, by how many have to give first.
    waiting: BTreeMap<u32, Vec<LocationRef>>,
}

impl Replay {
    /// The begin of a replay: the first event of the run is at a time, in ticks.
    ///
    /// # Panics
    ///
    /// With more than [`SCENARIOS`].
    pub fn new(scenarios: &[Scenario], begin: u64) -> Self {
        assert!(scenarios.len() <= SCENARIOS, "a replay has room for {SCENARIOS}");
        let (locations, links, blocked, ready) = Default::default();
        let scenarios = scenarios.to_vec();
        Replay {
            scenarios,
            begin,
            locations,
            links,
            blocked,
            ready,
            ended: [0; SCENARIOS],
            given_up: 0,
            released: Vec::new(),
        }
    }

    /// Goes on with the points of a source, in their order.
    ///
    /// # Errors
    ///
    /// When a block cannot be read.
    pub fn go_on<S: Source>(&mut self, source: S) -> Result<(), S::Error> {
        let mut points = Items::<S, Point>::new(source)?;
        while let Some(key) = points.key() {
            while let Some(point) = points.next_of_all(key)? {
                self.take(point);
            }
        }
        Ok(())
    }

    /// Ends: locations that wait for each other are released, the first one first.
    pub fn end(mut self) -> Replayed {
        while let Some((_, location)) = self.blocked.pop_first() {
            self.given_up += 1;
            let timeline = self.locations.entry(location).or_default();
            let first = timeline.queue.pop_front();
            if let Some(What::Takes { link, .. }) = first.map(|point| point.what) {
                if self.released.len() < RELEASED {
                    self.released.push((link.id, location));
                }
            }
            self.release(location);
            self.release_all();
        }
        let ticks = self.ended[..self.scenarios.len()].to_vec();
        Replayed { ticks, given_up: self.given_up, released: self.released }
    }

    /// Takes a point, unless its location waits.
    fn take(&mut self, point: Point) {
        let timeline = self.locations.entry(point.location).or_default();
        if !timeline.queue.is_empty() {
            timeline.queue.push_back(point);
            return;
        }
        self.pass(point);
        self.release_all();
    }

    /// Passes points of all locations that need not wait any more.
    fn release_all(&mut self) {
        while let Some(location) = self.ready.pop_front() {
            self.release(location);
        }
    }

    /// Passes points of a location that waited, up to the next dependency that is not there yet.
    fn release(&mut self, location: LocationRef) {
        loop {
            let timeline = self.locations.entry(location).or_default();
            let Some(point) = timeline.queue.pop_front() else { return };
            if !self.pass(point) {
                return;
            }
        }
    }

    /// Passes a point. Returns whether it could be: otherwise its location waits now.
    fn pass(&mut self, mut point: Point) -> bool {
        let (scenarios, begin) = (&self.scenarios, self.begin);
        let timeline = self.locations.entry(point.location).or_default();
        timeline.reach(&mut point, begin, scenarios);
        let Point { location, time, what, .. } = point;
        match what {
            What::Step { outside, regions, last } => {
                timeline.step(location, outside, &regions, scenarios);
                if last {
                    let clocks = timeline.clocks;
                    self.ended
                        .iter_mut()
                        .zip(clocks)
                        .for_each(|(end, clock)| *end = clock.max(*end));
                }
                true
            }
            What::Gives { link, place, message, .. } => {
                let mut clocks = timeline.clocks;
                for (clock, scenario) in clocks.iter_mut().zip(scenarios).filter(|_| message) {
                    *clock = clock.saturating_add(scenario.latency);
                }
                self.give(link, place, clocks);
                true
            }
            What::Posts { .. } | What::Completes { .. } => true,
            What::Takes { link, first, waited, in_mpi, on, .. } => {
                let channel = self.links.entry(link.id).or_default();
                let Some(given) = channel.take(link, first) else {
                    channel.waiting.entry(first).or_default().push(location);
                    self.blocked.insert((time, location));
                    timeline.queue.push_front(point);
                    return false;
                };
                if channel.taken >= link.takers && channel.given >= link.givers {
                    self.links.remove(&link.id);
                }
                timeline.wait(time, waited, in_mpi);
                let clocks = timeline.clocks.iter_mut().zip(given).zip(scenarios);
                for ((clock, given), scenario) in clocks {
                    if on.holds(scenario.ideal) {
                        *clock = given.max(*clock);
                    }
                }
                true
            }
        }
    }

    fn give(&mut self, link: Link, place: u32, clocks: Clocks) {
        let channel = self.links.entry(link.id).or_default();
        let there = channel.give(link, place, clocks);
        let later = channel.waiting.split_off(&(there + 1));
        let waiting = std::mem::replace(&mut channel.waiting, later);
        if channel.given >= link.givers && link.takers == 0 {
            self.links.remove(&link.id);
        }
        for location in waiting.into_values().flatten() {
            let first = self.locations.get(&location).and_then(|of| of.queue.front());
            let Some(first) = first.map(|point| (point.time, location)) else { continue };
            if self.blocked.remove(&first) {
                self.ready.push_back(location);
            }
        }
    }
}

/// The latest clocks of two locations.
fn later(mut one: Clocks, other: &Clocks) -> Clocks {
    one.iter_mut().zip(other).for_each(|(one, other)| *one = (*other).max(*one));
    one
}

impl Channel {
    /// Takes in what a location gives. Returns for how many of the first ones all is there.
    fn give(&mut self, link: Link, place: u32, clocks: Clocks) -> u32 {
        self.given += 1;
        if !link.ordered {
            let before = self.latest.pop();
            self.latest.push(before.map_or(clocks, |before| later(before, &clocks)));
            return if self.given >= link.givers { link.givers } else { 0 };
        }
        self.ahead.insert(place, clocks);
        while let Some(next) = self.ahead.remove(&(self.latest.len() as u32)) {
            let before = self.latest.last().copied();
            self.latest.push(before.map_or(next, |before| later(before, &next)));
        }
        self.latest.len() as u32
    }

    /// Takes what the first of those that give have given; `None`: it is not all there.
    fn take(&mut self, link: Link, first: u32) -> Option<Clocks> {
        let given = match link.ordered {
            true => self.latest.get(first.checked_sub(1)? as usize),
            false => self.latest.last().filter(|_| self.given >= link.givers),
        };
        let given = *given?;
        self.taken += 1;
        Some(given)
    }
}

impl Timeline {
    /// Time passes up to a point that is met once or more.
    fn reach(&mut self, point: &mut Point, begin: u64, scenarios: &[Scenario]) {
        if let What::Takes { waited, before: before @ true, .. } = &mut point.what {
            self.waited_before(point.time, begin, *waited);
            // Once, even if it has to wait here.
            (*waited, *before) = (0, false);
        }
        self.go_to(point.time, begin, scenarios);
    }

    /// Time passes up to a point. On the recorded network all of it counts that was no waiting.
    fn go_to(&mut self, time: u64, begin: u64, scenarios: &[Scenario]) {
        let ticks = match self.last {
            Some(last) => time.saturating_sub(last),
            None => time.saturating_sub(begin),
        };
        self.last = Some(self.last.map_or(time, |last| last.max(time)));
        let counts = ticks - self.waited[0].min(ticks);
        self.waited[0] -= ticks - counts;
        for (clock, _) in self.clocks.iter_mut().zip(scenarios).filter(|(_, of)| !of.ideal) {
            *clock = clock.saturating_add(counts);
        }
    }

    /// Time outside of MPI passes. On an ideal network only this counts.
    fn step(
        &mut self,
        location: LocationRef,
        outside: u64,
        regions: &Clocks,
        scenarios: &[Scenario],
    ) {
        let counts = outside - self.waited[1].min(outside);
        self.waited[1] -= outside - counts;
        for (number, scenario) in scenarios.iter().enumerate() {
            let clock = &mut self.clocks[number];
            if scenario.ideal {
                *clock = clock.saturating_add(counts);
            }
            let (before, own) = (self.regions[number], regions[number]);
            if own == 0 {
                continue;
            }
            let factor = scenario.factor(location);
            if factor.0 == factor.1 {
                continue;
            }
            let after = before.saturating_add(own);
            self.regions[number] = after;
            let scaled = scaled(after, factor) - scaled(before, factor);
            *clock = clock.saturating_sub(own).saturating_add(scaled);
        }
    }

    /// Ticks of the time up to a point were waiting outside of MPI: all of it if the location begins there.
    fn waited_before(&mut self, time: u64, begin: u64, waited: u64) {
        match self.last {
            Some(last) => {
                // The rest of an earlier wait is part of that time, too.
                let passed = time.saturating_sub(last);
                let waited = self.waited.map(|before| waited.min(passed.saturating_sub(before)));
                self.waited[0] += waited[0];
                self.waited[1] += waited[1];
            }
            None => self.waited[0] += time.saturating_sub(begin),
        }
    }

    /// Ticks of the recorded time were waiting. Of several waits at one point the longest counts.
    fn wait(&mut self, time: u64, waited: u64, in_mpi: bool) {
        let (at, taken) = self.waiting;
        let taken = if at == time { taken } else { 0 };
        let more = waited.saturating_sub(taken);
        self.waiting = (time, taken.max(waited));
        self.waited[0] += more;
        if !in_mpi {
            self.waited[1] += more;
        }
    }
}

fn scaled(ticks: u64, (numerator, denominator): (u64, u64)) -> u64 {
    let scaled = u128::from(ticks) * u128::from(numerator) / u128::from(denominator);
    u64::try_from(scaled).unwrap_or(u64::MAX)
}
