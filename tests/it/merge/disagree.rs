//! Parts of one run that disagree about it: all stays as each part says it, and the part, the definition and
//! the location are told.

use streamfold::model::definitions::{Definition, InterComm};
use streamfold::model::enums::{CommFlag, GroupType};
use streamfold::model::ids::{CommRef, GroupRef, StringRef};

use crate::common::program::said;
use crate::common::reference::{is_installed, otf2_print};
use crate::merge::made::{comm, group, Made, Trace};
use crate::merge::meaning::{errors, number, of_kind, World};
use crate::merge::{expect, Place};

/// A part of a run of four processes: one of the two nodes, with a communicator with these ranks below the
/// world, by this number.
fn part(node: usize, comm_number: u32, members: &[u64]) -> Trace {
    let mut trace = Trace::job(77, &[0, 10, 20, 30], "a");
    trace.processes = trace.processes.drain(..).skip(2 * node).take(2).collect();
    let row = [group(60, GroupType::CommGroup, members), comm(comm_number, 7, 60, CommRef(0))];
    trace.global.extend(row);
    trace
}

fn global(made: &Made) -> String {
    made.folder.path().join("t.def").display().to_string()
}

/// The locations of all communicators below the world.
fn rows(place: &Place) -> Vec<Vec<u64>> {
    let world = World::read(&place.anchor());
    let comms = of_kind(&place.anchor(), "Comm");
    let rows = comms.iter().filter(|comm| !comm["parent"].is_null());
    rows.map(|comm| world.members(number(&comm["id"])).to_vec()).collect()
}

/// Merges parts, in which nothing is lost. Returns the warnings.
#[track_caller]
fn told(made: &[Made]) -> (Place, Vec<String>) {
    let place = Place::new();
    let ended = place.merge(made, &["--strict"]);
    expect(&ended, 0);
    if is_installed("otf2-print") {
        assert!(otf2_print(&["-G"], &place.anchor()).status.success());
    }
    let warnings = said(&ended);
    let warnings = warnings.lines().filter(|line| line.contains("warning"));
    (place, warnings.map(str::to_owned).collect())
}

/// Each says of a process of the other one that it is a member.
#[test]
fn members_of_a_communicator_that_disagree() {
    let made = [part(0, 5, &[0, 1, 2]), part(1, 5, &[1, 2, 3])].map(|it| it.write());
    let (place, warnings) = told(&made);
    let names = made.each_ref().map(global);
    let text = |own: usize, location: u64| {
        let (own, other) = (&names[own], &names[1 - own]);
        format!(
            "streamfold: warning: {own}: Comm 5: {other}, a part of the same run, says that location \
             {location} is a member of its Comm 5, with the same name and parent, which is not defined \
             here: both stay"
        )
    };
    let mut expected = [text(0, 10), text(1, 20)];
    expected.sort();
    assert_eq!(warnings, expected);
    assert_eq!(rows(&place), [[0, 10, 20], [10, 20, 30]]);
    assert_eq!(errors(&place.anchor()), [""; 0]);
}

fn about_comms(warnings: Vec<String>) -> Vec<String> {
    warnings.into_iter().filter(|line| line.contains("Comm 5")).collect()
}

/// One number for two groups with a common member, who is in neither part.
#[test]
fn the_same_number_with_other_members() {
    let parts = |one: &[u64], other: &[u64]| {
        let mut parts = [part(0, 5, one), part(1, 5, other)];
        parts.iter_mut().for_each(|part| part.processes.truncate(1));
        parts.map(|part| part.write())
    };
    // Locations 0 and 20 are there: ranks 0 and 2.
    let made = parts(&[0, 1], &[1, 2]);
    let (place, warnings) = told(&made);
    let [one, other] = made.each_ref().map(global);
    let text = format!(
        "streamfold: warning: {other}: Comm 5 has other members than that of {one}, a part of the \
         same run: both stay"
    );
    assert_eq!(about_comms(warnings), [text]);
    assert_eq!(rows(&place), [[0, 10], [10, 20]]);
    // Who has nobody in common may have numbers of its own.
    let (_, warnings) = told(&parts(&[0, 1], &[2, 3]));
    assert_eq!(about_comms(warnings), [""; 0]);
}

/// The same of both sides of one between two groups.
#[test]
fn sides_of_a_communicator_that_disagree() {
    let part = |which: usize, other: &[u64]| {
        let mut trace = part(which, 5, &[0, 1]);
        trace.global.retain(|it| !matches!(it, Definition::Comm(comm) if comm.id == CommRef(5)));
        let side = group(61, GroupType::CommGroup, other);
        trace.global.push(side);
        trace.global.push(Definition::InterComm(InterComm {
            id: CommRef(5),
            name: StringRef(7),
            group_a: GroupRef(60),
            group_b: GroupRef(61),
            common_communicator: CommRef(0),
            flags: CommFlag::NONE,
        }));
        trace
    };
    let made = [part(0, &[2]), part(1, &[2, 3])].map(|it| it.write());
    let (place, warnings) = told(&made);
    assert_eq!(of_kind(&place.anchor(), "InterComm").len(), 2);
    let names = made.each_ref().map(global);
    let text = |own: usize, location: u64| {
        let (own, other) = (&names[own], &names[1 - own]);
        format!(
            "{own}: Comm 5: {other}, a part of the same run, says that location {location} is a"
        )
    };
    for text in [text(0, 0), text(1, 20)] {
        assert!(warnings.iter().any(|line| line.contains(&text)), "{text}: {warnings:#?}");
    }
    let made = [part(0, &[2, 3]), part(1, &[2, 3])].map(|it| it.write());
    assert_eq!(told(&made).1, [""; 0]);
}

/// The other part has it, though by another number; or no communicator of that name at all.
#[test]
fn parts_that_agree_are_not_told() {
    let mut both = part(1, 5, &[1, 2]);
    both.global.extend([group(61, GroupType::CommGroup, &[0, 1]), comm(6, 7, 61, CommRef(0))]);
    let mut first = part(0, 5, &[0, 1]);
    first.global.extend([group(61, GroupType::CommGroup, &[1, 2]), comm(6, 7, 61, CommRef(0))]);
    let made = [first, both].map(|it| it.write());
    let (place, warnings) = told(&made);
    assert_eq!(warnings, [""; 0]);
    assert_eq!(rows(&place), [[0, 10], [10, 20]]);
    let mut without = part(1, 5, &[]);
    without.global.retain(|it| !matches!(it, Definition::Comm(comm) if comm.id == CommRef(5)));
    let made = [part(0, 5, &[0, 1, 2]), without].map(|it| it.write());
    assert_eq!(told(&made).1, [""; 0]);
}

/// Two runs have nothing to agree about.
#[test]
fn other_runs_may_say_what_they_want() {
    let mut other = part(1, 5, &[1, 2, 3]);
    other.identifier = 78;
    let made = [part(0, 5, &[0, 1, 2]), other].map(|it| it.write());
    let ended = Place::new().merge(&made, &[]);
    // Each lists locations that the other run has, and are none of its own.
    expect(&ended, 3);
    assert!(!said(&ended).contains("Comm 5"), "{}", said(&ended));
}

/// One says that ranks are in another order.
#[test]
fn lists_of_ranks_that_disagree() {
    let mut parts = [part(0, 5, &[0, 1]), part(1, 6, &[2, 3])];
    for definition in &mut parts[1].global {
        if let Definition::Group(group) = definition {
            if group.group_type == GroupType::CommLocations {
                group.members = vec![0, 20, 10, 30];
            }
        }
    }
    let made = parts.map(|part| part.write());
    let place = Place::new();
    let ended = place.merge(&made, &[]);
    expect(&ended, 0);
    let [one, other] = made.each_ref().map(global);
    let text = format!(
        "streamfold: warning: {other}: Group 0 lists location 0, as does that of {one}, a part of \
         the same run, which lists others beside it: both stay"
    );
    assert!(said(&ended).contains(&text), "{}", said(&ended));
    // Each means its own list.
    assert_eq!(rows(&place), [[0, 10], [10, 30]]);
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_says_the_same() {
    use crate::common::files::Files;
    use crate::common::program::on_ranks;
    let parts = (0..6).map(|which| {
        let mut trace = Trace::job(77, &[0, 10, 20, 30, 40, 50], "a");
        trace.processes = vec![trace.processes.swap_remove(which)];
        let members: Vec<u64> = (0..6).filter(|rank| rank % 5 != which as u64).collect();
        let row = [group(60, GroupType::CommGroup, &members), comm(5, 7, 60, CommRef(0))];
        trace.global.extend(row);
        trace.write()
    });
    let made: Vec<Made> = parts.collect();
    let (place, warnings) = told(&made);
    assert!(warnings.len() > 12, "{warnings:#?}");
    let expected = Files::read(&place.anchor());
    for ranks in [2, 4] {
        let place = Place::new();
        let args = ["merge".into(), "-o".into(), place.anchor().into_os_string()];
        let paths = made.iter().map(|made| made.anchor.clone().into_os_string());
        let Some(ended) = on_ranks(ranks, args.into_iter().chain(paths)) else { return };
        let said = said(&ended);
        let found: Vec<_> = said.lines().filter(|line| line.contains("warning")).collect();
        assert_eq!(found, warnings, "{ranks} ranks");
        Files::read(&place.anchor()).assert_same(&expected, &format!("{ranks} ranks"));
    }
}
