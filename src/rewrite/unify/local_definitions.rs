//! The definition file that a location gets: mapping tables and clock offsets.

use std::collections::BTreeMap;

use streamfold_model::definitions::{ClockOffset, Definition, MappingTable};
use streamfold_model::enums::MappingType;
use streamfold_model::values::IdMap;

use super::attributes::{Pairs, Same};
use super::clocks;
use super::files::Writer;
use super::inputs::Numbered;
use super::local::LocalFile;
use super::nowhere::Nowhere;
use super::renumbering::Renumbering;
use super::tables::{maps_of, OfLocation, Tables};
use crate::formats::otf2::{FileKind, Instead, Mappings, WriteError};
use crate::report::human;
use crate::rewrite::{Written, UNKNOWN};

impl Writer<'_> {
    /// The tables of the location, with those that say nothing left out.
    pub(super) fn tables(&mut self, file: &LocalFile) -> Tables {
        let Writer { from, numbered, renumbering, .. } = *self;
        let mut tables = OfLocation { numbered, source: from, renumbering }.tables(file);
        self.report.take(std::mem::take(&mut tables.findings));
        if !tables.same_attributes.is_empty() && file.is_ununified {
            self.tell_attributes(&tables.same_attributes);
        }
        tables
    }

    /// Tells of an event that has two attributes which are one now.
    fn tell_attributes(&mut self, same: &Same) {
        let location = self.numbered.location;
        let mut pairs = Pairs::default();
        pairs.look(self.from, location, same);
        if let Some((one, other)) = pairs.first() {
            let text = "are in the list of one event and say the same: readers refuse it, since they are one now";
            let text = format!("Attribute {one} and Attribute {other} {text}");
            self.report.outcome.lose(&self.from.archive, FileKind::Events(location), text);
        }
    }

    /// Writes the definitions of a location. Returns its mapping tables where they are to be applied to
    /// the events, in place of being written.
    pub(super) fn definitions(
        &mut self,
        file: &LocalFile,
        tables: Tables,
    ) -> Result<Option<Mappings>, WriteError> {
        let Tables { tables, same, identities, meant, .. } = tables;
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
        self.report.identities += identities;
        if same && self.from.placed.times.is_identity() && file.exists {
            self.report.kept_tables += tables.len() as u64;
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
        self.report.tables += tables.len() as u64;
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

    /// Copies a file with other mapping tables: the first of each kind in its place, new ones at the end. What
    /// has become global is left out.
    fn edited_definitions(
        &mut self,
        file: &LocalFile,
        mut tables: BTreeMap<MappingType, IdMap>,
    ) -> Result<(), WriteError> {
        let Numbered { location, now, .. } = self.numbered;
        let [kind, named] = [location, now].map(FileKind::LocalDefinitions);
        let moved = !self.from.placed.times.is_identity();
        let offsets = if moved { self.clocks(file) } else { Vec::new() };
        self.report.tables += tables.len() as u64;
        let places = &file.places;
        if file.is_ununified && !file.unknown_places.is_empty() {
            let records = human::counted(file.unknown_places.len() as u64, UNKNOWN);
            let text = format_args!("{records}: numbers in them stay as they are");
            self.report.outcome.lose(&self.from.archive, kind, text);
        }
        let edited = self.from.archive.edit_definitions(kind, self.to(), named, |place| {
            let stays = file.clock_places.contains(&place) || file.unknown_places.contains(&place);
            if file.is_ununified && !stays {
                return Instead::Nothing;
            }
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

    pub(super) fn rewrites_times(&self) -> bool {
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
}
