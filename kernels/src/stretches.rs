//! Streams of which only stretches of time count: outside of them a location is followed on its way, no more.

use streamfold_model::calls::{Call, Calls};
use streamfold_model::events::EventVisitor;
use streamfold_model::stream::EventHead;
use streamfold_model::values::Ticks;

use crate::profile::Before;

/// Counts the time of a location in stretches.
pub(crate) trait Stretches<'w> {
    /// The position of the location in its call tree.
    fn way(&mut self) -> &mut Before<'w>;

    /// Time up to here is counted.
    fn now(&mut self) -> &mut u64;

    /// The begin of the next stretch, if none has begun.
    fn next(&self) -> u64;

    /// Time goes on, and nothing has changed up to there.
    fn pass(&mut self, time: u64);

    /// Takes enters and leaves.
    fn take_calls<C: Calls>(&mut self, calls: &mut C) {
        loop {
            let limit = self.next();
            let mut before = UpTo::new(calls, limit);
            // Outside of stretches nothing is counted.
            if *self.now() < limit {
                self.way().calls(&mut before);
            } else {
                before.behind = before.calls.next();
            }
            let UpTo { behind, last, .. } = before;
            let now = self.now();
            *now = (*now).max(last.min(limit));
            let Some(call) = behind else { return };
            let head = calls.head();
            self.pass(head.time.0);
            streamfold_model::calls::hand_over(self.way(), call, &head);
        }
    }
}

/// Enters and leaves up to a time. The first behind it is kept.
pub(crate) struct UpTo<'c, C> {
    calls: &'c mut C,
    limit: u64,
    pub(crate) behind: Option<Call>,
    last: u64,
}

impl<'c, C: Calls> UpTo<'c, C> {
    pub(crate) fn new(calls: &'c mut C, limit: u64) -> Self {
        UpTo { last: calls.time().0, calls, limit, behind: None }
    }
}

impl<C: Calls> Calls for UpTo<'_, C> {
    #[inline(always)]
    fn next(&mut self) -> Option<Call> {
        if self.behind.is_some() {
            return None;
        }
        let call = self.calls.next()?;
        if self.calls.time().0 > self.limit {
            self.behind = Some(call);
            return None;
        }
        self.last = self.calls.time().0;
        Some(call)
    }

    #[inline(always)]
    fn time(&self) -> Ticks {
        match self.behind {
            Some(_) => Ticks(self.last),
            None => self.calls.time(),
        }
    }

    fn head(&self) -> EventHead<'static> {
        self.calls.head()
    }
}
