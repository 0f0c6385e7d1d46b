// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Kinds of definitions that references lead to.

/// Kind of definition that a reference identifies.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum ReferenceKind {
    /// `AttributeRef`
    Attribute,
    /// `CallingContextRef`
    CallingContext,
    /// `CallpathRef`
    Callpath,
    /// `CallsiteRef`
    Callsite,
    /// `CartDimensionRef`
    CartDimension,
    /// `CartTopologyRef`
    CartTopology,
    /// `CommRef`
    Comm,
    /// `GroupRef`
    Group,
    /// `InterruptGeneratorRef`
    InterruptGenerator,
    /// `IoFileRef`
    IoFile,
    /// `IoHandleRef`
    IoHandle,
    /// `IoParadigmRef`
    IoParadigm,
    /// `LocationGroupRef`
    LocationGroup,
    /// `LocationRef`
    Location,
    /// `MarkerRef`
    Marker,
    /// `MetricMemberRef`
    MetricMember,
    /// `MetricRef`
    Metric,
    /// `ParameterRef`
    Parameter,
    /// `RegionRef`
    Region,
    /// `RmaWinRef`
    RmaWin,
    /// `SourceCodeLocationRef`
    SourceCodeLocation,
    /// `StringRef`
    String,
    /// `SystemTreeNodeRef`
    SystemTreeNode,
}

impl ReferenceKind {
    /// All of them.
    pub const ALL: &'static [ReferenceKind] = &[
        ReferenceKind::Attribute,
        ReferenceKind::CallingContext,
        ReferenceKind::Callpath,
        ReferenceKind::Callsite,
        ReferenceKind::CartDimension,
        ReferenceKind::CartTopology,
        ReferenceKind::Comm,
        ReferenceKind::Group,
        ReferenceKind::InterruptGenerator,
        ReferenceKind::IoFile,
        ReferenceKind::IoHandle,
        ReferenceKind::IoParadigm,
        ReferenceKind::LocationGroup,
        ReferenceKind::Location,
        ReferenceKind::Marker,
        ReferenceKind::MetricMember,
        ReferenceKind::Metric,
        ReferenceKind::Parameter,
        ReferenceKind::Region,
        ReferenceKind::RmaWin,
        ReferenceKind::SourceCodeLocation,
        ReferenceKind::String,
        ReferenceKind::SystemTreeNode,
    ];

    /// The name that the format gives to it.
    pub const fn name(self) -> &'static str {
        match self {
            ReferenceKind::Attribute => "Attribute",
            ReferenceKind::CallingContext => "CallingContext",
            ReferenceKind::Callpath => "Callpath",
            ReferenceKind::Callsite => "Callsite",
            ReferenceKind::CartDimension => "CartDimension",
            ReferenceKind::CartTopology => "CartTopology",
            ReferenceKind::Comm => "Comm",
            ReferenceKind::Group => "Group",
            ReferenceKind::InterruptGenerator => "InterruptGenerator",
            ReferenceKind::IoFile => "IoFile",
            ReferenceKind::IoHandle => "IoHandle",
            ReferenceKind::IoParadigm => "IoParadigm",
            ReferenceKind::LocationGroup => "LocationGroup",
            ReferenceKind::Location => "Location",
            ReferenceKind::Marker => "Marker",
            ReferenceKind::MetricMember => "MetricMember",
            ReferenceKind::Metric => "Metric",
            ReferenceKind::Parameter => "Parameter",
            ReferenceKind::Region => "Region",
            ReferenceKind::RmaWin => "RmaWin",
            ReferenceKind::SourceCodeLocation => "SourceCodeLocation",
            ReferenceKind::String => "String",
            ReferenceKind::SystemTreeNode => "SystemTreeNode",
        }
    }

    /// The number that stands for "no definition".
    pub const fn undefined(self) -> u64 {
        match self {
            ReferenceKind::Attribute => u32::MAX as u64,
            ReferenceKind::CallingContext => u32::MAX as u64,
            ReferenceKind::Callpath => u32::MAX as u64,
            ReferenceKind::Callsite => u32::MAX as u64,
            ReferenceKind::CartDimension => u32::MAX as u64,
            ReferenceKind::CartTopology => u32::MAX as u64,
            ReferenceKind::Comm => u32::MAX as u64,
            ReferenceKind::Group => u32::MAX as u64,
            ReferenceKind::InterruptGenerator => u32::MAX as u64,
            ReferenceKind::IoFile => u32::MAX as u64,
            ReferenceKind::IoHandle => u32::MAX as u64,
            ReferenceKind::IoParadigm => u8::MAX as u64,
            ReferenceKind::LocationGroup => u32::MAX as u64,
            ReferenceKind::Location => u64::MAX,
            ReferenceKind::Marker => u32::MAX as u64,
            ReferenceKind::MetricMember => u32::MAX as u64,
            ReferenceKind::Metric => u32::MAX as u64,
            ReferenceKind::Parameter => u32::MAX as u64,
            ReferenceKind::Region => u32::MAX as u64,
            ReferenceKind::RmaWin => u32::MAX as u64,
            ReferenceKind::SourceCodeLocation => u32::MAX as u64,
            ReferenceKind::String => u32::MAX as u64,
            ReferenceKind::SystemTreeNode => u32::MAX as u64,
        }
    }
}
