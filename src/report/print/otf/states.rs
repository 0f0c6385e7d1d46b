//! The words for snapshots, statistics and markers.

use super::values::{put, CounterValue, Named};
use super::Fields;
use streamfold_formats::otf::Record;

const MARKERS: &[(u32, &str)] = &[(1, "ERROR"), (2, "WARNING"), (3, "HINT")];

/// Appends a record of a snapshot. `properties` are those of counters.
pub(super) fn put_snapshot(
    text: &mut Vec<u8>,
    record: Record,
    of: &Fields<'_>,
    properties: &dyn Fn(u32) -> u32,
) {
    let process = of.process;
    match record {
        Record::SnapshotComment => {
            put!(text, "SnapComment: process ", process, ", comment \"", of.text(0), "\"");
        }
        Record::EnterSnapshot => {
            put!(text, "SnapEnter: otime ", of.number(1), ", process ", process);
            put!(text, ", function ", of.token(0), ", source ", of.token(2));
        }
        Record::SendSnapshot => {
            put!(text, "SnapSend: otime ", of.number(1), ", sender ", process);
            put!(text, ", receiver ", of.token(0), ", group ", of.token(2));
            put!(text, ", tag ", of.token(3), ", length ", of.token(4), ", source ", of.token(5));
        }
        Record::OpenFileSnapshot => {
            put!(text, "SnapOpenFile: otime ", of.number(1), ", process ", process);
            put!(text, ", fileid ", of.token(0), ", handle ID ", of.number(2));
            put!(text, ", source ", of.token(3));
        }
        Record::BeginCollopSnapshot => {
            put!(text, "SnapBeginCollop: otime ", of.number(0), ", process ", process);
            put!(text, ", collOp ", of.token(1), ", matchingID ", of.number(2));
            put!(text, ", group ", of.token(3), ", root ", of.token(4), ", sent ", of.number(5));
            put!(text, ", received ", of.number(6), ", source ", of.token(7));
        }
        Record::BeginFileOpSnapshot => {
            put!(text, "SnapBeginFileOp: otime ", of.number(0), ", process ", process);
            put!(text, ", matchingID ", of.number(1), ", source ", of.token(2));
        }
        Record::CollopCountSnapshot => {
            put!(text, "SnapCollopCount: process ", process, ", communicator ", of.token(0));
            put!(text, ", count ", of.number(1));
        }
        Record::CounterSnapshot => {
            // The reference shows the process as the time and the time as the process. Lines are compared with its own.
            put!(text, "SnapCounter: otime ", process, ", process ", of.number(0));
            let value = CounterValue(properties(of.token(1)), of.number(2));
            put!(text, ", counter ", of.token(1), ", value ", value);
        }
        _ => {}
    }
}

/// Appends a record of statistics.
pub(super) fn put_statistics(text: &mut Vec<u8>, record: Record, of: &Fields<'_>) {
    let process = of.process;
    match record {
        Record::FunctionSummary => {
            put!(text, "StatFunction: process ", process, ", function ", of.token(0));
            put_times(text, of);
        }
        Record::FunctionGroupSummary => {
            put!(text, "StatFunctionGroup: process ", process, ", group ", of.token(0));
            put_times(text, of);
        }
        Record::MessageSummary => {
            put!(text, "StatMessage: process ", process, ", peer ", of.token(0));
            put!(text, ", group ", of.token(1), ", type ", of.token(2));
            put_volumes(text, of, 3);
        }
        Record::CollopSummary => {
            put!(text, "StatCollOp: process ", process, ", group ", of.token(0));
            put!(text, ", col ", of.token(1));
            put_volumes(text, of, 2);
        }
        _ => {}
    }
}

fn put_times(text: &mut Vec<u8>, of: &Fields<'_>) {
    put!(text, ", invocations ", of.number(1), ", excltime ", of.number(2));
    put!(text, ", incltime ", of.number(3));
}

fn put_volumes(text: &mut Vec<u8>, of: &Fields<'_>, first: usize) {
    put!(text, ", numsent ", of.number(first), ", numreceived ", of.number(first + 1));
    put!(text, ", bytessent ", of.number(first + 2), ", bytesreceived ", of.number(first + 3));
}

/// Appends the definition of markers.
pub(super) fn put_kind_of_marker(text: &mut Vec<u8>, of: &Fields<'_>) {
    put!(text, "DefMarker: ID ", of.token(0), ", name \"", of.text(1), "\"");
    put!(text, ", type ", Named(MARKERS, of.token(2)));
}

/// Appends a marker, behind its time.
pub(super) fn put_marker(text: &mut Vec<u8>, of: &Fields<'_>) {
    put!(text, "Marker: ID ", of.token(0), ", process ", of.token(2));
    put!(text, ", text \"", of.text(3), "\"");
}
