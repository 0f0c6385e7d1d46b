//! Sources of definitions: an archive, or the memory of a recorder.

use std::collections::BTreeSet;

use streamfold_formats::Loss;
use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;

use super::inputs::{Input, Placed};
use streamfold_otf2::{Archive, DefinitionVisitor, Error, FileKind};
use streamfold_system::exit::Failure;

/// A definition, or the number on disk of one whose kind is not known.
pub type Found = Result<Definition, u8>;

/// Definitions that are unified: global ones, and those of locations.
pub trait Source: Sync {
    /// Changes before they are compared.
    fn placed(&self) -> &Placed;

    /// How many locations there are; 0 where it is the only source and nobody knows yet.
    fn locations(&self) -> u64;

    /// Hands on the global definitions, in their order.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn global(&self, receive: &mut dyn FnMut(Found)) -> Result<(), Failure>;

    /// Hands on the definitions of a location, in their order; as they stand in a file, where there is one.
    /// `false`: it has none, not even an empty file of them.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    fn local(&self, location: LocationRef, to: &mut dyn DefinitionVisitor) -> Result<bool, Error>;

    /// The archive, if it has files.
    fn archive(&self) -> Option<&Archive> {
        None
    }

    /// How it is called where something is wrong with its global definitions.
    fn name(&self) -> String;

    /// How it is called where something is wrong with the definitions of a location.
    fn local_name(&self, location: LocationRef) -> String {
        format!("{}: location {location}", self.name())
    }
}

impl Source for Input {
    fn placed(&self) -> &Placed {
        &self.placed
    }

    fn locations(&self) -> u64 {
        self.locations
    }

    fn global(&self, receive: &mut dyn FnMut(Found)) -> Result<(), Failure> {
        let mut reader = self.archive.global_definitions().map_err(Loss::from)?;
        while let Some(definition) = reader.next().map_err(Loss::from)? {
            match &definition {
                Ok(Definition::Location(it)) if self.placed.is_elsewhere(it.id) => {}
                _ => receive(definition),
            }
        }
        Ok(self.archive.check_definition_count(&reader).map_err(Loss::from)?)
    }

    fn local(&self, location: LocationRef, to: &mut dyn DefinitionVisitor) -> Result<bool, Error> {
        match self.archive.local_definitions(location)? {
            Some(mut reader) => reader.read_all(to).map(|()| true),
            None => Ok(false),
        }
    }

    fn archive(&self) -> Option<&Archive> {
        Some(&self.archive)
    }

    fn name(&self) -> String {
        self.archive.path(FileKind::GlobalDefinitions).display().to_string()
    }

    fn local_name(&self, location: LocationRef) -> String {
        self.archive.path(FileKind::LocalDefinitions(location)).display().to_string()
    }
}

/// The runs of which several archives are parts that were recorded as such: each says of the run what all of it is.
pub(crate) fn several(sources: &[impl Source]) -> BTreeSet<u32> {
    let (mut once, mut several) = (BTreeSet::new(), BTreeSet::new());
    let parts = sources.iter().map(Source::placed).filter(|placed| !placed.is_cut());
    for run in parts.filter_map(|placed| placed.run) {
        if !once.insert(run) {
            several.insert(run);
        }
    }
    several
}
