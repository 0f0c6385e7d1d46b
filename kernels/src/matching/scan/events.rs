//! Handlers of all events.

use streamfold_model::calls::{Call, Calls};
use streamfold_model::enums::{MeasurementMode, Paradigm};
use streamfold_model::events::*;
use streamfold_model::ids::{CommRef, Reference};
use streamfold_model::stream::{EventHead, EventSet};

use super::super::messages::MessageEnd;
use super::MatchScan;

impl<E: MessageEnd> EventVisitor for MatchScan<'_, '_, E> {
    const WANTS: EventSet = EventSet::VISITS
        .and(EventSet::TEAMS)
        .and(EventSet::LOCKS)
        .and(EventSet::MESSAGES)
        .and(EventSet::COLLECTIVES)
        .and(EventSet::TRANSFERS)
        .and(EventSet::IO_OPERATIONS)
        .and(EventSet::of(&[
            EventKind::MeasurementOnOff,
            EventKind::RmaGroupSync,
            EventKind::RmaRequestLock,
            EventKind::RmaAcquireLock,
            EventKind::RmaTryLock,
            EventKind::RmaReleaseLock,
            EventKind::RmaOpCompleteBlocking,
            EventKind::RmaOpCompleteNonBlocking,
            EventKind::RmaOpCompleteRemote,
            EventKind::IoCreateHandle,
            EventKind::IoDuplicateHandle,
            EventKind::IoDestroyHandle,
            EventKind::IoOperationIssued,
        ]));

    fn enter(&mut self, _: &EventHead<'_>, event: Enter) {
        self.visit(Call::Enter(event.region));
    }

    fn leave(&mut self, _: &EventHead<'_>, event: Leave) {
        self.visit(Call::Leave(event.region));
    }

    fn calling_context_enter(&mut self, _: &EventHead<'_>, event: CallingContextEnter) {
        let region = self.region_of(event.calling_context);
        region.into_iter().for_each(|region| self.visit(Call::Enter(region)));
    }

    fn calling_context_leave(&mut self, _: &EventHead<'_>, event: CallingContextLeave) {
        let region = self.region_of(event.calling_context);
        region.into_iter().for_each(|region| self.visit(Call::Leave(region)));
    }

    fn calls<C: Calls>(&mut self, calls: &mut C) {
        loop {
            match self.follows {
                false => calls.skip(),
                true => self.follow(calls),
            }
            let Some(envelope) = calls.next_envelope() else { return };
            self.messages.envelope(&calls.head(), &envelope);
        }
    }

    fn measurement_on_off(&mut self, _: &EventHead<'_>, event: MeasurementOnOff) {
        if let Some(streams) = &mut self.streams {
            streams.paused |= event.measurement_mode == MeasurementMode::Off;
        }
    }

    fn mpi_send(&mut self, head: &EventHead<'_>, event: MpiSend) {
        self.messages.send(head, &event);
    }

    fn mpi_isend(&mut self, head: &EventHead<'_>, event: MpiIsend) {
        self.messages.isend(head, &event);
    }

    fn mpi_isend_complete(&mut self, head: &EventHead<'_>, event: MpiIsendComplete) {
        self.messages.isend_complete(head, &event);
    }

    fn mpi_recv(&mut self, head: &EventHead<'_>, event: MpiRecv) {
        self.messages.recv(head, &event);
    }

    fn mpi_irecv_request(&mut self, head: &EventHead<'_>, event: MpiIrecvRequest) {
        self.messages.irecv_request(head, &event);
    }

    fn mpi_irecv(&mut self, head: &EventHead<'_>, event: MpiIrecv) {
        self.messages.irecv(head, &event);
    }

    fn mpi_probe(&mut self, head: &EventHead<'_>, event: MpiProbe) {
        if let Some(request) = self.probes.probe(event) {
            self.messages.irecv_request(head, &request);
        }
    }

    fn mpi_mrecv(&mut self, head: &EventHead<'_>, event: MpiMrecv) {
        let received = self.probes.mrecv(event);
        self.messages.irecv(head, &received);
    }

    fn mpi_imrecv_request(&mut self, _: &EventHead<'_>, event: MpiImrecvRequest) {
        self.probes.imrecv_request(event);
    }

    fn mpi_imrecv(&mut self, head: &EventHead<'_>, event: MpiImrecv) {
        let received = self.probes.imrecv(event);
        self.messages.irecv(head, &received);
    }

    fn mpi_request_cancelled(&mut self, head: &EventHead<'_>, event: MpiRequestCancelled) {
        let here = self.order(head);
        let request = event.request_id;
        if !(self.messages.cancelled(request) | self.collectives.cancelled(request)) {
            self.messages.cancelled_elsewhere(request, here);
            self.collectives.cancelled_elsewhere(request, here);
        }
    }

    fn mpi_collective_begin(&mut self, head: &EventHead<'_>, _: MpiCollectiveBegin) {
        let order = self.order(head);
        self.collectives.begin(head, order);
    }

    fn mpi_collective_end(&mut self, head: &EventHead<'_>, event: MpiCollectiveEnd) {
        let order = self.order(head);
        let communicator = self.comm(event.communicator).unwrap_or(CommRef::UNDEFINED);
        let own = self.member.filter(|_| self.partners.is_of_threads(communicator));
        self.collectives.end(head, order, &MpiCollectiveEnd { communicator, ..event }, own);
    }

    fn non_blocking_collective_request(
        &mut self,
        head: &EventHead<'_>,
        event: NonBlockingCollectiveRequest,
    ) {
        let order = self.order(head);
        self.collectives.request(head, order, event.request_id);
    }

    fn non_blocking_collective_complete(
        &mut self,
        head: &EventHead<'_>,
        event: NonBlockingCollectiveComplete,
    ) {
        let order = self.order(head);
        let communicator = self.comm(event.communicator).unwrap_or(CommRef::UNDEFINED);
        let event = NonBlockingCollectiveComplete { communicator, ..event };
        self.collectives.complete(head, order, &event);
    }

    fn rma_collective_end(&mut self, head: &EventHead<'_>, event: RmaCollectiveEnd) {
        let (order, win) = (self.order(head), self.win(event.win));
        self.windows.collective(head, win, &event);
        let known = (!win.is_undefined()).then_some(win);
        self.collectives.end_on_window(head, order, known, &event);
    }

    fn rma_collective_begin(&mut self, head: &EventHead<'_>, _: RmaCollectiveBegin) {
        let order = self.order(head);
        self.collectives.begin_on_window(head, order);
    }

    fn rma_group_sync(&mut self, head: &EventHead<'_>, event: RmaGroupSync) {
        let side = self.open.last().copied().and_then(|region| self.side(region));
        self.group_sync(head, &event, side);
    }

    fn rma_request_lock(&mut self, head: &EventHead<'_>, event: RmaRequestLock) {
        self.windows.lock(head, self.win(event.win), (event.remote, event.lock_id), false);
    }

    fn rma_acquire_lock(&mut self, head: &EventHead<'_>, event: RmaAcquireLock) {
        self.windows.lock(head, self.win(event.win), (event.remote, event.lock_id), true);
    }

    fn rma_try_lock(&mut self, head: &EventHead<'_>, event: RmaTryLock) {
        self.windows.lock(head, self.win(event.win), (event.remote, event.lock_id), false);
    }

    fn rma_release_lock(&mut self, head: &EventHead<'_>, event: RmaReleaseLock) {
        self.windows.unlock(head, self.win(event.win), (event.remote, event.lock_id));
    }

    fn thread_fork(&mut self, head: &EventHead<'_>, event: ThreadFork) {
        self.threads.fork(head, event.model);
    }

    fn thread_join(&mut self, head: &EventHead<'_>, event: ThreadJoin) {
        self.threads.join(head, event.model);
    }

    fn omp_fork(&mut self, head: &EventHead<'_>, _: OmpFork) {
        self.threads.fork(head, Paradigm::Openmp);
    }

    fn omp_join(&mut self, head: &EventHead<'_>, _: OmpJoin) {
        self.threads.join(head, Paradigm::Openmp);
    }

    fn thread_team_begin(&mut self, head: &EventHead<'_>, event: ThreadTeamBegin) {
        self.begin_team(head, event.thread_team);
    }

    fn thread_team_end(&mut self, head: &EventHead<'_>, event: ThreadTeamEnd) {
        self.end_team(head, event.thread_team);
    }

    fn thread_acquire_lock(&mut self, head: &EventHead<'_>, event: ThreadAcquireLock) {
        self.threads.acquire(head, (event.model, event.lock_id), event.acquisition_order);
    }

    fn thread_release_lock(&mut self, head: &EventHead<'_>, event: ThreadReleaseLock) {
        self.threads.release(head, (event.model, event.lock_id), event.acquisition_order);
    }

    fn omp_acquire_lock(&mut self, head: &EventHead<'_>, event: OmpAcquireLock) {
        self.threads.acquire(head, (Paradigm::Openmp, event.lock_id), event.acquisition_order);
    }

    fn omp_release_lock(&mut self, head: &EventHead<'_>, event: OmpReleaseLock) {
        self.threads.release(head, (Paradigm::Openmp, event.lock_id), event.acquisition_order);
    }

    fn rma_put(&mut self, head: &EventHead<'_>, event: RmaPut) {
        self.windows.put(head, self.win(event.win), &event);
    }

    fn rma_get(&mut self, head: &EventHead<'_>, event: RmaGet) {
        self.windows.get(head, self.win(event.win), &event);
    }

    fn rma_atomic(&mut self, head: &EventHead<'_>, event: RmaAtomic) {
        self.windows.atomic(head, self.win(event.win), &event);
    }

    fn rma_op_complete_blocking(&mut self, head: &EventHead<'_>, event: RmaOpCompleteBlocking) {
        self.windows.complete(head, self.win(event.win), event.matching_id);
    }

    fn rma_op_complete_non_blocking(
        &mut self,
        head: &EventHead<'_>,
        event: RmaOpCompleteNonBlocking,
    ) {
        self.windows.complete(head, self.win(event.win), event.matching_id);
    }

    fn rma_op_complete_remote(&mut self, head: &EventHead<'_>, event: RmaOpCompleteRemote) {
        self.windows.complete_remote(head, self.win(event.win), event.matching_id);
    }

    fn io_create_handle(&mut self, head: &EventHead<'_>, event: IoCreateHandle) {
        self.handles.created(head, self.handle(event.handle));
    }

    fn io_duplicate_handle(&mut self, head: &EventHead<'_>, event: IoDuplicateHandle) {
        let (old, new) = (self.handle(event.old_handle), self.handle(event.new_handle));
        self.handles.duplicated(head, old, new);
    }

    fn io_destroy_handle(&mut self, head: &EventHead<'_>, event: IoDestroyHandle) {
        self.handles.destroyed(head, self.handle(event.handle));
    }

    fn io_operation_begin(&mut self, head: &EventHead<'_>, event: IoOperationBegin) {
        self.handles.begin(head, self.handle(event.handle), &event);
    }

    fn io_operation_issued(&mut self, _: &EventHead<'_>, event: IoOperationIssued) {
        self.handles.issued(self.handle(event.handle), &event);
    }

    fn io_operation_complete(&mut self, head: &EventHead<'_>, event: IoOperationComplete) {
        self.handles.complete(head, self.handle(event.handle), &event);
    }

    fn io_operation_cancelled(&mut self, head: &EventHead<'_>, event: IoOperationCancelled) {
        self.handles.cancelled(head, self.handle(event.handle), &event);
    }
}
