//! Input and output.

use streamfold_model::enums::LockType;
use streamfold_model::events::Event;
use streamfold_model::ids::IoHandleRef;

use super::columns::Columns;
use crate::print::line::Line;
use crate::print::names::Names;

/// Handles of files.
pub(super) fn io_handle<'a>(columns: Columns<'a>, names: &'a Names, event: &Event<'_>) -> Line<'a> {
    match event {
        Event::IoCreateHandle(e) => columns
            .of("IO_CREATE_HANDLE")
            .name("Handle: ", &names.io_handles, e.handle)
            .value(", Access Mode: ", e.mode)
            .flags(", Creation Flags: ", e.creation_flags)
            .flags(", Status Flags: ", e.status_flags),
        Event::IoDestroyHandle(e) => {
            columns.of("IO_DESTROY_HANDLE").name("Handle: ", &names.io_handles, e.handle)
        }
        Event::IoDuplicateHandle(e) => columns
            .of("IO_DUPLICATE_HANDLE")
            .name("Old Handle: ", &names.io_handles, e.old_handle)
            .name(", New Handle: ", &names.io_handles, e.new_handle)
            .flags(", Status Flags: ", e.status_flags),
        Event::IoSeek(e) => columns
            .of("IO_SEEK")
            .name("Handle: ", &names.io_handles, e.handle)
            .number(", Offset Request: ", e.offset_request)
            .value(", Whence: ", e.whence)
            .number(", Offset Result: ", e.offset_result),
        Event::IoChangeStatusFlags(e) => columns
            .of("IO_CHANGE_FLAGS")
            .name("Handle: ", &names.io_handles, e.handle)
            .flags(", Status Flags: ", e.status_flags),
        Event::IoDeleteFile(e) => columns
            .of("IO_DELETE_FILE")
            .io_paradigm("I/O Paradigm: ", e.io_paradigm)
            .name(", File: ", &names.io_files, e.file),
        // The caller knows which events these are.
        _ => columns.of("UNKNOWN"),
    }
}

/// Operations on handles, and locks.
pub(super) fn io_operation<'a>(
    columns: Columns<'a>,
    names: &'a Names,
    event: &Event<'_>,
) -> Line<'a> {
    match event {
        Event::IoOperationBegin(e) => columns
            .of("IO_OPERATION_BEGIN")
            .name("Handle: ", &names.io_handles, e.handle)
            .value(", Mode: ", e.mode)
            .flags(", Operation Flags: ", e.operation_flags)
            .number(", Bytes Request: ", e.bytes_request)
            .number(", Matching Id: ", e.matching_id),
        Event::IoOperationTest(e) => {
            progress(columns.of("IO_OPERATION_TEST"), names, (e.handle, e.matching_id))
        }
        Event::IoOperationIssued(e) => {
            progress(columns.of("IO_OPERATION_ISSUED"), names, (e.handle, e.matching_id))
        }
        Event::IoOperationComplete(e) => columns
            .of("IO_OPERATION_COMPLETE")
            .name("Handle: ", &names.io_handles, e.handle)
            .number(", Bytes Result: ", e.bytes_result)
            .number(", Matching Id: ", e.matching_id),
        Event::IoOperationCancelled(e) => {
            progress(columns.of("IO_OPERATION_CANCELLED"), names, (e.handle, e.matching_id))
        }
        Event::IoAcquireLock(e) => {
            lock(columns.of("IO_ACQUIRE_LOCK"), names, (e.handle, e.lock_type))
        }
        Event::IoReleaseLock(e) => {
            lock(columns.of("IO_RELEASE_LOCK"), names, (e.handle, e.lock_type))
        }
        Event::IoTryLock(e) => lock(columns.of("IO_TRY_LOCK"), names, (e.handle, e.lock_type)),
        // The caller knows which events these are.
        _ => columns.of("UNKNOWN"),
    }
}

/// How it went on with an operation.
fn progress<'a>(
    line: Line<'a>,
    names: &'a Names,
    (handle, matching): (IoHandleRef, u64),
) -> Line<'a> {
    line.name("Handle: ", &names.io_handles, handle).number(", Matching Id: ", matching)
}

/// A lock of a handle.
fn lock<'a>(
    line: Line<'a>,
    names: &'a Names,
    (handle, lock_type): (IoHandleRef, LockType),
) -> Line<'a> {
    line.name("Handle: ", &names.io_handles, handle).value(", Type: ", lock_type)
}
