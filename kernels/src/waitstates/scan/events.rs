//! The meaning of each event.

use streamfold_model::calls::{hand_over_message, Call as Visit, Calls};
use streamfold_model::enums::{LockType, Paradigm, RmaSyncLevel};
use streamfold_model::events::*;
use streamfold_model::ids::GroupRef;
use streamfold_model::stream::{EventHead, EventSet};

use super::posts::Envelope;
use super::visits::Watched;
use super::WaitScan;
use crate::matching::{Key, Order};
use crate::waitstates::class::CallKind;
use crate::waitstates::collectives::Manner;
use crate::waitstates::epochs::EVERYBODY;
use crate::waitstates::meetings::{Attendance, MeetingEvent};
use crate::waitstates::messages::MessageEnd;
use crate::waitstates::open::Pending;
use crate::waitstates::requests::Completed;
use crate::waitstates::severity::LeftOut;

impl EventVisitor for WaitScan<'_, '_> {
    const WANTS: EventSet = EventSet::VISITS
        .and(EventSet::TASKS)
        .and(EventSet::TEAMS)
        .and(EventSet::LOCKS)
        .and(EventSet::MESSAGES)
        .and(EventSet::COLLECTIVES)
        .and(EventSet::TRANSFERS)
        .and(EventSet::of(&[
            EventKind::MeasurementOnOff,
            EventKind::BufferFlush,
            EventKind::ThreadCreate,
            EventKind::ThreadWait,
            EventKind::ThreadBegin,
            EventKind::ThreadEnd,
            EventKind::RmaGroupSync,
            EventKind::RmaRequestLock,
            EventKind::RmaAcquireLock,
            EventKind::RmaReleaseLock,
        ]));

    #[inline]
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        loop {
            let (classes, all) = (&mut self.room.classes, self.teams.follows());
            let mut watched = Watched { calls: &mut *calls, classes, all, stopped: None };
            EventVisitor::calls(&mut self.profile, &mut watched);
            if let Some((visit, kind)) = watched.stopped {
                self.visit(visit, kind, calls.head().number);
            } else if let Some(message) = calls.next_envelope() {
                hand_over_message(self, message, &calls.head());
            } else {
                return;
            }
        }
    }

    fn enter(&mut self, head: &EventHead<'_>, event: Enter) {
        EventVisitor::enter(&mut self.profile, head, event);
        self.visit_alone(Visit::Enter(event.region), head.number);
    }

    fn leave(&mut self, head: &EventHead<'_>, event: Leave) {
        EventVisitor::leave(&mut self.profile, head, event);
        self.visit_alone(Visit::Leave(event.region), head.number);
    }

    fn calling_context_enter(&mut self, head: &EventHead<'_>, event: CallingContextEnter) {
        let region = self.profile.region_of(event.calling_context);
        self.profile.calling_context_enter(head, event);
        if let Some(region) = region {
            self.visit_alone(Visit::Enter(region), head.number);
        }
    }

    fn calling_context_leave(&mut self, head: &EventHead<'_>, event: CallingContextLeave) {
        let region = self.profile.region_of(event.calling_context);
        self.profile.calling_context_leave(head, event);
        if let Some(region) = region {
            self.visit_alone(Visit::Leave(region), head.number);
        }
    }

    fn measurement_on_off(&mut self, head: &EventHead<'_>, event: MeasurementOnOff) {
        self.profile.measurement_on_off(head, event);
    }

    fn buffer_flush(&mut self, head: &EventHead<'_>, event: BufferFlush) {
        self.profile.buffer_flush(head, event);
    }

    fn thread_task_switch(&mut self, head: &EventHead<'_>, event: ThreadTaskSwitch) {
        self.before_task(head);
        self.profile.thread_task_switch(head, event);
        self.task(&Event::ThreadTaskSwitch(event));
    }

    fn thread_task_complete(&mut self, head: &EventHead<'_>, event: ThreadTaskComplete) {
        self.before_task(head);
        self.profile.thread_task_complete(head, event);
        self.task(&Event::ThreadTaskComplete(event));
    }

    fn omp_task_switch(&mut self, head: &EventHead<'_>, event: OmpTaskSwitch) {
        self.before_task(head);
        self.profile.omp_task_switch(head, event);
        self.task(&Event::OmpTaskSwitch(event));
    }

    fn omp_task_complete(&mut self, head: &EventHead<'_>, event: OmpTaskComplete) {
        self.before_task(head);
        self.profile.omp_task_complete(head, event);
        self.task(&Event::OmpTaskComplete(event));
    }

    fn thread_fork(&mut self, head: &EventHead<'_>, _: ThreadFork) {
        self.fork(head);
    }

    fn thread_join(&mut self, head: &EventHead<'_>, _: ThreadJoin) {
        self.join(head);
    }

    fn omp_fork(&mut self, head: &EventHead<'_>, _: OmpFork) {
        self.fork(head);
    }

    fn omp_join(&mut self, head: &EventHead<'_>, _: OmpJoin) {
        self.join(head);
    }

    fn thread_team_begin(&mut self, head: &EventHead<'_>, event: ThreadTeamBegin) {
        if !self.teams.has_room() {
            return self.room.found.leave_out(LeftOut::Untracked, 1);
        }
        let last = self.present().last().filter(|call| call.kind == CallKind::Parallel);
        let region = last.map(|call| call.number);
        let is_master = self.world.threads.master_of(self.location).is_some();
        let here = self.profile.here(head.time);
        let moved = self.teams.begin(event.thread_team.0, region, is_master, here);
        self.move_all(moved);
    }

    fn thread_team_end(&mut self, _: &EventHead<'_>, event: ThreadTeamEnd) {
        self.teams.end(event.thread_team.0);
        self.hand_over_teams(|teams, over| teams.settle(over));
    }

    fn thread_acquire_lock(&mut self, head: &EventHead<'_>, event: ThreadAcquireLock) {
        self.acquired(head, event.model, (event.lock_id, event.acquisition_order));
    }

    fn thread_release_lock(&mut self, head: &EventHead<'_>, event: ThreadReleaseLock) {
        self.released(head, event.model, (event.lock_id, event.acquisition_order));
    }

    fn thread_create(&mut self, head: &EventHead<'_>, event: ThreadCreate) {
        let ThreadCreate { thread_contingent: contingent, sequence_count } = event;
        let Some((key, order)) = self.thread(head, contingent, sequence_count) else { return };
        let action = MeetingEvent::Created(head.time.0.max(self.profile.now()));
        self.attend(key, Attendance { order, action, call: None });
    }

    fn thread_begin(&mut self, head: &EventHead<'_>, event: ThreadBegin) {
        let time = head.time.0.max(self.profile.now());
        self.teams.create(time);
        let ThreadBegin { thread_contingent: contingent, sequence_count } = event;
        if let Some((key, order)) = self.thread(head, contingent, sequence_count) {
            let action = MeetingEvent::Begun { time, since: self.thread_ended };
            self.attend(key, Attendance { order, action, call: None });
        }
        let created = &mut self.room.found.created;
        if created.last() != Some(&self.location) {
            created.push(self.location);
        }
    }

    fn thread_wait(&mut self, head: &EventHead<'_>, event: ThreadWait) {
        let ThreadWait { thread_contingent: contingent, sequence_count } = event;
        let Some((key, order)) = self.thread(head, contingent, sequence_count) else { return };
        let call = self.present().thread_join();
        let is_tracked = call.is_none_or(|call| call.wait(Pending::Joined { order, key }));
        self.room.found.leave_out(LeftOut::Untracked, (!is_tracked).into());
    }

    fn thread_end(&mut self, head: &EventHead<'_>, event: ThreadEnd) {
        let ThreadEnd { thread_contingent: contingent, sequence_count } = event;
        self.thread_ended = head.time.0.max(self.profile.now());
        let Some((key, order)) = self.thread(head, contingent, sequence_count) else { return };
        self.attend(
            key,
            Attendance { order, action: MeetingEvent::Ended(head.time.0), call: None },
        );
    }

    fn omp_acquire_lock(&mut self, head: &EventHead<'_>, event: OmpAcquireLock) {
        self.acquired(head, Paradigm::Openmp, (event.lock_id, event.acquisition_order));
    }

    fn omp_release_lock(&mut self, head: &EventHead<'_>, event: OmpReleaseLock) {
        self.released(head, Paradigm::Openmp, (event.lock_id, event.acquisition_order));
    }

    fn mpi_send(&mut self, head: &EventHead<'_>, event: MpiSend) {
        let MpiSend { receiver: rank, communicator: comm, msg_tag: tag, .. } = event;
        let end = MessageEnd { bytes: event.msg_length, ..self.end_here(head) };
        if let Some(key) = self.channel(Envelope { comm, rank, tag, sends: true }) {
            self.in_mpi(Pending::Send(key, end));
        }
    }

    fn mpi_isend(&mut self, head: &EventHead<'_>, event: MpiIsend) {
        let MpiIsend { receiver: rank, communicator: comm, msg_tag: tag, request_id, .. } = event;
        let end = MessageEnd { bytes: event.msg_length, ..self.end_here(head) };
        if let Some(key) = self.channel(Envelope { comm, rank, tag, sends: true }) {
            self.message_posted(request_id, Some(key), end);
        }
    }

    fn mpi_isend_complete(&mut self, head: &EventHead<'_>, event: MpiIsendComplete) {
        let end = self.end_here(head);
        self.message_completed(event.request_id, Completed::Send(end));
    }

    fn mpi_recv(&mut self, head: &EventHead<'_>, event: MpiRecv) {
        let MpiRecv { sender: rank, communicator: comm, msg_tag: tag, .. } = event;
        let end = self.end_here(head);
        if let Some(key) = self.channel(Envelope { comm, rank, tag, sends: false }) {
            self.in_mpi(Pending::Receive(key, end));
        }
    }

    fn mpi_irecv_request(&mut self, head: &EventHead<'_>, event: MpiIrecvRequest) {
        let end = self.end_here(head);
        self.message_posted(event.request_id, None, end);
    }

    fn mpi_irecv(&mut self, head: &EventHead<'_>, event: MpiIrecv) {
        let MpiIrecv { sender: rank, communicator: comm, msg_tag: tag, request_id, .. } = event;
        // Without a post the enter of its call is unknown.
        let end = MessageEnd { entered: None, ..self.end_here(head) };
        let key = self.channel(Envelope { comm, rank, tag, sends: false });
        self.message_completed(request_id, Completed::Receive(key, end));
    }

    fn mpi_probe(&mut self, head: &EventHead<'_>, event: MpiProbe) {
        if let Some(request) = self.probes.probe(event) {
            self.mpi_irecv_request(head, request);
        }
    }

    fn mpi_mrecv(&mut self, head: &EventHead<'_>, event: MpiMrecv) {
        let received = self.probes.mrecv(event);
        self.mpi_irecv(head, received);
    }

    fn mpi_imrecv_request(&mut self, _: &EventHead<'_>, event: MpiImrecvRequest) {
        self.probes.imrecv_request(event);
    }

    fn mpi_imrecv(&mut self, head: &EventHead<'_>, event: MpiImrecv) {
        let received = self.probes.imrecv(event);
        self.mpi_irecv(head, received);
    }

    fn mpi_request_cancelled(&mut self, head: &EventHead<'_>, event: MpiRequestCancelled) {
        let here = self.order(head);
        self.cancel(event.request_id, here);
    }

    fn mpi_collective_begin(&mut self, head: &EventHead<'_>, _: MpiCollectiveBegin) {
        let start = self.start(head);
        let before = self.begun.replace(start);
        self.room.found.leave_out(LeftOut::OpenCollectives, before.is_some().into());
    }

    fn mpi_collective_end(&mut self, head: &EventHead<'_>, event: MpiCollectiveEnd) {
        self.ended(head, event);
    }

    fn non_blocking_collective_request(
        &mut self,
        head: &EventHead<'_>,
        event: NonBlockingCollectiveRequest,
    ) {
        self.request(head, event.request_id);
    }

    fn non_blocking_collective_complete(
        &mut self,
        head: &EventHead<'_>,
        event: NonBlockingCollectiveComplete,
    ) {
        let number = event.request_id;
        let NonBlockingCollectiveComplete { collective_op, root, communicator, .. } = event;
        let NonBlockingCollectiveComplete { size_sent, size_received, .. } = event;
        let event =
            MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received };
        self.completed(head, number, event);
    }

    fn rma_collective_begin(&mut self, head: &EventHead<'_>, _: RmaCollectiveBegin) {
        let start = self.start(head);
        self.window_begun = Some(start);
    }

    fn rma_collective_end(&mut self, head: &EventHead<'_>, event: RmaCollectiveEnd) {
        let start = self.window_begun.take();
        let (Some(process), RmaCollectiveEnd { collective_op, win, root, .. }) = (self.own, event)
        else {
            return;
        };
        if !self.knows(win) {
            return;
        }
        let member = self.member_of(head, start, (process, Manner::Blocks, collective_op, root));
        self.in_mpi(Pending::Member(Key([win.0, process.0, 1, 0]), member));
    }

    fn rma_group_sync(&mut self, head: &EventHead<'_>, event: RmaGroupSync) {
        let RmaGroupSync { win, group, sync_level } = event;
        let (order, group): (Order, GroupRef) = (self.order(head), group);
        if !self.knows(win) {
            return;
        }
        // A test that was not successful has none.
        let empty = sync_level == RmaSyncLevel::NONE;
        self.in_mpi(Pending::Group { win, group, order, empty });
    }

    fn rma_request_lock(&mut self, head: &EventHead<'_>, event: RmaRequestLock) {
        let RmaRequestLock { win, remote, lock_type, .. } = event;
        if let Some(target) = self.locked(win, remote) {
            // A lock of all memories is shared.
            let alone = lock_type == LockType::Exclusive && target != EVERYBODY;
            self.in_mpi(Pending::Request { win, target, alone, time: head.time.0 });
        }
    }

    fn rma_acquire_lock(&mut self, _: &EventHead<'_>, event: RmaAcquireLock) {
        let RmaAcquireLock { win, remote, .. } = event;
        if let Some(target) = self.locked(win, remote) {
            self.in_mpi(Pending::Acquire { win, target });
        }
    }

    fn rma_release_lock(&mut self, head: &EventHead<'_>, event: RmaReleaseLock) {
        let RmaReleaseLock { win, remote, .. } = event;
        let order = self.order(head);
        if let Some(target) = self.locked(win, remote) {
            self.in_mpi(Pending::Release { win, target, order, time: head.time.0 });
        }
    }

    fn rma_put(&mut self, head: &EventHead<'_>, event: RmaPut) {
        self.operation(head, event.win, event.remote);
    }

    fn rma_get(&mut self, head: &EventHead<'_>, event: RmaGet) {
        self.operation(head, event.win, event.remote);
    }

    fn rma_atomic(&mut self, head: &EventHead<'_>, event: RmaAtomic) {
        self.operation(head, event.win, event.remote);
    }
}
