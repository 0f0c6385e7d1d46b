// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Events, files: keywords and fields.

use crate::otf::record::{
    field,
    FieldType::{U32, U64},
    RecordKind, Section,
};

pub(super) static FILE_OPERATION: RecordKind = RecordKind {
    name: "FileOperation",
    id: 42,
    section: Section::Events,
    short: "F",
    long: "FILEOP",
    is_written: true,
    fields: &[
        field("file", U32, "", ""),
        field("handle_id", U64, "H", "HANDLEID"),
        field("operation", U32, "OP", "OPERATION"),
        field("bytes", U64, "B", "BYTES"),
        field("duration", U64, "D", "DUR"),
        field("source", U32, "X", "SCL").optional(),
    ],
};

pub(super) static BEGIN_FILE_OPERATION: RecordKind = RecordKind {
    name: "BeginFileOperation",
    id: 53,
    section: Section::Events,
    short: "FA",
    long: "FILEOPBEGINNEW",
    is_written: true,
    fields: &[field("matching_id", U64, "", ""), field("source", U32, "X", "SCL").optional()],
};

pub(super) static BEGIN_FILE_OPERATION_OLD: RecordKind = RecordKind {
    name: "BeginFileOperationOld",
    id: 53,
    section: Section::Events,
    short: "FB",
    long: "FILEOPBEGIN",
    is_written: false,
    fields: &[field("matching_id", U64, "", ""), field("source", U32, "X", "SCL").optional()],
};

pub(super) static END_FILE_OPERATION: RecordKind = RecordKind {
    name: "EndFileOperation",
    id: 54,
    section: Section::Events,
    short: "FF",
    long: "FILEOPENDNEW",
    is_written: true,
    fields: &[
        field("file", U32, "", ""),
        field("matching_id", U64, "MI", "MATCHID"),
        field("handle_id", U64, "H", "HANDLEID"),
        field("operation", U32, "OP", "OPERATION"),
        field("bytes", U64, "B", "BYTES"),
        field("source", U32, "X", "SCL").optional(),
    ],
};

pub(super) static END_FILE_OPERATION_OLD: RecordKind = RecordKind {
    name: "EndFileOperationOld",
    id: 54,
    section: Section::Events,
    short: "FE",
    long: "FILEOPEND",
    is_written: false,
    fields: &[
        field("file", U32, "", ""),
        field("matching_id", U64, "H", "HANDLEID"),
        field("operation", U32, "OP", "OPERATION"),
        field("bytes", U64, "B", "BYTES"),
        field("source", U32, "X", "SCL").optional(),
    ],
};
