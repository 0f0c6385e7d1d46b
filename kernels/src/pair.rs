//! Two kernels in one pass over the events.

use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

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
        PairScan(self.0.scan(&mut worker.0, location), self.1.scan(&mut worker.1, location))
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
pub struct PairScan<A, B>(A, B);

impl<A: EventVisitor, B: EventVisitor> EventVisitor for PairScan<A, B> {
    const WANTS: EventSet = A::WANTS.and(B::WANTS);
    const ATTRIBUTES: bool = A::ATTRIBUTES || B::ATTRIBUTES;

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
