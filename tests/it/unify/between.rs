//! Communicators between two groups: each side may have its own group first, or know no other one.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use streamfold::model::definitions::{Definition, InterComm};
use streamfold::model::enums::{CommFlag, GroupType};
use streamfold::model::ids::{CommRef, GroupRef, StringRef};

use crate::common::files::Files;
use crate::common::program::{said, streamfold};
use crate::unify::made::{
    defects, group_members, make, make_with, of_kind, records, send, system, Defs, Local, Made,
};
use crate::unify::{expect, expect_message, one_set, Place};

/// The groups of a communicator as a location knows them.
type Known = [Option<&'static [u64]>; 2];

const ONE: Option<&[u64]> = Some(&[0, 1]);
const OTHER: Option<&[u64]> = Some(&[2, 3]);
const NONE: Known = [None, None];

/// A location in the world of four, which sends on each of these communicators between two groups.
fn local(all: &[Known]) -> Local {
    let mut defs = Defs::new(0);
    let (_, world) = defs.world(&[0, 100, 200, 300]);
    let comms: Vec<CommRef> = all.iter().map(|known| between(&mut defs, *known, world)).collect();
    Local::new(defs, (1..).zip(comms).map(|(tag, comm)| send(comm, tag)).collect::<Vec<_>>())
}

fn between(defs: &mut Defs, known: Known, common_communicator: CommRef) -> CommRef {
    let name = defs.string("between");
    let [group_a, group_b] = known.map(|members| {
        members.map_or(GroupRef::UNDEFINED, |members| defs.group(GroupType::CommGroup, members))
    });
    let (id, flags) = (CommRef(defs.number()), CommFlag::NONE);
    defs.add(Definition::InterComm(InterComm {
        id,
        name,
        group_a,
        group_b,
        common_communicator,
        flags,
    }));
    id
}

/// The numbers of the communicators on which locations sent, in the order of their events.
fn sent(place: &Place) -> Vec<Vec<u64>> {
    let mut sent: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    for record in records(place, &[]).iter().filter(|record| record["record"] == "MpiSend") {
        sent.entry(number(&record["location"])).or_default().push(number(&record["communicator"]));
    }
    sent.into_values().collect()
}

/// The communicators between two groups: their numbers, and who is in which group.
fn made(place: &Place) -> BTreeMap<u64, [Vec<u64>; 2]> {
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    let groups = group_members(place);
    let members = |group: &serde_json::Value| {
        group.as_u64().and_then(|group| groups.get(&group).cloned()).unwrap_or_default()
    };
    let all = of_kind(place, "InterComm");
    all.iter()
        .map(|comm| (number(&comm["id"]), [members(&comm["group_a"]), members(&comm["group_b"])]))
        .collect()
}

/// Fails where there are not so many between the two groups, in this order, on which all locations sent one after the
/// other.
#[track_caller]
fn check_groups(place: &Place, count: usize, groups: [&[u64]; 2]) {
    let all = made(place);
    assert_eq!(all.len(), count, "{all:?}");
    assert!(all.values().all(|comm| *comm == groups), "{all:?}");
    let numbers: Vec<u64> = all.into_keys().collect();
    let sent = sent(place);
    assert!(sent.iter().all(|comms| *comms == numbers), "{sent:?}");
    assert_eq!(defects(place), [""; 0]);
}

#[track_caller]
fn check(place: &Place, count: usize) {
    check_groups(place, count, [&[0, 1], &[2, 3]]);
}

/// A process asks MPI for its own group and the remote one: so each side has its own first.
fn own_first() -> Made {
    let [one, other] = [[ONE, OTHER], [OTHER, ONE]];
    make(&[local(&[one, one]), local(&[one, one]), local(&[other, other]), local(&[other, other])])
}

#[test]
fn sides_that_have_their_own_group_first_mean_the_same() {
    for way in [&[][..], &["--rewrite-events"]] {
        check(&one_set(&own_first().anchor, way), 2);
    }
}

/// Somebody has written it among the global definitions: this is its order.
fn own_first_of_global() -> Made {
    let locals = [local(&[[OTHER, ONE]]), local(&[[ONE, OTHER]]), local(&[NONE]), local(&[NONE])];
    let mut global = system(&locals);
    let mut more = Defs::new(50);
    let (_, world) = more.world(&[0, 100, 200, 300]);
    between(&mut more, [OTHER, ONE], world);
    global.all.extend(more.all);
    make_with(global, &locals, |_| (0, 0))
}

#[test]
fn the_order_of_groups_is_the_global_one() {
    check_groups(&one_set(&own_first_of_global().anchor, &[]), 1, [&[2, 3], &[0, 1]]);
}

/// Only the third location knows both groups, two others one of them, in whatever place it stands, the first one none.
fn one_knows() -> Made {
    let both = [ONE, OTHER];
    make(&[
        local(&[NONE, NONE]),
        local(&[[None, ONE], [ONE, None]]),
        local(&[both, both]),
        local(&[[None, OTHER], [OTHER, None]]),
    ])
}

#[test]
fn what_one_member_knows_others_mean() {
    for way in [&[][..], &["--rewrite-events"]] {
        check(&one_set(&one_knows().anchor, way), 2);
    }
}

/// Nobody knows both.
fn each_knows_its_own() -> Made {
    let [one, other] = [[ONE, None], [None, OTHER]];
    make(&[
        local(&[one, one]),
        local(&[NONE, NONE]),
        local(&[other, other]),
        local(&[other, other]),
    ])
}

#[test]
fn sides_that_know_their_own_group_alone_are_joined() {
    for way in [&[][..], &["--rewrite-events"]] {
        check(&one_set(&each_knows_its_own().anchor, way), 2);
    }
    // Both write their own as the first one: that of the first location is the first.
    let own = |group| local(&[[group, None]]);
    check(&one_set(&make(&[own(ONE), own(ONE), own(OTHER), own(OTHER)]).anchor, &[]), 1);
    let second = |group| local(&[[None, group]]);
    let place = one_set(&make(&[second(ONE), own(OTHER), second(ONE), own(OTHER)]).anchor, &[]);
    check_groups(&place, 1, [&[2, 3], &[0, 1]]);
}

/// A third side; another number of them at one side; a member in common.
fn unclear() -> [Made; 3] {
    let own = |group| local(&[[group, None]]);
    let twice = local(&[[OTHER, None], [OTHER, None]]);
    [
        make(&[own(Some(&[0])), own(Some(&[1])), own(OTHER), own(OTHER)]),
        make(&[own(ONE), own(ONE), twice, own(OTHER)]),
        make(&[own(ONE), own(ONE), own(Some(&[1, 2, 3])), own(Some(&[1, 2, 3]))]),
    ]
}

#[test]
fn sides_that_may_be_others_are_left_alone_and_told() {
    for made in unclear() {
        let place = Place::new();
        expect_message(&place.unify(&made.anchor, &[]), 3, "lacks a group, and which communicator");
        assert!(of_kind(&place, "InterComm").len() > 1);
    }
    let nobody = make(&[local(&[NONE]), local(&[NONE]), local(&[]), local(&[])]);
    let ended = Place::new().unify(&nobody.anchor, &[]);
    expect_message(&ended, 3, "lacks a group, and which communicator");
    assert_eq!(said(&ended).matches("lacks a group").count(), 1, "{}", said(&ended));
}

/// What is made from such a communicator, and from one that a location does not know whole, is the same as well.
fn below() -> Made {
    let with = |known: Known, is_known: bool| {
        let mut defs = Defs::new(0);
        let (all, world) = defs.world(&[0, 100, 200, 300]);
        let group = if is_known { all } else { GroupRef::UNDEFINED };
        let dup = defs.comm("dup", group, world);
        let comm = between(&mut defs, known, dup);
        let merged = defs.comm("merged", group, comm);
        Local::new(defs, [send(comm, 1), send(merged, 2)])
    };
    make(&[
        with(NONE, false),
        with([ONE, None], true),
        with([OTHER, None], false),
        with([OTHER, None], false),
    ])
}

#[test]
fn what_is_made_from_them_is_one_as_well() {
    let place = one_set(&below().anchor, &[]);
    assert_eq!(made(&place).into_values().collect::<Vec<_>>(), [[vec![0, 1], vec![2, 3]]]);
    let sent = sent(&place);
    assert!(sent.iter().all(|comms| *comms == sent[0]), "{sent:?}");
    assert_eq!(of_kind(&place, "Comm").len(), 3);
    assert_eq!(defects(&place), [""; 0]);
}

/// One side in each of two jobs, which are no sides of one communicator.
#[test]
fn sides_of_different_jobs_are_not_joined() {
    let side = |group: &'static [u64]| {
        let local = || {
            let mut defs = Defs::new(0);
            defs.world(&[0, 100, 200, 300]);
            let comm = between(&mut defs, [Some(group), None], CommRef::UNDEFINED);
            Local::new(defs, [send(comm, 1)])
        };
        make(&[local(), local(), local(), local()])
    };
    let (jobs, place) = ([side(&[0, 1]), side(&[2, 3])], Place::new());
    let mut merge = streamfold(["merge"]);
    merge.args(jobs.each_ref().map(|job| &job.anchor)).arg("-o").arg(place.anchor());
    let ended = merge.output().expect("a run");
    expect_message(&ended, 3, "lacks a group, and which communicator");
    assert_eq!(of_kind(&place, "InterComm").len(), 2);
}

/// What a location says of a communicator of which it is a member.
#[derive(Clone, Copy, Debug)]
enum Says {
    Both,
    OwnFirst,
    Own { is_second: bool },
    Nothing,
}

impl Says {
    fn known(self, [a, b]: [&'static [u64]; 2], rank: u64) -> Known {
        let (own, other) = if a.contains(&rank) { (a, b) } else { (b, a) };
        match self {
            Says::Both => [Some(a), Some(b)],
            Says::OwnFirst => [Some(own), Some(other)],
            Says::Own { is_second: false } => [Some(own), None],
            Says::Own { is_second: true } => [None, Some(own)],
            Says::Nothing => NONE,
        }
    }
}

fn says() -> impl Strategy<Value = Says> {
    prop_oneof![
        Just(Says::Both),
        Just(Says::OwnFirst),
        any::<bool>().prop_map(|is_second| Says::Own { is_second }),
        Just(Says::Nothing),
    ]
}

const PAIRS: [[&[u64]; 2]; 3] = [[&[0, 1], &[2, 3]], [&[0, 2], &[1, 3]], [&[0], &[1, 2, 3]]];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::common::cases::cases(200)))]

    /// Of communicators that all locations made in the same order each says what it knows: where nothing is told,
    /// each means what it made, and the new trace is unified.
    #[test]
    fn what_is_not_told_is_right(
        all in proptest::collection::vec((0..PAIRS.len(), proptest::collection::vec(says(), 4)), 1..4),
    ) {
        let known = |rank: u64| -> Vec<Known> {
            all.iter().map(|(pair, says)| says[rank as usize].known(PAIRS[*pair], rank)).collect()
        };
        let locals = [0, 1, 2, 3].map(|rank| local(&known(rank)));
        let (given, place, again) = (make(&locals), Place::new(), Place::new());
        let ended = place.unify(&given.anchor, &[]);
        let is_certain = ended.status.code() == Some(0) && !said(&ended).contains("warning");
        prop_assert!(is_certain || matches!(ended.status.code(), Some(0 | 3)), "{}", said(&ended));
        expect(&again.unify(&place.anchor(), &[]), 0);
        prop_assert!(Files::read(&again.anchor()) == Files::read(&place.anchor()));
        if is_certain {
            let (comms, sent) = (made(&place), sent(&place));
            prop_assert_eq!(comms.len(), all.len());
            for (place, (pair, _)) in all.iter().enumerate() {
                let numbers: BTreeSet<u64> = sent.iter().map(|sent| sent[place]).collect();
                prop_assert_eq!(numbers.len(), 1);
                let [a, b] = PAIRS[*pair].map(<[u64]>::to_vec);
                let found = &comms[numbers.first().expect("a number")];
                prop_assert!(*found == [a.clone(), b.clone()] || *found == [b, a], "{found:?}");
            }
        }
    }
}

/// It leads back to itself, has one group twice, groups that nobody defines, or the number of another one.
fn odd() -> [Made; 4] {
    let with = |add: &dyn Fn(&mut Defs, CommRef) -> CommRef| {
        let local = || {
            let mut defs = Defs::new(0);
            let (_, world) = defs.world(&[0, 100, 200, 300]);
            let comm = add(&mut defs, world);
            Local::new(defs, [send(comm, 1)])
        };
        make(&[local(), local(), local(), local()])
    };
    let inter = |id, [group_a, group_b]: [GroupRef; 2], common_communicator| {
        let (name, flags) = (StringRef::UNDEFINED, CommFlag::NONE);
        Definition::InterComm(InterComm { id, name, group_a, group_b, common_communicator, flags })
    };
    [
        with(&|defs, _| {
            let groups = [&[0, 1], &[2, 3]].map(|it| defs.group(GroupType::CommGroup, it));
            let [one, other] = [CommRef(defs.number()), CommRef(defs.number())];
            defs.add(inter(one, groups, other));
            defs.add(inter(other, [groups[1], GroupRef::UNDEFINED], one));
            one
        }),
        with(&|defs, world| between(defs, [ONE, ONE], world)),
        with(&|defs, world| {
            let (one, id) = (defs.group(GroupType::CommGroup, &[0, 1]), CommRef(defs.number()));
            defs.add(inter(id, [one, GroupRef(77)], world));
            id
        }),
        with(&|defs, world| {
            let groups = [&[0, 1], &[2, 3]].map(|it| defs.group(GroupType::CommGroup, it));
            defs.add(inter(world, groups, world));
            defs.add(inter(world, [groups[0], GroupRef::UNDEFINED], world));
            world
        }),
    ]
}

#[test]
fn odd_ones_are_told_or_stay() {
    for (made, code) in odd().iter().zip([3, 0, 3, 3]) {
        let (place, again) = (Place::new(), Place::new());
        let ended = place.unify(&made.anchor, &[]);
        assert_eq!(ended.status.code(), Some(code), "{}", said(&ended));
        expect(&again.unify(&place.anchor(), &[]), 0);
    }
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_finds_the_same() {
    let found = [own_first(), own_first_of_global(), one_knows(), each_knows_its_own(), below()]
        .map(|it| (it, 0));
    let [circle, twice, undefined, again] = odd();
    let odd = [(circle, 3), (twice, 0), (undefined, 3), (again, 3)];
    for (made, code) in found.into_iter().chain(unclear().map(|made| (made, 3))).chain(odd) {
        let told = crate::unify::on_ranks::expect_same(&made, code);
        assert!(code == 0 || !told.is_empty());
    }
}
