//! A whole archive of the same program, and what it is asked for.

use std::path::Path;
use streamfold_formats::Loss;

use streamfold_kernels::salvage::{merge, tidy};
use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::prepare::{Known, Read, Root};
use streamfold_formats::open_archive;
use streamfold_otf2::{Archive, FileKind, ReadOptions};
use streamfold_system::exit::Failure;

/// A whole archive of the same program.
pub struct Donor {
    /// The archive.
    pub archive: Archive,
    definitions: Vec<Definition>,
}

impl Donor {
    /// Reads its definitions.
    ///
    /// # Errors
    ///
    /// When it cannot be read to the end.
    pub fn read(path: &Path) -> Result<Donor, Failure> {
        let archive = open_archive(path, ReadOptions::default())?;
        let (mut read, mut definitions) = (Read::default(), Vec::new());
        read.all(&archive, &mut definitions);
        match read.damage {
            Some(damage) => Err(Loss::from(damage).into()),
            // Asked once more for its error.
            None if read.missing => Err(archive.global_definitions().map(drop).map_or_else(
                |error| Loss::from(error).into(),
                |()| Failure::new(streamfold_system::exit::ExitCode::Io, "the donor has changed"),
            )),
            None => Ok(Donor { archive, definitions: tidy(definitions).definitions }),
        }
    }
}

impl Root {
    /// Takes in what the donor knows, where that of the archive is not all there.
    pub fn merge(&mut self, donor: &Donor, archive: &Archive) {
        self.resolution = donor.definitions.iter().find_map(|definition| match definition {
            Definition::ClockProperties(clock) => Some(clock.timer_resolution),
            _ => None,
        });
        self.resolution = self.resolution.filter(|resolution| *resolution > 0);
        let path = donor.archive.path(FileKind::GlobalDefinitions);
        if self.readable {
            let text = "the definitions of the archive are whole, the donor is not asked";
            self.notes.push(format!("{}: {text}", path.display()));
            return;
        }
        let no_clock =
            |definition: &Definition| !matches!(definition, Definition::ClockProperties(_));
        let donors = donor.definitions.iter().filter(|definition| no_clock(definition)).cloned();
        let merged = merge(std::mem::take(&mut self.definitions), donors.collect());
        let theirs = archive.path(FileKind::GlobalDefinitions);
        for what in &merged.contradictions.first {
            let text = format!(
                "{}: {what} is something else in {}, which counts",
                path.display(),
                theirs.display()
            );
            self.losses.push(LocationRef::UNDEFINED, text);
        }
        self.losses.count += merged.contradictions.count - merged.contradictions.first.len() as u64;
        self.donor = Some(path);
        self.taken = merged.taken;
        self.definitions = merged.definitions;
    }

    /// Tells of locations that the donor does not know: nobody says what numbers in their events
    /// mean.
    pub fn strangers(&mut self, known: &Known) {
        let Some(donor) = self.donor.clone() else { return };
        let is_stranger = |location: &&LocationRef| self.is_stranger(known, **location);
        let strangers: Vec<_> = known.locations.iter().filter(is_stranger).copied().collect();
        for location in strangers {
            let text = format!(
                "{}: there is no location {location} in it; numbers in its events are taken for those \
                 of all",
                donor.display()
            );
            self.losses.push(location, text);
        }
    }

    /// Returns whether a location is missing from the donor.
    pub fn is_stranger(&self, known: &Known, location: LocationRef) -> bool {
        self.donor.is_some() && !known.defined.has(ReferenceKind::Location, location.0)
    }
}
