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
