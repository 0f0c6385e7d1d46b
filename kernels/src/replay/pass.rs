//! The pass over all points, in the order of time.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::point::{Link, LinkId, Point, What};
use super::{Scenario, MILLION, SCENARIOS};
use crate::matching::{Items, Source};

/// The clocks of a location or of a message, one for each scenario, in ticks.
type Clocks = Vec<u64>;

/// A replay: the state between two points.
#[derive(Debug, Serialize, Deserialize)]
pub struct Replay {
    scenarios: Vec<Scenario>,
    /// The first event of the run, in ticks.
    begin: u64,
    /// Places of locations among the timelines.
    places: HashMap<LocationRef, usize, RandomState>,
    timelines: Vec<Timeline>,
    links: HashMap<LinkId, Channel, RandomState>,
    /// Locations that wait, by the time since when they do.
    blocked: BTreeSet<(u64, LocationRef)>,
    /// Places of locations that need not wait any more.
    ready: VecDeque<usize>,
    ended: Clocks,
    /// Clocks of dependencies that are over: room for others.
    #[serde(skip)]
    room: Vec<Clocks>,
    /// Dependencies that were given up.
    given_up: u64,
}

/// The result of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replayed {
    /// How long each scenario takes, in ticks.
    pub ticks: Vec<u64>,
    /// Dependencies that could not be kept, since locations wait for each other in a circle.
    pub given_up: u64,
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
    /// Scenarios, and ticks of their regions in the step that comes next.
    next: Vec<(u8, u64)>,
    /// Points that come behind a dependency that is not there yet, with that one first.
    queue: VecDeque<Point>,
}

/// The clocks that givers gave.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Channel {
    /// How many have given.
    given: u32,
    /// If the order counts, how many of the first ones none of which is missing.
    there: u32,
    /// The latest clocks of those that have given. If the order counts, of the first alone, of the first two, and so on.
    latest: Clocks,
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
        let (places, timelines, links, blocked, ready, room) = Default::default();
        let (scenarios, ended) = (scenarios.to_vec(), vec![0; scenarios.len()]);
        Replay {
            scenarios,
            begin,
            places,
            timelines,
            links,
            blocked,
            ready,
            ended,
            room,
            given_up: 0,
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
            let place = self.place(location);
            self.timelines[place].queue.pop_front();
            self.release(place);
            self.release_all();
        }
        Replayed { ticks: self.ended, given_up: self.given_up }
    }

    /// The place of a location.
    fn place(&mut self, location: LocationRef) -> usize {
        let (timelines, scenarios) = (&mut self.timelines, self.scenarios.len());
        *self.places.entry(location).or_insert_with(|| {
            timelines.push(Timeline::new(scenarios));
            timelines.len() - 1
        })
    }

    /// Takes a point, unless its location waits.
    fn take(&mut self, point: Point) {
        let place = self.place(point.location);
        let timeline = &mut self.timelines[place];
        if !timeline.queue.is_empty() {
            timeline.queue.push_back(point);
            return;
        }
        self.pass(place, point);
        self.release_all();
    }

    /// Passes points of all locations that need not wait any more.
    fn release_all(&mut self) {
        while let Some(place) = self.ready.pop_front() {
            self.release(place);
        }
    }

    /// Passes points of a location that waited, up to the next dependency that is not there yet.
    fn release(&mut self, place: usize) {
        while let Some(point) = self.timelines[place].queue.pop_front() {
            if !self.pass(place, point) {
                return;
            }
        }
    }

    /// Passes a point of the location at a place. Returns whether it could be: otherwise the location waits now.
    fn pass(&mut self, at: usize, mut point: Point) -> bool {
        let (scenarios, begin) = (&self.scenarios, self.begin);
        let timeline = &mut self.timelines[at];
        if let What::Takes { waited, before: before @ true, .. } = &mut point.what {
            timeline.waited_before(point.time, begin, *waited);
            // Once, even if it has to wait here.
            (*waited, *before) = (0, false);
        }
        let Point { location, time, what, .. } = point;
        timeline.go_to(time, begin, scenarios);
        match what {
            What::Regions { scenario, ticks, .. } => timeline.next.push((scenario, ticks)),
            What::Step { outside, last } => {
                timeline.step(outside, scenarios);
                if last {
                    let clocks = self.ended.iter_mut().zip(&timeline.clocks);
                    clocks.for_each(|(end, clock)| *end = (*end).max(*clock));
                }
            }
            What::Gives { link, place, message } => {
                let channel = self.links.entry(link.id).or_default();
                let latency = |of: &Scenario| if message { of.latency } else { 0 };
                let given = timeline.clocks.iter().zip(scenarios);
                let given = given.map(|(clock, of)| clock.saturating_add(latency(of)));
                let there = channel.give(link, place, given, || self.room.pop());
                let is_over = channel.given >= link.givers && link.takers == 0;
                if is_over || !channel.waiting.is_empty() {
                    self.release_those_behind(link, there);
                }
            }
            What::Takes { link, first, waited, in_mpi, on, .. } => {
                let channel = self.links.entry(link.id).or_default();
                let Some(given) = channel.take(link, first, scenarios.len()) else {
                    channel.waiting.entry(first).or_default().push(location);
                    self.blocked.insert((time, location));
                    timeline.queue.push_front(point);
                    return false;
                };
                timeline.wait(time, waited, in_mpi);
                let clocks = timeline.clocks.iter_mut().zip(given).zip(scenarios);
                for ((clock, given), scenario) in clocks {
                    if on.holds(scenario.ideal) {
                        *clock = (*given).max(*clock);
                    }
                }
                if channel.taken >= link.takers && channel.given >= link.givers {
                    self.end_link(link);
                }
            }
        }
        true
    }

    /// Of a link so many of the first ones have given: locations that waited for these need not any more.
    fn release_those_behind(&mut self, link: Link, there: u32) {
        let Some(channel) = self.links.get_mut(&link.id) else { return };
        let later = channel.waiting.split_off(&(there + 1));
        let waiting = std::mem::replace(&mut channel.waiting, later);
        if channel.given >= link.givers && link.takers == 0 {
            self.end_link(link);
        }
        for location in waiting.into_values().flatten() {
            let Some(&place) = self.places.get(&location) else { continue };
            let first = self.timelines[place].queue.front();
            let Some(first) = first.map(|point| (point.time, location)) else { continue };
            if self.blocked.remove(&first) {
                self.ready.push_back(place);
            }
        }
    }

    fn end_link(&mut self, link: Link) {
        if let Some(mut channel) = self.links.remove(&link.id) {
            channel.latest.clear();
            self.room.push(channel.latest);
        }
    }
}

impl Channel {
    /// Takes in what a location gives. Returns for how many of the first ones all is there.
    fn give(
        &mut self,
        link: Link,
        place: u32,
        clocks: impl ExactSizeIterator<Item = u64>,
        room: impl FnOnce() -> Option<Clocks>,
    ) -> u32 {
        self.given += 1;
        if self.latest.capacity() == 0 {
            self.latest = room().unwrap_or_default();
        }
        if !link.ordered {
            if self.given == 1 {
                self.latest.extend(clocks);
            } else {
                let latest = self.latest.iter_mut().zip(clocks);
                latest.for_each(|(latest, clock)| *latest = clock.max(*latest));
            }
            return if self.given >= link.givers { link.givers } else { 0 };
        }
        let count = clocks.len();
        self.ahead.insert(place, clocks.collect());
        while let Some(next) = self.ahead.remove(&self.there) {
            let before = self.latest.len().checked_sub(count).filter(|_| self.there > 0);
            for (number, clock) in next.into_iter().enumerate() {
                let before = before.map_or(0, |before| self.latest[before + number]);
                self.latest.push(clock.max(before));
            }
            self.there += 1;
        }
        self.there
    }

    /// Takes what the first of those that give have given, of so many clocks; `None`: it is not all there.
    fn take(&mut self, link: Link, first: u32, clocks: usize) -> Option<&[u64]> {
        let begin = match link.ordered {
            true => {
                let before = first.checked_sub(1)?;
                (before < self.there).then_some(before as usize * clocks)?
            }
            false => (self.given > 0 && self.given >= link.givers).then_some(0)?,
        };
        self.taken += 1;
        self.latest.get(begin..begin + clocks)
    }
}

impl Timeline {
    fn new(scenarios: usize) -> Self {
        let (clocks, regions) = (vec![0; scenarios], vec![0; scenarios]);
        Timeline { clocks, regions, ..Timeline::default() }
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
    fn step(&mut self, outside: u64, scenarios: &[Scenario]) {
        let counts = outside - self.waited[1].min(outside);
        self.waited[1] -= outside - counts;
        for (clock, _) in self.clocks.iter_mut().zip(scenarios).filter(|(_, of)| of.ideal) {
            *clock = clock.saturating_add(counts);
        }
        for (number, own) in self.next.drain(..) {
            let number = usize::from(number);
            let Some(scenario) = scenarios.get(number).filter(|of| of.millionths != MILLION) else {
                continue;
            };
            let before = self.regions[number];
            let after = before.saturating_add(own);
            self.regions[number] = after;
            let scaled = scaled(after, scenario.millionths) - scaled(before, scenario.millionths);
            let clock = &mut self.clocks[number];
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

fn scaled(ticks: u64, millionths: u64) -> u64 {
    let scaled = u128::from(ticks) * u128::from(millionths) / u128::from(MILLION);
    u64::try_from(scaled).unwrap_or(u64::MAX)
}
