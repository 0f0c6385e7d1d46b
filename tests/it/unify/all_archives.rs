//! Every archive there is: it can be unified, its readers find no more faults in it than before, and
//! what is unified stays as it is.

use std::path::Path;

use serde_json::Value;

use crate::common::archives::{large, traces, Archive};
use crate::common::files::{names, Files};
use crate::common::program::{said, streamfold};
use crate::common::reference::{is_installed, otf2_print};
use crate::unify::{all_own, expect, expect_message, Place};

/// Those whose global definitions say nothing twice, and whose locations have tables or nothing.
const ONE_SET: [&str; 17] = [
    "hybrid",
    "intercomm",
    "metrics",
    "pingpong",
    "rare-kinds",
    "samples",
    "scorep2-nonblocking-subcomms",
    "scorep3-stencil4d-32",
    "scorep7-pingpong-papi",
    "scorep8-comd-sampling",
    "scorep8-intercomm-cart-skew",
    "scorep8-ior-mpiio",
    "scorep8-lulesh-hybrid-rusage",
    "scorep8-opencl-streams",
    "scorep8-rma",
    "scorep8-user-regions-hybrid",
    "scorep9-gpu-metrics",
];

fn all() -> Vec<Archive> {
    let records = traces().map(|traces| traces.join("otf2-records"));
    let records = records.into_iter().flat_map(|folder| {
        let folders = names(&folder).into_iter().map(move |name| folder.join(name));
        folders.filter_map(|folder| Archive::find(&folder))
    });
    // It defines more paradigms than there are numbers for.
    let records = records.filter(|archive| archive.name != "all-kinds");
    all_own().into_iter().chain(large()).chain(records).collect()
}

/// Defects that validation calls errors.
#[track_caller]
fn errors(anchor: &Path) -> u64 {
    let run = streamfold(["validate", "--json", "--quiet"]).arg(anchor).output().expect("a run");
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let count = |kind: &str| report["counts"][kind].as_u64().expect("a count");
    count("unusable") + count("errors")
}

/// What its definitions say cannot be said again: they lead in circles.
const WITH_CIRCLES: &str = "every-kind";

/// Tells whether a location with events lacks definitions that others have: that is a loss, before and after.
fn lacks_definitions(files: &Files) -> bool {
    let of_events = files.0.keys().filter_map(|file| file.strip_suffix(".evt"));
    let has: Vec<bool> =
        of_events.map(|file| files.0.contains_key(&format!("{file}.def"))).collect();
    has.contains(&true) && has.contains(&false)
}

/// Unifies an archive, which ends as that has to. Returns its files.
#[track_caller]
fn unified(place: &Place, archive: &Archive, options: &[&str]) -> Files {
    let is_lossy = archive.name == WITH_CIRCLES || lacks_definitions(&Files::read(&archive.anchor));
    expect(&place.unify(&archive.anchor, options), if is_lossy { 3 } else { 0 });
    Files::read(&place.anchor())
}

#[test]
fn all_become_one_set_that_stays_as_it_is() {
    for archive in all() {
        let name = &archive.name;
        let before = Files::read(&archive.anchor);
        let place = Place::new();
        let once = unified(&place, &archive, &[]);
        if ONE_SET.contains(&name.as_str()) {
            once.assert_same(&before, name);
        }
        let more = Place::new();
        expect(&more.unify(&place.anchor(), &[]), if lacks_definitions(&before) { 3 } else { 0 });
        let again = Files::read(&more.anchor());
        again.assert_same(&once, &format!("{name}, unified once more"));
        let linked = unified(&Place::new(), &archive, &["--link"]);
        linked.assert_same(&once, &format!("{name} with --link"));
        Files::read(&archive.anchor).assert_same(&before, "the input");
        for (file, bytes) in &once.0 {
            if file.ends_with(".evt") {
                assert_eq!(bytes, before.get(file), "{name}: {file} is copied");
            }
        }
        let (errors, errors_before) = (errors(&place.anchor()), errors(&archive.anchor));
        assert!(errors <= errors_before, "{name}: {errors} errors, {errors_before} before");
    }
}

#[test]
fn the_reference_reads_all_of_them() {
    if !is_installed("otf2-print") {
        return;
    }
    let complaints = |anchor: &Path| {
        let output = otf2_print(&["-A"], anchor);
        let said = said(&output).to_lowercase();
        (output.status.success(), said.matches("error").count())
    };
    for archive in all() {
        let place = Place::new();
        unified(&place, &archive, &[]);
        let (after, before) = (complaints(&place.anchor()), complaints(&archive.anchor));
        // It cannot read all of those that were made to have everything in them, and complains less where second tables of
        // one kind are left out.
        let as_before = after.0 == before.0 && after.1 <= before.1;
        assert!(after == (true, 0) || as_before, "{}: {after:?}", archive.name);
    }
}

/// What kind it was, for everybody to see, and what became of it.
#[test]
fn the_kind_of_archive_is_told() {
    let told = |archive: &Archive| said(&Place::new().unify(&archive.anchor, &[]));
    for archive in all() {
        let expected = match archive.name.as_str() {
            "synthetic-ununified-6" => "6 locations: all with definitions of their own\n",
            "eztrace" => "4 locations: 20 definitions say what other global ones say\n",
            "pingpong" | "hybrid" => "locations: all with mapping tables\n",
            "local-defs" => "6 locations: all with mapping tables, 1 definition says what other global ones say\n",
            "metrics" => "the definitions are one set already\n",
            _ => continue,
        };
        assert!(told(&archive).contains(expected), "{}: {}", archive.name, told(&archive));
    }
}

/// References have a size, and paradigms of files have one byte: 400 of them are no archive.
#[test]
fn more_definitions_than_numbers_are_2() {
    let Some(traces) = traces() else { return };
    let archive = Archive::find(&traces.join("otf2-records/all-kinds")).expect("an archive");
    let place = Place::new();
    let ended = place.unify(&archive.anchor, &[]);
    expect_message(&ended, 2, "more definitions of kind IoParadigm than numbers");
    assert!(place.left().is_empty(), "{:?}", place.left());
}

#[test]
fn nothing_is_told_where_nobody_wants_to_hear() {
    let place = Place::new();
    let ended = place.unify(&crate::common::archives::one("local-defs").anchor, &["-q"]);
    expect(&ended, 0);
    assert_eq!(said(&ended), "");
}
