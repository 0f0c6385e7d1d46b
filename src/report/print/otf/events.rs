//! The words for events.

use super::values::{put, CounterValue, Named};
use super::Fields;
use streamfold_formats::otf::Record;

const OPERATIONS: &[(u32, &str)] = &[
    (0, "OPEN"),
    (1, "CLOSE"),
    (2, "READ"),
    (3, "WRITE"),
    (4, "SEEK"),
    (5, "UNLINK"),
    (6, "RENAME"),
    (7, "DUP"),
    (8, "SYNC"),
    (9, "LOCK"),
    (10, "UNLOCK"),
];
const FLAGS: [(u32, &str); 6] = [
    (32, "IOFAILED"),
    (64, "ASYNC"),
    (128, "COLL"),
    (256, "DIRECT"),
    (512, "SYNC"),
    (1024, "ISREADLOCK"),
];
/// The bits of an operation that are no flags.
const OPERATION: u32 = 31;

/// Appends an event. `properties` are those of counters.
pub(super) fn put(
    text: &mut Vec<u8>,
    record: Record,
    of: &Fields<'_>,
    properties: &dyn Fn(u32) -> u32,
) {
    let process = of.process;
    match record {
        Record::NoOp | Record::BeginProcess | Record::EndProcess => {
            put!(text, record.kind().name, ": process ", process);
        }
        Record::Enter | Record::Leave => {
            put!(text, record.kind().name, ": function ", of.token(0), ", process ", process);
            put!(text, ", source ", of.token(1));
        }
        Record::SendMsg => {
            put!(text, "SendMessage: sender ", process, ", receiver ", of.token(0));
            put_message(text, of);
        }
        Record::RecvMsg => {
            put!(text, "ReceiveMessage: receiver ", process, ", sender ", of.token(0));
            put_message(text, of);
        }
        Record::Counter => {
            put!(text, "Counter: process ", process, ", counter ", of.token(0));
            put!(text, ", value ", CounterValue(properties(of.token(0)), of.number(1)));
        }
        Record::CollectiveOperation => {
            put!(text, "Collective: process ", process, ", collective ", of.token(0));
            put!(text, ", group ", of.token(1), ", root ", of.token(2), ", sent ", of.token(3));
            put!(text, ", received ", of.token(4), ", duration ", of.number(5));
            put!(text, ", source ", of.token(6));
        }
        Record::BeginCollectiveOperation => {
            put!(text, "BeginCollective: process ", process, ", collective ", of.token(0));
            put!(text, ", group ", of.token(2), ", matchingId ", of.number(1));
            put!(text, ", root ", of.token(3), ", sent ", of.number(4));
            put!(text, ", received ", of.number(5), ", source ", of.token(6));
        }
        Record::EndCollectiveOperation => {
            put!(text, "EndCollective: process ", process, ", matchingId ", of.number(0));
        }
        Record::EventComment => {
            put!(text, "EventComment: process ", process, ", comment \"", of.text(0), "\"");
        }
        Record::FileOperation => {
            put!(text, "FileOperation: file ID ", of.token(0), ", process ", process);
            put!(text, ", handle ID ", of.number(1));
            put_operation(text, of.token(2));
            put!(text, ", bytes ", of.number(3), ", duration ", of.number(4));
            put!(text, ", source ", of.token(5));
        }
        Record::BeginFileOperation | Record::BeginFileOperationOld => {
            put!(text, "BeginFileOperation: process ", process, ", matching ID ", of.number(0));
            put!(text, ", source ", of.token(1));
        }
        Record::EndFileOperation => put_end(text, of, 2),
        Record::EndFileOperationOld => put_end(text, of, 1),
        Record::RMAPut | Record::RMAPutRemoteEnd | Record::RMAGet => {
            put!(text, record.kind().name, ": ");
            match of.token(0) {
                0 => put!(text, "origin ", process),
                origin => put!(text, "initiator ", process, ", origin ", origin),
            }
            put!(text, ", target ", of.token(1), ", communicator ", of.token(2));
            put!(text, ", tag ", of.token(3), ", bytes ", of.number(4));
            put!(text, ", source ", of.token(5));
        }
        Record::RMAEnd => {
            match of.token(0) {
                0 => put!(text, "RMAEnd: process ", process),
                remote => put!(text, "RMAEnd: initiator ", process, ", remote ", remote),
            }
            put!(text, ", communicator ", of.token(1), ", tag ", of.token(2));
            put!(text, ", source ", of.token(3));
        }
        _ => put!(text, record.kind().name, ": process ", process),
    }
}

fn put_message(text: &mut Vec<u8>, of: &Fields<'_>) {
    put!(text, ", group ", of.token(3), ", type ", of.token(2), ", length ", of.token(1));
    put!(text, ", source ", of.token(4));
}

/// The end of a file operation. That of older libraries has no handle, or rather no other number to match it by.
fn put_end(text: &mut Vec<u8>, of: &Fields<'_>, handle: usize) {
    put!(text, "EndFileOperation: process ", of.process, ", file ID ", of.token(0));
    put!(text, ", matching ID ", of.number(1), ", handle ID ");
    put!(text, if handle == 1 { 0 } else { of.number(handle) });
    put_operation(text, of.token(handle + 1));
    put!(text, ", bytes ", of.number(handle + 2), ", source ", of.token(handle + 3));
}

fn put_operation(text: &mut Vec<u8>, operation: u32) {
    put!(text, ", operation ", Named(OPERATIONS, operation & OPERATION), ", flags ");
    let flags = operation & !OPERATION;
    if flags == 0 {
        return put!(text, "EMPTY");
    }
    let mut rest = flags;
    for (flag, name) in FLAGS {
        if flags & flag != 0 {
            put!(text, if rest == flags { "" } else { ", " }, name);
            rest &= !flag;
        }
    }
    if rest != 0 {
        put!(text, if rest == flags { "" } else { ", " }, "UNKNOWN <", rest, ">");
    }
}
