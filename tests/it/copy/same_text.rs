//! Readers find in a copy what they find in the original.
//!
//! Of the reference's own archives the bytes say so already; its tools are asked all the same, since
//! they are who reads a copy. Others were written by programs that order the same records in other
//! chunks, and only what is read can be compared.

use std::path::Path;

use crate::common::archives::{own, traces, Archive};
use crate::common::files::{assert_same_bytes, Files};
use crate::common::parsed::Parser;
use crate::common::program::{said, streamfold, text};
use crate::common::reference::{is_installed, otf2_print};
use crate::common::small::CHUNK;
use crate::copy::{expect, Place};

/// What otf2-print says of an archive. Messages have the archive's own place in them, which is left
/// out.
fn printed(options: &[&str], anchor: &Path) -> (String, Vec<String>) {
    let output = otf2_print(options, anchor);
    let place = anchor.with_extension("");
    let said = said(&output).replace(&*place.to_string_lossy(), "ARCHIVE");
    (text(&output.stdout), said.lines().map(str::to_owned).collect())
}

#[track_caller]
fn assert_prints_the_same(options: &[&str], copy: &Path, original: &Path, what: &str) {
    let (copy, original) = (printed(options, copy), printed(options, original));
    assert!(!original.0.is_empty(), "{what}: otf2-print says nothing of it");
    let lines = copy.0.lines().zip(original.0.lines()).enumerate();
    let different: Vec<_> =
        lines.filter(|(_, (copy, original))| copy != original).take(3).collect();
    assert!(different.is_empty(), "{what} {options:?}: {different:#?}");
    assert_eq!(copy.0.len(), original.0.len(), "{what} {options:?}");
    assert_eq!(copy.1, original.1, "{what} {options:?}: messages");
}

fn reencoded(archive: &Archive) -> Place {
    let place = Place::new();
    expect(&place.copy(&archive.anchor, &["--reencode"]), 0);
    place
}

#[test]
fn the_reference_prints_the_same_of_recorded_traces() {
    if !is_installed("otf2-print") {
        return;
    }
    for archive in own() {
        let place = reencoded(&archive);
        for options in [&["-A"][..], &["-M", "-C"]] {
            assert_prints_the_same(options, &place.anchor(), &archive.anchor, &archive.name);
        }
    }
}

/// Its bytes are in the other order, which a copy keeps.
#[test]
fn the_reference_prints_the_same_of_big_endian_files() {
    let Some(traces) = traces().filter(|_| is_installed("otf2-print")) else { return };
    let folder = traces.join("otf2-records/mapped-big-endian");
    let archive = Archive::find(&folder).expect("an archive");
    let place = reencoded(&archive);
    for options in [&["-A"][..], &["-M", "-C"]] {
        assert_prints_the_same(options, &place.anchor(), &archive.anchor, &archive.name);
    }
    for (name, bytes) in Files::read(&place.anchor()).0 {
        assert_eq!(bytes[1], 0x23, "{name}");
    }
}

/// The reference's tool fails on these: its anchor does not count records of unknown kinds. Nothing
/// of them is lost, nor of the fields that newer versions append.
#[test]
fn our_own_print_is_the_same_of_records_of_newer_versions() {
    let Some(traces) = traces() else { return };
    let archive = Archive::find(&traces.join("otf2-records/newer-records")).expect("an archive");
    let place = reencoded(&archive);
    let print = |anchor: &Path| {
        let run = streamfold(["print", "--json", "-A"]).arg(anchor).output().expect("a run");
        // One location has no definitions of its own, which is a loss.
        assert_eq!(run.status.code(), Some(3), "{}", said(&run));
        assert_eq!(said(&run).matches("the file is missing").count(), 1, "{}", said(&run));
        text(&run.stdout).replace(&*anchor.to_string_lossy(), "ANCHOR")
    };
    let (copy, original) = (print(&place.anchor()), print(&archive.anchor));
    let different = copy.lines().zip(original.lines()).find(|(copy, original)| copy != original);
    assert_eq!(different, None);
    assert_eq!(copy.len(), original.len());
}

/// Fields that nobody knows are printed by nobody: every record has the bytes that it had.
#[test]
fn records_of_other_writers_keep_their_bytes() {
    let Some(traces) = traces() else { return };
    for case in ["newer-records", "mapped-big-endian"] {
        let archive = Archive::find(&traces.join("otf2-records").join(case)).expect("an archive");
        let place = reencoded(&archive);
        let (copy, original) = (Files::read(&place.anchor()), Files::read(&archive.anchor));
        for (name, bytes) in &copy.0 {
            let what = format!("{case}, {name}");
            match name.rsplit_once('.') {
                Some((_, "evt")) => {
                    assert_same_records(Parser::events, bytes, original.get(name), &what)
                }
                Some((_, "snap")) => {
                    assert_same_records(Parser::snapshots, bytes, original.get(name), &what);
                }
                _ => assert_same_bytes(bytes, original.get(name), &what),
            }
        }
    }
}

/// The copy keeps all rules of the format; the original need not.
fn assert_same_records<'a>(
    parser: fn(&'a [u8], u64) -> Parser<'a>,
    copy: &'a [u8],
    original: &'a [u8],
    what: &str,
) {
    let (copy, original) = (parser(copy, CHUNK).strictly(), parser(original, CHUNK).records());
    let pairs = copy.iter().zip(&original);
    let different = pairs.clone().find(|(copy, original)| copy.content() != original.content());
    assert_eq!(different, None, "{what}");
    assert_eq!(copy.len(), original.len(), "{what}: records");
}
