//! Lists of attributes: their numbers, and their values that are numbers of definitions.

use streamfold::model::definitions::{Attribute, Definition, MappingTable};
use streamfold::model::enums::{MappingType, Type};
use streamfold::model::events::{Enter, Event};
use streamfold::model::ids::{AttributeRef, RegionRef, StringRef};
use streamfold::model::values::{AttributeEntry, IdMap, Ticks, TypedValue};

use crate::common::place::expect;
use crate::common::program::said;
use crate::cut::made::{Made, Writer};
use crate::cut::{expect_valid, open, part, printed, Place};

/// Attributes of regions, by their numbers.
fn made(attributes: &[u32]) -> Made {
    let mut made = Made::new(1);
    for &id in attributes {
        made.add(Definition::Attribute(Attribute {
            id: AttributeRef(id),
            name: StringRef(20 + id),
            description: StringRef(0),
            value_type: Type::Region,
        }));
    }
    made
}

/// Enters region 3, with attributes and the regions that these lead to.
fn enter(to: &mut Writer, time: u64, list: &[(u32, u64)]) {
    let entry = |&(attribute, bits): &(u32, u64)| {
        let value = TypedValue { value_type: Type::Region, bits };
        AttributeEntry { attribute: AttributeRef(attribute), value }
    };
    let list: Vec<AttributeEntry> = list.iter().map(entry).collect();
    let event = Event::Enter(Enter { region: RegionRef(3) });
    to.0.write(Ticks(time), &list, &event).expect("written");
}

fn table(mapping_type: MappingType, pairs: &[(u64, u64)]) -> Definition {
    let id_map = IdMap::Sparse(pairs.to_vec());
    Definition::MappingTable(MappingTable { mapping_type, id_map })
}

/// The attributes and what they lead to, by names, as they are printed.
fn lists(lines: &[String]) -> Vec<String> {
    let quoted = |line: &String| line.split('"').skip(1).step_by(2).collect::<Vec<_>>().join(" ");
    lines.iter().filter(|line| line.contains("ATTRIBUTES")).map(quoted).collect()
}

#[test]
fn values_lead_to_what_they_led_to() {
    let mut made = made(&[4, 7]);
    let tables = [table(MappingType::Attribute, &[(0, 7)]), table(MappingType::Region, &[(1, 8)])];
    made.define(0, &tables);
    made.events(0, |w| {
        enter(w, 1100, &[(0, 1), (4, 9)]);
        w.leave(1200, 3);
        w.enter(1300, 5);
        w.leave(1400, 5);
    });
    let anchor = made.finish();
    let expected = lists(&printed(&anchor, 0));
    assert_eq!(expected.len(), 1, "{expected:?}");
    for options in [&["--time", "1000", "1250"][..], &["--exclude", "^r5$"]] {
        let (place, said) = part(&anchor, options);
        assert!(said.contains("new numbers without gaps"), "{said}");
        expect_valid(&place.anchor(), "lists");
        assert_eq!(lists(&printed(&place.anchor(), 0)), expected);
    }
}

/// Readers refuse such a list: it is damage of the trace, and not of the part.
#[test]
fn a_list_that_tables_make_invalid_is_damage() {
    let mut made = made(&[0]);
    made.define(0, &[table(MappingType::Attribute, &[(5, 0)])]);
    made.events(0, |w| {
        enter(w, 1100, &[(5, 1)]);
        w.leave(1150, 3);
        enter(w, 1200, &[(0, 1), (5, 2)]);
        w.leave(1300, 3);
    });
    let anchor = made.finish();
    let place = Place::new();
    let ended = place.cut(&anchor, &["--time", "1000", "1900"]);
    expect(&ended, 3);
    assert!(said(&ended).contains("attribute 0 stands twice in one list"), "{}", said(&ended));
    assert!(said(&ended).contains("the 2 events before that count"), "{}", said(&ended));
    expect_valid(&place.anchor(), "up to the list");
    // What is not read does no harm.
    let (place, _) = part(&anchor, &["--time", "1000", "1180"]);
    expect_valid(&place.anchor(), "before the list");
}

/// Else the list would have one attribute twice, and readers would refuse all of the archive.
#[test]
fn a_number_that_nobody_defines_is_nobodys_afterwards() {
    let mut made = made(&[4, 7]);
    made.events(0, |w| {
        enter(w, 1100, &[(7, 1), (0, 0), (1, 99)]);
        w.leave(1200, 3);
    });
    let anchor = made.finish();
    let (place, _) = part(&anchor, &["--time", "1000", "1900"]);
    let (_, left) = open(&place.anchor());
    assert_eq!(left.attributes.keys().map(|id| id.0).collect::<Vec<_>>(), [2]);
    let expected = lists(&printed(&anchor, 0));
    assert_eq!(lists(&printed(&place.anchor(), 0)), expected);
    expect_valid_but_dangling(&place);
}

/// Communicators and their groups are no others, either.
#[test]
fn what_definitions_lead_to_and_nobody_defines_is_nobodys_afterwards() {
    use streamfold::model::definitions::Comm;
    use streamfold::model::enums::CommFlag;
    use streamfold::model::ids::{CommRef, GroupRef};
    let mut made = Made::new(1);
    made.add(Definition::Comm(Comm {
        id: CommRef(3),
        name: StringRef(24),
        group: GroupRef(1),
        parent: CommRef(1),
        flags: CommFlag::NONE,
    }));
    made.add(Definition::Comm(Comm {
        id: CommRef(5),
        name: StringRef(25),
        group: GroupRef(1),
        parent: CommRef(3),
        flags: CommFlag::NONE,
    }));
    made.events(0, |w| {
        let create = streamfold::model::events::CommCreate { communicator: CommRef(5) };
        w.at(1100, Event::CommCreate(create));
    });
    let (place, _) = part(&made.finish(), &["--time", "1000", "1900"]);
    let (archive, _) = open(&place.anchor());
    let mut reader = archive.global_definitions().expect("definitions");
    let mut parents = Vec::new();
    while let Some(definition) = reader.next().expect("whole") {
        if let Ok(Definition::Comm(comm)) = definition {
            parents.push((comm.id.0, comm.parent.0));
        }
    }
    // Nobody defines 1.
    assert_eq!(parents, [(0, 1), (2, 0)]);
}

fn expect_valid_but_dangling(place: &Place) {
    use crate::common::program::text;
    use crate::common::reference::{is_installed, otf2_print};
    if is_installed("otf2-print") {
        let printed = otf2_print(&[], &place.anchor());
        assert!(printed.status.success(), "{}", said(&printed));
        assert!(!text(&printed.stdout).contains("==ERROR=="));
    }
}
