//! Runs of a program, the archives that are parts of each, and the locations of each archive.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use streamfold_kernels::unify::members::{stretches, Places};
use streamfold_model::ids::LocationRef;

use super::summary::Summary;

/// Runs of the archives.
pub(super) struct Runs {
    /// The run of each archive: the first archive that is of it.
    pub of: Vec<u32>,
    /// Archives with a location of an earlier one, and its identifier or out of the same trace, which so are no parts of its run.
    pub overlaps: Vec<(usize, usize, LocationRef)>,
}

/// By what archives of one run are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identity {
    /// They have been recorded with this identifier.
    Recorded(u64),
    /// They have been cut out of the same trace.
    Cut(u64),
}

impl Identity {
    fn of(summary: &Summary) -> Identity {
        match &summary.part {
            Some(part) => Identity::Cut(part.of),
            None => Identity::Recorded(summary.identifier()),
        }
    }

    /// Returns whether it is unknown: anchors of the oldest format have no identifier.
    fn is_none(self) -> bool {
        self == Identity::Recorded(0)
    }
}

impl Runs {
    /// Archives with the same identifier are parts of one trace, if no location is in two of them; so are those that
    /// were cut out of one.
    pub(super) fn of(all: &[Summary]) -> Runs {
        let mut numbers: Vec<(u64, u32)> = Vec::new();
        for (summary, i) in all.iter().zip(0..) {
            numbers.extend(summary.own().map(|location| (location, i)));
        }
        numbers.sort_unstable();
        let identity = |i: u32| Identity::of(&all[i as usize]);
        let mut torn = BTreeSet::new();
        let mut overlaps = BTreeMap::new();
        for same in numbers.chunk_by(|one, other| one.0 == other.0).filter(|same| same.len() > 1) {
            let mut first: BTreeMap<Identity, u32> = BTreeMap::new();
            for (_, i) in same {
                let identity = identity(*i);
                let of = *first.entry(identity).or_insert(*i);
                if of != *i && !identity.is_none() {
                    torn.insert(identity);
                    let location = LocationRef(same[0].0);
                    overlaps.entry(*i as usize).or_insert((of as usize, location));
                }
            }
        }
        let mut first: BTreeMap<Identity, u32> = BTreeMap::new();
        let run = |i: u32| {
            let identity = identity(i);
            let of = *first.entry(identity).or_insert(i);
            let alone = identity.is_none() || torn.contains(&identity);
            if alone {
                i
            } else {
                of
            }
        };
        let of = (0..all.len() as u32).map(run).collect();
        let overlaps =
            overlaps.into_iter().map(|(other, (one, both))| (one, other, both)).collect();
        Runs { of, overlaps }
    }
}

/// Gives each location to one of the parts that were cut out of a trace: to the one that has its events, and those that
/// none of them has to the first that defines them.
pub(super) fn settle_parts(all: &mut [Summary], runs: &[u32]) {
    let mut by_run: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (i, run) in runs.iter().enumerate().filter(|(i, _)| all[*i].part.is_some()) {
        by_run.entry(*run).or_default().push(i);
    }
    for parts in by_run.into_values().filter(|parts| parts.len() > 1) {
        let mut given: HashSet<u64> = parts.iter().flat_map(|part| all[*part].own()).collect();
        for part in parts {
            let summary = &all[part];
            let own: HashSet<u64> = summary.own().collect();
            let (mut has, mut elsewhere) = (Vec::new(), Vec::new());
            for location in summary.locations() {
                match own.contains(&location) || given.insert(location) {
                    true => has.push(location),
                    false => elsewhere.push(location),
                }
            }
            let elsewhere = Arc::new(Places::new(stretches(elsewhere)));
            all[part].locations = stretches(has);
            all[part].elsewhere = Some(elsewhere);
        }
    }
}

/// Returns whether locations of two archives have the same number, or a run has an undefined reference that another one
/// defines.
pub(super) fn collide(all: &[Summary], runs: &[u32]) -> bool {
    let with_run = || all.iter().zip(runs);
    let mut numbers: Vec<(u64, u32)> = with_run()
        .flat_map(|(summary, run)| summary.locations().map(|location| (location, *run)))
        .collect();
    numbers.sort_unstable();
    let run_of = |location| {
        let place = numbers.binary_search_by_key(&location, |(number, _)| *number);
        place.ok().map(|place| numbers[place].1)
    };
    numbers.windows(2).any(|pair| pair[0].0 == pair[1].0)
        || with_run().any(|(summary, run)| {
            summary.unknown().any(|location| run_of(location).is_some_and(|other| other != *run))
        })
}
