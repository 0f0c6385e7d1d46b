//! One pass over the events of a location.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use streamfold_model::calls::{Call, Calls};
use streamfold_model::enums::{MeasurementMode, Paradigm};
use streamfold_model::events::*;
use streamfold_model::ids::{
    CallingContextRef, CommRef, IoHandleRef, LocationRef, Reference, RegionRef, RmaWinRef,
};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use super::block::{Order, Sink};
use super::chosen::{Chosen, Counting};
use super::collectives::{CollectiveRoom, RecordedCollectives, What};
use super::epochs::{Begin, EpochRoom};
use super::io::{self, HandleRoom, Handles};
use super::join::Side;
use super::lanes::Outgoing;
use super::messages::{End, MessageEnd, MessageRoom, Messages, RecordedMessages};
use super::partners::{Partners, Process, Processes};
use super::rma::{self, WindowRoom, Windows};
use super::threads::{ThreadRoom, Threads};
use super::totals::Streams;
use crate::Kernel;

/// Where what belongs together is brought to.
#[derive(Clone, Copy)]
pub struct Sinks<'s> {
    /// Sends, as [`End`](super::messages::End), by [`Channel`](super::messages::Channel).
    pub sends: &'s dyn Sink,
    /// Receives, the same.
    pub receives: &'s dyn Sink,
    /// Collective operations, as [`Part`](super::collectives::Part), by communicator and process.
    pub collectives: &'s dyn Sink,
    /// Requests whose other ends other locations of their processes know, as
    /// [`Orphan`](super::requests::Orphan): those of messages.
    pub requests: &'s dyn Sink,
    /// Those of collective operations.
    pub operations: &'s dyn Sink,
    /// Accesses to windows, as [`Begin`](super::epochs::Begin), by window, origin and target.
    pub accesses: &'s dyn Sink,
    /// What gave them access, the same.
    pub exposures: &'s dyn Sink,
}

/// What is known when all locations were scanned, without what went to the [`Sinks`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// What was recorded of messages.
    pub messages: RecordedMessages,
    /// What was recorded of collective operations.
    pub collectives: RecordedCollectives,
    /// Accesses to the memory of others.
    pub windows: Windows,
    /// Operations on files.
    pub handles: Handles,
    /// Forks, teams, locks.
    pub threads: Threads,
    /// What is known of the streams of each process that has any.
    pub streams: BTreeMap<u32, Streams>,
}

impl Found {
    /// All of both.
    #[must_use]
    pub fn fold(mut self, other: Found) -> Found {
        self.messages.add(&other.messages);
        self.collectives.add(&other.collectives);
        rma::fold(&mut self.windows, &other.windows);
        io::fold(&mut self.handles, &other.handles);
        self.threads.add(other.threads);
        for (process, streams) in other.streams {
            let own = self.streams.entry(process).or_default();
            *own = own.and(streams);
        }
        self
    }
}

/// Finds what belongs together. Ends of messages travel as `E`.
pub struct MatchKernel<'d, E = End> {
    definitions: &'d Definitions,
    processes: &'d Processes,
    partners: &'d Partners<'d>,
    sinks: Sinks<'d>,
    /// `None`: all.
    chosen: Option<&'d Chosen>,
    ends: PhantomData<fn() -> E>,
}

/// Open regions in which epochs begin that are remembered of a location.
const MOST_CALLS: usize = 1 << 20;

/// What a thread holds.
pub struct Worker<'s, E = End> {
    messages: MessageRoom<'s, E>,
    collectives: CollectiveRoom<'s>,
    windows: WindowRoom,
    epochs: EpochRoom<'s>,
    handles: HandleRoom,
    threads: ThreadRoom,
    streams: BTreeMap<u32, Streams>,
}

impl<'d> MatchKernel<'d> {
    /// For a trace.
    pub fn new(
        definitions: &'d Definitions,
        processes: &'d Processes,
        partners: &'d Partners<'d>,
        sinks: Sinks<'d>,
    ) -> Self {
        Self::of_ends(definitions, processes, partners, sinks)
    }
}

impl<'d, E> MatchKernel<'d, E> {
    /// The same, with other ends.
    pub(super) fn of_ends(
        definitions: &'d Definitions,
        processes: &'d Processes,
        partners: &'d Partners<'d>,
        sinks: Sinks<'d>,
    ) -> Self {
        let (chosen, ends) = (None, PhantomData);
        MatchKernel { definitions, processes, partners, sinks, chosen, ends }
    }

    /// Only this counts.
    pub fn choose(self, chosen: &'d Chosen) -> Self {
        MatchKernel { chosen: Some(chosen), ..self }
    }
}

impl<'d, E: MessageEnd + Send> Kernel for MatchKernel<'d, E> {
    type Worker = Worker<'d, E>;
    type Scan<'w>
        = MatchScan<'w, 'd, E>
    where
        Self: 'w;
    type Partial = Found;

    fn worker(&self) -> Worker<'d, E> {
        let Sinks { sends, receives, collectives, requests, operations, .. } = self.sinks;
        let Sinks { accesses, exposures, .. } = self.sinks;
        let [sends, receives, requests] = [sends, receives, requests].map(Outgoing::new);
        let [collectives, operations] = [collectives, operations].map(Outgoing::new);
        Worker {
            messages: MessageRoom::new(sends, receives, requests),
            collectives: CollectiveRoom::new(collectives, operations),
            windows: WindowRoom::default(),
            epochs: EpochRoom::new(self.definitions, [accesses, exposures].map(Outgoing::new)),
            handles: HandleRoom::default(),
            threads: ThreadRoom::default(),
            streams: BTreeMap::new(),
        }
    }

    fn scan<'w>(
        &'w self,
        worker: &'w mut Worker<'d, E>,
        location: LocationRef,
    ) -> MatchScan<'w, 'd, E> {
        let own = self.processes.of(location);
        let Worker { messages, collectives, windows, epochs, handles, threads, streams } = worker;
        let counting = self.chosen.map_or_else(Counting::default, |chosen| chosen.of(location));
        let shared = own.is_some_and(|process| self.processes.is_shared(process));
        let messages = Messages::new(messages, self.partners, location, (own, shared), counting);
        collectives.begin_location(own, shared, counting);
        windows.counting = counting;
        (handles.counting, threads.counting) = (counting, counting);
        let place = self.definitions.locations.get_index_of(&location);
        let streams = own.map(|Process(process)| streams.entry(process).or_default());
        MatchScan {
            definitions: self.definitions,
            partners: self.partners,
            location,
            own,
            messages,
            collectives,
            windows,
            epochs,
            follows: !self.definitions.rma_wins.is_empty(),
            open: Vec::new(),
            handles,
            threads,
            member: place.map(|place| Process(place as u32)),
            streams,
        }
    }

    fn end(&self, scan: MatchScan<'_, 'd, E>, summary: &StreamSummary) {
        let MatchScan { definitions, location, messages, collectives, .. } = scan;
        let MatchScan { windows, epochs, handles, threads, member, streams, .. } = scan;
        messages.end();
        threads.end(member, |team, part| collectives.push(What::Team, team.0, part));
        collectives.end_location();
        windows.end();
        epochs.end();
        handles.end();
        if let Some(streams) = streams {
            let whole = definitions.locations.get(&location).map_or(0, |l| l.number_of_events);
            streams.recorded |= summary.events > 0;
            streams.cut |= summary.events < whole;
        }
    }

    fn partial(&self, mut worker: Worker<'d, E>) -> Found {
        worker.epochs.hand_over();
        Found {
            messages: worker.messages.end(),
            collectives: worker.collectives.end_all(),
            windows: worker.windows.windows,
            handles: worker.handles.handles,
            threads: worker.threads.threads,
            streams: worker.streams,
        }
    }

    fn fold(&self, into: Found, other: Found) -> Found {
        into.fold(other)
    }
}

/// Receives the events of one location.
pub struct MatchScan<'w, 's, E = End> {
    definitions: &'w Definitions,
    partners: &'w Partners<'w>,
    location: LocationRef,
    own: Option<Process>,
    messages: Messages<'w, 's, E>,
    collectives: &'w mut CollectiveRoom<'s>,
    windows: &'w mut WindowRoom,
    epochs: &'w mut EpochRoom<'s>,
    /// Whether there are windows: only on which side of an epoch somebody is depends on enters and leaves.
    follows: bool,
    /// The open regions in which epochs begin.
    open: Vec<RegionRef>,
    handles: &'w mut HandleRoom,
    threads: &'w mut ThreadRoom,
    /// The location by its place in the definitions.
    member: Option<Process>,
    /// Of its process.
    streams: Option<&'w mut Streams>,
}

impl<E: MessageEnd> MatchScan<'_, '_, E> {
    /// The call path of the events that come now.
    pub(super) fn at(&mut self, path: u64) {
        self.messages.path = path;
    }

    /// Which side of epochs begins in a region.
    pub(super) fn side(&mut self, region: RegionRef) -> Option<Side> {
        self.epochs.callers.side(region)
    }

    /// A synchronisation with a group, in a call in which epochs begin on a side.
    pub(super) fn group_sync(
        &mut self,
        head: &EventHead<'_>,
        event: &RmaGroupSync,
        side: Option<Side>,
    ) {
        let win = self.win(event.win);
        self.windows.group(head, win, event, side.is_some());
        let (Some(own), Some(side)) = (self.own, side) else { return };
        if rma::begins(event) && !win.is_undefined() {
            let begin = Begin { order: self.order(head), time: head.time.0 };
            let others = self.partners.members(event.group);
            self.epochs.begin((win, own, side), others, begin);
        }
    }

    #[inline(never)]
    fn follow<C: Calls>(&mut self, calls: &mut C) {
        while let Some(visit) = calls.next() {
            self.visit(visit);
        }
    }

    /// A region is entered or left.
    #[inline]
    fn visit(&mut self, visit: Call) {
        if !self.follows || self.side(visit.region()).is_none() {
            return;
        }
        match visit {
            Call::Enter(region) => {
                // Nobody has so many open who leaves what was entered.
                if self.open.len() < MOST_CALLS {
                    self.open.push(region);
                }
            }
            Call::Leave(region) => {
                if let Some(place) = self.open.iter().rposition(|open| *open == region) {
                    self.open.truncate(place);
                }
            }
        }
    }

    fn region_of(&self, context: CallingContextRef) -> Option<RegionRef> {
        self.definitions.calling_contexts.get(&context).map(|context| context.region)
    }

    fn comm(&self, comm: CommRef) -> Option<CommRef> {
        self.definitions.comms.contains_key(&comm).then_some(comm)
    }

    fn win(&self, win: RmaWinRef) -> RmaWinRef {
        let known = self.definitions.rma_wins.contains_key(&win);
        if known {
            win
        } else {
            RmaWinRef::UNDEFINED
        }
    }

    fn handle(&self, handle: IoHandleRef) -> IoHandleRef {
        let known = self.definitions.io_handles.contains_key(&handle);
        if known {
            handle
        } else {
            IoHandleRef::UNDEFINED
        }
    }

    fn begin_team(&mut self, head: &EventHead<'_>, team: CommRef) {
        let order = self.order(head);
        let (Some(team), Some(member)) = (self.comm(team), self.member) else { return };
        if let Some(part) = self.threads.begin_team(head, order, team, member) {
            self.collectives.push(What::Team, team.0, part);
        }
    }

    fn end_team(&mut self, head: &EventHead<'_>, team: CommRef) {
        let (Some(team), Some(member)) = (self.comm(team), self.member) else { return };
        if let Some(part) = self.threads.end_team(head, team, member) {
            self.collectives.push(What::Team, team.0, part);
        }
    }

    fn order(&mut self, head: &EventHead<'_>) -> Order {
        self.messages.order(head)
    }
}

impl<E: MessageEnd> EventVisitor for MatchScan<'_, '_, E> {
    const WANTS: EventSet = EventSet::of(&[
        EventKind::Enter,
        EventKind::Leave,
        EventKind::CallingContextEnter,
        EventKind::CallingContextLeave,
        EventKind::MeasurementOnOff,
        EventKind::MpiSend,
        EventKind::MpiIsend,
        EventKind::MpiIsendComplete,
        EventKind::MpiRecv,
        EventKind::MpiIrecvRequest,
        EventKind::MpiIrecv,
        EventKind::MpiRequestCancelled,
        EventKind::MpiCollectiveBegin,
        EventKind::MpiCollectiveEnd,
        EventKind::NonBlockingCollectiveRequest,
        EventKind::NonBlockingCollectiveComplete,
        EventKind::RmaCollectiveBegin,
        EventKind::RmaCollectiveEnd,
        EventKind::RmaGroupSync,
        EventKind::RmaRequestLock,
        EventKind::RmaAcquireLock,
        EventKind::RmaTryLock,
        EventKind::RmaReleaseLock,
        EventKind::RmaPut,
        EventKind::RmaGet,
        EventKind::RmaAtomic,
        EventKind::RmaOpCompleteBlocking,
        EventKind::RmaOpCompleteNonBlocking,
        EventKind::RmaOpCompleteRemote,
        EventKind::IoCreateHandle,
        EventKind::IoDuplicateHandle,
        EventKind::IoDestroyHandle,
        EventKind::IoOperationBegin,
        EventKind::IoOperationComplete,
        EventKind::IoOperationCancelled,
        EventKind::ThreadFork,
        EventKind::ThreadJoin,
        EventKind::OmpFork,
        EventKind::OmpJoin,
        EventKind::ThreadTeamBegin,
        EventKind::ThreadTeamEnd,
        EventKind::ThreadAcquireLock,
        EventKind::ThreadReleaseLock,
        EventKind::OmpAcquireLock,
        EventKind::OmpReleaseLock,
    ]);

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
        self.collectives.end(head, order, &MpiCollectiveEnd { communicator, ..event });
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
        self.handles.created(head, self.handle(event.new_handle));
    }

    fn io_destroy_handle(&mut self, head: &EventHead<'_>, event: IoDestroyHandle) {
        self.handles.destroyed(head, self.handle(event.handle));
    }

    fn io_operation_begin(&mut self, head: &EventHead<'_>, event: IoOperationBegin) {
        self.handles.begin(head, self.handle(event.handle), &event);
    }

    fn io_operation_complete(&mut self, head: &EventHead<'_>, event: IoOperationComplete) {
        self.handles.complete(head, self.handle(event.handle), &event);
    }

    fn io_operation_cancelled(&mut self, head: &EventHead<'_>, event: IoOperationCancelled) {
        self.handles.cancelled(head, self.handle(event.handle), &event);
    }
}
