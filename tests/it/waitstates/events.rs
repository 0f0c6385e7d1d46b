//! Events in few words: messages of one byte over the world with tag 0, unless they say otherwise.

use streamfold::model::enums::{CollectiveOp, LockType, Paradigm, RmaSyncLevel};
use streamfold::model::events::{
    BufferFlush, Event, MpiCollectiveBegin, MpiCollectiveEnd, MpiIrecv, MpiIrecvRequest, MpiIsend,
    MpiIsendComplete, MpiRecv, MpiRequestCancelled, MpiRequestTest, MpiSend,
    NonBlockingCollectiveComplete, NonBlockingCollectiveRequest, RmaAcquireLock,
    RmaCollectiveBegin, RmaCollectiveEnd, RmaGet, RmaGroupSync, RmaOpCompleteBlocking, RmaPut,
    RmaReleaseLock, RmaRequestLock, ThreadAcquireLock, ThreadBegin, ThreadCreate, ThreadEnd,
    ThreadFork, ThreadJoin, ThreadReleaseLock, ThreadTaskComplete, ThreadTaskCreate,
    ThreadTaskSwitch, ThreadTeamBegin, ThreadTeamEnd, ThreadWait,
};
use streamfold::model::ids::{CommRef, GroupRef, RmaWinRef};
use streamfold::model::values::Ticks;

use crate::waitstates::trace::WORLD;

type E = Event<'static>;

const HERE: CommRef = CommRef(WORLD);

/// No root.
pub const NONE: u32 = 0xffff_ffff;
/// The root itself, of an inter-communicator.
pub const SELF: u32 = 0xffff_fffe;
/// The root is in the own group.
pub const THIS_GROUP: u32 = 0xffff_fffd;

pub fn send(receiver: u32) -> E {
    Event::MpiSend(MpiSend { receiver, communicator: HERE, msg_tag: 0, msg_length: 1 })
}

pub fn isend(receiver: u32, request_id: u64) -> E {
    let (communicator, msg_tag, msg_length) = (HERE, 0, 1);
    Event::MpiIsend(MpiIsend { receiver, communicator, msg_tag, msg_length, request_id })
}

/// A send completes.
pub fn sent(request_id: u64) -> E {
    Event::MpiIsendComplete(MpiIsendComplete { request_id })
}

pub fn recv(sender: u32) -> E {
    Event::MpiRecv(MpiRecv { sender, communicator: HERE, msg_tag: 0, msg_length: 1 })
}

/// A receive is posted.
pub fn post(request_id: u64) -> E {
    Event::MpiIrecvRequest(MpiIrecvRequest { request_id })
}

/// A receive completes.
pub fn got(sender: u32, request_id: u64) -> E {
    let (communicator, msg_tag, msg_length) = (HERE, 0, 1);
    Event::MpiIrecv(MpiIrecv { sender, communicator, msg_tag, msg_length, request_id })
}

pub fn tested(request_id: u64) -> E {
    Event::MpiRequestTest(MpiRequestTest { request_id })
}

pub fn cancelled(request_id: u64) -> E {
    Event::MpiRequestCancelled(MpiRequestCancelled { request_id })
}

pub fn begin() -> E {
    Event::MpiCollectiveBegin(MpiCollectiveBegin)
}

/// Ends a collective operation: its root, and how much was sent and received.
pub fn end(collective_op: CollectiveOp, root: u32, size_sent: u64, size_received: u64) -> E {
    let communicator = HERE;
    let end = MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received };
    Event::MpiCollectiveEnd(end)
}

/// A collective operation is posted.
pub fn request(request_id: u64) -> E {
    Event::NonBlockingCollectiveRequest(NonBlockingCollectiveRequest { request_id })
}

/// A posted collective operation is complete.
pub fn complete(
    collective_op: CollectiveOp,
    root: u32,
    size_sent: u64,
    size_received: u64,
    request_id: u64,
) -> E {
    Event::NonBlockingCollectiveComplete(NonBlockingCollectiveComplete {
        collective_op,
        communicator: HERE,
        root,
        size_sent,
        size_received,
        request_id,
    })
}

/// The event on another communicator.
pub fn over(comm: u32, mut event: E) -> E {
    let communicator = match &mut event {
        Event::MpiSend(it) => &mut it.communicator,
        Event::MpiIsend(it) => &mut it.communicator,
        Event::MpiRecv(it) => &mut it.communicator,
        Event::MpiIrecv(it) => &mut it.communicator,
        Event::MpiCollectiveEnd(it) => &mut it.communicator,
        Event::NonBlockingCollectiveComplete(it) => &mut it.communicator,
        _ => panic!("{event:?} has no communicator"),
    };
    *communicator = CommRef(comm);
    event
}

/// The message with another tag.
pub fn tag(tag: u32, mut event: E) -> E {
    let msg_tag = match &mut event {
        Event::MpiSend(it) => &mut it.msg_tag,
        Event::MpiIsend(it) => &mut it.msg_tag,
        Event::MpiRecv(it) => &mut it.msg_tag,
        Event::MpiIrecv(it) => &mut it.msg_tag,
        _ => panic!("{event:?} has no tag"),
    };
    *msg_tag = tag;
    event
}

/// The buffer is written out up to a time.
pub fn flush(stop_time: u64) -> E {
    Event::BufferFlush(BufferFlush { stop_time: Ticks(stop_time) })
}

pub fn fork() -> E {
    Event::ThreadFork(ThreadFork { model: Paradigm::Openmp, number_of_requested_threads: 2 })
}

pub fn join() -> E {
    Event::ThreadJoin(ThreadJoin { model: Paradigm::Openmp })
}

pub fn team_begin(thread_team: CommRef) -> E {
    Event::ThreadTeamBegin(ThreadTeamBegin { thread_team })
}

pub fn team_end(thread_team: CommRef) -> E {
    Event::ThreadTeamEnd(ThreadTeamEnd { thread_team })
}

pub fn acquire(model: Paradigm, lock_id: u32, acquisition_order: u32) -> E {
    Event::ThreadAcquireLock(ThreadAcquireLock { model, lock_id, acquisition_order })
}

pub fn release(model: Paradigm, lock_id: u32, acquisition_order: u32) -> E {
    Event::ThreadReleaseLock(ThreadReleaseLock { model, lock_id, acquisition_order })
}

pub fn task_create(thread_team: CommRef, creating_thread: u32, generation_number: u32) -> E {
    let create = ThreadTaskCreate { thread_team, creating_thread, generation_number };
    Event::ThreadTaskCreate(create)
}

/// Goes on with a task; generation 0: the implicit one.
pub fn task_switch(thread_team: CommRef, creating_thread: u32, generation_number: u32) -> E {
    let switch = ThreadTaskSwitch { thread_team, creating_thread, generation_number };
    Event::ThreadTaskSwitch(switch)
}

pub fn task_complete(thread_team: CommRef, creating_thread: u32, generation_number: u32) -> E {
    let complete = ThreadTaskComplete { thread_team, creating_thread, generation_number };
    Event::ThreadTaskComplete(complete)
}

pub fn thread_create(thread_contingent: CommRef, sequence_count: u64) -> E {
    Event::ThreadCreate(ThreadCreate { thread_contingent, sequence_count })
}

pub fn thread_begin(thread_contingent: CommRef, sequence_count: u64) -> E {
    Event::ThreadBegin(ThreadBegin { thread_contingent, sequence_count })
}

pub fn thread_end(thread_contingent: CommRef, sequence_count: u64) -> E {
    Event::ThreadEnd(ThreadEnd { thread_contingent, sequence_count })
}

pub fn thread_wait(thread_contingent: CommRef, sequence_count: u64) -> E {
    Event::ThreadWait(ThreadWait { thread_contingent, sequence_count })
}

const BOTH: RmaSyncLevel = RmaSyncLevel(3);

/// MPI_Win_start, MPI_Win_post.
pub fn opened(group: GroupRef) -> E {
    let (win, sync_level) = (RmaWinRef(0), RmaSyncLevel::PROCESS);
    Event::RmaGroupSync(RmaGroupSync { sync_level, win, group })
}

/// MPI_Win_complete, MPI_Win_wait.
pub fn closed(group: GroupRef) -> E {
    Event::RmaGroupSync(RmaGroupSync { sync_level: BOTH, win: RmaWinRef(0), group })
}

/// MPI_Win_test without success.
pub fn not_yet(group: GroupRef) -> E {
    let (win, sync_level) = (RmaWinRef(0), RmaSyncLevel::NONE);
    Event::RmaGroupSync(RmaGroupSync { sync_level, win, group })
}

pub fn put(remote: u32) -> E {
    Event::RmaPut(RmaPut { win: RmaWinRef(0), remote, bytes: 8, matching_id: 1 })
}

pub fn get(remote: u32) -> E {
    Event::RmaGet(RmaGet { win: RmaWinRef(0), remote, bytes: 8, matching_id: 1 })
}

pub fn rma_begin() -> E {
    Event::RmaCollectiveBegin(RmaCollectiveBegin)
}

pub fn rma_end(collective_op: CollectiveOp) -> E {
    Event::RmaCollectiveEnd(RmaCollectiveEnd {
        collective_op,
        sync_level: BOTH,
        win: RmaWinRef(0),
        root: NONE,
        bytes_sent: 0,
        bytes_received: 0,
    })
}

/// The event on another window.
pub fn on_window(window: u32, mut event: E) -> E {
    let win = match &mut event {
        Event::RmaGroupSync(it) => &mut it.win,
        Event::RmaPut(it) => &mut it.win,
        Event::RmaGet(it) => &mut it.win,
        Event::RmaCollectiveEnd(it) => &mut it.win,
        Event::RmaRequestLock(it) => &mut it.win,
        Event::RmaAcquireLock(it) => &mut it.win,
        Event::RmaReleaseLock(it) => &mut it.win,
        _ => panic!("{event:?} has no window"),
    };
    *win = RmaWinRef(window);
    event
}

pub fn lock_request(remote: u32, lock_type: LockType) -> E {
    Event::RmaRequestLock(RmaRequestLock { win: RmaWinRef(0), remote, lock_id: 0, lock_type })
}

pub fn lock_acquire(remote: u32, lock_type: LockType) -> E {
    Event::RmaAcquireLock(RmaAcquireLock { win: RmaWinRef(0), remote, lock_id: 0, lock_type })
}

pub fn lock_release(remote: u32) -> E {
    Event::RmaReleaseLock(RmaReleaseLock { win: RmaWinRef(0), remote, lock_id: 0 })
}

/// An operation on memory is over.
pub fn rma_done() -> E {
    let (win, matching_id) = (RmaWinRef(0), 1);
    Event::RmaOpCompleteBlocking(RmaOpCompleteBlocking { win, matching_id })
}
