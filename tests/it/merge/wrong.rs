//! Definitions with which something is wrong: each case has an answer, and a message with the trace, the
//! file, the definition and what it leads to. docs/rules/merge.md lists them.

use std::path::Path;

use serde_json::json;
use streamfold::model::definitions::{
    Definition, LocationProperty, ParadigmDef, ParadigmPropertyDef,
};
use streamfold::model::enums::{
    GroupFlag, GroupType, Paradigm, ParadigmClass, ParadigmProperty, Type,
};
use streamfold::model::ids::{CommRef, LocationRef, StringRef, SystemTreeNodeRef};
use streamfold::model::values::TypedValue;

use crate::common::program::said;
use crate::common::reference::{is_installed, otf2_print};
use crate::merge::made::{comm, group, node, region, Made, Trace};
use crate::merge::meaning::{errors, events, number, numbers, of_kind, renamed, World};
use crate::merge::{expect, expect_message, Place};

/// The trace in which something is wrong, and its file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum In {
    First,
    Second,
    /// That of a location of the second trace.
    Local,
}

impl In {
    const ALL: [In; 3] = [In::First, In::Second, In::Local];

    fn file(self, made: &[Made]) -> String {
        let trace = if self == In::First { 0 } else { 1 };
        let file = if self == In::Local { "t/1.def" } else { "t.def" };
        made[trace].folder.path().join(file).display().to_string()
    }
}

/// Two jobs with locations 0 and 1, and definitions that are added to one of the files.
fn two(which: In, wrong: &[Definition]) -> Vec<Made> {
    let mut jobs = [Trace::job(1, &[0, 1], "a"), Trace::job(2, &[0, 1], "b")];
    match which {
        In::First => jobs[0].global.extend_from_slice(wrong),
        In::Second => jobs[1].global.extend_from_slice(wrong),
        In::Local => {
            jobs[1] = jobs[1].clone().ununified();
            jobs[1].processes[1].own.extend_from_slice(wrong);
        }
    }
    jobs.iter().map(Trace::write).collect()
}

#[track_caller]
fn accepted(anchor: &Path) {
    if is_installed("otf2-print") {
        let printed = otf2_print(&["-G"], anchor);
        assert!(printed.status.success(), "{}", said(&printed));
    }
}

/// Merges traces, which ends with this code and messages of that file; with --strict nothing comes out
/// where anything is lost.
#[track_caller]
fn told(made: &[Made], which: In, code: i32, messages: &[&str]) -> Place {
    let place = Place::new();
    let ended = place.merge(made, &[]);
    let file = which.file(made);
    let messages: Vec<_> = messages.iter().map(|text| format!("{file}: {text}\n")).collect();
    expect_message(&ended, code, &messages);
    accepted(&place.anchor());
    let strict = Place::new();
    let refused = strict.merge(made, &["--strict"]);
    match code {
        0 => expect(&refused, 0),
        _ => {
            // What is lost first.
            expect_message(&refused, 2, &[file.rsplit_once('/').expect("a folder").0]);
            assert!(strict.left().is_empty(), "{:?}", strict.left());
        }
    }
    place
}

#[test]
fn parents_in_a_circle_are_a_loss() {
    let node = |id, name, parent| node(id, name, 1, SystemTreeNodeRef(parent));
    let wrong = [node(500, 3, 501), node(501, 4, 500), node(502, 5, 502)];
    let back = "and so back to itself: undefined now";
    let messages = [
        format!("SystemTreeNode 500: parent leads to SystemTreeNode 501, {back}"),
        format!("SystemTreeNode 502: parent leads to SystemTreeNode 502, {back}"),
    ];
    for which in In::ALL {
        let place = told(&two(which, &wrong), which, 3, &messages.each_ref().map(String::as_str));
        let nodes = of_kind(&place.anchor(), "SystemTreeNode");
        let without = nodes.iter().filter(|node| node["parent"].is_null()).count();
        assert_eq!((nodes.len(), without), (4, 3), "{which:?}: {nodes:?}");
        assert_eq!(errors(&place.anchor()), [""; 0]);
    }
}

/// What global definitions lead to is a number that nothing gets: for the first trace the same as before.
#[test]
fn parents_that_nobody_defines() {
    let wrong = [node(500, 3, 1, SystemTreeNodeRef(1))];
    let text = "SystemTreeNode 500: parent leads to SystemTreeNode 1, which is not defined";
    let now = |which| if which == In::Local { "undefined now" } else { "it stays" };
    for (which, code, parent) in
        [(In::First, 0, json!(1)), (In::Second, 0, json!(2)), (In::Local, 3, json!(null))]
    {
        let text = format!("{text}: {}", now(which));
        let place = told(&two(which, &wrong), which, code, &[&text]);
        let nodes = of_kind(&place.anchor(), "SystemTreeNode");
        let parents: Vec<_> = nodes.iter().map(|node| &node["parent"]).collect();
        assert_eq!(parents, [&json!(null), &parent], "{which:?}");
        assert!(nodes.iter().all(|node| node["id"] != parent), "{nodes:?}");
    }
}

#[test]
fn ranks_that_nobody_has_are_a_loss() {
    let wrong = [group(600, GroupType::CommGroup, &[1, 2, 7])];
    let text = "Group 600 leads to rank 2 of 2 and 1 more, which are not defined: undefined now";
    for which in In::ALL {
        let place = told(&two(which, &wrong), which, 3, &[text]);
        let groups = of_kind(&place.anchor(), "Group");
        let of_three = groups.iter().find(|it| it["members"].as_array().map(Vec::len) == Some(3));
        let members = numbers(&of_three.expect("a group")["members"]);
        let own = if which == In::First { 1 } else { 3 };
        assert_eq!(members, [own, u64::MAX, u64::MAX], "{which:?}");
    }
}

fn property(location: u64, value: u64) -> Definition {
    let value = TypedValue { value_type: Type::Location, bits: value };
    let (location, name) = (LocationRef(location), StringRef(7));
    Definition::LocationProperty(LocationProperty { location, name, value })
}

/// Where locations get other numbers, those that there are not have none.
#[test]
fn locations_that_nobody_defines() {
    let wrong = [property(1, 5), group(600, GroupType::Locations, &[0, 6, 7])];
    let messages = |now: &str| {
        [
            format!("Group 600 leads to Location 6 and 1 more, which are not defined: {now}"),
            format!("leads to Location 5, which is not defined: {now}"),
        ]
    };
    for (which, code) in [(In::First, 0), (In::Second, 3), (In::Local, 3)] {
        let [of_group, of_property] =
            messages(if which == In::First { "it stays" } else { "undefined now" });
        let called = match which {
            In::First => "LocationProperty of Location 1 ",
            _ => "LocationProperty ",
        };
        let made = two(which, &wrong);
        told(&made, which, code, &[&of_group, &format!("{called}{of_property}")]);
    }
    // Numbers that are different stay.
    let mut other = Trace::job(2, &[10, 11], "b");
    other.global.push(property(10, 5));
    let made = [Trace::job(1, &[0, 1], "a"), other].map(|it| it.write());
    let [_, text] = messages("it stays");
    let text = format!("LocationProperty of Location 10 {text}");
    let place = told(&made, In::Second, 0, &[&text]);
    assert_eq!(of_kind(&place.anchor(), "LocationProperty")[0]["value"], 5);
}

/// The list of all locations with ranks names one that there is not.
#[test]
fn lists_with_locations_that_nobody_defines() {
    let list = |locations: &[u64]| {
        let mut trace = Trace::job(2, locations, "b");
        for definition in &mut trace.global {
            if let Definition::Group(group) = definition {
                if group.group_type == GroupType::CommLocations {
                    group.members.push(99);
                }
            }
        }
        [Trace::job(1, &[0, 1], "a").write(), trace.write()]
    };
    let text = "Group 0 leads to Location 99, which is not defined: ";
    for (locations, code, now, last) in
        [(&[0, 1], 3, "undefined now", u64::MAX), (&[10, 11], 0, "it stays", 99)]
    {
        let place = told(&list(locations), In::Second, code, &[&format!("{text}{now}")]);
        let groups = of_kind(&place.anchor(), "Group");
        let all = groups.iter().find(|it| it["group_type_name"] == "COMM_LOCATIONS");
        assert_eq!(numbers(&all.expect("a list")["members"]).last(), Some(&last));
    }
}

#[test]
fn one_number_for_two_things() {
    let wrong = [region(600, 6), region(600, 7)];
    let text = "Region 600 is defined 2 times, and not as the same: all stay, and events mean the \
                last one";
    for which in In::ALL {
        told(&two(which, &wrong), which, 0, &[text]);
    }
}

fn paradigm(name: u32) -> Definition {
    let (paradigm, paradigm_class) = (Paradigm::Mpi, ParadigmClass::Process);
    let name = StringRef(name);
    Definition::ParadigmDef(ParadigmDef { paradigm, name, paradigm_class })
}

fn rma_only(bits: u64) -> Definition {
    Definition::ParadigmPropertyDef(ParadigmPropertyDef {
        paradigm: Paradigm::Mpi,
        property: ParadigmProperty::RmaOnly,
        value: TypedValue { value_type: Type::Uint8, bits },
    })
}

/// There is one paradigm of a number: that of the first trace counts.
#[test]
fn paradigms_that_contradict_each_other() {
    let with = |identifier, name, rma| {
        let mut trace = Trace::job(identifier, &[0, 1], "a");
        trace.global.extend([paradigm(name), rma_only(rma)]);
        trace.write()
    };
    let made = [with(1, 1, 0), with(2, 2, 1), with(3, 1, 0)];
    let first = In::First.file(&made);
    let messages = [
        format!("Paradigm 4 contradicts that of {first}, which counts: left out"),
        format!(
            "ParadigmProperty 2 of Paradigm 4 contradicts that of {first}, which counts: left out"
        ),
    ];
    let place = told(&made, In::Second, 3, &messages.each_ref().map(String::as_str));
    let found = of_kind(&place.anchor(), "Paradigm");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["name_text"], "machine");
    let found = of_kind(&place.anchor(), "ParadigmProperty");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["value"], 0);
    if is_installed("otf2-print") {
        let printed = otf2_print(&["-G"], &place.anchor());
        assert_eq!(said(&printed), "", "without a warning");
    }
    // The same ones are one, without a word.
    let place = Place::new();
    let ended = place.merge(&[&made[0], &made[2]], &[]);
    expect(&ended, 0);
    assert!(!said(&ended).contains("contradicts"), "{}", said(&ended));
    assert_eq!(of_kind(&place.anchor(), "Paradigm").len(), 1);
}

/// Two archives of one run say different things of a process.
#[test]
fn parts_of_a_run_that_contradict_each_other() {
    let whole = Trace::job(77, &[0, 1], "a");
    let mut parts = [whole.clone(), whole];
    parts[0].processes.truncate(1);
    parts[1].processes.remove(0);
    for definition in &mut parts[1].global {
        if let Definition::LocationGroup(group) = definition {
            group.name = StringRef(7);
        }
    }
    let made = parts.map(|part| part.write());
    let other = In::First.file(&made);
    let [zero, one] = [0, 1].map(|number| {
        format!(
            "LocationGroup {number} contradicts that of {other}, a part of the same run: both stay"
        )
    });
    let place = told(&made, In::Second, 0, &[&zero, &one]);
    assert_eq!(of_kind(&place.anchor(), "LocationGroup").len(), 4);
}

/// Each part of a run says for its process who is in its communicator.
#[test]
fn members_that_disagree_are_told() {
    let part = |which: u64, members: &[u64]| {
        let mut trace = Trace::job(77, &[0, 1, 2], "a").ununified();
        trace.processes = vec![trace.processes.swap_remove(which as usize)];
        let row = [group(600, GroupType::CommGroup, members), comm(60, 7, 600, CommRef(0))];
        trace.processes[0].own.extend(row);
        trace.write()
    };
    let made = [part(0, &[0, 1]), part(1, &[1, 2]), part(2, &[1, 2])];
    let first = made[0].folder.path().join("t/0.def");
    let text = format!(
        "Comm 60: Comm 60 of {} says that this location is a member, has the same name and parent, \
         and is not defined here: both stay",
        first.display()
    );
    let place = told(&made, In::Local, 0, &[&text]);
    assert_eq!(of_kind(&place.anchor(), "Comm").len(), 3);
    // With the numbers of their files, whatever they become.
    let other = Trace::job(1, &[0, 1, 2], "a").write();
    let ended = Place::new().merge(&[&other, &made[0], &made[1], &made[2]], &[]);
    expect_message(&ended, 0, &[&text]);
    let agreeing = [part(0, &[0]), part(1, &[1, 2]), part(2, &[1, 2])];
    let ended = Place::new().merge(&agreeing, &[]);
    expect(&ended, 0);
    assert!(!said(&ended).contains("says that this location"), "{}", said(&ended));
}

/// A job whose world has global members: ranks in events count among all locations.
fn global_members(identifier: u64, members: &[u64], locally: bool) -> Trace {
    let mut trace = Trace::job(identifier, &[0, 1, 2], "a");
    for definition in &mut trace.global {
        if let Definition::Group(group) = definition {
            if group.group_type == GroupType::CommGroup {
                group.group_flags = GroupFlag::GLOBAL_MEMBERS;
                group.members = members.to_vec();
            }
        }
    }
    match locally {
        true => trace.ununified(),
        false => trace,
    }
}

/// Whoever has all ranks has each at its place: the flag goes, and messages go where they went.
#[test]
fn global_members_that_are_all_stay_exact() {
    for locally in [false, true] {
        let made = [1, 2].map(|identifier| global_members(identifier, &[0, 1, 2], locally).write());
        for options in [&[][..], &["--rewrite-events"]] {
            let place = Place::new();
            expect(&place.merge(&made, options), 0);
            let groups = of_kind(&place.anchor(), "Group");
            let worlds = groups.iter().filter(|it| it["group_type_name"] == "COMM_GROUP");
            let worlds: Vec<_> =
                worlds.map(|it| json!([it["members"], it["group_flags"]])).collect();
            assert_eq!(worlds, [json!([[0, 1, 2], 1]), json!([[3, 4, 5], 0])]);
            assert_eq!(errors(&place.anchor()), [""; 0]);
            let found = events(&place.anchor(), &Default::default(), false);
            // Where nobody has unified anything, nobody knows what events of the traces mean.
            for (made, renamed) in made.iter().zip(renamed(&made)).filter(|_| !locally) {
                for (location, expected) in events(&made.anchor, &renamed, false) {
                    assert_eq!(found[&location], expected, "{options:?}");
                }
            }
            let world = World::read(&place.anchor());
            let comms = of_kind(&place.anchor(), "Comm");
            assert_eq!(world.members(number(&comms[1]["id"])), [3, 4, 5]);
        }
    }
}

#[test]
fn other_global_members_are_a_loss() {
    for (which, locally) in [(In::Second, false), (In::Local, true)] {
        // What both locations say is told of both.
        let made = [1, 2].map(|identifier| global_members(identifier, &[2, 0], locally).write());
        let text = "Group 1 has global members: ranks in events count among all locations, which \
                    are others now";
        told(&made, which, 3, &[text]);
    }
}

/// With the locations that they have in common.
#[test]
fn one_identifier_and_common_locations() {
    let made = [&[0, 5][..], &[5, 7]].map(|locations| Trace::job(77, locations, "a").write());
    let place = Place::new();
    let [one, other] = made.each_ref().map(|it| it.anchor.display().to_string());
    let text = format!("{other}: the same trace identifier as {one}, and location 5 as well");
    expect_message(&place.merge(&made, &[]), 0, &[text, "2 traces of 2 runs".into()]);
    accepted(&place.anchor());
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_says_the_same() {
    use crate::common::files::Files;
    use crate::common::program::on_ranks;
    use crate::merge::made::string;

    let wrong = |identifier: u64, local: bool| {
        let mut job = Trace::job(identifier, &[0, 1], "a");
        let all = [
            string(90, "another"),
            node(500, 2, 1, SystemTreeNodeRef(501)),
            node(501, 2, 1, SystemTreeNodeRef(500)),
            node(502, 2, 1, SystemTreeNodeRef(8_000)),
            group(600, GroupType::CommGroup, &[1, 2, 7]),
            region(700, 6),
            region(700, 90),
            property(1, 5),
        ];
        if local {
            job = job.ununified();
            job.processes.iter_mut().for_each(|process| process.own.extend_from_slice(&all));
        }
        job.global.extend_from_slice(&all);
        job.global.push(paradigm(identifier as u32));
        job.write()
    };
    let made = [1, 2, 3, 4].map(|identifier| wrong(identifier, identifier % 2 == 0));
    let paths = made.each_ref().map(|it| it.folder.path().display().to_string());
    let told = |said: String| -> Vec<String> {
        let names = |line: &&str| paths.iter().any(|path| line.contains(path));
        said.lines().filter(names).map(str::to_owned).collect()
    };
    let place = Place::new();
    let ended = place.merge(&made, &["--mpi", "off"]);
    expect(&ended, 3);
    let expected = (told(said(&ended)), Files::read(&place.anchor()));
    assert!(expected.0.len() > 30, "{:#?}", expected.0);
    for ranks in [1, 2, 3] {
        let place = Place::new();
        let args = ["merge".into(), "-o".into(), place.anchor().into_os_string()];
        let paths = made.iter().map(|made| made.anchor.clone().into_os_string());
        let Some(ended) = on_ranks(ranks, args.into_iter().chain(paths)) else { return };
        assert_eq!(ended.status.code(), Some(3), "{}", said(&ended));
        assert_eq!(told(said(&ended)), expected.0, "{ranks} ranks");
        Files::read(&place.anchor()).assert_same(&expected.1, &format!("{ranks} ranks"));
    }
}
