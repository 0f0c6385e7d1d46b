//! The files of locations: mapping tables in place of what was defined there, and the rest as it was.

use std::cell::Cell;
use std::collections::BTreeMap;

use streamfold_model::definitions::{ClockOffset, Definition, MappingTable};
use streamfold_model::enums::MappingType;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::{IdMap, Ticks};

use super::clocks;
use super::inputs::{Input, Numbered};
use super::local::LocalFile;
use super::nowhere::Nowhere;
use super::recent::Recent;
use super::tables::{global_maps, maps_of, Changed, OfLocation, Renumbering, Tables};
use super::{Report, Unifying};
use crate::drive::{on_workers, Queue};
use crate::exit::Failure;
use crate::formats::otf2::{
    ArchiveWriter, Changes, Copy, FileKind, Instead, Mappings, Retime, WriteError,
};
use crate::report::human;
use crate::rewrite::times::nearest;
use crate::rewrite::Written;

/// Writes the files of locations, with all threads.
pub(super) fn write(
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
                nowhere: Nowhere::default(),
                report,
            };
            let written = writer.location(&mut recent);
            report = writer.report;
            if let Err(error) = written {
                report.outcome.failure = Some(Failure::from(error));
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
struct Writer<'a> {
    from: &'a Input,
    numbered: Numbered,
    unifying: &'a Unifying<'a>,
    renumbering: &'a Renumbering<'a>,
    /// Numbers that nobody defines, as they are met.
    nowhere: Nowhere,
    report: Report,
}

impl Writer<'_> {
    fn to(&self) -> &ArchiveWriter {
        self.unifying.to
    }

    fn location(&mut self, recent: &mut Recent) -> Result<(), WriteError> {
        let Numbered { input, location, now, .. } = self.numbered;
        let again;
        let (file, is_damaged) = match self.renumbering.kept(self.numbered) {
            Some(kept) => (kept.file, false),
            None => {
                let read = LocalFile::read(self.from, self.numbered, recent);
                let is_damaged = read.is_err();
                again = read.unwrap_or_default();
                (&again, is_damaged)
            }
        };
        // What cannot be read was told when it was read for the first time. It stays as it is, unless
        // that would say something else among others.
        let stays = is_damaged && self.changed().is_empty() && self.from.placed.is_same();
        let is_moved = !self.from.placed.times.is_identity();
        if (is_damaged && !stays) || (is_moved && !file.has_clock()) {
            return self.without_events();
        }
        let draws =
            !self.unifying.is_merged && self.from.archive.has(FileKind::Snapshots(location));
        let mut drawn = None;
        let maps = if stays {
            let copy = self.copy(FileKind::LocalDefinitions)?;
            self.take(FileKind::LocalDefinitions(location), copy, false);
            None
        } else {
            let tables = self.tables(file);
            // Who has unified nothing has numbers of its own there, too.
            drawn = (draws && file.is_ununified).then(|| maps_of(&tables.tables));
            self.definitions(file, tables)?
        };
        self.events(&maps.unwrap_or_default(), file)?;
        if self.renumbering.counts_events {
            // What cannot be read was told with the copy.
            let events = self.from.archive.announced_events(location).ok().flatten();
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

    /// Writes a location whose definitions do not say what its events mean.
    fn without_events(&mut self) -> Result<(), WriteError> {
        let Numbered { location, now, .. } = self.numbered;
        let kind = FileKind::LocalDefinitions(location);
        let text =
            "nobody knows what the events mean that need these definitions: they are left out";
        self.report.outcome.lose(&self.from.archive, kind, text);
        let bytes = self.to().empty(FileKind::Events(now))?;
        self.report.outcome.written.add(&Written::file(bytes));
        Ok(())
    }

    /// The tables of the location, with those that say nothing left out.
    fn tables(&mut self, file: &LocalFile) -> Tables {
        let Writer { from, numbered, renumbering, .. } = *self;
        let mut tables = OfLocation { numbered, source: from, renumbering }.tables(file);
        self.report.tables += tables.tables.len() as u64;
        self.report.identities += tables.identities;
        self.report.take(std::mem::take(&mut tables.findings));
        tables
    }

    /// Global numbers of its archive that have become others.
    fn changed(&self) -> &Changed {
        self.renumbering.changed(self.numbered.input)
    }

    /// Writes the definitions of a location. Returns its mapping tables where they are to be applied to
    /// the events, in place of being written.
    fn definitions(
        &mut self,
        file: &LocalFile,
        tables: Tables,
    ) -> Result<Option<Mappings>, WriteError> {
        let Tables { tables, same, meant, .. } = tables;
        let kind = FileKind::LocalDefinitions(self.numbered.location);
        if self.unifying.rewrite_events {
            if file.odd {
                let text = "records of kinds that are not known, or mapping tables that do not \
                            count, are left out";
                self.report.outcome.lose(&self.from.archive, kind, text);
            }
            self.plain_definitions(file, BTreeMap::new())?;
            let Renumbering { defined, ends, .. } = self.renumbering;
            let defined = defined.get(&self.numbered.input);
            let Some(defined) = defined.filter(|_| self.from.placed.run.is_some()) else {
                return Ok(Some(maps_of(&tables)));
            };
            let (maps, nowhere) = Nowhere::new(meant, defined, ends);
            self.nowhere = nowhere;
            return Ok(Some(maps));
        }
        if same && self.from.placed.times.is_identity() && file.exists {
            let copy = self.copy(FileKind::LocalDefinitions)?;
            self.take(kind, copy, false);
        } else if file.tables.is_empty() && !file.odd {
            self.plain_definitions(file, tables)?;
        } else {
            self.edited_definitions(file, tables)?;
        }
        Ok(None)
    }

    /// Writes mapping tables and clock offsets. All else has become global.
    fn plain_definitions(
        &mut self,
        file: &LocalFile,
        tables: BTreeMap<MappingType, IdMap>,
    ) -> Result<(), WriteError> {
        let clocks = self.clocks(file);
        if tables.is_empty() && clocks.is_empty() && !file.exists {
            return Ok(());
        }
        let mut writer = self.to().local_definitions(self.numbered.now);
        for (mapping_type, id_map) in tables {
            writer.write(&Definition::MappingTable(MappingTable { mapping_type, id_map }))?;
        }
        for offset in clocks {
            writer.write(&Definition::ClockOffset(offset))?;
        }
        let bytes = writer.finish_with_length()?.1;
        self.report.outcome.written.add(&Written::file(bytes));
        Ok(())
    }

    /// Copies a file with other mapping tables: the first of each kind in its place, new ones at the end.
    fn edited_definitions(
        &mut self,
        file: &LocalFile,
        mut tables: BTreeMap<MappingType, IdMap>,
    ) -> Result<(), WriteError> {
        let Numbered { location, now, .. } = self.numbered;
        let [kind, named] = [location, now].map(FileKind::LocalDefinitions);
        let moved = !self.from.placed.times.is_identity();
        let offsets = if moved { self.clocks(file) } else { Vec::new() };
        let places = &file.places;
        let edited = self.from.archive.edit_definitions(kind, self.to(), named, |place| {
            if (moved && file.clock_places.contains(&place)) || file.more_tables.contains(&place) {
                return Instead::Nothing;
            }
            let Some(mapping_type) = places.get(&place).copied() else { return Instead::Same };
            match tables.remove(&mapping_type) {
                Some(id_map) => {
                    let table = MappingTable { mapping_type, id_map };
                    Instead::Definitions(vec![Definition::MappingTable(table)])
                }
                None => Instead::Nothing,
            }
        })?;
        let mut writer = match edited {
            Some((writer, damage)) => {
                if let Some(damage) = damage {
                    let losses = &mut self.report.outcome.losses;
                    losses.push(now, damage.to_string());
                }
                writer
            }
            None => self.to().local_definitions(now),
        };
        for (mapping_type, id_map) in tables {
            writer.write(&Definition::MappingTable(MappingTable { mapping_type, id_map }))?;
        }
        if moved {
            for offset in offsets {
                writer.write(&Definition::ClockOffset(offset))?;
            }
        }
        let bytes = writer.finish_with_length()?.1;
        self.report.outcome.written.add(&Written::file(bytes));
        Ok(())
    }

    fn rewrites_times(&self) -> bool {
        self.unifying.rewrite_events && self.unifying.is_merged
    }

    /// The clock offsets that a location gets: none where its events are written with other times.
    fn clocks(&mut self, file: &LocalFile) -> Vec<ClockOffset> {
        match self.rewrites_times() {
            true => Vec::new(),
            false => {
                let location = self.numbered.location;
                clocks::offsets(self.from, location, &file.clocks, &mut self.report.outcome)
            }
        }
    }

    fn events(&mut self, maps: &Mappings, file: &LocalFile) -> Result<(), WriteError> {
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
        let copy = match self.unifying.rewrite_events || io_paradigms.is_some() {
            true => {
                let changes = Changes { maps, times, io_paradigms };
                self.from.archive.reencode(kind, self.to(), named, changes)?
            }
            false => self.copy(FileKind::Events)?,
        };
        if beyond.get() > 0 {
            let count = human::count(beyond.get());
            let text = "of its times do not fit into 64 bits: the nearest that do stand for them";
            let text = format!("{count} {text}");
            self.report.outcome.lose(&self.from.archive, kind, text);
        }
        let path = self.from.archive.path(kind);
        for text in self.nowhere.told() {
            self.report.warnings.push(now, format!("{}: {text}", path.display()));
        }
        // Readers refuse all of an archive where a location has no such file.
        if copy.is_none() {
            let bytes = self.to().empty(named)?;
            self.report.outcome.written.add(&Written::file(bytes));
        }
        self.take(kind, copy, true);
        Ok(())
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
    fn copy(&self, kind: fn(LocationRef) -> FileKind) -> Result<Option<Copy>, WriteError> {
        let [kind, named] = [self.numbered.location, self.numbered.now].map(kind);
        match self.unifying.link {
            true => self.from.archive.link(kind, self.to(), named),
            false => self.from.archive.copy(kind, self.to(), named),
        }
    }

    fn take(&mut self, kind: FileKind, copy: Option<Copy>, needed: bool) {
        let unknown = copy.as_ref().map_or(0, |copy| copy.copied.unknown);
        let outcome = &mut self.report.outcome;
        outcome.take(&self.from.archive, kind, copy, needed, self.unifying.progress);
        if unknown > 0 {
            // Only where they were written anew.
            let text = "records of kinds that are not known, which keep their numbers";
            outcome.lose(&self.from.archive, kind, format_args!("{unknown} {text}"));
        }
    }
}
