//! Archives of real runs: what is known to be odd about them is found, and nothing else.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::archives::{large, one, own, traces, Archive};
use crate::validate::validate;

/// How many defects of each kind.
fn kinds(report: &Value) -> BTreeMap<String, u64> {
    let kinds = report["kinds"].as_array().expect("a list").iter();
    kinds
        .map(|kind| (kind["code"].as_str().unwrap().to_owned(), kind["count"].as_u64().unwrap()))
        .collect()
}

/// What the README of the archives says of some of them; all others have nothing.
fn known(archive: &Archive) -> Option<BTreeMap<&'static str, u64>> {
    Some(match archive.name.as_str() {
        // A line end behind the end of the data: how they were kept.
        "scorep2-nonblocking-subcomms" => BTreeMap::from([("trailing-data", 21)]),
        // Recording was off where two visits end.
        "scorep3-stencil4d-32" => BTreeMap::from([("crossed-leave", 1), ("unmatched-leave", 1)]),
        name if name.contains("eztrace") || name.contains("ununified") => return None,
        _ => BTreeMap::new(),
    })
}

#[test]
fn archives_of_measurement_systems_have_what_is_known_and_nothing_else() {
    for archive in own().into_iter().chain(large()) {
        let facts = archive.facts();
        let (code, report) = validate(&archive.anchor);
        let events = facts["events_total"].as_u64();
        assert_eq!(report["read"]["events"].as_u64(), events, "{}", archive.name);
        let Some(expected) = known(&archive) else { continue };
        let expected: BTreeMap<_, _> =
            expected.into_iter().map(|(k, n)| (k.to_owned(), n)).collect();
        assert_eq!(kinds(&report), expected, "{}: {report:#}", archive.name);
        assert_eq!(code, 0, "{}", archive.name);
    }
}

/// What the reference library's bindings counted by location.
#[test]
fn counts_are_those_of_the_facts() {
    for archive in own().into_iter().chain(large()) {
        let facts = archive.facts();
        let locations = facts["locations"].as_array().expect("a list");
        let total =
            |name: &str| -> u64 { locations.iter().map(|l| l[name].as_u64().expect(name)).sum() };
        let (_, report) = validate(&archive.anchor);
        let kinds = kinds(&report);
        let count = |codes: &[&str]| -> u64 {
            codes.iter().map(|code| kinds.get(*code).copied().unwrap_or(0)).sum()
        };
        let name = &archive.name;
        let nesting = ["unmatched-leave", "crossed-leave"];
        assert_eq!(count(&nesting), total("stack_errors"), "{name}");
        assert_eq!(count(&["open-region"]), total("open_at_end"), "{name}");
        let backward = ["time-backwards", "clock-backwards"];
        assert_eq!(count(&backward), total("backward_steps"), "{name}");
        let wrong = locations.iter().filter(|l| l["declared_events"] != l["events"]).count();
        assert_eq!(count(&["event-count"]), wrong as u64, "{name}");
    }
}

#[test]
fn eztrace_writes_wrong_counts_and_references() {
    let (code, report) = validate(&one("eztrace").anchor);
    assert_eq!(code, 3);
    let kinds = kinds(&report);
    // One of each location; group 0 three times again; four begins and ends of threads without
    // their group.
    assert_eq!(kinds["event-count"], 4, "{kinds:?}");
    assert_eq!(kinds["duplicate-definition"], 3, "{kinds:?}");
    assert_eq!(kinds["missing-reference"], 8, "{kinds:?}");
    assert_eq!(kinds["undefined-reference"], 12, "{kinds:?}");
    // Handles of POSIX have a communicator. Numbers of regions and of handles have gaps.
    assert_eq!(kinds["convention"], 14, "{kinds:?}");
    // The first of group 0 lists the locations, whatever its number means later.
    assert!(!kinds.contains_key("invalid-definition"), "{kinds:?}");
    assert_eq!(kinds.keys().len(), 5, "{kinds:?}");
}

#[test]
fn numbers_that_were_never_unified_lead_to_nothing() {
    let Some(folder) = traces() else { return };
    let Some(archive) = Archive::find(&folder.join("otf2/synthetic-ununified-6")) else { return };
    let (code, report) = validate(&archive.anchor);
    assert_eq!(code, 3);
    assert_eq!(kinds(&report).into_keys().collect::<Vec<_>>(), ["undefined-reference"]);
}

#[test]
fn a_crashed_program_leaves_damaged_streams_and_open_regions_are_not_told_of_them() {
    let Some(folder) = traces() else { return };
    let crashed = folder.join("otf2/crashed-scorep8-comd");
    if !crashed.is_dir() {
        return crate::common::skipped("the archive of a crashed program");
    }
    let place = tempfile::tempdir().unwrap();
    crate::common::copy_folder(&crashed.join("donor"), place.path());
    crate::common::copy_folder(&crashed.join("traces"), &place.path().join("traces"));
    let archive = Archive::find(place.path()).expect("an anchor");
    let (code, report) = validate(&archive.anchor);
    assert_eq!(code, 3);
    let kinds = kinds(&report);
    assert_eq!(kinds["damaged"], 2, "{kinds:?}");
    assert!(!kinds.contains_key("open-region"), "{kinds:?}");
}
