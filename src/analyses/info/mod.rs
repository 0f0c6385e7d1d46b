//! What a trace says of itself, without its events: the anchor, the global definitions, and the
//! sizes of files. Nothing else is opened, and no folder is listed.

mod files;
mod locations;
mod memory;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use streamfold_model::definitions::ClockProperties;
use streamfold_model::fields::Record;
use streamfold_model::store::Definitions;

use crate::formats::otf2::{Anchor, Archive, Error};
use crate::formats::{self, ReadOptions};
use crate::system::exit::Failure;
pub use files::{FileCount, Files};
pub use locations::{Locations, Longest, OfType};
pub use memory::Memory;

/// The facts about a trace.
#[derive(Clone, Debug)]
pub struct TraceInfo {
    /// What the anchor says.
    pub anchor: Anchor,
    /// The clock, where it is defined.
    pub clock: Option<ClockProperties>,
    /// Global definitions of each kind, by the name that the format gives to it.
    pub definitions: BTreeMap<&'static str, u64>,
    /// Global definitions of kinds that this version does not know.
    pub unknown_definitions: u64,
    /// Global definitions whose reference was defined before.
    pub redefined: u64,
    /// The locations and the events that they are said to have.
    pub locations: Locations,
    /// The files, and their sizes.
    pub files: Files,
    /// Why the first file that cannot be looked at cannot, in words.
    pub refused: Option<String>,
    /// What a profile will need.
    pub memory: Memory,
}

impl TraceInfo {
    /// Looks at the trace with this anchor. `threads`: of a rank that will make a profile.
    ///
    /// # Errors
    ///
    /// When the anchor or the global definitions are damaged or cannot be read.
    pub fn read(path: &Path, threads: NonZeroUsize) -> Result<TraceInfo, Failure> {
        let archive = formats::open_archive(path, ReadOptions::default())?;
        let (definitions, counts) = read_definitions(&archive)?;
        let locations = Locations::of(&definitions);
        let (files, refused) = Files::of(&archive, archive.anchor_path(), &definitions);
        let memory = Memory::of(&files, definitions.locations.len() as u64, threads);
        Ok(TraceInfo {
            anchor: archive.anchor().clone(),
            unknown_definitions: definitions.unknown,
            redefined: definitions.redefined,
            clock: definitions.clock,
            definitions: counts,
            locations,
            files,
            refused: refused.map(|error| error.to_string()),
            memory,
        })
    }

    /// Global definitions of all kinds.
    pub fn number_of_definitions(&self) -> u64 {
        self.definitions.values().sum::<u64>() + self.unknown_definitions
    }
}

/// The definitions, and how many of each kind there are.
fn read_definitions(
    archive: &Archive,
) -> Result<(Definitions, BTreeMap<&'static str, u64>), Error> {
    let mut counts = BTreeMap::new();
    let (definitions, reader) = archive.read_all_global_definitions(|definition| {
        if let Ok(definition) = definition {
            *counts.entry(definition.record_name()).or_default() += 1;
        }
    })?;
    archive.check_definition_count(&reader)?;
    Ok((definitions, counts))
}
