// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Events: keywords and fields of their records.

mod files;
mod messages;
mod program;
mod rma;

use crate::otf::record::RecordKind;

/// In the order of the table.
pub(super) static KINDS: [&RecordKind; 21] = [
    &program::NO_OP,
    &program::ENTER,
    &program::LEAVE,
    &messages::SEND_MSG,
    &messages::RECV_MSG,
    &program::COUNTER,
    &messages::COLLECTIVE_OPERATION,
    &messages::BEGIN_COLLECTIVE_OPERATION,
    &messages::END_COLLECTIVE_OPERATION,
    &program::EVENT_COMMENT,
    &program::BEGIN_PROCESS,
    &program::END_PROCESS,
    &files::FILE_OPERATION,
    &files::BEGIN_FILE_OPERATION,
    &files::BEGIN_FILE_OPERATION_OLD,
    &files::END_FILE_OPERATION,
    &files::END_FILE_OPERATION_OLD,
    &rma::RMA_PUT,
    &rma::RMA_PUT_REMOTE_END,
    &rma::RMA_GET,
    &rma::RMA_END,
];
