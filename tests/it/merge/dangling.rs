//! Numbers that nobody defines: what leads to them goes on leading nowhere, wherever the trace stands among
//! others, and is told.

use std::collections::BTreeSet;

use serde_json::{json, Value};
use streamfold::model::definitions::{Definition, MappingTable};
use streamfold::model::enums::{GroupType, MappingType, MarkerScope, MarkerSeverity};
use streamfold::model::ids::{MarkerRef, SystemTreeNodeRef};
use streamfold::model::markers::{DefMarker, Marker, MarkerRecord};
use streamfold::model::values::IdMap;

use crate::common::archives::{large, one};
use crate::common::program::said;
use crate::common::reference::{is_installed, otf2_print};
use crate::merge::made::{group, node, region, visit, Trace};
use crate::merge::meaning::{errors, number, of_kind, records};
use crate::merge::{expect, expect_message, merged, Place};

fn told(said: &str) -> Vec<String> {
    said.lines().filter(|line| line.contains("which is not defined")).map(str::to_owned).collect()
}

/// EZTrace writes handles of files that it never defines.
#[test]
fn a_trace_says_the_same_wherever_it_stands() {
    let Some(eztrace) = large().into_iter().find(|it| it.name == "eztrace-posixio-memory-threads")
    else {
        return;
    };
    let beside = [one("pingpong").anchor, one("local-defs").anchor];
    let mut all = Vec::new();
    for at in 0..3 {
        let mut anchors = beside.to_vec();
        anchors.insert(at, eztrace.anchor.clone());
        let place = Place::new();
        let ended = place.merge(&anchors, &["--strict"]);
        expect(&ended, 0);
        let handles = of_kind(&place.anchor(), "IoHandle");
        let files: BTreeSet<u64> =
            of_kind(&place.anchor(), "IoFile").iter().map(|file| number(&file["id"])).collect();
        let dangling =
            |handle: &&Value| handle["file"].as_u64().is_some_and(|it| !files.contains(&it));
        let names = handles.iter().filter(dangling).map(|it| it["name_text"].to_string());
        let different: BTreeSet<u64> =
            handles.iter().filter(dangling).map(|it| number(&it["file"])).collect();
        assert_eq!(different.len(), 12, "as many as there were");
        all.push((told(&said(&ended)), names.collect::<Vec<_>>(), errors(&place.anchor()).len()));
    }
    assert_eq!(all[0].0.len(), 12, "{all:#?}");
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
}

/// What differs in nothing but a number that nobody defines is not the same.
#[test]
fn numbers_that_nobody_defines_are_told_apart() {
    let mut second = Trace::job(2, &[0, 1], "b");
    second.global.extend([region(50, 800), region(51, 801), region(52, 800)]);
    let other = Trace::job(3, &[0, 1], "b");
    let mut third = other.clone();
    // The same number of another run is another thing.
    third.global.push(region(50, 800));
    let made = [Trace::job(1, &[0, 1], "a"), second, third].map(|trace| trace.write());
    let place = merged(&made, &[]);
    let strings: BTreeSet<u64> =
        of_kind(&place.anchor(), "String").iter().map(|it| number(&it["id"])).collect();
    let names: Vec<u64> =
        of_kind(&place.anchor(), "Region").iter().map(|region| number(&region["name"])).collect();
    let nobody: Vec<&u64> = names.iter().filter(|name| !strings.contains(name)).collect();
    assert_eq!(nobody.len(), 3, "{names:?} {strings:?}");
    assert_eq!(nobody.iter().collect::<BTreeSet<_>>().len(), 3, "{nobody:?}");
    if is_installed("otf2-print") {
        assert!(otf2_print(&["-G"], &place.anchor()).status.success());
    }
}

/// Parts of one run mean the same by the same number.
#[test]
fn parts_of_a_run_lead_to_the_same_nowhere() {
    let mut whole = Trace::job(77, &[0, 10], "a");
    whole.global.extend([region(50, 800), node(9, 2, 1, SystemTreeNodeRef(8))]);
    let part = |which: usize| {
        let processes = vec![whole.processes[which].clone()];
        Trace { processes, ..whole.clone() }.write()
    };
    for parts in [[0, 1], [1, 0]] {
        let place = merged(&parts.map(part), &[]);
        let count = |kind| of_kind(&place.anchor(), kind).len();
        assert_eq!((count("Region"), count("SystemTreeNode")), (3, 2));
        let all = records(&place.anchor(), &["-G"]);
        let node = all.iter().filter(|it| it["record"] == "SystemTreeNode").nth(1);
        assert_eq!(node.expect("two")["parent"], 8);
    }
}

fn table(mapping_type: MappingType, pairs: &[(u64, u64)]) -> Definition {
    let id_map = IdMap::Sparse(pairs.to_vec());
    Definition::MappingTable(MappingTable { mapping_type, id_map })
}

/// Merges two jobs, of which one has something wrong, in either order. Each time the same is lost, by the
/// name of this file.
#[track_caller]
fn lost(wrong: &Trace, file: &str, messages: &[&str]) -> [Place; 2] {
    let made = [Trace::job(1, &[0, 1], "a"), wrong.clone()].map(|trace| trace.write());
    let messages =
        messages.iter().map(|text| format!("{}/{file}: {text}\n", made[1].folder.path().display()));
    let messages: Vec<_> = messages.collect();
    [[0, 1], [1, 0]].map(|order| {
        let place = Place::new();
        let ended = place.merge(&order.map(|at| &made[at]), &[]);
        expect_message(&ended, 3, &messages);
        if is_installed("otf2-print") {
            let printed = otf2_print(&["-A"], &place.anchor());
            assert_eq!((printed.status.success(), said(&printed)), (true, String::new()));
        }
        let strict = Place::new();
        expect(&strict.merge(&order.map(|at| &made[at]), &["--strict"]), 2);
        assert!(strict.left().is_empty(), "{:?}", strict.left());
        place
    })
}

#[test]
fn mapping_tables_that_lead_to_what_nobody_defines() {
    let mut trace = Trace::job(2, &[0, 1], "b");
    trace.processes[1].own = vec![
        table(MappingType::Region, &[(0, 1), (1, 0), (2, 700)]),
        // Some tracers write a number that is none in more bits than it has.
        table(MappingType::String, &[(3, 900), (4, u64::from(u32::MAX)), (5, 901), (6, u64::MAX)]),
    ];
    let region = "MappingTable of Region leads to Region 700, which is not defined: undefined now";
    let strings = "MappingTable of String leads to String 900 and 1 more, which are not defined: \
                   undefined now";
    for place in lost(&trace, "t/1.def", &[region, strings]) {
        assert_eq!(errors(&place.anchor()), [""; 0]);
    }
}

#[test]
fn markers_of_what_nobody_defines() {
    let defined = MarkerRecord::DefMarker(DefMarker {
        id: MarkerRef(3),
        marker_group: "group".into(),
        marker_category: "category".into(),
        severity: MarkerSeverity::Low,
    });
    let marker = |id: u32, timestamp: u64, marker_scope, scope| {
        let (marker, text) = (MarkerRef(id), "".into());
        MarkerRecord::Marker(Marker { timestamp, duration: 0, marker, marker_scope, scope, text })
    };
    let mut trace = Trace::job(2, &[0, 1], "b");
    trace.markers = vec![
        defined,
        marker(3, 1_100, MarkerScope::Comm, 0),
        marker(3, 1_101, MarkerScope::Group, 99),
        marker(8, 1_102, MarkerScope::Global, 0),
    ];
    let group = "Marker at 1101: scope leads to Group 99, which is not defined: undefined now";
    let marker = "Marker at 1102 leads to DefMarker 8, which is not defined: undefined now";
    for place in lost(&trace, "t.marker", &[group, marker]) {
        let all = records(&place.anchor(), &["-A"]);
        let markers = all.iter().filter(|it| it["record"] == "Marker");
        let scopes = markers.map(|marker| json!([marker["marker"], marker["scope"]]));
        let comm = of_kind(&place.anchor(), "Comm");
        let none = json!([0, u32::MAX]);
        let found: Vec<Value> = scopes.collect();
        assert_eq!(found.len(), 3);
        assert!(comm.iter().any(|comm| found[0] == json!([0, comm["id"]])), "{found:?}");
        assert_eq!((&found[1], &found[2]), (&none, &json!([null, 0])));
    }
}

/// Where events are written anew each number is looked at: what nobody defined nobody defines afterwards, though
/// others have such numbers.
#[test]
fn events_that_lead_to_what_nobody_defines() {
    let mut first = Trace::job(1, &[0, 1], "a");
    first.global.extend((50..60).map(|id| region(id, 6)));
    let mut second = Trace::job(2, &[0, 1], "b").ununified();
    let mut third = Trace::job(3, &[0, 1], "c");
    third.processes[1].own = vec![table(MappingType::Region, &[(0, 1), (1, 0)])];
    for trace in [&mut second, &mut third] {
        let events = &mut trace.processes[1].events;
        let begin = events.last().expect("events").0;
        for (number, region) in (0..).zip([55, 0, 56, 55, 4_000_000_000, u32::MAX]) {
            events.extend(visit([begin + number, begin + number], region));
        }
    }
    let made = [first, second, third].map(|trace| trace.write());
    for order in [[0, 1, 2], [2, 0, 1]] {
        let place = Place::new();
        let from = order.map(|at| &made[at]);
        let ended = place.merge(&from, &["--rewrite-events"]);
        expect(&ended, 0);
        let text = "8 times events lead to what is not defined, as to Region 55: others stand for them, which \
                    nobody defines either";
        for trace in &made[1..] {
            let line = format!("{}/t/1.evt: {text}\n", trace.folder.path().display());
            assert!(said(&ended).contains(&line), "{line}: {}", said(&ended));
        }
        let regions: BTreeSet<u64> =
            of_kind(&place.anchor(), "Region").iter().map(|it| number(&it["id"])).collect();
        for at in [1, 2] {
            let location = 1 + 2 * order.iter().position(|it| *it == at).expect("a place");
            let all = records(&place.anchor(), &[]);
            let of = |it: &&Value| it["record"] == "Enter" && it["location"] == location;
            let entered: Vec<Option<u64>> =
                all.iter().filter(of).map(|it| it["region"].as_u64()).collect();
            let [a, known, b, a_again, far, none] = entered[entered.len() - 6..] else {
                panic!("{entered:?}")
            };
            assert!(known.is_some_and(|known| regions.contains(&known)), "{entered:?}");
            for nobody in [a, b, far].map(|it| it.expect("a number")) {
                assert!(!regions.contains(&nobody), "{nobody}: {regions:?}");
            }
            assert_eq!((a, none), (a_again, None));
            assert!(a != b && b != far, "{entered:?}");
        }
    }
}

/// A list leads to a location that its own run has lost. No location of another run gets that number, or it would
/// stand in that list.
#[test]
fn no_location_of_another_run_gets_the_number_of_one_that_was_lost() {
    let mut lost = Trace::job(1, &[0, 1], "a");
    lost.global.push(group(70, GroupType::Locations, &[0, 1, 2, 4]));
    for others in [[0, 1], [2, 3]] {
        let anchors = [lost.write(), Trace::job(2, &others, "b").write()];
        let place = Place::new();
        let ended = place.merge(&anchors, &[]);
        expect(&ended, 0);
        assert!(said(&ended).contains("which are not defined: it stays"));
        let found: Vec<u64> =
            of_kind(&place.anchor(), "Location").iter().map(|it| number(&it["id"])).collect();
        assert_eq!(found, [0, 1, 5, 6]);
    }
}
