//! Tasks: each has a stack of its own, and time of its own.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::{CommRef, RegionRef};

use super::stack::Stack;
use super::step::Step;
use super::tree::PathIndex;
use super::walk::Walk;

/// Which explicit task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Task {
    /// Of ThreadTask events: team, the thread in it that created the task, and a number for each of
    /// its tasks; 0 is the thread's implicit task.
    Thread { team: CommRef, creator: u32, generation: u32 },
    /// Of OmpTask events; 0 is the thread's implicit task.
    Omp(u64),
}

impl Task {
    fn is_implicit(self) -> bool {
        matches!(self, Task::Thread { generation: 0, .. } | Task::Omp(0))
    }
}

/// The tasks of a location that are under way.
#[derive(Default)]
pub(super) struct Tasks {
    /// The explicit task that runs; none: what the thread itself does.
    running: Option<Running>,
    suspended: HashMap<Task, Suspended, RandomState>,
}

struct Running {
    task: Task,
    /// When it began or went on, in ticks.
    since: u64,
    /// What it interrupted.
    implicit: Stack,
}

struct Suspended {
    stack: Stack,
    since: u64,
}

impl Tasks {
    /// The location goes on with a task, now.
    pub fn switch(&mut self, walk: &mut Walk, task: Task) {
        if self.running.as_ref().is_some_and(|running| running.task == task) {
            return;
        }
        self.suspend(walk);
        if !task.is_implicit() {
            self.go_on(walk, task);
        }
    }

    /// A task is at its end, now.
    pub fn complete(&mut self, walk: &mut Walk, task: Task) {
        let runs = self.running.as_ref().is_some_and(|running| running.task == task);
        let stack = match runs {
            true => self.interrupt(walk).map(|(_, stack)| stack),
            false => self.suspended.remove(&task).map(|suspended| suspended.stack),
        };
        if let Some(stack) = stack {
            end_of_stack(walk, stack);
        }
    }

    /// Nothing follows in this location.
    pub fn end(&mut self, walk: &mut Walk) {
        if let Some(Running { implicit, .. }) = self.running.take() {
            walk.end();
            let stack = walk.exchange(implicit);
            walk.add_open(Step::Task(first_region(&stack)));
        }
        for (_, Suspended { stack, .. }) in self.suspended.drain() {
            end_of_stack(walk, stack);
        }
    }

    /// What the thread itself does goes on, now.
    pub fn suspend(&mut self, walk: &mut Walk) {
        if let Some((before, stack)) = self.interrupt(walk) {
            self.suspended.insert(before, Suspended { stack, since: walk.now() });
        }
    }

    /// The running task, if there is one, gives way to what it interrupted.
    fn interrupt(&mut self, walk: &mut Walk) -> Option<(Task, Stack)> {
        let Running { task, since, implicit } = self.running.take()?;
        walk.end_of_off();
        let stack = walk.exchange(implicit);
        walk.add_visit(Step::Task(first_region(&stack)), since, false);
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
        self.running = Some(Running { task, since: walk.now(), implicit });
    }
}

/// After what a task is called.
fn first_region(stack: &Stack) -> RegionRef {
    stack.outermost().unwrap_or(RegionRef::UNDEFINED)
}

/// What is open in this stack has no end.
fn end_of_stack(walk: &mut Walk, stack: Stack) {
    let present = walk.exchange(stack);
    walk.end_stack();
    walk.exchange(present);
}
