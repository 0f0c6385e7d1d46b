//! Archives of one run: each process, or each node, has written one for itself.

use std::collections::BTreeMap;
use std::path::Path;

use streamfold::model::definitions::{Attribute, Definition};
use streamfold::model::enums::Type;
use streamfold::model::ids::{AttributeRef, StringRef};
use streamfold::model::values::{AttributeEntry, TypedValue};

use crate::common::printed::{count, definition, definitions};
use crate::common::program::{said, streamfold, text};
use crate::merge::made::{process_group, string, Made, Process, Trace};
use crate::merge::meaning::{errors, events, locations, number, numbers, of_kind, records, World};
use crate::merge::{expect_message, merged, Place};

/// A run of four processes with numbers that have gaps.
fn whole() -> Trace {
    Trace::job(77, &[0, 10, 20, 30], "main")
}

/// An archive for each process, with all that is global in each but the other locations.
fn pieces(trace: &Trace) -> Vec<Made> {
    let piece = |process: &Process| {
        let processes = vec![process.clone()];
        Trace { processes, ..trace.clone() }.write()
    };
    trace.processes.iter().map(piece).collect()
}

pub fn unified(trace: impl AsRef<Path>) -> Place {
    let place = Place::new();
    let args =
        ["unify".as_ref(), trace.as_ref().as_os_str(), "-o".as_ref(), place.anchor().as_os_str()]
            .map(std::ffi::OsStr::to_owned);
    let ended = streamfold(args).output().expect("a run");
    assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
    place
}

/// The definitions, whatever their numbers are.
pub fn contents(anchor: &Path) -> BTreeMap<(String, String), usize> {
    let printed = streamfold(["print", "-G"]).arg(anchor).output().expect("a run");
    let lines: Vec<String> = text(printed.stdout).lines().map(str::to_owned).collect();
    let all = definitions(&lines).into_iter().filter_map(|line| definition(line));
    // Who is in groups is looked at by numbers.
    let said = |content: String| content.split(", Flags:").next().unwrap_or_default().to_owned();
    let all = all.map(|(kind, number, content)| match kind {
        "GROUP" => (kind, number, said(content)),
        _ => (kind, number, content),
    });
    count(all.map(|(kind, _, content)| (kind.to_owned(), content)))
}

#[track_caller]
fn assert_same(found: &Path, expected: &Path, what: &str) {
    assert_eq!(contents(found), contents(expected), "{what}");
    let none = BTreeMap::new();
    assert_eq!(events(found, &none, true), events(expected, &none, true), "{what}");
    let members = |anchor: &Path| {
        let groups = of_kind(anchor, "Group").into_iter();
        let groups =
            groups.map(|group| (group["group_type"].to_string(), numbers(&group["members"])));
        count(groups)
    };
    assert_eq!(members(found), members(expected), "{what}: members");
    assert_eq!(errors(found), [""; 0], "{what}");
}

#[test]
fn pieces_of_a_unified_trace_are_that_trace() {
    let whole = whole();
    let (pieces, whole) = (pieces(&whole), whole.write());
    for options in [&[][..], &["--rewrite-events"], &["--link"]] {
        let place = Place::new();
        expect_message(&place.merge(&pieces, options), 0, &["4 traces of 1 run, 4 locations"]);
        assert_same(&place.anchor(), &whole.anchor, &format!("{options:?}"));
        assert_eq!(locations(&place.anchor()), [0, 10, 20, 30]);
    }
    // In any order.
    let reversed: Vec<_> = pieces.iter().rev().collect();
    assert_same(&merged(&reversed, &[]).anchor(), &whole.anchor, "reversed");
}

#[test]
fn pieces_of_a_trace_that_nobody_has_unified_are_it_unified() {
    let whole = whole().ununified();
    let (pieces, whole) = (pieces(&whole), unified(whole.write()));
    assert_eq!(of_kind(&whole.anchor(), "Region").len(), 6);
    for options in [&[][..], &["--rewrite-events"]] {
        let place = merged(&pieces, options);
        assert_same(&place.anchor(), &whole.anchor(), &format!("{options:?}"));
    }
}

/// A run of processes of which each defines its group once more. `names`: what they are called.
fn with_own_groups(names: [&str; 3]) -> Trace {
    let mut trace = Trace::job(77, &[0, 10, 20], "main");
    for (process, name) in trace.processes.iter_mut().zip(names) {
        let number = process.group;
        let is_it = |it: &&mut Definition| it.defines() == string(40 + number, "").defines();
        let text = trace.global.iter_mut().find(is_it).expect("its name");
        *text = string(40 + number, name);
        let [_, mut own] = process_group(number);
        own.set_number(7);
        process.own.push(own);
        process.own.push(Definition::Attribute(Attribute {
            id: AttributeRef(0),
            name: StringRef(3),
            value_type: Type::LocationGroup,
            description: StringRef(0),
        }));
        let value = TypedValue { value_type: Type::LocationGroup, bits: 7 };
        process.events[0].1.push(AttributeEntry { attribute: AttributeRef(0), value });
    }
    trace
}

/// The processes to which attributes of events lead, by the location of the event.
fn groups_in_events(anchor: &Path) -> BTreeMap<u64, u64> {
    let all = records(anchor, &["--unordered"]).into_iter();
    let said = all.filter(|it| it["attributes"].as_array().is_some_and(|all| !all.is_empty()));
    said.map(|it| (number(&it["location"]), number(&it["attributes"][0]["value"]))).collect()
}

/// Whichever parts define which of them among their global definitions.
#[test]
fn processes_that_locations_define_once_more_are_one() {
    let kept = |number: u32, part: u32, all: bool| all || number == part;
    for names in [["a", "b", "c"], ["a", "b", "a"], ["", "", ""]] {
        let trace = with_own_groups(names);
        let whole = unified(trace.write());
        for all in [false, true] {
            let mut parts = Vec::new();
            for process in &trace.processes {
                let mut part = Trace { processes: vec![process.clone()], ..trace.clone() };
                part.global.retain(|it| match it {
                    Definition::LocationGroup(it) => kept(it.id.0, process.group, all),
                    _ => true,
                });
                parts.push(part.write());
            }
            let place = merged(&parts, &[]);
            let what = format!("{names:?}, all: {all}");
            assert_same(&place.anchor(), &whole.anchor(), &what);
            let found = groups_in_events(&place.anchor());
            assert_eq!(found, groups_in_events(&whole.anchor()), "{what}");
            assert_eq!(of_kind(&place.anchor(), "LocationGroup").len(), 3, "{what}");
            let ranks: Vec<_> = parts.iter().rev().collect();
            let place = merged(&ranks, &[]);
            assert_eq!(of_kind(&place.anchor(), "LocationGroup").len(), 3, "{what}, reversed");
        }
        // With one that is no part of it.
        let other = Trace::job(78, &[0], "other").write();
        let place = merged(&[trace.write(), other], &[]);
        assert_eq!(of_kind(&place.anchor(), "LocationGroup").len(), 4, "{names:?}, two runs");
    }
}

/// Two such runs, in any order: each has a world of its own.
#[test]
fn pieces_of_two_runs_find_each_other() {
    for unify in [false, true] {
        let [one, other] = [whole(), Trace::job(78, &[0, 10, 20], "other")];
        let [one, other] = [one, other].map(|it| if unify { it.ununified() } else { it });
        let [one, other] = [one, other].map(|it| pieces(&it));
        let mixed = [&one[0], &other[2], &one[1], &one[2], &other[0], &one[3], &other[1]];
        let place = Place::new();
        let told = ["7 traces of 2 runs, 7 locations"];
        expect_message(&place.merge(&mixed, &[]), 0, &told);
        let anchor = place.anchor();
        // Those of the first run have their numbers, the others the next ones, in their order.
        assert_eq!(locations(&anchor), [0, 31, 10, 20, 32, 30, 33]);
        assert_eq!(of_kind(&anchor, "LocationGroup").len(), 7);
        let world = World::read(&anchor);
        let comms = of_kind(&anchor, "Comm");
        let members = comms.iter().map(|comm| world.members(number(&comm["id"])).to_vec());
        let mut members: Vec<_> = members.collect();
        members.sort();
        assert_eq!(members, [vec![0, 10, 20, 30], vec![32, 33, 31]]);
        let groups = of_kind(&anchor, "Location");
        let name = |it: &serde_json::Value| (number(&it["id"]), number(&it["location_group"]));
        let groups: BTreeMap<u64, u64> = groups.iter().map(name).collect();
        let different: std::collections::BTreeSet<_> = groups.values().collect();
        assert_eq!(different.len(), 7, "unify: {unify}: {groups:?}");
        assert_eq!(errors(&anchor), [""; 0]);
    }
}

/// The same run can be there twice, as copies of which one was changed.
#[test]
fn one_identifier_and_the_same_locations_are_two_runs() {
    let [one, other] = [(); 2].map(|()| whole().write());
    let place = Place::new();
    let ended = place.merge(&[&one, &other], &[]);
    let names = [&one, &other].map(|made| made.anchor.to_str().expect("text").to_owned());
    expect_message(&ended, 0, &[&names[0], &names[1], "the same trace identifier"]);
    expect_message(&ended, 0, &["2 traces of 2 runs, 8 locations"]);
    assert_eq!(locations(&place.anchor()), [0, 10, 20, 30, 31, 32, 33, 34]);
    let comms = of_kind(&place.anchor(), "Comm");
    let world = World::read(&place.anchor());
    let members: Vec<_> =
        comms.iter().map(|comm| world.members(number(&comm["id"])).to_vec()).collect();
    assert_eq!(members, [vec![0, 10, 20, 30], vec![31, 32, 33, 34]]);
    assert_eq!(of_kind(&place.anchor(), "LocationGroup").len(), 8);
    // That is a warning, which -q does not silence.
    let quiet = Place::new();
    expect_message(&quiet.merge(&[&one, &other], &["-q"]), 0, &names);
}

/// The oldest anchors have no identifier, which is none that two have in common.
#[test]
fn no_identifier_is_not_the_same_identifier() {
    let [one, other] = [&[0, 1], &[2, 3]].map(|locations| Trace::job(0, locations, "a").write());
    let place = Place::new();
    expect_message(&place.merge(&[&one, &other], &[]), 0, &["2 traces of 2 runs"]);
    assert_eq!(of_kind(&place.anchor(), "Comm").len(), 2);
}

/// A part that is there twice is no reason to say that of another part.
#[test]
fn only_parts_with_the_same_locations_are_told() {
    let [parts, again] = [(); 2].map(|()| pieces(&whole()));
    let place = Place::new();
    let ended = place.merge(&[&parts[0], &parts[1], &again[0]], &[]);
    let names = [&parts[0], &again[0]].map(|made| made.anchor.to_str().expect("text").to_owned());
    // Nobody knows any more which locations the others have ranks of.
    expect_message(&ended, 3, &names);
    expect_message(&ended, 3, &["Group 0 leads to Location 0 and 2 more, which are not defined"]);
    let other = parts[1].anchor.to_str().expect("text");
    let said = said(&ended);
    let mut warnings = said.lines().filter(|line| line.contains("warning: "));
    assert!(!warnings.any(|line| line.contains(other)), "{said}");
}
