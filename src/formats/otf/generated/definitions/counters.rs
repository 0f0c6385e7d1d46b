// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Definitions, counters: keywords and fields.

use crate::formats::otf::record::{Field, FieldType, Presence, RecordKind, Section};

pub(super) static DEF_COUNTER: RecordKind = RecordKind {
    name: "DefCounter",
    id: 18,
    section: Section::Definitions,
    short: "CNT",
    long: "COUNTER",
    is_written: true,
    fields: &[
        Field {
            name: "counter",
            field_type: FieldType::U32,
            short: "",
            long: "",
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
        Field {
            name: "name",
            field_type: FieldType::Text,
            short: "NM",
            long: "NAME",
            older: &["N"],
            presence: Presence::Always,
        },
        Field {
            name: "properties",
            field_type: FieldType::U32,
            short: "P",
            long: "PROPERTIES",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "group_again",
            field_type: FieldType::U32,
            short: "G",
            long: "GROUP",
            older: &[],
            presence: Presence::OnlyRead,
        },
        Field {
            name: "unit",
            field_type: FieldType::Text,
            short: "U",
            long: "UNIT",
            older: &[],
            presence: Presence::Always,
        },
    ],
};

pub(super) static DEF_COUNTER_GROUP: RecordKind = RecordKind {
    name: "DefCounterGroup",
    id: 19,
    section: Section::Definitions,
    short: "CG",
    long: "COUNTERGROUP",
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
            older: &["N"],
            presence: Presence::Always,
        },
    ],
};

pub(super) static DEF_COUNTER_ASSIGNMENTS: RecordKind = RecordKind {
    name: "DefCounterAssignments",
    id: 62,
    section: Section::Definitions,
    short: "CA",
    long: "COUNTERASSIGNMENTS",
    is_written: true,
    fields: &[
        Field {
            name: "counter",
            field_type: FieldType::U32,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "members",
            field_type: FieldType::List,
            short: "M",
            long: "MEMBERS",
            older: &[],
            presence: Presence::Always,
        },
    ],
};
