// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Events, messages: keywords and fields.

use crate::otf::record::{
    field,
    FieldType::{U32, U64},
    RecordKind, Section,
};

pub(super) static SEND_MSG: RecordKind = RecordKind {
    name: "SendMsg",
    id: 11,
    section: Section::Events,
    short: "S",
    long: "SEND",
    is_written: true,
    fields: &[
        field("receiver", U32, "", ""),
        field("length", U32, "L", "LEN"),
        field("tag", U32, "T", "TAG"),
        field("communicator", U32, "C", "COMM"),
        field("source", U32, "X", "SCL").older(&["S"]).optional(),
    ],
};

pub(super) static RECV_MSG: RecordKind = RecordKind {
    name: "RecvMsg",
    id: 10,
    section: Section::Events,
    short: "R",
    long: "RECEIVE",
    is_written: true,
    fields: &[
        field("sender", U32, "", ""),
        field("length", U32, "L", "LEN"),
        field("tag", U32, "T", "TAG"),
        field("communicator", U32, "C", "COMM"),
        field("source", U32, "X", "SCL").older(&["S"]).optional(),
    ],
};

pub(super) static COLLECTIVE_OPERATION: RecordKind = RecordKind {
    name: "CollectiveOperation",
    id: 5,
    section: Section::Events,
    short: "COP",
    long: "COLLOP",
    is_written: true,
    fields: &[
        field("collective", U32, "", ""),
        field("communicator", U32, "C", "COMM"),
        field("root", U32, "RT", "ROOT"),
        field("sent", U32, "S", "SENT"),
        field("received", U32, "R", "RECVD"),
        field("duration", U64, "D", "DUR"),
        field("source", U32, "X", "SCL").older(&["S"]).optional(),
    ],
};

pub(super) static BEGIN_COLLECTIVE_OPERATION: RecordKind = RecordKind {
    name: "BeginCollectiveOperation",
    id: 51,
    section: Section::Events,
    short: "COPB",
    long: "COLLOPBEGIN",
    is_written: true,
    fields: &[
        field("collective", U32, "", ""),
        field("matching_id", U64, "H", "HANDLEID"),
        field("communicator", U32, "C", "COMM"),
        field("root", U32, "RT", "ROOT"),
        field("sent", U64, "S", "SENT"),
        field("received", U64, "R", "RECVD"),
        field("source", U32, "X", "SCL").older(&["S"]).optional(),
    ],
};

pub(super) static END_COLLECTIVE_OPERATION: RecordKind = RecordKind {
    name: "EndCollectiveOperation",
    id: 52,
    section: Section::Events,
    short: "COPE",
    long: "COLLOPEND",
    is_written: true,
    fields: &[field("matching_id", U64, "", "")],
};
