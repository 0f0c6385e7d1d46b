//! Two kernels in one pass over the events.

use streamfold_model::calls::{hand_over, hand_over_message, Call, Calls, Envelope, Message};
use streamfold_model::events::{Event, EventKind, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};
use streamfold_model::values::Ticks;

use crate::adapt::LocalReferences;
use crate::Kernel;

/// Both kernels see each event that they want; the results are a pair. Pairs of pairs are for more than
/// two.
impl<A: Kernel, B: Kernel> Kernel for (A, B) {
    type Worker = (A::Worker, B::Worker);
    type Scan<'w>
        = PairScan<A::Scan<'w>, B::Scan<'w>>
    where
        Self: 'w;
    type Partial = (A::Partial, B::Partial);

    fn worker(&self) -> Self::Worker {
        (self.0.worker(), self.1.worker())
    }

    fn meet(&self, worker: &mut Self::Worker, local: LocalReferences) {
        self.0.meet(&mut worker.0, local.clone());
        self.1.meet(&mut worker.1, local);
    }

    fn scan<'w>(&'w self, worker: &'w mut Self::Worker, location: LocationRef) -> Self::Scan<'w> {
        let (one, other) = worker;
        PairScan(self.0.scan(one, location), self.1.scan(other, location), Vec::new())
    }

    fn end<'w>(&'w self, scan: Self::Scan<'w>, summary: &StreamSummary) {
        self.0.end(scan.0, summary);
        self.1.end(scan.1, summary);
    }

    fn partial(&self, worker: Self::Worker) -> Self::Partial {
        (self.0.partial(worker.0), self.1.partial(worker.1))
    }

    fn fold(&self, into: Self::Partial, other: Self::Partial) -> Self::Partial {
        (self.0.fold(into.0, other.0), self.1.fold(into.1, other.1))
    }
}

/// A kernel finds nothing.
impl Kernel for () {
    type Worker = ();
    type Scan<'w> = NoScan;
    type Partial = ();

    fn worker(&self) {}

    fn scan<'w>(&'w self, (): &'w mut (), _: LocationRef) -> NoScan {
        NoScan
    }

    fn end(&self, _: NoScan, _: &StreamSummary) {}

    fn partial(&self, (): ()) {}

    fn fold(&self, (): (), (): ()) {}
}

/// Wants no event.
#[derive(Debug)]
pub struct NoScan;

impl EventVisitor for NoScan {
    const WANTS: EventSet = EventSet::NONE;

    fn event(&mut self, _: &EventHead<'_>, _: Event<'_>) {}
}

/// A borrowed kernel.
impl<K: Kernel> Kernel for &K {
    type Worker = K::Worker;
    type Scan<'w>
        = K::Scan<'w>
    where
        Self: 'w;
    type Partial = K::Partial;

    fn worker(&self) -> Self::Worker {
        (**self).worker()
    }

    fn meet(&self, worker: &mut Self::Worker, local: LocalReferences) {
        (**self).meet(worker, local);
    }

    fn scan<'w>(&'w self, worker: &'w mut Self::Worker, location: LocationRef) -> Self::Scan<'w> {
        (**self).scan(worker, location)
    }

    fn end<'w>(&'w self, scan: Self::Scan<'w>, summary: &StreamSummary) {
        (**self).end(scan, summary);
    }

    fn partial(&self, worker: Self::Worker) -> K::Partial {
        (**self).partial(worker)
    }

    fn fold(&self, into: K::Partial, other: K::Partial) -> K::Partial {
        (**self).fold(into, other)
    }
}

/// Hands each event to those who want it.
#[derive(Debug)]
pub struct PairScan<A, B>(A, B, Vec<Noted>);

/// Events that runs of calls have.
const OF_RUNS: [EventKind; 6] = [
    EventKind::Enter,
    EventKind::Leave,
    EventKind::MpiSend,
    EventKind::MpiIsend,
    EventKind::MpiRecv,
    EventKind::MpiIrecv,
];

/// Returns whether a visitor wants anything of runs.
fn wants_runs<V: EventVisitor>() -> bool {
    OF_RUNS.iter().any(|kind| V::WANTS.contains(*kind))
}

/// An enter, a leave or a message, noted for two who want it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted {
    what: NotedWhat,
    number: u64,
    time: Ticks,
}

#[derive(Clone, Copy, Debug)]
enum NotedWhat {
    Call(Call),
    Message(Envelope),
}

/// Events that are noted at once, at most.
const NOTED: usize = 1 << 9;

/// A part of a run, as it was noted.
struct NotedCalls<'n> {
    location: LocationRef,
    rest: &'n [Noted],
    number: u64,
    time: Ticks,
}

impl NotedCalls<'_> {
    #[inline(always)]
    fn pass(&mut self) {
        let [Noted { number, time, .. }, rest @ ..] = self.rest else { return };
        (self.number, self.time, self.rest) = (*number, *time, rest);
    }

    /// Hands all to a visitor.
    fn hand_to<V: EventVisitor>(mut self, visitor: &mut V) {
        while !self.rest.is_empty() {
            visitor.calls(&mut self);
            if let Some(call) = self.next() {
                hand_over(visitor, call, &self.head());
            } else if let Some(message) = self.next_envelope() {
                let kind = match (message.received, message.request) {
                    (false, None) => EventKind::MpiSend,
                    (false, Some(_)) => EventKind::MpiIsend,
                    (true, None) => EventKind::MpiRecv,
                    (true, Some(_)) => EventKind::MpiIrecv,
                };
                if V::WANTS.contains(kind) {
                    hand_over_message(visitor, message, &self.head());
                }
            }
        }
    }
}

impl Calls for NotedCalls<'_> {
    #[inline(always)]
    fn next(&mut self) -> Option<Call> {
        let NotedWhat::Call(call) = self.rest.first()?.what else { return None };
        self.pass();
        Some(call)
    }

    #[inline(always)]
    fn next_message(&mut self) -> Option<Message> {
        self.next_envelope().map(|Envelope { received, bytes, .. }| Message { received, bytes })
    }

    #[inline(always)]
    fn next_envelope(&mut self) -> Option<Envelope> {
        let NotedWhat::Message(message) = self.rest.first()?.what else { return None };
        self.pass();
        Some(message)
    }

    #[inline(always)]
    fn time(&self) -> Ticks {
        self.time
    }

    #[inline(always)]
    fn head(&self) -> EventHead<'static> {
        let NotedCalls { location, number, time, .. } = *self;
        EventHead { location, number, time, attributes: &[] }
    }
}

impl<A: EventVisitor, B: EventVisitor> EventVisitor for PairScan<A, B> {
    const WANTS: EventSet = A::WANTS.and(B::WANTS);
    const ATTRIBUTES: bool = A::ATTRIBUTES || B::ATTRIBUTES;

    #[inline]
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        let PairScan(one, other, noted) = self;
        match (wants_runs::<A>(), wants_runs::<B>()) {
            (_, false) => return one.calls(calls),
            (false, _) => return other.calls(calls),
            _ => {}
        }
        loop {
            noted.clear();
            let EventHead { location, number, time, .. } = calls.head();
            while noted.len() < NOTED {
                let what = match calls.next() {
                    Some(call) => NotedWhat::Call(call),
                    None => match calls.next_envelope() {
                        Some(message) => NotedWhat::Message(message),
                        None => break,
                    },
                };
                let EventHead { number, time, .. } = calls.head();
                noted.push(Noted { what, number, time });
            }
            let rest = &noted[..];
            NotedCalls { location, rest, number, time }.hand_to(one);
            NotedCalls { location, rest, number, time }.hand_to(other);
            if rest.len() < NOTED {
                return;
            }
        }
    }

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if A::WANTS.contains(event.kind()) {
            event.hand_to(head, &mut self.0);
        }
        if B::WANTS.contains(event.kind()) {
            event.hand_to(head, &mut self.1);
        }
    }

    fn context_visit(&mut self, head: &EventHead<'_>, event: Event<'_>, region: RegionRef) {
        self.0.context_visit(head, event, region);
        self.1.context_visit(head, event, region);
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        if A::WANTS.contains_unknown() {
            self.0.unknown(head, id);
        }
        if B::WANTS.contains_unknown() {
            self.1.unknown(head, id);
        }
    }
}
