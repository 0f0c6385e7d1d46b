//! Files of definitions of locations with records that this version does not know: what leads to what in them nobody can
//! tell, so they stay as they are, and are told where numbers become others.

use std::fs;
use std::path::Path;

use streamfold::model::definitions::{Definition, Location, MappingTable};
use streamfold::model::enums::{LocationType, MappingType};
use streamfold::model::ids::{LocationGroupRef, RegionRef};
use streamfold::model::values::IdMap;

use crate::common::files::Files;
use crate::common::program::said;
use crate::unify::made::{location, make, make_with, of_kind, system, visit, Defs, Local, Made};
use crate::unify::{expect, expect_message, Place};

/// A record of a kind that nobody has defined yet.
const UNKNOWN: [u8; 4] = [200, 2, 1, 1];
const TOLD: &str = "0.def: 1 record of a kind that is not known: numbers in them stay as they are";

/// The kinds of records that the file of definitions of a location may have here.
const MAPPING_TABLE: u8 = 5;
const CLOCK_OFFSET: u8 = 6;

fn file(anchor: &Path) -> std::path::PathBuf {
    anchor.with_extension("").join("0.def")
}

/// Adds a record of an unknown kind to the definitions of location 0, behind all others.
fn with_unknown(made: Made) -> Made {
    let path = file(&made.anchor);
    let mut bytes = fs::read(&path).expect("a file");
    let end = bytes.split_off(bytes.len() - 2);
    assert_eq!(end, [2, 1], "the end of the file");
    fs::write(&path, [&bytes[..], &UNKNOWN, &end].concat()).expect("written");
    made
}

/// The kinds of the records in the definitions of location 0.
fn kinds(place: &Place) -> Vec<u8> {
    let bytes = fs::read(file(&place.anchor())).expect("a file");
    let (mut kinds, mut rest) = (Vec::new(), &bytes[18..]);
    while rest[0] != 2 {
        kinds.push(rest[0]);
        rest = &rest[2 + usize::from(rest[1])..];
    }
    kinds
}

/// The location itself, named so, as its own file defines it.
fn itself(defs: &mut Defs, name: &str) {
    let name = defs.string(name);
    defs.add(Definition::Location(Location {
        id: location(0),
        name,
        location_type: LocationType::CpuThread,
        number_of_events: 2,
        location_group: LocationGroupRef(0),
    }));
}

#[test]
fn definitions_beside_them_go() {
    let mut defs = Defs::new(0);
    let region = defs.region("a");
    itself(&mut defs, "thread");
    let made = with_unknown(make(&[Local::new(defs, visit(region))]));
    let place = Place::new();
    expect_message(&place.unify(&made.anchor, &[]), 3, TOLD);
    // Of strings and of regions.
    assert_eq!(kinds(&place), [CLOCK_OFFSET, 200, MAPPING_TABLE, MAPPING_TABLE]);
    assert_eq!(of_kind(&place, "Region").len(), 1);
    // Once more, and nothing changes.
    let (files, again) = (Files::read(&place.anchor()), Place::new());
    expect(&again.unify(&place.anchor(), &[]), 0);
    Files::read(&again.anchor()).assert_same(&files, "once more");
    // Events cannot be written anew for them.
    let place = Place::new();
    let ended = place.unify(&made.anchor, &["--rewrite-events"]);
    expect_message(&ended, 3, "1 record of a kind that is not known: left out");
    assert_eq!(kinds(&place), [CLOCK_OFFSET]);
}

/// It says something else of the location, and is left out as it is told.
#[test]
fn a_location_alone_goes() {
    let mut defs = Defs::new(0);
    itself(&mut defs, "another");
    defs.all.retain(|definition| matches!(definition, Definition::Location(_)));
    let mut locals = [Local::new(defs, [])];
    if let Definition::Location(location) = &mut locals[0].definitions[0] {
        // A global string: the name of the machine.
        location.name.0 = 0;
    }
    let made = with_unknown(make(&locals));
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect_message(&ended, 3, "which counts, by its name: left out");
    assert_eq!(kinds(&place), [CLOCK_OFFSET, 200]);
}

/// Global numbers become others, and the mapping table with them.
#[test]
fn they_are_told_beside_mapping_tables() {
    let mut global = Defs::new(50);
    let regions = ["a", "b"].map(|name| global.region(name).0);
    let mut twice = global.all.clone();
    for definition in &mut twice {
        if let Definition::Region(region) = definition {
            region.id.0 += 100;
        }
    }
    global.all.extend(twice.into_iter().filter(|it| matches!(it, Definition::Region(_))));
    let mut defs = Defs::new(0);
    defs.add(Definition::MappingTable(MappingTable {
        mapping_type: MappingType::Region,
        id_map: IdMap::Sparse(vec![(0, u64::from(regions[0]) + 100), (1, regions[1].into())]),
    }));
    let locals = [Local::new(defs, visit(RegionRef(0)))];
    let mut all = system(&locals);
    all.all.extend(global.all);
    let made = with_unknown(make_with(all, &locals, |_| (0, 0)));
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    expect_message(&ended, 3, TOLD);
    assert_eq!(said(&ended).matches("not known").count(), 1, "{}", said(&ended));
    assert_eq!(kinds(&place), [MAPPING_TABLE, CLOCK_OFFSET, 200]);
    assert_eq!(of_kind(&place, "Region").len(), 2);
}
