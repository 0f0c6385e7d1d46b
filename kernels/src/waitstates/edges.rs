//! Edges of the graph of a run: what a location waited for, and when that happened.
//!
//! An edge leads from the end of a wait to the location that ended it. A worker of a team has an edge to the location
//! that forked the team, a created thread to its creator, and a stream that was idle to the launch of what ran next. Edges
//! are keyed by parts of the run, and come the latest first.

use streamfold_model::ids::LocationRef;

use super::charges::Wait;
use super::culprit::Culprit;
use super::metric::Metric;
use crate::delays::Syncs;
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Key, Lanes, Order, Outgoing, Sink};

/// Parts of the run that edges are kept by.
const PARTS: usize = 256;

/// The kind of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// The end of a wait.
    Wait(Metric),
    /// The fork of a team.
    Fork,
    /// The creation of a thread.
    Create,
    /// The end of the last other thread of a team.
    Join,
    /// The launch of an activity on a stream that was idle.
    Launch,
    /// The end of an activity that a host waited for.
    Device,
}

impl EdgeKind {
    /// Those that are no waits, with their numbers, and names for scripts and for people.
    const OTHERS: [(EdgeKind, u8, &'static str, &'static str); 5] = [
        (EdgeKind::Fork, 255, "fork", "Fork of a team"),
        (EdgeKind::Create, 254, "create", "Creation of a thread"),
        (EdgeKind::Join, 253, "join", "Join of a team"),
        (EdgeKind::Launch, 252, "launch", "Launch on a stream"),
        (EdgeKind::Device, 251, "device_wait", "Wait for a device"),
    ];

    fn known(self) -> Option<(u8, &'static str, &'static str)> {
        let found = Self::OTHERS.into_iter().find(|(kind, ..)| *kind == self);
        found.map(|(_, number, id, title)| (number, id, title))
    }

    /// Its number, to be written.
    pub fn number(self) -> u8 {
        match self {
            EdgeKind::Wait(metric) => metric.number(),
            other => other.known().map_or(u8::MAX, |(number, ..)| number),
        }
    }

    /// The kind of a number.
    pub fn of_number(number: u64) -> Option<Self> {
        let other = Self::OTHERS.into_iter().find(|(_, known, ..)| u64::from(*known) == number);
        match other {
            Some((kind, ..)) => Some(kind),
            None => Metric::of_number(number).map(EdgeKind::Wait),
        }
    }

    /// Its name for scripts.
    pub fn id(self) -> &'static str {
        match self {
            EdgeKind::Wait(metric) => metric.id(),
            other => other.known().map_or("", |(_, id, _)| id),
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            EdgeKind::Wait(metric) => metric.title(),
            other => other.known().map_or("", |(.., title)| title),
        }
    }
}

/// An edge of the graph of a run. Times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The location that waited.
    pub location: LocationRef,
    /// Begin of the wait.
    pub begin: u64,
    /// When the cause happened, which ended the wait.
    pub end: u64,
    /// The kind.
    pub kind: EdgeKind,
    /// The location of the cause.
    pub cause: LocationRef,
}

impl Item for Edge {
    /// The latest first. Of those that end at one time at one location, that of the first kind comes first.
    fn order(&self) -> Order {
        let LocationRef(cause) = self.cause;
        let number = u64::from(self.kind.number()) << 56 | cause & (u64::MAX >> 8);
        Order { time: u64::MAX - self.end, location: self.location, number }
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        put_change(self.end, before.map_or(0, |before| before.end), bytes);
        put_change(self.begin, self.end, bytes);
        bytes.push(self.kind.number());
        put(self.cause.0, bytes);
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let end = take_change(before.map_or(0, |before| before.end), bytes)?;
        let begin = take_change(end, bytes)?;
        let (kind, rest) = bytes.split_first()?;
        *bytes = rest;
        let kind = EdgeKind::of_number((*kind).into())?;
        Some(Edge { location, begin, end, kind, cause: LocationRef(take(bytes)?) })
    }
}

/// Keys of the parts of a run: the latest part has the key that comes first.
#[derive(Clone, Debug)]
pub struct RunParts {
    begin: u64,
    end: u64,
    keys: Vec<Key>,
}

impl RunParts {
    /// The parts of a run from its first to its last event, in ticks.
    pub fn new((begin, end): (u64, u64)) -> Self {
        RunParts { begin, end, keys: Key::in_order(PARTS) }
    }

    /// The first and the last event of the run, in ticks.
    pub fn run(&self) -> (u64, u64) {
        (self.begin, self.end)
    }

    /// The key of a time of the run, for those that come the latest first; `None`: it is outside of the run.
    fn key(&self, time: u64) -> Option<Key> {
        let is_inside = time >= self.begin && time <= self.end;
        is_inside.then(|| self.keys[PARTS - 1 - self.part(time)])
    }

    /// The key of a time, for those that come the latest first. Times before or behind the run are in its first or last
    /// part.
    pub(crate) fn latest_first(&self, time: u64) -> Key {
        self.keys[PARTS - 1 - self.part(time.clamp(self.begin, self.end))]
    }

    /// The key of a time, for those that come in the order of time. Times before or behind the run are in its first or
    /// last part.
    pub(crate) fn in_order(&self, time: u64) -> Key {
        self.keys[self.part(time.clamp(self.begin, self.end))]
    }

    /// The part of a time of the run.
    fn part(&self, time: u64) -> usize {
        let span = u128::from(self.end - self.begin) + 1;
        (u128::from(time - self.begin) * PARTS as u128 / span) as usize
    }
}

/// Edges on their way to the rank that owns their part of the run.
pub struct Edges<'s> {
    /// `None`: no edges are wanted.
    to: Option<(&'s RunParts, Outgoing<'s>)>,
    lanes: Lanes<Edge>,
    /// The waits, and times at which locations are together, for costs of delays.
    pub(crate) syncs: Syncs<'s>,
    /// Edges whose cause came after the call that waited was left: clocks disagree.
    pub impossible: u64,
}

impl<'s> Edges<'s> {
    /// To be put into a sink; `None`: none are wanted.
    pub fn new(to: Option<(&'s RunParts, &'s dyn Sink)>) -> Self {
        Edges::with_syncs(to, Syncs::new(None))
    }

    /// The same; waits go to others, too.
    pub fn with_syncs(to: Option<(&'s RunParts, &'s dyn Sink)>, syncs: Syncs<'s>) -> Self {
        let to = to.map(|(parts, sink)| (parts, Outgoing::new(sink)));
        Edges { to, lanes: Lanes::default(), syncs, impossible: 0 }
    }

    /// Adds the ticks of a wait that count, from a time on. Its end is that of the cause, also where a part of the time until then was
    /// spent in tasks or in regions inside of the call.
    pub(super) fn wait(&mut self, wait: &Wait, from: u64, ticks: u64) {
        let is_other = |culprit: &Culprit| culprit.location != wait.location;
        let Some(culprit) = wait.culprit.filter(is_other) else { return };
        let end = from.saturating_add(ticks);
        let cause = (culprit.time <= end).then_some(culprit.location);
        self.syncs.waited((wait.location, wait.metric), (from, end), cause);
        let waiter = (wait.location, EdgeKind::Wait(wait.metric));
        self.push(waiter, (from, wait.call.leave), culprit);
    }

    /// A location waited from a time on, until a time at the latest.
    pub(crate) fn push(
        &mut self,
        (location, kind): (LocationRef, EdgeKind),
        (begin, latest): (u64, u64),
        culprit: Culprit,
    ) {
        let Some((parts, outgoing)) = &mut self.to else { return };
        let end = culprit.time;
        let key = parts.key(end).filter(|_| end <= latest);
        let Some(key) = key else {
            self.impossible += 1;
            return;
        };
        let edge = Edge { location, begin, end, kind, cause: culprit.location };
        self.lanes.push(key, edge, outgoing);
    }

    /// No more are to come. Returns how many were [impossible](Edges::impossible).
    pub fn end(mut self) -> u64 {
        if let Some((_, outgoing)) = &mut self.to {
            self.lanes.empty(outgoing);
            outgoing.hand_over();
        }
        self.syncs.hand_over();
        self.impossible
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::sorted::Kept;
    use crate::matching::Items;

    #[test]
    fn edges_come_the_latest_first_whatever_their_order() {
        let kept = Kept::default();
        let parts = RunParts::new((1000, 101_000));
        let mut edges = Edges::new(Some((&parts, &kept)));
        let times: Vec<u64> = (0..5000).map(|n| 1000 + n * 7919 % 100_001).collect();
        for (place, end) in times.iter().enumerate() {
            let (location, cause) = (LocationRef(place as u64 % 7), LocationRef(9));
            let culprit = Culprit { location: cause, path: Default::default(), time: *end };
            edges.push((location, EdgeKind::Fork), (end - 3, *end), culprit);
        }
        let late = Culprit { location: LocationRef(9), path: Default::default(), time: 6 };
        edges.push((LocationRef(0), EdgeKind::Fork), (4, 5), late);
        assert_eq!(edges.end(), 1);
        let mut items = Items::<_, Edge>::new(kept.sorted()).unwrap();
        let mut found = Vec::new();
        while let Some(key) = items.key() {
            while let Some(edge) = items.next_of_all(key).unwrap() {
                assert!(edge.begin + 3 == edge.end && edge.cause == LocationRef(9));
                found.push(edge.end);
            }
        }
        let mut expected = times;
        expected.sort_unstable_by_key(|time| std::cmp::Reverse(*time));
        assert_eq!(found, expected);
    }
}
