// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! What the fields of definitions lead to.

use super::{ReferenceKind, References};
use crate::definitions::Definition;

impl References for Definition {
    #[inline]
    fn each_reference(&self, mut each: impl FnMut(&'static str, ReferenceKind, u64)) {
        match self {
            Definition::ParadigmDef(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
            }
            Definition::IoParadigm(r) => {
                each("identification", ReferenceKind::String, u64::from(r.identification.0));
                each("name", ReferenceKind::String, u64::from(r.name.0));
            }
            Definition::Attribute(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
                each("description", ReferenceKind::String, u64::from(r.description.0));
            }
            Definition::SystemTreeNode(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
                each("className", ReferenceKind::String, u64::from(r.class_name.0));
                each("parent", ReferenceKind::SystemTreeNode, u64::from(r.parent.0));
            }
            Definition::LocationGroup(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
                each(
                    "systemTreeParent",
                    ReferenceKind::SystemTreeNode,
                    u64::from(r.system_tree_parent.0),
                );
                each(
                    "creatingLocationGroup",
                    ReferenceKind::LocationGroup,
                    u64::from(r.creating_location_group.0),
                );
            }
            Definition::Location(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
                each("locationGroup", ReferenceKind::LocationGroup, u64::from(r.location_group.0));
            }
            Definition::Region(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
                each("description", ReferenceKind::String, u64::from(r.description.0));
                each("sourceFile", ReferenceKind::String, u64::from(r.source_file.0));
                each("canonicalName", ReferenceKind::String, u64::from(r.canonical_name.0));
            }
            Definition::Callsite(r) => {
                each("sourceFile", ReferenceKind::String, u64::from(r.source_file.0));
                each("enteredRegion", ReferenceKind::Region, u64::from(r.entered_region.0));
                each("leftRegion", ReferenceKind::Region, u64::from(r.left_region.0));
            }
            Definition::Callpath(r) => {
                each("parent", ReferenceKind::Callpath, u64::from(r.parent.0));
                each("region", ReferenceKind::Region, u64::from(r.region.0));
            }
            Definition::Group(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
            }
            Definition::MetricMember(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
                each("description", ReferenceKind::String, u64::from(r.description.0));
                each("unit", ReferenceKind::String, u64::from(r.unit.0));
            }
            Definition::MetricClass(r) => {
                for x in r.metric_members.iter() {
                    each("metricMembers", ReferenceKind::MetricMember, u64::from(x.0));
                }
            }
            Definition::MetricInstance(r) => {
                each("metricClass", ReferenceKind::Metric, u64::from(r.metric_class.0));
                each("recorder", ReferenceKind::Location, r.recorder.0);
            }
            Definition::Comm(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
                each("group", ReferenceKind::Group, u64::from(r.group.0));
                each("parent", ReferenceKind::Comm, u64::from(r.parent.0));
            }
            Definition::Parameter(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
            }
            Definition::RmaWin(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
                each("comm", ReferenceKind::Comm, u64::from(r.comm.0));
            }
            Definition::MetricClassRecorder(r) => {
                each("metric", ReferenceKind::Metric, u64::from(r.metric.0));
                each("recorder", ReferenceKind::Location, r.recorder.0);
            }
            Definition::SystemTreeNodeProperty(r) => {
                each(
                    "systemTreeNode",
                    ReferenceKind::SystemTreeNode,
                    u64::from(r.system_tree_node.0),
                );
                each("name", ReferenceKind::String, u64::from(r.name.0));
            }
            Definition::SystemTreeNodeDomain(r) => {
                each(
                    "systemTreeNode",
                    ReferenceKind::SystemTreeNode,
                    u64::from(r.system_tree_node.0),
                );
            }
            Definition::LocationGroupProperty(r) => {
                each("locationGroup", ReferenceKind::LocationGroup, u64::from(r.location_group.0));
                each("name", ReferenceKind::String, u64::from(r.name.0));
            }
            Definition::LocationProperty(r) => {
                each("location", ReferenceKind::Location, r.location.0);
                each("name", ReferenceKind::String, u64::from(r.name.0));
            }
            Definition::CartDimension(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
            }
            Definition::CartTopology(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
                for x in r.cart_dimensions.iter() {
                    each("cartDimensions", ReferenceKind::CartDimension, u64::from(x.0));
                }
            }
            Definition::CartCoordinate(r) => {
                each("cartTopology", ReferenceKind::CartTopology, u64::from(r.cart_topology.0));
            }
            Definition::SourceCodeLocation(r) => {
                each("file", ReferenceKind::String, u64::from(r.file.0));
            }
            Definition::CallingContext(r) => {
                each("region", ReferenceKind::Region, u64::from(r.region.0));
                each(
                    "sourceCodeLocation",
                    ReferenceKind::SourceCodeLocation,
                    u64::from(r.source_code_location.0),
                );
                each("parent", ReferenceKind::CallingContext, u64::from(r.parent.0));
            }
            Definition::CallingContextProperty(r) => {
                each(
                    "callingContext",
                    ReferenceKind::CallingContext,
                    u64::from(r.calling_context.0),
                );
                each("name", ReferenceKind::String, u64::from(r.name.0));
            }
            Definition::InterruptGenerator(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
            }
            Definition::IoFileProperty(r) => {
                each("ioFile", ReferenceKind::IoFile, u64::from(r.io_file.0));
                each("name", ReferenceKind::String, u64::from(r.name.0));
            }
            Definition::IoRegularFile(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
                each("scope", ReferenceKind::SystemTreeNode, u64::from(r.scope.0));
            }
            Definition::IoDirectory(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
                each("scope", ReferenceKind::SystemTreeNode, u64::from(r.scope.0));
            }
            Definition::IoHandle(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
                each("file", ReferenceKind::IoFile, u64::from(r.file.0));
                each("ioParadigm", ReferenceKind::IoParadigm, u64::from(r.io_paradigm.0));
                each("comm", ReferenceKind::Comm, u64::from(r.comm.0));
                each("parent", ReferenceKind::IoHandle, u64::from(r.parent.0));
            }
            Definition::IoPreCreatedHandleState(r) => {
                each("ioHandle", ReferenceKind::IoHandle, u64::from(r.io_handle.0));
            }
            Definition::CallpathParameter(r) => {
                each("callpath", ReferenceKind::Callpath, u64::from(r.callpath.0));
                each("parameter", ReferenceKind::Parameter, u64::from(r.parameter.0));
            }
            Definition::InterComm(r) => {
                each("name", ReferenceKind::String, u64::from(r.name.0));
                each("groupA", ReferenceKind::Group, u64::from(r.group_a.0));
                each("groupB", ReferenceKind::Group, u64::from(r.group_b.0));
                each("commonCommunicator", ReferenceKind::Comm, u64::from(r.common_communicator.0));
            }
            Definition::ClockProperties(..)
            | Definition::ParadigmPropertyDef(..)
            | Definition::StringDef(..)
            | Definition::MappingTable(..)
            | Definition::ClockOffset(..) => {}
        }
    }
}

impl Definition {
    /// What the record defines, and the number that it gives to it.
    pub fn defines(&self) -> Option<(ReferenceKind, u64)> {
        Some(match self {
            Definition::IoParadigm(r) => (ReferenceKind::IoParadigm, u64::from(r.id.0)),
            Definition::StringDef(r) => (ReferenceKind::String, u64::from(r.id.0)),
            Definition::Attribute(r) => (ReferenceKind::Attribute, u64::from(r.id.0)),
            Definition::SystemTreeNode(r) => (ReferenceKind::SystemTreeNode, u64::from(r.id.0)),
            Definition::LocationGroup(r) => (ReferenceKind::LocationGroup, u64::from(r.id.0)),
            Definition::Location(r) => (ReferenceKind::Location, r.id.0),
            Definition::Region(r) => (ReferenceKind::Region, u64::from(r.id.0)),
            Definition::Callsite(r) => (ReferenceKind::Callsite, u64::from(r.id.0)),
            Definition::Callpath(r) => (ReferenceKind::Callpath, u64::from(r.id.0)),
            Definition::Group(r) => (ReferenceKind::Group, u64::from(r.id.0)),
            Definition::MetricMember(r) => (ReferenceKind::MetricMember, u64::from(r.id.0)),
            Definition::MetricClass(r) => (ReferenceKind::Metric, u64::from(r.id.0)),
            Definition::MetricInstance(r) => (ReferenceKind::Metric, u64::from(r.id.0)),
            Definition::Comm(r) => (ReferenceKind::Comm, u64::from(r.id.0)),
            Definition::Parameter(r) => (ReferenceKind::Parameter, u64::from(r.id.0)),
            Definition::RmaWin(r) => (ReferenceKind::RmaWin, u64::from(r.id.0)),
            Definition::CartDimension(r) => (ReferenceKind::CartDimension, u64::from(r.id.0)),
            Definition::CartTopology(r) => (ReferenceKind::CartTopology, u64::from(r.id.0)),
            Definition::SourceCodeLocation(r) => {
                (ReferenceKind::SourceCodeLocation, u64::from(r.id.0))
            }
            Definition::CallingContext(r) => (ReferenceKind::CallingContext, u64::from(r.id.0)),
            Definition::InterruptGenerator(r) => {
                (ReferenceKind::InterruptGenerator, u64::from(r.id.0))
            }
            Definition::IoRegularFile(r) => (ReferenceKind::IoFile, u64::from(r.id.0)),
            Definition::IoDirectory(r) => (ReferenceKind::IoFile, u64::from(r.id.0)),
            Definition::IoHandle(r) => (ReferenceKind::IoHandle, u64::from(r.id.0)),
            Definition::InterComm(r) => (ReferenceKind::Comm, u64::from(r.id.0)),
            _ => return None,
        })
    }
}
