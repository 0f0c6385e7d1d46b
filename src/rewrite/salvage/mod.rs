//! A valid archive of what is left of one: event files without anchor and definitions, or cut
//! short.
//!
//! Rank 0 finds out what there is, and reads definitions as far as they can be read. All ranks read
//! the events of their share once, write them up to the damage, and note what they lead to that
//! nobody defines. Rank 0 makes definitions for that, and then all write what else locations have.

mod complete;
mod donor;
mod events;
mod files;
mod find;
mod globals;
mod local;
mod locals;
mod markers;
mod others;
mod prepare;
mod tables;

use crate::write_failure;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use streamfold_formats::Loss;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use streamfold_kernels::salvage::Renumbered;
use streamfold_model::ids::{LocationGroupRef, LocationRef};

use super::Outcome;
use files::{no_definitions, Files, Found};
use prepare::{prepare, Known, Root};
use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_drive::select::{Candidate, Plan};
use streamfold_drive::{on_workers, refuse, Losses, Progress, Queue};
use streamfold_otf2::{Archive, ArchiveWriter, FileKind, ReadOptions, WriteError, WriteOptions};
use streamfold_system::exit::{ExitCode, Failure, Stop};

/// How to salvage.
#[derive(Clone, Copy, Debug)]
pub struct Salvaging<'a> {
    /// Output archive.
    pub to: &'a ArchiveWriter,
    /// A whole archive of the same program.
    pub donor: Option<&'a Path>,
    /// Use of clock offsets of the donor.
    pub donor_clocks: DonorClocks,
    /// True if visits that are open at the cut of a stream are closed there.
    pub close_visits: bool,
    /// True if the first loss is a failure.
    pub strict: bool,
    /// Files that are read at a time.
    pub workers: NonZeroUsize,
    /// Is told about what was read.
    pub progress: &'a Progress,
}

/// When clock offsets of a donor are used for locations that have none of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DonorClocks {
    /// If they do not move the begins of locations apart.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// An archive that was found, as this rank knows it.
#[derive(Debug)]
pub struct Opened {
    known: Known,
    /// On rank 0.
    root: Option<Root>,
    archive: Archive,
    donor: Option<Archive>,
}

/// Report of a salvage.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Results of the files of locations, and all losses.
    pub found: Found,
    /// Locations.
    pub locations: u64,
    /// Those of them that have no event file.
    pub fileless: u64,
    /// Definitions.
    pub definitions: u64,
    /// Those of the archive itself.
    pub own: u64,
    /// Those of the donor.
    pub taken: u64,
    /// Those that nobody had, by the names of records.
    pub invented: BTreeMap<String, u64>,
    /// Notes that are no losses.
    pub notes: Vec<String>,
    donor_clocks: DonorClocks,
    donor_clocks_used: bool,
    same_definitions: bool,
    snapshots: bool,
    thumbnails: u32,
}

impl Report {
    /// Returns the losses.
    pub fn losses(&self) -> &Losses {
        &self.found.outcome.losses
    }
}

/// Decisions that follow once all events were read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decided {
    donor_clocks: bool,
    snapshots: bool,
    /// Numbers of definitions that are others now.
    renumbered: Renumbered,
    /// True if each location gets a file of definitions.
    all_files: bool,
    fileless: Vec<LocationRef>,
}

impl Opened {
    /// Returns the path of the anchor, even if there is none.
    pub fn anchor_path(&self) -> PathBuf {
        self.archive.anchor_path().to_owned()
    }

    /// As the files are that are there.
    pub fn options(&self) -> WriteOptions {
        WriteOptions::of(&self.known.anchor)
    }
}

/// Looks for what there is of an archive: its anchor, a folder of event files, or a folder with one
/// of them. All but events is read, by rank 0.
///
/// # Errors
///
/// On all ranks when there is no event file, or when the donor cannot be read.
pub fn open(ranks: &dyn Communicator, path: &Path, donor: Option<&Path>) -> Result<Opened, Stop> {
    fail_point("open", ranks.rank())?;
    let mut root = None;
    let prepared = (ranks.rank() == 0).then(|| {
        prepare(path, donor).map(|(known, own)| {
            root = Some(own);
            known
        })
    });
    let known = ranks.broadcast_result(0, prepared)?.map_err(Stop::Together)?;
    let opened = |error: streamfold_otf2::Error| Stop::Together(Loss::from(error).into());
    let archive = known.archive(ReadOptions::default()).map_err(opened)?;
    let donor = known.donor(donor).map_err(opened)?;
    Ok(Opened { known, root, archive, donor })
}

/// Writes all but the anchor. Rank 0 has the result.
///
/// # Errors
///
/// On all ranks when one of them cannot write its files, or with the first loss where none may be;
/// and when ranks cannot communicate.
pub fn salvage(
    ranks: &dyn Communicator,
    opened: &mut Opened,
    salvaging: Salvaging<'_>,
) -> Result<Option<Report>, Stop> {
    let plan = plan(ranks, opened)?;
    let share = &plan.share(ranks.rank()).locations;
    fail_point("scan", ranks.rank())?;
    let known = opened.known.defined();
    let written = written(&opened.known, salvaging.to);
    let written = written.map_err(|error| Stop::Together(Loss::from(error).into()))?;
    let files = Files {
        archive: &opened.archive,
        donor: opened.donor.as_ref(),
        written: &written,
        known: &known,
        rank_lists: &opened.known.rank_lists,
        assumed: opened.known.assumed,
        salvaging,
    };
    let mut found = on_workers(share, salvaging.workers, |queue| files.events(queue), Found::fold);
    if let Some(root) = &mut opened.root {
        others::lead_on(&opened.archive, &known, &mut found.facts);
        found.outcome.losses.fold(std::mem::take(&mut root.losses));
    }
    fail_point("reduce", ranks.rank())?;
    let strict = |losses: &Losses| match salvaging.strict {
        true => refuse(ranks, losses.first.first()),
        false => Ok(()),
    };
    strict(&found.outcome.losses)?;
    let found = ranks.reduce(0, found, Found::fold)?;
    let mut report = found.map(|found| Report {
        found,
        donor_clocks: salvaging.donor_clocks,
        ..Report::default()
    });
    let failure = report.as_ref().map(|report| failure(&report.found));
    if let Some(failure) = ranks.broadcast(0, failure)? {
        return Err(Stop::Together(failure));
    }
    let decided = report
        .as_mut()
        .zip(opened.root.as_mut())
        .map(|(report, root)| globals::decide(&opened.known, &opened.archive, root, report));
    let decided: Decided = ranks.broadcast(0, decided)?;
    let mut outcome = files.rest(ranks, share, &decided);
    if let Some((report, root)) = report.as_mut().zip(opened.root.as_mut()) {
        report.snapshots = decided.snapshots;
        let done = globals::write(&opened.archive, salvaging, root, report);
        outcome.failure = outcome.failure.or(done.err());
        outcome.losses.fold(std::mem::take(&mut root.losses));
        (report.own, report.taken) = (root.own, root.taken);
        report.notes.append(&mut root.notes);
    }
    strict(&outcome.losses)?;
    let outcome = ranks.reduce(0, outcome, Outcome::fold)?;
    let failure = outcome.as_ref().map(|outcome| outcome.failure.clone());
    if let Some(failure) = ranks.broadcast(0, failure)? {
        return Err(Stop::Together(failure));
    }
    Ok(report.zip(outcome).map(|(mut report, outcome)| {
        report.found.outcome = std::mem::take(&mut report.found.outcome).fold(outcome);
        report
    }))
}

/// Why nothing can come of it.
fn failure(found: &Found) -> Option<Failure> {
    let too_many = found.facts.too_many().map(globals::too_many);
    let too_many = too_many.map(|text| Failure::new(ExitCode::Trace, text));
    found.outcome.failure.clone().or(too_many)
}

/// Writes the anchor, which makes the files an archive. For rank 0, when all others are done.
///
/// # Errors
///
/// When it cannot be written.
pub fn finish(opened: &Opened, to: &ArchiveWriter, report: &Report) -> Result<(), Failure> {
    globals::finish(&opened.known, to, report)
}

/// Returns the new archive, for reading.
fn written(known: &Known, to: &ArchiveWriter) -> Result<Archive, streamfold_otf2::Error> {
    let path = to.anchor_path();
    Archive::with_anchor(&path, known.anchor.clone(), ReadOptions::default())
}

/// Distributes locations among ranks: processes stay together if that keeps the balance.
fn plan(ranks: &dyn Communicator, opened: &Opened) -> Result<Plan, Stop> {
    fail_point("plan", ranks.rank())?;
    let locations = &opened.known.locations;
    let part = locations.len().div_ceil(ranks.size());
    let begin = (part * ranks.rank()).min(locations.len());
    let end = (begin + part).min(locations.len());
    let bytes = |location: &LocationRef| {
        let path = opened.archive.path(FileKind::Events(*location));
        std::fs::metadata(path).map_or(0, |file| file.len())
    };
    let own: Vec<u64> = locations[begin..end].par_iter().map(bytes).collect();
    let weights = ranks.all_gather(own)?.into_iter().flatten();
    let candidate = |(location, weight): (&LocationRef, u64)| Candidate {
        location: *location,
        group: LocationGroupRef(location.0 as u32),
        weight,
        rank: None,
    };
    let candidates: Vec<_> = locations.iter().zip(weights).map(candidate).collect();
    Ok(Plan::new(&candidates, ranks.size()))
}

impl Files<'_> {
    /// Writes what else the locations of this rank have, and its part of those without any file.
    fn rest(&self, ranks: &dyn Communicator, share: &[LocationRef], decided: &Decided) -> Outcome {
        let workers = self.salvaging.workers;
        let work = |queue: &Queue<'_>| self.others(queue, decided);
        let mut outcome = on_workers(share, workers, work, Outcome::fold);
        let fileless = decided.fileless.iter().skip(ranks.rank()).step_by(ranks.size());
        let empty = |location: &LocationRef| -> Result<u64, WriteError> {
            let definitions = no_definitions(self.salvaging.to, *location)?;
            let (_, events) = self.salvaging.to.events(*location).finish_with_length()?;
            Ok(events + definitions.bytes)
        };
        for location in fileless {
            match empty(location) {
                Ok(bytes) => {
                    outcome.written.files += 2;
                    outcome.written.bytes += bytes;
                }
                Err(error) => {
                    outcome.failure = Some(write_failure(error));
                    break;
                }
            }
        }
        outcome
    }
}
