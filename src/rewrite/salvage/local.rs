//! Mapping tables and clock offsets of a location: its own, or those that it had in the donor.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_kernels::salvage::{RankGroup, RankLists};
use streamfold_kernels::validate::Known;
use streamfold_model::definitions::{ClockOffset, Definition, MappingTable};
use streamfold_model::enums::MappingType;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;
use streamfold_model::values::IdMap;

use streamfold_otf2::{
    Archive, ArchiveWriter, Clock, Copied, DefinitionWriter, FileKind, Instead, Mappings,
    WriteError,
};

/// Whose file says how the events of a location are to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Nobody's.
    #[default]
    Nobody,
    /// Its own.
    Own,
    /// The donor's.
    Donor,
}

/// Identifiers and times for reading the events of a location.
#[derive(Debug, Default)]
pub struct Local {
    /// Whose it is.
    pub source: Source,
    /// Identifiers.
    pub mappings: Mappings,
    /// Times.
    pub clock: Clock,
    /// True if there are clock offsets.
    pub timed: bool,
    /// References of mapping tables.
    pub targets: Vec<(ReferenceKind, u64)>,
    /// Definitions that only this location has, under numbers that no table changes.
    pub own: Known,
    /// How many definitions of its own it has.
    pub definitions: u64,
    /// Texts about losses in reading.
    pub losses: Vec<String>,
    /// Its groups of ranks.
    groups: Vec<RankGroup>,
    /// Its own lists of the locations of ranks.
    rank_lists: RankLists,
    /// Records that are left out, by their place from 0.
    left_out: BTreeSet<u64>,
    /// True if all was read.
    whole: bool,
}

impl Local {
    /// Reads what the location says itself or, where that is not there or not whole, what its donor
    /// said of it.
    pub fn read(archive: &Archive, donor: Option<&Archive>, location: LocationRef) -> Local {
        let own = Local::of(archive, location, Source::Own);
        let usable = own.as_ref().is_some_and(|own| own.whole);
        let donors = donor.filter(|_| !usable);
        let donors = donors.and_then(|donor| Local::of(donor, location, Source::Donor));
        match (own, donors) {
            (Some(own), Some(mut donors)) => {
                donors.losses = [own.losses, donors.losses].concat();
                donors
            }
            (own, donors) => own.or(donors).unwrap_or_default(),
        }
    }

    /// Those of an archive; `None` where it has no such file.
    fn of(archive: &Archive, location: LocationRef, source: Source) -> Option<Local> {
        let mut local = Local { source, whole: true, ..Local::default() };
        let mut reader = match archive.local_definitions(location) {
            Ok(reader) => reader?,
            Err(error) => {
                local.whole = false;
                local.losses.push(format!("{error} (none of its definitions is kept)"));
                return Some(local);
            }
        };
        let (mut offsets, mut defined) = (Vec::new(), Vec::new());
        let mut place = 0;
        loop {
            match reader.next() {
                Ok(Some(Ok(definition))) => {
                    local.take(place, definition, &mut offsets, &mut defined);
                }
                Ok(Some(Err(_unknown))) => {}
                Ok(None) => break,
                Err(error) => {
                    local.whole = false;
                    let text = "definitions before that are kept; numbers of its events may mean \
                                something else without those behind it";
                    local.losses.push(format!("{error} (the {place} {text})"));
                    break;
                }
            }
            place += 1;
        }
        let path = archive.path(FileKind::LocalDefinitions(location));
        if !local.left_out.is_empty() {
            let count = local.left_out.len();
            local.losses.push(format!(
                "{}: {count} mapping tables or clock offsets contradict those before, and are left \
                 out",
                path.display()
            ));
        }
        local.timed = !offsets.is_empty();
        local.clock = Clock::new(&offsets).unwrap_or_default();
        let mapped: Vec<_> = local.mappings.kinds().filter_map(MappingType::leads_to).collect();
        defined.retain(|(kind, _): &(ReferenceKind, u64)| !mapped.contains(kind));
        local.definitions = defined.len() as u64;
        local.own = Known::new(defined.into_iter());
        Some(local)
    }

    fn take(
        &mut self,
        place: u64,
        definition: Definition,
        offsets: &mut Vec<ClockOffset>,
        defined: &mut Vec<(ReferenceKind, u64)>,
    ) {
        match definition {
            Definition::MappingTable(table) => {
                let targets = targets(table.mapping_type, &table.id_map);
                match self.mappings.insert(table.mapping_type, table.id_map) {
                    Ok(()) => self.targets.extend(targets),
                    Err(_) => drop(self.left_out.insert(place)),
                }
            }
            Definition::ClockOffset(offset) => {
                match offsets.last().is_none_or(|last| last.time < offset.time) {
                    true => offsets.push(offset),
                    false => drop(self.left_out.insert(place)),
                }
            }
            other => {
                if let Definition::Group(group) = &other {
                    self.rank_lists.take(group);
                    self.groups.extend(RankGroup::of(group));
                }
                defined.extend(other.defines());
            }
        }
    }

    /// Tells of groups with ranks that no list has. `lists`: those of all locations, which count.
    pub fn check_groups(&mut self, archive: &Archive, location: LocationRef, lists: &RankLists) {
        // Definitions of a location with mapping tables are unified, and others count.
        if self.source != Source::Own || self.mappings.kinds().next().is_some() {
            return;
        }
        let lists = lists.clone().or(std::mem::take(&mut self.rank_lists));
        let path = archive.path(FileKind::LocalDefinitions(location));
        let larger = std::mem::take(&mut self.groups).into_iter();
        let larger = larger.filter_map(|group| lists.larger(group));
        self.losses.extend(larger.map(|text| format!("{}: {text}", path.display())));
    }

    /// Returns whether the record at a place stays.
    pub fn keeps(&self, place: u64) -> bool {
        !self.left_out.contains(&place)
    }

    /// Writes the file of a location. `clocks`: with clock offsets of a donor.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write(
        &self,
        from: &Archive,
        to: &ArchiveWriter,
        location: LocationRef,
        clocks: bool,
        tables: NewTables,
    ) -> Result<Option<Copied>, WriteError> {
        let kind = FileKind::LocalDefinitions(location);
        let is_whole = self.whole && self.left_out.is_empty() && tables.is_empty();
        if self.source == Source::Own && is_whole {
            return Ok(from.copy(kind, to, kind)?.map(|copy| copy.copied));
        }
        let left_out = match (self.source, clocks) {
            (Source::Donor, false) => with_clock_offsets(from, location, &self.left_out),
            _ => self.left_out.clone(),
        };
        let NewTables { mut instead, more } = tables;
        let edit = |place| match (left_out.contains(&place), instead.remove(&place)) {
            (true, _) | (_, Some(None)) => Instead::Nothing,
            (_, Some(Some(table))) => Instead::Definitions(vec![Definition::MappingTable(table)]),
            (false, None) => Instead::Same,
        };
        let Some((writer, _damage)) = from.edit_definitions(kind, to, kind, edit)? else {
            return Ok(None);
        };
        with_tables(writer, more).map(Some)
    }
}

/// The mapping tables of a location that are others now.
#[derive(Debug, Default)]
pub struct NewTables {
    /// Those that stand in place of others, by the places of these in the file; `None`: it says nothing.
    pub instead: BTreeMap<u64, Option<MappingTable>>,
    /// Tables of kinds that had none.
    pub more: Vec<MappingTable>,
}

impl NewTables {
    /// Returns whether all tables stay as they are.
    pub fn is_empty(&self) -> bool {
        self.instead.is_empty() && self.more.is_empty()
    }
}

/// Ends a file of definitions with these tables.
///
/// # Errors
///
/// When it cannot be written.
pub(super) fn with_tables(
    mut writer: DefinitionWriter,
    tables: Vec<MappingTable>,
) -> Result<Copied, WriteError> {
    for table in tables {
        writer.write(&Definition::MappingTable(table))?;
    }
    let (records, bytes) = writer.finish_with_length()?;
    Ok(Copied { records, unknown: 0, bytes })
}

/// These places, and those of clock offsets.
fn with_clock_offsets(
    from: &Archive,
    location: LocationRef,
    left_out: &BTreeSet<u64>,
) -> BTreeSet<u64> {
    let mut places = left_out.clone();
    let Ok(Some(mut reader)) = from.local_definitions(location) else { return places };
    let mut place = 0;
    while let Ok(Some(definition)) = reader.next() {
        if let Ok(Definition::ClockOffset(_)) = definition {
            places.insert(place);
        }
        place += 1;
    }
    places
}

/// Returns the references of a mapping table.
fn targets(kind: MappingType, map: &IdMap) -> Vec<(ReferenceKind, u64)> {
    let Some(kind) = kind.leads_to() else { return Vec::new() };
    // As readers cut it to the width of the field.
    let target = |global: u64| (kind, global & kind.undefined());
    match map {
        IdMap::Dense(globals) => globals.iter().map(|global| target(*global)).collect(),
        IdMap::Sparse(pairs) => pairs.iter().map(|(_, global)| target(*global)).collect(),
    }
}
