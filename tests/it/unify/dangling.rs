//! Mapping tables and markers that lead to what nobody defines: all stays where no definition gets a number, else
//! it leads nowhere, since its number may be that of something else.

use streamfold::formats::otf2::ArchiveWriter;
use streamfold::model::definitions::{Definition, MappingTable};
use streamfold::model::enums::{MappingType, MarkerScope, MarkerSeverity};
use streamfold::model::ids::MarkerRef;
use streamfold::model::markers::{DefMarker, Marker, MarkerRecord};
use streamfold::model::values::IdMap;

use crate::common::files::Files;
use crate::unify::made::{defects, make_with, system, visit, Defs, Local, Made};
use crate::unify::{expect, expect_message, Place};

/// A marker of a group.
fn write_marker(archive: &ArchiveWriter, scope: u64) {
    let definition = DefMarker {
        id: MarkerRef(0),
        marker_group: "group".into(),
        marker_category: "category".into(),
        severity: MarkerSeverity::Low,
    };
    let marker = Marker {
        timestamp: 15,
        duration: 2,
        marker: MarkerRef(0),
        marker_scope: MarkerScope::Group,
        scope,
        text: "a marker".into(),
    };
    let mut markers = archive.markers();
    markers.write(&MarkerRecord::DefMarker(definition)).expect("a definition");
    markers.write(&MarkerRecord::Marker(marker)).expect("a marker");
    markers.finish().expect("a file");
}

/// The first location has a mapping table; the second one definitions, if it is to have them.
fn made(with_definitions: bool) -> Made {
    let mut own = Defs::new(60);
    let region = own.region("a");
    let mut mapped = Local::new(Defs::new(0), visit(region));
    let pairs = vec![(7, 700), (8, u64::MAX), (9, 701)];
    mapped.definitions.push(Definition::MappingTable(MappingTable {
        mapping_type: MappingType::Region,
        id_map: IdMap::Sparse(pairs),
    }));
    let mut defs = Defs::new(0);
    let other = if with_definitions { defs.region("b") } else { region };
    if with_definitions {
        defs.world(&[0, 100]);
    }
    let locals = [mapped, Local::new(defs, visit(other))];
    let mut global = system(&locals);
    let of_system = global.all.len();
    global.all.splice(of_system.., own.all);
    make_with(global, &locals, |archive| {
        write_marker(archive, 900);
        (0, 0)
    })
}

/// What is told of the table and of the marker.
fn messages(made: &Made, now: &str) -> [String; 2] {
    let folder = made.folder.path().display();
    [
        format!(
            "{folder}/t/0.def: MappingTable of Region leads to Region 700 and 1 more, which are not \
             defined: {now}\n"
        ),
        format!(
            "{folder}/t.marker: Marker at 15: scope leads to Group 900, which is not defined: {now}\n"
        ),
    ]
}

#[test]
fn they_stay_where_no_definition_gets_a_number() {
    let made = made(false);
    let place = Place::new();
    let ended = place.unify(&made.anchor, &["--strict"]);
    messages(&made, "it stays").iter().for_each(|text| expect_message(&ended, 0, text));
    Files::read(&place.anchor()).assert_same(&Files::read(&made.anchor), "one set already");
}

#[test]
fn they_lead_nowhere_where_others_do() {
    let made = made(true);
    let place = Place::new();
    let ended = place.unify(&made.anchor, &[]);
    messages(&made, "undefined now").iter().for_each(|text| expect_message(&ended, 3, text));
    let defects = defects(&place);
    assert!(defects.iter().all(|it| !it.contains("is not defined")), "{defects:?}");
    let strict = Place::new();
    expect(&strict.unify(&made.anchor, &["--strict"]), 2);
    assert!(strict.left().is_empty(), "{:?}", strict.left());
}
