// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Definitions, trace: keywords and fields.

use crate::otf::record::{
    field,
    FieldType::{Text, Version, U32, U64},
    RecordKind, Section,
};

pub(super) static DEFINITION_COMMENT: RecordKind = RecordKind {
    name: "DefinitionComment",
    id: 34,
    section: Section::Definitions,
    short: "CMT",
    long: "COMMENT",
    is_written: true,
    fields: &[field("comment", Text, "", "")],
};

pub(super) static DEF_TIMER_RESOLUTION: RecordKind = RecordKind {
    name: "DefTimerResolution",
    id: 13,
    section: Section::Definitions,
    short: "TR",
    long: "TIMERRESOLUTION",
    is_written: true,
    fields: &[field("ticks_per_second", U64, "", "")],
};

pub(super) static DEF_VERSION: RecordKind = RecordKind {
    name: "DefVersion",
    id: 23,
    section: Section::Definitions,
    short: "V",
    long: "VERSION",
    is_written: true,
    fields: &[field("version", Version, "", ""), field("suffix", Text, "", "")],
};

pub(super) static DEF_UNIQUE_ID: RecordKind = RecordKind {
    name: "DefUniqueId",
    id: 64,
    section: Section::Definitions,
    short: "UI",
    long: "UNIQUEID",
    is_written: true,
    fields: &[field("uid", U64, "", "")],
};

pub(super) static DEF_CREATOR: RecordKind = RecordKind {
    name: "DefCreator",
    id: 24,
    section: Section::Definitions,
    short: "CR",
    long: "CREATOR",
    is_written: true,
    fields: &[field("creator", Text, "", "")],
};

pub(super) static DEF_KEY_VALUE: RecordKind = RecordKind {
    name: "DefKeyValue",
    id: 57,
    section: Section::Definitions,
    short: "K",
    long: "KEYVALUE",
    is_written: true,
    fields: &[
        field("key", U32, "", ""),
        field("type", U32, "Y", "TYPE"),
        field("name", Text, "NM", "NAME"),
        field("description", Text, "T", "TAG"),
    ],
};

pub(super) static DEF_TIME_RANGE: RecordKind = RecordKind {
    name: "DefTimeRange",
    id: 61,
    section: Section::Definitions,
    short: "TRG",
    long: "TIMERANGE",
    is_written: true,
    fields: &[field("min_time", U64, "", ""), field("max_time", U64, "T", "TIME")],
};

pub(super) static DEF_AUX_SAMPLE_POINT: RecordKind = RecordKind {
    name: "DefAuxSamplePoint",
    id: 65,
    section: Section::Definitions,
    short: "AUX",
    long: "AUXSAMPLEPOINT",
    is_written: true,
    fields: &[field("time", U64, "", ""), field("type", U32, "Y", "TYPE")],
};
