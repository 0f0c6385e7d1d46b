//! Definitions that are told apart by what else is said about them, or by their order alone; and what comes
//! first though nothing leads to it.

use streamfold::model::definitions::{
    Attribute, Callpath, CallpathParameter, CartCoordinate, CartTopology, ClockOffset, Definition,
    Parameter, SystemTreeNode, SystemTreeNodeProperty,
};
use streamfold::model::enums::{GroupType, ParameterType, Type};
use streamfold::model::events::Event;
use streamfold::model::ids::{
    AttributeRef, CallpathRef, CartTopologyRef, CommRef, ParameterRef, RegionRef, SystemTreeNodeRef,
};
use streamfold::model::values::{AttributeEntry, TypedValue};

use crate::made::{defects, make, make_with, of_kind, records, system, visit, Defs, Local};
use crate::{expect, expect_message, Place};

/// A call path for each value of a parameter.
fn calls(first: u32, values: &[u64]) -> Local {
    let mut defs = Defs::new(first);
    let region = defs.region("a");
    let (name, id) = (defs.string("k"), ParameterRef(first));
    let parameter_type = ParameterType::Uint64;
    defs.add(Definition::Parameter(Parameter { id, name, parameter_type }));
    for (number, value) in (first..).zip(values) {
        let (callpath, parent) = (CallpathRef(number), CallpathRef::UNDEFINED);
        defs.add(Definition::Callpath(Callpath { id: callpath, parent, region }));
        let value = TypedValue { value_type: Type::Uint64, bits: *value };
        let parameter = CallpathParameter { callpath, parameter: id, value };
        defs.add(Definition::CallpathParameter(parameter));
    }
    Local::new(defs, visit(region))
}

#[test]
fn call_paths_differ_where_their_parameters_do() {
    let made = make(&[calls(0, &[1, 2]), calls(70, &[3, 2])]);
    let place = Place::new();
    expect(&place.unify(&made.anchor, &[]), 0);
    assert_eq!(of_kind(&place, "Callpath").len(), 3);
    let parameters = of_kind(&place, "CallpathParameter");
    let values: Vec<_> = parameters.iter().map(|it| it["value"].as_u64().unwrap()).collect();
    assert_eq!(values, [1, 2, 3]);
    let paths: Vec<_> = parameters.iter().map(|it| it["callpath"].as_u64().unwrap()).collect();
    assert_eq!(paths, [0, 1, 2]);
}

/// Nodes of one name, told apart by a property.
#[test]
fn nodes_that_differ_in_a_property_stay_two() {
    let region = |first| {
        let mut defs = Defs::new(first);
        let region = defs.region("a");
        Local::new(defs, visit(region))
    };
    let locals = [region(0), region(9)];
    let mut global = system(&locals);
    let (name, class, key) = (global.string("GPU"), global.string("gpu"), global.string("uuid"));
    for (number, uuid) in [(50, 1), (51, 2), (52, 1)] {
        let (id, parent) = (SystemTreeNodeRef(number), SystemTreeNodeRef::UNDEFINED);
        let node = SystemTreeNode { id, name, class_name: class, parent };
        global.add(Definition::SystemTreeNode(node));
        let value = TypedValue { value_type: Type::Uint64, bits: uuid };
        let property = SystemTreeNodeProperty { system_tree_node: id, name: key, value };
        global.add(Definition::SystemTreeNodeProperty(property));
    }
    let made = make_with(global, &locals, |_| (0, 0));
    let place = Place::new();
    expect(&place.unify(&made.anchor, &[]), 0);
    let properties = of_kind(&place, "SystemTreeNodeProperty");
    let values: Vec<_> = properties.iter().map(|it| it["value"].as_u64().unwrap()).collect();
    assert_eq!(values, [1, 2]);
    assert_ne!(properties[0]["system_tree_node"], properties[1]["system_tree_node"]);
}

/// A topology of which each location knows its own coordinate.
#[test]
fn coordinates_of_several_locations_are_of_one_topology() {
    let local = |first: u32, rank: u32| {
        let mut defs = Defs::new(first);
        let region = defs.region("a");
        let (name, id) = (defs.string("grid"), CartTopologyRef(first));
        defs.add(Definition::CartTopology(CartTopology {
            id,
            name,
            communicator: CommRef::UNDEFINED,
            cart_dimensions: Vec::new(),
        }));
        let coordinates = vec![rank];
        let own = CartCoordinate { cart_topology: id, rank, coordinates };
        defs.add(Definition::CartCoordinate(own));
        Local::new(defs, visit(region))
    };
    let made = make(&[local(0, 0), local(33, 1)]);
    let place = Place::new();
    expect(&place.unify(&made.anchor, &[]), 0);
    assert_eq!(of_kind(&place, "CartTopology").len(), 1);
    assert_eq!(of_kind(&place, "CartCoordinate").len(), 2);
}

/// No attribute may stand twice in a list: readers refuse it.
#[test]
fn equal_attributes_of_one_location_stay_two() {
    let local = |first: u32, count: u32| {
        let mut defs = Defs::new(first);
        let (region, name, description) = (defs.region("a"), defs.string("n"), defs.string(""));
        let ids: Vec<_> = (first..first + count).map(AttributeRef).collect();
        for &id in &ids {
            let value_type = Type::Uint64;
            defs.add(Definition::Attribute(Attribute { id, name, description, value_type }));
        }
        let value = TypedValue { value_type: Type::Uint64, bits: 4 };
        let list = ids.iter().map(|&attribute| AttributeEntry { attribute, value });
        let list: Vec<_> = list.collect();
        let events = visit(region).map(|event: Event<'static>| (list.clone(), event));
        Local { definitions: defs.all, events: events.into() }
    };
    let made = make(&[local(0, 1), local(60, 2)]);
    let place = Place::new();
    expect(&place.unify(&made.anchor, &[]), 0);
    assert_eq!(of_kind(&place, "Attribute").len(), 2);
    assert_eq!(defects(&place), Vec::<String>::new());
}

/// Ranks are places in the list of all that have any, which no group leads to.
#[test]
fn the_list_of_ranks_comes_before_those_who_have_them() {
    let mut defs = Defs::new(0);
    let region = defs.region("a");
    let all = defs.group(GroupType::CommGroup, &[0, 1]);
    defs.comm("team", all, CommRef::UNDEFINED);
    defs.group(GroupType::CommLocations, &[0, 100]);
    let mut other = Defs::new(20);
    let second = other.region("b");
    let made = make(&[Local::new(defs, visit(region)), Local::new(other, visit(second))]);
    let place = Place::new();
    expect(&place.unify(&made.anchor, &[]), 0);
    let groups = of_kind(&place, "Group");
    let members: Vec<_> = groups.iter().map(|it| it["members"].to_string()).collect();
    assert_eq!(members, ["[0,100]", "[0,1]"]);
}

/// Nobody can tell times by clock offsets that do not ascend.
#[test]
fn clock_offsets_out_of_order_are_told() {
    let mut defs = Defs::new(0);
    let region = defs.region("a");
    let offset = ClockOffset { time: 90, offset: 3, standard_deviation: 0.0 };
    defs.add(Definition::ClockOffset(offset));
    let mut other = Defs::new(0);
    let second: RegionRef = other.region("a");
    let made = make(&[Local::new(other, visit(second)), Local::new(defs, visit(region))]);
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect_message(
        &ended,
        3,
        "/t/100.def: clock offsets at 90 and then 5: their times must increase",
    );
    assert!(!records(&place, &["-G"]).is_empty());
    let strict = Place::new();
    expect(&strict.unify(&made.anchor, &["--strict"]), 2);
}
