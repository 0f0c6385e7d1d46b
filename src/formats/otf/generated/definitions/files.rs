// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Definitions, files: keywords and fields.

use crate::formats::otf::record::{Field, FieldType, Presence, RecordKind, Section};

pub(super) static DEF_FILE: RecordKind = RecordKind {
    name: "DefFile",
    id: 25,
    section: Section::Definitions,
    short: "FL",
    long: "FILE",
    is_written: true,
    fields: &[
        Field {
            name: "file",
            field_type: FieldType::U32,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "name",
            field_type: FieldType::Text,
            short: "NM",
            long: "NAME",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "group",
            field_type: FieldType::U32,
            short: "G",
            long: "GROUP",
            older: &[],
            presence: Presence::Always,
        },
    ],
};

pub(super) static DEF_FILE_GROUP: RecordKind = RecordKind {
    name: "DefFileGroup",
    id: 26,
    section: Section::Definitions,
    short: "FLG",
    long: "FILEGROUP",
    is_written: true,
    fields: &[
        Field {
            name: "group",
            field_type: FieldType::U32,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "name",
            field_type: FieldType::Text,
            short: "NM",
            long: "NAME",
            older: &[],
            presence: Presence::Always,
        },
    ],
};
