//! The profile and the events of every location of every trace are those that it has in the merged one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::archives::{large, one};
use crate::common::csv::fields;
use crate::common::program::{said, streamfold, text};
use crate::merge::meaning::{events, locations, number, of_kind, renamed};
use crate::merge::{merged, merged_real};

/// What names a row.
const NAMES: [&str; 6] = ["name", "kind", "file", "line", "paradigm", "role"];
/// Times, and the most that rounding makes of each of its visits.
const TIMES: [&str; 2] = ["inclusive_ticks", "exclusive_ticks"];
/// Counts, which are those that they were.
const COUNTS: [&str; 14] = [
    "visits",
    "closed",
    "sent",
    "bytes_sent",
    "received",
    "bytes_received",
    "collectives",
    "collective_bytes_sent",
    "collective_bytes_received",
    "rma",
    "bytes_put",
    "bytes_got",
    "bytes_read",
    "bytes_written",
];

/// Counts and ticks of the regions of a location, by what they are; of several that say the same the sums.
type Profile = BTreeMap<Vec<String>, (Vec<u128>, [u128; 2])>;

fn profile(anchor: &Path, location: u64) -> Profile {
    let location = location.to_string();
    let args = ["profile", "-q", "--format", "csv", "--by", "region", "-L", &location];
    let run = streamfold(args).arg(anchor).output().expect("a run");
    // Metrics that nobody defines are losses of a trace that nobody has unified.
    assert!(matches!(run.status.code(), Some(0 | 3)), "{}", said(&run));
    let printed = text(&run.stdout);
    let mut lines = printed.lines().map(fields);
    let head = lines.next().expect("a head");
    let column = |name: &str| head.iter().position(|other| other == name).expect("a column");
    let mut profile = Profile::new();
    for row in lines {
        let names = NAMES.map(|name| row[column(name)].clone()).to_vec();
        let sums = profile.entry(names).or_insert_with(|| (vec![0; COUNTS.len()], [0; 2]));
        let value = |name: &str| row[column(name)].parse::<u128>().expect("a number");
        sums.0.iter_mut().zip(COUNTS).for_each(|(sum, name)| *sum += value(name));
        sums.1.iter_mut().zip(TIMES).for_each(|(sum, name)| *sum += value(name));
    }
    profile
}

fn resolution(anchor: &Path) -> u128 {
    number(&of_kind(anchor, "ClockProperties")[0]["timer_resolution"]).into()
}

#[track_caller]
fn assert_same_profile(old: &Profile, new: &Profile, scale: (u128, u128), what: &str) {
    let names = |profile: &Profile| profile.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(new), names(old), "{what}");
    for ((name, (counts, ticks)), (new_counts, new_ticks)) in old.iter().zip(new.values()) {
        assert_eq!(new_counts, counts, "{what}: {name:?}");
        // Each visit begins and ends, and so do those below it.
        let of_all: u128 = old.values().map(|(counts, _)| counts[0]).sum();
        let most = if scale.0 == scale.1 { 0 } else { 4 * of_all };
        for (old, new) in ticks.iter().zip(new_ticks) {
            let (old, new) = (old * scale.0, new * scale.1);
            assert!(old.abs_diff(new) <= most * scale.1, "{what}: {name:?}: {old} {new} {scale:?}");
        }
    }
}

/// Compares traces that become one in each of these ways.
#[track_caller]
fn check(traces: &[PathBuf], ways: &[&[&str]]) {
    let before: Vec<BTreeMap<u64, Profile>> = traces.iter().map(|trace| profiles(trace)).collect();
    ways.iter().for_each(|options| check_way(traces, &before, options));
}

fn profiles(trace: &Path) -> BTreeMap<u64, Profile> {
    locations(trace).into_iter().map(|location| (location, profile(trace, location))).collect()
}

#[track_caller]
fn check_way(traces: &[PathBuf], before: &[BTreeMap<u64, Profile>], options: &[&str]) {
    let place = merged_real(traces, options);
    let now = resolution(&place.anchor());
    assert_eq!(Some(now), traces.iter().map(|trace| resolution(trace)).max(), "the finest");
    let after = profiles(&place.anchor());
    for ((trace, before), renamed) in traces.iter().zip(before).zip(renamed(traces)) {
        let scale = (now, resolution(trace));
        for (old, new) in renamed {
            let what = format!("{} {options:?}: {old} is {new}", trace.display());
            let (old, new) = (&before[&old], &after[&new]);
            assert!(!old.is_empty(), "{what}");
            assert_same_profile(old, new, scale, &what);
        }
    }
}

fn anchors(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| one(name).anchor).collect()
}

fn of_large(names: &[&str]) -> Vec<PathBuf> {
    let large = large().into_iter().filter(|it| names.contains(&it.name.as_str()));
    large.map(|archive| archive.anchor).collect()
}

#[test]
fn profiles_are_those_that_they_were() {
    let same = anchors(&["intercomm", "local-defs", "hybrid"]);
    let other = anchors(&["intercomm", "pingpong", "sampling", "eztrace"]);
    let large = of_large(&["synthetic-ununified-6", "scorep8-ior-mpiio"]);
    check(&same, &[&["--align", "none"], &["--rewrite-events"]]);
    check(&[other, large].concat(), &[&[], &["--rewrite-events"]]);
}

/// Every message goes from the location that sent it to the one that received it.
#[test]
fn events_mean_what_they_meant() {
    let traces =
        [anchors(&["pingpong", "intercomm", "local-defs", "metrics"]), of_large(&["scorep8-rma"])];
    let traces = traces.concat();
    for options in [&[][..], &["--rewrite-events"]] {
        let place = merged(&traces, options);
        let mut found = events(&place.anchor(), &BTreeMap::new(), false);
        for (trace, renamed) in traces.iter().zip(renamed(&traces)) {
            for (location, expected) in events(trace, &renamed, false) {
                let found = found.remove(&location).unwrap_or_default();
                let mut pairs = found.iter().zip(&expected);
                let what = format!("{} {options:?}: location {location}", trace.display());
                assert_eq!(pairs.find(|(found, expected)| found != expected), None, "{what}");
                assert_eq!(found.len(), expected.len(), "{what}");
            }
        }
        assert!(found.is_empty(), "events of nobody");
    }
}
