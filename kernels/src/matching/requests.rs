//! Requests: what one record posts under a number, and another one completes or cancels by it.
//!
//! Each location follows its own (`RequestRoom`). Where its process has other locations, these may know
//! the other ends: what one of them posted and did not complete, and what one completed and did not
//! post, travels as an [`Orphan`] to whoever owns the number in that process. There
//! [`adopt`] puts them together, in the order of time; what several locations did in one tick has no order, and
//! is what fits. What became of a request is told to a [`Follower`] in either case.

mod adopting;

use std::collections::hash_map::{Entry, HashMap};

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;

use super::block::{put, take, Item, Key, Order};
use super::lanes::{Lanes, Outgoing};
use super::partners::Process;

pub use adopting::adopt;

/// Requests that a location has open at a time, of which more is remembered than that they were
/// there. No program has so many; whoever writes a trace may.
const MOST_OPEN: usize = 1 << 20;

/// What travels with an orphan.
pub trait Luggage: Copy {
    /// Writes it.
    fn put(&self, bytes: &mut Vec<u8>);

    /// Reads what [`Luggage::put`] has written at a location; `None` where that was not written so.
    fn take(location: LocationRef, bytes: &mut &[u8]) -> Option<Self>;
}

/// What is known of a request where it was posted; `C` is what is known where it was completed.
pub trait Post<C>: Luggage {
    /// Whether it can be this that was completed.
    fn is_completed_by(&self, completion: &C) -> bool;
}

/// Learns what became of requests. Each of them is told once.
pub trait Follower<P, C> {
    /// Posted, where that stands, and completed.
    fn complete(&mut self, at: Order, post: P, completion: C);

    /// Posted and cancelled.
    fn cancelled(&mut self, at: Order, post: P);

    /// Posted, and nobody recorded how it ended.
    fn never_completed(&mut self, post: P);

    /// Completed, and nobody recorded that it was posted.
    fn never_posted(&mut self, completion: C);
}

/// Something that a location did with a request of which it knows one end only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orphan<P, C> {
    /// Where it stands among what its process did with the number.
    pub order: Order,
    /// What it did.
    pub deed: Deed<P, C>,
}

/// What was done with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed<P, C> {
    /// It was posted, and not completed here. Where the location gave its number again, it is over there.
    Posted(P, Option<Order>),
    /// It was completed, and not posted here.
    Completed(C),
    /// It was cancelled, and not posted here.
    Cancelled,
}

impl<P: Luggage, C: Luggage> Item for Orphan<P, C> {
    fn order(&self) -> Order {
        self.order
    }

    // There are few of them.
    fn put(&self, _: Option<&Self>, bytes: &mut Vec<u8>) {
        put(self.order.time, bytes);
        put(self.order.number, bytes);
        match &self.deed {
            Deed::Posted(post, over) => {
                put(over.is_some().into(), bytes);
                let over = over.iter().flat_map(|over| [over.time, over.number]);
                over.for_each(|part| put(part, bytes));
                post.put(bytes);
            }
            Deed::Completed(completion) => {
                put(2, bytes);
                completion.put(bytes);
            }
            Deed::Cancelled => put(3, bytes),
        }
    }

    fn take(_: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let (time, number) = (take(bytes)?, take(bytes)?);
        let deed = match take(bytes)? {
            0 => Deed::Posted(P::take(location, bytes)?, None),
            1 => {
                let over = Order { time: take(bytes)?, location, number: take(bytes)? };
                Deed::Posted(P::take(location, bytes)?, Some(over))
            }
            2 => Deed::Completed(C::take(location, bytes)?),
            3 => Deed::Cancelled,
            _ => return None,
        };
        Some(Orphan { order: Order { time, location, number }, deed })
    }
}

/// What an end of a request is to the location that recorded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<P> {
    /// It has posted this, and it stands there.
    Here(Order, P),
    /// Another location of the process may have posted it: this is the key of what it does with it.
    Elsewhere(Key),
    /// Nobody has.
    Nowhere,
}

/// What a worker holds for the requests of one location after another.
pub(crate) struct RequestRoom<'s, P, C> {
    open: HashMap<u64, (Order, P), RandomState>,
    /// The process of the location, where it has other locations.
    shared: Option<Process>,
    orphans: Lanes<Orphan<P, C>>,
    to_orphans: Outgoing<'s>,
}

impl<'s, P: Post<C>, C: Luggage> RequestRoom<'s, P, C> {
    /// Orphans go to this sink.
    pub fn new(to_orphans: Outgoing<'s>) -> Self {
        let (open, orphans) = Default::default();
        RequestRoom { open, shared: None, orphans, to_orphans }
    }

    /// A location begins. `shared`: its process, if it has other locations.
    pub fn begin(&mut self, shared: Option<Process>) {
        self.shared = shared;
    }

    /// Whether there is no room for one more.
    pub fn is_full(&self, number: u64) -> bool {
        self.open.len() >= MOST_OPEN && !self.open.contains_key(&number)
    }

    /// A request is open from here on. Returns one of which nobody will know how it ended: what had the
    /// same number, or this where there is no room.
    #[must_use]
    pub fn post(&mut self, number: u64, at: Order, post: P) -> Option<P> {
        if self.is_full(number) {
            return self.lost(number, (at, post), None);
        }
        let before = self.open.insert(number, (at, post))?;
        self.lost(number, before, Some(at))
    }

    /// What this location has posted under a number, where that is what is over now: so it is as a rule.
    #[inline]
    pub fn end_here(&mut self, number: u64, is_it: impl FnOnce(&P) -> bool) -> Option<(Order, P)> {
        match self.open.entry(number) {
            Entry::Occupied(open) if is_it(&open.get().1) => Some(open.remove()),
            _ => None,
        }
    }

    /// A request was completed. Returns besides what it may have had the number for instead, and of which
    /// nobody will know how it ended.
    #[must_use]
    pub fn complete(&mut self, number: u64, completion: &C) -> (Ended<P>, Option<P>) {
        let lost = match self.open.remove(&number) {
            Some((order, post)) if post.is_completed_by(completion) => {
                return (Ended::Here(order, post), None);
            }
            Some(other) => self.lost(number, other, None),
            None => None,
        };
        (self.key(number).map_or(Ended::Nowhere, Ended::Elsewhere), lost)
    }

    /// A request was cancelled. Returns what it was, if the location has posted it.
    pub fn cancel(&mut self, number: u64) -> Option<(Order, P)> {
        self.open.remove(&number)
    }

    /// A request was cancelled that the location has not posted.
    pub fn cancel_elsewhere(&mut self, number: u64, at: Order) {
        if let Some(key) = self.key(number) {
            self.push(key, Orphan { order: at, deed: Deed::Cancelled });
        }
    }

    /// What a location did with a request that is [elsewhere](Ended::Elsewhere).
    pub fn push(&mut self, key: Key, orphan: Orphan<P, C>) {
        self.orphans.push(key, orphan, &mut self.to_orphans);
    }

    /// The location is at its end: hands out what nobody will complete.
    pub fn end(&mut self, mut never_completed: impl FnMut(P)) {
        match self.shared {
            None => self.open.drain().for_each(|(_, (_, post))| never_completed(post)),
            Some(_) => {
                for (number, posted) in std::mem::take(&mut self.open) {
                    self.lost(number, posted, None);
                }
            }
        }
        self.orphans.empty(&mut self.to_orphans);
    }

    /// There are no more locations.
    pub fn hand_over(&mut self) {
        self.to_orphans.hand_over();
    }

    /// The location did not complete what it posted; returns it if nobody else can have.
    fn lost(&mut self, number: u64, (order, post): (Order, P), over: Option<Order>) -> Option<P> {
        let Some(key) = self.key(number) else { return Some(post) };
        self.push(key, Orphan { order, deed: Deed::Posted(post, over) });
        None
    }

    /// The key of a request of the process.
    fn key(&self, number: u64) -> Option<Key> {
        self.shared.map(|Process(process)| Key([process, number as u32, (number >> 32) as u32, 0]))
    }
}
