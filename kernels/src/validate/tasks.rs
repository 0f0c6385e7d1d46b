//! Tasks: each has a stack of its own, and a life from its creation to its completion.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::CommRef;

use super::code::Code;
use super::numbers::Numbers;
use crate::task::{Task, TaskDeed};

/// What is open in the tasks of a location that do not run. The stack of the one that runs is the
/// present one.
#[derive(Debug)]
pub(super) struct Stacks<S> {
    /// The explicit task that runs, and what it interrupted; none: what the thread itself does.
    running: Option<(Task, S)>,
    suspended: HashMap<Task, S, RandomState>,
}

impl<S> Default for Stacks<S> {
    fn default() -> Self {
        Stacks { running: None, suspended: HashMap::default() }
    }
}

impl<S: Default> Stacks<S> {
    /// The location goes on with a task.
    pub fn switch(&mut self, present: &mut S, task: Task) {
        let runs = match &self.running {
            Some((running, _)) => *running == task,
            None => task.is_implicit(),
        };
        if runs {
            return;
        }
        if let Some((before, implicit)) = self.running.take() {
            self.suspended.insert(before, std::mem::replace(present, implicit));
        }
        if !task.is_implicit() {
            let stack = self.suspended.remove(&task).unwrap_or_default();
            self.running = Some((task, std::mem::replace(present, stack)));
        }
    }

    /// A task is at its end. Returns its stack, if it ran here; what the thread itself does goes on
    /// where the task was running.
    pub fn complete(&mut self, present: &mut S, task: Task) -> Option<S> {
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

    /// All stacks but the present one.
    pub fn into_rest(self) -> impl Iterator<Item = S> {
        let interrupted = self.running.into_iter().map(|(_, stack)| stack);
        interrupted.chain(self.suspended.into_values())
    }
}

/// Which tasks were created and completed at a location.
///
/// A task of ThreadTask events says which thread created it, and that thread's location records it:
/// one that records creations of a thread records all of them. Whoever records none says nothing,
/// and OmpTask events do not say who created the task.
#[derive(Debug, Default)]
pub(super) struct Lives {
    teams: HashMap<CommRef, HashMap<u32, Life, RandomState>, RandomState>,
    omp: Numbers,
}

/// The tasks that one thread of a team created, by generation number.
#[derive(Debug, Default)]
struct Life {
    created: Numbers,
    complete: Numbers,
}

impl Lives {
    /// What is wrong with what happens to a task, in words.
    pub fn deed(&mut self, deed: TaskDeed) -> Option<(Code, String)> {
        let (TaskDeed::Create(task) | TaskDeed::Switch(task) | TaskDeed::Complete(task)) = deed;
        if task.is_implicit() {
            return None;
        }
        match task {
            Task::Thread { team, creator, generation } => {
                let life = self.teams.entry(team).or_default().entry(creator).or_default();
                let code = life.deed(deed, generation.into())?;
                Some((code, text(code, deed, &format!("task {generation} of thread {creator}"))))
            }
            Task::Omp(id) => {
                let code = self.omp_deed(deed, id)?;
                Some((code, text(code, deed, &format!("task {id}"))))
            }
        }
    }

    /// Of OmpTask events: a number may be given again, by a thread at another location.
    fn omp_deed(&mut self, deed: TaskDeed, id: u64) -> Option<Code> {
        match deed {
            TaskDeed::Complete(_) => (!self.omp.insert(id)).then_some(Code::CompletedTask),
            TaskDeed::Create(_) | TaskDeed::Switch(_) => {
                self.omp.remove(id);
                None
            }
        }
    }

    /// A team is at its end: all of its tasks are, and their numbers may be given again.
    pub fn end_team(&mut self, team: CommRef) {
        self.teams.remove(&team);
    }
}

impl Life {
    fn deed(&mut self, deed: TaskDeed, number: u64) -> Option<Code> {
        match deed {
            TaskDeed::Create(_) => {
                self.complete.remove(number);
                self.created.insert(number);
                None
            }
            TaskDeed::Switch(_) if self.complete.remove(number) => Some(Code::CompletedTask),
            TaskDeed::Switch(_) => self.unknown(number),
            TaskDeed::Complete(_) if !self.complete.insert(number) => Some(Code::CompletedTask),
            TaskDeed::Complete(_) => self.unknown(number),
        }
    }

    /// A task that was not created, where creations are recorded; told once.
    fn unknown(&mut self, number: u64) -> Option<Code> {
        let told = !self.created.is_empty() && self.created.insert(number);
        told.then_some(Code::UnknownTask)
    }
}

fn text(code: Code, deed: TaskDeed, task: &str) -> String {
    let what = match deed {
        TaskDeed::Complete(_) => "is completed",
        _ => "is switched to",
    };
    match code {
        Code::CompletedTask => format!("{task} {what}, which is complete already"),
        _ => format!(
            "{task} {what}, but was not created by its thread, which is that of this location"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TaskDeed::{Complete, Create, Switch};

    fn task(creator: u32, generation: u32) -> Task {
        Task::Thread { team: CommRef(0), creator, generation }
    }

    fn codes(deeds: &[TaskDeed]) -> Vec<Option<Code>> {
        let mut lives = Lives::default();
        deeds.iter().map(|deed| lives.deed(*deed).map(|(code, _)| code)).collect()
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
        let deeds = [Switch(one), Complete(one), Complete(one), Switch(one), Complete(one)];
        assert_eq!(codes(&deeds), [None, None, again, again, None]);
        let deeds = [Create(one), Switch(one), Complete(one), Create(one), Complete(one)];
        assert_eq!(codes(&deeds), [None; 5]);
        let one = Task::Omp(7);
        let deeds = [Switch(one), Complete(one), Switch(one), Complete(one), Complete(one)];
        assert_eq!(codes(&deeds), [None, None, None, None, again]);
    }

    #[test]
    fn a_task_is_created_where_its_thread_records_that() {
        let unknown = Some(Code::UnknownTask);
        let (mine, odd, other) = (task(0, 1), task(0, 2), task(1, 9));
        let deeds = [Create(mine), Switch(mine), Switch(other), Switch(odd), Complete(odd)];
        assert_eq!(codes(&deeds), [None, None, None, unknown, None]);
        assert_eq!(codes(&[Create(mine), Complete(odd)]), [None, unknown]);
        assert_eq!(codes(&[Switch(odd), Switch(task(0, 0)), Create(mine)]), [None; 3]);
    }

    #[test]
    fn numbers_of_a_team_that_is_over_are_given_again() {
        let mut lives = Lives::default();
        assert_eq!(lives.deed(Complete(task(1, 1))), None);
        lives.end_team(CommRef(0));
        assert_eq!(lives.deed(Switch(task(1, 1))), None);
    }
}
