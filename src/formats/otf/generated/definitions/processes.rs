// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Definitions, processes: keywords and fields.

use crate::otf::record::{
    field,
    FieldType::{List, Text, U32},
    RecordKind, Section,
};

pub(super) static DEF_PROCESS: RecordKind = RecordKind {
    name: "DefProcess",
    id: 14,
    section: Section::Definitions,
    short: "P",
    long: "PROCESS",
    is_written: true,
    fields: &[
        field("process", U32, "", ""),
        field("name", Text, "NM", "NAME").older(&["N"]).optional(),
        field("parent", U32, "PT", "PARENT").older(&["P"]).optional(),
    ],
};

pub(super) static DEF_PROCESS_GROUP: RecordKind = RecordKind {
    name: "DefProcessGroup",
    id: 15,
    section: Section::Definitions,
    short: "PG",
    long: "PROCESSGROUP",
    is_written: true,
    fields: &[
        field("group", U32, "", ""),
        field("members", List, "M", "MEMBERS"),
        field("name", Text, "NM", "NAME").older(&["N"]),
    ],
};

pub(super) static DEF_ATTRIBUTE_LIST: RecordKind = RecordKind {
    name: "DefAttributeList",
    id: 55,
    section: Section::Definitions,
    short: "A",
    long: "ATTRIBUTELIST",
    is_written: true,
    fields: &[field("attr_token", U32, "", ""), field("attributes", List, "M", "MEMBERS")],
};

pub(super) static DEF_PROCESS_OR_GROUP_ATTRIBUTES: RecordKind = RecordKind {
    name: "DefProcessOrGroupAttributes",
    id: 56,
    section: Section::Definitions,
    short: "PGA",
    long: "PROCESSORGROUPATTR",
    is_written: true,
    fields: &[field("process_or_group", U32, "", ""), field("attr_token", U32, "V", "VALUE")],
};

pub(super) static DEF_PROCESS_SUBSTITUTES: RecordKind = RecordKind {
    name: "DefProcessSubstitutes",
    id: 63,
    section: Section::Definitions,
    short: "PS",
    long: "PROCESSSUBSTITUTES",
    is_written: true,
    fields: &[field("representative", U32, "", ""), field("members", List, "M", "MEMBERS")],
};
