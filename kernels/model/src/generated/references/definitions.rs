// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! References in the fields of definitions.

use crate::definitions::Definition;
use crate::references::{ReferenceKind, References};

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
    /// Kind of definition, and its number.
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

impl Definition {
    /// Gives other numbers to what the fields lead to, in the order of the fields: `number` is told what a
    /// field leads to and its number, and returns the new one. The number of the record itself stays,
    /// and so do fields whose kind another field tells.
    pub(crate) fn renumber_fields(&mut self, number: &mut impl FnMut(ReferenceKind, u64) -> u64) {
        match self {
            Definition::ParadigmDef(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
            }
            Definition::IoParadigm(r) => {
                r.identification.0 =
                    number(ReferenceKind::String, u64::from(r.identification.0)) as u32;
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
            }
            Definition::Attribute(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
                r.description.0 = number(ReferenceKind::String, u64::from(r.description.0)) as u32;
            }
            Definition::SystemTreeNode(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
                r.class_name.0 = number(ReferenceKind::String, u64::from(r.class_name.0)) as u32;
                r.parent.0 = number(ReferenceKind::SystemTreeNode, u64::from(r.parent.0)) as u32;
            }
            Definition::LocationGroup(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
                r.system_tree_parent.0 =
                    number(ReferenceKind::SystemTreeNode, u64::from(r.system_tree_parent.0)) as u32;
                r.creating_location_group.0 =
                    number(ReferenceKind::LocationGroup, u64::from(r.creating_location_group.0))
                        as u32;
            }
            Definition::Location(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
                r.location_group.0 =
                    number(ReferenceKind::LocationGroup, u64::from(r.location_group.0)) as u32;
            }
            Definition::Region(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
                r.description.0 = number(ReferenceKind::String, u64::from(r.description.0)) as u32;
                r.source_file.0 = number(ReferenceKind::String, u64::from(r.source_file.0)) as u32;
                r.canonical_name.0 =
                    number(ReferenceKind::String, u64::from(r.canonical_name.0)) as u32;
            }
            Definition::Callsite(r) => {
                r.source_file.0 = number(ReferenceKind::String, u64::from(r.source_file.0)) as u32;
                r.entered_region.0 =
                    number(ReferenceKind::Region, u64::from(r.entered_region.0)) as u32;
                r.left_region.0 = number(ReferenceKind::Region, u64::from(r.left_region.0)) as u32;
            }
            Definition::Callpath(r) => {
                r.parent.0 = number(ReferenceKind::Callpath, u64::from(r.parent.0)) as u32;
                r.region.0 = number(ReferenceKind::Region, u64::from(r.region.0)) as u32;
            }
            Definition::Group(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
            }
            Definition::MetricMember(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
                r.description.0 = number(ReferenceKind::String, u64::from(r.description.0)) as u32;
                r.unit.0 = number(ReferenceKind::String, u64::from(r.unit.0)) as u32;
            }
            Definition::MetricClass(r) => {
                for x in r.metric_members.iter_mut() {
                    x.0 = number(ReferenceKind::MetricMember, u64::from(x.0)) as u32;
                }
            }
            Definition::MetricInstance(r) => {
                r.metric_class.0 =
                    number(ReferenceKind::Metric, u64::from(r.metric_class.0)) as u32;
                r.recorder.0 = number(ReferenceKind::Location, r.recorder.0);
            }
            Definition::Comm(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
                r.group.0 = number(ReferenceKind::Group, u64::from(r.group.0)) as u32;
                r.parent.0 = number(ReferenceKind::Comm, u64::from(r.parent.0)) as u32;
            }
            Definition::Parameter(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
            }
            Definition::RmaWin(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
                r.comm.0 = number(ReferenceKind::Comm, u64::from(r.comm.0)) as u32;
            }
            Definition::MetricClassRecorder(r) => {
                r.metric.0 = number(ReferenceKind::Metric, u64::from(r.metric.0)) as u32;
                r.recorder.0 = number(ReferenceKind::Location, r.recorder.0);
            }
            Definition::SystemTreeNodeProperty(r) => {
                r.system_tree_node.0 =
                    number(ReferenceKind::SystemTreeNode, u64::from(r.system_tree_node.0)) as u32;
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
            }
            Definition::SystemTreeNodeDomain(r) => {
                r.system_tree_node.0 =
                    number(ReferenceKind::SystemTreeNode, u64::from(r.system_tree_node.0)) as u32;
            }
            Definition::LocationGroupProperty(r) => {
                r.location_group.0 =
                    number(ReferenceKind::LocationGroup, u64::from(r.location_group.0)) as u32;
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
            }
            Definition::LocationProperty(r) => {
                r.location.0 = number(ReferenceKind::Location, r.location.0);
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
            }
            Definition::CartDimension(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
            }
            Definition::CartTopology(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
                r.communicator.0 = number(ReferenceKind::Comm, u64::from(r.communicator.0)) as u32;
                for x in r.cart_dimensions.iter_mut() {
                    x.0 = number(ReferenceKind::CartDimension, u64::from(x.0)) as u32;
                }
            }
            Definition::CartCoordinate(r) => {
                r.cart_topology.0 =
                    number(ReferenceKind::CartTopology, u64::from(r.cart_topology.0)) as u32;
            }
            Definition::SourceCodeLocation(r) => {
                r.file.0 = number(ReferenceKind::String, u64::from(r.file.0)) as u32;
            }
            Definition::CallingContext(r) => {
                r.region.0 = number(ReferenceKind::Region, u64::from(r.region.0)) as u32;
                r.source_code_location.0 =
                    number(ReferenceKind::SourceCodeLocation, u64::from(r.source_code_location.0))
                        as u32;
                r.parent.0 = number(ReferenceKind::CallingContext, u64::from(r.parent.0)) as u32;
            }
            Definition::CallingContextProperty(r) => {
                r.calling_context.0 =
                    number(ReferenceKind::CallingContext, u64::from(r.calling_context.0)) as u32;
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
            }
            Definition::InterruptGenerator(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
            }
            Definition::IoFileProperty(r) => {
                r.io_file.0 = number(ReferenceKind::IoFile, u64::from(r.io_file.0)) as u32;
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
            }
            Definition::IoRegularFile(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
                r.scope.0 = number(ReferenceKind::SystemTreeNode, u64::from(r.scope.0)) as u32;
            }
            Definition::IoDirectory(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
                r.scope.0 = number(ReferenceKind::SystemTreeNode, u64::from(r.scope.0)) as u32;
            }
            Definition::IoHandle(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
                r.file.0 = number(ReferenceKind::IoFile, u64::from(r.file.0)) as u32;
                r.io_paradigm.0 =
                    number(ReferenceKind::IoParadigm, u64::from(r.io_paradigm.0)) as u8;
                r.comm.0 = number(ReferenceKind::Comm, u64::from(r.comm.0)) as u32;
                r.parent.0 = number(ReferenceKind::IoHandle, u64::from(r.parent.0)) as u32;
            }
            Definition::IoPreCreatedHandleState(r) => {
                r.io_handle.0 = number(ReferenceKind::IoHandle, u64::from(r.io_handle.0)) as u32;
            }
            Definition::CallpathParameter(r) => {
                r.callpath.0 = number(ReferenceKind::Callpath, u64::from(r.callpath.0)) as u32;
                r.parameter.0 = number(ReferenceKind::Parameter, u64::from(r.parameter.0)) as u32;
            }
            Definition::InterComm(r) => {
                r.name.0 = number(ReferenceKind::String, u64::from(r.name.0)) as u32;
                r.group_a.0 = number(ReferenceKind::Group, u64::from(r.group_a.0)) as u32;
                r.group_b.0 = number(ReferenceKind::Group, u64::from(r.group_b.0)) as u32;
                r.common_communicator.0 =
                    number(ReferenceKind::Comm, u64::from(r.common_communicator.0)) as u32;
            }
            Definition::ClockProperties(..)
            | Definition::ParadigmPropertyDef(..)
            | Definition::StringDef(..)
            | Definition::MappingTable(..)
            | Definition::ClockOffset(..) => {}
        }
    }

    /// Gives another number to what the record defines, if anything.
    pub fn set_number(&mut self, number: u64) {
        match self {
            Definition::IoParadigm(r) => r.id.0 = number as u8,
            Definition::StringDef(r) => r.id.0 = number as u32,
            Definition::Attribute(r) => r.id.0 = number as u32,
            Definition::SystemTreeNode(r) => r.id.0 = number as u32,
            Definition::LocationGroup(r) => r.id.0 = number as u32,
            Definition::Location(r) => r.id.0 = number,
            Definition::Region(r) => r.id.0 = number as u32,
            Definition::Callsite(r) => r.id.0 = number as u32,
            Definition::Callpath(r) => r.id.0 = number as u32,
            Definition::Group(r) => r.id.0 = number as u32,
            Definition::MetricMember(r) => r.id.0 = number as u32,
            Definition::MetricClass(r) => r.id.0 = number as u32,
            Definition::MetricInstance(r) => r.id.0 = number as u32,
            Definition::Comm(r) => r.id.0 = number as u32,
            Definition::Parameter(r) => r.id.0 = number as u32,
            Definition::RmaWin(r) => r.id.0 = number as u32,
            Definition::CartDimension(r) => r.id.0 = number as u32,
            Definition::CartTopology(r) => r.id.0 = number as u32,
            Definition::SourceCodeLocation(r) => r.id.0 = number as u32,
            Definition::CallingContext(r) => r.id.0 = number as u32,
            Definition::InterruptGenerator(r) => r.id.0 = number as u32,
            Definition::IoRegularFile(r) => r.id.0 = number as u32,
            Definition::IoDirectory(r) => r.id.0 = number as u32,
            Definition::IoHandle(r) => r.id.0 = number as u32,
            Definition::InterComm(r) => r.id.0 = number as u32,
            _ => {}
        }
    }
}
