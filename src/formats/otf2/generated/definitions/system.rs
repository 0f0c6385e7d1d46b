// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of definitions of machines, processes and locations, and topologies of them.

use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::definitions;
use streamfold_model::enums::{
    CartPeriodicity, LocationGroupType, LocationType, SystemTreeDomain, Type,
};
use streamfold_model::ids::{
    CartDimensionRef, CartTopologyRef, CommRef, LocationGroupRef, LocationRef, StringRef,
    SystemTreeNodeRef,
};
use streamfold_model::values::TypedValue;

#[inline]
pub(super) fn system_tree_node<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::SystemTreeNode, WireError> {
    let mut c = *c;
    let id = SystemTreeNodeRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let class_name = StringRef(c.cu32()?);
    let parent = SystemTreeNodeRef(c.cu32()?);
    Ok(definitions::SystemTreeNode { id, name, class_name, parent })
}

#[inline]
pub(super) fn location_group<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::LocationGroup, WireError> {
    let mut c = *c;
    let id = LocationGroupRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let location_group_type = LocationGroupType::from(c.u8()?);
    let system_tree_parent = SystemTreeNodeRef(c.cu32()?);
    let creating_location_group =
        if c.at_end() { LocationGroupRef::UNDEFINED } else { LocationGroupRef(c.cu32()?) };
    Ok(definitions::LocationGroup {
        id,
        name,
        location_group_type,
        system_tree_parent,
        creating_location_group,
    })
}

#[inline]
pub(super) fn location<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::Location, WireError> {
    let mut c = *c;
    let id = LocationRef(c.cu64()?);
    let name = StringRef(c.cu32()?);
    let location_type = LocationType::from(c.u8()?);
    let number_of_events = c.cu64()?;
    let location_group = LocationGroupRef(c.cu32()?);
    Ok(definitions::Location { id, name, location_type, number_of_events, location_group })
}

#[inline]
pub(super) fn system_tree_node_property<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::SystemTreeNodeProperty, WireError> {
    let mut c = *c;
    let system_tree_node = SystemTreeNodeRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let string_value = StringRef(c.cu32()?);
    let value_type = if c.at_end() { Type::from(11) } else { Type::from(c.u8()?) };
    let value = if c.at_end() { u64::from(string_value.0) } else { c.attribute_value(value_type)? };
    Ok(definitions::SystemTreeNodeProperty {
        system_tree_node,
        name,
        value: TypedValue { value_type, bits: value },
    })
}

#[inline]
pub(super) fn system_tree_node_domain<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::SystemTreeNodeDomain, WireError> {
    let mut c = *c;
    let system_tree_node = SystemTreeNodeRef(c.cu32()?);
    let system_tree_domain = SystemTreeDomain::from(c.u8()?);
    Ok(definitions::SystemTreeNodeDomain { system_tree_node, system_tree_domain })
}

#[inline]
pub(super) fn location_group_property<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::LocationGroupProperty, WireError> {
    let mut c = *c;
    let location_group = LocationGroupRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let string_value = StringRef(c.cu32()?);
    let value_type = if c.at_end() { Type::from(11) } else { Type::from(c.u8()?) };
    let value = if c.at_end() { u64::from(string_value.0) } else { c.attribute_value(value_type)? };
    Ok(definitions::LocationGroupProperty {
        location_group,
        name,
        value: TypedValue { value_type, bits: value },
    })
}

#[inline]
pub(super) fn location_property<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::LocationProperty, WireError> {
    let mut c = *c;
    let location = LocationRef(c.cu64()?);
    let name = StringRef(c.cu32()?);
    let string_value = StringRef(c.cu32()?);
    let value_type = if c.at_end() { Type::from(11) } else { Type::from(c.u8()?) };
    let value = if c.at_end() { u64::from(string_value.0) } else { c.attribute_value(value_type)? };
    Ok(definitions::LocationProperty {
        location,
        name,
        value: TypedValue { value_type, bits: value },
    })
}

#[inline]
pub(super) fn cart_dimension<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::CartDimension, WireError> {
    let mut c = *c;
    let id = CartDimensionRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let size = c.cu32()?;
    let cart_periodicity = CartPeriodicity::from(c.u8()?);
    Ok(definitions::CartDimension { id, name, size, cart_periodicity })
}

#[inline]
pub(super) fn cart_topology<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::CartTopology, WireError> {
    let mut c = *c;
    let id = CartTopologyRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let communicator = CommRef(c.cu32()?);
    let number_of_dimensions = c.u8()?;
    let number_of_dimensions = c.count(number_of_dimensions, 1)?;
    let mut cart_dimensions = Vec::with_capacity(number_of_dimensions);
    for _ in 0..number_of_dimensions {
        cart_dimensions.push(CartDimensionRef(c.cu32()?));
    }
    Ok(definitions::CartTopology { id, name, communicator, cart_dimensions })
}

#[inline]
pub(super) fn cart_coordinate<O: ByteOrder>(
    c: &Cursor<'_, O>,
) -> Result<definitions::CartCoordinate, WireError> {
    let mut c = *c;
    let cart_topology = CartTopologyRef(c.cu32()?);
    let rank = c.cu32()?;
    let number_of_dimensions = c.u8()?;
    let number_of_dimensions = c.count(number_of_dimensions, 1)?;
    let mut coordinates = Vec::with_capacity(number_of_dimensions);
    for _ in 0..number_of_dimensions {
        coordinates.push(c.cu32()?);
    }
    Ok(definitions::CartCoordinate { cart_topology, rank, coordinates })
}
