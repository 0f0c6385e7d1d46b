//! Locations that only their own files define: who could not communicate when the run ended has them nowhere else.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use serde_json::Value;
use streamfold::model::definitions::{
    Definition, Location, LocationGroup, MappingTable, SystemTreeNode,
};
use streamfold::model::enums::{LocationGroupType, LocationType, MappingType};
use streamfold::model::ids::{
    LocationGroupRef, LocationRef, RegionRef, StringRef, SystemTreeNodeRef,
};
use streamfold::model::values::IdMap;

use crate::common::files::Files;
use crate::common::program::{on_ranks, said, streamfold};
use crate::common::reference::{is_installed, otf2_print};
use crate::unify::made::{defects, location, make_with, of_kind, system, visit, Defs, Local};
#[cfg(feature = "ranks")]
use crate::unify::on_ranks::expect_same;
use crate::unify::{expect, expect_message, one_set, Place};

fn node(defs: &mut Defs, name: &str, parent: SystemTreeNodeRef) -> SystemTreeNodeRef {
    let (name, class_name) = (defs.string(name), defs.string("class"));
    let id = SystemTreeNodeRef(defs.number());
    defs.add(Definition::SystemTreeNode(SystemTreeNode { id, name, class_name, parent }));
    id
}

fn process(defs: &mut Defs, name: &str, node: SystemTreeNodeRef) -> LocationGroupRef {
    let (id, name) = (LocationGroupRef(defs.number()), defs.string(name));
    defs.add(Definition::LocationGroup(LocationGroup {
        id,
        name,
        location_group_type: LocationGroupType::Process,
        system_tree_parent: node,
        creating_location_group: LocationGroupRef::UNDEFINED,
    }));
    id
}

fn thread(defs: &mut Defs, id: LocationRef, name: &str, group: LocationGroupRef) {
    let name = defs.string(name);
    defs.add(Definition::Location(Location {
        id,
        name,
        location_type: LocationType::CpuThread,
        number_of_events: 7,
        location_group: group,
    }));
}

/// A location that defines itself, its process and its host, with numbers from one on.
fn own(first: u32, which: usize, host: &str, of: &str) -> Local {
    let mut defs = Defs::new(first);
    let region = defs.region(&format!("work {}", which % 2));
    let machine = node(&mut defs, "machine", SystemTreeNodeRef::UNDEFINED);
    let host = node(&mut defs, host, machine);
    let group = process(&mut defs, of, host);
    thread(&mut defs, location(which), &format!("thread {which}"), group);
    defs.world(&[0, 100, 200]);
    Local::new(defs, visit(region))
}

fn three() -> [Local; 3] {
    [own(0, 0, "a", "rank 0"), own(30, 1, "a", "rank 0"), own(10, 2, "b", "rank 1")]
}

/// The clock alone, as global definitions.
fn clock_alone() -> Defs {
    let mut defs = Defs::new(0);
    defs.add(system(&[]).all.swap_remove(0));
    defs
}

/// Names of definitions of a kind, and of what a field of them leads to.
fn named(place: &Place, kind: &str, field: &str) -> Vec<(u64, String, String)> {
    let field = format!("{field}_name");
    let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
    let all = of_kind(place, kind).into_iter();
    let all = all.map(|record| {
        let id = record["id"].as_u64().expect("a number");
        (id, text(&record["name_text"]), text(&record[field.as_str()]))
    });
    all.collect()
}

#[track_caller]
fn expect_named(place: &Place, kind: &str, field: &str, expected: &[(u64, &str, &str)]) {
    let found = named(place, kind, field);
    let expected =
        expected.iter().map(|(id, one, other)| (*id, one.to_string(), other.to_string()));
    assert_eq!(found, expected.collect::<Vec<_>>(), "{kind}");
}

/// All is as if the tracer had brought it together.
#[track_caller]
fn expect_whole(place: &Place, events: &[u64]) {
    assert_eq!(defects(place), [""; 0]);
    let counts = of_kind(place, "Location").into_iter();
    let counts = counts.map(|record| record["number_of_events"].as_u64().expect("a number"));
    assert_eq!(counts.collect::<Vec<_>>(), events);
    if is_installed("otf2-print") {
        let printed = otf2_print(&["-A"], &place.anchor());
        assert!(printed.status.success() && printed.stderr.is_empty(), "{}", said(&printed));
    }
}

#[test]
fn they_become_a_part_of_the_trace() {
    let made = make_with(clock_alone(), &three(), |_| (0, 0));
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect_message(&ended, 0, "all that no global definition has");
    expect_named(
        &place,
        "SystemTreeNode",
        "parent",
        &[(0, "machine", ""), (1, "a", "machine"), (2, "b", "machine")],
    );
    expect_named(
        &place,
        "LocationGroup",
        "system_tree_parent",
        &[(0, "rank 0", "a"), (1, "rank 1", "b")],
    );
    let locations =
        [(0, "thread 0", "rank 0"), (100, "thread 1", "rank 0"), (200, "thread 2", "rank 1")];
    expect_named(&place, "Location", "location_group", &locations);
    assert_eq!(of_kind(&place, "Region").len(), 2);
    assert_eq!(of_kind(&place, "Comm").len(), 1);
    expect_whole(&place, &[2, 2, 2]);
    // Once more, and nothing changes.
    let (files, again) = (Files::read(&place.anchor()), Place::new());
    again.unified(&place.anchor(), &[]).assert_same(&files, "once more");
    #[cfg(feature = "ranks")]
    expect_same(&made, 0);
}

/// What others have brought together stays as it is, with its numbers.
#[test]
fn they_join_what_is_there() {
    let mut locals = [Local::default(), own(0, 1, "a", "process"), own(5, 2, "machine", "process")];
    // The process of location 2 is there already: it is on the machine itself.
    let definitions = &mut locals[2].definitions;
    let nodes = definitions.iter().position(|it| matches!(it, Definition::SystemTreeNode(_)));
    let Definition::SystemTreeNode(machine) = definitions.remove(nodes.expect("a node")) else {
        panic!()
    };
    for definition in definitions.iter_mut() {
        if let Definition::SystemTreeNode(node) = definition {
            assert_eq!(node.parent, machine.id);
            node.parent = SystemTreeNodeRef::UNDEFINED;
        }
    }
    let made = make_with(system(&locals[..1]), &locals, |_| (0, 0));
    let place = one_set(&made.anchor, &[]);
    expect_named(&place, "SystemTreeNode", "parent", &[(0, "machine", ""), (1, "a", "machine")]);
    expect_named(
        &place,
        "LocationGroup",
        "system_tree_parent",
        &[(0, "process", "machine"), (1, "process", "a")],
    );
    let locations =
        [(0, "thread", "process"), (100, "thread 1", "process"), (200, "thread 2", "process")];
    expect_named(&place, "Location", "location_group", &locations);
    let groups = of_kind(&place, "Location").into_iter();
    let groups = groups.map(|record| record["location_group"].as_u64());
    assert_eq!(groups.collect::<Vec<_>>(), [Some(0), Some(1), Some(0)]);
    expect_whole(&place, &[0, 2, 2]);
    #[cfg(feature = "ranks")]
    expect_same(&made, 0);
}

/// With mapping tables somebody has unified it, but for the location: its own strings count, and others are global.
#[test]
fn mapping_tables_lead_to_what_the_file_does_not_define() {
    let mut global = clock_alone();
    let (name, work) = (global.string("thread of a table"), RegionRef(0));
    global.region("work");
    if let Some(Definition::Region(region)) = global.all.last_mut() {
        region.id = work;
    }
    let mut defs = Defs::new(40);
    let machine = node(&mut defs, "machine", SystemTreeNodeRef::UNDEFINED);
    let group = process(&mut defs, "rank 0", machine);
    thread(&mut defs, location(0), "", group);
    if let Some(Definition::Location(location)) = defs.all.last_mut() {
        location.name = StringRef(5);
    }
    for (mapping_type, to) in [(MappingType::String, name.0), (MappingType::Region, work.0)] {
        let id_map = IdMap::Sparse(vec![(5, to.into())]);
        defs.add(Definition::MappingTable(MappingTable { mapping_type, id_map }));
    }
    let locals = [Local::new(defs, visit(RegionRef(5)))];
    let made = make_with(global, &locals, |_| (0, 0));
    let place = one_set(&made.anchor, &[]);
    expect_named(&place, "Location", "location_group", &[(0, "thread of a table", "rank 0")]);
    expect_named(&place, "LocationGroup", "system_tree_parent", &[(0, "rank 0", "machine")]);
    assert_eq!(of_kind(&place, "Region").len(), 1);
    expect_whole(&place, &[2]);
}

/// Parents in a circle, which is cut, as it is in all definitions.
#[test]
fn a_circle_of_nodes_ends() {
    let mut defs = Defs::new(0);
    let region = defs.region("work");
    let next = SystemTreeNodeRef(defs.number());
    let one = node(&mut defs, "one", next);
    let other = node(&mut defs, "other", one);
    if let Some(Definition::SystemTreeNode(node)) = defs.all.last_mut() {
        node.id = next;
    }
    assert_ne!(other, next);
    let group = process(&mut defs, "rank 0", next);
    thread(&mut defs, location(0), "thread", group);
    let made = make_with(clock_alone(), &[Local::new(defs, visit(region))], |_| (0, 0));
    let place = Place::new();
    expect_message(&place.unify(&made.anchor, &[]), 3, "0.def: SystemTreeNode");
    expect_whole(&place, &[2]);
    expect_named(&place, "Location", "location_group", &[(0, "thread", "rank 0")]);
}

/// What it is in nobody knows, which is told.
#[test]
fn a_group_that_nobody_defines_is_none() {
    let mut defs = Defs::new(0);
    let region = defs.region("work");
    thread(&mut defs, location(0), "thread", LocationGroupRef(17));
    let made = make_with(clock_alone(), &[Local::new(defs, visit(region))], |_| (0, 0));
    let place = Place::new();
    let told = "0.def: Location 0 leads to LocationGroup 17, which is not defined: undefined now";
    expect_message(&place.unify(&made.anchor, &[]), 3, told);
    let groups = of_kind(&place, "Location").into_iter();
    let groups: Vec<Value> = groups.map(|record| record["location_group"].clone()).collect();
    assert_eq!(groups, [Value::Null]);
}

/// Those whose files say nothing of them are told, and are no part of the trace.
#[test]
fn who_does_not_define_itself_is_lost() {
    let [one, mut two, three] = three();
    two.definitions.retain(|definition| !matches!(definition, Definition::Location(_)));
    let made = make_with(clock_alone(), &[one, two, three], |_| (0, 0));
    let file = made.anchor.with_extension("").join("200.def");
    let bytes = fs::read(&file).expect("a file");
    fs::write(&file, &bytes[..bytes.len() / 2]).expect("written");
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect_message(&ended, 3, "100.evt: nobody defines this location");
    expect_message(&ended, 3, "200.evt: nobody defines this location");
    expect_named(&place, "Location", "location_group", &[(0, "thread 0", "rank 0")]);
    #[cfg(feature = "ranks")]
    expect_same(&made, 3);
}

/// The second of two processes of one name is the second one for all.
#[test]
fn each_is_in_the_process_that_it_says() {
    let mut locals = Vec::new();
    for which in 0..3 {
        let mut defs = Defs::new(which as u32 * 5);
        let region = defs.region("work");
        let machine = node(&mut defs, "machine", SystemTreeNodeRef::UNDEFINED);
        let processes = [(); 2].map(|()| process(&mut defs, "process", machine));
        // Each says who is in which, as all do.
        for other in 0..3 {
            let of = processes[usize::from(other == 0)];
            thread(&mut defs, location(other), &format!("thread {other}"), of);
        }
        locals.push(Local::new(defs, visit(region)));
    }
    let made = make_with(clock_alone(), &locals, |_| (0, 0));
    let place = one_set(&made.anchor, &[]);
    let groups = of_kind(&place, "Location").into_iter();
    let groups = groups.map(|record| record["location_group"].as_u64());
    assert_eq!(groups.collect::<Vec<_>>(), [Some(1), Some(0), Some(0)]);
    assert_eq!(of_kind(&place, "LocationGroup").len(), 2);
    expect_whole(&place, &[2, 2, 2]);
    #[cfg(feature = "ranks")]
    expect_same(&made, 0);
}

/// Traces of such locations become one as their unified ones do.
#[test]
fn traces_of_them_are_merged() {
    let two = [(); 2].map(|()| make_with(clock_alone(), &three(), |_| (0, 0)));
    let merged = |from: [&Path; 2], ranks: usize| {
        let place = Place::new();
        let to = place.anchor();
        let [one, other] = from.map(OsStr::new);
        let args = [OsStr::new("merge"), one, other, OsStr::new("-o"), to.as_ref()];
        let ended = match ranks {
            0 => Some(streamfold(args).output().expect("the program runs")),
            ranks => on_ranks(ranks, args),
        };
        ended.map(|ended| {
            expect(&ended, 0);
            place
        })
    };
    let from = [&two[0], &two[1]].map(|made| made.anchor.as_path());
    let place = merged(from, 0).expect("one process");
    let [one, other] = from.map(|from| one_set(from, &[]));
    let expected = merged([&one.anchor(), &other.anchor()], 0).expect("one process");
    let kinds = ["Location", "LocationGroup", "SystemTreeNode", "Region", "Comm", "Group"];
    for kind in kinds {
        assert_eq!(of_kind(&place, kind).len(), of_kind(&expected, kind).len(), "{kind}");
    }
    let locations = |place: &Place| named(place, "Location", "location_group");
    assert_eq!(locations(&place), locations(&expected));
    assert_eq!(locations(&place).len(), 6);
    expect_whole(&place, &[2; 6]);
    let files = Files::read(&place.anchor());
    for ranks in 1..4 {
        let Some(other) = merged(from, ranks) else { break };
        Files::read(&other.anchor()).assert_same(&files, &format!("{ranks} ranks"));
    }
}

/// What is left of a run that died before anything was brought together.
#[test]
fn salvage_names_them() {
    let made = make_with(clock_alone(), &three(), |_| (0, 0));
    let expected = named(&one_set(&made.anchor, &[]), "Location", "location_group");
    for is_lost in [false, true] {
        if is_lost {
            fs::remove_file(&made.anchor).expect("an anchor");
            fs::remove_file(made.anchor.with_extension("def")).expect("global definitions");
        }
        let place = Place::new();
        let to = place.anchor();
        let from = made.anchor.with_extension("");
        let args = [OsStr::new("salvage"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
        let ended = streamfold(args).output().expect("the program runs");
        expect_message(&ended, 0, "3 locations are defined by their own files alone");
        assert_eq!(named(&place, "Location", "location_group"), expected);
        let unified = one_set(&place.anchor(), &[]);
        assert_eq!(named(&unified, "Location", "location_group"), expected);
        expect_whole(&unified, &[2, 2, 2]);
    }
}
