// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Names and values of the fields of every record, in the order in which they are stored.

use super::FieldValue::{Double, List, Map, Signed, Text, Unsigned};
use super::{FieldValue, Record};
use crate::definitions::Definition;
use crate::events::Event;
use crate::markers::MarkerRecord;
use crate::snapshots::Snapshot;
use crate::thumbnails::Thumbnail;

impl Record for Definition {
    fn record_name(&self) -> &'static str {
        match self {
            Definition::ClockProperties(_) => "ClockProperties",
            Definition::ParadigmDef(_) => "Paradigm",
            Definition::ParadigmPropertyDef(_) => "ParadigmProperty",
            Definition::IoParadigm(_) => "IoParadigm",
            Definition::StringDef(_) => "String",
            Definition::Attribute(_) => "Attribute",
            Definition::SystemTreeNode(_) => "SystemTreeNode",
            Definition::LocationGroup(_) => "LocationGroup",
            Definition::Location(_) => "Location",
            Definition::Region(_) => "Region",
            Definition::Callsite(_) => "Callsite",
            Definition::Callpath(_) => "Callpath",
            Definition::Group(_) => "Group",
            Definition::MetricMember(_) => "MetricMember",
            Definition::MetricClass(_) => "MetricClass",
            Definition::MetricInstance(_) => "MetricInstance",
            Definition::Comm(_) => "Comm",
            Definition::Parameter(_) => "Parameter",
            Definition::RmaWin(_) => "RmaWin",
            Definition::MetricClassRecorder(_) => "MetricClassRecorder",
            Definition::SystemTreeNodeProperty(_) => "SystemTreeNodeProperty",
            Definition::SystemTreeNodeDomain(_) => "SystemTreeNodeDomain",
            Definition::LocationGroupProperty(_) => "LocationGroupProperty",
            Definition::LocationProperty(_) => "LocationProperty",
            Definition::CartDimension(_) => "CartDimension",
            Definition::CartTopology(_) => "CartTopology",
            Definition::CartCoordinate(_) => "CartCoordinate",
            Definition::SourceCodeLocation(_) => "SourceCodeLocation",
            Definition::CallingContext(_) => "CallingContext",
            Definition::CallingContextProperty(_) => "CallingContextProperty",
            Definition::InterruptGenerator(_) => "InterruptGenerator",
            Definition::IoFileProperty(_) => "IoFileProperty",
            Definition::IoRegularFile(_) => "IoRegularFile",
            Definition::IoDirectory(_) => "IoDirectory",
            Definition::IoHandle(_) => "IoHandle",
            Definition::IoPreCreatedHandleState(_) => "IoPreCreatedHandleState",
            Definition::CallpathParameter(_) => "CallpathParameter",
            Definition::InterComm(_) => "InterComm",
            Definition::MappingTable(_) => "MappingTable",
            Definition::ClockOffset(_) => "ClockOffset",
        }
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

impl Record for Event<'_> {
    fn record_name(&self) -> &'static str {
        match self {
            Event::BufferFlush(_) => "BufferFlush",
            Event::MeasurementOnOff(_) => "MeasurementOnOff",
            Event::Enter(_) => "Enter",
            Event::Leave(_) => "Leave",
            Event::MpiSend(_) => "MpiSend",
            Event::MpiIsend(_) => "MpiIsend",
            Event::MpiIsendComplete(_) => "MpiIsendComplete",
            Event::MpiIrecvRequest(_) => "MpiIrecvRequest",
            Event::MpiRecv(_) => "MpiRecv",
            Event::MpiIrecv(_) => "MpiIrecv",
            Event::MpiRequestTest(_) => "MpiRequestTest",
            Event::MpiRequestCancelled(_) => "MpiRequestCancelled",
            Event::MpiCollectiveBegin(_) => "MpiCollectiveBegin",
            Event::MpiCollectiveEnd(_) => "MpiCollectiveEnd",
            Event::OmpFork(_) => "OmpFork",
            Event::OmpJoin(_) => "OmpJoin",
            Event::OmpAcquireLock(_) => "OmpAcquireLock",
            Event::OmpReleaseLock(_) => "OmpReleaseLock",
            Event::OmpTaskCreate(_) => "OmpTaskCreate",
            Event::OmpTaskSwitch(_) => "OmpTaskSwitch",
            Event::OmpTaskComplete(_) => "OmpTaskComplete",
            Event::Metric(_) => "Metric",
            Event::ParameterString(_) => "ParameterString",
            Event::ParameterInt(_) => "ParameterInt",
            Event::ParameterUnsignedInt(_) => "ParameterUnsignedInt",
            Event::RmaWinCreate(_) => "RmaWinCreate",
            Event::RmaWinDestroy(_) => "RmaWinDestroy",
            Event::RmaCollectiveBegin(_) => "RmaCollectiveBegin",
            Event::RmaCollectiveEnd(_) => "RmaCollectiveEnd",
            Event::RmaGroupSync(_) => "RmaGroupSync",
            Event::RmaRequestLock(_) => "RmaRequestLock",
            Event::RmaAcquireLock(_) => "RmaAcquireLock",
            Event::RmaTryLock(_) => "RmaTryLock",
            Event::RmaReleaseLock(_) => "RmaReleaseLock",
            Event::RmaSync(_) => "RmaSync",
            Event::RmaWaitChange(_) => "RmaWaitChange",
            Event::RmaPut(_) => "RmaPut",
            Event::RmaGet(_) => "RmaGet",
            Event::RmaAtomic(_) => "RmaAtomic",
            Event::RmaOpCompleteBlocking(_) => "RmaOpCompleteBlocking",
            Event::RmaOpCompleteNonBlocking(_) => "RmaOpCompleteNonBlocking",
            Event::RmaOpTest(_) => "RmaOpTest",
            Event::RmaOpCompleteRemote(_) => "RmaOpCompleteRemote",
            Event::ThreadFork(_) => "ThreadFork",
            Event::ThreadJoin(_) => "ThreadJoin",
            Event::ThreadTeamBegin(_) => "ThreadTeamBegin",
            Event::ThreadTeamEnd(_) => "ThreadTeamEnd",
            Event::ThreadAcquireLock(_) => "ThreadAcquireLock",
            Event::ThreadReleaseLock(_) => "ThreadReleaseLock",
            Event::ThreadTaskCreate(_) => "ThreadTaskCreate",
            Event::ThreadTaskSwitch(_) => "ThreadTaskSwitch",
            Event::ThreadTaskComplete(_) => "ThreadTaskComplete",
            Event::ThreadCreate(_) => "ThreadCreate",
            Event::ThreadBegin(_) => "ThreadBegin",
            Event::ThreadWait(_) => "ThreadWait",
            Event::ThreadEnd(_) => "ThreadEnd",
            Event::CallingContextEnter(_) => "CallingContextEnter",
            Event::CallingContextLeave(_) => "CallingContextLeave",
            Event::CallingContextSample(_) => "CallingContextSample",
            Event::IoCreateHandle(_) => "IoCreateHandle",
            Event::IoDestroyHandle(_) => "IoDestroyHandle",
            Event::IoDuplicateHandle(_) => "IoDuplicateHandle",
            Event::IoSeek(_) => "IoSeek",
            Event::IoChangeStatusFlags(_) => "IoChangeStatusFlags",
            Event::IoDeleteFile(_) => "IoDeleteFile",
            Event::IoOperationBegin(_) => "IoOperationBegin",
            Event::IoOperationTest(_) => "IoOperationTest",
            Event::IoOperationIssued(_) => "IoOperationIssued",
            Event::IoOperationComplete(_) => "IoOperationComplete",
            Event::IoOperationCancelled(_) => "IoOperationCancelled",
            Event::IoAcquireLock(_) => "IoAcquireLock",
            Event::IoReleaseLock(_) => "IoReleaseLock",
            Event::IoTryLock(_) => "IoTryLock",
            Event::ProgramBegin(_) => "ProgramBegin",
            Event::ProgramEnd(_) => "ProgramEnd",
            Event::NonBlockingCollectiveRequest(_) => "NonBlockingCollectiveRequest",
            Event::NonBlockingCollectiveComplete(_) => "NonBlockingCollectiveComplete",
            Event::CommCreate(_) => "CommCreate",
            Event::CommDestroy(_) => "CommDestroy",
        }
    }

    fn each_field(&self, each: &mut dyn FnMut(&'static str, FieldValue<'_>)) {
        match self {
            Event::BufferFlush(r) => {
                each("stopTime", Unsigned(r.stop_time.0));
            }
            Event::MeasurementOnOff(r) => {
                each("measurementMode", Unsigned(u8::from(r.measurement_mode).into()));
            }
            Event::Enter(r) => {
                each("region", Unsigned(r.region.0.into()));
            }
            Event::Leave(r) => {
                each("region", Unsigned(r.region.0.into()));
            }
            Event::MpiSend(r) => {
                each("receiver", Unsigned(r.receiver.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
            }
            Event::MpiIsend(r) => {
                each("receiver", Unsigned(r.receiver.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
                each("requestID", Unsigned(r.request_id));
            }
            Event::MpiIsendComplete(r) => {
                each("requestID", Unsigned(r.request_id));
            }
            Event::MpiIrecvRequest(r) => {
                each("requestID", Unsigned(r.request_id));
            }
            Event::MpiRecv(r) => {
                each("sender", Unsigned(r.sender.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
            }
            Event::MpiIrecv(r) => {
                each("sender", Unsigned(r.sender.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
                each("requestID", Unsigned(r.request_id));
            }
            Event::MpiRequestTest(r) => {
                each("requestID", Unsigned(r.request_id));
            }
            Event::MpiRequestCancelled(r) => {
                each("requestID", Unsigned(r.request_id));
            }
            Event::MpiCollectiveBegin(_) => {}
            Event::MpiCollectiveEnd(r) => {
                each("collectiveOp", Unsigned(u8::from(r.collective_op).into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("root", Unsigned(r.root.into()));
                each("sizeSent", Unsigned(r.size_sent));
                each("sizeReceived", Unsigned(r.size_received));
            }
            Event::OmpFork(r) => {
                each("numberOfRequestedThreads", Unsigned(r.number_of_requested_threads.into()));
            }
            Event::OmpJoin(_) => {}
            Event::OmpAcquireLock(r) => {
                each("lockID", Unsigned(r.lock_id.into()));
                each("acquisitionOrder", Unsigned(r.acquisition_order.into()));
            }
            Event::OmpReleaseLock(r) => {
                each("lockID", Unsigned(r.lock_id.into()));
                each("acquisitionOrder", Unsigned(r.acquisition_order.into()));
            }
            Event::OmpTaskCreate(r) => {
                each("taskID", Unsigned(r.task_id));
            }
            Event::OmpTaskSwitch(r) => {
                each("taskID", Unsigned(r.task_id));
            }
            Event::OmpTaskComplete(r) => {
                each("taskID", Unsigned(r.task_id));
            }
            Event::Metric(r) => {
                each("metric", Unsigned(r.metric.0.into()));
                each("numberOfMetrics", Unsigned(r.values.len() as u64));
                each("typeIDs", List(&mut r.values.iter().map(|v| u8::from(v.value_type).into())));
                each("metricValues", List(&mut r.values.iter().map(|v| v.bits)));
            }
            Event::ParameterString(r) => {
                each("parameter", Unsigned(r.parameter.0.into()));
                each("string", Unsigned(r.string.0.into()));
            }
            Event::ParameterInt(r) => {
                each("parameter", Unsigned(r.parameter.0.into()));
                each("value", Signed(r.value));
            }
            Event::ParameterUnsignedInt(r) => {
                each("parameter", Unsigned(r.parameter.0.into()));
                each("value", Unsigned(r.value));
            }
            Event::RmaWinCreate(r) => {
                each("win", Unsigned(r.win.0.into()));
            }
            Event::RmaWinDestroy(r) => {
                each("win", Unsigned(r.win.0.into()));
            }
            Event::RmaCollectiveBegin(_) => {}
            Event::RmaCollectiveEnd(r) => {
                each("collectiveOp", Unsigned(u8::from(r.collective_op).into()));
                each("syncLevel", Unsigned(u32::from(r.sync_level).into()));
                each("win", Unsigned(r.win.0.into()));
                each("root", Unsigned(r.root.into()));
                each("bytesSent", Unsigned(r.bytes_sent));
                each("bytesReceived", Unsigned(r.bytes_received));
            }
            Event::RmaGroupSync(r) => {
                each("syncLevel", Unsigned(u32::from(r.sync_level).into()));
                each("win", Unsigned(r.win.0.into()));
                each("group", Unsigned(r.group.0.into()));
            }
            Event::RmaRequestLock(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("lockId", Unsigned(r.lock_id));
                each("lockType", Unsigned(u8::from(r.lock_type).into()));
            }
            Event::RmaAcquireLock(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("lockId", Unsigned(r.lock_id));
                each("lockType", Unsigned(u8::from(r.lock_type).into()));
            }
            Event::RmaTryLock(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("lockId", Unsigned(r.lock_id));
                each("lockType", Unsigned(u8::from(r.lock_type).into()));
            }
            Event::RmaReleaseLock(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("lockId", Unsigned(r.lock_id));
            }
            Event::RmaSync(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("syncType", Unsigned(u8::from(r.sync_type).into()));
            }
            Event::RmaWaitChange(r) => {
                each("win", Unsigned(r.win.0.into()));
            }
            Event::RmaPut(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("bytes", Unsigned(r.bytes));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::RmaGet(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("bytes", Unsigned(r.bytes));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::RmaAtomic(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("remote", Unsigned(r.remote.into()));
                each("type", Unsigned(u8::from(r.atomic_type).into()));
                each("bytesSent", Unsigned(r.bytes_sent));
                each("bytesReceived", Unsigned(r.bytes_received));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::RmaOpCompleteBlocking(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::RmaOpCompleteNonBlocking(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::RmaOpTest(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::RmaOpCompleteRemote(r) => {
                each("win", Unsigned(r.win.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::ThreadFork(r) => {
                each("model", Unsigned(u8::from(r.model).into()));
                each("numberOfRequestedThreads", Unsigned(r.number_of_requested_threads.into()));
            }
            Event::ThreadJoin(r) => {
                each("model", Unsigned(u8::from(r.model).into()));
            }
            Event::ThreadTeamBegin(r) => {
                each("threadTeam", Unsigned(r.thread_team.0.into()));
            }
            Event::ThreadTeamEnd(r) => {
                each("threadTeam", Unsigned(r.thread_team.0.into()));
            }
            Event::ThreadAcquireLock(r) => {
                each("model", Unsigned(u8::from(r.model).into()));
                each("lockID", Unsigned(r.lock_id.into()));
                each("acquisitionOrder", Unsigned(r.acquisition_order.into()));
            }
            Event::ThreadReleaseLock(r) => {
                each("model", Unsigned(u8::from(r.model).into()));
                each("lockID", Unsigned(r.lock_id.into()));
                each("acquisitionOrder", Unsigned(r.acquisition_order.into()));
            }
            Event::ThreadTaskCreate(r) => {
                each("threadTeam", Unsigned(r.thread_team.0.into()));
                each("creatingThread", Unsigned(r.creating_thread.into()));
                each("generationNumber", Unsigned(r.generation_number.into()));
            }
            Event::ThreadTaskSwitch(r) => {
                each("threadTeam", Unsigned(r.thread_team.0.into()));
                each("creatingThread", Unsigned(r.creating_thread.into()));
                each("generationNumber", Unsigned(r.generation_number.into()));
            }
            Event::ThreadTaskComplete(r) => {
                each("threadTeam", Unsigned(r.thread_team.0.into()));
                each("creatingThread", Unsigned(r.creating_thread.into()));
                each("generationNumber", Unsigned(r.generation_number.into()));
            }
            Event::ThreadCreate(r) => {
                each("threadContingent", Unsigned(r.thread_contingent.0.into()));
                each("sequenceCount", Unsigned(r.sequence_count));
            }
            Event::ThreadBegin(r) => {
                each("threadContingent", Unsigned(r.thread_contingent.0.into()));
                each("sequenceCount", Unsigned(r.sequence_count));
            }
            Event::ThreadWait(r) => {
                each("threadContingent", Unsigned(r.thread_contingent.0.into()));
                each("sequenceCount", Unsigned(r.sequence_count));
            }
            Event::ThreadEnd(r) => {
                each("threadContingent", Unsigned(r.thread_contingent.0.into()));
                each("sequenceCount", Unsigned(r.sequence_count));
            }
            Event::CallingContextEnter(r) => {
                each("callingContext", Unsigned(r.calling_context.0.into()));
                each("unwindDistance", Unsigned(r.unwind_distance.into()));
            }
            Event::CallingContextLeave(r) => {
                each("callingContext", Unsigned(r.calling_context.0.into()));
            }
            Event::CallingContextSample(r) => {
                each("callingContext", Unsigned(r.calling_context.0.into()));
                each("unwindDistance", Unsigned(r.unwind_distance.into()));
                each("interruptGenerator", Unsigned(r.interrupt_generator.0.into()));
            }
            Event::IoCreateHandle(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("mode", Unsigned(u8::from(r.mode).into()));
                each("creationFlags", Unsigned(u32::from(r.creation_flags).into()));
                each("statusFlags", Unsigned(u32::from(r.status_flags).into()));
            }
            Event::IoDestroyHandle(r) => {
                each("handle", Unsigned(r.handle.0.into()));
            }
            Event::IoDuplicateHandle(r) => {
                each("oldHandle", Unsigned(r.old_handle.0.into()));
                each("newHandle", Unsigned(r.new_handle.0.into()));
                each("statusFlags", Unsigned(u32::from(r.status_flags).into()));
            }
            Event::IoSeek(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("offsetRequest", Signed(r.offset_request));
                each("whence", Unsigned(u8::from(r.whence).into()));
                each("offsetResult", Unsigned(r.offset_result));
            }
            Event::IoChangeStatusFlags(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("statusFlags", Unsigned(u32::from(r.status_flags).into()));
            }
            Event::IoDeleteFile(r) => {
                each("ioParadigm", Unsigned(r.io_paradigm.0.into()));
                each("file", Unsigned(r.file.0.into()));
            }
            Event::IoOperationBegin(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("mode", Unsigned(u8::from(r.mode).into()));
                each("operationFlags", Unsigned(u32::from(r.operation_flags).into()));
                each("bytesRequest", Unsigned(r.bytes_request));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::IoOperationTest(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::IoOperationIssued(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::IoOperationComplete(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("bytesResult", Unsigned(r.bytes_result));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::IoOperationCancelled(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("matchingId", Unsigned(r.matching_id));
            }
            Event::IoAcquireLock(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("lockType", Unsigned(u8::from(r.lock_type).into()));
            }
            Event::IoReleaseLock(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("lockType", Unsigned(u8::from(r.lock_type).into()));
            }
            Event::IoTryLock(r) => {
                each("handle", Unsigned(r.handle.0.into()));
                each("lockType", Unsigned(u8::from(r.lock_type).into()));
            }
            Event::ProgramBegin(r) => {
                each("programName", Unsigned(r.program_name.0.into()));
                each("numberOfArguments", Unsigned(r.program_arguments.len() as u64));
                each("programArguments", List(&mut r.program_arguments.iter().map(|x| x.0.into())));
            }
            Event::ProgramEnd(r) => {
                each("exitStatus", Signed(r.exit_status));
            }
            Event::NonBlockingCollectiveRequest(r) => {
                each("requestID", Unsigned(r.request_id));
            }
            Event::NonBlockingCollectiveComplete(r) => {
                each("collectiveOp", Unsigned(u8::from(r.collective_op).into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("root", Unsigned(r.root.into()));
                each("sizeSent", Unsigned(r.size_sent));
                each("sizeReceived", Unsigned(r.size_received));
                each("requestID", Unsigned(r.request_id));
            }
            Event::CommCreate(r) => {
                each("communicator", Unsigned(r.communicator.0.into()));
            }
            Event::CommDestroy(r) => {
                each("communicator", Unsigned(r.communicator.0.into()));
            }
        }
    }
}

impl Record for Snapshot<'_> {
    fn record_name(&self) -> &'static str {
        match self {
            Snapshot::SnapshotStart(_) => "SnapshotStart",
            Snapshot::SnapshotEnd(_) => "SnapshotEnd",
            Snapshot::MeasurementOnOffSnap(_) => "MeasurementOnOffSnap",
            Snapshot::EnterSnap(_) => "EnterSnap",
            Snapshot::MpiSendSnap(_) => "MpiSendSnap",
            Snapshot::MpiIsendSnap(_) => "MpiIsendSnap",
            Snapshot::MpiIsendCompleteSnap(_) => "MpiIsendCompleteSnap",
            Snapshot::MpiRecvSnap(_) => "MpiRecvSnap",
            Snapshot::MpiIrecvRequestSnap(_) => "MpiIrecvRequestSnap",
            Snapshot::MpiIrecvSnap(_) => "MpiIrecvSnap",
            Snapshot::MpiCollectiveBeginSnap(_) => "MpiCollectiveBeginSnap",
            Snapshot::MpiCollectiveEndSnap(_) => "MpiCollectiveEndSnap",
            Snapshot::OmpForkSnap(_) => "OmpForkSnap",
            Snapshot::OmpAcquireLockSnap(_) => "OmpAcquireLockSnap",
            Snapshot::OmpTaskCreateSnap(_) => "OmpTaskCreateSnap",
            Snapshot::OmpTaskSwitchSnap(_) => "OmpTaskSwitchSnap",
            Snapshot::MetricSnap(_) => "MetricSnap",
            Snapshot::ParameterStringSnap(_) => "ParameterStringSnap",
            Snapshot::ParameterIntSnap(_) => "ParameterIntSnap",
            Snapshot::ParameterUnsignedIntSnap(_) => "ParameterUnsignedIntSnap",
        }
    }

    fn each_field(&self, each: &mut dyn FnMut(&'static str, FieldValue<'_>)) {
        match self {
            Snapshot::SnapshotStart(r) => {
                each("numberOfRecords", Unsigned(r.number_of_records));
            }
            Snapshot::SnapshotEnd(r) => {
                each("contReadPos", Unsigned(r.cont_read_pos));
            }
            Snapshot::MeasurementOnOffSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("measurementMode", Unsigned(u8::from(r.measurement_mode).into()));
            }
            Snapshot::EnterSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("region", Unsigned(r.region.0.into()));
            }
            Snapshot::MpiSendSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("receiver", Unsigned(r.receiver.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
            }
            Snapshot::MpiIsendSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("receiver", Unsigned(r.receiver.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
                each("requestID", Unsigned(r.request_id));
            }
            Snapshot::MpiIsendCompleteSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("requestID", Unsigned(r.request_id));
            }
            Snapshot::MpiRecvSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("sender", Unsigned(r.sender.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
            }
            Snapshot::MpiIrecvRequestSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("requestID", Unsigned(r.request_id));
            }
            Snapshot::MpiIrecvSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("sender", Unsigned(r.sender.into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("msgTag", Unsigned(r.msg_tag.into()));
                each("msgLength", Unsigned(r.msg_length));
                each("requestID", Unsigned(r.request_id));
            }
            Snapshot::MpiCollectiveBeginSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
            }
            Snapshot::MpiCollectiveEndSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("collectiveOp", Unsigned(u8::from(r.collective_op).into()));
                each("communicator", Unsigned(r.communicator.0.into()));
                each("root", Unsigned(r.root.into()));
                each("sizeSent", Unsigned(r.size_sent));
                each("sizeReceived", Unsigned(r.size_received));
            }
            Snapshot::OmpForkSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("numberOfRequestedThreads", Unsigned(r.number_of_requested_threads.into()));
            }
            Snapshot::OmpAcquireLockSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("lockID", Unsigned(r.lock_id.into()));
                each("acquisitionOrder", Unsigned(r.acquisition_order.into()));
            }
            Snapshot::OmpTaskCreateSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("taskID", Unsigned(r.task_id));
            }
            Snapshot::OmpTaskSwitchSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("taskID", Unsigned(r.task_id));
            }
            Snapshot::MetricSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("metric", Unsigned(r.metric.0.into()));
                each("numberOfMetrics", Unsigned(r.values.len() as u64));
                each("typeIDs", List(&mut r.values.iter().map(|v| u8::from(v.value_type).into())));
                each("metricValues", List(&mut r.values.iter().map(|v| v.bits)));
            }
            Snapshot::ParameterStringSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("parameter", Unsigned(r.parameter.0.into()));
                each("string", Unsigned(r.string.0.into()));
            }
            Snapshot::ParameterIntSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("parameter", Unsigned(r.parameter.0.into()));
                each("value", Signed(r.value));
            }
            Snapshot::ParameterUnsignedIntSnap(r) => {
                each("origEventTime", Unsigned(r.orig_event_time.0));
                each("parameter", Unsigned(r.parameter.0.into()));
                each("value", Unsigned(r.value));
            }
        }
    }
}

impl Record for MarkerRecord {
    fn record_name(&self) -> &'static str {
        match self {
            MarkerRecord::DefMarker(_) => "DefMarker",
            MarkerRecord::Marker(_) => "Marker",
        }
    }

    fn each_field(&self, each: &mut dyn FnMut(&'static str, FieldValue<'_>)) {
        match self {
            MarkerRecord::DefMarker(r) => {
                each("self", Unsigned(r.id.0.into()));
                each("markerGroup", Text(r.marker_group.as_ref()));
                each("markerCategory", Text(r.marker_category.as_ref()));
                each("severity", Unsigned(u8::from(r.severity).into()));
            }
            MarkerRecord::Marker(r) => {
                each("timestamp", Unsigned(r.timestamp));
                each("duration", Unsigned(r.duration));
                each("marker", Unsigned(r.marker.0.into()));
                each("markerScope", Unsigned(u8::from(r.marker_scope).into()));
                each("scope", Unsigned(r.scope));
                each("text", Text(r.text.as_ref()));
            }
        }
    }
}

impl Record for Thumbnail {
    fn record_name(&self) -> &'static str {
        match self {
            Thumbnail::ThumbnailHeader(_) => "ThumbnailHeader",
            Thumbnail::ThumbnailSample(_) => "ThumbnailSample",
        }
    }

    fn each_field(&self, each: &mut dyn FnMut(&'static str, FieldValue<'_>)) {
        match self {
            Thumbnail::ThumbnailHeader(r) => {
                each("name", Text(r.name.as_ref()));
                each("description", Text(r.description.as_ref()));
                each("type", Unsigned(u8::from(r.thumbnail_type).into()));
                each("numberOfSamples", Unsigned(r.number_of_samples.into()));
                each("numberOfMetrics", Unsigned(r.refs_to_defs.len() as u64));
                each("refsToDefs", List(&mut r.refs_to_defs.iter().copied()));
            }
            Thumbnail::ThumbnailSample(r) => {
                each("baseline", Unsigned(r.baseline));
                each("numberOfMetrics", Unsigned(r.metric_samples.len() as u64));
                each("metricSamples", List(&mut r.metric_samples.iter().copied()));
            }
        }
    }
}
