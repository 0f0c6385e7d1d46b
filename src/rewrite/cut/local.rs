//! The files of definitions of locations: as they were, but for entries of mapping tables that lead to
//! what is no more.

use std::collections::BTreeMap;

use streamfold_kernels::validate::Known;
use streamfold_model::definitions::{Definition, MappingTable};
use streamfold_model::ids::LocationRef;
use streamfold_model::values::IdMap;

use super::used::Used;
use crate::exit::Failure;
use crate::formats::otf2::{Archive, ArchiveWriter, Error, FileKind, Instead, WriteError};
use crate::rewrite::Written;

/// Which global definitions there were, and which there are.
pub(super) struct Globally<'a> {
    pub known: &'a Known,
    /// `None`: all of them.
    pub staying: Option<&'a Used>,
}

/// Writes the definitions of a location whose events stay, and that could be read.
///
/// # Errors
///
/// When they cannot be written, or not be read once more.
pub(super) fn write(
    archive: &Archive,
    to: &ArchiveWriter,
    location: LocationRef,
    globally: &Globally<'_>,
) -> Result<Written, Failure> {
    let kind = FileKind::LocalDefinitions(location);
    let changes = changes(archive, location, globally)?;
    if changes.is_empty() {
        return match archive.copy(kind, to)? {
            Some(copy) => match copy.damage {
                None => Ok(Written { files: 1, bytes: copy.copied.bytes, ..Written::default() }),
                Some(damage) => Err(damage.into()),
            },
            None => Ok(empty(to, location)?),
        };
    }
    let edit = |place| changes.get(&place).cloned().unwrap_or(Instead::Same);
    let edited = archive.edit_definitions(kind, to, edit)?;
    let (writer, damage) = edited.ok_or_else(|| Error::gone(&archive.path(kind)))?;
    if let Some(damage) = damage {
        return Err(damage.into());
    }
    let (_, bytes) = writer.finish_with_length()?;
    Ok(Written { files: 1, bytes, ..Written::default() })
}

/// Writes a file without definitions: readers complain where there is none.
///
/// # Errors
///
/// When it cannot be written.
pub(super) fn empty(to: &ArchiveWriter, location: LocationRef) -> Result<Written, WriteError> {
    let (_, bytes) = to.local_definitions(location).finish_with_length()?;
    Ok(Written { files: 1, bytes, ..Written::default() })
}

/// What stands in place of tables some of whose entries lead to what is no more, by the places of the
/// tables in the file.
fn changes(
    archive: &Archive,
    location: LocationRef,
    globally: &Globally<'_>,
) -> Result<BTreeMap<u64, Instead>, Error> {
    let mut changes = BTreeMap::new();
    let Some(mut reader) = archive.local_definitions(location)? else { return Ok(changes) };
    for place in 0.. {
        let Some(definition) = reader.next()? else { break };
        if let Ok(Definition::MappingTable(table)) = definition {
            if let Some(instead) = change(table, globally) {
                changes.insert(place, instead);
            }
        }
    }
    Ok(changes)
}

/// What stands in place of a table; `None`: itself.
fn change(table: MappingTable, globally: &Globally<'_>) -> Option<Instead> {
    let (kind, staying) = (table.mapping_type.leads_to()?, globally.staying?);
    let is_gone = |global: u64| {
        let global = global & kind.undefined();
        globally.known.has(kind, global) && !staying.has(kind, global)
    };
    let pairs: Vec<(u64, u64)> = match table.id_map {
        IdMap::Dense(globals) => (0..).zip(globals).collect(),
        IdMap::Sparse(pairs) => pairs,
    };
    if !pairs.iter().any(|(_, global)| is_gone(*global)) {
        return None;
    }
    let left = pairs.into_iter().filter(|(local, global)| !is_gone(*global) && local != global);
    let left: Vec<_> = left.collect();
    // What is in no table means itself.
    if left.is_empty() {
        return Some(Instead::Nothing);
    }
    let table = MappingTable { id_map: IdMap::Sparse(left), ..table };
    Some(Instead::Definitions(vec![Definition::MappingTable(table)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use streamfold_model::enums::MappingType;
    use streamfold_model::references::ReferenceKind;

    fn changed(id_map: IdMap, staying: &[u64]) -> Option<Instead> {
        let known = Known::new((0..10).map(|number| (ReferenceKind::Region, number)));
        let mut used = Used::default();
        for number in staying {
            used.add(ReferenceKind::Region, *number);
        }
        let table = MappingTable { mapping_type: MappingType::Region, id_map };
        change(table, &Globally { known: &known, staying: Some(&used) })
    }

    #[test]
    fn entries_that_lead_to_what_is_no_more_go() {
        let sparse = |pairs: &[(u64, u64)]| {
            let id_map = IdMap::Sparse(pairs.to_vec());
            let table = MappingTable { mapping_type: MappingType::Region, id_map };
            Some(Instead::Definitions(vec![Definition::MappingTable(table)]))
        };
        let dense = IdMap::Dense(vec![3, 1, 9, u64::MAX]);
        assert_eq!(changed(dense.clone(), &[1, 3, 9]), None);
        assert_eq!(changed(dense.clone(), &[1, 9]), sparse(&[(2, 9), (3, u64::MAX)]));
        assert_eq!(changed(IdMap::Sparse(vec![(7, 5), (8, 6)]), &[6]), sparse(&[(8, 6)]));
        assert_eq!(changed(IdMap::Sparse(vec![(7, 5)]), &[6]), Some(Instead::Nothing));
        // What was not defined before is none of our business.
        assert_eq!(changed(IdMap::Sparse(vec![(7, 50)]), &[]), None);
    }
}
