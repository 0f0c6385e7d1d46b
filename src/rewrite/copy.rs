//! A trace once more: its files as they are, or every record decoded and encoded again.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;

use super::{Outcome, Written};
use crate::collective::inject::fail_point;
use crate::collective::Communicator;
use crate::drive::{on_workers, refuse, Progress, Queue, Trace};
use crate::exit::{ExitCode, Failure, Stop};
use crate::formats::otf2::{
    Archive, ArchiveWriter, Changes, Copy, Error, ErrorKind, FileKind, Instead, Mappings,
    WriteError,
};
use crate::selection::Plan;

/// How to copy.
#[derive(Clone, Copy, Debug)]
pub struct Copying<'a> {
    /// Where to.
    pub to: &'a ArchiveWriter,
    /// Whether every record is decoded and encoded again.
    pub reencode: bool,
    /// Whether nothing may be lost.
    pub strict: bool,
    /// Files that are copied at a time.
    pub workers: NonZeroUsize,
    /// Is told about what was copied.
    pub progress: &'a Progress,
}

/// Copies a trace but for its anchor. How it went is on rank 0.
///
/// # Errors
///
/// On all ranks when one of them cannot write its files, or with the first loss where none may be;
/// and when ranks cannot communicate.
pub fn copy(
    ranks: &dyn Communicator,
    trace: &Trace,
    plan: &Plan,
    copying: Copying<'_>,
) -> Result<Option<Outcome>, Stop> {
    fail_point("scan", ranks.rank())?;
    let share = &plan.share(ranks.rank()).locations;
    let work = |queue: &Queue<'_>| {
        let mut worker = Worker::new(&trace.archive, copying);
        while let Some(location) = queue.take() {
            if !worker.location(location) {
                queue.stop();
            }
        }
        worker.outcome
    };
    let mut outcome = on_workers(share, copying.workers, work, Outcome::fold);
    if ranks.rank() == 0 {
        let mut worker = Worker::new(&trace.archive, copying);
        worker.globals();
        worker.undefined(trace);
        outcome = outcome.fold(worker.outcome);
    }
    fail_point("reduce", ranks.rank())?;
    if copying.strict {
        refuse(ranks, outcome.losses.first.first())?;
    }
    let outcome = ranks.reduce(0, outcome, Outcome::fold)?;
    let failure = outcome.as_ref().map(|outcome| outcome.failure.clone());
    match ranks.broadcast(0, failure)? {
        Some(failure) => Err(Stop::Together(failure)),
        None => Ok(outcome),
    }
}

/// Writes the anchor, which makes the files an archive. For rank 0, when all others are done.
///
/// # Errors
///
/// When it cannot be written, or read once more.
pub fn finish(archive: &Archive, to: &ArchiveWriter, reencode: bool) -> Result<(), Failure> {
    if reencode {
        return Ok(to.finish(archive.anchor())?);
    }
    match archive.copy_anchor(to)? {
        Some(Copy { damage: None, .. }) => Ok(()),
        Some(Copy { damage: Some(error), .. }) => Err(error.into()),
        None => {
            let text = format!("{}: it is gone", archive.anchor_path().display());
            Err(Failure::new(ExitCode::Io, text))
        }
    }
}

/// One after another, what is to be copied.
struct Worker<'a> {
    archive: &'a Archive,
    copying: Copying<'a>,
    /// Identifiers stay as they are.
    maps: Mappings,
    outcome: Outcome,
}

impl<'a> Worker<'a> {
    fn new(archive: &'a Archive, copying: Copying<'a>) -> Self {
        Worker { archive, copying, maps: Mappings::default(), outcome: Outcome::default() }
    }

    /// Copies the files of a location. `false`: there is no use in going on.
    fn location(&mut self, location: LocationRef) -> bool {
        // Who copies bytes does not read them.
        if self.copying.reencode {
            if let Err(error) = self.archive.read_local_definitions(location) {
                return self.without_events(location, &error);
            }
        }
        let snapshots = self.archive.anchor().number_of_snapshots > 0;
        let files = [
            (FileKind::LocalDefinitions(location), false),
            (FileKind::Events(location), true),
            (FileKind::Snapshots(location), snapshots),
        ];
        self.files(files)
    }

    /// Copies what is left of a location whose definitions do not say what its events are, or when.
    fn without_events(&mut self, location: LocationRef, error: &Error) -> bool {
        let kind = FileKind::LocalDefinitions(location);
        self.outcome.losses.push(location, error.to_string());
        let why = match error.kind {
            ErrorKind::ClockOffsets { .. } => "nobody can tell the times of its events",
            _ => "nobody knows what the events mean that need these definitions",
        };
        let text =
            format_args!("{why}: they are left out (`streamfold salvage` keeps what can be read)");
        self.outcome.lose(self.archive, kind, text);
        let written = self.definitions(kind, location).and_then(|()| {
            self.empty(FileKind::Events(location))?;
            match self.archive.anchor().number_of_snapshots {
                0 => Ok(()),
                _ => self.empty(FileKind::Snapshots(location)),
            }
        });
        self.goes_on(written)
    }

    /// Copies definitions of a location up to where they cannot be read, but for clock offsets that do not
    /// ascend: readers refuse all of an archive that has such.
    fn definitions(&mut self, kind: FileKind, location: LocationRef) -> Result<(), WriteError> {
        let left_out = clock_offsets_back(self.archive, location);
        let edit = |place| match left_out.contains(&place) {
            true => Instead::Nothing,
            false => Instead::Same,
        };
        if let Some((writer, _told)) =
            self.archive.edit_definitions(kind, self.copying.to, kind, edit)?
        {
            let (_, bytes) = writer.finish_with_length()?;
            self.outcome.written.add(&Written::file(bytes));
        }
        Ok(())
    }

    /// Writes a file without records.
    fn empty(&mut self, kind: FileKind) -> Result<(), WriteError> {
        let bytes = self.copying.to.empty(kind)?;
        self.outcome.written.add(&Written::file(bytes));
        Ok(())
    }

    /// Copies what belongs to no location.
    fn globals(&mut self) {
        let thumbnails = self.outcome.thumbnails(self.archive);
        let thumbnails = thumbnails.into_iter().map(|kind| (kind, true));
        let files = [(FileKind::GlobalDefinitions, true), (FileKind::Markers, false)];
        self.files(files.into_iter().chain(thumbnails));
    }

    /// Copies the files of locations that nobody defines. Some tools define them later.
    fn undefined(&mut self, trace: &Trace) {
        let is_defined = |location| trace.definitions.locations.contains_key(&location);
        match self.archive.undefined_locations(is_defined) {
            Ok(found) => {
                for location in found {
                    let kinds = [FileKind::LocalDefinitions, FileKind::Events, FileKind::Snapshots];
                    if !self.files(kinds.map(|kind| (kind(location), false))) {
                        return;
                    }
                }
            }
            Err(error) => self.outcome.losses.push(LocationRef::UNDEFINED, error.to_string()),
        }
    }

    /// Copies files, each with whether there has to be one. `false`: there is no use in going on.
    fn files(&mut self, files: impl IntoIterator<Item = (FileKind, bool)>) -> bool {
        let copied = files.into_iter().try_for_each(|(kind, needed)| self.file(kind, needed));
        self.goes_on(copied)
    }

    /// Whether there is any use in going on.
    fn goes_on(&mut self, copied: Result<(), WriteError>) -> bool {
        if let Err(error) = copied {
            self.outcome.failure.get_or_insert(error.into());
        }
        let refused = self.copying.strict && !self.outcome.losses.is_empty();
        self.outcome.failure.is_none() && !refused
    }

    fn file(&mut self, kind: FileKind, needed: bool) -> Result<(), WriteError> {
        let Copying { to, reencode, progress, .. } = self.copying;
        let copy = match reencode {
            true => self.archive.reencode(kind, to, kind, Changes::of(&self.maps))?,
            false => self.archive.copy(kind, to, kind)?,
        };
        self.outcome.take(self.archive, kind, copy, needed, progress);
        Ok(())
    }
}

/// The places in a file of definitions, from 0, of clock offsets that are not behind the ones before.
fn clock_offsets_back(archive: &Archive, location: LocationRef) -> BTreeSet<u64> {
    let (mut places, mut last) = (BTreeSet::new(), None);
    let Ok(Some(mut reader)) = archive.local_definitions(location) else { return places };
    for place in 0.. {
        match reader.next() {
            Ok(Some(Ok(Definition::ClockOffset(offset)))) if last >= Some(offset.time) => {
                places.insert(place);
            }
            Ok(Some(Ok(Definition::ClockOffset(offset)))) => last = Some(offset.time),
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => break,
        }
    }
    places
}
