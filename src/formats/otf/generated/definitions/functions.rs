// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Definitions, functions: keywords and fields.

use crate::formats::otf::record::{Field, FieldType, Presence, RecordKind, Section};

pub(super) static DEF_FUNCTION: RecordKind = RecordKind {
    name: "DefFunction",
    id: 16,
    section: Section::Definitions,
    short: "F",
    long: "FUNCTION",
    is_written: true,
    fields: &[
        Field {
            name: "function",
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
            name: "source",
            field_type: FieldType::U32,
            short: "X",
            long: "SCL",
            older: &["S"],
            presence: Presence::Optional,
        },
    ],
};

pub(super) static DEF_FUNCTION_GROUP: RecordKind = RecordKind {
    name: "DefFunctionGroup",
    id: 17,
    section: Section::Definitions,
    short: "FG",
    long: "FUNCTIONGROUP",
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

pub(super) static DEF_COLLECTIVE_OPERATION: RecordKind = RecordKind {
    name: "DefCollectiveOperation",
    id: 20,
    section: Section::Definitions,
    short: "CO",
    long: "COLLOP",
    is_written: true,
    fields: &[
        Field {
            name: "collective",
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
        Field {
            name: "type",
            field_type: FieldType::U32,
            short: "Y",
            long: "TYPE",
            older: &["T"],
            presence: Presence::Always,
        },
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
        Field {
            name: "source",
            field_type: FieldType::U32,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "file",
            field_type: FieldType::U32,
            short: "F",
            long: "FILE",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "line",
            field_type: FieldType::U32,
            short: "LN",
            long: "LINE",
            older: &["L"],
            presence: Presence::Always,
        },
    ],
};

pub(super) static DEF_SCL_FILE: RecordKind = RecordKind {
    name: "DefSclFile",
    id: 22,
    section: Section::Definitions,
    short: "SF",
    long: "SCLFILE",
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
            older: &["N"],
            presence: Presence::Always,
        },
    ],
};
