//! The scan of a location.

use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use super::kernel::{IoFound, IoKernel, IoWorker};
use super::walk::Walk;
use crate::call_stack::CallStack;
use crate::matching::{Lanes, Outgoing};
use crate::Kernel;

/// Receives the events of a location.
pub struct IoScan<'w, 'k> {
    stack: CallStack,
    walk: Walk<'w, 'k>,
}

impl std::fmt::Debug for IoScan<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IoScan").field("stack", &self.stack).finish_non_exhaustive()
    }
}

impl EventVisitor for IoScan<'_, '_> {
    const WANTS: EventSet = CallStack::WANTS
        .and(EventSet::IO_HANDLES)
        .and(EventSet::IO_OPERATIONS)
        .and(EventSet::of(&[EventKind::IoDeleteFile]));
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let IoScan { stack, walk } = self;
        walk.go_to(head.time.0);
        if walk.operation(head, &event) {
            return;
        }
        stack.take(head, &event, |change| walk.change(head, change));
        walk.switch(stack.task());
    }
}

impl<'k> Kernel for IoKernel<'k> {
    type Worker = IoWorker<'k>;
    type Scan<'w>
        = IoScan<'w, 'k>
    where
        Self: 'w;
    type Partial = IoFound;

    fn worker(&self) -> IoWorker<'k> {
        let found = IoFound::default();
        IoWorker { found, lanes: Lanes::default(), outgoing: Outgoing::new(self.sink) }
    }

    fn scan<'w>(&'w self, worker: &'w mut IoWorker<'k>, location: LocationRef) -> IoScan<'w, 'k> {
        let known = self.processes.get(&location);
        let process = known.map_or(self.count - 1, |(process, _)| *process);
        let walk = Walk::new(self, worker, (location, process), self.outside);
        IoScan { stack: CallStack::default(), walk }
    }

    fn end(&self, scan: IoScan<'_, 'k>, summary: &StreamSummary) {
        scan.walk.end(summary);
    }

    fn partial(&self, worker: IoWorker<'k>) -> IoFound {
        let IoWorker { found, mut lanes, mut outgoing } = worker;
        lanes.empty(&mut outgoing);
        outgoing.hand_over();
        found
    }

    fn fold(&self, into: IoFound, other: IoFound) -> IoFound {
        into.fold(other)
    }
}
