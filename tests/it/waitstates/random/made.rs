//! What the makers of random traces share.

use proptest::prelude::*;
use streamfold::model::events::{Enter, Event, Leave};

use crate::waitstates::trace::Trace;

/// How long before a call, from its begin to its records, and from these to its end.
pub type Gaps = [u64; 3];

/// Mostly nothing or little, so that times are often the same.
pub fn gap() -> impl Strategy<Value = u64> + Clone {
    prop_oneof![3 => Just(0u64), 6 => 1u64..4, 2 => 4u64..30]
}

pub fn gaps() -> impl Strategy<Value = Gaps> + Clone {
    [gap(), gap(), gap()]
}

/// A location to which events are added as time goes on.
pub struct Clock<'a> {
    pub trace: &'a mut Trace,
    pub location: u64,
    pub now: u64,
}

impl Clock<'_> {
    pub fn add(&mut self, event: Event<'static>) {
        let now = self.now;
        self.trace.streams.get_mut(&self.location).expect("a location").push((now, event));
    }

    pub fn enter(&mut self, name: &str) {
        let region = self.trace.region(name);
        self.add(Event::Enter(Enter { region }));
    }

    pub fn leave(&mut self, name: &str) {
        let region = self.trace.region(name);
        self.add(Event::Leave(Leave { region }));
    }

    pub fn pass(&mut self, ticks: u64) {
        self.now += ticks;
    }

    /// A call with records at one time.
    pub fn call(&mut self, name: &str, gaps: Gaps, records: &[Event<'static>]) {
        self.pass(gaps[0]);
        self.enter(name);
        self.pass(gaps[1]);
        records.iter().for_each(|record| self.add(*record));
        self.pass(gaps[2]);
        self.leave(name);
    }
}
