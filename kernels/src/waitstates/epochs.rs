//! Epochs of access to the memory of others: waits for their begin, their end, and locks.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;

use super::call::Call;
use super::charges::{Charges, Wait};
use super::metric::Metric;
use super::severity::{Kind, LeftOut};
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Items, Key, Lanes, Order, Outgoing, Process, Sink, Source};

/// An event of a location in an epoch, or one of the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpochItem {
    /// Its order among those of its key.
    pub order: Order,
    /// The event.
    pub action: EpochEvent,
    /// The calls that begin and end it, or that it was in.
    pub calls: [Option<Call>; 2],
}

/// The event of an epoch. Times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpochEvent {
    /// An origin had access to a target: when its last operation there ended, 0 where it had none. The
    /// calls: start and complete.
    Access(u64),
    /// An operation of the access before, when it began. The call: its own.
    Operation(u64),
    /// A target gave an origin access. The calls: post and wait.
    Exposure,
    /// To the origin: its target opened its memory at this time. The calls: start and complete.
    Posted(u64),
    /// To the origin: an operation on that target began at this time, and was under way when that was
    /// opened. The call: the operation.
    Waited {
        /// When it began.
        began: u64,
        /// When the target opened its memory.
        posted: u64,
    },
    /// To the target: an origin entered its complete at a time, and its last operation ended at another. The
    /// call: wait.
    Completed {
        /// When complete was entered.
        complete: u64,
        /// When the last operation ended; 0: there was none.
        ended: u64,
        /// The origin and the target.
        of: [Process; 2],
    },
    /// A lock was held. The calls: lock and unlock.
    Locked(Lock),
    /// An operation while it was. The calls: lock, and its own.
    LockedOperation(Lock),
}

/// A lock of the memory of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock {
    /// When it was requested, in ticks.
    pub request: u64,
    /// Set if no other process may have it.
    pub alone: bool,
    /// The process that has it.
    pub origin: Process,
    /// The process whose memory it is, or [`EVERYBODY`].
    pub target: Process,
}

/// All processes of a window, whose memory is locked at once.
pub const EVERYBODY: Process = Process(u32::MAX);

impl Item for EpochItem {
    fn order(&self) -> Order {
        self.order
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        put_change(self.order.time, before.map_or(0, |before| before.order.time), bytes);
        put_change(self.order.number, before.map_or(0, |before| before.order.number), bytes);
        let (kind, a, b) = match self.action {
            EpochEvent::Access(ended) => (0, ended, 0),
            EpochEvent::Operation(began) => (1, began, 0),
            EpochEvent::Exposure => (2, 0, 0),
            EpochEvent::Posted(at) => (3, at, 0),
            EpochEvent::Waited { began, posted } => (4, began, posted),
            EpochEvent::Completed { complete, ended, .. } => (5, complete, ended),
            EpochEvent::Locked(lock) => (6, lock.request, lock.alone.into()),
            EpochEvent::LockedOperation(lock) => (7, lock.request, lock.alone.into()),
        };
        [kind, a, b].into_iter().for_each(|part| put(part, bytes));
        if let Some(of) = self.of() {
            of.into_iter().for_each(|Process(process)| put(process.into(), bytes));
        }
        for (place, call) in self.calls.iter().enumerate() {
            let last = before.and_then(|before| before.calls[place]);
            Call::put_any(*call, last.map_or(0, |call| call.enter), last.as_ref(), bytes);
        }
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let time = take_change(before.map_or(0, |before| before.order.time), bytes)?;
        let number = take_change(before.map_or(0, |before| before.order.number), bytes)?;
        let (kind, a, b) = (take(bytes)?, take(bytes)?, take(bytes)?);
        let mut of = || {
            let mut process = || Some(Process(take(bytes)?.try_into().ok()?));
            Some([process()?, process()?])
        };
        let lock =
            |[origin, target]: [Process; 2]| Lock { request: a, alone: b == 1, origin, target };
        let action = match kind {
            0 => EpochEvent::Access(a),
            1 => EpochEvent::Operation(a),
            2 => EpochEvent::Exposure,
            3 => EpochEvent::Posted(a),
            4 => EpochEvent::Waited { began: a, posted: b },
            5 => EpochEvent::Completed { complete: a, ended: b, of: of()? },
            6 => EpochEvent::Locked(lock(of()?)),
            7 => EpochEvent::LockedOperation(lock(of()?)),
            _ => return None,
        };
        let mut call = |place: usize| {
            let last = before.and_then(|before| before.calls[place]);
            Call::take_any(last.map_or(0, |call| call.enter), last.as_ref(), bytes)
        };
        let calls = [call(0)?, call(1)?];
        Some(EpochItem { order: Order { time, location, number }, action, calls })
    }
}

impl EpochItem {
    /// The origin and the target, where the key does not say them.
    fn of(&self) -> Option<[Process; 2]> {
        match self.action {
            EpochEvent::Completed { of, .. } => Some(of),
            EpochEvent::Locked(lock) | EpochEvent::LockedOperation(lock) => {
                Some([lock.origin, lock.target])
            }
            _ => None,
        }
    }
}

/// The key of the epochs of an origin at a target of a window.
pub fn key_of_epochs(win: u32, origin: Process, target: Process) -> Key {
    Key([win, origin.0, target.0, 0])
}

/// The key of locks on a window: some are of all targets, so that those of all are compared together.
pub fn key_of_locks(win: u32) -> Key {
    Key([win, u32::MAX, 0, 1])
}

/// Items for the locations of both sides.
struct Tell<'s> {
    lanes: Lanes<EpochItem>,
    outgoing: Outgoing<'s>,
}

impl Tell<'_> {
    /// Sends an item to a location: one of its epochs on a window, which has the number of a call.
    fn tell(
        &mut self,
        (location, win): (LocationRef, u32),
        (epoch, number): (u64, u64),
        action: EpochEvent,
        calls: [Option<Call>; 2],
    ) {
        let key = Key([location.0 as u32, (location.0 >> 32) as u32, win, 0]);
        let order = Order { time: epoch, location, number };
        self.lanes.push(key, EpochItem { order, action, calls }, &mut self.outgoing);
    }
}

/// Joins the n-th access of each origin to each target with the n-th time that this opened its memory to it, and sends
/// items to both; compares locks.
///
/// # Errors
///
/// When a block cannot be read.
pub fn join<S: Source>(
    accesses: S,
    exposures: S,
    told: &dyn Sink,
    charges: &mut Charges<'_, '_>,
) -> Result<(), S::Error> {
    let mut accesses = Items::<S, EpochItem>::new(accesses)?;
    let mut exposures = Items::<S, EpochItem>::new(exposures)?;
    let mut tell = Tell { lanes: Lanes::default(), outgoing: Outgoing::new(told) };
    let place = |key: Key| (key.hash(), key);
    loop {
        let key = match (accesses.key(), exposures.key()) {
            (Some(a), Some(b)) => std::cmp::min_by_key(a, b, |key| place(*key)),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => break,
        };
        let mut locks = Locks::default();
        let mut present: Option<(EpochItem, EpochItem)> = None;
        while let Some(item) = accesses.next_of_all(key)? {
            match item.action {
                EpochEvent::Access(_) => {
                    present = exposures.next_of_all(key)?.map(|exposure| (item, exposure));
                    match &present {
                        Some((access, exposure)) => tell_both(key, access, exposure, &mut tell),
                        None => charges.severities.leave_out(LeftOut::Epochs, 1),
                    }
                }
                EpochEvent::Operation(began) => {
                    if let Some((access, exposure)) = &present {
                        tell_operation(key, access, exposure, &item, began, &mut tell);
                    }
                }
                EpochEvent::Locked(..) | EpochEvent::LockedOperation(..) => {
                    locks.take(&item, charges)
                }
                _ => {}
            }
        }
        while exposures.next_of_all(key)?.is_some() {
            charges.severities.leave_out(LeftOut::Epochs, 1);
        }
    }
    tell.lanes.empty(&mut tell.outgoing);
    tell.outgoing.hand_over();
    Ok(())
}

fn tell_both(key: Key, access: &EpochItem, exposure: &EpochItem, tell: &mut Tell<'_>) {
    let ([start, complete], [post, wait]) = (access.calls, exposure.calls);
    let (Some(start), Some(complete), Some(post)) = (start, complete, post) else { return };
    let Key([win, origin, target, _]) = key;
    let action = EpochEvent::Posted(post.enter);
    let calls = [Some(start), Some(complete)];
    tell.tell((access.order.location, win), (start.number, 0), action, calls);
    if let (Some(wait), EpochEvent::Access(ended)) = (wait, access.action) {
        let of = [origin, target].map(Process);
        let action = EpochEvent::Completed { complete: complete.enter, ended, of };
        // One of several origins: which one stands first does not matter.
        let number = u64::from(access.order.location.0 as u32);
        let place = (exposure.order.location, win);
        tell.tell(place, (wait.number, number), action, [Some(wait), None]);
    }
}

fn tell_operation(
    Key([win, ..]): Key,
    access: &EpochItem,
    exposure: &EpochItem,
    operation: &EpochItem,
    began: u64,
    tell: &mut Tell<'_>,
) {
    let (Some(start), Some(post)) = (access.calls[0], exposure.calls[0]) else { return };
    let Some(call) = operation.calls[0] else { return };
    let posted = post.enter;
    if began < posted && posted < call.leave {
        let action = EpochEvent::Waited { began, posted };
        let place = (start.number, operation.order.number);
        tell.tell((access.order.location, win), place, action, [Some(call), None]);
    }
}

/// Joins the items that each location received about its epochs.
///
/// # Errors
///
/// When a block cannot be read.
pub fn judge<S: Source>(source: S, charges: &mut Charges<'_, '_>) -> Result<(), S::Error> {
    let mut items = Items::<S, EpochItem>::new(source)?;
    while let Some(key) = items.key() {
        let mut epoch: Option<Epoch> = None;
        while let Some(item) = items.next_of_all(key)? {
            if epoch.as_ref().is_some_and(|epoch| epoch.number != item.order.time) {
                epoch.take().into_iter().for_each(|epoch| epoch.charge(charges));
            }
            epoch.get_or_insert_with(|| Epoch::new(&item)).take(&item);
        }
        epoch.into_iter().for_each(|epoch| epoch.charge(charges));
    }
    Ok(())
}

/// When the last origin of an epoch entered its complete, in ticks; which it is, and the target.
type LastOrigin = (u64, [Process; 2]);

/// The other sides of an epoch.
struct Epoch {
    number: u64,
    location: LocationRef,
    /// Start and complete, and when the last target opened its memory.
    access: Option<([Call; 2], u64)>,
    /// Operations that waited: the call, from when on, and how long.
    operations: Vec<(Call, u64, u64)>,
    /// Wait, what the last origin did, and when the last operation ended.
    exposure: Option<(Call, LastOrigin, u64)>,
}

impl Epoch {
    fn new(first: &EpochItem) -> Self {
        let (number, location) = (first.order.time, first.order.location);
        Epoch { number, location, access: None, operations: Vec::new(), exposure: None }
    }

    fn take(&mut self, item: &EpochItem) {
        match (item.action, item.calls) {
            (EpochEvent::Posted(at), [Some(start), Some(complete)]) => {
                let (_, latest) = self.access.get_or_insert(([start, complete], at));
                *latest = at.max(*latest);
            }
            (EpochEvent::Waited { began, posted }, [Some(call), _]) => {
                self.operations.push((call, began, (posted - began).min(call.exclusive)));
            }
            (EpochEvent::Completed { complete, ended, of }, [Some(wait), _]) => {
                let here = (complete, of);
                let (_, latest, last) = self.exposure.get_or_insert((wait, here, ended));
                // Of two at one time the first process, whichever comes first.
                let place = |(time, of): LastOrigin| (time, std::cmp::Reverse(of));
                *latest = std::cmp::max_by_key(*latest, here, |origin| place(*origin));
                *last = ended.max(*last);
            }
            _ => {}
        }
    }

    fn charge(self, charges: &mut Charges<'_, '_>) {
        if let Some(([start, complete], posted)) = self.access {
            let blocked = [complete, start]
                .into_iter()
                .find(|call| call.enter < posted && posted < call.leave);
            match blocked {
                Some(call) => {
                    let metric = Metric::MPI_RMA_SYNC_LATE_POST;
                    charges.wait(Wait::until(posted, metric, self.location, call));
                }
                None => {
                    for (call, from, ticks) in self.operations {
                        let (metric, location) = (Metric::MPI_RMA_COMM_LATE_POST, self.location);
                        let part = None;
                        let culprit = None;
                        charges.wait(Wait { metric, location, call, from, ticks, part, culprit });
                    }
                }
            }
        }
        if let Some((wait, (complete, of), ended)) = self.exposure {
            let early = Wait::until(complete, Metric::MPI_RMA_EARLY_WAIT, self.location, wait);
            let until = complete.min(wait.leave);
            let late = until.saturating_sub(wait.enter.max(ended)).min(early.ticks);
            charges.wait(Wait { part: Some((Metric::MPI_RMA_LATE_COMPLETE, late)), ..early });
            let left = wait.left().unwrap_or(u64::MAX);
            charges.severities.check(Kind::Rma, of, complete, left);
        }
    }
}

/// The locks of a window, in the order in which they were released.
#[derive(Default)]
struct Locks {
    of: HashMap<Process, OfTarget, RandomState>,
    /// The last releases of locks that were held alone, of whatever target.
    alone: Last,
    /// Those of locks of everybody's memory.
    everybody: Last,
}

/// The locks of one target.
#[derive(Default)]
struct OfTarget {
    /// The last releases: of locks held alone, and of all.
    alone: Last,
    all: Last,
    present: Option<Held>,
}

/// A lock that was held.
struct Held {
    location: LocationRef,
    released: u64,
    /// When the last one that it had to wait for was released.
    before: Option<u64>,
    charged: bool,
}

/// The last releases by two different origins: when, and by whom.
type LastTwo = [Option<(u64, Process)>; 2];

/// The last releases.
#[derive(Clone, Copy, Default)]
struct Last {
    /// All so far.
    all: LastTwo,
    /// Those before the time of the last one.
    earlier: LastTwo,
}

impl Last {
    fn add(&mut self, time: u64, by: Process) {
        let [first, second] = self.all;
        if first.is_none_or(|(last, _)| last < time) {
            self.earlier = self.all;
        }
        let other = if first.is_some_and(|(_, who)| who == by) { second } else { first };
        self.all = [Some((time, by)), other];
    }

    /// The last by another one, before a time that is not before any of these.
    fn by_other(&self, than: Process, before: u64) -> Option<u64> {
        let is_before = self.all[0].is_none_or(|(last, _)| last < before);
        let known = if is_before { &self.all } else { &self.earlier };
        let other = known.iter().flatten().find(|(_, who)| *who != than);
        other.map(|(time, _)| *time)
    }
}

impl Locks {
    fn take(&mut self, item: &EpochItem, charges: &mut Charges<'_, '_>) {
        let (EpochEvent::Locked(lock) | EpochEvent::LockedOperation(lock)) = item.action else {
            return;
        };
        let Order { time: released, location, .. } = item.order;
        let is_whole = matches!(item.action, EpochEvent::Locked(_));
        let of = self.of.entry(lock.target).or_default();
        let same = |held: &Held| (held.location, held.released) == (location, released);
        if !of.present.as_ref().is_some_and(same) {
            let elsewhere = match (lock.target == EVERYBODY, lock.alone) {
                (true, _) => self.alone.by_other(lock.origin, released),
                (false, true) => self.everybody.by_other(lock.origin, released),
                (false, false) => None,
            };
            let here = if lock.alone { &of.all } else { &of.alone };
            let before = here.by_other(lock.origin, released).max(elsewhere);
            let before = before.filter(|time| lock.request < *time);
            of.present = Some(Held { location, released, before, charged: false });
        }
        if let Some(held) = &mut of.present {
            held.charge(item, is_whole, charges);
        }
        if is_whole {
            of.present = None;
            of.all.add(released, lock.origin);
            if lock.alone {
                of.alone.add(released, lock.origin);
                self.alone.add(released, lock.origin);
            }
            if lock.target == EVERYBODY {
                self.everybody.add(released, lock.origin);
            }
        }
    }
}

impl Held {
    /// It waited in the first of its calls that was under way when the last one was released.
    fn charge(&mut self, item: &EpochItem, is_whole: bool, charges: &mut Charges<'_, '_>) {
        let (Some(before), false) = (self.before, self.charged) else { return };
        let blocked =
            |call: &Option<Call>| call.filter(|call| call.enter < before && before < call.leave);
        let [lock, other] = item.calls;
        let sync = Metric::MPI_RMA_SYNC_LOCK_COMPETITION;
        let comm = Metric::MPI_RMA_COMM_LOCK_COMPETITION;
        let of_other = if is_whole { sync } else { comm };
        let found = blocked(&lock).map(|call| (call, sync));
        let found = found.or_else(|| blocked(&other).map(|call| (call, of_other)));
        if let Some((call, metric)) = found {
            self.charged = true;
            charges.wait(Wait::until(before, metric, self.location, call));
        }
    }
}
