//! The events of a location.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use foldhash::fast::RandomState;
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{LocationRef, RmaWinRef};
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use super::sums::{Direction, StreamSums, Sums};
use super::DeviceKernel;
use crate::call_stack::{CallStack, Change, Place};
use crate::io::{key_of_process, Interval, State};
use crate::matching::{Lanes, Outgoing};
use crate::time_map::WorkClass;

/// Most copies of a location that are open at a time. The ends of others are not sought.
pub(super) const MOST_UNDER_WAY: usize = 1 << 16;

/// The state of a worker.
pub struct DeviceWorker<'k> {
    pub(super) found: Sums,
    /// Times in which devices are busy and hosts compute, by device.
    pub(super) lanes: Lanes<Interval>,
    /// Destination of these, if it is wanted.
    pub(super) outgoing: Option<Outgoing<'k>>,
}

impl DeviceWorker<'_> {
    /// A location is in a state, for one of its devices.
    fn interval(&mut self, device: u32, interval: Interval) {
        if let (Some(outgoing), true) = (&mut self.outgoing, interval.begin < interval.end) {
            self.lanes.push(key_of_process(device), interval, outgoing);
        }
    }
}

/// Receives the events of a location.
pub struct DeviceScan<'w, 'k> {
    kernel: &'w DeviceKernel<'k>,
    worker: &'w mut DeviceWorker<'k>,
    location: LocationRef,
    /// The device, of a stream.
    device: Option<u32>,
    /// The devices, of a thread of their host.
    devices: Arc<[u32]>,
    /// Since when the host computes, if it does.
    computing: Option<u64>,
    stack: CallStack,
    busy: u128,
    /// Copies that have not ended, by window and matching id; how many that are in all.
    under_way: HashMap<(RmaWinRef, u64), VecDeque<Copy>, RandomState>,
    count: usize,
}

/// A copy on its way.
#[derive(Clone, Copy, Debug)]
struct Copy {
    direction: Direction,
    bytes: u64,
    begin: u64,
}

impl<'w, 'k> DeviceScan<'w, 'k> {
    pub(super) fn new(
        kernel: &'w DeviceKernel<'k>,
        worker: &'w mut DeviceWorker<'k>,
        location: LocationRef,
    ) -> Self {
        DeviceScan {
            kernel,
            location,
            device: kernel.streams.get(&location).copied(),
            // Computing times are needed only with a sink.
            devices: match worker.outgoing {
                Some(_) => kernel.hosts.get(&location).cloned().unwrap_or_default(),
                None => Arc::default(),
            },
            computing: None,
            worker,
            stack: CallStack::default(),
            busy: 0,
            under_way: HashMap::default(),
            count: 0,
        }
    }

    pub(super) fn end(mut self, summary: &StreamSummary) {
        if let Some(last) = summary.last {
            self.compute(last.0, false);
        }
        let DeviceScan { worker, location, device, stack, busy, .. } = self;
        let DeviceWorker { found, lanes, outgoing } = worker;
        if let Some(outgoing) = outgoing {
            lanes.empty(outgoing);
        }
        if let (Some(first), Some(last)) = (summary.first, summary.last) {
            let span = found.span.get_or_insert((first.0, last.0));
            *span = (span.0.min(first.0), span.1.max(last.0));
        }
        if device.is_some() && (summary.events > 0 || busy > 0) {
            found.streams.insert(location, StreamSums { busy });
        }
        if device.is_some() {
            stack.end(|_| found.open += 1);
        }
    }

    fn visit(&mut self, head: &EventHead<'_>, event: &Event<'_>) {
        let DeviceScan { stack, worker, location, device, busy, .. } = self;
        let (mut outermost, found) = (None, &mut worker.found);
        stack.take(head, event, |change| match change {
            Change::End { path, inclusive, exclusive } => {
                let is_outermost = path.len() == 1;
                let Some(visit) = path.last() else { return };
                let Place::Region(region) = visit.place else { return };
                if is_outermost {
                    outermost = Some((visit.begin.0, inclusive));
                }
                *busy += if is_outermost { u128::from(inclusive) } else { 0 };
                found.kernels.entry((*location, region)).or_default().visit(inclusive, exclusive);
            }
            Change::Drop { .. } => found.open += 1,
            Change::Unmatched { .. } => found.unmatched += 1,
            Change::Begin { .. } => {}
        });
        if let (Some((begin, ticks)), Some(device)) = (outermost, *device) {
            let (location, end) = (*location, begin.saturating_add(ticks));
            // In a window there may be no event of it.
            let span = worker.found.span.get_or_insert((begin, end));
            *span = (span.0.min(begin), span.1.max(end));
            worker.interval(device, Interval { location, begin, end, state: State::Io });
        }
    }

    /// Follows what a thread of a host does.
    fn follow(&mut self, head: &EventHead<'_>, event: &Event<'_>) {
        self.stack.take(head, event, |_| {});
        let computes = self.stack.open().last().is_some_and(|visit| match visit.place {
            Place::Region(region) => self.kernel.classes.of(region) == WorkClass::Computation,
            Place::Off => false,
        });
        self.compute(head.time.0, computes);
    }

    /// From this time on, in ticks, the host computes, or does not.
    fn compute(&mut self, time: u64, computes: bool) {
        match self.computing {
            None if computes => self.computing = Some(time),
            Some(begin) if !computes => {
                let (location, state) = (self.location, State::Computing);
                for device in self.devices.iter() {
                    let interval = Interval { location, begin, end: time.max(begin), state };
                    self.worker.interval(*device, interval);
                }
                self.computing = None;
            }
            _ => {}
        }
    }

    /// A copy begins; `puts`: towards the remote rank.
    fn begin(&mut self, head: &EventHead<'_>, puts: bool, copy: (RmaWinRef, u64), to: (u32, u64)) {
        let (remote, bytes) = to;
        let (own, other) =
            (Some(self.device.is_some()), self.kernel.is_remote_stream(copy.0, remote));
        let direction = match puts {
            true => Direction::of(own, other),
            false => Direction::of(other, own),
        };
        let Some(direction) = direction else { return };
        let sums = self.worker.found.copies.entry((self.location, direction)).or_default();
        sums.count += 1;
        sums.bytes += u128::from(bytes);
        if self.count < MOST_UNDER_WAY {
            self.count += 1;
            let under_way = Copy { direction, bytes, begin: head.time.0 };
            self.under_way.entry(copy).or_default().push_back(under_way);
        }
    }

    fn complete(&mut self, head: &EventHead<'_>, copy: (RmaWinRef, u64)) {
        let Some(waiting) = self.under_way.get_mut(&copy) else { return };
        let ended = waiting.pop_front();
        if waiting.is_empty() {
            self.under_way.remove(&copy);
        }
        let Some(Copy { direction, bytes, begin }) = ended else { return };
        self.count -= 1;
        let sums = self.worker.found.copies.entry((self.location, direction)).or_default();
        sums.completed += 1;
        sums.completed_bytes += u128::from(bytes);
        sums.ticks += u128::from(head.time.0.saturating_sub(begin));
    }
}

impl EventVisitor for DeviceScan<'_, '_> {
    const WANTS: EventSet = CallStack::WANTS.and(EventSet::of(&[
        EventKind::RmaPut,
        EventKind::RmaGet,
        EventKind::RmaOpCompleteBlocking,
        EventKind::RmaOpCompleteNonBlocking,
    ]));

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        match event {
            Event::RmaPut(put) => {
                let copy = (put.win, put.matching_id);
                self.begin(head, true, copy, (put.remote, put.bytes));
            }
            Event::RmaGet(get) => {
                let copy = (get.win, get.matching_id);
                self.begin(head, false, copy, (get.remote, get.bytes));
            }
            Event::RmaOpCompleteBlocking(end) => self.complete(head, (end.win, end.matching_id)),
            Event::RmaOpCompleteNonBlocking(end) => self.complete(head, (end.win, end.matching_id)),
            event if self.device.is_some() => self.visit(head, &event),
            event if !self.devices.is_empty() => self.follow(head, &event),
            _ => {}
        }
    }
}
