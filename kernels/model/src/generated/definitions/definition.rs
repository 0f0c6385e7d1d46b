// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Any definition.

use serde::{Deserialize, Serialize};

use super::{
    Attribute, CallingContext, CallingContextProperty, Callpath, CallpathParameter, Callsite,
    CartCoordinate, CartDimension, CartTopology, ClockOffset, ClockProperties, Comm, Group,
    InterComm, InterruptGenerator, IoDirectory, IoFileProperty, IoHandle, IoParadigm,
    IoPreCreatedHandleState, IoRegularFile, Location, LocationGroup, LocationGroupProperty,
    LocationProperty, MappingTable, MetricClass, MetricClassRecorder, MetricInstance, MetricMember,
    ParadigmDef, ParadigmPropertyDef, Parameter, Region, RmaWin, SourceCodeLocation, StringDef,
    SystemTreeNode, SystemTreeNodeDomain, SystemTreeNodeProperty,
};

/// Any definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Definition {
    /// [`ClockProperties`]
    ClockProperties(ClockProperties),
    /// [`ParadigmDef`]
    ParadigmDef(ParadigmDef),
    /// [`ParadigmPropertyDef`]
    ParadigmPropertyDef(ParadigmPropertyDef),
    /// [`IoParadigm`]
    IoParadigm(IoParadigm),
    /// [`StringDef`]
    StringDef(StringDef),
    /// [`Attribute`]
    Attribute(Attribute),
    /// [`SystemTreeNode`]
    SystemTreeNode(SystemTreeNode),
    /// [`LocationGroup`]
    LocationGroup(LocationGroup),
    /// [`Location`]
    Location(Location),
    /// [`Region`]
    Region(Region),
    /// [`Callsite`]
    Callsite(Callsite),
    /// [`Callpath`]
    Callpath(Callpath),
    /// [`Group`]
    Group(Group),
    /// [`MetricMember`]
    MetricMember(MetricMember),
    /// [`MetricClass`]
    MetricClass(MetricClass),
    /// [`MetricInstance`]
    MetricInstance(MetricInstance),
    /// [`Comm`]
    Comm(Comm),
    /// [`Parameter`]
    Parameter(Parameter),
    /// [`RmaWin`]
    RmaWin(RmaWin),
    /// [`MetricClassRecorder`]
    MetricClassRecorder(MetricClassRecorder),
    /// [`SystemTreeNodeProperty`]
    SystemTreeNodeProperty(SystemTreeNodeProperty),
    /// [`SystemTreeNodeDomain`]
    SystemTreeNodeDomain(SystemTreeNodeDomain),
    /// [`LocationGroupProperty`]
    LocationGroupProperty(LocationGroupProperty),
    /// [`LocationProperty`]
    LocationProperty(LocationProperty),
    /// [`CartDimension`]
    CartDimension(CartDimension),
    /// [`CartTopology`]
    CartTopology(CartTopology),
    /// [`CartCoordinate`]
    CartCoordinate(CartCoordinate),
    /// [`SourceCodeLocation`]
    SourceCodeLocation(SourceCodeLocation),
    /// [`CallingContext`]
    CallingContext(CallingContext),
    /// [`CallingContextProperty`]
    CallingContextProperty(CallingContextProperty),
    /// [`InterruptGenerator`]
    InterruptGenerator(InterruptGenerator),
    /// [`IoFileProperty`]
    IoFileProperty(IoFileProperty),
    /// [`IoRegularFile`]
    IoRegularFile(IoRegularFile),
    /// [`IoDirectory`]
    IoDirectory(IoDirectory),
    /// [`IoHandle`]
    IoHandle(IoHandle),
    /// [`IoPreCreatedHandleState`]
    IoPreCreatedHandleState(IoPreCreatedHandleState),
    /// [`CallpathParameter`]
    CallpathParameter(CallpathParameter),
    /// [`InterComm`]
    InterComm(InterComm),
    /// [`MappingTable`]
    MappingTable(MappingTable),
    /// [`ClockOffset`]
    ClockOffset(ClockOffset),
}

impl Definition {
    /// The name of the record, as the format writes it.
    pub fn name(&self) -> &'static str {
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
}
