// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Definitions, counters: keywords and fields.

use crate::otf::record::{
    field,
    FieldType::{List, Text, U32},
    RecordKind, Section,
};

pub(super) static DEF_COUNTER: RecordKind = RecordKind {
    name: "DefCounter",
    id: 18,
    section: Section::Definitions,
    short: "CNT",
    long: "COUNTER",
    is_written: true,
    fields: &[
        field("counter", U32, "", ""),
        field("group", U32, "G", "GROUP"),
        field("name", Text, "NM", "NAME").older(&["N"]),
        field("properties", U32, "P", "PROPERTIES"),
        field("group_again", U32, "G", "GROUP").only_read(),
        field("unit", Text, "U", "UNIT"),
    ],
};

pub(super) static DEF_COUNTER_GROUP: RecordKind = RecordKind {
    name: "DefCounterGroup",
    id: 19,
    section: Section::Definitions,
    short: "CG",
    long: "COUNTERGROUP",
    is_written: true,
    fields: &[field("group", U32, "", ""), field("name", Text, "NM", "NAME").older(&["N"])],
};

pub(super) static DEF_COUNTER_ASSIGNMENTS: RecordKind = RecordKind {
    name: "DefCounterAssignments",
    id: 62,
    section: Section::Definitions,
    short: "CA",
    long: "COUNTERASSIGNMENTS",
    is_written: true,
    fields: &[field("counter", U32, "", ""), field("members", List, "M", "MEMBERS")],
};
