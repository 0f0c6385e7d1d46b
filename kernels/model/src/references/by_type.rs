//! Kinds of definitions that fields refer to if another field decides the kind.

use super::ReferenceKind;
use crate::enums::{GroupType, MappingType, MarkerScope, MetricScope, ThumbnailType, Type};

impl GroupType {
    /// Returns the kind of definition that members of such a group refer to; `None`: they are
    /// ranks, or the kind is unknown.
    pub fn leads_to(self) -> Option<ReferenceKind> {
        match self {
            GroupType::Locations | GroupType::CommLocations => Some(ReferenceKind::Location),
            GroupType::CommLocationGroups => Some(ReferenceKind::LocationGroup),
            GroupType::Regions => Some(ReferenceKind::Region),
            GroupType::Metric => Some(ReferenceKind::Metric),
            _ => None,
        }
    }
}

impl MetricScope {
    /// Returns the kind of definition that such a scope refers to.
    pub fn leads_to(self) -> Option<ReferenceKind> {
        match self {
            MetricScope::Location => Some(ReferenceKind::Location),
            MetricScope::LocationGroup => Some(ReferenceKind::LocationGroup),
            MetricScope::SystemTreeNode => Some(ReferenceKind::SystemTreeNode),
            MetricScope::Group => Some(ReferenceKind::Group),
            MetricScope::Unnamed(_) => None,
        }
    }
}

impl MarkerScope {
    /// Returns the kind of definition that such a scope refers to; `None`: none.
    pub fn leads_to(self) -> Option<ReferenceKind> {
        match self {
            MarkerScope::Location => Some(ReferenceKind::Location),
            MarkerScope::LocationGroup => Some(ReferenceKind::LocationGroup),
            MarkerScope::SystemTreeNode => Some(ReferenceKind::SystemTreeNode),
            MarkerScope::Group => Some(ReferenceKind::Group),
            MarkerScope::Comm => Some(ReferenceKind::Comm),
            MarkerScope::Global | MarkerScope::Unnamed(_) => None,
        }
    }
}

impl ThumbnailType {
    /// Returns the kind of definition that such a thumbnail shows.
    pub fn leads_to(self) -> Option<ReferenceKind> {
        match self {
            ThumbnailType::Region => Some(ReferenceKind::Region),
            ThumbnailType::Metric => Some(ReferenceKind::MetricMember),
            ThumbnailType::Attributes => Some(ReferenceKind::Attribute),
            ThumbnailType::Unnamed(_) => None,
        }
    }
}

impl Type {
    /// Returns the kind of definition that values of this type refer to, if they do, section 12.
    pub fn leads_to(self) -> Option<ReferenceKind> {
        let number = u8::from(self).checked_sub(u8::from(Type::String))?;
        MappingType::from(number).leads_to()
    }
}

impl MappingType {
    /// Returns the kind of definition that entries of such a mapping table refer to.
    pub fn leads_to(self) -> Option<ReferenceKind> {
        Some(match self {
            MappingType::String => ReferenceKind::String,
            MappingType::Attribute => ReferenceKind::Attribute,
            MappingType::Location => ReferenceKind::Location,
            MappingType::Region => ReferenceKind::Region,
            MappingType::Group => ReferenceKind::Group,
            MappingType::Metric => ReferenceKind::Metric,
            MappingType::Comm => ReferenceKind::Comm,
            MappingType::Parameter => ReferenceKind::Parameter,
            MappingType::RmaWin => ReferenceKind::RmaWin,
            MappingType::SourceCodeLocation => ReferenceKind::SourceCodeLocation,
            MappingType::CallingContext => ReferenceKind::CallingContext,
            MappingType::InterruptGenerator => ReferenceKind::InterruptGenerator,
            MappingType::IoFile => ReferenceKind::IoFile,
            MappingType::IoHandle => ReferenceKind::IoHandle,
            MappingType::LocationGroup => ReferenceKind::LocationGroup,
            MappingType::Unnamed(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lead_to_what_their_type_says() {
        assert_eq!(Type::Uint64.leads_to(), None);
        assert_eq!(Type::Region.leads_to(), Some(ReferenceKind::Region));
        assert_eq!(Type::LocationGroup.leads_to(), Some(ReferenceKind::LocationGroup));
        assert_eq!(Type::Unnamed(99).leads_to(), None);
    }

    #[test]
    fn every_kind_with_a_mapping_table_is_known() {
        assert!(MappingType::NAMED.iter().all(|mapping| mapping.leads_to().is_some()));
        assert_eq!(MappingType::Region.leads_to(), Some(ReferenceKind::Region));
        assert_eq!(MappingType::from(15).leads_to(), None);
    }
}
