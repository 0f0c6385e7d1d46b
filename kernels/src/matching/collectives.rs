//! Collective operations: the k-th of each member of a communicator belong together.
//!
//! Operations of a process on a communicator are numbered by their starts, whichever of its threads
//! started them: an operation that does not block is there in the order of its request, although its
//! communicator is known only when it is complete. So what was recorded goes first to the rank
//! that owns communicator and process, which numbers it ([`number`]), and then to the one that owns
//! communicator and number, which puts the members together ([`gather`]).

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::enums::CollectiveOp;
use streamfold_model::events::{MpiCollectiveEnd, NonBlockingCollectiveComplete, RmaCollectiveEnd};
use streamfold_model::ids::{CommRef, LocationRef, RmaWinRef};
use streamfold_model::stream::EventHead;

use super::block::{put, put_change, take, take_change, Item, Key, Order, Sink};
use super::chosen::{Chosen, Counting};
use super::join::{Items, Source};
use super::lanes::{Lanes, Outgoing};
use super::partners::{Partners, Process, Side};

/// Requests that a location has open at a time, of which more is remembered than that they were
/// there.
const MOST_OPEN: usize = 1 << 20;
/// So many operations of a communicator that follow each other have one owner.
const NEIGHBOURS: u32 = 6;

/// What all members do together.
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

/// What one member did in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it started; once it is numbered, its number in place of the time.
    pub order: Order,
    /// Whose it is.
    pub process: Process,
    /// When it started, in ticks.
    pub begin: u64,
    /// When it was complete, in ticks.
    pub end: u64,
    /// What it was.
    pub op: CollectiveOp,
    /// Its root as recorded.
    pub root: u32,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
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
        put(u8::from(self.op).into(), bytes);
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
        Some(Part {
            order: Order { time, location, number },
            process,
            begin,
            end: take_change(begin, bytes)?,
            op: u8::try_from(take(bytes)?).ok()?.into(),
            root: take_change(of(|part| part.root.into()), bytes)?.try_into().ok()?,
            sent: take_change(of(|part| part.sent), bytes)?,
            received: take_change(of(|part| part.received), bytes)?,
        })
    }
}

/// A kind of operation on a communicator, and whether it blocks.
pub type Kind = (CommRef, CollectiveOp, bool);

/// What members recorded of operations of one kind.
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

/// What was recorded of collective operations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCollectives {
    /// By kind.
    pub by_kind: BTreeMap<Kind, RecordedParts>,
    /// Requests that were neither completed nor cancelled: on which communicator is not known.
    pub open_requests: u64,
    /// Requests that were cancelled.
    pub cancelled: u64,
    /// Operations whose start nobody recorded: they are taken as started where they are complete.
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

/// Where and when something started.
#[derive(Clone, Copy, Debug)]
struct Start {
    order: Order,
    time: u64,
}

/// What a worker holds for the collective operations of one location after another.
pub(super) struct CollectiveRoom<'s> {
    pub parts: Outgoing<'s>,
    pub recorded: RecordedCollectives,
    lanes: Lanes<Part>,
    begun: Option<Start>,
    /// The same of a window.
    window_begun: Option<Start>,
    requests: HashMap<u64, Start, RandomState>,
    /// What counts of the location.
    pub counting: Counting,
}

impl<'s> CollectiveRoom<'s> {
    pub fn new(parts: Outgoing<'s>) -> Self {
        let (recorded, lanes, requests, counting) = Default::default();
        let (begun, window_begun) = (None, None);
        CollectiveRoom { parts, recorded, lanes, begun, window_begun, requests, counting }
    }

    pub fn begin(&mut self, head: &EventHead<'_>, order: Order) {
        // One that began and did not end: whatever ended it was not recorded.
        let before = self.begun.replace(Start { order, time: head.time.0 });
        self.lost(before);
    }

    pub fn request(&mut self, head: &EventHead<'_>, order: Order, request: u64) {
        let start = Start { order, time: head.time.0 };
        let is_full = self.requests.len() >= MOST_OPEN && !self.requests.contains_key(&request);
        let lost = if is_full { Some(start) } else { self.requests.insert(request, start) };
        self.lost(lost);
    }

    /// Nobody knows how it ended.
    fn lost(&mut self, start: Option<Start>) {
        let counts = start.is_some_and(|start| self.counting.counts(start.time));
        self.recorded.open_requests += u64::from(counts);
    }

    pub fn cancelled(&mut self, request: u64) {
        let start = self.requests.remove(&request);
        let counts = start.is_some_and(|start| self.counting.counts(start.time));
        self.recorded.cancelled += u64::from(counts);
    }

    pub fn end(
        &mut self,
        head: &EventHead<'_>,
        here: Order,
        process: Option<Process>,
        comm: Option<CommRef>,
        event: &MpiCollectiveEnd,
    ) {
        let start = self.begun.take();
        self.part(head, start, here, process, comm, (event, true));
    }

    pub fn complete(
        &mut self,
        head: &EventHead<'_>,
        here: Order,
        process: Option<Process>,
        comm: Option<CommRef>,
        event: &NonBlockingCollectiveComplete,
    ) {
        let start = self.requests.remove(&event.request_id);
        let NonBlockingCollectiveComplete { collective_op, root, .. } = *event;
        let NonBlockingCollectiveComplete { communicator, size_sent, size_received, .. } = *event;
        let event =
            MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received };
        self.part(head, start, here, process, comm, (&event, false));
    }

    fn part(
        &mut self,
        head: &EventHead<'_>,
        start: Option<Start>,
        here: Order,
        process: Option<Process>,
        comm: Option<CommRef>,
        (event, blocks): (&MpiCollectiveEnd, bool),
    ) {
        let unbegun = start.is_none();
        let start = start.unwrap_or(Start { order: here, time: head.time.0 });
        let counts = self.counting.counts(start.time);
        let MpiCollectiveEnd { collective_op: op, root, size_sent, size_received, .. } = *event;
        let ticks = head.time.0.saturating_sub(start.time).into();
        let (sent, received) = (size_sent.into(), size_received.into());
        let kind = (comm.unwrap_or(CommRef::UNDEFINED), op, blocks);
        let parts = RecordedParts { parts: 1, sent, received, ticks };
        if counts {
            self.recorded.unbegun += u64::from(unbegun);
            self.recorded.by_kind.entry(kind).or_default().add(&parts);
        }
        let (Some(process), Some(comm)) = (process, comm) else { return };
        let part = Part {
            order: start.order,
            process,
            begin: start.time,
            end: head.time.0,
            op,
            root,
            sent: size_sent,
            received: size_received,
        };
        self.push(What::Collective, comm.0, part);
    }

    /// What a member did in something that all members do.
    pub fn push(&mut self, what: What, of: u32, part: Part) {
        self.lanes.push(Key([of, part.process.0, what as u32, 0]), part, &mut self.parts);
    }

    pub fn begin_on_window(&mut self, head: &EventHead<'_>, order: Order) {
        self.window_begun = Some(Start { order, time: head.time.0 });
    }

    pub fn end_on_window(
        &mut self,
        head: &EventHead<'_>,
        here: Order,
        process: Option<Process>,
        win: Option<RmaWinRef>,
        event: &RmaCollectiveEnd,
    ) {
        let start = self.window_begun.take();
        let start = start.unwrap_or(Start { order: here, time: head.time.0 });
        let (Some(process), Some(win)) = (process, win) else { return };
        let RmaCollectiveEnd { collective_op: op, root, bytes_sent, bytes_received, .. } = *event;
        let part = Part {
            order: start.order,
            process,
            begin: start.time,
            end: head.time.0,
            op,
            root,
            sent: bytes_sent,
            received: bytes_received,
        };
        self.push(What::Window, win.0, part);
    }

    /// The location is at its end.
    pub fn end_location(&mut self) {
        let open = self.requests.drain().map(|(_, start)| start).chain(self.begun.take());
        let counted = open.filter(|start| self.counting.counts(start.time)).count();
        self.window_begun = None;
        self.recorded.open_requests += counted as u64;
        self.lanes.empty(&mut self.parts);
    }
}

/// What is numbered: one of those that members of something started, one after another.
pub trait Numbered: Item {
    /// It has this number, in place of its time. Returns whether the next one has another.
    fn set_number(&mut self, number: u64) -> bool;
}

impl Numbered for Part {
    fn set_number(&mut self, number: u64) -> bool {
        self.order.time = number;
        true
    }
}

/// Numbers the operations of each process on each communicator, from 0, for those who put them together.
///
/// # Errors
///
/// When a block cannot be read.
pub fn number<S: Source>(
    source: S,
    partners: &Partners<'_>,
    sink: &dyn Sink,
) -> Result<(), S::Error> {
    number_by::<S, Part>(source, sink, |key| {
        let Key([of, process, what, _]) = key;
        match What::of(what) {
            What::Collective => whose(key, partners),
            What::Window => {
                let comm = partners.comm_of(RmaWinRef(of)).unwrap_or(CommRef::UNDEFINED);
                whose(Key([comm.0, process, 0, 0]), partners)
            }
            What::Team => u32::MAX,
        }
    })
}

/// For whom the operations of a process on a communicator are numbered: each has one of its own of
/// those that have no other members.
pub fn whose(Key([comm, process, ..]): Key, partners: &Partners<'_>) -> u32 {
    let side = partners.side(CommRef(comm), Process(process));
    if side == Some(Side::Own) {
        process
    } else {
        u32::MAX
    }
}

/// The same of items of any kind. The third part of their keys, 0 to 3, stays in what is gathered as the
/// uppermost two bits, the lower one of it uppermost.
///
/// # Errors
///
/// When a block cannot be read.
pub fn number_by<S: Source, I: Numbered>(
    source: S,
    sink: &dyn Sink,
    whose: impl Fn(Key) -> u32,
) -> Result<(), S::Error> {
    let mut items = Items::<S, I>::new(source)?;
    let (mut lanes, mut outgoing) = (Lanes::default(), Outgoing::new(sink));
    while let Some(key) = items.key() {
        let Key([comm, _, kind, _]) = key;
        let whose = whose(key);
        let mut number = 0u64;
        while let Some(mut item) = items.next(key)? {
            let neighbours = number >> NEIGHBOURS;
            let high = (neighbours >> 32) as u32 | kind.reverse_bits();
            let next = item.set_number(number);
            lanes.push(Key([comm, whose, neighbours as u32, high]), item, &mut outgoing);
            number += u64::from(next);
        }
    }
    lanes.empty(&mut outgoing);
    outgoing.hand_over();
    Ok(())
}

/// Operations whose members were put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    /// Those in which all members took part, in agreement.
    pub complete: u64,
    /// Those of which members are missing.
    pub incomplete: u64,
    /// Those whose members disagree on what it is, or on the root.
    pub disagreeing: u64,
    /// The time that members of complete operations spent before the last of them began, in ticks.
    pub ticks_before_last: u128,
}

impl Operations {
    fn add(&mut self, other: &Operations) {
        self.complete += other.complete;
        self.incomplete += other.incomplete;
        self.disagreeing += other.disagreeing;
        self.ticks_before_last += other.ticks_before_last;
    }
}

/// Operations by communicator and by what its first member says it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectiveTotals {
    /// By communicator and kind.
    pub by_kind: BTreeMap<(CommRef, CollectiveOp), Operations>,
    /// Those on windows.
    pub by_window: BTreeMap<(RmaWinRef, CollectiveOp), Operations>,
    /// Begins of teams of threads.
    pub by_team: BTreeMap<CommRef, Operations>,
}

impl CollectiveTotals {
    /// Adds those of others.
    #[must_use]
    pub fn fold(mut self, other: CollectiveTotals) -> CollectiveTotals {
        for (kind, operations) in &other.by_kind {
            self.by_kind.entry(*kind).or_default().add(operations);
        }
        for (kind, operations) in &other.by_window {
            self.by_window.entry(*kind).or_default().add(operations);
        }
        for (team, operations) in &other.by_team {
            self.by_team.entry(*team).or_default().add(operations);
        }
        self
    }

    /// Those of this, of which one member says that it is this operation.
    fn of(&mut self, what: What, of: u32, op: CollectiveOp) -> &mut Operations {
        match what {
            What::Collective => self.by_kind.entry((CommRef(of), op)).or_default(),
            What::Window => self.by_window.entry((RmaWinRef(of), op)).or_default(),
            What::Team => self.by_team.entry(CommRef(of)).or_default(),
        }
    }
}

/// An operation whose members come one after another.
struct Operation {
    first: Option<Part>,
    members: HashSet<Process, RandomState>,
    disagree: bool,
    first_begin: u64,
    last_begin: u64,
    begins: u128,
}

impl Default for Operation {
    fn default() -> Self {
        let (members, disagree) = Default::default();
        let (first_begin, last_begin, begins) = (u64::MAX, 0, 0);
        Operation { first: None, members, disagree, first_begin, last_begin, begins }
    }
}

impl Operation {
    fn take(&mut self, part: Part, two_groups: bool) {
        let first = *self.first.get_or_insert(part);
        self.first_begin = self.first_begin.min(part.begin);
        // Between two groups the root is another number on either side.
        let roots = two_groups || first.root == part.root;
        self.disagree |= first.op != part.op || !roots || !self.members.insert(part.process);
        self.last_begin = self.last_begin.max(part.begin);
        self.begins += u128::from(part.begin);
    }

    fn end(
        &mut self,
        (what, of): (What, u32),
        size: Option<u64>,
        chosen: &Chosen,
        totals: &mut CollectiveTotals,
    ) {
        let Some(first) = self.first.take() else { return };
        if chosen.is_in_time(self.first_begin) {
            self.count(size, totals.of(what, of, first.op));
        }
        self.members.clear();
        (self.disagree, self.last_begin, self.begins) = (false, 0, 0);
        self.first_begin = u64::MAX;
    }

    fn count(&self, size: Option<u64>, of: &mut Operations) {
        let members = self.members.len() as u64;
        if self.disagree {
            of.disagreeing += 1;
        } else if size == Some(members) {
            of.complete += 1;
            of.ticks_before_last += u128::from(self.last_begin) * u128::from(members) - self.begins;
        } else {
            of.incomplete += 1;
        }
    }
}

/// Puts the members of each operation together. Those that are not chosen are not missed, and of the
/// operations those count whose first member began in the chosen time.
///
/// # Errors
///
/// When a block cannot be read.
pub fn gather<S: Source>(
    source: S,
    partners: &Partners<'_>,
    chosen: &Chosen,
) -> Result<CollectiveTotals, S::Error> {
    let mut items = Items::<S, Part>::new(source)?;
    let (mut totals, mut operation) = (CollectiveTotals::default(), Operation::default());
    let mut sizes: HashMap<(u32, u32), Option<u64>, RandomState> = HashMap::default();
    while let Some(key) = items.key() {
        let Key([of, .., high]) = key;
        let what = What::of(high.reverse_bits());
        let comm = match what {
            What::Collective | What::Team => Some(CommRef(of)),
            What::Window => partners.comm_of(RmaWinRef(of)),
        };
        let size = *sizes.entry((what as u32, of)).or_insert_with(|| match what {
            // All threads of a process are read, or none.
            What::Team => partners.size(comm?),
            _ if chosen.leaves_some() => {
                partners.size_among(comm?, |process| chosen.reads(process))
            }
            _ => partners.size(comm?),
        });
        let two_groups = comm.is_some_and(|comm| partners.has_two_groups(comm));
        let of = (what, of);
        let mut number = None;
        while let Some(part) = items.next(key)? {
            if number.replace(part.order.time) != Some(part.order.time) {
                operation.end(of, size, chosen, &mut totals);
            }
            operation.take(part, two_groups);
        }
        operation.end(of, size, chosen, &mut totals);
    }
    Ok(totals)
}
