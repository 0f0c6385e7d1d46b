//! Definitions that only single locations have.

use streamfold::model::definitions::{Definition, MappingTable, Region, StringDef};
use streamfold::model::enums::{MappingType, Paradigm, RegionFlag, RegionRole};
use streamfold::model::ids::{RegionRef, StringRef};
use streamfold::model::values::IdMap;

use crate::common::archives::one;
use crate::cut::made::Made;
use crate::cut::{expect_valid, open, part, profile};

fn region(id: u32, name: u32) -> Definition {
    Definition::Region(Region {
        id: RegionRef(id),
        name: StringRef(name),
        description: StringRef(0),
        source_file: StringRef(0),
        begin_line_number: 0,
        end_line_number: 0,
        canonical_name: StringRef(name),
        region_role: RegionRole::Function,
        paradigm: Paradigm::User,
        region_flags: RegionFlag::NONE,
    })
}

fn table(mapping_type: MappingType, pairs: &[(u64, u64)]) -> Definition {
    let id_map = IdMap::Sparse(pairs.to_vec());
    Definition::MappingTable(MappingTable { mapping_type, id_map })
}

/// Two locations with a region 50 of their own. Its name is number 35 there, which a table of one leads
/// to another string of the trace, and which the other one defines itself, with a table of regions that
/// does not know 50.
fn made() -> Made {
    let mut made = Made::new(2);
    let text = StringDef { id: StringRef(35), string: "mine".into() };
    made.define(0, &[region(50, 35), table(MappingType::String, &[(35, 25)])]);
    let of_regions = table(MappingType::Region, &[(1, 7)]);
    made.define(1, &[region(50, 35), Definition::StringDef(text), of_regions]);
    for location in 0..2 {
        made.events(location, |w| {
            w.enter(1000, 50);
            w.enter(1100, 5);
            w.leave(1200, 5);
            w.leave(1300, 50);
            w.enter(1400, 1);
            w.leave(1500, 1);
        });
    }
    made.finish();
    made
}

#[test]
fn each_kind_is_looked_at_for_itself() {
    let made = made();
    let anchor = made.to.anchor_path();
    let whole = profile(&anchor, &[]);
    assert!(whole.contains_key(" > \"region\" \"s25\""), "{whole:?}");
    assert!(whole.contains_key(" > \"region\" \"mine\""), "{whole:?}");
    for location in ["0", "1"] {
        let (place, said) = part(&anchor, &["-L", location]);
        assert_eq!(profile(&place.anchor(), &[]), profile(&anchor, &["-L", location]), "{said}");
        assert!(said.contains("numbers have gaps"), "{said}");
    }
    // Only of regions: groups of locations have no gaps.
    let (place, _) = part(&anchor, &["-L", "1"]);
    let (_, left) = open(&place.anchor());
    let numbers: Vec<u32> = left.regions.keys().map(|region| region.0).collect();
    assert_eq!(numbers, [5, 7]);
    assert_eq!(left.location_groups.keys().map(|group| group.0).collect::<Vec<_>>(), [0]);
}

#[test]
fn own_regions_are_chosen_by_their_names() {
    let made = made();
    let anchor = made.to.anchor_path();
    for rule in ["^s25$", "^mine$", "^r5$", "^r7$"] {
        let chosen = ["--region", rule];
        let (place, _) = part(&anchor, &chosen);
        let expected = profile(&anchor, &chosen);
        assert!(!expected.is_empty(), "{rule}");
        assert_eq!(profile(&place.anchor(), &[]), expected, "{rule}");
    }
}

/// All kinds have tables there: nobody reads the definitions of locations.
#[test]
fn what_tables_lead_to_the_trace_is_not_own() {
    let archive = one("local-defs");
    let (place, said) = part(&archive.anchor, &["--paradigm", "mpi", "-L", "0", "-L", "1"]);
    expect_valid(&place.anchor(), "local-defs");
    assert!(!said.contains("numbers have gaps"), "{said}");
}
