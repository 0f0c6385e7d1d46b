//! Tasks, and the events about them.

use streamfold_model::events::*;
use streamfold_model::ids::CommRef;

/// A task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Task {
    /// Of ThreadTask events.
    Thread {
        /// The team of threads.
        team: CommRef,
        /// The thread in it that created the task.
        creator: u32,
        /// A number for each task of that thread; 0 is its implicit task.
        generation: u32,
    },
    /// Of OmpTask events; 0 is the thread's implicit task.
    Omp(u64),
}

impl Task {
    /// Returns whether it is the thread itself.
    pub fn is_implicit(self) -> bool {
        matches!(self, Task::Thread { generation: 0, .. } | Task::Omp(0))
    }

    /// The implicit task of the same kind.
    pub fn implicit(self) -> Task {
        match self {
            Task::Thread { team, creator, .. } => Task::Thread { team, creator, generation: 0 },
            Task::Omp(_) => Task::Omp(0),
        }
    }

    /// The event with which it begins or goes on.
    pub fn switch(self) -> Event<'static> {
        match self {
            Task::Thread { team, creator, generation } => {
                Event::ThreadTaskSwitch(ThreadTaskSwitch {
                    thread_team: team,
                    creating_thread: creator,
                    generation_number: generation,
                })
            }
            Task::Omp(task_id) => Event::OmpTaskSwitch(OmpTaskSwitch { task_id }),
        }
    }
}

/// An event of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEvent {
    /// It is or will be created, by the thread that records this.
    Create(Task),
    /// It begins or goes on.
    Switch(Task),
    /// It is at its end.
    Complete(Task),
}

impl TaskEvent {
    /// Returns the task event of an event, if it is one.
    pub fn of(event: &Event<'_>) -> Option<TaskEvent> {
        Some(match *event {
            Event::ThreadTaskCreate(event) => TaskEvent::Create(event.into()),
            Event::ThreadTaskSwitch(event) => TaskEvent::Switch(event.into()),
            Event::ThreadTaskComplete(event) => TaskEvent::Complete(event.into()),
            Event::OmpTaskCreate(event) => TaskEvent::Create(event.into()),
            Event::OmpTaskSwitch(event) => TaskEvent::Switch(event.into()),
            Event::OmpTaskComplete(event) => TaskEvent::Complete(event.into()),
            _ => return None,
        })
    }

    /// To which task.
    pub fn task(self) -> Task {
        let (TaskEvent::Create(task) | TaskEvent::Switch(task) | TaskEvent::Complete(task)) = self;
        task
    }
}

macro_rules! task_of_thread {
    ($($event:ident)*) => {$(
        impl From<$event> for Task {
            fn from(event: $event) -> Task {
                Task::Thread {
                    team: event.thread_team,
                    creator: event.creating_thread,
                    generation: event.generation_number,
                }
            }
        }
    )*};
}

task_of_thread! { ThreadTaskCreate ThreadTaskSwitch ThreadTaskComplete }

macro_rules! task_of_omp {
    ($($event:ident)*) => {$(
        impl From<$event> for Task {
            fn from(event: $event) -> Task {
                Task::Omp(event.task_id)
            }
        }
    )*};
}

task_of_omp! { OmpTaskCreate OmpTaskSwitch OmpTaskComplete }
