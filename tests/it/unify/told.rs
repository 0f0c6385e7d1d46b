//! What is told of definitions of locations that others contradict, and of what is written.

use std::fs;
use std::path::Path;

use streamfold::model::definitions::{Definition, Location, MappingTable};
use streamfold::model::enums::{LocationType, MappingType};
use streamfold::model::ids::{LocationGroupRef, LocationRef, StringRef};
use streamfold::model::values::IdMap;

use crate::common::program::said;
use crate::unify::made::{
    everything, location, make, make_with, of_kind, system, visit, Defs, Local,
};
use crate::unify::{expect, expect_message, one_set, Place};

/// A file that defines a location, named so, of this type and in this group.
fn claims(of: LocationRef, name: &str, location_type: LocationType, group: u32) -> Local {
    let mut defs = Defs::new(0);
    let region = defs.region("a");
    let name = if name.is_empty() { StringRef::UNDEFINED } else { defs.string(name) };
    defs.add(Definition::Location(Location {
        id: of,
        name,
        location_type,
        number_of_events: 77,
        location_group: LocationGroupRef(group),
    }));
    Local::new(defs, visit(region))
}

#[test]
fn a_location_that_says_something_else_of_itself_is_told() {
    let cpu = LocationType::CpuThread;
    let none = u32::MAX;
    for (name, location_type, group, field) in [
        ("other", cpu, 0, "name"),
        ("thread", LocationType::Metric, 0, "type"),
        ("thread", cpu, 1, "group"),
    ] {
        let own = claims(location(0), name, location_type, group);
        let made = make(&[own, claims(location(1), "thread", cpu, 1)]);
        let place = Place::new();
        let ended = place.unify(&made.anchor, &[]);
        let text = format!(
            "0.def: Location 0 contradicts its global definition, which counts, by its {field}"
        );
        expect_message(&ended, 3, &text);
        assert_eq!(of_kind(&place, "Location").len(), 2);
    }
    let same = [claims(location(0), "thread", cpu, 0), claims(location(1), "", cpu, none)];
    one_set(&make(&same).anchor, &[]);
    let unknown = [claims(LocationRef(7), "thread", cpu, 0), claims(location(1), "", cpu, none)];
    let ended = Place::new().unify(&make(&unknown).anchor, &[]);
    expect_message(&ended, 3, "Location 7 is not among the global definitions");
}

/// Where there are mapping tables somebody has unified it, and the file stays as it is.
#[test]
fn definitions_beside_mapping_tables_contradict_nobody() {
    let mut own = claims(location(0), "other", LocationType::Metric, 1);
    let mut global = Defs::new(50);
    let region = global.region("a");
    let id_map = IdMap::Sparse(vec![(0, region.0.into())]);
    let mapping_type = MappingType::Region;
    own.definitions.push(Definition::MappingTable(MappingTable { mapping_type, id_map }));
    let locals = [own, Local::default()];
    let mut all = system(&locals);
    all.all.extend(global.all);
    let made = make_with(all, &locals, |_| (0, 0));
    let place = one_set(&made.anchor, &[]);
    let file = |anchor: &Path| fs::read(anchor.with_extension("").join("0.def")).expect("a file");
    assert_eq!(file(&place.anchor()), file(&made.anchor));
}

#[test]
fn tables_that_are_not_written_are_not_counted() {
    let (_folder, anchor) = everything();
    let place = Place::new();
    let ended = place.unify(&anchor, &[]);
    expect(&ended, 0);
    assert!(!said(&ended).contains(" 0 mapping tables written"), "{}", said(&ended));
    let again = Place::new().unify(&place.anchor(), &[]);
    expect_message(&again, 0, "streamfold: 0 mapping tables written; ");
    assert!(said(&again).contains(" as they were; 0 not"), "{}", said(&again));
    let ended = Place::new().unify(&anchor, &["--rewrite-events"]);
    expect_message(&ended, 0, "streamfold: 0 mapping tables written; 0 not");
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_tells_the_same() {
    use crate::unify::on_ranks::expect_same;

    let cpu = LocationType::CpuThread;
    let made = make(&[
        claims(location(0), "other", cpu, 0),
        claims(location(1), "thread", LocationType::Metric, 1),
        claims(location(2), "thread", cpu, 0),
        claims(LocationRef(7), "thread", cpu, 3),
        claims(location(4), "thread", cpu, 4),
    ]);
    assert_eq!(expect_same(&made, 3).len(), 4);
}
