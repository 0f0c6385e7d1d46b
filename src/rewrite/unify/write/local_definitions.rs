//! The definition file that a location gets: mapping tables and clock offsets.

use std::collections::BTreeMap;

use streamfold_model::definitions::{ClockOffset, Definition, MappingTable};
use streamfold_model::enums::MappingType;
use streamfold_model::ids::LocationRef;
use streamfold_model::values::IdMap;

use super::files::Writer;
use super::tables::{maps_of, OfLocation, Tables};
use crate::times::Breaks;
use crate::unify::number::attributes::{Pairs, Same};
use crate::unify::number::renumbering::Renumbering;
use crate::unify::number::undefined::UndefinedReferences;
use crate::unify::read::inputs::{Input, Numbered};
use crate::unify::read::local::LocalFile;
use crate::{unknown_go, unknown_stay, Outcome, Written};
use streamfold_otf2::{DefinitionWriter, FileKind, Instead, Mappings, WriteError};

impl Writer<'_> {
    /// The tables of the location, with those that say nothing left out.
    pub(crate) fn tables(&mut self, file: &LocalFile) -> Tables {
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
    pub(crate) fn definitions(
        &mut self,
        file: &LocalFile,
        tables: Tables,
    ) -> Result<Option<Mappings>, WriteError> {
        let Tables { tables, same, identities, meant, .. } = tables;
        let kind = FileKind::LocalDefinitions(self.numbered.location);
        if self.unifying.rewrite_events {
            if !file.unknown_places.is_empty() {
                let text = unknown_go(file.unknown_places.len() as u64);
                self.report.outcome.lose(&self.from.archive, kind, text);
            }
            self.plain_definitions(file, BTreeMap::new())?;
            let Renumbering { defined, ends, .. } = self.renumbering;
            let defined = defined.get(&self.numbered.input);
            let Some(defined) = defined.filter(|_| self.from.placed.run.is_some()) else {
                return Ok(Some(maps_of(&tables)));
            };
            let (maps, undefined_references) = UndefinedReferences::new(meant, defined, ends);
            self.undefined_references = undefined_references;
            return Ok(Some(maps));
        }
        self.report.identities += identities;
        // Readers complain about a second table of one kind.
        let stays = same && file.more_tables.is_empty() && self.from.placed.times.is_identity();
        if stays && file.exists {
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
        // If others have tables now, an empty file shows that this location needs none and has lost none.
        let may_lack = !self.renumbering.counts_events && !file.exists;
        if tables.is_empty() && clocks.is_empty() && may_lack {
            return Ok(());
        }
        self.report.tables += tables.len() as u64;
        let writer = self.to().local_definitions(self.numbered.now);
        self.end_definitions(writer, tables, clocks)
    }

    /// Copies a file with other mapping tables: the first of each kind in its place, new ones at the end. Definitions
    /// that have become global are left out.
    fn edited_definitions(
        &mut self,
        file: &LocalFile,
        mut tables: BTreeMap<MappingType, IdMap>,
    ) -> Result<(), WriteError> {
        let Numbered { location, now, .. } = self.numbered;
        let [kind, named] = [location, now].map(FileKind::LocalDefinitions);
        let moved = !self.from.placed.times.is_identity();
        let clocks = if moved { self.clocks(file) } else { Vec::new() };
        self.report.tables += tables.len() as u64;
        // If no table changes, numbers keep their meaning.
        if !file.unknown_places.is_empty() && tables != file.tables {
            let text = unknown_stay(file.unknown_places.len() as u64);
            self.report.outcome.lose(&self.from.archive, kind, text);
        }
        let edit = |place| instead(file, place, moved, &mut tables);
        let edited = self.from.archive.edit_definitions(kind, self.to(), named, edit)?;
        let writer = match edited {
            Some((writer, damage)) => {
                let losses = &mut self.report.outcome.losses;
                damage.into_iter().for_each(|damage| losses.push(now, damage.to_string()));
                writer
            }
            None => self.to().local_definitions(now),
        };
        self.end_definitions(writer, tables, clocks)
    }

    /// Writes what comes last in a file of definitions.
    fn end_definitions(
        &mut self,
        mut writer: DefinitionWriter,
        tables: BTreeMap<MappingType, IdMap>,
        clocks: Vec<ClockOffset>,
    ) -> Result<(), WriteError> {
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

    pub(crate) fn rewrites_times(&self) -> bool {
        self.unifying.rewrite_events && self.unifying.is_merged
    }

    /// The clock offsets that a location gets: none where its events are written with other times.
    fn clocks(&mut self, file: &LocalFile) -> Vec<ClockOffset> {
        match self.rewrites_times() {
            true => Vec::new(),
            false => {
                let location = self.numbered.location;
                offsets(self.from, location, &file.clocks, &mut self.report.outcome)
            }
        }
    }
}

/// Returns the replacement of a record of a file. `moved`: its clock offsets change. `tables`: the new mapping tables,
/// of which those in this place are taken.
fn instead(
    file: &LocalFile,
    place: u64,
    moved: bool,
    tables: &mut BTreeMap<MappingType, IdMap>,
) -> Instead {
    if file.unknown_places.contains(&place) {
        return Instead::Same;
    }
    if file.clock_places.contains(&place) {
        return if moved { Instead::Nothing } else { Instead::Same };
    }
    match file.places.get(&place) {
        Some(mapping_type) => match tables.remove(mapping_type) {
            Some(id_map) => {
                let table = MappingTable { mapping_type: *mapping_type, id_map };
                Instead::Definitions(vec![Definition::MappingTable(table)])
            }
            None => Instead::Nothing,
        },
        None if file.more_tables.contains(&place) => Instead::Nothing,
        // Without tables nobody had unified it, and all of it is global now. With tables somebody has, and readers do
        // not look at it.
        None if file.tables.is_empty() => Instead::Nothing,
        None => Instead::Same,
    }
}

/// Texts about events whose times clock offsets cannot represent.
const EARLY: &str =
    "events before the begin of the trace, whose times would be less than 0: they are 0 now";
const LATE: &str =
    "events whose times do not fit into 64 bits, or are more than 2^63 ticks later now: the \
                    nearest that can be said stand for them";
const COARSE: &str = "clock offsets cannot say its times to two ticks, as ticks become too many: \
                      --rewrite-events writes exact ones";

/// The clock offsets by which readers find what becomes of the times of a location's events. `old`: those that
/// it has, whose times ascend. `outcome` learns what they cannot say.
///
/// If times change, the begin and the end of the file of events are read.
fn offsets(
    from: &Input,
    location: LocationRef,
    old: &[ClockOffset],
    outcome: &mut Outcome,
) -> Vec<ClockOffset> {
    let (archive, times) = (&from.archive, &from.placed.times);
    let span = (!times.is_identity()).then(|| archive.recorded_span(location)).flatten();
    let span = span.map(|span| span.start().0..=span.end().0);
    let Breaks { offsets, early, late, coarse } = times.breaks(old, span);
    for (is_so, text) in [(early, EARLY), (late, LATE), (coarse, COARSE)] {
        if is_so {
            outcome.lose(archive, FileKind::Events(location), text);
        }
    }
    offsets
}
