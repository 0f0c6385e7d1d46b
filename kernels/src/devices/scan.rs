//! The events of a location.

use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef, RmaWinRef};
use streamfold_model::stream::{EventHead, EventSet};

use super::launches::{Launches, Start};
use super::sums::Sums;
use super::{DeviceKernel, DeviceWorker};
use crate::account::{Class, CopiesUnderWay, CopyEnds, Direction, Group, RegionClasses};
use crate::call_stack::{CallStack, Change, Place};
use crate::matching::{Lanes, Order, Outgoing};

/// Receives the events of a location.
pub struct DeviceScan<'w, 'k> {
    classes: &'w RegionClasses,
    ends: &'w CopyEnds,
    launches: Option<&'w Launches<'k>>,
    found: &'w mut Sums,
    starts: &'w mut Lanes<Start>,
    outgoing: Option<&'w mut Outgoing<'k>>,
    location: LocationRef,
    is_stream: bool,
    stack: CallStack,
    under_way: CopiesUnderWay<Copy>,
    /// Set if a transfer began in the copy that is open.
    has_transfer: bool,
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
        is_stream: bool,
    ) -> Self {
        let DeviceWorker { found, starts, outgoing } = worker;
        let (stack, under_way, has_transfer) = Default::default();
        DeviceScan {
            classes: &kernel.classes,
            ends: &kernel.ends,
            launches: kernel.launches.as_ref(),
            found,
            starts,
            outgoing: outgoing.as_mut(),
            location,
            is_stream,
            stack,
            under_way,
            has_transfer,
        }
    }

    pub(super) fn end(self) {
        let DeviceScan { found, starts, outgoing, stack, is_stream, .. } = self;
        outgoing.into_iter().for_each(|outgoing| starts.empty(outgoing));
        stack.end(|_| found.open += u64::from(is_stream));
    }

    /// A call or a kernel begins.
    fn start(&mut self, head: &EventHead<'_>, region: RegionRef) {
        let known = self.launches.and_then(|launches| launches.number(head));
        let (Some((key, number)), Some(outgoing)) = (known, &mut self.outgoing) else { return };
        let is_kernel = self.classes.of(region).stream.group() == Group::Kernels;
        if is_kernel || !self.is_stream {
            let EventHead { location, time, .. } = *head;
            let order = Order { time: time.0, location, number: head.number };
            let kernel = self.is_stream.then_some(region);
            self.starts.push(key, Start { order, number, kernel }, outgoing);
        }
    }

    fn visit(&mut self, head: &EventHead<'_>, event: &Event<'_>) {
        let DeviceScan { stack, found, location, classes, has_transfer, .. } = self;
        stack.take(head, event, |change| match change {
            Change::End { path, inclusive, exclusive } => {
                let Some(Place::Region(region)) = path.last().map(|visit| visit.place) else {
                    return;
                };
                let class = classes.of(region).stream;
                match class.group() {
                    Group::Copies if std::mem::take(has_transfer) => {}
                    Group::Copies => {
                        let copies = found.copies.entry((*location, direction(class)));
                        let sums = copies.or_default();
                        sums.count += 1;
                        sums.completed += 1;
                        sums.ticks += u128::from(inclusive);
                    }
                    Group::Kernels => {
                        let sums = found.kernels.entry((*location, region)).or_default();
                        sums.visit(inclusive, exclusive);
                    }
                    _ => {}
                }
            }
            Change::Drop { .. } => found.open += 1,
            Change::Unmatched { .. } => found.unmatched += 1,
            Change::Begin { .. } => *has_transfer = false,
        });
    }

    /// A copy begins; `puts`: towards the remote rank.
    fn begin(&mut self, head: &EventHead<'_>, puts: bool, copy: (RmaWinRef, u64), to: (u32, u64)) {
        let (remote, bytes) = to;
        self.has_transfer = true;
        let Some(direction) = self.ends.direction(self.location, puts, copy.0, remote) else {
            return;
        };
        let sums = self.found.copies.entry((self.location, direction)).or_default();
        sums.count += 1;
        sums.sized += 1;
        sums.bytes += u128::from(bytes);
        self.under_way.begin(copy, Copy { direction, bytes, begin: head.time.0 });
    }

    fn complete(&mut self, head: &EventHead<'_>, copy: (RmaWinRef, u64)) {
        let Some(Copy { direction, bytes, begin }) = self.under_way.end(copy) else { return };
        let sums = self.found.copies.entry((self.location, direction)).or_default();
        sums.completed += 1;
        sums.completed_bytes += u128::from(bytes);
        sums.ticks += u128::from(head.time.0.saturating_sub(begin));
    }
}

/// The direction of a region that is a copy.
fn direction(class: Class) -> Direction {
    match class {
        Class::HostToDevice => Direction::HostToDevice,
        Class::DeviceToHost => Direction::DeviceToHost,
        Class::DeviceToDevice => Direction::DeviceToDevice,
        _ => Direction::Unknown,
    }
}

impl EventVisitor for DeviceScan<'_, '_> {
    const WANTS: EventSet = CallStack::WANTS.and(EventSet::of(&[
        EventKind::RmaPut,
        EventKind::RmaGet,
        EventKind::RmaOpCompleteBlocking,
        EventKind::RmaOpCompleteNonBlocking,
    ]));
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if let Event::Enter(enter) = event {
            self.start(head, enter.region);
        }
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
