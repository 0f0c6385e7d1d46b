// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Events, files: keywords and fields.

use crate::formats::otf::record::{Field, FieldType, Presence, RecordKind, Section};

pub(super) static FILE_OPERATION: RecordKind = RecordKind {
    name: "FileOperation",
    id: 42,
    section: Section::Events,
    short: "F",
    long: "FILEOP",
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
            name: "handle_id",
            field_type: FieldType::U64,
            short: "H",
            long: "HANDLEID",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "operation",
            field_type: FieldType::U32,
            short: "OP",
            long: "OPERATION",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "bytes",
            field_type: FieldType::U64,
            short: "B",
            long: "BYTES",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "duration",
            field_type: FieldType::U64,
            short: "D",
            long: "DUR",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "source",
            field_type: FieldType::U32,
            short: "X",
            long: "SCL",
            older: &[],
            presence: Presence::Optional,
        },
    ],
};

pub(super) static BEGIN_FILE_OPERATION: RecordKind = RecordKind {
    name: "BeginFileOperation",
    id: 53,
    section: Section::Events,
    short: "FA",
    long: "FILEOPBEGINNEW",
    is_written: true,
    fields: &[
        Field {
            name: "matching_id",
            field_type: FieldType::U64,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "source",
            field_type: FieldType::U32,
            short: "X",
            long: "SCL",
            older: &[],
            presence: Presence::Optional,
        },
    ],
};

pub(super) static BEGIN_FILE_OPERATION_OLD: RecordKind = RecordKind {
    name: "BeginFileOperationOld",
    id: 53,
    section: Section::Events,
    short: "FB",
    long: "FILEOPBEGIN",
    is_written: false,
    fields: &[
        Field {
            name: "matching_id",
            field_type: FieldType::U64,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "source",
            field_type: FieldType::U32,
            short: "X",
            long: "SCL",
            older: &[],
            presence: Presence::Optional,
        },
    ],
};

pub(super) static END_FILE_OPERATION: RecordKind = RecordKind {
    name: "EndFileOperation",
    id: 54,
    section: Section::Events,
    short: "FF",
    long: "FILEOPENDNEW",
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
            name: "matching_id",
            field_type: FieldType::U64,
            short: "MI",
            long: "MATCHID",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "handle_id",
            field_type: FieldType::U64,
            short: "H",
            long: "HANDLEID",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "operation",
            field_type: FieldType::U32,
            short: "OP",
            long: "OPERATION",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "bytes",
            field_type: FieldType::U64,
            short: "B",
            long: "BYTES",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "source",
            field_type: FieldType::U32,
            short: "X",
            long: "SCL",
            older: &[],
            presence: Presence::Optional,
        },
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
        Field {
            name: "file",
            field_type: FieldType::U32,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "matching_id",
            field_type: FieldType::U64,
            short: "H",
            long: "HANDLEID",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "operation",
            field_type: FieldType::U32,
            short: "OP",
            long: "OPERATION",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "bytes",
            field_type: FieldType::U64,
            short: "B",
            long: "BYTES",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "source",
            field_type: FieldType::U32,
            short: "X",
            long: "SCL",
            older: &[],
            presence: Presence::Optional,
        },
    ],
};
