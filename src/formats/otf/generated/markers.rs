// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Markers: keywords and fields of their records.

use crate::otf::record::{
    field,
    FieldType::{Text, U32, U64},
    RecordKind, Section,
};

pub(super) static KINDS: [RecordKind; 2] = [
    RecordKind {
        name: "DefMarker",
        id: 45,
        section: Section::Markers,
        short: "D",
        long: "DEF",
        is_written: true,
        fields: &[
            field("marker", U32, "", ""),
            field("name", Text, "NM", "NAME"),
            field("type", U32, "Y", "TYPE"),
        ],
    },
    RecordKind {
        name: "MarkerSpot",
        id: 46,
        section: Section::Markers,
        short: "S",
        long: "SPOT",
        is_written: true,
        fields: &[
            field("marker", U32, "", ""),
            field("time", U64, "T", "TIME"),
            field("process", U32, "P", "PROCESS"),
            field("text", Text, "V", "VALUE"),
        ],
    },
];
