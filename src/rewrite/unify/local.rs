//! The definitions of one location, as they are unified.

use std::collections::BTreeMap;

use streamfold_kernels::unify::Record;
use streamfold_model::definitions::{ClockOffset, Definition};
use streamfold_model::enums::MappingType;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::IdMap;

use super::records::record;
use crate::formats::otf2::{Archive, Error};

/// What the definition file of a location says.
#[derive(Debug, Default)]
pub(super) struct LocalFile {
    /// Whether there is one.
    pub exists: bool,
    /// What it defines, but for locations, which the global definitions list.
    pub records: Vec<Record>,
    /// How many records of each kind there are.
    pub counts: BTreeMap<String, u64>,
    /// Its mapping tables, the first of each kind.
    pub tables: BTreeMap<MappingType, IdMap>,
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
        while let Some(definition) = reader.next()? {
            match definition {
                Ok(definition) => file.take(definition),
                Err(_unknown) => file.odd = true,
            }
        }
        Ok(file)
    }

    fn take(&mut self, definition: Definition) {
        match definition {
            Definition::MappingTable(table) => {
                self.odd |= self.tables.contains_key(&table.mapping_type);
                self.tables.entry(table.mapping_type).or_insert(table.id_map);
            }
            Definition::ClockOffset(offset) => self.clocks.push(offset),
            Definition::Location(_) => self.count("Location"),
            definition => {
                self.count(definition.name());
                self.records.push(record(definition));
            }
        }
    }

    fn count(&mut self, name: &str) {
        *self.counts.entry(name.to_owned()).or_default() += 1;
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
pub(super) const MAPPED: [(MappingType, ReferenceKind); 15] = [
    (MappingType::String, ReferenceKind::String),
    (MappingType::Attribute, ReferenceKind::Attribute),
    (MappingType::Location, ReferenceKind::Location),
    (MappingType::Region, ReferenceKind::Region),
    (MappingType::Group, ReferenceKind::Group),
    (MappingType::Metric, ReferenceKind::Metric),
    (MappingType::Comm, ReferenceKind::Comm),
    (MappingType::Parameter, ReferenceKind::Parameter),
    (MappingType::RmaWin, ReferenceKind::RmaWin),
    (MappingType::SourceCodeLocation, ReferenceKind::SourceCodeLocation),
    (MappingType::CallingContext, ReferenceKind::CallingContext),
    (MappingType::InterruptGenerator, ReferenceKind::InterruptGenerator),
    (MappingType::IoFile, ReferenceKind::IoFile),
    (MappingType::IoHandle, ReferenceKind::IoHandle),
    (MappingType::LocationGroup, ReferenceKind::LocationGroup),
];
