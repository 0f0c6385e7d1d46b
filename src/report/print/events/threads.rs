//! Threads and their tasks.

use streamfold_model::events::Event;
use streamfold_model::ids::CommRef;

use super::columns::Columns;
use crate::print::line::Line;
use crate::print::names::Names;

/// OpenMP, as older measurement systems know it.
pub(super) fn openmp<'a>(columns: Columns<'a>, event: &Event<'_>) -> Line<'a> {
    match event {
        Event::OmpFork(e) => {
            columns.of("OMP_FORK").number("# Requested Threads: ", e.number_of_requested_threads)
        }
        Event::OmpJoin(_) => columns.of("OMP_JOIN"),
        Event::OmpAcquireLock(e) => columns
            .of("OMP_ACQUIRE_LOCK")
            .number("Lock: ", e.lock_id)
            .number(", Acquisition Order: ", e.acquisition_order),
        Event::OmpReleaseLock(e) => columns
            .of("OMP_RELEASE_LOCK")
            .number("Lock: ", e.lock_id)
            .number(", Acquisition Order: ", e.acquisition_order),
        Event::OmpTaskCreate(e) => columns.of("OMP_TASK_CREATE").number("Task: ", e.task_id),
        Event::OmpTaskSwitch(e) => columns.of("OMP_TASK_SWITCH").number("Task: ", e.task_id),
        Event::OmpTaskComplete(e) => columns.of("OMP_TASK_COMPLETE").number("Task: ", e.task_id),
        // The caller knows which events these are.
        _ => columns.of("UNKNOWN"),
    }
}

/// Threads of any model.
pub(super) fn thread<'a>(columns: Columns<'a>, names: &'a Names, event: &Event<'_>) -> Line<'a> {
    match event {
        Event::ThreadFork(e) => columns
            .of("THREAD_FORK")
            .paradigm("Model: ", e.model)
            .number(", # Requested Threads: ", e.number_of_requested_threads),
        Event::ThreadJoin(e) => columns.of("THREAD_JOIN").paradigm("Model: ", e.model),
        Event::ThreadTeamBegin(e) => {
            columns.of("THREAD_TEAM_BEGIN").name("Thread Team: ", &names.comms, e.thread_team)
        }
        Event::ThreadTeamEnd(e) => {
            columns.of("THREAD_TEAM_END").name("Thread Team: ", &names.comms, e.thread_team)
        }
        Event::ThreadAcquireLock(e) => columns
            .of("THREAD_ACQUIRE_LOCK")
            .paradigm("Model: ", e.model)
            .number(", Lock: ", e.lock_id)
            .number(", Acquisition Order: ", e.acquisition_order),
        Event::ThreadReleaseLock(e) => columns
            .of("THREAD_RELEASE_LOCK")
            .paradigm("Model: ", e.model)
            .number(", Lock: ", e.lock_id)
            .number(", Acquisition Order: ", e.acquisition_order),
        Event::ThreadTaskCreate(e) => {
            let task = (e.thread_team, e.creating_thread, e.generation_number);
            thread_task(columns.of("THREAD_TASK_CREATE"), names, task)
        }
        Event::ThreadTaskSwitch(e) => {
            let task = (e.thread_team, e.creating_thread, e.generation_number);
            thread_task(columns.of("THREAD_TASK_SWITCH"), names, task)
        }
        Event::ThreadTaskComplete(e) => {
            let task = (e.thread_team, e.creating_thread, e.generation_number);
            thread_task(columns.of("THREAD_TASK_COMPLETE"), names, task)
        }
        Event::ThreadCreate(e) => columns
            .of("THREAD_CREATE")
            .name("Thread Contingent: ", &names.comms, e.thread_contingent)
            .number(", Sequence Count: ", e.sequence_count),
        Event::ThreadBegin(e) => columns
            .of("THREAD_BEGIN")
            .name("Thread Contingent: ", &names.comms, e.thread_contingent)
            .number(", Sequence Count: ", e.sequence_count),
        Event::ThreadWait(e) => columns
            .of("THREAD_WAIT")
            .name("Thread Contingent: ", &names.comms, e.thread_contingent)
            .number(", Sequence Count: ", e.sequence_count),
        Event::ThreadEnd(e) => columns
            .of("THREAD_END")
            .name("Thread Contingent: ", &names.comms, e.thread_contingent)
            .number(", Sequence Count: ", e.sequence_count),
        // The caller knows which events these are.
        _ => columns.of("UNKNOWN"),
    }
}

fn thread_task<'a>(
    line: Line<'a>,
    names: &'a Names,
    (team, creator, generation): (CommRef, u32, u32),
) -> Line<'a> {
    line.name("Thread Team: ", &names.comms, team)
        .rank(", Creating Thread: ", team, creator)
        .number(", Generation Number: ", generation)
}
