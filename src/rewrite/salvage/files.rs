//! The files of locations, on all ranks.

use crate::write_failure;
use serde::{Deserialize, Serialize};
use streamfold_formats::Loss;
use streamfold_kernels::salvage::{Defined, Facts, RankLists, Scan};
use streamfold_model::ids::LocationRef;

use super::complete::Snapshots;
use super::events::{scan, Reading, Scanned};
use super::local::{with_tables, Local, NewTables, Source};
use super::locals::Locals;
use super::{Decided, Salvaging};
use crate::{Outcome, Written};
use streamfold_drive::Queue;
use streamfold_otf2::{
    recover, Anchor, Archive, ArchiveWriter, ChunkScan, Copied, Error, FileKind, WriteError,
};
use streamfold_system::exit::Failure;

/// Result of some locations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Output and losses.
    pub outcome: Outcome,
    /// Facts that their events show.
    pub facts: Facts,
    /// Locations of which something is lost.
    pub cut: u64,
    /// Locations that nothing can be read of.
    pub empty: u64,
    /// Leaves that were added.
    pub closed: u64,
    /// Locations whose numbers and times are read as those of the donor.
    pub as_donor: u64,
    /// Locations that define something for themselves.
    pub ununified: u64,
    /// Contents of the local definitions, in short.
    pub locals: Locals,
    /// True if some snapshots are not whole.
    pub snapshots_lost: bool,
    /// True if any file had to be written anew.
    pub changed: bool,
}

impl Found {
    /// With that of others.
    pub fn fold(mut self, other: Found) -> Found {
        self.outcome = self.outcome.fold(other.outcome);
        self.facts = self.facts.fold(other.facts);
        self.cut += other.cut;
        self.empty += other.empty;
        self.closed += other.closed;
        self.as_donor += other.as_donor;
        self.ununified += other.ununified;
        self.locals = self.locals.fold(other.locals);
        self.snapshots_lost |= other.snapshots_lost;
        self.changed |= other.changed;
        self
    }
}

/// Files of one archive, and what is known of it.
pub(super) struct Files<'a> {
    /// The archive.
    pub archive: &'a Archive,
    /// Source of mapping tables and clock offsets that are missing.
    pub donor: Option<&'a Archive>,
    /// New archive, for reading.
    pub written: &'a Archive,
    /// Definitions that exist.
    pub known: &'a Defined,
    /// By what groups name ranks.
    pub rank_lists: &'a RankLists,
    /// True if the anchor is assumed.
    pub assumed: bool,
    /// How to salvage.
    pub salvaging: Salvaging<'a>,
}

impl Files<'_> {
    /// Reads and writes the events of locations, one after another.
    pub(super) fn events(&self, queue: &Queue<'_>) -> Found {
        let mut found = Found::default();
        while let Some(location) = queue.take() {
            let done = self.location(location, &mut found);
            if let Err(error) = done {
                found.outcome.failure.get_or_insert(write_failure(error));
            }
            let refused = self.salvaging.strict && !found.outcome.losses.is_empty();
            if refused || found.outcome.failure.is_some() || found.facts.is_full() {
                queue.stop();
            }
        }
        found
    }

    fn location(&self, location: LocationRef, found: &mut Found) -> Result<(), WriteError> {
        let mut local = Local::read(self.archive, self.donor, location);
        local.check_groups(self.archive, location, self.rank_lists);
        let sized = self.sized(location);
        let archive = sized.as_ref().unwrap_or(self.archive);
        let reading = Reading { known: self.known, progress: self.salvaging.progress };
        let mut scanned = scan(archive, location, &local, &reading);
        let copied = scanned.write(archive, self.salvaging.to, location)?;
        found.changed |=
            !scanned.whole || local.source == Source::Donor || !local.losses.is_empty();
        if copied.records != scanned.events {
            let (read, written) = (scanned.events, copied.records);
            let text = format!("location {location}: of {read} events only {written} are kept");
            found.outcome.losses.push(location, text);
            scanned.keep(written, location);
        }
        found.outcome.written.add(&Written {
            files: 1,
            events: scanned.events,
            unknown: copied.unknown,
            bytes: copied.bytes,
        });
        if self.salvaging.close_visits {
            let closed = scanned.close(self.written, self.salvaging.to, location)?;
            found.closed += closed;
            found.outcome.written.events += closed;
        }
        self.lead_on(location, &local, &mut scanned, found);
        found.take(location, local, scanned);
        Ok(())
    }

    /// The archive with the chunk size that a file has, where that is not the one of others.
    fn sized(&self, location: LocationRef) -> Option<Archive> {
        let (path, anchor) = (self.archive.path(FileKind::Events(location)), self.archive.anchor());
        let fits = recover::chunk_may_begin(&path, anchor.event_chunk_size).unwrap_or(true);
        if !self.assumed || fits {
            return None;
        }
        // The largest that may be: the file does not tell of a second one.
        let size = recover::event_chunk_size(&path).ok().flatten().unwrap_or(16 << 20);
        let anchor = Anchor { event_chunk_size: size, ..anchor.clone() };
        Archive::with_anchor(self.archive.anchor_path(), anchor, self.archive.options()).ok()
    }

    /// Follows the references of mapping tables and snapshots.
    fn lead_on(
        &self,
        location: LocationRef,
        local: &Local,
        scanned: &mut Scanned,
        found: &mut Found,
    ) {
        let whole = scanned.loss.is_none();
        let mut scan = Scan::new(self.known, &local.own, &mut scanned.facts);
        for (kind, number) in &local.targets {
            scan.reference(*kind, *number);
        }
        if self.archive.anchor().number_of_snapshots > 0 {
            let read = whole && snapshots(self.archive, location, &mut scan).unwrap_or(false);
            found.snapshots_lost |= !read;
        }
    }

    /// Writes what else locations have, once all is known.
    pub(super) fn others(&self, queue: &Queue<'_>, decided: &Decided) -> Outcome {
        let mut outcome = Outcome::default();
        while let Some(location) = queue.take() {
            if let Err(error) = self.other(location, decided, &mut outcome) {
                outcome.failure.get_or_insert(error);
                queue.stop();
            }
        }
        outcome
    }

    fn other(
        &self,
        location: LocationRef,
        decided: &Decided,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        let to = self.salvaging.to;
        let local = Local::read(self.archive, self.donor, location);
        let from = match local.source {
            Source::Nobody => None,
            Source::Own => Some(self.archive),
            Source::Donor => self.donor,
        };
        let tables = match decided.renumbered.is_empty() {
            true => NewTables::default(),
            false => NewTables::new(self.written, from, location, &local, &decided.renumbered)
                .map_err(Loss::from)?,
        };
        let copied = match from {
            Some(from) => local
                .write(from, to, location, decided.donor_clocks, tables)
                .map_err(write_failure)?,
            None if tables.is_empty() => None,
            None => Some(
                with_tables(to.local_definitions(location), tables.more).map_err(write_failure)?,
            ),
        };
        let copied = match copied {
            None if decided.all_files => Some(no_definitions(to, location).map_err(write_failure)?),
            copied => copied,
        };
        let snapshots = match decided.snapshots {
            true => {
                let kind = FileKind::Snapshots(location);
                self.archive.copy(kind, to, kind).map_err(write_failure)?
            }
            false => None,
        };
        for Copied { bytes, .. } in copied.into_iter().chain(snapshots.map(|copy| copy.copied)) {
            outcome.written.add(&Written::file(bytes));
        }
        Ok(())
    }
}

/// Writes a file of definitions without any: tools of the reference library complain where there is
/// none.
///
/// # Errors
///
/// When it cannot be written.
pub(super) fn no_definitions(
    to: &ArchiveWriter,
    location: LocationRef,
) -> Result<Copied, WriteError> {
    let (records, bytes) = to.local_definitions(location).finish_with_length()?;
    Ok(Copied { records, unknown: 0, bytes })
}

/// Reads the snapshots of a location. Returns whether all of them are there, as a whole.
fn snapshots(archive: &Archive, location: LocationRef, scan: &mut Scan<'_>) -> Result<bool, Error> {
    let mut reader = archive.snapshots(location)?;
    let (mut all, mut chunks) = (Snapshots::default(), ChunkScan::new(reader.chunk()));
    let (mut records, mut is_numbered) = (0, true);
    loop {
        let is_more = reader.peek()?.is_some();
        chunks.at(reader.chunk(), records, |_, _| is_numbered = false);
        if !is_more {
            break;
        }
        reader.deliver(&mut |head, snapshot| {
            records = head.number;
            match snapshot {
                Ok(snapshot) => {
                    all.take(&snapshot);
                    scan.snapshot(&snapshot);
                }
                Err(_) => all.take_unknown(),
            }
        })?;
    }
    chunks.end(records, |_, _| is_numbered = false);
    Ok(is_numbered && all.end())
}

impl Found {
    /// Takes in what was found of a location.
    fn take(&mut self, location: LocationRef, local: Local, scanned: Scanned) {
        let Scanned { facts, events, loss, .. } = scanned;
        self.as_donor += u64::from(local.source == Source::Donor);
        self.ununified += u64::from(local.definitions > 0);
        self.locals.take(location, &local, events);
        self.cut += u64::from(loss.is_some());
        self.empty += u64::from(loss.is_some() && events == 0);
        for loss in local.losses.into_iter().chain(loss) {
            self.outcome.losses.push(location, loss);
        }
        self.facts = std::mem::take(&mut self.facts).fold(facts);
    }
}
