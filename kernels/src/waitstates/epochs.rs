//! Epochs of access to the memory of others: waits for their begin, their end, and locks.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;

use super::call::Call;
use super::charges::{Charges, Wait};
use super::culprit::Culprit;
use super::meetings::link_one;
use super::metric::Metric;
use super::severity::{Kind, LeftOut};
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::{Item, Items, Key, Lanes, Order, Outgoing, Process, Sink, Source};
use crate::replay::{Link, LinkId, Point, Taker, What};

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
    /// To the origin: its target opened its memory. The calls: start and complete.
    Posted(Opener),
    /// To the origin: an operation on that target began at this time, and was under way when that was
    /// opened. The call: the operation.
    Waited {
        /// When it began.
        began: u64,
        /// The target that opened its memory.
        posted: Opener,
    },
    /// To the target: an origin entered its complete at a time, and its last operation ended at another. The
    /// call: wait.
    Completed {
        /// The origin that entered complete.
        complete: Opener,
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

/// A location that others waited for, with the number of its call or event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opener {
    /// The location, and when it entered the call, or released a lock.
    pub culprit: Culprit,
    /// The number of that event.
    pub number: u64,
}

impl Opener {
    /// A location that entered a call.
    fn new(location: LocationRef, call: Call) -> Self {
        let culprit = Culprit::new(location, Some(call), call.enter);
        Opener { culprit, number: call.number }
    }

    fn time(&self) -> u64 {
        self.culprit.time
    }

    fn put(self, bytes: &mut Vec<u8>) {
        Culprit::put_any(Some(self.culprit), bytes);
        put(self.number, bytes);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Some(Opener { culprit: Culprit::take_any(bytes)??, number: take(bytes)? })
    }
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
            EpochEvent::Posted(_) => (3, 0, 0),
            EpochEvent::Waited { began, .. } => (4, began, 0),
            EpochEvent::Completed { ended, .. } => (5, 0, ended),
            EpochEvent::Locked(lock) => (6, lock.request, lock.alone.into()),
            EpochEvent::LockedOperation(lock) => (7, lock.request, lock.alone.into()),
        };
        [kind, a, b].into_iter().for_each(|part| put(part, bytes));
        match self.action {
            EpochEvent::Posted(by)
            | EpochEvent::Waited { posted: by, .. }
            | EpochEvent::Completed { complete: by, .. } => by.put(bytes),
            _ => {}
        }
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
        let by = matches!(kind, 3..=5).then(|| Opener::take(bytes));
        let by = || by.flatten();
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
            3 => EpochEvent::Posted(by()?),
            4 => EpochEvent::Waited { began: a, posted: by()? },
            5 => EpochEvent::Completed { complete: by()?, ended: b, of: of()? },
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
    let action = EpochEvent::Posted(Opener::new(exposure.order.location, post));
    let calls = [Some(start), Some(complete)];
    tell.tell((access.order.location, win), (start.number, 0), action, calls);
    if let (Some(wait), EpochEvent::Access(ended)) = (wait, access.action) {
        let of = [origin, target].map(Process);
        let complete = Opener::new(access.order.location, complete);
        let action = EpochEvent::Completed { complete, ended, of };
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
    let posted = Opener::new(exposure.order.location, post);
    if began < posted.time() && posted.time() < call.leave {
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

/// An operation that waited: the call, from when on, how long, and for which target.
type WaitedOperation = (Call, u64, u64, Opener);

/// The end of an exposure: the wait, the origins with the target, and when the last operation ended.
type Exposure = (Call, Vec<(Opener, [Process; 2])>, u64);

/// The other sides of an epoch.
struct Epoch {
    number: u64,
    location: LocationRef,
    /// Start and complete, and the targets that opened their memory.
    access: Option<([Call; 2], Vec<Opener>)>,
    operations: Vec<WaitedOperation>,
    exposure: Option<Exposure>,
}

/// The kinds of dependencies: of an access on its targets, of an operation on its target, of an exposure on its origins.
const ON_TARGETS: u8 = 9;
const ON_TARGET: u8 = 10;
const ON_ORIGINS: u8 = 11;
const ON_HOLDER: u8 = 12;

impl Epoch {
    fn new(first: &EpochItem) -> Self {
        let (number, location) = (first.order.time, first.order.location);
        Epoch { number, location, access: None, operations: Vec::new(), exposure: None }
    }

    fn take(&mut self, item: &EpochItem) {
        match (item.action, item.calls) {
            (EpochEvent::Posted(by), [Some(start), Some(complete)]) => {
                let (_, posts) = self.access.get_or_insert(([start, complete], Vec::new()));
                posts.push(by);
            }
            (EpochEvent::Waited { began, posted }, [Some(call), _]) => {
                let ticks = posted.time().saturating_sub(began).min(call.exclusive);
                self.operations.push((call, began, ticks, posted));
            }
            (EpochEvent::Completed { complete, ended, of }, [Some(wait), _]) => {
                let (_, origins, last) = self.exposure.get_or_insert((wait, Vec::new(), ended));
                origins.push((complete, of));
                *last = ended.max(*last);
            }
            _ => {}
        }
    }

    fn charge(self, charges: &mut Charges<'_, '_>) {
        let location = self.location;
        // Of several at one time the first location.
        let place = |by: &Opener| (by.time(), std::cmp::Reverse(by.culprit.location));
        let last_post =
            self.access.as_ref().and_then(|(_, posts)| posts.iter().copied().max_by_key(place));
        if let Some((([start, complete], posts), last)) = self.access.zip(last_post) {
            let posted = last.time();
            let blocked = [complete, start]
                .into_iter()
                .find(|call| call.enter < posted && posted < call.leave);
            let at = blocked.unwrap_or(complete);
            depend(&posts, (location, start.number, ON_TARGETS), at, posted, charges);
            match blocked {
                Some(call) => {
                    let metric = Metric::MPI_RMA_SYNC_LATE_POST;
                    let wait = Wait::until(posted, metric, location, call);
                    charges.wait(wait.for_whom(Some(last.culprit)));
                }
                None => {
                    for (call, from, ticks, by) in self.operations {
                        let (metric, part) = (Metric::MPI_RMA_COMM_LATE_POST, None);
                        let culprit = Some(by.culprit);
                        let wait = Wait { metric, location, call, from, ticks, part, culprit };
                        link_one(by, &wait, ON_TARGET, charges.links);
                        charges.wait(wait);
                    }
                }
            }
        }
        let Some((wait, origins, ended)) = self.exposure else { return };
        // Of several at one time the first process, whichever comes first.
        let last = origins.iter().max_by_key(|(by, of)| (by.time(), std::cmp::Reverse(*of)));
        let Some((last, of)) = last.copied() else { return };
        let complete = last.time();
        let completes: Vec<Opener> = origins.into_iter().map(|(by, _)| by).collect();
        depend(&completes, (location, wait.number, ON_ORIGINS), wait, complete, charges);
        let early = Wait::until(complete, Metric::MPI_RMA_EARLY_WAIT, location, wait);
        let early = early.for_whom(Some(last.culprit));
        let until = complete.min(wait.leave);
        let late = until.saturating_sub(wait.enter.max(ended)).min(early.ticks);
        charges.wait(Wait { part: Some((Metric::MPI_RMA_LATE_COMPLETE, late)), ..early });
        let left = wait.left().unwrap_or(u64::MAX);
        charges.severities.check(Kind::Rma, of, complete, left);
    }
}

/// A call of a location depends on others, the last of which entered theirs at a time. `id`: the name of the dependency.
fn depend(
    on: &[Opener],
    (location, number, kind): (LocationRef, u64, u8),
    call: Call,
    last: u64,
    charges: &mut Charges<'_, '_>,
) {
    for Opener { culprit, .. } in on {
        let together = culprit.time.max(call.enter);
        charges.edges.syncs.pair(location, culprit.location, together);
    }
    if !charges.links.are_wanted() {
        return;
    }
    let givers = on.len() as u32;
    let id = LinkId { location, number, kind };
    let link = Link { id, givers, takers: 1, ordered: false, parts: false };
    for (place, Opener { culprit, number }) in (0..).zip(on.iter().copied()) {
        let what = What::Gives { link, place, message: true, bytes: 0 };
        let Culprit { location, time, .. } = culprit;
        charges.links.push(Point { location, time, number, what });
    }
    let taker = Taker {
        location,
        time: call.enter,
        number: call.number,
        until: call.leave,
        waited: call.time_to(last),
        in_mpi: true,
        before: false,
        bytes: 0,
        message: true,
        recorded_only: false,
    };
    charges.links.push(taker.point(link, givers, last));
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
    /// The last release that it had to wait for.
    before: Option<Opener>,
    charged: bool,
}

/// The last releases by two different origins.
type LastTwo = [Option<(Opener, Process)>; 2];

/// The last releases.
#[derive(Clone, Copy, Default)]
struct Last {
    /// All so far.
    all: LastTwo,
    /// Those before the time of the last one.
    earlier: LastTwo,
}

impl Last {
    fn add(&mut self, release: Opener, by: Process) {
        let [first, second] = self.all;
        if first.is_none_or(|(last, _)| last.time() < release.time()) {
            self.earlier = self.all;
        }
        let other = if first.is_some_and(|(_, who)| who == by) { second } else { first };
        self.all = [Some((release, by)), other];
    }

    /// The last by another one, before a time that is not before any of these.
    fn by_other(&self, than: Process, before: u64) -> Option<Opener> {
        let is_before = self.all[0].is_none_or(|(last, _)| last.time() < before);
        let known = if is_before { &self.all } else { &self.earlier };
        let other = known.iter().flatten().find(|(_, who)| *who != than);
        other.map(|(release, _)| *release)
    }
}

impl Locks {
    fn take(&mut self, item: &EpochItem, charges: &mut Charges<'_, '_>) {
        let (EpochEvent::Locked(lock) | EpochEvent::LockedOperation(lock)) = item.action else {
            return;
        };
        let Order { time: released, location, number } = item.order;
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
            // Of several at one time the last location.
            let both = here.by_other(lock.origin, released).into_iter().chain(elsewhere);
            let before = both.max_by_key(|release| (release.time(), release.culprit.location));
            let before = before.filter(|release| lock.request < release.time());
            of.present = Some(Held { location, released, before, charged: false });
        }
        if let Some(held) = &mut of.present {
            held.charge(item, is_whole, charges);
        }
        if is_whole {
            of.present = None;
            let culprit = Culprit::new(location, item.calls[1], released);
            let release = Opener { culprit, number };
            of.all.add(release, lock.origin);
            if lock.alone {
                of.alone.add(release, lock.origin);
                self.alone.add(release, lock.origin);
            }
            if lock.target == EVERYBODY {
                self.everybody.add(release, lock.origin);
            }
        }
    }
}

impl Held {
    /// It waited in the first of its calls that was under way when the last one was released.
    fn charge(&mut self, item: &EpochItem, is_whole: bool, charges: &mut Charges<'_, '_>) {
        let (Some(before), false) = (self.before, self.charged) else { return };
        let time = before.time();
        let blocked =
            |call: &Option<Call>| call.filter(|call| call.enter < time && time < call.leave);
        let [lock, other] = item.calls;
        let sync = Metric::MPI_RMA_SYNC_LOCK_COMPETITION;
        let comm = Metric::MPI_RMA_COMM_LOCK_COMPETITION;
        let of_other = if is_whole { sync } else { comm };
        let found = blocked(&lock).map(|call| (call, sync));
        let found = found.or_else(|| blocked(&other).map(|call| (call, of_other)));
        if let Some((call, metric)) = found {
            self.charged = true;
            let wait =
                Wait::until(time, metric, self.location, call).for_whom(Some(before.culprit));
            link_one(before, &wait, ON_HOLDER, charges.links);
            charges.wait(wait);
        }
    }
}
