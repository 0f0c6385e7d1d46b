//! One pass over the events of a location.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::enums::MeasurementMode;
use streamfold_model::events::*;
use streamfold_model::ids::{CommRef, IoHandleRef, LocationRef, RmaWinRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet, StreamSummary};

use super::block::{Order, Sink};
use super::collectives::{CollectiveRoom, RecordedCollectives};
use super::io::{self, HandleRoom, Handles};
use super::lanes::Outgoing;
use super::messages::{MessageRoom, Messages, RecordedMessages};
use super::partners::{Partners, Process, Processes};
use super::rma::{self, WindowRoom, Windows};
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
        for (process, streams) in other.streams {
            let own = self.streams.entry(process).or_default();
            *own = own.and(streams);
        }
        self
    }
}

/// Finds what belongs together.
pub struct MatchKernel<'d> {
    definitions: &'d Definitions,
    processes: &'d Processes,
    partners: &'d Partners<'d>,
    sinks: Sinks<'d>,
}

/// What a thread holds.
pub struct Worker<'s> {
    messages: MessageRoom<'s>,
    collectives: CollectiveRoom<'s>,
    windows: WindowRoom,
    handles: HandleRoom,
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
        MatchKernel { definitions, processes, partners, sinks }
    }
}

impl<'d> Kernel for MatchKernel<'d> {
    type Worker = Worker<'d>;
    type Scan<'w>
        = MatchScan<'w, 'd>
    where
        Self: 'w;
    type Partial = Found;

    fn worker(&self) -> Worker<'d> {
        let Sinks { sends, receives, collectives } = self.sinks;
        Worker {
            messages: MessageRoom::new(Outgoing::new(sends), Outgoing::new(receives)),
            collectives: CollectiveRoom::new(Outgoing::new(collectives)),
            windows: WindowRoom::default(),
            handles: HandleRoom::default(),
            streams: BTreeMap::new(),
        }
    }

    fn scan<'w>(&'w self, worker: &'w mut Worker<'d>, location: LocationRef) -> MatchScan<'w, 'd> {
        let own = self.processes.of(location);
        let Worker { messages, collectives, windows, handles, streams } = worker;
        let messages = Messages::new(messages, self.partners, location, own);
        let streams = own.map(|Process(process)| streams.entry(process).or_default());
        MatchScan {
            definitions: self.definitions,
            location,
            own,
            messages,
            collectives,
            windows,
            handles,
            streams,
        }
    }

    fn end(&self, scan: MatchScan<'_, 'd>, summary: &StreamSummary) {
        let MatchScan { definitions, location, messages, collectives, .. } = scan;
        let MatchScan { windows, handles, streams, .. } = scan;
        messages.end();
        collectives.end_location();
        windows.end();
        handles.end();
        if let Some(streams) = streams {
            let whole = definitions.locations.get(&location).map_or(0, |l| l.number_of_events);
            streams.recorded |= summary.events > 0;
            streams.cut |= summary.events < whole;
        }
    }

    fn partial(&self, mut worker: Worker<'d>) -> Found {
        worker.messages.sends.hand_over();
        worker.messages.receives.hand_over();
        worker.collectives.parts.hand_over();
        Found {
            messages: worker.messages.recorded(),
            collectives: worker.collectives.recorded,
            windows: worker.windows.windows,
            handles: worker.handles.handles,
            streams: worker.streams,
        }
    }

    fn fold(&self, into: Found, other: Found) -> Found {
        into.fold(other)
    }
}

/// Receives the events of one location.
pub struct MatchScan<'w, 's> {
    definitions: &'w Definitions,
    location: LocationRef,
    own: Option<Process>,
    messages: Messages<'w, 's>,
    collectives: &'w mut CollectiveRoom<'s>,
    windows: &'w mut WindowRoom,
    handles: &'w mut HandleRoom,
    /// Of its process.
    streams: Option<&'w mut Streams>,
}

impl MatchScan<'_, '_> {
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

    fn order(&mut self, head: &EventHead<'_>) -> Order {
        self.messages.order(head)
    }
}

impl EventVisitor for MatchScan<'_, '_> {
    const WANTS: EventSet = EventSet::of(&[
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
        EventKind::RmaCollectiveEnd,
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
    ]);

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

    fn mpi_isend_complete(&mut self, _: &EventHead<'_>, event: MpiIsendComplete) {
        self.messages.isend_complete(&event);
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

    fn mpi_request_cancelled(&mut self, _: &EventHead<'_>, event: MpiRequestCancelled) {
        self.messages.cancelled(&event);
        self.collectives.cancelled(event.request_id);
    }

    fn mpi_collective_begin(&mut self, head: &EventHead<'_>, _: MpiCollectiveBegin) {
        let order = self.order(head);
        self.collectives.begin(head, order);
    }

    fn mpi_collective_end(&mut self, head: &EventHead<'_>, event: MpiCollectiveEnd) {
        let (order, comm) = (self.order(head), self.comm(event.communicator));
        self.collectives.end(head, order, self.own, comm, &event);
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
        let (order, comm) = (self.order(head), self.comm(event.communicator));
        self.collectives.complete(head, order, self.own, comm, &event);
    }

    fn rma_collective_end(&mut self, _: &EventHead<'_>, event: RmaCollectiveEnd) {
        self.windows.collective(self.win(event.win), &event);
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

    fn io_create_handle(&mut self, _: &EventHead<'_>, event: IoCreateHandle) {
        self.handles.created(self.handle(event.handle));
    }

    fn io_duplicate_handle(&mut self, _: &EventHead<'_>, event: IoDuplicateHandle) {
        self.handles.created(self.handle(event.new_handle));
    }

    fn io_destroy_handle(&mut self, _: &EventHead<'_>, event: IoDestroyHandle) {
        self.handles.destroyed(self.handle(event.handle));
    }

    fn io_operation_begin(&mut self, head: &EventHead<'_>, event: IoOperationBegin) {
        self.handles.begin(head, self.handle(event.handle), &event);
    }

    fn io_operation_complete(&mut self, head: &EventHead<'_>, event: IoOperationComplete) {
        self.handles.complete(head, self.handle(event.handle), &event);
    }

    fn io_operation_cancelled(&mut self, _: &EventHead<'_>, event: IoOperationCancelled) {
        self.handles.cancelled(self.handle(event.handle), &event);
    }
}
