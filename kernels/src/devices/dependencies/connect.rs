//! Brings together what belongs to the streams of a process.

use std::collections::{BTreeMap, HashMap, VecDeque};

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;

use super::calls::Kind;
use super::items::{DeviceEvent, DeviceItem, Number};
use crate::matching::{Items, Order, Source};
use crate::replay::{LinkId, Links, Taker};
use crate::waitstates::edges::{EdgeKind, Edges};
use crate::waitstates::{Culprit, PathId};

/// Launches of a process whose activities have not begun, at most: the first ones are forgotten.
const MOST_LAUNCHES: usize = 1 << 17;
/// Activities of a stream whose ends are remembered.
const MOST_ENDS: usize = 16;

/// Adds edges and dependencies of all processes.
///
/// # Errors
///
/// When a block cannot be read.
pub fn connect<S: Source>(
    source: S,
    edges: &mut Edges<'_>,
    links: &mut Links<'_>,
) -> Result<(), S::Error> {
    let mut items = Items::<S, DeviceItem>::new(source)?;
    while let Some(key) = items.key() {
        let mut process = OfProcess::default();
        while let Some(DeviceItem { order, what }) = items.next_of_all(key)? {
            match what {
                DeviceEvent::Launched { leave, kind, stream, number } => {
                    let launch = Launch { order, leave };
                    process.launched(launch, (kind, stream), number);
                }
                DeviceEvent::Ran { end, kind, number } => {
                    process.ran(order, (end, kind, number), edges, links);
                }
                DeviceEvent::Waited { since, number, stream, for_all } => {
                    let wait = Wait { since, number, leave: order.time, location: order.location };
                    process.waited(wait, stream, for_all, edges, links);
                }
            }
        }
    }
    Ok(())
}

/// A call that launches.
#[derive(Clone, Copy, Debug)]
struct Launch {
    /// Its enter.
    order: Order,
    leave: u64,
}

/// An activity.
#[derive(Clone, Copy, Debug)]
struct Activity {
    begin: Order,
    end: u64,
    /// The enter of its launch.
    launched: Option<u64>,
}

/// A call that may have waited. Times in ticks.
#[derive(Clone, Copy, Debug)]
struct Wait {
    location: LocationRef,
    since: u64,
    number: u64,
    leave: u64,
}

/// A stream.
#[derive(Debug, Default)]
struct Stream {
    /// The latest end so far, in ticks.
    until: Option<u64>,
    /// The last activities.
    last: VecDeque<Activity>,
    /// Set if a launch led to it.
    is_known: bool,
}

/// Calls for a stream, or for any, that launch a kind.
type Queue = (Option<LocationRef>, Kind);

/// The streams of a process, and the calls for them.
#[derive(Debug, Default)]
struct OfProcess {
    queues: HashMap<Queue, VecDeque<Launch>, RandomState>,
    /// Launches in queues.
    queued: usize,
    numbers: HashMap<Number, Launch, RandomState>,
    /// Numbers in the order in which they came.
    numbered: VecDeque<Number>,
    streams: BTreeMap<LocationRef, Stream>,
}

/// The kind of a link: of a launch, of a wait, of a call that waited for itself.
const LAUNCH: u8 = 13;
const WAIT: u8 = 14;
const OWN: u8 = 15;

impl OfProcess {
    fn launched(
        &mut self,
        launch: Launch,
        (kind, stream): (Option<Kind>, Option<LocationRef>),
        number: Option<Number>,
    ) {
        if let Some(number) = number {
            if self.numbers.insert(number, launch).is_none() {
                self.numbered.push_back(number);
            }
            if self.numbered.len() > MOST_LAUNCHES {
                self.numbered.pop_front().and_then(|first| self.numbers.remove(&first));
            }
            return;
        }
        let Some(kind) = kind else { return };
        let queue = self.queues.entry((stream, kind)).or_default();
        queue.push_back(launch);
        match self.queued < MOST_LAUNCHES {
            true => self.queued += 1,
            false => drop(queue.pop_front()),
        }
    }

    /// The launch of an activity that begins.
    fn launch(&mut self, begin: Order, kind: Kind, number: Option<Number>) -> Option<Launch> {
        if let Some(number) = number {
            return self.numbers.get(&number).copied();
        }
        let first = |queue: Queue| Some((self.queues.get(&queue)?.front()?.order, queue));
        let of_both = [Some(begin.location), None].map(|stream| first((stream, kind)));
        let (order, queue) = of_both.into_iter().flatten().min_by_key(|(order, _)| *order)?;
        if order.time > begin.time {
            return None;
        }
        self.queued -= 1;
        self.queues.get_mut(&queue)?.pop_front()
    }

    fn ran(
        &mut self,
        begin: Order,
        (end, kind, number): (u64, Kind, Option<Number>),
        edges: &mut Edges<'_>,
        links: &mut Links<'_>,
    ) {
        let launch = self.launch(begin, kind, number);
        let stream = self.streams.entry(begin.location).or_default();
        let before = stream.until;
        stream.until = before.max(Some(end));
        let launched = launch.map(|launch| launch.order.time);
        stream.last.push_back(Activity { begin, end, launched });
        if stream.last.len() > MOST_ENDS {
            stream.last.pop_front();
        }
        let Some(Launch { order: call, leave }) = launch else { return };
        let idle = before.is_none_or(|before| call.time >= before);
        if idle {
            let culprit = Culprit { location: call.location, path: PathId::ROOT, time: call.time };
            let since = before.unwrap_or(0).min(call.time);
            edges.push((begin.location, EdgeKind::Launch), (since, begin.time), culprit);
        }
        if call.time > begin.time {
            // Clocks disagree.
            return;
        }
        stream.is_known = true;
        let free = before.unwrap_or(0);
        let id = LinkId { location: begin.location, number: begin.number, kind: LAUNCH };
        let taker = Taker {
            location: begin.location,
            time: call.time.max(free),
            number: begin.number,
            until: begin.time,
            waited: call.time.saturating_sub(free),
            in_mpi: false,
            before: true,
            bytes: 0,
            message: false,
            recorded_only: false,
        };
        links.pair(id, (call.location, call.time, call.number), taker);
        // Of other calls it is by chance that something short ends before they are left.
        let is_last = end <= leave && end - call.time > leave - end;
        if kind == Kind::Copy && call.time < end && is_last {
            let Order { time: since, location, number } = call;
            let wait = Wait { location, since, number, leave };
            wait.for_activity((begin, end), OWN, edges, links);
        }
    }

    /// A call was left.
    fn waited(
        &mut self,
        wait: Wait,
        stream: Option<LocationRef>,
        for_all: bool,
        edges: &mut Edges<'_>,
        links: &mut Links<'_>,
    ) {
        let is_it = |of: &LocationRef| stream.is_none_or(|stream| stream == *of);
        let streams = self.streams.iter().filter(|(of, stream)| is_it(of) && stream.is_known);
        let mut latest: Option<(Order, u64)> = None;
        for (_, stream) in streams {
            let ended = stream.last.iter().filter(|of| of.end <= wait.leave);
            let ended = ended.max_by_key(|of| (of.end, of.begin));
            if let Some(of) = ended.filter(|of| latest.is_none_or(|(_, end)| end < of.end)) {
                latest = Some((of.begin, of.end));
            }
            let under_way = stream.last.iter().filter(|of| of.end > wait.leave);
            let mut under_way =
                under_way.filter(|of| of.launched.is_some_and(|time| time < wait.since));
            if let Some(of) = under_way.next().filter(|_| for_all) {
                // It cannot have waited for that, as it should have: clocks disagree.
                let culprit =
                    Culprit { location: of.begin.location, path: PathId::ROOT, time: of.end };
                edges.push((wait.location, EdgeKind::Device), (wait.since, wait.leave), culprit);
            }
        }
        if let Some((begin, end)) = latest {
            wait.for_activity((begin, end), WAIT, edges, links);
        }
        if for_all {
            self.forget(wait.since, stream);
        }
    }

    /// All that was launched before a time on a stream, or on any, has run: calls that are left had nothing to launch.
    fn forget(&mut self, time: u64, stream: Option<LocationRef>) {
        let only = self.streams.len() < 2;
        for ((of, _), queue) in &mut self.queues {
            if stream.is_none() || only || *of == stream {
                let over = queue.iter().take_while(|launch| launch.order.time < time).count();
                queue.drain(..over);
                self.queued -= over;
            }
        }
    }
}

impl Wait {
    /// It waited for an activity, if that ended after its begin; it depends on that in any case.
    fn for_activity(
        self,
        (begin, end): (Order, u64),
        kind: u8,
        edges: &mut Edges<'_>,
        links: &mut Links<'_>,
    ) {
        let Wait { location, since, number, leave } = self;
        if end > since {
            let culprit = Culprit { location: begin.location, path: PathId::ROOT, time: end };
            edges.push((location, EdgeKind::Device), (since, leave), culprit);
        }
        let id = LinkId { location, number, kind };
        let taker = Taker {
            location,
            time: since,
            number,
            until: leave,
            waited: end.saturating_sub(since),
            in_mpi: false,
            before: false,
            bytes: 0,
            message: false,
            recorded_only: false,
        };
        links.pair(id, (begin.location, end, begin.number), taker);
    }
}
