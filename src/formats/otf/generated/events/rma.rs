// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Events, rma: keywords and fields.

use crate::otf::record::{
    field,
    FieldType::{U32, U64},
    RecordKind, Section,
};

pub(super) static RMA_PUT: RecordKind = RecordKind {
    name: "RMAPut",
    id: 47,
    section: Section::Events,
    short: "T",
    long: "TRMAPUT",
    is_written: true,
    fields: &[
        field("origin", U32, "", ""),
        field("target", U32, "P", "PROCESS"),
        field("communicator", U32, "C", "COMM"),
        field("tag", U32, "T", "TAG"),
        field("bytes", U64, "L", "LEN"),
        field("source", U32, "X", "SCL").optional(),
    ],
};

pub(super) static RMA_PUT_REMOTE_END: RecordKind = RecordKind {
    name: "RMAPutRemoteEnd",
    id: 48,
    section: Section::Events,
    short: "U",
    long: "URMAPUTRE",
    is_written: true,
    fields: &[
        field("origin", U32, "", ""),
        field("target", U32, "P", "PROCESS"),
        field("communicator", U32, "C", "COMM"),
        field("tag", U32, "T", "TAG"),
        field("bytes", U64, "L", "LEN"),
        field("source", U32, "X", "SCL").optional(),
    ],
};

pub(super) static RMA_GET: RecordKind = RecordKind {
    name: "RMAGet",
    id: 49,
    section: Section::Events,
    short: "G",
    long: "GRMAGET",
    is_written: true,
    fields: &[
        field("origin", U32, "", ""),
        field("target", U32, "P", "PROCESS"),
        field("communicator", U32, "C", "COMM"),
        field("tag", U32, "T", "TAG"),
        field("bytes", U64, "L", "LEN"),
        field("source", U32, "X", "SCL").optional(),
    ],
};

pub(super) static RMA_END: RecordKind = RecordKind {
    name: "RMAEnd",
    id: 50,
    section: Section::Events,
    short: "M",
    long: "MRMAEND",
    is_written: true,
    fields: &[
        field("remote", U32, "", ""),
        field("communicator", U32, "C", "COMM"),
        field("tag", U32, "T", "TAG"),
        field("source", U32, "X", "SCL").optional(),
    ],
};
