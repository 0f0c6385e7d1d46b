// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Definitions, processes: keywords and fields.

use crate::formats::otf::record::{Field, FieldType, Presence, RecordKind, Section};

pub(super) static DEF_PROCESS: RecordKind = RecordKind {
    name: "DefProcess",
    id: 14,
    section: Section::Definitions,
    short: "P",
    long: "PROCESS",
    is_written: true,
    fields: &[
        Field {
            name: "process",
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
            presence: Presence::Optional,
        },
        Field {
            name: "parent",
            field_type: FieldType::U32,
            short: "PT",
            long: "PARENT",
            older: &["P"],
            presence: Presence::Optional,
        },
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
        Field {
            name: "group",
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

pub(super) static DEF_ATTRIBUTE_LIST: RecordKind = RecordKind {
    name: "DefAttributeList",
    id: 55,
    section: Section::Definitions,
    short: "A",
    long: "ATTRIBUTELIST",
    is_written: true,
    fields: &[
        Field {
            name: "attr_token",
            field_type: FieldType::U32,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "attributes",
            field_type: FieldType::List,
            short: "M",
            long: "MEMBERS",
            older: &[],
            presence: Presence::Always,
        },
    ],
};

pub(super) static DEF_PROCESS_OR_GROUP_ATTRIBUTES: RecordKind = RecordKind {
    name: "DefProcessOrGroupAttributes",
    id: 56,
    section: Section::Definitions,
    short: "PGA",
    long: "PROCESSORGROUPATTR",
    is_written: true,
    fields: &[
        Field {
            name: "process_or_group",
            field_type: FieldType::U32,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "attr_token",
            field_type: FieldType::U32,
            short: "V",
            long: "VALUE",
            older: &[],
            presence: Presence::Always,
        },
    ],
};

pub(super) static DEF_PROCESS_SUBSTITUTES: RecordKind = RecordKind {
    name: "DefProcessSubstitutes",
    id: 63,
    section: Section::Definitions,
    short: "PS",
    long: "PROCESSSUBSTITUTES",
    is_written: true,
    fields: &[
        Field {
            name: "representative",
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
