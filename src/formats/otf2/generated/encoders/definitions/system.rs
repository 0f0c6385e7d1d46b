// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Encoders of definitions of machines, processes and locations, and topologies of them.

use crate::generated::encoders::older::string_or_undefined;
use crate::payload::Payload;
use crate::wire::ByteOrder;
use streamfold_model::definitions;

#[inline]
pub(super) fn put_system_tree_node<O: ByteOrder>(
    record: &definitions::SystemTreeNode,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.cu32(record.class_name.0);
    to.cu32(record.parent.0);
}

#[inline]
pub(super) fn put_location_group<O: ByteOrder>(
    record: &definitions::LocationGroup,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.u8(record.location_group_type.into());
    to.cu32(record.system_tree_parent.0);
    to.cu32(record.creating_location_group.0);
}

#[inline]
pub(super) fn put_location<O: ByteOrder>(record: &definitions::Location, to: &mut Payload<'_, O>) {
    to.cu64(record.id.0);
    to.cu32(record.name.0);
    to.u8(record.location_type.into());
    to.cu64(record.number_of_events);
    to.cu32(record.location_group.0);
}

#[inline]
pub(super) fn put_system_tree_node_property<O: ByteOrder>(
    record: &definitions::SystemTreeNodeProperty,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.system_tree_node.0);
    to.cu32(record.name.0);
    to.cu32(string_or_undefined(record.value));
    to.u8(record.value.value_type.into());
    to.attribute_value(record.value);
}

#[inline]
pub(super) fn put_system_tree_node_domain<O: ByteOrder>(
    record: &definitions::SystemTreeNodeDomain,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.system_tree_node.0);
    to.u8(record.system_tree_domain.into());
}

#[inline]
pub(super) fn put_location_group_property<O: ByteOrder>(
    record: &definitions::LocationGroupProperty,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.location_group.0);
    to.cu32(record.name.0);
    to.cu32(string_or_undefined(record.value));
    to.u8(record.value.value_type.into());
    to.attribute_value(record.value);
}

#[inline]
pub(super) fn put_location_property<O: ByteOrder>(
    record: &definitions::LocationProperty,
    to: &mut Payload<'_, O>,
) {
    to.cu64(record.location.0);
    to.cu32(record.name.0);
    to.cu32(string_or_undefined(record.value));
    to.u8(record.value.value_type.into());
    to.attribute_value(record.value);
}

#[inline]
pub(super) fn put_cart_dimension<O: ByteOrder>(
    record: &definitions::CartDimension,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.cu32(record.size);
    to.u8(record.cart_periodicity.into());
}

#[inline]
pub(super) fn put_cart_topology<O: ByteOrder>(
    record: &definitions::CartTopology,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.id.0);
    to.cu32(record.name.0);
    to.cu32(record.communicator.0);
    to.count_u8(record.cart_dimensions.len());
    for item in &record.cart_dimensions {
        to.cu32(item.0);
    }
}

#[inline]
pub(super) fn put_cart_coordinate<O: ByteOrder>(
    record: &definitions::CartCoordinate,
    to: &mut Payload<'_, O>,
) {
    to.cu32(record.cart_topology.0);
    to.cu32(record.rank);
    to.count_u8(record.coordinates.len());
    for item in &record.coordinates {
        to.cu32(*item);
    }
}
