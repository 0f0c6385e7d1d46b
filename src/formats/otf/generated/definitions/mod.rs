// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! Definitions: keywords and fields of their records.

mod counters;
mod files;
mod functions;
mod processes;
mod trace;

use crate::otf::record::RecordKind;

/// In the order of the table.
pub(super) static KINDS: [&RecordKind; 23] = [
    &trace::DEFINITION_COMMENT,
    &trace::DEF_TIMER_RESOLUTION,
    &processes::DEF_PROCESS,
    &processes::DEF_PROCESS_GROUP,
    &processes::DEF_ATTRIBUTE_LIST,
    &processes::DEF_PROCESS_OR_GROUP_ATTRIBUTES,
    &functions::DEF_FUNCTION,
    &functions::DEF_FUNCTION_GROUP,
    &functions::DEF_COLLECTIVE_OPERATION,
    &counters::DEF_COUNTER,
    &counters::DEF_COUNTER_GROUP,
    &functions::DEF_SCL,
    &functions::DEF_SCL_FILE,
    &trace::DEF_VERSION,
    &trace::DEF_UNIQUE_ID,
    &trace::DEF_CREATOR,
    &files::DEF_FILE,
    &files::DEF_FILE_GROUP,
    &trace::DEF_KEY_VALUE,
    &trace::DEF_TIME_RANGE,
    &counters::DEF_COUNTER_ASSIGNMENTS,
    &processes::DEF_PROCESS_SUBSTITUTES,
    &trace::DEF_AUX_SAMPLE_POINT,
];
