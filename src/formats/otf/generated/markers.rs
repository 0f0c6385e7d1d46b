// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Markers: keywords and fields of their records.

use crate::formats::otf::record::{Field, FieldType, Presence, RecordKind, Section};

pub(super) static KINDS: [RecordKind; 2] = [
    RecordKind {
        name: "DefMarker",
        id: 45,
        section: Section::Markers,
        short: "D",
        long: "DEF",
        is_written: true,
        fields: &[
            Field {
                name: "marker",
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
                name: "type",
                field_type: FieldType::U32,
                short: "Y",
                long: "TYPE",
                older: &[],
                presence: Presence::Always,
            },
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
            Field {
                name: "marker",
                field_type: FieldType::U32,
                short: "",
                long: "",
                older: &[],
                presence: Presence::Always,
            },
            Field {
                name: "time",
                field_type: FieldType::U64,
                short: "T",
                long: "TIME",
                older: &[],
                presence: Presence::Always,
            },
            Field {
                name: "process",
                field_type: FieldType::U32,
                short: "P",
                long: "PROCESS",
                older: &[],
                presence: Presence::Always,
            },
            Field {
                name: "text",
                field_type: FieldType::Text,
                short: "V",
                long: "VALUE",
                older: &[],
                presence: Presence::Always,
            },
        ],
    },
];
