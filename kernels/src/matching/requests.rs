//! Requests: what one record posts under a number, and another one completes or cancels by it.
//!
//! Each location follows its own (`RequestRoom`). Where its process has other locations, these may know
//! the other ends: what one of them posted and did not complete, and what one completed and did not
//! post, travels as an [`Orphan`] to whoever owns the number in that process. There
//! [`adopt`] puts them together, in the order of time; what several locations did in one tick has no order, and
//! is what fits. What became of a request is told to a [`Follower`] in either case.

mod adopting;

use foldhash::fast::RandomState;
use indexmap::map::{Entry, IndexMap};
use streamfold_model::ids::LocationRef;

use super::block::{put, take, Item, Key, Order};
use super::lanes::{Lanes, Outgoing};
use super::partners::Process;

pub use adopting::adopt;

/// Requests that a location has open at a time, of which more is remembered than that they were
/// there. No program has so many; whoever writes a trace may.
pub const MOST_OPEN: usize = 1 << 20;

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

    /// Posted, where that stands, and nobody recorded how it ended.
    fn never_completed(&mut self, at: Order, post: P);

    /// Completed, and nobody recorded that it was posted.
    fn never_posted(&mut self, completion: C);
}

/// Something that a location did with a request of which it knows one end only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orphan<P, C> {
    /// Where it stands among what its process did with the number.
    pub order: Order,
    /// What it did.
    pub action: RequestEvent<P, C>,
}

/// What was done with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestEvent<P, C> {
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
        match &self.action {
            RequestEvent::Posted(post, over) => {
                put(over.is_some().into(), bytes);
                let over = over.iter().flat_map(|over| [over.time, over.number]);
                over.for_each(|part| put(part, bytes));
                post.put(bytes);
            }
            RequestEvent::Completed(completion) => {
                put(2, bytes);
                completion.put(bytes);
            }
            RequestEvent::Cancelled => put(3, bytes),
        }
    }

    fn take(_: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let (time, number) = (take(bytes)?, take(bytes)?);
        let action = match take(bytes)? {
            0 => RequestEvent::Posted(P::take(location, bytes)?, None),
            1 => {
                let over = Order { time: take(bytes)?, location, number: take(bytes)? };
                RequestEvent::Posted(P::take(location, bytes)?, Some(over))
            }
            2 => RequestEvent::Completed(C::take(location, bytes)?),
            3 => RequestEvent::Cancelled,
            _ => return None,
        };
        Some(Orphan { order: Order { time, location, number }, action })
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
    Undefined,
}

/// What is remembered of a request that is open. Of these there may be many.
struct Open<P> {
    /// Where it was posted: the time and the number of the order.
    time: u64,
    event: u64,
    post: P,
}

/// What a worker holds for the requests of one location after another.
pub(crate) struct RequestRoom<'s, P, C> {
    /// By number. This kind of map takes no room for those that it does not have.
    open: IndexMap<u64, Open<P>, RandomState>,
    location: LocationRef,
    /// Those for which there was no room.
    untracked: u64,
    /// The process of the location, where it has other locations.
    shared: Option<Process>,
    orphans: Lanes<Orphan<P, C>>,
    to_orphans: Outgoing<'s>,
}

impl<P> Open<P> {
    /// With where it was posted, which was at this location.
    fn at(self, location: LocationRef) -> (Order, P) {
        let Open { time, event: number, post } = self;
        (Order { time, location, number }, post)
    }
}

impl<'s, P: Post<C>, C: Luggage> RequestRoom<'s, P, C> {
    /// Orphans go to this sink.
    pub fn new(to_orphans: Outgoing<'s>) -> Self {
        let (open, orphans) = Default::default();
        let (location, untracked, shared) = (LocationRef(0), 0, None);
        RequestRoom { open, location, untracked, shared, orphans, to_orphans }
    }

    /// A location begins. `shared`: its process, if it has other locations.
    pub fn begin(&mut self, location: LocationRef, shared: Option<Process>) {
        (self.location, self.shared) = (location, shared);
    }

    /// How many requests there were for which there was no room, of all locations.
    pub fn untracked(&self) -> u64 {
        self.untracked
    }

    /// A request is open from here on. Returns one of which nobody will know how it ended: what had the
    /// same number, or this where there is no room.
    #[must_use]
    pub fn post(&mut self, number: u64, at: Order, post: P) -> Option<(Order, P)> {
        if self.open.len() >= MOST_OPEN && !self.open.contains_key(&number) {
            self.untracked += 1;
            return self.lost(number, (at, post), None);
        }
        let Order { time, number: event, .. } = at;
        let before = self.open.insert(number, Open { time, event, post })?;
        self.lost(number, before.at(self.location), Some(at))
    }

    /// What this location has posted under a number, where that is what is over now: so it is as a rule.
    #[inline]
    pub fn end_here(&mut self, number: u64, is_it: impl FnOnce(&P) -> bool) -> Option<(Order, P)> {
        match self.open.entry(number) {
            Entry::Occupied(open) if is_it(&open.get().post) => {
                Some(open.swap_remove().at(self.location))
            }
            _ => None,
        }
    }

    /// A request was completed. Returns besides what it may have had the number for instead, and of which
    /// nobody will know how it ended.
    #[must_use]
    pub fn complete(&mut self, number: u64, completion: &C) -> (Ended<P>, Option<(Order, P)>) {
        let lost = match self.cancel(number) {
            Some((order, post)) if post.is_completed_by(completion) => {
                return (Ended::Here(order, post), None);
            }
            Some(other) => self.lost(number, other, None),
            None => None,
        };
        (self.key(number).map_or(Ended::Undefined, Ended::Elsewhere), lost)
    }

    /// A request was cancelled. Returns what it was, if the location has posted it.
    pub fn cancel(&mut self, number: u64) -> Option<(Order, P)> {
        self.open.swap_remove(&number).map(|open| open.at(self.location))
    }

    /// A request was cancelled that the location has not posted.
    pub fn cancel_elsewhere(&mut self, number: u64, at: Order) {
        if let Some(key) = self.key(number) {
            self.push(key, Orphan { order: at, action: RequestEvent::Cancelled });
        }
    }

    /// What a location did with a request that is [elsewhere](Ended::Elsewhere).
    pub fn push(&mut self, key: Key, orphan: Orphan<P, C>) {
        self.orphans.push(key, orphan, &mut self.to_orphans);
    }

    /// The location is at its end: hands out what nobody will complete.
    pub fn end(&mut self, mut never_completed: impl FnMut(Order, P)) {
        while let Some((at, post)) = self.end_one() {
            never_completed(at, post);
        }
    }

    /// The same, one after another: `None` when there are no more.
    pub fn end_one(&mut self) -> Option<(Order, P)> {
        while let Some((number, open)) = self.open.pop() {
            let lost = self.lost(number, open.at(self.location), None);
            if lost.is_some() {
                return lost;
            }
        }
        self.orphans.empty(&mut self.to_orphans);
        None
    }

    /// There are no more locations.
    pub fn hand_over(&mut self) {
        self.to_orphans.hand_over();
    }

    /// The location did not complete what it posted; returns it if nobody else can have.
    fn lost(
        &mut self,
        number: u64,
        (order, post): (Order, P),
        over: Option<Order>,
    ) -> Option<(Order, P)> {
        let Some(key) = self.key(number) else { return Some((order, post)) };
        self.push(key, Orphan { order, action: RequestEvent::Posted(post, over) });
        None
    }

    /// The key of a request of the process.
    fn key(&self, number: u64) -> Option<Key> {
        self.shared.map(|Process(process)| Key([process, number as u32, (number >> 32) as u32, 0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is beyond that is not known to have been posted, and told.
    #[test]
    fn requests_are_remembered_up_to_a_bound() {
        use crate::matching::messages::{Completed, End, Posted};
        use crate::matching::sorted::Kept;
        let kept = Kept::default();
        let mut room = RequestRoom::<Posted, Completed<End>>::new(Outgoing::new(&kept));
        room.begin(LocationRef(4), None);
        let at = |number| Order { time: 3, location: LocationRef(4), number };
        let many = MOST_OPEN as u64 + 9;
        let lost =
            (0..many).filter(|number| room.post(*number, at(*number), Posted::RECEIVE).is_some());
        assert_eq!((lost.count(), room.untracked()), (9, 9));
        // The same number again takes no room.
        let again = room.post(5, at(many), Posted::RECEIVE);
        assert!(again.is_some_and(|(order, _)| order == at(5)) && room.untracked() == 9);
        assert!(room.cancel(5).is_some_and(|(order, _)| order == at(many)));
        assert!(room.post(many, at(many), Posted::RECEIVE).is_none());
        let mut open = 0;
        room.end(|_, _| open += 1);
        assert_eq!((open, room.untracked()), (MOST_OPEN, 9));
    }

    /// Whoever writes a trace may have as many open as are remembered.
    #[test]
    fn an_open_request_takes_little() {
        use crate::{matching, waitstates};
        assert!(size_of::<Open<matching::messages::Posted>>() <= 56);
        assert!(size_of::<Open<matching::collectives::Start>>() <= 32);
        assert!(size_of::<Open<waitstates::requests::Posted>>() <= 64);
        assert!(size_of::<Open<waitstates::requests::Start>>() <= 32);
    }
}
