//! Times of a part of the trace: each location has a window of its own.
//!
//! Visits that are open at the begin of a window are entered there, and those open at its end are left there. Only
//! times are used: matching needs the whole trace. Events of teams outside of a window decide which times in it were
//! forking and joining.

use std::collections::BTreeMap;
use std::mem;

use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};
use streamfold_model::values::Ticks;

use super::scan::WaitScan;
use super::{WaitKernel, WaitPartial, WaitWorker};
use crate::adapt::{Adapted, AdaptedScan, AdaptedWorker, BeforeWindow, LocalReferences};
use crate::{Kernel, Window, WindowKernel};

/// Finds the times that [`WaitKernel`] does, in a window of time of each location. Those without a window have an empty
/// one.
pub struct PartKernel<'k, 'd> {
    adapted: Adapted<'k, WaitKernel<'d>>,
    windows: &'k BTreeMap<LocationRef, Window>,
}

impl<'k, 'd> PartKernel<'k, 'd> {
    /// Puts the windows in front of a kernel.
    pub fn new(
        kernel: &'k WaitKernel<'d>,
        definitions: &Definitions,
        windows: &'k BTreeMap<LocationRef, Window>,
    ) -> Self {
        let contexts = definitions.calling_contexts.values();
        let contexts = contexts.map(|context| (context.id, context.region)).collect();
        let adapted = Adapted::new(kernel, contexts, None);
        PartKernel { adapted, windows }
    }
}

/// Receives all events of a location.
pub struct PartScan<'w, 'd> {
    phase: Phase<'w, 'd>,
    window: Window,
    /// Set if there is an event before the window.
    has_before: bool,
    /// Summary of the events in the window.
    found: StreamSummary,
}

// There is one at a time.
#[allow(clippy::large_enum_variant)]
enum Phase<'w, 'd> {
    Before(BeforeWindow<'w, WaitScan<'w, 'd>>),
    Within(AdaptedScan<'w, WaitScan<'w, 'd>>),
    After(WaitScan<'w, 'd>),
    /// From one to the next.
    Changing,
}

impl PartScan<'_, '_> {
    /// Goes on to where a time belongs.
    fn go_to(&mut self, time: Ticks) {
        let Window { begin, end, .. } = self.window;
        if time >= begin && matches!(self.phase, Phase::Before(_)) {
            if let Phase::Before(before) = mem::replace(&mut self.phase, Phase::Changing) {
                // The location was there all the time.
                if self.has_before {
                    (self.found.first, self.found.last) = (Some(begin), Some(begin));
                }
                let mut within = before.0.begin_window();
                within.scan.begin_of_part(begin);
                self.phase = Phase::Within(within);
            }
        }
        let is_behind = self.window.limit().is_some_and(|limit| time >= limit);
        let Some(end) = end.filter(|_| is_behind) else { return };
        if matches!(self.phase, Phase::Within(_)) {
            if let Phase::Within(mut within) = mem::replace(&mut self.phase, Phase::Changing) {
                within.scan.end_of_part(end);
                if self.found.first.is_some() {
                    self.found.last = self.found.last.max(Some(end));
                }
                self.phase = Phase::After(within.end_window());
            }
        }
    }

    /// Counts an event of the window.
    fn count(&mut self, time: Ticks) {
        let StreamSummary { events, first, last, backward, .. } = &mut self.found;
        *events += 1;
        first.get_or_insert(time);
        *backward += u64::from(last.is_some_and(|last| time < last));
        *last = Some(time);
    }
}

impl EventVisitor for PartScan<'_, '_> {
    // All are counted.
    const WANTS: EventSet = EventSet::ALL;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.go_to(head.time);
        match &mut self.phase {
            Phase::Before(before) => {
                self.has_before = true;
                if EventSet::TEAMS.contains(event.kind()) {
                    event.hand_to(head, &mut before.0.scan);
                }
                before.event(head, event);
            }
            Phase::Within(within) => {
                within.event(head, event);
                self.count(head.time);
            }
            Phase::After(scan) => {
                if EventSet::TEAMS.contains(event.kind()) {
                    event.hand_to(head, scan);
                }
            }
            Phase::Changing => {}
        }
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        self.go_to(head.time);
        if let Phase::Within(within) = &mut self.phase {
            within.unknown(head, id);
            self.count(head.time);
            self.found.unknown += 1;
        }
    }
}

impl<'d> Kernel for PartKernel<'_, 'd> {
    type Worker = AdaptedWorker<WaitWorker<'d>>;
    type Scan<'w>
        = PartScan<'w, 'd>
    where
        Self: 'w;
    type Partial = WaitPartial;

    fn worker(&self) -> Self::Worker {
        self.adapted.worker()
    }

    fn meet(&self, worker: &mut Self::Worker, local: LocalReferences) {
        self.adapted.kernel.meet(&mut worker.worker, local);
    }

    fn scan<'w>(&'w self, worker: &'w mut Self::Worker, location: LocationRef) -> Self::Scan<'w> {
        let window = self.windows.get(&location).copied().unwrap_or(Window::NONE);
        let before = self.adapted.before(worker, location, window);
        let found = StreamSummary::default();
        PartScan { phase: Phase::Before(before), window, has_before: false, found }
    }

    fn end<'w>(&'w self, scan: Self::Scan<'w>, _: &StreamSummary) {
        let found = scan.found;
        let scan = match scan.phase {
            Phase::Before(before) => before.0.scan,
            // The stream ends in its window: nothing was cut there.
            Phase::Within(within) => within.scan,
            Phase::After(scan) => scan,
            Phase::Changing => return,
        };
        self.adapted.kernel.end(scan, &found);
    }

    fn partial(&self, worker: Self::Worker) -> WaitPartial {
        self.adapted.partial(worker)
    }

    fn fold(&self, into: WaitPartial, other: WaitPartial) -> WaitPartial {
        self.adapted.fold(into, other)
    }
}
