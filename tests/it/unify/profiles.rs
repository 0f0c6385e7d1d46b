//! Profiles say the same before and after, by names; numbers of definitions may have become others.

use std::path::Path;

use crate::common::archives::one;
use crate::common::csv::fields;
use crate::common::program::{said, streamfold, text};
use crate::unify::{of_large, one_set, ununified};

/// Columns that hold numbers of definitions, or of rows.
const NUMBERS: [&str; 7] = ["region", "path", "parent", "context", "metric", "member", "group"];

/// A profile: the names of its columns, and its rows.
fn profile(anchor: &Path, by: &str, code: i32) -> (Vec<String>, Vec<Vec<String>>) {
    profile_of(anchor, by, code, &[])
}

/// The same with more options.
pub fn profile_of(
    anchor: &Path,
    by: &str,
    code: i32,
    options: &[&str],
) -> (Vec<String>, Vec<Vec<String>>) {
    let args = ["profile", "--quiet", "--format", "csv", "--by", by];
    let run = streamfold(args).args(options).arg(anchor).output().expect("a run");
    assert_eq!(run.status.code(), Some(code), "{}", said(&run));
    let printed = text(&run.stdout);
    let mut lines = printed.lines().map(fields);
    (lines.next().expect("a head"), lines.collect())
}

/// The rows of two profiles in the columns that both have and that are no numbers, in an order of
/// their own.
pub fn rows(
    (head, rows): (Vec<String>, Vec<Vec<String>>),
    other: &[String],
) -> (Vec<String>, Vec<Vec<String>>) {
    let is_kept = |i: &usize| other.contains(&head[*i]) && !NUMBERS.contains(&head[*i].as_str());
    let kept: Vec<_> = (0..head.len()).filter(is_kept).collect();
    let keep = |fields: &Vec<String>| kept.iter().map(|i| fields[*i].clone()).collect();
    let mut rows: Vec<Vec<String>> = rows.iter().map(keep).collect();
    rows.sort();
    (keep(&head), rows)
}

/// The same with its columns in the order of their names: those of metrics stand in that of their numbers.
fn by_name((head, rows): (Vec<String>, Vec<Vec<String>>)) -> (Vec<String>, Vec<Vec<String>>) {
    let mut order: Vec<usize> = (0..head.len()).collect();
    order.sort_by_key(|i| &head[*i]);
    let ordered = |row: &Vec<String>| order.iter().map(|i| row[*i].clone()).collect();
    (ordered(&head), rows.iter().map(ordered).collect())
}

/// Fails where the profile after is another one.
#[track_caller]
pub fn assert_same(before: &Path, after: &Path, by: &str, code: i32) {
    let (old, new) = (by_name(profile(before, by, code)), by_name(profile(after, by, 0)));
    let what = format!("{} by {by}", before.display());
    if code == 0 {
        assert_eq!(new.0, old.0, "{what}: columns");
    }
    let (heads, (old, new)) = ((old.0.clone(), new.0.clone()), (old, new));
    let (expected, found) = (rows(old, &heads.1), rows(new, &heads.0));
    assert!(expected.0.len() + NUMBERS.len() >= heads.0.len(), "{what}: columns");
    let mut pairs = found.1.iter().zip(&expected.1);
    assert_eq!(pairs.find(|(found, expected)| found != expected), None, "{what}");
    assert_eq!(found.1.len(), expected.1.len(), "{what}");
}

const WAYS: [&[&str]; 2] = [&[], &["--rewrite-events"]];

#[test]
fn of_archives_that_say_things_twice() {
    let large = of_large(&["eztrace-mpi-p2p-coll-intercomm", "eztrace-posixio-memory-threads"]);
    for archive in [one("eztrace"), one("local-defs")].into_iter().chain(large) {
        for way in WAYS {
            let place = one_set(&archive.anchor, way);
            for by in ["region", "callpath", "location", "metric"] {
                assert_same(&archive.anchor, &place.anchor(), by, 0);
            }
        }
    }
}

#[test]
fn of_sampled_archives() {
    let large = of_large(&["scorep8-comd-sampling"]);
    for archive in [one("sampling")].into_iter().chain(large) {
        for way in WAYS {
            let place = one_set(&archive.anchor, way);
            for by in ["region", "location", "line", "generator", "context"] {
                assert_same(&archive.anchor, &place.anchor(), by, 0);
            }
        }
    }
}

/// Of metrics, too, which each location has defined for itself.
#[test]
fn of_the_archive_that_nobody_has_unified() {
    let Some(archive) = ununified() else { return };
    for way in WAYS {
        let place = one_set(&archive.anchor, way);
        for by in ["region", "callpath", "location", "metric"] {
            assert_same(&archive.anchor, &place.anchor(), by, 0);
        }
        let (head, metrics) = profile(&place.anchor(), "metric", 0);
        let column = head.iter().position(|name| name == "name").expect("a column");
        for name in ["PAPI_TOT_INS", "PAPI_TOT_CYC", "energy"] {
            assert!(metrics.iter().any(|row| row[column] == name), "{name}: {metrics:#?}");
        }
    }
}
