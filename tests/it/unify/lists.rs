//! Lists of locations with ranks that differ from location to location: each means its own, and one stays.

use serde_json::Value;
use streamfold::model::definitions::{Comm, Definition};
use streamfold::model::enums::{CommFlag, GroupFlag, GroupType};
use streamfold::model::events::{Event, MpiRecv};
use streamfold::model::ids::{CommRef, GroupRef};

use crate::common::files::Files;
use crate::common::program::said;
use crate::common::reference::{is_installed, otf2_print};
use crate::unify::made::{
    defects, make, make_with, of_kind, records, send, system, Defs, Local, Made,
};
use crate::unify::{expect, expect_message, one_set, Place};

const LISTS: GroupType = GroupType::CommLocations;
const RANKS: GroupType = GroupType::CommGroup;

/// The locations of the communicator with which each location sent with a tag, by the lists that there are
/// now: in the order of locations.
fn members(place: &Place, tag: u32) -> Vec<Vec<Value>> {
    let groups = of_kind(place, "Group");
    let listed = groups.iter().find(|group| group["group_type_name"] == "COMM_LOCATIONS");
    let listed = listed.expect("a list")["members"].as_array().expect("members");
    let comms = of_kind(place, "Comm");
    let of_tag = |record: &Value| record["record"] == "MpiSend" && record["msg_tag"] == tag;
    let mut sends: Vec<_> = records(place, &[]).into_iter().filter(of_tag).collect();
    sends.sort_by_key(|record| record["location"].as_u64());
    let locations = sends.iter().map(|send| {
        let comm = comms.iter().find(|it| it["id"] == send["communicator"]).expect("a comm");
        let group = groups.iter().find(|it| it["id"] == comm["group"]).expect("a group");
        let ranks = group["members"].as_array().expect("members").iter();
        let place = |rank: &Value| rank.as_u64().and_then(|rank| listed.get(rank as usize));
        ranks.map(|rank| place(rank).cloned().unwrap_or(Value::Null)).collect()
    });
    locations.collect()
}

/// The lists that there are.
fn lists(place: &Place) -> Vec<Value> {
    let groups = of_kind(place, "Group").into_iter();
    let lists = groups.filter(|group| group["group_type_name"] == "COMM_LOCATIONS");
    lists.map(|list| list["members"].clone()).collect()
}

/// Unifies what has to come out whole, and is the same once more.
#[track_caller]
fn whole(made: &Made, options: &[&str]) -> Place {
    let place = one_set(&made.anchor, options);
    assert_eq!(defects(&place), [""; 0]);
    if is_installed("otf2-print") {
        let printed = otf2_print(&[], &place.anchor());
        // Numbers of global definitions may have gaps.
        let is_wrong = |line: &&str| !line.contains("warning: out of order");
        let said = said(&printed);
        let wrong: Vec<_> = said.lines().filter(is_wrong).collect();
        assert!(printed.status.success() && wrong.is_empty(), "{wrong:?}");
    }
    let again = one_set(&place.anchor(), options);
    let [once, twice] = [&place, &again].map(|it| Files::read(&it.anchor()));
    twice.assert_same(&once, "once more");
    place
}

/// A location that has a list of its own, and these of it in a communicator.
fn local(first: u32, list: &[u64], members: &[u64]) -> Local {
    let mut defs = Defs::new(first);
    defs.group(LISTS, list);
    let ranks = |members: &[u64]| -> Vec<u64> {
        let place = |it: &u64| list.iter().position(|listed| listed == it).expect("it is listed");
        members.iter().map(|member| place(member) as u64).collect()
    };
    let all = defs.group(RANKS, &ranks(members));
    let world = defs.comm("MPI_COMM_WORLD", all, CommRef::UNDEFINED);
    let half = defs.group(RANKS, &ranks(&members[..1]));
    let half = defs.comm("half", half, world);
    Local::new(defs, [send(world, 1), send(half, 2)])
}

/// Each process begins with itself, and all mean the same communicator.
fn each_its_own() -> Made {
    let all = [0, 100, 200];
    make(&[
        local(0, &[0, 100, 200], &all),
        local(30, &[100, 200, 0], &all),
        local(9, &[200, 100, 0], &all),
    ])
}

#[test]
fn each_location_means_its_own_list() {
    let made = each_its_own();
    for way in [&[][..], &["--rewrite-events"], &["--threads", "1"]] {
        let place = whole(&made, way);
        assert_eq!(lists(&place), [serde_json::json!([0, 100, 200])]);
        assert_eq!(members(&place, 1), vec![[0, 100, 200]; 3]);
        assert_eq!(members(&place, 2), vec![[0]; 3]);
        // One for all that mean the same.
        assert_eq!(of_kind(&place, "Comm").len(), 2);
    }
    let ended = Place::new().unify(&made.anchor, &[]);
    assert!(said(&ended).contains("lists of locations with ranks differed"), "{}", said(&ended));
}

/// What only later ones list comes behind; communicators of others with the same ranks are others.
#[test]
fn lists_of_few_become_one() {
    let made = make(&[
        local(0, &[0], &[0]),
        local(0, &[100], &[100]),
        local(7, &[300, 100, 200], &[200, 300]),
        local(7, &[200, 300], &[200, 300]),
    ]);
    let place = whole(&made, &[]);
    assert_eq!(lists(&place), [serde_json::json!([0, 100, 300, 200])]);
    let expected = [vec![0], vec![100], vec![200, 300], vec![200, 300]];
    assert_eq!(members(&place, 1), expected);
    assert_eq!(of_kind(&place, "Comm").len(), 6);
}

/// Three locations, of which one has no list, where the archive has one with a name.
fn beside_a_global_list() -> Made {
    let mut global = system(&[Local::default(), Local::default(), Local::default()]);
    let (name, list) = (global.string("all"), global.group(LISTS, &[200, 100]));
    let row = global.group(RANKS, &[1, 0]);
    global.comm("global", row, CommRef::UNDEFINED);
    let mut defs = Defs::new(500);
    let all = defs.group(RANKS, &[0, 1]);
    let world = defs.comm("MPI_COMM_WORLD", all, CommRef::UNDEFINED);
    let without = Local::new(defs, [send(world, 1)]);
    let locals = [local(520, &[0, 200], &[0, 200]), without, local(540, &[200, 100], &[200, 100])];
    if let Some(Definition::Group(group)) =
        global.all.iter_mut().find(|it| matches!(it, Definition::Group(group) if group.id == list))
    {
        group.name = name;
    }
    make_with(global, &locals, |_| (0, 0))
}

/// What the archive says for all comes first, whoever is in it, and counts where a location has no list.
#[test]
fn the_global_list_comes_first() {
    let made = beside_a_global_list();
    let place = whole(&made, &[]);
    assert_eq!(lists(&place), [serde_json::json!([200, 100, 0])]);
    assert_eq!(members(&place, 1), [[0, 200], [200, 100], [200, 100]]);
    let groups = of_kind(&place, "Group");
    // It keeps its number and its name.
    assert_eq!((&groups[0]["id"], &groups[0]["name_text"]), (&6.into(), &"all".into()));
    assert_eq!(groups[1]["members"], serde_json::json!([1, 0]));
}

/// Adds a communicator of a group.
fn comm(defs: &mut Defs, group: GroupRef) -> CommRef {
    let name = defs.string("a communicator");
    let (id, parent, flags) = (CommRef(defs.number()), CommRef::UNDEFINED, CommFlag::NONE);
    defs.add(Definition::Comm(Comm { id, name, group, parent, flags }));
    id
}

/// The second of two locations with lists of their own has this, too. A third one has none.
fn with(list: &[u64], add: impl FnOnce(&mut Defs) -> CommRef) -> Made {
    let mut defs = Defs::new(600);
    defs.group(LISTS, list);
    let comm = add(&mut defs);
    let second = Local::new(defs, [send(comm, 1)]);
    make(&[local(0, &[0, 100, 200], &[0, 100]), second, Local::default()])
}

/// Unifies with a loss that is told of the second location.
#[track_caller]
fn told(made: &Made, message: &str) -> Place {
    let place = Place::new();
    expect_message(&place.unify(&made.anchor, &[]), 3, &format!("/t/100.def: {message}\n"));
    expect(&Place::new().unify(&made.anchor, &["--strict"]), 2);
    place
}

/// Elsewhere there are more ranks: what is nobody here must not become somebody there.
#[test]
fn ranks_beyond_their_own_list_are_nobody() {
    let made = with(&[100, 0], |defs| {
        let group = defs.group(RANKS, &[0, 2, 1, 3]);
        comm(defs, group)
    });
    let text = "Group 602 leads to rank 2 of 2 and 1 more, which are not defined: undefined now";
    let place = told(&made, text);
    let nobody = Value::Null;
    assert_eq!(members(&place, 1)[1], [100.into(), nobody.clone(), 0.into(), nobody]);
}

#[test]
fn groups_of_ranks_without_any_list() {
    let mut defs = Defs::new(600);
    let group = defs.group(RANKS, &[0, 1]);
    let comm = comm(&mut defs, group);
    let without = Local::new(defs, [send(comm, 1)]);
    let made = make(&[local(0, &[0, 100], &[0, 100]), without, local(9, &[100, 0], &[0, 100])]);
    let text = "Group 601 is about ranks, of which neither its own nor the global definitions have a list: \
                taken for places in the first list that there is";
    let place = told(&made, text);
    assert_eq!(members(&place, 1), vec![[0, 100]; 3]);
}

/// Gives a flag to the group that was added last.
fn global_members(defs: &mut Defs) {
    if let Some(Definition::Group(group)) = defs.all.last_mut() {
        group.group_flags = GroupFlag::GLOBAL_MEMBERS;
    }
}

/// Ranks in events are places in the list itself, which has other places now.
#[test]
fn global_members_are_no_longer_global() {
    let made = with(&[100, 0], |defs| {
        let group = defs.group(RANKS, &[0, 1]);
        global_members(defs);
        comm(defs, group)
    });
    let place = whole(&made, &[]);
    assert_eq!(members(&place, 1)[1], [100, 0]);
    assert!(of_kind(&place, "Group").iter().all(|it| it["group_flags"] == 0));
    let made = with(&[100, 0], |defs| {
        let group = defs.group(RANKS, &[1]);
        global_members(defs);
        comm(defs, group)
    });
    let text = "Group 602 has global members: ranks in events count among all locations, which are others now";
    told(&made, text);
    // Who has the same places stays as it is.
    let made = with(&[0], |defs| {
        let group = defs.group(RANKS, &[0]);
        global_members(defs);
        comm(defs, group)
    });
    whole(&made, &[]);
}

/// No group in between says who is in it.
#[test]
fn communicators_of_a_whole_list() {
    let made = with(&[100, 0], |defs| comm(defs, GroupRef(601)));
    let place = told(
        &made,
        "Comm 603 has the members of Group 601, the list of all locations with ranks, which is another one now",
    );
    assert_eq!(lists(&place).len(), 1);
}

/// The first one counts. The other one stays, and nobody can tell who means it.
#[test]
fn two_lists_of_one_location() {
    let made = with(&[100, 0], |defs| {
        defs.group(LISTS, &[0, 200]);
        let group = defs.group(RANKS, &[0, 1]);
        comm(defs, group)
    });
    let text =
        "Group 602 lists other locations with ranks than the first such list does: ranks are \
                places in that one, so they may mean others now";
    let place = told(&made, text);
    assert_eq!(lists(&place).len(), 2);
    assert_eq!(members(&place, 1), [[0, 100], [100, 0]]);
}

/// The one that is alone with itself has no members.
#[test]
fn groups_of_each_alone_stay() {
    let local = |first: u32, list: &[u64]| {
        let mut defs = Defs::new(first);
        defs.group(LISTS, list);
        let group = defs.group(GroupType::CommSelf, &[]);
        let comm = defs.comm("MPI_COMM_SELF", group, CommRef::UNDEFINED);
        Local::new(defs, [send(comm, 1)])
    };
    let place = whole(&make(&[local(0, &[0, 100]), local(50, &[100])]), &[]);
    assert_eq!(of_kind(&place, "Group").len(), 2);
    assert_eq!(of_kind(&place, "Comm").len(), 1);
}

/// So many that ranks of this program have several each, with lists in no order.
fn many() -> Made {
    const COUNT: u64 = 40;
    let locals: Vec<Local> = (0..COUNT)
        .map(|which| {
            let some = (0..COUNT).map(|i| (which * which + i * 7) % COUNT).take(12);
            let mut list: Vec<u64> = some.map(|it| it * 100).collect();
            if !list.contains(&(which * 100)) {
                list.push(which * 100);
            }
            let mut members = list.clone();
            members.sort_unstable();
            local(which as u32 * 11 % 50, &list, &members)
        })
        .collect();
    make(&locals)
}

#[test]
fn many_lists_become_one() {
    let place = whole(&many(), &[]);
    let [list] = &lists(&place)[..] else { panic!("one list") };
    assert_eq!(list.as_array().expect("members").len(), 40);
    for (which, members) in members(&place, 1).into_iter().enumerate() {
        assert!(members.is_sorted_by_key(|it| it.as_u64()), "{members:?}");
        assert!(members.contains(&(which as u64 * 100).into()), "{which}: {members:?}");
    }
}

/// A message from one to the other, who number themselves in another order.
#[test]
fn messages_find_their_receivers() {
    let local = |first: u32, list: [u64; 2], ranks: [u64; 2]| {
        let mut defs = Defs::new(first);
        defs.group(LISTS, &list);
        let group = defs.group(RANKS, &ranks);
        let world = defs.comm("MPI_COMM_WORLD", group, CommRef::UNDEFINED);
        (defs, world)
    };
    let (sender, world) = local(0, [100, 0], [0, 1]);
    let sender = Local::new(sender, [send(world, 1)]);
    let (receiver, communicator) = local(40, [0, 100], [1, 0]);
    let received = Event::MpiRecv(MpiRecv { sender: 1, communicator, msg_tag: 1, msg_length: 8 });
    let made = make(&[sender, Local::new(receiver, [received])]);
    let place = whole(&made, &[]);
    let validated = crate::common::program::streamfold(["validate", "--json", "-q"])
        .arg(place.anchor())
        .output()
        .expect("a run");
    assert_eq!(validated.status.code(), Some(0), "{}", said(&validated));
    assert_eq!(of_kind(&place, "Comm").len(), 1);
}

/// What is told of definitions.
#[cfg(feature = "ranks")]
fn findings(ended: &std::process::Output) -> Vec<String> {
    let said = said(ended);
    said.lines().filter(|line| line.contains(".def: ")).map(str::to_owned).collect()
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_joins_the_same() {
    use crate::common::program::on_ranks;
    use std::ffi::OsStr;
    let beyond = with(&[100, 0], |defs| {
        let group = defs.group(RANKS, &[0, 2, 1, 3]);
        comm(defs, group)
    });
    let cases = [(each_its_own(), 0), (many(), 0), (beside_a_global_list(), 0), (beyond, 3)];
    for (made, code) in cases {
        let place = Place::new();
        let alone = place.unify(&made.anchor, &["--mpi", "off"]);
        expect(&alone, code);
        let expected = Files::read(&place.anchor());
        for (ranks, threads) in [(2, "1"), (3, "2"), (7, "1")] {
            let place = Place::new();
            let (from, to) = (&made.anchor, place.anchor());
            let args = [OsStr::new("unify"), from.as_ref(), OsStr::new("-o"), to.as_ref()];
            let options = ["--threads", threads].map(OsStr::new);
            let Some(ended) = on_ranks(ranks, args.into_iter().chain(options)) else { return };
            expect(&ended, code);
            Files::read(&to).assert_same(&expected, &format!("{ranks} ranks"));
            assert_eq!(findings(&ended), findings(&alone), "{ranks} ranks");
        }
    }
}

/// It is as if all had listed them in the order of the first.
#[test]
fn orders_do_not_show() {
    let all = [0, 100, 200];
    let firsts = [0, 30, 9];
    let same = make(&firsts.map(|first| local(first, &all, &all)));
    let lists = [[0, 100, 200], [100, 200, 0], [200, 100, 0]];
    let mut lists = lists.iter();
    let other = make(&firsts.map(|first| local(first, lists.next().expect("three"), &all)));
    for way in [&[][..], &["--rewrite-events"]] {
        let [expected, place] = [&same, &other].map(|it| Place::new().unified(&it.anchor, way));
        place.assert_same(&expected, &format!("{way:?}"));
    }
}
