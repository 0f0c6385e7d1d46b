//! Forks, locks and tasks of OpenMP.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::enums::Paradigm;
use streamfold_model::events::{Event, OmpAcquireLock, OmpFork, OmpJoin, OmpReleaseLock};
use streamfold_model::snapshots::{
    OmpAcquireLockSnap, OmpForkSnap, OmpTaskCreateSnap, OmpTaskSwitchSnap, Snapshot,
};
use streamfold_model::values::Ticks;

use super::{At, Sink};
use crate::matching::Process;

/// The event of OpenMP that one of threads of that model is; of another model `None`. Other events stay.
pub(super) fn of_openmp(event: Event<'_>) -> Option<Event<'_>> {
    let model = match event {
        Event::ThreadFork(event) => event.model,
        Event::ThreadJoin(event) => event.model,
        Event::ThreadAcquireLock(event) => event.model,
        Event::ThreadReleaseLock(event) => event.model,
        _ => return Some(event),
    };
    if model != Paradigm::Openmp {
        return None;
    }
    Some(match event {
        Event::ThreadFork(event) => {
            let number_of_requested_threads = event.number_of_requested_threads;
            Event::OmpFork(OmpFork { number_of_requested_threads })
        }
        Event::ThreadJoin(_) => Event::OmpJoin(OmpJoin),
        Event::ThreadAcquireLock(event) => Event::OmpAcquireLock(OmpAcquireLock {
            lock_id: event.lock_id,
            acquisition_order: event.acquisition_order,
        }),
        Event::ThreadReleaseLock(event) => Event::OmpReleaseLock(OmpReleaseLock {
            lock_id: event.lock_id,
            acquisition_order: event.acquisition_order,
        }),
        event => event,
    })
}

/// Open forks, locks and tasks of all locations.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    forks: HashMap<usize, Vec<At>, RandomState>,
    locks: HashMap<(usize, u32), Vec<At>, RandomState>,
    /// Creations and switches of tasks that are not complete.
    tasks: HashMap<(Process, u64), Vec<At>, RandomState>,
}

impl Tasks {
    pub(super) fn take(
        &mut self,
        at: At,
        own: Process,
        time: Ticks,
        event: &Event<'_>,
        sink: &mut Sink<'_>,
    ) {
        match *event {
            Event::OmpFork(event) => {
                self.forks.entry(at.location).or_default().push(at);
                let snap = OmpForkSnap {
                    orig_event_time: time,
                    number_of_requested_threads: event.number_of_requested_threads,
                };
                sink.keep(at, Snapshot::OmpForkSnap(snap));
            }
            Event::OmpJoin(_) => {
                let fork = self.forks.get_mut(&at.location).and_then(Vec::pop);
                fork.into_iter().for_each(|at| sink.forget(at));
            }
            Event::OmpAcquireLock(event) => {
                self.locks.entry((at.location, event.lock_id)).or_default().push(at);
                let snap = OmpAcquireLockSnap {
                    orig_event_time: time,
                    lock_id: event.lock_id,
                    acquisition_order: event.acquisition_order,
                };
                sink.keep(at, Snapshot::OmpAcquireLockSnap(snap));
            }
            Event::OmpReleaseLock(event) => {
                let lock = (at.location, event.lock_id);
                let Some(held) = self.locks.get_mut(&lock) else { return };
                held.pop().into_iter().for_each(|at| sink.forget(at));
                if held.is_empty() {
                    self.locks.remove(&lock);
                }
            }
            Event::OmpTaskCreate(event) => {
                self.tasks.entry((own, event.task_id)).or_default().push(at);
                let snap = OmpTaskCreateSnap { orig_event_time: time, task_id: event.task_id };
                sink.keep(at, Snapshot::OmpTaskCreateSnap(snap));
            }
            Event::OmpTaskSwitch(event) => {
                self.tasks.entry((own, event.task_id)).or_default().push(at);
                let snap = OmpTaskSwitchSnap { orig_event_time: time, task_id: event.task_id };
                sink.keep(at, Snapshot::OmpTaskSwitchSnap(snap));
            }
            Event::OmpTaskComplete(event) => {
                let records = self.tasks.remove(&(own, event.task_id));
                records.into_iter().flatten().for_each(|at| sink.forget(at));
            }
            _ => {}
        }
    }
}
