//! Visits, messages and values of a window of time, for pictures of time lines.
//!
//! A picture shows some hundred thousand things. So a first pass [counts](TimelineCounts), and a second one
//! keeps what is [wanted](TimelineWanted).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{CommRef, LocationRef, MetricRef, RegionRef};
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};
use streamfold_model::values::{Ticks, TypedValue};

use crate::call_stack::{CallStack, Change, Place};
use crate::probes::Probes;
use crate::{Kernel, Window};

/// The items that a kernel keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineWanted {
    /// Things outside of it are left out, and visits are cut at its ends.
    pub window: Window,
    /// Visits that are at least that long, in ticks; `None`: nothing is kept, all is counted.
    pub shortest: Option<u64>,
    /// Spans of time of which shorter visits are kept, too, from the first tick to the last one: sorted, and disjoint.
    pub close: Arc<[(u64, u64)]>,
    /// Visits in these spans that are at least that long, in ticks.
    pub shortest_close: u64,
    /// Set if ends of messages are kept.
    pub messages: bool,
    /// Set if values of metrics are kept.
    pub values: bool,
}

impl TimelineWanted {
    /// Nothing is kept, and all of a window is counted.
    pub fn counted(window: Window) -> Self {
        let (shortest, close, shortest_close) = (None, Arc::new([]), 0);
        TimelineWanted { window, shortest, close, shortest_close, messages: false, values: false }
    }

    /// Returns whether a visit has any time in the spans of which shorter ones are kept.
    fn is_close(&self, begin: u64, end: u64) -> bool {
        let behind = self.close.partition_point(|span| span.1 < begin);
        self.close.get(behind).is_some_and(|span| span.0 <= end)
    }
}

/// Numbers of items in the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineCounts {
    /// Visits by the number of binary digits of their length in ticks, 0 to 64.
    pub visits: Vec<u64>,
    /// The same for those that are in one of the spans of which shorter ones are kept.
    pub close: Vec<u64>,
    /// Ends of messages.
    pub messages: u64,
    /// Values of metrics.
    pub values: u64,
}

/// The items of the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Numbers of items in the window.
    pub counts: TimelineCounts,
    /// By location.
    pub tracks: BTreeMap<LocationRef, Track>,
}

/// A location.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// Visits as they ended.
    pub visits: Vec<Slice>,
    /// Ends of messages, by time.
    pub messages: Vec<MessageEnd>,
    /// Values, by time: the metric class or instance, which of its members, the time in ticks, the value.
    pub values: Vec<(MetricRef, u32, u64, TypedValue)>,
}

/// A visit, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    /// `None`: nothing was recorded.
    pub region: Option<RegionRef>,
    /// When it begins.
    pub begin: u64,
    /// When it ends, not before that.
    pub end: u64,
    /// Its ticks without those of visits directly inside; `None`: it is cut, or never ended.
    pub own: Option<u64>,
}

/// One end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageEnd {
    /// Set if it is received here, or else sent.
    pub received: bool,
    /// The communicator.
    pub comm: CommRef,
    /// The rank at the other end.
    pub partner: u32,
    /// Its tag.
    pub tag: u32,
    /// Its number among those of this location that have all of these in common, from 0. Both ends of a message have
    /// the same number, if all messages were recorded.
    pub number: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// When it is sent, or is here.
    pub time: u64,
}

impl Default for TimelineCounts {
    fn default() -> Self {
        TimelineCounts { visits: vec![0; 65], close: vec![0; 65], messages: 0, values: 0 }
    }
}

impl TimelineCounts {
    /// The least length of a visit, in ticks, with which at most `most` visits are kept; and how many these
    /// are.
    pub fn shortest(&self, most: u64) -> (u64, u64) {
        Self::shortest_of(&self.visits, most)
    }

    /// The same for visits in the spans of which shorter ones are kept.
    pub fn shortest_close(&self, most: u64) -> (u64, u64) {
        Self::shortest_of(&self.close, most)
    }

    fn shortest_of(visits: &[u64], most: u64) -> (u64, u64) {
        let mut kept = 0;
        for digits in (0..=64_u32).rev() {
            let more = visits[digits as usize];
            if kept + more > most {
                return (1_u64.checked_shl(digits).unwrap_or(u64::MAX), kept);
            }
            kept += more;
        }
        (0, kept)
    }

    /// All visits.
    pub fn all_visits(&self) -> u64 {
        self.visits.iter().sum()
    }
}

/// Keeps, or counts, what happens in a window of time.
#[derive(Debug)]
pub struct TimelineKernel {
    wanted: TimelineWanted,
}

impl TimelineKernel {
    /// That keeps this.
    pub fn new(wanted: TimelineWanted) -> Self {
        TimelineKernel { wanted }
    }
}

/// Receives the events of a location.
#[derive(Debug)]
pub struct TimelineScan<'w> {
    wanted: TimelineWanted,
    stack: CallStack,
    /// How many messages there were of each kind.
    numbers: HashMap<(bool, CommRef, u32, u32), u64, RandomState>,
    counts: &'w mut TimelineCounts,
    track: &'w mut Track,
    last: u64,
    probes: Probes,
}

impl TimelineScan<'_> {
    fn is_inside(&self, time: Ticks) -> bool {
        self.wanted.window.holds(time)
    }

    fn message(
        &mut self,
        head: &EventHead<'_>,
        received: bool,
        to: (CommRef, u32, u32),
        bytes: u64,
    ) {
        let (comm, partner, tag) = to;
        let next = self.numbers.entry((received, comm, partner, tag)).or_default();
        let number = *next;
        *next += 1;
        if self.is_inside(head.time) {
            self.counts.messages += 1;
            if self.wanted.messages {
                let time = head.time.0;
                let end = MessageEnd { received, comm, partner, tag, number, bytes, time };
                self.track.messages.push(end);
            }
        }
    }
}

/// Takes a visit that ends.
fn visit(
    wanted: &TimelineWanted,
    (counts, track): (&mut TimelineCounts, &mut Track),
    place: Place,
    (begin, end, own): (u64, u64, Option<u64>),
) {
    let Window { begin: from, end: to, .. } = wanted.window;
    let to = to.map_or(u64::MAX, |to| to.0);
    let is_behind = wanted.window.limit().is_some_and(|limit| begin >= limit.0);
    if is_behind || end < from.0 || (end == from.0 && begin < end) {
        return;
    }
    let own = own.filter(|_| from.0 <= begin && end <= to);
    let (begin, end) = (begin.max(from.0), end.min(to).max(begin.max(from.0)));
    let length = end - begin;
    let digits = (u64::BITS - length.leading_zeros()) as usize;
    counts.visits[digits] += 1;
    let is_close = wanted.is_close(begin, end);
    counts.close[digits] += u64::from(is_close);
    let is_kept = |shortest| length >= shortest || is_close && length >= wanted.shortest_close;
    if wanted.shortest.is_some_and(is_kept) {
        let region = match place {
            Place::Region(region) => Some(region),
            Place::Off => None,
        };
        track.visits.push(Slice { region, begin, end, own });
    }
}

impl EventVisitor for TimelineScan<'_> {
    const WANTS: EventSet = CallStack::WANTS
        .and(EventSet::of(&[
            EventKind::MpiSend,
            EventKind::MpiIsend,
            EventKind::MpiRecv,
            EventKind::MpiIrecv,
            EventKind::Metric,
        ]))
        .and(Probes::WANTS);

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.last = self.last.max(head.time.0);
        if let Some(e) = self.probes.take(&event) {
            return self.message(head, true, (e.communicator, e.sender, e.msg_tag), e.msg_length);
        }
        match event {
            Event::MpiSend(e) => {
                let to = (e.communicator, e.receiver, e.msg_tag);
                self.message(head, false, to, e.msg_length);
            }
            Event::MpiIsend(e) => {
                let to = (e.communicator, e.receiver, e.msg_tag);
                self.message(head, false, to, e.msg_length);
            }
            Event::MpiRecv(e) => {
                self.message(head, true, (e.communicator, e.sender, e.msg_tag), e.msg_length);
            }
            Event::MpiIrecv(e) => {
                self.message(head, true, (e.communicator, e.sender, e.msg_tag), e.msg_length);
            }
            Event::Metric(metric) if self.is_inside(head.time) => {
                self.counts.values += metric.values.len() as u64;
                if self.wanted.values {
                    let values = (0..).zip(metric.values);
                    let values = values.map(|(n, value)| (metric.metric, n, head.time.0, *value));
                    self.track.values.extend(values);
                }
            }
            event => {
                let (wanted, counts, track) = (&self.wanted, &mut *self.counts, &mut *self.track);
                self.stack.take(head, &event, |change| {
                    let (path, own) = match change {
                        Change::End { path, exclusive, .. } => (path, Some(exclusive)),
                        Change::Drop { path } => (path, None),
                        _ => return,
                    };
                    let Some(ended) = path.last() else { return };
                    let times = (ended.begin.0, head.time.0, own);
                    visit(wanted, (&mut *counts, &mut *track), ended.place, times);
                });
            }
        }
    }
}

impl Kernel for TimelineKernel {
    type Worker = Timeline;
    type Scan<'w> = TimelineScan<'w>;
    type Partial = Timeline;

    fn worker(&self) -> Timeline {
        Timeline::default()
    }

    fn scan<'w>(&'w self, worker: &'w mut Timeline, location: LocationRef) -> TimelineScan<'w> {
        let Timeline { counts, tracks } = worker;
        let (stack, numbers, last) = Default::default();
        let track = tracks.entry(location).or_default();
        TimelineScan {
            wanted: self.wanted.clone(),
            stack,
            numbers,
            counts,
            track,
            last,
            probes: Probes::default(),
        }
    }

    /// Visits that are open last to the last event of their location.
    fn end<'w>(&'w self, scan: TimelineScan<'w>, _: &StreamSummary) {
        let TimelineScan { wanted, stack, counts, track, last, .. } = scan;
        stack.end(|change| {
            if let Change::Drop { path } = change {
                let Some(ended) = path.last() else { return };
                let times = (ended.begin.0, last, None);
                visit(&wanted, (&mut *counts, &mut *track), ended.place, times);
            }
        });
    }

    fn partial(&self, mut worker: Timeline) -> Timeline {
        if self.wanted.shortest.is_none() {
            worker.tracks.clear();
        }
        worker
    }

    fn fold(&self, mut into: Timeline, other: Timeline) -> Timeline {
        into.tracks.extend(other.tracks);
        let counts = &mut into.counts;
        for (sums, more) in
            [(&mut counts.visits, other.counts.visits), (&mut counts.close, other.counts.close)]
        {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        counts.messages += other.counts.messages;
        counts.values += other.counts.values;
        into
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::events::{Enter, Leave};

    use super::*;

    /// Visits that are kept: begin, end, own time.
    fn kept(wanted: TimelineWanted, steps: &[(u64, bool)]) -> (TimelineCounts, Vec<[u64; 3]>) {
        let (kernel, location) = (TimelineKernel::new(wanted), LocationRef(0));
        let mut worker = kernel.worker();
        let mut scan = kernel.scan(&mut worker, location);
        let region = RegionRef(0);
        for (number, &(time, enters)) in (0..).zip(steps) {
            let head = EventHead { location, number, time: Ticks(time), attributes: &[] };
            scan.event(
                &head,
                match enters {
                    true => Event::Enter(Enter { region }),
                    false => Event::Leave(Leave { region }),
                },
            );
        }
        kernel.end(scan, &StreamSummary::default());
        let found = kernel.partial(worker);
        let visits = found.tracks.values().flat_map(|track| &track.visits);
        let visits = visits.map(|of| [of.begin, of.end, of.own.unwrap_or(999)]).collect();
        (found.counts, visits)
    }

    /// A visit from 0 to 100, and a short one in each ten ticks, of 1, 2, … ticks.
    fn steps() -> Vec<(u64, bool)> {
        let short = (1..9).flat_map(|at| [(10 * at, true), (10 * at + at, false)]);
        [(0, true)].into_iter().chain(short).chain([(100, false)]).collect()
    }

    #[test]
    fn shorter_visits_are_kept_in_spans() {
        let all = TimelineWanted::counted(Window::ALL);
        let close = Arc::new([(25, 30), (52, 60)]);
        let wanted = TimelineWanted { close, ..all.clone() };
        let (counts, none) = kept(wanted.clone(), &steps());
        assert_eq!((counts.all_visits(), none), (9, Vec::new()));
        // Those from 0, 30, 50 and 60 are in the spans: 100, 3, 5 and 6 ticks.
        assert_eq!(counts.close.iter().sum::<u64>(), 4);
        assert_eq!(counts.shortest_close(1), (8, 1));
        let wanted = TimelineWanted { shortest: Some(8), shortest_close: 4, ..wanted };
        let found = [[50, 55, 5], [60, 66, 6], [80, 88, 8], [0, 100, 64]];
        assert_eq!(kept(wanted, &steps()).1, found);
    }

    #[test]
    fn visits_that_are_cut_have_no_own_time() {
        let window = Window::new(Ticks(33), Some(Ticks(64)));
        let wanted = TimelineWanted { shortest: Some(3), ..TimelineWanted::counted(window) };
        let found = [[40, 44, 4], [50, 55, 5], [60, 64, 999], [33, 64, 999]];
        assert_eq!(kept(wanted, &steps()).1, found);
    }
}
