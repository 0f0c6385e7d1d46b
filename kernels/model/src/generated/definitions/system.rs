// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Definitions of machines, processes and locations, and topologies of them.

use crate::enums::{CartPeriodicity, LocationGroupType, LocationType, SystemTreeDomain};
use crate::ids::{
    CartDimensionRef, CartTopologyRef, CommRef, LocationGroupRef, LocationRef, StringRef,
    SystemTreeNodeRef,
};
use crate::values::TypedValue;
use serde::{Deserialize, Serialize};

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
