//! Locations with mapping tables of some kinds, and with definitions of others that nobody has unified.

use std::path::Path;

use streamfold::model::definitions::{Definition, MappingTable};
use streamfold::model::enums::MappingType;
use streamfold::model::events::Event;
use streamfold::model::ids::RegionRef;
use streamfold::model::values::IdMap;

use crate::common::files::Files;
use crate::common::program::{said, text};
use crate::common::reference::{is_installed, otf2_print};
use crate::unify::made::{defects, make_with, of_kind, system, visit, Defs, Local, Made};
use crate::unify::profiles::{profile_of, rows};
use crate::unify::{one_set, Place};

/// A location that visits regions of its own, with a mapping table of another kind.
fn local(names: [&str; 2], mapping_type: MappingType, pairs: &[(u64, u64)]) -> Local {
    let mut defs = Defs::new(0);
    let id_map = IdMap::Sparse(pairs.to_vec());
    defs.add(Definition::MappingTable(MappingTable { mapping_type, id_map }));
    let regions = names.map(|name| defs.region(name));
    assert_eq!(regions, [2, 4].map(RegionRef));
    Local::new(defs, regions.into_iter().flat_map(visit).collect::<Vec<Event<'static>>>())
}

/// Two such locations. Of the second region of each the trace says something else.
fn made() -> Made {
    let locals = [
        local(["a", "b"], MappingType::Location, &[(7, 0)]),
        // Strings have tables; that of the own region leads to the one which says the same.
        local(["c", "a"], MappingType::String, &[(0, 70)]),
    ];
    let mut global = system(&locals);
    let mut others = Defs::new(70);
    let c = others.string("c");
    assert_eq!(c.0, 70);
    others.region("x");
    if let Some(Definition::Region(region)) = others.all.last_mut() {
        region.id = RegionRef(4);
    }
    global.all.extend(others.all);
    make_with(global, &locals, |_| (0, 0))
}

fn names(anchor: &Path) -> Vec<String> {
    let (head, all) = profile_of(anchor, "region", 0, &[]);
    let column = head.iter().position(|name| name == "name").expect("a name");
    let mut names: Vec<String> = all.into_iter().map(|row| row[column].clone()).collect();
    names.retain(|name| !name.starts_with('<'));
    names.sort();
    names
}

#[test]
fn what_no_table_is_about_is_unified() {
    let made = made();
    assert_eq!(names(&made.anchor), ["a", "c", "x"]);
    for way in [&[][..], &["--rewrite-events"], &["--threads", "1"]] {
        let place = one_set(&made.anchor, way);
        for by in ["region", "callpath", "location"] {
            let [old, new] =
                [&made.anchor, &place.anchor()].map(|anchor| profile_of(anchor, by, 0, &[]));
            let heads = (old.0.clone(), new.0.clone());
            assert_eq!(rows(new, &heads.0), rows(old, &heads.1), "{way:?} by {by}");
        }
        let regions = of_kind(&place, "Region");
        let named: Vec<_> = regions.iter().map(|it| it["name_text"].as_str()).collect();
        assert_eq!(named, [Some("x"), Some("a"), Some("c")]);
        assert_eq!(defects(&place), [""; 0]);
        if is_installed("otf2-print") {
            let printed = otf2_print(&["-A"], &place.anchor());
            let printed = text(printed.stdout);
            assert!(printed.contains("Region: \"a\"") && printed.contains("Region: \"c\""));
            assert!(!printed.contains("Region: INVALID"), "{printed}");
        }
        // Nothing is left to do.
        let again = Place::new();
        let again = again.unified(&place.anchor(), &[]);
        again.assert_same(&Files::read(&place.anchor()), "once more");
    }
}

/// Readers use the first one, and so does what is written.
#[test]
fn a_second_mapping_table_of_a_kind_is_told() {
    let mut locals = [local(["a", "b"], MappingType::Region, &[(2, 4), (4, 4)]), Local::default()];
    let again = MappingTable {
        mapping_type: MappingType::Region,
        id_map: IdMap::Sparse(vec![(2, 6), (4, 6)]),
    };
    locals[0].definitions.push(Definition::MappingTable(again));
    let mut global = system(&locals);
    let mut others = Defs::new(70);
    for name in ["x", "x", "y"] {
        others.region(name);
    }
    let mut numbers = [3, 4, 6].into_iter();
    for definition in &mut others.all {
        if let Definition::Region(region) = definition {
            region.id = RegionRef(numbers.next().expect("three"));
        }
    }
    global.all.extend(others.all);
    let made = make_with(global, &locals, |_| (0, 0));
    for way in [&[][..], &["--rewrite-events"]] {
        let place = Place::new();
        let ended = place.unify(&made.anchor, way);
        let text = "t/0.def: 1 mapping table more of kinds that have one: of each kind the first one counts";
        assert!(said(&ended).contains(text), "{}", said(&ended));
        assert_eq!(names(&place.anchor()), ["x"], "{way:?}");
        assert_eq!(defects(&place), [""; 0]);
    }
}

#[cfg(feature = "ranks")]
#[test]
fn any_ranks_find_the_same() {
    use crate::common::program::on_ranks;
    let made = made();
    let alone = Place::new();
    let alone = alone.unified(&made.anchor, &[]);
    for ranks in [2, 3] {
        let place = Place::new();
        let to = place.anchor();
        let args = ["unify".as_ref(), made.anchor.as_os_str(), "-o".as_ref(), to.as_os_str()];
        let Some(ended) = on_ranks(ranks, args) else { return };
        assert_eq!(ended.status.code(), Some(0));
        Files::read(&place.anchor()).assert_same(&alone, "ranks");
    }
}
