// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Definitions, files: keywords and fields.

use crate::otf::record::{
    field,
    FieldType::{Text, U32},
    RecordKind, Section,
};

pub(super) static DEF_FILE: RecordKind = RecordKind {
    name: "DefFile",
    id: 25,
    section: Section::Definitions,
    short: "FL",
    long: "FILE",
    is_written: true,
    fields: &[
        field("file", U32, "", ""),
        field("name", Text, "NM", "NAME"),
        field("group", U32, "G", "GROUP"),
    ],
};

pub(super) static DEF_FILE_GROUP: RecordKind = RecordKind {
    name: "DefFileGroup",
    id: 26,
    section: Section::Definitions,
    short: "FLG",
    long: "FILEGROUP",
    is_written: true,
    fields: &[field("group", U32, "", ""), field("name", Text, "NM", "NAME")],
};
