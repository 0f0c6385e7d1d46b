//! One set of definitions for a trace, by what they say.
//!
//! Rank 0 reads the global definitions, every rank those of its share of the locations, which is a stretch in the order
//! of their definition. Equal definitions have the same key on all ranks. Each key has an owner rank, which finds the
//! rank that has read it first. That rank gives the definition a number: the next free one, in the order of locations
//! and of their files. So the numbers depend on nothing but the trace. A definition of one rank alone is sent to the
//! owner as a key, and once more when it is written.

mod called;
mod comms;
mod findings;
mod found;
mod number;
mod ranks;
mod read;
mod report;
mod same;
mod write;

use crate::write_failure;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;
use streamfold_formats::Loss;

use streamfold_model::enums::MappingType;
use streamfold_model::ids::LocationRef;
use streamfold_model::values::IdMap;

use super::{is_unified, lack_events, set_unified};
use found::Found;
use read::inputs::Numbered;
use same::join::{ByMessages, Nobody};
use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_drive::{on_workers, refuse, Progress, Queue};
use streamfold_formats::{anchor_of, open_archive};
use streamfold_otf2::{Archive, ArchiveWriter, ReadOptions, WriteOptions};
use streamfold_system::exit::{Failure, Stop};
use streamfold_system::paths;
use write::tables::OfLocation;

pub(super) use findings::{missing, numbered};
pub use ranks::by_paradigm::Ranks;
pub use ranks::joined::{JoinedList, JoinedLists};
pub use read::inputs::{Clock, Input, Placed, Renamed};
pub(super) use read::local::leads_to_locations;
use read::local::LocalFile;
use read::recent::Recent;
pub use read::source::{Found as FoundDefinition, Source};
pub use report::{Counts, Phase, Phases, Report};
pub(super) use same::distinct::DistinctByOrder;
pub use write::links::Links;

/// How to unify.
#[derive(Clone, Copy, Debug)]
pub struct Unifying<'a> {
    /// Output archive.
    pub to: &'a ArchiveWriter,
    /// True if files that stay as they are get a second name in place of a copy.
    pub link: bool,
    /// True if global numbers go into the events, in place of mapping tables.
    pub rewrite_events: bool,
    /// True if it is merged with others. Then times change, too: by new clock offsets, or in the events if these are
    /// rewritten. Snapshots and thumbnails, which are about one archive, are left out, and markers get new numbers.
    pub is_merged: bool,
    /// True if the first loss is a failure.
    pub strict: bool,
    /// Files that are open at a time.
    pub workers: NonZeroUsize,
    /// Is told about what was written.
    pub progress: &'a Progress,
}

/// Opens an archive on all ranks, given any path that leads to it: rank 0 reads its anchor and broadcasts it.
///
/// # Errors
///
/// On all ranks when rank 0 cannot read it.
pub fn open(ranks: &dyn Communicator, path: &Path, options: ReadOptions) -> Result<Archive, Stop> {
    let read = || {
        let archive = open_archive(path, options)?;
        Ok::<_, Failure>((paths::to_bytes(&anchor_of(path)), archive.anchor().clone()))
    };
    let opened = (ranks.rank() == 0).then(read);
    let (path, anchor) = ranks.broadcast_result(0, opened)?.map_err(Stop::Together)?;
    let archive = Archive::with_anchor(&paths::from_bytes(path), anchor, options);
    archive.map_err(|error| Stop::Together(Loss::from(error).into()))
}

/// Writes all of a unified trace but its anchor. Rank 0 has the result.
///
/// # Errors
///
/// On all ranks when global definitions cannot be read, when a rank cannot write its files, or with
/// the first loss where none may be; and when ranks cannot communicate.
pub fn unify(
    ranks: &dyn Communicator,
    inputs: &[Input],
    unifying: Unifying<'_>,
) -> Result<Option<(Report, Phases)>, Stop> {
    let mut phases = Phases::default();
    let mut join = ByMessages { ranks, inputs, workers: unifying.workers };
    let mut found = found::find(ranks, inputs, unifying.workers, &mut join, &mut phases)?;
    let mut begin = Instant::now();
    let mut report = found.report();
    // A trace that is not unified may lack numbers of events, too.
    let counts_events = report.ununified > 0 || report.doubled > 0 || inputs.len() > 1;
    let counts_events = counts_events || report.missing_definitions > 0;
    // Locations of whose events nobody can tell what or when they are have none.
    let counts_events = counts_events || found.share.unknown > 0;
    let counts_events = ranks.all_reduce(counts_events, |a, b| a || b)?;
    let renumbering = found.renumbering(counts_events);
    let written = write::files::write(inputs, &found.locations, &unifying, &renumbering);
    report = report.fold(written);
    phases.end("files of locations", &mut begin);
    fail_point("reduce", ranks.rank())?;
    let events = std::mem::take(&mut report.events);
    found.count_events(ranks, events)?;
    let first = &inputs[0].archive;
    let edited = (inputs.len() == 1).then_some(first);
    report = report.fold(write::globals::write(ranks, edited, &found, unifying.to)?);
    if found.read.first.is_some() && report.same {
        report.after = report.global.clone();
    }
    let Found { changed, read, .. } = &found;
    let of_first = changed.get(&0).filter(|_| ranks.rank() == 0);
    report.renumbered =
        of_first.map_or(0, |changed| changed.values().map(|numbers| numbers.len() as u64).sum());
    if unifying.is_merged {
        let kept = read.kept();
        report = report.fold(write::markers::write(ranks, inputs, kept, &found, unifying.to)?);
    } else if ranks.rank() == 0 {
        report = report.fold(write::others::write(&inputs[0], &unifying, &found));
    }
    read.lose_undefined(inputs, &mut report);
    phases.end("new global definitions", &mut begin);
    if unifying.strict {
        refuse(ranks, report.outcome.losses.first.first())?;
    }
    end(ranks, report, phases)
}

/// Unifies definitions without files: writes the global ones, and hands to `receive` the new numbers of each location,
/// as mapping tables. Rank 0 has the result. Collective.
///
/// # Errors
///
/// On all ranks when definitions cannot be read or written; and when ranks cannot communicate.
pub fn unify_definitions<S: Source>(
    ranks: &dyn Communicator,
    source: &S,
    to: &ArchiveWriter,
    workers: NonZeroUsize,
    receive: &(dyn Fn(LocationRef, &BTreeMap<MappingType, IdMap>) + Sync),
) -> Result<Option<(Report, Phases)>, Stop> {
    let mut phases = Phases::default();
    let sources = std::slice::from_ref(source);
    let found = found::find(ranks, sources, workers, &mut Nobody, &mut phases)?;
    let mut begin = Instant::now();
    let mut report = found.report();
    let renumbering = &found.renumbering(false);
    let work = |queue: &Queue<'_, Numbered>| {
        let (mut report, mut recent) = (Report::default(), Recent::default());
        while let Some(numbered) = queue.take() {
            let of_location = OfLocation { numbered, source, renumbering };
            let tables = match renumbering.kept(numbered) {
                Some(kept) => of_location.tables(kept.file),
                // A file that cannot be read was reported when it was read for the first time.
                None => {
                    let file = LocalFile::read(source, numbered, renumbering.before(), &mut recent);
                    let file = file.unwrap_or_default();
                    of_location.tables(&file)
                }
            };
            report.tables += tables.tables.len() as u64;
            report.identities += tables.identities;
            report.take(tables.findings);
            receive(numbered.now, &tables.tables);
        }
        report
    };
    report = report.fold(on_workers(&found.locations, workers, work, Report::fold));
    phases.end("mapping tables", &mut begin);
    report = report.fold(write::globals::write(ranks, None, &found, to)?);
    phases.end("new global definitions", &mut begin);
    end(ranks, report, phases)
}

/// Brings together what all ranks have found, and ends all of them where one has failed. Collective.
fn end(
    ranks: &dyn Communicator,
    report: Report,
    phases: Phases,
) -> Result<Option<(Report, Phases)>, Stop> {
    let report = ranks.reduce(0, report, Report::fold)?;
    let phases = ranks.reduce(0, phases, Phases::fold)?.unwrap_or_default();
    let failure = report.as_ref().map(|report| report.outcome.failure.clone());
    match ranks.broadcast(0, failure)? {
        Some(failure) => Err(Stop::Together(failure)),
        None => Ok(report.map(|report| (report, phases))),
    }
}

/// Writes the anchor, which makes the files an archive. For rank 0, when all others are done.
///
/// # Errors
///
/// When it cannot be written.
pub fn finish(input: &Input, to: &ArchiveWriter, report: &Report) -> Result<(), Failure> {
    let archive = &input.archive;
    let mut anchor = archive.anchor().clone();
    if report.outcome.lacks_events {
        lack_events(&mut anchor);
    }
    // If all tables went into the events, only the anchor shows that the trace is unified.
    let has_no_tables = report.tables + report.kept_tables == 0;
    let is_other = !report.same || (report.mapped + report.ununified > 0 && has_no_tables);
    if is_other && !is_unified(&anchor) {
        set_unified(&mut anchor);
    }
    if report.same && anchor == *archive.anchor() {
        let options = WriteOptions::of(archive.anchor());
        return super::copy::finish(archive, to, to.options() != options);
    }
    anchor.number_of_global_definitions = report.definitions;
    anchor.number_of_locations = report.after.0.get("Location").copied().unwrap_or(0);
    anchor.trace_identifier = identifier(std::slice::from_ref(input), report);
    to.finish(&anchor).map_err(write_failure)
}

/// A new trace has an identifier of its own, which follows from the old ones and from what has become
/// of their definitions.
pub(super) fn identifier(inputs: &[Input], report: &Report) -> u64 {
    let old: Vec<u64> =
        inputs.iter().map(|input| input.archive.anchor().trace_identifier).collect();
    let Report { digest, global, after, tables, .. } = report;
    let text = format!("{old:?} {digest} {global:?} {after:?} {tables}");
    crate::identifier(text.bytes())
}
