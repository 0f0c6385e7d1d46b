//! Plan for each archive among the others, computed on all ranks from the summaries.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use streamfold_formats::Loss;

use streamfold_kernels::unify::members::stretches;
use streamfold_model::ids::LocationRef;

use super::clocks::{Align, Clocks};
use super::hosts;
use super::lists::{ranks_of, OwnLists};
use super::origins::Origin;
use super::runs::{collide, settle_parts, Runs};
use super::summary::Summary;
use crate::unify::{Clock, Input, Placed, Renamed};
use streamfold_collective::stop::agree;
use streamfold_collective::Communicator;
use streamfold_otf2::{Anchor, Archive, ReadOptions};
use streamfold_system::exit::{ExitCode, Failure, Stop};

/// Two archives that say they are of the same trace, and have a location in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The earlier one.
    pub one: PathBuf,
    /// The later one.
    pub other: PathBuf,
    /// The first location that both have.
    pub both: LocationRef,
    /// True if they were cut out of that trace. Else they have its identifier.
    pub are_cut: bool,
}

/// Findings and decisions about the archives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decisions {
    /// How times are aligned.
    pub align: Align,
    /// True if this was no choice: some archives have no real time stamp.
    pub lacks_real_time: bool,
    /// Runs whose parts were moved against each other, since nobody said how to align them, and nothing says that
    /// they have read one clock.
    pub apart: u64,
    /// Ticks per second.
    pub resolution: u64,
    /// Archives whose times change.
    pub retimed: u64,
    /// Runs of programs, as far as anybody can tell.
    pub runs: u64,
    /// Archives whose locations get other numbers.
    pub renamed: u64,
    /// Archives that say they are of the same trace as another one, and have a location of it.
    pub overlaps: Vec<Overlap>,
    /// Archives with snapshots or thumbnails, which are left out.
    pub with_snapshots: u64,
    /// Archives whose files are written anew since chunks have another size.
    pub other_chunks: u64,
    /// Hosts of one name that are below different nodes.
    pub hosts: Vec<String>,
    /// Parts of one run that contradict each other about who has which rank.
    pub lists: Vec<String>,
    /// New numbers and times of each archive.
    pub origins: Vec<Origin>,
}

/// Reads what the archives are about, each rank its share, and decides what becomes of them. Collective.
///
/// # Errors
///
/// On all ranks when one cannot be read, when one is given twice, or when times cannot be aligned as
/// wanted.
pub(super) fn plan(
    ranks: &dyn Communicator,
    paths: &[PathBuf],
    align: Option<Align>,
    options: ReadOptions,
) -> Result<(Vec<Input>, Decisions), Stop> {
    let part = paths.len().div_ceil(ranks.size()).max(1);
    let own = paths.iter().skip(part * ranks.rank()).take(part);
    let read = own.map(|path| Summary::read(path, options)).collect::<Result<Vec<_>, _>>();
    let all = ranks.all_gather(agree(ranks, read)?)?;
    let all: Vec<Summary> = all.into_iter().flatten().collect();
    decide(paths, all, align, options).map_err(Stop::Together)
}

fn decide(
    paths: &[PathBuf],
    mut all: Vec<Summary>,
    align: Option<Align>,
    options: ReadOptions,
) -> Result<(Vec<Input>, Decisions), Failure> {
    refuse_twice(paths, &all)?;
    let Runs { of: runs, overlaps } = Runs::of(&all);
    settle_parts(&mut all, &runs);
    let all = &all[..];
    let collide = collide(all, &runs);
    let renamed = renamed(paths, all, &runs, collide)?;
    let lists: Vec<&OwnLists> = all.iter().map(|it| &it.lists).collect();
    let (ranks, contradictions) = ranks_of(&lists, &runs, &renamed);
    let clocks = Clocks::align(paths, all, &runs, align)?;
    let first = &all[0].anchor;
    let chunks = |anchor: &Anchor| (anchor.event_chunk_size, anchor.definition_chunk_size);
    let mut decisions = Decisions {
        align: clocks.align,
        lacks_real_time: clocks.lacks_real_time,
        apart: clocks.apart,
        resolution: clocks.now.timer_resolution,
        retimed: clocks.times.iter().filter(|times| !times.is_identity()).count() as u64,
        runs: runs.iter().collect::<BTreeSet<_>>().len() as u64,
        renamed: renamed.iter().flatten().filter(|renamed| renamed.is_other()).count() as u64,
        overlaps: overlaps
            .into_iter()
            .map(|(one, other, both)| Overlap {
                one: paths[one].clone(),
                other: paths[other].clone(),
                both,
                are_cut: all[other].part.is_some(),
            })
            .collect(),
        with_snapshots: all
            .iter()
            .filter(|it| it.anchor.number_of_snapshots > 0 || it.anchor.number_of_thumbnails > 0)
            .count() as u64,
        other_chunks: all.iter().filter(|it| chunks(&it.anchor) != chunks(first)).count() as u64,
        hosts: hosts::apart(paths, all.iter().map(|it| &it.hosts)),
        lists: Vec::new(),
        origins: Vec::with_capacity(all.len()),
    };
    let firsts: BTreeSet<u32> = runs.iter().copied().collect();
    let places: BTreeMap<u32, u64> = firsts.into_iter().zip(0..).collect();
    let mut inputs = Vec::with_capacity(all.len());
    for (i, (path, (mut ranks, joined))) in paths.iter().zip(ranks).enumerate() {
        if i == 0 {
            // A list that is not in the first archive has no number that it could keep.
            ranks.values_mut().for_each(|ranks| ranks.name = None);
        }
        let clock = match i {
            0 => Clock::Now(clocks.now.clone()),
            _ => Clock::Nothing,
        };
        let placed = Placed {
            run: (all.len() > 1).then_some(runs[i]),
            locations: renamed[i].clone(),
            ranks,
            joined,
            clock,
            times: clocks.times[i],
            has_location_values: all[i].has_location_values,
            elsewhere: all[i].elsewhere.clone(),
        };
        decisions.origins.push(Origin::new(places[&runs[i]], &all[i], &placed));
        let archive =
            Archive::with_anchor(path, all[i].anchor.clone(), options).map_err(Loss::from)?;
        let locations = all[i].locations.iter().map(|stretch| stretch.count).sum();
        inputs.push(Input { archive, locations, placed });
    }
    decisions.lists = contradictions.iter().map(|both| both.text(&inputs, &lists)).collect();
    Ok((inputs, decisions))
}

/// The same events twice are nobody's wish.
fn refuse_twice(paths: &[PathBuf], all: &[Summary]) -> Result<(), Failure> {
    let mut seen = BTreeMap::new();
    for (summary, path) in all.iter().zip(paths) {
        if let Some(other) = seen.insert(summary.file, path) {
            let (path, other): (_, &PathBuf) = (path.display(), other);
            let text = format!("{path}: this trace is given twice, also as {}", other.display());
            return Err(Failure::new(ExitCode::Usage, text));
        }
    }
    Ok(())
}

/// The first of so many numbers from one on none of which is among the unknown: what leads to a location that nobody
/// defines does not lead to one of another run then. `None`: there are none.
fn behind(mut next: u64, count: u64, unknown: &BTreeSet<u64>) -> Option<u64> {
    for number in unknown.range(next..) {
        if *number - next >= count {
            break;
        }
        next = number.checked_add(1)?;
    }
    next.checked_add(count).map(|_| next)
}

/// Returns the locations of the run of each archive. If two runs have the same numbers, those of the first run keep
/// theirs, and all others get the next ones. `None`: there is one archive alone.
fn renamed(
    paths: &[PathBuf],
    all: &[Summary],
    runs: &[u32],
    collide: bool,
) -> Result<Vec<Option<Arc<Renamed>>>, Failure> {
    if all.len() == 1 {
        return Ok(vec![None]);
    }
    let of_first =
        || all.iter().zip(runs).filter(|(_, run)| **run == 0).map(|(summary, _)| summary);
    let last = of_first().flat_map(Summary::locations).max();
    let count: u64 =
        all.iter().flat_map(|summary| &summary.locations).map(|stretch| stretch.count).sum();
    let unknown = of_first().flat_map(Summary::unknown).collect();
    let next = last.map_or(Some(0), |last| last.checked_add(1));
    // The last number of all is that of none.
    let next = next.and_then(|next| behind(next, count, &unknown));
    let mut next = match (next, collide) {
        (Some(next), true) => Some(next),
        (None, true) => {
            let text =
                "its locations have such high numbers that there are none for those of others";
            let text = format!("{}: {text}", paths[0].display());
            return Err(Failure::new(ExitCode::Trace, text));
        }
        (_, false) => None,
    };
    let mut by_run: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for (summary, run) in all.iter().zip(runs) {
        by_run.entry(*run).or_default().extend(summary.locations());
    }
    let mut renamed: BTreeMap<u32, Arc<Renamed>> = BTreeMap::new();
    for (run, locations) in by_run {
        let count = locations.len() as u64;
        let first = next.filter(|_| run > 0);
        renamed.insert(run, Arc::new(Renamed::new(stretches(locations), first)));
        next = first.map(|first| first + count).or(next);
    }
    Ok(runs.iter().map(|run| renamed.get(run).cloned()).collect())
}
