// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! The records that are no events, by their numbers: their names, and what their payloads consist of.

use crate::layout::Step::{
    Ci64, Cu32, Cu64, Each32, Each8, IdMap, Map, Since, Text, Type, Value, U64, U8,
};
use crate::layout::{layout, Layout};
use streamfold_model::enums::MappingType;

/// The global definition `id`.
pub(crate) fn global_definition(id: u8) -> Option<Layout> {
    Some(match id {
        5 => layout("ClockProperties", &[Cu64, Cu64, Cu64, Since, Cu64]),
        6 => layout("Paradigm", &[U8, Cu32, U8]),
        7 => layout("ParadigmProperty", &[U8, U8, Type, Value]),
        8 => layout("IoParadigm", &[U8, Cu32, Cu32, U8, Cu32, Each8(&[U8, Type, Value])]),
        _ => return definition(id),
    })
}

/// The local definition `id`.
pub(crate) fn local_definition(id: u8) -> Option<Layout> {
    Some(match id {
        5 => layout("MappingTable", &[U8, IdMap]),
        6 => layout("ClockOffset", &[U64, Ci64, U64]),
        _ => return definition(id),
    })
}

/// The definition `id`, in files of either kind.
fn definition(id: u8) -> Option<Layout> {
    Some(match id {
        10 => layout("String", &[Cu32, Text]),
        11 => layout("Attribute", &[Cu32, Cu32, U8, Since, Cu32]),
        12 => layout("SystemTreeNode", &[Cu32, Cu32, Cu32, Cu32]),
        13 => layout("LocationGroup", &[Cu32, Cu32, U8, Cu32, Since, Cu32]),
        14 => layout("Location", &[Cu64, Cu32, U8, Cu64, Cu32]),
        15 => layout(
            "Region",
            &[
                Cu32, Cu32, Cu32, U8, Cu32, Cu32, Cu32, Since, Cu32, Since, U8, Since, U8, Since,
                Cu32,
            ],
        ),
        16 => layout("Callsite", &[Cu32, Cu32, Cu32, Cu32, Cu32]),
        17 => layout("Callpath", &[Cu32, Cu32, Cu32]),
        18 => {
            layout("Group", &[Cu32, Cu32, U8, Each32(&[Cu64]), Since, U8, Since, U8, Since, Cu32])
        }
        19 => layout("MetricMember", &[Cu32, Cu32, Cu32, U8, U8, U8, U8, Ci64, Cu32]),
        20 => layout("MetricClass", &[Cu32, Each8(&[Cu32]), U8, Since, U8]),
        21 => layout("MetricInstance", &[Cu32, Cu32, Cu64, U8, Cu64]),
        22 => layout("Comm", &[Cu32, Cu32, Cu32, Cu32, Since, Cu32]),
        23 => layout("Parameter", &[Cu32, Cu32, U8]),
        24 => layout("RmaWin", &[Cu32, Cu32, Cu32, Since, Cu32]),
        25 => layout("MetricClassRecorder", &[Cu32, Cu64]),
        26 => layout("SystemTreeNodeProperty", &[Cu32, Cu32, Cu32, Since, Type, Since, Value]),
        27 => layout("SystemTreeNodeDomain", &[Cu32, U8]),
        28 => layout("LocationGroupProperty", &[Cu32, Cu32, Cu32, Since, Type, Since, Value]),
        29 => layout("LocationProperty", &[Cu64, Cu32, Cu32, Since, Type, Since, Value]),
        30 => layout("CartDimension", &[Cu32, Cu32, Cu32, U8]),
        31 => layout("CartTopology", &[Cu32, Cu32, Cu32, Each8(&[Cu32])]),
        32 => layout("CartCoordinate", &[Cu32, Cu32, Each8(&[Cu32])]),
        33 => layout("SourceCodeLocation", &[Cu32, Cu32, Cu32]),
        34 => layout("CallingContext", &[Cu32, Cu32, Cu32, Cu32]),
        35 => layout("CallingContextProperty", &[Cu32, Cu32, Type, Value]),
        36 => layout("InterruptGenerator", &[Cu32, Cu32, U8, U8, Ci64, Cu64]),
        37 => layout("IoFileProperty", &[Cu32, Cu32, Type, Value]),
        38 => layout("IoRegularFile", &[Cu32, Cu32, Cu32]),
        39 => layout("IoDirectory", &[Cu32, Cu32, Cu32]),
        40 => layout("IoHandle", &[Cu32, Cu32, Cu32, U8, Cu32, Cu32, Cu32]),
        41 => layout("IoPreCreatedHandleState", &[Cu32, U8, Cu32]),
        42 => layout("CallpathParameter", &[Cu32, Cu32, Type, Value]),
        43 => layout("InterComm", &[Cu32, Cu32, Cu32, Cu32, Cu32, Cu32]),
        _ => return None,
    })
}

/// The snapshot record `id`.
pub(crate) fn snapshot(id: u8) -> Option<Layout> {
    Some(match id {
        10 => layout("SnapshotStart", &[Cu64]),
        11 => layout("SnapshotEnd", &[Cu64]),
        12 => layout("MeasurementOnOffSnap", &[U64, U8]),
        13 => layout("EnterSnap", &[U64, Map(MappingType::Region)]),
        14 => layout("MpiSendSnap", &[U64, Cu32, Map(MappingType::Comm), Cu32, Cu64]),
        15 => layout("MpiIsendSnap", &[U64, Cu32, Map(MappingType::Comm), Cu32, Cu64, Cu64]),
        16 => layout("MpiIsendCompleteSnap", &[U64, Cu64]),
        17 => layout("MpiRecvSnap", &[U64, Cu32, Map(MappingType::Comm), Cu32, Cu64]),
        18 => layout("MpiIrecvRequestSnap", &[U64, Cu64]),
        19 => layout("MpiIrecvSnap", &[U64, Cu32, Map(MappingType::Comm), Cu32, Cu64, Cu64]),
        20 => layout("MpiCollectiveBeginSnap", &[U64]),
        21 => layout("MpiCollectiveEndSnap", &[U64, U8, Map(MappingType::Comm), Cu32, Cu64, Cu64]),
        22 => layout("OmpForkSnap", &[U64, Cu32]),
        23 => layout("OmpAcquireLockSnap", &[U64, Cu32, Cu32]),
        24 => layout("OmpTaskCreateSnap", &[U64, Cu64]),
        25 => layout("OmpTaskSwitchSnap", &[U64, Cu64]),
        26 => layout("MetricSnap", &[U64, Map(MappingType::Metric), Each8(&[U8, Cu64])]),
        27 => layout(
            "ParameterStringSnap",
            &[U64, Map(MappingType::Parameter), Map(MappingType::String)],
        ),
        28 => layout("ParameterIntSnap", &[U64, Map(MappingType::Parameter), Ci64]),
        29 => layout("ParameterUnsignedIntSnap", &[U64, Map(MappingType::Parameter), Cu64]),
        _ => return None,
    })
}

/// The marker record `id`.
pub(crate) fn marker(id: u8) -> Option<Layout> {
    Some(match id {
        5 => layout("DefMarker", &[Cu32, Text, Text, U8]),
        6 => layout("Marker", &[Cu64, Cu64, Cu32, U8, Cu64, Text]),
        _ => return None,
    })
}

/// The thumbnail record `id`.
pub(crate) fn thumbnail(id: u8) -> Option<Layout> {
    Some(match id {
        10 => layout("ThumbnailHeader", &[Text, Text, U8, Cu32, Each32(&[Cu64])]),
        11 => layout("ThumbnailSample", &[Cu64, Each32(&[Cu64])]),
        _ => return None,
    })
}
