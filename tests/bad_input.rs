//! Archives as they should not be. Whatever is wrong with one: it is told, with file and place, and
//! the program neither crashes nor hangs nor takes memory that the files do not justify.
//!
//! Without anchor and global definitions there is nothing to read: exit code 2, or 4 where the
//! operating system has refused a file, and no output. What is wrong with one location costs that
//! location at most: exit code 3, and the others are there; with `--strict` it is 2 again.

mod common;

#[path = "common/archive.rs"]
mod archive;

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use archive::{anchor_with, Bytes, Definitions, Order, Small, Written, CHUNK};
use streamfold::collective::Solo;
use streamfold::drive::{self, Progress, Scanning};
use streamfold::formats::otf2::{Archive, LocalDefinitions, ReadOptions};
use streamfold::kernels::profile::{Profile, ProfileKernel};
use streamfold::merge::Merge;
use streamfold::model::events::{Event, EventVisitor};
use streamfold::model::stream::EventHead;
use streamfold::selection::Plan;

/// No archive here takes longer, on any machine.
const LIMIT: Duration = Duration::from_secs(10);

use Order::Little;

fn header() -> Bytes {
    Bytes::new(Little).header()
}

fn payload() -> Bytes {
    Bytes::new(Little)
}

/// A run of `streamfold profile` with one output.
struct Run {
    code: i32,
    stderr: String,
    /// The output, where there is one: a row for each location.
    csv: Option<String>,
}

fn profile(anchor: &Path, more: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("p.csv");
    let mut args = vec!["profile".into(), anchor.as_os_str().to_owned(), "-q".into()];
    args.extend(["--by", "location", "-o"].map(OsString::from));
    args.push(csv.clone().into());
    args.extend(more.iter().map(OsString::from));
    let ended = common::process::run(&mut common::process::streamfold(args), LIMIT);
    let stderr = ended.stderr;
    let code = ended.code.unwrap_or_else(|| panic!("ended by a signal: {stderr}"));
    assert!(!stderr.contains("panic") && !stderr.contains("internal error"), "{stderr}");
    let written = std::fs::read_to_string(&csv).ok();
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, usize::from(written.is_some()), "unfinished outputs are left: {stderr}");
    Run { code, stderr, csv: written }
}

/// The archive cannot be read at all: one line that says all of this, and nothing is written.
#[track_caller]
fn fatal(anchor: &Path, code: i32, says: &[&str]) {
    let run = profile(anchor, &[]);
    let stderr = &run.stderr;
    assert_eq!(run.code, code, "{stderr}");
    assert!(stderr.starts_with("streamfold: "), "{stderr}");
    assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    says.iter().for_each(|say| assert!(stderr.contains(say), "no {say:?} in: {stderr}"));
    assert_eq!(run.csv, None, "{stderr}");
}

/// Something of location 0 is lost: that is told, and location 1 is there.
#[track_caller]
fn loses_something(written: &Written, says: &[&str]) -> Run {
    let run = profile(&written.anchor(), &[]);
    let stderr = &run.stderr;
    assert_eq!(run.code, 3, "{stderr}");
    says.iter().for_each(|say| assert!(stderr.contains(say), "no {say:?} in: {stderr}"));
    assert!(stderr.contains("streamfold: not all of the trace could be read: "), "{stderr}");
    let csv = run.csv.as_ref().expect("there is an output");
    assert!(csv.contains("\n1,work,CPU_THREAD,0,"), "{csv}");
    run
}

/// The same in reading the files of location 0, which is one loss, and `--strict` ends there and
/// writes nothing.
#[track_caller]
fn loses(written: &Written, says: &[&str]) -> Run {
    let run = loses_something(written, says);
    assert!(run.stderr.ends_with("could be read: 1 loss\n"), "{}", run.stderr);
    let strict = profile(&written.anchor(), &["--strict"]);
    assert_eq!((strict.code, strict.csv), (2, None), "{}", strict.stderr);
    says.iter().for_each(|say| assert!(strict.stderr.contains(say), "{}", strict.stderr));
    run
}

#[track_caller]
fn reads(anchor: &Path) -> String {
    let run = profile(anchor, &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    run.csv.expect("there is an output")
}

fn with_anchor(anchor: Vec<u8>) -> Written {
    Small { anchor, ..Small::new(Little) }.write()
}

/// An archive with other bytes at this place of its anchor.
fn with_anchor_bytes(at: usize, bytes: &[u8]) -> Written {
    let mut anchor = Small::new(Little).anchor;
    anchor[at..at + bytes.len()].copy_from_slice(bytes);
    with_anchor(anchor)
}

fn fifo(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

// ------------------------------------------------------------------- anchor

#[test]
fn small_archives_are_read() {
    for order in archive::ORDERS {
        let csv = reads(&Small::new(order).write().anchor());
        let rows: Vec<_> = csv.lines().skip(1).collect();
        assert!(rows[0].starts_with("0,work,CPU_THREAD,0,,2,100,110,1,1,1,10,"), "{csv}");
        assert!(rows[1].starts_with("1,work,CPU_THREAD,0,,2,100,120,1,1,1,20,"), "{csv}");
    }
}

#[test]
fn anchors_that_are_no_files() {
    let written = Small::new(Little).write();
    fatal(&written.file("other.otf2"), 4, &["other.otf2: ", "No such file"]);
    fatal(&written.file("no/t.otf2"), 4, &["no/t.otf2: ", "No such file"]);
    fatal(&written.file("t.otf2/t.otf2"), 4, &["Not a directory"]);
    std::fs::create_dir(written.file("d.otf2")).unwrap();
    fatal(&written.file("d.otf2"), 4, &["d.otf2: this is a directory"]);
    fatal(&written.file("t"), 4, &["t: this is a directory", "ends in .otf2"]);
    fifo(&written.file("f.otf2"));
    fatal(&written.file("f.otf2"), 4, &["f.otf2: not a regular file"]);
    std::os::unix::fs::symlink("loop.otf2", written.file("loop.otf2")).unwrap();
    fatal(&written.file("loop.otf2"), 4, &["loop.otf2: ", "symbolic links"]);
    let long = format!("{}.otf2", "x".repeat(300));
    fatal(&written.file(&long), 4, &["name too long"]);
}

#[test]
fn names_that_are_not_those_of_anchors() {
    let written = Small::new(Little).write();
    for name in ["u", "t.def", "t.otf", "t.Otf2", ".otf2"] {
        let run = profile(&written.file(name), &[]);
        assert_eq!(run.code, 2, "{name}: {}", run.stderr);
        assert!(run.stderr.contains("ends in .otf2 or .OTF2"), "{name}: {}", run.stderr);
    }
}

/// A name need not be text, and what is no text must still be told.
#[test]
fn names_that_are_no_text() {
    let written = Small::new(Little).write();
    let name = |suffix: &str| {
        written.folder.path().join(OsString::from_vec([b"\xff\xfe", suffix.as_bytes()].concat()))
    };
    fatal(&name(".otf2"), 4, &[".otf2: ", "No such file"]);
    std::fs::rename(written.anchor(), name(".otf2")).unwrap();
    std::fs::rename(written.file("t.def"), name(".def")).unwrap();
    std::fs::rename(written.file("t"), name("")).unwrap();
    reads(&name(".otf2"));
}

/// The reference opens the lower case name whatever was given.
#[test]
fn the_suffix_may_be_given_in_upper_case() {
    reads(&Small::new(Little).write().file("t.OTF2"));
}

#[test]
fn files_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let written = Small::new(Little).write();
    let forbid = |name: &str, mode| {
        std::fs::set_permissions(written.file(name), PermissionsExt::from_mode(mode)).unwrap();
    };
    forbid("t.otf2", 0o000);
    if std::fs::read(written.anchor()).is_ok() {
        common::skipped("whoever may read everything cannot be forbidden to read a file");
        return;
    }
    fatal(&written.anchor(), 4, &["t.otf2: ", "Permission denied"]);
    forbid("t.otf2", 0o600);
    forbid("t.def", 0o000);
    fatal(&written.anchor(), 4, &["t.def: ", "Permission denied"]);
    forbid("t.def", 0o600);
    forbid("t/0.evt", 0o000);
    loses(&written, &["0.evt: ", "Permission denied"]);
}

#[test]
fn anchors_with_a_wrong_beginning() {
    fatal(&with_anchor(Vec::new()).anchor(), 2, &["t.otf2: the file is empty"]);
    fatal(&with_anchor(b"hello".to_vec()).anchor(), 2, &["at byte 0: ", "found 0x68"]);
    fatal(&with_anchor_bytes(0, &[4]).anchor(), 2, &["at byte 0: ", "found 0x04"]);
    for order in [0, 1, 0x24, 0xff] {
        fatal(&with_anchor_bytes(1, &[order]).anchor(), 2, &["at byte 1: unknown byte order"]);
    }
    for magic in ["OTF1\0", "otf2\0", "OTF2 ", "OTF22"] {
        let written = with_anchor_bytes(2, magic.as_bytes());
        fatal(&written.anchor(), 2, &["at byte 2: this is not an OTF2 anchor"]);
    }
    // An event file in the anchor's place.
    let events = header().enter(0).end().bytes;
    fatal(&with_anchor(events).anchor(), 2, &["at byte 2: this is not an OTF2 anchor"]);
}

/// Only the last two bytes may be missing: nobody needs them.
#[test]
fn anchors_cut_anywhere() {
    for order in archive::ORDERS {
        let small = Small::new(order);
        let length = small.anchor.len();
        for end in 0..length {
            let written = Small { anchor: small.anchor[..end].to_vec(), ..small.clone() }.write();
            match end {
                0 => fatal(&written.anchor(), 2, &["t.otf2: the file is empty"]),
                _ if end < length - 2 => fatal(&written.anchor(), 2, &["t.otf2: at byte "]),
                _ => drop(reads(&written.anchor())),
            }
        }
    }
}

#[test]
fn anchors_of_archives_that_cannot_be_read() {
    let with = |at, byte| with_anchor_bytes(at, &[byte]);
    fatal(&with(7, 0).anchor(), 2, &["at byte 7: anchor format 0 is not valid"]);
    fatal(&with(8, 3).anchor(), 2, &["at byte 8: trace format 3 is newer"]);
    fatal(&with(8, 255).anchor(), 2, &["at byte 8: trace format 255 is newer"]);
    fatal(&with(28, 2).anchor(), 2, &["at byte 28: ", "SION"]);
    fatal(&with(28, 3).anchor(), 2, &["at byte 28: ", "stores nothing"]);
    fatal(&with(28, 0).anchor(), 2, &["at byte 28: unknown substrate 0"]);
    fatal(&with(28, 9).anchor(), 2, &["at byte 28: unknown substrate 9"]);
    fatal(&with(29, 2).anchor(), 2, &["at byte 29: ", "zlib"]);
    fatal(&with(29, 0).anchor(), 2, &["at byte 29: unknown compression 0"]);
    fatal(&with(29, 77).anchor(), 2, &["at byte 29: unknown compression 77"]);
    let last = Small::new(Little).anchor.len() - 3;
    fatal(&with(last, 1).anchor(), 2, &[&format!("at byte {last}: "), "no end mark"]);
}

#[test]
fn chunk_sizes_that_are_not_valid() {
    for size in [0, 1, CHUNK - 1, (16 << 20) + 1, u64::MAX, u64::MAX - 17, 1 << 63] {
        let written = with_anchor(anchor_with(Little, size, CHUNK, 2, 7));
        fatal(&written.anchor(), 2, &[&format!("at byte 12: chunks of {size} bytes")]);
        let written = with_anchor(anchor_with(Little, CHUNK, size, 2, 7));
        fatal(&written.anchor(), 2, &[&format!("at byte 20: chunks of {size} bytes")]);
    }
    for size in [CHUNK, CHUNK + 1, 16 << 20] {
        reads(&with_anchor(anchor_with(Little, size, size, 2, 7)).anchor());
    }
}

/// An anchor up to its number of properties.
fn anchor_before_properties() -> Bytes {
    let mut bytes = payload();
    let whole = Small::new(Little).anchor;
    bytes.bytes = whole[..whole.len() - 3 - 4 - 4 - 8 - 4].to_vec();
    bytes
}

#[test]
fn properties_of_anchors() {
    let with = |bytes: Bytes| with_anchor(bytes.u64(1).u32(0).u32(0).raw(&[2, 1, 0]).bytes);
    let good = anchor_before_properties().u32(1).string("OTF2::X").string("true");
    reads(&with(good).anchor());
    for count in [u32::MAX, 1 << 30, 100] {
        let written = with(anchor_before_properties().u32(count));
        let says = format!("an array claims {count} elements");
        fatal(&written.anchor(), 2, &["t.otf2: at byte ", &says]);
    }
    for name in ["", "X", "X::", "::X", "X::Y Z", "X::::Y", "X:Y"] {
        let written = with(anchor_before_properties().u32(1).string(name).string("true"));
        fatal(&written.anchor(), 2, &["t.otf2: at byte ", "property name"]);
    }
}

/// An anchor is read up to 256 KiB; one that goes on and on is no reason to read it all.
#[test]
fn anchors_without_an_end() {
    let mut anchor = Small::new(Little).anchor[..46].to_vec();
    anchor.resize(8 << 20, b'x');
    fatal(&with_anchor(anchor).anchor(), 2, &["t.otf2: at byte ", "ends early"]);
}

/// Formats above 3 may go on behind what is known.
#[test]
fn anchors_of_newer_formats() {
    let mut anchor = Small::new(Little).anchor;
    anchor[7] = 4;
    anchor.truncate(anchor.len() - 3);
    anchor.extend([9; 30]);
    reads(&with_anchor(anchor).anchor());
}

// ------------------------------------------------------- global definitions

fn with_definitions(definitions: Vec<u8>) -> Written {
    Small { definitions, ..Small::new(Little) }.write()
}

#[test]
fn global_definitions_that_are_no_file() {
    let written = Small::new(Little).write();
    let path = written.file("t.def");
    std::fs::remove_file(&path).unwrap();
    fatal(&written.anchor(), 4, &["t.def: ", "No such file"]);
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

fn globals(definitions: Definitions) -> Written {
    Small::with(Little, definitions, Small::new(Little).locations).write()
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
        let ended = common::process::run(&mut common::process::streamfold(args), LIMIT);
        assert_eq!(ended.code, Some(3), "{ended:#?}");
        assert!(ended.stderr.contains("t.def: the clock's ticks a second are not defined"));
    }
}

// ------------------------------------------------------------- references

#[test]
fn events_of_regions_that_are_not_defined() {
    let mut small = Small::new(Little);
    let events = header().time(100).enter(7).time(110).leave(7).time(120).enter(0).leave(0);
    small.locations[0].events = Some(events.end().bytes);
    let run =
        loses_something(&small.write(), &["region 7 that events refer to is not defined", "t.def"]);
    let row = "\n0,work,CPU_THREAD,0,,4,100,120,1,2,2,";
    assert!(run.csv.as_ref().unwrap().contains(row), "{:?}", run.csv);
}

#[test]
fn events_of_calling_contexts_that_are_not_defined() {
    let mut small = Small::new(Little);
    let context = |bytes: Bytes, id: u8| {
        let payload = bytes.payload().c(9).c(1);
        bytes.record(id, payload)
    };
    let events = context(context(header().time(100), 66), 67);
    small.locations[0].events = Some(events.end().bytes);
    loses_something(&small.write(), &["calling contexts that are not defined", "t.def"]);
}

/// What refers to nothing is a loss as any other: `--strict` does not pass over it.
#[test]
fn strict_minds_references_as_well() {
    let mut small = Small::new(Little);
    small.locations[0].events = Some(header().time(100).enter(7).leave(7).end().bytes);
    let run = profile(&small.write().anchor(), &["--strict"]);
    assert_eq!((run.code, run.csv), (2, None), "{}", run.stderr);
    assert!(run.stderr.contains("region 7"), "{}", run.stderr);
}

/// A name that is not there is no reason to lose what it names.
#[test]
fn definitions_of_names_and_groups_that_are_not_defined() {
    let region = payload().c(0).c(88).c(0).raw(&[1]).c(0).c(0).c(0).c(88).raw(&[1, 1]).c(0);
    let definitions = Definitions::new(Little).record(15, region).location(0, 55).location(1, 0);
    let written = globals(definitions);
    for by in ["region", "callpath", "group", "location"] {
        for format in ["table", "csv", "json"] {
            let anchor = written.anchor().into_os_string();
            let args = [
                "profile".into(),
                anchor,
                "--by".into(),
                by.into(),
                "--format".into(),
                format.into(),
            ];
            let ended = common::process::run(&mut common::process::streamfold(args), LIMIT);
            assert!([Some(0), Some(3)].contains(&ended.code), "{by} {format}: {ended:#?}");
            assert!(!ended.stdout.is_empty(), "{by} {format}: {ended:#?}");
        }
    }
}

// -------------------------------------------------------- local definitions

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
    loses(&with_local(Vec::new()), &["t/0.def: the file is empty", lost]);
    let whole =
        header().record(5, mapping_table(3, &[0])).record(6, clock_offset(0, 5)).end().bytes;
    for end in 1..whole.len() - 1 {
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

// -------------------------------------------------------------- event files

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
    let metric = payload().c(0).raw(&[200]);
    reads(&with_events(visit(header().record(31, metric))).anchor());
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

// ------------------------------------------------------------------ mutations

/// Counts what is allocated at a time, so that a length that is believed shows.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: as promised by who calls.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as promised by who calls.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Numbers that look random and are the same in every run (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

/// A copy of one of the project's archives, of which one byte is changed at a time.
struct Victim {
    anchor: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
    _folder: tempfile::TempDir,
}

impl Victim {
    fn all() -> Vec<Victim> {
        let victim = |name: &str| {
            let folder = tempfile::tempdir().unwrap();
            common::copy_folder(&common::process::data().join(name), folder.path());
            let mut files = Vec::new();
            collect(folder.path(), &mut files);
            files.sort();
            let of = |suffix: &str| {
                let mut these =
                    files.iter().filter(|(path, _)| path.extension().unwrap() == suffix);
                these.next().unwrap().0.clone()
            };
            Victim { anchor: of("otf2"), files, _folder: folder }
        };
        ["pingpong", "eztrace", "sampling", "local-defs", "intercomm"].map(victim).into()
    }

    /// Changes a byte, looks, and changes it back. Files are taken with equal chances, and their
    /// first bytes, where the lengths of everything stand, more often than others.
    fn mutated(&self, dice: &mut Dice, look: impl FnOnce(&Path, &str)) {
        let (path, bytes) = &self.files[dice.below(self.files.len())];
        let window = if dice.below(3) == 0 { 64 } else { bytes.len() };
        let at = dice.below(bytes.len().min(window));
        let new = match dice.below(4) {
            0 => bytes[at] ^ 1 << dice.below(8),
            1 => [0, 1, 2, 3, 5, 6, 0xfe, 0xff][dice.below(8)],
            _ => dice.below(256) as u8,
        };
        let mut changed = bytes.clone();
        changed[at] = new;
        std::fs::write(path, &changed).unwrap();
        look(&self.anchor, &format!("{}, byte {at}: {} to {new}", path.display(), bytes[at]));
        std::fs::write(path, bytes).unwrap();
    }
}

/// The files that belong to an archive.
fn collect(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let suffix = path.extension().map(|suffix| suffix.to_string_lossy().into_owned());
        if path.is_dir() {
            collect(&path, files);
        } else if ["otf2", "def", "evt", "snap"].contains(&suffix.as_deref().unwrap_or("")) {
            let bytes = std::fs::read(&path).unwrap();
            files.push((path, bytes));
        }
    }
}

/// Wants everything.
struct Everything(usize);

impl EventVisitor for Everything {
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.0 += head.attributes.len() + event.kind() as usize;
    }
}

/// Reads all there is in all the ways there are. Whatever comes of it is right.
fn read_everything(anchor: &Path, window: usize) {
    let options = ReadOptions { window, keep_open: true };
    let Ok(archive) = Archive::open(anchor, options) else { return };
    let _ =
        archive.markers().map(|markers| markers.map(|mut m| while let Ok(Some(_)) = m.next() {}));
    let Ok(definitions) = archive.read_global_definitions() else { return };
    let mut everything = Everything(0);
    let mut merged = Vec::new();
    for &location in definitions.locations.keys() {
        let local = archive.read_local_definitions(location).unwrap_or_default();
        if let Ok(mut reader) = archive.events_with(location, local) {
            let _ = reader.read_all(&mut everything);
        }
        merged.extend(archive.events_with(location, LocalDefinitions::default()).ok());
        if let Ok(snapshots) = archive.snapshots(location) {
            let _ = Merge::new(vec![snapshots]).read_snapshots(|_, _| {});
        }
    }
    let mut merge = Merge::new(merged);
    while let Ok(Some(reader)) = merge.next_stream() {
        if reader.deliver(&mut everything).is_err() {
            break;
        }
    }
}

/// A profile of it, too, which has to live with any numbers in any event.
fn fold_everything(anchor: &Path) {
    let Ok(trace) = drive::open(&Solo, anchor, ReadOptions::default()) else { return };
    let plan = Plan::new(&drive::weigh(&Solo, &trace).unwrap(), 1);
    let kernel = ProfileKernel::new(&trace.definitions);
    let progress = Progress::default();
    let workers = std::num::NonZeroUsize::MIN;
    let scanning = Scanning { workers, strict: false, progress: &progress };
    let folded = drive::scan(&Solo, &trace, &plan, &kernel, scanning).unwrap();
    let _ = Profile::new(folded.partial, &trace.definitions);
}

/// The seed is fixed: what fails once fails again.
#[test]
fn two_thousand_changed_bytes_in_this_process() {
    let victims = Victim::all();
    let mut dice = Dice(2026);
    for round in 0..2000 {
        let victim = &victims[dice.below(victims.len())];
        let window = [64, 1000, 1 << 20][dice.below(3)];
        victim.mutated(&mut dice, |anchor, what| {
            let begin = Instant::now();
            let done = std::panic::catch_unwind(|| {
                read_everything(anchor, window);
                fold_everything(anchor);
            });
            assert!(done.is_ok(), "{round}: panic: {what}");
            assert!(begin.elapsed() < LIMIT, "{round}: {:?}: {what}", begin.elapsed());
            let most = MOST.load(Ordering::Relaxed);
            assert!(most < 256 << 20, "{round}: {most} bytes: {what}");
        });
    }
}

#[test]
fn two_hundred_changed_bytes_through_the_program() {
    let victims = Victim::all();
    let mut dice = Dice(7);
    for round in 0..200 {
        let victim = &victims[dice.below(victims.len())];
        victim.mutated(&mut dice, |anchor, what| {
            let run = profile(anchor, &[]);
            let says = format!("{round}: {what}: {}", run.stderr);
            assert!([0, 2, 3].contains(&run.code), "{} {says}", run.code);
            assert_eq!(run.csv.is_some(), run.code != 2, "{says}");
            assert_eq!(run.stderr.is_empty(), run.code == 0, "{says}");
        });
    }
}
