//! Collective operations: the k-th of each member of a communicator belong together.
//!
//! Operations of a process on a communicator are numbered by their starts, whichever of its threads started them: an
//! operation that does not block is there in the order of its request, although its communicator is known only when it
//! is complete. Records go first to the rank that owns communicator and process, which numbers them ([`number`]). They
//! go on to the rank that owns communicator and number, which puts the members together ([`gather`]).

mod gather;
mod numbering;
pub(crate) mod roots;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::enums::CollectiveOp;
use streamfold_model::events::{MpiCollectiveEnd, NonBlockingCollectiveComplete, RmaCollectiveEnd};
use streamfold_model::ids::{CommRef, LocationRef, Reference, RmaWinRef};
use streamfold_model::stream::EventHead;

use super::block::{put, put_change, take, take_change, Item, Key, Order, Sink, Source};
use super::chosen::Counting;
use super::lanes::{Lanes, Outgoing};
use super::partners::Process;
use super::requests::{self, Ended, Follower, Luggage, Orphan, Post, RequestEvent, RequestRoom};

pub use gather::{gather, CollectiveTotals, Operations};
pub use numbering::{number, number_by, whose, Numbered};

/// Number of successive operations of a communicator that have one owner.
const NEIGHBOURS: u32 = 6;

/// Kind of operation that all members do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub(super) enum What {
    /// A collective operation of a communicator.
    Collective,
    /// One on a window: a fence, its creation, its end.
    Window,
    /// A team of threads begins. Its members are locations, by their places in the definitions.
    Team,
}

impl What {
    fn of(number: u32) -> What {
        match number & 3 {
            1 => What::Window,
            2 => What::Team,
            _ => What::Collective,
        }
    }
}

/// Part of one member in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its start in the order; once it is numbered, its number takes the place of the time.
    pub order: Order,
    /// Process of the member.
    pub process: Process,
    /// Time of the start, in ticks.
    pub begin: u64,
    /// Time of the completion, in ticks.
    pub end: u64,
    /// Kind of the operation.
    pub op: CollectiveOp,
    /// Its root as recorded.
    pub root: u32,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
    /// Set if it is in a blocking call.
    pub blocks: bool,
}

impl Item for Part {
    fn order(&self) -> Order {
        self.order
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        let of = |field: fn(&Part) -> u64| before.map_or(0, field);
        put_change(self.order.time, of(|part| part.order.time), bytes);
        put_change(self.order.number, of(|part| part.order.number), bytes);
        put(self.process.0.into(), bytes);
        put_change(self.begin, of(|part| part.begin), bytes);
        put_change(self.end, self.begin, bytes);
        put(u64::from(u8::from(self.op)) << 1 | u64::from(!self.blocks), bytes);
        put_change(self.root.into(), of(|part| part.root.into()), bytes);
        put_change(self.sent, of(|part| part.sent), bytes);
        put_change(self.received, of(|part| part.received), bytes);
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let of = |field: fn(&Part) -> u64| before.map_or(0, field);
        let time = take_change(of(|part| part.order.time), bytes)?;
        let number = take_change(of(|part| part.order.number), bytes)?;
        let process = Process(take(bytes)?.try_into().ok()?);
        let begin = take_change(of(|part| part.begin), bytes)?;
        let end = take_change(begin, bytes)?;
        let op = take(bytes)?;
        Some(Part {
            order: Order { time, location, number },
            process,
            begin,
            end,
            op: u8::try_from(op >> 1).ok()?.into(),
            root: take_change(of(|part| part.root.into()), bytes)?.try_into().ok()?,
            sent: take_change(of(|part| part.sent), bytes)?,
            received: take_change(of(|part| part.received), bytes)?,
            blocks: op & 1 == 0,
        })
    }
}

/// A kind of operation on a communicator, and whether it blocks.
pub type Kind = (CommRef, CollectiveOp, bool);

/// Sums over the parts of operations of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedParts {
    /// One for each member of each operation.
    pub parts: u64,
    /// Bytes sent.
    pub sent: u128,
    /// Bytes received.
    pub received: u128,
    /// The time from start to completion, in ticks.
    pub ticks: u128,
}

impl RecordedParts {
    /// Adds those of others.
    pub fn add(&mut self, other: &RecordedParts) {
        self.parts += other.parts;
        self.sent += other.sent;
        self.received += other.received;
        self.ticks += other.ticks;
    }
}

/// Sums and oddities of collective operations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCollectives {
    /// By kind.
    pub by_kind: BTreeMap<Kind, RecordedParts>,
    /// Requests that were neither completed nor cancelled: on which communicator is not known.
    pub open_requests: u64,
    /// Requests that were cancelled.
    pub cancelled: u64,
    /// Operations without a recorded start: their start is taken to be their completion.
    pub unbegun: u64,
}

impl RecordedCollectives {
    /// Adds those of others.
    pub fn add(&mut self, other: &RecordedCollectives) {
        for (kind, parts) in &other.by_kind {
            self.by_kind.entry(*kind).or_default().add(parts);
        }
        self.open_requests += other.open_requests;
        self.cancelled += other.cancelled;
        self.unbegun += other.unbegun;
    }
}

/// Start of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Time, in ticks.
    time: u64,
    /// Set if it counts.
    counted: bool,
}

/// Completion of an operation, as a member recorded it.
#[derive(Clone, Copy, Debug)]
pub struct Completed {
    /// The part, with its completion as its start.
    part: Part,
    /// The communicator; undefined if it has no definition.
    comm: CommRef,
    /// Set if the completion counts.
    counted: bool,
}

impl Luggage for Start {
    fn put(&self, bytes: &mut Vec<u8>) {
        put(self.time, bytes);
        put(self.counted.into(), bytes);
    }

    fn take(_: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        Some(Start { time: take(bytes)?, counted: take(bytes)? == 1 })
    }
}

impl Luggage for Completed {
    fn put(&self, bytes: &mut Vec<u8>) {
        put(self.comm.0.into(), bytes);
        put(self.counted.into(), bytes);
        self.part.put(None, bytes);
    }

    fn take(location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let comm = CommRef(take(bytes)?.try_into().ok()?);
        let counted = take(bytes)? == 1;
        Some(Completed { part: Part::take(None, location, bytes)?, comm, counted })
    }
}

impl Post<Completed> for Start {
    fn is_completed_by(&self, _: &Completed) -> bool {
        true
    }
}

/// Parts on their way to the rank that puts them together, and sums over them.
struct Parts<'s> {
    lanes: Lanes<Part>,
    outgoing: Outgoing<'s>,
    recorded: RecordedCollectives,
}

impl<'s> Parts<'s> {
    fn new(outgoing: Outgoing<'s>) -> Self {
        let (lanes, recorded) = Default::default();
        Parts { lanes, outgoing, recorded }
    }

    /// Adds the part of one member in an operation.
    fn push(&mut self, what: What, of: u32, part: Part) {
        self.lanes.push(Key([of, part.process.0, what as u32, 0]), part, &mut self.outgoing);
    }

    fn take(&mut self, completed: Completed) {
        let Completed { part, comm, counted } = completed;
        if counted {
            let (sent, received) = (part.sent.into(), part.received.into());
            let ticks = part.end.saturating_sub(part.begin).into();
            let parts = RecordedParts { parts: 1, sent, received, ticks };
            self.recorded.by_kind.entry((comm, part.op, part.blocks)).or_default().add(&parts);
        }
        if !comm.is_undefined() && part.process != NO_PROCESS {
            self.push(What::Collective, comm.0, part);
        }
    }
}

/// A location that is of no process.
const NO_PROCESS: Process = Process(u32::MAX);

impl Follower<Start, Completed> for Parts<'_> {
    fn complete(&mut self, at: Order, start: Start, completed: Completed) {
        let part = Part { order: at, begin: start.time, ..completed.part };
        self.take(Completed { part, counted: start.counted, ..completed });
    }

    fn cancelled(&mut self, _: Order, start: Start) {
        self.recorded.cancelled += u64::from(start.counted);
    }

    fn never_completed(&mut self, _: Order, start: Start) {
        self.recorded.open_requests += u64::from(start.counted);
    }

    fn never_posted(&mut self, completed: Completed) {
        self.recorded.unbegun += u64::from(completed.counted);
        self.take(completed);
    }
}

/// Puts the ends of operations together that different locations of a process know, and hands on what
/// the process did to `parts`.
///
/// # Errors
///
/// When a block cannot be read.
pub fn adopt<S: Source>(source: S, parts: &dyn Sink) -> Result<RecordedCollectives, S::Error> {
    let mut parts = Parts::new(Outgoing::new(parts));
    requests::adopt(source, &mut parts)?;
    parts.lanes.empty(&mut parts.outgoing);
    parts.outgoing.hand_over();
    Ok(parts.recorded)
}

/// State of a worker for the collective operations of one location after another.
pub(super) struct CollectiveRoom<'s> {
    parts: Parts<'s>,
    requests: RequestRoom<'s, Start, Completed>,
    begun: Option<(Order, Start)>,
    /// The same of a window.
    window_begun: Option<(Order, Start)>,
    own: Option<Process>,
    /// Selection of the location's events.
    counting: Counting,
}

impl<'s> CollectiveRoom<'s> {
    pub(super) fn new(parts: Outgoing<'s>, requests: Outgoing<'s>) -> Self {
        let (parts, requests) = (Parts::new(parts), RequestRoom::new(requests));
        let (begun, window_begun, own, counting) = Default::default();
        CollectiveRoom { parts, requests, begun, window_begun, own, counting }
    }

    /// A location begins. `shared`: its process has others.
    pub(super) fn begin_location(
        &mut self,
        location: LocationRef,
        own: Option<Process>,
        shared: bool,
        counting: Counting,
    ) {
        (self.own, self.counting) = (own, counting);
        self.requests.begin(location, own.filter(|_| shared));
    }

    pub(super) fn begin(&mut self, head: &EventHead<'_>, order: Order) {
        // One that began and did not end: its end was not recorded.
        let before = self.begun.replace((order, self.start(head)));
        before.into_iter().for_each(|(at, before)| self.parts.never_completed(at, before));
    }

    pub(super) fn request(&mut self, head: &EventHead<'_>, order: Order, request: u64) {
        let lost = self.requests.post(request, order, self.start(head));
        lost.into_iter().for_each(|(at, lost)| self.parts.never_completed(at, lost));
    }

    /// Returns whether the request is one of an operation of this location.
    pub(super) fn cancelled(&mut self, request: u64) -> bool {
        let Some((at, start)) = self.requests.cancel(request) else { return false };
        self.parts.cancelled(at, start);
        true
    }

    pub(super) fn cancelled_elsewhere(&mut self, request: u64, here: Order) {
        self.requests.cancel_elsewhere(request, here);
    }

    /// `own`: the member, where it is not the process of the location.
    pub(super) fn end(
        &mut self,
        head: &EventHead<'_>,
        here: Order,
        event: &MpiCollectiveEnd,
        own: Option<Process>,
    ) {
        let mut completed = self.completed(head, here, event, true);
        completed.part.process = own.unwrap_or(completed.part.process);
        match self.begun.take() {
            Some((at, start)) => self.parts.complete(at, start, completed),
            None => self.parts.never_posted(completed),
        }
    }

    pub(super) fn complete(
        &mut self,
        head: &EventHead<'_>,
        here: Order,
        event: &NonBlockingCollectiveComplete,
    ) {
        let request = event.request_id;
        let NonBlockingCollectiveComplete { collective_op, root, .. } = *event;
        let NonBlockingCollectiveComplete { communicator, size_sent, size_received, .. } = *event;
        let event =
            MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received };
        let completed = self.completed(head, here, &event, false);
        let (ended, lost) = self.requests.complete(request, &completed);
        lost.into_iter().for_each(|(at, lost)| self.parts.never_completed(at, lost));
        match ended {
            Ended::Here(at, start) => self.parts.complete(at, start, completed),
            Ended::Elsewhere(key) => {
                self.requests
                    .push(key, Orphan { order: here, action: RequestEvent::Completed(completed) });
            }
            Ended::Undefined => self.parts.never_posted(completed),
        }
    }

    fn start(&self, head: &EventHead<'_>) -> Start {
        Start { time: head.time.0, counted: self.counting.counts(head.time.0) }
    }

    /// A member's operation, as if it had started where it was complete.
    fn completed(
        &self,
        head: &EventHead<'_>,
        here: Order,
        event: &MpiCollectiveEnd,
        blocks: bool,
    ) -> Completed {
        let MpiCollectiveEnd { collective_op: op, root, size_sent, size_received, .. } = *event;
        let part = Part {
            order: here,
            process: self.own.unwrap_or(NO_PROCESS),
            begin: head.time.0,
            end: head.time.0,
            op,
            root,
            sent: size_sent,
            received: size_received,
            blocks,
        };
        let Start { counted, .. } = self.start(head);
        Completed { part, comm: event.communicator, counted }
    }

    /// Adds the part of one member in an operation.
    pub(super) fn push(&mut self, what: What, of: u32, part: Part) {
        self.parts.push(what, of, part);
    }

    pub(super) fn begin_on_window(&mut self, head: &EventHead<'_>, order: Order) {
        self.window_begun = Some((order, self.start(head)));
    }

    pub(super) fn end_on_window(
        &mut self,
        head: &EventHead<'_>,
        here: Order,
        win: Option<RmaWinRef>,
        event: &RmaCollectiveEnd,
    ) {
        let start = self.window_begun.take();
        let (order, begin) = start.map_or((here, head.time.0), |(at, start)| (at, start.time));
        let (Some(process), Some(win)) = (self.own, win) else { return };
        let RmaCollectiveEnd { collective_op: op, root, bytes_sent, bytes_received, .. } = *event;
        let (sent, received, end, blocks) = (bytes_sent, bytes_received, head.time.0, true);
        let part = Part { order, process, begin, end, op, root, sent, received, blocks };
        self.push(What::Window, win.0, part);
    }

    /// The location is at its end.
    pub(super) fn end_location(&mut self) {
        let parts = &mut self.parts;
        self.begun.take().into_iter().for_each(|(at, start)| parts.never_completed(at, start));
        self.requests.end(|at, start| parts.never_completed(at, start));
        self.window_begun = None;
        parts.lanes.empty(&mut parts.outgoing);
    }

    /// There are no more locations: what was recorded, and how many requests were not remembered.
    pub(super) fn end_all(mut self) -> (RecordedCollectives, u64) {
        self.parts.outgoing.hand_over();
        self.requests.hand_over();
        (self.parts.recorded, self.requests.untracked())
    }
}
