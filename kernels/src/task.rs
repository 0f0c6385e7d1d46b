//! Which task an event is about, and what it says of it.

use streamfold_model::events::*;
use streamfold_model::ids::CommRef;

/// Which task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Task {
    /// Of ThreadTask events: team, the thread in it that created the task, and a number for each of
    /// its tasks; 0 is the thread's implicit task.
    Thread { team: CommRef, creator: u32, generation: u32 },
    /// Of OmpTask events; 0 is the thread's implicit task.
    Omp(u64),
}

impl Task {
    /// Whether it is what the thread itself does.
    pub fn is_implicit(self) -> bool {
        matches!(self, Task::Thread { generation: 0, .. } | Task::Omp(0))
    }
}

/// What happens to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskDeed {
    /// It is or will be created, by the thread that records this.
    Create(Task),
    /// It begins or goes on.
    Switch(Task),
    /// It is at its end.
    Complete(Task),
}

impl TaskDeed {
    /// What an event says of a task, if it is about one.
    pub fn of(event: &Event<'_>) -> Option<TaskDeed> {
        let thread = |team, creator, generation| Task::Thread { team, creator, generation };
        Some(match *event {
            Event::ThreadTaskCreate(ThreadTaskCreate {
                thread_team,
                creating_thread,
                generation_number,
            }) => TaskDeed::Create(thread(thread_team, creating_thread, generation_number)),
            Event::ThreadTaskSwitch(ThreadTaskSwitch {
                thread_team,
                creating_thread,
                generation_number,
            }) => TaskDeed::Switch(thread(thread_team, creating_thread, generation_number)),
            Event::ThreadTaskComplete(ThreadTaskComplete {
                thread_team,
                creating_thread,
                generation_number,
            }) => TaskDeed::Complete(thread(thread_team, creating_thread, generation_number)),
            Event::OmpTaskCreate(event) => TaskDeed::Create(Task::Omp(event.task_id)),
            Event::OmpTaskSwitch(event) => TaskDeed::Switch(Task::Omp(event.task_id)),
            Event::OmpTaskComplete(event) => TaskDeed::Complete(Task::Omp(event.task_id)),
            _ => return None,
        })
    }
}
