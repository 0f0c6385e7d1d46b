// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! The fields of definitions, in the order in which they are stored.

use crate::definitions::Definition;
use crate::fields::FieldValue::{Double, List, Map, Signed, Text, Unsigned};
use crate::fields::{FieldValue, Record};

impl Record for Definition {
    fn record_name(&self) -> &'static str {
        self.name()
    }

    fn each_field(&self, each: &mut dyn FnMut(&'static str, FieldValue<'_>)) {
        match self {
            Definition::ClockProperties(r) => {
                each("timerResolution", Unsigned(r.timer_resolution));
                each("globalOffset", Unsigned(r.global_offset));
                each("traceLength", Unsigned(r.trace_length));
                each("realtimeTimestamp", Unsigned(r.realtime_timestamp));
            }
            Definition::ParadigmDef(r) => {
                each("paradigm", Unsigned(u8::from(r.paradigm).into()));
                each("name", Unsigned(r.name.0.into()));
                each("paradigmClass", Unsigned(u8::from(r.paradigm_class).into()));
            }
            Definition::ParadigmPropertyDef(r) => {
                each("paradigm", Unsigned(u8::from(r.paradigm).into()));
                each("property", Unsigned(u8::from(r.property).into()));
                each("type", Unsigned(u8::from(r.value.value_type).into()));
                each("value", Unsigned(r.value.bits));
            }
            Definition::IoParadigm(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("identification", Unsigned(r.identification.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("ioParadigmClass", Unsigned(u8::from(r.io_paradigm_class).into()));
                each("ioParadigmFlags", Unsigned(u32::from(r.io_paradigm_flags).into()));
                each("numberOfProperties", Unsigned(r.properties.len() as u64));
                each(
                    "properties",
                    List(&mut r.properties.iter().map(|(p, _)| u8::from(*p).into())),
                );
                each(
                    "types",
                    List(&mut r.properties.iter().map(|(_, v)| u8::from(v.value_type).into())),
                );
                each("values", List(&mut r.properties.iter().map(|(_, v)| v.bits)));
            }
            Definition::StringDef(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("string", Text(r.string.as_ref()));
            }
            Definition::Attribute(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("type", Unsigned(u8::from(r.value_type).into()));
                each("description", Unsigned(r.description.0.into()));
            }
            Definition::SystemTreeNode(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("className", Unsigned(r.class_name.0.into()));
                each("parent", Unsigned(r.parent.0.into()));
            }
            Definition::LocationGroup(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("locationGroupType", Unsigned(u8::from(r.location_group_type).into()));
                each("systemTreeParent", Unsigned(r.system_tree_parent.0.into()));
                each("creatingLocationGroup", Unsigned(r.creating_location_group.0.into()));
            }
            Definition::Location(r) => {
                each("self", Unsigned(r.id.0));
                each("name", Unsigned(r.name.0.into()));
                each("locationType", Unsigned(u8::from(r.location_type).into()));
                each("numberOfEvents", Unsigned(r.number_of_events));
                each("locationGroup", Unsigned(r.location_group.0.into()));
            }
            Definition::Region(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("description", Unsigned(r.description.0.into()));
                each("sourceFile", Unsigned(r.source_file.0.into()));
                each("beginLineNumber", Unsigned(r.begin_line_number.into()));
                each("endLineNumber", Unsigned(r.end_line_number.into()));
                each("canonicalName", Unsigned(r.canonical_name.0.into()));
                each("regionRole", Unsigned(u8::from(r.region_role).into()));
                each("paradigm", Unsigned(u8::from(r.paradigm).into()));
                each("regionFlags", Unsigned(u32::from(r.region_flags).into()));
            }
            Definition::Callsite(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("sourceFile", Unsigned(r.source_file.0.into()));
                each("lineNumber", Unsigned(r.line_number.into()));
                each("enteredRegion", Unsigned(r.entered_region.0.into()));
                each("leftRegion", Unsigned(r.left_region.0.into()));
            }
            Definition::Callpath(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("parent", Unsigned(r.parent.0.into()));
                each("region", Unsigned(r.region.0.into()));
            }
            Definition::Group(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("numberOfMembers", Unsigned(r.members.len() as u64));
                each("members", List(&mut r.members.iter().copied()));
                each("groupType", Unsigned(u8::from(r.group_type).into()));
                each("paradigm", Unsigned(u8::from(r.paradigm).into()));
                each("groupFlags", Unsigned(u32::from(r.group_flags).into()));
            }
            Definition::MetricMember(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("description", Unsigned(r.description.0.into()));
                each("metricType", Unsigned(u8::from(r.metric_type).into()));
                each("metricMode", Unsigned(u8::from(r.metric_mode).into()));
                each("valueType", Unsigned(u8::from(r.value_type).into()));
                each("base", Unsigned(u8::from(r.base).into()));
                each("exponent", Signed(r.exponent));
                each("unit", Unsigned(r.unit.0.into()));
            }
            Definition::MetricClass(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("numberOfMetrics", Unsigned(r.metric_members.len() as u64));
                each("metricMembers", List(&mut r.metric_members.iter().map(|x| x.0.into())));
                each("metricOccurrence", Unsigned(u8::from(r.metric_occurrence).into()));
                each("recorderKind", Unsigned(u8::from(r.recorder_kind).into()));
            }
            Definition::MetricInstance(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("metricClass", Unsigned(r.metric_class.0.into()));
                each("recorder", Unsigned(r.recorder.0));
                each("metricScope", Unsigned(u8::from(r.metric_scope).into()));
                each("scope", Unsigned(r.scope));
            }
            Definition::Comm(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("group", Unsigned(r.group.0.into()));
                each("parent", Unsigned(r.parent.0.into()));
                each("flags", Unsigned(u32::from(r.flags).into()));
            }
            Definition::Parameter(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("parameterType", Unsigned(u8::from(r.parameter_type).into()));
            }
            Definition::RmaWin(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("comm", Unsigned(r.comm.0.into()));
                each("flags", Unsigned(u32::from(r.flags).into()));
            }
            Definition::MetricClassRecorder(r) => {
                each("metric", Unsigned(r.metric.0.into()));
                each("recorder", Unsigned(r.recorder.0));
            }
            Definition::SystemTreeNodeProperty(r) => {
                each("systemTreeNode", Unsigned(r.system_tree_node.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("type", Unsigned(u8::from(r.value.value_type).into()));
                each("value", Unsigned(r.value.bits));
            }
            Definition::SystemTreeNodeDomain(r) => {
                each("systemTreeNode", Unsigned(r.system_tree_node.0.into()));
                each("systemTreeDomain", Unsigned(u8::from(r.system_tree_domain).into()));
            }
            Definition::LocationGroupProperty(r) => {
                each("locationGroup", Unsigned(r.location_group.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("type", Unsigned(u8::from(r.value.value_type).into()));
                each("value", Unsigned(r.value.bits));
            }
            Definition::LocationProperty(r) => {
                each("location", Unsigned(r.location.0));
                each("name", Unsigned(r.name.0.into()));
                each("type", Unsigned(u8::from(r.value.value_type).into()));
                each("value", Unsigned(r.value.bits));
            }
            Definition::CartDimension(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("size", Unsigned(r.size.into()));
                each("cartPeriodicity", Unsigned(u8::from(r.cart_periodicity).into()));
            }
            Definition::CartTopology(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("numberOfDimensions", Unsigned(r.cart_dimensions.len() as u64));
                each("cartDimensions", List(&mut r.cart_dimensions.iter().map(|x| x.0.into())));
            }
            Definition::CartCoordinate(r) => {
                each("cartTopology", Unsigned(r.cart_topology.0.into()));
                each("rank", Unsigned(r.rank.into()));
                each("numberOfDimensions", Unsigned(r.coordinates.len() as u64));
                each("coordinates", List(&mut r.coordinates.iter().map(|x| (*x).into())));
            }
            Definition::SourceCodeLocation(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("file", Unsigned(r.file.0.into()));
                each("lineNumber", Unsigned(r.line_number.into()));
            }
            Definition::CallingContext(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("region", Unsigned(r.region.0.into()));
                each("sourceCodeLocation", Unsigned(r.source_code_location.0.into()));
                each("parent", Unsigned(r.parent.0.into()));
            }
            Definition::CallingContextProperty(r) => {
                each("callingContext", Unsigned(r.calling_context.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("type", Unsigned(u8::from(r.value.value_type).into()));
                each("value", Unsigned(r.value.bits));
            }
            Definition::InterruptGenerator(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each(
                    "interruptGeneratorMode",
                    Unsigned(u8::from(r.interrupt_generator_mode).into()),
                );
                each("base", Unsigned(u8::from(r.base).into()));
                each("exponent", Signed(r.exponent));
                each("period", Unsigned(r.period));
            }
            Definition::IoFileProperty(r) => {
                each("ioFile", Unsigned(r.io_file.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("type", Unsigned(u8::from(r.value.value_type).into()));
                each("value", Unsigned(r.value.bits));
            }
            Definition::IoRegularFile(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("scope", Unsigned(r.scope.0.into()));
            }
            Definition::IoDirectory(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("scope", Unsigned(r.scope.0.into()));
            }
            Definition::IoHandle(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("file", Unsigned(r.file.0.into()));
                each("ioParadigm", Unsigned(r.io_paradigm.0.into()));
                each("ioHandleFlags", Unsigned(u32::from(r.io_handle_flags).into()));
                each("comm", Unsigned(r.comm.0.into()));
                each("parent", Unsigned(r.parent.0.into()));
            }
            Definition::IoPreCreatedHandleState(r) => {
                each("ioHandle", Unsigned(r.io_handle.0.into()));
                each("mode", Unsigned(u8::from(r.mode).into()));
                each("statusFlags", Unsigned(u32::from(r.status_flags).into()));
            }
            Definition::CallpathParameter(r) => {
                each("callpath", Unsigned(r.callpath.0.into()));
                each("parameter", Unsigned(r.parameter.0.into()));
                each("type", Unsigned(u8::from(r.value.value_type).into()));
                each("value", Unsigned(r.value.bits));
            }
            Definition::InterComm(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("name", Unsigned(r.name.0.into()));
                each("groupA", Unsigned(r.group_a.0.into()));
                each("groupB", Unsigned(r.group_b.0.into()));
                each("commonCommunicator", Unsigned(r.common_communicator.0.into()));
                each("flags", Unsigned(u32::from(r.flags).into()));
            }
            Definition::MappingTable(r) => {
                each("mappingType", Unsigned(u8::from(r.mapping_type).into()));
                each("idMap", Map(&r.id_map));
            }
            Definition::ClockOffset(r) => {
                each("time", Unsigned(r.time));
                each("offset", Signed(r.offset));
                each("standardDeviation", Double(r.standard_deviation));
            }
        }
    }
}
