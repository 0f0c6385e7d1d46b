//! Definitions that are told apart by what else is said about them, or by their order alone; and what comes
//! first though nothing leads to it.

use streamfold::model::definitions::{
    Attribute, Callpath, CallpathParameter, CartCoordinate, CartTopology, ClockOffset, Definition,
    Parameter, StringDef, SystemTreeNode, SystemTreeNodeProperty,
};
use streamfold::model::enums::{GroupType, MeasurementMode, ParameterType, Type};
use streamfold::model::events::{Event, MeasurementOnOff};
use streamfold::model::ids::{
    AttributeRef, CallpathRef, CartTopologyRef, CommRef, ParameterRef, RegionRef, StringRef,
    SystemTreeNodeRef,
};
use streamfold::model::values::{AttributeEntry, TypedValue};

use crate::common::files::Files;
use crate::common::program::said;
use crate::common::reference::{is_installed, otf2_print};
use crate::unify::made::{
    defects, make, make_with, of_kind, records, system, visit, Defs, Local, Made,
};
use crate::unify::{expect, expect_message, one_set, Place};

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

/// An archive with nodes of one name, that may have another number in each, which differ by a property.
fn with_nodes(name: impl Fn(&mut Defs) -> StringRef, uuids: &[u64]) -> Made {
    let local = |first| {
        let mut defs = Defs::new(first);
        let region = defs.region("a");
        Local::new(defs, visit(region))
    };
    let locals = [local(0), local(9)];
    let mut global = system(&locals);
    let (class_name, key) = (global.string("gpu"), global.string("uuid"));
    for (number, uuid) in (50..).zip(uuids) {
        let (id, parent) = (SystemTreeNodeRef(number), SystemTreeNodeRef::UNDEFINED);
        let name = name(&mut global);
        let node = SystemTreeNode { id, name, class_name, parent };
        global.add(Definition::SystemTreeNode(node));
        let value = TypedValue { value_type: Type::Uint64, bits: *uuid };
        let property = SystemTreeNodeProperty { system_tree_node: id, name: key, value };
        global.add(Definition::SystemTreeNodeProperty(property));
    }
    make_with(global, &locals, |_| (0, 0))
}

/// What tells the nodes apart, each of which is another one.
#[track_caller]
fn uuids(place: &Place) -> Vec<u64> {
    let properties = of_kind(place, "SystemTreeNodeProperty");
    let number = |it: &serde_json::Value, field: &str| it[field].as_u64().expect("a number");
    let mut nodes: Vec<u64> = properties.iter().map(|it| number(it, "system_tree_node")).collect();
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes.len(), properties.len(), "{properties:?}");
    properties.iter().map(|it| number(it, "value")).collect()
}

/// Nodes of one name, told apart by a property.
#[test]
fn nodes_that_differ_in_a_property_stay_two() {
    let made = with_nodes(|defs| defs.string("GPU"), &[1, 2, 1]);
    assert_eq!(uuids(&one_set(&made.anchor, &[])), [1, 2]);
}

/// Nodes whose names are the same by another number are the same but for their properties: once more, nothing
/// changes.
#[test]
fn nodes_are_told_apart_by_properties_whatever_the_numbers_of_their_names() {
    let another = |defs: &mut Defs| {
        let id = StringRef(defs.number());
        defs.add(Definition::StringDef(StringDef { id, string: "GPU".into() }));
        id
    };
    let once = one_set(&with_nodes(another, &[1, 2]).anchor, &[]);
    assert_eq!(uuids(&once), [1, 2]);
    let twice = one_set(&once.anchor(), &[]);
    Files::read(&twice.anchor()).assert_same(&Files::read(&once.anchor()), "once more");
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

/// Attributes that say the same, with these numbers.
fn attributes(defs: &mut Defs, ids: &[u32]) {
    let (name, description) = (defs.string("n"), defs.string(""));
    let value_type = Type::Uint64;
    for id in ids.iter().copied().map(AttributeRef) {
        defs.add(Definition::Attribute(Attribute { id, name, description, value_type }));
    }
}

/// A location with one event for each list of attributes.
fn with_lists(definitions: Vec<Definition>, lists: &[&[u32]]) -> Local {
    let value = TypedValue { value_type: Type::Uint64, bits: 4 };
    let events = lists.iter().map(|list| {
        let list = list.iter().map(|id| AttributeEntry { attribute: AttributeRef(*id), value });
        let off = MeasurementMode::Off;
        let event = MeasurementOnOff { measurement_mode: off };
        (list.collect(), Event::MeasurementOnOff(event))
    });
    Local { definitions, events: events.collect() }
}

/// With the numbers of which attributes each event has them, in the order of locations.
fn lists(place: &Place) -> Vec<Vec<u64>> {
    let events = records(place, &[]).into_iter();
    let events = events.filter(|event| event["record"] == "MeasurementOnOff");
    let mut all: Vec<_> = events
        .map(|event| {
            let attributes = event["attributes"].as_array().expect("a list").clone();
            let ids = attributes.iter().map(|it| it["attribute"].as_u64().expect("a number"));
            (event["location"].as_u64(), ids.collect())
        })
        .collect();
    all.sort_by_key(|(location, _)| *location);
    all.into_iter().map(|(_, ids)| ids).collect()
}

/// An archive with these global attributes, and whose locations define nothing.
fn with_global(ids: &[u32], lists: &[&[&[u32]]]) -> Made {
    let locals: Vec<Local> = lists.iter().map(|lists| with_lists(Vec::new(), lists)).collect();
    let mut global = system(&locals);
    attributes(&mut global, ids);
    make_with(global, &locals, |_| (0, 0))
}

/// Tracers write them once for each process. Where an event has two, as many stay as that needs.
#[test]
fn equal_global_attributes_stay_as_many_as_one_event_has() {
    let ids = [0, 1, 2, 3, 4];
    // The lists of the events of each location, how many attributes stay, and which stand in the lists then.
    type Case<'a> = (&'a [&'a [&'a [u32]]], usize, &'a [&'a [u64]]);
    let cases: [Case<'_>; 4] = [
        (&[&[&[0], &[1]], &[&[2]]], 1, &[&[0], &[0], &[0]]),
        (&[&[&[0, 1]], &[&[3, 2]]], 2, &[&[0, 1], &[1, 0]]),
        (&[&[&[4, 0, 2]], &[&[1], &[1, 2]]], 3, &[&[2, 0, 1], &[0], &[0, 1]]),
        (&[&[], &[]], 1, &[]),
    ];
    for (events, count, expected) in cases {
        let made = with_global(&ids, events);
        for way in [&[][..], &["--rewrite-events"]] {
            let place = one_set(&made.anchor, way);
            assert_eq!(of_kind(&place, "Attribute").len(), count, "{events:?}");
            assert_eq!(lists(&place), expected, "{events:?} {way:?}");
            assert_eq!(defects(&place), [""; 0]);
            if is_installed("otf2-print") {
                assert!(otf2_print(&[], &place.anchor()).status.success(), "{events:?}");
            }
            let again = one_set(&place.anchor(), way);
            let [once, twice] = [&place, &again].map(|it| Files::read(&it.anchor()));
            twice.assert_same(&once, &format!("once more, {events:?} {way:?}"));
        }
    }
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_tells_attributes_apart() {
    use crate::common::program::on_ranks;
    use std::ffi::OsStr;
    let made = with_global(&[0, 1, 2], &[&[&[0]], &[&[2]], &[&[1, 2]], &[&[0]], &[&[1]]]);
    let expected = Place::new().unified(&made.anchor, &["--mpi", "off"]);
    for ranks in [2, 3] {
        let place = Place::new();
        let (from, to) = (&made.anchor, place.anchor());
        let args = [OsStr::new("unify"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
        let Some(ended) = on_ranks(ranks, args) else { return };
        expect(&ended, 0);
        Files::read(&to).assert_same(&expected, &format!("{ranks} ranks"));
        assert_eq!(of_kind(&place, "Attribute").len(), 2);
    }
}

/// Of its own attributes and the global ones a location may use both.
#[test]
fn an_event_with_an_attribute_of_both_kinds_is_told() {
    for (list, code) in [([0, 70].as_slice(), 3), (&[70], 0), (&[0], 0)] {
        let mut defs = Defs::new(60);
        attributes(&mut defs, &[70]);
        let locals = [with_lists(defs.all, &[list])];
        let mut global = system(&locals);
        attributes(&mut global, &[0]);
        let made = make_with(global, &locals, |_| (0, 0));
        let place = Place::new();
        let ended = place.unify(&made.anchor, &[]);
        expect(&ended, code);
        let text =
            "/t/0.evt: Attribute 0 and Attribute 70 are in the list of one event and say the same";
        assert_eq!(said(&ended).contains(text), code == 3, "{}", said(&ended));
        assert_eq!(of_kind(&place, "Attribute").len(), 1);
    }
}
