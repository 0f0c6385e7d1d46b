//! The files of events are those of the traces, as long as nothing in them has to change.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::common::archives::one;
use crate::common::files::{names, Files};
use crate::common::program::streamfold;
use crate::merge::made::Trace;
use crate::merge::meaning::{events, records, renamed};
use crate::merge::{expect_message, merged, merged_files, Place};

fn jobs() -> [Trace; 2] {
    [Trace::job(1, &[0, 1], "a"), Trace::job(2, &[0, 1, 2], "b")]
}

#[track_caller]
fn assert_copied<A: AsRef<Path>>(traces: &[A], merged: &Files) {
    let mut events = 0;
    for (trace, renamed) in traces.iter().zip(renamed(traces)) {
        let before = Files::read(trace.as_ref());
        for (old, new) in renamed {
            let [old, new] = [old, new].map(|location| format!("/{location}.evt"));
            let what = format!("{}{old} is {new}", trace.as_ref().display());
            assert!(merged.get(&new) == before.get(&old), "{what}");
            events += 1;
        }
    }
    assert_eq!(merged.0.keys().filter(|name| name.ends_with(".evt")).count(), events);
}

#[test]
fn events_are_copied_byte_by_byte() {
    let traces = jobs().map(|job| job.write());
    assert_copied(&traces, &merged_files(&traces, &[]));
    assert_copied(&traces, &merged_files(&traces, &["--align", "none", "--link"]));
    // Other times are told by clock offsets.
    let real = ["intercomm", "local-defs", "sampling"].map(|name| one(name).anchor);
    assert_copied(&real, &merged_files(&real, &[]));
}

#[test]
fn links_are_the_files_of_the_traces() {
    let traces = jobs().map(|job| job.write());
    let before = [0, 1].map(|which| Files::read(&traces[which].anchor));
    let place = merged(&traces, &["--link"]);
    let node = |path: &Path| fs::metadata(path).expect("a file").ino();
    for (trace, renamed) in traces.iter().zip(renamed(&traces)) {
        for (old, new) in renamed {
            let old = trace.anchor.with_extension("").join(format!("{old}.evt"));
            assert_eq!(node(&old), node(&place.file(format!("all/{new}.evt"))));
        }
    }
    Files::read(&place.anchor()).assert_same(&merged_files(&traces, &[]), "linked and copied");
    let anew = merged_files(&traces, &["--link", "--rewrite-events"]);
    anew.assert_same(&merged_files(&traces, &["--rewrite-events"]), "rewritten");
    for (trace, before) in traces.iter().zip(&before) {
        Files::read(&trace.anchor).assert_same(before, "the input");
    }
}

/// All files of an archive have chunks of one size.
#[test]
fn chunks_have_the_size_of_the_first() {
    let [first, mut second] = jobs();
    second.event_chunk_size = 1 << 20;
    let traces = [first.write(), second.write()];
    for order in [[&traces[0], &traces[1]], [&traces[1], &traces[0]]] {
        let place = Place::new();
        let ended = place.merge(&order, &[]);
        expect_message(&ended, 0, &["the files of 1 trace are written anew"]);
        let anchor = &records(&place.anchor(), &["-I"])[0];
        let before = &records(&order[0].anchor, &["-I"])[0];
        assert_eq!(anchor["event_chunk_size"], before["event_chunk_size"]);
        let found = events(&place.anchor(), &Default::default(), false);
        for (trace, renamed) in order.iter().zip(renamed(&order)) {
            for (location, expected) in events(&trace.anchor, &renamed, false) {
                assert_eq!(found[&location], expected);
            }
        }
        assert_eq!(crate::merge::meaning::errors(&place.anchor()), [""; 0]);
    }
}

/// That all of something was recorded is so where each trace says so, and where nothing is left out.
#[test]
fn what_is_complete_is_so_where_all_say_it() {
    let [mut first, mut second] = jobs();
    first.properties =
        vec![("A::ONE_COMPLETE", "true"), ("A::ALL_COMPLETE", "true"), ("A::NO_COMPLETE", "TRUE")];
    second.properties =
        vec![("A::ALL_COMPLETE", "true"), ("A::NO_COMPLETE", "false"), ("A::TWO_COMPLETE", "true")];
    let properties = |place: &Place| records(&place.anchor(), &["-I"])[0]["properties"].clone();
    let expected = |all: &str| {
        serde_json::json!([
            ["A::ONE_COMPLETE", "false"],
            ["A::ALL_COMPLETE", all],
            ["A::NO_COMPLETE", "false"],
            ["A::TWO_COMPLETE", "false"],
            ["STREAMFOLD::UNIFIED", "true"]
        ])
    };
    let [first, second] = [first, second].map(|it| it.write());
    assert_eq!(properties(&merged(&[&first, &second], &[])), expected("true"));
    // A location without events.
    let events = first.folder.path().join("t").join("0.evt");
    std::fs::remove_file(&events).expect("a file");
    let place = Place::new();
    expect_message(&place.merge(&[&first, &second], &[]), 3, &["0.evt"]);
    assert_eq!(properties(&place), expected("false"));
    let args = ["unify".as_ref(), first.anchor.as_os_str(), "--force".as_ref(), "-o".as_ref()];
    let unified = streamfold(args).arg(place.anchor()).output().expect("a run");
    expect_message(&unified, 3, &["0.evt"]);
    for property in properties(&place).as_array().expect("a list") {
        assert_eq!(property[1], "false");
    }
}

/// The anchor says what all say, the first one where they differ.
#[test]
fn properties_of_all_are_in_the_anchor() {
    let [mut first, mut second] = jobs();
    first.properties = vec![("A::ONE", "1"), ("A::BOTH", "of the first")];
    second.properties = vec![("A::BOTH", "of the second"), ("A::TWO", "2")];
    let place = merged(&[first.write(), second.write()], &[]);
    let anchor = &records(&place.anchor(), &["-I"])[0];
    let expected = [
        ["A::ONE", "1"],
        ["A::BOTH", "of the first"],
        ["A::TWO", "2"],
        ["STREAMFOLD::UNIFIED", "true"],
    ];
    let expected = serde_json::json!(expected);
    assert_eq!(anchor["properties"], expected);
    assert_eq!(anchor["number_of_locations"], 5);
    assert_eq!(anchor["number_of_global_definitions"], records(&place.anchor(), &["-G"]).len());
    let identifier = anchor["trace_identifier"].as_u64().expect("a number");
    assert!(![0, 1, 2].contains(&identifier));
}

#[test]
fn inputs_stay_as_they_are() {
    let real = ["eztrace", "pingpong"].map(one);
    let before = real.clone().map(|archive| Files::read(&archive.anchor));
    let anchors = real.clone().map(|archive| archive.anchor);
    for way in [&[][..], &["--rewrite-events"]] {
        let place = merged(&anchors, way);
        assert_eq!(names(place.folder.path()), ["all", "all.def", "all.otf2"]);
    }
    for (archive, before) in real.iter().zip(before) {
        Files::read(&archive.anchor).assert_same(&before, &archive.name);
    }
}
