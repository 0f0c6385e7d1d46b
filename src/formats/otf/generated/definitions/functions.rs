// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Definitions, functions: keywords and fields.

use crate::otf::record::{
    field,
    FieldType::{Text, U32},
    RecordKind, Section,
};

pub(super) static DEF_FUNCTION: RecordKind = RecordKind {
    name: "DefFunction",
    id: 16,
    section: Section::Definitions,
    short: "F",
    long: "FUNCTION",
    is_written: true,
    fields: &[
        field("function", U32, "", ""),
        field("group", U32, "G", "GROUP"),
        field("name", Text, "NM", "NAME").older(&["N"]),
        field("source", U32, "X", "SCL").older(&["S"]).optional(),
    ],
};

pub(super) static DEF_FUNCTION_GROUP: RecordKind = RecordKind {
    name: "DefFunctionGroup",
    id: 17,
    section: Section::Definitions,
    short: "FG",
    long: "FUNCTIONGROUP",
    is_written: true,
    fields: &[field("group", U32, "", ""), field("name", Text, "NM", "NAME").older(&["N"])],
};

pub(super) static DEF_COLLECTIVE_OPERATION: RecordKind = RecordKind {
    name: "DefCollectiveOperation",
    id: 20,
    section: Section::Definitions,
    short: "CO",
    long: "COLLOP",
    is_written: true,
    fields: &[
        field("collective", U32, "", ""),
        field("name", Text, "NM", "NAME").older(&["N"]),
        field("type", U32, "Y", "TYPE").older(&["T"]),
    ],
};

pub(super) static DEF_SCL: RecordKind = RecordKind {
    name: "DefScl",
    id: 21,
    section: Section::Definitions,
    short: "S",
    long: "SCL",
    is_written: true,
    fields: &[
        field("source", U32, "", ""),
        field("file", U32, "F", "FILE"),
        field("line", U32, "LN", "LINE").older(&["L"]),
    ],
};

pub(super) static DEF_SCL_FILE: RecordKind = RecordKind {
    name: "DefSclFile",
    id: 22,
    section: Section::Definitions,
    short: "SF",
    long: "SCLFILE",
    is_written: true,
    fields: &[field("file", U32, "", ""), field("name", Text, "NM", "NAME").older(&["N"])],
};
