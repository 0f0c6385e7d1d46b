//! Definitions with which something is wrong: each case has an answer, and a message with the file, the
//! definition and what it leads to. docs/rules/unify.md lists them.

use streamfold::model::definitions::{
    CallingContext, CallingContextProperty, Definition, LocationGroupProperty, LocationProperty,
    ParadigmDef, Region, SystemTreeNode,
};
use streamfold::model::enums::{GroupType, Paradigm, ParadigmClass, Type};
use streamfold::model::ids::{
    CallingContextRef, LocationGroupRef, LocationRef, RegionRef, SourceCodeLocationRef, StringRef,
    SystemTreeNodeRef,
};
use streamfold::model::references::ReferenceKind;
use streamfold::model::values::TypedValue;

use crate::common::program::said;
use crate::common::reference::{is_installed, otf2_print};
use crate::common::small::{self, Order, Small};
use crate::unify::made::{make_with, of_kind, records, send, system, visit, Defs, Local, Made};
use crate::unify::{expect, expect_message, Place};

/// Which file of definitions has something wrong in it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum In {
    Global,
    /// That of the second location.
    Local,
}

impl In {
    const BOTH: [In; 2] = [In::Global, In::Local];

    fn file(self) -> &'static str {
        match self {
            In::Global => "/t.def: ",
            In::Local => "/t/100.def: ",
        }
    }
}

/// Three locations with a region each, and definitions that are added to one of the files.
fn made(which: In, add: impl Fn(&mut Defs)) -> Made {
    let local = |first: u32, add: &dyn Fn(&mut Defs)| {
        let mut defs = Defs::new(first);
        let region = defs.region("a");
        add(&mut defs);
        Local::new(defs, visit(region))
    };
    let nothing = |_: &mut Defs| {};
    let second: &dyn Fn(&mut Defs) = if which == In::Local { &add } else { &nothing };
    let locals = [local(0, &nothing), local(40, second), local(80, &nothing)];
    let mut global = system(&locals);
    if which == In::Global {
        add(&mut global);
    }
    make_with(global, &locals, |_| (0, 0))
}

/// Unifies an archive, which ends with this code and messages of that file.
#[track_caller]
fn told(made: &Made, which: In, code: i32, messages: &[&str]) -> Place {
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    let messages = messages.iter().map(|message| format!("{}{message}\n", which.file()));
    messages.for_each(|message| expect_message(&ended, code, &message));
    if is_installed("otf2-print") {
        assert!(otf2_print(&["-G"], &place.anchor()).status.success());
    }
    let strict = Place::new();
    let refused = strict.unify(&made.anchor, &["--strict"]);
    match code {
        0 => expect(&refused, 0),
        _ => {
            expect_message(&refused, 2, which.file());
            assert!(strict.left().is_empty(), "{:?}", strict.left());
        }
    }
    place
}

fn node(defs: &mut Defs, id: u32, parent: u32) {
    let name = defs.string(&format!("node {id}"));
    let (id, parent) = (SystemTreeNodeRef(id), SystemTreeNodeRef(parent));
    defs.add(Definition::SystemTreeNode(SystemTreeNode { id, name, class_name: name, parent }));
}

/// The nodes below another one, by number.
fn parents(place: &Place) -> Vec<(u64, Option<u64>)> {
    let nodes = of_kind(place, "SystemTreeNode");
    nodes.iter().map(|it| (it["id"].as_u64().expect("a number"), it["parent"].as_u64())).collect()
}

#[test]
fn parents_in_a_circle_are_a_loss() {
    for which in In::BOTH {
        let made = made(which, |defs| {
            [(500, 501), (501, 500), (502, 502)].into_iter().for_each(|(a, b)| node(defs, a, b));
        });
        let back = "and so back to itself: undefined now";
        let messages = [
            format!("SystemTreeNode 500: parent leads to SystemTreeNode 501, {back}"),
            format!("SystemTreeNode 502: parent leads to SystemTreeNode 502, {back}"),
        ];
        let place = told(&made, which, 3, &messages.each_ref().map(String::as_str));
        let parents = parents(&place);
        let without = parents.iter().filter(|(_, parent)| parent.is_none()).count();
        assert_eq!((parents.len(), without), (4, 3), "{which:?}: {parents:?}");
        // All others stay behind those that they lead to, in their order.
        assert!(parents.is_sorted(), "{which:?}: {parents:?}");
    }
}

/// Among global definitions they lead to the same number as before, which nothing else gets.
#[test]
fn parents_that_nobody_defines() {
    let to_nothing = |defs: &mut Defs| node(defs, 500, 3);
    let text = "SystemTreeNode 500: parent leads to SystemTreeNode 3, which is not defined";
    let place = told(&made(In::Global, to_nothing), In::Global, 0, &[&format!("{text}: it stays")]);
    assert_eq!(parents(&place), [(0, None), (500, Some(3))]);
    let text = &format!("{text}: undefined now");
    let place = told(&made(In::Local, to_nothing), In::Local, 3, &[text]);
    assert_eq!(parents(&place), [(0, None), (1, None)]);
}

/// Whatever the field is.
#[test]
fn other_references_that_nobody_defines() {
    let add = |defs: &mut Defs| {
        let name = defs.string("a name");
        defs.region("without a file");
        if let Some(Definition::Region(region)) = defs.all.last_mut() {
            region.id = RegionRef(600);
            region.source_file = StringRef(7_000);
        }
        defs.group(GroupType::Regions, &[600, 8_000]);
        if let Some(Definition::Group(it)) = defs.all.last_mut() {
            it.id.0 = 610;
        }
        defs.add(Definition::LocationGroupProperty(LocationGroupProperty {
            location_group: LocationGroupRef(5_000),
            name,
            value: TypedValue { value_type: Type::String, bits: 9_000 },
        }));
    };
    for (which, code, now) in [(In::Global, 0, "it stays"), (In::Local, 3, "undefined now")] {
        let of = match which {
            In::Global => "LocationGroupProperty",
            In::Local => "LocationGroupProperty of LocationGroup 5000",
        };
        let messages = [
            format!("Region 600: sourceFile leads to String 7000, which is not defined: {now}"),
            format!("Group 610: a member leads to Region 8000, which is not defined: {now}"),
            format!("{of}: locationGroup leads to LocationGroup 5000, which is not defined: {now}"),
            format!("{of}: value leads to String 9000, which is not defined: {now}"),
        ];
        told(&made(which, add), which, code, &messages.each_ref().map(String::as_str));
    }
}

/// What a property says counts for its calling context, too.
#[test]
fn each_is_told_once() {
    let add = |defs: &mut Defs| {
        let (name, region) = (defs.string("address"), defs.region("called"));
        let id = CallingContextRef(3);
        defs.add(Definition::CallingContext(CallingContext {
            id,
            region,
            source_code_location: SourceCodeLocationRef::UNDEFINED,
            parent: CallingContextRef::UNDEFINED,
        }));
        let value = TypedValue { value_type: Type::String, bits: 9_000 };
        let property = CallingContextProperty { calling_context: id, name, value };
        defs.add(Definition::CallingContextProperty(property));
    };
    for (which, code) in [(In::Global, 0), (In::Local, 3)] {
        let made = made(which, add);
        let ended = Place::new().unify(&made.anchor, &[]);
        expect(&ended, code);
        assert_eq!(said(&ended).matches("String 9000").count(), 1, "{}", said(&ended));
    }
}

/// Locations keep their numbers, whoever names them.
#[test]
fn locations_that_nobody_defines_stay() {
    let add = |defs: &mut Defs| {
        let name = defs.string("where");
        let value = TypedValue { value_type: Type::Location, bits: 999 };
        let property = LocationProperty { location: LocationRef(100), name, value };
        defs.add(Definition::LocationProperty(property));
        defs.group(GroupType::CommLocations, &[0, 100, 300, 400]);
        if let Some(Definition::Group(group)) = defs.all.last_mut() {
            group.id.0 = 610;
        }
    };
    for which in In::BOTH {
        let messages = [
            "LocationProperty of Location 100 leads to Location 999, which is not defined: it stays",
            "Group 610 leads to Location 300 and 1 more, which are not defined: it stays",
        ];
        let place = told(&made(which, add), which, 0, &messages);
        assert_eq!(of_kind(&place, "LocationProperty")[0]["value"], 999);
    }
}

#[test]
fn groups_larger_than_the_job_stay() {
    let add = |defs: &mut Defs| {
        defs.world(&[0, 100, 200]);
        defs.group(GroupType::CommGroup, &[0, 2, 3, 7]);
        if let Some(Definition::Group(group)) = defs.all.last_mut() {
            group.id.0 = 610;
        }
    };
    for which in In::BOTH {
        let text = "Group 610 leads to rank 3 of 3 and 1 more, which are not defined: it stays";
        let place = told(&made(which, add), which, 0, &[text]);
        let groups = of_kind(&place, "Group");
        assert_eq!(groups[2]["members"], serde_json::json!([0, 2, 3, 7]));
    }
}

/// All that they say stays; events mean the last one.
#[test]
fn one_number_for_two_things() {
    let add = |defs: &mut Defs| {
        for name in ["first", "second"] {
            defs.region(name);
            if let Some(Definition::Region(region)) = defs.all.last_mut() {
                region.id = RegionRef(600);
            }
        }
    };
    let text = "Region 600 is defined 2 times, and not as the same: all stay, and events mean the \
                last one";
    for which in In::BOTH {
        let place = told(&made(which, add), which, 0, &[text]);
        assert_eq!(of_kind(&place, "Region").len(), 3);
    }
    // Twice the same is nothing to speak of.
    let twice = |defs: &mut Defs| {
        defs.region("first");
        let Some(Definition::Region(region)) = defs.all.last().cloned() else { return };
        defs.add(Definition::Region(Region { ..region }));
    };
    for which in In::BOTH {
        let ended = Place::new().unify(&made(which, twice).anchor, &[]);
        expect(&ended, 0);
        assert!(!said(&ended).contains("is defined 2 times"), "{}", said(&ended));
    }
}

fn paradigm(defs: &mut Defs, name: &str) {
    let name = defs.string(name);
    let (paradigm, paradigm_class) = (Paradigm::Mpi, ParadigmClass::Process);
    defs.add(Definition::ParadigmDef(ParadigmDef { paradigm, name, paradigm_class }));
}

#[test]
fn a_location_that_is_defined_twice_stays_twice() {
    let add = |defs: &mut Defs| {
        let all = defs.all.clone();
        let of = |it: &Definition| it.defines() == Some((ReferenceKind::Location, 100));
        let Some(Definition::Location(mut location)) = all.into_iter().find(of) else { return };
        location.number_of_events += 1;
        defs.add(Definition::Location(location));
    };
    let text = "Location 100 is defined 2 times, and not as the same: all stay";
    told(&made(In::Global, add), In::Global, 0, &[text]);
}

#[test]
fn a_paradigm_that_is_defined_twice_stays_twice() {
    let add = |defs: &mut Defs| ["MPI", "another MPI"].iter().for_each(|name| paradigm(defs, name));
    let made = made(In::Global, add);
    let text =
        format!("Paradigm 4 contradicts that of {}", made.folder.path().join("t.def").display());
    let place = told(&made, In::Global, 0, &[&format!("{text}: both stay")]);
    assert_eq!(of_kind(&place, "Paradigm").len(), 2);
}

/// A communicator of these ranks at each location.
fn rows(of: &[&[&[u64]]]) -> Made {
    let all: Vec<u64> = (0..of.len() as u64).map(|which| which * 100).collect();
    let local = |(which, rows): (usize, &&[&[u64]])| {
        let mut defs = Defs::new(which as u32 * 50);
        let (_, world) = defs.world(&all);
        let mut events = vec![send(world, 1)];
        for row in *rows {
            let group = defs.group(GroupType::CommGroup, row);
            events.push(send(defs.comm("row", group, world), 2));
        }
        Local::new(defs, events)
    };
    let locals: Vec<Local> = of.iter().enumerate().map(local).collect();
    make_with(system(&locals), &locals, |_| (0, 0))
}

const TEXT: &str =
    "says that this location is a member, has the same name and parent, and is not defined \
                    here: both stay";

/// Location 0 says that location 100 is in its row, which is in another one.
#[test]
fn members_that_disagree_are_told() {
    let made = rows(&[&[&[0, 1]], &[&[1, 2]], &[&[1, 2]]]);
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect_message(&ended, 0, "/t/100.def: Comm 57: Comm 7 of ");
    expect_message(&ended, 0, &format!("/t/0.def {TEXT}"));
    assert_eq!(said(&ended).matches(TEXT).count(), 1, "{}", said(&ended));
    assert_eq!(of_kind(&place, "Comm").len(), 3, "the world and two rows");
    let sent = |location: u64| {
        let of = |it: &serde_json::Value| it["location"] == location && it["msg_tag"] == 2;
        let found = records(&place, &[]).into_iter().find(of).expect("a message");
        found["communicator"].as_u64()
    };
    assert_ne!(sent(0), sent(100));
    assert_eq!(sent(100), sent(200));
}

/// Splits of the world have one name; whoever is in one has it, and may be in another one.
#[test]
fn members_that_agree_are_not_told() {
    let all: [&[&[&[u64]]]; 3] = [
        &[&[&[0, 1]], &[&[0, 1]], &[&[2, 3]], &[&[2, 3]]],
        &[&[&[0, 1], &[0, 2]], &[&[0, 1], &[1, 3]], &[&[2, 3], &[0, 2]], &[&[2, 3], &[1, 3]]],
        // Some say nothing.
        &[&[&[0, 1]], &[], &[]],
    ];
    for of in all {
        let ended = Place::new().unify(&rows(of).anchor, &[]);
        expect(&ended, 0);
        assert!(!said(&ended).contains(TEXT), "{of:?}: {}", said(&ended));
    }
}

/// Of very many the first ones are told, the rest is counted.
#[test]
fn many_are_counted() {
    let add = |defs: &mut Defs| (0..5_000).for_each(|id| node(defs, 500 + id, 1_000_000 + id));
    for (which, code, count) in
        [(In::Global, 0, "and 4 980 more of that kind"), (In::Local, 3, "5 000 losses")]
    {
        let ended = Place::new().unify(&made(which, add).anchor, &[]);
        expect_message(&ended, code, count);
        let lines = said(&ended);
        let named = lines.lines().filter(|line| line.contains("is not defined:")).count();
        assert_eq!(named, 20, "{lines}");
    }
}

/// All of the above at once.
#[cfg(feature = "ranks")]
fn all_wrong(defs: &mut Defs) {
    use streamfold::model::ids::{CommRef, GroupRef};

    for (id, parent) in [(500, 501), (501, 500), (502, 7_000)] {
        node(defs, id, parent);
    }
    defs.group(GroupType::CommGroup, &[0, 2, 3, 7]);
    for name in ["first", "second"] {
        defs.region(name);
        if let Some(Definition::Region(region)) = defs.all.last_mut() {
            region.id = RegionRef(600);
        }
    }
    defs.comm("nobody's", GroupRef(9_000), CommRef(9_001));
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_says_the_same() {
    let locals: Vec<Local> = (0..5)
        .map(|which| {
            let mut defs = Defs::new(which * 40);
            let region = defs.region("a");
            defs.world(&[0, 100, 200]);
            all_wrong(&mut defs);
            Local::new(defs, visit(region))
        })
        .collect();
    let mut global = system(&locals);
    all_wrong(&mut global);
    ["MPI", "another MPI"].iter().for_each(|name| paradigm(&mut global, name));
    let made = make_with(global, &locals, |_| (0, 0));
    let told = crate::unify::on_ranks::expect_same(&made, 3);
    assert!(told.len() > 20, "{told:#?}");
}

/// The new archive announces as many as there are; what was announced is told.
#[test]
fn an_anchor_that_announces_other_locations_is_told() {
    let mut small = Small::new(Order::Little);
    small.anchor = small::anchor(Order::Little, 5, 7);
    let small = small.write();
    for way in [&[][..], &["--rewrite-events"]] {
        let ended = Place::new().unify(&small.anchor(), way);
        let part = "t.def: the anchor announces 5 locations, here are 2";
        expect_message(&ended, 0, part);
        assert!(said(&ended).contains("streamfold: warning: "), "{}", said(&ended));
    }
}
