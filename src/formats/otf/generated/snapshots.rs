// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Snapshots: keywords and fields of their records.

use crate::otf::record::{
    field,
    FieldType::{Text, U32, U64},
    RecordKind, Section,
};

pub(super) static KINDS: [RecordKind; 8] = [
    RecordKind {
        name: "SnapshotComment",
        id: 40,
        section: Section::Snapshots,
        short: "C",
        long: "COMMENT",
        is_written: true,
        fields: &[field("comment", Text, "", "")],
    },
    RecordKind {
        name: "EnterSnapshot",
        id: 37,
        section: Section::Snapshots,
        short: "E",
        long: "ENTER",
        is_written: true,
        fields: &[
            field("function", U32, "", ""),
            field("original_time", U64, "O", "OTIME"),
            field("source", U32, "X", "SCL").older(&["S"]).optional(),
        ],
    },
    RecordKind {
        name: "SendSnapshot",
        id: 38,
        section: Section::Snapshots,
        short: "S",
        long: "SEND",
        is_written: true,
        fields: &[
            field("receiver", U32, "", ""),
            field("original_time", U64, "O", "OTIME"),
            field("communicator", U32, "G", "GROUP"),
            field("tag", U32, "T", "TAG"),
            field("length", U32, "L", "LEN").optional_but_written(),
            field("source", U32, "X", "SCL").older(&["S"]).optional(),
        ],
    },
    RecordKind {
        name: "OpenFileSnapshot",
        id: 43,
        section: Section::Snapshots,
        short: "OF",
        long: "OPENFILE",
        is_written: true,
        fields: &[
            field("file", U32, "", ""),
            field("original_time", U64, "O", "OTIME"),
            field("handle_id", U64, "H", "HANDLEID"),
            field("source", U32, "X", "SCL").older(&["S"]).optional(),
        ],
    },
    RecordKind {
        name: "BeginCollopSnapshot",
        id: 59,
        section: Section::Snapshots,
        short: "BC",
        long: "BEGINCOLLOP",
        is_written: true,
        fields: &[
            field("original_time", U64, "", ""),
            field("collective", U32, "CL", "COLL"),
            field("matching_id", U64, "H", "HANDLEID"),
            field("communicator", U32, "G", "GROUP"),
            field("root", U32, "RT", "ROOT"),
            field("sent", U64, "S", "SENT"),
            field("received", U64, "R", "RECVD"),
            field("source", U32, "X", "SCL").optional(),
        ],
    },
    RecordKind {
        name: "BeginFileOpSnapshot",
        id: 60,
        section: Section::Snapshots,
        short: "BF",
        long: "BEGINFILEOP",
        is_written: true,
        fields: &[
            field("original_time", U64, "", ""),
            field("matching_id", U64, "MI", "MATCHID"),
            field("source", U32, "X", "SCL").optional(),
        ],
    },
    RecordKind {
        name: "CollopCountSnapshot",
        id: 66,
        section: Section::Snapshots,
        short: "COC",
        long: "COLLOPCOUNT",
        is_written: true,
        fields: &[field("communicator", U32, "", ""), field("count", U64, "N", "COUNT")],
    },
    RecordKind {
        name: "CounterSnapshot",
        id: 67,
        section: Section::Snapshots,
        short: "CNT",
        long: "COUNTER",
        is_written: true,
        fields: &[
            field("original_time", U64, "", ""),
            field("counter", U32, "CNT", "COUNTER"),
            field("value", U64, "V", "VALUE"),
        ],
    },
];
