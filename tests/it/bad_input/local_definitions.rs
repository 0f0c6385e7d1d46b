//! Local definitions: of one location, whose events cannot be understood without them.

use super::{fifo, header, loses, payload, profile, reads, Little};
use crate::common::program::{said, text};
use crate::common::small::{Bytes, Small, Written};

fn with_local(definitions: Vec<u8>) -> Written {
    let mut small = Small::new(Little);
    small.locations[0].definitions = Some(definitions);
    small.write()
}

fn mapping_table(kind: u8, globals: &[u64]) -> Bytes {
    let table = payload().raw(&[kind]).c(globals.len() as u64).raw(&[0]);
    globals.iter().fold(table, |table, &global| table.c(global))
}

fn clock_offset(time: u64, offset: u64) -> Bytes {
    payload().u64(time).c(offset).u64(0)
}

/// Without its mapping tables a location's events would mean something else: none of them counts.
#[test]
fn local_definitions_that_are_damaged() {
    let written = Small::new(Little).write();
    let path = written.file("t/0.def");
    std::fs::create_dir(&path).unwrap();
    loses(&written, &["t/0.def: not a regular file", "no event of this location was read"]);
    std::fs::remove_dir(&path).unwrap();
    fifo(&path);
    loses(&written, &["t/0.def: not a regular file", "no event of this location was read"]);

    let lost = "no event of this location was read";
    let whole =
        header().record(5, mapping_table(3, &[0])).record(6, clock_offset(0, 5)).end().bytes;
    for end in 2..whole.len() - 1 {
        let run = loses(&with_local(whole[..end].to_vec()), &["t/0.def: at byte ", lost]);
        assert!(!run.csv.unwrap().contains("\n0,work,CPU_THREAD,0,,2,"));
    }
    reads(&with_local(whole[..whole.len() - 1].to_vec()).anchor());
    for (record, says) in [
        (payload().raw(&[3, 0, 0]), "a mapping table has no entries"),
        (payload().raw(&[3, 1, 1, 2, 0]), "a mapping table has the unknown mode 2"),
        (
            payload().raw(&[3]).c(u64::MAX).raw(&[0, 0]),
            "an array claims 18446744073709551615 elements",
        ),
        (payload().raw(&[3]).c(1 << 40).raw(&[1, 0, 0]), "an array claims 1099511627776 elements"),
    ] {
        let written = with_local(header().record(5, record).end().bytes);
        let record = "t/0.def: at byte 18: MappingTable record 1: ";
        loses(&written, &[record, says, lost]);
    }
}

/// A file in which there is no chunk says nothing, as one that is not there; but who left it there may have
/// had something to say.
#[test]
fn local_definitions_without_any_chunk() {
    for (bytes, says) in [
        (vec![], "t/0.def: the file is empty"),
        (vec![0; 40], "t/0.def: at byte 0: expected a chunk header (0x03), found 0x00"),
        (vec![3, 0, 1, 2], "t/0.def: at byte 1: unknown byte order 0x00"),
    ] {
        let written = with_local(bytes);
        let run = loses(&written, &[says, "as if it were not there"]);
        assert!(run.csv.unwrap().contains("\n0,work,CPU_THREAD,0,,2,100,110,1,1,1,"));
        let print = super::run(["print".as_ref(), written.anchor().as_os_str()]);
        assert_eq!(print.status.code(), Some(3));
        assert!(said(&print).contains(says), "{print:?}");
        assert_eq!(text(&print.stdout).matches("ENTER").count(), 2);
    }
}

/// The first table stays in force, as in the reference, and the events are read.
#[test]
fn a_second_mapping_table_of_one_kind() {
    let twice = header().record(5, mapping_table(3, &[0])).record(5, mapping_table(3, &[9]));
    let run = loses(&with_local(twice.end().bytes), &["t/0.def: 1 more mapping table for REGION"]);
    assert!(run.csv.unwrap().contains("\n0,work,CPU_THREAD,0,,2,100,110,1,1,1,"));
}

#[test]
fn clock_offsets_whose_times_do_not_increase() {
    for (first, second) in [(10, 10), (10, 9), (u64::MAX, 0)] {
        let bytes = header().record(6, clock_offset(first, 0)).record(6, clock_offset(second, 0));
        let says = format!("clock offsets at {first} and then {second}");
        let lost = "no event of this location was read";
        loses(&with_local(bytes.end().bytes), &["t/0.def: ", &says, lost]);
    }
}

/// Odd offsets move times back, or beyond any number. Nothing may break on the way to a profile.
#[test]
fn clock_offsets_that_make_no_sense() {
    let extreme =
        [(0, 0), (1, u64::MAX / 2), (2, 1 << 63), (105, 0), (106, 1 << 63), (u64::MAX, 5)];
    for pair in extreme.windows(2) {
        let records = pair
            .iter()
            .fold(header(), |b, &(time, offset)| b.record(6, clock_offset(time, offset)));
        let run = profile(&with_local(records.end().bytes).anchor(), &[]);
        assert_eq!(run.code, 0, "{pair:?}: {}", run.stderr);
    }
}
