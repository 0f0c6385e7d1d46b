//! What is the same and what is not, where references lead nowhere or in circles, and what the global
//! definitions have already.

use serde_json::Value;
use streamfold::model::definitions::{
    Definition, LocationGroupProperty, MappingTable, Region, StringDef, SystemTreeNode,
};
use streamfold::model::enums::{GroupType, MappingType, Type};
use streamfold::model::events::Event;
use streamfold::model::ids::{LocationGroupRef, RegionRef, StringRef, SystemTreeNodeRef};
use streamfold::model::values::{IdMap, TypedValue};

use crate::common::files::Files;
use crate::common::program::said;
use crate::unify::made::{
    defects, location, make, make_with, of_kind, records, system, visit, Defs, Local, Made,
};
use crate::unify::{expect, one_set, Place};

/// The names of the regions that a location enters.
fn entered(place: &Place, which: usize) -> Vec<String> {
    let of =
        |record: &Value| record["record"] == "Enter" && record["location"] == location(which).0;
    let all = records(place, &[]);
    all.iter().filter(|record| of(record)).map(|it| it["region_name"].to_string()).collect()
}

fn strings(place: &Place) -> Vec<String> {
    let all = of_kind(place, "String");
    all.iter().map(|it| it["string"].as_str().expect("text").to_owned()).collect()
}

#[test]
fn names_that_locations_number_differently() {
    let local = |first: u32, names: [&str; 3]| {
        let mut defs = Defs::new(first);
        let regions = names.map(|name| defs.region(name));
        Local::new(defs, regions.into_iter().flat_map(visit).collect::<Vec<_>>())
    };
    let made = make(&[local(0, ["a", "b", "c"]), local(1, ["c", "d", "a"])]);
    let place = one_set(&made.anchor, &[]);
    assert_eq!(entered(&place, 0), ["\"a\"", "\"b\"", "\"c\""]);
    assert_eq!(entered(&place, 1), ["\"c\"", "\"d\"", "\"a\""]);
    // Global ones first, then those of locations in the order in which they appear.
    assert_eq!(strings(&place), ["machine", "class", "process", "thread", "a", "", "b", "c", "d"]);
    assert_eq!(of_kind(&place, "Region").len(), 4);
    let numbers: Vec<_> = of_kind(&place, "Region").iter().map(|it| it["id"].as_u64()).collect();
    assert_eq!(numbers, [Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!(defects(&place), [""; 0]);
}

/// The numbers of a location say nothing about what is global.
#[test]
fn what_is_global_already_keeps_its_number() {
    let local = |first: u32| {
        let mut defs = Defs::new(first);
        let regions = ["global", "own"].map(|name| defs.region(name));
        Local::new(defs, regions.into_iter().flat_map(visit).collect::<Vec<_>>())
    };
    let locals = [local(0), local(300)];
    let mut global = system(&locals);
    // Numbers with a gap in front of them.
    let name = global.string("global");
    let empty = global.string("");
    let Definition::Region(region) = ({
        let mut other = Defs::new(0);
        other.region("global");
        other.all.pop().expect("a region")
    }) else {
        panic!("a region")
    };
    let id = RegionRef(77);
    let (description, source_file, canonical_name) = (empty, empty, name);
    let region = Region { id, name, description, source_file, canonical_name, ..region };
    global.add(Definition::Region(region));
    let made = make_with(global, &locals, |_| (0, 0));
    let place = one_set(&made.anchor, &[]);
    for which in [0, 1] {
        assert_eq!(entered(&place, which), ["\"global\"", "\"own\""]);
    }
    let regions = of_kind(&place, "Region");
    assert_eq!(regions.len(), 2);
    assert_eq!(regions[0]["id"], 77);
    assert_eq!(strings(&place).iter().filter(|it| *it == "global").count(), 1);
    assert_eq!(defects(&place), [""; 0]);
}

/// The members of groups, by their names.
fn members(place: &Place) -> Vec<(u64, Vec<String>)> {
    let regions = of_kind(place, "Region").into_iter();
    let named = |it: Value| (it["id"].as_u64(), it["name_text"].as_str().unwrap().to_owned());
    let regions: std::collections::BTreeMap<_, _> = regions.map(named).collect();
    let groups = of_kind(place, "Group").into_iter();
    let groups = groups.map(|group| {
        let members = group["members"].as_array().expect("members").iter();
        let members = members.map(|member| regions[&member.as_u64()].clone());
        (group["id"].as_u64().expect("a number"), members.collect())
    });
    groups.collect()
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Regions that say the same are one: groups have it once, and those that have the same members then are one.
#[test]
fn members_that_are_one_stand_once_in_groups() {
    let regions = |defs: &mut Defs| {
        let names = ["b", "a", "b", "c", "a"];
        names.map(|name| u64::from(defs.region(name).0))
    };
    let groups = |defs: &mut Defs, [b, a, again, c, last]: [u64; 5]| {
        for members in [&[b, a, again, c][..], &[b, last, c], &[a, last], &[again, b, a]] {
            defs.group(GroupType::Regions, members);
        }
    };
    let defined = || {
        let mut defs = Defs::new(0);
        let all = regions(&mut defs);
        groups(&mut defs, all);
        Local::new(defs, [])
    };
    let expected = [texts(&["b", "a", "c"]), texts(&["a"]), texts(&["b", "a"])];
    // Of locations.
    let place = one_set(&make(&[defined(), defined()]).anchor, &[]);
    let found: Vec<_> = members(&place).into_iter().map(|(_, members)| members).collect();
    assert_eq!(found, expected);
    // Global ones, where locations say nothing.
    let locals = [Local::default(), Local::default()];
    let mut global = system(&locals);
    let all = regions(&mut global);
    groups(&mut global, all);
    let place = one_set(&make_with(global, &locals, |_| (0, 0)).anchor, &[]);
    let found: Vec<_> = members(&place).into_iter().map(|(_, members)| members).collect();
    assert_eq!(found, expected);
    assert_eq!(defects(&place), [""; 0]);
}

/// A group that leads to regions which only other definitions define waits for these.
#[test]
fn members_that_are_one_elsewhere_stand_once_too() {
    let mut own = Defs::new(1_000);
    let mine = u64::from(own.region("a").0);
    let locals_of = |defs: Defs| [Local::new(defs, []), Local::default()];
    let mut global = system(&[Local::default(), Local::default()]);
    let [one, other] = ["a", "z"].map(|name| u64::from(global.region(name).0));
    own.group(GroupType::Regions, &[mine, one, other, one]);
    let made = make_with(global, &locals_of(own), |_| (0, 0));
    let place = one_set(&made.anchor, &[]);
    let found: Vec<_> = members(&place).into_iter().map(|(_, members)| members).collect();
    assert_eq!(found, [texts(&["a", "z"])]);
}

/// Places in lists of locations, and ranks in groups, are what ranks in events mean.
#[test]
fn ranks_stand_where_they_stand() {
    let locals = [Local::default(), Local::default()];
    let mut global = system(&locals);
    for name in ["a", "a"] {
        global.region(name);
    }
    global.group(GroupType::CommLocations, &[100, 0, 100]);
    global.group(GroupType::CommGroup, &[1, 0, 1]);
    global.group(GroupType::Locations, &[100, 0, 100]);
    let place = one_set(&make_with(global, &locals, |_| (0, 0)).anchor, &[]);
    let groups = of_kind(&place, "Group");
    let members: Vec<_> = groups.iter().map(|group| group["members"].to_string()).collect();
    assert_eq!(members, ["[100,0,100]", "[1,0,1]", "[100,0,100]"]);
}

/// Locations that differ in one field alone have two definitions.
#[test]
fn one_field_makes_a_difference() {
    let local = |line: u32| {
        let mut defs = Defs::new(0);
        let region = defs.region("a");
        if let Some(Definition::Region(region)) = defs.all.last_mut() {
            region.end_line_number = line;
        }
        Local::new(defs, visit(region))
    };
    let place = one_set(&make(&[local(5), local(6), local(5)]).anchor, &[]);
    let lines: Vec<_> =
        of_kind(&place, "Region").iter().map(|it| it["end_line_number"].as_u64()).collect();
    assert_eq!(lines, [Some(5), Some(6)]);
}

/// Strings are bytes.
#[test]
fn strings_are_compared_by_their_bytes() {
    let local = |texts: &[&[u8]]| {
        let mut defs = Defs::new(10);
        for text in texts {
            let id = StringRef(defs.number());
            defs.add(Definition::StringDef(StringDef { id, string: (*text).into() }));
        }
        Local::new(defs, [])
    };
    let long = vec![b'x'; 300_000];
    let made = make(&[
        local(&["grün".as_bytes(), b"gr\xfcn", b"", &long[..250_000]]),
        local(&[b"gr\xfcn", "gru\u{308}n".as_bytes(), b"", &long[..250_000]]),
    ]);
    let place = one_set(&made.anchor, &[]);
    assert_eq!(of_kind(&place, "String").len(), 4 + 5);
}

/// A tree whose nodes lead to each other has no begin; events of the location are not touched by it.
fn in_a_circle(global: bool) -> Made {
    let circle = |defs: &mut Defs, base: u32| {
        let name = defs.string("a node in a circle");
        let node = |id, parent| {
            let (id, parent) = (SystemTreeNodeRef(base + id), SystemTreeNodeRef(base + parent));
            Definition::SystemTreeNode(SystemTreeNode { id, name, class_name: name, parent })
        };
        [node(0, 1), node(1, 0), node(2, 2)].into_iter().for_each(|node| defs.add(node));
    };
    let local = |first: u32| {
        let mut defs = Defs::new(first);
        if !global {
            circle(&mut defs, first + 10);
        }
        let region = defs.region("a");
        Local::new(defs, visit(region))
    };
    let locals = [local(0), local(50)];
    let mut defs = system(&locals);
    if global {
        circle(&mut defs, 10);
    }
    make_with(defs, &locals, |_| (0, 0))
}

#[test]
fn references_in_a_circle_come_to_an_end() {
    for global in [false, true] {
        let made = in_a_circle(global);
        let place = Place::new();
        let ended = place.unify(&made.anchor, &[]);
        expect(&ended, 3);
        assert!(said(&ended).contains("in a circle"), "{global}: {}", said(&ended));
        for which in [0, 1] {
            assert_eq!(entered(&place, which), ["\"a\""], "{global}");
        }
        // No path is endless now, and nothing is left to be done.
        let again = Place::new();
        expect(&again.unify(&place.anchor(), &[]), 0);
        Files::read(&again.anchor()).assert_same(&Files::read(&place.anchor()), "again");
        let nodes = of_kind(&place, "SystemTreeNode");
        let parent = |id: u64| {
            let node = nodes.iter().find(|node| node["id"] == id);
            node.and_then(|node| node["parent"].as_u64())
        };
        for node in &nodes {
            let first = node["id"].as_u64();
            let path = std::iter::successors(first, |id| parent(*id)).take(100);
            assert!(path.count() < 100, "{global}: {nodes:#?}");
        }
    }
}

/// What leads nowhere: the name of one region, the value of a property. Those that lead nowhere in the
/// same way are the same.
#[test]
fn references_to_nothing_stay_references_to_nothing() {
    let local = |first: u32, nothing: u32| {
        let mut defs = Defs::new(first);
        let fine = defs.region("fine");
        let lost = defs.region("soon without a name");
        if let Some(Definition::Region(region)) = defs.all.last_mut() {
            region.source_file = StringRef(nothing);
        }
        defs.add(Definition::LocationGroupProperty(LocationGroupProperty {
            location_group: LocationGroupRef(5_000),
            name: StringRef(nothing),
            value: TypedValue { value_type: Type::String, bits: nothing.into() },
        }));
        let undefined = RegionRef(4_000_000);
        let regions = [fine, lost, undefined];
        Local::new(defs, regions.into_iter().flat_map(visit).collect::<Vec<_>>())
    };
    let made = make(&[local(0, 7_000), local(20, 7_000)]);
    for way in [&[][..], &["--rewrite-events"]] {
        let place = Place::new();
        expect(&place.unify(&made.anchor, way), 3);
        for which in [0, 1] {
            let names = entered(&place, which);
            assert_eq!(names[..2], ["\"fine\"", "\"soon without a name\""], "{names:?}");
        }
        let regions = of_kind(&place, "Region");
        assert_eq!(regions.len(), 2, "{regions:#?}");
        // It must not lead to what another one has under that number by chance.
        let strings = of_kind(&place, "String");
        let file = &regions[1]["source_file"];
        assert!(strings.iter().all(|string| string["id"] != *file), "{file}");
        let once = Files::read(&place.anchor());
        Place::new().unified(&place.anchor(), way).assert_same(&once, "once more");
    }
}

/// One location has a table already, and so has unified what it says; its definitions are what they are
/// for those who want to see them. The other one has none.
#[test]
fn tables_stay_beside_definitions_that_nobody_has_unified() {
    let mut defs = Defs::new(0);
    defs.region("ignored");
    let mut mapped = Local::new(defs, visit(RegionRef(3)));
    mapped.definitions.push(Definition::MappingTable(MappingTable {
        mapping_type: MappingType::Region,
        id_map: IdMap::Sparse(vec![(3, 40)]),
    }));
    let mut defs = Defs::new(0);
    let own = ["own", "global"].map(|name| defs.region(name));
    let plain = Local::new(defs, own.into_iter().flat_map(visit).collect::<Vec<_>>());
    let locals = [mapped, plain];
    let mut global = Defs::new(40);
    global.region("global");
    // Its string has the number 40, too.
    let region = global.all.pop().expect("a region");
    let Definition::Region(region) = region else { panic!("a region") };
    let strings = std::mem::take(&mut global.all);
    let mut global = system(&locals);
    global.all.extend(strings);
    global.add(Definition::Region(Region { id: RegionRef(40), ..region }));
    let made = make_with(global, &locals, |_| (0, 0));
    let before = Files::read(&made.anchor);
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect(&ended, 0);
    let told = "1 with definitions of their own, 1 with mapping tables";
    assert!(said(&ended).contains(told), "{}", said(&ended));
    assert_eq!(entered(&place, 0), ["\"global\""]);
    assert_eq!(entered(&place, 1), ["\"own\"", "\"global\""]);
    let names: Vec<_> =
        of_kind(&place, "Region").iter().map(|it| it["name_text"].to_string()).collect();
    assert_eq!(names, ["\"global\"", "\"own\""]);
    let after = Files::read(&place.anchor());
    assert_eq!(after.get("/0.def"), before.get("/0.def"), "kept as it is");
}

/// Global definitions that say the same twice, below tables that lead to both.
#[test]
fn tables_follow_the_global_definitions() {
    let mapped = |to: [u64; 2]| {
        let events = [RegionRef(0), RegionRef(1)].into_iter().flat_map(visit);
        let mut local = Local::new(Defs::new(0), events.collect::<Vec<Event<'static>>>());
        local.definitions.push(Definition::MappingTable(MappingTable {
            mapping_type: MappingType::Region,
            id_map: IdMap::Dense(to.to_vec()),
        }));
        local
    };
    let locals = [mapped([50, 51]), mapped([52, 51]), mapped([53, 50])];
    let mut global = system(&locals);
    for (id, name) in [(50, "a"), (51, "b"), (52, "a"), (53, "c")] {
        global.region(name);
        if let Some(Definition::Region(region)) = global.all.last_mut() {
            region.id = RegionRef(id);
        }
    }
    let made = make_with(global, &locals, |_| (0, 0));
    for way in [&[][..], &["--rewrite-events"]] {
        let place = one_set(&made.anchor, way);
        assert_eq!(entered(&place, 0), ["\"a\"", "\"b\""]);
        assert_eq!(entered(&place, 1), ["\"a\"", "\"b\""]);
        assert_eq!(entered(&place, 2), ["\"c\"", "\"a\""]);
        let numbers: Vec<_> =
            of_kind(&place, "Region").iter().map(|it| it["id"].as_u64()).collect();
        assert_eq!(numbers, [Some(0), Some(1), Some(2)], "without gaps, in the order of the file");
        assert_eq!(defects(&place), [""; 0]);
    }
}
