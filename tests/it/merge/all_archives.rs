//! Every archive there is, behind another one and before it: readers find no more faults than before.

use std::path::{Path, PathBuf};

use crate::common::archives::{large, one, own, Archive};
use crate::common::program::said;
use crate::common::reference::{is_installed, otf2_print};
use crate::merge::meaning::errors;
use crate::merge::{merged, merged_real};

fn all() -> Vec<Archive> {
    own().into_iter().chain(large()).collect()
}

/// Traces of which each says other things.
fn beside() -> PathBuf {
    one("intercomm").anchor
}

/// Fails where the reference finds an error.
#[track_caller]
fn assert_readable(anchor: &Path, what: &str) {
    if is_installed("otf2-print") {
        let run = otf2_print(&["-A"], anchor);
        let said = said(&run).to_lowercase();
        assert!(run.status.success() && !said.contains("error"), "{what}: {said}");
    }
}

/// Long ones, which are read with all others only.
const LONG: [&str; 2] = ["scorep8-lulesh-hybrid-rusage", "scorep9-gpu-metrics"];

#[test]
fn readers_find_no_new_faults() {
    let beside = beside();
    let others = errors(&beside).len();
    for archive in all().into_iter().filter(|archive| archive.anchor != beside) {
        if LONG.contains(&archive.name.as_str()) {
            continue;
        }
        let before = errors(&archive.anchor).len() + others;
        for [one, other] in [[&archive.anchor, &beside], [&beside, &archive.anchor]] {
            let what = format!("{} and {}", one.display(), other.display());
            // Real ones lose nothing, wherever they stand.
            let place = match archive.name.as_str() {
                "every-kind" => merged_real(&[one, other], &[]),
                _ => merged(&[one, other], &[]),
            };
            let after = errors(&place.anchor());
            assert!(after.len() <= before, "{what}: {before} before, now {after:#?}");
            assert_readable(&place.anchor(), &what);
        }
    }
}

#[test]
fn all_of_them_are_one_trace() {
    let all: Vec<_> = all().into_iter().map(|archive| archive.anchor).collect();
    let before: usize = all.iter().map(|anchor| errors(anchor).len()).sum();
    for way in [&[][..], &["--rewrite-events"]] {
        let place = merged_real(&all, way);
        let after = errors(&place.anchor()).len();
        assert!(after <= before, "{way:?}: {before} errors before, now {after}");
        if way.is_empty() {
            assert_readable(&place.anchor(), "all");
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
