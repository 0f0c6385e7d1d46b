//! Contribution of a donor to definitions that are not all there.

use streamfold_kernels::salvage::merge;
use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::prepare::{Donor, Known, Root};
use streamfold_otf2::{Archive, FileKind};

impl Root {
    /// Takes in what the donor knows, where that of the archive is not all there.
    pub(super) fn merge(&mut self, donor: &Donor, archive: &Archive) {
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
    pub(super) fn strangers(&mut self, known: &Known) {
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
    pub(super) fn is_stranger(&self, known: &Known, location: LocationRef) -> bool {
        self.donor.is_some() && !known.defined.has(ReferenceKind::Location, location.0)
    }
}
