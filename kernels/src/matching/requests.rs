//! Requests: one record posts an operation under a number, and another one completes or cancels it by that number.
//!
//! Each location follows its own requests (`RequestRoom`). If its process has other locations, these may have recorded
//! the other ends. An end without its other end at the location is an [`Orphan`]: it goes to the rank that owns the
//! number in that process. There [`adopt`] joins the ends in the order of time. Ends of several locations in one tick
//! have no order: those that fit are joined. In either case the outcome of a request is reported to a [`Follower`].

mod adopting;

use foldhash::fast::RandomState;
use indexmap::map::{Entry, IndexMap};
use streamfold_model::ids::LocationRef;

use super::block::{put, take, Item, Key, Order};
use super::lanes::{Lanes, Outgoing};
use super::partners::Process;

pub use adopting::adopt;

/// Most requests of a location that are tracked at a time; those above are counted only. No program has so many; a
/// crafted trace may.
pub const MOST_OPEN: usize = 1 << 20;

/// Extra fields of a request whose other end was recorded at another location.
pub trait Luggage: Copy {
    /// Writes it.
    fn put(&self, bytes: &mut Vec<u8>);

    /// Reads what [`Luggage::put`] has written at a location; `None` where that was not written so.
    fn take(location: LocationRef, bytes: &mut &[u8]) -> Option<Self>;
}

/// Fields of a request that are known where it was posted; `C` has those known where it was completed.
pub trait Post<C>: Luggage {
    /// Tells whether `completion` can be of this request.
    fn is_completed_by(&self, completion: &C) -> bool;
}

/// Receives the outcome of requests, once for each.
pub trait Follower<P, C> {
    /// A request was posted at this place in the order, and completed.
    fn complete(&mut self, at: Order, post: P, completion: C);

    /// A request was posted and cancelled.
    fn cancelled(&mut self, at: Order, post: P);

    /// A request was posted at this place in the order, and no location recorded its end.
    fn never_completed(&mut self, at: Order, post: P);

    /// A request was completed, and no location recorded that it was posted.
    fn never_posted(&mut self, completion: C);
}

/// An end of a request whose other end its location did not record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orphan<P, C> {
    /// Its place among the actions of its process with the number.
    pub order: Order,
    /// The action.
    pub action: RequestEvent<P, C>,
}

/// Action of a location on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestEvent<P, C> {
    /// It was posted, and not completed here. If the location used its number again, it is over at that place.
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

/// Start of a request, as seen by the location that recorded its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<P> {
    /// The location posted this, at this place in the order.
    Here(Order, P),
    /// Another location of the process may have posted it: this is the key of its orphans.
    Elsewhere(Key),
    /// No location has posted it.
    Undefined,
}

/// A request that is open. There may be many of these.
struct Open<P> {
    /// Time of the event that posted it; `event` is the number in the order.
    time: u64,
    event: u64,
    post: P,
}

/// State of a worker for the requests of one location after another.
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
    pub(crate) fn new(to_orphans: Outgoing<'s>) -> Self {
        let (open, orphans) = Default::default();
        let (location, untracked, shared) = (LocationRef(0), 0, None);
        RequestRoom { open, location, untracked, shared, orphans, to_orphans }
    }

    /// A location begins. `shared`: its process, if it has other locations.
    pub(crate) fn begin(&mut self, location: LocationRef, shared: Option<Process>) {
        (self.location, self.shared) = (location, shared);
    }

    /// How many requests there were for which there was no room, of all locations.
    pub(crate) fn untracked(&self) -> u64 {
        self.untracked
    }

    /// A request is open from here on. Returns one of which nobody will know how it ended: what had the
    /// same number, or this where there is no room.
    #[must_use]
    pub(crate) fn post(&mut self, number: u64, at: Order, post: P) -> Option<(Order, P)> {
        if self.open.len() >= MOST_OPEN && !self.open.contains_key(&number) {
            self.untracked += 1;
            return self.lost(number, (at, post), None);
        }
        let Order { time, number: event, .. } = at;
        let before = self.open.insert(number, Open { time, event, post })?;
        self.lost(number, before.at(self.location), Some(at))
    }

    /// Removes and returns the request that this location posted under a number, if `is_it` accepts it. As a rule it
    /// does.
    #[inline]
    pub(crate) fn end_here(
        &mut self,
        number: u64,
        is_it: impl FnOnce(&P) -> bool,
    ) -> Option<(Order, P)> {
        match self.open.entry(number) {
            Entry::Occupied(open) if is_it(&open.get().post) => {
                Some(open.swap_remove().at(self.location))
            }
            _ => None,
        }
    }

    /// A request was completed. Returns its start, and a request with the same number that does not fit and whose end
    /// stays unknown.
    #[must_use]
    pub(crate) fn complete(
        &mut self,
        number: u64,
        completion: &C,
    ) -> (Ended<P>, Option<(Order, P)>) {
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
    pub(crate) fn cancel(&mut self, number: u64) -> Option<(Order, P)> {
        self.open.swap_remove(&number).map(|open| open.at(self.location))
    }

    /// A request was cancelled that the location has not posted.
    pub(crate) fn cancel_elsewhere(&mut self, number: u64, at: Order) {
        if let Some(key) = self.key(number) {
            self.push(key, Orphan { order: at, action: RequestEvent::Cancelled });
        }
    }

    /// Adds an action of the location on a request that may be posted [elsewhere](Ended::Elsewhere).
    pub(crate) fn push(&mut self, key: Key, orphan: Orphan<P, C>) {
        self.orphans.push(key, orphan, &mut self.to_orphans);
    }

    /// Ends the location: hands out the requests that no location will complete.
    pub(crate) fn end(&mut self, mut never_completed: impl FnMut(Order, P)) {
        while let Some((at, post)) = self.end_one() {
            never_completed(at, post);
        }
    }

    /// The same, one after another: `None` when there are no more.
    pub(crate) fn end_one(&mut self) -> Option<(Order, P)> {
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
    pub(crate) fn hand_over(&mut self) {
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
        self.shared.map(|process| request_key(process, number))
    }
}

/// The key of a request of a process.
pub(crate) fn request_key(Process(process): Process, number: u64) -> Key {
    Key([process, number as u32, (number >> 32) as u32, 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests above the bound are counted, and reported as never completed.
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

    /// A crafted trace may have `MOST_OPEN` requests open.
    #[test]
    fn an_open_request_takes_little() {
        use crate::{matching, waitstates};
        assert!(size_of::<Open<matching::messages::Posted>>() <= 56);
        assert!(size_of::<Open<matching::collectives::Start>>() <= 32);
        assert!(size_of::<Open<waitstates::requests::Posted>>() <= 72);
        assert!(size_of::<Open<waitstates::requests::Start>>() <= 40);
    }
}
