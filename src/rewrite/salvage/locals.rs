//! Locations without a file of definitions, where others have one that says something.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::local::{Local, Source};
use streamfold_otf2::{Archive, FileKind};

/// Contents of the local definitions of all locations, in short.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locals {
    /// True if any has mapping tables.
    mapped: bool,
    /// True if any has clock offsets.
    timed: bool,
    /// True if any has definitions of its own.
    ununified: bool,
    /// True if any has a file of definitions.
    any: bool,
    /// Locations with events that have no such file.
    without: BTreeSet<LocationRef>,
}

impl Locals {
    /// With those of others.
    pub fn fold(mut self, other: Locals) -> Locals {
        self.mapped |= other.mapped;
        self.timed |= other.timed;
        self.ununified |= other.ununified;
        self.any |= other.any;
        self.without.extend(other.without);
        self
    }

    /// Takes in what a location has, of which so many events are kept.
    pub fn take(&mut self, location: LocationRef, local: &Local, events: u64) {
        self.mapped |= local.mappings.kinds().next().is_some();
        self.timed |= local.timed;
        self.ununified |= local.definitions > 0;
        self.any |= local.source != Source::Nobody;
        if local.source == Source::Nobody && events > 0 {
            self.without.insert(location);
        }
    }

    /// Returns whether some locations have a file of definitions, and others do not.
    pub fn is_uneven(&self) -> bool {
        self.any && !self.without.is_empty()
    }

    /// Locations whose file is lost, as those of others say, and what that means for its events.
    pub fn lost(&self, archive: &Archive) -> Vec<(LocationRef, String)> {
        let told = [
            (self.mapped, "mapping tables"),
            (self.timed, "clock offsets"),
            (self.ununified, "definitions"),
        ];
        let told: Vec<_> = told.into_iter().filter(|(any, _)| *any).map(|(_, what)| what).collect();
        if told.is_empty() {
            return Vec::new();
        }
        let told = told.join(" and ");
        let numbers = match self.mapped || self.ununified {
            true => {
                "; numbers in its events are taken for those of all, and may mean something else"
            }
            false => "",
        };
        let times = if self.timed { "; its times stay as they were recorded" } else { "" };
        let text = |location: &LocationRef| {
            let path = archive.path(FileKind::LocalDefinitions(*location));
            let path = path.display();
            format!("{path}: there is no such file, and others have {told}{numbers}{times}")
        };
        self.without.iter().map(|location| (*location, text(location))).collect()
    }
}
