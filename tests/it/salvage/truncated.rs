//! Real archives with one event file cut at many places: all that is before the cut comes out, as
//! the reference tool prints it.

use std::fs;
use std::path::Path;

use crate::common::archives::{large_folders, one, Archive};
use crate::common::program::{said, text};
use crate::common::reference::{is_installed, otf2_print};
use crate::salvage::{expect, expect_no_errors, Place};

/// So many cuts in each archive.
const CUTS: u64 = 8;

/// Event lines of a location, each with the attributes below it.
fn printed(anchor: &Path, location: &str) -> Vec<String> {
    let printed = otf2_print(&["-A"], anchor);
    assert_eq!((printed.status.code(), said(&printed)), (Some(0), String::new()));
    let printed = text(&printed.stdout);
    let (_, events) = printed.split_once("=== Events ===").expect("events");
    let (mut lines, mut is_of_location) = (Vec::<String>::new(), false);
    for line in events.lines().skip(3) {
        if line.starts_with(' ') {
            if let (true, Some(last)) = (is_of_location, lines.last_mut()) {
                last.push_str(line);
            }
            continue;
        }
        is_of_location = line.split_whitespace().nth(1) == Some(location);
        if is_of_location {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// Cuts the events of a location at places all over the file, and looks at what comes out.
fn expect_prefixes(archive: &Archive, location: &str) {
    let (input, anchor) = Place::with(archive);
    let folder = anchor.with_extension("");
    let path = folder.join(format!("{location}.evt"));
    let whole = fs::read(&path).expect("events");
    let original = printed(&archive.anchor, location);
    assert!(original.len() > 20, "{}: {} events", archive.name, original.len());
    let mut before = 0;
    for cut in 0..=CUTS {
        // The last one leaves out no more than the marks of the end.
        let length = whole.len() as u64 * cut / CUTS - 2 * (cut / CUTS);
        fs::write(&path, &whole[..length as usize]).expect("cut");
        let what = format!("{}/{location}.evt: {length} bytes", archive.name);
        let place = Place::new();
        expect(&place.salvage(&anchor, &[]), 3);
        expect_no_errors(&place.anchor());
        let kept = printed(&place.anchor(), location);
        assert!(kept.len() <= original.len(), "{what}");
        let differs = kept.iter().zip(&original).find(|(kept, original)| kept != original);
        assert_eq!(differs, None, "{what}");
        assert!(kept.len() >= before, "{what}: {} events, {before} of less", kept.len());
        before = kept.len();
    }
    assert_eq!(before, original.len(), "{}: all but the marks of the end", archive.name);
    drop(input);
}

#[test]
fn what_is_left_is_a_prefix() {
    if is_installed("otf2-print") {
        expect_prefixes(&one("pingpong"), "1");
        expect_prefixes(&one("local-defs"), "3");
    }
}

#[test]
fn what_is_left_of_a_larger_archive_is_a_prefix() {
    for folder in large_folders(&["scorep8-rma"]) {
        if is_installed("otf2-print") {
            expect_prefixes(&Archive::find(&folder).expect("an archive"), "2");
        }
    }
}
