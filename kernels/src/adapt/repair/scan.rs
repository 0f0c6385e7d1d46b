//! Scans that receive repaired enters and leaves of a location.

use std::collections::BTreeMap;

use streamfold_model::calls::{Call, Calls, Envelope, Message};
use streamfold_model::events::{Enter, Event, EventVisitor, Leave};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use super::order::{Repair, Repairs};
use super::Counts;
use crate::call_stack::{CallStack, Place};

/// Receives the events of a location, and forwards them to a scan with repaired enters and leaves.
#[derive(Debug)]
pub struct RepairedScan<'w, S> {
    scan: S,
    order: Order,
    /// Open visits, if leaves end the innermost visit.
    stack: Option<Box<CallStack>>,
    repaired: &'w mut BTreeMap<LocationRef, Counts>,
}

/// Puts enters and leaves in order.
#[derive(Debug)]
struct Order {
    repairs: std::vec::IntoIter<(u64, Repair)>,
    /// The number of the next repair; none: beyond all.
    next: u64,
    /// The number of the next enter or leave.
    number: u64,
}

impl Order {
    fn new(repairs: Repairs) -> Self {
        let repairs = repairs.into_iter();
        let mut order = Order { repairs, next: 0, number: 0 };
        order.look_ahead();
        order
    }

    fn look_ahead(&mut self) {
        self.next = self.repairs.as_slice().first().map_or(u64::MAX, |(number, _)| *number);
    }

    /// Returns the replacement of the next enter or leave; `None`: it stays.
    fn repair(&mut self) -> Option<Repair> {
        let is_next = self.number == self.next;
        self.number += 1;
        if !is_next {
            return None;
        }
        let repair = self.repairs.next().map(|(_, repair)| repair);
        self.look_ahead();
        repair
    }
}

/// Enters and leaves that follow each other, in order.
struct Ordered<'a, C> {
    calls: &'a mut C,
    order: &'a mut Order,
    /// The leave of a visit without duration.
    leave: Option<RegionRef>,
}

impl<C: Calls> Calls for Ordered<'_, C> {
    fn next(&mut self) -> Option<Call> {
        if let Some(region) = self.leave.take() {
            return Some(Call::Leave(region));
        }
        loop {
            let call = self.calls.next()?;
            match self.order.repair() {
                None => return Some(call),
                Some(Repair::Call(call)) => return Some(call),
                Some(Repair::Nothing) => {}
                Some(Repair::Instant(region)) => {
                    self.leave = Some(region);
                    return Some(Call::Enter(region));
                }
            }
        }
    }

    fn next_message(&mut self) -> Option<Message> {
        self.leave.is_none().then(|| self.calls.next_message()).flatten()
    }

    fn next_envelope(&mut self) -> Option<Envelope> {
        self.leave.is_none().then(|| self.calls.next_envelope()).flatten()
    }

    fn time(&self) -> Ticks {
        self.calls.time()
    }

    fn head(&self) -> EventHead<'static> {
        self.calls.head()
    }
}

impl<'w, S> RepairedScan<'w, S> {
    pub(super) fn new(
        scan: S,
        repairs: Repairs,
        is_tolerant: bool,
        repaired: &'w mut BTreeMap<LocationRef, Counts>,
    ) -> Self {
        let stack = is_tolerant.then(Box::default);
        RepairedScan { scan, order: Order::new(repairs), stack, repaired }
    }

    pub(super) fn end(self) -> S {
        self.scan
    }

    /// Goes on with another scan.
    pub(super) fn map<T>(self, map: impl FnOnce(S) -> T) -> RepairedScan<'w, T> {
        let RepairedScan { scan, order, stack, repaired } = self;
        RepairedScan { scan: map(scan), order, stack, repaired }
    }
}

impl<S: EventVisitor> RepairedScan<'_, S> {
    /// The event with the region of the innermost visit, if it is a leave of another one.
    fn tolerate<'e>(&mut self, head: &EventHead<'_>, event: Event<'e>) -> Event<'e> {
        let Some(stack) = &mut self.stack else { return event };
        let region = |place| match place {
            Place::Region(region) => Some(region),
            Place::Off => None,
        };
        let innermost = stack.open().iter().rev().find_map(|visit| region(visit.place));
        let event = match (event, innermost) {
            (Event::Leave(leave), Some(region)) if leave.region != region => {
                self.repaired.entry(head.location).or_default().renamed += 1;
                Event::Leave(Leave { region })
            }
            (event, _) => event,
        };
        stack.take(head, &event, |_| {});
        event
    }

    fn hand_on(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if S::WANTS.contains(event.kind()) {
            event.hand_to(head, &mut self.scan);
        }
    }
}

impl<S: EventVisitor> EventVisitor for RepairedScan<'_, S> {
    const WANTS: EventSet = S::WANTS.and(CallStack::WANTS);
    const ATTRIBUTES: bool = S::ATTRIBUTES;

    fn calls<C: Calls>(&mut self, calls: &mut C) {
        match &self.stack {
            Some(_) => streamfold_model::calls::deliver(self, calls),
            None => {
                let order = &mut self.order;
                self.scan.calls(&mut Ordered { calls, order, leave: None });
            }
        }
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if self.stack.is_some() {
            let event = self.tolerate(head, event);
            return self.hand_on(head, event);
        }
        let is_call = matches!(event, Event::Enter(_) | Event::Leave(_));
        match if is_call { self.order.repair() } else { None } {
            None => self.hand_on(head, event),
            Some(Repair::Call(Call::Enter(region))) => {
                self.hand_on(head, Event::Enter(Enter { region }));
            }
            Some(Repair::Call(Call::Leave(region))) => {
                self.hand_on(head, Event::Leave(Leave { region }));
            }
            Some(Repair::Nothing) => {}
            Some(Repair::Instant(region)) => {
                self.hand_on(head, Event::Enter(Enter { region }));
                self.hand_on(head, Event::Leave(Leave { region }));
            }
        }
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        if S::WANTS.contains_unknown() {
            self.scan.unknown(head, id);
        }
    }
}
