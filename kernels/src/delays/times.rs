//! Own times in intervals: one more pass over the events.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::calls::Calls;
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use super::in_teams::{InTeams, Parallel};
use super::intervals::{Interval, Part};
use super::own_times::OwnTimes;
use super::spread::{TellWhat, Told};
use crate::account::TeamState;
use crate::adapt::LocalReferences;
use crate::matching::{Item, Items, Lanes, Outgoing, Sink, Source};
use crate::profile::{Before, PathIndex, ProfileKernel, Worker};
use crate::stretches::Stretches;
use crate::waitstates::edges::RunParts;
use crate::waitstates::{OnPathPlace, PathIds};
use crate::Kernel;

/// The intervals of the locations of a rank, in few bytes.
#[derive(Debug, Default)]
pub struct Intervals {
    of: HashMap<LocationRef, Vec<u8>, RandomState>,
}

impl Intervals {
    /// Takes all of a source.
    ///
    /// # Errors
    ///
    /// When a block cannot be read.
    pub fn new<S: Source>(source: S) -> Result<Self, S::Error> {
        let mut items = Items::<S, Interval>::new(source)?;
        let mut of: HashMap<LocationRef, Vec<u8>, RandomState> = HashMap::default();
        while let Some(key) = items.key() {
            let mut before: Option<Interval> = None;
            while let Some(interval) = items.next_of_all(key)? {
                let bytes = of.entry(interval.location).or_default();
                interval.put(before.as_ref(), bytes);
                before = Some(interval);
            }
        }
        of.values_mut().for_each(Vec::shrink_to_fit);
        Ok(Intervals { of })
    }

    /// Those of a location.
    fn of(&self, location: LocationRef) -> Vec<Interval> {
        let mut bytes = self.of.get(&location).map_or(&[][..], Vec::as_slice);
        let mut all: Vec<Interval> = Vec::new();
        while let Some(next) = Interval::take(all.last(), location, &mut bytes) {
            all.push(next);
        }
        all
    }
}

/// Sums own time by call path in the intervals of locations.
pub struct DelayKernel<'p, 'k> {
    profile: ProfileKernel<'p>,
    parallel: Parallel,
    intervals: &'k Intervals,
    parts: &'k RunParts,
    sink: &'k dyn Sink,
}

impl<'p, 'k> DelayKernel<'p, 'k> {
    /// Given a profile, which says what call paths are, the definitions of its regions, and intervals. Their times go to
    /// a sink, by parts of the run.
    pub fn new(
        (profile, definitions): (ProfileKernel<'p>, &Definitions),
        intervals: &'k Intervals,
        (parts, sink): (&'k RunParts, &'k dyn Sink),
    ) -> Self {
        DelayKernel { profile, parallel: Parallel::new(definitions), intervals, parts, sink }
    }
}

/// The state of a worker.
pub struct DelayWorker<'k> {
    profile: Worker,
    ids: PathIds,
    in_teams: InTeams,
    times: OwnTimes,
    told: Lanes<Told>,
    outgoing: Outgoing<'k>,
}

/// Something that happens at a time. Of those at one time, the first kind comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    /// Waits begin, or end.
    Waits(bool),
    /// The begin of an interval, by its place.
    Begin(u32),
    /// Its end.
    End(u32),
}

/// Receives the events of a location.
pub struct DelayScan<'w, 'k> {
    way: Before<'w>,
    parts: &'k RunParts,
    parallel: &'w Parallel,
    ids: &'w mut PathIds,
    in_teams: &'w mut InTeams,
    times: &'w mut OwnTimes,
    told: &'w mut Lanes<Told>,
    outgoing: &'w mut Outgoing<'k>,
    intervals: Vec<Interval>,
    /// Marks of those that have begun.
    begun: Vec<u64>,
    /// The ends of the waits that have a cause, in order, each with the ticks of all up to it.
    waits: Vec<(u64, u64)>,
    marks: Vec<(u64, Mark)>,
    /// The next of them.
    place: usize,
    is_waiting: bool,
    teams: TeamState,
    /// Set up to the first event.
    is_before: bool,
    /// Set for a location that begins in a team. Outside of all regions others fork teams for it.
    is_worker: bool,
    /// Set behind the last event.
    is_over: bool,
    now: u64,
}

/// The marks of intervals, in order.
fn marks(intervals: &[Interval]) -> Vec<(u64, Mark)> {
    let mut marks = Vec::with_capacity(2 * intervals.len());
    let mut waits = Vec::new();
    for (place, interval) in (0..).zip(intervals) {
        let Interval { begin, end, part, .. } = *interval;
        match part {
            Part::Waits(until) => waits.push((end, until)),
            Part::Delays(_) => {}
        }
        if begin < end {
            marks.push((begin, Mark::Begin(place)));
            marks.push((end, Mark::End(place)));
        }
    }
    waits.sort_unstable();
    let mut last: Option<(u64, u64)> = None;
    let mut push = |(begin, end): (u64, u64)| {
        marks.extend([(begin, Mark::Waits(true)), (end, Mark::Waits(false))]);
    };
    for (begin, end) in waits {
        match &mut last {
            Some(last) if begin <= last.1 => last.1 = last.1.max(end),
            _ => last.replace((begin, end)).into_iter().for_each(&mut push),
        }
    }
    last.into_iter().for_each(push);
    marks.sort_unstable();
    marks
}

/// The ends of waits, each with the ticks of all up to it.
fn waits(intervals: &[Interval]) -> Vec<(u64, u64)> {
    let waits = intervals.iter().filter_map(|interval| match interval.part {
        Part::Waits(until) => Some((until, until - interval.end)),
        _ => None,
    });
    let mut waits: Vec<(u64, u64)> = waits.collect();
    waits.sort_unstable();
    let mut sum = 0;
    for (_, ticks) in &mut waits {
        sum += *ticks;
        *ticks = sum;
    }
    waits
}

impl DelayScan<'_, '_> {
    /// The ticks of waits that end between two times.
    fn inside(&self, begin: u64, end: u64) -> u64 {
        let up_to = |is: &dyn Fn(u64) -> bool| {
            let place = self.waits.partition_point(|(until, _)| is(*until));
            place.checked_sub(1).map_or(0, |place| self.waits[place].1)
        };
        up_to(&|until| until < end).saturating_sub(up_to(&|until| until <= begin))
    }

    fn tell(&mut self, (location, number): (LocationRef, u64), end: u64, what: TellWhat) {
        let told = Told { location, end, number, what };
        self.told.push(self.parts.latest_first(end), told, self.outgoing);
    }

    /// An interval ends.
    fn end(&mut self, place: usize) {
        let interval = self.intervals[place];
        let (waiter, end) = match interval.part {
            Part::Waits(until) => (interval.location, until),
            Part::Delays(waiter) => (waiter, interval.end),
        };
        let of = (waiter, interval.number);
        if waiter != interval.location {
            let inside = self.inside(interval.begin, interval.end);
            if inside > 0 {
                self.tell(of, end, TellWhat::Inside(inside));
            }
        }
        let DelayScan { way, parts, ids, in_teams, parallel, times, told, outgoing, .. } = self;
        let key = parts.latest_first(end);
        times.end(self.begun[place], |number, ticks| {
            let (path, forking) = (PathIndex(number >> 1), number & 1 == 1);
            let place = OnPathPlace { path: ids.of(path, way.tree()), forking };
            let same = match interval.in_process {
                true => in_teams.of((path, forking), place, way.tree(), parallel),
                false => place,
            };
            let what = match waiter == interval.location {
                true => TellWhat::Waiting(same, ticks),
                false => TellWhat::Delaying { place, same, ticks },
            };
            let (location, number) = of;
            told.push(key, Told { location, end, number, what }, outgoing);
        });
    }

    /// Time that counts goes on.
    fn go_on(&mut self, time: u64) {
        let from = std::mem::replace(&mut self.now, time);
        if !self.is_over && !self.is_waiting && time > from && self.times.is_open() {
            let here = self.way.path();
            let PathIndex(path) = here;
            let is_new = self.is_worker && here == PathIndex::ROOT;
            let forking = is_new || self.teams.is_forking();
            self.times.grow(path << 1 | u32::from(forking), time - from);
        }
    }

    fn reach(&mut self, mark: Mark) {
        match mark {
            Mark::Waits(begin) => self.is_waiting = begin,
            Mark::Begin(place) => self.begun[place as usize] = self.times.begin(),
            Mark::End(place) => self.end(place as usize),
        }
    }
}

impl<'w> Stretches<'w> for DelayScan<'w, '_> {
    fn way(&mut self) -> &mut Before<'w> {
        &mut self.way
    }

    fn now(&mut self) -> &mut u64 {
        &mut self.now
    }

    fn next(&self) -> u64 {
        match self.times.is_open() {
            true => self.now,
            false => self.marks.get(self.place).map_or(u64::MAX, |(time, _)| *time),
        }
    }

    fn pass(&mut self, time: u64) {
        while let Some((at, mark)) = self.marks.get(self.place).copied().filter(|of| of.0 <= time) {
            self.go_on(at.max(self.now));
            self.reach(mark);
            self.place += 1;
        }
        self.go_on(time.max(self.now));
    }
}

impl EventVisitor for DelayScan<'_, '_> {
    const WANTS: EventSet = <Before<'_> as EventVisitor>::WANTS.and(EventSet::TEAMS);

    fn calls<C: Calls>(&mut self, calls: &mut C) {
        self.is_before = false;
        self.take_calls(calls);
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if std::mem::take(&mut self.is_before) {
            let mut first = TeamState::default();
            self.is_worker = first.take(&event) && first.is_inside();
        }
        self.pass(head.time.0);
        self.teams.take(&event);
        event.hand_to(head, &mut self.way);
    }
}

impl<'k> Kernel for DelayKernel<'_, 'k> {
    type Worker = DelayWorker<'k>;
    type Scan<'w>
        = DelayScan<'w, 'k>
    where
        Self: 'w;
    type Partial = ();

    fn worker(&self) -> Self::Worker {
        let (ids, in_teams, times, told) = Default::default();
        let outgoing = Outgoing::new(self.sink);
        DelayWorker { profile: self.profile.worker(), ids, in_teams, times, told, outgoing }
    }

    fn meet(&self, worker: &mut Self::Worker, local: LocalReferences) {
        self.profile.meet(&mut worker.profile, local);
    }

    fn scan<'w>(&'w self, worker: &'w mut Self::Worker, location: LocationRef) -> Self::Scan<'w> {
        let DelayWorker { profile, ids, in_teams, times, told, outgoing } = worker;
        times.clear();
        let intervals = self.intervals.of(location);
        DelayScan {
            way: self.profile.way(profile, location),
            parts: self.parts,
            parallel: &self.parallel,
            ids,
            in_teams,
            times,
            told,
            outgoing,
            begun: vec![0; intervals.len()],
            waits: waits(&intervals),
            marks: marks(&intervals),
            intervals,
            place: 0,
            is_waiting: false,
            teams: TeamState::default(),
            is_before: true,
            is_worker: false,
            is_over: false,
            now: 0,
        }
    }

    fn end<'w>(&'w self, mut scan: Self::Scan<'w>, summary: &StreamSummary) {
        scan.pass(summary.last.map_or(0, |last| last.0));
        // Behind the last event there is no own time.
        scan.is_over = true;
        scan.pass(u64::MAX);
        self.profile.end_way(scan.way, summary);
    }

    fn partial(&self, worker: Self::Worker) {
        let DelayWorker { mut told, mut outgoing, .. } = worker;
        told.empty(&mut outgoing);
        outgoing.hand_over();
    }

    fn fold(&self, (): (), (): ()) {}
}
