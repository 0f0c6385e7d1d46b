//! Locations that only their own files define. A location that had not communicated when a run ended could not be added
//! to the global definitions. So no reader finds it there. Definitions of such locations, and of their groups and
//! nodes, become global here.

mod adopted;
mod said;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::num::NonZeroUsize;

use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;

pub(super) use adopted::Adopted;
use adopted::Adopting;
pub(super) use said::Said;
use streamfold_drive::{on_workers, Queue};
use streamfold_otf2::{Archive, Error};

/// Locations that have files, and that no global definition has.
#[derive(Debug, Default)]
pub(super) struct MissingDefinitions {
    /// Those that their own files define.
    pub adopted: Adopted,
    /// Those that nobody defines.
    pub left: BTreeSet<LocationRef>,
}

impl MissingDefinitions {
    /// Looks for them. `is_listed`: whether a global definition has a location.
    ///
    /// # Errors
    ///
    /// When the folder of the locations or the global definitions cannot be read.
    pub(crate) fn find(
        archive: &Archive,
        is_listed: impl Fn(LocationRef) -> bool,
    ) -> Result<MissingDefinitions, Error> {
        let left = archive.undefined_locations(is_listed)?;
        let locations: Vec<LocationRef> = left.iter().copied().collect();
        let said = said_of(archive, &locations, NonZeroUsize::MIN);
        MissingDefinitions::adopt(archive, left, said)
    }

    /// Makes those of which their files say something a part of the trace. `left`: all of them.
    ///
    /// # Errors
    ///
    /// When the global definitions cannot be read.
    pub(crate) fn adopt(
        archive: &Archive,
        mut left: BTreeSet<LocationRef>,
        said: BTreeMap<LocationRef, Said>,
    ) -> Result<MissingDefinitions, Error> {
        if said.is_empty() {
            return Ok(MissingDefinitions { adopted: Adopted::default(), left });
        }
        let (mut adopting, mut reader) = (Adopting::default(), archive.global_definitions()?);
        while let Some(definition) = reader.next()? {
            definition.into_iter().for_each(|definition| adopting.know(definition));
        }
        let adopted = adopting.adopt(said);
        for location in adopted.locations() {
            left.remove(&location);
        }
        Ok(MissingDefinitions { adopted, left })
    }
}

/// Those of these locations that no global definition has and their own files define, beside these
/// `global` ones. Of those that somebody has unified nobody knows what is global: their numbers may be those of
/// definitions that are lost.
pub(super) fn beside(
    archive: &Archive,
    global: &[Definition],
    locations: &BTreeSet<LocationRef>,
) -> Adopted {
    let listed = global.iter().filter_map(|definition| match definition {
        Definition::Location(location) => Some(location.id),
        _ => None,
    });
    let listed: BTreeSet<LocationRef> = listed.collect();
    let missing_definitions: Vec<LocationRef> = locations.difference(&listed).copied().collect();
    let said = said_of(archive, &missing_definitions, NonZeroUsize::MIN);
    let said: Vec<_> = said.into_iter().filter(|(_, said)| !said.is_mapped).collect();
    if said.is_empty() {
        return Adopted::default();
    }
    let mut adopting = Adopting::default();
    global.iter().cloned().for_each(|definition| adopting.know(definition));
    // A location for which no numbers are left gets synthesised definitions later.
    adopting.adopt(said)
}

/// Hands on all global definitions of known kinds, and behind them those of locations that only their own files define.
/// If the latter cannot be read, there are none: the writer of the locations reports why.
///
/// # Errors
///
/// When the global definitions cannot be read.
pub(super) fn global_and_unlisted(
    archive: &Archive,
    receive: &mut dyn FnMut(Definition),
) -> Result<(), Error> {
    let mut listed = HashSet::new();
    let mut reader = archive.global_definitions()?;
    while let Some(definition) = reader.next()? {
        let Ok(definition) = definition else { continue };
        if let Definition::Location(location) = &definition {
            listed.insert(location.id);
        }
        receive(definition);
    }
    if let Ok(missing_definitions) =
        MissingDefinitions::find(archive, |location| listed.contains(&location))
    {
        missing_definitions.adopted.definitions.into_iter().for_each(receive);
    }
    Ok(())
}

/// Returns the contents of the files of these locations, with so many files open at a time. A file that cannot be read
/// is left out.
pub(super) fn said_of(
    archive: &Archive,
    locations: &[LocationRef],
    workers: NonZeroUsize,
) -> BTreeMap<LocationRef, Said> {
    let work = |queue: &Queue<'_, LocationRef>| {
        let mut all = BTreeMap::new();
        while let Some(location) = queue.take() {
            let said = Said::read(archive, location).ok().flatten();
            all.extend(said.map(|said| (location, said)));
        }
        all
    };
    on_workers(locations, workers, work, |mut one, mut other| {
        one.append(&mut other);
        one
    })
}
