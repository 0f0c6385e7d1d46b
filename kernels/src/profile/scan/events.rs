//! The events of a location, and what each does to its profile.

use streamfold_model::calls::Calls;
use streamfold_model::enums::{IoOperationMode, MeasurementMode};
use streamfold_model::events::*;
use streamfold_model::stream::{EventHead, EventSet};

use super::Scan;
use crate::profile::samples::sampling::Counting;
use crate::profile::scan::before::WAY;
use crate::profile::threads::trees;
use crate::profile::tree::contexts::Place;
use crate::profile::tree::step::ParameterValue;

/// Those that hang call paths below others.
pub(crate) const TREE_EVENTS: EventSet = EventSet::of(&[
    EventKind::ThreadFork,
    EventKind::ThreadJoin,
    EventKind::ThreadTeamBegin,
    EventKind::ThreadTeamEnd,
    EventKind::ProgramBegin,
    EventKind::ProgramEnd,
]);

impl<const TREES: bool> EventVisitor for Scan<'_, TREES> {
    const WANTS: EventSet = WAY
        .and(EventSet::of(&[
            EventKind::CallingContextSample,
            EventKind::Metric,
            EventKind::MpiSend,
            EventKind::MpiIsend,
            EventKind::MpiRecv,
            EventKind::MpiIrecv,
            EventKind::MpiMrecv,
            EventKind::MpiImrecv,
            EventKind::MpiCollectiveEnd,
            EventKind::NonBlockingCollectiveComplete,
            EventKind::RmaCollectiveEnd,
        ]))
        .and(EventSet::TRANSFERS)
        .and(if TREES { TREE_EVENTS } else { EventSet::NONE });

    #[inline(always)]
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        match self.meanings.chosen {
            None => Self::follow(&mut self.trees, &mut self.walk, &mut self.tasks, calls),
            Some(chosen) => {
                seldom();
                self.chosen_calls(chosen, calls);
            }
        }
    }

    fn enter(&mut self, head: &EventHead<'_>, event: Enter) {
        Scan::enter(self, head, event.region);
    }

    fn leave(&mut self, head: &EventHead<'_>, event: Leave) {
        Scan::leave(self, head, event.region);
    }

    fn calling_context_enter(&mut self, head: &EventHead<'_>, event: CallingContextEnter) {
        let (place, region) = self.look_up(event.calling_context);
        let moment = self.moment(head);
        let counting = Counting { contexts: self.meanings.contexts, sums: self.worker.samples() };
        let place = place.unwrap_or(Place::UNDEFINED);
        self.sampling.enter(counting, place, event.unwind_distance, moment);
        Scan::enter(self, head, region);
    }

    fn calling_context_leave(&mut self, head: &EventHead<'_>, event: CallingContextLeave) {
        let (place, region) = self.look_up(event.calling_context);
        let moment = self.moment(head);
        let counting = Counting { contexts: self.meanings.contexts, sums: self.worker.samples() };
        self.sampling.leave(counting, place.unwrap_or(Place::UNDEFINED), moment);
        Scan::leave(self, head, region);
    }

    fn calling_context_sample(&mut self, head: &EventHead<'_>, event: CallingContextSample) {
        let CallingContextSample { calling_context, unwind_distance, interrupt_generator } = event;
        let place = self.meanings.contexts.place(calling_context);
        let moment = self.moment(head);
        let counting = Counting { contexts: self.meanings.contexts, sums: self.worker.samples() };
        self.sampling.sample(counting, place, unwind_distance, interrupt_generator, moment);
    }

    fn parameter_int(&mut self, head: &EventHead<'_>, event: ParameterInt) {
        self.parameter(head.time, event.parameter, ParameterValue::Int(event.value));
    }

    fn parameter_unsigned_int(&mut self, head: &EventHead<'_>, event: ParameterUnsignedInt) {
        self.parameter(head.time, event.parameter, ParameterValue::Unsigned(event.value));
    }

    fn parameter_string(&mut self, head: &EventHead<'_>, event: ParameterString) {
        self.parameter(head.time, event.parameter, ParameterValue::String(event.string));
    }

    fn metric(&mut self, head: &EventHead<'_>, event: Metric<'_>) {
        let is_own = self.worker.local.metrics.contains(&event.metric);
        self.walk.metric(self.meanings, is_own, head, event);
        self.tasks.change(&mut self.walk, head.time);
    }

    fn measurement_on_off(&mut self, head: &EventHead<'_>, event: MeasurementOnOff) {
        match event.measurement_mode {
            MeasurementMode::Off => self.walk.measurement_off(head.time),
            MeasurementMode::On => self.walk.measurement_on(head.time),
            _ => {}
        }
    }

    fn buffer_flush(&mut self, head: &EventHead<'_>, event: BufferFlush) {
        self.walk.buffer_flush(head.time, event.stop_time);
    }

    fn thread_task_switch(&mut self, head: &EventHead<'_>, event: ThreadTaskSwitch) {
        self.switch(head, event.into());
    }

    fn thread_task_complete(&mut self, head: &EventHead<'_>, event: ThreadTaskComplete) {
        self.complete(head, event.into());
    }

    fn omp_task_switch(&mut self, head: &EventHead<'_>, event: OmpTaskSwitch) {
        self.switch(head, event.into());
    }

    fn omp_task_complete(&mut self, head: &EventHead<'_>, event: OmpTaskComplete) {
        self.complete(head, event.into());
    }

    fn thread_fork(&mut self, _: &EventHead<'_>, _: ThreadFork) {
        if let Some(trees) = &mut self.trees {
            trees.fork(&self.walk);
        }
    }

    fn thread_join(&mut self, _: &EventHead<'_>, _: ThreadJoin) {
        if let Some(trees) = &mut self.trees {
            trees.join();
        }
    }

    fn thread_team_begin(&mut self, head: &EventHead<'_>, event: ThreadTeamBegin) {
        let Some(trees) = &mut self.trees else { return };
        self.walk.go_to(head.time);
        let Scan { meanings, splitting, location, .. } = *self;
        let place = trees::Place { meanings, splitting, location };
        trees.begin_team(place, &mut self.walk, &mut self.tasks, event.thread_team);
    }

    fn thread_team_end(&mut self, head: &EventHead<'_>, event: ThreadTeamEnd) {
        let Some(trees) = &mut self.trees else { return };
        self.walk.go_to(head.time);
        trees.end_team(&mut self.walk, &mut self.tasks, event.thread_team);
    }

    fn program_begin(&mut self, head: &EventHead<'_>, event: ProgramBegin<'_>) {
        let Some(trees) = &mut self.trees else { return };
        self.walk.go_to(head.time);
        if let Some(region) = trees.begin_program(&event, self.meanings.definitions) {
            Scan::enter(self, head, region);
        }
    }

    fn program_end(&mut self, head: &EventHead<'_>, _: ProgramEnd) {
        let Some(trees) = &mut self.trees else { return };
        self.walk.go_to(head.time);
        if let Some(region) = trees.end_program() {
            Scan::leave(self, head, region);
        }
    }

    fn mpi_send(&mut self, _: &EventHead<'_>, event: MpiSend) {
        self.message(false, event.msg_length);
    }

    fn mpi_isend(&mut self, _: &EventHead<'_>, event: MpiIsend) {
        self.message(false, event.msg_length);
    }

    fn mpi_recv(&mut self, _: &EventHead<'_>, event: MpiRecv) {
        self.message(true, event.msg_length);
    }

    fn mpi_irecv(&mut self, _: &EventHead<'_>, event: MpiIrecv) {
        self.message(true, event.msg_length);
    }

    fn mpi_mrecv(&mut self, _: &EventHead<'_>, event: MpiMrecv) {
        self.message(true, event.msg_length);
    }

    fn mpi_imrecv(&mut self, _: &EventHead<'_>, event: MpiImrecv) {
        self.message(true, event.msg_length);
    }

    fn mpi_collective_end(&mut self, _: &EventHead<'_>, event: MpiCollectiveEnd) {
        self.collective(event.size_sent, event.size_received);
    }

    fn non_blocking_collective_complete(
        &mut self,
        _: &EventHead<'_>,
        event: NonBlockingCollectiveComplete,
    ) {
        self.collective(event.size_sent, event.size_received);
    }

    fn rma_put(&mut self, _: &EventHead<'_>, event: RmaPut) {
        self.remote(event.bytes, 0);
    }

    fn rma_get(&mut self, _: &EventHead<'_>, event: RmaGet) {
        self.remote(0, event.bytes);
    }

    fn rma_atomic(&mut self, _: &EventHead<'_>, event: RmaAtomic) {
        self.remote(event.bytes_sent, event.bytes_received);
    }

    fn rma_collective_end(&mut self, _: &EventHead<'_>, event: RmaCollectiveEnd) {
        self.remote(event.bytes_sent, event.bytes_received);
    }

    fn io_operation_begin(&mut self, _: &EventHead<'_>, event: IoOperationBegin) {
        self.io.insert((event.handle, event.matching_id), event.mode);
    }

    fn io_operation_complete(&mut self, _: &EventHead<'_>, event: IoOperationComplete) {
        let mode = self.io.remove(&(event.handle, event.matching_id));
        self.walk.oddities.unbegun_io += u64::from(mode.is_none());
        let traffic = self.walk.traffic();
        traffic.io += 1;
        match mode {
            Some(IoOperationMode::Read) => traffic.bytes_read += u128::from(event.bytes_result),
            Some(IoOperationMode::Write) => traffic.bytes_written += u128::from(event.bytes_result),
            _ => {}
        }
    }

    fn io_operation_cancelled(&mut self, _: &EventHead<'_>, event: IoOperationCancelled) {
        self.io.remove(&(event.handle, event.matching_id));
    }
}

/// Tells the compiler that profiles of chosen regions are seldom: registers are given to those of all regions.
#[cold]
#[inline(never)]
fn seldom() {}
