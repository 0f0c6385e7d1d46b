//! Files that are missing, cut, or framed in a wrong way; counts; snapshots, markers, thumbnails.

use std::fs;

use crate::common::small::{anchor, Bytes, Order, Small, CHUNK};
use crate::validate::{archive, assert_defects, at_100, found, payload, sound, validate};

fn small() -> Small {
    archive(sound(), at_100().enter(0).leave(0), 2)
}

/// What is wrong with an archive whose files were changed after it was written.
fn changed(small: &Small, change: impl FnOnce(&std::path::Path)) -> (i32, Vec<String>) {
    let written = small.write();
    change(written.folder.path());
    let (code, report) = validate(&written.anchor());
    (code, found(&report).into_iter().map(|(code, ..)| code).collect())
}

fn codes<const N: usize>(code: i32, codes: [&str; N]) -> (i32, Vec<String>) {
    (code, codes.map(str::to_owned).to_vec())
}

#[test]
fn a_file_of_events_that_is_missing_or_cut() {
    let mut missing = small();
    missing.locations[0].events = None;
    assert_defects(&missing, &[("missing-file", "", 0)], 3);
    let mut cut = small();
    cut.locations[0].events.as_mut().unwrap().truncate(28);
    assert_defects(&cut, &[("damaged", "", 0)], 3);
    let mut empty = small();
    empty.locations[0].events = Some(Vec::new());
    assert_defects(&empty, &[("damaged", "", 0)], 3);
}

/// Files that another run left.
#[test]
fn files_of_locations_that_are_not_defined() {
    let leave = |folder: &std::path::Path| {
        for name in ["7.evt", "7.def", "12884901888.evt", "07.evt", "x.evt", "8.txt"] {
            fs::write(folder.join("t").join(name), []).expect("written");
        }
    };
    let extra = codes(0, ["extra-file"; 3]);
    assert_eq!(changed(&small(), leave), extra);
    let written = small().write();
    leave(written.folder.path());
    let (_, report) = validate(&written.anchor());
    let defects = report["defects"].as_array().expect("defects").iter();
    let files: Vec<&str> = defects.filter_map(|defect| defect["file"].as_str()).collect();
    assert!(files[0].ends_with("t/7.def") && files[1].ends_with("t/7.evt"), "{files:?}");
    assert!(files[2].ends_with("t/12884901888.evt"), "{files:?}");
}

#[test]
fn damage_says_how_much_is_lost_and_findings_before_it_stay() {
    let events = at_100().enter(0).leave(1).enter(7);
    let mut bytes = events.raw(&[12, 9, 9]).bytes;
    bytes.extend([0; 40]);
    let mut small = small();
    small.locations[0].events = Some(bytes);
    let expected = [
        ("unmatched-leave", "Leave", 2),
        ("undefined-reference", "Enter", 3),
        ("damaged", "Enter", 4),
    ];
    assert_defects(&small, &expected, 3);
    let (_, report) = validate(&small.write().anchor());
    let message = report["defects"][2]["message"].as_str().unwrap();
    assert!(
        message.contains("(the 3 events before that were read, 43 bytes are lost)"),
        "{message}"
    );
}

#[test]
fn the_end_of_a_file() {
    let mut open = small();
    open.locations[0].events.as_mut().unwrap().pop();
    assert_defects(&open, &[("end-mark", "", 0)], 0);
    let mut more = small();
    more.locations[0].events.as_mut().unwrap().extend([7, 7]);
    assert_defects(&more, &[("trailing-data", "", 0)], 0);
    let mut definitions = small();
    definitions.definitions.push(10);
    assert_defects(&definitions, &[("trailing-data", "", 0)], 0);
}

/// A header of a chunk with these numbers of records.
fn header(first: u64, last: u64) -> Bytes {
    payload().raw(&[3, 0x42]).u64(first).u64(last)
}

/// Three events in two chunks.
fn two_chunks(numbers: [(u64, u64); 2], begin: Bytes) -> Small {
    let first = header(numbers[0].0, numbers[0].1).time(100).enter(0).enter(1).pad(CHUNK);
    let second = header(numbers[1].0, numbers[1].1).raw(&begin.bytes).leave(1).leave(0);
    archive(sound(), first.raw(&second.bytes), 4)
}

#[test]
fn headers_of_chunks() {
    let time = || payload().time(200);
    assert_defects(&two_chunks([(1, 2), (3, 4)], time()), &[], 0);
    // Numbers that nobody has set.
    assert_defects(&two_chunks([(1, 0), (1, 0)], time()), &[], 0);
    let wrong = [("chunk-numbers", "", 0)];
    assert_defects(&two_chunks([(1, 3), (3, 4)], time()), &wrong, 3);
    assert_defects(&two_chunks([(1, 2), (2, 4)], time()), &wrong, 3);
    assert_defects(&two_chunks([(1, 2), (3, 4)], payload()), &[("chunk-start", "", 0)], 3);
    let (_, report) = validate(&two_chunks([(1, 2), (3, 9)], time()).write().anchor());
    assert_eq!(report["defects"][0]["offset"], CHUNK);
}

#[test]
fn counts() {
    let location = |events: u64| {
        let small = archive(sound(), at_100().enter(0).leave(0), events);
        assert_defects(&small, &[("event-count", "", 0)], 0);
    };
    location(1);
    location(0);
    let mut fewer = small();
    let definitions = sound().count + 1;
    fewer.anchor = anchor(Order::Little, 2, definitions);
    assert_defects(&fewer, &[("location-count", "", 0)], 3);
    fewer.anchor = anchor(Order::Little, 1, definitions + 1);
    assert_defects(&fewer, &[("definition-count", "", 0)], 2);
}

#[test]
fn global_definitions_that_cannot_be_used() {
    let mut cut = small();
    cut.definitions.truncate(60);
    let written = cut.write();
    let (code, report) = validate(&written.anchor());
    assert_eq!((code, report["counts"]["unusable"].as_u64()), (2, Some(1)), "{report:#}");
    assert_eq!(found(&report)[0].0, "unreadable-definitions");
}

/// An anchor that announces snapshots and thumbnails.
fn announcing(mut small: Small, snapshots: u32, thumbnails: u32) -> Small {
    let end = small.anchor.len() - 3;
    small.anchor[end - 8..end - 4].copy_from_slice(&snapshots.to_le_bytes());
    small.anchor[end - 4..end].copy_from_slice(&thumbnails.to_le_bytes());
    small
}

#[test]
fn snapshots() {
    let enter = |region: u64| payload().u64(100).c(region);
    let snapshot = |announced: u64, region: u64, next: u64| {
        let bytes = header(1, 3).time(100).record(10, payload().c(announced));
        bytes.record(13, enter(region)).record(11, payload().c(next))
    };
    let with = |bytes: Bytes| {
        changed(&announcing(small(), 1, 0), |folder| {
            fs::write(folder.join("t/0.snap"), bytes.end().bytes).unwrap();
        })
    };
    assert_eq!(with(snapshot(1, 0, 2)), codes(0, []));
    assert_eq!(with(snapshot(2, 0, 2)), codes(3, ["invalid-snapshot"]));
    assert_eq!(with(snapshot(1, 9, 2)), codes(3, ["undefined-reference"]));
    assert_eq!(with(snapshot(1, 0, 4)), codes(3, ["invalid-snapshot"]));
    assert_eq!(with(header(1, 0)), codes(3, ["snapshot-count"]));
    let late = header(1, 3).time(100).record(10, payload().c(1)).time(101);
    let late = late.record(13, enter(0)).record(11, payload().c(2));
    assert_eq!(with(late), codes(3, ["invalid-snapshot"]));
    assert_eq!(
        with(header(1, 1).time(100).record(13, enter(0))),
        codes(3, ["invalid-snapshot", "snapshot-count"])
    );
    assert_eq!(changed(&announcing(small(), 1, 0), |_| {}), codes(3, ["missing-file"]));
}

/// What is wrong with the headers of chunks is told as it is found, whatever follows.
#[test]
fn headers_of_chunks_of_snapshots() {
    let enter = || payload().u64(100).c(0);
    let first = |last: u64| {
        let bytes = header(1, last).time(100).record(10, payload().c(1)).record(13, enter());
        bytes.record(11, payload().c(2)).raw(&[0]).pad(CHUNK)
    };
    let with = |bytes: Bytes| {
        changed(&announcing(small(), 1, 0), |folder| {
            fs::write(folder.join("t/0.snap"), bytes.bytes).unwrap();
        })
    };
    let second = |last: u64| header(4, last).time(100);
    assert_eq!(with(first(3).raw(&second(3).end().bytes)), codes(0, []));
    let untimed = header(4, 4).record(13, enter()).end();
    let found = with(first(9).raw(&untimed.bytes));
    assert_eq!(found, codes(3, ["chunk-numbers", "invalid-snapshot", "chunk-start"]));
    let damaged = second(9).raw(&[13, 200]);
    assert_eq!(with(first(9).raw(&damaged.bytes)), codes(3, ["chunk-numbers", "damaged"]));
}

#[test]
fn thumbnails() {
    let head = |samples: u64, region: u64| {
        payload().string("a").string("").raw(&[0]).c(samples).c(1).c(region)
    };
    let sample = || payload().c(1).c(1).c(1);
    let with = |announced: u32, bytes: Bytes| {
        changed(&announcing(small(), 0, announced), |folder| {
            fs::write(folder.join("t.0.thumb"), bytes.end().bytes).unwrap();
        })
    };
    let file = |samples: u64, region: u64| {
        payload().header().record(10, head(samples, region)).record(11, sample())
    };
    assert_eq!(with(1, file(1, 0)), codes(0, []));
    assert_eq!(with(0, file(1, 0)), codes(0, ["extra-file"]));
    assert_eq!(with(1, file(2, 0)), codes(3, ["invalid-thumbnail"]));
    assert_eq!(with(1, file(1, 9)), codes(3, ["undefined-reference"]));
    assert_eq!(with(2, file(1, 0)), codes(3, ["missing-file"]));
    assert_eq!(with(1, payload().header()), codes(3, ["invalid-thumbnail"]));
}

#[test]
fn markers() {
    let kind = |id: u64| payload().c(id).string("g").string("c").raw(&[1]);
    let marker =
        |id: u64, location: u64| payload().c(100).c(0).c(id).raw(&[1]).c(location).string("text");
    let with = |bytes: Bytes| {
        changed(&small(), |folder| {
            fs::write(folder.join("t.marker"), bytes.end().bytes).unwrap();
        })
    };
    let file = || payload().header().record(5, kind(0));
    assert_eq!(with(file().record(6, marker(0, 0))), codes(0, []));
    assert_eq!(with(file().record(6, marker(1, 0))), codes(3, ["undefined-reference"]));
    assert_eq!(with(file().record(6, marker(0, 9))), codes(3, ["undefined-reference"]));
    assert_eq!(with(file().record(5, kind(0))), codes(3, ["duplicate-definition"]));
}
