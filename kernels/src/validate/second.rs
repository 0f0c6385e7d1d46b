//! The second scan of a location: reports each defect, with its place.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::events::*;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use super::code::Code;
use super::elsewhere::Others;
use super::order::Order;
use super::rules::Rules;
use super::scan::Scan;
use super::sink::{Mark, Sink, Teller, UNKNOWN};
use super::tasks::{Stack, Stacks};
use crate::task::TaskEvent;

/// Receives the events of one location.
pub struct SecondLook<'a> {
    scan: Scan<'a, Teller<'a>>,
    /// Open visits of the running task.
    nesting: Nesting,
    stacks: Stacks<Nesting>,
    order: Order,
    recorded: Ticks,
}

impl<'a> SecondLook<'a> {
    /// Begins with a location.
    pub fn new(rules: &'a Rules<'a>, teller: Teller<'a>, others: Others<'a>) -> Self {
        let teller = teller.ask(others);
        let order = Order::new(rules.definitions.clock.as_ref());
        let (scan, nesting) = (Scan::new(rules, teller), Nesting::default());
        SecondLook { scan, nesting, stacks: Stacks::default(), order, recorded: Ticks(0) }
    }

    /// The next event lies at this offset; its time as recorded is this.
    #[inline]
    pub fn at(&mut self, offset: u64, recorded: Ticks) {
        self.scan.sink.offset = offset;
        self.recorded = recorded;
    }

    /// Ends with a location whose events were all delivered; the open visits of a damaged one are unknown.
    pub fn end(mut self) {
        let stacks = std::iter::once(self.nesting).chain(self.stacks.into_rest());
        let mut open: Vec<_> = stacks.flat_map(|nesting| nesting.stack).collect();
        open.sort_unstable_by_key(|(_, begin)| *begin);
        for (region, begin) in open {
            let text = || format!("{} is never left", self.scan.rules.region(region));
            self.scan.sink.tell(Code::OpenRegion, begin, text);
        }
        self.scan.pairs.end(self.scan.rules, &mut self.scan.sink);
        self.scan.sink.end();
    }
}

impl SecondLook<'_> {
    /// Handles an event of a task. Visits that are open at its completion are never left.
    fn task(&mut self, action: TaskEvent) {
        let complete = match action {
            TaskEvent::Create(_) => None,
            TaskEvent::Switch(task) => {
                self.stacks.switch(&mut self.nesting, task);
                None
            }
            TaskEvent::Complete(task) => self.stacks.complete(&mut self.nesting, task),
        };
        for (region, begin) in complete.into_iter().flat_map(|nesting| nesting.stack) {
            let text = || {
                let region = self.scan.rules.region(region);
                format!("{region} is not left before its task completes")
            };
            self.scan.sink.tell(Code::OpenRegion, begin, text);
        }
    }
}

impl EventVisitor for SecondLook<'_> {
    const WANTS: EventSet = EventSet::ALL;
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let name = event.kind().name();
        self.order.event(&mut self.scan.sink, head, name, self.recorded);
        self.order.flush(&mut self.scan.sink, head, &event);
        self.scan.event(head, event);
        let here = self.scan.sink.here(head.number, name);
        let (rules, sink) = (self.scan.rules, &mut self.scan.sink);
        match event {
            Event::Enter(event) => self.nesting.begin(event.region.0.into(), here),
            Event::Leave(event) => self.nesting.finish(rules, sink, event.region.0.into(), here),
            Event::CallingContextEnter(event) => {
                self.nesting.begin(self.scan.region_of(event.calling_context), here);
            }
            Event::CallingContextLeave(event) => {
                let region = self.scan.region_of(event.calling_context);
                self.nesting.finish(rules, &mut self.scan.sink, region, here);
            }
            other => {
                if let Some(action) = TaskEvent::of(&other) {
                    self.task(action);
                }
            }
        }
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        self.order.event(&mut self.scan.sink, head, UNKNOWN, self.recorded);
        self.scan.unknown(head, id);
    }
}

/// The open visits.
#[derive(Debug, Default)]
struct Nesting {
    stack: Vec<(u64, Mark)>,
    /// How often each region is open: else a leave of a region that is not open would look through
    /// the whole stack each time.
    open: HashMap<u64, u64, RandomState>,
}

impl Stack for Nesting {
    fn is_blank(&self) -> bool {
        self.stack.is_empty()
    }
}

impl Nesting {
    fn begin(&mut self, region: u64, here: Mark) {
        self.stack.push((region, here));
        *self.open.entry(region).or_default() += 1;
    }

    /// Ends the nearest open visit of a region, and drops those inside of it.
    fn finish(&mut self, rules: &Rules<'_>, sink: &mut Teller<'_>, region: u64, here: Mark) {
        if self.open.get(&region).is_none_or(|count| *count == 0) {
            let message = || format!("{} is left, but not open", rules.region(region));
            return sink.tell(Code::UnmatchedLeave, here, message);
        }
        let inner = self.stack.last().map_or(region, |(inner, _)| *inner);
        let mut dropped = 0;
        while let Some((closed, _)) = self.stack.pop() {
            if let Some(count) = self.open.get_mut(&closed) {
                *count -= 1;
            }
            if closed == region {
                break;
            }
            dropped += 1;
        }
        if dropped > 0 {
            sink.tell(Code::CrossedLeave, here, || {
                let (outer, inner) = (rules.region(region), rules.region(inner));
                let visits = if dropped == 1 { "visit" } else { "visits" };
                format!("{outer} is left inside of {inner}: {dropped} open {visits} dropped")
            });
        }
    }
}
