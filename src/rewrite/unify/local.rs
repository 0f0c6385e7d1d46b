//! The definitions of one location, as they are unified.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_kernels::unify::Record;
use streamfold_model::definitions::{ClockOffset, Definition};
use streamfold_model::enums::{MappingType, Type};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::IdMap;

use super::findings::{File, Findings};
use super::records::add_properties;
use super::source::Source;
use super::Counts;
use crate::formats::otf2::Error;

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
    /// Where further ones of a kind stand, which do not count.
    pub more_tables: BTreeSet<u64>,
    /// Its clock offsets, and where they stand.
    pub clocks: Vec<ClockOffset>,
    pub clock_places: BTreeSet<u64>,
    /// Whether values may be locations, as its own definitions say.
    pub has_location_values: bool,
    /// What is wrong with single definitions.
    pub findings: Findings,
    /// Whether it says things that this version does not know, or says one twice.
    pub odd: bool,
}

impl LocalFile {
    /// Reads the file of a location.
    ///
    /// # Errors
    ///
    /// When it is damaged or cannot be read.
    pub fn read(source: &impl Source, location: LocationRef) -> Result<LocalFile, Error> {
        let mut file = LocalFile::default();
        let mut place = 0;
        file.exists = source.local(location, &mut |definition| {
            match definition {
                Ok(definition) => file.take(place, definition, source, location),
                Err(_unknown) => file.odd = true,
            }
            place += 1;
        })?;
        add_properties(&mut file.records);
        Ok(file)
    }

    fn take(
        &mut self,
        place: u64,
        definition: Definition,
        source: &impl Source,
        location: LocationRef,
    ) {
        match definition {
            Definition::MappingTable(table) if self.tables.contains_key(&table.mapping_type) => {
                self.odd = true;
                self.more_tables.insert(place);
            }
            Definition::MappingTable(table) => {
                self.places.insert(place, table.mapping_type);
                self.tables.insert(table.mapping_type, table.id_map);
            }
            Definition::ClockOffset(offset) => {
                self.clock_places.insert(place);
                self.clocks.push(offset);
            }
            Definition::Location(_) => self.counts.count("Location"),
            definition => {
                self.counts.count(definition.name());
                self.has_location_values |= leads_to_locations(&definition);
                let placed = source.placed();
                let now = placed.location(location);
                let file = File { name: || source.local_name(location), location: now };
                let findings = &mut self.findings;
                let mut tell = |odd| findings.take(&file, odd);
                self.records.extend(placed.record(definition, false, &mut tell));
            }
        }
    }

    /// Whether its clock offsets are in order, as they are used.
    pub fn has_clock(&self) -> bool {
        self.clocks.windows(2).all(|pair| pair[0].time < pair[1].time)
    }

    /// What it defines and nobody has unified. Where there are mapping tables, somebody has.
    pub fn ununified(&self) -> &[Record] {
        match self.tables.is_empty() {
            true => &self.records,
            false => &[],
        }
    }
}

/// Whether a definition says that values are locations.
pub(in crate::rewrite) fn leads_to_locations(definition: &Definition) -> bool {
    matches!(definition, Definition::Attribute(attribute) if attribute.value_type == Type::Location)
}

/// The kinds of mapping tables, and what each is about.
pub(super) fn mapped() -> impl Iterator<Item = (MappingType, ReferenceKind)> {
    MappingType::NAMED.iter().filter_map(|mapping| Some((*mapping, mapping.leads_to()?)))
}
