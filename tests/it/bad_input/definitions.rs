//! Global definitions that are not there, cut, damaged, or absurd.

use super::{fatal, fifo, globals, payload, profile, reads, run, with_anchor, Little};
use crate::common::program::said;
use crate::common::small::{anchor_with, Definitions, Small, Written, CHUNK};

fn with_definitions(definitions: Vec<u8>) -> Written {
    Small { definitions, ..Small::new(Little) }.write()
}

#[test]
fn global_definitions_that_are_no_file() {
    let written = Small::new(Little).write();
    let path = written.file("t.def");
    std::fs::remove_file(&path).unwrap();
    fatal(&written.anchor(), 2, &["t.def: there is no such file, but others of its archive"]);
    std::fs::create_dir(&path).unwrap();
    fatal(&written.anchor(), 4, &["t.def: not a regular file"]);
    std::fs::remove_dir(&path).unwrap();
    fifo(&path);
    fatal(&written.anchor(), 4, &["t.def: not a regular file"]);
    fatal(&with_definitions(Vec::new()).anchor(), 2, &["t.def: the file is empty"]);
}

#[test]
fn global_definitions_cut_anywhere() {
    let whole = Small::new(Little).definitions;
    for end in 1..whole.len() - 1 {
        fatal(&with_definitions(whole[..end].to_vec()).anchor(), 2, &["t.def: at byte "]);
    }
    // Nobody needs the last byte.
    reads(&with_definitions(whole[..whole.len() - 1].to_vec()).anchor());
}

#[test]
fn a_number_of_definitions_that_is_not_that_of_the_anchor() {
    for count in [0, 6, 8, u64::MAX] {
        let written = with_anchor(anchor_with(Little, CHUNK, CHUNK, 2, count));
        let says = format!("the anchor announces {count} global definitions, the file holds 7");
        fatal(&written.anchor(), 2, &["t.def: ", &says]);
    }
}

#[test]
fn definitions_with_absurd_lengths() {
    let start = || Definitions::new(Little).bytes;
    let at = format!("t.def: at byte {}: ", start().bytes.len());
    for length in [u64::MAX, u64::MAX - 60, 1 << 40, 1 << 18] {
        // Followed by more of the chunk, so that not only the end of the file is in the way.
        let bytes = start().raw(&[15, 0xff]).u64(length).pad(CHUNK).header().end().bytes;
        let says = format!("the record claims {length} bytes");
        fatal(&with_definitions(bytes).anchor(), 2, &[&at, &says]);
    }
    let group = |count: u64| payload().c(0).c(0).raw(&[0]).c(count);
    for (id, record, says) in [
        (
            18,
            group(0xffff_ffff),
            "Group record 5: an array claims 4294967295 elements, with 0 bytes",
        ),
        (18, group(3).c(1), "Group record 5: an array claims 3 elements, with 2 bytes"),
        (
            18,
            payload().c(0).c(0).raw(&[0, 5, 1]),
            "a compressed integer of 4 bytes claims a size of 5",
        ),
        (10, payload().c(5).raw(b"abc"), "String record 5: a string has no end within its record"),
        (10, payload().raw(&[9]), "a compressed integer of 4 bytes claims a size of 9"),
        (14, payload().c(7), "Location record 5: the record ends inside of a value"),
        (15, payload(), "Region record 5: the record ends inside of a value"),
        // Fields of a later version are there as a whole, or not at all.
        (
            13,
            payload().c(0).c(0).raw(&[1]).c(0).raw(&[4, 1]),
            "LocationGroup record 5: the record ends",
        ),
    ] {
        let written = with_definitions(start().record(id, record).end().bytes);
        fatal(&written.anchor(), 2, &[&at, says]);
    }
}

#[test]
fn chunks_of_definitions_that_do_not_follow_each_other() {
    let first = || Definitions::new(Little).bytes.pad(CHUNK);
    let at = format!("t.def: at byte {CHUNK}: ");
    fatal(&with_definitions(first().bytes).anchor(), 2, &[&at, "ends early"]);
    let bytes = first().raw(&[7]).end().bytes;
    fatal(
        &with_definitions(bytes).anchor(),
        2,
        &[&at, "expected a chunk header (0x03), found 0x07"],
    );
    let bytes = first().raw(&[3]).bytes;
    fatal(&with_definitions(bytes).anchor(), 2, &[&at, "ends early: in a chunk header"]);
    let bytes = first().raw(&[3, 0x77]).u64(1).u64(0).end().bytes;
    fatal(&with_definitions(bytes).anchor(), 2, &["unknown byte order 0x77"]);
}

#[test]
fn archives_without_locations() {
    let written = globals(Definitions::new(Little).region(0));
    let csv = reads(&written.anchor());
    assert_eq!(csv.lines().count(), 1, "only the names of the columns: {csv}");
}

/// A definition given twice: nobody can say which one is meant, but nothing breaks.
#[test]
fn definitions_given_twice() {
    let twice = Definitions::new(Little).region(0).region(0).location(0, 0).location(0, 0);
    let run = profile(&globals(twice.location(1, 0)).anchor(), &[]);
    assert!([0, 3].contains(&run.code), "{}", run.stderr);
    assert_eq!(run.csv.unwrap().lines().count(), 3);
}

/// A clock that stands still: times cannot be told in seconds, but ticks can.
#[test]
fn a_clock_without_a_resolution() {
    let clock = payload().c(0).c(0).c(0).c(0);
    let definitions = Definitions::new(Little).record(5, clock).region(0);
    let written = globals(definitions.location(0, 0).location(1, 0));
    for format in ["table", "csv", "json"] {
        let args =
            ["profile".into(), written.anchor().into_os_string(), "--format".into(), format.into()];
        let ended = run(args);
        assert_eq!(ended.status.code(), Some(3), "{ended:#?}");
        assert!(said(&ended).contains("t.def: the clock's ticks a second are not defined"));
    }
}
