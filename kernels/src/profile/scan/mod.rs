//! One location: what each of its events means for a profile.

pub(super) mod before;
mod events;
mod open;
pub(super) mod pieces;
pub(super) mod stack;
pub(super) mod tallies;
pub(super) mod walk;

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::calls::{Call, Calls, Message};
use streamfold_model::enums::IoOperationMode;
use streamfold_model::ids::{CallingContextRef, IoHandleRef, LocationRef, ParameterRef, RegionRef};
use streamfold_model::stream::{EventHead, StreamSummary};
use streamfold_model::values::Ticks;

use super::result::partial::Worker;
use super::result::tally::{LocationRow, Oddities, Traffic};
use super::result::window::Cut;
use super::samples::sampling::{Moment, SampleSums, Sampling};
use super::scan::walk::Walk;
use super::threads::forks::Forks;
use super::threads::tasks::Tasks;
use super::threads::trees::Trees;
use super::tree::chosen::ChosenCalls;
use super::tree::content::Meanings;
use super::tree::contexts::Place;
use super::tree::step::{ParameterValue, Splitting};
use super::tree::CallTree;
use crate::adapt::RegionSet;
use crate::task::Task;
use crate::Window;

pub(super) use events::TREE_EVENTS;
pub(crate) use open::{Here, OpenVisit};

/// Receives the events of one location.
///
/// With `TREES` it also takes those events that hang its call paths below those of others.
pub struct Scan<'w, const TREES: bool = false> {
    meanings: Meanings<'w>,
    pub(super) splitting: &'w Splitting,
    worker: Lent<'w>,
    location: LocationRef,
    window: Option<Window>,
    /// Set if leaves before the window were of a region that was not open, or not the innermost one.
    odd_before: bool,
    pub(super) walk: Walk,
    pub(super) tasks: Tasks,
    pub(super) sampling: Sampling,
    /// With a window: the samples of the locations before, since those of this one may have to be forgotten.
    samples_before: Option<SampleSums>,
    /// Operations on files that have begun.
    pub(super) io: HashMap<(IoHandleRef, u64), IoOperationMode, RandomState>,
    /// Forks, teams and programs, if they are asked for.
    trees: Option<Box<Trees<'w>>>,
}

/// Worker that takes the results of a scan.
enum Lent<'w> {
    To(&'w mut Worker),
    /// The results are not asked for.
    Alone(Box<Worker>),
}

impl std::ops::Deref for Lent<'_> {
    type Target = Worker;

    fn deref(&self) -> &Worker {
        match self {
            Lent::To(worker) => worker,
            Lent::Alone(worker) => worker,
        }
    }
}

impl std::ops::DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Worker {
        match self {
            Lent::To(worker) => worker,
            Lent::Alone(worker) => worker,
        }
    }
}

impl<'w> Scan<'w, true> {
    /// For its way through the call tree only.
    pub(super) fn alone(
        meanings: Meanings<'w>,
        splitting: &'w Splitting,
        worker: Worker,
        location: LocationRef,
    ) -> Self {
        Scan::on(meanings, splitting, Lent::Alone(Box::new(worker)), location)
    }

    pub(super) fn with_trees(self, trees: Trees<'w>) -> Self {
        Scan { trees: Some(Box::new(trees)), ..self }
    }

    /// Returns the forks that were not taken yet.
    pub(super) fn forks(&mut self) -> &mut Forks {
        self.trees.get_or_insert_with(|| Box::new(Trees::new(None, None, None))).forks()
    }

    /// The paths so far.
    pub(super) fn tree(&self) -> &CallTree {
        &self.walk.tallies.tree
    }
}

impl<'w, const TREES: bool> Scan<'w, TREES> {
    pub(super) fn new(
        meanings: Meanings<'w>,
        splitting: &'w Splitting,
        worker: &'w mut Worker,
        location: LocationRef,
    ) -> Self {
        Scan::on(meanings, splitting, Lent::To(worker), location)
    }

    fn on(
        meanings: Meanings<'w>,
        splitting: &'w Splitting,
        mut worker: Lent<'w>,
        location: LocationRef,
    ) -> Self {
        let (tallies, meter, frames) = worker.lend();
        Scan {
            meanings,
            splitting,
            walk: Walk::new(tallies, meter, frames),
            worker,
            location,
            window: None,
            odd_before: false,
            tasks: Tasks::default(),
            sampling: Sampling::default(),
            samples_before: None,
            io: HashMap::default(),
            trees: None,
        }
    }

    /// Events before a window of time come first.
    pub(super) fn before(mut self, window: Window) -> Self {
        // Results from a snapshot on may have to be forgotten: each location has a meter of its own.
        let meter = std::mem::take(&mut self.walk.meter);
        self.worker.finish_meter(meter);
        // With calling contexts no snapshot is taken.
        if self.meanings.contexts.len() == 1 {
            self.samples_before = Some(std::mem::take(self.worker.samples()));
        }
        self.window = Some(window);
        self.walk.tallies.note_visited();
        self
    }

    /// The window begins.
    pub(super) fn begin_window(mut self) -> Self {
        if let Some(Window { begin, .. }) = self.window {
            let Oddities { crossed, unmatched, .. } = self.walk.oddities;
            self.odd_before = crossed > 0 || unmatched > 0;
            let (now, inside) = self.tasks.begin_window(&mut self.walk, begin);
            if let Some(trees) = &mut self.trees {
                trees.begin_window(now, inside, &mut self.walk.earlier);
            }
        }
        self
    }

    /// The window does not begin any more.
    pub(super) fn end_before_window(mut self) {
        self.walk.forget_earlier();
        self.end_location(&StreamSummary::default());
    }

    /// Tells whether the results hold without the events before: numbers taken back depend on all of these.
    pub(super) fn is_sure(&self, ended: bool) -> bool {
        let Oddities { crossed, unmatched, .. } = self.walk.oddities;
        let goes_on = !self.walk.stack.carried().is_empty();
        (crossed, unmatched, self.odd_before) == (0, 0, false)
            && self.walk.taken_back.is_empty()
            && self.tasks.is_idle()
            && !(ended && goes_on)
    }

    /// Nothing of it counts.
    pub(super) fn discard(mut self) {
        self.walk.forget();
        self.worker.tallies = self.walk.tallies;
        *self.worker.samples() = self.samples_before.unwrap_or_default();
    }

    /// The window ends before the stream does.
    pub(super) fn end_window(mut self, summary: &StreamSummary) {
        if let Some(end) = self.window.and_then(|window| window.end) {
            let mut cut = Cut::default();
            let (now, inside) = self.tasks.end_window(&mut self.walk, end, &mut cut);
            if let Some(trees) = self.trees.take() {
                let back = &mut self.walk.taken_back;
                let counts = trees.end_window(now, inside, &mut cut, back);
                self.worker.add_threads(&counts);
            }
            self.walk.count_open(cut);
        }
        // Pending values belong to events behind the window.
        self.walk.meter.forget_pending();
        self.end_location(summary);
    }

    pub(super) fn end(mut self, summary: &StreamSummary) {
        self.tasks.end(&mut self.walk);
        if let Some(trees) = self.trees.take() {
            let counts = trees.end(&mut self.walk, &mut self.tasks);
            self.worker.add_threads(&counts);
        }
        self.walk.end();
        self.end_location(summary);
    }

    fn end_location(mut self, summary: &StreamSummary) {
        std::mem::take(&mut self.sampling).end(self.location, self.worker.samples());
        let Walk {
            tallies, meter, oddities, taken_back, earlier, stack, mut room, deepest, ..
        } = self.walk;
        stack.end(&mut room);
        self.worker.give_back(tallies, meter, room);
        if self.window.is_some() {
            if let Some(before) = self.samples_before {
                let own = std::mem::replace(self.worker.samples(), before);
                self.worker.samples().fold(own);
            }
            self.worker.take_back(self.location, taken_back, earlier);
        }
        if self.odd_before {
            self.worker.note_odd_before(self.location);
        }
        self.worker.end_location(LocationRow {
            location: self.location,
            events: summary.events,
            unknown: summary.unknown,
            first: summary.first,
            last: summary.last,
            visits: 0,
            closed: 0,
            inclusive: 0,
            inside: 0,
            shortest: u64::MAX,
            longest: 0,
            depth: deepest as u64,
            traffic: Traffic::NONE,
            oddities: Oddities { backward: summary.backward, ..oddities },
        });
    }

    /// The place of a calling context, where the trace defines it, and its region.
    pub(super) fn look_up(&mut self, context: CallingContextRef) -> (Option<Place>, RegionRef) {
        let place = self.meanings.contexts.place(context);
        let of_trace = place.map(|place| self.meanings.contexts.region(place));
        let region = of_trace.or_else(|| self.worker.local.contexts.get(&context).copied());
        self.walk.oddities.undefined_contexts += u64::from(region.is_none());
        (place, region.unwrap_or(RegionRef::UNDEFINED))
    }

    /// Tells whether a region is a step of call paths.
    fn is_chosen(&self, region: RegionRef) -> bool {
        self.meanings.chosen.is_none_or(|chosen| chosen.contains(region))
    }

    /// A region is entered.
    pub(super) fn enter(&mut self, head: &EventHead<'_>, region: RegionRef) {
        if self.is_chosen(region) {
            self.walk.enter(head.time, region);
        } else {
            self.walk.pass_over();
        }
    }

    /// A region is left.
    pub(super) fn leave(&mut self, head: &EventHead<'_>, region: RegionRef) {
        if self.is_chosen(region) {
            let (walk, tasks) = (&mut self.walk, &mut self.tasks);
            Self::call(&mut self.trees, walk, tasks, head.time, Call::Leave(region));
        } else {
            self.walk.pass_over();
        }
    }

    /// Enters and leaves of chosen regions, and messages. In line: out of line the state of the reader would have to be in
    /// memory in runs of all regions, too, which takes three instructions an event.
    #[inline(always)]
    fn chosen_calls<C: Calls>(&mut self, chosen: &RegionSet, calls: &mut C) {
        // Records stand before a run, and belong to its first.
        if self.walk.meter.is_pending() {
            match calls.next() {
                Some(call) if chosen.contains(call.region()) => {
                    let (walk, tasks) = (&mut self.walk, &mut self.tasks);
                    Self::call(&mut self.trees, walk, tasks, calls.time(), call);
                }
                Some(_) => self.walk.pass_over(),
                None => return,
            }
        }
        let calls = &mut ChosenCalls::new(calls, chosen);
        Self::follow(&mut self.trees, &mut self.walk, &mut self.tasks, calls);
    }

    /// Enters and leaves that follow each other, and messages.
    #[inline(always)]
    fn follow<C: Calls>(
        trees: &mut Option<Box<Trees<'_>>>,
        walk: &mut Walk,
        tasks: &mut Tasks,
        calls: &mut C,
    ) {
        if !TREES {
            return walk.calls(calls);
        }
        while let Some(call) = walk.known(calls) {
            Self::call(trees, walk, tasks, calls.time(), call);
        }
    }

    /// A region that is a step of call paths is entered or left.
    fn call(
        trees: &mut Option<Box<Trees<'_>>>,
        walk: &mut Walk,
        tasks: &mut Tasks,
        time: Ticks,
        call: Call,
    ) {
        if let (true, Some(trees), Call::Leave(region)) = (TREES, trees, call) {
            trees.leave_around(walk, tasks, time, region);
        }
        walk.call(time, call);
    }

    /// The moment of an event.
    fn moment(&self, head: &EventHead<'_>) -> Moment {
        let (now, away) = self.walk.present(head.time);
        Moment { now, away }
    }

    fn parameter(&mut self, time: Ticks, parameter: ParameterRef, value: ParameterValue) {
        self.walk.end_flush_before(time);
        let known = self.worker.local.parameters.get(&parameter).copied();
        let parameter = known.unwrap_or(parameter);
        if self.splitting.by(parameter) {
            let value = self.value(value);
            self.walk.parameter(self.meanings.parameter(parameter, value));
        }
    }

    /// The same value, with the reference that stands for a text that the location itself defines.
    fn value(&self, value: ParameterValue) -> ParameterValue {
        let ParameterValue::String(text) = value else { return value };
        let known = self.worker.local.texts.get(&text).copied();
        ParameterValue::String(known.unwrap_or(text))
    }

    fn message(&mut self, received: bool, bytes: u64) {
        self.walk.traffic().add_message(Message { received, bytes });
    }

    fn collective(&mut self, sent: u64, received: u64) {
        let traffic = self.walk.traffic();
        traffic.collectives += 1;
        traffic.collective_bytes_sent += u128::from(sent);
        traffic.collective_bytes_received += u128::from(received);
    }

    fn remote(&mut self, put: u64, got: u64) {
        let traffic = self.walk.traffic();
        traffic.rma += 1;
        traffic.bytes_put += u128::from(put);
        traffic.bytes_got += u128::from(got);
    }

    fn switch(&mut self, head: &EventHead<'_>, task: Task) {
        self.walk.go_to(head.time);
        self.tasks.switch(&mut self.walk, task);
    }

    fn complete(&mut self, head: &EventHead<'_>, task: Task) {
        self.walk.go_to(head.time);
        self.tasks.complete(&mut self.walk, task);
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::events::{Enter, EventVisitor, Leave};
    use streamfold_model::store::Definitions;

    use super::*;
    use crate::profile::{Partial, Profile, ProfileKernel};
    use crate::Kernel;

    fn profile(events: impl Fn(&mut dyn FnMut(u64, u32, bool))) -> Profile {
        let definitions = Definitions::default();
        let kernel = ProfileKernel::new(&definitions);
        let mut worker = kernel.worker();
        let mut scan = kernel.scan(&mut worker, LocationRef(0));
        events(&mut |time, region, enter| {
            let location = LocationRef(0);
            let head = EventHead { location, number: 1, time: Ticks(time), attributes: &[] };
            match enter {
                true => EventVisitor::enter(&mut scan, &head, Enter { region: RegionRef(region) }),
                false => EventVisitor::leave(&mut scan, &head, Leave { region: RegionRef(region) }),
            }
        });
        kernel.end(scan, &StreamSummary::default());
        let partial: Partial = kernel.partial(worker);
        Profile::new(partial, &definitions).0
    }

    /// Each of these leaves once looked through the whole stack: days, for a file of some megabytes.
    #[test]
    fn many_unmatched_leaves_below_a_deep_stack_take_no_time() {
        const DEEP: u32 = 200_000;
        let profile = profile(|event| {
            (0..DEEP).for_each(|_| event(1, 1, true));
            (0..DEEP).for_each(|_| event(2, 2, false));
            (0..DEEP).for_each(|_| event(3, 1, false));
            event(4, 1, false);
        });
        let odd = profile.oddities;
        assert_eq!((odd.unmatched, odd.crossed, odd.open), (u64::from(DEEP) + 1, 0, 0));
        assert_eq!(profile.total.closed, u64::from(DEEP));
    }

    #[test]
    fn counts_of_open_regions_follow_the_stack() {
        let profile = profile(|event| {
            (0..100).for_each(|region| event(u64::from(region), region, true));
            event(100, 1000, false); // unmatched: from here on regions are counted
            event(101, 50, false); // crossed: drops 51 to 99
            event(102, 60, false); // dropped: ends late
            event(103, 49, false);
            event(104, 60, true);
            event(105, 60, false);
        });
        let odd = profile.oddities;
        assert_eq!((odd.unmatched, odd.crossed, odd.dropped, odd.late), (1, 1, 49, 1));
        assert_eq!((odd.open, profile.total.closed), (49, 4));
    }
}
