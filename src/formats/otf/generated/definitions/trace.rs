// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Definitions, trace: keywords and fields.

use crate::formats::otf::record::{Field, FieldType, Presence, RecordKind, Section};

pub(super) static DEFINITION_COMMENT: RecordKind = RecordKind {
    name: "DefinitionComment",
    id: 34,
    section: Section::Definitions,
    short: "CMT",
    long: "COMMENT",
    is_written: true,
    fields: &[Field {
        name: "comment",
        field_type: FieldType::Text,
        short: "",
        long: "",
        older: &[],
        presence: Presence::Always,
    }],
};

pub(super) static DEF_TIMER_RESOLUTION: RecordKind = RecordKind {
    name: "DefTimerResolution",
    id: 13,
    section: Section::Definitions,
    short: "TR",
    long: "TIMERRESOLUTION",
    is_written: true,
    fields: &[Field {
        name: "ticks_per_second",
        field_type: FieldType::U64,
        short: "",
        long: "",
        older: &[],
        presence: Presence::Always,
    }],
};

pub(super) static DEF_VERSION: RecordKind = RecordKind {
    name: "DefVersion",
    id: 23,
    section: Section::Definitions,
    short: "V",
    long: "VERSION",
    is_written: true,
    fields: &[
        Field {
            name: "version",
            field_type: FieldType::Version,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "suffix",
            field_type: FieldType::Text,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
    ],
};

pub(super) static DEF_UNIQUE_ID: RecordKind = RecordKind {
    name: "DefUniqueId",
    id: 64,
    section: Section::Definitions,
    short: "UI",
    long: "UNIQUEID",
    is_written: true,
    fields: &[Field {
        name: "uid",
        field_type: FieldType::U64,
        short: "",
        long: "",
        older: &[],
        presence: Presence::Always,
    }],
};

pub(super) static DEF_CREATOR: RecordKind = RecordKind {
    name: "DefCreator",
    id: 24,
    section: Section::Definitions,
    short: "CR",
    long: "CREATOR",
    is_written: true,
    fields: &[Field {
        name: "creator",
        field_type: FieldType::Text,
        short: "",
        long: "",
        older: &[],
        presence: Presence::Always,
    }],
};

pub(super) static DEF_KEY_VALUE: RecordKind = RecordKind {
    name: "DefKeyValue",
    id: 57,
    section: Section::Definitions,
    short: "K",
    long: "KEYVALUE",
    is_written: true,
    fields: &[
        Field {
            name: "key",
            field_type: FieldType::U32,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "type",
            field_type: FieldType::U32,
            short: "Y",
            long: "TYPE",
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
            name: "description",
            field_type: FieldType::Text,
            short: "T",
            long: "TAG",
            older: &[],
            presence: Presence::Always,
        },
    ],
};

pub(super) static DEF_TIME_RANGE: RecordKind = RecordKind {
    name: "DefTimeRange",
    id: 61,
    section: Section::Definitions,
    short: "TRG",
    long: "TIMERANGE",
    is_written: true,
    fields: &[
        Field {
            name: "min_time",
            field_type: FieldType::U64,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "max_time",
            field_type: FieldType::U64,
            short: "T",
            long: "TIME",
            older: &[],
            presence: Presence::Always,
        },
    ],
};

pub(super) static DEF_AUX_SAMPLE_POINT: RecordKind = RecordKind {
    name: "DefAuxSamplePoint",
    id: 65,
    section: Section::Definitions,
    short: "AUX",
    long: "AUXSAMPLEPOINT",
    is_written: true,
    fields: &[
        Field {
            name: "time",
            field_type: FieldType::U64,
            short: "",
            long: "",
            older: &[],
            presence: Presence::Always,
        },
        Field {
            name: "type",
            field_type: FieldType::U32,
            short: "Y",
            long: "TYPE",
            older: &[],
            presence: Presence::Always,
        },
    ],
};
