//! Event files that are not there, cut, or damaged: they cost their location, and no other.

use super::{fifo, header, loses, loses_something, payload, profile, reads, Little};
use crate::common::small::{Bytes, Definitions, Small, Written, CHUNK};

fn with_events(events: Vec<u8>) -> Written {
    let mut small = Small::new(Little);
    small.locations[0].events = Some(events);
    small.write()
}

#[test]
fn event_files_that_are_no_files() {
    let written = Small::new(Little).write();
    let path = written.file("t/0.evt");
    std::fs::remove_file(&path).unwrap();
    let lost = "no event of this location was read";
    loses(&written, &["t/0.evt: No such file", lost]);
    std::fs::create_dir(&path).unwrap();
    loses(&written, &["t/0.evt: not a regular file", lost]);
    std::fs::remove_dir(&path).unwrap();
    fifo(&path);
    loses(&written, &["t/0.evt: not a regular file", lost]);
    loses(&with_events(Vec::new()), &["t/0.evt: the file is empty", lost]);
}

#[test]
fn every_event_file_missing() {
    let written = Small::new(Little).write();
    std::fs::remove_dir_all(written.file("t")).unwrap();
    let run = profile(&written.anchor(), &[]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("could be read: 2 losses"), "{}", run.stderr);
    assert!(run.csv.is_some());
}

/// What stands before the cut is part of the profile.
#[test]
fn event_files_cut_anywhere() {
    let start = header().time(100).enter(0).time(110).leave(0);
    let one = payload().c(1).c(2).raw(&[4]).c(5);
    let whole = start.time(120).record(6, one).enter(0).end().bytes;
    let ends: [usize; 2] = [18 + 9 + 2, 18 + 2 * (9 + 2)];
    for end in 1..whole.len() - 1 {
        let run = loses(&with_events(whole[..end].to_vec()), &["t/0.evt: at byte "]);
        let events =
            ends.iter().filter(|&&last| last <= end).count() + usize::from(end == whole.len() - 2);
        let says = match end {
            1..18 => "no event of this location was read".to_owned(),
            _ if events == 1 => "the 1 event before that were read".to_owned(),
            _ => format!("the {events} events before that were read"),
        };
        assert!(run.stderr.contains(&says), "{end}: {}", run.stderr);
    }
    reads(&with_events(whole[..whole.len() - 1].to_vec()).anchor());
}

/// Cut at the end of a chunk the rest looks whole; the reference re-reads old chunks then.
#[test]
fn event_files_cut_between_chunks() {
    let first = header().time(100).enter(0).time(110).leave(0).pad(CHUNK);
    let at = format!("t/0.evt: at byte {CHUNK}: ");
    loses(&with_events(first.bytes.clone()), &[&at, "the file ends early", "the 2 events before"]);
    let second = first.header().time(120).enter(0).pad(CHUNK);
    let at = format!("t/0.evt: at byte {}: ", 2 * CHUNK);
    loses(&with_events(second.bytes), &[&at, "the file ends early", "the 3 events before"]);
}

#[test]
fn event_files_whose_chunks_do_not_follow_each_other() {
    let first = || header().time(100).enter(0).time(110).leave(0).pad(CHUNK);
    let at = format!("t/0.evt: at byte {CHUNK}: ");
    let before = "the 2 events before that were read";
    loses(&with_events(first().raw(&[12, 0]).end().bytes), &[&at, "found 0x0c", before]);
    loses(&with_events(first().raw(&[0; 100]).bytes), &[&at, "found 0x00", before]);
    let bytes = first().raw(&[3, 0x99]).u64(1).u64(0).end().bytes;
    let at = format!("t/0.evt: at byte {}: ", CHUNK + 1);
    loses(&with_events(bytes), &[&at, "unknown byte order 0x99", before]);
    let at = format!("t/0.evt: at byte {CHUNK}: ");
    loses(&with_events(first().raw(&[3, 0x42, 0]).bytes), &[&at, "in a chunk header", before]);
    // A chunk that says it is of the other order, and is not: numbers mean something else, and
    // a region that they make up is not defined.
    let bytes = first().raw(&[3, 0x23]).u64(1).u64(0).time(120).enter(0x0102).end().bytes;
    loses_something(&with_events(bytes), &["region 513"]);
}

/// An event file of location 0 whose third record is damaged, and what is said about it.
fn damaged_records() -> Vec<(Bytes, &'static str)> {
    let start = || header().time(100).enter(0).time(110).leave(0);
    let send = |payload: Bytes| start().record(14, payload);
    vec![
        (start().raw(&[12, 9]), "a compressed integer of 4 bytes claims a size of 9"),
        (start().raw(&[12, 0xfe]), "a compressed integer of 4 bytes claims a size of 254"),
        (
            start().raw(&[12, 5, 1, 1, 1, 1, 1]),
            "a compressed integer of 4 bytes claims a size of 5",
        ),
        (send(payload()), "the record ends inside of a value"),
        (send(payload().c(1).c(1).c(1)), "the record ends inside of a value"),
        (
            send(payload().c(1).c(1).raw(&[6, 1, 1, 1, 1, 1, 1])),
            "a compressed integer of 4 bytes claims a size of 6",
        ),
    ]
}

#[test]
fn records_that_are_damaged() {
    let at = header().time(100).enter(0).time(110).leave(0).bytes.len();
    let here = format!("t/0.evt: at byte {at}: ");
    for (bytes, says) in damaged_records() {
        let run = loses(&with_events(bytes.end().bytes), &[&here, says]);
        assert!(run.csv.unwrap().contains("\n0,work,CPU_THREAD,0,,"));
    }
}

/// The events before the damage count, and no others; the damaged one is the next.
#[test]
fn a_damaged_record_is_no_event() {
    let mut wrong = Vec::new();
    for (bytes, says) in damaged_records() {
        let run = profile(&with_events(bytes.end().bytes).anchor(), &[]);
        let csv = run.csv.unwrap();
        let right = run.stderr.contains(" record 3: ")
            && run.stderr.contains("the 2 events before that were read")
            && csv.contains("\n0,work,CPU_THREAD,0,,2,100,110,1,1,1,10,");
        wrong.extend((!right).then_some((says, run.stderr, csv)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The time of a damaged record is not that of the last event.
#[test]
fn a_damaged_record_has_no_time() {
    let start = header().time(100).enter(0).time(110).leave(0);
    let send = start.time(90).record(14, payload().c(1));
    let run = loses(&with_events(send.end().bytes), &["the 2 events before that were read"]);
    let csv = run.csv.unwrap();
    assert!(csv.contains("\n0,work,CPU_THREAD,0,,2,100,110,1,1,1,10,"), "{csv}");
}

/// A chunk that is ended long before its size, with nothing behind it: the place is in the file.
#[test]
fn event_files_that_end_with_the_end_of_a_chunk() {
    let bytes = header().time(100).enter(0).time(110).leave(0).raw(&[0]).bytes;
    let at = format!("t/0.evt: at byte {}: the file ends early: a chunk header", bytes.len());
    loses(&with_events(bytes), &[&at, "the 2 events before"]);
}

#[test]
fn lengths_beyond_the_chunk() {
    let start = || header().time(100).enter(0).time(110).leave(0);
    let here = format!("t/0.evt: at byte {}: ", start().bytes.len());
    let before = "the 2 events before that were read";
    for (bytes, says) in [
        (start().raw(&[14, 200, 1, 1]), "the record claims 200 bytes, with 6 bytes left"),
        (start().raw(&[14, 0xff]).u64(u64::MAX), "the record claims 18446744073709551615 bytes"),
        (start().raw(&[200, 0xff]).u64(1 << 50), "the record claims 1125899906842624 bytes"),
        (start().raw(&[6, 200, 1, 1]), "the record claims 200 bytes"),
        (start().raw(&[6, 0xff]).u64(u64::MAX - 5), "the record claims 18446744073709551610 bytes"),
    ] {
        loses(&with_events(bytes.end().bytes), &[&here, says, before]);
    }
}

/// What no kernel asks for is skipped undecoded, and what is wrong in it goes unnoticed: that is
/// the price of skipping. The library's own readers notice (see reader_chunks.rs).
#[test]
fn damage_inside_of_what_a_profile_does_not_need() {
    let visit = |bytes: Bytes| bytes.time(120).enter(0).leave(0).end().bytes;
    let twice = payload().c(2).c(6).raw(&[4]).c(1).c(6).raw(&[4]).c(1);
    reads(&with_events(visit(header().record(6, twice))).anchor());
    let group_sync = payload().raw(&[200]);
    reads(&with_events(visit(header().record(39, group_sync))).anchor());
    // Metrics it does need.
    let metric = payload().c(0).raw(&[200]);
    loses(&with_events(visit(header().record(31, metric))), &["Metric record", "200 elements"]);
}

/// Many locations without files: all losses are counted, some are told, none is kept for ever.
#[test]
fn many_losses_are_counted_and_few_told() {
    let locations = 5000;
    let definitions = (0..locations).fold(Definitions::new(Little), |d, id| d.location(id, 0));
    let run = profile(&Small::with(Little, definitions, Vec::new()).write().anchor(), &[]);
    assert_eq!(run.code, 3);
    assert!(
        run.stderr.contains("5000 losses") || run.stderr.contains("5 000 losses"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.lines().count() < 50, "{}", run.stderr);
}

/// A file with its end mark is whole, whatever its definition says.
#[test]
fn other_numbers_of_events_than_the_definition_says() {
    let defined = |events: u64| {
        let location = payload().c(0).c(1).raw(&[1]).c(events).c(0);
        let definitions = Definitions::new(Little).region(0).record(14, location).location(1, 0);
        Small::with(Little, definitions, Small::new(Little).locations).write()
    };
    for events in [0, 1, 2, 3] {
        let run = profile(&defined(events).anchor(), &[]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    }
}

/// Numbers are grouped as everywhere else.
#[test]
fn many_events_before_the_damage_can_be_read_at_a_glance() {
    let events = (0..600).fold(header().time(100), |events, _| events.enter(0).leave(0));
    loses(&with_events(events.bytes), &["(the 1 200 events before that were read)"]);
}
