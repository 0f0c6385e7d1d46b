//! Tasks: each has a stack of its own, and a life from its creation to its completion.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use streamfold_model::ids::CommRef;

use super::code::Code;
use crate::task::{Task, TaskEvent};

/// Open items of a task.
pub(crate) trait Stack: Default {
    /// Returns whether nothing is open.
    fn is_blank(&self) -> bool;
}

impl<T> Stack for Vec<T> {
    fn is_blank(&self) -> bool {
        self.is_empty()
    }
}

/// Open items of a location's suspended tasks. The stack of the running task is the present one.
#[derive(Debug)]
pub(crate) struct Stacks<S> {
    /// The explicit task that runs, and what it interrupted; none: what the thread itself does.
    running: Option<(Task, S)>,
    suspended: HashMap<Task, S, RandomState>,
}

impl<S> Default for Stacks<S> {
    fn default() -> Self {
        Stacks { running: None, suspended: HashMap::default() }
    }
}

impl<S: Stack> Stacks<S> {
    /// The location goes on with a task.
    pub(crate) fn switch(&mut self, present: &mut S, task: Task) {
        let runs = match &self.running {
            Some((running, _)) => *running == task,
            None => task.is_implicit(),
        };
        if runs {
            return;
        }
        if let Some((before, implicit)) = self.running.take() {
            let stack = std::mem::replace(present, implicit);
            // Tasks may be more than can be remembered; those with nothing open need not be.
            if !stack.is_blank() {
                self.suspended.insert(before, stack);
            }
        }
        if !task.is_implicit() {
            let stack = self.suspended.remove(&task).unwrap_or_default();
            self.running = Some((task, std::mem::replace(present, stack)));
        }
    }

    /// A task is at its end. Returns its stack, if it runs here or has anything open; what the thread itself does goes on
    /// where the task was running.
    pub(crate) fn complete(&mut self, present: &mut S, task: Task) -> Option<S> {
        match self.running.take() {
            Some((running, implicit)) if running == task => {
                Some(std::mem::replace(present, implicit))
            }
            other => {
                self.running = other;
                self.suspended.remove(&task)
            }
        }
    }

    /// The explicit task that runs.
    pub(crate) fn running(&self) -> Option<Task> {
        self.running.as_ref().map(|(task, _)| *task)
    }

    /// All stacks but the present one; that of the thread itself has no task.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Option<Task>, &S)> {
        let interrupted = self.running.iter().map(|(_, stack)| (None, stack));
        interrupted.chain(self.suspended.iter().map(|(task, stack)| (Some(*task), stack)))
    }

    /// All stacks but the present one.
    pub(crate) fn into_rest(self) -> impl Iterator<Item = S> {
        let interrupted = self.running.into_iter().map(|(_, stack)| stack);
        interrupted.chain(self.suspended.into_values())
    }
}

/// Creations and completions of tasks at a location.
///
/// A task of ThreadTask events names the thread that created it, and that thread's location records it. A location that
/// records creations of a thread records all of them. Without such records nothing is known, and OmpTask events do not
/// name the creator of the task.
#[derive(Debug, Default)]
pub(super) struct Lives {
    teams: HashMap<CommRef, HashMap<u32, Life, RandomState>, RandomState>,
    omp: Stretches,
    /// How much is held of all teams. Above [`MOST_HELD`] nothing is, and nothing is wrong.
    held: usize,
}

/// The tasks that one thread of a team created, by generation number.
#[derive(Debug, Default)]
struct Life {
    created: Stretches,
    complete: Stretches,
}

/// Stretches of numbers of tasks of a location, and threads that created tasks.
const MOST_HELD: usize = 1 << 20;

impl Lives {
    /// Checks an event of a task.
    pub(super) fn action(&mut self, action: TaskEvent) -> Option<Code> {
        let task = action.task();
        if task.is_implicit() || self.is_full() {
            return None;
        }
        let code = match task {
            Task::Thread { team, creator, generation } => {
                let lives = self.teams.entry(team).or_default();
                let before = lives.get(&creator).map_or(0, Life::held);
                let life = lives.entry(creator).or_default();
                let code = life.action(action, generation.into());
                self.held = self.held + life.held() - before;
                code
            }
            Task::Omp(id) => self.omp_deed(action, id),
        };
        if self.is_full() {
            (self.teams, self.omp) = Default::default();
            self.held = MOST_HELD + 1;
        }
        code
    }

    fn is_full(&self) -> bool {
        self.held + self.omp.count() > MOST_HELD
    }

    /// Of OmpTask events: a number may be given again, by a thread at another location.
    fn omp_deed(&mut self, action: TaskEvent, id: u64) -> Option<Code> {
        match action {
            TaskEvent::Complete(_) => (!self.omp.insert(id)).then_some(Code::CompletedTask),
            TaskEvent::Create(_) | TaskEvent::Switch(_) => {
                self.omp.remove(id);
                None
            }
        }
    }

    /// A team is at its end: all of its tasks are, and their numbers may be given again.
    pub(super) fn end_team(&mut self, team: CommRef) {
        let lives = self.teams.remove(&team).into_iter().flatten();
        self.held -= lives.map(|(_, life)| life.held()).sum::<usize>();
    }
}

impl Life {
    fn held(&self) -> usize {
        1 + self.created.count() + self.complete.count()
    }

    fn action(&mut self, action: TaskEvent, number: u64) -> Option<Code> {
        match action {
            TaskEvent::Create(_) => {
                self.complete.remove(number);
                self.created.insert(number);
                None
            }
            TaskEvent::Switch(_) if self.complete.remove(number) => Some(Code::CompletedTask),
            TaskEvent::Switch(_) => self.unknown(number),
            TaskEvent::Complete(_) if !self.complete.insert(number) => Some(Code::CompletedTask),
            TaskEvent::Complete(_) => self.unknown(number),
        }
    }

    /// A task that was not created, if creations are recorded; reported once. Numbers of a thread grow: those below the
    /// first creation may be of tasks from before the stream begins, or while recording was off.
    fn unknown(&mut self, number: u64) -> Option<Code> {
        let told = self.created.first().is_some_and(|first| number > first);
        (told && self.created.insert(number)).then_some(Code::UnknownTask)
    }
}

/// The same in words.
pub(super) fn text(code: Code, action: TaskEvent) -> String {
    let task = match action.task() {
        Task::Thread { creator, generation, .. } => {
            format!("task {generation} of thread {creator}")
        }
        Task::Omp(id) => format!("task {id}"),
    };
    let what = match action {
        TaskEvent::Complete(_) => "is completed",
        _ => "is switched to",
    };
    match code {
        Code::CompletedTask => format!("{task} {what}, which is complete already"),
        _ => format!(
            "{task} {what}, but was not created by its thread, which is that of this location"
        ),
    }
}

/// Set of numbers most of which follow each other, held as stretches: the first of each, and the last.
#[derive(Debug, Default)]
struct Stretches(BTreeMap<u64, u64>);

impl Stretches {
    /// How many stretches there are.
    fn count(&self) -> usize {
        self.0.len()
    }

    /// The smallest number.
    fn first(&self) -> Option<u64> {
        self.0.keys().next().copied()
    }

    /// The stretch with a number.
    fn stretch(&self, number: u64) -> Option<(u64, u64)> {
        let (first, last) = self.0.range(..=number).next_back()?;
        (*last >= number).then_some((*first, *last))
    }

    /// Adds a number; `false` where it is there.
    fn insert(&mut self, number: u64) -> bool {
        if self.stretch(number).is_some() {
            return false;
        }
        let before = number.checked_sub(1).and_then(|before| self.stretch(before));
        let after = number.checked_add(1).and_then(|after| self.0.remove(&after));
        let first = before.map_or(number, |(first, _)| first);
        self.0.insert(first, after.unwrap_or(number));
        true
    }

    /// Takes a number away; `false` where it is not there.
    fn remove(&mut self, number: u64) -> bool {
        let Some((first, last)) = self.stretch(number) else { return false };
        self.0.remove(&first);
        if first < number {
            self.0.insert(first, number - 1);
        }
        if number < last {
            self.0.insert(number + 1, last);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TaskEvent::{Complete, Create, Switch};

    fn task(creator: u32, generation: u32) -> Task {
        Task::Thread { team: CommRef(0), creator, generation }
    }

    fn codes(actions: &[TaskEvent]) -> Vec<Option<Code>> {
        let mut lives = Lives::default();
        actions.iter().map(|action| lives.action(*action)).collect()
    }

    #[test]
    fn each_task_goes_on_where_it_was() {
        let (mut stacks, mut present) = (Stacks::default(), vec![0]);
        stacks.switch(&mut present, task(0, 1));
        present.push(1);
        stacks.switch(&mut present, task(0, 2));
        assert!(present.is_empty());
        present.push(2);
        stacks.switch(&mut present, task(0, 1));
        assert_eq!(present, [1]);
        assert_eq!(stacks.complete(&mut present, task(0, 1)), Some(vec![1]));
        assert_eq!(present, [0]);
        assert_eq!(stacks.complete(&mut present, task(0, 1)), None);
        stacks.switch(&mut present, task(0, 0));
        assert_eq!((present, stacks.into_rest().collect::<Vec<_>>()), (vec![0], vec![vec![2]]));
    }

    #[test]
    fn a_task_is_completed_once() {
        let again = Some(Code::CompletedTask);
        let one = task(0, 1);
        let actions = [Switch(one), Complete(one), Complete(one), Switch(one), Complete(one)];
        assert_eq!(codes(&actions), [None, None, again, again, None]);
        let actions = [Create(one), Switch(one), Complete(one), Create(one), Complete(one)];
        assert_eq!(codes(&actions), [None; 5]);
        let one = Task::Omp(7);
        let actions = [Switch(one), Complete(one), Switch(one), Complete(one), Complete(one)];
        assert_eq!(codes(&actions), [None, None, None, None, again]);
    }

    #[test]
    fn a_task_is_created_where_its_thread_records_that() {
        let unknown = Some(Code::UnknownTask);
        let (mine, odd, other) = (task(0, 1), task(0, 2), task(1, 9));
        let actions = [Create(mine), Switch(mine), Switch(other), Switch(odd), Complete(odd)];
        assert_eq!(codes(&actions), [None, None, None, unknown, None]);
        assert_eq!(codes(&[Create(mine), Complete(odd)]), [None, unknown]);
        // It may have been created before the stream begins.
        assert_eq!(codes(&[Create(odd), Switch(mine), Complete(mine)]), [None; 3]);
        assert_eq!(codes(&[Switch(odd), Switch(task(0, 0)), Create(mine)]), [None; 3]);
    }

    /// Every second number is a stretch of its own.
    #[test]
    fn beyond_all_bounds_nothing_is_wrong() {
        let mut lives = Lives::default();
        assert!(
            (0..=MOST_HELD as u64).all(|id| lives.action(Complete(Task::Omp(2 * id))).is_none())
        );
        assert_eq!(lives.action(Complete(Task::Omp(0))), None);
        let mut lives = Lives::default();
        assert!(
            (0..=MOST_HELD as u32).all(|thread| lives.action(Create(task(thread, 1))).is_none())
        );
        assert!(lives.teams.is_empty());
        lives.end_team(CommRef(0));
        assert_eq!(
            [lives.action(Create(task(0, 1))), lives.action(Complete(task(0, 2)))],
            [None; 2]
        );
    }

    #[test]
    fn numbers_of_a_team_that_is_over_are_given_again() {
        let mut lives = Lives::default();
        assert_eq!(lives.action(Complete(task(1, 1))), None);
        lives.end_team(CommRef(0));
        assert_eq!(lives.action(Switch(task(1, 1))), None);
    }

    #[test]
    fn numbers_that_follow_each_other_are_one_stretch() {
        let mut numbers = Stretches::default();
        assert_eq!((numbers.count(), numbers.first()), (0, None));
        for number in [0, 5, 1, 3, u64::MAX, 2, 4, u64::MAX - 1] {
            assert!(numbers.insert(number) && !numbers.insert(number));
        }
        let stretches: Vec<_> = numbers.0.iter().map(|(a, b)| (*a, *b)).collect();
        assert_eq!(stretches, [(0, 5), (u64::MAX - 1, u64::MAX)]);
        assert_eq!((numbers.count(), numbers.first()), (2, Some(0)));
        assert!(numbers.remove(3) && !numbers.remove(3) && numbers.remove(0));
        assert!(!numbers.remove(6) && numbers.remove(u64::MAX));
        let stretches: Vec<_> = numbers.0.into_iter().collect();
        assert_eq!(stretches, [(1, 2), (4, 5), (u64::MAX - 1, u64::MAX - 1)]);
    }
}
