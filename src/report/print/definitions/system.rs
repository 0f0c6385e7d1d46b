//! Machines, locations, and groups of them.

use streamfold_model::definitions::*;
use streamfold_model::enums::GroupType;

use super::property;
use crate::print::line::Line;
use crate::print::names::Names;

/// The machine, and the locations on it.
pub(super) fn system<'a>(line: Line<'a>, names: &'a Names, definition: &Definition) -> Line<'a> {
    match definition {
        Definition::SystemTreeNode(d) => line
            .definition("SYSTEM_TREE_NODE", d.id.0)
            .string("Name: ", d.name)
            .string(", Class: ", d.class_name)
            .name(", Parent: ", &names.system_tree_nodes, d.parent),
        Definition::LocationGroup(d) => line
            .definition("LOCATION_GROUP", d.id.0)
            .string("Name: ", d.name)
            .value(", Type: ", d.location_group_type)
            .name(", Parent: ", &names.system_tree_nodes, d.system_tree_parent)
            .name(", Creator: ", &names.location_groups, d.creating_location_group),
        Definition::Location(d) => line
            .definition("LOCATION", d.id.0)
            .string("Name: ", d.name)
            .value(", Type: ", d.location_type)
            .number(", # Events: ", d.number_of_events)
            .name(", Group: ", &names.location_groups, d.location_group),
        Definition::SystemTreeNodeProperty(d) => {
            let line = line.definition_without_id("SYSTEM_TREE_NODE_PROPERTY");
            property(
                line.name("System Tree Node: ", &names.system_tree_nodes, d.system_tree_node),
                d.name,
                d.value,
            )
        }
        Definition::SystemTreeNodeDomain(d) => line
            .definition_without_id("SYSTEM_TREE_NODE_DOMAIN")
            .name("System Tree Node: ", &names.system_tree_nodes, d.system_tree_node)
            .value(", Domain: ", d.system_tree_domain),
        Definition::LocationGroupProperty(d) => {
            let line = line.definition_without_id("LOCATION_GROUP_PROPERTY");
            property(
                line.name("Location Group: ", &names.location_groups, d.location_group),
                d.name,
                d.value,
            )
        }
        Definition::LocationProperty(d) => {
            let line = line.definition_without_id("LOCATION_PROPERTY");
            property(line.name("Location: ", &names.locations, d.location), d.name, d.value)
        }
        // The caller knows which definitions these are.
        _ => line.label("UNKNOWN"),
    }
}

/// Groups, communicators, and what is made of them.
pub(super) fn communicator<'a>(
    line: Line<'a>,
    names: &'a Names,
    definition: &Definition,
) -> Line<'a> {
    match definition {
        Definition::Group(d) => group(line, names, d),
        Definition::Comm(d) => line
            .definition("COMM", d.id.0)
            .string("Name: ", d.name)
            .name(", Group: ", &names.groups, d.group)
            .name(", Parent: ", &names.comms, d.parent)
            .flags(", Flags: ", d.flags),
        Definition::InterComm(d) => line
            .definition("INTER_COMM", d.id.0)
            .string("name: ", d.name)
            .name(", Group A: ", &names.groups, d.group_a)
            .name(", Group B: ", &names.groups, d.group_b)
            .name(", Common Communicator: ", &names.comms, d.common_communicator)
            .flags(", Flags: ", d.flags),
        Definition::RmaWin(d) => line
            .definition("RMA_WIN", d.id.0)
            .string("Name: ", d.name)
            .name(", Communicator: ", &names.comms, d.comm)
            .flags(", Flags: ", d.flags),
        Definition::CartDimension(d) => line
            .definition("CART_DIMENSION", d.id.0)
            .string("Name: ", d.name)
            .number(", Size: ", d.size)
            .value(", Periodicity: ", d.cart_periodicity),
        Definition::CartTopology(d) => line
            .definition("CART_TOPOLOGY", d.id.0)
            .string("Name: ", d.name)
            .name(", Communicator: ", &names.comms, d.communicator)
            .count(", ", d.cart_dimensions.len(), " Dimension: (", " Dimensions: (")
            .list("", &d.cart_dimensions, |line, dimension| {
                line.name("", &names.cart_dimensions, *dimension)
            })
            .label(")"),
        Definition::CartCoordinate(d) => line
            .definition_without_id("CART_COORDINATE")
            .name("Cartesian Topology: ", &names.cart_topologies, d.cart_topology)
            .rank(", Rank: ", names.ranks.comm_of_cart_topology(d.cart_topology), d.rank)
            .label(if d.coordinates.len() == 1 { ", Coordinate: (" } else { ", Coordinates: (" })
            .list("", &d.coordinates, |line, coordinate| line.number("", *coordinate))
            .label(")"),
        // The caller knows which definitions these are.
        _ => line.label("UNKNOWN"),
    }
}

fn group<'a>(line: Line<'a>, names: &'a Names, group: &Group) -> Line<'a> {
    line.definition("GROUP", group.id.0)
        .string("Name: ", group.name)
        .value(", Type: ", group.group_type)
        .paradigm(", Paradigm: ", group.paradigm)
        .flags(", Flags: ", group.group_flags)
        .count(", ", group.members.len(), " Member", " Members")
        .list(": ", &group.members, |line, &member| match group.group_type {
            GroupType::Locations | GroupType::CommLocations => {
                line.number_name("", &names.locations, member)
            }
            GroupType::CommLocationGroups => line.number_name("", &names.location_groups, member),
            GroupType::Regions => line.number_name("", &names.regions, member),
            GroupType::Metric => line.number_name("", &names.metric_members, member),
            GroupType::CommGroup => {
                line.member("", member, names.ranks.in_paradigm(group.paradigm, member))
            }
            _ => line.id("", member),
        })
}
