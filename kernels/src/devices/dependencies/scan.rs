//! The events of a location.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::enums::Type;
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef, RmaWinRef};
use streamfold_model::stream::{EventHead, EventSet};

use super::calls::{CallRole, Kind};
use super::items::{DeviceEvent, DeviceItem, Number};
use super::{DependencyKernel, DependencyWorker};
use crate::account::{CopiesUnderWay, Role};
use crate::call_stack::{CallStack, Change, Place};
use crate::matching::{Key, Order};
use crate::task::TaskEvent;

/// Number of events of accelerators of which the streams are remembered.
const MOST_MARKS: usize = 1 << 16;

/// Receives the events of a location.
pub struct DependencyScan<'w, 'k> {
    kernel: &'w DependencyKernel<'k>,
    worker: &'w mut DependencyWorker<'k>,
    location: LocationRef,
    /// `None`: it belongs to no process with streams.
    key: Option<Key>,
    is_stream: bool,
    /// The latest time so far, in ticks.
    now: u64,
    stack: CallStack,
    /// The calls that are open, the outermost first.
    open: Vec<OpenCall>,
    /// The streams on which events of accelerators were recorded.
    marks: HashMap<u64, LocationRef, RandomState>,
    /// Copies without a region: the numbers of their events, and their begins.
    under_way: CopiesUnderWay<(u64, u64)>,
}

/// A call with a part, or an activity.
#[derive(Clone, Copy, Debug)]
struct OpenCall {
    depth: usize,
    region: RegionRef,
    role: CallRole,
    enter: u64,
    event: u64,
    number: Option<Number>,
    stream: Option<LocationRef>,
    mark: Option<u64>,
    /// Set if a call inside has launched something.
    has_launched: bool,
    /// Set if a call inside may have waited.
    has_waited: bool,
    /// The last time at which a call inside was left, and the number of that event.
    inside: Option<(u64, u64)>,
}

impl<'w, 'k> DependencyScan<'w, 'k> {
    pub(super) fn new(
        kernel: &'w DependencyKernel<'k>,
        worker: &'w mut DependencyWorker<'k>,
        location: LocationRef,
    ) -> Self {
        let role = Role::of(kernel.definitions, location);
        let takes_part = matches!(role, Some(Role::Thread | Role::Stream));
        DependencyScan {
            kernel,
            worker,
            location,
            key: kernel.key(location).filter(|_| takes_part),
            is_stream: role == Some(Role::Stream),
            now: 0,
            stack: CallStack::default(),
            open: Vec::new(),
            marks: HashMap::default(),
            under_way: CopiesUnderWay::default(),
        }
    }

    pub(super) fn end(self) {
        let DependencyWorker { lanes, outgoing } = self.worker;
        lanes.empty(outgoing);
    }

    fn push(&mut self, (time, number): (u64, u64), what: DeviceEvent) {
        let Some(key) = self.key else { return };
        let order = Order { time, location: self.location, number };
        let DependencyWorker { lanes, outgoing } = &mut *self.worker;
        lanes.push(key, DeviceItem { order, what }, outgoing);
    }

    /// The stream that an event names, and the event of an accelerator.
    fn named(&self, head: &EventHead<'_>) -> (Option<LocationRef>, Option<u64>) {
        let (mut stream, mut mark) = (None, None);
        for entry in head.attributes {
            let bits = entry.value.bits;
            if entry.value.value_type == Type::Location {
                let is_stream = Role::is_stream(self.kernel.definitions, LocationRef(bits));
                stream = stream.or(is_stream.then_some(LocationRef(bits)));
            } else if self.kernel.marks.contains(&entry.attribute) {
                mark = mark.or(Some(bits));
            }
        }
        (stream, mark)
    }

    /// A region is entered: it is the innermost one that is open now.
    fn begin(&mut self, head: &EventHead<'_>, region: RegionRef) {
        let depth = self.stack.open().len();
        self.open.retain(|call| call.depth < depth);
        let number = self.kernel.numbers.of(head);
        let (role, counts) = match self.is_stream {
            true => {
                let kind = Kind::on_stream(self.kernel.classes.of(region).stream);
                // Of activities within each other the outermost counts.
                (CallRole::default(), kind.is_some() && self.open.is_empty())
            }
            false => {
                let role = self.kernel.roles.get(&region).copied();
                (role.unwrap_or_default(), role.is_some() || number.is_some())
            }
        };
        if !counts {
            return;
        }
        let (stream, mark) = self.named(head);
        self.open.push(OpenCall {
            depth,
            region,
            role,
            enter: self.now,
            event: head.number,
            number,
            stream,
            mark,
            has_launched: false,
            has_waited: false,
            inside: None,
        });
    }

    /// A region at a depth is left.
    fn leave(&mut self, head: &EventHead<'_>, depth: usize, region: RegionRef) {
        while self.open.last().is_some_and(|call| call.depth > depth) {
            self.open.pop();
        }
        let is_it = |call: &mut OpenCall| call.depth == depth && call.region == region;
        let Some(call) = self.open.pop_if(is_it) else { return };
        let begin = (call.enter, call.event);
        if self.is_stream {
            let kind = Kind::on_stream(self.kernel.classes.of(region).stream);
            let Some(kind) = kind else { return };
            let what = DeviceEvent::Ran { end: self.now, kind, number: call.number };
            return self.push(begin, what);
        }
        let (stream, mark) = self.named(head);
        let (stream, mark) = (call.stream.or(stream), call.mark.or(mark));
        if let Some((mark, stream)) = mark.zip(stream).filter(|_| !call.role.waits) {
            if self.marks.len() < MOST_MARKS || self.marks.contains_key(&mark) {
                self.marks.insert(mark, stream);
            }
        }
        let of_mark = mark.and_then(|mark| self.marks.get(&mark).copied());
        let launches =
            (call.role.launches.is_some() && !call.has_launched) || call.number.is_some();
        if launches {
            let (kind, number, leave) = (call.role.launches, call.number, self.now);
            self.push(begin, DeviceEvent::Launched { leave, kind, stream, number });
        }
        let waits = call.role.waits && !call.has_waited;
        if waits {
            let (since, number) = call.inside.unwrap_or(begin);
            let (stream, for_all) = (stream.or(of_mark), call.role.for_all);
            let what = DeviceEvent::Waited { since, number, stream, for_all };
            self.push((self.now, head.number), what);
        }
        if let Some(around) = self.open.last_mut() {
            around.has_launched |= launches || call.has_launched;
            around.has_waited |= waits || call.has_waited;
            around.inside = Some((self.now, head.number));
        }
    }

    /// A copy without a region begins.
    fn begin_copy(&mut self, head: &EventHead<'_>, copy: (RmaWinRef, u64)) {
        if self.open.is_empty() {
            self.under_way.begin(copy, (self.now, head.number));
        }
    }

    fn end_copy(&mut self, copy: (RmaWinRef, u64)) {
        if let Some(begin) = self.under_way.end(copy) {
            let what = DeviceEvent::Ran { end: self.now, kind: Kind::Copy, number: None };
            self.push(begin, what);
        }
    }
}

impl EventVisitor for DependencyScan<'_, '_> {
    const WANTS: EventSet = CallStack::WANTS.and(EventSet::of(&[
        EventKind::RmaPut,
        EventKind::RmaGet,
        EventKind::RmaOpCompleteBlocking,
        EventKind::RmaOpCompleteNonBlocking,
    ]));
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if self.key.is_none() {
            return;
        }
        self.now = self.now.max(head.time.0);
        match event {
            Event::RmaPut(put) if self.is_stream => {
                self.begin_copy(head, (put.win, put.matching_id));
            }
            Event::RmaGet(get) if self.is_stream => {
                self.begin_copy(head, (get.win, get.matching_id));
            }
            Event::RmaOpCompleteBlocking(end) if self.is_stream => {
                self.end_copy((end.win, end.matching_id));
            }
            Event::RmaOpCompleteNonBlocking(end) if self.is_stream => {
                self.end_copy((end.win, end.matching_id));
            }
            event => {
                if TaskEvent::of(&event).is_some() {
                    self.open.clear();
                }
                let mut left = None;
                self.stack.take(head, &event, |change| {
                    if let Change::End { path, .. } = change {
                        if let Some(Place::Region(region)) = path.last().map(|visit| visit.place) {
                            left = Some((path.len(), region));
                        }
                    }
                });
                match (event, left) {
                    (Event::Enter(enter), _) => self.begin(head, enter.region),
                    (_, Some((depth, region))) => self.leave(head, depth, region),
                    _ => {}
                }
            }
        }
    }
}
