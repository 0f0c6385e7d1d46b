//! The files of definitions of locations: as they were, but for mapping tables, which lead to what there
//! is now by the numbers that it has now.

use crate::write_failure;
use std::collections::{BTreeMap, BTreeSet};
use streamfold_formats::Loss;

use streamfold_kernels::unify::tables::{entries, table};
use streamfold_kernels::validate::Known;
use streamfold_model::definitions::{Definition, MappingTable};
use streamfold_model::enums::MappingType;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::here::Here;
use super::numbering::Numbering;
use super::used::Used;
use crate::Written;
use streamfold_otf2::{Archive, ArchiveWriter, Copy, Error, FileKind, Instead, WriteError};
use streamfold_system::exit::Failure;

/// Global definitions of the trace, and those that stay.
pub(super) struct Globally<'a> {
    pub known: &'a Known,
    /// `None`: all of them.
    pub staying: Option<&'a Used>,
    pub numbering: &'a Numbering,
}

/// Writes the definitions of a location whose events stay, and that could be read. `here`: the numbers
/// that these events have.
///
/// # Errors
///
/// When they cannot be written, or not be read once more.
pub(super) fn write(
    archive: &Archive,
    to: &ArchiveWriter,
    location: LocationRef,
    here: &Here,
    globally: &Globally<'_>,
) -> Result<Written, Failure> {
    let kind = FileKind::LocalDefinitions(location);
    let Changes { tables, more } =
        changes(archive, location, here, globally).map_err(Loss::from)?;
    let edit = |place| tables.get(&place).cloned().unwrap_or(Instead::Same);
    let mut writer = match tables.is_empty() && more.is_empty() {
        true => match archive.copy(kind, to, kind).map_err(write_failure)? {
            Some(Copy { damage: Some(damage), .. }) => return Err(Loss::from(damage).into()),
            Some(Copy { copied, .. }) => {
                return Ok(Written { files: 1, bytes: copied.bytes, ..Written::default() });
            }
            None => to.local_definitions(location),
        },
        false => match archive.edit_definitions(kind, to, kind, edit).map_err(write_failure)? {
            Some((_, Some(damage))) => return Err(Loss::from(damage).into()),
            Some((writer, None)) => writer,
            None => to.local_definitions(location),
        },
    };
    more.iter().try_for_each(|table| writer.write(table)).map_err(write_failure)?;
    let (_, bytes) = writer.finish_with_length().map_err(write_failure)?;
    Ok(Written::file(bytes))
}

/// Writes a file without definitions: readers complain where there is none.
///
/// # Errors
///
/// When it cannot be written.
pub(super) fn empty(to: &ArchiveWriter, location: LocationRef) -> Result<Written, WriteError> {
    let (_, bytes) = to.local_definitions(location).finish_with_length()?;
    Ok(Written::file(bytes))
}

/// Changes to the mapping tables of a location.
#[derive(Default)]
struct Changes {
    /// Replacements of tables, by their places in the file.
    tables: BTreeMap<u64, Instead>,
    /// Tables of kinds that had none.
    more: Vec<Definition>,
}

fn changes(
    archive: &Archive,
    location: LocationRef,
    here: &[(ReferenceKind, Box<[u64]>)],
    globally: &Globally<'_>,
) -> Result<Changes, Error> {
    let mut changes = Changes::default();
    let mut kinds = BTreeSet::new();
    if let Some(mut reader) = archive.local_definitions(location)? {
        for place in 0.. {
            let Some(definition) = reader.next()? else { break };
            let Ok(Definition::MappingTable(table)) = definition else { continue };
            // Of several of a kind the first one counts, whatever becomes of it.
            if table.mapping_type.leads_to().is_some_and(|kind| !kinds.insert(kind)) {
                changes.tables.insert(place, Instead::Nothing);
                continue;
            }
            if let Some(instead) = change(table, here, globally) {
                changes.tables.insert(place, instead);
            }
        }
    }
    for &mapping_type in MappingType::NAMED {
        let kind = mapping_type.leads_to().filter(|kind| !kinds.contains(kind));
        let Some(kind) = kind.filter(|kind| globally.numbering.changes(*kind)) else { continue };
        if let Some(id_map) = table(&numbers(kind, &BTreeMap::new(), here, globally)) {
            changes.more.push(Definition::MappingTable(MappingTable { mapping_type, id_map }));
        }
    }
    Ok(changes)
}

/// Returns the replacement of a table; `None`: it stays as it is.
fn change(
    was: MappingTable,
    here: &[(ReferenceKind, Box<[u64]>)],
    globally: &Globally<'_>,
) -> Option<Instead> {
    let kind = was.mapping_type.leads_to()?;
    let entries = entries(&was.id_map);
    let changes = globally.numbering.changes(kind);
    if !changes && !entries.values().any(|global| globally.is_gone(kind, *global)) {
        return None;
    }
    // A number that is in no table means itself.
    Some(match table(&numbers(kind, &entries, here, globally)) {
        None => Instead::Nothing,
        Some(id_map) => {
            Instead::Definitions(vec![Definition::MappingTable(MappingTable { id_map, ..was })])
        }
    })
}

/// Returns pairs of local and new global numbers, ascending: those of the location's table, and those that its events
/// have.
fn numbers(
    kind: ReferenceKind,
    entries: &BTreeMap<u64, u64>,
    here: &[(ReferenceKind, Box<[u64]>)],
    globally: &Globally<'_>,
) -> Vec<(u64, u64)> {
    let stays = |(_, global): &(&u64, &u64)| !globally.is_gone(kind, **global);
    let now = |(local, global): (&u64, &u64)| (*local, globally.now(kind, *global));
    let mut numbers: BTreeMap<u64, u64> = entries.iter().filter(stays).map(now).collect();
    let used = here.iter().filter(|(of, _)| *of == kind).flat_map(|(_, used)| used);
    for local in used.filter(|local| !entries.contains_key(local)) {
        numbers.insert(*local, globally.now(kind, *local));
    }
    numbers.into_iter().collect()
}

impl Globally<'_> {
    /// Returns whether a definition is gone.
    fn is_gone(&self, kind: ReferenceKind, global: u64) -> bool {
        let global = global & kind.undefined();
        self.known.has(kind, global) && self.staying.is_some_and(|used| !used.has(kind, global))
    }

    /// The number that a definition has now.
    fn now(&self, kind: ReferenceKind, global: u64) -> u64 {
        let number = global & kind.undefined();
        match self.known.has(kind, number) {
            true => self.numbering.now(kind, number),
            false => global,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use streamfold_model::values::IdMap;

    const REGION: ReferenceKind = ReferenceKind::Region;

    fn used(numbers: &[u64]) -> Used {
        let mut used = Used::default();
        for number in numbers {
            used.add(REGION, *number);
        }
        used
    }

    /// Returns the change of a table if these of ten regions stay.
    fn changed(id_map: IdMap, staying: &[u64], here: &[u64], renumbers: bool) -> Option<Instead> {
        let known = Known::new((0..10).map(|number| (REGION, number)));
        let staying = used(staying);
        let numbering = match renumbers {
            true => Numbering::without_gaps(&staying, &Used::default()),
            false => Numbering::default(),
        };
        let globally = Globally { known: &known, staying: Some(&staying), numbering: &numbering };
        let table = MappingTable { mapping_type: MappingType::Region, id_map };
        change(table, &[(REGION, here.into())], &globally)
    }

    fn instead(id_map: IdMap) -> Option<Instead> {
        let table = MappingTable { mapping_type: MappingType::Region, id_map };
        Some(Instead::Definitions(vec![Definition::MappingTable(table)]))
    }

    #[test]
    fn entries_that_lead_to_what_is_no_more_go() {
        let changed = |id_map, staying: &[u64]| changed(id_map, staying, &[], false);
        let sparse = |pairs: &[(u64, u64)]| instead(IdMap::Sparse(pairs.to_vec()));
        let dense = IdMap::Dense(vec![3, 1, 9, u64::MAX]);
        assert_eq!(changed(dense.clone(), &[1, 3, 9]), None);
        assert_eq!(changed(dense.clone(), &[1, 9]), sparse(&[(2, 9), (3, u64::MAX)]));
        assert_eq!(changed(IdMap::Sparse(vec![(7, 5), (8, 6)]), &[6]), sparse(&[(8, 6)]));
        assert_eq!(changed(IdMap::Sparse(vec![(7, 5)]), &[6]), Some(Instead::Nothing));
        // A number that was undefined before stays as it is.
        assert_eq!(changed(IdMap::Sparse(vec![(7, 50)]), &[]), None);
    }

    #[test]
    fn tables_lead_to_the_new_numbers() {
        let changed = |id_map, here: &[u64]| changed(id_map, &[1, 3, 9], here, true);
        let dense = IdMap::Dense(vec![3, 1, 9, 4]);
        assert_eq!(changed(dense.clone(), &[]), instead(IdMap::Dense(vec![1, 0, 2])));
        // 9 is not in the table, and so meant itself.
        let sparse = IdMap::Sparse(vec![(0, 1), (1, 0), (9, 2)]);
        assert_eq!(changed(dense, &[9]), instead(sparse));
    }
}
