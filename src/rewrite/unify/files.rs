//! The files of locations: mapping tables in place of what was defined there, and the rest as it was.

use std::collections::BTreeMap;

use streamfold_kernels::unify::tables::{entries, table};
use streamfold_kernels::unify::{Global, Key, Known, Scope, Seed};
use streamfold_model::definitions::{ClockOffset, Definition, MappingTable};
use streamfold_model::enums::MappingType;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::{IdMap, Ticks};

use super::inputs::{Input, Numbered};
use super::keys::{AllGlobals, Globals};
use super::local::{mapped, LocalFile};
use super::pool::Map;
use super::waiting::WaitingLocation;
use super::{Report, Unifying};
use crate::drive::{on_workers, Queue};
use crate::exit::Failure;
use crate::formats::otf2::{
    ArchiveWriter, Changes, Copy, FileKind, Instead, Mappings, Retime, WriteError,
};
use crate::rewrite::Written;

/// Global numbers that have become others, by kind.
pub(super) type Changed = BTreeMap<ReferenceKind, BTreeMap<u64, u64>>;

/// Everything that says what numbers become.
pub(super) struct Renumbering<'a> {
    pub seed: Seed,
    /// Of what locations define.
    pub numbers: &'a Map<Key, u64>,
    /// Global definitions to which those of locations lead.
    pub globals: &'a AllGlobals,
    /// By their order among all.
    pub waiting: Map<u64, &'a WaitingLocation>,
    /// Of each archive.
    pub changed: &'a BTreeMap<u32, Changed>,
    /// Whether to look how many events there are.
    pub counts_events: bool,
}

/// What is known from outside of the file of a location, once all is known.
struct Around<'a> {
    globals: &'a Globals,
    waiting: Option<&'a WaitingLocation>,
}

impl Known for Around<'_> {
    fn global(&self, kind: ReferenceKind, number: u64) -> Global {
        self.globals.get(&(kind, number)).copied().unwrap_or(Global::Unasked)
    }

    fn waited(&self, place: usize) -> Option<Key> {
        self.waiting.and_then(|waiting| waiting.keys.get(&place).copied())
    }
}

/// Writes the files of locations, with all threads.
pub(super) fn write(
    inputs: &[Input],
    locations: &[Numbered],
    unifying: &Unifying<'_>,
    renumbering: &Renumbering<'_>,
) -> Report {
    let none = Changed::new();
    let work = |queue: &Queue<'_, Numbered>| {
        let mut report = Report::default();
        while let Some(numbered) = queue.take() {
            let from = &inputs[numbered.input as usize];
            let changed = renumbering.changed.get(&numbered.input).unwrap_or(&none);
            let mut writer = Writer { from, numbered, changed, unifying, renumbering, report };
            let written = writer.location();
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
    changed: &'a Changed,
    unifying: &'a Unifying<'a>,
    renumbering: &'a Renumbering<'a>,
    report: Report,
}

/// The mapping tables that a location gets.
struct Tables {
    tables: BTreeMap<MappingType, IdMap>,
    /// Whether they are what the file has already.
    same: bool,
}

impl Writer<'_> {
    fn to(&self) -> &ArchiveWriter {
        self.unifying.to
    }

    fn location(&mut self) -> Result<(), WriteError> {
        let Numbered { input, location, now, .. } = self.numbered;
        let read = LocalFile::read(self.from, location);
        // What cannot be read was told when it was read for the first time. It stays as it is, unless
        // that would say something else among others.
        let is_damaged = read.is_err();
        let kept = is_damaged && self.changed.is_empty() && self.from.placed.is_same();
        let file = read.unwrap_or_default();
        let mut drawn = None;
        let maps = if kept {
            let copy = self.copy(FileKind::LocalDefinitions)?;
            self.take(FileKind::LocalDefinitions(location), copy, false);
            None
        } else {
            let tables = self.tables(&file);
            // Who has unified nothing has numbers of its own there, too.
            drawn = (!file.ununified().is_empty()).then(|| maps_of(&tables.tables));
            self.definitions(&file, tables)?
        };
        self.events(&maps.unwrap_or_default(), &file)?;
        if self.renumbering.counts_events {
            // What cannot be read was told with the copy.
            let events = self.from.archive.announced_events(location).ok().flatten();
            self.report.events.extend(events.map(|events| ((input, now), events)));
        }
        match self.unifying.keeps_others {
            true => self.snapshots(drawn),
            false => Ok(()),
        }
    }

    /// The tables of a location, with those that say nothing left out.
    fn tables(&mut self, file: &LocalFile) -> Tables {
        if file.tables.is_empty() {
            return self.new_tables(file);
        }
        let mut tables = file.tables.clone();
        for (mapping, kind) in mapped() {
            let old = file.tables.get(&mapping);
            let Some(numbers) = self.composed(kind, old) else { continue };
            match table(&numbers) {
                Some(table) => tables.insert(mapping, table),
                None => tables.remove(&mapping),
            };
        }
        let same = tables == file.tables;
        self.report.tables += tables.len() as u64;
        Tables { tables, same }
    }

    /// What numbers of a kind become, where a table says what they were before; `None`: nothing changes.
    fn composed(&self, kind: ReferenceKind, old: Option<&IdMap>) -> Option<BTreeMap<u64, u64>> {
        let changed = self.changed.get(&kind);
        // Locations have others in a few tables only, where values lead to them.
        let renamed = (kind == ReferenceKind::Location && old.is_some())
            .then_some(self.from.placed.locations.as_deref())
            .flatten();
        if changed.is_none() && renamed.is_none() {
            return None;
        }
        let now = |global: u64| {
            let now = changed.and_then(|changed| changed.get(&global).copied());
            now.or_else(|| renamed?.now(global)).unwrap_or(global)
        };
        let mut numbers = changed.cloned().unwrap_or_default();
        let old = old.map(entries).unwrap_or_default();
        numbers.extend(old.into_iter().map(|(local, global)| (local, now(global))));
        Some(numbers)
    }

    fn new_tables(&mut self, file: &LocalFile) -> Tables {
        let Renumbering { numbers, globals, waiting, seed, .. } = self.renumbering;
        let Numbered { ordinal, input, .. } = self.numbered;
        let scope = Scope::new(&file.records);
        let waiting = waiting.get(&ordinal).copied();
        let around = Around { globals: globals.of(input), waiting };
        let resolved = scope.resolve(*seed, &around, |_, _, _| {});
        let mut by_kind: BTreeMap<ReferenceKind, BTreeMap<u64, u64>> = self.changed.clone();
        for (kind, number, place) in scope.numbers() {
            let now = resolved.keys[place].and_then(|key| numbers.get(&key));
            by_kind.entry(kind).or_default().insert(number, now.copied().unwrap_or(number));
        }
        if file.has_location_values {
            let renamed = self.from.placed.renamed();
            by_kind.entry(ReferenceKind::Location).or_default().extend(renamed);
        }
        let mut tables = BTreeMap::new();
        for (mapping, kind) in mapped() {
            let Some(numbers) = by_kind.get(&kind) else { continue };
            match table(numbers) {
                Some(table) => drop(tables.insert(mapping, table)),
                None => self.report.identities += 1,
            }
        }
        self.report.tables += tables.len() as u64;
        let same = tables.is_empty() && file.counts.0.is_empty();
        Tables { tables, same }
    }

    /// Writes the definitions of a location. Returns its mapping tables where they are to be applied to
    /// the events, in place of being written.
    fn definitions(
        &mut self,
        file: &LocalFile,
        tables: Tables,
    ) -> Result<Option<Mappings>, WriteError> {
        let Tables { tables, same } = tables;
        let kind = FileKind::LocalDefinitions(self.numbered.location);
        if self.unifying.rewrite_events {
            if file.odd {
                let text = "records of kinds that are not known, or mapping tables that do not \
                            count, are left out";
                self.report.outcome.lose(&self.from.archive, kind, text);
            }
            let maps = maps_of(&tables);
            self.plain_definitions(file, BTreeMap::new())?;
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
        self.report.outcome.written.add(&Written { files: 1, bytes, ..Written::default() });
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
        let places = &file.places;
        let edited = self.from.archive.edit_definitions(kind, self.to(), named, |place| {
            if moved && file.clock_places.contains(&place) {
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
            for offset in self.from.placed.times.offsets(&file.clocks) {
                writer.write(&Definition::ClockOffset(offset))?;
            }
        }
        let bytes = writer.finish_with_length()?.1;
        self.report.outcome.written.add(&Written { files: 1, bytes, ..Written::default() });
        Ok(())
    }

    /// The clock offsets that a location gets: none where its events are written with other times.
    fn clocks(&self, file: &LocalFile) -> Vec<ClockOffset> {
        match self.unifying.rewrite_times {
            true => Vec::new(),
            false => self.from.placed.times.offsets(&file.clocks),
        }
    }

    fn events(&mut self, maps: &Mappings, file: &LocalFile) -> Result<(), WriteError> {
        let Numbered { location, now, .. } = self.numbered;
        let [kind, named] = [location, now].map(FileKind::Events);
        let retimed = |time: Ticks| Ticks(self.from.placed.times.recorded(&file.clocks, time.0));
        let times: Option<&Retime<'_>> =
            if self.unifying.rewrite_times { Some(&retimed) } else { None };
        let copy = match self.unifying.rewrite_events {
            true => self.from.archive.reencode(kind, self.to(), named, Changes { maps, times })?,
            false => self.copy(FileKind::Events)?,
        };
        self.take(kind, copy, true);
        Ok(())
    }

    /// Numbers in snapshots are global, unless nobody has unified anything.
    fn snapshots(&mut self, own: Option<Mappings>) -> Result<(), WriteError> {
        let Numbered { location, now, .. } = self.numbered;
        let [kind, named] = [location, now].map(FileKind::Snapshots);
        let changed = self.changed;
        let maps = own.or_else(|| (!changed.is_empty()).then(|| global_maps(changed)));
        let copy = match maps {
            None => self.copy(FileKind::Snapshots)?,
            Some(maps) => self.from.archive.reencode(kind, self.to(), named, Changes::of(&maps))?,
        };
        let needed = self.from.archive.anchor().number_of_snapshots > 0;
        self.take(kind, copy, needed);
        Ok(())
    }

    /// Copies a file of the location as it is, unless chunks have another size now.
    fn copy(&self, kind: fn(LocationRef) -> FileKind) -> Result<Option<Copy>, WriteError> {
        let [kind, named] = [self.numbered.location, self.numbered.now].map(kind);
        if !self.from.archive.has_chunks_of(kind, self.to()) {
            let same = Mappings::default();
            return self.from.archive.reencode(kind, self.to(), named, Changes::of(&same));
        }
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

/// What global numbers become, as mapping tables.
fn global_maps(changed: &Changed) -> Mappings {
    let tables = mapped().filter_map(|(mapping, kind)| {
        let map = changed.get(&kind).and_then(table)?;
        Some((mapping, map))
    });
    maps_of(&tables.collect())
}

/// Tables as they are applied.
fn maps_of(tables: &BTreeMap<MappingType, IdMap>) -> Mappings {
    let mut maps = Mappings::default();
    for (kind, map) in tables {
        // There is one of each kind.
        let _: Result<(), &str> = maps.insert(*kind, map.clone());
    }
    maps
}
