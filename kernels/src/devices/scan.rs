//! The events of a location.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{LocationRef, RmaWinRef};
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use super::sums::{Direction, StreamSums, Sums};
use super::DeviceKernel;
use crate::call_stack::{CallStack, Change, Place};

/// So many copies of a location may be on their way. Of others the end is not looked for.
pub(super) const MOST_UNDER_WAY: usize = 1 << 16;

/// What a worker holds.
#[derive(Debug, Default)]
pub struct DeviceWorker {
    pub(super) found: Sums,
}

/// Receives the events of a location.
#[derive(Debug)]
pub struct DeviceScan<'w> {
    kernel: &'w DeviceKernel,
    found: &'w mut Sums,
    location: LocationRef,
    is_stream: bool,
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

impl<'w> DeviceScan<'w> {
    pub(super) fn new(
        kernel: &'w DeviceKernel,
        worker: &'w mut DeviceWorker,
        location: LocationRef,
    ) -> Self {
        DeviceScan {
            kernel,
            found: &mut worker.found,
            location,
            is_stream: kernel.streams.contains(&location),
            stack: CallStack::default(),
            busy: 0,
            under_way: HashMap::default(),
            count: 0,
        }
    }

    pub(super) fn end(self, summary: &StreamSummary) {
        let DeviceScan { found, location, is_stream, stack, busy, .. } = self;
        if let (Some(first), Some(last)) = (summary.first, summary.last) {
            let span = found.span.get_or_insert((first.0, last.0));
            *span = (span.0.min(first.0), span.1.max(last.0));
        }
        if is_stream && summary.events > 0 {
            found.streams.insert(location, StreamSums { busy });
        }
        stack.end(|_| found.open += 1);
    }

    fn visit(&mut self, head: &EventHead<'_>, event: &Event<'_>) {
        let DeviceScan { stack, found, location, busy, .. } = self;
        stack.take(head, event, |change| match change {
            Change::End { path, inclusive, exclusive } => {
                let is_outermost = path.len() == 1;
                let Some(Place::Region(region)) = path.last().map(|visit| visit.place) else {
                    return;
                };
                *busy += if is_outermost { u128::from(inclusive) } else { 0 };
                found.kernels.entry((*location, region)).or_default().visit(inclusive, exclusive);
            }
            Change::Drop { .. } => found.open += 1,
            Change::Unmatched { .. } => found.unmatched += 1,
            Change::Begin { .. } => {}
        });
    }

    /// A copy begins; `puts`: towards the remote rank.
    fn begin(&mut self, head: &EventHead<'_>, puts: bool, copy: (RmaWinRef, u64), to: (u32, u64)) {
        let (remote, bytes) = to;
        let (own, other) = (Some(self.is_stream), self.kernel.is_remote_stream(copy.0, remote));
        let direction = match puts {
            true => Direction::of(own, other),
            false => Direction::of(other, own),
        };
        let Some(direction) = direction else { return };
        let sums = self.found.copies.entry((self.location, direction)).or_default();
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
        let sums = self.found.copies.entry((self.location, direction)).or_default();
        sums.completed += 1;
        sums.completed_bytes += u128::from(bytes);
        sums.ticks += u128::from(head.time.0.saturating_sub(begin));
    }
}

impl EventVisitor for DeviceScan<'_> {
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
            event if self.is_stream => self.visit(head, &event),
            _ => {}
        }
    }
}
