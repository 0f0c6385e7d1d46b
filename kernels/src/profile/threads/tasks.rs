//! Tasks: each has a stack of its own, and time of its own.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use streamfold_model::ids::RegionRef;
use streamfold_model::values::Ticks;

use crate::profile::metrics::Sum;
use crate::profile::result::window::{carry, Charge, Cut};
use crate::profile::scan::stack::Stack;
use crate::profile::scan::walk::Walk;
use crate::profile::tree::step::Step;
use crate::profile::tree::PathIndex;
use crate::task::Task;

/// The tasks of a location that are under way.
#[derive(Default)]
pub(crate) struct Tasks {
    /// The explicit task that runs; none: what the thread itself does.
    running: Option<Running>,
    suspended: HashMap<Task, Suspended, RandomState>,
    /// The last switch.
    switched: Option<Switched>,
}

struct Running {
    task: Task,
    /// When it began or went on, in ticks.
    since: u64,
    /// For how long something had been open in its stack by then, in ticks.
    busy: u64,
    /// Stack of the thread that it interrupted.
    implicit: Stack,
    /// Time of this stretch when a window of time began.
    carried: Option<Charge>,
    /// How metrics changed meanwhile.
    changes: Changes,
}

/// How metrics changed in a stretch of a task.
#[derive(Default)]
struct Changes {
    sums: HashMap<u32, Sum, RandomState>,
    /// Those of which it is not known what they were when the stretch began: in a window of time, all
    /// of a stretch that began before it.
    unknown: HashSet<u32, RandomState>,
}

/// A switch from one task to another.
struct Switched {
    /// When, in ticks.
    at: u64,
    /// The explicit task that ran before; `None`: the implicit one.
    before: Option<Before>,
}

/// A stretch of an explicit task that is over.
struct Before {
    task: Task,
    /// The path of which it was a visit.
    path: PathIndex,
    /// The metrics that changed in it.
    changed: HashSet<u32, RandomState>,
    /// Those of which it is not known what they were when it began.
    unknown: HashSet<u32, RandomState>,
}

impl Before {
    /// The path for which a change of a metric counts.
    fn counts_for(&self, slot: u32) -> Option<PathIndex> {
        (!self.unknown.contains(&slot)).then_some(self.path)
    }
}

struct Suspended {
    stack: Stack,
    since: u64,
}

impl Tasks {
    /// Tells whether an explicit task runs.
    pub(crate) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Tells whether visits that are open in suspended tasks have values of metrics.
    pub(crate) fn have_metrics(&self) -> bool {
        self.suspended.values().any(|suspended| !suspended.stack.values.is_empty())
    }

    /// The location goes on with a task, now.
    pub(crate) fn switch(&mut self, walk: &mut Walk, task: Task) {
        let runs = match &self.running {
            Some(running) => running.task == task,
            None => task.is_implicit(),
        };
        if runs {
            return;
        }
        walk.meter.told = false;
        self.switched = Some(Switched { at: walk.now(), before: None });
        self.suspend(walk);
        if !task.is_implicit() {
            self.go_on(walk, task);
        }
    }

    /// A task is at its end, now.
    pub(crate) fn complete(&mut self, walk: &mut Walk, task: Task) {
        let runs = self.running.as_ref().is_some_and(|running| running.task == task);
        let stack = match runs {
            true => self.interrupt(walk).map(|(_, stack)| stack),
            false => self.suspended.remove(&task).map(|suspended| suspended.stack),
        };
        if let Some(stack) = stack {
            walk.end_other(stack);
        }
    }

    /// Tells whether no explicit task is running or suspended.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_none() && self.suspended.is_empty()
    }

    /// Metrics changed with a record of this time.
    pub(crate) fn change(&mut self, walk: &mut Walk, time: Ticks) {
        let mut changes = std::mem::take(&mut walk.meter.changes);
        // A record of the time of a switch, although it stands behind it, tells what was before.
        let late = self.switched.as_ref().is_some_and(|s| s.at == time.0 && !walk.meter.told);
        for (slot, change) in changes.drain(..) {
            match (change, late) {
                (Some(change), true) => self.change_before(walk, slot, &change),
                (Some(change), false) => self.change_running(walk, slot, &change),
                (None, true) => self.learn_before(slot),
                (None, false) => self.learn_running(slot),
            }
        }
        walk.meter.changes = changes;
    }

    /// Marks a metric as unknown up to the end of the stretch that is over.
    fn learn_before(&mut self, slot: u32) {
        let before = self.switched.as_mut().and_then(|switched| switched.before.as_mut());
        if let Some(before) = before {
            before.unknown.insert(slot);
        }
    }

    /// Marks a metric as unknown at the start of this stretch.
    fn learn_running(&mut self, slot: u32) {
        if let Some(running) = &mut self.running {
            running.changes.unknown.insert(slot);
        }
    }

    fn change_running(&mut self, walk: &mut Walk, slot: u32, change: &Sum) {
        walk.stack.values.change(slot, change);
        if let Some(running) = &mut self.running {
            let sum = running.changes.sums.entry(slot);
            sum.and_modify(|sum| sum.add_sum(change)).or_insert_with(|| change.clone());
        }
    }

    fn change_before(&mut self, walk: &mut Walk, slot: u32, change: &Sum) {
        let implicit = match &mut self.running {
            Some(running) => &mut running.implicit,
            None => &mut walk.stack,
        };
        implicit.values.change(slot, change);
        let before = self.switched.as_mut().and_then(|switched| switched.before.as_mut());
        if let Some(before) = before {
            implicit.values.add_inside(slot, change);
            let suspended = self.suspended.get_mut(&before.task);
            let inside = suspended.and_then(|suspended| {
                suspended.stack.values.change(slot, change);
                suspended.stack.values.more_inside(slot)
            });
            if let Some(path) = before.counts_for(slot) {
                let first = before.changed.insert(slot);
                walk.meter.stretch(path, slot, change, inside.as_ref(), first);
            }
        }
    }

    /// The stacks of what does not run.
    pub(crate) fn stacks(&mut self) -> impl Iterator<Item = &mut Stack> {
        let interrupted = self.running.iter_mut().map(|running| &mut running.implicit);
        interrupted.chain(self.suspended.values_mut().map(|suspended| &mut suspended.stack))
    }

    /// Nothing follows in this location.
    pub(crate) fn end(&mut self, walk: &mut Walk) {
        if let Some(Running { implicit, carried, .. }) = self.running.take() {
            walk.end();
            let stack = walk.exchange(implicit);
            walk.add_open(Step::Task(first_region(&stack)), carried);
        }
        for (_, Suspended { stack, .. }) in self.suspended.drain() {
            walk.end_other(stack);
        }
    }

    /// Suspends the running task: the thread itself goes on, now.
    pub(crate) fn suspend(&mut self, walk: &mut Walk) {
        if let Some((before, mut stack)) = self.interrupt(walk) {
            walk.rest(&mut stack);
            self.suspended.insert(before, Suspended { stack, since: walk.now() });
        }
    }

    /// The running task, if there is one, gives way to what it interrupted.
    fn interrupt(&mut self, walk: &mut Walk) -> Option<(Task, Stack)> {
        let running = self.running.take()?;
        walk.end_of_off();
        let charge = running.charge(walk, walk.now());
        walk.drop_asides(0, charge.path);
        let Running { task, implicit, carried, changes, .. } = running;
        let mut stack = walk.exchange(implicit);
        let path = charge.path;
        walk.add_stretch(charge, carried);
        let Changes { sums, unknown } = changes;
        let mut before = Before { task, path, changed: HashSet::default(), unknown };
        for (slot, change) in sums {
            walk.stack.values.change(slot, &change);
            walk.stack.values.add_inside(slot, &change);
            let inside = stack.values.more_inside(slot);
            if let Some(path) = before.counts_for(slot) {
                let first = before.changed.insert(slot);
                walk.meter.stretch(path, slot, &change, inside.as_ref(), first);
            }
        }
        walk.meter.told = false;
        self.switched = Some(Switched { at: walk.now(), before: Some(before) });
        Some((task, stack))
    }

    fn go_on(&mut self, walk: &mut Walk, task: Task) {
        let stack = match self.suspended.remove(&task) {
            Some(Suspended { mut stack, since }) => {
                stack.shift(walk.now() - since);
                stack
            }
            None => Stack::at(walk.path(PathIndex::ROOT, Step::Tasks)),
        };
        walk.end_of_off();
        let implicit = walk.exchange(stack);
        let (since, changes) = (walk.now(), Changes::default());
        let busy = walk.busy(since);
        self.running = Some(Running { task, since, busy, implicit, carried: None, changes });
    }

    /// A window of time begins. Returns when, and for how long something has been open by then in what the
    /// thread itself does, in ticks.
    pub(crate) fn begin_window(&mut self, walk: &mut Walk, begin: Ticks) -> (u64, u64) {
        walk.begin_window(begin);
        self.switched = None;
        let now = walk.now().max(begin.0);
        if let Some(running) = &mut self.running {
            let charge = running.charge(walk, now);
            running.carried = Some(charge);
            carry(&mut running.implicit, now, charge.inclusive, &mut walk.earlier);
        }
        for Suspended { stack, since } in self.suspended.values_mut() {
            carry(stack, *since, 0, &mut walk.earlier);
        }
        (now, self.busy(walk, now))
    }

    /// The window ends, and what is open goes on. Returns what [`Tasks::begin_window`] does.
    pub(crate) fn end_window(&self, walk: &mut Walk, end: Ticks, cut: &mut Cut) -> (u64, u64) {
        walk.end_window(end, cut);
        let now = walk.now().max(end.0);
        if let Some(running) = &self.running {
            let charge = running.charge(walk, now);
            cut.visit(charge, running.carried, &mut walk.taken_back);
            cut.stack(&running.implicit, now, charge.inclusive, &mut walk.taken_back);
        }
        for Suspended { stack, since } in self.suspended.values() {
            cut.stack(stack, *since, 0, &mut walk.taken_back);
        }
        (now, self.busy(walk, now))
    }

    /// For how long something was open in what the thread itself does, in ticks.
    fn busy(&self, walk: &Walk, now: u64) -> u64 {
        match &self.running {
            Some(running) => running.implicit.busy(now, now - running.since),
            None => walk.busy(now),
        }
    }
}

impl Running {
    /// Returns the times of this stretch as a visit in the interrupted stack: time in the task's own visits is not
    /// exclusive.
    fn charge(&self, walk: &mut Walk, now: u64) -> Charge {
        let step = Step::Task(first_region(&walk.stack));
        let path = walk.path(self.implicit.path(), step);
        let inclusive = now - self.since;
        let busy = walk.busy(now) - self.busy;
        Charge { path, inclusive, exclusive: inclusive - busy }
    }
}

/// Returns the region that a task is named after.
fn first_region(stack: &Stack) -> RegionRef {
    stack.outermost().unwrap_or(RegionRef::UNDEFINED)
}
