//! Joins actions of different locations of a process on one number of a request.

use super::super::block::{Order, Source};
use super::super::items::Items;
use super::{Follower, Luggage, Orphan, Post, RequestEvent};

/// Most actions on one number in one tick that are put in order; no program has so many.
const MOST: usize = 256;

/// Joins the ends of requests that different locations of a process recorded.
///
/// # Errors
///
/// When a block cannot be read.
pub fn adopt<S: Source, P: Post<C>, C: Luggage>(
    source: S,
    follower: &mut impl Follower<P, C>,
) -> Result<(), S::Error> {
    let mut items = Items::<S, Orphan<P, C>>::new(source)?;
    while let Some(key) = items.key() {
        let mut number = Number::default();
        while let Some(orphan) = items.next_of_all(key)? {
            number.take(orphan, follower);
        }
        number.end_tick(follower);
        number.lose(follower);
    }
    Ok(())
}

/// A number of requests of a process.
struct Number<P, C> {
    open: Option<Open<P>>,
    /// Actions in one tick, in the order of locations.
    tick: Vec<Orphan<P, C>>,
}

/// A posted request, and its place in the order.
struct Open<P> {
    at: Order,
    post: P,
    /// Place at which its location used the number again.
    over: Option<Order>,
}

impl<P, C> Default for Number<P, C> {
    fn default() -> Self {
        Number { open: None, tick: Vec::new() }
    }
}

impl<P: Post<C>, C: Luggage> Number<P, C> {
    fn take(&mut self, orphan: Orphan<P, C>, follower: &mut impl Follower<P, C>) {
        let same_tick = |last: &Orphan<P, C>| last.order.time == orphan.order.time;
        if !self.tick.last().is_none_or(same_tick) || self.tick.len() == MOST {
            self.end_tick(follower);
        }
        self.tick.push(orphan);
    }

    /// Events of one tick have no order but that of their locations: what is open is ended before something is
    /// posted, and what is posted before something is ended that nobody posted.
    fn end_tick(&mut self, follower: &mut impl Follower<P, C>) {
        let Some(now) = self.tick.first().map(|orphan| orphan.order.time) else { return };
        let is_over = |open: &Open<P>| open.over.is_some_and(|over| over.time < now);
        if self.open.as_ref().is_some_and(is_over) {
            self.lose(follower);
        }
        while !self.tick.is_empty() {
            let posts = |orphan: &Orphan<P, C>| matches!(orphan.action, RequestEvent::Posted(..));
            let ends =
                self.first(|orphan| self.open.as_ref().is_some_and(|open| open.ends(orphan)));
            let next = ends.or_else(|| self.first(posts)).unwrap_or(0);
            let orphan = self.tick.remove(next);
            self.follow(orphan, follower);
        }
    }

    /// The first that is so, of those that are the first of their locations.
    fn first(&self, is_so: impl Fn(&Orphan<P, C>) -> bool) -> Option<usize> {
        let location = |place: usize| self.tick[place].order.location;
        let mut places = 0..self.tick.len();
        places.find(|&place| {
            let is_first = place == 0 || location(place - 1) != location(place);
            is_first && is_so(&self.tick[place])
        })
    }

    fn follow(&mut self, orphan: Orphan<P, C>, follower: &mut impl Follower<P, C>) {
        let ends = self.open.as_ref().is_some_and(|open| open.ends(&orphan));
        let open = self.open.take_if(|_| ends);
        match (open, orphan.action) {
            (Some(open), RequestEvent::Completed(completion)) => {
                follower.complete(open.at, open.post, completion);
            }
            (Some(open), _) => follower.cancelled(open.at, open.post),
            (None, RequestEvent::Posted(post, over)) => {
                self.lose(follower);
                self.open = Some(Open { at: orphan.order, post, over });
            }
            (None, RequestEvent::Completed(completion)) => {
                // The number was given to something else meanwhile.
                self.lose(follower);
                follower.never_posted(completion);
            }
            (None, RequestEvent::Cancelled) => {}
        }
    }

    /// The end of the open request was not recorded.
    fn lose(&mut self, follower: &mut impl Follower<P, C>) {
        self.open.take().into_iter().for_each(|open| follower.never_completed(open.at, open.post));
    }
}

impl<P> Open<P> {
    /// Tells whether this action can end the request.
    fn ends<C: Luggage>(&self, orphan: &Orphan<P, C>) -> bool
    where
        P: Post<C>,
    {
        let Order { location, .. } = orphan.order;
        let is_over = |over: Order| over.location == location && over <= orphan.order;
        let fits = match &orphan.action {
            RequestEvent::Completed(completion) => self.post.is_completed_by(completion),
            RequestEvent::Cancelled => true,
            RequestEvent::Posted(..) => false,
        };
        fits && !self.over.is_some_and(is_over)
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::ids::LocationRef;

    use super::*;

    #[derive(Clone, Copy)]
    struct Any;

    impl Luggage for Any {
        fn put(&self, _: &mut Vec<u8>) {}

        fn take(_: LocationRef, _: &mut &[u8]) -> Option<Self> {
            Some(Any)
        }
    }

    impl Post<Any> for Any {
        fn is_completed_by(&self, _: &Any) -> bool {
            true
        }
    }

    /// How many were complete, cancelled, never completed, and never posted.
    #[derive(Default)]
    struct Counts([u64; 4]);

    impl Follower<Any, Any> for Counts {
        fn complete(&mut self, _: Order, _: Any, _: Any) {
            self.0[0] += 1;
        }

        fn cancelled(&mut self, _: Order, _: Any) {
            self.0[1] += 1;
        }

        fn never_completed(&mut self, _: Order, _: Any) {
            self.0[2] += 1;
        }

        fn never_posted(&mut self, _: Any) {
            self.0[3] += 1;
        }
    }

    /// Putting in order takes time with the square of how much there is.
    #[test]
    fn what_is_done_in_one_tick_is_put_in_order_in_parts() {
        const MANY: u64 = 100_000;
        let (mut number, mut counts) = (Number::default(), Counts::default());
        for (location, action) in
            [(0, RequestEvent::Completed(Any)), (1, RequestEvent::Posted(Any, None))]
        {
            for place in 0..MANY {
                let order = Order { time: 5, location: LocationRef(location), number: place };
                number.take(Orphan { order, action }, &mut counts);
                assert!(number.tick.len() <= MOST);
            }
        }
        number.end_tick(&mut counts);
        number.lose(&mut counts);
        let Counts([complete, cancelled, never_completed, never_posted]) = counts;
        assert_eq!([complete + never_posted, complete + never_completed], [MANY; 2]);
        // Those of one part only find each other.
        assert!(complete < MOST as u64 && cancelled == 0);
    }
}
