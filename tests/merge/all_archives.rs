//! Every archive there is, behind another one and before it: readers find no more faults than before.

use std::path::{Path, PathBuf};

use crate::common::archives::{large, one, own, Archive};
use crate::common::program::said;
use crate::common::reference::{is_installed, otf2_print};
use crate::meaning::errors;
use crate::merged;

fn all() -> Vec<Archive> {
    own().into_iter().chain(large()).collect()
}

/// Traces of which each says other things.
fn beside() -> PathBuf {
    one("intercomm").anchor
}

/// How many faults there are.
#[track_caller]
fn assert_no_more(place: &Path, traces: &[&Path], what: &str) {
    let before: usize = traces.iter().map(|trace| errors(trace).len()).sum();
    let after = errors(place);
    assert!(after.len() <= before, "{what}: {before} before, now {after:#?}");
}

/// Archives whose merging is known to bring faults.
const FAULTS: [&str; 3] =
    ["eztrace", "eztrace-mpi-p2p-coll-intercomm", "eztrace-posixio-memory-threads"];

#[test]
fn validation_finds_no_new_faults() {
    for archive in all() {
        if archive.anchor == beside() {
            continue;
        }
        let (first, second) = (beside(), &archive.anchor);
        for way in [&[][..], &["--rewrite-events"]] {
            let place = merged(&[second, &first], way);
            assert_no_more(&place.anchor(), &[second, &first], &format!("{} first", archive.name));
            if FAULTS.contains(&archive.name.as_str()) {
                continue;
            }
            let place = merged(&[&first, second], way);
            assert_no_more(&place.anchor(), &[second, &first], &format!("{} second", archive.name));
        }
    }
}

#[test]
fn all_of_them_are_one_trace() {
    let all: Vec<_> = all().into_iter().map(|archive| archive.anchor).collect();
    let place = merged(&all, &[]);
    let before: usize = all.iter().map(|anchor| errors(anchor).len()).sum();
    let after = errors(&place.anchor());
    assert!(after.len() <= before, "{before} before, now {}: {:#?}", after.len(), &after[..10]);
    if is_installed("otf2-print") {
        let run = otf2_print(&["-A"], &place.anchor());
        let said = said(&run).to_lowercase();
        assert!(run.status.success() && !said.contains("error"), "{said}");
    }
}

#[test]
fn the_reference_reads_all_of_them() {
    if !is_installed("otf2-print") {
        return;
    }
    for archive in all().into_iter().filter(|archive| archive.anchor != beside()) {
        for way in [&[][..], &["--rewrite-events"]] {
            let place = merged(&[&beside(), &archive.anchor], way);
            let run = otf2_print(&["-A"], &place.anchor());
            let said = said(&run).to_lowercase();
            assert!(run.status.success() && !said.contains("error"), "{}: {said}", archive.name);
        }
    }
}

/// Whoever reads definitions in their order knows what each of them leads to.
#[test]
fn members_of_lists_are_defined_before() {
    if !is_installed("otf2-print") {
        return;
    }
    let place = merged(&[one("pingpong").anchor, beside()], &[]);
    let printed = crate::common::program::text(otf2_print(&["-G"], &place.anchor()).stdout);
    let invalid: Vec<_> = printed.lines().filter(|line| line.contains("INVALID")).collect();
    assert!(invalid.is_empty(), "{invalid:#?}");
}
