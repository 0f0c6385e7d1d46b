//! The files of locations: mapping tables in place of what was defined there, and the rest as it was.

use crate::write_failure;
use std::cell::Cell;
use std::collections::BTreeMap;

use streamfold_kernels::unify::tables::table;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::Ticks;

use super::tables::{global_maps, maps_of};
use crate::times::nearest;
use crate::unify::number::renumbering::Renumbering;
use crate::unify::number::undefined::{Meant, UndefinedReferences};
use crate::unify::read::beside::mapped;
use crate::unify::read::global_read::{now, Changed};
use crate::unify::read::inputs::{Input, Numbered};
use crate::unify::read::local::LocalFile;
use crate::unify::read::recent::Recent;
use crate::unify::{Report, Unifying};
use crate::{unknown_stay, Written};
use streamfold_drive::{on_workers, Queue};
use streamfold_otf2::{ArchiveWriter, Changes, Copy, FileKind, Mappings, Retime, WriteError};
use streamfold_text::human;

/// Writes the files of locations, with all threads.
pub(crate) fn write(
    inputs: &[Input],
    locations: &[Numbered],
    unifying: &Unifying<'_>,
    renumbering: &Renumbering<'_>,
) -> Report {
    let work = |queue: &Queue<'_, Numbered>| {
        let (mut report, mut recent) = (Report::default(), Recent::default());
        while let Some(numbered) = queue.take() {
            let from = &inputs[numbered.input as usize];
            let mut writer = Writer {
                from,
                numbered,
                unifying,
                renumbering,
                undefined_references: UndefinedReferences::default(),
                report,
            };
            let written = writer.location(&mut recent);
            report = writer.report;
            if let Err(error) = written {
                report.outcome.failure = Some(write_failure(error));
            }
            // There is no use in going on.
            let refused = unifying.strict && !report.outcome.losses.is_empty();
            if refused || report.outcome.failure.is_some() {
                queue.stop();
            }
        }
        report
    };
    on_workers(locations, unifying.workers, work, Report::fold)
}

/// Writes the files of one location.
pub(crate) struct Writer<'a> {
    pub from: &'a Input,
    pub numbered: Numbered,
    pub unifying: &'a Unifying<'a>,
    pub renumbering: &'a Renumbering<'a>,
    /// Numbers that nobody defines, as they are met.
    pub undefined_references: UndefinedReferences,
    pub report: Report,
}

impl Writer<'_> {
    pub(crate) fn to(&self) -> &ArchiveWriter {
        self.unifying.to
    }

    fn location(&mut self, recent: &mut Recent) -> Result<(), WriteError> {
        let Numbered { input, location, now, .. } = self.numbered;
        let again;
        let (file, is_damaged) = match self.renumbering.kept(self.numbered) {
            Some(kept) => (kept.file, false),
            None => {
                let before = self.renumbering.before();
                let read = LocalFile::read(self.from, self.numbered, before, recent);
                let is_damaged = read.is_err();
                again = read.unwrap_or_default();
                (&again, is_damaged)
            }
        };
        // Damage was reported when the file was read for the first time. Readers refuse all of an archive with such a
        // file.
        if is_damaged {
            return self.without_events(
                "nobody knows what the events mean that need these definitions: they are left out",
            );
        }
        if !file.has_clock() {
            return self.without_events("its events are left out, as nobody can tell their times");
        }
        let draws =
            !self.unifying.is_merged && self.from.archive.has(FileKind::Snapshots(location));
        let tables = self.tables(file);
        // Snapshots of a location that is not unified use its own numbers, too.
        let drawn = (draws && file.is_ununified).then(|| self.drawn(&tables.meant)).flatten();
        let maps = self.definitions(file, tables)?;
        let kept = self.events(&maps.unwrap_or_default(), file)?;
        if kept.is_some() || self.renumbering.counts_events {
            // An event file that cannot be read was reported with the copy.
            let announced = || self.from.archive.announced_events(location).ok().flatten();
            let events = kept.or_else(announced);
            self.report.events.extend(events.map(|events| ((input, now), events)));
        }
        match (self.unifying.is_merged, draws) {
            (true, _) => Ok(()),
            (false, true) => self.snapshots(drawn),
            (false, false) => {
                self.take_snapshots(None);
                Ok(())
            }
        }
    }

    /// Writes a location whose definitions do not say what, or when, its events are. `why` is told.
    fn without_events(&mut self, why: &str) -> Result<(), WriteError> {
        let Numbered { input, location, now, .. } = self.numbered;
        let kind = FileKind::LocalDefinitions(location);
        self.report.outcome.lacks_events = true;
        let text = format_args!("{why} (`streamfold salvage` keeps what can be read)");
        self.report.outcome.lose(&self.from.archive, kind, text);
        // The tools of the reference library want both files.
        for kind in [FileKind::LocalDefinitions(now), FileKind::Events(now)] {
            let bytes = self.to().empty(kind)?;
            self.report.outcome.written.add(&Written::file(bytes));
        }
        if self.renumbering.counts_events {
            self.report.events.insert((input, now), 0);
        }
        if !self.unifying.is_merged && self.from.archive.anchor().number_of_snapshots > 0 {
            let bytes = self.to().empty(FileKind::Snapshots(now))?;
            self.report.outcome.written.add(&Written::file(bytes));
            let kind = FileKind::Snapshots(location);
            self.report.outcome.lose(&self.from.archive, kind, "left out with the events");
        }
        Ok(())
    }

    /// Global numbers of its archive that have become others.
    fn changed(&self) -> &Changed {
        self.renumbering.changed(self.numbered.input)
    }

    /// Writes the events. Returns how many these are where the rest could not be read, and is not there any more.
    fn events(&mut self, maps: &Mappings, file: &LocalFile) -> Result<Option<u64>, WriteError> {
        let Numbered { location, now, .. } = self.numbered;
        let [kind, named] = [location, now].map(FileKind::Events);
        let beyond = Cell::new(0_u64);
        let retimed = |time: Ticks| {
            let now = self.from.placed.times.recorded(&file.clocks, time.0);
            beyond.set(beyond.get() + u64::from(now.is_err()));
            Ticks(nearest(now))
        };
        let times: Option<&Retime<'_>> = if self.rewrites_times() { Some(&retimed) } else { None };
        // There are no mapping tables for them.
        let io_paradigms = self.changed().get(&ReferenceKind::IoParadigm);
        let rewrites = self.unifying.rewrite_events || io_paradigms.is_some();
        let copy = match rewrites {
            true => {
                let changes = Changes { maps, times, io_paradigms };
                self.from.archive.reencode(kind, self.to(), named, changes)?
            }
            false => self.copy(FileKind::Events)?,
        };
        if beyond.get() > 0 {
            let times = ["of its times does not", "of its times do not"];
            let times = human::counted(beyond.get(), times);
            let text = format!("{times} fit into 64 bits: the nearest that do stand for them");
            self.report.outcome.lose(&self.from.archive, kind, text);
        }
        let path = self.from.archive.path(kind);
        for text in self.undefined_references.told() {
            self.report.warnings.push(now, format!("{}: {text}", path.display()));
        }
        // Readers refuse all of an archive where a location has no such file.
        if copy.is_none() {
            let bytes = self.to().empty(named)?;
            self.report.outcome.written.add(&Written::file(bytes));
        }
        let damaged = copy.as_ref().filter(|copy| rewrites && copy.damage.is_some());
        let kept = damaged.map(|copy| copy.copied.records);
        self.take(kind, copy, true);
        Ok(kept)
    }

    /// Returns the new numbers in snapshots of a location that is not unified, if they change. These numbers are
    /// global, except for those that only the location defines. `meant`: the new numbers in events.
    fn drawn(&self, meant: &Meant) -> Option<Mappings> {
        let (input, changed) = (self.numbered.input, self.changed());
        let defined = self.renumbering.defined.get(&input)?;
        let tables = mapped().filter_map(|(mapping, kind)| {
            let becomes = |&(number, own): &(u64, u64)| match defined.has(kind, number) {
                true => (number, now(changed, kind, number).unwrap_or(number)),
                false => (number, own),
            };
            let numbers: Vec<(u64, u64)> = meant.get(&mapping)?.iter().map(becomes).collect();
            Some((mapping, table(&numbers)?))
        });
        let tables: BTreeMap<_, _> = tables.collect();
        (!tables.is_empty()).then(|| maps_of(&tables))
    }

    /// Numbers in snapshots are global, unless nobody has unified anything.
    fn snapshots(&mut self, own: Option<Mappings>) -> Result<(), WriteError> {
        let Numbered { location, now, .. } = self.numbered;
        let [kind, named] = [location, now].map(FileKind::Snapshots);
        let changed = self.changed();
        let maps = own.or_else(|| (!changed.is_empty()).then(|| global_maps(changed)));
        let copy = match maps {
            None => self.copy(FileKind::Snapshots)?,
            Some(maps) => self.from.archive.reencode(kind, self.to(), named, Changes::of(&maps))?,
        };
        self.take_snapshots(copy);
        Ok(())
    }

    fn take_snapshots(&mut self, copy: Option<Copy>) {
        let needed = self.from.archive.anchor().number_of_snapshots > 0;
        self.take(FileKind::Snapshots(self.numbered.location), copy, needed);
    }

    /// Copies a file of the location.
    pub(crate) fn copy(
        &mut self,
        kind: fn(LocationRef) -> FileKind,
    ) -> Result<Option<Copy>, WriteError> {
        let [kind, named] = [self.numbered.location, self.numbered.now].map(kind);
        if !self.unifying.link {
            return self.from.archive.copy(kind, self.to(), named);
        }
        let linked = self.from.archive.link(kind, self.to(), named)?;
        self.report.links.take(linked.as_ref().map(|linked| &linked.name));
        Ok(linked.map(|linked| linked.copy))
    }

    pub(crate) fn take(&mut self, kind: FileKind, copy: Option<Copy>, needed: bool) {
        let unknown = copy.as_ref().map_or(0, |copy| copy.copied.unknown);
        let outcome = &mut self.report.outcome;
        outcome.take(&self.from.archive, kind, copy, needed, self.unifying.progress);
        if unknown > 0 {
            // Only where they were written anew.
            outcome.lose(&self.from.archive, kind, unknown_stay(unknown));
        }
    }
}
