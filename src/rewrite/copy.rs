//! A trace once more: its files as they are, or every record decoded and encoded again.

use crate::write_failure;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use streamfold_formats::Loss;

use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;

use super::Outcome;
use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_drive::select::Plan;
use streamfold_drive::{on_workers, refuse, Progress, Queue, Trace};
use streamfold_otf2::{
    Archive, ArchiveWriter, Changes, Copied, Copy, ErrorKind, FileKind, Instead, Mappings,
    WriteError,
};
use streamfold_system::exit::{ExitCode, Failure, Stop};

/// How to copy.
#[derive(Clone, Copy, Debug)]
pub struct Copying<'a> {
    /// Output archive.
    pub to: &'a ArchiveWriter,
    /// True if every record is decoded and encoded again.
    pub reencode: bool,
    /// True if the first loss is a failure.
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
        let mut worker = Worker::new(trace.source.otf2(), copying);
        while let Some(location) = queue.take() {
            let goes_on = worker.location(location);
            worker.meaning(location);
            if !goes_on {
                queue.stop();
            }
        }
        (worker.outcome, worker.kept)
    };
    let fold = |one: (Outcome, Kept), other: (Outcome, Kept)| {
        (one.0.fold(other.0), one.1.into_iter().chain(other.1).collect())
    };
    let (mut outcome, kept) = on_workers(share, copying.workers, work, fold);
    let kept = ranks.reduce(0, kept, |one, other| one.into_iter().chain(other).collect())?;
    if let Some(kept) = kept {
        let mut worker = Worker { kept, ..Worker::new(trace.source.otf2(), copying) };
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
        return to.finish(archive.anchor()).map_err(write_failure);
    }
    match archive.copy_anchor(to).map_err(write_failure)? {
        Some(Copy { damage: None, .. }) => Ok(()),
        Some(Copy { damage: Some(error), .. }) => Err(Loss::from(error).into()),
        None => {
            let text = format!("{}: it is gone", archive.anchor_path().display());
            Err(Failure::new(ExitCode::Io, text))
        }
    }
}

/// How many events of locations are left whose files end before their end.
type Kept = BTreeMap<LocationRef, u64>;

/// One after another, what is to be copied.
struct Worker<'a> {
    archive: &'a Archive,
    copying: Copying<'a>,
    /// Identifiers stay as they are.
    maps: Mappings,
    outcome: Outcome,
    kept: Kept,
}

impl<'a> Worker<'a> {
    fn new(archive: &'a Archive, copying: Copying<'a>) -> Self {
        let (maps, outcome) = (Mappings::default(), Outcome::default());
        Worker { archive, copying, maps, outcome, kept: Kept::new() }
    }

    /// Copies the files of a location. `false`: there is no use in going on.
    fn location(&mut self, location: LocationRef) -> bool {
        let snapshots = self.archive.anchor().number_of_snapshots > 0;
        let files = [
            (FileKind::LocalDefinitions(location), false),
            (FileKind::Events(location), true),
            (FileKind::Snapshots(location), snapshots),
        ];
        self.files(files)
    }

    /// Reports local definitions that leave the events of a location, or their times, unclear. A copy of bytes does not
    /// read them.
    fn meaning(&mut self, location: LocationRef) {
        if !self.copying.reencode {
            return;
        }
        let Err(error) = self.archive.read_local_definitions(location) else { return };
        match error.kind {
            ErrorKind::ClockOffsets { .. } => {
                let text = format!("{error}; nobody can tell the times of its events");
                self.outcome.losses.push(location, text);
            }
            // The damage was told when the file was copied.
            _ => {
                let text =
                    "without the rest of these definitions its events may mean something else";
                self.outcome.lose(self.archive, FileKind::LocalDefinitions(location), text);
            }
        }
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
        if let Err(error) = copied {
            self.outcome.failure.get_or_insert(write_failure(error));
        }
        let refused = self.copying.strict && !self.outcome.losses.is_empty();
        self.outcome.failure.is_none() && !refused
    }

    fn file(&mut self, kind: FileKind, needed: bool) -> Result<(), WriteError> {
        let Copying { to, reencode, progress, .. } = self.copying;
        let copy = match reencode {
            true if kind == FileKind::GlobalDefinitions && !self.kept.is_empty() => {
                self.counted_definitions()?
            }
            true => self.archive.reencode(kind, to, kind, Changes::of(&self.maps))?,
            false => self.archive.copy(kind, to, kind)?,
        };
        let kept = copy.as_ref().filter(|copy| reencode && copy.damage.is_some());
        if let (FileKind::Events(location), Some(copy)) = (kind, kept) {
            self.kept.insert(location, copy.copied.records);
        }
        self.outcome.take(self.archive, kind, copy, needed, progress);
        Ok(())
    }

    /// Copies the global definitions, where locations have fewer events than these say.
    fn counted_definitions(&self) -> Result<Option<Copy>, WriteError> {
        let kind = FileKind::GlobalDefinitions;
        // Read once more beside the copy. A record that cannot be read ends the copy, too.
        let mut reader = self.archive.global_definitions().ok();
        let mut unknown = 0;
        let edit = |_| {
            let definition = reader.as_mut().and_then(|reader| reader.next().ok().flatten());
            unknown += u64::from(matches!(definition, Some(Err(_))));
            let Some(Ok(Definition::Location(mut location))) = definition else {
                return Instead::Same;
            };
            match self.kept.get(&location.id) {
                Some(events) if *events != location.number_of_events => {
                    location.number_of_events = *events;
                    Instead::Definitions(vec![Definition::Location(location)])
                }
                _ => Instead::Same,
            }
        };
        let edited = self.archive.edit_definitions(kind, self.copying.to, kind, edit)?;
        let Some((writer, damage)) = edited else { return Ok(None) };
        let (records, bytes) = writer.finish_with_length()?;
        Ok(Some(Copy::anew(Copied { records, unknown, bytes }, damage)))
    }
}
