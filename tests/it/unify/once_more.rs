//! What has been unified is not unified once more, even where nothing but the anchor tells.

use streamfold::model::definitions::{Definition, Group, MappingTable};
use streamfold::model::enums::{GroupFlag, GroupType, MappingType, Paradigm};
use streamfold::model::events::{Event, MpiRecv};
use streamfold::model::ids::{CommRef, GroupRef};
use streamfold::model::values::IdMap;

use crate::common::files::Files;
use crate::unify::made::{defects, make_with, of_kind, records, send, system, Defs, Local, Made};
use crate::unify::one_set;

/// Two locations with a communicator each, both of them global. One has lost the end of a message to itself, the other
/// one the begin of such a message. `paradigm`: that of the group of the second one.
fn lost_ends(paradigm: Paradigm, with_tables: bool) -> Made {
    let mut all = Defs::new(40);
    all.group(GroupType::CommLocations, &[0, 100]);
    let group = all.group(GroupType::CommGroup, &[0]);
    let one = all.comm("one", group, CommRef::UNDEFINED);
    let (id, name) = (GroupRef(all.number()), all.string(""));
    let group_type = GroupType::CommGroup;
    let group_flags = GroupFlag::NONE;
    let lists = [(GroupType::CommLocations, vec![0, 100]), (group_type, vec![1])];
    let is_new = paradigm != Paradigm::Mpi;
    for (group_type, members) in lists.into_iter().skip(usize::from(!is_new)) {
        let id = if group_type == GroupType::CommGroup { id } else { GroupRef(all.number()) };
        all.add(Definition::Group(Group { id, name, members, group_type, paradigm, group_flags }));
    }
    let other = all.comm("other", id, CommRef::UNDEFINED);
    let received = MpiRecv { sender: 0, communicator: other, msg_tag: 5, msg_length: 8 };
    let locals = [send(one, 5), Event::MpiRecv(received)].map(|event| {
        let mut local = Local::new(Defs::new(0), [event]);
        if with_tables {
            let table = MappingTable {
                mapping_type: MappingType::Group,
                id_map: IdMap::Sparse(vec![(1, 2)]),
            };
            local.definitions.push(Definition::MappingTable(table));
        }
        local
    });
    let mut global = system(&locals);
    global.all.extend(all.all);
    make_with(global, &locals, |_| (0, 0))
}

#[test]
fn who_had_tables_is_not_unified_once_more_without_them() {
    let made = lost_ends(Paradigm::Mpi, true);
    let once = one_set(&made.anchor, &["--rewrite-events"]);
    for way in [&[][..], &["--rewrite-events"]] {
        let twice = one_set(&once.anchor(), way);
        assert_eq!(of_kind(&twice, "InterComm").len(), 0);
        let [once, twice] = [&once, &twice].map(|place| Files::read(&place.anchor()));
        twice.assert_same(&once, &format!("{way:?}"));
    }
}

/// Messages of MPI tell nothing of those of other paradigms.
#[test]
fn communicators_of_other_paradigms_are_no_sides() {
    for (paradigm, expected) in [(Paradigm::Mpi, 1), (Paradigm::Openmp, 0)] {
        let place = one_set(&lost_ends(paradigm, false).anchor, &[]);
        assert_eq!(of_kind(&place, "InterComm").len(), expected, "{paradigm:?}");
    }
}

/// Readers complain about a second table of one kind, even where nothing else changes.
#[test]
fn second_tables_of_one_kind_are_left_out() {
    let table = |number| {
        let id_map = IdMap::Sparse(vec![(1, number)]);
        Definition::MappingTable(MappingTable { mapping_type: MappingType::Region, id_map })
    };
    let mut local = Local::new(Defs::new(0), Vec::new());
    local.definitions.extend([table(43), table(45)]);
    let locals = [local];
    let mut all = Defs::new(40);
    let regions = ["", "a", "b"].map(|name| all.region(name));
    assert_eq!(regions.map(|region| region.0), [41, 43, 45]);
    let mut global = system(&locals);
    global.all.extend(all.all);
    let made = make_with(global, &locals, |_| (0, 0));
    let once = one_set(&made.anchor, &[]);
    let tables = records(&once, &["-M"]).into_iter().filter(|it| it["record"] == "MappingTable");
    assert_eq!(tables.count(), 1);
    assert_eq!(defects(&once), [""; 0]);
    let twice = Files::read(&one_set(&once.anchor(), &[]).anchor());
    twice.assert_same(&Files::read(&once.anchor()), "once more");
}
