//! What says the same in several traces is one definition; attributes follow locations.

use serde_json::{json, Value};
use streamfold::model::definitions::{
    Attribute, Definition, LocationProperty, SystemTreeNodeProperty,
};
use streamfold::model::enums::Type;
use streamfold::model::ids::{AttributeRef, LocationRef, StringRef, SystemTreeNodeRef};
use streamfold::model::values::{AttributeEntry, TypedValue};

use crate::merge::made::{node, region, string, visit, Trace};
use crate::merge::meaning::{errors, number, of_kind, records};
use crate::merge::{merged, merged_real};

fn names(all: &[Value], field: &str) -> Vec<String> {
    let mut names: Vec<_> =
        all.iter().map(|it| it[field].as_str().expect("a text").to_owned()).collect();
    names.sort();
    names
}

/// Another trace's numbers for the same strings, regions and nodes.
fn other_numbers(mut trace: Trace) -> Trace {
    for definition in &mut trace.global {
        definition.renumber(&mut |kind, number| match kind {
            streamfold::model::references::ReferenceKind::String => number + 50,
            _ => number,
        });
        if let Definition::StringDef(string) = definition {
            string.id = StringRef(string.id.0 + 50);
        }
    }
    trace
}

#[test]
fn what_says_the_same_is_one() {
    let a = Trace::job(1, &[0, 1], "a");
    let mut b = other_numbers(Trace::job(2, &[0, 1], "b"));
    // What its locations are called.
    b.global.push(string(4, "thread"));
    let place = merged(&[a.write(), b.write()], &[]);
    let strings = of_kind(&place.anchor(), "String");
    let texts = names(&strings, "string");
    assert_eq!(texts.len(), 11, "{texts:?}");
    let mut different = texts.clone();
    different.dedup();
    assert_eq!(different, texts);
    assert_eq!(names(&of_kind(&place.anchor(), "Region"), "name_text"), ["a", "b", "work"]);
    assert_eq!(of_kind(&place.anchor(), "SystemTreeNode").len(), 1);
    assert_eq!(of_kind(&place.anchor(), "ClockProperties").len(), 1);
    let entered: Vec<Value> = records(&place.anchor(), &[]);
    let entered: Vec<_> = entered.into_iter().filter(|it| it["record"] == "Enter").collect();
    assert_eq!(names(&entered, "region_name"), ["a", "a", "b", "b"]);
    assert_eq!(errors(&place.anchor()), [""; 0]);
}

/// Nodes are the same where all above them are, too.
#[test]
fn nodes_with_the_same_path_are_one() {
    let with = |identifier, cluster: &str| {
        let mut trace = Trace::job(identifier, &[0], "a");
        trace.global.retain(|it| !matches!(it, Definition::SystemTreeNode(_)));
        trace.global.extend([string(20, cluster), string(21, "n1")]);
        trace.global.push(node(1, 20, 1, SystemTreeNodeRef::UNDEFINED));
        trace.global.push(node(0, 21, 2, SystemTreeNodeRef(1)));
        trace
    };
    // Groups lead to nodes.
    let sorted = |mut trace: Trace| {
        trace.global.sort_by_key(|it| matches!(it, Definition::LocationGroup(_)));
        trace.write()
    };
    let traces = [(1, "east"), (2, "west"), (3, "east")].map(|(id, name)| sorted(with(id, name)));
    let place = merged(&traces, &[]);
    let nodes = of_kind(&place.anchor(), "SystemTreeNode");
    assert_eq!(names(&nodes, "name_text"), ["east", "n1", "n1", "west"]);
    let groups = of_kind(&place.anchor(), "LocationGroup");
    let parents: Vec<_> = groups.iter().map(|group| &group["system_tree_parent"]).collect();
    assert_eq!(parents[0], parents[2]);
    assert_ne!(parents[0], parents[1]);
    assert_eq!(errors(&place.anchor()), [""; 0]);
}

/// A node that one trace has twice, and says the same of, is that of another one.
#[test]
fn equal_nodes_of_one_trace_are_one_with_those_of_others() {
    let traces = [1, 2].map(|count| {
        let mut trace = Trace::job(count, &[0], "a");
        trace.global.extend([string(20, "n1"), string(21, "host")]);
        for number in 1..=count as u32 {
            trace.global.push(node(number, 20, 2, SystemTreeNodeRef(0)));
            trace.global.push(Definition::SystemTreeNodeProperty(SystemTreeNodeProperty {
                system_tree_node: SystemTreeNodeRef(number),
                name: StringRef(21),
                value: TypedValue { value_type: Type::Uint64, bits: 5 },
            }));
        }
        trace.write()
    });
    for order in [[0, 1], [1, 0]] {
        let place = merged(&order.map(|at: usize| &traces[at]), &[]);
        let nodes = of_kind(&place.anchor(), "SystemTreeNode");
        assert_eq!(names(&nodes, "name_text"), ["n1", "node"], "{order:?}");
        assert_eq!(of_kind(&place.anchor(), "SystemTreeNodeProperty").len(), 1, "{order:?}");
    }
}

fn location_value(location: u64) -> TypedValue {
    TypedValue { value_type: Type::Location, bits: location }
}

/// A process that says of which location it thinks, in an attribute.
fn thinking(identifier: u64, locally: bool) -> Trace {
    let mut trace = Trace::job(identifier, &[3, 5], "a");
    let attribute = Definition::Attribute(Attribute {
        id: AttributeRef(0),
        name: StringRef(7),
        value_type: Type::Location,
        description: StringRef(0),
    });
    let own = [string(7, "work"), string(0, ""), attribute.clone(), region(1, 7)];
    for (process, other) in trace.processes.iter_mut().zip([5, 3]) {
        if locally {
            process.own.extend(own.clone());
        }
        let entry = AttributeEntry { attribute: AttributeRef(0), value: location_value(other) };
        process.events = visit([1_000, 1_900], 1);
        process.events[0].1.push(entry);
    }
    if !locally {
        let property = LocationProperty {
            location: LocationRef(3),
            name: StringRef(7),
            value: location_value(5),
        };
        trace.global.push(attribute);
        trace.global.push(Definition::LocationProperty(property));
    }
    trace
}

#[test]
fn values_that_are_locations_follow() {
    for locally in [false, true] {
        let traces = [1, 2, 3].map(|identifier| thinking(identifier, locally).write());
        for options in [&[][..], &["--rewrite-events"]] {
            let place = merged(&traces, options);
            let mut events = records(&place.anchor(), &["--unordered"]);
            events.retain(|event| event["record"] == "Enter");
            events.sort_by_key(|event| number(&event["location"]));
            let pairs: Vec<_> = events
                .iter()
                .map(|event| [number(&event["location"]), number(&event["attributes"][0]["value"])])
                .collect();
            let expected = [[3, 5], [5, 3], [6, 7], [7, 6], [8, 9], [9, 8]];
            assert_eq!(pairs, expected, "locally: {locally}, {options:?}");
            assert_eq!(errors(&place.anchor()), [""; 0], "locally: {locally}, {options:?}");
            if !locally {
                let properties = of_kind(&place.anchor(), "LocationProperty");
                let said: Vec<_> =
                    properties.iter().map(|it| json!([it["location"], it["value"]])).collect();
                assert_eq!(said, [json!([3, 5]), json!([6, 7]), json!([8, 9])]);
            }
        }
    }
}

/// A trace that has not brought together how many events there are gets it said in its definitions, which
/// is what unifying does, too.
#[test]
fn events_are_counted_in_all_traces() {
    let eztrace = crate::common::archives::one("eztrace").anchor;
    let first = Trace::job(1, &[0, 1], "a").write();
    let place = merged_real(&[&first.anchor, &eztrace], &[]);
    let counts: Vec<_> = of_kind(&place.anchor(), "Location")
        .iter()
        .map(|location| number(&location["number_of_events"]))
        .collect();
    assert_eq!(counts, [4, 4, 36, 570, 570, 570]);
}
