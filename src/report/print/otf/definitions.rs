//! The words for definitions.

use super::values::{put, Named, KEY_TYPES};
use super::Fields;
use streamfold_formats::otf::{Record, Value};

const COLLECTIVES: &[(u32, &str)] =
    &[(1, "BARRIER"), (2, "ONE2ALL"), (3, "ALL2ONE"), (4, "ALL2ALL")];
const ATTRIBUTES: &[(u32, &str)] = &[
    (1, "IsMPIRank"),
    (2, "IsPThread"),
    (3, "IsOMPThread"),
    (4, "IsCellSPUThread"),
    (5, "hasGroupCounters"),
    (6, "hasEnterLeaveRecords"),
    (7, "IsCommunicator"),
    (8, "IsCUDAThread"),
    (9, "IsMasterThread"),
];
const SAMPLES: &[(u32, &str)] = &[(0, "SNAPSHOT"), (1, "SUMMARY"), (2, "INLINE_SNAPSHOT")];
const COUNTERS: &[(u32, &str)] = &[(0, "ACC"), (1, "ABS")];
const SCOPES: &[(u32, &str)] = &[(0, "START"), (4, "POINT"), (8, "LAST"), (12, "NEXT")];
const VALUES: &[(u32, &str)] = &[
    (0, "UNSIGNED8"),
    (32, "SIGNED8"),
    (64, "UNSIGNED4"),
    (96, "SIGNED4"),
    (128, "UNSIGNED2"),
    (160, "SIGNED2"),
    (256, "FLOAT"),
    (288, "DOUBLE"),
];

/// Appends a definition.
pub(super) fn put(text: &mut Vec<u8>, record: Record, of: &Fields<'_>) {
    let stream = of.stream;
    match record {
        // These begin otherwise than all others.
        Record::DefFile => {
            let (file, group) = (of.token(0), of.token(2));
            return put!(
                text,
                "DefFile: ",
                of.text(1),
                ", stream ",
                stream,
                ", token ",
                file,
                ", group ",
                group
            );
        }
        Record::DefFileGroup => {
            let group = of.token(0);
            return put!(
                text,
                "DefFileGroup: ",
                of.text(1),
                ", token ",
                group,
                ", stream ",
                stream
            );
        }
        Record::DefinitionComment => put!(text, "DefComment"),
        Record::DefCollectiveOperation => put!(text, "DefCollective"),
        _ => put!(text, record.kind().name),
    }
    put!(text, ": stream ", stream, ", ");
    match record {
        Record::DefinitionComment => put!(text, "comment \"", of.text(0), "\""),
        Record::DefTimerResolution => put!(text, "TicksPerSecond ", of.number(0)),
        Record::DefProcess => {
            put!(text, "process ", of.token(0), ", name \"", of.text(1), "\"");
            put!(text, ", parent ", of.token(2));
        }
        Record::DefProcessGroup => {
            put!(text, "group ", of.token(0), ", name \"", of.text(2), "\"");
            put!(text, ", procs ", of.list(1));
        }
        Record::DefAttributeList => {
            put!(text, "attr_token ", of.token(0), ", attributes ");
            for (place, attribute) in of.list(1).iter().enumerate() {
                put!(text, if place > 0 { ", " } else { "" }, Named(ATTRIBUTES, *attribute));
            }
        }
        Record::DefProcessOrGroupAttributes => {
            put!(text, "process ", of.token(0), ", attr_token ", of.token(1));
        }
        Record::DefFunction => {
            put!(text, "function ", of.token(0), ", name \"", of.text(2), "\"");
            put!(text, ", group ", of.token(1), ", source ", of.token(3));
        }
        Record::DefFunctionGroup | Record::DefCounterGroup => {
            put!(text, "group ", of.token(0), ", name \"", of.text(1), "\"");
        }
        Record::DefCollectiveOperation => {
            put!(text, "collective ", of.token(0), ", name \"", of.text(1), "\"");
            put!(text, ", type ", Named(COLLECTIVES, of.token(2)));
        }
        Record::DefCounter => put_counter(text, of),
        Record::DefScl => {
            put!(text, "source ", of.token(0), ", file ", of.token(1), ", line ", of.token(2));
        }
        Record::DefSclFile => put!(text, "file ", of.token(0), ", name \"", of.text(1), "\""),
        Record::DefVersion => {
            let [major, minor, sub] = match of.values.first() {
                Some(Value::Version(version)) => version.map(u32::from),
                _ => [0; 3],
            };
            put!(text, "version: ", major, ".", minor, ".", sub, " \"", of.text(1), "\"");
        }
        Record::DefUniqueId => put!(text, "uid: ", of.number(0)),
        Record::DefCreator => put!(text, "creator \"", of.text(0), "\""),
        Record::DefKeyValue => {
            put!(text, "token ", of.token(0), ", type ", Named(KEY_TYPES, of.token(1)));
            put!(text, ", name \"", of.text(2), "\", desc \"", of.text(3), "\"");
        }
        Record::DefTimeRange => put!(text, "[", of.number(0), ", ", of.number(1), "]"),
        Record::DefCounterAssignments => {
            put!(text, "counter_token ", of.token(0), ", assignees ", of.list(1));
        }
        Record::DefProcessSubstitutes => {
            put!(text, "representative process ", of.token(0), ", procs ", of.list(1));
        }
        Record::DefAuxSamplePoint => {
            put!(text, "time ", of.number(0), ", type ", Named(SAMPLES, of.token(1)));
        }
        _ => {}
    }
}

fn put_counter(text: &mut Vec<u8>, of: &Fields<'_>) {
    let properties = of.token(3);
    // An old library wrote the group twice.
    let group = if of.token(4) == 0 { of.token(1) } else { of.token(4) };
    put!(text, "counter ", of.token(0), ", name \"", of.text(2), "\", properties ");
    put!(text, Named(COUNTERS, properties & 3), "/", Named(SCOPES, properties & 12), "/");
    put!(text, Named(VALUES, properties & 480), ", group ", group);
    put!(text, ", unit \"", of.text(5), "\"");
}
