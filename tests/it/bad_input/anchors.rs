//! Anchors that are not there, cut, damaged, or of other formats.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use serde_json::Value;

use super::{
    fatal, fifo, header, loses, payload, profile, reads, run, with_anchor, with_anchor_bytes,
    Little,
};
use crate::common::program::said;
use crate::common::skipped;
use crate::common::small::{anchor_with, Bytes, Small, CHUNK, ORDERS};

#[test]
fn small_archives_are_read() {
    for order in ORDERS {
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
    // The folder of the locations' files leads to the anchor beside it.
    reads(&written.file("t"));
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
    for name in ["u", "u.def", "t.txt", "t.Otf2", ".otf2"] {
        let path = written.file(name);
        if !path.exists() {
            fs::write(&path, "no anchor").expect("written");
        }
        let run = profile(&path, &[]);
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
        skipped("whoever may read everything cannot be forbidden to read a file");
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
    for order in ORDERS {
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

/// Thumbnails are looked for by number: up to the first that cannot be opened, whoever looks.
#[test]
fn more_thumbnails_than_there_could_be() {
    let mut anchor = Small::new(Little).anchor;
    let at = anchor.len() - 3 - 4;
    anchor[at..at + 4].fill(0xff);
    let written = with_anchor(anchor);
    std::fs::write(written.file("t.0.thumb"), []).unwrap();
    expect_unseen(&written.anchor(), "t.1.thumb: No such file");
    // Names that no file can have are refused for another reason.
    let long = "t".repeat(255 - ".otf2".len());
    for (from, to) in [("t", long.clone()), ("t.def", format!("{long}.def"))] {
        std::fs::rename(written.file(from), written.file(&to)).unwrap();
    }
    std::fs::rename(written.anchor(), written.file(&format!("{long}.otf2"))).unwrap();
    expect_unseen(&written.file(&format!("{long}.otf2")), "0.thumb: File name too long");
}

/// Of all thumbnails but the first ones there is one message, and nobody looks for the others.
fn expect_unseen(anchor: &Path, why: &str) {
    let ended = run(["print".as_ref(), "-A".as_ref(), anchor.as_os_str()]);
    let says = said(&ended);
    assert_eq!(ended.status.code(), Some(3), "{says}");
    assert_eq!(
        says.matches(".thumb: ").count(),
        1 + says.matches("0.thumb: the file is empty").count()
    );
    assert!(says.contains(why), "{says}");
    assert!(says.contains("the anchor announces 4294967295"), "{says}");
    let ended = run(["validate".as_ref(), "--json".as_ref(), anchor.as_os_str()]);
    let report: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    let defects = report["defects"].as_array().expect("a list");
    let messages: Vec<_> = defects.iter().filter_map(|defect| defect["message"].as_str()).collect();
    let unseen = |message: &&&str| message.contains(" more looked for)");
    assert_eq!(messages.iter().filter(unseen).count(), 1, "{report:#}");
    let ended = run(["info".as_ref(), "--json".as_ref(), anchor.as_os_str()]);
    let info: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    let thumbnails = &info["files"]["thumbnails"];
    let count = |name: &str| thumbnails[name].as_u64().expect("a number");
    assert_eq!(count("files") + count("missing"), u64::from(u32::MAX), "{info:#}");
    assert!(count("files") <= 1, "{info:#}");
}
