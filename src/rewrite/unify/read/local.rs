//! The definitions of one location, as they are unified.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use streamfold_kernels::unify::Record;
use streamfold_model::definitions::{ClockOffset, Definition, Location};
use streamfold_model::enums::{MappingType, Type};
use streamfold_model::values::IdMap;

use super::beside;
use super::inputs::Numbered;
use super::recent::{Recent, Said};
use super::source::{Found, Source};
use super::tally::Tally;
use crate::unify::findings::{File, Findings};
use crate::unify::ranks::joined::JoinedLists;
use crate::unify::same::defined::Defined;
use crate::unify::same::metric_members::tell_members_apart;
use crate::unify::same::properties::add_properties;
use streamfold_otf2::{DefinitionVisitor, Error, ErrorKind, RawDefinition};

/// Contents of the definition file of a location.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct LocalFile {
    /// True if there is one.
    pub exists: bool,
    /// Its definitions, except for locations, which are in the global definitions.
    pub records: Vec<Record>,
    /// Locations that it defines once more.
    pub locations: Vec<Location>,
    /// How many records of each kind there are.
    pub counts: Tally,
    /// Its mapping tables, the first of each kind.
    pub tables: BTreeMap<MappingType, IdMap>,
    /// Their places in the file, from 0.
    pub places: BTreeMap<u64, MappingType>,
    /// Places of further ones of a kind, which do not count.
    pub more_tables: BTreeSet<u64>,
    /// Its clock offsets, and where they stand.
    pub clocks: Vec<ClockOffset>,
    pub clock_places: BTreeSet<u64>,
    /// Places of records that this version does not know.
    pub unknown_places: BTreeSet<u64>,
    /// True if values may be locations, according to its own definitions.
    pub has_location_values: bool,
    /// Findings about single definitions.
    pub findings: Findings,
    /// True if it has unknown records, or repeats one.
    pub odd: bool,
    /// True if it has definitions that are not unified. A file with mapping tables is unified.
    pub is_ununified: bool,
    /// True if it may have definitions beside its mapping tables that are not unified. The definitions of the trace
    /// decide whether it has.
    pub may_count: bool,
    /// True if it has more than mapping tables and clock offsets.
    pub defines: bool,
}

/// Inputs for reading the file of a location.
#[derive(Clone, Copy)]
pub(crate) struct Before<'a> {
    /// The lists of locations with ranks, where those of its archive, which is alone, were joined.
    pub joined: &'a JoinedLists,
    /// The global numbers that archives define, once somebody needs to know.
    pub defined: &'a BTreeMap<u32, Arc<Defined>>,
}

impl LocalFile {
    /// Reads the file of a location. Of its definitions those are left that count.
    ///
    /// # Errors
    ///
    /// When it is damaged or cannot be read.
    pub(crate) fn read(
        source: &impl Source,
        of: Numbered,
        Before { joined, defined }: Before<'_>,
        recent: &mut Recent,
    ) -> Result<LocalFile, Error> {
        let of_archive = Some(of.input).filter(|_| !source.placed().keeps_definitions());
        let records = Vec::with_capacity(recent.records);
        let file = LocalFile { records, ..LocalFile::default() };
        let mut reading =
            Reading { source, of, of_archive, recent, file, place: 0, was_raw: false };
        let exists = source.local(of.location, &mut reading)?;
        let mut file = reading.file;
        file.exists = exists;
        if !exists {
            let archive = source.archive();
            let missing =
                archive.and_then(|it| it.missing_local_definitions(of.location, |_| true));
            let called = File { name: || source.local_name(of.location), location: of.now };
            missing.iter().for_each(|error| file.findings.lose(&called, &error.kind));
        }
        recent.records = file.records.len();
        if !file.tables.is_empty() {
            file.may_count = beside::may_count(&file.records, &file.tables);
            match defined.get(&of.input).filter(|_| file.may_count) {
                Some(defined) => {
                    beside::keep_counting(&mut file.records, &file.tables, defined);
                }
                None => file.records.clear(),
            }
        }
        add_properties(&mut file.records);
        tell_members_apart(&mut file.records);
        let joined = if joined.is_empty() { &source.placed().joined } else { joined };
        file.translate(source, of, joined);
        file.is_ununified = file.tables.is_empty() && !file.records.is_empty();
        file.defines = !file.counts.is_empty();
        Ok(file)
    }

    /// Gives to ranks the places that they have in lists that were joined.
    fn translate(&mut self, source: &impl Source, of: Numbered, joined: &JoinedLists) {
        let called = File { name: || source.local_name(of.location), location: of.now };
        let LocalFile { records, findings, .. } = self;
        joined.translate(records, &mut |odd| findings.take(&called, odd));
    }

    fn take(&mut self, said: Said) {
        self.count(said.name, said.leads_to_locations);
        self.records.push(said.record);
    }

    fn count(&mut self, name: &'static str, leads_to_locations: bool) {
        self.counts.count(name);
        self.has_location_values |= leads_to_locations;
    }

    /// Returns whether its clock offsets are in order, as they are used.
    pub(crate) fn has_clock(&self) -> bool {
        self.clock_disorder().is_none()
    }

    /// The first two clock offsets that are not: then nobody can tell times.
    pub(crate) fn clock_disorder(&self) -> Option<ErrorKind> {
        let pair = self.clocks.windows(2).find(|pair| pair[0].time >= pair[1].time)?;
        Some(ErrorKind::ClockOffsets { before: pair[0].time, time: pair[1].time })
    }
}

/// A file that is being read.
struct Reading<'a, S> {
    source: &'a S,
    of: Numbered,
    /// The archive, if it matters to what definitions say.
    of_archive: Option<u32>,
    recent: &'a mut Recent,
    file: LocalFile,
    /// How many records were read.
    place: u64,
    /// True if the record stands in a file, and was looked for there.
    was_raw: bool,
}

impl<S: Source> DefinitionVisitor for Reading<'_, S> {
    fn raw(&mut self, raw: RawDefinition<'_>) -> bool {
        let found = self.recent.find(raw, self.of_archive);
        self.was_raw = found.is_none();
        let Some(said) = found else { return false };
        self.file.take(said);
        self.place += 1;
        true
    }

    fn definition(&mut self, definition: Found) {
        match definition {
            Ok(definition) => self.take(definition),
            Err(_unknown) => {
                self.file.odd = true;
                self.file.unknown_places.insert(self.place);
            }
        }
        self.place += 1;
    }
}

impl<S: Source> Reading<'_, S> {
    fn take(&mut self, definition: Definition) {
        let (file, place) = (&mut self.file, self.place);
        match definition {
            Definition::MappingTable(table) if file.tables.contains_key(&table.mapping_type) => {
                file.odd = true;
                file.more_tables.insert(place);
            }
            Definition::MappingTable(table) => {
                file.places.insert(place, table.mapping_type);
                file.tables.insert(table.mapping_type, table.id_map);
            }
            Definition::ClockOffset(offset) => {
                file.clock_places.insert(place);
                file.clocks.push(offset);
            }
            Definition::Location(location) => {
                file.counts.count("Location");
                file.locations.push(location);
            }
            definition => self.other(definition),
        }
    }

    /// A definition that is unified.
    fn other(&mut self, definition: Definition) {
        if !self.was_raw {
            if let Some(said) = self.recent.find_definition(&definition, self.of_archive) {
                return self.file.take(said);
            }
        }
        let (name, leads_to_locations) = (definition.name(), leads_to_locations(&definition));
        let Reading { source, of, file, recent, .. } = self;
        let called = File { name: || source.local_name(of.location), location: of.now };
        let (findings, mut is_sound) = (&mut file.findings, true);
        let shells = &mut recent.shells;
        let record = source.placed().record(definition, false, shells, &mut |odd| {
            is_sound = false;
            findings.take(&called, odd);
        });
        let Some(record) = record else { return file.count(name, leads_to_locations) };
        let said = Said { record, name, leads_to_locations };
        // A faulty record is reported each time.
        if is_sound {
            recent.remember(&said);
        }
        file.take(said);
    }
}

/// Returns whether values are locations, according to a definition.
pub(crate) fn leads_to_locations(definition: &Definition) -> bool {
    matches!(definition, Definition::Attribute(attribute) if attribute.value_type == Type::Location)
}
