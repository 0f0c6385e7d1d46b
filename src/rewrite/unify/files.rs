//! The files of locations: mapping tables in place of what was defined there, and the rest as it was.

use std::collections::BTreeMap;

use streamfold_kernels::unify::tables::{entries, table};
use streamfold_kernels::unify::{Global, Key, Known, Scope, Seed};
use streamfold_model::definitions::{Definition, MappingTable};
use streamfold_model::enums::MappingType;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::IdMap;

use super::keys::Numbered;
use super::local::{mapped, LocalFile};
use super::pool::Map;
use super::waiting::WaitingLocation;
use super::{Report, Unifying};
use crate::drive::{on_workers, Queue};
use crate::exit::Failure;
use crate::formats::otf2::{Archive, ArchiveWriter, Copy, FileKind, Instead, Mappings, WriteError};
use crate::rewrite::Written;

/// Global numbers that have become others, by kind.
pub(super) type Changed = BTreeMap<ReferenceKind, BTreeMap<u64, u64>>;

/// Everything that says what numbers become.
pub(super) struct Renumbering<'a> {
    pub seed: Seed,
    /// Of what locations define.
    pub numbers: &'a Map<Key, u64>,
    /// Global definitions to which those of locations lead.
    pub globals: &'a Map<(ReferenceKind, u64), Global>,
    pub waiting: Map<LocationRef, &'a WaitingLocation>,
    pub changed: &'a Changed,
    /// Whether to look how many events there are.
    pub counts_events: bool,
}

/// What is known from outside of the file of a location, once all is known.
struct Around<'a> {
    renumbering: &'a Renumbering<'a>,
    waiting: Option<&'a WaitingLocation>,
}

impl Known for Around<'_> {
    fn global(&self, kind: ReferenceKind, number: u64) -> Global {
        self.renumbering.globals.get(&(kind, number)).copied().unwrap_or(Global::Unasked)
    }

    fn waited(&self, place: usize) -> Option<Key> {
        self.waiting.and_then(|waiting| waiting.keys.get(&place).copied())
    }
}

/// Writes the files of locations, with all threads.
pub(super) fn write(
    archive: &Archive,
    locations: &[Numbered],
    unifying: &Unifying<'_>,
    renumbering: &Renumbering<'_>,
) -> Report {
    let work = |queue: &Queue<'_, Numbered>| {
        let mut writer = Writer { archive, unifying, renumbering, report: Report::default() };
        while let Some((_, location)) = queue.take() {
            if let Err(error) = writer.location(location) {
                writer.report.outcome.failure = Some(Failure::from(error));
            }
            if writer.is_done() {
                queue.stop();
            }
        }
        writer.report
    };
    on_workers(locations, unifying.workers, work, Report::fold)
}

struct Writer<'a> {
    archive: &'a Archive,
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

    /// There is no use in going on.
    fn is_done(&self) -> bool {
        let outcome = &self.report.outcome;
        outcome.failure.is_some() || (self.unifying.strict && !outcome.losses.is_empty())
    }

    fn location(&mut self, location: LocationRef) -> Result<(), WriteError> {
        // What cannot be read was told when it was read for the first time.
        let file = LocalFile::read(self.archive, location);
        let definitions = FileKind::LocalDefinitions(location);
        let mut drawn = None;
        let maps = match file {
            Ok(file) => {
                let tables = self.tables(location, &file);
                // Who has unified nothing has numbers of its own there, too.
                drawn = (!file.ununified().is_empty()).then(|| maps_of(&tables.tables));
                let maps = self.definitions(definitions, &file, tables)?;
                maps.unwrap_or_default()
            }
            Err(_) => {
                let copy = self.archive.copy(definitions, self.to())?;
                self.take(definitions, copy, false);
                Mappings::default()
            }
        };
        self.events(location, &maps)?;
        if self.renumbering.counts_events {
            // What cannot be read was told with the copy.
            let events = self.archive.announced_events(location).ok().flatten();
            self.report.events.extend(events.map(|events| (location, events)));
        }
        self.snapshots(location, drawn)
    }

    /// The tables of a location, with those that say nothing left out.
    fn tables(&mut self, location: LocationRef, file: &LocalFile) -> Tables {
        if file.tables.is_empty() {
            return self.new_tables(location, file);
        }
        let mut tables = file.tables.clone();
        for (mapping, kind) in mapped() {
            let Some(changed) = self.renumbering.changed.get(&kind) else { continue };
            let mut numbers = changed.clone();
            if let Some(old) = file.tables.get(&mapping) {
                let now = |global: u64| changed.get(&global).copied().unwrap_or(global);
                numbers
                    .extend(entries(old).into_iter().map(|(local, global)| (local, now(global))));
            }
            match table(&numbers) {
                Some(table) => tables.insert(mapping, table),
                None => tables.remove(&mapping),
            };
        }
        let same = tables == file.tables;
        self.report.tables += tables.len() as u64;
        Tables { tables, same }
    }

    fn new_tables(&mut self, location: LocationRef, file: &LocalFile) -> Tables {
        let Renumbering { numbers, changed, waiting, seed, .. } = self.renumbering;
        let scope = Scope::new(&file.records);
        let around =
            Around { renumbering: self.renumbering, waiting: waiting.get(&location).copied() };
        let resolved = scope.resolve(*seed, &around, |_, _, _| {});
        let mut by_kind: BTreeMap<ReferenceKind, BTreeMap<u64, u64>> = (*changed).clone();
        for (kind, number, place) in scope.numbers() {
            let now = resolved.keys[place].and_then(|key| numbers.get(&key));
            by_kind.entry(kind).or_default().insert(number, now.copied().unwrap_or(number));
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
        kind: FileKind,
        file: &LocalFile,
        tables: Tables,
    ) -> Result<Option<Mappings>, WriteError> {
        let Tables { tables, same } = tables;
        if self.unifying.rewrite_events {
            if file.odd {
                let text = "records of kinds that are not known, or mapping tables that do not \
                            count, are left out";
                self.report.outcome.lose(self.archive, kind, text);
            }
            let maps = maps_of(&tables);
            self.plain_definitions(kind, file, BTreeMap::new())?;
            return Ok(Some(maps));
        }
        if same {
            let copy = self.copy(kind)?;
            self.take(kind, copy, false);
        } else if file.tables.is_empty() && !file.odd {
            self.plain_definitions(kind, file, tables)?;
        } else {
            self.edited_definitions(kind, file, tables)?;
        }
        Ok(None)
    }

    /// Writes mapping tables and clock offsets. All else has become global.
    fn plain_definitions(
        &mut self,
        kind: FileKind,
        file: &LocalFile,
        tables: BTreeMap<MappingType, IdMap>,
    ) -> Result<(), WriteError> {
        if tables.is_empty() && file.clocks.is_empty() && !file.exists {
            return Ok(());
        }
        let mut writer = self.to().local_definitions(kind.location());
        for (mapping_type, id_map) in tables {
            writer.write(&Definition::MappingTable(MappingTable { mapping_type, id_map }))?;
        }
        for offset in &file.clocks {
            writer.write(&Definition::ClockOffset(offset.clone()))?;
        }
        let bytes = writer.finish_with_length()?.1;
        self.report.outcome.written.add(&Written { files: 1, bytes, ..Written::default() });
        Ok(())
    }

    /// Copies a file with other mapping tables: the first of each kind in its place, new ones at the end.
    fn edited_definitions(
        &mut self,
        kind: FileKind,
        file: &LocalFile,
        mut tables: BTreeMap<MappingType, IdMap>,
    ) -> Result<(), WriteError> {
        let places = &file.places;
        let edited = self.archive.edit_definitions(kind, self.to(), |place| {
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
                    losses.push(kind.location(), damage.to_string());
                }
                writer
            }
            None => self.to().local_definitions(kind.location()),
        };
        for (mapping_type, id_map) in tables {
            writer.write(&Definition::MappingTable(MappingTable { mapping_type, id_map }))?;
        }
        let bytes = writer.finish_with_length()?.1;
        self.report.outcome.written.add(&Written { files: 1, bytes, ..Written::default() });
        Ok(())
    }

    fn events(&mut self, location: LocationRef, maps: &Mappings) -> Result<(), WriteError> {
        let kind = FileKind::Events(location);
        let copy = match self.unifying.rewrite_events {
            true => self.archive.reencode(kind, self.to(), maps)?,
            false => self.copy(kind)?,
        };
        self.take(kind, copy, true);
        Ok(())
    }

    /// Numbers in snapshots are global, unless nobody has unified anything.
    fn snapshots(
        &mut self,
        location: LocationRef,
        own: Option<Mappings>,
    ) -> Result<(), WriteError> {
        let kind = FileKind::Snapshots(location);
        let changed = self.renumbering.changed;
        let maps = own.or_else(|| (!changed.is_empty()).then(|| global_maps(changed)));
        let copy = match maps {
            None => self.copy(kind)?,
            Some(maps) => self.archive.reencode(kind, self.to(), &maps)?,
        };
        let needed = self.archive.anchor().number_of_snapshots > 0;
        self.take(kind, copy, needed);
        Ok(())
    }

    fn copy(&self, kind: FileKind) -> Result<Option<Copy>, WriteError> {
        match self.unifying.link {
            true => self.archive.link(kind, self.to()),
            false => self.archive.copy(kind, self.to()),
        }
    }

    fn take(&mut self, kind: FileKind, copy: Option<Copy>, needed: bool) {
        let unknown = copy.as_ref().map_or(0, |copy| copy.copied.unknown);
        let outcome = &mut self.report.outcome;
        outcome.take(self.archive, kind, copy, needed, self.unifying.progress);
        if unknown > 0 {
            // Only where they were written anew.
            let text = "records of kinds that are not known, which keep their numbers";
            outcome.lose(self.archive, kind, format_args!("{unknown} {text}"));
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
