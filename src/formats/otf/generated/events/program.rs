// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Events, program: keywords and fields.

use crate::otf::record::{
    field,
    FieldType::{Text, U32, U64},
    RecordKind, Section,
};

pub(super) static NO_OP: RecordKind = RecordKind {
    name: "NoOp",
    id: 58,
    section: Section::Events,
    short: "N",
    long: "NOOP",
    is_written: true,
    fields: &[],
};

pub(super) static ENTER: RecordKind = RecordKind {
    name: "Enter",
    id: 2,
    section: Section::Events,
    short: "E",
    long: "ENTER",
    is_written: true,
    fields: &[
        field("function", U32, "", ""),
        field("source", U32, "X", "SCL").older(&["S"]).optional(),
    ],
};

pub(super) static LEAVE: RecordKind = RecordKind {
    name: "Leave",
    id: 12,
    section: Section::Events,
    short: "L",
    long: "LEAVE",
    is_written: true,
    fields: &[
        field("function", U32, "", "").optional(),
        field("source", U32, "X", "SCL").older(&["S"]).optional(),
    ],
};

pub(super) static COUNTER: RecordKind = RecordKind {
    name: "Counter",
    id: 1,
    section: Section::Events,
    short: "CNT",
    long: "COUNTER",
    is_written: true,
    fields: &[field("counter", U32, "", ""), field("value", U64, "V", "VALUE")],
};

pub(super) static EVENT_COMMENT: RecordKind = RecordKind {
    name: "EventComment",
    id: 0,
    section: Section::Events,
    short: "#",
    long: "#EVTCOMMENT",
    is_written: true,
    fields: &[field("comment", Text, "", "")],
};

pub(super) static BEGIN_PROCESS: RecordKind = RecordKind {
    name: "BeginProcess",
    id: 35,
    section: Section::Events,
    short: "PB",
    long: "PROCESSBEGIN",
    is_written: true,
    fields: &[],
};

pub(super) static END_PROCESS: RecordKind = RecordKind {
    name: "EndProcess",
    id: 36,
    section: Section::Events,
    short: "PE",
    long: "PROCESSEND",
    is_written: true,
    fields: &[],
};
