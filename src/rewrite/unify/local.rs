//! The definitions of one location, as they are unified.

use std::collections::BTreeMap;

use streamfold_kernels::unify::Record;
use streamfold_model::definitions::{ClockOffset, Definition};
use streamfold_model::enums::MappingType;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::IdMap;

use super::records::record;
use super::Counts;
use crate::formats::otf2::{Archive, Error};

/// What the definition file of a location says.
#[derive(Debug, Default)]
pub(super) struct LocalFile {
    /// Whether there is one.
    pub exists: bool,
    /// What it defines, but for locations, which the global definitions list.
    pub records: Vec<Record>,
    /// How many records of each kind there are.
    pub counts: Counts,
    /// Its mapping tables, the first of each kind.
    pub tables: BTreeMap<MappingType, IdMap>,
    /// Where they stand, as places in the file from 0.
    pub places: BTreeMap<u64, MappingType>,
    /// Its clock offsets.
    pub clocks: Vec<ClockOffset>,
    /// Whether it says things that this version does not know, or says one twice.
    pub odd: bool,
}

impl LocalFile {
    /// Reads the file of a location.
    ///
    /// # Errors
    ///
    /// When it is damaged or cannot be read.
    pub fn read(archive: &Archive, location: LocationRef) -> Result<LocalFile, Error> {
        let Some(mut reader) = archive.local_definitions(location)? else {
            return Ok(LocalFile::default());
        };
        let mut file = LocalFile { exists: true, ..LocalFile::default() };
        let mut place = 0;
        while let Some(definition) = reader.next()? {
            match definition {
                Ok(definition) => file.take(place, definition),
                Err(_unknown) => file.odd = true,
            }
            place += 1;
        }
        Ok(file)
    }

    fn take(&mut self, place: u64, definition: Definition) {
        match definition {
            Definition::MappingTable(table) if self.tables.contains_key(&table.mapping_type) => {
                self.odd = true;
            }
            Definition::MappingTable(table) => {
                self.places.insert(place, table.mapping_type);
                self.tables.insert(table.mapping_type, table.id_map);
            }
            Definition::ClockOffset(offset) => self.clocks.push(offset),
            Definition::Location(_) => self.counts.count("Location"),
            definition => {
                self.counts.count(definition.name());
                self.records.push(record(definition));
            }
        }
    }

    /// What it defines and nobody has unified. Where there are mapping tables, somebody has.
    pub fn ununified(&self) -> &[Record] {
        match self.tables.is_empty() {
            true => &self.records,
            false => &[],
        }
    }
}

/// The kinds of mapping tables, and what each is about.
pub(super) fn mapped() -> impl Iterator<Item = (MappingType, ReferenceKind)> {
    MappingType::NAMED.iter().filter_map(|mapping| Some((*mapping, mapping.leads_to()?)))
}
