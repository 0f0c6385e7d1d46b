//! Remote memory access.

use streamfold_model::events::Event;
use streamfold_model::ids::RmaWinRef;

use super::columns::Columns;
use crate::print::line::Line;
use crate::print::names::Names;

/// Locks of windows, and waiting for others.
pub(super) fn rma_synchronization<'a>(
    columns: Columns<'a>,
    names: &'a Names,
    event: &Event<'_>,
) -> Line<'a> {
    match event {
        Event::RmaGroupSync(e) => columns
            .of("RMA_GROUP_SYNC")
            .flags("Level of Synchronicity: ", e.sync_level)
            .name(", Window: ", &names.rma_wins, e.win)
            .name(", Group: ", &names.groups, e.group),
        Event::RmaRequestLock(e) => {
            lock(columns.of("RMA_REQUEST_LOCK"), names, (e.win, e.remote, e.lock_id))
                .value(", Type: ", e.lock_type)
        }
        Event::RmaAcquireLock(e) => {
            lock(columns.of("RMA_ACQUIRE_LOCK"), names, (e.win, e.remote, e.lock_id))
                .value(", Type: ", e.lock_type)
        }
        Event::RmaTryLock(e) => {
            lock(columns.of("RMA_TRY_LOCK"), names, (e.win, e.remote, e.lock_id))
                .value(", Type: ", e.lock_type)
        }
        Event::RmaReleaseLock(e) => {
            lock(columns.of("RMA_RELEASE_LOCK"), names, (e.win, e.remote, e.lock_id))
        }
        Event::RmaSync(e) => columns
            .of("RMA_SYNC")
            .name("Window: ", &names.rma_wins, e.win)
            .rank_in_win(", Remote: ", e.win, e.remote)
            .value(", Sync Type: ", e.sync_type),
        Event::RmaWaitChange(e) => {
            columns.of("RMA_WAIT_CHANGE").name("Window: ", &names.rma_wins, e.win)
        }
        // The caller knows which events these are.
        _ => columns.of("UNKNOWN"),
    }
}

/// Windows, and what is done with them.
pub(super) fn rma_operation<'a>(
    columns: Columns<'a>,
    names: &'a Names,
    event: &Event<'_>,
) -> Line<'a> {
    match event {
        Event::RmaWinCreate(e) => {
            columns.of("RMA_WIN_CREATE").name("Window: ", &names.rma_wins, e.win)
        }
        Event::RmaWinDestroy(e) => {
            columns.of("RMA_WIN_DESTROY").name("Window: ", &names.rma_wins, e.win)
        }
        Event::RmaCollectiveBegin(_) => columns.of("RMA_COLLECTIVE_BEGIN"),
        Event::RmaCollectiveEnd(e) => columns
            .of("RMA_COLLECTIVE_END")
            .value("Operation: ", e.collective_op)
            .name(", Window: ", &names.rma_wins, e.win)
            .flags(", Level of Synchronicity: ", e.sync_level)
            .root_in_win(", Root: ", e.win, e.root)
            .number(", Sent: ", e.bytes_sent)
            .number(", Received: ", e.bytes_received),
        Event::RmaPut(e) => {
            transfer(columns.of("RMA_PUT"), names, (e.win, e.remote, e.bytes, e.matching_id))
        }
        Event::RmaGet(e) => {
            transfer(columns.of("RMA_GET"), names, (e.win, e.remote, e.bytes, e.matching_id))
        }
        Event::RmaAtomic(e) => columns
            .of("RMA_ATOMIC")
            .name("Window: ", &names.rma_wins, e.win)
            .rank_in_win(", Remote: ", e.win, e.remote)
            .value(", Type: ", e.atomic_type)
            .number(", Sent: ", e.bytes_sent)
            .number(", Received: ", e.bytes_received)
            .number(", Matching: ", e.matching_id),
        Event::RmaOpCompleteBlocking(e) => {
            completion(columns.of("RMA_OP_COMPLETE_BLOCKING"), names, (e.win, e.matching_id))
        }
        Event::RmaOpCompleteNonBlocking(e) => {
            completion(columns.of("RMA_OP_COMPLETE_NON_BLOCKING"), names, (e.win, e.matching_id))
        }
        Event::RmaOpTest(e) => completion(columns.of("RMA_OP_TEST"), names, (e.win, e.matching_id)),
        Event::RmaOpCompleteRemote(e) => {
            completion(columns.of("RMA_OP_COMPLETE_REMOTE"), names, (e.win, e.matching_id))
        }
        // The caller knows which events these are.
        _ => columns.of("UNKNOWN"),
    }
}

/// A lock of a window at a rank.
fn lock<'a>(
    line: Line<'a>,
    names: &'a Names,
    (win, remote, lock): (RmaWinRef, u32, u64),
) -> Line<'a> {
    line.name("Window: ", &names.rma_wins, win)
        .rank_in_win(", Remote: ", win, remote)
        .number(", Lock: ", lock)
}

/// Bytes that go to a rank or come from it.
fn transfer<'a>(
    line: Line<'a>,
    names: &'a Names,
    (win, remote, bytes, matching): (RmaWinRef, u32, u64, u64),
) -> Line<'a> {
    line.name("Window: ", &names.rma_wins, win)
        .rank_in_win(", Remote: ", win, remote)
        .number(", Bytes: ", bytes)
        .number(", Matching: ", matching)
}

/// Fields of the end of an operation.
fn completion<'a>(line: Line<'a>, names: &'a Names, (win, matching): (RmaWinRef, u64)) -> Line<'a> {
    line.name("Window: ", &names.rma_wins, win).number(", Matching: ", matching)
}
