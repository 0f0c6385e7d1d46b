//! What is open at a location: visits of regions, one inside of the other, for each task; teams, forks
//! and programs around them; operations on files; and whether recording is off.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::enums::MeasurementMode;
use streamfold_model::events::{BufferFlush, Event, IoOperationBegin, MeasurementOnOff};
use streamfold_model::ids::IoHandleRef;
use streamfold_model::values::Ticks;

use super::opened::{Bracket, BracketEnd, Task, Visited};
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
    /// Of explicit tasks that do not run.
    suspended: HashMap<Task, Stack, RandomState>,
    /// Whether recording is off.
    off: bool,
    /// Until when the tracer's memory is written out, corrected.
    flush: Option<Ticks>,
    /// Operations on files that are under way, with which one it is.
    io: HashMap<(IoHandleRef, u64), (u64, IoOperationBegin), RandomState>,
    begun: u64,
}

impl Open {
    /// Whether an explicit task runs.
    pub fn in_task(&self) -> bool {
        self.running.is_some()
    }

    /// How many visits that stay are open in the task that runs.
    #[inline]
    pub fn depth(&self) -> usize {
        self.stack.kept
    }

    /// A region is entered.
    #[inline]
    pub fn enter(&mut self, region: u32, visited: Visited, kept: bool) {
        self.passed();
        self.stack.enter(region, visited, kept);
    }

    /// A region is left. Returns whether the leave stays.
    #[inline]
    pub fn leave(&mut self, region: u32) -> bool {
        self.passed();
        self.stack.leave(region)
    }

    /// Whoever records this is no longer off, nor writing.
    #[inline]
    fn passed(&mut self) {
        self.off = false;
        self.flush = None;
    }

    /// Something else begins.
    pub fn begin(&mut self, bracket: Bracket) {
        self.stack.begin(bracket);
    }

    /// Something else ends.
    pub fn end(&mut self, end: BracketEnd) {
        self.stack.end(end);
    }

    /// Another task goes on.
    pub fn switch(&mut self, task: Task) {
        let runs = self.running.map_or(task.is_implicit(), |running| running == task);
        if runs {
            return;
        }
        self.passed();
        self.suspend();
        if !task.is_implicit() {
            let stack = self.suspended.remove(&task).unwrap_or_default();
            self.implicit = std::mem::replace(&mut self.stack, stack);
            self.running = Some(task);
        }
    }

    fn suspend(&mut self) {
        if let Some(task) = self.running.take() {
            let implicit = std::mem::take(&mut self.implicit);
            let stack = std::mem::replace(&mut self.stack, implicit);
            self.suspended.insert(task, stack);
        }
    }

    /// A task is at its end: what is open in it has none.
    pub fn complete(&mut self, task: Task) {
        if self.running == Some(task) {
            self.passed();
            self.suspend();
        }
        self.suspended.remove(&task);
    }

    /// Recording goes on or off.
    pub fn recording(&mut self, mode: MeasurementMode) {
        self.flush = None;
        match mode {
            MeasurementMode::On => self.off = false,
            MeasurementMode::Off => self.off = true,
            MeasurementMode::Unnamed(_) => {}
        }
    }

    /// The tracer's memory is written out until then, corrected.
    pub fn flush(&mut self, stop: Ticks) {
        self.flush = Some(stop);
    }

    /// An operation on a file begins.
    pub fn begin_io(&mut self, event: IoOperationBegin) {
        self.begun += 1;
        self.io.insert((event.handle, event.matching_id), (self.begun, event));
    }

    /// An operation on a file ends.
    pub fn end_io(&mut self, handle: IoHandleRef, matching_id: u64) {
        self.io.remove(&(handle, matching_id));
    }

    /// Forgets operations on files, which nobody has to end.
    pub fn forget_io(&mut self) {
        self.io = HashMap::default();
    }

    /// The suspended tasks in which something is open, in their order.
    fn waiting(&self) -> Vec<(Task, &Stack)> {
        let open = self.suspended.iter().filter(|(_, stack)| !stack.is_empty());
        let mut waiting: Vec<_> = open.map(|(task, stack)| (*task, stack)).collect();
        waiting.sort_unstable_by_key(|(task, _)| *task);
        waiting
    }

    /// Hands over what begins anew all that is open, where a window begins. `flush_end` is told the
    /// corrected time at which a flush ends, and returns the recorded one.
    ///
    /// # Errors
    ///
    /// The first of `emit`.
    pub fn begins<E>(
        &self,
        begin: Ticks,
        tasks: bool,
        flush_end: impl FnOnce(Ticks) -> Ticks,
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
                each(&self.stack, &mut emit)?;
            }
            (None, Some((last, _))) => emit(last.implicit().switch())?,
            _ => {}
        }
        let mut operations: Vec<_> = self.io.values().collect();
        operations.sort_unstable_by_key(|(begun, _)| *begun);
        operations.into_iter().try_for_each(|(_, event)| emit(Event::IoOperationBegin(*event)))?;
        if self.off {
            let measurement_mode = MeasurementMode::Off;
            emit(Event::MeasurementOnOff(MeasurementOnOff { measurement_mode }))?;
        }
        if let Some(stop) = self.flush.filter(|stop| *stop > begin) {
            emit(Event::BufferFlush(BufferFlush { stop_time: flush_end(stop) }))?;
        }
        Ok(())
    }

    /// Hands over what ends all that is open, where a window ends.
    ///
    /// # Errors
    ///
    /// The first of `emit`.
    pub fn ends<E>(
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
mod tests {
    use streamfold_model::ids::{CommRef, RegionRef};

    use super::super::stack::MOST_BRACKETS;
    use super::*;

    fn region(number: u32) -> Visited {
        Visited::Region(RegionRef(number))
    }

    fn texts(hand_over: impl FnOnce(&mut dyn FnMut(Event<'_>) -> Result<(), ()>)) -> Vec<String> {
        let mut all = Vec::new();
        hand_over(&mut |event| {
            all.push(match event {
                Event::Enter(e) => format!("+{}", e.region),
                Event::Leave(e) => format!("-{}", e.region),
                Event::ThreadTeamBegin(e) => format!("({}", e.thread_team),
                Event::ThreadTeamEnd(e) => format!("){}", e.thread_team),
                Event::OmpTaskSwitch(e) => format!("@{}", e.task_id),
                Event::MeasurementOnOff(e) => format!("{:?}", e.measurement_mode),
                Event::BufferFlush(e) => format!("flush {}", e.stop_time),
                other => format!("{other:?}"),
            });
            Ok(())
        });
        all
    }

    fn begins(open: &Open) -> String {
        texts(|emit| open.begins(Ticks(50), true, |stop| stop, emit).unwrap()).join(" ")
    }

    fn ends(open: &Open) -> String {
        texts(|emit| open.ends(true, emit).unwrap()).join(" ")
    }

    #[test]
    fn what_is_open_begins_and_ends_in_its_order() {
        let mut open = Open::default();
        open.enter(1, region(10), true);
        open.begin(Bracket::Team(CommRef(7)));
        open.enter(2, region(20), false);
        open.enter(3, region(30), true);
        open.recording(MeasurementMode::Off);
        assert_eq!(begins(&open), "+10 (7 +30 Off");
        assert_eq!(ends(&open), "On -30 )7 -10");
        // Crossed: 3 has no end, and the team goes on.
        assert!(!open.leave(2));
        assert_eq!(begins(&open), "+10 (7");
        assert!(open.leave(1));
        assert_eq!(begins(&open), "(7");
        assert!(open.leave(1), "an unmatched leave stays");
        open.enter(4, region(40), true);
        assert_eq!(begins(&open), "(7 +40");
        open.end(BracketEnd::Team(CommRef(7)));
        assert_eq!(ends(&open), "-40");
    }

    #[test]
    fn tasks_have_stacks_of_their_own() {
        let mut open = Open::default();
        open.enter(1, region(1), true);
        open.switch(Task::Omp(5));
        open.enter(2, region(2), true);
        open.switch(Task::Omp(4));
        open.enter(3, region(3), true);
        assert_eq!(begins(&open), "+1 @5 +2 @4 +3");
        assert_eq!(ends(&open), "-3 @5 -2 @0 -1");
        open.switch(Task::Omp(0));
        assert_eq!(begins(&open), "+1 @4 +3 @5 +2 @0");
        assert_eq!(ends(&open), "@4 -3 @5 -2 @0 -1");
        open.complete(Task::Omp(4));
        open.switch(Task::Omp(5));
        open.complete(Task::Omp(5));
        assert!(!open.in_task());
        assert_eq!((begins(&open), ends(&open)), ("+1".to_owned(), "-1".to_owned()));
    }

    #[test]
    fn flushes_go_on_up_to_where_they_end() {
        let mut open = Open::default();
        open.flush(Ticks(60));
        assert_eq!(begins(&open), "flush 60");
        open.flush(Ticks(50));
        assert_eq!(begins(&open), "");
        open.flush(Ticks(60));
        open.enter(1, region(1), true);
        assert_eq!(begins(&open), "+1");
    }

    /// Each of these leaves would look through the whole stack.
    #[test]
    fn many_unmatched_leaves_below_a_deep_stack_take_no_time() {
        const DEEP: u32 = 200_000;
        let mut open = Open::default();
        (0..DEEP).for_each(|_| open.enter(1, region(1), true));
        (0..MOST_BRACKETS + 5).for_each(|_| open.begin(Bracket::Team(CommRef(1))));
        (0..DEEP).for_each(|_| assert!(open.leave(2)));
        (0..DEEP).for_each(|_| open.end(BracketEnd::Team(CommRef(2))));
        (0..DEEP).for_each(|_| assert!(open.leave(1)));
        assert_eq!(open.depth(), 0);
    }
}
