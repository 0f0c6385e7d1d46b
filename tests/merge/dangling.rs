//! Numbers that nobody defines: what leads to them goes on leading nowhere, wherever the trace stands among
//! others, and is told.

use std::collections::BTreeSet;

use serde_json::Value;
use streamfold::model::ids::SystemTreeNodeRef;

use crate::common::archives::{large, one};
use crate::common::program::said;
use crate::common::reference::{is_installed, otf2_print};
use crate::made::{node, region, Trace};
use crate::meaning::{errors, number, of_kind, records};
use crate::{expect, merged, Place};

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
