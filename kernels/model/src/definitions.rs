// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! The definitions that events refer to.

use crate::enums::{
    Base, CartPeriodicity, CommFlag, GroupFlag, GroupType, InterruptGeneratorMode, IoAccessMode,
    IoHandleFlag, IoParadigmClass, IoParadigmFlag, IoParadigmProperty, IoStatusFlag,
    LocationGroupType, LocationType, MappingType, MetricMode, MetricOccurrence, MetricScope,
    MetricType, Paradigm, ParadigmClass, ParadigmProperty, ParameterType, RecorderKind, RegionFlag,
    RegionRole, RmaWinFlag, SystemTreeDomain, Type,
};
use crate::ids::{
    AttributeRef, CallingContextRef, CallpathRef, CallsiteRef, CartDimensionRef, CartTopologyRef,
    CommRef, GroupRef, InterruptGeneratorRef, IoFileRef, IoHandleRef, IoParadigmRef,
    LocationGroupRef, LocationRef, MetricMemberRef, MetricRef, ParameterRef, RegionRef, RmaWinRef,
    SourceCodeLocationRef, StringRef, SystemTreeNodeRef,
};
use crate::values::{IdMap, TypedValue};
use bstr::BString;
use serde::{Deserialize, Serialize};

/// The definition `ClockProperties` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockProperties {
    /// `timerResolution`
    pub timer_resolution: u64,
    /// `globalOffset`
    pub global_offset: u64,
    /// `traceLength`
    pub trace_length: u64,
    /// `realtimeTimestamp`
    pub realtime_timestamp: u64,
}

/// The definition `Paradigm` (since 1.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParadigmDef {
    /// `paradigm`
    pub paradigm: Paradigm,
    /// `name`
    pub name: StringRef,
    /// `paradigmClass`
    pub paradigm_class: ParadigmClass,
}

/// The definition `ParadigmProperty` (since 1.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParadigmPropertyDef {
    /// `paradigm`
    pub paradigm: Paradigm,
    /// `property`
    pub property: ParadigmProperty,
    /// `value`
    pub value: TypedValue,
}

/// The definition `IoParadigm` (since 2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IoParadigm {
    /// `self`
    pub id: IoParadigmRef,
    /// `identification`
    pub identification: StringRef,
    /// `name`
    pub name: StringRef,
    /// `ioParadigmClass`
    pub io_paradigm_class: IoParadigmClass,
    /// `ioParadigmFlags`
    pub io_paradigm_flags: IoParadigmFlag,
    /// `values`
    pub properties: Vec<(IoParadigmProperty, TypedValue)>,
}

/// The definition `String` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StringDef {
    /// `self`
    pub id: StringRef,
    /// `string`
    pub string: BString,
}

/// The definition `Attribute` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attribute {
    /// `self`
    pub id: AttributeRef,
    /// `name`
    pub name: StringRef,
    /// `type`
    pub value_type: Type,
    /// `description`
    pub description: StringRef,
}

/// The definition `SystemTreeNode` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SystemTreeNode {
    /// `self`
    pub id: SystemTreeNodeRef,
    /// `name`
    pub name: StringRef,
    /// `className`
    pub class_name: StringRef,
    /// `parent`
    pub parent: SystemTreeNodeRef,
}

/// The definition `LocationGroup` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocationGroup {
    /// `self`
    pub id: LocationGroupRef,
    /// `name`
    pub name: StringRef,
    /// `locationGroupType`
    pub location_group_type: LocationGroupType,
    /// `systemTreeParent`
    pub system_tree_parent: SystemTreeNodeRef,
    /// `creatingLocationGroup`
    pub creating_location_group: LocationGroupRef,
}

/// The definition `Location` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// `self`
    pub id: LocationRef,
    /// `name`
    pub name: StringRef,
    /// `locationType`
    pub location_type: LocationType,
    /// `numberOfEvents`
    pub number_of_events: u64,
    /// `locationGroup`
    pub location_group: LocationGroupRef,
}

/// The definition `Region` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// `self`
    pub id: RegionRef,
    /// `name`
    pub name: StringRef,
    /// `description`
    pub description: StringRef,
    /// `sourceFile`
    pub source_file: StringRef,
    /// `beginLineNumber`
    pub begin_line_number: u32,
    /// `endLineNumber`
    pub end_line_number: u32,
    /// `canonicalName`
    pub canonical_name: StringRef,
    /// `regionRole`
    pub region_role: RegionRole,
    /// `paradigm`
    pub paradigm: Paradigm,
    /// `regionFlags`
    pub region_flags: RegionFlag,
}

/// The definition `Callsite` (since 1.0, deprecated since 2.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Callsite {
    /// `self`
    pub id: CallsiteRef,
    /// `sourceFile`
    pub source_file: StringRef,
    /// `lineNumber`
    pub line_number: u32,
    /// `enteredRegion`
    pub entered_region: RegionRef,
    /// `leftRegion`
    pub left_region: RegionRef,
}

/// The definition `Callpath` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Callpath {
    /// `self`
    pub id: CallpathRef,
    /// `parent`
    pub parent: CallpathRef,
    /// `region`
    pub region: RegionRef,
}

/// The definition `Group` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// `self`
    pub id: GroupRef,
    /// `name`
    pub name: StringRef,
    /// `members`
    pub members: Vec<u64>,
    /// `groupType`
    pub group_type: GroupType,
    /// `paradigm`
    pub paradigm: Paradigm,
    /// `groupFlags`
    pub group_flags: GroupFlag,
}

/// The definition `MetricMember` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricMember {
    /// `self`
    pub id: MetricMemberRef,
    /// `name`
    pub name: StringRef,
    /// `description`
    pub description: StringRef,
    /// `metricType`
    pub metric_type: MetricType,
    /// `metricMode`
    pub metric_mode: MetricMode,
    /// `valueType`
    pub value_type: Type,
    /// `base`
    pub base: Base,
    /// `exponent`
    pub exponent: i64,
    /// `unit`
    pub unit: StringRef,
}

/// The definition `MetricClass` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricClass {
    /// `self`
    pub id: MetricRef,
    /// `metricMembers`
    pub metric_members: Vec<MetricMemberRef>,
    /// `metricOccurrence`
    pub metric_occurrence: MetricOccurrence,
    /// `recorderKind`
    pub recorder_kind: RecorderKind,
}

/// The definition `MetricInstance` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricInstance {
    /// `self`
    pub id: MetricRef,
    /// `metricClass`
    pub metric_class: MetricRef,
    /// `recorder`
    pub recorder: LocationRef,
    /// `metricScope`
    pub metric_scope: MetricScope,
    /// `scope`
    pub scope: u64,
}

/// The definition `Comm` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comm {
    /// `self`
    pub id: CommRef,
    /// `name`
    pub name: StringRef,
    /// `group`
    pub group: GroupRef,
    /// `parent`
    pub parent: CommRef,
    /// `flags`
    pub flags: CommFlag,
}

/// The definition `Parameter` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// `self`
    pub id: ParameterRef,
    /// `name`
    pub name: StringRef,
    /// `parameterType`
    pub parameter_type: ParameterType,
}

/// The definition `RmaWin` (since 1.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RmaWin {
    /// `self`
    pub id: RmaWinRef,
    /// `name`
    pub name: StringRef,
    /// `comm`
    pub comm: CommRef,
    /// `flags`
    pub flags: RmaWinFlag,
}

/// The definition `MetricClassRecorder` (since 1.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricClassRecorder {
    /// `metric`
    pub metric: MetricRef,
    /// `recorder`
    pub recorder: LocationRef,
}

/// The definition `SystemTreeNodeProperty` (since 1.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SystemTreeNodeProperty {
    /// `systemTreeNode`
    pub system_tree_node: SystemTreeNodeRef,
    /// `name`
    pub name: StringRef,
    /// `value`
    pub value: TypedValue,
}

/// The definition `SystemTreeNodeDomain` (since 1.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SystemTreeNodeDomain {
    /// `systemTreeNode`
    pub system_tree_node: SystemTreeNodeRef,
    /// `systemTreeDomain`
    pub system_tree_domain: SystemTreeDomain,
}

/// The definition `LocationGroupProperty` (since 1.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocationGroupProperty {
    /// `locationGroup`
    pub location_group: LocationGroupRef,
    /// `name`
    pub name: StringRef,
    /// `value`
    pub value: TypedValue,
}

/// The definition `LocationProperty` (since 1.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocationProperty {
    /// `location`
    pub location: LocationRef,
    /// `name`
    pub name: StringRef,
    /// `value`
    pub value: TypedValue,
}

/// The definition `CartDimension` (since 1.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CartDimension {
    /// `self`
    pub id: CartDimensionRef,
    /// `name`
    pub name: StringRef,
    /// `size`
    pub size: u32,
    /// `cartPeriodicity`
    pub cart_periodicity: CartPeriodicity,
}

/// The definition `CartTopology` (since 1.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CartTopology {
    /// `self`
    pub id: CartTopologyRef,
    /// `name`
    pub name: StringRef,
    /// `communicator`
    pub communicator: CommRef,
    /// `cartDimensions`
    pub cart_dimensions: Vec<CartDimensionRef>,
}

/// The definition `CartCoordinate` (since 1.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CartCoordinate {
    /// `cartTopology`
    pub cart_topology: CartTopologyRef,
    /// `rank`
    pub rank: u32,
    /// `coordinates`
    pub coordinates: Vec<u32>,
}

/// The definition `SourceCodeLocation` (since 1.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceCodeLocation {
    /// `self`
    pub id: SourceCodeLocationRef,
    /// `file`
    pub file: StringRef,
    /// `lineNumber`
    pub line_number: u32,
}

/// The definition `CallingContext` (since 1.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallingContext {
    /// `self`
    pub id: CallingContextRef,
    /// `region`
    pub region: RegionRef,
    /// `sourceCodeLocation`
    pub source_code_location: SourceCodeLocationRef,
    /// `parent`
    pub parent: CallingContextRef,
}

/// The definition `CallingContextProperty` (since 2.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallingContextProperty {
    /// `callingContext`
    pub calling_context: CallingContextRef,
    /// `name`
    pub name: StringRef,
    /// `value`
    pub value: TypedValue,
}

/// The definition `InterruptGenerator` (since 1.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InterruptGenerator {
    /// `self`
    pub id: InterruptGeneratorRef,
    /// `name`
    pub name: StringRef,
    /// `interruptGeneratorMode`
    pub interrupt_generator_mode: InterruptGeneratorMode,
    /// `base`
    pub base: Base,
    /// `exponent`
    pub exponent: i64,
    /// `period`
    pub period: u64,
}

/// The definition `IoFileProperty` (since 2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IoFileProperty {
    /// `ioFile`
    pub io_file: IoFileRef,
    /// `name`
    pub name: StringRef,
    /// `value`
    pub value: TypedValue,
}

/// The definition `IoRegularFile` (since 2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IoRegularFile {
    /// `self`
    pub id: IoFileRef,
    /// `name`
    pub name: StringRef,
    /// `scope`
    pub scope: SystemTreeNodeRef,
}

/// The definition `IoDirectory` (since 2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IoDirectory {
    /// `self`
    pub id: IoFileRef,
    /// `name`
    pub name: StringRef,
    /// `scope`
    pub scope: SystemTreeNodeRef,
}

/// The definition `IoHandle` (since 2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IoHandle {
    /// `self`
    pub id: IoHandleRef,
    /// `name`
    pub name: StringRef,
    /// `file`
    pub file: IoFileRef,
    /// `ioParadigm`
    pub io_paradigm: IoParadigmRef,
    /// `ioHandleFlags`
    pub io_handle_flags: IoHandleFlag,
    /// `comm`
    pub comm: CommRef,
    /// `parent`
    pub parent: IoHandleRef,
}

/// The definition `IoPreCreatedHandleState` (since 2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IoPreCreatedHandleState {
    /// `ioHandle`
    pub io_handle: IoHandleRef,
    /// `mode`
    pub mode: IoAccessMode,
    /// `statusFlags`
    pub status_flags: IoStatusFlag,
}

/// The definition `CallpathParameter` (since 2.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallpathParameter {
    /// `callpath`
    pub callpath: CallpathRef,
    /// `parameter`
    pub parameter: ParameterRef,
    /// `value`
    pub value: TypedValue,
}

/// The definition `InterComm` (since 3.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InterComm {
    /// `self`
    pub id: CommRef,
    /// `name`
    pub name: StringRef,
    /// `groupA`
    pub group_a: GroupRef,
    /// `groupB`
    pub group_b: GroupRef,
    /// `commonCommunicator`
    pub common_communicator: CommRef,
    /// `flags`
    pub flags: CommFlag,
}

/// The definition `MappingTable` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MappingTable {
    /// `mappingType`
    pub mapping_type: MappingType,
    /// `idMap`
    pub id_map: IdMap,
}

/// The definition `ClockOffset` (since 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockOffset {
    /// `time`
    pub time: u64,
    /// `offset`
    pub offset: i64,
    /// `standardDeviation`
    pub standard_deviation: f64,
}

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
