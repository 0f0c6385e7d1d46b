// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! The visitor that receives events.

use crate::calls::Calls;
use crate::ids::RegionRef;
use crate::stream::{EventHead, EventSet};

use super::{
    BufferFlush, CallingContextEnter, CallingContextLeave, CallingContextSample, CommCreate,
    CommDestroy, Enter, Event, IoAcquireLock, IoChangeStatusFlags, IoCreateHandle, IoDeleteFile,
    IoDestroyHandle, IoDuplicateHandle, IoOperationBegin, IoOperationCancelled,
    IoOperationComplete, IoOperationIssued, IoOperationTest, IoReleaseLock, IoSeek, IoTryLock,
    Leave, MeasurementOnOff, Metric, MpiCollectiveBegin, MpiCollectiveEnd, MpiImrecv,
    MpiImrecvRequest, MpiIrecv, MpiIrecvRequest, MpiIsend, MpiIsendComplete, MpiMrecv, MpiProbe,
    MpiRecv, MpiRequestCancelled, MpiRequestTest, MpiSend, NonBlockingCollectiveComplete,
    NonBlockingCollectiveRequest, OmpAcquireLock, OmpFork, OmpJoin, OmpReleaseLock,
    OmpTaskComplete, OmpTaskCreate, OmpTaskSwitch, ParameterInt, ParameterString,
    ParameterUnsignedInt, ProgramBegin, ProgramEnd, RmaAcquireLock, RmaAtomic, RmaCollectiveBegin,
    RmaCollectiveEnd, RmaGet, RmaGroupSync, RmaOpCompleteBlocking, RmaOpCompleteNonBlocking,
    RmaOpCompleteRemote, RmaOpTest, RmaPut, RmaReleaseLock, RmaRequestLock, RmaSync, RmaTryLock,
    RmaWaitChange, RmaWinCreate, RmaWinDestroy, ThreadAcquireLock, ThreadBegin, ThreadCreate,
    ThreadEnd, ThreadFork, ThreadJoin, ThreadReleaseLock, ThreadTaskComplete, ThreadTaskCreate,
    ThreadTaskSwitch, ThreadTeamBegin, ThreadTeamEnd, ThreadWait,
};

/// Receives the events of one location, or of several in a common order.
///
/// A reader calls one method for each event of a kind in [`EventVisitor::WANTS`] and skips all
/// others undecoded. Methods that a visitor does not write itself hand their event to
/// [`EventVisitor::event`], which by default does nothing. An event that a visitor takes in
/// [`EventVisitor::calls`] is not handed to a method besides.
pub trait EventVisitor {
    /// The kinds that are decoded and delivered.
    const WANTS: EventSet = EventSet::ALL;
    /// Set if attribute lists are decoded and delivered with their events.
    const ATTRIBUTES: bool = false;

    /// Any event without a method of its own in the visitor.
    #[inline(always)]
    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let _ = (head, event);
    }

    /// Enters and leaves that follow each other, and messages between them for those who ask for
    /// them there; by default each enter and leave is handed to its method.
    #[inline(always)]
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        crate::calls::deliver(self, calls);
    }

    /// An enter or leave by a calling context of this region. A visitor that does not want these by calling
    /// context gets those of the region.
    #[inline]
    fn context_visit(&mut self, head: &EventHead<'_>, event: Event<'_>, region: RegionRef) {
        crate::calls::deliver_context(self, head, event, region);
    }

    /// A record of a kind that this version does not know; `id` is its number on disk.
    #[inline(always)]
    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        let _ = (head, id);
    }

    /// [`BufferFlush`]
    #[inline(always)]
    fn buffer_flush(&mut self, head: &EventHead<'_>, event: BufferFlush) {
        self.event(head, Event::BufferFlush(event));
    }

    /// [`MeasurementOnOff`]
    #[inline(always)]
    fn measurement_on_off(&mut self, head: &EventHead<'_>, event: MeasurementOnOff) {
        self.event(head, Event::MeasurementOnOff(event));
    }

    /// [`Enter`]
    #[inline(always)]
    fn enter(&mut self, head: &EventHead<'_>, event: Enter) {
        self.event(head, Event::Enter(event));
    }

    /// [`Leave`]
    #[inline(always)]
    fn leave(&mut self, head: &EventHead<'_>, event: Leave) {
        self.event(head, Event::Leave(event));
    }

    /// [`MpiSend`]
    #[inline(always)]
    fn mpi_send(&mut self, head: &EventHead<'_>, event: MpiSend) {
        self.event(head, Event::MpiSend(event));
    }

    /// [`MpiIsend`]
    #[inline(always)]
    fn mpi_isend(&mut self, head: &EventHead<'_>, event: MpiIsend) {
        self.event(head, Event::MpiIsend(event));
    }

    /// [`MpiIsendComplete`]
    #[inline(always)]
    fn mpi_isend_complete(&mut self, head: &EventHead<'_>, event: MpiIsendComplete) {
        self.event(head, Event::MpiIsendComplete(event));
    }

    /// [`MpiIrecvRequest`]
    #[inline(always)]
    fn mpi_irecv_request(&mut self, head: &EventHead<'_>, event: MpiIrecvRequest) {
        self.event(head, Event::MpiIrecvRequest(event));
    }

    /// [`MpiRecv`]
    #[inline(always)]
    fn mpi_recv(&mut self, head: &EventHead<'_>, event: MpiRecv) {
        self.event(head, Event::MpiRecv(event));
    }

    /// [`MpiIrecv`]
    #[inline(always)]
    fn mpi_irecv(&mut self, head: &EventHead<'_>, event: MpiIrecv) {
        self.event(head, Event::MpiIrecv(event));
    }

    /// [`MpiRequestTest`]
    #[inline(always)]
    fn mpi_request_test(&mut self, head: &EventHead<'_>, event: MpiRequestTest) {
        self.event(head, Event::MpiRequestTest(event));
    }

    /// [`MpiRequestCancelled`]
    #[inline(always)]
    fn mpi_request_cancelled(&mut self, head: &EventHead<'_>, event: MpiRequestCancelled) {
        self.event(head, Event::MpiRequestCancelled(event));
    }

    /// [`MpiCollectiveBegin`]
    #[inline(always)]
    fn mpi_collective_begin(&mut self, head: &EventHead<'_>, event: MpiCollectiveBegin) {
        self.event(head, Event::MpiCollectiveBegin(event));
    }

    /// [`MpiCollectiveEnd`]
    #[inline(always)]
    fn mpi_collective_end(&mut self, head: &EventHead<'_>, event: MpiCollectiveEnd) {
        self.event(head, Event::MpiCollectiveEnd(event));
    }

    /// [`OmpFork`]
    #[inline(always)]
    fn omp_fork(&mut self, head: &EventHead<'_>, event: OmpFork) {
        self.event(head, Event::OmpFork(event));
    }

    /// [`OmpJoin`]
    #[inline(always)]
    fn omp_join(&mut self, head: &EventHead<'_>, event: OmpJoin) {
        self.event(head, Event::OmpJoin(event));
    }

    /// [`OmpAcquireLock`]
    #[inline(always)]
    fn omp_acquire_lock(&mut self, head: &EventHead<'_>, event: OmpAcquireLock) {
        self.event(head, Event::OmpAcquireLock(event));
    }

    /// [`OmpReleaseLock`]
    #[inline(always)]
    fn omp_release_lock(&mut self, head: &EventHead<'_>, event: OmpReleaseLock) {
        self.event(head, Event::OmpReleaseLock(event));
    }

    /// [`OmpTaskCreate`]
    #[inline(always)]
    fn omp_task_create(&mut self, head: &EventHead<'_>, event: OmpTaskCreate) {
        self.event(head, Event::OmpTaskCreate(event));
    }

    /// [`OmpTaskSwitch`]
    #[inline(always)]
    fn omp_task_switch(&mut self, head: &EventHead<'_>, event: OmpTaskSwitch) {
        self.event(head, Event::OmpTaskSwitch(event));
    }

    /// [`OmpTaskComplete`]
    #[inline(always)]
    fn omp_task_complete(&mut self, head: &EventHead<'_>, event: OmpTaskComplete) {
        self.event(head, Event::OmpTaskComplete(event));
    }

    /// [`Metric`]
    #[inline(always)]
    fn metric(&mut self, head: &EventHead<'_>, event: Metric<'_>) {
        self.event(head, Event::Metric(event));
    }

    /// [`ParameterString`]
    #[inline(always)]
    fn parameter_string(&mut self, head: &EventHead<'_>, event: ParameterString) {
        self.event(head, Event::ParameterString(event));
    }

    /// [`ParameterInt`]
    #[inline(always)]
    fn parameter_int(&mut self, head: &EventHead<'_>, event: ParameterInt) {
        self.event(head, Event::ParameterInt(event));
    }

    /// [`ParameterUnsignedInt`]
    #[inline(always)]
    fn parameter_unsigned_int(&mut self, head: &EventHead<'_>, event: ParameterUnsignedInt) {
        self.event(head, Event::ParameterUnsignedInt(event));
    }

    /// [`RmaWinCreate`]
    #[inline(always)]
    fn rma_win_create(&mut self, head: &EventHead<'_>, event: RmaWinCreate) {
        self.event(head, Event::RmaWinCreate(event));
    }

    /// [`RmaWinDestroy`]
    #[inline(always)]
    fn rma_win_destroy(&mut self, head: &EventHead<'_>, event: RmaWinDestroy) {
        self.event(head, Event::RmaWinDestroy(event));
    }

    /// [`RmaCollectiveBegin`]
    #[inline(always)]
    fn rma_collective_begin(&mut self, head: &EventHead<'_>, event: RmaCollectiveBegin) {
        self.event(head, Event::RmaCollectiveBegin(event));
    }

    /// [`RmaCollectiveEnd`]
    #[inline(always)]
    fn rma_collective_end(&mut self, head: &EventHead<'_>, event: RmaCollectiveEnd) {
        self.event(head, Event::RmaCollectiveEnd(event));
    }

    /// [`RmaGroupSync`]
    #[inline(always)]
    fn rma_group_sync(&mut self, head: &EventHead<'_>, event: RmaGroupSync) {
        self.event(head, Event::RmaGroupSync(event));
    }

    /// [`RmaRequestLock`]
    #[inline(always)]
    fn rma_request_lock(&mut self, head: &EventHead<'_>, event: RmaRequestLock) {
        self.event(head, Event::RmaRequestLock(event));
    }

    /// [`RmaAcquireLock`]
    #[inline(always)]
    fn rma_acquire_lock(&mut self, head: &EventHead<'_>, event: RmaAcquireLock) {
        self.event(head, Event::RmaAcquireLock(event));
    }

    /// [`RmaTryLock`]
    #[inline(always)]
    fn rma_try_lock(&mut self, head: &EventHead<'_>, event: RmaTryLock) {
        self.event(head, Event::RmaTryLock(event));
    }

    /// [`RmaReleaseLock`]
    #[inline(always)]
    fn rma_release_lock(&mut self, head: &EventHead<'_>, event: RmaReleaseLock) {
        self.event(head, Event::RmaReleaseLock(event));
    }

    /// [`RmaSync`]
    #[inline(always)]
    fn rma_sync(&mut self, head: &EventHead<'_>, event: RmaSync) {
        self.event(head, Event::RmaSync(event));
    }

    /// [`RmaWaitChange`]
    #[inline(always)]
    fn rma_wait_change(&mut self, head: &EventHead<'_>, event: RmaWaitChange) {
        self.event(head, Event::RmaWaitChange(event));
    }

    /// [`RmaPut`]
    #[inline(always)]
    fn rma_put(&mut self, head: &EventHead<'_>, event: RmaPut) {
        self.event(head, Event::RmaPut(event));
    }

    /// [`RmaGet`]
    #[inline(always)]
    fn rma_get(&mut self, head: &EventHead<'_>, event: RmaGet) {
        self.event(head, Event::RmaGet(event));
    }

    /// [`RmaAtomic`]
    #[inline(always)]
    fn rma_atomic(&mut self, head: &EventHead<'_>, event: RmaAtomic) {
        self.event(head, Event::RmaAtomic(event));
    }

    /// [`RmaOpCompleteBlocking`]
    #[inline(always)]
    fn rma_op_complete_blocking(&mut self, head: &EventHead<'_>, event: RmaOpCompleteBlocking) {
        self.event(head, Event::RmaOpCompleteBlocking(event));
    }

    /// [`RmaOpCompleteNonBlocking`]
    #[inline(always)]
    fn rma_op_complete_non_blocking(
        &mut self,
        head: &EventHead<'_>,
        event: RmaOpCompleteNonBlocking,
    ) {
        self.event(head, Event::RmaOpCompleteNonBlocking(event));
    }

    /// [`RmaOpTest`]
    #[inline(always)]
    fn rma_op_test(&mut self, head: &EventHead<'_>, event: RmaOpTest) {
        self.event(head, Event::RmaOpTest(event));
    }

    /// [`RmaOpCompleteRemote`]
    #[inline(always)]
    fn rma_op_complete_remote(&mut self, head: &EventHead<'_>, event: RmaOpCompleteRemote) {
        self.event(head, Event::RmaOpCompleteRemote(event));
    }

    /// [`ThreadFork`]
    #[inline(always)]
    fn thread_fork(&mut self, head: &EventHead<'_>, event: ThreadFork) {
        self.event(head, Event::ThreadFork(event));
    }

    /// [`ThreadJoin`]
    #[inline(always)]
    fn thread_join(&mut self, head: &EventHead<'_>, event: ThreadJoin) {
        self.event(head, Event::ThreadJoin(event));
    }

    /// [`ThreadTeamBegin`]
    #[inline(always)]
    fn thread_team_begin(&mut self, head: &EventHead<'_>, event: ThreadTeamBegin) {
        self.event(head, Event::ThreadTeamBegin(event));
    }

    /// [`ThreadTeamEnd`]
    #[inline(always)]
    fn thread_team_end(&mut self, head: &EventHead<'_>, event: ThreadTeamEnd) {
        self.event(head, Event::ThreadTeamEnd(event));
    }

    /// [`ThreadAcquireLock`]
    #[inline(always)]
    fn thread_acquire_lock(&mut self, head: &EventHead<'_>, event: ThreadAcquireLock) {
        self.event(head, Event::ThreadAcquireLock(event));
    }

    /// [`ThreadReleaseLock`]
    #[inline(always)]
    fn thread_release_lock(&mut self, head: &EventHead<'_>, event: ThreadReleaseLock) {
        self.event(head, Event::ThreadReleaseLock(event));
    }

    /// [`ThreadTaskCreate`]
    #[inline(always)]
    fn thread_task_create(&mut self, head: &EventHead<'_>, event: ThreadTaskCreate) {
        self.event(head, Event::ThreadTaskCreate(event));
    }

    /// [`ThreadTaskSwitch`]
    #[inline(always)]
    fn thread_task_switch(&mut self, head: &EventHead<'_>, event: ThreadTaskSwitch) {
        self.event(head, Event::ThreadTaskSwitch(event));
    }

    /// [`ThreadTaskComplete`]
    #[inline(always)]
    fn thread_task_complete(&mut self, head: &EventHead<'_>, event: ThreadTaskComplete) {
        self.event(head, Event::ThreadTaskComplete(event));
    }

    /// [`ThreadCreate`]
    #[inline(always)]
    fn thread_create(&mut self, head: &EventHead<'_>, event: ThreadCreate) {
        self.event(head, Event::ThreadCreate(event));
    }

    /// [`ThreadBegin`]
    #[inline(always)]
    fn thread_begin(&mut self, head: &EventHead<'_>, event: ThreadBegin) {
        self.event(head, Event::ThreadBegin(event));
    }

    /// [`ThreadWait`]
    #[inline(always)]
    fn thread_wait(&mut self, head: &EventHead<'_>, event: ThreadWait) {
        self.event(head, Event::ThreadWait(event));
    }

    /// [`ThreadEnd`]
    #[inline(always)]
    fn thread_end(&mut self, head: &EventHead<'_>, event: ThreadEnd) {
        self.event(head, Event::ThreadEnd(event));
    }

    /// [`CallingContextEnter`]
    #[inline(always)]
    fn calling_context_enter(&mut self, head: &EventHead<'_>, event: CallingContextEnter) {
        self.event(head, Event::CallingContextEnter(event));
    }

    /// [`CallingContextLeave`]
    #[inline(always)]
    fn calling_context_leave(&mut self, head: &EventHead<'_>, event: CallingContextLeave) {
        self.event(head, Event::CallingContextLeave(event));
    }

    /// [`CallingContextSample`]
    #[inline(always)]
    fn calling_context_sample(&mut self, head: &EventHead<'_>, event: CallingContextSample) {
        self.event(head, Event::CallingContextSample(event));
    }

    /// [`IoCreateHandle`]
    #[inline(always)]
    fn io_create_handle(&mut self, head: &EventHead<'_>, event: IoCreateHandle) {
        self.event(head, Event::IoCreateHandle(event));
    }

    /// [`IoDestroyHandle`]
    #[inline(always)]
    fn io_destroy_handle(&mut self, head: &EventHead<'_>, event: IoDestroyHandle) {
        self.event(head, Event::IoDestroyHandle(event));
    }

    /// [`IoDuplicateHandle`]
    #[inline(always)]
    fn io_duplicate_handle(&mut self, head: &EventHead<'_>, event: IoDuplicateHandle) {
        self.event(head, Event::IoDuplicateHandle(event));
    }

    /// [`IoSeek`]
    #[inline(always)]
    fn io_seek(&mut self, head: &EventHead<'_>, event: IoSeek) {
        self.event(head, Event::IoSeek(event));
    }

    /// [`IoChangeStatusFlags`]
    #[inline(always)]
    fn io_change_status_flags(&mut self, head: &EventHead<'_>, event: IoChangeStatusFlags) {
        self.event(head, Event::IoChangeStatusFlags(event));
    }

    /// [`IoDeleteFile`]
    #[inline(always)]
    fn io_delete_file(&mut self, head: &EventHead<'_>, event: IoDeleteFile) {
        self.event(head, Event::IoDeleteFile(event));
    }

    /// [`IoOperationBegin`]
    #[inline(always)]
    fn io_operation_begin(&mut self, head: &EventHead<'_>, event: IoOperationBegin) {
        self.event(head, Event::IoOperationBegin(event));
    }

    /// [`IoOperationTest`]
    #[inline(always)]
    fn io_operation_test(&mut self, head: &EventHead<'_>, event: IoOperationTest) {
        self.event(head, Event::IoOperationTest(event));
    }

    /// [`IoOperationIssued`]
    #[inline(always)]
    fn io_operation_issued(&mut self, head: &EventHead<'_>, event: IoOperationIssued) {
        self.event(head, Event::IoOperationIssued(event));
    }

    /// [`IoOperationComplete`]
    #[inline(always)]
    fn io_operation_complete(&mut self, head: &EventHead<'_>, event: IoOperationComplete) {
        self.event(head, Event::IoOperationComplete(event));
    }

    /// [`IoOperationCancelled`]
    #[inline(always)]
    fn io_operation_cancelled(&mut self, head: &EventHead<'_>, event: IoOperationCancelled) {
        self.event(head, Event::IoOperationCancelled(event));
    }

    /// [`IoAcquireLock`]
    #[inline(always)]
    fn io_acquire_lock(&mut self, head: &EventHead<'_>, event: IoAcquireLock) {
        self.event(head, Event::IoAcquireLock(event));
    }

    /// [`IoReleaseLock`]
    #[inline(always)]
    fn io_release_lock(&mut self, head: &EventHead<'_>, event: IoReleaseLock) {
        self.event(head, Event::IoReleaseLock(event));
    }

    /// [`IoTryLock`]
    #[inline(always)]
    fn io_try_lock(&mut self, head: &EventHead<'_>, event: IoTryLock) {
        self.event(head, Event::IoTryLock(event));
    }

    /// [`ProgramBegin`]
    #[inline(always)]
    fn program_begin(&mut self, head: &EventHead<'_>, event: ProgramBegin<'_>) {
        self.event(head, Event::ProgramBegin(event));
    }

    /// [`ProgramEnd`]
    #[inline(always)]
    fn program_end(&mut self, head: &EventHead<'_>, event: ProgramEnd) {
        self.event(head, Event::ProgramEnd(event));
    }

    /// [`NonBlockingCollectiveRequest`]
    #[inline(always)]
    fn non_blocking_collective_request(
        &mut self,
        head: &EventHead<'_>,
        event: NonBlockingCollectiveRequest,
    ) {
        self.event(head, Event::NonBlockingCollectiveRequest(event));
    }

    /// [`NonBlockingCollectiveComplete`]
    #[inline(always)]
    fn non_blocking_collective_complete(
        &mut self,
        head: &EventHead<'_>,
        event: NonBlockingCollectiveComplete,
    ) {
        self.event(head, Event::NonBlockingCollectiveComplete(event));
    }

    /// [`CommCreate`]
    #[inline(always)]
    fn comm_create(&mut self, head: &EventHead<'_>, event: CommCreate) {
        self.event(head, Event::CommCreate(event));
    }

    /// [`CommDestroy`]
    #[inline(always)]
    fn comm_destroy(&mut self, head: &EventHead<'_>, event: CommDestroy) {
        self.event(head, Event::CommDestroy(event));
    }

    /// [`MpiProbe`]
    #[inline(always)]
    fn mpi_probe(&mut self, head: &EventHead<'_>, event: MpiProbe) {
        self.event(head, Event::MpiProbe(event));
    }

    /// [`MpiMrecv`]
    #[inline(always)]
    fn mpi_mrecv(&mut self, head: &EventHead<'_>, event: MpiMrecv) {
        self.event(head, Event::MpiMrecv(event));
    }

    /// [`MpiImrecvRequest`]
    #[inline(always)]
    fn mpi_imrecv_request(&mut self, head: &EventHead<'_>, event: MpiImrecvRequest) {
        self.event(head, Event::MpiImrecvRequest(event));
    }

    /// [`MpiImrecv`]
    #[inline(always)]
    fn mpi_imrecv(&mut self, head: &EventHead<'_>, event: MpiImrecv) {
        self.event(head, Event::MpiImrecv(event));
    }
}
