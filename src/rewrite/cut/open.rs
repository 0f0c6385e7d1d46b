//! Open visits, teams, forks, programs and operations on files of a location. Visits of regions are nested, for each
//! task; teams, forks and programs are around them. It also holds if recording is off.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_kernels::task::Task;
use streamfold_model::enums::MeasurementMode;
use streamfold_model::events::{Event, IoOperationBegin, MeasurementOnOff};
use streamfold_model::ids::IoHandleRef;

use super::full::{Full, MOST_OPERATIONS, MOST_TASKS, MOST_VISITS};
use super::opened::{Bracket, BracketEnd, Visited};
use super::stack::{Opened, Stack};

/// All that is open at a location.
#[derive(Debug, Default)]
pub(super) struct Open {
    /// Of the task that runs.
    stack: Stack,
    /// The explicit task that runs; `None`: the implicit one.
    running: Option<Task>,
    /// Of the implicit task, while another one runs.
    implicit: Stack,
    /// Of explicit tasks that do not run and in which something is open.
    suspended: HashMap<Task, Stack, RandomState>,
    /// How much is open in the tasks that do not run.
    elsewhere: usize,
    /// True if recording is off.
    off: bool,
    /// Operations on files that are under way, with which one it is.
    io: HashMap<(IoHandleRef, u64), (u64, IoOperationBegin), RandomState>,
    begun: u64,
    /// Operations on files that are under way, more than are looked after.
    more_io: u64,
    /// Of what there was too much: what is open is not known since.
    full: Option<Full>,
}

impl Open {
    /// Returns whether an explicit task runs.
    pub(super) fn in_task(&self) -> bool {
        self.running.is_some()
    }

    /// Of what more was open at a time than is looked after.
    #[inline]
    pub(super) fn full(&self) -> Option<Full> {
        self.full
    }

    /// How many visits that stay are open in the task that runs.
    #[inline]
    pub(super) fn depth(&self) -> usize {
        self.stack.kept
    }

    /// A region is entered.
    #[inline]
    pub(super) fn enter(&mut self, region: u32, visited: Visited, kept: bool) {
        self.off = false;
        if self.stack.room() + self.elsewhere >= MOST_VISITS {
            self.full = Some(Full::Visits);
            return;
        }
        self.stack.enter(region, visited, kept);
    }

    /// A region is left. Returns whether the leave stays.
    #[inline]
    pub(super) fn leave(&mut self, region: u32) -> bool {
        self.off = false;
        self.stack.leave(region)
    }

    /// Something else begins.
    pub(super) fn begin(&mut self, bracket: Bracket) {
        if self.stack.room() + self.elsewhere + bracket.room() > MOST_VISITS {
            self.full = Some(Full::Visits);
        } else if !self.stack.begin(bracket) {
            self.full = Some(Full::Brackets);
        }
    }

    /// Something else ends.
    pub(super) fn end(&mut self, end: BracketEnd) {
        self.stack.end(end);
    }

    /// Another task goes on.
    pub(super) fn switch(&mut self, task: Task) {
        let runs = self.running.map_or(task.is_implicit(), |running| running == task);
        if runs {
            return;
        }
        self.off = false;
        self.suspend();
        if !task.is_implicit() {
            let stack = self.suspended.remove(&task).unwrap_or_default();
            self.elsewhere = self.elsewhere - stack.room() + self.stack.room();
            self.implicit = std::mem::replace(&mut self.stack, stack);
            self.running = Some(task);
        }
    }

    fn suspend(&mut self) {
        let Some(task) = self.running.take() else { return };
        let implicit = std::mem::take(&mut self.implicit);
        self.elsewhere -= implicit.room();
        let stack = std::mem::replace(&mut self.stack, implicit);
        // A task of which nothing is known begins in the same way.
        if stack.is_blank() {
            return;
        }
        if self.suspended.len() >= MOST_TASKS {
            self.full = Some(Full::Tasks);
            return;
        }
        self.elsewhere += stack.room();
        self.suspended.insert(task, stack);
    }

    /// A task is at its end: what is open in it has none.
    pub(super) fn complete(&mut self, task: Task) {
        if self.running == Some(task) {
            self.off = false;
            self.suspend();
        }
        let stack = self.suspended.remove(&task).unwrap_or_default();
        self.elsewhere -= stack.room();
    }

    /// Recording goes on or off.
    pub(super) fn recording(&mut self, mode: MeasurementMode) {
        match mode {
            MeasurementMode::On => self.off = false,
            MeasurementMode::Off => self.off = true,
            _ => {}
        }
    }

    /// An operation on a file begins.
    pub(super) fn begin_io(&mut self, event: IoOperationBegin) {
        let operation = (event.handle, event.matching_id);
        if self.io.len() >= MOST_OPERATIONS && !self.io.contains_key(&operation) {
            self.more_io += 1;
            return;
        }
        self.begun += 1;
        self.io.insert(operation, (self.begun, event));
    }

    /// An operation on a file ends.
    pub(super) fn end_io(&mut self, handle: IoHandleRef, matching_id: u64) {
        if self.io.remove(&(handle, matching_id)).is_none() {
            self.more_io = self.more_io.saturating_sub(1);
        }
    }

    /// Forgets operations on files, which nobody has to end. Returns how many more than those that are
    /// looked after are under way.
    pub(super) fn forget_io(&mut self) -> u64 {
        self.io = HashMap::default();
        std::mem::take(&mut self.more_io)
    }

    /// The suspended tasks in which something is open, in their order.
    fn waiting(&self) -> Vec<(Task, &Stack)> {
        let open = self.suspended.iter().filter(|(_, stack)| !stack.is_empty());
        let mut waiting: Vec<_> = open.map(|(task, stack)| (*task, stack)).collect();
        waiting.sort_unstable_by_key(|(task, _)| *task);
        waiting
    }

    /// Hands over what begins anew all that is open in tasks, where a window begins.
    ///
    /// # Errors
    ///
    /// The first of `emit`.
    pub(super) fn begins<E>(
        &self,
        tasks: bool,
        mut emit: impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let each = |stack: &Stack, emit: &mut dyn FnMut(Event<'_>) -> Result<(), E>| {
            stack.each().try_for_each(|opened| match opened {
                Opened::Visit(visited) => emit(visited.enter()),
                Opened::Bracket(bracket) => emit(bracket.begin()),
            })
        };
        let outer = if self.in_task() { &self.implicit } else { &self.stack };
        each(outer, &mut emit)?;
        let waiting = if tasks { self.waiting() } else { Vec::new() };
        for (task, stack) in &waiting {
            emit(task.switch())?;
            each(stack, &mut emit)?;
        }
        match (self.running, waiting.last()) {
            (Some(task), _) if tasks => {
                emit(task.switch())?;
                each(&self.stack, &mut emit)
            }
            (None, Some((last, _))) => emit(last.implicit().switch()),
            _ => Ok(()),
        }
    }

    /// The same of operations on files, in the order in which they began.
    ///
    /// # Errors
    ///
    /// The first of `emit`.
    pub(super) fn begins_io<E>(
        &self,
        mut emit: impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut operations: Vec<_> = self.io.values().collect();
        operations.sort_unstable_by_key(|(begun, _)| *begun);
        operations.into_iter().try_for_each(|(_, event)| emit(Event::IoOperationBegin(*event)))
    }

    /// Returns the event that turns recording off, if it is off.
    pub(super) fn begins_off(&self) -> Option<Event<'static>> {
        let measurement_mode = MeasurementMode::Off;
        self.off.then_some(Event::MeasurementOnOff(MeasurementOnOff { measurement_mode }))
    }

    /// Hands over what ends all that is open, where a window ends.
    ///
    /// # Errors
    ///
    /// The first of `emit`.
    pub(super) fn ends<E>(
        &self,
        tasks: bool,
        mut emit: impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let each = |stack: &Stack, emit: &mut dyn FnMut(Event<'_>) -> Result<(), E>| {
            stack.each().rev().try_for_each(|opened| match opened {
                Opened::Visit(visited) => emit(visited.leave()),
                Opened::Bracket(bracket) => emit(bracket.end()),
            })
        };
        if self.off {
            let measurement_mode = MeasurementMode::On;
            emit(Event::MeasurementOnOff(MeasurementOnOff { measurement_mode }))?;
        }
        let mut last = self.running.filter(|_| tasks);
        if last.is_some() {
            each(&self.stack, &mut emit)?;
        }
        for (task, stack) in if tasks { self.waiting() } else { Vec::new() } {
            emit(task.switch())?;
            each(stack, &mut emit)?;
            last = Some(task);
        }
        let outer = if self.in_task() { &self.implicit } else { &self.stack };
        // So that everybody sees that the last one does not run any more.
        if let Some(task) = last {
            emit(task.implicit().switch())?;
        }
        each(outer, &mut emit)
    }
}

#[cfg(test)]
mod tests;
